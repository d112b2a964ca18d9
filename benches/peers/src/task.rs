//! W1 to W10 under one type.

use hclvm_workloads::{Workload, body_scopes, requests};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// W1 to W7: one expression, against scopes that are prepared.
    Expression(Workload),
    /// W8: the 200 attributes of a body.
    Body,
    /// W9: the text of that body, parsed and compiled.
    Compile,
    /// W10: a request as JSON text, read and decided.
    Request,
}

impl Task {
    /// All of them in order.
    pub fn all() -> Vec<Self> {
        let expressions = Workload::ALL.into_iter().map(Self::Expression);
        expressions.chain([Self::Body, Self::Compile, Self::Request]).collect()
    }

    /// The task of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|task| task.name().eq_ignore_ascii_case(name))
    }

    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expression(workload) => workload.name(),
            Self::Body => "W8",
            Self::Compile => "W9",
            Self::Request => "W10",
        }
    }

    /// What it is, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Expression(Workload::W1) => "authorization",
            Self::Expression(Workload::W2) => "integers",
            Self::Expression(Workload::W2b) => "fractions",
            Self::Expression(Workload::W3) => "filter and map 100",
            Self::Expression(Workload::W4) => "group 100",
            Self::Expression(Workload::W5) => "splat of 100",
            Self::Expression(Workload::W6) => "template",
            Self::Expression(Workload::W7) => "20 conditionals",
            Self::Body => "200 attributes",
            Self::Compile => "parse and compile",
            Self::Request => "JSON to decision",
        }
    }

    /// Its scopes, or requests, as JSON; one empty scope where nothing is evaluated.
    pub fn scopes(self) -> Vec<String> {
        match self {
            Self::Expression(workload) => workload.scopes(),
            Self::Body => body_scopes(),
            Self::Compile => vec!["{}".to_owned()],
            Self::Request => requests(),
        }
    }
}
