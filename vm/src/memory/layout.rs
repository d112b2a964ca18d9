//! Layouts: the names of a scope's variables and their slots.
//!
//! A layout is fixed before code is compiled against it. Names of attributes are in the symbol table,
//! [`Names`](super::name::Names), which grows.

use smol_str::{SmolStr, format_smolstr};

use crate::memory::cast;
use crate::memory::hash::HashMap;
use crate::memory::slot::Slot;

/// Names and their slots. Code compiled against a layout runs in scopes of that layout.
///
/// A name with a dot, such as `local.risk`, is a derived slot: expressions that read this attribute of the
/// variable `local` read the slot instead. Other uses of `local` read its own slot.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    names: Vec<SmolStr>,
    slots: HashMap<SmolStr, u16>,
    /// The variables whose attributes have slots.
    derived: Vec<SmolStr>,
    /// The names that exist only in the blocks that bind them.
    bound: Vec<SmolStr>,
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        // The slots follow from the names.
        self.names == other.names && self.bound == other.bound
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
            // A loop over the bytes of a short name takes fewer instructions than a search by `memchr`.
            if name.bytes().any(|byte| byte == b'.') {
                layout.derive(&name);
            }
            layout.slots.insert(name.clone(), cast::operand(slot));
            layout.names.push(name);
        }
        layout
    }

    /// Notes the variable of a derived slot.
    #[cold]
    fn derive(&mut self, name: &str) {
        if let Some((variable, _)) = name.split_once('.')
            && !self.has_derived(variable)
        {
            self.derived.push(variable.into());
        }
    }

    /// Declares names that are variables only inside of the blocks that bind them, such as iterators of `dynamic`
    /// blocks. If undefined names are text, each is text everywhere else.
    pub fn with_bound(mut self, names: impl IntoIterator<Item = impl Into<SmolStr>>) -> Self {
        self.bound = names.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the names that are variables only inside of the blocks that bind them.
    pub fn bound(&self) -> &[SmolStr] {
        &self.bound
    }

    /// Returns a layout with the same slots in which these names are not found.
    pub fn hiding(&self, names: &[SmolStr]) -> Self {
        // No expression can read a name with a space.
        let hidden = |name: &SmolStr| {
            if names.contains(name) { format_smolstr!("{name} (hidden)") } else { name.clone() }
        };
        Self::new(self.names.iter().map(hidden)).with_bound(self.bound.iter().cloned())
    }

    /// Returns the slot of a name.
    pub fn slot(&self, name: &str) -> Option<Slot> {
        self.slots.get(name).copied().map(Slot)
    }

    /// Returns true if attributes of any variable have slots.
    #[inline]
    pub fn has_any_derived(&self) -> bool {
        !self.derived.is_empty()
    }

    /// Returns true if attributes of this variable have slots.
    pub fn has_derived(&self, variable: &str) -> bool {
        self.derived.iter().any(|known| known == variable)
    }

    /// Returns the slot of an attribute of a variable.
    pub fn derived(&self, variable: &str, attribute: &str) -> Option<Slot> {
        if !self.has_derived(variable) {
            return None;
        }
        self.slot(&format_smolstr!("{variable}.{attribute}"))
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
