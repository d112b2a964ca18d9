//! Layouts: the names of a scope's variables and their slots.
//!
//! A layout is fixed before code is compiled against it. Names of attributes are in the symbol table,
//! [`Names`](super::name::Names), which grows.

use smol_str::SmolStr;

use crate::code::Slot;
use crate::memory::cast;
use crate::memory::hash::HashMap;

/// Names and their slots. Code compiled against a layout runs in scopes of that layout.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    names: Vec<SmolStr>,
    slots: HashMap<SmolStr, u16>,
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        // The slots follow from the names.
        self.names == other.names
    }
}

impl Eq for Layout {}

impl Layout {
    /// Creates a layout with these names in this order. A repeated name keeps its first slot, and names
    /// beyond the 65,535th are ignored: slots have 16 bits.
    pub fn new(names: impl IntoIterator<Item = impl Into<SmolStr>>) -> Self {
        let mut layout = Self::default();
        for name in names {
            let name = name.into();
            let slot = layout.names.len();
            if slot >= usize::from(u16::MAX) || layout.slots.contains_key(&name) {
                continue;
            }
            layout.slots.insert(name.clone(), cast::operand(slot));
            layout.names.push(name);
        }
        layout
    }

    /// Returns the slot of a name.
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.slots.get(name).copied().map(Slot)
    }

    /// Returns the names in slot order.
    pub fn names(&self) -> &[SmolStr] {
        &self.names
    }

    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
