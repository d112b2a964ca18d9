//! The machine of hclvm: values, types, numbers, instructions and their execution.
//!
//! It does not know source text, syntax trees or files; the compiler produces its code, and the
//! library owns the programs. This page is the whole interface: an item that is not named here is
//! private to the crate.
//!
//! | to | use |
//! |---|---|
//! | hold values | [`Value`], its [`View`] and its [`Type`]; [`OwnedValue`] to keep one beyond its [`Arena`] |
//! | compute with numbers | [`NumberRef`], [`Number`] and the functions of [`number`] |
//! | convert between types | [`convert`], [`unify`] |
//! | apply an operator | the functions of [`ops`], one file per operator family |
//! | define a function | [`Function`], [`Parameter`], [`CallError`]; a [`FunctionTable`] to look it up |
//! | write code | the instruction sets in [`code`], checked by [`code::verify`] |
//! | read rows from columns | [`column::Column`] |
//! | run code | [`exec::run_fast`] for the fast tier, [`exec::run`] for the baseline tier |
//! | report errors | [`Fault`], recorded without text; [`Diagnostic`] for a reader |
//! | bound memory and work | [`Limits`] |
//! | convert integer widths | [`cast::index`], [`cast::length`] and the other functions of [`cast`] |

pub mod code;
pub mod column;
pub mod exec;
mod fault;
mod function;
mod memory;
pub mod number;
pub mod ops;
pub mod text;
mod types;
mod value;

pub use fault::code as codes;
pub use fault::code::Code;
pub use fault::diagnostic::{Additions, Diagnostic, Label, NamedValue, Replacement, Severity};
pub use fault::span::Span;
pub use fault::{Called, Fault, Place, Record};
pub use function::{
    Accepts, CallError, Function, FunctionBody, FunctionTable, Inline, Intrinsic, Lazy, Parameter,
    RefineRule, Returns, TextOperation, TypeRule, not_null,
};
pub use memory::arena::{Arena, ArenaString, ArenaVec};
pub use memory::layout::Layout;
pub use memory::limits::{Budget, Exhausted, Interrupt, Limits};
pub use memory::name::{Names, Symbols};
pub use memory::{cast, hash};
pub use number::{Interval, Number, NumberFault, NumberRef, Width};
pub use text::foreign::{function_meant, literal_meant};
pub use text::suggest::{
    Comparisons, code_point, did_you_mean, is_invisible, listed, may_replace, nearest, nearest_of_many,
};
pub use types::convert::{
    Mismatch, MismatchStep, conversion_exists, convert, convert_as_function, convert_unified, list_of,
    may_read_number, set_of,
};
pub use types::set::{contains, same_element, set_from};
pub use types::unify::{Safety, Unified, unify, unify_all};
pub use types::{AttributeType, FriendlyName, Type};
pub use value::{
    Constants, Entry, Marks, Misfit, NumberBound, OwnedValue, Refinement, Region, Rows, Sharing, Slots,
    Stored, TextBuffer, Unknown, Value, View, copy, find, last_of_each, marks_from,
};
