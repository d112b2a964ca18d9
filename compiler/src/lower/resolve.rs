//! What the names of a file mean to its programs, looked up once for all of them.

use hclvm_vm::code::Slot;
use hclvm_vm::code::fast::Symbol;
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Layout, Names};
use smol_str::SmolStr;

use crate::tree::{NameId, StepKind, Tree};

/// The slots of variables and the symbols of attributes, each by the number of its name in a tree.
#[derive(Debug)]
pub struct Resolution {
    slots: Box<[Option<Slot>]>,
    /// With the name as values have it.
    attributes: Box<[Option<(Symbol, SmolStr)>]>,
}

impl Resolution {
    /// What the names of `tree` mean in scopes of `layout`. Those of attributes come into `names`.
    pub fn new(tree: &Tree, layout: &Layout, names: &Names) -> Self {
        // Also of names that no variable has: there are fewer names than nodes that may be one.
        let slots = tree.names.iter().map(|name| layout.slot(name)).collect();
        Self { slots, attributes: attributes(tree, names) }
    }

    pub(crate) fn slot(&self, name: NameId) -> Option<Slot> {
        self.slots.get(name.0 as usize).copied().flatten()
    }

    /// The symbol of a name that selects an attribute, and that name as values have it.
    pub(super) fn attribute(&self, name: NameId) -> Option<&(Symbol, SmolStr)> {
        self.attributes.get(name.0 as usize)?.as_ref()
    }
}

fn attributes(tree: &Tree, names: &Names) -> Box<[Option<(Symbol, SmolStr)>]> {
    let mut attributes = vec![None; tree.names.len()];
    let mut found = Vec::with_capacity(attributes.len());
    let arena = Arena::new();
    for step in &tree.steps {
        if let StepKind::Attribute(id) = step.kind
            && let Some(attribute @ None) = attributes.get_mut(id.0 as usize)
        {
            let name = tree.name(id);
            let normal = nfc(&arena, name);
            let normal = if normal == name { name.clone() } else { SmolStr::new(normal) };
            // A place is kept until the symbols of all are known.
            *attribute = Some((Symbol(0), normal));
            found.push(id.0 as usize);
        }
    }
    let normal = |id: &usize| attributes[*id].as_ref().map_or("", |(_, name)| name.as_str());
    let symbols = names.intern(found.iter().map(normal));
    for (id, known) in found.into_iter().zip(symbols) {
        if let Some((symbol, _)) = &mut attributes[id] {
            *symbol = Symbol(known);
        }
    }
    attributes.into()
}
