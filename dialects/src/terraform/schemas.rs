//! Schemas of providers, as `terraform providers schema -json` prints them: which arguments a resource has, their types,
//! which are computed and which are sensitive.
//!
//! The provider that is built into Terraform has its schema here.

use std::collections::{BTreeMap, HashMap};

use hclvm::syntax::{TypeConstraint, TypeMode};
use hclvm::value::{Arena, Entry, View, convert, marks_from};
use hclvm::{Body as WrittenBody, Document, Engine, OwnedValue, Type, Value};
use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::SmolStr;

use super::declarations::{self, META, Mode, ModuleDefinitions, Resource};
use crate::evaluated::{Block, Body};
use crate::files::File;
use crate::problems::{Problems, TextRange};

/// The schema of `terraform_data` and of the data source of remote states.
const BUILT_IN: &str = r#"{"provider_schemas": {"terraform.io/builtin/terraform": {
  "resource_schemas": {"terraform_data": {"version": 0, "block": {"attributes": {
    "id": {"type": "string", "computed": true, "not_null": true},
    "input": {"type": "dynamic", "optional": true},
    "output": {"type": "dynamic", "computed": true, "follows": "input"},
    "triggers_replace": {"type": "dynamic", "optional": true}}}}},
  "data_source_schemas": {"terraform_remote_state": {"version": 0, "block": {"attributes": {
    "backend": {"type": "string", "required": true},
    "config": {"type": "dynamic", "optional": true},
    "defaults": {"type": "dynamic", "optional": true},
    "outputs": {"type": "dynamic", "computed": true},
    "workspace": {"type": "string", "optional": true}}}}}}}}"#;

#[derive(Deserialize)]
struct Printed {
    #[serde(default)]
    provider_schemas: HashMap<String, Provider>,
}

#[derive(Deserialize)]
struct Provider {
    #[serde(default, rename = "resource_schemas")]
    resources: HashMap<String, Written>,
    #[serde(default, rename = "data_source_schemas")]
    data_sources: HashMap<String, Written>,
    #[serde(default, rename = "ephemeral_resource_schemas")]
    ephemeral_resources: HashMap<String, Written>,
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    version: u64,
    #[serde(default)]
    block: ProviderBlock,
}

/// The content of a block.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct ProviderBlock {
    #[serde(default)]
    attributes: BTreeMap<SmolStr, ProviderAttribute>,
    #[serde(default)]
    block_types: BTreeMap<SmolStr, BlockType>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct ProviderAttribute {
    #[serde(default, rename = "type")]
    ty: Option<Json>,
    nested_type: Option<Box<NestedType>>,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    computed: bool,
    #[serde(default)]
    sensitive: bool,
    /// True if the provider never returns null. Only the schema here shows it.
    #[serde(default)]
    not_null: bool,
    /// The argument without which it is null. Only the schema here shows it.
    follows: Option<SmolStr>,
    #[serde(skip)]
    constraint: Option<TypeConstraint>,
}

#[derive(Clone, Debug, Deserialize)]
struct NestedType {
    #[serde(default)]
    attributes: BTreeMap<SmolStr, ProviderAttribute>,
    nesting_mode: String,
}

#[derive(Clone, Debug, Deserialize)]
struct BlockType {
    nesting_mode: String,
    #[serde(default)]
    block: ProviderBlock,
}

/// The schema of a resource.
#[derive(Clone, Debug)]
pub(super) struct ResourceSchema {
    pub(super) provider: String,
    pub(super) version: u64,
    pub(super) content: ProviderBlock,
}

/// The schemas of resources by their modes and types.
#[derive(Debug, Default)]
pub(super) struct ResourceSchemas(HashMap<(Mode, SmolStr), ResourceSchema>);

impl ResourceSchemas {
    /// Reads schemas; reports files that hold none.
    pub(super) fn read(files: &[File], problems: &mut Problems) -> Self {
        let mut schemas = Self::default();
        if let Ok(document) = serde_json::from_str(BUILT_IN) {
            schemas.add(document);
        }
        for file in files {
            match serde_json::from_slice::<Printed>(file.bytes()) {
                Ok(document) if !document.provider_schemas.is_empty() => schemas.add(document),
                Ok(_) => {
                    let detail =
                        "There is no \"provider_schemas\": `terraform providers schema -json` prints them.";
                    problems.error(&TextRange::nowhere(file.name()), "Invalid provider schemas", detail);
                }
                Err(error) => {
                    let detail = format!("The file is no JSON of provider schemas: {error}.");
                    problems.error(&TextRange::nowhere(file.name()), "Invalid provider schemas", detail);
                }
            }
        }
        let engine = Engine::new();
        for schema in schemas.0.values_mut() {
            schema.content.prepare(&engine, 0);
        }
        schemas
    }

    fn add(&mut self, document: Printed) {
        for (name, provider) in document.provider_schemas {
            let kinds = [
                (Mode::Managed, provider.resources),
                (Mode::Data, provider.data_sources),
                (Mode::Ephemeral, provider.ephemeral_resources),
            ];
            for (mode, schemas) in kinds {
                for (kind, Written { version, block }) in schemas {
                    let schema = ResourceSchema { provider: name.clone(), version, content: block };
                    self.0.insert((mode, kind.into()), schema);
                }
            }
        }
    }

    /// Returns the schema of a resource.
    pub(super) fn get(&self, mode: Mode, kind: &str) -> Option<&ResourceSchema> {
        self.0.get(&(mode, SmolStr::new(kind)))
    }

    /// Reports arguments and blocks that the schemas of the resources in documents do not have. Those resources have no
    /// values then.
    pub(super) fn check(
        &self,
        documents: &[Document],
        definitions: &mut ModuleDefinitions,
        problems: &mut Problems,
    ) {
        let blocks = declarations::blocks(documents);
        for resource in definitions.resources.iter_mut().filter(|one| one.nested.is_none()) {
            let Some(schema) = self.get(resource.mode, &resource.kind) else { continue };
            let before = problems.errors();
            for (document, block) in &resource.blocks {
                if let Some(block) = blocks.get(*document).and_then(|blocks| blocks.get(*block)) {
                    schema.content.check(block.body(), &META, problems);
                }
            }
            schema.missing(resource, &blocks, problems);
            resource.is_sound &= problems.errors() == before;
        }
    }
}

impl ResourceSchema {
    /// Reports required arguments that no block of a resource has.
    fn missing(&self, resource: &Resource, blocks: &[Vec<hclvm::Block<'_>>], problems: &mut Problems) {
        let bodies: Vec<WrittenBody<'_>> = resource
            .blocks
            .iter()
            .filter_map(|(document, block)| Some(blocks.get(*document)?.get(*block)?.body()))
            .collect();
        let required = self.content.attributes.iter().filter(|(_, attribute)| attribute.required);
        for (name, _) in required {
            if bodies.iter().all(|body| body.attribute(name).is_none()) {
                let detail = format!("`{}` needs the argument `{name}`.", resource.kind);
                problems.error(&resource.place, "Missing required argument", detail);
            }
        }
    }

    /// Returns the value of a resource with this body, with the marks of its sensitive attributes.
    pub(super) fn value(&self, body: &Body, place: &TextRange, problems: &mut Problems) -> OwnedValue {
        let arena = Arena::new();
        OwnedValue::new(self.content.value(&arena, body, place, problems))
    }
}

/// The nesting of schemas that is read: theirs is that of a file of the host.
const DEEPEST: usize = 32;

impl ProviderBlock {
    /// Makes the types of attributes.
    fn prepare(&mut self, engine: &Engine, depth: usize) {
        for attribute in self.attributes.values_mut() {
            let text = attribute.type_text(0);
            attribute.constraint = engine.type_constraint(&text, TypeMode::WithDefaults).ok();
        }
        if depth < DEEPEST {
            self.block_types.values_mut().for_each(|one| one.block.prepare(engine, depth + 1));
        }
    }

    /// Reports arguments and blocks that the schema does not have.
    fn check(&self, body: WrittenBody<'_>, except: &[&str], problems: &mut Problems) {
        let document = body.document();
        // In JSON, blocks are properties.
        let is_block =
            |name: &str| document.is_json() && (self.block_types.contains_key(name) || name == "dynamic");
        for attribute in body.attributes() {
            let name = attribute.name();
            let known = self.attributes.get(name);
            if except.contains(&name)
                || is_block(name)
                || known.is_some_and(|one| one.required || one.optional)
            {
                continue;
            }
            let place = TextRange::of_name(attribute);
            if known.is_some_and(|one| one.computed) {
                let detail = format!("`{name}` is computed by the provider, so that it has no argument.");
                problems.error(&place, "Value for unconfigurable attribute", detail);
            } else if !self.block_types.contains_key(name) {
                // Providers may accept a list of objects in place of blocks; schemas do not record whether they do.
                let near = hclvm::diagnostics::nearest(name, self.attributes.keys().map(SmolStr::as_str));
                let near = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
                let detail = format!("There is no argument `{name}` here.{near}");
                problems.error(&place, "Unsupported argument", detail);
            }
        }
        for block in body.blocks() {
            let (kind, inner) = if block.kind() == "dynamic" {
                let content = block.body().blocks_of("content").next();
                let Some(kind) = block.labels().next() else { continue };
                (kind, content.map(hclvm::Block::body))
            } else {
                (block.kind(), Some(block.body()))
            };
            if except.contains(&kind) {
                continue;
            }
            match (self.block_types.get(kind), inner) {
                (Some(known), Some(inner)) => known.block.check(inner, &[], problems),
                (Some(_), None) => {}
                (None, _) => {
                    let near =
                        hclvm::diagnostics::nearest(kind, self.block_types.keys().map(SmolStr::as_str));
                    let near = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
                    let detail = format!("There are no blocks `{kind}` here.{near}");
                    problems.error(&TextRange::of_block(document, block), "Unsupported block type", detail);
                }
            }
        }
    }

    /// Returns the value of a body. The recursion is bounded by the nesting of texts.
    fn value<'v>(
        &'v self,
        arena: &'v Arena,
        body: &'v Body,
        place: &TextRange,
        problems: &mut Problems,
    ) -> Value<'v> {
        let mut entries: Vec<Entry<'v>> = Vec::new();
        let is_left_out =
            |name: &SmolStr| body.attribute(name).is_none_or(|value| value.unmark().0.is_null());
        for (name, attribute) in &self.attributes {
            let written = body.attribute(name);
            let is_null = written.is_none_or(|value| value.unmark().0.is_null());
            let value = match written {
                Some(value) if !is_null => attribute.converted(arena, name, value, place, problems),
                _ if attribute.follows.as_ref().is_some_and(is_left_out) => {
                    Value::null(arena, attribute.ty())
                }
                _ if attribute.not_null => Value::unknown_not_null(arena, attribute.ty()),
                _ if attribute.computed => Value::unknown_of(arena, attribute.ty()),
                _ => Value::null(arena, attribute.ty()),
            };
            entries.push(Entry::new(name, attribute.marked(arena, value)));
        }
        for (kind, nested) in &self.block_types {
            if self.attributes.contains_key(kind) {
                continue;
            }
            entries.push(Entry::new(kind, nested.value(arena, kind, body, place, problems)));
        }
        entries.sort_by(|a, b| a.name.cmp(b.name));
        Value::object(arena, arena.slice(&entries))
    }
}

impl ProviderAttribute {
    fn ty(&self) -> Type<'_> {
        self.constraint.as_ref().map_or(Type::Dynamic, TypeConstraint::ty)
    }

    fn marked<'v>(&self, arena: &'v Arena, value: Value<'v>) -> Value<'v> {
        if self.sensitive { value.with_marks(arena, marks_from(arena, &["sensitive"])) } else { value }
    }

    fn converted<'v>(
        &'v self,
        arena: &'v Arena,
        name: &str,
        value: Value<'v>,
        place: &TextRange,
        problems: &mut Problems,
    ) -> Value<'v> {
        let Some(constraint) = &self.constraint else { return value };
        constraint.convert(arena, value).unwrap_or_else(|why| {
            let why = if value.contains_marks() { why.concealed(arena) } else { why };
            let detail = format!("The value of `{name}` does not fit its type: {why}.");
            problems.error(place, "Incorrect attribute value type", detail);
            Value::unknown_of(arena, self.ty())
        })
    }

    /// Returns the type as an expression of a type.
    fn type_text(&self, depth: usize) -> String {
        match (&self.ty, &self.nested_type) {
            (Some(ty), _) => type_text(ty, 0),
            (None, Some(nested)) if depth < DEEPEST => {
                let attributes = nested.attributes.iter().map(|(name, one)| {
                    let ty = one.type_text(depth + 1);
                    if one.required {
                        format!("\"{name}\" = {ty}")
                    } else {
                        format!("\"{name}\" = optional({ty})")
                    }
                });
                let object = format!("object({{{}}})", attributes.collect::<Vec<_>>().join(", "));
                match nested.nesting_mode.as_str() {
                    mode @ ("list" | "set" | "map") => format!("{mode}({object})"),
                    _ => object,
                }
            }
            _ => "any".to_owned(),
        }
    }
}

/// Returns a type in JSON as an expression of a type.
fn type_text(ty: &Json, depth: usize) -> String {
    const ANY: &str = "any";
    if depth > DEEPEST {
        return ANY.to_owned();
    }
    match ty {
        Json::String(name) if name == "dynamic" => ANY.to_owned(),
        Json::String(name) => name.clone(),
        Json::Array(parts) => match (parts.first().and_then(Json::as_str), parts.get(1)) {
            (Some(kind @ ("list" | "set" | "map")), Some(element)) => {
                format!("{kind}({})", type_text(element, depth + 1))
            }
            (Some("tuple"), Some(Json::Array(items))) => {
                let items: Vec<String> = items.iter().map(|one| type_text(one, depth + 1)).collect();
                format!("tuple([{}])", items.join(", "))
            }
            (Some("object"), Some(Json::Object(members))) => {
                // Configurations may leave out what is null.
                let member = |(name, one): (&String, &Json)| {
                    format!("\"{name}\" = optional({})", type_text(one, depth + 1))
                };
                format!("object({{{}}})", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
            _ => ANY.to_owned(),
        },
        _ => ANY.to_owned(),
    }
}

impl BlockType {
    /// Returns the value of all blocks of this type in a body.
    fn value<'v>(
        &'v self,
        arena: &'v Arena,
        kind: &'v str,
        body: &'v Body,
        place: &TextRange,
        problems: &mut Problems,
    ) -> Value<'v> {
        let blocks: Vec<&Block> = body.blocks_of(kind).collect();
        // Blocks of an unknown number, or an attribute with a list in their place.
        if blocks.iter().any(|block| block.pending().is_some()) || body.attribute(kind).is_some() {
            return Value::DYNAMIC;
        }
        let mut values: Vec<Value<'v>> = Vec::new();
        for block in &blocks {
            values.push(self.block.value(arena, block.body(), place, problems));
        }
        match self.nesting_mode.as_str() {
            "single" | "group" => values.pop().unwrap_or(Value::null(arena, Type::Dynamic)),
            "map" => {
                let names = blocks.iter().map(|block| block.labels().next().unwrap_or_default());
                let entries: BTreeMap<&str, Value<'v>> = names.zip(values).collect();
                let entries: Vec<Entry<'v>> =
                    entries.into_iter().map(|(name, value)| Entry::new(arena.text(name), value)).collect();
                Value::object(arena, arena.slice(&entries))
            }
            mode => {
                let tuple = Value::tuple(arena, arena.slice(&values));
                let element =
                    values.first().map_or(Type::Dynamic, |one| one.unmark_deep(arena).0.type_of(arena));
                let element: &Type<'v> = arena.item(element);
                let ty = if mode == "set" { Type::Set(element) } else { Type::List(element) };
                let converted = if matches!(element, Type::Dynamic) {
                    Err(())
                } else {
                    convert(arena, tuple, ty).map_err(|_| ())
                };
                match converted {
                    Ok(value) if matches!(value.unmark().0.view(), View::List(..) | View::Set(..)) => value,
                    // The types of the blocks differ, by attributes of any type.
                    _ => tuple,
                }
            }
        }
    }
}
