//! What is measured: a peer made ready for a task.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::Failure;
use crate::answer::Answer;
use crate::task::Task;

/// A peer made ready for a task; `None` where it cannot do that.
pub type Prepared = Result<Option<Box<dyn Contender>>, Failure>;

/// An engine, or a way to use it.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// How it is called in tables.
    pub name: &'static str,
    /// Makes it ready for a task.
    pub prepare: fn(Task) -> Prepared,
}

/// A peer made ready for a task.
pub trait Contender {
    /// The result for one scope.
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure>;

    /// Evaluates that often, against each scope in turn.
    fn run(&mut self, evaluations: u64);

    /// How long that takes, in time of the processor: what it spends on others does not count.
    fn time(&mut self, evaluations: u64) -> Duration {
        let start = ThreadTime::now();
        self.run(evaluations);
        start.elapsed()
    }
}

/// Goes through `count` scopes again and again.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    at: usize,
    count: usize,
}

impl Turn {
    /// From the first of `count` scopes.
    pub fn of(count: usize) -> Self {
        Self { at: count, count }
    }

    /// The next scope. No division: that would cost as much as some evaluations.
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

/// Keeps something until the program ends: contenders are few, and what they borrow from may
/// then be borrowed for ever.
pub fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}
