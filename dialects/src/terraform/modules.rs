//! The instances of modules: which of them `count` and `for_each` of calls make, and the values of their variables.

use hclvm::value::{Arena, identical};
use hclvm::{Error, OwnedValue, Scope, Type, Value};

use super::bind::{Bound, BoundSlot};
use super::declarations::{Repetition, VariableDeclaration};
use super::evaluate::{Outcome, TerraformRun};
use super::expand::{self, ExpandedInstance};
use super::inputs;
use super::output::computed;
use super::resources::ResourceValue;
use crate::marks::MarkedResult;
use crate::names::{set_member, set_object};
use crate::problems::TextRange;

/// A module as one of its instances has it.
pub(super) struct ModuleInstance<'r> {
    /// The instance of the parent that calls it.
    pub(super) parent: usize,
    pub(super) instance: ExpandedInstance,
    /// Its address: `module.a["x"].module.b`.
    pub(super) address: String,
    pub(super) path: Vec<String>,
    pub(super) scope: Scope,
    pub(super) variables: Vec<Option<MarkedResult>>,
    pub(super) locals: Vec<Option<MarkedResult>>,
    pub(super) outputs: Vec<Option<MarkedResult>>,
    pub(super) resources: Vec<Vec<ResourceValue>>,
    /// What the slots of resources and modules hold.
    pub(super) bound: Bound<'r>,
}

/// The most instances of modules and resources.
const MOST_INSTANCES: usize = 20_000;

impl<'r> TerraformRun<'r, '_> {
    /// Makes the instances of a module. Returns false if they are those that were kept.
    pub(super) fn expand(&mut self, node: usize) -> Result<bool, Error> {
        let Some((parent, call)) = self.state.tree.nodes[node].parent else {
            let root = self.module(node, (0, ExpandedInstance::ONE), String::new())?;
            self.kept.modules[node] = vec![root];
            return Ok(true);
        };
        let number = call;
        let call = &self.definitions(parent).calls[call];
        let mut wanted: Vec<(usize, ExpandedInstance, String)> = Vec::new();
        for above in 0..self.kept.modules[parent].len() {
            let Some(instances) = self.repeated(parent, above, &call.repetition)? else { continue };
            let outer = &self.kept.modules[parent][above].address;
            let dot = if outer.is_empty() { "" } else { "." };
            wanted.extend(instances.into_iter().map(|instance| {
                let address = format!("{outer}{dot}module.{}{}", call.name, instance.key.suffix());
                (above, instance, address)
            }));
            if self.kept.instances + wanted.len() > MOST_INSTANCES {
                self.take_room(&call.place, wanted.len());
                return Ok(true);
            }
        }
        let kept = std::mem::take(&mut self.kept.modules[node]);
        let is_same =
            |(one, (above, instance, address)): (&ModuleInstance<'_>, &(usize, ExpandedInstance, String))| {
                one.parent == *above && one.address == *address && one.instance.is_identical(instance)
            };
        if kept.len() == wanted.len() && kept.iter().zip(&wanted).all(is_same) {
            self.kept.modules[node] = kept;
            return Ok(false);
        }
        self.kept.instances -= kept.iter().map(ModuleInstance::count).sum::<usize>();
        for above in &mut self.kept.modules[parent] {
            above.bound.remove(&BoundSlot::Module(number));
        }
        self.take_room(&call.place, wanted.len());
        for (above, instance, address) in wanted {
            let module = self.module(node, (above, instance), address)?;
            self.kept.modules[node].push(module);
        }
        Ok(true)
    }

    /// Returns false after reporting that there are too many instances.
    pub(super) fn take_room(&mut self, place: &TextRange, count: usize) -> bool {
        self.kept.instances += count;
        let has_room = self.kept.instances <= MOST_INSTANCES;
        if !has_room {
            let detail = format!("There are more than {MOST_INSTANCES} instances of modules and resources.");
            self.problems.error(place, "Too many instances", detail);
        }
        has_room
    }

    fn module(
        &mut self,
        node: usize,
        (parent, instance): (usize, ExpandedInstance),
        address: String,
    ) -> Result<ModuleInstance<'r>, Error> {
        let folder = &self.state.tree.folders[self.state.tree.nodes[node].folder];
        let mut scope = self.state.engine.scope(folder.names.layout());
        let arena = Arena::new();
        let text = |text: &str| Value::text(&arena, text);
        let paths = [
            ("cwd", text(&self.state.settings.directory)),
            ("module", text(&folder.path)),
            ("root", text(".")),
        ];
        set_object(&mut scope, "path", paths)?;
        let workspace = &self.kept.workspace;
        let applying = Value::unknown_not_null(&arena, Type::Bool);
        for root in ["terraform", "tofu"] {
            set_object(&mut scope, root, [("workspace", text(workspace)), ("applying", applying)])?;
        }
        for root in ["each", "count", "self"] {
            scope.set_unknown(root);
        }
        let of = &folder.definitions;
        if let Some(document) = folder.documents.first() {
            let span = document.body().span().empty_at_start();
            self.fuel.spend(scope.layout().names().len() as u64, document.source(), span)?;
        }
        let mut path = Vec::new();
        if let Some((above, call)) = self.state.tree.nodes[node].parent {
            path.clone_from(&self.kept.modules[above][parent].path);
            path.extend(["module".to_owned(), self.definitions(above).calls[call].name.to_string()]);
            path.extend(instance.key.name().map(String::from));
        }
        Ok(ModuleInstance {
            parent,
            instance,
            address,
            path,
            scope,
            variables: vec![None; of.variables.len()],
            locals: vec![None; of.locals.len()],
            outputs: vec![None; of.outputs.len()],
            resources: of.resources.iter().map(|_| Vec::new()).collect(),
            bound: Bound::default(),
        })
    }

    /// Returns the instances that `count` or `for_each` make.
    /// Returns the instances that `count` or `for_each` make.
    pub(super) fn repeated(
        &mut self,
        node: usize,
        instance: usize,
        repetition: &Repetition,
    ) -> Outcome<Vec<ExpandedInstance>> {
        let (expr, is_count) = match (&repetition.count, &repetition.for_each) {
            (Some(count), _) => (count, true),
            (None, Some(for_each)) => (for_each, false),
            (None, None) => return Ok(Some(vec![ExpandedInstance::ONE])),
        };
        let Some(value) = self.value(node, instance, &expr.program, &expr.reads)? else { return Ok(None) };
        let made = if is_count { expand::of_count(value.get()) } else { expand::of_each(value.get()) };
        match made {
            Ok(instances) => {
                self.fuel.spend(instances.len() as u64, &expr.place.source, expr.place.span)?;
                Ok(Some(instances))
            }
            Err((title, detail)) => {
                self.problems.error(&expr.place, title, detail);
                Ok(None)
            }
        }
    }

    /// Sets `each` and `count` of an instance of a resource or module.
    pub(super) fn enter(&mut self, node: usize, instance: usize, of: &ExpandedInstance) -> Result<(), Error> {
        let scope = &mut self.kept.modules[node][instance].scope;
        if let Some(each) = &of.each {
            scope.set_value("each", each.get())?;
        }
        if let Some(count) = &of.count {
            scope.set_value("count", count.get())?;
        }
        Ok(())
    }

    /// Sets a variable. Returns true if the value is another one.
    pub(super) fn set_variable(
        &mut self,
        node: usize,
        instance: usize,
        at: usize,
        value: OwnedValue,
    ) -> Result<bool, Error> {
        let name = &self.definitions(node).variables[at].name;
        let module = &mut self.kept.modules[node][instance];
        let is_changed = replace(&mut module.variables[at], value);
        if is_changed && let Some(value) = &module.variables[at] {
            set_member(&mut module.scope, "var", name, value.value())?;
        }
        Ok(is_changed)
    }

    /// Evaluates the variable of a child module: the argument of the call.
    pub(super) fn variable(&mut self, node: usize, instance: usize, at: usize) -> Result<bool, Error> {
        let Some((parent, call)) = self.state.tree.nodes[node].parent else { return Ok(false) };
        let variable: &VariableDeclaration = &self.definitions(node).variables[at];
        let call = &self.definitions(parent).calls[call];
        let input = call.input(&variable.name).and_then(|input| input.expr.as_ref());
        let value = match input {
            Some(expr) => {
                let module = &self.kept.modules[node][instance];
                let (above, of) = (module.parent, module.instance.clone());
                self.enter(parent, above, &of)?;
                let Some(value) = self.value(parent, above, &expr.program, &expr.reads)? else {
                    return Ok(false);
                };
                match inputs::given_value(variable, &value) {
                    Ok(value) => value,
                    Err(why) => {
                        let detail =
                            format!("The value does not fit `var.{}` of the module: {why}.", variable.name);
                        let title = if value.get().unmark().0.is_null() && !variable.nullable {
                            "Required variable not set"
                        } else {
                            "Invalid value for input variable"
                        };
                        self.problems.error(&expr.place, title, detail);
                        return Ok(false);
                    }
                }
            }
            _ => variable
                .default
                .as_ref()
                .map_or_else(|| inputs::unknown(variable), |(value, _)| value.clone()),
        };
        self.set_variable(node, instance, at, inputs::marked(variable, &value))
    }
}

impl ModuleInstance<'_> {
    /// Returns the number of instances that it is and has.
    fn count(&self) -> usize {
        1 + self.resources.iter().map(Vec::len).sum::<usize>()
    }
}

/// Replaces a value that is kept. Returns false if no program can tell the values apart.
pub(super) fn replace(kept: &mut Option<MarkedResult>, value: OwnedValue) -> bool {
    let judge = Arena::new();
    let is_same = kept.as_ref().is_some_and(|kept| identical(&judge, kept.value(), value.get()));
    if !is_same {
        *kept = Some(computed(value));
    }
    !is_same
}
