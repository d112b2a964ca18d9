//! Values in one piece of memory of their size: what a scope takes that is kept and no longer changes.
//!
//! ```text
//! values and entries, outer before inner        texts and names
//! ├──────────────────────────────────────┤├──────────────────────────────┤
//! ```
//! Only plain values without types of their own can be packed; [`Sharing`](super::Sharing) copies any others.
#![expect(unsafe_code, reason = "a piece and the values that borrow from it move together")]

use std::sync::Arc;

use super::buffer::copy_bytes;
use super::data::ValueData;
use super::{DECIMAL, Entry, FALSE, INT, NULL, OBJECT, RATIO, STRING, TRUE, TUPLE, UNKNOWN, UNSET, Value};

/// A piece of memory from which values borrow. It is never read through this handle.
#[derive(Clone)]
pub(super) struct Packed(Arc<[u64]>);

/// The copies of a scope's values.
pub(super) type Copies = Vec<Value<'static>>;

/// The most bytes that are packed. Parts that occur several times are copied each time, so that a copy may be
/// much larger than its original.
const MOST: usize = 16 << 10;

impl Packed {
    /// Copies values. Returns `None` if one of them cannot be packed, and no memory if none needs any.
    ///
    /// # Safety
    ///
    /// The lifetime of the copies is forged: the caller keeps the memory for as long as it gives them out.
    pub(super) unsafe fn copy_of(values: &[Value<'_>]) -> Option<(Copies, Option<Self>)> {
        let mut size = Size::default();
        for value in values {
            size.add(*value)?;
        }
        let words = size.words + size.bytes.div_ceil(size_of::<u64>());
        let mut piece: Arc<[u64]> = std::iter::repeat_n(0, words).collect();
        let (rows, texts) = Arc::get_mut(&mut piece)?.split_at_mut_checked(size.words)?;
        // SAFETY: any bytes are valid words, and bytes need no alignment.
        let (_, texts, _) = unsafe { texts.align_to_mut::<u8>() };
        let mut writer = PackedWriter { rows: rows.as_mut_ptr(), texts: texts.as_mut_ptr() };
        // SAFETY: `size` is what `values` take.
        let copies = values.iter().map(|value| unsafe { writer.value(*value) }).collect();
        Some((copies, (words > 0).then_some(Self(piece))))
    }

    /// Returns true if both are one piece.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Returns the bytes that a copy of a value takes at most; `None` if it cannot be packed.
pub(super) fn size_of_copy(value: Value<'_>) -> Option<usize> {
    let mut size = Size::default();
    size.add(value)?;
    // The parts of a value are aligned.
    Some(size.words * size_of::<u64>() + size.bytes.next_multiple_of(size_of::<u64>()) + size_of::<u64>())
}

/// The memory that copies take.
#[derive(Default)]
struct Size {
    words: usize,
    bytes: usize,
}

impl Size {
    /// Adds a value; `None` if it cannot be packed.
    fn add(&mut self, value: Value<'_>) -> Option<()> {
        match value.tag() {
            FALSE | TRUE | INT | DECIMAL | RATIO | UNSET => {}
            NULL | UNKNOWN if value.data.is_null() => {}
            STRING => self.bytes += value.text_len_field(),
            TUPLE => {
                let items = value.items_unchecked();
                self.words += size_of_val(items) / size_of::<u64>();
                self.fits()?;
                for item in items {
                    self.add(*item)?;
                }
            }
            OBJECT => {
                let entries = value.entries_unchecked();
                self.words += size_of_val(entries) / size_of::<u64>();
                self.fits()?;
                for entry in entries {
                    self.bytes += entry.name.len();
                    self.add(entry.value)?;
                }
            }
            _ => return None,
        }
        self.fits()
    }

    fn fits(&self) -> Option<()> {
        (self.words * size_of::<u64>() + self.bytes <= MOST).then_some(())
    }
}

/// The positions at which the next row and the next text are written.
struct PackedWriter {
    rows: *mut u64,
    texts: *mut u8,
}

impl PackedWriter {
    /// Copies a value.
    ///
    /// # Safety
    ///
    /// There is room for what [`Size::add`] counts for it, and that has accepted it.
    unsafe fn value(&mut self, value: Value<'_>) -> Value<'static> {
        let data = match value.tag() {
            // SAFETY: as required of the caller.
            STRING => ValueData::of(unsafe { self.text(value.text_unchecked()) }.as_ptr().cast()),
            TUPLE => {
                let items = value.items_unchecked();
                let row: *mut Value<'static> = self.row(items);
                for (at, item) in items.iter().enumerate() {
                    // SAFETY: `row` has room for all items, as required of the caller.
                    unsafe { row.add(at).write(self.value(*item)) };
                }
                ValueData::of(row.cast_const().cast())
            }
            OBJECT => {
                let entries = value.entries_unchecked();
                let row: *mut Entry<'static> = self.row(entries);
                for (at, entry) in entries.iter().enumerate() {
                    // SAFETY: `row` and the texts have room for all entries, as required of the caller.
                    unsafe {
                        let (name, value) = (self.text(entry.name), self.value(entry.value));
                        row.add(at).write(Entry { name, symbol: entry.symbol, value });
                    }
                }
                ValueData::of(row.cast_const().cast())
            }
            _ => value.data,
        };
        // SAFETY: the head and the data are copied from `value`, but for data that points to parts, which points
        // to their copies. The lifetime is forged: see `Packed::copy_of`.
        unsafe { Value::of_words(value.head.get(), data) }
    }

    /// Reserves a row for copies of `parts`, which is aligned: rows are whole words.
    fn row<P, C>(&mut self, parts: &[P]) -> *mut C {
        const { assert!(size_of::<P>() == size_of::<C>() && align_of::<C>() == align_of::<u64>()) };
        let row = self.rows;
        self.rows = row.wrapping_add(size_of_val(parts) / size_of::<u64>());
        row.cast()
    }

    /// Copies a text.
    ///
    /// # Safety
    ///
    /// There is room for it.
    unsafe fn text(&mut self, text: &str) -> &'static str {
        // SAFETY: as required of the caller; the bytes are a text and are not written again.
        unsafe {
            let place = std::slice::from_raw_parts_mut(self.texts, text.len());
            self.texts = self.texts.add(text.len());
            copy_bytes(place, text.as_bytes());
            std::str::from_utf8_unchecked(place)
        }
    }
}
