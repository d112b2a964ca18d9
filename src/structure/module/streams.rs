//! The streams of stages as bytes. What else a module consists of is [saved](super::saved) beside them.

use hclvm_vm::cast;
use hclvm_vm::code::link::Linked;
use hclvm_vm::code::saved::{Linkage, Reader, Writer};

use super::rule::{LinkedStage, PlacedProgram};
use crate::compile::saved_code::arena_of_constants;

/// Appends the streams of a stage, each with the number of its rules.
pub(super) fn save_stage(stage: &LinkedStage, out: &mut Writer) -> Option<()> {
    out.list(&stage.streams, |out, stream| {
        out.u32(cast::length(stream.len()));
        stream.save(out)
    })
}

/// The streams of a module that was loaded, by stages in their order.
pub(super) struct SavedStreams<'b> {
    reads_object: bool,
    linkage: Linkage,
    stages: std::vec::IntoIter<&'b [u8]>,
}

impl<'b> SavedStreams<'b> {
    pub(super) fn new(reads_object: bool, linkage: Linkage, stages: Vec<&'b [u8]>) -> Self {
        Self { reads_object, linkage, stages: stages.into_iter() }
    }

    /// Returns true if a program reads the object `local` itself.
    pub(super) fn reads_object(&self) -> bool {
        self.reads_object
    }

    /// Returns the streams of the next stage, which has these `rules` of a plan; `None` if they are not valid.
    pub(super) fn stage(&mut self, all: &[PlacedProgram], rules: &[u32]) -> Option<Vec<Linked>> {
        let mut from = Reader::new(self.stages.next()?);
        let arena = arena_of_constants();
        let mut rest = rules;
        let streams: Vec<Linked> = from.list(|from| {
            let (rules, behind) = rest.split_at_checked(cast::index(from.u32()?))?;
            rest = behind;
            let positions = rules.iter().map(|rule| all[cast::index(*rule)].position).collect();
            Linked::load(from, &self.linkage, &arena, positions)
        })?;
        rest.is_empty().then_some(streams)
    }
}
