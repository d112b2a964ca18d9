//! Texts of a column, in the layouts in which hosts and Arrow keep them. Not checked to be UTF-8: comparisons are of
//! bytes, and a value is made only of valid text.

use std::ops::Range;
use std::sync::Arc;

/// The texts of a column.
#[derive(Clone, Debug)]
pub(crate) enum ColumnTexts<'c> {
    Strs(&'c [&'c str]),
    Strings(&'c [String]),
    /// The text of a row is `bytes[offsets[row]..offsets[row + 1]]`.
    Contiguous(Offsets<'c>, &'c [u8]),
    Views(Views<'c>),
}

/// Texts as Arrow's views: the length in 4 bytes, then the text itself if it has at most 12 bytes, else its first
/// 4 bytes, the number of a buffer and the place in it.
#[derive(Clone, Debug)]
pub(crate) struct Views<'c> {
    pub(crate) views: &'c [[u8; 16]],
    pub(crate) buffers: Arc<[&'c [u8]]>,
}

/// Where the parts of each row begin; the last one ends at the last offset.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'c> {
    /// Offsets of 32 bits.
    Short(&'c [i32]),
    /// Offsets of 64 bits.
    Large(&'c [i64]),
}

impl Offsets<'_> {
    /// Returns the range of a row; `None` if there is no such row or an offset is negative.
    pub(crate) fn range(self, row: usize) -> Option<Range<usize>> {
        let (start, end) = match self {
            Self::Short(offsets) => (i64::from(*offsets.get(row)?), i64::from(*offsets.get(row + 1)?)),
            Self::Large(offsets) => (*offsets.get(row)?, *offsets.get(row + 1)?),
        };
        Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// Returns the range of the bytes of the rows `start..start + len`; `None` if some are elsewhere.
    pub(crate) fn range_of(self, start: usize, len: usize) -> Option<Range<usize>> {
        let (first, last) = match self {
            Self::Short(offsets) => {
                let (first, last) = bounds(offsets.get(start..=start + len)?)?;
                (i64::from(first), i64::from(last))
            }
            Self::Large(offsets) => bounds(offsets.get(start..=start + len)?)?,
        };
        Some(usize::try_from(first).ok()?..usize::try_from(last).ok()?)
    }

    /// Returns the number of rows.
    pub(crate) const fn rows(self) -> usize {
        let offsets = match self {
            Self::Short(offsets) => offsets.len(),
            Self::Large(offsets) => offsets.len(),
        };
        offsets.saturating_sub(1)
    }
}

/// Returns the first and the last offset if the others are between them.
fn bounds<T: Copy + PartialOrd>(offsets: &[T]) -> Option<(T, T)> {
    let (first, last) = (*offsets.first()?, *offsets.last()?);
    // Numbers instead of bools, because a loop that ends early is not vectorized.
    let outside = |offset: &T| u8::from(*offset < first) | u8::from(*offset > last);
    (offsets.iter().fold(0, |any, offset| any | outside(offset)) == 0).then_some((first, last))
}

impl<'c> ColumnTexts<'c> {
    /// Returns the number of texts.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Strs(texts) => texts.len(),
            Self::Strings(texts) => texts.len(),
            Self::Contiguous(offsets, _) => offsets.rows(),
            Self::Views(views) => views.views.len(),
        }
    }

    /// Returns the bytes of a text; `None` if the host's offsets are wrong.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'c [u8]> {
        match self {
            Self::Strs(texts) => Some(texts.get(row)?.as_bytes()),
            Self::Strings(texts) => Some(texts.get(row)?.as_bytes()),
            Self::Contiguous(offsets, bytes) => bytes.get(offsets.range(row)?),
            Self::Views(views) => views.get(row),
        }
    }
}

/// The longest text that is in its view.
pub(crate) const LONGEST_IN_VIEW: usize = 12;

impl<'c> Views<'c> {
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'c [u8]> {
        let view = self.views.get(row)?;
        let (len, rest) = view.split_first_chunk::<4>()?;
        let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
        if len <= LONGEST_IN_VIEW {
            return rest.get(..len);
        }
        let number =
            |at: usize| usize::try_from(u32::from_le_bytes(*rest.get(at..)?.first_chunk::<4>()?)).ok();
        let start = number(8)?;
        self.buffers.get(number(4)?)?.get(start..start.checked_add(len)?)
    }
}
