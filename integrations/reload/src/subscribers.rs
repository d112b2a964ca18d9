//! Functions of the host that hear of changes at a path.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use hclvm::Document;
use hclvm::module::AttributePath;
use hclvm::syntax::NamedAttribute;

use crate::loaded::{Current, Loaded};
use crate::panics::Part;
use crate::report::Report;

/// What a subscriber hears.
pub struct Event<'e, T, C = Document> {
    /// The paths that changed: attributes with another expression, or with another value under the given scope.
    pub paths: Vec<String>,
    /// What is in use now.
    pub loaded: &'e Arc<Loaded<T, C>>,
    /// What the reload changed as a whole.
    pub report: &'e Report,
}

/// The report on one line, and the number of paths.
impl<T, C> fmt::Debug for Event<'_, T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({} paths, {:?}, {:?})", self.paths.len(), self.loaded, self.report)
    }
}

/// A subscription, which ends when it is dropped.
#[derive(Debug)]
#[must_use = "a subscription ends when it is dropped"]
pub struct Subscription {
    _token: Arc<()>,
}

type Hear<T, C> = Box<dyn FnMut(&Event<'_, T, C>) + Send>;

struct Subscriber<T, C> {
    path: AttributePath,
    hear: Hear<T, C>,
    token: Weak<()>,
}

/// All subscribers of a configuration.
pub(crate) struct Subscribers<T, C>(Mutex<Vec<Subscriber<T, C>>>);

impl<T, C> Default for Subscribers<T, C> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T, C> Subscribers<T, C> {
    pub(crate) fn add(&self, path: AttributePath, hear: Hear<T, C>) -> Subscription {
        let token = Arc::new(());
        let subscriber = Subscriber { path, hear, token: Arc::downgrade(&token) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(subscriber);
        Subscription { _token: token }
    }

    /// Calls the subscribers whose paths a reload touched. One that panics remains subscribed.
    pub(crate) fn tell(&mut self, current: &Current<T, C>, loaded: &Arc<Loaded<T, C>>, report: &Report) {
        let list = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        let ended: Vec<_> = list.extract_if(.., |subscriber| subscriber.token.strong_count() == 0).collect();
        // Panics are in the status.
        let _ = current.catch(report.epoch, Part::Drop, || drop(ended));
        for Subscriber { path, hear, .. } in list {
            let paths = touched(path, report);
            if !paths.is_empty() {
                let part = Part::Subscriber(path.to_string());
                let _ = current.catch(report.epoch, part, || hear(&Event { paths, loaded, report }));
            }
        }
    }
}

/// Returns what a reload changed at a path, each path once.
fn touched(path: &AttributePath, report: &Report) -> Vec<String> {
    let wanted: Vec<Option<&str>> = path.names().collect();
    let attributes = report.update.touched().filter(|attribute| leads_to(&wanted, attribute));
    let mut paths: Vec<String> = attributes.map(ToString::to_string).collect();
    let values = report.values.iter().filter(|change| {
        let names: Vec<Option<&str>> = change.path.names().collect();
        is_prefix(&wanted, &names)
    });
    paths.extend(values.map(|change| change.path.to_string()));
    paths.sort();
    paths.dedup();
    paths
}

/// Returns true if a path leads to an attribute or to a block around it. Of an attribute whose outer blocks are
/// left out, only the names that are there are compared, from the end.
fn leads_to(wanted: &[Option<&str>], attribute: &NamedAttribute) -> bool {
    if let (Some(local), [Some("local"), ..]) = (attribute.local(), wanted) {
        return is_prefix(wanted, &[Some("local"), Some(local)]);
    }
    if attribute.is_shortened() {
        return wanted
            .iter()
            .rev()
            .zip(attribute.names().rev())
            .all(|(wanted, name)| matches(*wanted, Some(name)));
    }
    let names: Vec<Option<&str>> = attribute.names().map(Some).collect();
    is_prefix(wanted, &names)
}

fn is_prefix(wanted: &[Option<&str>], names: &[Option<&str>]) -> bool {
    wanted.len() <= names.len() && wanted.iter().zip(names).all(|(wanted, name)| matches(*wanted, *name))
}

fn matches(wanted: Option<&str>, name: Option<&str>) -> bool {
    wanted.is_none() || wanted == name
}
