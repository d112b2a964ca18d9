//! Type constraints: the types that users of a host declare for its variables, read from type
//! expressions. The types of values are `hclvm_vm::Type`.

use std::fmt;
use std::sync::Arc;

use hclvm_compiler::parse_expression;
use hclvm_compiler::source::Source;
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_compiler::typeexpr::{
    Defaults, TypeMode, TypeWithDefaults, convert_with_defaults, type_of_expression, type_string,
};
use hclvm_vm::{Arena, Mismatch, OwnedValue, Type, Value, View};

use crate::compile::program::Program;
use crate::compile::settings::Engine;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::syntax::document::Attribute;

/// A type with defaults for its optional attributes, such as
/// `object({name = string, port = optional(number, 80)})`. Cheap to clone.
#[derive(Clone, Debug)]
pub struct TypeConstraint {
    /// A null of the type, which owns the type's memory.
    null: OwnedValue,
    defaults: Option<Arc<Defaults>>,
}

impl TypeConstraint {
    fn read(source: &Arc<Source>, tree: &Tree, node: NodeId, mode: TypeMode) -> Result<Self, Error> {
        let arena = Arena::new();
        match type_of_expression(tree, node, mode, &arena) {
            Ok(TypeWithDefaults { ty, defaults }) => {
                let null = OwnedValue::new(Value::null(&arena, ty));
                Ok(Self { null, defaults: defaults.map(Arc::new) })
            }
            Err(problems) => {
                let list = problems.iter().map(|problem| problem.diagnostic(tree)).collect();
                Err(Diagnostics::new(Arc::clone(source), list).into())
            }
        }
    }

    /// Returns the type.
    pub fn ty(&self) -> Type<'_> {
        match self.null.get().view() {
            View::Null(ty) => ty,
            _ => Type::Dynamic,
        }
    }

    /// Converts `value` with the defaults to the type.
    ///
    /// # Errors
    /// A value that does not fit the type; the error shows why.
    pub fn convert<'a>(&'a self, arena: &'a Arena, value: Value<'a>) -> Result<Value<'a>, Mismatch<'a>> {
        convert_with_defaults(arena, value, self.ty(), self.defaults.as_deref())
    }
}

/// Writes the type as a type expression, without the modifiers of optional attributes.
impl fmt::Display for TypeConstraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&type_string(self.ty()))
    }
}

impl Engine {
    /// Reads a type expression.
    ///
    /// # Errors
    /// Syntax errors; otherwise everything in the text that is not a type in this mode.
    pub fn type_constraint(&self, text: &str, mode: TypeMode) -> Result<TypeConstraint, Error> {
        let parsed = parse_expression(text, &self.settings().limits.of_texts());
        let source = Arc::new(Source::new("", text, parsed.seams));
        if !parsed.diagnostics.is_empty() {
            return Err(Diagnostics::new(source, parsed.diagnostics).into());
        }
        TypeConstraint::read(&source, &parsed.tree, parsed.root, mode)
    }
}

impl Program {
    /// Reads its expression as a type expression, without running it.
    ///
    /// # Errors
    /// Everything in the expression that is not a type in this mode.
    pub fn type_constraint(&self, mode: TypeMode) -> Result<TypeConstraint, Error> {
        let (tree, root) = self.expression();
        TypeConstraint::read(self.source(), tree, root, mode)
    }
}

impl Attribute<'_> {
    /// Reads its expression as a type expression, without running it.
    ///
    /// # Errors
    /// Everything in the expression that is not a type in this mode.
    pub fn type_constraint(self, mode: TypeMode) -> Result<TypeConstraint, Error> {
        let file = self.document().file();
        TypeConstraint::read(&file.source, file.tree(), self.definition().expr, mode)
    }
}
