//! Grown rule sets: together, rules give what each gives alone.
//!
//! Rules are made of grown expressions and of each other, so that they have much in common, and most of
//! them are such that the fast body takes them to the end: a set goes on together until one does not.

use std::fmt;
use std::ops::Range;

use hclvm_compiler::lower::{Environment, Scratch, Undefined, lower, lower_full};
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::arena::Arena;
use hclvm_vm::code::Code;
use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::link::link;
use hclvm_vm::exec;
use hclvm_vm::function::FunctionTable;
use hclvm_vm::limits::Limits;
use hclvm_vm::name::Names;
use hclvm_vm::ops::equality::same;
use hclvm_vm::scope::Layout;
use hclvm_vm::value::{TextBuffer, Value};

use super::grow::{Callable, Grower, callables};
use super::random::Random;
use super::scopes::{NAMES, Scopes};
use super::{LIMITS, SCOPES, show};

/// The most rules of a set.
const MOST_RULES: u32 = 40;

/// What a run over rule sets has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesTally {
    /// Sets grown.
    pub sets: u64,
    /// Of these, the ones whose rules share something.
    pub sharing: u64,
    /// Results compared.
    pub results: u64,
    /// Of these, the ones that the full body gave.
    pub full: u64,
    /// Results that differ.
    pub different: u64,
}

impl fmt::Display for RulesTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sets, sharing, results, full, different } = self;
        write!(
            f,
            "{sets} rule sets ({sharing} share something), {results} results ({full} of the full body), {different} differences"
        )
    }
}

/// A rule with what it was compiled to.
struct Rule {
    source: String,
    fast: Option<Fast>,
    full: Code,
}

/// Grows and runs the sets of a range; tells every result that differs.
pub fn run_rules(
    seed: u64,
    sets: Range<u64>,
    functions: &FunctionTable,
    tell: &mut dyn FnMut(String),
) -> RulesTally {
    let callables = callables(functions);
    let names = Names::new();
    names.intern(["a", "b", "deep", "k", "v", "w", "0"]);
    let mut tally = RulesTally::default();
    for set in sets {
        let mut random = Random::new(seed, set);
        let arena =
            Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED });
        let scopes: Vec<Vec<Value<'_>>> =
            (0..SCOPES).map(|_| Scopes::new(&mut random, &arena, &names).values()).collect();
        let rules = grown(&mut random, &callables, functions, &names, &scopes[0]);
        tally.sets += 1;
        let mut sharing = false;
        for values in &scopes {
            compare(&rules, values, &mut tally, &mut sharing, &mut |report| {
                tell(format!("set {set}, {report}"));
            });
        }
        tally.sharing += u64::from(sharing);
    }
    tally
}

/// Rules most of which the fast body takes to the end with these values.
fn grown(
    random: &mut Random,
    callables: &[Callable],
    functions: &FunctionTable,
    names: &Names,
    values: &[Value<'_>],
) -> Vec<Rule> {
    let count = 2 + random.below(MOST_RULES - 1);
    let mut rules: Vec<Rule> = Vec::new();
    for _ in 0..4 * count {
        let source = if !rules.is_empty() && random.percent(50) {
            made_of_others(random, &rules)
        } else {
            Grower::new(random, callables).expression()
        };
        let Some(rule) = compiled(source, functions, names) else { continue };
        let arena = Arena::with_limits(LIMITS);
        let frame = exec::Frame::new(values);
        let goes_on = rule
            .fast
            .as_ref()
            .is_some_and(|fast| exec::run_fast(fast, frame, &arena, &mut TextBuffer::default()).is_some());
        if goes_on || random.percent(3) {
            rules.push(rule);
        }
        if rules.len() == count as usize {
            break;
        }
    }
    rules
}

/// What many rules have in common.
const PARTS: &[&str] = &[
    "o.a",
    "o.b",
    "o.deep",
    "o.deep.v",
    "o.deep.w",
    "u[0].a",
    "u[1].deep.v",
    "t[1]",
    "mo.a.b",
    "mn[\"k\"]",
    "lo[*].a",
    "upper(o.a)",
    "upper(s)",
    "upper(b ? s : r)",
    "max(n, m)",
    "max(o.b, n)",
    "max(b ? n : m, 1)",
    "length(ls)",
    "(q ? o : u[0]).b",
    "-n",
    "n * 2",
    "n * m",
    "(b ? 1 : 2) * m",
    "o.b % 7",
];

/// A rule out of parts and of other rules.
fn made_of_others(random: &mut Random, rules: &[Rule]) -> String {
    let mut part = || {
        if random.percent(80) {
            random.pick(PARTS)
        } else {
            &rules[random.below(rules.len() as u32) as usize].source
        }
    };
    let [a, b, c] = [part(), part(), part()];
    match random.below(18) {
        0 => a.to_owned(),
        1 => format!("[{a}, {b}]"),
        2 => format!("({a}) == ({b})"),
        3 => format!("({a}) == null ? 1 : 2"),
        4 => format!("b ? ({a}) : ({b})"),
        5 => format!("q && ({a}) == 1 || ({b}) == \"a\""),
        6 => format!("\"${{{a}}}-${{{b}}}-${{o.a}}\""),
        7 => format!("try({a}, {b})"),
        8 => format!("{{x = {a}, y = {b}}}"),
        9 => format!("[for x in ls : ({a})]"),
        10 => format!("length([{a}, {b}]) + n"),
        11 => format!("o.a == \"k\" ? ({a}) : o.a"),
        12 => format!("({a}) > 1 && o.deep.v || ({b}) < 2"),
        13 => format!("[(q ? ({a}) : ({b})) == ({c}), {a}]"),
        14 => format!("max((b ? ({a}) : ({b})), {c})"),
        15 => format!("b && q || o.deep.v && ({a}) == ({b}) ? \"${{{c}}}!\" : s"),
        16 => format!("({a}) + ({b}) * ({c}) > 3.5"),
        _ => format!(
            "o.a == \"a\" ? 1 : o.a == \"b\" ? ({a}) : o.a == \"k\" ? ({b}) : o.a == \"v\" ? 3 : ({c})"
        ),
    }
}

fn compiled(source: String, functions: &FunctionTable, names: &Names) -> Option<Rule> {
    let parsed = parse_expression(&source, &ParseLimits::default());
    if !parsed.diagnostics.is_empty() || source.len() > 4_000 {
        return None;
    }
    let layout = Layout::new(NAMES.iter().map(|(name, ..)| *name));
    let environment = Environment {
        layout: Some(&layout),
        functions: Some(functions),
        undefined: Undefined::Error,
        short_circuit: true,
        names,
        source: &source,
    };
    let (scratch, mut fast) = (Scratch::default(), Some(Fast::default()));
    lower(&parsed.tree, NodeId(0), parsed.root, &environment, None, &scratch, &mut fast).ok()?;
    let full = lower_full(&parsed.tree, NodeId(0), parsed.root, &environment).ok()?;
    Some(Rule { source, fast, full })
}

fn compare(
    rules: &[Rule],
    values: &[Value<'_>],
    tally: &mut RulesTally,
    sharing: &mut bool,
    tell: &mut dyn FnMut(String),
) {
    let streams = link(rules.iter().map(|rule| rule.fast.as_ref()));
    *sharing |= streams.iter().any(|stream| stream.shares());
    let budget = u64::from(MOST_RULES);
    let limits =
        Limits { fuel: LIMITS.fuel * budget, arena_bytes: LIMITS.arena_bytes * budget as usize, ..LIMITS };
    let [arena, judge] = [(); 2].map(|()| Arena::with_limits(limits));
    let mut by_full = vec![false; rules.len()];
    let together = exec::run_rules(
        &streams,
        exec::Frame::new(values),
        &arena,
        |rule| rules[rule].fast.as_ref(),
        |rule| {
            by_full[rule] = true;
            exec::run(&rules[rule].full, values, &arena).value
        },
    );
    // A limit that one of them exceeds by itself.
    let Ok(together) = together else { return };
    for ((rule, value), by_full) in rules.iter().zip(together).zip(by_full) {
        let own = Arena::with_limits(limits);
        let alone = exec::run(&rule.full, values, &own);
        tally.results += 1;
        tally.full += u64::from(by_full);
        if !same(&judge, *value, alone.value) || !by_full && !alone.faults.is_empty() {
            tally.different += 1;
            let sources: Vec<_> = rules.iter().map(|rule| rule.source.as_str()).collect();
            tell(format!(
                "rule {}\n{}{}in\n{}\n",
                rule.source,
                show::outcome("together", *value, &[]),
                show::outcome("alone", alone.value, alone.faults),
                sources.join("\n")
            ));
        }
    }
}
