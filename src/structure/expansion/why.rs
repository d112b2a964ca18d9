//! Why an attribute of an expansion is what it is, and what its conditions were.

use hclvm_vm::Arena;
use hclvm_vm::code::Conditions;

use super::{AttributeView, Expansion};
use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::beside::SideRuns;
use crate::run::coverage::{Coverage, observe_in};
use crate::run::why::Why;

impl<'a> Expansion<'a> {
    /// Evaluates an attribute once more and explains its value, also of a block that a `dynamic` block made: see
    /// [`Session::why`](crate::Session::why). Returns `None` if all values of its body are unknown, or belong to a marked
    /// collection.
    ///
    /// `definition` returns the program of a derived variable, such as `local.limit`, for the same layout: it is explained
    /// in what reads it.
    ///
    /// # Errors
    /// A limit that was exceeded: what is explained and observed of an expansion has the limits of another evaluation. An expression too large to compile.
    pub fn why<'p>(
        &mut self,
        view: AttributeView<'a>,
        definition: &dyn Fn(&str) -> Option<&'p Program>,
    ) -> Result<Option<Why>, Error> {
        let Some(program) = self.watched(view)? else { return Ok(None) };
        let Self { arena, values, beside, .. } = self;
        let why = |arena: &Arena| Why::of(program, values, arena, &|name| definition(name));
        beside.get_or_insert_with(|| SideRuns::new(arena)).run(program, why, Why::bytes).map(Some)
    }

    /// Evaluates an attribute once more and returns what its conditions were, see
    /// [`Session::observe`](crate::Session::observe). Returns `None` where [`Expansion::why`] does.
    ///
    /// # Errors
    /// See [`Expansion::why`].
    pub fn observe(&mut self, view: AttributeView<'a>) -> Result<Option<Coverage>, Error> {
        let Some(program) = self.watched(view)? else { return Ok(None) };
        let Self { arena, values, beside, .. } = self;
        let conditions = Conditions::of(program.baseline()?);
        let observe = |arena: &Arena| {
            let observed = observe_in(arena, program, &conditions, values)?;
            Ok(Coverage::of(&observed.observations))
        };
        beside.get_or_insert_with(|| SideRuns::new(arena)).run(program, observe, |_| 0).map(Some)
    }

    /// Enters the context of an attribute, and returns its program.
    fn watched(&mut self, view: AttributeView<'a>) -> Result<Option<&'a Program>, Error> {
        let AttributeView { attribute, context } = view;
        if context.unknown || context.bound.is_some_and(super::IteratorBinding::is_secret) {
            return Ok(None);
        }
        let program = attribute.program_ref().map_err(Clone::clone)?;
        self.enter(context.bound);
        Ok(Some(program))
    }
}
