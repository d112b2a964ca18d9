//! The machine of hclvm: values, types, numbers, instructions and their execution.
//!
//! It knows no text, tree or file. This page is the whole interface: what is not named here is
//! private to the crate.
//!
//! | to | use |
//! |---|---|
//! | hold values | [`Value`], its [`View`], the [`Type`] it has; [`OwnedValue`] to keep one beyond its [`Arena`] |
//! | compute with numbers | [`NumberRef`], [`Number`] and the functions of [`number`] |
//! | convert between types | [`convert`], [`unify`] |
//! | apply an operator | the functions of [`ops`], one file an operator family |
//! | define a function | [`Function`], [`Parameter`], [`CallError`]; a [`FunctionTable`] to look it up |
//! | write code | the instruction sets in [`code`], checked by [`code::verify`] |
//! | run code | [`exec::run_fast`] for the fast tier, [`exec::run`] for the baseline tier |
//! | tell what went wrong | [`Fault`], recorded without text; [`Diagnostic`] for a reader |
//! | bound memory and work | [`Limits`] |

mod arena;
pub mod code;
mod convert;
mod diagnostic;
pub mod exec;
mod fault;
mod function;
pub mod hash;
mod limits;
mod name;
pub mod number;
pub mod ops;
mod scope;
mod set;
mod span;
mod suggest;
pub mod text;
mod types;
mod unify;
mod value;

pub use arena::{Arena, ArenaString, ArenaVec};
pub use convert::{Mismatch, Step, conversion_exists, convert, convert_as_function, may_read_number};
pub use diagnostic::{Diagnostic, Severity};
pub use fault::{Fault, Place, Record};
pub use function::{
    Accepts, Body, CallError, Function, FunctionTable, Inline, Lazy, Parameter, RefineRule, Returns,
    TypeRule, not_null,
};
pub use limits::{Budget, Exhausted, Interrupt, Limits};
pub use name::{Names, Symbols};
pub use number::{Interval, Number, NumberFault, NumberRef, Width};
pub use scope::Layout;
pub use set::{contains, set_from};
pub use span::Span;
pub use suggest::nearest;
pub use types::{AttributeType, FriendlyName, Type};
pub use unify::{Safety, Unified, unify, unify_all};
pub use value::{
    Bound, Constants, Entry, Marks, OwnedValue, Refinement, Slots, TextBuffer, Unknown, Value, View, copy,
    find, last_of_each, marks_from,
};
