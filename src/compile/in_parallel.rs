//! Work on many items by several threads that end with it. Evaluating endless streams on threads that stay is
//! [`Parallel`](crate::Parallel).

use std::num::NonZeroUsize;
use std::thread::{self, Builder};

/// The fewest items for each thread: below it, starting the thread takes longer than its work.
const LEAST: usize = 250;

/// Returns the results for all items in order. Each of up to `threads` threads, the caller's included, works on
/// items that follow each other, at least `least` of them.
pub(crate) fn map<T: Sync, R: Send>(
    threads: NonZeroUsize,
    least: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let size = items.len().div_ceil(threads.get()).max(least);
    let Some((own, others)) = items.split_at_checked(size) else {
        return items.iter().map(work).collect();
    };
    let all = |part: &[T]| part.iter().map(&work).collect::<Vec<R>>();
    thread::scope(|scope| {
        let parts = others.chunks(size);
        let started: Vec<_> =
            parts.clone().map(|part| Builder::new().spawn_scoped(scope, move || all(part))).collect();
        let mut results = all(own);
        for (part, thread) in parts.zip(started) {
            match thread.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(more)) => results.extend(more),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // The system refused to start it.
                Err(_) => results.extend(all(part)),
            }
        }
        results
    })
}

/// Like [`map`], for items as small as attributes.
pub(crate) fn map_attributes<T: Sync, R: Send>(
    threads: NonZeroUsize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    map(threads, LEAST, items, work)
}
