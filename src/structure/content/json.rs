//! Content of a body in HCL's JSON syntax, where only the schema distinguishes attributes from blocks: a
//! property may be either. The native syntax is read in `content`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use hclvm_compiler::json::COMMENT;
use hclvm_compiler::tree::{Node, NodeId, PropertyId, Tree};
use hclvm_vm::Span;
use smol_str::SmolStr;

use super::{Content, ContentReader, Remainder, problem};
use crate::diagnostics::problems::ProblemCollector;
use crate::structure::module::locals::LOCALS;
use crate::structure::schema::{DYNAMIC, DYNAMIC_LABEL, Schema};
use crate::syntax::document::json::{JsonMember, deep_members, members, unpacked};
use crate::syntax::document::{Attribute, Block, Body, Document};

/// Returns where to report missing items of a body.
fn missing_item(tree: &Tree, value: NodeId) -> Span {
    let span = tree.span(value);
    match tree.node(value) {
        Node::JsonObject(_) => Span::new(span.end.saturating_sub(1), span.end),
        _ => tree.start_span(value),
    }
}

/// Returns the properties of a body, and reports values that are not objects.
fn properties(tree: &Tree, value: NodeId, problems: &mut ProblemCollector) -> Vec<JsonMember> {
    deep_members(tree, value, |other, in_array| {
        problems.push(problem::json_body_expected(in_array, tree.start_span(other)));
    })
}

impl<'d> ContentReader<'_, 'd> {
    /// Returns the items that the schema names in a JSON body.
    pub(super) fn json_content(&self, value: NodeId, problems: &mut ProblemCollector) -> Content<'d> {
        let document = self.body.document();
        let tree = document.tree();
        let missing_item = missing_item(tree, value);
        let mut attributes: Vec<Attribute<'d>> = Vec::new();
        let mut seen: HashMap<&'d str, Span> = HashMap::new();
        let mut blocks = Vec::new();
        for member in properties(tree, value, problems) {
            let attribute = Attribute::new(document, member.attribute);
            let name = attribute.name();
            if self.taken.attributes.contains(name) || self.taken.blocks.contains(name) {
                continue;
            }
            if self.schema.attribute(name).is_some() {
                match seen.entry(name) {
                    Entry::Vacant(entry) => {
                        entry.insert(attribute.name_span());
                        attributes.push(attribute);
                    }
                    Entry::Occupied(first) => {
                        let line = document.source().position(first.get().start).line;
                        let problem = problem::duplicate_argument(name, line, attribute.name_span());
                        problems.push(problem.within(attribute.definition().span));
                    }
                }
            } else if let Some(labels) = self.labels_of(name) {
                let unpacking = Unpacking { document, kind: name, labels };
                unpacking.level(0, member.value, member.property, problems, &mut blocks);
            }
        }
        for wanted in self.schema.attributes.iter().filter(|wanted| wanted.required) {
            if !seen.contains_key(wanted.name.as_str()) {
                problems.push(problem::missing_argument(&wanted.name, missing_item));
            }
        }
        Content { attributes, blocks, missing_item }
    }

    /// Returns the label names of a block type of the schema.
    fn labels_of(&self, kind: &str) -> Option<&[SmolStr]> {
        if self.dynamic && kind == DYNAMIC {
            return Some(&DYNAMIC_LABELS);
        }
        self.schema.block_type(kind).map(|found| found.labels.as_slice())
    }

    /// Reports the properties that the schema does not name.
    pub(super) fn refuse_json_rest(&self, value: NodeId, problems: &mut ProblemCollector) {
        let document = self.body.document();
        let tree = document.tree();
        for member in properties(tree, value, problems) {
            let extra = Attribute::new(document, member.attribute);
            let name = extra.name();
            let is_hidden = self.taken.attributes.contains(name) || self.taken.blocks.contains(name);
            let is_named = self.schema.attribute(name).is_some() || self.labels_of(name).is_some();
            if name != COMMENT && !is_hidden && !is_named {
                let (whole, place) = (extra.definition().span, extra.name_span());
                problems.push_with(Some(place), || {
                    problem::extraneous_property(name, self.schema, place).within(whole)
                });
            }
        }
    }
}

/// Reports what a file in JSON has that is neither an attribute nor `locals`, for readers without a schema: a root that
/// is an array, values of `locals` that are no objects, and repeated attributes.
pub(in crate::structure) fn file_problems(document: &Document, problems: &mut ProblemCollector) {
    if !document.is_json() {
        return;
    }
    let schema = Schema::new().block(LOCALS, &[]);
    let (content, rest, found) = Remainder::of(document.body()).partial_content_lenient(&schema);
    problems.extend(found.iter().cloned());
    problems.extend(rest.just_attributes_lenient().1.iter().cloned());
    // Repeated locals are reported with their own title.
    content.blocks.iter().for_each(|block| check_object(block.body(), problems));
}

/// Reports a body in JSON that is no object, and so has no attributes.
pub(in crate::structure) fn check_object(body: Body<'_>, problems: &mut ProblemCollector) {
    let tree = body.document().tree();
    if let Some(value) = body.json().filter(|value| members(tree, *value).is_none()) {
        problems.push(problem::json_attributes_expected(tree.start_span(value)));
    }
}

static DYNAMIC_LABELS: [SmolStr; 1] = [SmolStr::new_static(DYNAMIC_LABEL)];

/// Unpacks a property that holds blocks of one type: an object for each label, then bodies.
struct Unpacking<'u, 'd> {
    document: &'d Document,
    kind: &'u str,
    labels: &'u [SmolStr],
}

impl<'d> Unpacking<'_, 'd> {
    /// Collects the blocks below `depth` labels. Recurses once for each label of the schema.
    fn level(
        &self,
        depth: usize,
        value: NodeId,
        property: PropertyId,
        problems: &mut ProblemCollector,
        blocks: &mut Vec<Block<'d>>,
    ) {
        let tree = self.document.tree();
        let Some(label) = self.labels.get(depth) else {
            match unpacked(tree, value, property, depth) {
                Some(found) => {
                    blocks.extend(found.into_iter().map(|block| Block::of_json(self.document, block)));
                }
                None => problems.push(problem::json_blocks_expected(self.kind, tree.start_span(value))),
            }
            return;
        };
        let found = deep_members(tree, value, |other, in_array| {
            problems.push(problem::json_labels_expected(label, in_array, tree.start_span(other)));
        });
        if found.is_empty() {
            problems.push(problem::json_label_missing(self.kind, label, tree.start_span(value)));
        }
        for member in found {
            self.level(depth + 1, member.value, member.property, problems, blocks);
        }
    }
}

impl<'d> Remainder<'d> {
    /// Returns every property as an attribute; of repeated ones the first, and reports the others.
    pub(super) fn json_attributes(
        &self,
        value: NodeId,
        problems: &mut ProblemCollector,
    ) -> Vec<Attribute<'d>> {
        let document = self.body.document();
        let tree = document.tree();
        let Some(members) = members(tree, value) else {
            problems.push(problem::json_attributes_expected(tree.start_span(value)));
            return Vec::new();
        };
        let mut attributes: Vec<Attribute<'d>> = Vec::new();
        let mut seen: HashMap<&'d str, Span> = HashMap::new();
        for member in members {
            let attribute = Attribute::new(document, member.attribute);
            let name = attribute.name();
            let is_hidden = self.taken.attributes.contains(name) || self.taken.blocks.contains(name);
            if name == COMMENT || is_hidden {
                continue;
            }
            match seen.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(attribute.name_span());
                    attributes.push(attribute);
                }
                Entry::Occupied(first) => {
                    let line = document.source().position(first.get().start).line;
                    problems.push(problem::duplicate_attribute(name, line, attribute.name_span()));
                }
            }
        }
        attributes
    }
}
