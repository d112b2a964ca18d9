//! Parameters: the type that arguments are converted to, and which special values they may be.

use smol_str::SmolStr;

use crate::types::Type;

/// What a parameter takes besides plain values.
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
    /// Plain values only.
    pub const PLAIN: Self = Self { null: false, unknown: false, dynamic: false, marked: false };

    /// Also nulls.
    pub const fn null(mut self) -> Self {
        self.null = true;
        self
    }

    /// Also unknown values.
    pub const fn unknown(mut self) -> Self {
        self.unknown = true;
        self
    }

    /// Also values of unknown type.
    pub const fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// Also marked values.
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
    /// The type arguments are converted to; `Dynamic` takes any.
    pub ty: Type<'static>,
    /// What it takes besides plain values.
    pub accepts: Accepts,
}

impl Parameter {
    /// A parameter of plain values.
    pub fn new(name: impl Into<SmolStr>, ty: Type<'static>) -> Self {
        Self { name: name.into(), ty, accepts: Accepts::PLAIN }
    }

    /// The same parameter, accepting more.
    pub fn accepting(mut self, accepts: Accepts) -> Self {
        self.accepts = accepts;
        self
    }
}
