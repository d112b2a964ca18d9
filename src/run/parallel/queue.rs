//! Results on their way from many threads to one, which gets them in order.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Groups of results that are due, and later ones that wait for them.
///
/// Nobody waits for ever: who leaves, be it by a panic, says so and wakes the others.
#[derive(Debug)]
pub(super) struct Queue<R> {
    state: Mutex<State<R>>,
    /// The group that is due has come, or no more will.
    due: Condvar,
    /// Groups were given, or there is nobody to give them.
    room: Condvar,
    ahead: usize,
}

#[derive(Debug)]
struct State<R> {
    /// Groups from the one that is due on, each when it has come.
    groups: VecDeque<Option<Vec<R>>>,
    /// The number of the first of them.
    first: usize,
    workers: usize,
    ended: bool,
}

impl<R> Queue<R> {
    /// For that many workers, which may be `ahead` groups ahead of the one that is due.
    pub(super) fn new(workers: usize, ahead: usize) -> Self {
        let state = State { groups: VecDeque::new(), first: 0, workers, ended: false };
        Self { state: Mutex::new(state), due: Condvar::new(), room: Condvar::new(), ahead }
    }

    /// The lock is never held where something may panic, so the state is always whole.
    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a group of that number may be worked on; false when no more shall be.
    pub(super) fn wait_for_room(&self, number: usize) -> bool {
        let full = |state: &mut State<R>| !state.ended && number >= state.first + self.ahead;
        let state = self.room.wait_while(self.state(), full).unwrap_or_else(PoisonError::into_inner);
        !state.ended
    }

    /// Puts the results of a group into their place.
    pub(super) fn put(&self, number: usize, results: Vec<R>) {
        let mut state = self.state();
        let Some(at) = number.checked_sub(state.first) else { return };
        if state.groups.len() <= at {
            state.groups.resize_with(at + 1, || None);
        }
        if let Some(group) = state.groups.get_mut(at) {
            *group = Some(results);
        }
        if at == 0 {
            self.due.notify_one();
        }
    }

    /// Waits for the next groups in order; none when no more will come.
    pub(super) fn next(&self) -> Option<Vec<Vec<R>>> {
        let none_due = |state: &mut State<R>| {
            !matches!(state.groups.front(), Some(Some(_))) && state.workers > 0 && !state.ended
        };
        let mut state = self.due.wait_while(self.state(), none_due).unwrap_or_else(PoisonError::into_inner);
        let mut groups = Vec::new();
        while let Some(group) = state.groups.front_mut().and_then(Option::take) {
            groups.push(group);
            state.groups.pop_front();
        }
        state.first += groups.len();
        self.room.notify_all();
        if groups.is_empty() { None } else { Some(groups) }
    }

    /// Held by a worker while it works.
    pub(super) fn worker(&self) -> Worker<'_, R> {
        Worker(self)
    }

    /// Held by whoever gets the results; without it no more are wanted.
    pub(super) fn end(&self) -> End<'_, R> {
        End(self)
    }
}

/// A worker of a queue.
pub(super) struct Worker<'q, R>(&'q Queue<R>);

impl<R> Drop for Worker<'_, R> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.workers -= 1;
        // What a panicking worker took will never come.
        state.ended |= std::thread::panicking();
        self.0.due.notify_one();
        self.0.room.notify_all();
    }
}

/// The one who gets the results.
pub(super) struct End<'q, R>(&'q Queue<R>);

impl<R> Drop for End<'_, R> {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.room.notify_all();
    }
}
