//! Nomad's own forms of functions.

use super::{Constructor, Library, LibraryFunction, constructor, library};

library! {
    /// `length` of collections only, and `reverse` of a text.
    FUNCTIONS:
    "length" collection::length_of_collection [],
    "reverse" text::strrev [],
}
