//! The features of the server: a file for each group of methods. Each is a function of the workspace or of one text.

pub(crate) mod actions;
pub(crate) mod completion;
pub(crate) mod context;
pub(crate) mod diagnostics;
pub(crate) mod format;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod lenses;
pub(crate) mod navigate;
pub(crate) mod rename;
pub(crate) mod signature;
pub(crate) mod structure;
pub(crate) mod symbols;
pub(crate) mod tokens;
pub(crate) mod types;
