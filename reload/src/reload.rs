//! One configuration and the attempts to replace it: read, compare, parse, compile, evaluate, ask the host, swap.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use hclvm::module::{AttributePath, Live};
use hclvm::syntax::Update;
use hclvm::{Engine, Error, Scope};

use crate::candidate::{Candidate, SetScope};
use crate::hash::ContentHash;
use crate::loaded::{Current, Loaded};
use crate::report::{Report, Times};
use crate::source::{Source, Text, Unreadable, Watched};
use crate::status::{Problems, Rejection};
use crate::subscribers::{Event, Subscribers, Subscription};
use crate::values::ValuesInUse;

/// Makes what the host uses of a candidate, or refuses it.
type Accept<T> = Box<dyn FnMut(&Candidate<'_>) -> Result<T, Problems> + Send>;

/// A configuration that is loaded again when its texts change. Start with [`Reload::builder`]; then call
/// [`Reload::watch`], or [`Reload::attempt`] whenever the texts may have changed.
pub struct Reload<T> {
    engine: Engine,
    source: Box<dyn Source>,
    accept: Accept<T>,
    values: Option<ValuesInUse>,
    current: Current<T>,
    /// The texts in use, which tell a file that was emptied.
    texts: Vec<Text>,
    /// The last attempt that was rejected.
    rejected: Option<Arc<Rejection>>,
    subscribers: Subscribers<T>,
}

impl<T> fmt::Debug for Reload<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reload").field("status", &self.current.status()).finish_non_exhaustive()
    }
}

/// What an attempt did.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The texts are those in use, or those that were rejected before.
    Unchanged,
    /// Another configuration is in use.
    Reloaded(Arc<Report>),
    /// The texts are rejected; the configuration before remains in use.
    Rejected(Arc<Rejection>),
    /// The texts are again those in use, after others were rejected.
    Restored,
    /// A file is being written, is missing, or was emptied. It is read again soon.
    Unfinished(Unreadable),
}

/// Builds a [`Reload`].
pub struct Builder {
    engine: Engine,
    source: Box<dyn Source>,
    scope: Option<SetScope>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").finish_non_exhaustive()
    }
}

impl Builder {
    /// Evaluates every configuration as a module with the variables that this function sets, so that reports tell
    /// the values that changed. A configuration whose evaluation has errors is rejected.
    pub fn scope(
        mut self,
        set: impl FnMut(&mut Scope, &Candidate<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Self {
        self.scope = Some(Box::new(set));
        self
    }

    /// Loads the configuration. The function makes of a document what the host uses, or refuses it; it is asked
    /// for the first configuration and for each that replaces one.
    ///
    /// # Errors
    /// Why there is no first configuration.
    pub fn open<T>(
        self,
        accept: impl FnMut(&Candidate<'_>) -> Result<T, Problems> + Send + 'static,
    ) -> Result<Reload<T>, Problems> {
        let Self { engine, mut source, scope } = self;
        let mut accept: Accept<T> = Box::new(accept);
        let mut values = scope.map(ValuesInUse::new);
        let texts = source.read()?;
        let hash = ContentHash::of(&texts);
        let parsed = source.parse(&engine, &texts, None).map_err(Problems::Diagnostics)?;
        // Compiled like every later document.
        let (document, _) = parsed.update_to(&parsed)?;
        let candidate = Candidate::new(&document, &texts, hash, 0);
        let evaluated = values.as_mut().map(|values| values.evaluate(&candidate)).transpose()?;
        let host = accept(&candidate)?;
        if let (Some(values), Some(evaluated)) = (&mut values, evaluated) {
            values.accept(evaluated);
        }
        let current = Current::new(Loaded { epoch: 0, hash, since: SystemTime::now(), document, host });
        let subscribers = Subscribers::default();
        Ok(Reload { engine, source, accept, values, current, texts, rejected: None, subscribers })
    }
}

impl Reload<()> {
    /// Starts to build one that loads the documents of a source.
    pub fn builder(engine: &Engine, source: impl Source + 'static) -> Builder {
        Builder { engine: engine.clone(), source: Box::new(source), scope: None }
    }
}

impl<T> Reload<T> {
    /// Returns the configuration in use, for the threads that read it.
    pub fn current(&self) -> &Current<T> {
        &self.current
    }

    /// Returns the values in use, if there is a [scope](Builder::scope).
    pub fn values(&self) -> Option<&Live> {
        self.values.as_ref()?.live()
    }

    /// Calls a function after each reload that touched what a path leads to: an attribute, all attributes of a
    /// block, or a local. It runs before the next reload, on the thread that reloads.
    pub fn subscribe(
        &self,
        path: AttributePath,
        hear: impl FnMut(&Event<'_, T>) + Send + 'static,
    ) -> Subscription {
        self.subscribers.add(path, Box::new(hear))
    }

    /// Returns what is watched.
    pub(crate) fn watched(&self) -> Vec<Watched> {
        self.source.watched()
    }

    /// Reads the texts and loads them if they changed and are sound. If a file is missing, or was emptied, or
    /// changes while it is read, nothing is done yet.
    pub fn attempt(&mut self) -> Outcome {
        let start = Instant::now();
        let texts = match self.read() {
            Ok(texts) => texts,
            Err(unreadable) => return Outcome::Unfinished(unreadable),
        };
        self.load(texts, start)
    }

    /// Like [`Reload::attempt`], for texts that may be unfinished no longer: what cannot be read is rejected.
    pub fn attempt_finally(&mut self) -> Outcome {
        match self.attempt() {
            Outcome::Unfinished(why) => self.reject(None, why.into()),
            outcome => outcome,
        }
    }

    /// Reads the texts. One that was emptied is about to be written.
    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        let texts = self.source.read()?;
        let had_content =
            |name: &str| self.texts.iter().any(|text| text.name == name && !text.bytes.is_empty());
        match texts.iter().find(|text| text.bytes.is_empty() && had_content(&text.name)) {
            Some(Text { name, .. }) => {
                Err(Unreadable::Failed(format!("{name} is empty, and was not before.")))
            }
            None => Ok(texts),
        }
    }

    /// Returns what tells the present texts from others: their hash, or why they cannot be read.
    pub(crate) fn look(&mut self) -> Result<ContentHash, Unreadable> {
        self.read().map(|texts| ContentHash::of(&texts))
    }

    fn load(&mut self, texts: Vec<Text>, start: Instant) -> Outcome {
        let hash = ContentHash::of(&texts);
        if hash == self.current.load().hash {
            if self.rejected.take().is_none() {
                return Outcome::Unchanged;
            }
            self.current.change_status(|status| status.rejected = None);
            return Outcome::Restored;
        }
        if self.rejected.as_ref().is_some_and(|rejected| rejected.hash == Some(hash)) {
            return Outcome::Unchanged;
        }
        let times = Times { read: start.elapsed(), ..Times::default() };
        match self.replace(&texts, hash, times) {
            Ok(report) => {
                self.texts = texts;
                Outcome::Reloaded(report)
            }
            Err(problems) => self.reject(Some(hash), problems),
        }
    }

    fn replace(
        &mut self,
        texts: &[Text],
        hash: ContentHash,
        mut times: Times,
    ) -> Result<Arc<Report>, Problems> {
        let last = self.current.load();
        let epoch = last.epoch + 1;
        let start = Instant::now();
        let parsed =
            self.source.parse(&self.engine, texts, Some(&last.document)).map_err(Problems::Diagnostics)?;
        times.parse = start.elapsed();
        let (document, update) = last.document.update_to(&parsed)?;
        times.look_up = update.times.compare + update.times.look_up;
        times.compile = update.times.compile;
        let candidate = Candidate::new(&document, texts, hash, epoch);
        let start = Instant::now();
        let evaluated = self.values.as_mut().map(|values| values.evaluate(&candidate)).transpose()?;
        times.evaluate = start.elapsed();
        let host = (self.accept)(&candidate)?;
        let (locals, dependents) = touched_locals(&candidate, &update);
        let (mut values, mut problems) = (Vec::new(), Vec::new());
        if let (Some(in_use), Some(mut evaluated)) = (&mut self.values, evaluated) {
            values = std::mem::take(&mut evaluated.changes);
            problems = std::mem::take(&mut evaluated.problems);
            in_use.accept(evaluated);
        }
        let report = Arc::new(Report { epoch, hash, update, locals, dependents, values, problems, times });
        self.rejected = None;
        let loaded = Loaded { epoch, hash, since: SystemTime::now(), document: document.clone(), host };
        let loaded = self.current.replace(loaded, &report);
        self.subscribers.tell(&loaded, &report);
        Ok(report)
    }

    fn reject(&mut self, hash: Option<ContentHash>, problems: Problems) -> Outcome {
        let sentence = |problems: &Problems| match problems {
            Problems::Sentence(sentence) => Some(sentence.clone()),
            Problems::Diagnostics(_) => None,
        };
        if let Some(before) = &self.rejected
            && (before.hash, hash) == (None, None)
            && sentence(&before.problems) == sentence(&problems)
        {
            return Outcome::Unchanged;
        }
        let rejection = Arc::new(Rejection { at: SystemTime::now(), problems, hash });
        self.rejected = Some(Arc::clone(&rejection));
        self.current.change_status(|status| status.rejected = Some(Arc::clone(&rejection)));
        Outcome::Rejected(rejection)
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
