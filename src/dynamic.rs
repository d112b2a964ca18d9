//! Dynamic blocks: one block for each element of a collection.
//!
//! ```text
//! dynamic "port" {
//!   for_each = { http = 80, ssh = 22 }     element: port.key, port.value
//!   iterator = p                           or under another name: p.key, p.value
//!   labels   = [p.key]                     labels of the blocks
//!   content { to = p.value }               their body
//! }
//! ```
//! The content is compiled once, like any other body, and evaluated for each element.

use hclvm_compiler::tree::Node;
use hclvm_vm::convert::convert;
use hclvm_vm::diagnostic::Diagnostic;
use hclvm_vm::types::Type;
use hclvm_vm::value::{Entry, Marks, Value, View};
use smol_str::SmolStr;

use crate::document::{Attribute, Block, Body};
use crate::error::Error;
use crate::module::{BlockResult, Run};

/// The block type.
pub(crate) const KEYWORD: &str = "dynamic";

/// Iterator names of all dynamic blocks in a body, at any depth.
pub(crate) fn iterators(body: Body<'_>) -> Vec<SmolStr> {
    let mut names = Vec::new();
    let mut bodies = vec![body];
    while let Some(body) = bodies.pop() {
        for block in body.blocks() {
            if block.kind() == KEYWORD
                && let Some(name) = iterator(block)
            {
                names.push(name);
            }
            bodies.push(block.body());
        }
    }
    names
}

/// The name under which the content reaches the element.
fn iterator(block: Block<'_>) -> Option<SmolStr> {
    match block.attribute("iterator") {
        Some(attribute) => keyword(attribute),
        None => block.labels().next().map(SmolStr::new),
    }
}

/// The single name that an attribute's expression consists of.
fn keyword(attribute: Attribute<'_>) -> Option<SmolStr> {
    let tree = &attribute.document().file().tree;
    match tree.node(attribute.definition().expr) {
        Node::Traversal { root, steps } if steps.is_empty() => Some(tree.name(root).clone()),
        _ => None,
    }
}

impl<'a> Run<'a> {
    /// Adds the blocks that a dynamic block makes.
    pub(crate) fn expand(&mut self, block: Block<'a>, out: &mut Vec<BlockResult<'a>>) -> Result<(), Error> {
        let Some(dynamic) = self.dynamic(block) else { return Ok(()) };
        let for_each = self.value(dynamic.for_each)?;
        let (collection, marks) = for_each.unmark();
        let pairs = match collection.view() {
            View::Unknown(_) => {
                out.push(BlockResult::Pending { kind: dynamic.kind, for_each });
                return Ok(());
            }
            View::Tuple(items) | View::List(items, _) => self.indexed(items),
            View::Set(items, _) => items.iter().map(|item| (*item, *item)).collect(),
            View::Object(entries) | View::Map(entries, _) => self.keyed(entries),
            View::Null(_) => return self.refuse_for_each(dynamic.for_each, "is null"),
            _ => return self.refuse_for_each(dynamic.for_each, "has no elements"),
        };
        for (key, value) in pairs {
            self.element(&dynamic, [key, value], marks, out)?;
        }
        Ok(())
    }

    fn indexed(&self, items: &[Value<'a>]) -> Vec<(Value<'a>, Value<'a>)> {
        items.iter().zip(0..).map(|(item, at)| (Value::short(at), *item)).collect()
    }

    fn keyed(&self, entries: &[Entry<'a>]) -> Vec<(Value<'a>, Value<'a>)> {
        entries.iter().map(|entry| (Value::str(self.arena, entry.name), entry.value)).collect()
    }

    fn refuse_for_each(&mut self, attribute: Attribute<'a>, why: &str) -> Result<(), Error> {
        let detail = format!("The value {why}; a collection is needed to make blocks from its elements.");
        let span = attribute.expression_span();
        self.problems.push(Diagnostic::error("Invalid dynamic for_each value", detail, span));
        Ok(())
    }

    /// One block, with the iterator bound to an element.
    fn element(
        &mut self,
        dynamic: &Dynamic<'a>,
        [key, value]: [Value<'a>; 2],
        marks: Marks<'a>,
        out: &mut Vec<BlockResult<'a>>,
    ) -> Result<(), Error> {
        let arena = self.arena;
        let entries = [
            arena.entry("key", key.with_marks(arena, marks)),
            arena.entry("value", value.with_marks(arena, marks)),
        ];
        let before = self.bind(&dynamic.iterator, Value::object(arena, arena.slice(&entries)));
        let labels = self.labels(dynamic);
        let body = self.body(dynamic.content, false);
        self.bind(&dynamic.iterator, before);
        if let (Some(labels), body) = (labels?, body?) {
            out.push(BlockResult::Block { kind: dynamic.kind, labels, body });
        }
        Ok(())
    }

    /// The labels for the current element; `None` when one cannot be used.
    fn labels(&mut self, dynamic: &Dynamic<'a>) -> Result<Option<Vec<&'a str>>, Error> {
        let Some(attribute) = dynamic.labels else { return Ok(Some(Vec::new())) };
        let value = self.value(attribute)?;
        let Some(items) = value.as_items() else {
            self.refuse_label(attribute, "has to be a list of labels");
            return Ok(None);
        };
        let mut labels = Vec::with_capacity(items.len());
        for item in items {
            if item.contains_marks() {
                self.refuse_label(attribute, "contains a marked value");
                return Ok(None);
            }
            match convert(self.arena, *item, Type::String).map(Value::as_str) {
                Ok(Some(label)) => labels.push(label),
                Ok(None) if item.is_null() => {
                    self.refuse_label(attribute, "contains null");
                    return Ok(None);
                }
                Ok(None) => {
                    self.refuse_label(attribute, "contains a value that is not known yet");
                    return Ok(None);
                }
                Err(mismatch) => {
                    self.refuse_label(attribute, &format!("contains a value that is no text ({mismatch})"));
                    return Ok(None);
                }
            }
        }
        Ok(Some(labels))
    }

    fn refuse_label(&mut self, attribute: Attribute<'a>, why: &str) {
        let detail = format!("The list of labels {why}.");
        self.problems.push(Diagnostic::error(
            "Invalid dynamic block label",
            detail,
            attribute.expression_span(),
        ));
    }

    /// The parts of a dynamic block; `None` when it has not all of them.
    fn dynamic(&mut self, block: Block<'a>) -> Option<Dynamic<'a>> {
        let Some(kind) = block.labels().next() else {
            let detail = "A dynamic block needs one label: the type of the blocks to make.";
            self.problems.push(Diagnostic::error("Missing type for dynamic", detail, block.header_span()));
            return None;
        };
        let Some(for_each) = block.attribute("for_each") else {
            let detail = "A dynamic block needs the argument \"for_each\": what to make blocks from.";
            self.problems.push(Diagnostic::error(
                "Missing required argument",
                detail,
                block.body().span().empty_at_start(),
            ));
            return None;
        };
        let Some(iterator) = iterator(block) else {
            let span = block.attribute("iterator").map_or(block.header_span(), Attribute::expression_span);
            let detail = "The iterator has to be a single name.";
            self.problems.push(Diagnostic::error("Invalid dynamic iterator name", detail, span));
            return None;
        };
        let mut contents = block.body().blocks_of("content");
        let Some(content) = contents.next() else {
            let detail = "A dynamic block needs a block \"content\": the body of the blocks to make.";
            self.problems.push(Diagnostic::error(
                "Missing dynamic content block",
                detail,
                block.body().span().empty_at_start(),
            ));
            return None;
        };
        if let Some(extra) = contents.next() {
            let detail = "A dynamic block has exactly one block \"content\".";
            self.problems.push(Diagnostic::error(
                "Extraneous dynamic content block",
                detail,
                extra.header_span(),
            ));
        }
        let labels = block.attribute("labels");
        Some(Dynamic { kind, for_each, iterator, labels, content: content.body() })
    }
}

/// The parts of a dynamic block.
struct Dynamic<'a> {
    kind: &'a str,
    for_each: Attribute<'a>,
    iterator: SmolStr,
    labels: Option<Attribute<'a>>,
    content: Body<'a>,
}
