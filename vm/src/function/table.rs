//! Tables of functions by name: the functions that a program may call.

use std::sync::Arc;

use smol_str::SmolStr;

use super::Function;
use crate::memory::hash::HashMap;

/// Functions by the name that programs use, including namespaces (`ns::name`).
#[derive(Clone, Debug, Default)]
pub struct FunctionTable {
    functions: HashMap<SmolStr, Arc<Function>>,
}

impl FunctionTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a function. In this table, and so in messages, its name is `name`.
    pub fn insert(&mut self, name: impl Into<SmolStr>, function: impl Into<Arc<Function>>) {
        let (name, mut function) = (name.into(), function.into());
        if function.name != name {
            Arc::make_mut(&mut function).name = name.clone();
        }
        self.functions.insert(name, function);
    }

    /// Removes and returns a function.
    pub fn remove(&mut self, name: &str) -> Option<Arc<Function>> {
        self.functions.remove(name)
    }

    /// Returns the function called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<Function>> {
        self.functions.get(name)
    }

    /// Iterates over the names, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &SmolStr> {
        self.functions.keys()
    }

    /// Returns the number of functions.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Returns true if there are no functions.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}
