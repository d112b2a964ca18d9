//! Generated modules that are specialized for some variables give the results of the original, whatever the
//! others are, and so does the text of the residual.
//!
//! `HCLVM_SPECIALIZE=cases` or `cases:seed` selects another run than the short default.
#![expect(clippy::print_stdout, reason = "a longer run shows what it compared")]

use hclvm::host::function;
use hclvm::module::{BodyValues, Module, Values};
use hclvm::run::Tier;
use hclvm::value::Arena;
use hclvm::{Engine, OwnedValue, Scope, Session, Value};
use hclvm_treewalk::differential::{PartialCase, PartialCases};
use hclvm_vm::ops::equality::same;

/// Enough for most pairs of constructs, and fast enough without optimization.
const CASES: u64 = 500;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_SPECIALIZE").unwrap_or_default();
    let (cases, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (cases.parse().unwrap_or(CASES), seed.parse().unwrap_or(1))
}

/// The counts of a run.
#[derive(Debug, Default)]
struct Tally {
    modules: u64,
    completions: u64,
    faulty: u64,
    limits: u64,
    residuals: u64,
    values: u64,
    /// Results of the baseline tier, of originals and of specialized modules.
    baseline: [u64; 2],
}

struct Bench {
    engine: Engine,
    sessions: [Session; 3],
    tally: Tally,
}

impl Bench {
    fn new() -> Self {
        let mut functions = hclvm::functions::standard();
        let tick = function("tick", ["value"], |value: Value<'_>| OwnedValue::new(value)).impure();
        functions.insert(tick.name.clone(), tick);
        let engine = Engine::builder().functions(functions).build();
        let mut sessions = [(); 3].map(|()| engine.session());
        sessions[2].set_tier(Tier::Baseline);
        Self { engine, sessions, tally: Tally::default() }
    }

    fn parse(&self, text: &str) -> Option<Module> {
        let document = self.engine.parse("generated.hcl", text).ok()?;
        document.module_for(PartialCases::names()).ok()
    }

    fn check(&mut self, case: &PartialCase) -> Result<(), String> {
        let Some(module) = self.parse(&case.text) else { return Ok(()) };
        self.tally.modules += 1;
        let known = scope(&module, |at| case.known[at].then(|| case.scopes[0][at].get()));
        let specialized = module.specialize(&known).map_err(|error| error.to_string())?;
        let text = specialized.residual().map_err(|error| error.to_string())?;
        let residual = self.parse(&text).ok_or_else(|| format!("the residual does not parse:\n{text}"))?;
        self.tally.residuals += u64::from(text != case.text);
        let mut live = specialized.follow(self.engine.session());
        for values in &case.scopes {
            let is_known = |at: usize| {
                let value = case.scopes[0][at].get();
                case.known[at] && is_set(value) && value.is_wholly_known() && !value.contains_marks()
            };
            let completion =
                |at: usize| if is_known(at) { case.scopes[0][at].get() } else { values[at].get() };
            let whole = scope(&module, |at| Some(completion(at)));
            let rest = scope(&specialized, |at| (!is_known(at)).then(|| values[at].get()));
            let original = whole.clone();
            self.compare(&module, &whole, &specialized, &rest, true)?;
            if live.update(&rest).is_ok()
                && let Ok(expected) = module.evaluate(&mut self.sessions[0], &whole)
            {
                differ(&expected, &live.values(), true).map_err(|found| format!("followed: {found}"))?;
            }
            let parsed = scope(&residual, |at| Some(completion(at)));
            self.compare(&module, &original, &residual, &parsed, false)
                .map_err(|found| format!("{found}\nresidual:\n{text}"))?;
        }
        Ok(())
    }

    /// Compares a module with one made from it. A limit may end one of the evaluations only.
    fn compare(
        &mut self,
        module: &Module,
        scope: &Scope,
        other: &Module,
        rest: &Scope,
        exactly: bool,
    ) -> Result<(), String> {
        let [original, special, baseline] = &mut self.sessions;
        let Ok(expected) = module.evaluate(original, scope) else {
            self.tally.limits += 1;
            return Ok(());
        };
        for session in [special, baseline] {
            let Ok(found) = other.evaluate(session, rest) else {
                self.tally.limits += 1;
                continue;
            };
            self.tally.completions += 1;
            self.tally.faulty += u64::from(expected.diagnostics().has_errors());
            self.tally.values += differ(&expected, &found, exactly)?;
        }
        Ok(())
    }
}

/// Compares results, and returns how many there are. A residual has its diagnostics at other places, their
/// details may quote other text, and locals that no longer read others may be evaluated in another order.
fn differ(expected: &Values<'_>, found: &Values<'_>, exactly: bool) -> Result<u64, String> {
    let (one, other) = (flat(expected), flat(found));
    let names = |list: &[(String, Value<'_>)]| list.iter().map(|it| it.0.clone()).collect::<Vec<_>>();
    if names(&one) != names(&other) {
        return Err(format!("other results: {:?} {:?}", names(&one), names(&other)));
    }
    for ((path, expected), (_, found)) in one.iter().zip(&other) {
        let judge = Arena::new();
        if !same(&judge, *expected, *found) && judge.budget().exhausted().is_none() {
            return Err(format!("{path}: expected {expected:?}, found {found:?}"));
        }
    }
    let (expected, found) = (expected.diagnostics(), found.diagnostics());
    let titles = |found: &hclvm::Diagnostics| {
        let mut titles: Vec<_> = found.iter().map(|it| it.title.clone()).collect();
        titles.sort();
        titles
    };
    let alike =
        if exactly { expected.to_string() == found.to_string() } else { titles(expected) == titles(found) };
    if alike { Ok(one.len() as u64) } else { Err(format!("expected {expected}\nfound {found}")) }
}

fn flat<'s>(values: &Values<'s>) -> Vec<(String, Value<'s>)> {
    let mut list: Vec<(String, Value<'s>)> =
        values.locals().map(|(name, value)| (format!("local.{name}"), value)).collect();
    add(values.body(), "", &mut list);
    list
}

fn add<'s>(body: BodyValues<'s>, path: &str, list: &mut Vec<(String, Value<'s>)>) {
    list.extend(body.attributes().map(|(name, value)| (format!("{path}{name}"), value)));
    for block in body.blocks() {
        let labels: Vec<&str> = block.labels().collect();
        let path = format!("{path}{}[{}].", block.kind(), labels.join(","));
        list.extend(block.pending().map(|value| (format!("{path}*"), value)));
        add(block.body(), &path, list);
    }
}

fn is_set(value: Value<'_>) -> bool {
    format!("{value:?}") != "unset"
}

/// Returns a scope with some of the variables.
fn scope<'v>(module: &Module, value: impl Fn(usize) -> Option<Value<'v>>) -> Scope {
    let mut scope = module.scope();
    for (at, name) in PartialCases::names().enumerate() {
        if let Some(value) = value(at).filter(|value| is_set(*value)) {
            scope.set_value(name, value).expect("it is small");
        }
    }
    scope
}

#[test]
fn specialized_modules_give_the_results_of_the_original() {
    let (cases, seed) = asked_for();
    let functions = hclvm::functions::standard();
    let generated = PartialCases::new(&functions);
    let mut bench = Bench::new();
    for number in 0..cases {
        let case = generated.case(seed, number);
        if let Err(difference) = bench.check(&case) {
            panic!("seed {seed}, case {number}: {difference}\nknown {:?}\n{}", known(&case), case.text);
        }
    }
    bench.tally.baseline = [0, 1].map(|at| bench.sessions[at].baseline_runs());
    let tally = bench.tally;
    let (rules, baseline) = (tally.values / 4, tally.baseline[1]);
    println!("seed {seed}: {tally:?}");
    assert!(tally.modules * 10 > cases * 9, "too few modules parse: {tally:?}");
    assert!(tally.residuals * 10 > tally.modules * 7, "too little is folded: {tally:?}");
    assert!(tally.completions > cases * 8, "too little is compared: {tally:?}");
    assert!(tally.faulty * 10 < tally.completions * 9, "nearly everything fails: {tally:?}");
    // Half of the values come from residuals, half of these in the baseline tier.
    assert!(baseline < rules, "the fast tier answers too little: {tally:?}");
}

fn known(case: &PartialCase) -> Vec<(&str, &OwnedValue)> {
    let known = PartialCases::names().zip(&case.scopes[0]).zip(&case.known);
    known.filter(|(_, known)| **known).map(|(value, _)| value).collect()
}
