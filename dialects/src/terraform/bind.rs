//! The values of resources and modules as expressions read them: only the parts that an expression names are put together.

use std::collections::BTreeMap;

use hclvm::{Error, OwnedValue, Value};
use smol_str::SmolStr;

use super::declarations::{Mode, Repetition};
use super::evaluate::{ModuleInstance, ResourceValue, Run};
use super::expand::{self, Key};
use super::references::{Read, Target};
use crate::names::{object, set_member};

impl Run<'_> {
    /// Sets what references lead to, as they read it.
    pub(super) fn bind(&mut self, node: usize, instance: usize, reads: &[Read]) -> Result<(), Error> {
        let of = self.definitions(node);
        let mut grouped: BTreeMap<(&str, &SmolStr), BTreeMap<&SmolStr, OwnedValue>> = BTreeMap::new();
        let mut modules: BTreeMap<usize, Vec<Option<&SmolStr>>> = BTreeMap::new();
        for read in reads {
            match &read.target {
                Target::Variable(_) | Target::Local(_) => {}
                Target::Module(call, output) => modules.entry(*call).or_default().push(output.as_ref()),
                Target::Resource(at) => {
                    let resource = &of.resources[*at];
                    let root = match (resource.mode, read.is_prefixed) {
                        (Mode::Managed, false) => {
                            if self.modules[node][instance].forms[*at] != Some(read.is_whole) {
                                let value = self.resource_value(node, instance, *at, read.is_whole);
                                let module = &mut self.modules[node][instance];
                                set_member(&mut module.scope, &resource.kind, &resource.name, value.get())?;
                                module.forms[*at] = Some(read.is_whole);
                            }
                            continue;
                        }
                        (Mode::Managed, true) => "resource",
                        (Mode::Data, _) => "data",
                        (Mode::Ephemeral, _) => "ephemeral",
                    };
                    let value = self.resource_value(node, instance, *at, read.is_whole);
                    grouped.entry((root, &resource.kind)).or_default().insert(&resource.name, value);
                }
            }
        }
        for ((root, kind), members) in grouped {
            let value = object(members.iter().map(|(name, value)| (name.as_str(), value.get())));
            set_member(&mut self.modules[node][instance].scope, root, kind, value.get())?;
        }
        for (call, outputs) in modules {
            let value = self.module_value(node, instance, call, &outputs);
            let name = &of.calls[call].name;
            set_member(&mut self.modules[node][instance].scope, "module", name, value.get())?;
        }
        Ok(())
    }

    /// Returns the value of a resource as expressions read it.
    fn resource_value(&self, node: usize, instance: usize, at: usize, is_whole: bool) -> OwnedValue {
        let resource = &self.definitions(node).resources[at];
        let of = |one: &ResourceValue| {
            let is_open = is_whole && !one.is_complete;
            let value = if is_open { OwnedValue::new(Value::DYNAMIC) } else { one.value.clone() };
            (one.key.clone(), value)
        };
        let values: Vec<(Key, OwnedValue)> =
            self.modules[node][instance].resources[at].iter().map(of).collect();
        let Repetition { count, for_each } = &resource.repetition;
        expand::combined(&values, for_each.is_some(), count.is_some())
    }

    /// Returns the value of a module as expressions read it: an object of these outputs, of all for `None`.
    fn module_value(
        &self,
        node: usize,
        instance: usize,
        call: usize,
        outputs: &[Option<&SmolStr>],
    ) -> OwnedValue {
        let Some(child) = self.state.tree.nodes[node].children[call] else {
            return OwnedValue::new(Value::DYNAMIC);
        };
        let of = self.definitions(child);
        let mut wanted: Vec<usize> = Vec::new();
        for output in outputs {
            match output.and_then(|name| of.output_index.get(name)) {
                Some(at) => wanted.push(*at),
                None => wanted.extend(0..of.outputs.len()),
            }
        }
        let of_instance = |one: &ModuleInstance| {
            let members = wanted.iter().map(|at| {
                let value = one.outputs[*at].as_ref().map_or(Value::DYNAMIC, OwnedValue::get);
                (of.outputs[*at].name.as_str(), value)
            });
            (one.instance.key.clone(), object(members))
        };
        let values: Vec<(Key, OwnedValue)> =
            self.modules[child].iter().filter(|one| one.parent == instance).map(of_instance).collect();
        let Repetition { count, for_each } = &self.definitions(node).calls[call].repetition;
        expand::combined(&values, for_each.is_some(), count.is_some())
    }
}
