//! What the evaluation of a module made, as a plan's `planned_values` has it: outputs, resources with their addresses,
//! child modules.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hclvm::value::{Arena, Entry, View};
use hclvm::{OwnedValue, Value};
use smol_str::SmolStr;

use super::declarations::Mode;
use super::expand::InstanceKey;
use crate::evaluated::Body;
use crate::evaluation::ModuleContent;
use crate::locals::Local;
use crate::marks::{MarkedResult, SENSITIVE};
use crate::names::object;
use crate::output::{Members, Output, matches};
use crate::paths::{PathValue, Paths};

/// What a module has beside the variables and local values of the root module.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    pub(super) resources: Vec<Arc<ResourceInstance>>,
    /// The instances of modules, the root first and parents before their children.
    pub(super) modules: Vec<ModuleValues>,
}

/// An instance of a resource or data source.
#[derive(Clone, Debug)]
pub struct ResourceInstance {
    pub(super) address: String,
    pub(super) mode: Mode,
    pub(super) kind: SmolStr,
    pub(super) name: SmolStr,
    pub(super) index: InstanceIndex,
    pub(super) provider: String,
    pub(super) version: Option<u64>,
    pub(super) values: OwnedValue,
    pub(super) sensitive: OwnedValue,
    pub(super) path: Vec<String>,
}

/// The key of an instance as a value, if it has one.
#[derive(Clone, Debug)]
pub(super) struct InstanceIndex(Option<OwnedValue>);

impl From<InstanceKey> for InstanceIndex {
    fn from(key: InstanceKey) -> Self {
        let arena = Arena::new();
        Self(match key {
            InstanceKey::None => None,
            InstanceKey::Index(index) => {
                Some(OwnedValue::new(Value::int(i64::try_from(index).unwrap_or(i64::MAX))))
            }
            InstanceKey::Text(key) => Some(OwnedValue::new(Value::text(&arena, &key))),
            InstanceKey::Unknown => Some(OwnedValue::new(Value::DYNAMIC)),
        })
    }
}

/// The values of an instance of a module.
#[derive(Clone, Debug)]
pub(super) struct ModuleValues {
    pub(super) address: String,
    pub(super) path: Vec<String>,
    pub(super) parent: Option<usize>,
    /// Those of the root module are in the evaluation.
    pub(super) variables: Vec<(SmolStr, MarkedResult)>,
    pub(super) locals: Vec<Local>,
    pub(super) outputs: Vec<OutputValue>,
    pub(super) resources: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct OutputValue {
    pub(super) name: SmolStr,
    pub(super) value: MarkedResult,
    pub(super) sensitive: bool,
}

impl ResourceInstance {
    /// Returns its address: `module.network.aws_subnet.this["a"]`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns its type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the name of the block.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the key of `for_each` or the index of `count`, unknown if these are.
    pub fn index(&self) -> Option<Value<'_>> {
        self.index.0.as_ref().map(OwnedValue::get)
    }

    /// Returns true for a data source.
    pub fn is_data(&self) -> bool {
        self.mode == Mode::Data
    }

    /// Returns the arguments and blocks as an object; with a schema of the provider all attributes. Parts that are
    /// sensitive are the text `<sensitive>`.
    pub fn values(&self) -> Value<'_> {
        self.values.get()
    }
}

impl Configuration {
    /// Returns an output of the root module. A sensitive one is the text `<sensitive>`.
    pub fn output_value(&self, name: &str) -> Option<Value<'_>> {
        self.modules.first()?.outputs.iter().find(|one| one.name == name).map(|one| one.value.result())
    }

    /// Iterates over the outputs of the root module in the order of their declarations.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        let outputs = self.modules.first().map_or(&[][..], |root| &root.outputs);
        outputs.iter().map(|one| (one.name.as_str(), one.value.result()))
    }

    /// Returns the instances of resources and data sources of all modules.
    pub fn resources(&self) -> &[Arc<ResourceInstance>] {
        &self.resources
    }

    fn module<'e>(&'e self, at: usize, children: &[Vec<usize>], only: &[String]) -> Members<'e> {
        let module = &self.modules[at];
        let mut members: Members<'e> = Vec::new();
        if !module.address.is_empty() {
            members.push(("address", Output::Name(&module.address)));
        }
        let is_wanted = |one: &&Arc<ResourceInstance>| {
            only.is_empty() || only.iter().any(|pattern| matches(pattern, &one.address))
        };
        let resources = self.resources.get(module.resources.clone()).unwrap_or_default();
        let resources: Vec<Output<'e>> = resources
            .iter()
            .filter(is_wanted)
            .filter(|one| one.mode != Mode::Ephemeral)
            .map(|one| resource(one))
            .collect();
        if !resources.is_empty() {
            members.push(("resources", Output::List(resources)));
        }
        let children: Vec<Output<'e>> = children[at]
            .iter()
            .map(|child| self.module(*child, children, only))
            .filter(|members| members.len() > 1)
            .map(Output::Object)
            .collect();
        if !children.is_empty() {
            members.push(("child_modules", Output::List(children)));
        }
        members
    }
}

fn resource(one: &ResourceInstance) -> Output<'_> {
    let mode = if one.mode == Mode::Data { "data" } else { "managed" };
    let mut members: Members<'_> = vec![
        ("address", Output::Name(&one.address)),
        ("mode", Output::Name(mode)),
        ("type", Output::Name(&one.kind)),
        ("name", Output::Name(&one.name)),
    ];
    members.extend(one.index().map(|index| ("index", Output::Value(index))));
    members.push(("provider_name", Output::Name(&one.provider)));
    let version = one.version.and_then(|version| i64::try_from(version).ok());
    members.extend(version.map(|version| ("schema_version", Output::Value(Value::int(version)))));
    members.push(("values", Output::Value(one.values())));
    members.push(("sensitive_values", Output::Value(one.sensitive.get())));
    Output::Object(members)
}

impl ModuleContent for Configuration {
    fn values(&self) -> Vec<PathValue<'_>> {
        let mut paths = Paths::default();
        for module in &self.modules {
            let mut names = module.path.clone();
            let mut add = |root: &str, name: &str, value| {
                names.extend([root.to_owned(), name.to_owned()]);
                paths.add(&names, value);
                names.truncate(module.path.len());
            };
            module.variables.iter().for_each(|(name, value)| add("var", name, value.result()));
            module.locals.iter().for_each(|local| add("local", local.name(), local.value()));
            module.outputs.iter().for_each(|output| add("output", &output.name, output.value.result()));
        }
        for one in &self.resources {
            let mut names = one.path.clone();
            for entry in one.values().as_entries().unwrap_or_default() {
                names.push(entry.name.to_owned());
                paths.add(&names, entry.value);
                names.truncate(one.path.len());
            }
        }
        paths.finish()
    }

    fn output(&self, only: &[String]) -> Members<'_> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.modules.len()];
        for (at, module) in self.modules.iter().enumerate() {
            if let Some(parent) = module.parent {
                children[parent].push(at);
            }
        }
        let Some(root) = self.modules.first() else { return Vec::new() };
        let outputs: Members<'_> = root
            .outputs
            .iter()
            .map(|one| {
                let members = vec![
                    ("sensitive", Output::Value(Value::bool(one.sensitive))),
                    ("value", Output::Value(one.value.result())),
                ];
                (one.name.as_str(), Output::Object(members))
            })
            .collect();
        let mut planned: Members<'_> = Vec::new();
        if !outputs.is_empty() {
            planned.push(("outputs", Output::Object(outputs)));
        }
        planned.push(("root_module", Output::Object(self.module(0, &children, only))));
        vec![("planned_values", Output::Object(planned))]
    }
}

/// Returns the arguments of a body as an object, whose blocks are lists of objects.
pub(super) fn written_values(body: &Body) -> OwnedValue {
    let mut blocks: BTreeMap<&str, (Vec<OwnedValue>, bool)> = BTreeMap::new();
    for block in body.blocks() {
        let (values, is_open) = blocks.entry(block.kind()).or_default();
        *is_open |= block.pending().is_some();
        values.push(written_values(block.body()));
    }
    let blocks: Vec<(&str, OwnedValue)> = blocks
        .into_iter()
        .map(|(kind, (values, is_open))| {
            let arena = Arena::new();
            let items: Vec<Value<'_>> = values.iter().map(OwnedValue::get).collect();
            let tuple = Value::tuple(&arena, arena.slice(&items));
            (kind, OwnedValue::new(if is_open { Value::DYNAMIC } else { tuple }))
        })
        .collect();
    let blocks = blocks.iter().map(|(kind, value)| (*kind, value.get()));
    object(blocks.chain(body.attributes()))
}

/// The parts of a value that are looked at. Parts may be shared, so that their number is exponential in its size.
const MOST_PARTS: usize = 1 << 20;

/// Returns a value as it is shown: marked parts are a text in their place.
pub(super) fn public(value: &OwnedValue) -> OwnedValue {
    if !value.get().contains_marks() {
        return value.clone();
    }
    let arena = Arena::new();
    let mut parts = 0;
    OwnedValue::new(shown(&arena, value.get(), &mut parts))
}

/// Returns a value with the form of it that is shown.
pub(super) fn computed(value: OwnedValue) -> MarkedResult {
    let result = public(&value);
    MarkedResult::with_result(value, result)
}

/// The recursion is bounded by the depth of values.
fn shown<'v>(arena: &'v Arena, value: Value<'v>, parts: &mut usize) -> Value<'v> {
    *parts += 1;
    if value.is_marked() || *parts > MOST_PARTS {
        return Value::str(arena, SENSITIVE);
    }
    if !value.contains_marks() {
        return value;
    }
    match value.view() {
        View::Tuple(items) | View::List(items, _) => {
            let items: Vec<Value<'v>> = items.iter().map(|item| shown(arena, *item, parts)).collect();
            Value::tuple(arena, arena.slice(&items))
        }
        View::Object(entries) | View::Map(entries, _) => {
            let entries: Vec<Entry<'v>> =
                entries.iter().map(|one| Entry::new(one.name, shown(arena, one.value, parts))).collect();
            Value::object(arena, arena.slice(&entries))
        }
        _ => Value::str(arena, SENSITIVE),
    }
}

/// Returns where a value is sensitive, as `sensitive_values` of a plan: true in the place of a sensitive part, and objects
/// and lists only around such parts.
pub(super) fn sensitive_parts(value: Value<'_>) -> OwnedValue {
    let arena = Arena::new();
    let mut parts = 0;
    let found = sensitive(&arena, value, &mut parts);
    OwnedValue::new(if found.is_null() { Value::object(&arena, &[]) } else { found })
}

/// Returns null for a value without sensitive parts. The recursion is bounded by the depth of values.
fn sensitive<'v>(arena: &'v Arena, value: Value<'v>, parts: &mut usize) -> Value<'v> {
    *parts += 1;
    if value.is_marked() || *parts > MOST_PARTS {
        return Value::TRUE;
    }
    let null = Value::null(arena, hclvm::Type::Dynamic);
    if !value.contains_marks() {
        return null;
    }
    match value.view() {
        View::Tuple(items) | View::List(items, _) => {
            let items: Vec<Value<'v>> = items
                .iter()
                .map(|item| sensitive(arena, *item, parts))
                .map(|item| if item.is_null() { Value::FALSE } else { item })
                .collect();
            Value::tuple(arena, arena.slice(&items))
        }
        View::Object(entries) | View::Map(entries, _) => {
            let entries: Vec<Entry<'v>> = entries
                .iter()
                .map(|one| Entry::new(one.name, sensitive(arena, one.value, parts)))
                .filter(|one| !one.value.is_null())
                .collect();
            Value::object(arena, arena.slice(&entries))
        }
        _ => null,
    }
}
