//! Plans: the output of `terraform show -json`, read as the objects that policies judge. [`merged`](super::merged) makes one
//! value of the three forms that a plan has of each.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use hclvm::value::{Arena, Entry, View, copy};
use hclvm::{Engine, Error, Layout, Limits, OwnedValue, Scope, Value};

use super::merged::merged;
use super::object::{Object, member, nulls_of, object_of};
use super::origins::with_origins;
use super::resources::Resources;
use super::schemas::Schemas;
use super::{Operation, PolicyKind};

/// What is read of a plan: the expressions are not evaluated, but only these parts of a text are kept.
const READ: &[&str] = &[
    "[format_version, errored, complete]",
    "[for r in resource_changes : [r.address, r.mode, r.type, r.provider_name, r.module_address, r.deposed, r.change.actions,
      r.change.before, r.change.after, r.change.after_unknown, r.change.before_sensitive, r.change.after_sensitive]]",
    "[configuration.provider_config, configuration.root_module.module_calls]",
    "prior_state",
];

/// The most levels of modules in modules.
const MOST_LEVELS: usize = 100;

/// Settings with which a plan is read.
///
/// ```
/// use hclvm_dialects::terraform_policy::PlanSettings;
///
/// let settings = PlanSettings::new().workspace_tag("env", "prod").setup(true);
/// # let _ = settings;
/// ```
#[derive(Clone, Debug, Default)]
pub struct PlanSettings {
    tags: Vec<(String, String)>,
    stack: [String; 3],
    setup: bool,
    lock: HashMap<String, String>,
    modules: HashMap<String, String>,
    schemas: Option<Arc<Schemas>>,
    data: Vec<(String, OwnedValue)>,
}

impl PlanSettings {
    /// Creates settings of a plan alone, without what is outside of it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tag of the workspace, which policies read as `meta.tfe_workspace.tags`.
    pub fn workspace_tag(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.tags.push((name.into(), value.into()));
        self
    }

    /// Sets what policies read as `meta.tfe_stack`: the group of deployments, the deployment, the stack.
    pub fn stack(
        mut self,
        group: impl Into<String>,
        deployment: impl Into<String>,
        stack: impl Into<String>,
    ) -> Self {
        self.stack = [group.into(), deployment.into(), stack.into()];
        self
    }

    /// Judges providers and modules alone, as before they are downloaded: their attributes are unknown.
    pub fn setup(mut self, setup: bool) -> Self {
        self.setup = setup;
        self
    }

    /// Adds the selected version of a provider, such as `registry.terraform.io/hashicorp/aws`, which plans lack.
    pub fn provider_version(mut self, source: impl Into<String>, version: impl Into<String>) -> Self {
        self.lock.insert(source.into(), version.into());
        self
    }

    /// Adds the selected version of the module with an address such as `module.net`, which plans lack.
    pub fn module_version(mut self, address: impl Into<String>, version: impl Into<String>) -> Self {
        self.modules.insert(address.into(), version.into());
        self
    }

    /// Reads values by the schemas of providers.
    pub fn schemas(mut self, schemas: impl Into<Arc<Schemas>>) -> Self {
        self.schemas = Some(schemas.into());
        self
    }

    /// Adds the attributes of a data source, which `getdatasource` finds by its type and configuration.
    pub fn data(mut self, kind: impl Into<String>, attributes: Value<'_>) -> Self {
        self.data.push((kind.into(), OwnedValue::new(attributes)));
        self
    }
}

impl PlanSettings {
    pub(super) fn tags(&self) -> &[(String, String)] {
        &self.tags
    }

    pub(super) fn stack_names(&self) -> &[String; 3] {
        &self.stack
    }
}

/// The objects of a plan.
///
/// ```
/// use hclvm::Limits;
/// use hclvm_dialects::terraform_policy::{Plan, PlanSettings};
///
/// let plan = r#"{"format_version": "1.2", "resource_changes": []}"#;
/// let plan = Plan::read(plan, &PlanSettings::new(), Limits::trusted())?;
/// assert!(plan.addresses().next().is_none());
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    pub(super) objects: Vec<Object>,
    pub(super) resources: Arc<Resources>,
    pub(super) notes: Vec<String>,
}

impl Plan {
    /// Reads a plan in the form of `terraform show -json`.
    ///
    /// # Errors
    /// A text that is no JSON or no plan, or that exceeds the limits.
    pub fn read(text: &str, settings: &PlanSettings, limits: Limits) -> Result<Self, Error> {
        let engine = Engine::builder().limits(limits).build();
        let names =
            ["format_version", "errored", "complete", "resource_changes", "configuration", "prior_state"];
        let layout = Arc::new(Layout::new(names));
        let programs =
            READ.iter().map(|text| engine.compile(*text, &layout)).collect::<Result<Vec<_>, _>>()?;
        let mut scope = engine.projection(&programs)?.scope();
        scope.set_all_json(text)?;
        let is_plan = scope.get("format_version").is_some_and(|version| version.as_str().is_some());
        if !is_plan {
            return Err(Error::host("this is no plan in JSON, which `terraform show -json PLANFILE` writes"));
        }
        let mut reader = PlanJsonReader { settings, objects: Vec::new(), resources: Resources::default() };
        if !settings.setup {
            reader.resources(&scope);
        }
        reader.configuration(&scope);
        let mut notes = Vec::new();
        if scope.get("errored").and_then(Value::as_bool) == Some(true) {
            notes.push("The plan has errors: some resources are missing from it.".to_owned());
        }
        if scope.get("complete").and_then(Value::as_bool) == Some(false) {
            notes.push("The plan is not complete: changes were deferred, and are not judged.".to_owned());
        }
        for (kind, attributes) in &settings.data {
            reader.resources.add_data(kind, attributes.clone());
        }
        Ok(Self { objects: reader.objects, resources: Arc::new(reader.resources), notes })
    }

    /// Iterates over the addresses of its objects: resources, with one for each operation, then providers, then modules.
    pub fn addresses(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().map(|object| object.address.as_str())
    }

    /// Returns sentences about the plan as a whole.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

struct PlanJsonReader<'s> {
    settings: &'s PlanSettings,
    objects: Vec<Object>,
    resources: Resources,
}

fn text<'a>(value: Value<'a>, name: &str) -> Option<&'a str> {
    member(value, name)?.as_str()
}

impl PlanJsonReader<'_> {
    fn resources(&mut self, scope: &Scope) {
        let changes = scope.get("resource_changes").and_then(Value::as_items).unwrap_or_default();
        for change in changes {
            self.resource(*change);
        }
        self.prior_data(scope);
    }

    /// Adds what data sources had in the state.
    fn prior_data(&mut self, scope: &Scope) {
        let root = scope.get("prior_state").and_then(|state| member(member(state, "values")?, "root_module"));
        let mut modules: Vec<Value<'_>> = root.into_iter().collect();
        while let Some(module) = modules.pop() {
            for resource in member(module, "resources").and_then(Value::as_items).unwrap_or_default() {
                if let (Some("data"), Some(kind), Some(values)) =
                    (text(*resource, "mode"), text(*resource, "type"), member(*resource, "values"))
                {
                    let sensitive = member(*resource, "sensitive_values");
                    self.resources.add_data(kind, merged(values, None, sensitive));
                }
            }
            modules.extend(member(module, "child_modules").and_then(Value::as_items).unwrap_or_default());
        }
    }

    fn resource(&mut self, entry: Value<'_>) {
        let (Some(address), Some(kind)) = (text(entry, "address"), text(entry, "type")) else { return };
        let is_deposed = text(entry, "deposed").is_some_and(|key| !key.is_empty());
        let Some(change) = member(entry, "change") else { return };
        let mode = text(entry, "mode");
        if mode == Some("data") && !is_deposed {
            let after = member(change, "after").filter(|after| after.as_entries().is_some());
            if let Some(after) = after {
                let attrs = merged(after, member(change, "after_unknown"), member(change, "after_sensitive"));
                self.resources.add_data(kind, attrs);
            }
        }
        if mode != Some("managed") || is_deposed {
            return;
        }
        let actions = member(change, "actions").and_then(Value::as_items).unwrap_or_default();
        let actions: Vec<&str> = actions.iter().filter_map(|action| action.as_str()).collect();
        let operations: &[Operation] = match actions.as_slice() {
            ["no-op"] => &[Operation::NoOp],
            ["create"] | ["create", "forget"] => &[Operation::Create],
            ["update"] => &[Operation::Update],
            ["delete"] => &[Operation::Delete],
            ["delete", "create"] | ["create", "delete"] => &[Operation::Create, Operation::Delete],
            _ => return,
        };
        let typed = |value: OwnedValue| match &self.settings.schemas {
            Some(schemas) => schemas.resource(text(entry, "provider_name").unwrap_or_default(), kind, value),
            None => value,
        };
        let before = member(change, "before").filter(|before| before.as_entries().is_some());
        let before = before.map(|before| typed(merged(before, None, member(change, "before_sensitive"))));
        let after = member(change, "after").unwrap_or(Value::NULL);
        let unknown = member(change, "after_unknown");
        let is_unknown = unknown.is_some_and(|unknown| unknown.as_bool() == Some(true));
        let after = (after.as_entries().is_some() || is_unknown)
            .then(|| typed(merged(after, unknown, member(change, "after_sensitive"))))
            .map(|after| with_origins(after, address));
        for operation in operations {
            let (attrs, prior_attrs) = match operation {
                Operation::Create | Operation::NoOp => (after.clone(), None),
                Operation::Update => (after.clone(), before.clone()),
                Operation::Delete => (before.as_ref().map(|before| nulls_of(before.get())), before.clone()),
            };
            if *operation != Operation::Delete
                && let Some(attrs) = &attrs
            {
                self.resources.add(kind, address, attrs.clone());
            }
            let null = || OwnedValue::new(Value::NULL);
            self.objects.push(Object {
                kind: PolicyKind::Resource,
                address: address.to_owned(),
                name: kind.to_owned(),
                operation: Some(*operation),
                attrs: attrs.unwrap_or_else(null),
                prior_attrs: prior_attrs.unwrap_or_else(null),
                meta: self.resource_meta(entry, kind, *operation),
                skip: false,
            });
        }
    }

    fn resource_meta(&self, entry: Value<'_>, kind: &str, operation: Operation) -> OwnedValue {
        let provider = text(entry, "provider_name").unwrap_or_default();
        let meta = ResourceMeta {
            module_path: text(entry, "module_address").unwrap_or_default(),
            operation: operation.name(),
            provider_type: provider.rsplit('/').next().unwrap_or(provider),
            kind,
            tags: &self.settings.tags,
            stack: &self.settings.stack,
        };
        let arena = Arena::new();
        OwnedValue::new(meta.value(&arena))
    }

    fn configuration(&mut self, scope: &Scope) {
        let configuration = scope.get("configuration").unwrap_or(Value::NULL);
        let providers = member(configuration, "provider_config").and_then(Value::as_entries);
        let mut configured = BTreeSet::new();
        for provider in providers.unwrap_or_default() {
            self.provider(provider.name, provider.value);
            configured.extend(text(provider.value, "full_name"));
        }
        // A provider without a block is used with an empty configuration.
        let changes = scope.get("resource_changes").and_then(Value::as_items).unwrap_or_default();
        let used: BTreeSet<&str> =
            changes.iter().filter_map(|change| text(*change, "provider_name")).collect();
        for source in used.difference(&configured) {
            let arena = Arena::new();
            let provider = object_of(&arena, [("full_name", Value::text(&arena, source))]);
            self.provider(source.rsplit('/').next().unwrap_or(source), provider);
        }
        let root = member(configuration, "root_module");
        let mut open: Vec<(String, Value<'_>, usize)> = Vec::new();
        push_calls(root, "", 0, &mut open);
        while let Some((address, call, level)) = open.pop() {
            self.module(&address, call);
            if level < MOST_LEVELS {
                push_calls(member(call, "module"), &address, level + 1, &mut open);
            }
        }
    }

    fn provider(&mut self, key: &str, provider: Value<'_>) {
        let arena = Arena::new();
        let source = text(provider, "full_name").unwrap_or_default();
        let mut parts = source.rsplit('/');
        let kind = parts.next().filter(|kind| !kind.is_empty());
        let kind = kind.or_else(|| text(provider, "name")).unwrap_or_default();
        let namespace = parts.next().unwrap_or_default();
        let attrs = if self.settings.setup {
            Value::DYNAMIC
        } else {
            constants(&arena, member(provider, "expressions"))
        };
        let version = self.settings.lock.get(source);
        let meta = object_of(
            &arena,
            [
                ("alias", text(provider, "alias").map_or(Value::NULL, |alias| Value::text(&arena, alias))),
                ("name", Value::text(&arena, kind)),
                ("namespace", Value::text(&arena, namespace)),
                ("source", Value::text(&arena, source)),
                ("type", Value::text(&arena, kind)),
                ("tfe_stack", stack(&arena, &self.settings.stack)),
                ("version", version.map_or(Value::DYNAMIC, |version| Value::text(&arena, version))),
            ],
        );
        self.push(PolicyKind::Provider, format!("provider.{key}"), kind, attrs, meta);
    }

    fn module(&mut self, address: &str, call: Value<'_>) {
        let arena = Arena::new();
        let source = text(call, "source").unwrap_or_default();
        let is_local = source.starts_with("./") || source.starts_with("../");
        let version = match self.settings.modules.get(address) {
            Some(version) => Value::text(&arena, version),
            None if is_local => Value::NULL,
            None => Value::DYNAMIC,
        };
        let meta = object_of(
            &arena,
            [
                ("address", Value::text(&arena, address)),
                ("source", Value::text(&arena, source)),
                ("tfe_stack", stack(&arena, &self.settings.stack)),
                ("version", version),
            ],
        );
        self.push(PolicyKind::Module, address.to_owned(), source, Value::DYNAMIC, meta);
    }

    fn push(&mut self, kind: PolicyKind, address: String, name: &str, attrs: Value<'_>, meta: Value<'_>) {
        self.objects.push(Object {
            kind,
            address,
            name: name.to_owned(),
            operation: None,
            attrs: OwnedValue::new(attrs),
            prior_attrs: OwnedValue::new(Value::NULL),
            meta: OwnedValue::new(meta),
            skip: false,
        });
    }
}

/// Adds the calls in a module, the last one first.
fn push_calls<'a>(
    module: Option<Value<'a>>,
    address: &str,
    level: usize,
    open: &mut Vec<(String, Value<'a>, usize)>,
) {
    let calls = module.and_then(|module| member(module, "module_calls")).and_then(Value::as_entries);
    let dot = if address.is_empty() { "" } else { "." };
    for call in calls.unwrap_or_default().iter().rev() {
        open.push((format!("{address}{dot}module.{}", call.name), call.value, level));
    }
}

/// What policies read as `meta` of a resource.
pub(super) struct ResourceMeta<'m> {
    pub(super) module_path: &'m str,
    pub(super) operation: &'m str,
    pub(super) provider_type: &'m str,
    pub(super) kind: &'m str,
    pub(super) tags: &'m [(String, String)],
    pub(super) stack: &'m [String; 3],
}

impl ResourceMeta<'_> {
    pub(super) fn value<'a>(&self, arena: &'a Arena) -> Value<'a> {
        let tags = self.tags.iter().map(|(name, value)| (arena.text(name), Value::text(arena, value)));
        let tags = object_of(arena, tags.collect::<Vec<_>>());
        object_of(
            arena,
            [
                ("module_path", Value::text(arena, self.module_path)),
                ("operation", Value::text(arena, self.operation)),
                ("provider_type", Value::text(arena, self.provider_type)),
                ("type", Value::text(arena, self.kind)),
                ("tfe_stack", stack(arena, self.stack)),
                ("tfe_workspace", object_of(arena, [("tags", tags)])),
            ],
        )
    }
}

/// Returns what policies read as `meta.tfe_stack`.
pub(super) fn stack<'a>(arena: &'a Arena, [group, deployment, stack]: &[String; 3]) -> Value<'a> {
    object_of(
        arena,
        [
            ("deployment_group", Value::text(arena, group)),
            ("deployment_name", Value::text(arena, deployment)),
            ("stack_name", Value::text(arena, stack)),
        ],
    )
}

/// Returns the constants of a configuration; other expressions are unknown. The recursion is bounded by the depth of
/// values.
fn constants<'a>(arena: &'a Arena, expressions: Option<Value<'_>>) -> Value<'a> {
    let Some(expressions) = expressions else { return Value::EMPTY_OBJECT };
    if let Some(constant) = member(expressions, "constant_value") {
        return copy(arena, constant);
    }
    if member(expressions, "references").is_some() {
        return Value::DYNAMIC;
    }
    match expressions.view() {
        View::Tuple(blocks) => {
            let mut items = arena.list_with(blocks.len());
            items.extend(blocks.iter().map(|block| constants(arena, Some(*block))));
            Value::tuple(arena, items.into_bump_slice())
        }
        View::Object(entries) => {
            let mut members = arena.list_with(entries.len());
            members.extend(
                entries
                    .iter()
                    .map(|entry| Entry::new(arena.text(entry.name), constants(arena, Some(entry.value)))),
            );
            Value::object(arena, members.into_bump_slice())
        }
        // An expression without constant parts has no members.
        _ => Value::DYNAMIC,
    }
}
