//! Reading saved code: checked reads from a slice, which is not trusted.

use smallvec::SmallVec;

use crate::code::fast::Symbol;
use crate::memory::cast::index;

/// Bytes that are read from the beginning. A read beyond the end, or of something that is not valid, is `None`.
#[derive(Clone, Debug)]
pub struct Reader<'b> {
    bytes: &'b [u8],
    /// The symbols of the names of the code that is read.
    symbols: SmallVec<[Symbol; 8]>,
}

impl<'b> Reader<'b> {
    /// Creates a reader of bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, symbols: SmallVec::new() }
    }

    /// Returns the bytes that were not read.
    pub fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    /// Reads `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Reads `N` bytes.
    #[inline]
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }

    /// Reads a byte.
    #[inline]
    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    /// Reads a number of 16 bits.
    #[inline]
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    /// Reads a number of 32 bits.
    #[inline]
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// Reads a number of 64 bits.
    #[inline]
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Reads a text with its length.
    #[inline]
    pub fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.block()?).ok()
    }

    /// Reads bytes with their length.
    #[inline]
    pub fn block(&mut self) -> Option<&'b [u8]> {
        let len = self.length()?;
        self.take(len)
    }

    /// Reads the length of a list whose entries take a byte at least, so that none is longer than the rest.
    #[inline]
    pub fn length(&mut self) -> Option<usize> {
        self.u32().map(index).filter(|len| *len <= self.bytes.len())
    }

    /// Reads the length of a list and each entry by `load`.
    #[inline]
    pub fn list<T, L: Extend<T> + Default>(
        &mut self,
        mut load: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<L> {
        let len = self.length()?;
        let mut list = L::default();
        let mut complete = true;
        let mut left = len;
        list.extend(std::iter::from_fn(|| {
            left = left.checked_sub(1)?;
            let entry = load(self);
            complete &= entry.is_some();
            entry
        }));
        complete.then_some(list)
    }

    /// Begins the code of an expression, whose names have these symbols.
    pub(super) fn begin_code(&mut self, symbols: impl IntoIterator<Item = Symbol>) {
        self.symbols.clear();
        self.symbols.extend(symbols);
    }

    /// Reads a symbol by the position of its name.
    #[inline]
    pub(super) fn symbol(&mut self) -> Option<Symbol> {
        let at = self.u16()?;
        self.symbols.get(usize::from(at)).copied()
    }
}
