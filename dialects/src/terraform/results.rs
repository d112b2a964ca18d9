//! The results of an evaluation, from the values that are kept.

use std::sync::Arc;

use super::Evaluation;
use super::evaluate::TerraformRun;
use super::output::{Configuration, ModuleValues, OutputValue};
use crate::locals::Local;

impl TerraformRun<'_, '_> {
    /// Copies the values to the results.
    pub(super) fn finish(&mut self, evaluation: &mut Evaluation) {
        let mut configuration = Configuration::default();
        let mut numbers: Vec<Vec<usize>> = Vec::new();
        for (node, instances) in self.kept.modules.iter().enumerate() {
            let of = self.definitions(node);
            let parent = self.state.tree.nodes[node].parent;
            let mut own = Vec::new();
            for instance in instances {
                own.push(configuration.modules.len());
                let above = parent.and_then(|(parent, _)| numbers.get(parent)?.get(instance.parent).copied());
                let locals = of.locals.iter().zip(&instance.locals).filter_map(|(local, value)| {
                    Some(Local { name: local.name.clone(), value: value.clone()?, sensitive: false })
                });
                let locals = locals.collect();
                let outputs = of.outputs.iter().zip(&instance.outputs).filter_map(|(output, value)| {
                    let (name, value) = (output.name.clone(), value.clone()?);
                    Some(OutputValue { name, value, sensitive: output.sensitive })
                });
                let outputs = outputs.collect();
                let variables = if node == 0 {
                    Vec::new()
                } else {
                    of.variables
                        .iter()
                        .zip(&instance.variables)
                        .filter_map(|(one, value)| Some((one.name.clone(), value.clone()?)))
                        .collect()
                };
                let first = configuration.resources.len();
                let resources = instance.resources.iter().flatten();
                configuration.resources.extend(resources.map(|one| Arc::clone(&one.shown)));
                let locals = if node == 0 {
                    evaluation.locals = locals;
                    Vec::new()
                } else {
                    locals
                };
                configuration.modules.push(ModuleValues {
                    address: instance.address.clone(),
                    path: instance.path.clone(),
                    parent: above,
                    variables,
                    locals,
                    outputs,
                    resources: first..configuration.resources.len(),
                });
            }
            numbers.push(own);
        }
        evaluation.content = configuration;
    }
}
