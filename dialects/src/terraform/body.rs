//! The bodies of resources: evaluated as they are written, `dynamic` blocks expanded.

use std::collections::BTreeSet;

use hclvm::{Block as WrittenBlock, Body as WrittenBody, Error, OwnedValue, Scope, Session};
use smol_str::SmolStr;

use super::declarations::META;
use crate::evaluated::{Block, Body};
use crate::fuel::Fuel;
use crate::paths::Siblings;
use crate::problems::Problems;
use crate::watch::Watch;

/// Evaluates bodies in one scope.
pub(super) struct BodyEvaluator<'r> {
    pub(super) session: &'r mut Session,
    pub(super) scope: &'r Scope,
    pub(super) fuel: &'r mut Fuel,
    pub(super) problems: &'r mut Problems,
    pub(super) watch: &'r Watch<'r>,
}

impl BodyEvaluator<'_> {
    /// Evaluates the blocks of a resource: the arguments of a later one replace those of the ones before it, and its
    /// nested blocks of a type replace all of that type.
    pub(super) fn resource(&mut self, blocks: &[WrittenBlock<'_>]) -> Result<Body, Error> {
        let (mut attributes, mut nested) = (Vec::new(), Vec::new());
        let mut done: BTreeSet<SmolStr> = META.iter().map(SmolStr::new).collect();
        let mut parts = Vec::new();
        for block in blocks.iter().rev() {
            parts.push(self.top(block.body(), &|name| done.contains(name))?);
            done.extend(block.body().attributes().map(|one| SmolStr::new(one.name())));
            done.extend(block.body().blocks().filter_map(kind_of).map(SmolStr::new));
        }
        for part in parts.into_iter().rev() {
            let (more, blocks) = part.into_parts();
            attributes.extend(more);
            nested.extend(blocks);
        }
        Ok(Body::of(attributes, nested))
    }

    fn top(&mut self, body: WrittenBody<'_>, excepted: &dyn Fn(&str) -> bool) -> Result<Body, Error> {
        if !has_dynamic(body) {
            return self.written(body, excepted);
        }
        let document = body.document();
        let mut expansion = self.session.expand(document, self.scope)?;
        let view = expansion.written(body);
        let read = Body::read(&mut expansion, view, excepted, self.watch)?;
        self.problems.add(expansion.take_diagnostics());
        // An expansion takes the values of all slots.
        let spent = expansion.fuel() + self.scope.layout().names().len() as u64;
        drop(expansion);
        self.fuel.spend(spent, document.source(), body.span())?;
        Ok(read)
    }

    /// Evaluates a body without dynamic blocks. The recursion is bounded by the nesting of texts.
    fn written(&mut self, body: WrittenBody<'_>, excepted: &dyn Fn(&str) -> bool) -> Result<Body, Error> {
        let mut attributes: Vec<(SmolStr, OwnedValue)> = Vec::new();
        for attribute in body.attributes().filter(|one| !excepted(one.name())) {
            let program = attribute.program()?;
            let evaluation = self.session.evaluate(&program, self.scope)?;
            self.fuel.spend(evaluation.fuel, program.source(), program.span())?;
            self.problems.add(evaluation.diagnostics);
            attributes.push((attribute.name().into(), OwnedValue::new(evaluation.value)));
            self.watch.header(self.session, self.scope, attribute)?;
        }
        let mut siblings = Siblings::default();
        let mut blocks = Vec::new();
        for block in body.blocks().filter(|one| !excepted(one.kind())) {
            let labels: Vec<SmolStr> = block.labels().map(SmolStr::new).collect();
            let names = std::iter::once(block.kind()).chain(labels.iter().map(SmolStr::as_str));
            let watch = self.watch;
            let inner = watch.among(&mut siblings, names, || self.written(block.body(), &|_| false))?;
            blocks.push(Block::new(block.kind().into(), labels, inner));
        }
        Ok(Body::of(attributes, blocks))
    }
}

/// Returns the type of the blocks that a block is or makes.
fn kind_of(block: WrittenBlock<'_>) -> Option<&str> {
    if block.kind() == "dynamic" { block.labels().next() } else { Some(block.kind()) }
}

/// Returns true if blocks in a body are made by `dynamic`. The recursion is bounded by the nesting of texts.
fn has_dynamic(body: WrittenBody<'_>) -> bool {
    body.blocks().any(|block| block.kind() == "dynamic" || has_dynamic(block.body()))
}
