//! What the conditions of a program were in one evaluation, to be explained later without values.
//!
//! A byte for each condition, in the order of [`Program::conditions`], and one for the whole expression:
//!
//! | bit | set if it was |
//! |---|---|
//! | 0 to 5 | true, false, unknown, null, with an error, not a bool; several of them in a loop |
//! | 6 | not needed: another operand decided, or another arm was chosen |
//! | 7 | dependent on a marked value; no other bit is set |
//!
//! Unlike [`Outcomes`](hclvm_vm::exec::Outcomes), what was not needed has its outcome, so that what decides is found.

use hclvm_compiler::tree::{Node, NodeId, StepKind, Tree};
use hclvm_vm::code::Conditions;
use hclvm_vm::exec::{self, Observation, Observed, Truth};
use hclvm_vm::{Arena, Value};

use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::coverage::observe_in;

const NOT_NEEDED: u8 = 1 << 6;
const CONCEALED: u8 = 1 << 7;

/// The outcomes of a program in one evaluation: a byte for the whole, and one for each condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Recorded(Vec<u8>);

impl Recorded {
    /// Runs a program with the values of its layout's slots. Returns what was recorded, and true if the value may depend
    /// on marked values.
    ///
    /// # Errors
    /// A limit that was exceeded, or an expression too large to compile.
    pub(crate) fn of<'a>(
        program: &'a Program,
        values: &'a [Value<'a>],
        arena: &'a Arena,
    ) -> Result<(Self, bool), Error> {
        let conditions = Conditions::of(program.baseline()?);
        let Observed { outcome, observations, conceals } = observe_in(arena, program, &conditions, values)?;
        let whole = match (whole(&outcome, conceals), outcome.value.as_bool()) {
            (Some(Truth::Other), Some(true)) => Some(Truth::True),
            (Some(Truth::Other), Some(false)) => Some(Truth::False),
            (whole, _) => whole,
        };
        let bytes = std::iter::once(whole.map_or(CONCEALED, bit)).chain(observations.iter().map(byte));
        Ok((Self(bytes.collect()), conceals))
    }

    /// Returns what was recorded as these bytes.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns true if the whole expression is known to have been false.
    pub(crate) fn is_false(&self) -> bool {
        self.0.first() == Some(&bit(Truth::False))
    }

    /// Returns what the value of the whole expression was, if it is no condition: see [`whole`]. `None` if that is
    /// concealed.
    pub(super) fn whole(&self) -> Option<Truth> {
        let byte = *self.0.first()?;
        let truth = Truth::ALL.into_iter().find(|truth| byte & bit(*truth) != 0)?;
        Some(if matches!(truth, Truth::True | Truth::False) { Truth::Other } else { truth })
    }

    /// Returns what each condition was; a count is 1 for one evaluation or more. `None` if there are not as many.
    pub(super) fn observations<'a>(&self, conditions: usize) -> Option<Vec<Observation<'a>>> {
        let (_, bytes) = self.0.split_first()?;
        (bytes.len() == conditions).then(|| bytes.iter().copied().map(observation).collect())
    }
}

fn bit(truth: Truth) -> u8 {
    1 << truth as u8
}

fn byte(observation: &Observation<'_>) -> u8 {
    let bits = |counts: [u64; 6]| {
        let found = Truth::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0);
        found.fold(0, |bits, (truth, _)| bits | bit(truth))
    };
    match (observation.concealed, bits(observation.counts), bits(observation.skipped)) {
        (true, ..) => CONCEALED,
        (_, 0, 0) => 0,
        (_, 0, skipped) => skipped | NOT_NEEDED,
        (_, needed, _) => needed,
    }
}

fn observation<'a>(byte: u8) -> Observation<'a> {
    let counts = Truth::ALL.map(|truth| u64::from(byte & bit(truth) != 0));
    let mut observation = Observation::default();
    match (byte & CONCEALED, byte & NOT_NEEDED) {
        (0, 0) => observation.counts = counts,
        (0, _) => observation.skipped = counts,
        _ => observation.concealed = true,
    }
    observation
}

/// Returns what the value of an expression is that is no condition; `None` if that depends on marked values.
pub(super) fn whole(outcome: &exec::Outcome<'_>, conceals: bool) -> Option<Truth> {
    let value = outcome.value;
    if conceals || value.contains_marks() {
        None
    } else if !outcome.faults.is_empty() {
        Some(Truth::Failed)
    } else if value.is_null() {
        Some(Truth::Null)
    } else if value.is_known() {
        Some(Truth::Other)
    } else {
        Some(Truth::Unknown)
    }
}

/// Returns the names of the derived variables that a program reads, such as `local.limit`, each once.
pub(crate) fn read_locals(program: &Program) -> Vec<String> {
    let (tree, root) = program.expression();
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(id) = open.pop() {
        tree.children(id, &mut open);
        if let Some(name) = derived(program, tree, id)
            && !found.contains(&name)
        {
            found.push(name);
        }
    }
    found
}

/// Returns the name of the derived variable that a node reads, such as `local.limit`.
pub(super) fn derived(program: &Program, tree: &Tree, id: NodeId) -> Option<String> {
    let Node::Traversal { root, steps } = tree.node(id) else { return None };
    let root = tree.name(root);
    let StepKind::Attribute(name) = tree.steps(steps).first()?.kind else { return None };
    let name = tree.name(name);
    program.layout().derived(root, name)?;
    Some(format!("{root}.{name}"))
}
