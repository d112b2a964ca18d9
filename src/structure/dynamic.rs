//! Dynamic blocks: one block for each element of a collection.
//!
//! ```text
//! dynamic "port" {
//!   for_each = { http = 80, ssh = 22 }     element: port.key, port.value
//!   iterator = p                           or under another name: p.key, p.value
//!   labels   = [p.key]                     labels of the blocks, each an expression
//!   content { to = p.value }               their body
//! }
//! ```
//! Every value in the blocks carries the marks of the collection. An unknown collection makes one
//! block whose values are all unknown. Written blocks are read in `expansion`.

mod problem;

use std::sync::{Arc, LazyLock};

use hclvm_compiler::analysis;
use hclvm_compiler::tree::{Node, NodeId, Tree};
use hclvm_vm::{Arena, Diagnostic, Entry, Span, Type, Value, View, convert};
use smol_str::SmolStr;

use crate::compile::program::Program;
use crate::diagnostics::error::{Error, LimitError};
use crate::diagnostics::problems::ProblemCollector;
use crate::structure::content::{Content, ContentReader, Taken};
use crate::structure::expansion::{BlockView, BodyView, Expansion, ExpansionContext, IteratorBinding};
use crate::structure::schema::{BlockSchema, DYNAMIC, Schema};
use crate::syntax::document::{Attribute, Block, Body, Document, json};

/// The nested block that is the body of the blocks it makes.
const CONTENT: &str = "content";

/// The schema of a dynamic block that makes blocks without labels.
static UNLABELLED: LazyLock<Schema> =
    LazyLock::new(|| Schema::new().required("for_each").optional("iterator").block(CONTENT, &[]));
/// The schema of a dynamic block that makes blocks with labels.
static LABELLED: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new().required("for_each").optional("iterator").required("labels").block(CONTENT, &[])
});
/// The schema of a dynamic block whose blocks may have any number of labels.
static ANY: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new().required("for_each").optional("iterator").optional("labels").block(CONTENT, &[])
});

impl Document {
    /// Returns the iterators of all dynamic blocks in it, at any depth. An application that compiles a file for a
    /// layout of its own adds them to the layout.
    pub fn iterators(&self) -> Vec<SmolStr> {
        match self.file().json() {
            Some(root) => iterators_of_json(self.tree(), root),
            None => iterators(self.body()),
        }
    }
}

fn iterators(body: Body<'_>) -> Vec<SmolStr> {
    let mut names = Vec::new();
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        for block in body.blocks() {
            if block.kind() == DYNAMIC {
                names.extend(match block.attribute("iterator") {
                    Some(attribute) => keyword(attribute).ok().map(SmolStr::new),
                    None => block.labels().next().map(SmolStr::new),
                });
            }
            bodies.push(block.body());
        }
    }
    names
}

fn iterators_of_json(tree: &Tree, root: NodeId) -> Vec<SmolStr> {
    let mut names = Vec::new();
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        if let Node::Tuple(items) = tree.node(value) {
            open.extend(tree.list(items));
        }
        for member in json::members(tree, value).into_iter().flatten() {
            if member.name(tree) == DYNAMIC {
                let dynamics = json::dynamics(tree, member.value);
                names.extend(dynamics.iter().map(|one| SmolStr::new(one.iterator)));
            }
            open.push(member.value);
        }
    }
    names
}

/// Returns the single name that an attribute's expression consists of. The error is true if the
/// expression is a traversal, which is reported under another title.
fn keyword(attribute: Attribute<'_>) -> Result<&str, bool> {
    let tree = attribute.document().file().tree();
    let root = attribute.definition().expr;
    analysis::keyword(tree, root).ok_or_else(|| analysis::absolute_traversal(tree, root).is_ok())
}

/// A dynamic block whose attributes are there and whose iterator is a name.
pub(crate) struct DynamicHead<'d> {
    /// The type of the blocks it makes.
    pub(crate) kind: &'d str,
    /// The variable that holds the current element: the block type, unless `iterator` is set.
    pub(crate) iterator: &'d str,
    pub(crate) for_each: Attribute<'d>,
    found: Content<'d>,
}

/// The parts of a dynamic block that are checked after its collection was evaluated.
pub(crate) struct DynamicTail<'d> {
    /// A list of one expression for each label.
    pub(crate) labels: Option<Attribute<'d>>,
    pub(crate) content: Body<'d>,
}

/// A valid dynamic block, with its collection evaluated.
struct Dynamic<'a> {
    block: Block<'a>,
    kind: &'a str,
    for_each: Value<'a>,
    iterator: &'a str,
    labels: Option<Attribute<'a>>,
    content: Body<'a>,
}

/// Checks the attributes of a dynamic block. Returns `None` after reporting problems.
pub(crate) fn head<'d>(
    block: Block<'d>,
    wanted: Option<&BlockSchema>,
    problems: &mut ProblemCollector,
) -> Option<DynamicHead<'d>> {
    let schema: &Schema = match wanted {
        None => &ANY,
        Some(wanted) if wanted.labels.is_empty() => &UNLABELLED,
        Some(_) => &LABELLED,
    };
    let known = problems.len();
    let reader = ContentReader { body: block.body(), taken: &Taken::default(), schema, dynamic: false };
    let found = reader.content(problems);
    reader.refuse_rest(problems);
    let for_each = found.attribute("for_each").filter(|_| problems.len() == known)?;
    let kind = made_kind(block).0;
    let iterator = match found.attribute("iterator") {
        None => kind,
        Some(attribute) => match keyword(attribute) {
            Ok(name) => name,
            Err(is_traversal) => {
                problems.push(problem::iterator(is_traversal, attribute.expression_span()));
                return None;
            }
        },
    };
    Some(DynamicHead { kind, iterator, for_each, found })
}

impl<'d> DynamicHead<'d> {
    /// Checks labels and content. Returns `None` after reporting a problem.
    pub(crate) fn tail(
        &self,
        wanted: Option<&BlockSchema>,
        problems: &mut ProblemCollector,
    ) -> Option<DynamicTail<'d>> {
        let labels = self.found.attribute("labels");
        if let Some(labels) = labels
            && !has_static_labels(labels, self.kind, wanted, problems)
        {
            return None;
        }
        match self.found.blocks.as_slice() {
            [content] => Some(DynamicTail { labels, content: content.body() }),
            [] => {
                problems.push(problem::missing_content(self.found.missing_item));
                None
            }
            [_, second, ..] => {
                problems.push(problem::extraneous_content(second.header_span()));
                None
            }
        }
    }
}

/// Returns true if the labels are written as a list with one expression for each label.
fn has_static_labels(
    attribute: Attribute<'_>,
    kind: &str,
    wanted: Option<&BlockSchema>,
    problems: &mut ProblemCollector,
) -> bool {
    let Some(found) = attribute.element_count() else {
        problems.push(problem::labels_no_list(attribute.start_span()));
        return false;
    };
    let wanted = wanted.map_or(found, |wanted| wanted.labels.len());
    if found > wanted {
        problems.push(problem::extraneous_label(kind, wanted, attribute.element_span(wanted)));
    } else if found < wanted {
        problems.push(problem::insufficient_labels(kind, wanted, attribute.expression_span()));
    }
    found == wanted
}

/// Returns the problem of a `for_each` value that is neither a collection nor unknown.
pub(crate) fn refuse_collection(arena: &Arena, value: Value<'_>, span: Span) -> Option<Diagnostic> {
    let plain = value.unmark().0;
    if element_count(plain) > 0 {
        return None;
    }
    let ty = plain.type_of(arena);
    if matches!(ty, Type::Bool | Type::Number | Type::String | Type::Capsule(_)) {
        return Some(problem::no_collection(ty, span));
    }
    plain.is_null().then(|| problem::null_collection(span))
}

/// Returns the number of elements that [`each_element`] visits.
pub(crate) fn element_count(collection: Value<'_>) -> usize {
    match collection.view() {
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => items.len(),
        View::Object(entries) | View::Map(entries, _) => entries.len(),
        _ => 0,
    }
}

/// Calls `visit` with key and value of each element of a collection. Returns false if its elements are not
/// known.
pub(crate) fn each_element<'a, E>(
    arena: &'a Arena,
    collection: Value<'a>,
    mut visit: impl FnMut([Value<'a>; 2]) -> Result<(), E>,
) -> Result<bool, E> {
    match collection.view() {
        View::Tuple(items) | View::List(items, _) => {
            for (item, at) in items.iter().zip(0..) {
                visit([Value::short(at), *item])?;
            }
        }
        View::Set(items, _) => {
            for item in items {
                visit([*item, *item])?;
            }
        }
        View::Object(entries) | View::Map(entries, _) => {
            for Entry { name, value, .. } in entries {
                visit([Value::str(arena, name), *value])?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Returns the object that an iterator is bound to.
pub(crate) fn element<'a>(arena: &'a Arena, [key, value]: [Value<'a>; 2]) -> Value<'a> {
    let entries = [arena.entry("key", key), arena.entry("value", value)];
    Value::object(arena, arena.slice(&entries))
}

/// Returns the value of the program of a label as text, or the problem of a value that is not a known, unmarked
/// string. The problem does not show the value of a `secret` element, or any value if the engine hides them.
///
/// # Errors
/// A limit that was exceeded by the text.
pub(crate) fn label_text<'a>(
    arena: &'a Arena,
    program: &Program,
    value: Value<'a>,
    secret: bool,
) -> Result<Result<&'a str, Diagnostic>, Error> {
    let secret = secret || program.engine().hides_values();
    let text = converted_label(arena, value, secret, program.span());
    match arena.budget().exhausted() {
        None => Ok(text),
        Some(exhausted) => {
            let (source, span) = (Arc::clone(program.source()), program.span());
            Err(LimitError { exhausted, source, span }.into())
        }
    }
}

fn converted_label<'a>(
    arena: &'a Arena,
    value: Value<'a>,
    secret: bool,
    span: Span,
) -> Result<&'a str, Diagnostic> {
    match convert(arena, value, Type::String) {
        Ok(text) if text.is_null() => Err(problem::null_label(span)),
        Ok(text) if !text.is_known() => Err(problem::unknown_label(span)),
        Ok(text) => text.as_str().ok_or_else(|| problem::marked_label(text.unmark().1, span)),
        Err(mismatch) => {
            let mismatch = if secret { mismatch.concealed(arena) } else { mismatch };
            Err(problem::unsuitable_label(&mismatch.to_string(), span))
        }
    }
}

impl<'a> Expansion<'a> {
    /// Appends the blocks that a dynamic block makes, and reports a type that is not in the schema.
    pub(crate) fn expand_by(
        &mut self,
        view: BodyView<'a>,
        block: Block<'a>,
        schema: &Schema,
        out: &mut Vec<BlockView<'a>>,
    ) -> Result<(), Error> {
        let (kind, span) = made_kind(block);
        if let Some(wanted) = schema.block_type(kind) {
            return self.expand(view, block, Some(wanted), out);
        }
        self.problems.push(problem::unsupported_kind(kind, schema, span));
        Ok(())
    }

    /// Appends the blocks that a dynamic block makes. With `wanted`, checks the number of labels.
    pub(crate) fn expand(
        &mut self,
        view: BodyView<'a>,
        block: Block<'a>,
        wanted: Option<&BlockSchema>,
        out: &mut Vec<BlockView<'a>>,
    ) -> Result<(), Error> {
        let Some(dynamic) = self.dynamic(view, block, wanted)? else { return Ok(()) };
        let (collection, marks) = dynamic.for_each.unmark();
        let marks = view.context.marks.union(self.arena, marks);
        let context = ExpansionContext { marks, ..view.context };
        let arena = self.arena;
        if !each_element(arena, collection, |pair| self.element(&dynamic, pair, context, out))? {
            let context = ExpansionContext { unknown: true, ..context };
            let pending = out.len();
            // Without a schema, a block of an unknown collection has no labels.
            let dynamic = Dynamic { labels: dynamic.labels.filter(|_| wanted.is_some()), ..dynamic };
            self.element(&dynamic, [Value::DYNAMIC; 2], context, out)?;
            if let Some(made) = out.get_mut(pending) {
                made.pending = Some(dynamic.for_each);
            }
        }
        Ok(())
    }

    /// Appends one block, with the iterator bound to an element.
    fn element(
        &mut self,
        dynamic: &Dynamic<'a>,
        pair: [Value<'a>; 2],
        context: ExpansionContext<'a>,
        out: &mut Vec<BlockView<'a>>,
    ) -> Result<(), Error> {
        let bound = self.binding(dynamic.iterator, pair, context.bound, context.marks);
        let (mut labels, mut label_spans, mut secret_labels) = (Vec::new(), Vec::new(), false);
        if let Some(attribute) = dynamic.labels {
            for at in 0..attribute.element_count().unwrap_or(0) {
                let Some((label, secret)) = self.label(attribute, at, bound)? else { return Ok(()) };
                labels.push(label);
                secret_labels |= secret;
                label_spans.push(attribute.element_span(at));
            }
        }
        out.push(BlockView {
            kind: dynamic.kind,
            kind_span: made_kind(dynamic.block).1,
            labels,
            label_spans,
            secret_labels,
            header_span: dynamic.block.header_span(),
            body: BodyView {
                body: dynamic.content,
                context: ExpansionContext { bound: Some(bound), ..context },
            },
            pending: None,
            made: true,
        });
        Ok(())
    }

    /// Evaluates a label for the current element. Returns it, and whether it is secret. Reports a label that is not a
    /// known string, or is marked and must not be, and returns `None`.
    fn label(
        &mut self,
        attribute: Attribute<'a>,
        at: usize,
        bound: &'a IteratorBinding<'a>,
    ) -> Result<Option<(&'a str, bool)>, Error> {
        let program = attribute.element_ref(at).map_err(Clone::clone)?;
        let evaluation = self.run(program, Some(bound))?;
        if evaluation.diagnostics.has_errors() {
            self.problems.extend(evaluation.diagnostics.iter().cloned());
            return Ok(None);
        }
        // A literal label depends on no element.
        let is_literal = program.variables().is_empty();
        let secret = evaluation.value.is_marked() || bound.is_secret() && !is_literal;
        let value = if self.allows_marked_labels { evaluation.value.unmark().0 } else { evaluation.value };
        match label_text(self.arena, program, value, secret)? {
            Ok(label) => Ok(Some((label, secret))),
            Err(refusal) => {
                self.problems.push(refusal);
                Ok(None)
            }
        }
    }

    /// Checks a dynamic block and evaluates its collection. Returns `None` after reporting problems.
    fn dynamic(
        &mut self,
        view: BodyView<'a>,
        block: Block<'a>,
        wanted: Option<&BlockSchema>,
    ) -> Result<Option<Dynamic<'a>>, Error> {
        let Some(head) = head(block, wanted, &mut self.problems) else { return Ok(None) };
        let Some(for_each) = self.collection(view, head.for_each)? else { return Ok(None) };
        let Some(DynamicTail { labels, content }) = head.tail(wanted, &mut self.problems) else {
            return Ok(None);
        };
        Ok(Some(Dynamic { block, kind: head.kind, for_each, iterator: head.iterator, labels, content }))
    }

    /// Evaluates `for_each`. Returns a collection or an unknown value, perhaps marked; reports other
    /// values and returns `None`.
    fn collection(
        &mut self,
        view: BodyView<'a>,
        attribute: Attribute<'a>,
    ) -> Result<Option<Value<'a>>, Error> {
        let span = attribute.expression_span();
        let program = attribute.program_ref().map_err(Clone::clone)?;
        let evaluation = self.run(program, view.context.bound)?;
        self.problems.extend(evaluation.diagnostics.iter().cloned());
        if evaluation.diagnostics.has_errors() {
            return Ok(None);
        }
        let value = evaluation.value;
        if !self.is_allowed(attribute, value) {
            return Ok(None);
        }
        if let Some(refusal) = refuse_collection(self.arena, value, span) {
            self.problems.push(refusal);
            return Ok(None);
        }
        Ok(Some(value))
    }
}

/// Returns the type of the blocks that a dynamic block makes, and where it is written.
fn made_kind(block: Block<'_>) -> (&str, Span) {
    match block.labels().next().zip(block.label_spans().next()) {
        Some(made) => made,
        None => ("", block.header_span()),
    }
}
