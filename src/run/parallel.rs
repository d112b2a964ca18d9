//! Evaluating a stream of scopes on several threads, with the results in the order of the stream. The
//! order is restored by the [queue]; a single evaluation is a [session](crate::run::session)'s.
//!
//! ```text
//! stream ─▶ groups, taken by one thread at a time ─▶ worked on by all ─▶ queue ─▶ given in order
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

/// Items that a thread takes at once by default: enough to make locking the stream and the queue
/// cheap, few enough that a short stream reaches all threads.
const GROUP: usize = 16;
/// Groups per thread that may be ahead of the one whose results are due. They bound the memory, and
/// let the other threads continue while one group takes longer.
const AHEAD: usize = 4;

/// Runs a function for each item of a stream on several threads and passes the results on in the
/// order of the stream, on the thread of the caller. Streams may be endless: the number of items and
/// results in memory is bounded.
///
/// ```
/// use hclvm::{Engine, Error};
/// use hclvm::run::Parallel;
///
/// let engine = Engine::new();
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
    /// Uses as many threads as the machine runs at once.
    pub fn new() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Self { threads, group: GROUP, cancel: Cancel::new() }
    }

    /// Sets the number of threads, at least one. With one, everything runs on the thread of the caller.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Sets the number of items that a thread takes at a time, 16 by default. The results of a group
    /// are passed on together: choose 1 for a stream whose items arrive slowly.
    pub fn group(mut self, items: usize) -> Self {
        self.group = items.max(1);
        self
    }

    /// Returns the flag that ends the evaluations of [`Parallel::scopes`]: the result of the current
    /// ones and of all later ones is then an error. To end the whole run, let `give` return an error
    /// for one of these.
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// For each item, fills a fork of `base` by `set`, evaluates it by `run`, which may run any number
    /// of programs, and passes the result to `give` in the order of the items. The scope of each item
    /// begins as `base`, independent of the items before it. A deadline of the engine's limits applies
    /// to each evaluation.
    ///
    /// # Errors
    /// The first error of `give`, which ends the run: no further items are taken. Errors of `set` and
    /// `run` are results.
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

    /// For each item, calls `work` on one of the threads with the state that `start` made on that
    /// thread, and passes the result to `give` in the order of the items.
    ///
    /// # Panics
    /// If one of the functions panics. No further items are taken then.
    ///
    /// # Errors
    /// The first error of `give`, which ends the run: no further items are taken. If a thread is
    /// waiting for the next item of the stream, the call returns after that item arrives.
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
        // A group is taken and numbered under one lock, so that numbers follow the stream.
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
