//! Evaluated bodies, with values that own their memory.

use hclvm::expansion::{BodyView, Expansion};
use hclvm::value::{Arena, Entry, View};
use hclvm::{Error, OwnedValue, Program, Type, Value};
use smol_str::SmolStr;

use crate::marks::{Marking, SENSITIVE};
use crate::paths::Siblings;
use crate::watch::Watch;

/// An evaluated body: dynamic blocks are expanded.
#[derive(Clone, Debug, Default)]
pub struct Body {
    attributes: Vec<(SmolStr, OwnedValue)>,
    /// The programs of the attributes, unless dynamic blocks made them; empty for a body that is put together.
    programs: Vec<Option<Program>>,
    blocks: Vec<Block>,
}

/// An evaluated block.
#[derive(Clone, Debug)]
pub struct Block {
    kind: SmolStr,
    labels: Vec<SmolStr>,
    /// True if a label depends on a sensitive value.
    sensitive_labels: bool,
    body: Body,
    pending: Option<OwnedValue>,
}

impl Body {
    /// Evaluates a body and its blocks, but no attributes and blocks of the body whose names are `excepted`. Problems are
    /// kept by the expansion.
    pub(crate) fn read<'a>(
        expansion: &mut Expansion<'a>,
        view: BodyView<'a>,
        excepted: &dyn Fn(&str) -> bool,
        watch: &Watch<'_>,
    ) -> Result<Self, Error> {
        let content = expansion.allow_marked_labels().everything(view)?;
        let mut body = Self::default();
        for attribute in content.attributes {
            if excepted(attribute.name()) {
                continue;
            }
            let value = OwnedValue::new(expansion.value(attribute)?);
            watch.attribute(expansion, attribute)?;
            body.attributes.push((attribute.name().into(), value));
            let program = if attribute.is_written() { attribute.attribute.program().ok() } else { None };
            body.programs.push(program);
        }
        let mut siblings = Siblings::default();
        for block in content.blocks {
            if excepted(block.kind) {
                continue;
            }
            let shown = |label: &&'a str| if block.secret_labels { SENSITIVE } else { label };
            let names = std::iter::once(block.kind).chain(block.labels.iter().map(shown));
            let inner =
                watch.among(&mut siblings, names, || Self::read(expansion, block.body, &|_| false, watch))?;
            body.blocks.push(Block {
                kind: block.kind.into(),
                labels: block.labels.iter().map(SmolStr::new).collect(),
                sensitive_labels: block.secret_labels,
                body: inner,
                pending: block.pending.map(OwnedValue::new),
            });
        }
        Ok(body)
    }

    pub(crate) fn of(attributes: Vec<(SmolStr, OwnedValue)>, blocks: Vec<Block>) -> Self {
        Self { attributes, programs: Vec::new(), blocks }
    }

    /// Returns its attributes and its blocks.
    pub(crate) fn into_parts(self) -> (Vec<(SmolStr, OwnedValue)>, Vec<Block>) {
        (self.attributes, self.blocks)
    }

    /// Removes the marks that results must not have.
    pub(crate) fn leave_marks(&mut self, marking: Marking) {
        let leave = |value: &mut OwnedValue| *value = marking.result(value.clone());
        self.attributes.iter_mut().for_each(|(_, value)| leave(value));
        for block in &mut self.blocks {
            block.pending.iter_mut().for_each(leave);
            block.body.leave_marks(marking);
        }
    }

    /// Appends the attributes and blocks of another body.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.attributes.append(&mut other.attributes);
        self.programs.append(&mut other.programs);
        self.blocks.append(&mut other.blocks);
    }

    /// Iterates over the programs of its attributes; `None` for one that a dynamic block made.
    pub(crate) fn programs(&self) -> impl Iterator<Item = Option<&Program>> {
        self.programs.iter().map(Option::as_ref)
    }

    /// Replaces the value of an attribute in a block that positions lead to.
    pub(crate) fn set(&mut self, blocks: &[usize], attribute: usize, value: OwnedValue) {
        let body = blocks.iter().try_fold(self, |body, at| Some(&mut body.blocks.get_mut(*at)?.body));
        if let Some((_, old)) = body.and_then(|body| body.attributes.get_mut(attribute)) {
            *old = value;
        }
    }

    /// Returns the body with placeholders for unknown values, as plugins get them before a build runs: the text
    /// `<unknown>`, the number 0, `false`, empty collections.
    #[must_use]
    pub fn with_placeholders(&self) -> Self {
        let attributes = self.attributes.iter().map(|(name, value)| {
            let arena = Arena::new();
            (name.clone(), OwnedValue::new(placeholder(&arena, value.get())))
        });
        let blocks =
            self.blocks.iter().map(|block| Block { body: block.body.with_placeholders(), ..block.clone() });
        Self::of(attributes.collect(), blocks.collect())
    }

    /// Iterates over its attributes in the order of the text.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = (&str, Value<'_>)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value.get()))
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<Value<'_>> {
        self.attributes().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns its blocks in the order of the text; those of a dynamic block take its place.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Iterates over its blocks of one type.
    pub fn blocks_of<'b>(&'b self, kind: &'b str) -> impl Iterator<Item = &'b Block> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }
}

impl Block {
    pub(crate) fn new(kind: SmolStr, labels: Vec<SmolStr>, body: Body) -> Self {
        Self { kind, labels, sensitive_labels: false, body, pending: None }
    }

    /// Returns its type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Iterates over its labels.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter().map(SmolStr::as_str)
    }

    /// Returns true if its labels depend on sensitive values, so that they are not to be shown.
    pub fn has_sensitive_labels(&self) -> bool {
        self.sensitive_labels
    }

    /// Iterates over its labels as paths show them.
    pub(crate) fn shown_labels(&self) -> impl Iterator<Item = &str> {
        self.labels().map(|label| if self.sensitive_labels { SENSITIVE } else { label })
    }

    /// Returns its content.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the unknown collection of a dynamic block, if this block represents all blocks that will be made
    /// from it.
    pub fn pending(&self) -> Option<Value<'_>> {
        self.pending.as_ref().map(OwnedValue::get)
    }
}

/// Replaces the unknown parts of a value.
fn placeholder<'v>(arena: &'v Arena, value: Value<'v>) -> Value<'v> {
    if value.is_wholly_known() {
        return value;
    }
    let items = |items: &[Value<'v>]| -> &'v [Value<'v>] {
        arena.slice(&items.iter().map(|item| placeholder(arena, *item)).collect::<Vec<_>>())
    };
    let entries = |entries: &[Entry<'v>]| -> &'v [Entry<'v>] {
        let replaced = entries.iter().map(|one| Entry::new(one.name, placeholder(arena, one.value)));
        arena.slice(&replaced.collect::<Vec<_>>())
    };
    match value.view() {
        View::Unknown(unknown) => placeholder_of(arena, unknown.ty),
        // Its placeholders are texts.
        View::List(of, Type::Dynamic) | View::Tuple(of) => Value::tuple(arena, items(of)),
        View::List(of, element) => Value::list(arena, items(of), element),
        // Elements that become equal would be one element, so that the set has none of them.
        View::Set(of, element) => {
            let known: Vec<Value<'_>> = of.iter().copied().filter(|item| item.is_wholly_known()).collect();
            Value::set_of_ordered(arena, arena.slice(&known), element)
        }
        View::Map(of, Type::Dynamic) | View::Object(of) => Value::object(arena, entries(of)),
        View::Map(of, element) => Value::map(arena, entries(of), element),
        View::Marked(inner, marks) => placeholder(arena, inner).with_marks(arena, marks),
        _ => value,
    }
}

/// Returns the placeholder of a type. Types are no deeper than the limit of the text that wrote them.
fn placeholder_of<'v>(arena: &'v Arena, ty: Type<'v>) -> Value<'v> {
    match ty {
        Type::Bool => Value::bool(false),
        Type::Number => Value::int(0),
        Type::List(element) => Value::list(arena, &[], *element),
        Type::Set(element) => Value::set_of_ordered(arena, &[], *element),
        Type::Map(element) => Value::map(arena, &[], *element),
        Type::Tuple(types) => {
            let items: Vec<Value<'_>> = types.iter().map(|one| placeholder_of(arena, *one)).collect();
            Value::tuple(arena, arena.slice(&items))
        }
        Type::Object(attributes) => {
            let entries = attributes.iter().map(|one| Entry::new(one.name, placeholder_of(arena, one.ty)));
            Value::object(arena, arena.slice(&entries.collect::<Vec<_>>()))
        }
        Type::String | Type::Dynamic | Type::Capsule(_) => Value::str(arena, "<unknown>"),
    }
}
