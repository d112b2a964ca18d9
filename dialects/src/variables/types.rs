//! The type of a variable, which says how texts for it are read.

use hclvm::syntax::TypeConstraint;
use hclvm::value::{Arena, convert};
use hclvm::{OwnedValue, Type, Value};

use super::unknown_of;

/// The type that values of a variable are converted to.
#[derive(Clone, Debug)]
pub(crate) enum VariableType {
    /// Any type.
    Open,
    /// The declared one, with defaults of optional attributes.
    Declared(TypeConstraint),
    /// The one of the default value, which is kept here.
    OfDefault(OwnedValue),
}

impl VariableType {
    /// Calls `read` with the type.
    fn with<R>(&self, read: impl FnOnce(Type<'_>) -> R) -> R {
        match self {
            Self::Open => read(Type::Dynamic),
            Self::Declared(constraint) => read(constraint.ty()),
            Self::OfDefault(value) => {
                let arena = Arena::new();
                read(value.get().type_of(&arena))
            }
        }
    }

    /// Returns an unknown value of the type.
    pub(crate) fn unknown(&self) -> OwnedValue {
        self.with(unknown_of)
    }

    /// Returns true if a text for the variable is the value itself; others are expressions.
    pub(crate) fn takes_text(&self) -> bool {
        self.with(|ty| matches!(ty, Type::String | Type::Number | Type::Dynamic))
    }

    /// Converts a value to the type.
    ///
    /// # Errors
    /// Why it does not fit, as a phrase, which shows nothing of a `sensitive` value.
    pub(crate) fn convert(&self, value: Value<'_>, sensitive: bool) -> Result<OwnedValue, String> {
        let arena = Arena::new();
        let converted = match self {
            Self::Open => Ok(value),
            Self::Declared(constraint) => constraint.convert(&arena, value),
            Self::OfDefault(default) => convert(&arena, value, default.get().type_of(&arena)),
        };
        let phrase = converted.map(OwnedValue::new);
        phrase.map_err(|why| if sensitive { why.concealed(&arena) } else { why }.to_string())
    }
}
