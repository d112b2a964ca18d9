//! Many at once: a stream of scopes on all cores, with the results in the order of the stream.
//!
//! ```text
//! stream ─▶ taken in groups, one thread at a time ─▶ worked on by all ─▶ queue ─▶ given in order
//!   ▲                                                                      │
//!   ╰───────────── waits while too many groups are ahead ◀─────────────────╯
//! ```

mod queue;

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::diagnostics::error::Error;
use crate::run::cancel::Cancel;
use crate::run::scope::Scope;
use crate::run::session::Session;
use queue::Queue;

/// Items that a thread takes at once, if nothing else is said: enough for the handover to cost
/// little, few enough for a short stream to reach all threads.
const GROUP: usize = 16;
/// Groups that may be ahead of the one whose results are due, for each thread.
const AHEAD: usize = 4;

/// Runs something for each item of a stream on several threads, and gives the results in the
/// order of the stream, on the thread of the caller. Streams may be endless: only so many items
/// and results are in memory as are being worked on.
///
/// ```
/// use hclvm::{Engine, Error};
/// use hclvm::run::Parallel;
///
/// let engine = Engine::standard();
/// let document = engine.parse("x.hcl", "allow = user.role == \"admin\" && limit > 10")?;
/// let allow = document.attribute("allow").expect("it is there").program()?;
/// let mut prepared = document.projection().scope();
/// prepared.set("limit", &100)?;
///
/// let requests = [r#"{"user": {"role": "admin"}}"#, "no JSON", r#"{"user": {"role": "guest"}}"#];
/// let mut results = Vec::new();
/// Parallel::new().scopes(
///     &prepared,
///     requests,
///     |scope, request| scope.set_all_json(request),
///     |session, scope| Ok(session.run(&allow, scope)?.as_bool()),
///     |result| {
///         results.push(result.ok().flatten());
///         Ok::<(), Error>(())
///     },
/// )?;
/// assert_eq!(results, [Some(true), None, Some(false)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parallel {
    threads: usize,
    group: usize,
    cancel: Cancel,
}

impl Default for Parallel {
    fn default() -> Self {
        Self::new()
    }
}

impl Parallel {
    /// With as many threads as the machine runs at once.
    pub fn new() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self { threads, group: GROUP, cancel: Cancel::new() }
    }

    /// With that many threads, at least one. With one, all is done on the thread of the caller.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// A thread takes that many items at a time, 16 if nothing is said. Results of a group come
    /// when all of it is done: 1 is right for a stream that lets wait for its items.
    pub fn group(mut self, items: usize) -> Self {
        self.group = items.max(1);
        self
    }

    /// What ends the evaluations of [`Parallel::scopes`]: those under way and all later ones then
    /// have an error as their result. To end the whole, return an error for one of these.
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// For each item: a fork of `base` is filled by `set` and evaluated by `run`, which may run one
    /// program or many; what they return goes to `give` in the order of the items. Each item's
    /// scope begins as `base`, whatever the items before it set; a deadline of the engine's limits
    /// counts for each evaluation.
    ///
    /// # Errors
    /// The first one of `give`, which ends everything: no further items are taken then. Those of
    /// `set` and `run` are results.
    pub fn scopes<I, R, E>(
        &self,
        base: &Scope,
        items: I,
        set: impl Fn(&mut Scope, I::Item) -> Result<(), Error> + Sync,
        run: impl Fn(&mut Session, &Scope) -> Result<R, Error> + Sync,
        give: impl FnMut(Result<R, Error>) -> Result<(), E>,
    ) -> Result<(), E>
    where
        I: IntoIterator,
        I::IntoIter: Send,
        R: Send,
    {
        let start = || {
            let mut session = base.engine().session();
            session.set_cancel(&self.cancel);
            (session, base.fork())
        };
        let work = |(session, scope): &mut (Session, Scope), item| {
            scope.clone_from(base);
            set(scope, item)?;
            run(session, scope)
        };
        self.each(items, start, work, give)
    }

    /// For each item `work` is called on one of the threads, with what `start` made on that thread;
    /// what it returns goes to `give` in the order of the items.
    ///
    /// A panic of any of them ends everything and goes on in the caller.
    ///
    /// # Errors
    /// The first one of `give`, which ends everything: no further items are taken then. An item
    /// for which the stream lets wait is waited for even so.
    pub fn each<I, S, R, E>(
        &self,
        items: I,
        start: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, I::Item) -> R + Sync,
        mut give: impl FnMut(R) -> Result<(), E>,
    ) -> Result<(), E>
    where
        I: IntoIterator,
        I::IntoIter: Send,
        R: Send,
    {
        let mut items = items.into_iter();
        if self.threads == 1 {
            let mut state = start();
            return items.try_for_each(|item| give(work(&mut state, item)));
        }
        let queue = Queue::new(self.threads, self.threads * AHEAD);
        // What is taken has a number; taking it and numbering it is one step.
        let stream = Mutex::new((items, 0));
        let take = || {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            let (items, number) = &mut *stream;
            if !queue.wait_for_room(*number) {
                return None;
            }
            let group: Vec<I::Item> = items.take(self.group).collect();
            let taken = *number;
            *number += 1;
            if group.is_empty() { None } else { Some((taken, group)) }
        };
        thread::scope(|threads| {
            for _ in 0..self.threads {
                threads.spawn(|| {
                    let _worker = queue.worker();
                    let mut state = start();
                    while let Some((number, group)) = take() {
                        let results = group.into_iter().map(|item| work(&mut state, item)).collect();
                        queue.put(number, results);
                    }
                });
            }
            let _end = queue.end();
            while let Some(groups) = queue.next() {
                groups.into_iter().flatten().try_for_each(&mut give)?;
            }
            Ok(())
        })
    }
}
