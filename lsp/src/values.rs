//! The values of a file under a sample of scopes. Variables that the sample does not set are unknown. Marked values are
//! shown as such, without their content.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use hclvm::show::line;
use hclvm::value::{Arena, Entry};
use hclvm::why::Why;
use hclvm::{Attribute, OwnedValue, Scope, Session, Value};
use hclvm_dialects::{Application, File, Files, Given, Purpose};

use crate::analysis::{Analysis, read_settings};

/// The longest time of one evaluation.
const LONGEST: Duration = Duration::from_millis(300);

/// The values of a file.
pub(crate) struct FileValues {
    /// Has the layout of the document.
    scope: Scope,
    session: RefCell<Session>,
    /// The values of definitions, by their paths: `local.n`.
    defined: HashMap<String, OwnedValue>,
}

impl std::fmt::Debug for FileValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Values({} definitions)", self.defined.len())
    }
}

impl FileValues {
    pub(crate) fn new(analysis: &Analysis) -> Option<Self> {
        if analysis.document.is_json() || analysis.is_tests() || analysis.is_project() {
            return None;
        }
        let document = &analysis.document;
        let mut session = document.engine().session();
        session.set_time(Some(LONGEST));
        let sample = &analysis.settings.sample.1;
        let mut scope = document.scope();
        let mut defined = HashMap::new();
        if let Some(application) = analysis.application() {
            defined = of_module(application, analysis)?;
        } else {
            set(&mut scope, sample)?;
            let has_locals = document.body().blocks_of("locals").next().is_some();
            if document.layout().slot("local").is_some() || has_locals {
                let module = document.module().ok()?;
                let mut of_module = module.scope();
                set(&mut of_module, sample)?;
                of_module.set_rest_unknown();
                let values = module.evaluate(&mut session, &of_module).ok()?;
                let named = |(name, value)| (format!("local.{name}"), OwnedValue::new(value));
                defined = values.locals().map(named).collect();
            }
        }
        for root in ["local", "var"] {
            if document.layout().slot(root).is_none() {
                continue;
            }
            let members = defined.iter().filter_map(|(path, value)| {
                let name = path.strip_prefix(root)?.strip_prefix('.')?;
                Some((name, value.get()))
            });
            let mut members: Vec<(&str, Value<'_>)> = members.collect();
            if members.is_empty() && root != "local" {
                continue;
            }
            members.sort_by_key(|(name, _)| *name);
            members.dedup_by_key(|(name, _)| *name);
            let arena = Arena::new();
            let entries: Vec<Entry<'_>> =
                members.into_iter().map(|(name, value)| arena.entry(name, value)).collect();
            let object = Value::object(&arena, arena.slice(&entries));
            scope.set_value(root, object).ok()?;
        }
        scope.set_rest_unknown();
        Some(Self { scope, session: RefCell::new(session), defined })
    }

    /// Returns the value of a definition by its path.
    pub(crate) fn defined(&self, path: &str) -> Option<&OwnedValue> {
        self.defined.get(path)
    }

    /// Evaluates an attribute and calls `then` with the value. `None` if there are errors.
    pub(crate) fn attribute<R>(
        &self,
        attribute: Attribute<'_>,
        then: impl FnOnce(Value<'_>) -> R,
    ) -> Option<R> {
        let program = attribute.program().ok()?;
        let mut session = self.session.borrow_mut();
        let evaluation = session.evaluate(&program, &self.scope).ok()?;
        let value = evaluation.marked_value();
        if evaluation.diagnostics.has_errors() { None } else { Some(then(value)) }
    }

    /// Evaluates an expression of the document and calls `then` with the value. `None` if there are errors.
    pub(crate) fn expression<R>(
        &self,
        analysis: &Analysis,
        text: &str,
        then: impl FnOnce(Value<'_>) -> R,
    ) -> Option<R> {
        let program = analysis.document.engine().compile(text, self.scope.layout()).ok()?;
        let mut session = self.session.borrow_mut();
        let evaluation = session.evaluate(&program, &self.scope).ok()?;
        let value = evaluation.marked_value();
        if evaluation.diagnostics.has_errors() { None } else { Some(then(value)) }
    }

    /// Explains the value of an attribute.
    pub(crate) fn why(&self, attribute: Attribute<'_>) -> Option<Why> {
        let program = attribute.program().ok()?;
        self.session.borrow_mut().why(&program, &self.scope).ok()
    }
}

/// Sets those variables of a sample that the layout of a scope has.
fn set(scope: &mut Scope, sample: &[(String, OwnedValue)]) -> Option<()> {
    for (name, value) in sample {
        if scope.layout().slot(name).is_some() {
            scope.set_value(name, value.get()).ok()?;
        }
    }
    Some(())
}

/// Returns a value on one line; `None` if it is not wholly known.
pub(crate) fn shown(value: Value<'_>) -> Option<String> {
    value.is_wholly_known().then(|| line(value))
}

/// Evaluates the module of a file: the folder with the text of the editor in place of the file.
fn of_module(
    application: &'static dyn Application,
    analysis: &Analysis,
) -> Option<HashMap<String, OwnedValue>> {
    let own = File::new(analysis.path.to_string_lossy(), analysis.text().as_bytes());
    let is_part =
        |path: &Path| application.role(&path.file_name().unwrap_or_default().to_string_lossy()).is_some();
    let folder = analysis.path.parent();
    let files = match folder.filter(|_| application.reads_folders() && is_part(&analysis.path)) {
        Some(folder) => {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let paths = entries.map(|entry| entry.path());
            let others = paths.filter(|path| is_part(path) && *path != analysis.path && path.is_file());
            let others = others.filter_map(|path| File::read(&path).ok());
            Files::of(application, folder.to_string_lossy(), others.chain([own]))
        }
        None => Files::one(own),
    };
    let module = application.prepare(&files, &read_settings(application, Purpose::Evaluate)).ok()?;
    let mut given = Given::new(application);
    if let Some(variables) = analysis.settings.sample_of("var") {
        for entry in variables.get().as_entries().unwrap_or_default() {
            given.inputs = std::mem::take(&mut given.inputs).value(entry.name, entry.value);
        }
    }
    let evaluation = module.evaluate(&given);
    let variables = evaluation.variables().iter().filter(|one| !one.is_sensitive());
    let variables = variables.map(|one| (format!("var.{}", one.name()), OwnedValue::new(one.value())));
    let secrets = evaluation.secrets();
    let locals = evaluation.locals().iter().filter(|one| {
        let shown = line(one.value());
        !secrets.iter().any(|secret| !secret.is_empty() && shown.contains(secret.as_str()))
    });
    let locals = locals.map(|one| (format!("local.{}", one.name()), OwnedValue::new(one.value())));
    Some(variables.chain(locals).collect())
}
