//! Every output of a file is the same whatever is marked: files are generated, and each is evaluated, explained,
//! decided, specialized and printed with pairs of contents of the marked values.
//!
//! Results may depend on the type of what is marked, and that there is an error on what is marked. Where the contents have
//! one type and the errors of both runs the same titles and places, all is equal. With other errors a value of a module
//! that differs is marked in both: that of an attribute with an error is unknown.

use std::fmt::Write as _;

use hclvm::check::Declared;
use hclvm::ingest::Ingest;
use hclvm::module::{BlockValues, BodyValues};
use hclvm::policy::{Combining, PolicySpec};
use hclvm::run::Tier;
use hclvm::show::Pretty;
use hclvm::value::marks_from;
use hclvm::{Diagnostics, Document, Engine, Json, Module, Scope, Value, from_value};
use serde_json::{Value as AnyJson, json};

use crate::influence::generated::Dice;

/// Contents of the marked values, all known.
fn contents() -> Vec<AnyJson> {
    vec![
        json!("zq7canary"),
        json!("a"),
        json!("x"),
        json!("2"),
        json!("true"),
        json!(""),
        json!(1),
        json!(0),
        json!(918_273_645),
        json!(true),
        json!(false),
        json!(null),
        json!([]),
        json!(["zq7canary"]),
        json!(["x", "y"]),
        json!({}),
        json!({"a": "zq7canary"}),
        json!({"a": 1, "b": [2]}),
        json!({"zq7name": true}),
        json!([{"a": 1}, {"a": "x"}]),
        json!([true, false]),
    ]
}

/// Texts that no output may show.
const SECRETS: [&str; 3] = ["zq7canary", "zq7name", "918273645"];

/// Returns a text for the type of a content.
fn kind(content: &AnyJson) -> String {
    match content {
        AnyJson::Null => "null".to_owned(),
        AnyJson::Bool(_) => "bool".to_owned(),
        AnyJson::Number(_) => "number".to_owned(),
        AnyJson::String(_) => "string".to_owned(),
        AnyJson::Array(items) => format!("[{}]", items.iter().map(kind).collect::<String>()),
        AnyJson::Object(entries) => entries.iter().map(|(name, value)| name.clone() + &kind(value)).collect(),
    }
}

/// What was seen in one run, by the name of the output.
#[derive(Default)]
struct Seen {
    /// Values by the places where they are.
    values: Vec<(&'static str, String)>,
    /// Other outputs.
    others: Vec<(&'static str, String)>,
    /// Outputs that only must not show what is marked.
    printed: String,
    /// The titles and places of all errors.
    errors: Vec<String>,
}

impl Seen {
    fn errors(&mut self, found: &Diagnostics) {
        self.errors.extend(found.iter().map(|one| format!("{} {:?}", one.title, one.subject)));
        let mut text = format!("{found} {found:?} {}", found.report());
        let _ = write!(text, "{}", serde_json::to_string(found).expect("they are data"));
        self.others.push(("diagnostics", text));
    }

    fn body(&mut self, body: BodyValues<'_>) {
        for (name, value) in body.attributes() {
            self.values.push(("attribute", format!("{name} {}", forms(value))));
        }
        for block in body.blocks() {
            self.values.push(("block", format!("{} {:?}", block.kind(), block.labels().collect::<Vec<_>>())));
            self.body(block.body());
        }
    }
}

/// Returns a value in all forms.
fn forms(value: Value<'_>) -> String {
    let shown = |error: &dyn std::fmt::Debug| format!("{error:?}");
    let mut text = format!("{value} {value:?} {value:#?} {}", Pretty(value));
    for json in [
        Json(value).to_string_or_error(),
        serde_json::to_string(&Json(value).lenient()).map_err(|error| error.to_string()),
    ] {
        let _ = write!(text, " {json:?}");
    }
    let _ = write!(text, " {:?}", from_value::<AnyJson>(value).map_err(|error| shown(&error)));
    text
}

/// The JSON of a value, or why it has none.
trait ToStringOrError {
    fn to_string_or_error(&self) -> Result<String, String>;
}

impl ToStringOrError for Json<'_> {
    fn to_string_or_error(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }
}

/// Sets the variables: `m` and the attribute `s` of `o` are marked.
fn fill(scope: &mut Scope, secrets: [&AnyJson; 2]) {
    for (name, value) in [("l", json!(["x", "y"])), ("p", json!("x"))] {
        if scope.has(name) {
            scope.set(name, &value).expect("it is small");
        }
    }
    for (name, ty) in [("u", hclvm::Type::Dynamic), ("ub", hclvm::Type::Bool)] {
        if scope.has(name) {
            scope.build(name, |arena| Ok(Value::unknown_of(arena, ty))).expect("it is small");
        }
    }
    let [first, second] = secrets;
    if scope.has("m") {
        scope
            .build("m", |arena| Ok(first.ingest(arena)?.with_marks(arena, marks_from(arena, &["sensitive"]))))
            .expect("it is small");
    }
    if scope.has("o") {
        let made = scope.build("o", |arena| {
            let secret = second.ingest(arena)?.with_marks(arena, marks_from(arena, &["other"]));
            let entries = [
                arena.entry("a", "x".ingest(arena)?),
                arena.entry("p", "x".ingest(arena)?),
                arena.entry("s", secret),
            ];
            Ok(Value::object(arena, arena.slice(&entries)))
        });
        made.expect("it is small");
    }
    if scope.has("tm") {
        scope.set("tm", &json!({"a": "x", "x": "y"})).expect("it is small");
    }
}

/// Every output of the attributes of a document.
fn of_attributes(document: &Document, secrets: [&AnyJson; 2]) -> Seen {
    let (engine, mut seen) = (document.engine(), Seen::default());
    let mut scope = document.scope();
    fill(&mut scope, secrets);
    // With what its engine has compiled so far, which is not compared.
    seen.printed = format!("{scope:?} {:?}", scope.fork());
    let mut batch = scope.batch();
    batch.push(&scope).expect("it is small");
    let columns = scope.columns(1);
    for attribute in document.body().attributes() {
        let program = attribute.program().expect("it is small");
        for tier in [Tier::Best, Tier::Baseline] {
            let mut session = engine.session();
            session.set_tier(tier);
            let found = session.evaluate(&program, &scope).expect("within the limits");
            seen.others.push(("session", forms(found.value)));
            seen.errors(&found.diagnostics);
            let why = session.why(&program, &scope).expect("within the limits");
            let json = serde_json::to_string(&why).expect("it is data");
            seen.others.push(("why", format!("{why} {why:?} {json} {}", why.reason())));
            let covered = session.observe(&program, &scope).expect("within the limits");
            seen.others.push(("coverage", format!("{:?}", covered.to_bytes())));
            let value = match session.run_at(&program, &batch, 0) {
                Ok(value) => forms(value),
                Err(error) => format!("{error} {error:?}"),
            };
            seen.others.push(("batch", value));
            let output = session.run_columns(&program, &columns).expect("they fit");
            seen.others.push(("columns", format!("{:?}", output.get(0))));
        }
    }
    let rules = document.body().rule_set().expect("they are small");
    let mut session = engine.session();
    let results = session.run_rules(&rules, &scope).expect("within the limits");
    for (at, result) in results.iter().enumerate() {
        let text = match result {
            Ok(value) => forms(value),
            Err(found) => format!("{found}"),
        };
        seen.others.push(("rule set", format!("{at} {text}")));
    }
    let declared = Declared::anything();
    seen.others.push(("check", document.check(&declared).to_string()));
    seen
}

/// Every output of a module.
fn of_module(module: &Module, secrets: [&AnyJson; 2]) -> Seen {
    let (engine, mut seen) = (module.document().engine(), Seen::default());
    let mut scope = module.scope();
    fill(&mut scope, secrets);
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &scope).expect("within the limits");
    for (name, value) in values.locals() {
        seen.values.push(("local", format!("{name} {}", forms(value))));
    }
    seen.body(values.body());
    seen.errors(values.diagnostics());
    for (path, why) in module.why(&mut session, &scope, |_, _| true).expect("within the limits") {
        let json = serde_json::to_string(&why).expect("it is data");
        seen.others.push(("module why", format!("{path} {why} {json} {}", why.reason())));
    }
    for (attribute, covered) in module.observe(&mut session, &scope).expect("within the limits") {
        seen.others.push(("module coverage", format!("{} {:?}", attribute.name(), covered.to_bytes())));
    }
    for combining in [Combining::First, Combining::Overrides("deny"), Combining::All] {
        let policy = module.policy(&PolicySpec { combining, ..PolicySpec::default() }).expect("a policy");
        let decision = policy.decide(&mut session, &scope).expect("within the limits");
        // Whether a rule applies is what the host has to know; with one decision for all that is marked, the rest of it
        // is the same.
        let decided = format!("{} {:?} {:?}", decision.effect(), decision.cause(), decision.name());
        seen.errors.push(decided);
        let labels = |rules: &[BlockValues<'_>]| -> Vec<String> {
            rules.iter().map(|rule| rule.labels().collect()).collect()
        };
        seen.errors.push(format!(
            "{:?} {:?} {:?}",
            labels(decision.applying()),
            labels(decision.undecided()),
            labels(decision.failed())
        ));
        let obligations: Vec<String> = decision.obligations().map(|(_, value)| forms(value)).collect();
        seen.others.push(("decision", format!("{:?} {obligations:?}", decision.reason())));
        let recorder = decision.recorder();
        let branches = recorder.record(&mut session).expect("it is decided alike");
        let why = policy.why(&mut session, &scope).expect("within the limits");
        let json = serde_json::to_string(&why).expect("it is data");
        seen.others.push(("branches", branches.to_string()));
        seen.others.push(("policy why", format!("{why} {json} {}", why.reason())));
    }
    let known = module.specialize(&scope).expect("within the limits");
    seen.others.push(("residual", known.residual().unwrap_or_else(|error| error.to_string())));
    seen.others.push((
        "artifact",
        format!("{:?}", known.document().save_module().map_err(|error| error.to_string())),
    ));
    let mut live = module.follow(engine.session());
    let changes = live.update(&scope).expect("within the limits");
    for change in changes.iter() {
        let after = change.after().map(forms);
        seen.values.push(("live", format!("{} {after:?}", change.path())));
    }
    seen
}

/// Compares what was seen with two secrets.
fn compare(text: &str, secrets: [[&AnyJson; 2]; 2], [a, b]: [&Seen; 2], wrong: &mut Vec<String>) -> bool {
    let mut differ = |a: &[(&'static str, String)], b: &[(&'static str, String)]| {
        let apart = a.iter().zip(b).find(|(a, b)| a != b);
        let lengths = a.len() != b.len();
        if let Some(((name, a), (_, b))) = apart {
            let at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b).unwrap_or(0).saturating_sub(40);
            let part = |text: &str| text.chars().skip(at).take(160).collect::<String>();
            wrong.push(format!("{name} with {secrets:?}:\n{text}\n  {}\n  {}", part(a), part(b)));
        } else if lengths {
            wrong.push(format!("more outputs with {secrets:?}:\n{text}"));
        }
    };
    let [first, second] = secrets;
    if first.iter().zip(second).any(|(a, b)| kind(a) != kind(b)) {
        return false;
    }
    if a.errors == b.errors {
        differ(&a.values, &b.values);
        differ(&a.others, &b.others);
        return true;
    }
    // A block is left out if its collection has an error.
    if a.values.len() == b.values.len() {
        let hidden = |(_, text): &(&str, String)| text.contains("(marked)");
        let apart = a.values.iter().zip(&b.values).find(|(a, b)| a != b && hidden(a) != hidden(b));
        let shown = apart.map(|(a, b)| (a.0, &a.1, &b.1));
        wrong.extend(
            shown.map(|(name, a, b)| format!("one {name} is marked with {secrets:?}:\n{text}\n  {a}\n  {b}")),
        );
    }
    false
}

fn check(files: u64, of: impl Fn(u64) -> Option<(String, Box<dyn Fn([&AnyJson; 2]) -> Seen>)>) {
    let contents = contents();
    let (mut wrong, mut alike, mut pairs) = (Vec::new(), 0, 0);
    for seed in 1..=files {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let Some((text, see)) = of(seed) else { continue };
        let mut pick = |limit: usize| dice.below(limit);
        let first = [(); 2].map(|()| &contents[pick(contents.len())]);
        let before = see(first);
        for secret in SECRETS {
            let printed = ("scope", before.printed.clone());
            let all = before.values.iter().chain(&before.others).chain([&printed]);
            wrong.extend(
                all.filter(|(_, shown)| shown.contains(secret))
                    .map(|(name, _)| format!("{name} shows {secret}:\n{text}")),
            );
        }
        for _ in 0..3 {
            let mut other = [(); 2].map(|()| &contents[pick(contents.len())]);
            // Mostly of the same types, so that all outputs are compared.
            for (other, first) in other.iter_mut().zip(first) {
                let of_type = contents.iter().filter(|content| kind(content) == kind(first));
                let at = pick(of_type.clone().count() * 5 / 4 + 1);
                *other = of_type.clone().nth(at).unwrap_or(other);
            }
            let after = see(other);
            alike += usize::from(compare(&text, [first, other], [&before, &after], &mut wrong));
            pairs += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {pairs}:\n{}",
        wrong.len(),
        wrong.into_iter().take(10).collect::<Vec<_>>().join("\n")
    );
    assert!(alike * 5 > pairs && pairs > 100, "{alike} of {pairs} pairs have equal errors");
}

/// `HCLVM_INFLUENCE=COUNT` for a longer run.
fn count() -> u64 {
    std::env::var("HCLVM_INFLUENCE").ok().and_then(|count| count.parse().ok()).unwrap_or(40)
}

#[test]
fn outputs_of_expressions_do_not_depend_on_what_is_marked() {
    check(count(), |seed| {
        let text = Dice(seed * 7_919 + 1).attributes();
        let document = Engine::standard().parse("t.hcl", &text).ok()?;
        Some((text, Box::new(move |secrets| of_attributes(&document, secrets))))
    });
}

#[test]
fn outputs_of_modules_do_not_depend_on_what_is_marked() {
    check(count(), |seed| {
        let text = Dice(seed * 104_729 + 1).module();
        let module = Engine::standard().parse("t.hcl", &text).ok()?.module().ok()?;
        Some((text, Box::new(move |secrets| of_module(&module, secrets))))
    });
}
