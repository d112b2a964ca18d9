//! What the names of a file mean to its programs, looked up once for all of them.

use hclvm_vm::arena::Arena;
use hclvm_vm::code::Slot;
use hclvm_vm::code::fast::Symbol;
use hclvm_vm::name::Names;
use hclvm_vm::scope::Layout;
use hclvm_vm::text::nfc;

use crate::tree::{NameId, StepKind, Tree};

/// The slots of variables and the symbols of attributes, each by the number of its name in a tree.
#[derive(Debug)]
pub struct Meanings {
    slots: Box<[Option<Slot>]>,
    symbols: Box<[Option<Symbol>]>,
}

impl Meanings {
    /// What the names of `tree` mean in scopes of `layout`. Those of attributes come into `names`.
    pub fn new(tree: &Tree, layout: &Layout, names: &Names) -> Self {
        // Also of names that no variable has: there are fewer names than nodes that may be one.
        let slots = tree.names.iter().map(|name| layout.slot(name)).collect();
        Self { slots, symbols: symbols(tree, names) }
    }

    pub(super) fn slot(&self, name: NameId) -> Option<Slot> {
        self.slots.get(name.0 as usize).copied().flatten()
    }

    /// The symbol of a name that selects an attribute.
    pub(super) fn symbol(&self, name: NameId) -> Option<Symbol> {
        self.symbols.get(name.0 as usize).copied().flatten()
    }
}

fn symbols(tree: &Tree, names: &Names) -> Box<[Option<Symbol>]> {
    let mut symbols = vec![None; tree.names.len()];
    let mut attributes = Vec::with_capacity(symbols.len());
    for step in &tree.steps {
        if let StepKind::Attribute(name) = step.kind
            && let Some(symbol @ None) = symbols.get_mut(name.0 as usize)
        {
            // A place is kept until the symbols of all are known.
            *symbol = Some(Symbol(0));
            attributes.push(name);
        }
    }
    let arena = Arena::new();
    let known = names.intern(attributes.iter().map(|name| nfc(&arena, tree.name(*name))));
    for (name, symbol) in attributes.iter().zip(known) {
        symbols[name.0 as usize] = Some(Symbol(symbol));
    }
    symbols.into()
}
