//! The values of resources and modules as expressions read them: only the parts that an expression names are put together.

use std::collections::{BTreeMap, HashMap};

use hclvm::{Error, OwnedValue, Value};

use super::declarations::{Mode, Repetition, Resource};
use super::evaluate::TerraformRun;
use super::expand::{self, InstanceKey};
use super::modules::ModuleInstance;
use super::references::{Reference, ReferenceTarget};
use super::resources::ResourceValue;
use crate::names::{object, set_member};

/// A slot of a scope that holds resources or outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum BoundSlot<'r> {
    /// `TYPE.NAME`
    Resource(usize),
    /// All resources of a type behind a prefix: `data.TYPE`.
    Type(&'static str, &'r str),
    /// `module.NAME`
    Module(usize),
}

impl<'r> BoundSlot<'r> {
    fn of(at: usize, resource: &'r Resource, is_prefixed: bool) -> Self {
        match resource.mode {
            Mode::Managed if !is_prefixed => Self::Resource(at),
            Mode::Managed => Self::Type("resource", &resource.kind),
            Mode::Data => Self::Type("data", &resource.kind),
            Mode::Ephemeral => Self::Type("ephemeral", &resource.kind),
        }
    }

    /// Returns the slots that may hold a resource.
    pub(super) fn all(at: usize, resource: &'r Resource) -> [Self; 2] {
        [false, true].map(|is_prefixed| Self::of(at, resource, is_prefixed))
    }
}

/// What slots hold: resources or outputs by their numbers, true for a resource that is read as a whole.
pub(super) type Bound<'r> = HashMap<BoundSlot<'r>, BTreeMap<usize, bool>>;

/// The bytes of values that are put together for a unit of fuel.
const BYTES_OF_FUEL: usize = 32;

impl<'r> TerraformRun<'r, '_> {
    /// Sets what references lead to, as they read it, unless the slots hold it.
    pub(super) fn bind(&mut self, node: usize, instance: usize, reads: &[Reference]) -> Result<(), Error> {
        let of = self.definitions(node);
        let mut wanted: BTreeMap<BoundSlot<'r>, BTreeMap<usize, bool>> = BTreeMap::new();
        for read in reads {
            match &read.target {
                ReferenceTarget::Variable(_) | ReferenceTarget::Local(_) | ReferenceTarget::Outside => {}
                ReferenceTarget::Module(call, output) => {
                    let members = wanted.entry(BoundSlot::Module(*call)).or_default();
                    let Some(child) = self.state.tree.nodes[node].children[*call] else { continue };
                    let of = self.definitions(child);
                    match output.as_ref().and_then(|name| of.output_index.get(name)) {
                        Some(at) => drop(members.insert(*at, false)),
                        None => members.extend((0..of.outputs.len()).map(|at| (at, false))),
                    }
                }
                ReferenceTarget::Resource(at) => {
                    let slot = BoundSlot::of(*at, &of.resources[*at], read.is_prefixed);
                    *wanted.entry(slot).or_default().entry(*at).or_default() |= read.is_whole;
                }
            }
        }
        for (slot, members) in wanted {
            let bound = self.kept.modules[node][instance].bound.get(&slot);
            let is_bound = |bound: &BTreeMap<usize, bool>| {
                members.iter().all(|(at, is_whole)| bound.get(at) == Some(is_whole))
            };
            if bound.is_some_and(is_bound) {
                continue;
            }
            let (root, name, value) = match slot {
                BoundSlot::Resource(at) => {
                    let is_whole = members.get(&at) == Some(&true);
                    let resource = &of.resources[at];
                    let value = self.resource_value(node, instance, at, is_whole);
                    (&*resource.kind, &*resource.name, value)
                }
                BoundSlot::Type(root, kind) => {
                    let named = members.iter().map(|(at, is_whole)| {
                        let value = self.resource_value(node, instance, *at, *is_whole);
                        (of.resources[*at].name.as_str(), value)
                    });
                    let named: Vec<(&str, OwnedValue)> = named.collect();
                    (root, kind, object(named.iter().map(|(name, value)| (*name, value.get()))))
                }
                BoundSlot::Module(call) => {
                    let value = self.module_value(node, instance, call, &members);
                    ("module", &*of.calls[call].name, value)
                }
            };
            let place = match slot {
                BoundSlot::Module(call) => &of.calls[call].place,
                BoundSlot::Resource(_) | BoundSlot::Type(..) => match members.first_key_value() {
                    Some((at, _)) => &of.resources[*at].place,
                    None => continue,
                },
            };
            let spent = members.len() + value.allocated_bytes() / BYTES_OF_FUEL;
            self.fuel.spend(spent as u64, &place.source, place.span)?;
            let module = &mut self.kept.modules[node][instance];
            set_member(&mut module.scope, root, name, value.get())?;
            module.bound.insert(slot, members);
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
        let values: Vec<(InstanceKey, OwnedValue)> =
            self.kept.modules[node][instance].resources[at].iter().map(of).collect();
        let Repetition { count, for_each } = &resource.repetition;
        expand::combined(&values, for_each.is_some(), count.is_some())
    }

    /// Returns the value of a module as expressions read it: an object of these outputs.
    fn module_value(
        &self,
        node: usize,
        instance: usize,
        call: usize,
        outputs: &BTreeMap<usize, bool>,
    ) -> OwnedValue {
        let Some(child) = self.state.tree.nodes[node].children[call] else {
            return OwnedValue::new(Value::DYNAMIC);
        };
        let of = self.definitions(child);
        let of_instance = |one: &ModuleInstance<'_>| {
            let members = outputs.keys().map(|at| {
                let value = one.outputs[*at].as_ref().map_or(Value::DYNAMIC, |value| value.value());
                (of.outputs[*at].name.as_str(), value)
            });
            (one.instance.key.clone(), object(members))
        };
        // Instances are in the order of those that call them.
        let all = &self.kept.modules[child];
        let first = all.partition_point(|one| one.parent < instance);
        let own = all[first..].iter().take_while(|one| one.parent == instance);
        let values: Vec<(InstanceKey, OwnedValue)> = own.map(of_instance).collect();
        let Repetition { count, for_each } = &self.definitions(node).calls[call].repetition;
        expand::combined(&values, for_each.is_some(), count.is_some())
    }
}
