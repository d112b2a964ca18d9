//! Reads a body by a plan: one function for each kind of node. Several blocks of a type are gathered in
//! `gather`.

use hclvm_compiler::typeexpr::convert_with_defaults;
use hclvm_vm::{Diagnostic, Mismatch, Span, Value, last_of_each};

use super::plan::{BlocksPlan, Plan, PlanNode, SpecConstraint};
use super::problem;
use crate::diagnostics::error::Error;
use crate::structure::expansion::{AttributeView, BlockView, ContentView, Expansion};
use crate::structure::schema::Schema;

/// A body that is being read, with the labels of its block that are not keys.
pub(super) struct ReadingBody<'a> {
    content: ContentView<'a>,
    labels: Vec<(&'a str, Span)>,
}

/// A value and the range that it comes from.
pub(super) type Located<'a> = (Value<'a>, Span);

/// Returns the value of a document.
pub(super) fn read_root<'a>(expansion: &mut Expansion<'a>, plan: &'a Plan) -> Result<Value<'a>, Error> {
    let view = expansion.body();
    let content = expansion.content(view, &plan.schema)?;
    let open = ReadingBody { content, labels: Vec::new() };
    Ok(PlanReader { expansion }.node(&plan.root, &open)?.0)
}

/// Reads one document.
pub(super) struct PlanReader<'a, 'e> {
    pub(super) expansion: &'e mut Expansion<'a>,
}

impl<'a> PlanReader<'a, '_> {
    pub(super) fn report(&mut self, problem: Diagnostic) {
        self.expansion.problems.push(problem);
    }

    /// Returns the value of a node for a body.
    fn node(&mut self, node: &'a PlanNode, open: &ReadingBody<'a>) -> Result<Located<'a>, Error> {
        let start = open.content.missing_item;
        match node {
            PlanNode::Attribute { name, constraint, .. } => self.attribute(node, name, constraint, open),
            PlanNode::Literal(value) => Ok((value.get(), start)),
            PlanNode::Object(members) => {
                let arena = self.expansion.arena;
                let mut entries = arena.list();
                for (name, member) in members {
                    entries.push(arena.entry(name, self.node(member, open)?.0));
                }
                Ok((Value::object(arena, last_of_each(entries)), start))
            }
            PlanNode::Tuple(items) => {
                let mut values = self.expansion.arena.list();
                for item in items {
                    values.push(self.node(item, open)?.0);
                }
                Ok((Value::tuple(self.expansion.arena, values.into_bump_slice()), start))
            }
            PlanNode::Block { blocks, required } => self.block(blocks, *required, open),
            PlanNode::Blocks { blocks, gather } => self.gather(blocks, *gather, node, &open.content),
            PlanNode::Attributes { kind, element, required } => {
                self.attributes(kind, element, *required, open)
            }
            PlanNode::Label { index, .. } => match open.labels.get(*index) {
                Some((label, span)) => Ok((Value::str(self.expansion.arena, label), *span)),
                None => Ok((self.unknown(node), start)),
            },
            PlanNode::Default { primary, fallback } => match self.node(primary, open)? {
                (value, _) if value.is_null() => self.node(fallback, open),
                found => Ok(found),
            },
            PlanNode::Transform { of, program } => {
                let known = self.expansion.problems.len();
                let (value, span) = self.node(of, open)?;
                if self.expansion.problems.len() > known {
                    return Ok((Value::DYNAMIC, span));
                }
                let result = self.expansion.apply(program, value)?;
                for problem in &result.diagnostics {
                    self.report(problem::transform(&problem.to_string(), span));
                }
                Ok((result.value, span))
            }
        }
    }

    /// Returns an unknown value of a node's type, in place of an invalid one.
    fn unknown(&self, node: &'a PlanNode) -> Value<'a> {
        let arena = self.expansion.arena;
        Value::unknown_of(arena, node.implied(arena))
    }

    fn attribute(
        &mut self,
        node: &'a PlanNode,
        name: &str,
        constraint: &'a SpecConstraint,
        open: &ReadingBody<'a>,
    ) -> Result<Located<'a>, Error> {
        let Some(view) = open.content.attribute(name) else {
            let arena = self.expansion.arena;
            // If it is required, the schema has reported it.
            return Ok((Value::null(arena, node.implied(arena)), open.content.missing_item));
        };
        let refuse = |why: &str, place| problem::attribute_type(name, why, place);
        let value = self.converted(view, constraint, refuse)?;
        Ok((value.unwrap_or_else(|| self.unknown(node)), view.attribute.expression_span()))
    }

    /// Evaluates an attribute and converts it to a type. Reports failures and returns `None`.
    fn converted(
        &mut self,
        view: AttributeView<'a>,
        constraint: &'a SpecConstraint,
        refuse: impl Fn(&str, Span) -> Diagnostic,
    ) -> Result<Option<Value<'a>>, Error> {
        let evaluation = self.expansion.evaluate(view)?;
        self.expansion.problems.extend(evaluation.diagnostics.iter().cloned());
        if evaluation.diagnostics.has_errors() {
            return Ok(None);
        }
        let (arena, ty) = (self.expansion.arena, constraint.ty());
        match convert_with_defaults(arena, evaluation.value, ty, constraint.defaults.as_ref()) {
            Ok(value) => Ok(Some(value)),
            Err(mismatch) => {
                let place = view.attribute.expression_span();
                let problem = refuse(&self.reason(mismatch), place);
                self.report(problem.within(view.attribute.name_span().to(place)));
                Ok(None)
            }
        }
    }

    /// Returns why a value cannot be converted.
    pub(super) fn reason(&self, mismatch: Mismatch<'a>) -> String {
        let Expansion { arena, document, .. } = &self.expansion;
        let hides = document.engine().hides_values();
        if hides { mismatch.concealed(arena) } else { mismatch }.to_string()
    }

    /// Returns the value of a block's body.
    pub(super) fn body(
        &mut self,
        block: &BlockView<'a>,
        blocks: &'a BlocksPlan,
    ) -> Result<Located<'a>, Error> {
        let content = self.expansion.content(block.body, &blocks.schema)?;
        let labels = block.labels.iter().copied().zip(block.label_spans.iter().copied());
        let open = ReadingBody { content, labels: labels.skip(blocks.keys).collect() };
        self.node(&blocks.content, &open)
    }

    /// Returns the only block of a type; reports a second one, and a missing one that is required.
    fn only(&mut self, kind: &str, required: bool, open: &ReadingBody<'a>) -> Option<BlockView<'a>> {
        let mut found = open.content.blocks.iter().filter(|block| block.kind == kind);
        let first = found.next().cloned();
        match (&first, found.next()) {
            (Some(first), Some(second)) => {
                let document = first.body.body().document();
                let line = document.source().position(first.header_span.start).line;
                self.report(problem::duplicate_block(kind, line, second.header_span));
            }
            (None, _) if required => self.report(problem::missing_block(kind, open.content.missing_item)),
            _ => {}
        }
        first
    }

    fn block(
        &mut self,
        blocks: &'a BlocksPlan,
        required: bool,
        open: &ReadingBody<'a>,
    ) -> Result<Located<'a>, Error> {
        let Some(block) = self.only(&blocks.kind, required, open) else {
            let arena = self.expansion.arena;
            return Ok((Value::null(arena, blocks.content.implied(arena)), open.content.missing_item));
        };
        self.body(&block, blocks)
    }

    fn attributes(
        &mut self,
        kind: &str,
        element: &'a SpecConstraint,
        required: bool,
        open: &ReadingBody<'a>,
    ) -> Result<Located<'a>, Error> {
        let arena = self.expansion.arena;
        let Some(block) = self.only(kind, required, open) else {
            let ty = hclvm_vm::Type::Map(arena.item(element.ty()));
            return Ok((Value::null(arena, ty), open.content.missing_item));
        };
        let written = block.body.body();
        if let Err(error) = written.just_attributes() {
            let found = error.diagnostics().into_iter().flatten();
            self.expansion.problems.extend(found.cloned());
        }
        let names = written.attributes().map(|attribute| attribute.name());
        let schema = names.fold(Schema::new(), |schema, name| schema.optional(name));
        let mut pairs = Vec::new();
        for attribute in written.attributes().filter(|found| schema.attribute(found.name()).is_some()) {
            let view = block.body.attribute(attribute);
            let refuse = |why: &str, place| problem::element_type(kind, why, place);
            let value = self.converted(view, element, refuse)?;
            let value = value.unwrap_or_else(|| Value::unknown_of(arena, element.ty()));
            pairs.push((attribute.name(), (value, attribute.expression_span())));
        }
        let value = self.map(kind, pairs, element.ty());
        Ok((value, block.header_span))
    }
}
