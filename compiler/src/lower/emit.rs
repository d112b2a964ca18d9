//! The pool that the instructions of an expression refer to, for both tiers: constants and object
//! shapes.
//!
//! A text is listed once. The instructions are emitted by `baseline/emit.rs` and `fast/emit.rs`.

use std::collections::hash_map::Entry;

use hclvm_vm::code::{Const, Shape, ShapeId};
use hclvm_vm::hash::HashMap;
use hclvm_vm::{Arena, ArenaVec, Constants, Names, Value, cast};
use smol_str::SmolStr;

/// The expression needs more registers or jumps than an instruction can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// The constants and shapes of an expression.
#[derive(Debug)]
pub(crate) struct Pool<'a> {
    constants: ArenaVec<'a, Value<'a>>,
    /// Created when first needed, because most expressions need none of it.
    extras: Option<Box<PoolExtras<'a>>>,
}

/// Lists that are empty for most expressions.
#[derive(Debug, Default)]
struct PoolExtras<'a> {
    /// The constants that are texts, once there are more than [`FEW`] constants.
    texts: HashMap<&'a str, Const>,
    shapes: Vec<Shape>,
}

/// The most constants that are searched in order, which needs no allocation. Beyond it a hash map keeps
/// the cost of a large literal linear.
const FEW: usize = 16;

impl<'a> Pool<'a> {
    /// Creates an empty pool.
    pub(crate) fn new(arena: &'a Arena) -> Self {
        Self { constants: arena.list_with(8), extras: None }
    }

    /// Returns the number of a constant, which is new unless it is a text that is listed already.
    pub(crate) fn constant(&mut self, value: Value<'a>) -> Const {
        let next = Const(cast::length(self.constants.len()));
        let known = if self.constants.len() < FEW {
            let same = self.constants.iter().position(|known| known.is_same_text(value));
            same.map(|at| Const(cast::length(at)))
        } else {
            value.as_str().and_then(|text| self.text(text, next))
        };
        known.unwrap_or_else(|| {
            self.constants.push(value);
            next
        })
    }

    /// Returns the number of a text that is listed already; else notes that its number will be `next`.
    fn text(&mut self, text: &'a str, next: Const) -> Option<Const> {
        let constants = self.constants.iter().zip(0..);
        let texts = &mut self.extras.get_or_insert_default().texts;
        if texts.is_empty() {
            texts.extend(constants.filter_map(|(known, at)| Some((known.as_str()?, Const(at)))));
        }
        match texts.entry(text) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(vacant) => {
                vacant.insert(next);
                None
            }
        }
    }

    /// Lists the keys of an object constructor.
    pub(crate) fn shape(&mut self, shape: Shape) -> ShapeId {
        let shapes = &mut self.extras.get_or_insert_default().shapes;
        shapes.push(shape);
        ShapeId(cast::length(shapes.len()) - 1)
    }

    /// Drops what is on the heap.
    pub(crate) fn drop_extras(&mut self) {
        self.extras = None;
    }

    /// Moves the pool into code, whose lists are empty: constants are copied into memory of their own.
    pub(crate) fn freeze(&mut self, constants: &mut Constants, shapes: &mut Box<[Shape]>) {
        if !self.constants.is_empty() {
            constants.refreeze(&self.constants);
        }
        if let Some(extras) = self.extras.take() {
            *shapes = extras.shapes.into();
        }
    }
}

/// Returns the shape of an object with these keys. Of equal keys the last one counts.
pub(super) fn shape(keys: &[&str], table: &Names) -> Shape {
    let mut names: Vec<(SmolStr, u32)> =
        keys.iter().zip(0..).map(|(key, at)| (SmolStr::new(key), at)).collect();
    names.sort();
    let names: Vec<_> =
        names.chunk_by(|(a, _), (b, _)| a == b).filter_map(|run| run.last().cloned()).collect();
    let symbols = table.intern(names.iter().map(|(name, _)| name.as_str()));
    Shape { names: names.into(), symbols: symbols.into(), pushed: cast::length(keys.len()) }
}
