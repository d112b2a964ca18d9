//! Sets of rules grown from random numbers, many of which have parts in common.

use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::arena::Arena;
use hclvm_vm::function::FunctionTable;
use hclvm_vm::limits::Limits;
use hclvm_vm::name::Names;
use hclvm_vm::value::OwnedValue;

use super::grow::{Callable, Grower, callables};
use super::random::Random;
use super::scopes::{NAMES, Scopes};

/// Rules, and what they are evaluated with.
#[derive(Clone, Debug)]
pub struct RuleCase {
    /// Their texts.
    pub sources: Vec<String>,
    /// The values of [`RuleCases::names`] in order.
    pub scopes: Vec<Vec<OwnedValue>>,
}

/// What cases are made of.
#[derive(Debug)]
pub struct RuleCases {
    callables: Vec<Callable>,
    names: Names,
}

/// Scopes that every set is evaluated with.
const SCOPES: u32 = 3;

impl RuleCases {
    /// Cases whose rules call these functions.
    pub fn new(functions: &FunctionTable) -> Self {
        Self { callables: callables(functions), names: Names::new() }
    }

    /// The names that rules use as variables.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, ..)| *name)
    }

    /// A case, which depends on the seed and its number only.
    pub fn case(&self, seed: u64, case: u64) -> RuleCase {
        let mut random = Random::new(seed, case);
        let count = if random.percent(3) { 60 } else { 1 + random.below(10) };
        let mut sources: Vec<String> = Vec::new();
        for _ in 0..count {
            let source = match random.below(10) {
                4.. if !sources.is_empty() => related(&mut random, &sources),
                _ => Grower::new(&mut random, &self.callables).expression(),
            };
            sources.push(source);
        }
        let arena =
            Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED });
        let scopes = (0..SCOPES).map(|_| {
            let values = Scopes::new(&mut random, &arena, &self.names).values();
            values.into_iter().map(OwnedValue::new).collect()
        });
        RuleCase { scopes: scopes.collect(), sources }
    }
}

/// Where `_` and `~` stand for parts of other rules.
const SHAPES: &[&str] = &[
    "_",
    "_",
    "(_)",
    "[_, _]",
    "[_, ~]",
    "(_) == (~)",
    "(_) != (_)",
    "b ? _ : ~",
    "q ? [_] : [~]",
    "(_) ? 1 : 2",
    "(_) && (~)",
    "(~) || !(_)",
    "\"${_}\"",
    "\"-${_}${~}\"",
    "(_) + 1",
    "(_) * 2 > (~)",
    "-(_)",
    "(_).a",
    "(_)[0]",
    "(_)[*].b",
    "upper(_)",
    "length(_)",
    "try(_, ~)",
    "can(_)",
    "{x = _, y = ~}",
    "[for n in ln : _]",
    "[for x in _ : x]",
    "[for n in ls : n if _]",
    "{for k, s in ms : k => _}",
    "(_) == \"a\" ? 1 : (_) == \"b\" ? 2 : 3",
    "(_) == \"a\" ? ~ : \"k\"",
];

/// A rule with parts of rules before it.
fn related(random: &mut Random, sources: &[String]) -> String {
    let (one, other) = (part(random, sources), part(random, sources));
    let shape = random.pick(SHAPES);
    shape.replace('_', "\u{1}").replace('~', "\u{2}").replace('\u{1}', &one).replace('\u{2}', &other)
}

/// A part of a rule, or all of it.
fn part(random: &mut Random, sources: &[String]) -> String {
    let source = &sources[random.below(sources.len() as u32) as usize];
    let tree = parse_expression(source, &ParseLimits::default()).tree;
    let span = tree.span(NodeId(random.below(tree.len() as u32)));
    let text = span.slice(source);
    if text.is_empty() || random.percent(30) { source.clone() } else { text.to_owned() }
}
