//! The declared variables of a check: their names and types. [`check`](super) evaluates with it.

use std::collections::BTreeMap;

use hclvm_vm::{Arena, AttributeType, Layout, OwnedValue, Type, Value, View, literal_meant};
use smol_str::SmolStr;

use crate::data::ingest::Ingest;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::run::scope::Scope;
use crate::syntax::document::Document;
use crate::syntax::type_constraint::TypeConstraint;
use hclvm_compiler::typeexpr::TypeMode;

/// The variables that a host will set, for [`Document::check`].
///
/// Types come from type constraints, which say everything, or from samples: values or scopes like those
/// that the host will set. A sample shows the attributes of its objects and the types of what it holds; a
/// list in it declares a list of any length, whose elements have the attributes of all its elements. It
/// cannot show what is not in it: declare `Option`s with a value, and types with enums of data by a
/// constraint. Field names are those that serde serializes, which is how scopes are set; the fields that a
/// type deserializes may have other names, so types without a value are not asked.
///
/// ```
/// use hclvm::Engine;
/// use hclvm::check::Declared;
/// use hclvm::syntax::TypeMode;
///
/// #[derive(serde::Serialize)]
/// struct User { name: String, roles: Vec<String> }
///
/// let engine = Engine::new();
/// let declared = Declared::new()
///     .variable("limit", &engine.type_constraint("number", TypeMode::Exact)?)
///     .sample("user", &User { name: "an".into(), roles: vec!["admin".into()] })?
///     .name("request");
/// let document = engine.parse("x.hcl", "x = user.roles[7] == request.role && user.name < limit")?;
/// assert!(document.check(&declared).is_empty());
/// let document = engine.parse("x.hcl", "x = user.role")?;
/// assert!(document.check(&declared).has_errors());
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Declared {
    /// An unknown value of each variable's type.
    variables: BTreeMap<SmolStr, OwnedValue>,
    /// True if there may be other variables.
    is_open: bool,
}

impl Declared {
    /// Declares no variables: every use of one is reported.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares every variable, of any type. Those declared in addition have the type declared.
    pub fn anything() -> Self {
        Self { is_open: true, ..Self::default() }
    }

    /// Declares the variables of a schema: a file whose attributes are type constraints, such as
    /// `user = object({ name = string, roles = list(string) })`.
    ///
    /// # Errors
    /// Blocks, and attributes that are no type constraints.
    pub fn of_schema(schema: &Document) -> Result<Self, Error> {
        let (attributes, problems) = schema.body().just_attributes_lenient();
        let mut problems: Vec<_> = problems.iter().cloned().collect();
        let mut declared = Self::new();
        for attribute in attributes {
            match attribute.type_constraint(TypeMode::WithDefaults) {
                Ok(constraint) => declared = declared.variable(attribute.name(), &constraint),
                Err(error) => problems.extend(error.diagnostics().into_iter().flatten().cloned()),
            }
        }
        if problems.is_empty() {
            return Ok(declared);
        }
        Err(Diagnostics::new(schema.source().clone(), problems).into())
    }

    /// Declares the variables that have a value in a scope, which is a sample of those to come.
    pub fn of_scope(scope: &Scope) -> Self {
        let values = scope.layout().names().iter().filter_map(|name| Some((name, scope.get(name)?)));
        values.fold(Self::new(), |declared, (name, value)| declared.sample_value(name, value))
    }

    /// Declares a variable of any type.
    pub fn name(self, name: &str) -> Self {
        self.unknown(name, Type::Dynamic)
    }

    /// Declares a variable of a type.
    pub fn variable(self, name: &str, constraint: &TypeConstraint) -> Self {
        let arena = Arena::new();
        let ty = constraint.ty().without_optional(&arena);
        self.unknown(name, ty)
    }

    /// Declares a variable of the type that a value of the host has. Several samples of one variable are
    /// joined.
    ///
    /// # Errors
    /// As [`Scope::set`].
    pub fn sample<T: Ingest + ?Sized>(self, name: &str, value: &T) -> Result<Self, Error> {
        let arena = Arena::new();
        let value = value.ingest(&arena)?;
        Ok(self.sample_value(name, value))
    }

    /// Like [`Declared::sample`], for a value of the language.
    pub fn sample_value(self, name: &str, value: Value<'_>) -> Self {
        let arena = Arena::new();
        let mut ty = general(&arena, value.type_of(&arena));
        let known = self.variables.get(name).cloned();
        if let Some(known) = &known {
            ty = joined(&arena, known.get().type_of(&arena), ty);
        }
        self.unknown(name, ty)
    }

    /// Declares the variables of both; those that both declare have the type of `other`.
    pub fn and(mut self, other: Self) -> Self {
        self.variables.extend(other.variables);
        Self { is_open: self.is_open || other.is_open, ..self }
    }

    fn unknown(mut self, name: &str, ty: Type<'_>) -> Self {
        let arena = Arena::new();
        let value = OwnedValue::new(Value::unknown_of(&arena, ty));
        self.variables.insert(name.into(), value);
        self
    }

    /// Returns the names of the variables that there may be in a file that uses those of `layout`; `None` for
    /// all of these.
    pub(super) fn names(&self, layout: &Layout) -> Option<Vec<SmolStr>> {
        if !self.is_open {
            // No expression reads a name with a dot.
            return Some(self.variables.keys().filter(|name| !name.contains('.')).cloned().collect());
        }
        // A name such as `nil` is a literal of another language rather than a variable.
        let is_mistake =
            |name: &&SmolStr| literal_meant(name).is_some() && !self.variables.contains_key(*name);
        let names = layout.names();
        names.iter().find(is_mistake)?;
        Some(names.iter().filter(|name| !is_mistake(name)).cloned().collect())
    }

    /// Returns the type of a variable, if it is declared.
    pub fn type_of(&self, name: &str) -> Option<Type<'_>> {
        match self.variables.get(name)?.get().view() {
            View::Unknown(unknown) => Some(unknown.ty),
            _ => None,
        }
    }

    /// Returns true if there is no variable of a name.
    pub(in crate::structure) fn lacks(&self, name: &str) -> bool {
        !self.is_open && !self.variables.contains_key(name)
    }

    /// Iterates over the names of the variables that are declared.
    pub fn declared_names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(SmolStr::as_str)
    }

    /// Returns the values of the slots of a layout.
    pub(super) fn values(&self, layout: &Layout) -> Vec<Value<'_>> {
        let value = |name: &SmolStr| match self.variables.get(name) {
            Some(value) => value.get(),
            None if self.is_open || name.contains('.') => Value::DYNAMIC,
            None => Value::UNSET,
        };
        layout.names().iter().map(value).collect()
    }
}

/// Returns the type of which a sample of type `ty` is one: its tuples are lists of any length.
fn general<'a>(arena: &'a Arena, ty: Type<'a>) -> Type<'a> {
    let inner = |ty: &Type<'a>| arena.item(general(arena, *ty));
    match ty {
        Type::List(element) => Type::List(inner(element)),
        Type::Set(element) => Type::Set(inner(element)),
        Type::Map(element) => Type::Map(inner(element)),
        Type::Tuple(types) => {
            let types = types.iter().map(|ty| general(arena, *ty));
            let element = types.reduce(|one, other| joined(arena, one, other)).unwrap_or(Type::Dynamic);
            Type::List(arena.item(element))
        }
        Type::Object(attributes) => {
            let attribute = |one: &AttributeType<'a>| AttributeType { ty: general(arena, one.ty), ..*one };
            let attributes: Vec<_> = attributes.iter().map(attribute).collect();
            Type::Object(arena.slice(&attributes))
        }
        _ => ty,
    }
}

/// Returns the type that has the samples of both types: objects have the attributes of both, and types of
/// different kinds are any type.
fn joined<'a>(arena: &'a Arena, one: Type<'a>, other: Type<'a>) -> Type<'a> {
    let inner = |one: &Type<'a>, other: &Type<'a>| arena.item(joined(arena, *one, *other));
    match (one, other) {
        _ if one == other => one,
        (Type::List(one), Type::List(other)) => Type::List(inner(one, other)),
        (Type::Set(one), Type::Set(other)) => Type::Set(inner(one, other)),
        (Type::Map(one), Type::Map(other)) => Type::Map(inner(one, other)),
        (Type::Object(one), Type::Object(other)) => {
            let mut attributes: BTreeMap<&str, AttributeType<'a>> =
                one.iter().map(|attribute| (attribute.name, *attribute)).collect();
            for attribute in other {
                attributes
                    .entry(attribute.name)
                    .and_modify(|known| known.ty = joined(arena, known.ty, attribute.ty))
                    .or_insert(*attribute);
            }
            let attributes: Vec<_> = attributes.into_values().collect();
            Type::Object(arena.slice(&attributes))
        }
        _ => Type::Dynamic,
    }
}
