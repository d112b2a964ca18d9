//! The compiler of hclvm: HCL text to tokens, tree and register bytecode.
//!
//! The passes in order:
//! 1. [`source`] decodes the bytes of a file;
//! 2. [`lexer`] splits the text into tokens;
//! 3. [`parse_config`], [`parse_expression`], [`parse_template`] and [`parse_json`] build the [`tree`];
//! 4. [`analysis`] lists the names that an expression refers to, folds constants and infers types;
//! 5. [`lower()`](lower::lower) emits the bytecode that `hclvm_vm` runs.
//!
//! Beside them, [`typeexpr`] reads type expressions, and [`locate`] finds the part of the source
//! that a fault at run time is about. Parsing does not stop at the first problem: it always returns
//! a tree, and no text makes it panic, loop or use more stack than [`ParseLimits`] allows.

pub mod analysis;
mod diagnostic;
mod limits;
pub mod locate;
pub mod lower;
pub mod source;
mod syntax;
pub mod typeexpr;

pub use limits::{LimitReached, ParseLimits};
pub use syntax::comment_ends::explain_comment_ends;
pub use syntax::format::{FormattedTooLong, format};
pub use syntax::further::further;
pub use syntax::grammar::{ParsedStep, ParsedTraversal, StepKey, parse_traversal};
pub use syntax::json::{parse_json, parse_json_expression};
pub use syntax::lexer::{LexMode, Lexed, is_identifier, lex};
pub use syntax::parser::{ParsedConfig, ParsedExpression, parse_config, parse_expression, parse_template};
pub use syntax::repairs::keep_repairs;
pub use syntax::reparse::{EditedConfig, KnownConfig, reparse_config};
pub use syntax::{json, lexer, token, tree};
