//! Tables of functions by name: what a program may call.

use std::sync::Arc;

use smol_str::SmolStr;

use super::Function;
use crate::memory::hash::HashMap;

/// Functions by the name that programs use, namespaces included (`ns::name`).
#[derive(Clone, Debug, Default)]
pub struct FunctionTable {
    functions: HashMap<SmolStr, Arc<Function>>,
}

impl FunctionTable {
    /// A table without functions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces the function called `name` by programs. In this table, and so in
    /// messages, that is its name.
    pub fn insert(&mut self, name: impl Into<SmolStr>, function: impl Into<Arc<Function>>) {
        let (name, mut function) = (name.into(), function.into());
        if function.name != name {
            Arc::make_mut(&mut function).name = name.clone();
        }
        self.functions.insert(name, function);
    }

    /// Removes a function.
    pub fn remove(&mut self, name: &str) -> Option<Arc<Function>> {
        self.functions.remove(name)
    }

    /// The function called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<Function>> {
        self.functions.get(name)
    }

    /// The names, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &SmolStr> {
        self.functions.keys()
    }

    /// Number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}
