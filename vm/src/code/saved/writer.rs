//! Writing saved code: a growing list of bytes, and the names and functions that it refers to by number.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Saved, length};
use crate::code::fast::Symbol;
use crate::function::{Function, FunctionTable};
use crate::memory::cast;
use crate::memory::hash::HashMap;

/// Bytes that are written, with the lists of names and functions that they refer to.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    names: HashMap<SmolStr, u32>,
    in_order: Vec<SmolStr>,
    /// The names of functions by their addresses.
    known_functions: HashMap<usize, SmolStr>,
    functions: Vec<SmolStr>,
    /// The symbols of the code that is written, in the order of its names.
    symbols: Vec<Symbol>,
    /// True if the code refers to a symbol without a name.
    is_unsound: bool,
}

impl Writer {
    /// Creates a writer for code that calls functions of a table.
    pub fn new(functions: Option<&FunctionTable>) -> Self {
        let mut known_functions = HashMap::default();
        for name in functions.into_iter().flat_map(FunctionTable::names) {
            if let Some(function) = functions.and_then(|table| table.get(name)) {
                known_functions.insert(Arc::as_ptr(function).addr(), name.clone());
            }
        }
        Self { known_functions, ..Self::default() }
    }

    /// Returns the bytes written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Drops what was written beyond a length. Names that were listed remain.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Returns the names that the code refers to, in the order of their numbers.
    pub fn names(&self) -> &[SmolStr] {
        &self.in_order
    }

    /// Returns the names of the functions that the code calls, in the order of their numbers.
    pub fn functions(&self) -> &[SmolStr] {
        &self.functions
    }

    /// Appends a byte.
    pub fn u8(&mut self, number: u8) {
        self.bytes.push(number);
    }

    /// Appends a number of 16 bits.
    pub fn u16(&mut self, number: u16) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Appends a number of 32 bits.
    pub fn u32(&mut self, number: u32) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Appends a number of 64 bits.
    pub fn u64(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    /// Appends a text with its length; `None` if that exceeds 32 bits.
    pub fn text(&mut self, text: &str) -> Option<()> {
        self.block(text.as_bytes())
    }

    /// Appends bytes with their length; `None` if that exceeds 32 bits.
    pub fn block(&mut self, bytes: &[u8]) -> Option<()> {
        self.u32(length(bytes.len())?);
        self.bytes.extend_from_slice(bytes);
        Some(())
    }

    /// Appends the length of a list and each entry by `save`, until one has no saved form.
    pub fn list<T>(&mut self, list: &[T], mut save: impl FnMut(&mut Self, &T) -> Option<()>) -> Option<()> {
        self.u32(length(list.len())?);
        list.iter().try_for_each(|entry| save(self, entry))
    }

    /// Appends the length of a list and each entry by `save`.
    pub fn each<T>(&mut self, list: &[T], mut save: impl FnMut(&mut Self, &T)) -> Option<()> {
        self.u32(length(list.len())?);
        for entry in list {
            save(self, entry);
        }
        Some(())
    }

    /// Appends the number of a name.
    pub(super) fn name(&mut self, name: &SmolStr) -> Option<()> {
        let next = length(self.in_order.len())?;
        let number = *self.names.entry(name.clone()).or_insert(next);
        if number == next {
            self.in_order.push(name.clone());
        }
        self.u32(number);
        Some(())
    }

    /// Appends the number of a function, and the texts that it was prepared for; `None` if it is not one of the table's.
    pub(super) fn function(&mut self, function: &Arc<Function>) -> Option<()> {
        let (function, texts) = function.origin().unwrap_or((function, &[]));
        self.number_of(function)?;
        self.list(texts, |out, text| {
            text.is_some().save(out);
            out.text(text.as_deref().unwrap_or_default())
        })
    }

    fn number_of(&mut self, function: &Arc<Function>) -> Option<()> {
        let name = self.known_functions.get(&Arc::as_ptr(function).addr())?;
        let at = self.functions.iter().position(|known| known == name).unwrap_or_else(|| {
            self.functions.push(name.clone());
            self.functions.len() - 1
        });
        let number = u16::try_from(at).ok()?;
        self.u16(number);
        Some(())
    }

    /// Begins the code of an expression, which has these names.
    pub(super) fn begin_code(&mut self, names: &[(Symbol, SmolStr)]) {
        self.symbols.clear();
        self.symbols.extend(names.iter().map(|(symbol, _)| *symbol));
        self.is_unsound = u16::try_from(names.len()).is_err();
    }

    /// Appends the position of a symbol's name among the names of the code.
    pub(super) fn symbol(&mut self, symbol: Symbol) {
        let at = self.symbols.iter().position(|known| *known == symbol);
        self.is_unsound |= at.is_none();
        let at = at.filter(|_| !self.is_unsound).unwrap_or_default();
        self.u16(cast::operand(at));
    }

    /// Returns true if every symbol of the code has a name.
    pub(super) fn is_sound(&self) -> bool {
        !self.is_unsound
    }
}
