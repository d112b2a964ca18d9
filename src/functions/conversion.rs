//! Conversions that programs ask for by name.
