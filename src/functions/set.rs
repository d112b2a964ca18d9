//! Functions of sets.
