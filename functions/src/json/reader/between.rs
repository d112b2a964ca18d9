//! The bytes between two values of an object as they were written before: the separator, the name and the colon,
//! with their white space. Texts of one origin repeat them, so that a comparison of 16 bytes takes the place of
//! reading five tokens.
//!
//! ```text
//! {"name": "web", "port": 80}
//!               └────────┘      up to the value, whatever it is
//! ```

use super::JsonReader;

/// The bytes that are compared at once.
const WINDOW: usize = size_of::<u128>();

/// The bytes between two values, or between a bracket and a value.
#[derive(Clone, Debug)]
pub struct Between {
    /// The first bytes, and which bytes of the word these are.
    word: u128,
    mask: u128,
    len: usize,
    /// The bytes after these.
    rest: Box<[u8]>,
}

impl Between {
    /// Prepares the bytes for comparisons. They must be complete tokens of JSON.
    pub fn new(bytes: &str) -> Self {
        let bytes = bytes.as_bytes();
        let (first, rest) = bytes.split_at(bytes.len().min(WINDOW));
        let word = first.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
        let mask = if first.len() == WINDOW { u128::MAX } else { (1 << (8 * first.len())) - 1 };
        Self { word, mask, len: bytes.len(), rest: rest.into() }
    }
}

impl<'t> JsonReader<'t> {
    /// Advances over these bytes and returns true if they are next.
    // Inlined: a load and a comparison for up to 16 bytes.
    #[inline(always)]
    pub fn passes(&mut self, between: &Between) -> bool {
        if (self.window() ^ between.word) & between.mask != 0
            || between.len > WINDOW && !self.passes_rest(between)
        {
            return false;
        }
        self.at += between.len;
        true
    }

    // Out of line: few names have more than ten characters.
    #[inline(never)]
    fn passes_rest(&self, between: &Between) -> bool {
        let rest = self.text.as_bytes().get(self.at + WINDOW..);
        rest.is_some_and(|rest| rest.starts_with(&between.rest))
    }

    /// Returns the next 16 bytes as a little-endian word; zeros follow the end of the text.
    #[inline(always)] // A check and a load.
    fn window(&self) -> u128 {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        match rest.first_chunk::<WINDOW>() {
            Some(chunk) => u128::from_le_bytes(*chunk),
            None => self.last_window(),
        }
    }

    // Out of line: only the last 15 bytes of a text get here.
    #[inline(never)]
    fn last_window(&self) -> u128 {
        let bytes = self.text.as_bytes();
        let left = bytes.len().saturating_sub(self.at);
        match bytes.last_chunk::<WINDOW>() {
            _ if left == 0 => 0,
            Some(chunk) => u128::from_le_bytes(*chunk) >> (8 * (WINDOW - left)),
            None => {
                let rest = bytes.get(self.at..).unwrap_or_default();
                rest.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte))
            }
        }
    }

    /// Returns the position, for [`JsonReader::since`].
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Returns to a position that this reader was at.
    pub fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    /// Returns the text from a position on.
    pub fn since(&self, position: usize) -> &'t str {
        self.text.get(position..self.at).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Between, JsonReader};

    #[test]
    fn bytes_are_passed_where_they_are_next() {
        for text in ["", "\"a\":", ",\"name\":", ", \"größe\" : ", ",\"a name of several words\":\n\t"] {
            let between = Between::new(text);
            for before in ["", "1", "[1, 2, 3, 4, 5, 6, 7, 8]"] {
                for behind in ["", "1", "1}", "\"0123456789abcdef\"}"] {
                    let whole = format!("{before}{text}{behind}");
                    let mut reader = JsonReader { at: before.len(), ..JsonReader::new(&whole) };
                    assert!(reader.passes(&between), "{whole}");
                    assert_eq!(reader.since(before.len()), text);
                }
                for end in 0..text.len() {
                    let Some(cut) = text.get(..end) else { continue };
                    for behind in ["", "x", "x\"0123456789abcdef\"}"] {
                        let whole = format!("{before}{cut}{behind}");
                        let mut reader = JsonReader { at: before.len(), ..JsonReader::new(&whole) };
                        assert!(!reader.passes(&between), "{whole}");
                        assert_eq!(reader.at, before.len());
                    }
                }
            }
        }
    }
}
