//! Functions of texts.
