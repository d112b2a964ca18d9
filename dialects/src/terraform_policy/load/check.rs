//! Checks of expressions before anything is evaluated: names, attributes of meta, functions, and what fails for all
//! values.

use std::collections::BTreeMap;
use std::sync::Arc;

use hclvm::analysis::{Key, Traversal};
use hclvm::diagnostics::{Severity, nearest};
use hclvm::run::Tier;
use hclvm::{Attribute, Diagnostics, Document, Program, Type};

use super::super::language::ROOTS;
use super::super::{PolicyKind, functions};
use super::{Loader, LocalId, ReadableNames};
use crate::problems::TextRange;

impl Loader<'_> {
    /// Checks the names that an expression reads. Returns its locals; `None` after reporting names that do not exist.
    pub(super) fn names(
        &mut self,
        attribute: Attribute<'_>,
        names: &ReadableNames<'_>,
    ) -> Option<Vec<LocalId>> {
        let (mut reads, mut is_sound) = (BTreeMap::new(), true);
        for traversal in attribute.variables() {
            let place = TextRange::new(attribute.document(), traversal.span());
            let first = traversal.steps().next();
            let name = match first {
                Some((Key::Attribute(name) | Key::Text(name), _)) => Some(name),
                _ => None,
            };
            let refused = match (traversal.root(), names.kind) {
                ("attrs" | "prior_attrs", None) => Some((
                    "Invalid reference",
                    format!(
                        "Locals of a file are evaluated before `{}` has a value. Move the local into the policy.",
                        traversal.root()
                    ),
                )),
                ("prior_attrs", Some(PolicyKind::Provider | PolicyKind::Module)) => {
                    Some(("Invalid reference", "Only resources have `prior_attrs`.".to_owned()))
                }
                ("attrs" | "prior_attrs", _) => {
                    self.attribute(names, &traversal, attribute.document());
                    None
                }
                ("meta", kind) => {
                    self.meta(kind, name, &place);
                    None
                }
                ("local", _) => match name {
                    Some(name) => match names.local(name) {
                        Some(id) => {
                            reads.entry(name.to_owned()).or_insert(id);
                            None
                        }
                        None => Some(("Undefined local", names.undefined("local", name))),
                    },
                    None => Some(("Invalid reference", "Write the name of a local: local.NAME.".to_owned())),
                },
                ("input", _) => match name {
                    Some(name) if names.file.inputs.contains_key(name) => None,
                    Some(name) => Some(("Undefined input", names.undefined("input", name))),
                    None => Some(("Invalid reference", "Write the name of an input: input.NAME.".to_owned())),
                },
                (root, _) => {
                    let hint = nearest(root, ROOTS).map_or_else(
                        || "A policy reads attrs, prior_attrs, meta, input and local.".to_owned(),
                        |near| format!("Did you mean \"{near}\"?"),
                    );
                    Some(("Unknown variable", format!("There is no variable named \"{root}\". {hint}")))
                }
            };
            if let Some((title, detail)) = refused {
                self.problems.error(&place, title, detail);
                is_sound = false;
            }
        }
        is_sound.then(|| reads.into_values().collect())
    }

    /// Checks the names of attributes of a resource by the schemas of providers.
    fn attribute(&mut self, names: &ReadableNames<'_>, traversal: &Traversal<'_>, document: &Document) {
        let Some(resource) = &names.resource else { return };
        let mut ty = resource.ty();
        for (key, span) in traversal.steps() {
            ty = match (ty, key) {
                (Type::Object(attributes), Key::Attribute(name) | Key::Text(name)) => {
                    let Some(found) = attributes.iter().find(|one| one.name == name) else {
                        let near = nearest(name, attributes.iter().map(|one| one.name));
                        let hint = near.map(|near| format!(" Did you mean \"{near}\"?")).unwrap_or_default();
                        let detail = format!("The schema has no attribute \"{name}\" here.{hint}");
                        self.doubt(&TextRange::new(document, span), "Unsupported attribute", detail);
                        return;
                    };
                    found.ty
                }
                (Type::Map(element), Key::Attribute(_) | Key::Text(_))
                | (Type::List(element), Key::Number(_)) => *element,
                _ => return,
            };
        }
    }

    /// Reports a probable mistake, which is an error if that is wanted.
    fn doubt(&mut self, place: &TextRange, title: &'static str, detail: String) {
        if self.strict {
            self.problems.error(place, title, detail);
        } else {
            self.problems.warning(place, title, detail);
        }
    }

    /// Checks the name of an attribute of meta.
    pub(super) fn meta(&mut self, kind: Option<PolicyKind>, name: Option<&str>, place: &TextRange) {
        let (Some(kind), Some(name)) = (kind, name) else { return };
        let known = kind.meta();
        if known.contains(&name) {
            return;
        }
        let hint = nearest(name, known.iter().copied()).map_or_else(
            || format!("There are {}.", known.join(", ")),
            |near| format!("Did you mean \"{near}\"?"),
        );
        let detail = format!("`meta` has no attribute \"{name}\". {hint}");
        if kind == PolicyKind::Resource {
            self.doubt(place, "Unknown attribute of meta", detail);
        } else {
            self.problems.error(place, "Unknown attribute of meta", detail);
        }
    }

    /// Checks the names of functions.
    pub(super) fn functions(&mut self, attribute: Attribute<'_>) {
        for name in attribute.required_functions() {
            let place = TextRange::of_value(attribute);
            let plain = name.strip_prefix("core::").unwrap_or(&name);
            if self.functions_has(&name) {
                if plain == name {
                    let detail = format!("Functions have a namespace: core::{name}.");
                    self.problems.warning(&place, "Function without namespace", detail);
                } else if self.strict && !functions::DOCUMENTED.contains(&plain) {
                    let detail = format!("{name} is not among the documented functions of policies.");
                    self.problems.warning(&place, "Undocumented function", detail);
                }
                continue;
            }
            let detail = if name.starts_with("plugin::") {
                format!("{name} is a function of a plugin, which is not run here.")
            } else {
                let known = functions::DOCUMENTED.iter().copied();
                let hint = nearest(plain, known).map(|near| format!(" Did you mean core::{near}?"));
                format!("There is no function named \"{name}\".{}", hint.unwrap_or_default())
            };
            self.problems.error(&place, "Call to unknown function", detail);
        }
    }

    pub(super) fn functions_has(&self, name: &str) -> bool {
        // The table of the engine is that of the dialect.
        self.defaults.has_function(name)
    }

    /// Warns about what fails for all values.
    pub(super) fn explore(&mut self, program: &Program) {
        let mut session = self.engine.session();
        session.set_tier(Tier::Exploring);
        let mut scope = self.engine.scope(&self.layout);
        scope.set_rest_unknown();
        let Ok(evaluation) = session.evaluate(program, &scope) else { return };
        let found = evaluation.diagnostics.iter().filter(|one| one.title != "Call to unknown function");
        let warnings = found.map(|one| {
            let one = one.clone();
            if one.severity == Severity::Error { one.warning() } else { one }
        });
        let found = Diagnostics::new(Arc::clone(program.source()), warnings.collect());
        self.problems.add(found);
    }
}
