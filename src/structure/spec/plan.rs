//! Plans: specs with their types parsed, their expressions compiled and their schemas derived. `read`
//! applies them to documents.

use std::sync::Arc;

use hclvm_compiler::typeexpr::{Defaults, TypeMode, type_of_expression};
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::{Arena, AttributeType, Layout, OwnedValue, Type, Value, View};
use smol_str::SmolStr;

use super::{KeyedSpec, Spec};
use crate::compile::program::Program;
use crate::compile::settings::Engine;
use crate::data::ingest::Ingest;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::structure::schema::Schema;
use hclvm_compiler::source::Source;

/// A compiled [`Spec`], shared between threads. See [`Session::read`](crate::Session::read).
#[derive(Debug)]
pub struct Plan {
    pub(super) root: PlanNode,
    pub(super) schema: Schema,
}

impl Plan {
    pub(super) fn new(engine: &Engine, spec: &Spec) -> Result<Self, Error> {
        let root = PlanNode::new(engine, spec)?;
        Ok(Self { schema: root.schema(), root })
    }

    /// Returns the schema of the documents it reads.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }
}

/// A type that values are converted to.
#[derive(Debug)]
pub(super) struct SpecConstraint {
    /// A null of the type, which owns the type.
    null: OwnedValue,
    pub(super) defaults: Option<Defaults>,
}

impl SpecConstraint {
    fn new(text: &str) -> Result<Self, Error> {
        let parsed = parse_expression(text, &ParseLimits::default());
        let source = Arc::new(Source::new("", text, parsed.seams));
        let arena = Arena::new();
        let mut problems = parsed.diagnostics;
        if problems.is_empty() {
            match type_of_expression(&parsed.tree, parsed.root, TypeMode::WithDefaults, &arena) {
                Ok(found) => {
                    let null = OwnedValue::new(Value::null(&arena, found.ty));
                    return Ok(Self { null, defaults: found.defaults });
                }
                Err(found) => problems.extend(found.iter().map(|problem| problem.diagnostic(&parsed.tree))),
            }
        }
        Err(Diagnostics::new(source, problems).into())
    }

    /// Returns the type.
    pub(super) fn ty(&self) -> Type<'_> {
        match self.null.get().view() {
            View::Null(ty) => ty,
            _ => Type::Dynamic,
        }
    }
}

/// The kind of collection that blocks are gathered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gather {
    List,
    Tuple,
    Set,
    Map,
    Object,
}

/// Blocks of one type.
#[derive(Debug)]
pub(super) struct BlocksPlan {
    pub(super) kind: SmolStr,
    /// Names of the labels that are keys, then of those that the content reads.
    labels: Vec<SmolStr>,
    /// The number of labels that are keys.
    pub(super) keys: usize,
    pub(super) content: PlanNode,
    /// The schema of the bodies.
    pub(super) schema: Schema,
    pub(super) min: usize,
    pub(super) max: usize,
}

/// A node of a compiled spec.
#[derive(Debug)]
pub(super) enum PlanNode {
    Attribute { name: SmolStr, constraint: SpecConstraint, required: bool },
    Literal(OwnedValue),
    Object(Vec<(SmolStr, PlanNode)>),
    Tuple(Vec<PlanNode>),
    Block { blocks: Box<BlocksPlan>, required: bool },
    Blocks { blocks: Box<BlocksPlan>, gather: Gather },
    Attributes { kind: SmolStr, element: SpecConstraint, required: bool },
    Label { index: usize, name: SmolStr },
    Default { primary: Box<PlanNode>, fallback: Box<PlanNode> },
    Transform { of: Box<PlanNode>, program: Program },
}

impl PlanNode {
    fn new(engine: &Engine, spec: &Spec) -> Result<Self, Error> {
        let inner = |spec: &Spec| Self::new(engine, spec);
        let many = |spec: &super::BlocksSpec, gather| -> Result<Self, Error> {
            let mut blocks = BlocksPlan::new(spec.kind.clone(), &[], inner(&spec.content)?);
            (blocks.min, blocks.max) = (spec.min, spec.max);
            Ok(Self::Blocks { blocks: Box::new(blocks), gather })
        };
        let keyed = |spec: &KeyedSpec, gather| -> Result<Self, Error> {
            if spec.labels.is_empty() {
                return Err(Error::value(format!(
                    "blocks of type \"{}\" need at least one label as their key",
                    spec.kind
                )));
            }
            let blocks = BlocksPlan::new(spec.kind.clone(), &spec.labels, inner(&spec.content)?);
            Ok(Self::Blocks { blocks: Box::new(blocks), gather })
        };
        Ok(match spec {
            Spec::Attribute(spec) => Self::Attribute {
                name: spec.name.clone(),
                constraint: SpecConstraint::new(&spec.ty)?,
                required: spec.required,
            },
            Spec::Literal(json) => Self::Literal(literal(engine, json)?),
            Spec::Object(members) => {
                let named = members.iter().map(|(name, member)| Ok((name.clone(), inner(member)?)));
                Self::Object(named.collect::<Result<_, Error>>()?)
            }
            Spec::Tuple(items) => Self::Tuple(items.iter().map(inner).collect::<Result<_, _>>()?),
            Spec::Block(spec) => Self::Block {
                blocks: Box::new(BlocksPlan::new(spec.kind.clone(), &[], inner(&spec.content)?)),
                required: spec.required,
            },
            Spec::BlockList(spec) => many(spec, Gather::List)?,
            Spec::BlockTuple(spec) => many(spec, Gather::Tuple)?,
            Spec::BlockSet(spec) => many(spec, Gather::Set)?,
            Spec::BlockMap(spec) => keyed(spec, Gather::Map)?,
            Spec::BlockObject(spec) => keyed(spec, Gather::Object)?,
            Spec::BlockAttributes(spec) => Self::Attributes {
                kind: spec.kind.clone(),
                element: SpecConstraint::new(&spec.element)?,
                required: spec.required,
            },
            Spec::Label(spec) => Self::Label { index: spec.index, name: spec.name.clone() },
            Spec::Default(spec) => Self::Default {
                primary: Box::new(inner(&spec.primary)?),
                fallback: Box::new(inner(&spec.fallback)?),
            },
            Spec::Transform(spec) => {
                let layout = Arc::new(Layout::new([spec.variable.clone()]));
                let program = engine.compile(&spec.expression, &layout)?;
                Self::Transform { of: Box::new(inner(&spec.of)?), program }
            }
        })
    }

    /// Returns the children that read the same body.
    fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Object(members) => members.iter().map(|(_, member)| member).collect(),
            Self::Tuple(items) => items.iter().collect(),
            Self::Default { primary, fallback } => vec![primary, fallback],
            Self::Transform { of, .. } => vec![of],
            _ => Vec::new(),
        }
    }

    /// Returns the schema of the bodies that this node reads.
    fn schema(&self) -> Schema {
        let mut schema = Schema::new();
        let mut parts = vec![self];
        while let Some(part) = parts.pop() {
            schema = part.add_to(schema);
            parts.extend(part.parts().into_iter().rev());
        }
        schema
    }

    fn add_to(&self, schema: Schema) -> Schema {
        match self {
            Self::Attribute { name, .. } if schema.attribute(name).is_some() => schema,
            Self::Attribute { name, required: true, .. } => schema.required(name.clone()),
            Self::Attribute { name, .. } => schema.optional(name.clone()),
            Self::Block { blocks, .. } | Self::Blocks { blocks, .. }
                if schema.block_type(&blocks.kind).is_none() =>
            {
                let labels: Vec<&str> = blocks.labels.iter().map(SmolStr::as_str).collect();
                schema.block(blocks.kind.clone(), &labels)
            }
            Self::Attributes { kind, .. } if schema.block_type(kind).is_none() => {
                schema.block(kind.clone(), &[])
            }
            _ => schema,
        }
    }

    /// Returns the names of the labels that this node reads, by index.
    fn labels(&self) -> Vec<SmolStr> {
        let mut names: Vec<SmolStr> = Vec::new();
        let mut parts = vec![self];
        while let Some(part) = parts.pop() {
            if let Self::Label { index, name } = part {
                // A spec is data: an index must not decide how much memory is allocated. Blocks with
                // more labels are not written.
                let index = (*index).min(usize::from(u8::MAX));
                let known = names.len();
                names.extend((known..=index).map(|at| SmolStr::from(format!("label {}", at + 1))));
                names[index] = name.clone();
            }
            parts.extend(part.parts());
        }
        names
    }

    /// Returns the type of its values.
    pub(super) fn implied<'a>(&'a self, arena: &'a Arena) -> Type<'a> {
        match self {
            Self::Attribute { constraint, .. } => constraint.ty().without_optional(arena),
            Self::Literal(value) => value.get().type_of(arena),
            Self::Object(members) => {
                let mut attributes = arena.list();
                attributes.extend(members.iter().map(|(name, member)| AttributeType {
                    name,
                    ty: member.implied(arena),
                    optional: false,
                }));
                Type::Object(attributes.into_bump_slice())
            }
            Self::Tuple(items) => {
                let mut types = arena.list();
                types.extend(items.iter().map(|item| item.implied(arena)));
                Type::Tuple(types.into_bump_slice())
            }
            Self::Block { blocks, .. } => blocks.content.implied(arena),
            Self::Blocks { blocks, gather } => {
                let element = blocks.content.implied(arena);
                match gather {
                    Gather::List => Type::List(arena.item(element)),
                    Gather::Set => Type::Set(arena.item(element)),
                    Gather::Map => (0..blocks.keys).fold(element, |inner, _| Type::Map(arena.item(inner))),
                    Gather::Tuple | Gather::Object => Type::Dynamic,
                }
            }
            Self::Attributes { element, .. } => Type::Map(arena.item(element.ty().without_optional(arena))),
            Self::Label { .. } => Type::String,
            Self::Default { primary, .. } => primary.implied(arena),
            Self::Transform { .. } => Type::Dynamic,
        }
    }
}

impl BlocksPlan {
    fn new(kind: SmolStr, keys: &[SmolStr], content: PlanNode) -> Self {
        let labels = keys.iter().cloned().chain(content.labels()).collect();
        let schema = content.schema();
        Self { kind, labels, keys: keys.len(), content, schema, min: 0, max: 0 }
    }
}

fn literal(engine: &Engine, json: &serde_json::Value) -> Result<OwnedValue, Error> {
    let arena = Arena::with_limits(engine.settings().limits.of_runs());
    Ok(OwnedValue::new(json.ingest(&arena)?))
}
