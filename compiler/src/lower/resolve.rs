//! The slots and symbols of a file's names, looked up once for all expressions of the file.
//!
//! A single expression is lowered without a resolution: [`analysis::info`](crate::analysis) then looks
//! up its variables, and the fast tier its attributes.

use hclvm_vm::code::Slot;
use hclvm_vm::code::fast::Symbol;
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Layout, Names, cast};
use smol_str::SmolStr;

use crate::tree::{NameId, StepKind, Tree};

/// The slots of variables and the symbols of attributes, indexed by [`NameId`].
#[derive(Debug)]
pub struct Resolution {
    slots: Box<[Option<Slot>]>,
    /// Each with the name in normal form C, the form of names in values.
    attributes: Box<[Option<(Symbol, SmolStr)>]>,
}

impl Resolution {
    /// Resolves the names of `tree` in scopes of `layout`. Attribute names are interned in `names`.
    pub fn new(tree: &Tree, layout: &Layout, names: &Names) -> Self {
        // Names that no variable has are looked up as well: there are fewer names than nodes to search
        // for variables.
        let slots = tree.names.iter().map(|name| layout.slot(name)).collect();
        Self { slots, attributes: attributes(tree, names) }
    }

    /// Returns the slot of a variable.
    pub(crate) fn slot(&self, name: NameId) -> Option<Slot> {
        self.slots.get(cast::index(name.0)).copied().flatten()
    }

    /// Returns the symbol of a name that selects an attribute, and the name in normal form C.
    pub(crate) fn attribute(&self, name: NameId) -> Option<&(Symbol, SmolStr)> {
        self.attributes.get(cast::index(name.0))?.as_ref()
    }
}

/// Interns the names that attribute steps select.
fn attributes(tree: &Tree, names: &Names) -> Box<[Option<(Symbol, SmolStr)>]> {
    let mut attributes = vec![None; tree.names.len()];
    let mut found = Vec::with_capacity(attributes.len());
    let arena = Arena::new();
    for step in &tree.steps {
        if let StepKind::Attribute(id) = step.kind
            && let Some(attribute @ None) = attributes.get_mut(cast::index(id.0))
        {
            let name = tree.name(id);
            let normal = nfc(&arena, name);
            let normal = if normal == name { name.clone() } else { SmolStr::new(normal) };
            // Replaced below: interning all names at once takes the lock of the table once.
            *attribute = Some((Symbol(0), normal));
            found.push(cast::index(id.0));
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
