//! Local values and outputs of modules.

use hclvm::value::{Arena, marks_from};
use hclvm::{Error, OwnedValue};

use super::bind::BoundSlot;
use super::evaluate::TerraformRun;
use super::modules::replace;
use crate::names::set_member;

impl TerraformRun<'_, '_> {
    pub(super) fn local(&mut self, node: usize, instance: usize, at: usize) -> Result<bool, Error> {
        let of = self.definitions(node);
        let local = &of.locals[at];
        let reads = of.local_reads[at].as_deref().unwrap_or_default();
        let Some(value) = self.value(node, instance, &local.program, reads)? else { return Ok(false) };
        // Explanations look for definitions in the root module.
        if node == 0 {
            self.watch.local(&mut self.kept.session, &self.kept.modules[node][instance].scope, local)?;
        }
        let module = &mut self.kept.modules[node][instance];
        let is_changed = replace(&mut module.locals[at], value);
        if is_changed && let Some(value) = &module.locals[at] {
            set_member(&mut module.scope, "local", &local.name, value.value())?;
        }
        Ok(is_changed)
    }

    pub(super) fn output(&mut self, node: usize, instance: usize, at: usize) -> Result<bool, Error> {
        let output = &self.definitions(node).outputs[at];
        let before = self.problems.errors();
        for condition in &output.conditions {
            self.condition(node, instance, condition, "Module output value precondition failed", true)?;
        }
        let Some(expr) = output.value.as_ref().filter(|_| self.problems.errors() == before) else {
            return Ok(false);
        };
        let Some(value) = self.value(node, instance, &expr.program, &expr.reads)? else { return Ok(false) };
        let arena = Arena::new();
        let marks = value.get().all_marks(&arena);
        if marks.contains("ephemeral") && (!output.ephemeral || node == 0) {
            let detail = "The value depends on an ephemeral one, which no output of the root module keeps, and one of another module if it is declared with ephemeral = true.";
            self.problems.error(&expr.place, "Ephemeral value not allowed", detail);
            return Ok(false);
        }
        if marks.contains("sensitive") && !output.sensitive && node == 0 {
            let detail = "The value depends on a sensitive one. Declare the output with sensitive = true, or show what may be shown with nonsensitive(…).";
            self.problems.error(&output.place, "Output refers to sensitive values", detail);
            return Ok(false);
        }
        // In other modules the declaration alone marks nothing: only its value does.
        let value = if output.sensitive && node == 0 {
            OwnedValue::new(value.get().with_marks(&arena, marks_from(&arena, &["sensitive"])))
        } else {
            value
        };
        let module = &mut self.kept.modules[node][instance];
        let is_changed = replace(&mut module.outputs[at], value);
        let above = module.parent;
        if is_changed && let Some((parent, call)) = self.state.tree.nodes[node].parent {
            self.kept.modules[parent][above].bound.remove(&BoundSlot::Module(call));
        }
        Ok(is_changed)
    }
}
