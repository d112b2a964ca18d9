//! The instances of resources and data sources.

use std::collections::HashSet;
use std::sync::Arc;

use hclvm::value::{Arena, Entry, identical};
use hclvm::{Block, Error, OwnedValue, Value};

use super::bind::BoundSlot;
use super::body::BodyEvaluator;
use super::declarations::{self, Mode, ModuleDefinitions, Resource};
use super::evaluate::{Outcome, TerraformRun};
use super::expand::{ExpandedInstance, InstanceKey};
use super::output::{ResourceInstance, public, sensitive_parts, written_values};
use crate::names::object;

/// An instance of a resource.
pub(super) struct ResourceValue {
    pub(super) key: InstanceKey,
    /// What expressions read.
    pub(super) value: OwnedValue,
    /// True if all attributes of it are known, by a schema or a host.
    pub(super) is_complete: bool,
    pub(super) shown: Arc<ResourceInstance>,
}

impl<'r> TerraformRun<'r, '_> {
    /// Evaluates the instances of a resource. Returns true if the values that others read changed.
    pub(super) fn resource(&mut self, node: usize, instance: usize, at: usize) -> Result<bool, Error> {
        let resource = &self.definitions(node).resources[at];
        let Some(instances) = self.repeated(node, instance, &resource.repetition)? else { return Ok(false) };
        let kept = std::mem::take(&mut self.kept.modules[node][instance].resources[at]);
        self.kept.instances -= kept.len();
        if !self.take_room(&resource.place, instances.len()) {
            return Ok(false);
        }
        for of in instances {
            let before = self.problems.errors();
            self.enter(node, instance, &of)?;
            for condition in &resource.preconditions {
                self.condition(node, instance, condition, "Resource precondition failed", true)?;
            }
            let Some(value) = self.instance(node, instance, at, &of)? else { continue };
            if self.problems.errors() > before {
                continue;
            }
            if !resource.postconditions.is_empty() {
                let known = if value.is_complete { value.value.get() } else { Value::DYNAMIC };
                self.kept.modules[node][instance].scope.set_value("self", known)?;
                for condition in &resource.postconditions {
                    self.condition(node, instance, condition, "Resource postcondition failed", true)?;
                }
            }
            self.kept.modules[node][instance].resources[at].push(value);
        }
        let module = &mut self.kept.modules[node][instance];
        let judge = Arena::new();
        let is_same = |(old, new): (&ResourceValue, &ResourceValue)| {
            old.key == new.key
                && old.is_complete == new.is_complete
                && identical(&judge, old.value.get(), new.value.get())
        };
        let values = &module.resources[at];
        let is_changed = kept.len() != values.len() || !kept.iter().zip(values).all(is_same);
        if is_changed {
            for slot in BoundSlot::all(at, resource) {
                module.bound.remove(&slot);
            }
        }
        Ok(is_changed)
    }

    /// Evaluates the body of a resource for one of its instances.
    fn instance(
        &mut self,
        node: usize,
        instance: usize,
        at: usize,
        of: &ExpandedInstance,
    ) -> Outcome<ResourceValue> {
        let folder = self.state.tree.nodes[node].folder;
        let resource = &self.definitions(node).resources[at];
        self.bind(node, instance, &resource.reads)?;
        let blocks: Vec<Block<'r>> = resource
            .blocks
            .iter()
            .filter_map(|(document, block)| self.kept.blocks[folder].get(*document)?.get(*block).copied())
            .collect();
        let blocks = match resource.nested {
            None => blocks,
            Some(_) => declarations::nested_data(&blocks, resource),
        };
        let module = &self.kept.modules[node][instance];
        let mut names = module.path.clone();
        if resource.mode != Mode::Managed {
            names.push(resource.mode.prefix().trim_end_matches('.').to_owned());
        }
        names.extend([resource.kind.to_string(), resource.name.to_string()]);
        names.extend(of.key.name().map(String::from));
        let before = self.problems.errors();
        let mut reader = BodyEvaluator {
            session: &mut self.kept.session,
            scope: &module.scope,
            fuel: &mut self.fuel,
            problems: &mut self.problems,
            watch: self.watch,
        };
        let body = self.watch.below(names.clone(), || reader.resource(&blocks))?;
        if self.problems.errors() > before {
            return Ok(None);
        }
        let schema = self.state.schemas.get(resource.mode, &resource.kind);
        let host = if node == 0 { of_host(self.given.members("data"), resource) } else { None };
        let shown = match schema {
            Some(schema) => schema.value(&body, &resource.place, &mut self.problems),
            None => written_values(&body),
        };
        let (value, is_complete) = match (host, resource.mode, schema) {
            (Some(value), ..) => (OwnedValue::new(value), true),
            (None, Mode::Ephemeral, _) => (OwnedValue::new(Value::DYNAMIC), false),
            (None, _, Some(_)) => (shown.clone(), true),
            (None, _, None) => {
                let names: HashSet<&str> = body.attributes().map(|(name, _)| name).collect();
                let written = shown.get().as_entries().unwrap_or_default().iter();
                let written = written.filter(|one| names.contains(one.name));
                let unknown = resource.attributes.iter().map(|name| (name.as_str(), Value::DYNAMIC));
                let members = unknown.chain(written.map(|one: &Entry<'_>| (one.name, one.value)));
                (object(members), false)
            }
        };
        let dot = if module.address.is_empty() { "" } else { "." };
        let (prefix, kind, name) = (resource.mode.prefix(), &resource.kind, &resource.name);
        let shown = Arc::new(ResourceInstance {
            address: format!("{}{dot}{prefix}{kind}.{name}{}", module.address, of.key.suffix()),
            mode: resource.mode,
            kind: kind.clone(),
            name: name.clone(),
            index: of.key.clone().into(),
            provider: schema
                .map_or_else(|| provider(self.definitions(node), kind), |schema| schema.provider.clone()),
            version: schema.map(|schema| schema.version),
            values: public(&shown),
            sensitive: sensitive_parts(shown.get()),
            path: names,
        });
        Ok(Some(ResourceValue { key: of.key.clone(), value, is_complete, shown }))
    }
}

/// Returns the value that the host gives of a data source of the root module.
pub(super) fn of_host<'g>(data: &'g [(String, OwnedValue)], resource: &Resource) -> Option<Value<'g>> {
    if resource.mode != Mode::Data {
        return None;
    }
    let (_, members) = data.iter().rev().find(|(kind, _)| *kind == resource.kind)?;
    let found = members.get().as_entries()?.iter().find(|entry| entry.name == resource.name)?;
    Some(found.value)
}

/// Returns the source of the provider of a resource.
fn provider(definitions: &ModuleDefinitions, kind: &str) -> String {
    const REGISTRY: &str = "registry.terraform.io";
    let name = kind.split('_').next().unwrap_or(kind);
    match definitions.providers.get(name).map(String::as_str) {
        None => format!("{REGISTRY}/hashicorp/{name}"),
        Some(source) => match source.matches('/').count() {
            0 => format!("{REGISTRY}/hashicorp/{source}"),
            1 => format!("{REGISTRY}/{source}"),
            _ => source.to_owned(),
        },
    }
}
