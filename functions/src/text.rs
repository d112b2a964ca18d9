//! Functions of texts.
//!
//! Results are in normal form C like every text. A part of a text in that form is in that form
//! too, so functions that only cut return slices of their argument and copy nothing.

mod case;
mod edit;
mod graphemes;
mod lists;
mod search;
mod trim;

pub(crate) use case::{lower, title, upper};
#[cfg(feature = "regex")]
pub(crate) use edit::replaced;
pub(crate) use edit::{indent, replace};
pub(crate) use graphemes::{length, strlen, strrev, substr};
pub(crate) use lists::{join, sort, split};
pub(crate) use search::{endswith, startswith, strcontains};
pub(crate) use trim::{chomp, trim, trimprefix, trimspace, trimsuffix};

use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Value};

/// Makes a value of a part of a text that is a value.
fn part<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    Value::str(arena, text)
}

/// Makes a value of a composed text, in normal form C.
fn made<'a>(arena: &'a Arena, text: &'a str) -> Value<'a> {
    Value::str(arena, nfc(arena, text))
}
