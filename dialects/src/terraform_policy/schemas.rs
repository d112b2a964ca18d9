//! Schemas of providers, in the form of `terraform providers schema -json`: which attributes a resource has, and their
//! types.
//!
//! A value in JSON has lost types: a list and a set are arrays, a null has none. Converted to the type of its schema it
//! has them again, and an attribute that a mock leaves out is null.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hclvm::syntax::{TypeConstraint, TypeMode};
use hclvm::value::{Arena, Entry, find};
use hclvm::{Engine, Error, Layout, Limits, OwnedValue, Value};

use super::object::member;

/// Types of the resources of providers.
///
/// ```
/// use hclvm::Limits;
/// use hclvm_dialects::terraform_policy::Schemas;
///
/// let text = r#"{"format_version": "1.0", "provider_schemas": {}}"#;
/// assert!(!Schemas::read(text, Limits::trusted())?.has_resource("aws_vpc"));
/// # Ok::<(), hclvm::Error>(())
/// ```
pub struct Schemas {
    engine: Engine,
    providers: OwnedValue,
    types: Mutex<HashMap<String, Option<Arc<TypeConstraint>>>>,
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schemas({} providers)", self.providers.get().as_entries().map_or(0, <[_]>::len))
    }
}

impl Schemas {
    /// Reads schemas.
    ///
    /// # Errors
    /// A text that is no JSON or has no schemas, or that exceeds the limits.
    pub fn read(text: &str, limits: Limits) -> Result<Self, Error> {
        let engine = Engine::builder().limits(limits).build();
        let mut scope = engine.scope(&Arc::new(Layout::new(["provider_schemas"])));
        scope.set_all_json(text)?;
        let providers = scope.get("provider_schemas").filter(|value| value.as_entries().is_some());
        let Some(providers) = providers.map(OwnedValue::new) else {
            return Err(Error::host(
                "these are no schemas in JSON, which `terraform providers schema -json` writes",
            ));
        };
        Ok(Self { engine, providers, types: Mutex::default() })
    }

    /// Returns true if a provider has a type of resources.
    pub fn has_resource(&self, kind: &str) -> bool {
        self.block(None, kind).is_some()
    }

    /// Iterates over the types of resources.
    pub fn resources(&self) -> impl Iterator<Item = &str> {
        let providers = self.providers.get().as_entries().unwrap_or_default();
        let resources = providers.iter().flat_map(|provider| entries(provider.value, "resource_schemas"));
        resources.map(|resource| resource.name)
    }

    /// Returns the type of the attributes of a resource, if it is known.
    pub fn attributes(&self, kind: &str) -> Option<Arc<TypeConstraint>> {
        self.type_of(None, kind)
    }

    /// Converts the attributes of a resource to their types, if it is known and they fit.
    pub(super) fn resource(&self, provider: &str, kind: &str, value: OwnedValue) -> OwnedValue {
        let Some(ty) = self.type_of(Some(provider).filter(|name| !name.is_empty()), kind) else {
            return value;
        };
        let arena = Arena::new();
        let converted = ty.convert(&arena, value.get()).ok().map(OwnedValue::new);
        converted.unwrap_or_else(|| value.clone())
    }

    fn block(&self, provider: Option<&str>, kind: &str) -> Option<Value<'_>> {
        let providers = self.providers.get().as_entries()?;
        let found = match provider.and_then(|name| find(providers, name)) {
            Some(provider) => resource(provider.value, kind),
            None => providers.iter().find_map(|provider| resource(provider.value, kind)),
        };
        member(found?, "block")
    }

    fn type_of(&self, provider: Option<&str>, kind: &str) -> Option<Arc<TypeConstraint>> {
        let name = format!("{} {kind}", provider.unwrap_or_default());
        let mut types = self.types.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let text = object_of(self.block(provider, kind)?);
            self.engine.type_constraint(&text, TypeMode::WithDefaults).ok().map(Arc::new)
        };
        types.entry(name).or_insert_with(read).clone()
    }
}

fn resource<'a>(provider: Value<'a>, kind: &str) -> Option<Value<'a>> {
    member(member(provider, "resource_schemas")?, kind)
}

fn entries<'a>(value: Value<'a>, name: &str) -> &'a [Entry<'a>] {
    member(value, name).and_then(Value::as_entries).unwrap_or_default()
}

/// Returns the type of the attributes and blocks of a block, as text. The recursion is bounded by the depth of values.
fn object_of(block: Value<'_>) -> String {
    let mut members: Vec<String> = Vec::new();
    for attribute in entries(block, "attributes") {
        members.push(format!("{} = optional({})", attribute.name, attribute_type(attribute.value)));
    }
    for nested in entries(block, "block_types") {
        let object = object_of(member(nested.value, "block").unwrap_or(Value::EMPTY_OBJECT));
        members.push(match nesting(nested.value, &object) {
            // A list or set of blocks is empty where there are none.
            (ty, true) => format!("{} = optional({ty}, [])", nested.name),
            (ty, false) => format!("{} = optional({ty})", nested.name),
        });
    }
    format!("object({{{}}})", members.join(", "))
}

/// Returns the type of objects that are nested in one of the ways of schemas, and whether it is a list or set.
fn nesting(nested: Value<'_>, object: &str) -> (String, bool) {
    match member(nested, "nesting_mode").and_then(Value::as_str) {
        Some("list") => (format!("list({object})"), true),
        Some("set") => (format!("set({object})"), true),
        Some("map") => (format!("map({object})"), false),
        _ => (object.to_owned(), false),
    }
}

fn attribute_type(attribute: Value<'_>) -> String {
    if let Some(nested) = member(attribute, "nested_type") {
        return nesting(nested, &object_of(nested)).0;
    }
    member(attribute, "type").map_or_else(|| "any".to_owned(), type_text)
}

/// Returns a type as text: `["list", "string"]` is `list(string)`.
fn type_text(ty: Value<'_>) -> String {
    if let Some(name) = ty.as_str() {
        return match name {
            "string" | "number" | "bool" => name.to_owned(),
            _ => "any".to_owned(),
        };
    }
    match ty.as_items() {
        Some([kind, inner, ..]) => match (kind.as_str(), inner.as_entries(), inner.as_items()) {
            (Some("object"), Some(attributes), _) => {
                let members = attributes.iter();
                let members = members.map(|one| format!("{} = optional({})", one.name, type_text(one.value)));
                format!("object({{{}}})", members.collect::<Vec<_>>().join(", "))
            }
            (Some("tuple"), _, Some(items)) => {
                format!(
                    "tuple([{}])",
                    items.iter().map(|item| type_text(*item)).collect::<Vec<_>>().join(", ")
                )
            }
            (Some(kind @ ("list" | "set" | "map")), ..) => format!("{kind}({})", type_text(*inner)),
            _ => "any".to_owned(),
        },
        _ => "any".to_owned(),
    }
}
