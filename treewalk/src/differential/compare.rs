//! Evaluates one expression in one scope with both evaluators and compares the results.

use hclvm_compiler::locate::locate;
use hclvm_compiler::lower::{Context, Environment, Scratch, Undefined, lower, lower_baseline};
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::{Code, Failure};
use hclvm_vm::ops::equality::same;
use hclvm_vm::{Arena, Fault, FunctionTable, Layout, Names, Record, TextBuffer, Value, exec};

use super::scopes::NAMES;
use super::{LIMITS, show};
use crate::Walker;

/// Compilation settings of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'f> {
    /// Variables are allowed.
    pub(crate) layout: bool,
    pub(crate) functions: Option<&'f FunctionTable>,
    pub(crate) undefined: Undefined,
    pub(crate) short_circuit: bool,
    /// The names with symbols.
    pub(crate) names: &'f Names,
}

/// The result of comparing one expression.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    /// Evaluations compared, those with faults, and those completed by the fast tier.
    pub(crate) evaluations: u64,
    pub(crate) faulty: u64,
    pub(crate) fast: u64,
    /// Evaluations that exceeded a limit.
    pub(crate) exhausted: u64,
    /// The first scope with different results, and a description of them.
    pub(crate) difference: Option<(usize, String)>,
}

/// Evaluates `source` in each scope, given as the values of [`NAMES`], until results differ. Returns
/// `None` if it does not parse or is too large.
pub(crate) fn compare(source: &str, setting: &Setting<'_>, scopes: &[Vec<Value<'_>>]) -> Option<Compared> {
    let parsed = parse_expression(source, &ParseLimits::default());
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let layout = Layout::new(NAMES.iter().map(|(name, ..)| *name));
    let environment = Environment {
        layout: setting.layout.then_some(&layout),
        functions: setting.functions,
        undefined: setting.undefined,
        short_circuit: setting.short_circuit,
        names: setting.names,
        source,
    };
    let (scratch, mut fast) = (Scratch::default(), Fast::default());
    let context = Context {
        tree: &parsed.tree,
        first: NodeId(0),
        root: parsed.root,
        environment: &environment,
        resolution: None,
        folded: None,
        scratch: &scratch,
    };
    lower(&context, &mut fast).ok()?;
    let code = lower_baseline(&context).ok()?;
    let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
    let mut compared = Compared::default();
    for (at, values) in scopes.iter().enumerate() {
        match one(&parsed.tree, &fast, &code, &walker, values) {
            Verdict::Exhausted => compared.exhausted += 1,
            Verdict::Same { faulty, fast } => {
                compared.evaluations += 1;
                compared.faulty += u64::from(faulty);
                compared.fast += u64::from(fast);
            }
            Verdict::Different(results) => {
                compared.difference = Some((at, results));
                break;
            }
        }
    }
    Some(compared)
}

/// The result of comparing one scope.
enum Verdict {
    Exhausted,
    Same { faulty: bool, fast: bool },
    Different(String),
}

fn one(tree: &Tree, fast: &Fast, code: &Code, walker: &Walker<'_>, values: &[Value<'_>]) -> Verdict {
    let [fast_arena, full_arena, walker_arena, judge] = std::array::from_fn(|_| Arena::with_limits(LIMITS));
    let fast = exec::run_fast(fast, || exec::Frame::new(values), &fast_arena, &mut TextBuffer::default());
    let full = exec::run(code, values, &full_arena);
    let walked = walker.run(values, &walker_arena);
    if full.exhausted.is_some() || walked.exhausted.is_some() {
        return Verdict::Exhausted;
    }
    let fast_agrees = fast.is_none_or(|value| walked.faults.is_empty() && same(&judge, value, walked.value));
    let full_agrees =
        same(&judge, full.value, walked.value) && same_faults(tree, full.faults, &walked.faults);
    if fast_agrees && full_agrees {
        return Verdict::Same { faulty: !walked.faults.is_empty(), fast: fast.is_some() };
    }
    if judge.budget().exhausted().is_some() {
        return Verdict::Exhausted;
    }
    let mut results = String::new();
    if let Some(value) = fast {
        results += &show::outcome("fast tier", value, &[]);
    }
    results += &show::outcome("baseline tier", full.value, full.faults);
    results += &show::outcome("walker", walked.value, &walked.faults);
    Verdict::Different(results)
}

/// Returns true if both have equal faults in equal order: title, detail and source position.
fn same_faults(tree: &Tree, a: &[Record<'_>], b: &[Record<'_>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            let located = |record: &Record<'_>| locate(tree, NodeId(record.node), record.place);
            a.node == b.node
                && located(a) == located(b)
                && a.fault.title() == b.fault.title()
                && sentences(&a.fault) == sentences(&b.fault)
        })
}

/// Returns the sentences of a fault. Those about a variable that does not exist have no proposal: the machine finds
/// similar names of the layout when a fault is reported, the tree-walker when it happens.
fn sentences(fault: &Fault<'_>) -> String {
    let detail = fault.detail();
    let is_of_variable =
        matches!(fault, Fault::Failure(Failure::UnknownVariable { .. }) | Fault::NoneSucceeded(_));
    let lines = detail.lines().map(|line| match line.split_once(" Did you mean ") {
        Some((found, _)) if is_of_variable => found,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}
