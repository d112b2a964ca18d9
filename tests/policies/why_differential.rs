//! Explanations of generated rules: the conditions that decide flip the result if they are negated, and of marked
//! values nothing is reported.
//!
//! Rules are generated in `hclvm_treewalk::differential`. Of each set some rules are connected, because most generated
//! rules are no bools. Single explanations are in tests/policies/why.
#![expect(clippy::print_stdout, reason = "a longer run shows what it checked")]

use std::sync::Arc;

use hclvm::policy::{Branches, PolicySpec};
use hclvm::show::line;
use hclvm::value::{Arena, marks_from};
use hclvm::why::{Explained, Outcome, Why};
use hclvm::{Engine, Layout, Limits, OwnedValue, Program, Scope, Session};
use hclvm_treewalk::differential::{RuleCase, RuleCases};

/// Enough for most pairs of constructs, and fast enough without optimization.
const SETS: u64 = 500;

/// The counts of a run.
#[derive(Debug, Default)]
struct Tally {
    sets: u64,
    explained: u64,
    /// Explanations of a result that is true or false.
    bools: u64,
    /// Of these, those whose result flips; in the others a condition is null, unknown or has an error.
    flipped: u64,
    /// Pairs of explanations with different marked values.
    secrets: u64,
    /// Explanations of recorded branches.
    recorded: u64,
}

struct Checker {
    engine: Engine,
    layout: Arc<Layout>,
    session: Session,
}

#[test]
fn conditions_that_decide_flip_the_result() {
    let sets = std::env::var("HCLVM_WHY").ok().and_then(|sets| sets.parse().ok()).unwrap_or(SETS);
    let tally = check(sets);
    println!("{tally:?}");
    assert!(
        tally.flipped > sets && tally.secrets > sets / 2 && tally.recorded > sets / 4,
        "the rules exercise the property: {tally:?}"
    );
}

fn check(sets: u64) -> Tally {
    let limits = Limits { fuel: 200_000, arena_bytes: 4 << 20, ..Limits::untrusted() };
    let engine = Engine::builder().limits(limits).build();
    let functions = hclvm::functions::standard();
    let cases = RuleCases::new(&functions);
    let layout = Arc::new(Layout::new(RuleCases::names()));
    let session = engine.session();
    let mut checker = Checker { engine, layout, session };
    let mut tally = Tally::default();
    for number in 0..sets {
        let case = cases.case(7, number);
        if let Err(report) = checker.set(&case, number, &mut tally) {
            panic!("set {number}: {report}");
        }
        tally.sets += 1;
        if tally.sets % 20_000 == 0 {
            println!("{tally:?}");
        }
    }
    tally
}

/// Connects rules, which are the operands `_`.
const SHAPES: [&str; 6] =
    ["_ && _", "_ || _", "!_ || _ && _", "_ ? _ : _", "[for x in [1, 2] : x if _ || x > 1] == [2]", "_ == _"];

impl Checker {
    fn set(&mut self, case: &RuleCase, number: u64, tally: &mut Tally) -> Result<(), String> {
        let values = &case.scopes[0];
        let scope = self.scope(values, None);
        let mut bools = Vec::new();
        for source in &case.sources {
            if self.rule(source, &scope, tally)? {
                bools.push(source.as_str());
            }
        }
        bools.extend(["b", "n > 1"]);
        let mut next = usize::try_from(number).unwrap_or(0);
        for shape in SHAPES {
            let mut text = String::new();
            for part in shape.split_inclusive('_') {
                next = next.wrapping_mul(31).wrapping_add(17);
                let operand = bools[next % bools.len()];
                text += &part.replace('_', &format!("({operand})"));
            }
            self.rule(&text, &scope, tally)?;
            if next.is_multiple_of(4) {
                self.recorded(&text, &scope, tally)?;
            }
            self.secrets(&text, [values, &case.scopes[1]], next, tally)?;
        }
        Ok(())
    }

    fn scope(&self, values: &[OwnedValue], marked: Option<(usize, &OwnedValue)>) -> Scope {
        let mut scope = self.engine.scope(&self.layout);
        let arena = Arena::new();
        for (at, (name, value)) in RuleCases::names().zip(values).enumerate() {
            let secret = marked.filter(|(marked, _)| *marked == at).map(|(_, value)| value);
            if is_unset(value) {
                continue;
            }
            let value = secret.unwrap_or(value).get();
            let value = match secret {
                Some(_) => value.with_marks(&arena, marks_from(&arena, &["sensitive"])),
                None => value,
            };
            scope.set_value(name, value).expect("it is small");
        }
        scope
    }

    fn compile(&self, text: &str) -> Option<Program> {
        self.engine.compile(text, &self.layout).ok()
    }

    /// Explains a rule. Returns true if its result is a bool.
    fn rule(&mut self, text: &str, scope: &Scope, tally: &mut Tally) -> Result<bool, String> {
        let Some(program) = self.compile(text) else { return Ok(false) };
        let Ok(why) = self.session.why(&program, scope) else { return Ok(false) };
        tally.explained += 1;
        if let Ok(value) = self.session.run(&program, scope)
            && line(value) != why.result()
        {
            return Err(format!("{text}: {} is not {}", line(value), why.result()));
        }
        let Some(is) = why.root().outcome.as_bool() else { return Ok(false) };
        tally.bools += 1;
        let deciding = why.deciding();
        if deciding.is_empty() {
            return Err(format!("{text}: nothing decides\n{why}"));
        }
        let mut changed = text.to_owned();
        for condition in deciding.iter().rev() {
            // Null counts as false.
            let was = condition.outcome.as_bool().unwrap_or(false);
            let (start, end) = (condition.span.start as usize, condition.span.end as usize);
            changed.replace_range(start..end, &format!("({})", !was));
        }
        let Some(program) = self.compile(&changed) else {
            return Err(format!("{text}: {changed} does not compile\n{why}"));
        };
        let Ok(after) = self.session.why(&program, scope) else { return Ok(true) };
        match after.root().outcome.as_bool() {
            Some(after) if after != is => tally.flipped += 1,
            _ if has_others(why.root()) => {}
            _ => return Err(format!("{text}: {changed} gives {}\n{why}\n{after}", after.result())),
        }
        Ok(true)
    }

    /// Compares the explanation of a rule's recorded branches with one that evaluates again.
    fn recorded(&mut self, text: &str, scope: &Scope, tally: &mut Tally) -> Result<(), String> {
        let rule = format!("rule \"r\" {{\n  when   = {text}\n  effect = \"allow\"\n}}\n");
        let Ok(module) = self.engine.parse("p.hcl", &rule).and_then(|document| document.module()) else {
            return Ok(());
        };
        let policy = module.policy(&PolicySpec::default()).map_err(|error| error.to_string())?;
        let mut own = module.scope();
        for name in RuleCases::names() {
            if let Some(value) = scope.get(name).filter(|_| own.has(name)) {
                own.set_value(name, value).expect("it is small");
            }
        }
        let Ok(decision) = policy.decide(&mut self.session, &own) else { return Ok(()) };
        let recorder = decision.recorder();
        let (Ok(branches), Ok(observed)) =
            (recorder.record(&mut self.session), policy.why(&mut self.session, &own))
        else {
            return Ok(());
        };
        let read: Branches = branches.to_string().parse().map_err(|_| format!("{text}: {branches}"))?;
        let recorded = policy.explain(&read).map_err(|error| error.to_string())?;
        tally.recorded += 1;
        let [one, other] = [&recorded, &observed].map(|why| why.rules()[0].condition().root());
        if read == branches && is_alike(one, other, text.contains("for ") || text.contains('*')) {
            Ok(())
        } else {
            Err(format!("{text}: {branches}\n{recorded:#}\n{observed:#}"))
        }
    }

    /// Explains a rule with two values of a marked variable.
    fn secrets(
        &mut self,
        text: &str,
        scopes: [&[OwnedValue]; 2],
        at: usize,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let Some(program) = self.compile(text) else { return Ok(()) };
        let at = at % scopes[0].len();
        if scopes.iter().any(|values| is_unset(&values[at])) {
            return Ok(());
        }
        let mut explain = |secret: &OwnedValue| -> Option<(String, Why)> {
            let scope = self.scope(scopes[0], Some((at, secret)));
            let value = self.session.run(&program, &scope).ok().map(line)?;
            Some((value, self.session.why(&program, &scope).ok()?))
        };
        let (Some((one, first)), Some((other, second))) = (explain(&scopes[0][at]), explain(&scopes[1][at]))
        else {
            return Ok(());
        };
        if one != other {
            return Ok(());
        }
        tally.secrets += 1;
        let [first, second] = [first, second].map(|why| serde_json::to_string(&why).expect("it is data"));
        if first == second { Ok(()) } else { Err(format!("{text}: variable {at}\n{first}\n{second}")) }
    }
}

fn is_unset(value: &OwnedValue) -> bool {
    format!("{:?}", value.get()) == "unset"
}

/// Returns true if a condition is neither true nor false: the result may depend on it after others changed.
fn has_others(condition: &Explained) -> bool {
    let is_other = condition.outcome.as_bool().is_none() && condition.outcome != Outcome::Sensitive;
    is_other || condition.parts.iter().any(has_others)
}

/// Returns true if a recorded condition is explained as one that was observed. Recorded loops have no counts, so that
/// other conditions may decide if there is one element.
fn is_alike(recorded: &Explained, observed: &Explained, has_loops: bool) -> bool {
    let outcome = match (recorded.outcome, observed.outcome) {
        (Outcome::Some(were), Outcome::Each(counts)) => has_loops && were == counts.map(|count| count > 0),
        (Outcome::Some(were), Outcome::Once(truth)) => {
            has_loops && were[truth as usize] && were.iter().filter(|was| **was).count() == 1
        }
        (one, other) => one == other,
    };
    let same = |one: &Explained| (one.kind, one.usage, one.span, one.needed, one.parts.len());
    let mut parts = recorded.parts.iter().zip(&observed.parts);
    outcome
        && same(recorded) == same(observed)
        && recorded.text == observed.text
        && (has_loops || recorded.decides == observed.decides)
        && recorded.values.is_empty()
        && parts.all(|(one, other)| is_alike(one, other, has_loops))
}
