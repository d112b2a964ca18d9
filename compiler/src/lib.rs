//! The compiler of hclvm: HCL text to tokens, tree and register bytecode.
//!
//! Passes in order: [`lexer`] takes the text apart, [`parser`] and its grammar build the
//! [`tree`]. Neither stops at the first problem, and no text makes them crash, stall or
//! use more stack than the nesting limit allows.

pub mod analysis;
mod diagnostic;
mod emit;
mod fold;
mod grammar;
pub mod json;
pub mod lexer;
pub mod limits;
pub mod locate;
pub mod lower;
pub mod parser;
pub mod source;
pub mod token;
pub mod tree;
pub mod typeexpr;

pub use grammar::{ParsedTraversal, TraversalKey, TraversalStep, parse_traversal};
pub use json::{parse_json, parse_json_expression};
pub use lexer::{LexMode, Lexed, lex};
pub use limits::{LimitReached, ParseLimits};
pub use parser::{ParsedConfig, ParsedExpression, parse_config, parse_expression, parse_template};
pub use token::is_identifier;
