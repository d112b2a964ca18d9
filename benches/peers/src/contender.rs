//! Contenders: a peer prepared for a task is the unit of measurement. The peers are in [`crate::peers`].

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use hclvm_workloads::dice::Dice;

use crate::Failure;
use crate::answer::Answer;
use crate::task::Task;

/// A prepared contender, or `None` if the peer cannot do the task.
pub type Prepared = Result<Option<Box<dyn Contender>>, Failure>;

/// An engine, or one way to use it.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its name in tables.
    pub name: &'static str,
    /// Prepares it for a task.
    pub prepare: fn(Task) -> Prepared,
}

/// A peer prepared for a task.
pub trait Contender {
    /// Returns the result for one scope.
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure>;

    /// Evaluates this number of times, against each scope in turn.
    fn run(&mut self, evaluations: u64);

    /// Returns the processor time that takes, which excludes time given to other processes.
    fn time(&mut self, evaluations: u64) -> Duration {
        let start = ThreadTime::now();
        self.run(evaluations);
        start.elapsed()
    }
}

/// Cycles through scopes, in their order or in a shuffled one.
#[derive(Clone, Debug)]
pub struct Turn {
    at: usize,
    count: usize,
    /// A permutation of the scopes, if they are shuffled.
    order: Option<Box<[u16]>>,
}

impl Turn {
    /// Starts at the first of `count` scopes.
    pub fn of(count: usize) -> Self {
        Self { at: count, count, order: None }
    }

    /// Starts at a random one of `count` scopes. The order is equal in all runs and processes.
    pub fn shuffled(count: usize) -> Self {
        let mut order: Vec<u16> = (0..count).filter_map(|at| u16::try_from(at).ok()).collect();
        let mut dice = Dice::new(11);
        for last in (1..order.len()).rev() {
            order.swap(last, dice.below(last + 1));
        }
        Self { at: count, count, order: Some(order.into()) }
    }

    /// Returns the order, if it is shuffled.
    pub fn order(&self) -> Option<&[u16]> {
        self.order.as_deref()
    }

    /// Returns the next scope. Compares instead of dividing: a division costs as much as some evaluations.
    // Part of every timed loop, so it must not add a call to the figure.
    #[inline(always)]
    pub fn step(&mut self) -> usize {
        self.at += 1;
        if self.at >= self.count {
            self.at = 0;
        }
        match &self.order {
            None => self.at,
            Some(order) => usize::from(order[self.at]),
        }
    }
}

/// A contender that runs one program.
pub fn one<T>(
    turn: Turn,
    once: impl FnMut(usize) -> T + 'static,
    show: impl Fn(T) -> Result<Answer, Failure> + 'static,
) -> Option<Box<dyn Contender>> {
    Some(Box::new(One { turn, once, show }))
}

struct One<F, S> {
    turn: Turn,
    once: F,
    show: S,
}

impl<T, F: FnMut(usize) -> T, S: Fn(T) -> Result<Answer, Failure>> Contender for One<F, S> {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        (self.show)((self.once)(scope))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let scope = self.turn.step();
            black_box((self.once)(black_box(scope)));
        }
    }
}

/// Leaks a value, so that contenders, which are few, can borrow from it with a static lifetime.
pub fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
