//! A queue from many threads to one that restores the order of results by their numbers and bounds
//! how many wait.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Groups of results, numbered from 0 and returned in that order.
///
/// Every wait ends: a worker and the receiver hold a guard that reports their end, also by a panic,
/// and wakes the other side.
#[derive(Debug)]
pub(super) struct Queue<R> {
    state: Mutex<QueueState<R>>,
    /// Signals that the group that is due has arrived or that no more will.
    due: Condvar,
    /// Signals that groups were received, or that the receiver is gone.
    room: Condvar,
    ahead: usize,
}

#[derive(Debug)]
struct QueueState<R> {
    /// The groups from the one that is due on; `None` for those that have not arrived.
    groups: VecDeque<Option<Vec<R>>>,
    /// The number of the group that is due.
    first: usize,
    workers: usize,
    ended: bool,
}

impl<R> Queue<R> {
    /// Creates a queue for that many workers, which may be `ahead` groups ahead of the one that is due.
    pub(super) fn new(workers: usize, ahead: usize) -> Self {
        let state = QueueState { groups: VecDeque::new(), first: 0, workers, ended: false };
        Self { state: Mutex::new(state), due: Condvar::new(), room: Condvar::new(), ahead }
    }

    /// Locks the state. No code that may panic runs under the lock, so a poisoned state is consistent.
    fn state(&self) -> MutexGuard<'_, QueueState<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until work on the group of that number may begin. Returns false if the run has ended.
    pub(super) fn wait_for_room(&self, number: usize) -> bool {
        let full = |state: &mut QueueState<R>| !state.ended && number >= state.first + self.ahead;
        let state = self.room.wait_while(self.state(), full).unwrap_or_else(PoisonError::into_inner);
        !state.ended
    }

    /// Stores the results of a group.
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

    /// Waits for the next groups and returns all that are complete in order; `None` if no more will
    /// arrive.
    pub(super) fn next(&self) -> Option<Vec<Vec<R>>> {
        let none_due = |state: &mut QueueState<R>| {
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

    /// Returns the guard that a worker holds while it works.
    pub(super) fn worker(&self) -> Worker<'_, R> {
        Worker(self)
    }

    /// Returns the guard that the receiver holds. Dropping it ends the run.
    pub(super) fn end(&self) -> ReceiverGuard<'_, R> {
        ReceiverGuard(self)
    }
}

/// The guard of a worker.
pub(super) struct Worker<'q, R>(&'q Queue<R>);

impl<R> Drop for Worker<'_, R> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.workers -= 1;
        // The results of the group that it took will not arrive.
        state.ended |= std::thread::panicking();
        self.0.due.notify_one();
        self.0.room.notify_all();
    }
}

/// The guard of the receiver.
pub(super) struct ReceiverGuard<'q, R>(&'q Queue<R>);

impl<R> Drop for ReceiverGuard<'_, R> {
    fn drop(&mut self) {
        self.0.state().ended = true;
        self.0.room.notify_all();
    }
}
