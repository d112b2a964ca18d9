//! Differential testing: generates expressions, evaluates each with the machine and with the tree-walker,
//! and compares the results. Rule sets are generated in `rules`, whole files in `modules`; the library's tests compare
//! them.
//!
//! ```text
//! seed, number of the case ─▶ grow ─▶ source text ─▶ tree ─┬─▶ code ─▶ machine ─┐
//!                     └─────▶ scopes ─▶ values of names ───┴───▶ tree-walker ───┴─▶ equal value, equal faults?
//! ```
//!
//! A case depends on the seed and its number alone, so that it can be run again by itself.

mod compare;
mod grow;
mod modules;
mod partial;
mod random;
mod rules;
mod scopes;
mod show;
mod shrink;

use std::fmt;
use std::ops::Range;

pub use modules::{ModuleCase, ModuleCases};
pub use partial::{PartialCase, PartialCases};
pub use rules::{RuleCase, RuleCases};

use hclvm_compiler::lower::Undefined;
use hclvm_vm::{Arena, FunctionTable, Limits, Names, Value};

use compare::{Setting, compare};
use grow::Grower;
use random::Random;
use scopes::Scopes;

/// Number of scopes that every expression is evaluated with.
const SCOPES: u32 = 4;

/// Limits of one evaluation: high enough for every generated expression except those that grow exponentially.
pub(crate) const LIMITS: Limits =
    Limits { fuel: 200_000, arena_bytes: 4 << 20, digits: 10_000, text_bytes: 1 << 20, ..Limits::UNTRUSTED };

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Expressions generated.
    pub cases: u64,
    /// Expressions that did not parse or were too large to compile.
    pub rejected: u64,
    /// Evaluations compared.
    pub evaluations: u64,
    /// Evaluations compared that had faults.
    pub faulty: u64,
    /// Evaluations compared that the fast tier completed.
    pub fast: u64,
    /// Evaluations not compared, because they exceeded a limit.
    pub exhausted: u64,
    /// Expressions with different results.
    pub different: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cases, rejected, evaluations, faulty, fast, exhausted, different } = self;
        write!(
            f,
            "{cases} expressions ({rejected} rejected), {evaluations} evaluations ({faulty} with faults, {fast} by the fast tier), {exhausted} stopped by limits, {different} differences"
        )
    }
}

/// An expression with different results.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The number of its case.
    pub case: u64,
    /// Its text.
    pub source: String,
    /// A smaller text with different results.
    pub smaller: String,
    /// The scope, the compilation settings, and both results of the smaller text.
    pub report: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "case {}: {}", self.case, self.source)?;
        writeln!(f, "smaller: {}", self.smaller)?;
        f.write_str(&self.report)
    }
}

/// Runs a range of cases. Reports every expression with different results once, with its first scope.
pub fn run(
    seed: u64,
    cases: Range<u64>,
    functions: &FunctionTable,
    tell: &mut dyn FnMut(Difference),
) -> Tally {
    let callables = grow::callables(functions);
    let names = Names::new();
    // Names in scopes have symbols from the start, so that a case alone runs as it does among others.
    names.intern(["a", "b", "deep", "k", "v", "w", "0"]);
    let mut tally = Tally::default();
    for case in cases {
        tally.cases += 1;
        let mut random = Random::new(seed, case);
        let setting = setting(&mut random, functions, &names);
        let source = Grower::new(&mut random, &callables).expression();
        let arena =
            Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED });
        let scopes: Vec<Vec<Value<'_>>> =
            (0..SCOPES).map(|_| Scopes::new(&mut random, &arena, &names).values()).collect();
        if let Some(difference) = one(case, source, &setting, &scopes, &mut tally) {
            tally.different += 1;
            tell(difference);
        }
    }
    tally
}

/// Returns the settings of a case; most use the standard dialect.
fn setting<'f>(random: &mut Random, functions: &'f FunctionTable, names: &'f Names) -> Setting<'f> {
    Setting {
        layout: random.below(40) != 0,
        functions: (random.below(40) != 0).then_some(functions),
        undefined: match random.below(20) {
            0 => Undefined::Unknown,
            1 => Undefined::Text,
            _ => Undefined::Error,
        },
        short_circuit: random.below(20) != 0,
        names,
    }
}

fn one(
    case: u64,
    source: String,
    setting: &Setting<'_>,
    scopes: &[Vec<Value<'_>>],
    tally: &mut Tally,
) -> Option<Difference> {
    let Some(compared) = compare(&source, setting, scopes) else {
        tally.rejected += 1;
        return None;
    };
    tally.evaluations += compared.evaluations;
    tally.faulty += compared.faulty;
    tally.fast += compared.fast;
    tally.exhausted += compared.exhausted;
    compared.difference?;
    let smaller = shrink::shrunk(&source, setting, scopes);
    let report = show::report(&smaller, setting, scopes);
    Some(Difference { case, source, smaller, report })
}
