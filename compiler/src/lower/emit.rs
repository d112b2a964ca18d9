//! The constant pool of a piece of code, for both tiers: constants and object shapes.
//!
//! The instructions themselves are emitted by [`baseline`](super::baseline) and
//! [`fast`](super::fast), each in its own `emit.rs`.

use std::collections::hash_map::Entry;

use hclvm_vm::code::{Const, Shape, ShapeId};
use hclvm_vm::hash::HashMap;
use hclvm_vm::{Arena, ArenaVec, Constants, Names, Value};
use smol_str::SmolStr;

/// The expression needs more registers or jumps than an instruction can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// What the instructions of a body refer to.
#[derive(Debug)]
pub(crate) struct Pool<'a> {
    constants: ArenaVec<'a, Value<'a>>,
    /// What most bodies have nothing of.
    extras: Option<Box<Extras<'a>>>,
}

#[derive(Debug, Default)]
struct Extras<'a> {
    /// The constants that are texts, once there are more than a few.
    texts: HashMap<&'a str, Const>,
    shapes: Vec<Shape>,
}

/// So many constants are looked through one by one.
const FEW: usize = 16;

impl<'a> Pool<'a> {
    /// Of nothing yet.
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Self { constants: arena.list_with(8), extras: None }
    }

    /// A constant; the same text is listed once.
    pub(crate) fn constant(&mut self, value: Value<'a>) -> Const {
        let next = Const(self.constants.len() as u32);
        let known = if self.constants.len() < FEW {
            let same = self.constants.iter().position(|known| known.is_same_text(value));
            same.map(|at| Const(at as u32))
        } else {
            value.as_str().and_then(|text| self.text(text, next))
        };
        known.unwrap_or_else(|| self.new_constant(value))
    }

    /// A constant that is hardly there yet.
    fn new_constant(&mut self, value: Value<'a>) -> Const {
        self.constants.push(value);
        Const(self.constants.len() as u32 - 1)
    }

    /// The constant that is `text`; else it is going to be number `next`.
    fn text(&mut self, text: &'a str, next: Const) -> Option<Const> {
        let constants = self.constants.iter().zip(0..);
        let texts = &mut self.extras.get_or_insert_default().texts;
        if texts.is_empty() {
            texts.extend(constants.filter_map(|(known, at)| Some((known.as_str()?, Const(at)))));
        }
        match texts.entry(text) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(place) => {
                place.insert(next);
                None
            }
        }
    }

    /// The keys of an object constructor.
    pub(crate) fn shape(&mut self, shape: Shape) -> ShapeId {
        let shapes = &mut self.extras.get_or_insert_default().shapes;
        shapes.push(shape);
        ShapeId(shapes.len() as u32 - 1)
    }

    /// The pool as it stays, in the places where it stays, which are empty; nothing stays in `self`.
    pub(crate) fn freeze(&mut self, constants: &mut Constants, shapes: &mut Box<[Shape]>) {
        if !self.constants.is_empty() {
            constants.refreeze(&self.constants);
        }
        if let Some(extras) = self.extras.take() {
            *shapes = extras.shapes.into();
        }
    }
}

/// The shape of an object with these keys, of which the last of equal ones counts.
pub(super) fn shape(keys: &[&str], table: &Names) -> Shape {
    let mut names: Vec<(SmolStr, u32)> =
        keys.iter().enumerate().map(|(at, key)| (SmolStr::new(key), at as u32)).collect();
    names.sort();
    let names: Vec<_> =
        names.chunk_by(|(a, _), (b, _)| a == b).filter_map(|run| run.last().cloned()).collect();
    let symbols = table.intern(names.iter().map(|(name, _)| name.as_str()));
    Shape { names: names.into(), symbols: symbols.into(), pushed: keys.len() as u32 }
}
