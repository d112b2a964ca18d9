//! Rule sets whose rules have most of their parts in common: parts are drawn from a small pool and used
//! again, unchanged or with another operator, operand or constant. Each rule has the result that it has
//! alone on the baseline tier and in the tree-walker, functions with side effects are called as often as
//! without common subexpressions, and pure ones are called less often. Sets of arbitrary rules are in
//! rule_differential.rs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hclvm::functions::FunctionTable;
use hclvm::run::{RuleSet, Tier};
use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, Layout, Program, Scope, Session, Undefined, Value, function};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_treewalk::Walker;
use hclvm_vm::Names;
use hclvm_vm::ops::equality::same;

const SETS: u64 = 400;
const NAMES: [&str; 6] = ["o", "n", "f", "l", "os", "late"];

/// The calls of the functions that rules call.
#[derive(Clone, Default)]
struct Calls {
    pure: Arc<AtomicU64>,
    impure: Arc<AtomicU64>,
}

impl Calls {
    fn table(&self) -> FunctionTable {
        let mut table = hclvm::functions::standard();
        let counted = |name: &'static str, count: &Arc<AtomicU64>| {
            let count = Arc::clone(count);
            function(name, ["number"], move |number: hclvm::value::Number| {
                count.fetch_add(1, Ordering::Relaxed);
                number
            })
        };
        table.insert("pure", counted("pure", &self.pure));
        table.insert("impure", counted("impure", &self.impure).impure());
        table
    }

    /// Returns the numbers of calls since the last time, of pure and impure functions.
    fn take(&self) -> [u64; 2] {
        [&self.pure, &self.impure].map(|count| count.swap(0, Ordering::Relaxed))
    }
}

/// A xorshift generator of texts.
struct Generator {
    state: u64,
    numbers: Vec<String>,
    texts: Vec<String>,
    conditions: Vec<String>,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let state = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self { state, numbers: Vec::new(), texts: Vec::new(), conditions: Vec::new() }
    }

    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from((self.state >> 20) % end as u64).unwrap_or(0)
    }

    fn pick(&mut self, from: &[&str]) -> String {
        from[self.below(from.len())].to_owned()
    }

    /// Returns a text with one detail replaced by another.
    fn varied(&mut self, text: &str) -> String {
        const DETAILS: &[(&str, &str)] = &[
            (" + ", " - "),
            (" - ", " + "),
            (" % ", " / "),
            (" / ", " % "),
            (" * ", " + "),
            (" 3", " 4"),
            ("o.a", "o.b"),
            ("o.b", "o.a"),
            ("o.s", "o.t"),
            ("upper", "lower"),
            ("max", "min"),
            ("[*].x", "[*].y"),
            ("[*].y", "[*].x"),
            ("l[0]", "l[1]"),
            ("\"A\"", "\"B\""),
            (" && ", " || "),
            (" || ", " && "),
            (" < ", " <= "),
        ];
        let first = self.below(DETAILS.len());
        let mut details = (0..DETAILS.len()).map(|at| DETAILS[(first + at) % DETAILS.len()]);
        let found = details.find(|(detail, _)| text.contains(detail));
        found.map_or_else(|| text.to_owned(), |(detail, other)| text.replacen(detail, other, 1))
    }

    /// Returns a part of the pool, perhaps varied, or a new one.
    fn part(
        &mut self,
        pool: impl Fn(&mut Self) -> &mut Vec<String>,
        new: impl FnOnce(&mut Self) -> String,
    ) -> String {
        let count = pool(self).len();
        if count > 0 && self.below(100) < 65 {
            let at = self.below(count);
            let known = pool(self)[at].clone();
            return if self.below(4) == 0 { self.varied(&known) } else { known };
        }
        let text = new(self);
        if count < 5 {
            pool(self).push(text.clone());
        }
        text
    }

    fn number(&mut self, depth: usize) -> String {
        self.part(|all| &mut all.numbers, |all| all.new_number(depth))
    }

    fn new_number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&[
                "o.a",
                "o.b",
                "n",
                "l[0]",
                "l[1]",
                "o.deep.x",
                "3",
                "late",
                "(os[*].x)[0]",
                "(os[*].y)[1]",
            ]);
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        let op = self.pick(&["+", "-", "*", "/", "%"]);
        let k = self.pick(&["2", "3", "4", "7"]);
        match self.below(18) {
            0..=2 => format!("({a} {op} {b})"),
            3 => format!("({a} {op} {k})"),
            4 => format!("floor({a} {op} {b} * 1.5)"),
            5 => format!("ceil({a} / {k})"),
            6 => format!("({k} {op} {a})"),
            7 => format!("-({a})"),
            8 => format!("max({a}, {b})"),
            9 | 10 => format!("pure({a})"),
            11 => format!("impure({a})"),
            12 => format!("({} ? {a} : {b})", self.condition(depth - 1)),
            13 => format!("[{a}, {b}][1]"),
            14 => format!("{{x = {a}, y = {b}}}.x"),
            15 => format!("length([for v in l : v + {a}])"),
            16 => format!("try({a}, {b})"),
            _ => format!("length(\"${{{a}}}-${{{b}}}\") "),
        }
        .replace("length(\"", "strlen(\"")
    }

    fn text(&mut self, depth: usize) -> String {
        self.part(|all| &mut all.texts, |all| all.new_text(depth))
    }

    fn new_text(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["o.s", "o.t", "\"A\""]);
        }
        let (a, n) = (self.text(depth - 1), self.number(depth - 1));
        match self.below(6) {
            0 | 1 => format!("upper({a})"),
            2 => format!("\"${{{a}}}-${{{n}}}\""),
            3 => format!("\"${{{n}}}${{{a}}}.\""),
            4 => format!("({} ? {a} : {})", self.condition(depth - 1), self.text(depth - 1)),
            _ => format!("\"%{{ for v in l }}${{v}}${{{a}}}%{{ endfor }}\""),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        self.part(|all| &mut all.conditions, |all| all.new_condition(depth))
    }

    fn new_condition(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["f", "o.f", "o.s == \"A\"", "n > 3", "o.a < o.b"]);
        }
        let (a, b) = (self.number(depth - 1), self.number(depth - 1));
        match self.below(7) {
            0 => format!("({a} {} {b})", self.pick(&["<", "<=", ">", ">=", "==", "!="])),
            1 => format!("({} == \"A\")", self.text(depth - 1)),
            2 => format!("({} == {})", self.text(depth - 1), self.text(depth - 1)),
            3 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            4 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            5 => format!("!({})", self.condition(depth - 1)),
            _ => format!("contains(l, {a})"),
        }
    }

    fn rule(&mut self) -> String {
        let depth = 1 + self.below(2);
        match self.below(9) {
            0 | 1 => self.number(depth),
            2 => self.text(depth),
            3 | 4 => self.condition(depth),
            5 => format!("[{}, {}, {}]", self.number(depth), self.text(depth), self.number(depth)),
            6 => format!("{{a = {}, b = {}}}", self.number(depth), self.condition(depth)),
            7 => {
                let arms: Vec<String> = ["A", "B", "C", "x"]
                    .iter()
                    .map(|text| format!("o.s == \"{text}\" ? {}", self.number(1)))
                    .collect();
                format!("{} : {}", arms.join(" : "), self.number(1))
            }
            _ => format!("{} ? {} : {}", self.condition(depth), self.number(depth), self.number(depth)),
        }
    }
}

/// Returns scopes of which most give results and some unknown, marked or null values, or faults.
fn scopes(engine: &Engine, layout: &Arc<Layout>) -> Vec<Scope> {
    let base = |text: &str| {
        let mut scope = engine.scope(layout);
        scope.set_all_json(text.as_bytes()).expect("JSON");
        scope
    };
    let first = base(
        r#"{"o": {"a": 7, "b": 2, "s": "A", "t": "b", "f": true, "deep": {"x": 12}}, "n": 4, "f": false,
            "os": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "l": [3, 7, 5], "late": 1}"#,
    );
    let second = base(
        r#"{"o": {"a": 0, "b": -9223372036854775808, "s": "x", "t": "A", "f": false, "deep": {"x": 0.5}}, "n": 3,
            "f": true, "os": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "l": [0, 9223372036854775807], "late": -3}"#,
    );
    let mut unknown = first.fork();
    unknown.set_unknown("late");
    let mut marked = first.fork();
    marked
        .build("n", |arena| Ok(Value::int(5).with_marks(arena, marks_from(arena, &["sensitive"]))))
        .expect("it is small");
    let mut missing = first.fork();
    missing.unset("late");
    let faulty = base(
        r#"{"o": {"a": 1, "b": 2, "s": null, "t": "B", "f": true, "deep": {}}, "n": null, "f": true, "os": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "l": [1, 2],
            "late": "text"}"#,
    );
    vec![first, second, unknown, marked, missing, faulty]
}

/// Asserts that the tree-walker has the value and the number of errors.
fn assert_walked(
    program: &Program,
    functions: &FunctionTable,
    scope: &Scope,
    value: Value<'_>,
    errors: usize,
) {
    let source: &str = program.source().text();
    let parsed = parse_expression(source, &ParseLimits::default());
    let environment = Environment {
        layout: Some(scope.layout()),
        functions: Some(functions),
        undefined: Undefined::Error,
        short_circuit: true,
        names: &Names::default(),
        source,
    };
    let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
    let values: Vec<Value<'_>> = NAMES.iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect();
    let (arena, judge) = (Arena::new(), Arena::new());
    let walked = walker.run(&values, &arena);
    assert!(same(&judge, walked.value, value), "{source}: {value:?}, the tree-walker: {:?}", walked.value);
    assert_eq!(walked.faults.len(), errors, "{source}");
}

struct Runner {
    calls: Calls,
    engine: Engine,
    layout: Arc<Layout>,
    session: Session,
    alone: Session,
    baseline: Session,
}

impl Runner {
    fn new() -> Self {
        let calls = Calls::default();
        let engine = Engine::builder().functions(calls.table()).build();
        let [session, alone, mut baseline] = [(); 3].map(|()| engine.session());
        baseline.set_tier(Tier::Baseline);
        Self { calls, layout: Arc::new(Layout::new(NAMES)), engine, session, alone, baseline }
    }

    /// Runs rules together and alone. Returns the numbers of pure calls in both.
    fn check(
        &mut self,
        sources: &[String],
        rules: &RuleSet,
        scope: &Scope,
        table: &FunctionTable,
    ) -> [u64; 2] {
        self.calls.take();
        let mut expected = Vec::new();
        for program in rules.programs() {
            let found = self.alone.evaluate(program, scope).expect("it is small");
            expected.push(format!("{:?} {}", found.value, found.diagnostics));
        }
        let [pure_alone, impure_alone] = self.calls.take();
        let results = self.session.run_rules(rules, scope).expect("they are small");
        let [pure, impure] = self.calls.take();
        assert_eq!(impure, impure_alone, "impure calls of {sources:#?}");
        for (at, (result, expected)) in results.iter().zip(&expected).enumerate() {
            let (program, value) = (&rules.programs()[at], results.values()[at]);
            let diagnostics = result.err().map_or_else(String::new, ToString::to_string);
            let found = format!("{value:?} {diagnostics}");
            assert_eq!(found, *expected, "rule {at} {} among {sources:#?}", sources[at]);
            let full = self.baseline.evaluate(program, scope).expect("it is small");
            let judge = Arena::new();
            assert!(same(&judge, full.value, value), "rule {at} {}: {:?}", sources[at], full.value);
            assert_eq!(full.diagnostics.to_string(), diagnostics, "rule {at} {}", sources[at]);
            let errors = full.diagnostics.iter().count();
            assert_walked(program, table, scope, full.value, errors);
        }
        [pure, pure_alone]
    }
}

#[test]
fn rules_with_common_parts_give_equal_results_together_and_alone() {
    let mut runner = Runner::new();
    let table = runner.calls.table();
    let scopes = scopes(&runner.engine, &runner.layout);
    let (mut calling, mut sharing) = (0, 0);
    for seed in 0..SETS {
        let mut generator = Generator::new(seed);
        let sources: Vec<String> = (0..8).map(|_| generator.rule()).collect();
        let programs = sources.iter().map(|source| {
            runner.engine.compile(source, &runner.layout).unwrap_or_else(|error| panic!("{source}: {error}"))
        });
        let rules = RuleSet::new(programs.collect::<Vec<_>>()).expect("they are of one layout");
        for scope in &scopes {
            let [together, alone] = runner.check(&sources, &rules, scope, &table);
            assert!(together <= alone, "{sources:#?}");
            calling += u64::from(alone > 1);
            sharing += u64::from(together < alone);
        }
    }
    assert!(sharing * 2 > calling && calling > SETS, "{sharing} of {calling} sets with calls share one");
}
