//! Texts that become one document, compiled and evaluated no further than they changed.

use std::collections::BTreeSet;
use std::time::Instant;

use hclvm::module::{AttributePath, Live};
use hclvm::syntax::Update;
use hclvm::{Document, Engine};

use crate::candidate::{Candidate, SetScope};
use crate::loader::Loader;
use crate::report::Report;
use crate::source::{Source, Text, Texts, Unreadable, Watched};
use crate::status::Problems;
use crate::values::Values;

/// Loads the documents of a source, and evaluates them if there is a scope.
pub(crate) struct Documents {
    engine: Engine,
    source: Box<dyn Source>,
    values: Option<Values>,
}

impl Documents {
    pub(crate) fn new(engine: Engine, source: Box<dyn Source>, scope: Option<SetScope>) -> Self {
        Self { engine, source, values: scope.map(Values::new) }
    }
}

impl Texts for Documents {
    fn watched(&self) -> Vec<Watched> {
        self.source.watched()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        self.source.read()
    }
}

impl Loader for Documents {
    type Content = Document;

    fn load(
        &mut self,
        texts: &[Text],
        last: Option<&Document>,
        report: &mut Report,
    ) -> Result<Document, Problems> {
        let start = Instant::now();
        let parsed = self.source.parse(&self.engine, texts, last).map_err(Problems::Diagnostics)?;
        report.times.parse = start.elapsed();
        // The first one is compiled like every later document.
        let (document, update) = last.unwrap_or(&parsed).update_to(&parsed)?;
        report.times.look_up = update.times.compare + update.times.look_up;
        report.times.compile = update.times.compile;
        report.update = update;
        Ok(document)
    }

    fn evaluate(&mut self, candidate: &Candidate<'_>, report: &mut Report) -> Result<(), Problems> {
        if let Some(values) = &mut self.values {
            let start = Instant::now();
            values.evaluate(candidate, report)?;
            report.times.evaluate = start.elapsed();
        }
        (report.locals, report.dependents) = touched_locals(candidate, &report.update);
        Ok(())
    }

    fn accepted(&mut self) {
        self.values.iter_mut().for_each(Values::accept);
    }

    fn live(&self) -> Option<&Live> {
        self.values.as_ref()?.live()
    }
}

/// Returns the locals that an update touched, and what reads them.
fn touched_locals(candidate: &Candidate<'_>, update: &Update) -> (Vec<String>, Vec<String>) {
    let touched = update.touched().filter_map(|attribute| attribute.local());
    let locals: BTreeSet<String> = touched.map(str::to_owned).collect();
    let module = (!locals.is_empty()).then(|| candidate.module().ok()).flatten();
    let mut dependents = BTreeSet::new();
    for (module, local) in module.iter().flat_map(|module| locals.iter().map(move |local| (module, local))) {
        let path: Result<AttributePath, _> = format!("local.{local}").parse();
        let readers = path.map(|path| module.dependents(&path)).unwrap_or_default();
        dependents.extend(readers.iter().map(ToString::to_string));
    }
    (locals.into_iter().collect(), dependents.into_iter().collect())
}
