//! Tasks for hand-written Rust: a function of a scope, combined to every form.

use std::hint::black_box;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Prepared, Turn, keep, one};
use crate::task::{Form, Task};

/// A workload in hand-written Rust.
pub(super) trait Native: 'static {
    /// The scope.
    type Scope: DeserializeOwned + 'static;
    /// The result, which may borrow from the scope.
    type Output<'s>: Serialize;

    /// Evaluates it.
    fn run<'s>(&self, scope: &'s Self::Scope) -> Self::Output<'s>;

    /// Returns true if the result is true.
    fn holds(&self, _: &Self::Scope) -> bool {
        false
    }
}

/// Defines a workload by its name, the types of its scope and result, and its code.
macro_rules! native {
    ($name:ident, $scope:ty => bool, |$s:ident| $body:expr) => {
        struct $name;
        impl Native for $name {
            type Scope = $scope;
            type Output<'s> = bool;
            fn run(&self, $s: &$scope) -> bool {
                $body
            }
            fn holds(&self, scope: &$scope) -> bool {
                self.run(scope)
            }
        }
    };
    ($name:ident, $scope:ty => $out:ty, |$s:ident| $body:expr) => {
        struct $name;
        impl Native for $name {
            type Scope = $scope;
            type Output<'s> = $out;
            #[allow(clippy::needless_lifetimes, reason = "the result borrows in some workloads only")]
            fn run<'s>(&self, $s: &'s $scope) -> $out {
                $body
            }
        }
    };
}
pub(super) use native;

/// Prepares a task. Nothing has to be set from a struct or from an owned value, so these forms are equal
/// to [`Form::Warm`].
pub(super) fn prepared<N: Native>(native: N, scopes: Vec<N::Scope>, task: Task) -> Prepared {
    let scopes: &'static [N::Scope] = keep(scopes);
    Ok(match task.form {
        Form::Json | Form::JsonWhole => {
            Some(Box::new(Reading { native, texts: task.scopes(), turn: task.turn() }))
        }
        Form::Batch => one(
            task.turn(),
            move |_| scopes.iter().map(|scope| native.holds(scope)).collect::<Vec<bool>>(),
            Answer::of,
        ),
        Form::JsonResult => one(
            task.turn(),
            move |at| serde_json::to_string(&native.run(&scopes[at])),
            |text| Answer::parse(&text?),
        ),
        Form::Warm | Form::Cold | Form::Struct | Form::Owned | Form::OwnedResult => {
            one(task.turn(), move |at| native.run(&scopes[at]), Answer::of)
        }
        _ => None,
    })
}

/// Reads the scope in each evaluation.
struct Reading<N> {
    native: N,
    texts: Vec<String>,
    turn: Turn,
}

impl<N: Native> Contender for Reading<N> {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let scope: N::Scope = serde_json::from_str(&self.texts[scope])?;
        Answer::of(self.native.run(&scope))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let text = &self.texts[black_box(self.turn.step())];
            if let Ok(scope) = serde_json::from_str::<N::Scope>(text) {
                black_box(self.native.run(&scope));
            }
        }
    }
}
