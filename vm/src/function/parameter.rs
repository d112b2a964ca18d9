//! Parameters: the type that arguments are converted to, and the special values that are accepted.
//!
//! What happens to special values that are not accepted is in [`call`](super::call).

use smol_str::SmolStr;

use crate::types::Type;

/// The values that a parameter accepts besides plain ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepts {
    /// Null values.
    pub null: bool,
    /// Unknown values.
    pub unknown: bool,
    /// Values of unknown type.
    pub dynamic: bool,
    /// Marked values, at any depth.
    pub marked: bool,
}

impl Accepts {
    /// Accepts plain values only.
    pub const PLAIN: Self = Self { null: false, unknown: false, dynamic: false, marked: false };

    /// Accepts nulls as well.
    pub const fn null(mut self) -> Self {
        self.null = true;
        self
    }

    /// Accepts unknown values as well.
    pub const fn unknown(mut self) -> Self {
        self.unknown = true;
        self
    }

    /// Accepts values of unknown type as well.
    pub const fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// Accepts marked values as well.
    pub const fn marked(mut self) -> Self {
        self.marked = true;
        self
    }
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name in messages.
    pub name: SmolStr,
    /// The type that arguments are converted to; `Dynamic` accepts any.
    pub ty: Type<'static>,
    /// The values it accepts besides plain ones.
    pub accepts: Accepts,
}

impl Parameter {
    /// Creates a parameter of plain values.
    pub fn new(name: impl Into<SmolStr>, ty: Type<'static>) -> Self {
        Self { name: name.into(), ty, accepts: Accepts::PLAIN }
    }

    /// Sets which special values are accepted.
    pub fn accepting(mut self, accepts: Accepts) -> Self {
        self.accepts = accepts;
        self
    }
}
