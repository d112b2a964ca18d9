//! The paths of attributes that an update reports. Only they are spelled out: a file may have a million others.

use std::collections::HashMap;

use super::super::NamedAttribute;
use crate::syntax::document::{Attribute, Block, Body};

/// The blocks of one document in which attributes are compared.
#[derive(Default)]
pub(super) struct Naming<'d> {
    blocks: Vec<Entered<'d>>,
    /// By the number of a block, how many blocks in it were asked for, and which of equal blocks each is if they are
    /// many.
    repeated: HashMap<usize, (usize, HashMap<u32, usize>)>,
}

/// Blocks of a body whose equal predecessors are counted one by one. For more, all are counted at once.
const FEW: usize = 8;

#[derive(Clone, Copy)]
struct Entered<'d> {
    parent: usize,
    block: Block<'d>,
}

/// Bytes of the path of a block. Every attribute in the block repeats them, so without a limit the
/// paths could take memory quadratic in the size of the text.
const MAX_PATH: usize = 200;

impl<'d> Naming<'d> {
    /// The number of the body of the file.
    pub(super) const ROOT: usize = 0;

    /// Notes a block in another one and returns its number.
    pub(super) fn enter(&mut self, parent: usize, block: Block<'d>) -> usize {
        self.blocks.push(Entered { parent, block });
        self.blocks.len()
    }

    /// Returns the path of an attribute of a block.
    pub(super) fn attribute(&mut self, parent: usize, attribute: Attribute<'d>) -> NamedAttribute {
        let (mut names, mut path) = (vec![attribute.name().to_owned()], Vec::new());
        let (mut bytes, mut at, mut shortened) = (0, parent, false);
        while at != Self::ROOT {
            let Entered { parent, block } = self.blocks[at - 1];
            let header: Vec<&str> = std::iter::once(block.kind()).chain(block.labels()).collect();
            bytes += header.iter().map(|name| name.len() + 1).sum::<usize>();
            if bytes > MAX_PATH {
                shortened = true;
                break;
            }
            let index = match self.index(parent, block, attribute) {
                0 => String::new(),
                index => format!("[{index}]"),
            };
            path.push(header.join(".") + &index);
            names.extend(header.iter().rev().map(|name| (*name).to_owned()));
            at = parent;
        }
        if shortened {
            path.push("…".to_owned());
        }
        names.reverse();
        path.reverse();
        path.push(attribute.name().to_owned());
        NamedAttribute { path: path.join("."), names, shortened }
    }

    /// Returns how many equal blocks precede a block.
    fn index(&mut self, parent: usize, block: Block<'d>, attribute: Attribute<'d>) -> usize {
        let around = match parent.checked_sub(1).and_then(|at| self.blocks.get(at)) {
            Some(around) => around.block.body(),
            None => attribute.document().body(),
        };
        let (asked, indices) = self.repeated.entry(parent).or_default();
        *asked += 1;
        if *asked <= FEW {
            let is_equal =
                |other: &Block<'_>| other.kind() == block.kind() && other.labels().eq(block.labels());
            return around
                .blocks()
                .take_while(|other| other.index() != block.index())
                .filter(is_equal)
                .count();
        }
        if *asked == FEW + 1 {
            *indices = repeated(around);
        }
        block.index().and_then(|block| indices.get(&block).copied()).unwrap_or(0)
    }
}

/// Returns which of equal blocks each block of a body is, without the first ones.
fn repeated(body: Body<'_>) -> HashMap<u32, usize> {
    let mut counts: HashMap<(&str, Vec<&str>), usize> = HashMap::new();
    let mut indices = HashMap::new();
    for block in body.blocks() {
        let count = counts.entry((block.kind(), block.labels().collect())).or_insert(0);
        if let (Some(block), true) = (block.index(), *count > 0) {
            indices.insert(block, *count);
        }
        *count += 1;
    }
    indices
}
