//! The hash that identifies the content of a configuration.

use std::fmt;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher13};

use crate::source::Text;

/// A hash of the file names and bytes of all texts, equal on all machines and in all versions, so that the
/// servers of a fleet can be compared: folders do not matter. It finds changes; it does not protect against
/// forged texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentHash(u128);

impl ContentHash {
    /// Returns the hash of texts.
    pub fn of(texts: &[Text]) -> Self {
        let mut hasher = SipHasher13::new();
        for Text { name, bytes } in texts {
            let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
            // With their lengths, so that no byte can move from one to the other.
            for part in [file.as_bytes(), bytes] {
                hasher.write(&(part.len() as u64).to_le_bytes());
                hasher.write(part);
            }
        }
        Self(hasher.finish128().as_u128())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
