//! The files of a template or a job as a configuration that is watched: all files of the module, the files with
//! values for it, and its values.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use hclvm::functions::Capabilities;
use hclvm::value::{Arena, identical};
use hclvm::{OwnedValue, Value};
use hclvm_dialects::{Application, Evaluation, File, FileRole, Files as ModuleFiles, PathValue, Purpose};
use hclvm_reload::{
    Files, Loader, Problems, Report, Selection, Text, Texts, Unreadable, ValueChange, Watched,
};
use serde_json::Value as Json;

use crate::application::{self, Assignment, ModuleInputs, with_scope, words};
use crate::input;
use crate::outcome::EarlyEnd;
use crate::scopes;
use crate::secrets::{HiddenTexts, SENSITIVE};
use hclvm_project::notation;

/// Loads a module.
pub(super) struct ModuleLoader {
    application: &'static dyn Application,
    path: String,
    granted: Capabilities,
    inputs: ModuleInputs,
    assignments: Vec<Assignment>,
    scope: Option<String>,
    /// The files of the module, and how many were read.
    module: Selection,
    count: usize,
    /// The files with values.
    others: Vec<Files>,
}

/// The values of a module, as they are and as they are shown.
pub(super) struct WatchedValues {
    values: Vec<(hclvm::module::AttributePath, OwnedValue, bool)>,
    secrets: HiddenTexts,
}

impl ModuleLoader {
    pub(super) fn new(
        application: &'static dyn Application,
        path: &str,
        granted: Capabilities,
        inputs: &ModuleInputs,
        assignments: &[Assignment],
        scope: Option<&String>,
    ) -> Self {
        let files = |path: &String| Files::new(path).most_bytes(input::LONGEST as u64);
        let is_of_module = |name: &str| application.role(name).is_some();
        Self {
            application,
            path: path.to_owned(),
            granted,
            inputs: inputs.clone(),
            assignments: assignments.to_vec(),
            scope: scope.cloned(),
            module: files(&path.to_owned()).select(is_of_module),
            count: 0,
            others: inputs.files().chain(scope).map(files).collect(),
        }
    }

    /// Prepares and evaluates the texts.
    fn evaluated(&self, texts: &[Text]) -> Result<Evaluation, Problems> {
        let of_module = texts.iter().take(self.count).map(|text| File::new(&*text.name, &*text.bytes));
        let files = if Path::new(&self.path).is_dir() {
            ModuleFiles::of(self.application, &*self.path, of_module).with_folders_on_disk()
        } else {
            let text = texts.first().map_or(&[][..], |text| &text.bytes);
            ModuleFiles::one(File::new(&*self.path, text))
        };
        let (granted, strict) = (self.granted.clone(), self.inputs.strict);
        let settings = application::settings(self.application, granted, strict, Purpose::Evaluate);
        let module = self.application.prepare(&files, &settings).map_err(|problems| told(&problems))?;
        let read = |path: &str| {
            let text = texts.iter().find(|text| text.name == path);
            let missing = || EarlyEnd::Refused(format!("Cannot read {path}: it is not there."));
            text.map(|text| text.bytes.clone()).ok_or_else(missing)
        };
        let refused = |stop: EarlyEnd| Problems::Sentence(stop.to_string());
        let given = self.inputs.given(self.application, &self.assignments, read).map_err(refused)??;
        let given = match &self.scope {
            None => given,
            Some(scope) => with_scope(scopes::of_bytes(&read(scope).map_err(refused)?, scope), scope, given)?,
        };
        Ok(module.evaluate(&given))
    }
}

fn told(problems: &hclvm_dialects::Problems) -> Problems {
    Problems::Diagnostics(problems.groups().cloned().collect())
}

impl Texts for ModuleLoader {
    fn watched(&self) -> Vec<Watched> {
        let others = self.others.iter().flat_map(Texts::watched);
        self.module.watched().into_iter().chain(others).collect()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        let mut texts = self.module.read()?;
        self.count = texts.len();
        let is_of_module = |text: &Text| self.application.role(&text.name) == Some(FileRole::Module);
        if Path::new(&self.path).is_dir() && !texts.iter().any(is_of_module) {
            let patterns = self.application.patterns().iter().map(|pattern| (*pattern).to_owned());
            let sentence =
                format!("There are no files {} in \"{}\".", words::listed(patterns, "or"), self.path);
            return Err(Unreadable::Failed(sentence));
        }
        for other in &mut self.others {
            texts.extend(other.read()?);
        }
        Ok(texts)
    }
}

impl Loader for ModuleLoader {
    type Content = WatchedValues;

    fn load(
        &mut self,
        texts: &[Text],
        last: Option<&WatchedValues>,
        report: &mut Report,
    ) -> Result<WatchedValues, Problems> {
        let start = Instant::now();
        let evaluated = self.evaluated(texts)?;
        if evaluated.problems().has_errors() {
            return Err(told(evaluated.problems()));
        }
        report.problems = evaluated.problems().groups().cloned().collect();
        let content = WatchedValues::of(&evaluated);
        if let Some(last) = last {
            report.values = content.changes_from(last);
        }
        report.times.evaluate = start.elapsed();
        Ok(content)
    }
}

impl WatchedValues {
    fn of(evaluated: &Evaluation) -> Self {
        let owned = |one: PathValue<'_>| (one.path, OwnedValue::new(one.value), one.sensitive);
        Self {
            values: evaluated.values().into_iter().map(owned).collect(),
            secrets: HiddenTexts::of(evaluated),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the differences: values that changed and new ones in their order, then those that are gone.
    fn changes_from(&self, before: &Self) -> Vec<ValueChange> {
        let by_path = |values: &'_ Self| -> HashMap<String, usize> {
            values.values.iter().enumerate().map(|(at, (path, ..))| (path.to_string(), at)).collect()
        };
        let (old, new) = (by_path(before), by_path(self));
        let mut changes = Vec::new();
        for (path, value, sensitive) in &self.values {
            let earlier = old.get(&path.to_string()).and_then(|at| before.values.get(*at));
            let is_equal = |other: &OwnedValue| identical(&Arena::new(), value.get(), other.get());
            if earlier.is_some_and(|(_, value, _)| is_equal(value)) {
                continue;
            }
            changes.push(ValueChange {
                path: path.clone(),
                before: earlier.map(|(_, value, sensitive)| before.shown(value.get(), *sensitive)),
                after: Some(self.shown(value.get(), *sensitive)),
            });
        }
        for (path, value, sensitive) in &before.values {
            if !new.contains_key(&path.to_string()) {
                let gone = Some(before.shown(value.get(), *sensitive));
                changes.push(ValueChange { path: path.clone(), before: gone, after: None });
            }
        }
        changes
    }

    /// Returns a value as it is shown, without secrets.
    fn shown(&self, value: Value<'_>, sensitive: bool) -> OwnedValue {
        if !sensitive && self.secrets.is_empty() && !value.contains_marks() {
            return OwnedValue::new(value);
        }
        let arena = Arena::new();
        let json = if sensitive { SENSITIVE.into() } else { self.secrets.value(value) };
        // What cannot be written as JSON, or read from it, may also hold a secret.
        let hidden: Json = SENSITIVE.into();
        let value = notation::value(&arena, &json).or_else(|_| notation::value(&arena, &hidden));
        OwnedValue::new(value.unwrap_or(Value::NULL))
    }
}
