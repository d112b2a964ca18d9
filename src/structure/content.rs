//! Body content by schema: finds the attributes and blocks that a schema names, and reports the rest.
//! Nothing is evaluated; `expansion` does that, with `dynamic` blocks.
//!
//! ```text
//! content           anything that is not in the schema is an error
//! partial_content   anything that is not in the schema stays in a remainder, for another schema
//! just_attributes   attributes of any name, no blocks
//! ```

pub(in crate::structure) mod json;
pub(crate) mod problem;

use std::collections::HashSet;

use hclvm_vm::Span;
use smol_str::SmolStr;

use crate::diagnostics::error::{Diagnostics, Error};
use crate::diagnostics::problems::ProblemCollector;
use crate::structure::schema::{BlockSchema, DYNAMIC, DYNAMIC_LABEL, Schema};
use crate::syntax::document::{Attribute, Block, Body};

/// The attributes and blocks of a body that a schema names.
#[derive(Clone, Debug)]
pub struct Content<'d> {
    /// Attributes of the schema, in source order.
    pub attributes: Vec<Attribute<'d>>,
    /// Blocks of the schema with the right number of labels, in source order.
    pub blocks: Vec<Block<'d>>,
    /// Where to report missing items: the empty range at the start of the body.
    pub missing_item: Span,
}

impl<'d> Content<'d> {
    /// Returns the attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'d>> {
        self.attributes.iter().copied().find(|attribute| attribute.name() == name)
    }

    /// Iterates over the blocks of one type in source order.
    pub fn blocks_of<'c>(&'c self, kind: &'c str) -> impl Iterator<Item = Block<'d>> + 'c {
        self.blocks.iter().copied().filter(move |block| block.kind() == kind)
    }
}

/// A body without the items that earlier schemas took.
#[derive(Clone, Debug)]
pub struct Remainder<'d> {
    body: Body<'d>,
    taken: Taken,
}

/// Names that earlier schemas took. Taking a block type takes all its blocks, whatever their labels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    attributes: HashSet<SmolStr>,
    pub(crate) blocks: HashSet<SmolStr>,
}

impl Taken {
    /// Takes all names of `schema`.
    pub(crate) fn take(&mut self, schema: &Schema) {
        self.attributes.extend(schema.attributes.iter().map(|attribute| attribute.name.clone()));
        self.blocks.extend(schema.blocks.iter().map(|block| block.kind.clone()));
    }
}

impl<'d> Body<'d> {
    /// Returns the content of a body that holds nothing but the items of `schema`.
    ///
    /// # Errors
    /// Missing required attributes and wrong labels, then attributes and blocks that are not in
    /// the schema.
    pub fn content(self, schema: &Schema) -> Result<Content<'d>, Error> {
        Remainder::of(self).content(schema)
    }

    /// Like [`Body::content`], but returns the valid part of the content beside the diagnostics.
    /// Blocks with wrong labels are left out.
    pub fn content_lenient(self, schema: &Schema) -> (Content<'d>, Diagnostics) {
        Remainder::of(self).content_lenient(schema)
    }

    /// Returns the items of `schema`, and the rest of the body for another schema.
    ///
    /// # Errors
    /// Missing required attributes and wrong labels.
    pub fn partial_content(self, schema: &Schema) -> Result<(Content<'d>, Remainder<'d>), Error> {
        Remainder::of(self).partial_content(schema)
    }

    /// Returns all attributes of a body without blocks, in source order.
    ///
    /// # Errors
    /// The first block, if there is one; in JSON also repeated properties.
    pub fn just_attributes(self) -> Result<Vec<Attribute<'d>>, Error> {
        Remainder::of(self).just_attributes()
    }

    /// Like [`Body::just_attributes`], but returns the attributes beside the diagnostics.
    pub fn just_attributes_lenient(self) -> (Vec<Attribute<'d>>, Diagnostics) {
        Remainder::of(self).just_attributes_lenient()
    }
}

impl<'d> Remainder<'d> {
    pub(crate) fn of(body: Body<'d>) -> Self {
        Self { body, taken: Taken::default() }
    }

    /// Returns the whole body, including the items that were taken.
    pub fn body(&self) -> Body<'d> {
        self.body
    }

    /// See [`Body::content`].
    ///
    /// # Errors
    /// See [`Body::content`].
    pub fn content(&self, schema: &Schema) -> Result<Content<'d>, Error> {
        let (content, diagnostics) = self.content_lenient(schema);
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok(content) }
    }

    /// See [`Body::content_lenient`].
    pub fn content_lenient(&self, schema: &Schema) -> (Content<'d>, Diagnostics) {
        let mut problems = self.problems();
        let content = self.read(schema, &mut problems);
        (content, self.diagnostics(problems))
    }

    fn read(&self, schema: &Schema, problems: &mut ProblemCollector) -> Content<'d> {
        let reader = ContentReader { body: self.body, taken: &self.taken, schema, dynamic: false };
        let content = reader.content(problems);
        reader.refuse_rest(problems);
        content
    }

    /// See [`Body::partial_content`].
    ///
    /// # Errors
    /// See [`Body::partial_content`].
    pub fn partial_content(&self, schema: &Schema) -> Result<(Content<'d>, Remainder<'d>), Error> {
        let (content, rest, diagnostics) = self.partial_content_lenient(schema);
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok((content, rest)) }
    }

    /// Like [`Remainder::partial_content`], but returns the valid part beside the diagnostics.
    pub fn partial_content_lenient(&self, schema: &Schema) -> (Content<'d>, Remainder<'d>, Diagnostics) {
        let mut problems = self.problems();
        let reader = ContentReader { body: self.body, taken: &self.taken, schema, dynamic: false };
        let content = reader.content(&mut problems);
        let mut rest = self.clone();
        rest.taken.take(schema);
        (content, rest, self.diagnostics(problems))
    }

    /// See [`Body::just_attributes`].
    ///
    /// # Errors
    /// See [`Body::just_attributes`].
    pub fn just_attributes(&self) -> Result<Vec<Attribute<'d>>, Error> {
        let (attributes, diagnostics) = self.just_attributes_lenient();
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok(attributes) }
    }

    /// Like [`Remainder::just_attributes`], but returns the attributes beside the diagnostics.
    pub fn just_attributes_lenient(&self) -> (Vec<Attribute<'d>>, Diagnostics) {
        let mut problems = self.problems();
        if let Some(value) = self.body.json() {
            let attributes = self.json_attributes(value, &mut problems);
            return (attributes, self.diagnostics(problems));
        }
        let mut left = self.body.blocks().filter(|block| !self.taken.blocks.contains(block.kind()));
        if let Some(block) = left.next() {
            problems.push(problem::unexpected_block(block.kind(), block.kind_span()));
        }
        let attributes = self.body.attributes();
        let left = attributes.filter(|attribute| !self.taken.attributes.contains(attribute.name()));
        (left.collect(), self.diagnostics(problems))
    }

    fn problems(&self) -> ProblemCollector {
        ProblemCollector::new(self.body.document().engine().settings().limits.diagnostics)
    }

    fn diagnostics(&self, mut problems: ProblemCollector) -> Diagnostics {
        self.body.document().file().diagnostics(problems.take())
    }
}

/// Reads one body by a schema.
pub(crate) struct ContentReader<'r, 'd> {
    pub(crate) body: Body<'d>,
    pub(crate) taken: &'r Taken,
    pub(crate) schema: &'r Schema,
    /// True if `dynamic` blocks are allowed in addition.
    pub(crate) dynamic: bool,
}

impl<'d> ContentReader<'_, 'd> {
    /// Returns the items that the schema names; reports missing and mislabelled ones.
    pub(crate) fn content(&self, problems: &mut ProblemCollector) -> Content<'d> {
        if let Some(value) = self.body.json() {
            return self.json_content(value, problems);
        }
        let missing_item = self.body.span().empty_at_start();
        let schema = self.schema;
        let attributes: Vec<Attribute<'d>> =
            self.attributes().filter(|found| schema.attribute(found.name()).is_some()).collect();
        for wanted in schema.attributes.iter().filter(|wanted| wanted.required) {
            let is_hidden = self.taken.attributes.contains(&wanted.name);
            if is_hidden || !attributes.iter().any(|found| found.name() == wanted.name) {
                problems.push(problem::missing_argument(&wanted.name, missing_item));
            }
        }
        let blocks = self.blocks().filter(|block| self.accepts(*block, problems)).collect();
        Content { attributes, blocks, missing_item }
    }

    fn attributes(&self) -> impl Iterator<Item = Attribute<'d>> {
        self.body.attributes().filter(|found| !self.taken.attributes.contains(found.name()))
    }

    fn blocks(&self) -> impl Iterator<Item = Block<'d>> {
        self.body.blocks().filter(|found| !self.taken.blocks.contains(found.kind()))
    }

    /// Returns true if a block is in the schema and has the right number of labels, which is reported
    /// otherwise.
    fn accepts(&self, block: Block<'d>, problems: &mut ProblemCollector) -> bool {
        if self.dynamic && block.kind() == DYNAMIC {
            return has_labels(block, &[SmolStr::new_static(DYNAMIC_LABEL)], problems);
        }
        let Some(BlockSchema { labels, .. }) = self.schema.block_type(block.kind()) else { return false };
        has_labels(block, labels, problems)
    }

    /// Reports the items that the schema does not name.
    pub(crate) fn refuse_rest(&self, problems: &mut ProblemCollector) {
        if let Some(value) = self.body.json() {
            return self.refuse_json_rest(value, problems);
        }
        let schema = self.schema;
        for extra in self.attributes().filter(|found| schema.attribute(found.name()).is_none()) {
            let place = extra.name_span();
            problems.push_with(Some(place), || problem::unsupported_argument(extra.name(), schema, place));
        }
        for extra in self.blocks().filter(|found| schema.block_type(found.kind()).is_none()) {
            if self.dynamic && extra.kind() == DYNAMIC {
                continue;
            }
            let place = extra.kind_span();
            problems.push_with(Some(place), || problem::unsupported_block(extra.kind(), schema, place));
        }
    }
}

/// Returns true if a block has the `wanted` labels; reports the first extra or missing one otherwise.
pub(crate) fn has_labels(block: Block<'_>, wanted: &[SmolStr], problems: &mut ProblemCollector) -> bool {
    let Some(definition) = block.native() else { return true };
    let header = definition.kind_span.to(definition.open_brace);
    let found = &definition.labels;
    if let Some(extra) = found.get(wanted.len()) {
        problems.push(problem::extraneous_label(block.kind(), wanted, extra.span).within(header));
        return false;
    }
    if let Some(missing) = wanted.get(found.len()) {
        let at = definition.open_brace;
        problems.push(problem::missing_label(block.kind(), missing, wanted, at).within(header));
        return false;
    }
    true
}
