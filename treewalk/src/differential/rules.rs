//! Generates rule sets with common subexpressions. `grow` generates single expressions.

use hclvm_compiler::lower::{Context, Environment, Scratch, Undefined, lower};
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::code::fast::Fast;
use hclvm_vm::code::link::{LinkedRule, link};
use hclvm_vm::exec::Frame;
use hclvm_vm::{Arena, FunctionTable, Layout, Limits, Names, OwnedValue, TextBuffer, Value, exec};

use super::LIMITS;
use super::grow::{Callable, Grower, callables};
use super::random::Random;
use super::scopes::{NAMES, Scopes};

/// A rule set with the scopes it is evaluated in.
#[derive(Clone, Debug)]
pub struct RuleCase {
    /// The source texts of the rules.
    pub sources: Vec<String>,
    /// For each scope, the values of [`RuleCases::names`] in order.
    pub scopes: Vec<Vec<OwnedValue>>,
    /// True if the machine shares a common subexpression between rules.
    pub shares: bool,
}

/// A generator of cases.
#[derive(Debug)]
pub struct RuleCases<'f> {
    functions: &'f FunctionTable,
    callables: Vec<Callable>,
    names: Names,
}

/// Number of scopes that every set is evaluated in.
const SCOPES: u32 = 3;

impl<'f> RuleCases<'f> {
    /// Creates a generator of rules that call these functions.
    pub fn new(functions: &'f FunctionTable) -> Self {
        Self { functions, callables: callables(functions), names: Names::new() }
    }

    /// Returns the names of the variables of the rules.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, ..)| *name)
    }

    /// Generates a case, which depends on the seed and its number alone. In half of the cases most rules
    /// succeed in the first scope: rules run together until one of them falls back.
    pub fn case(&self, seed: u64, case: u64) -> RuleCase {
        let mut random = Random::new(seed, case);
        let arena =
            Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED });
        let scopes: Vec<Vec<Value<'_>>> =
            (0..SCOPES).map(|_| Scopes::new(&mut random, &arena, &self.names).values()).collect();
        let (calm, many) = (random.percent(50), random.percent(10));
        let count = if many { 60 } else { 1 + random.below(10) };
        let (mut sources, mut bodies) = (Vec::new(), Vec::new());
        for _ in 0..4 * count {
            let source = match random.below(10) {
                4.. if !sources.is_empty() => related(&mut random, &sources),
                _ => Grower::new(&mut random, &self.callables).expression(),
            };
            let body = self.fast(&source);
            if !calm || random.percent(3) || goes_well(body.as_ref(), &scopes[0]) {
                sources.push(source);
                bodies.push(body);
            }
            if sources.len() == count as usize {
                break;
            }
        }
        let rules = bodies.iter().zip(1000..);
        let rules = rules.map(|(fast, position)| LinkedRule { fast: fast.as_ref(), position });
        let shares = link(rules).iter().any(|stream| stream.shares());
        let owned = |values: &Vec<Value<'_>>| values.iter().map(|value| OwnedValue::new(*value)).collect();
        RuleCase { scopes: scopes.iter().map(owned).collect(), sources, shares }
    }

    /// Returns the fast code of an expression, if it has any.
    fn fast(&self, source: &str) -> Option<Fast> {
        let parsed = parse_expression(source, &ParseLimits::default());
        if !parsed.diagnostics.is_empty() {
            return None;
        }
        let layout = Layout::new(Self::names());
        let environment = Environment {
            layout: Some(&layout),
            functions: Some(self.functions),
            undefined: Undefined::Error,
            short_circuit: true,
            names: &self.names,
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
        Some(fast).filter(|fast| !fast.is_empty())
    }
}

fn goes_well(fast: Option<&Fast>, values: &[Value<'_>]) -> bool {
    let arena = Arena::with_limits(LIMITS);
    fast.is_some_and(|fast| {
        exec::run_fast(fast, || Frame::new(values), &arena, &mut TextBuffer::default()).is_some()
    })
}

/// Subexpressions that many rules have in common.
const PARTS: &[&str] = &[
    "o.a",
    "o.b",
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
    "max(o.b, n)",
    "max(b ? n : m, 1)",
    "floor(n * 1.15 + m)",
    "length(ls)",
    "(q ? o : u[0]).b",
    "(o.a == \"k\" ? s : o.a)",
    "(b && o.deep.v ? o.b : n)",
    "-n",
    "n * m",
    "(b ? 1 : 2) * m",
];

/// Shapes of rules. `_` and `~` are replaced by parts of other rules.
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
    "ceil((_) / 4 - (~))",
    "try(_, ~)",
    "can(_)",
    "{x = _, y = ~}",
    "[for n in ln : _]",
    "[for x in _ : x]",
    "[for n in ls : n if _]",
    "{for k, s in ms : k => _}",
    "(_) == \"a\" ? 1 : (_) == \"b\" ? 2 : 3",
    "(_) == \"a\" ? ~ : \"k\"",
    "b && (_) == (~)",
    "q || (_) > 1 && (~) < 3",
    "\"${_}-${~}-${o.a}\"",
    "max(b ? (_) : (~), n)",
    "o.a == \"a\" ? 1 : o.a == \"b\" ? (_) : o.a == \"k\" ? (~) : 3",
];

/// Returns a rule with parts of earlier rules.
pub(super) fn related(random: &mut Random, sources: &[String]) -> String {
    let (one, other) = (part(random, sources), part(random, sources));
    let shape = random.pick(SHAPES);
    shape.replace('_', "\u{1}").replace('~', "\u{2}").replace('\u{1}', &one).replace('\u{2}', &other)
}

/// Returns a part of a rule, a whole rule, or a common subexpression.
fn part(random: &mut Random, sources: &[String]) -> String {
    if random.percent(50) {
        return random.pick(PARTS).to_owned();
    }
    let source = &sources[random.index(sources.len())];
    let tree = parse_expression(source, &ParseLimits::default()).tree;
    let span = tree.span(NodeId(random.below(u32::try_from(tree.len()).unwrap_or(u32::MAX))));
    let text = span.slice(source);
    if text.is_empty() || random.percent(30) { source.clone() } else { text.to_owned() }
}
