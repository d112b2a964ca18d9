//! The front end: text to tokens to the tree of a file, for both syntaxes of HCL.
//!
//! [`token`] holds the kinds of tokens and the logos lexers, [`lexer`] the stack of modes that
//! chooses between them, [`parser`] the cursor, [`grammar`] one function per production,
//! `reparse` the parser of an edited text, [`json`] the reader of HCL's JSON syntax, and [`tree`] their common result. The meaning of names and
//! constants is not decided here but in `analysis` and `lower`.

pub(crate) mod advice;
pub(crate) mod comment_ends;
pub(crate) mod format;
pub(crate) mod further;
pub(crate) mod grammar;
pub mod json;
pub mod lexer;
pub(crate) mod parser;
pub(crate) mod repairs;
pub(crate) mod reparse;
pub mod token;
pub mod tree;
