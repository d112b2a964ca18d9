//! Any JSON objects as what policies judge, so that the language serves outside of Terraform.
//!
//! ```text
//! {"type": "invoice", "name": "i-1", "attrs": {…}, "prior_attrs": {…}, "operation": "update", "meta": {…}}
//!    ╰─ the first label of resource_policy        ╰─ all but `type` and `attrs` may be left out
//! ```

use std::sync::Arc;

use hclvm::value::{Arena, find};
use hclvm::{Engine, Error, Layout, Limits, OwnedValue, Value};

use super::object::{Object, nulls_of, object_of};
use super::plan::ResourceMeta;
use super::resources::Resources;
use super::{Operation, Plan, PlanSettings, PolicyKind};

impl Plan {
    /// Reads a list of objects: each has a `type`, by which `resource_policy "TYPE"` selects it, and `attrs`; it may have a
    /// `name`, `prior_attrs`, an `operation` and `meta`.
    ///
    /// ```
    /// use hclvm::Limits;
    /// use hclvm_dialects::terraform_policy::{Plan, PlanSettings};
    ///
    /// let text = r#"[{"type": "invoice", "name": "i-1", "attrs": {"total": 90}}]"#;
    /// let objects = Plan::read_objects(text, &PlanSettings::new(), Limits::trusted())?;
    /// assert_eq!(objects.addresses().collect::<Vec<_>>(), ["invoice.i-1"]);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that is no JSON or no such list, or that exceeds the limits.
    pub fn read_objects(text: &str, settings: &PlanSettings, limits: Limits) -> Result<Self, Error> {
        let engine = Engine::builder().limits(limits).build();
        let mut scope = engine.scope(&Arc::new(Layout::new(["objects"])));
        scope.set_json("objects", text)?;
        let list = scope.get("objects").and_then(Value::as_items);
        let Some(list) = list else { return Err(Error::host("objects are a list in JSON")) };
        let mut plan = Self { objects: Vec::new(), resources: Arc::default(), notes: Vec::new() };
        let mut resources = Resources::default();
        for (at, value) in list.iter().enumerate() {
            let object = read(*value, at, settings)?;
            if object.operation != Some(Operation::Delete) {
                resources.add(&object.name, &object.address, object.attrs.clone());
            }
            plan.objects.push(object);
        }
        plan.resources = Arc::new(resources);
        Ok(plan)
    }
}

fn read(value: Value<'_>, at: usize, settings: &PlanSettings) -> Result<Object, Error> {
    let member = |name: &str| Some(find(value.as_entries()?, name)?.value);
    let refused = |what: &str| Error::host(format!("object {}: {what}", at + 1));
    let kind = member("type").and_then(Value::as_str).ok_or_else(|| refused("`type` is a text"))?;
    let part = |name: &str| {
        let part = member(name).filter(|part| !part.is_null());
        match part {
            Some(part) if part.as_entries().is_none() => Err(refused(&format!("`{name}` is an object"))),
            part => Ok(part.map(OwnedValue::new)),
        }
    };
    let (attrs, prior_attrs, meta) = (part("attrs")?, part("prior_attrs")?, part("meta")?);
    let operation = match member("operation") {
        Some(operation) => operation
            .as_str()
            .and_then(Operation::of_name)
            .ok_or_else(|| refused("`operation` is \"create\", \"update\", \"delete\" or \"no-op\""))?,
        None => inferred(attrs.is_some(), prior_attrs.is_some())
            .ok_or_else(|| refused("it has neither `attrs` nor `prior_attrs`"))?,
    };
    let address = match member("name").and_then(Value::as_str) {
        Some(name) => format!("{kind}.{name}"),
        None => format!("{kind}[{at}]"),
    };
    Ok(object(kind, address, operation, (attrs, prior_attrs, meta), settings))
}

/// Returns the operation of an object that has these states.
pub(super) fn inferred(has_attrs: bool, has_prior: bool) -> Option<Operation> {
    match (has_attrs, has_prior) {
        (true, false) => Some(Operation::Create),
        (true, true) => Some(Operation::Update),
        (false, true) => Some(Operation::Delete),
        (false, false) => None,
    }
}

/// Creates a resource of parts that were given.
pub(super) fn object(
    kind: &str,
    address: String,
    operation: Operation,
    (attrs, prior_attrs, meta): (Option<OwnedValue>, Option<OwnedValue>, Option<OwnedValue>),
    settings: &PlanSettings,
) -> Object {
    let null = || OwnedValue::new(Value::NULL);
    let prior_attrs = match operation {
        Operation::Update | Operation::Delete => prior_attrs,
        Operation::Create | Operation::NoOp => None,
    };
    let attrs = match operation {
        Operation::Delete => prior_attrs.as_ref().map(|prior| nulls_of(prior.get())),
        _ => attrs,
    };
    let arena = Arena::new();
    let usual = ResourceMeta {
        module_path: "",
        operation: operation.name(),
        provider_type: kind.split('_').next().unwrap_or_default(),
        kind,
        tags: settings.tags(),
        stack: settings.stack_names(),
    };
    let usual = usual.value(&arena);
    let given = meta.as_ref().map(OwnedValue::get).and_then(Value::as_entries).unwrap_or_default();
    let all = usual.as_entries().unwrap_or_default().iter().chain(given);
    let all: Vec<(&str, Value<'_>)> =
        all.map(|entry| (arena.text(entry.name), hclvm::value::copy(&arena, entry.value))).collect();
    let meta = OwnedValue::new(object_of(&arena, all));
    Object {
        kind: PolicyKind::Resource,
        address,
        name: kind.to_owned(),
        operation: Some(operation),
        attrs: attrs.unwrap_or_else(null),
        prior_attrs: prior_attrs.unwrap_or_else(null),
        meta,
        skip: false,
    }
}
