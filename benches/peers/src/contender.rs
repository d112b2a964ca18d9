//! Contenders: a peer prepared for a task is the unit of measurement. The peers are in [`crate::peers`].

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;

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

/// Cycles through `count` scopes.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    at: usize,
    count: usize,
}

impl Turn {
    /// Starts at the first of `count` scopes.
    pub fn of(count: usize) -> Self {
        Self { at: count, count }
    }

    /// Returns the next scope. Compares instead of dividing: a division costs as much as some evaluations.
    // Part of every timed loop, so it must not add a call to the figure.
    #[inline(always)]
    pub fn step(&mut self) -> usize {
        self.at += 1;
        if self.at >= self.count {
            self.at = 0;
        }
        self.at
    }
}

/// A contender that runs one program.
pub fn one<T>(
    scopes: usize,
    once: impl FnMut(usize) -> T + 'static,
    show: impl Fn(T) -> Result<Answer, Failure> + 'static,
) -> Option<Box<dyn Contender>> {
    Some(Box::new(One { turn: Turn::of(scopes), once, show }))
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

/// A contender that runs many programs for each scope.
pub fn each<P: 'static, T>(
    programs: Vec<P>,
    scopes: usize,
    once: impl FnMut(&P, usize) -> T + 'static,
    show: impl Fn(T) -> Result<Answer, Failure> + 'static,
) -> Option<Box<dyn Contender>> {
    Some(Box::new(Each { programs, turn: Turn::of(scopes), once, show }))
}

struct Each<P, F, S> {
    programs: Vec<P>,
    turn: Turn,
    once: F,
    show: S,
}

impl<P, T, F: FnMut(&P, usize) -> T, S: Fn(T) -> Result<Answer, Failure>> Contender for Each<P, F, S> {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let Self { programs, once, show, .. } = self;
        let answers: Result<Vec<_>, _> = programs.iter().map(|program| show(once(program, scope))).collect();
        Ok(Answer::list(&answers?))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let scope = black_box(self.turn.step());
            for program in &self.programs {
                black_box((self.once)(program, scope));
            }
        }
    }
}

/// Leaks a value, so that contenders, which are few, can borrow from it with a static lifetime.
pub fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
