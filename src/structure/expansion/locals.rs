//! The variable `local` of an expansion: the locals of the file, evaluated in dependency order.
//!
//! A [module](crate::module) gives each local a slot. An expansion runs the programs of the document
//! itself, which read the object `local`: each local sees an object of those that it uses, and
//! everything else sees all of them.

use hclvm_vm::{Diagnostic, Entry, Value};

use super::{Expansion, ExpansionContext};
use crate::diagnostics::error::Error;
use crate::diagnostics::problems::ProblemCollector;
use crate::structure::expansion::AttributeView;
use crate::structure::module::locals::{LOCAL, LOCALS, OrderedLocal, locals};
use crate::syntax::document::Attribute;

impl<'a> Expansion<'a> {
    /// Evaluates the `locals` blocks of the file, if there are any, and sets the variable `local`. Returns what
    /// is wrong with them: with errors, some or all locals are unknown.
    ///
    /// # Errors
    /// See [`Expansion::evaluate`].
    pub(crate) fn evaluate_locals(&mut self) -> Result<Vec<Diagnostic>, Error> {
        if self.document.body().blocks_of(LOCALS).next().is_none() {
            return Ok(Vec::new());
        }
        let mut problems = ProblemCollector::new(self.arena.budget().limits().faults);
        let locals = locals(self.document, &mut problems);
        let object = if problems.len() > 0 {
            Value::DYNAMIC
        } else {
            let values = self.local_values(&locals, &mut problems)?;
            let mut sorted: Vec<usize> = (0..locals.len()).collect();
            sorted.sort_unstable_by_key(|at| &locals[*at].name);
            self.object(&locals, &values, &sorted)
        };
        self.set_local(object);
        Ok(problems.take())
    }

    /// Evaluates the locals in their order.
    fn local_values(
        &mut self,
        locals: &[OrderedLocal],
        problems: &mut ProblemCollector,
    ) -> Result<Vec<Value<'a>>, Error> {
        let mut values = Vec::with_capacity(locals.len());
        for local in locals {
            if !local.uses.is_empty() || local.reads_object {
                let used = self.object(locals, &values, &local.uses);
                self.set_local(used);
            }
            let attribute = Attribute::new(self.document, local.attribute);
            let evaluation =
                self.evaluate(AttributeView { attribute, context: ExpansionContext::OUTSIDE })?;
            problems.extend(evaluation.diagnostics.iter().cloned());
            values.push(evaluation.marked_value());
        }
        Ok(values)
    }

    /// Returns the object of some locals, which are sorted by name.
    fn object(&self, locals: &[OrderedLocal], values: &[Value<'a>], sorted: &[usize]) -> Value<'a> {
        let mut entries = self.arena.list_with(sorted.len());
        for at in sorted {
            let OrderedLocal { name, symbol, .. } = &locals[*at];
            let value = values.get(*at).copied().unwrap_or(Value::DYNAMIC);
            entries.push(Entry { name: self.arena.text(name), symbol: *symbol, value });
        }
        Value::object(self.arena, entries.into_bump_slice())
    }

    fn set_local(&mut self, value: Value<'a>) {
        self.enter(None);
        let slot = self.layout.slot(LOCAL).map(|slot| usize::from(slot.0));
        if let Some(cell) = slot.and_then(|slot| self.values.get_mut(slot)) {
            *cell = value;
        }
    }
}
