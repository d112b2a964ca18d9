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

use std::sync::LazyLock;

use hclvm_compiler::analysis;
use hclvm_vm::{Entry, Type, Value, View, convert};
use smol_str::SmolStr;

use crate::diagnostics::error::Error;
use crate::structure::content::{ContentReader, Taken};
use crate::structure::expansion::{Binding, BlockView, BodyView, Expansion, ExpansionContext};
use crate::structure::schema::{BlockSchema, DYNAMIC, Schema};
use crate::syntax::document::{Attribute, Block, Body};

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

/// Returns the iterator names of all dynamic blocks in a body, at any depth.
pub(crate) fn iterators(body: Body<'_>) -> Vec<SmolStr> {
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

/// Returns the single name that an attribute's expression consists of. The error is true if the
/// expression is a traversal, which is reported under another title.
fn keyword(attribute: Attribute<'_>) -> Result<&str, bool> {
    let tree = &attribute.document().file().tree;
    let root = attribute.definition().expr;
    analysis::keyword(tree, root).ok_or_else(|| analysis::absolute_traversal(tree, root).is_ok())
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
        match collection.view() {
            View::Tuple(items) | View::List(items, _) => {
                for (item, at) in items.iter().zip(0..) {
                    self.element(&dynamic, [Value::short(at), *item], context, out)?;
                }
            }
            View::Set(items, _) => {
                for item in items {
                    self.element(&dynamic, [*item, *item], context, out)?;
                }
            }
            View::Object(entries) | View::Map(entries, _) => {
                for Entry { name, value, .. } in entries {
                    self.element(&dynamic, [Value::str(self.arena, name), *value], context, out)?;
                }
            }
            _ => {
                let context = ExpansionContext { unknown: true, ..context };
                let pending = out.len();
                // Without a schema, a block of an unknown collection has no labels.
                let dynamic = Dynamic { labels: dynamic.labels.filter(|_| wanted.is_some()), ..dynamic };
                self.element(&dynamic, [Value::DYNAMIC; 2], context, out)?;
                if let Some(made) = out.get_mut(pending) {
                    made.pending = Some(dynamic.for_each);
                }
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
        let (mut labels, mut label_spans) = (Vec::new(), Vec::new());
        if let Some(attribute) = dynamic.labels {
            for at in 0..attribute.element_count().unwrap_or(0) {
                let Some(label) = self.label(attribute, at, bound)? else { return Ok(()) };
                labels.push(label);
                label_spans.push(attribute.element_span(at));
            }
        }
        out.push(BlockView {
            kind: dynamic.kind,
            kind_span: made_kind(dynamic.block).1,
            labels,
            label_spans,
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

    /// Evaluates a label for the current element. Reports a label that is not a known, unmarked
    /// string and returns `None`.
    fn label(
        &mut self,
        attribute: Attribute<'a>,
        at: usize,
        bound: &'a Binding<'a>,
    ) -> Result<Option<&'a str>, Error> {
        let program = attribute.element_ref(at).map_err(Clone::clone)?;
        let span = program.span();
        let evaluation = self.run(program, Some(bound))?;
        if evaluation.diagnostics.has_errors() {
            self.problems.extend(evaluation.diagnostics.iter().cloned());
            return Ok(None);
        }
        let refusal = match convert(self.arena, evaluation.value, Type::String) {
            Ok(text) if text.is_null() => problem::null_label(span),
            Ok(text) if !text.is_known() => problem::unknown_label(span),
            Ok(text) => match text.as_str() {
                Some(label) => return Ok(Some(label)),
                None => problem::marked_label(text.unmark().1, span),
            },
            Err(mismatch) => {
                let mismatch = if bound.is_secret() { mismatch.concealed(self.arena) } else { mismatch };
                problem::unsuitable_label(&mismatch.to_string(), span)
            }
        };
        self.problems.push(refusal);
        Ok(None)
    }

    /// Checks a dynamic block and evaluates its collection. Returns `None` after reporting problems.
    fn dynamic(
        &mut self,
        view: BodyView<'a>,
        block: Block<'a>,
        wanted: Option<&BlockSchema>,
    ) -> Result<Option<Dynamic<'a>>, Error> {
        let schema: &Schema = match wanted {
            None => &ANY,
            Some(wanted) if wanted.labels.is_empty() => &UNLABELLED,
            Some(_) => &LABELLED,
        };
        let known = self.problems.len();
        let reader = ContentReader { body: block.body(), taken: &Taken::default(), schema, dynamic: false };
        let found = reader.content(&mut self.problems);
        reader.refuse_rest(&mut self.problems);
        let (true, Some(for_each)) = (self.problems.len() == known, found.attribute("for_each")) else {
            return Ok(None);
        };
        let kind = made_kind(block).0;
        let Some(iterator) = self.iterator(kind, found.attribute("iterator")) else { return Ok(None) };
        let Some(collection) = self.collection(view, for_each)? else { return Ok(None) };
        let labels = found.attribute("labels");
        if let Some(labels) = labels
            && !self.has_static_labels(labels, kind, wanted)
        {
            return Ok(None);
        }
        let content = match found.blocks.as_slice() {
            [] => {
                self.problems.push(problem::missing_content(found.missing_item));
                return Ok(None);
            }
            [content] => content.body(),
            [_, second, ..] => {
                self.problems.push(problem::extraneous_content(second.header_span()));
                return Ok(None);
            }
        };
        Ok(Some(Dynamic { block, kind, for_each: collection, iterator, labels, content }))
    }

    /// Returns the variable that holds the current element: the block type, unless `iterator` is set.
    fn iterator(&mut self, kind: &'a str, written: Option<Attribute<'a>>) -> Option<&'a str> {
        let Some(attribute) = written else { return Some(kind) };
        match keyword(attribute) {
            Ok(name) => Some(name),
            Err(is_traversal) => {
                self.problems.push(problem::iterator(is_traversal, attribute.expression_span()));
                None
            }
        }
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
        let plain = value.unmark().0;
        let ty = plain.type_of(self.arena);
        let can_iterate = !matches!(ty, Type::Bool | Type::Number | Type::String | Type::Capsule(_));
        if !can_iterate {
            self.problems.push(problem::no_collection(ty, span));
            return Ok(None);
        }
        if plain.is_null() {
            self.problems.push(problem::null_collection(span));
            return Ok(None);
        }
        Ok(Some(value))
    }

    /// Returns true if the labels are written as a list with one expression for each label.
    fn has_static_labels(
        &mut self,
        attribute: Attribute<'a>,
        kind: &str,
        wanted: Option<&BlockSchema>,
    ) -> bool {
        let Some(found) = attribute.element_count() else {
            self.problems.push(problem::labels_no_list(attribute.start_span()));
            return false;
        };
        let wanted = wanted.map_or(found, |wanted| wanted.labels.len());
        if found > wanted {
            self.problems.push(problem::extraneous_label(kind, wanted, attribute.element_span(wanted)));
        } else if found < wanted {
            self.problems.push(problem::insufficient_labels(kind, wanted, attribute.expression_span()));
        }
        found == wanted
    }
}

/// Returns the type of the blocks that a dynamic block makes, and where it is written.
fn made_kind(block: Block<'_>) -> (&str, hclvm_vm::Span) {
    match block.labels().next().zip(block.label_spans().next()) {
        Some(made) => made,
        None => ("", block.header_span()),
    }
}
