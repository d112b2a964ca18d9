//! hclvm for JavaScript: the WebAssembly module below `lib/api.js`, whose classes users see.
//!
//! A method that takes the variables of an evaluation has two forms here, `…In` for a [`Scope`](scope::Scope) and `…With` for
//! an object; `lib/api.js` makes one method of them.

mod document;
mod engine;
mod error;
mod host;
mod input;
mod inputs;
mod module;
mod output;
mod policy;
mod program;
mod structure;
