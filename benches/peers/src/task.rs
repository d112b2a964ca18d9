//! The workloads of `hclvm-workloads` as one type, with what each asks of a peer.

use hclvm_workloads::{Workload, body_scopes, requests};

/// A workload as peers are asked to do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// One expression against prepared scopes.
    Expression(Workload),
    /// `attribute-body`: the 200 attributes of a body.
    Body,
    /// `compile`: parses and compiles the text of that body.
    Compile,
    /// `json-decision`: reads a request from JSON text and decides it.
    Request,
}

impl Task {
    /// All tasks, in the order of the tables.
    pub fn all() -> Vec<Self> {
        let expressions = Workload::ALL.into_iter().map(Self::Expression);
        expressions.chain([Self::Body, Self::Compile, Self::Request]).collect()
    }

    /// Returns the task of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|task| task.name().eq_ignore_ascii_case(name))
    }

    /// Returns the name used in arguments and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Expression(workload) => workload.name(),
            Self::Body => "attribute-body",
            Self::Compile => "compile",
            Self::Request => "json-decision",
        }
    }

    /// Returns the title of its panel: the name and its size, where it has one.
    pub fn title(self) -> String {
        let size = match self {
            Self::Expression(Workload::ForFilter | Workload::ObjectFor | Workload::Splat) => "100 elements",
            Self::Expression(Workload::Switch) => "20 arms",
            Self::Expression(_) => return self.name().to_owned(),
            Self::Body | Self::Compile => "200 attributes",
            Self::Request => "600 bytes",
        };
        format!("{}, {size}", self.name())
    }

    /// Returns its scopes or requests as JSON; one empty scope where nothing is evaluated.
    pub fn scopes(self) -> Vec<String> {
        match self {
            Self::Expression(workload) => workload.scopes(),
            Self::Body => body_scopes(),
            Self::Compile => vec!["{}".to_owned()],
            Self::Request => requests(),
        }
    }
}
