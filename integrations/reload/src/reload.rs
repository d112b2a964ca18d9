//! One configuration and the attempts to replace it: read, compare, parse, compile, evaluate, ask the host, swap.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use hclvm::module::{AttributePath, Live};
use hclvm::{Document, Engine, Error, Scope};

use crate::candidate::{Candidate, SetScope};
use crate::documents::Documents;
use crate::hash::ContentHash;
use crate::loaded::{Current, Loaded};
use crate::loader::Loader;
use crate::panics::{Panic, Part, catch};
use crate::report::{FileChanges, Report, Times};
use crate::source::{Source, Text, Unreadable, Watched};
use crate::status::{Problems, Rejection};
use crate::subscribers::{Event, Subscribers, Subscription};

/// Makes what the host uses of a candidate, or refuses it.
type Accept<T, C> = Box<dyn FnMut(&Candidate<'_, C>) -> Result<T, Problems> + Send>;

/// Makes what is put in use of texts. `part` is what is called.
fn make<T, C, L: Loader<Content = C> + ?Sized>(
    loader: &mut L,
    accept: &mut impl FnMut(&Candidate<'_, C>) -> Result<T, Problems>,
    last: Option<&C>,
    texts: &[Text],
    report: &mut Report,
    part: &Cell<Part>,
) -> Result<(C, T), Problems> {
    part.set(Part::Loader);
    let content = loader.load(texts, last, report)?;
    let candidate = Candidate::new(&content, texts, report.hash, report.epoch);
    part.set(Part::Evaluation);
    loader.evaluate(&candidate, report)?;
    part.set(Part::Accept);
    let host = accept(&candidate)?;
    part.set(Part::Loader);
    loader.accepted();
    Ok((content, host))
}

/// A configuration that is loaded again when its texts change. Start with [`Reload::builder`] for documents, or with
/// [`Reload::open`] for what a [`Loader`] makes; then call [`Reload::watch`], or [`Reload::attempt`] whenever the
/// texts may have changed.
pub struct Reload<T, C = Document> {
    loader: Box<dyn Loader<Content = C>>,
    accept: Accept<T, C>,
    current: Current<T, C>,
    /// The texts in use, which show a file that was emptied.
    texts: Vec<Text>,
    /// The last attempt that was rejected.
    rejected: Option<Arc<Rejection>>,
    subscribers: Subscribers<T, C>,
}

impl<T, C> fmt::Debug for Reload<T, C> {
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
    /// Evaluates every configuration as a module with the variables that this function sets, so that reports show
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
        let Self { engine, source, scope } = self;
        Reload::open(Documents::new(engine, source, scope), accept)
    }
}

impl Reload<()> {
    /// Starts to build one that loads the documents of a source.
    pub fn builder(engine: &Engine, source: impl Source + 'static) -> Builder {
        Builder { engine: engine.clone(), source: Box::new(source), scope: None }
    }
}

impl<T, C> Reload<T, C> {
    /// Loads a configuration with a loader. The function makes of what it loads what the host uses, or refuses it, as
    /// that of [`Builder::open`].
    ///
    /// # Errors
    /// Why there is no first configuration.
    pub fn open(
        loader: impl Loader<Content = C> + 'static,
        accept: impl FnMut(&Candidate<'_, C>) -> Result<T, Problems> + Send + 'static,
    ) -> Result<Self, Problems> {
        let (mut loader, mut accept) = (loader, accept);
        let part = Cell::new(Part::Texts);
        let opened = catch(0, &part, || {
            let texts = loader.read()?;
            let hash = ContentHash::of(&texts);
            // Nothing is reported of the first one.
            let mut report = Report::new(0, hash, FileChanges::default(), Times::default());
            let (content, host) = make(&mut loader, &mut accept, None, &texts, &mut report, &part)?;
            Ok::<_, Problems>((texts, hash, content, host))
        });
        let (texts, hash, content, host) = opened.map_err(|panic| Problems::from(&panic))??;
        let current = Current::new(Loaded { epoch: 0, hash, since: SystemTime::now(), content, host });
        let (loader, accept) = (Box::new(loader), Box::new(accept));
        Ok(Self { loader, accept, current, texts, rejected: None, subscribers: Subscribers::default() })
    }

    /// Returns the configuration in use, for the threads that read it.
    pub fn current(&self) -> &Current<T, C> {
        &self.current
    }

    /// Returns the values in use, if there is a [scope](Builder::scope).
    pub fn values(&self) -> Option<&Live> {
        self.loader.live()
    }

    /// Calls a function after each reload that touched what a path leads to: an attribute, all attributes of a
    /// block, or a local. It runs before the next reload, on the thread that reloads. If it panics, it remains
    /// subscribed, and the panic is in the [status](crate::Status::panic).
    pub fn subscribe(
        &self,
        path: AttributePath,
        hear: impl FnMut(&Event<'_, T, C>) + Send + 'static,
    ) -> Subscription {
        self.subscribers.add(path, Box::new(hear))
    }

    /// Returns what is watched.
    pub(crate) fn watched(&self) -> Result<Vec<Watched>, Panic> {
        self.current.catch(self.epoch(), Part::Texts, || self.loader.watched())
    }

    /// Returns the epoch in use.
    pub(crate) fn epoch(&self) -> u64 {
        self.current.load().epoch
    }

    /// Reads the texts and loads them if they changed and are sound. If a file is missing, or was emptied, or
    /// changes while it is read, nothing is done yet. A panic of the loader, or of the function that accepts candidates,
    /// rejects the texts.
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
        let epoch = self.epoch() + 1;
        let texts = self.current.catch(epoch, Part::Texts, || self.loader.read());
        let texts = texts.map_err(|panic| Unreadable::Failed(format!("{panic}.")))??;
        let had_content =
            |name: &str| self.texts.iter().any(|text| text.name == name && !text.bytes.is_empty());
        match texts.iter().find(|text| text.bytes.is_empty() && had_content(&text.name)) {
            Some(Text { name, .. }) => {
                Err(Unreadable::Failed(format!("{name} is empty, and was not before.")))
            }
            None => Ok(texts),
        }
    }

    /// Returns what distinguishes the present texts from others: their hash, or why they cannot be read.
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

    fn replace(&mut self, texts: &[Text], hash: ContentHash, times: Times) -> Result<Arc<Report>, Problems> {
        let last = self.current.load();
        let epoch = last.epoch + 1;
        let mut report = Report::new(epoch, hash, FileChanges::of(&self.texts, texts), times);
        let part = Cell::new(Part::Loader);
        let made = self.current.catch_parts(epoch, &part, || {
            make(&mut *self.loader, &mut self.accept, Some(&last.content), texts, &mut report, &part)
        });
        let (content, host) = made.map_err(|panic| Problems::from(&panic))??;
        let report = Arc::new(report);
        self.rejected = None;
        let loaded = Loaded { epoch, hash, since: SystemTime::now(), content, host };
        let loaded = self.current.replace(loaded, &report);
        self.subscribers.tell(&self.current, &loaded, &report);
        // The configuration before may be used by no other thread. A panic of its destructor is in the status.
        let _ = self.current.catch(epoch, Part::Drop, || drop(last));
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
