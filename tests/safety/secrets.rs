//! Marked values appear in no output: not in diagnostics, reports, listings, results as text, JSON or
//! types of the host, nor in the `{:?}` form of anything.
//!
//! Every expression runs twice, with marked values and with equal values unmarked. The second run is the
//! control: there the secret must appear where the table says so, or the first run would prove nothing.

use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};
use std::sync::Arc;

use hclvm::functions::{CallError, Capabilities, FunctionTable};
use hclvm::ingest::Ingest;
use hclvm::run::Tier;
use hclvm::show::Pretty;
use hclvm::value::{Arena, marks_from};
use hclvm::{
    Engine, Json, Layout, OwnedValue, Program, Scope, Type, Undefined, Value, from_value, function, functions,
};
use serde_json::json;

/// Strings that must not appear: a string, a name, the digits of a number, and the results of functions
/// that change their case, order or notation. None is part of any expression below.
const SECRETS: [&str; 8] = [
    "zq7canary",
    "zq7name",
    "918273645",
    "yranac7qz",
    "546372819",
    "enq3y2fuyxj5",
    "7a713763616e617279",
    "zq7 canary",
];

/// Returns the variables. A value that is a secret as a whole is marked as a whole.
fn variables() -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("k", json!("zq7Canary")),
        ("kn", json!(918_273_645.5)),
        ("kw", json!(918_273_645)),
        ("kb", json!("TRUE")),
        ("ko", json!({ "zq7Name": "zq7Canary", "b": 918_273_645 })),
        ("kl", json!(["zq7Canary", "zq7Canary", "918273645"])),
        ("kj", json!(r#"{"zq7Name": zq7Canary}"#)),
        ("kp", json!("(zq7Canary")),
        ("kc", json!("zq7Name,zq7Name\n1,2")),
    ]
}

/// Where the secret appears if it is not marked.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shows {
    /// In the result.
    Value,
    /// In the diagnostics.
    Problem,
    /// Nowhere.
    No,
}
use Shows::{No, Problem, Value as Result_};

/// Expressions and where the secret appears. `tm` and `tl` are a map and a list of strings made of
/// secrets; `part` is an object with secret and public attributes.
const TABLE: &[(&str, Shows)] = &[
    // operators
    ("k", Result_),
    ("[k, 1]", Result_),
    ("{ a = k }", Result_),
    ("{ (k) = 1 }", Result_),
    ("kn + 0", Result_),
    ("-kw", Result_),
    ("kw % 1000000000", Result_),
    ("k + 1", Problem),
    ("1 / (kw - kw)", No),
    ("k == 1", No),
    ("kw < k", Problem),
    ("!k", Problem),
    ("k && true", Problem),
    ("kb ? 1 : 2", No),
    ("kb && true", No),
    ("!kb", No),
    ("k ? 1 : 2", Problem),
    ("kw == 918273644 ? 1 : k", Result_),
    ("true ? ko : 1", Problem),
    ("true ? [k] : { a = k }", Problem),
    ("true ? kl : ko", Problem),
    // access
    ("k.a", Problem),
    ("ko.nothing", Problem),
    ("ko[\"nothing\"]", Problem),
    ("ko[k]", Problem),
    ("kl[kw]", Problem),
    ("kl[kn]", Problem),
    ("kl[k]", Problem),
    ("tm[k]", Problem),
    ("tm.nothing", Problem),
    ("part.open[k]", Problem),
    ("{ a = 1 }[k]", Problem),
    ("[1][kw]", Problem),
    ("kl[*].a", No),
    ("part.inner", Result_),
    ("part.inner.a.b", Problem),
    // loops
    ("[for x in kl : x]", Result_),
    ("{for x in kl : x => 1}", Problem),
    ("{for x in [k, k] : x => 1}", Problem),
    ("{for name, x in ko : name => x}", Result_),
    ("{for name, x in ko : name => x...}", Result_),
    ("[for x in kl : x if x]", Problem),
    ("[for x in kl : x.a]", Problem),
    ("[for x in k : x]", Problem),
    ("[for x in kl : parseint(x, 10)]", Problem),
    ("[for x in kl : refuse(x)]", Problem),
    ("[for name, x in ko : tm2[name]]", Problem),
    ("[for x in kl : [for y in [x] : refuse(y)]]", Problem),
    ("[for x in kl : try(refuse(x), parseint(x, 10))]", Problem),
    ("[for x in kl : x if tm2[x]]", Problem),
    ("[for x in kl : { a = x }][*].b", No),
    ("ko.*.nothing", Problem),
    ("kl[*][tm2[\"b\"]]", No),
    ("\"%{ for x in kl }${refuse(x)}%{ endfor }\"", Problem),
    ("[for x in [kw, 1] : refuse(x)]", Problem),
    ("{for x in [ko] : x => 1}", Problem),
    // templates
    ("\"a${k}b\"", Result_),
    ("\"${kl}\"", Result_),
    ("\"${ko}\"", Result_),
    ("\"%{ for x in kl }${x}%{ endfor }\"", Result_),
    ("\"%{ if k }%{ endif }\"", Problem),
    // conversions
    ("tonumber(k)", Problem),
    ("tobool(kb)", No),
    ("convert(ko, map(number))", Problem),
    ("convert(tm, map(number))", Problem),
    ("convert(tm, object({ a = string }))", Problem),
    ("convert(ko, object({ a = string }))", Problem),
    ("convert(kl, list(number))", Problem),
    ("convert(kl, tuple([string]))", Problem),
    ("convert(kb, bool)", No),
    ("convert(part, map(number))", Problem),
    ("tomap(ko)", Result_),
    ("toset(kl)", Result_),
    ("toset(\"${k}\")", Problem),
    // functions, of the language and of the host
    ("upper(k)", Result_),
    ("jsonencode(ko)", Result_),
    ("jsonencode({ (k) = k })", Result_),
    ("jsondecode(kj)", Problem),
    ("parseint(k, 10)", Problem),
    ("parseint(kw, 2)", Problem),
    ("regex(kp, \"a\")", Problem),
    ("regex(\"b(\", k)", No),
    ("csvdecode(kc)", Problem),
    ("formatdate(k, \"2020-01-01T00:00:00Z\")", Problem),
    ("formatdate(\"YYYY\", k)", Problem),
    ("timeadd(\"2020-01-01T00:00:00Z\", k)", Problem),
    ("format(k, 1)", No),
    ("format(\"%d\", k)", Problem),
    ("format(\"%s\", k)", Result_),
    ("lookup(ko, k)", No),
    ("lookup(tm, \"nothing\")", No),
    ("merge(ko, 1)", Problem),
    ("zipmap(kl, kl)", Result_),
    ("setproduct(kl, kl)", Result_),
    ("keys(ko)", Result_),
    ("values(ko)", Result_),
    ("element(kl, kw)", Result_),
    ("slice(kl, 0, kw)", Problem),
    ("range(kw)", Problem),
    ("substr(k, 0, 7)", No),
    ("strrev(k)", Result_),
    ("assertnotnull(k)", Result_),
    ("refuse(k)", Problem),
    ("refuse([k])", Problem),
    ("refuse_argument(k)", Problem),
    ("refuse_rest(1, k)", Problem),
    ("byte(kw)", Problem),
    ("words(ko)", Problem),
    ("given(part)", Problem),
    ("refuse(kl...)", No),
    ("refuse(ko...)", Problem),
    // attempts
    ("try(k.a, k)", Result_),
    ("try(parseint(k, 10), tonumber(k))", Problem),
    ("try(tm[k], refuse(k))", Problem),
    ("can(refuse(k))", No),
];

fn host_functions(mut table: FunctionTable) -> FunctionTable {
    let more = [
        function("refuse", ["text"], |text: &str| {
            Err::<bool, _>(CallError::new(format!("{text:?} is wrong")))
        }),
        function("refuse_argument", ["text"], |text: &str| {
            Err::<bool, _>(CallError::argument(0, format!("{text:?} is wrong")))
        }),
        function("refuse_rest", ["n", "text"], |_: i64, text: &str| {
            Err::<bool, _>(CallError::argument(1, format!("{text:?} is wrong")))
        }),
        function("byte", ["n"], |n: u8| n),
        function("words", ["words"], |words: Vec<String>| words),
        function("given", ["any"], |any: Option<Value>| Err::<bool, _>(CallError::new(format!("{any:?}")))),
    ];
    for function in more {
        table.insert(function.name.clone(), function);
    }
    table
}

/// Returns the value, marked if `marked`.
fn secret<'a>(arena: &'a Arena, value: Value<'a>, marked: bool) -> Value<'a> {
    if marked { value.with_marks(arena, marks_from(arena, &["sensitive"])) } else { value }
}

fn scope(engine: &Engine, layout: &Arc<Layout>, marked: bool) -> Scope {
    let mut scope = engine.scope(layout);
    for (name, value) in variables() {
        scope.build(name, |arena| Ok(secret(arena, value.ingest(arena)?, marked))).expect("it is small");
    }
    let made = scope.build("part", |arena| {
        let inner = secret(arena, "zq7Canary".ingest(arena)?, marked);
        let entries = [arena.entry("inner", inner), arena.entry("open", json!({ "a": 1 }).ingest(arena)?)];
        Ok(Value::object(arena, arena.slice(&entries)))
    });
    made.expect("it is small");
    scope.set("tm2", &json!({ "a": true })).expect("it is small");
    let made = scope.build("tm", |arena| {
        let entries = [arena.entry("zq7Name", "zq7Canary".ingest(arena)?)];
        Ok(secret(arena, Value::map(arena, arena.slice(&entries), Type::String), marked))
    });
    made.expect("it is small");
    scope
}

/// Everything that a host can see of a result or a failure.
#[derive(Default)]
struct Seen {
    value: String,
    problem: String,
    /// The `{:?}` form of programs, sessions and scopes.
    rest: String,
}

impl Seen {
    fn value(&mut self, value: Value<'_>) {
        let out = &mut self.value;
        let _ = write!(out, "{value:?} {value:#?} {:?} {}", value.view(), Pretty(value));
        let _ = write!(out, " {:?} {:?}", serde_json::to_string(&Json(value)).map_err(shown), Json(value));
        let _ = write!(out, " {:?}", serde_json::to_string(&Json(value).lenient()).map_err(shown));
        let _ = write!(out, " {:?}", from_value::<serde_json::Value>(value).map_err(shown));
        let _ = write!(out, " {:?}", from_value::<String>(value).map_err(shown));
        let _ = write!(out, " {:?}", from_value::<u8>(value).map_err(shown));
        let _ = write!(out, " {:?}", from_value::<Vec<Option<bool>>>(value).map_err(shown));
        let _ = write!(out, " {:?}", OwnedValue::new(value));
    }

    fn run(&mut self, engine: &Engine, program: &Program, scope: &Scope, tier: Tier) {
        let mut session = engine.session();
        session.set_tier(tier);
        match session.run(program, scope) {
            Ok(value) => self.value(value),
            Err(error) => {
                let _ = write!(self.problem, "{error} {error:?} {error:#?} {:?}", error.kind());
                if let Some(found) = error.diagnostics() {
                    let all: Vec<_> = found.iter().collect();
                    let _ = write!(self.problem, "{} {found:?} {all:?}", found.report());
                    let _ = write!(self.problem, "{:?}", serde_json::to_string(found));
                }
            }
        }
        if let Ok(evaluation) = session.evaluate(program, scope) {
            let _ = write!(self.rest, "{evaluation:?}");
            self.value(evaluation.value);
        }
        let listing: Vec<_> = program.listing().expect("it is small").collect();
        let _ = write!(self.rest, "{program:?} {listing:?} {} ", program.known_problems());
        let _ = write!(self.rest, "{session:?} {:?}", Debugged(scope));
    }
}

/// The `{:?}` form of a scope.
struct Debugged<'s>(&'s Scope);

impl Debug for Debugged<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.0, self.0.fork())
    }
}

fn shown(error: impl std::fmt::Display + Debug) -> String {
    format!("{error} {error:?}")
}

fn secret_in(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    SECRETS.into_iter().find(|secret| text.contains(secret))
}

/// Returns an engine that shows values in diagnostics, unless they are marked.
fn engine(table: FunctionTable) -> (Engine, Arc<Layout>) {
    engine_that(true, table)
}

/// Returns an engine that shows values in diagnostics or not, and the layout of the variables.
fn engine_that(shows: bool, table: FunctionTable) -> (Engine, Arc<Layout>) {
    let engine = Engine::builder().functions(host_functions(table)).undefined(Undefined::Error);
    let engine = engine.values_in_diagnostics(shows).build();
    let names = variables().into_iter().map(|(name, _)| name).chain(["part", "tm", "tm2"]);
    (engine, Arc::new(Layout::new(names)))
}

fn seen(engine: &Engine, layout: &Arc<Layout>, text: &str, marked: bool) -> Option<Seen> {
    let program = engine.compile(text, layout).ok()?;
    let scope = scope(engine, layout, marked);
    let mut seen = Seen::default();
    for tier in [Tier::Best, Tier::Baseline] {
        seen.run(engine, &program, &scope, tier);
    }
    Some(seen)
}

#[test]
fn marked_values_appear_in_no_output() {
    let (engine, layout) = engine(functions::standard());
    let mut wrong = Vec::new();
    for (text, expected) in TABLE {
        let Some(marked) = seen(&engine, &layout, text, true) else {
            wrong.push(format!("{text} does not compile"));
            continue;
        };
        for (place, shown) in [("value", marked.value), ("problem", marked.problem), ("rest", marked.rest)] {
            if let Some(secret) = secret_in(&shown) {
                let at = shown.to_lowercase().find(secret).unwrap_or(0).saturating_sub(60);
                let around: String = shown.chars().skip(at).take(160).collect();
                wrong.push(format!("{text}: {secret} is in the {place}: {around}"));
            }
        }
        let open = seen(&engine, &layout, text, false).expect("it compiled before");
        let shows = match (secret_in(&open.value), secret_in(&open.problem)) {
            (_, Some(_)) => Problem,
            (Some(_), None) => Result_,
            (None, None) => No,
        };
        if shows != *expected {
            wrong.push(format!("{text}: without marks the secret shows in {shows:?}, not {expected:?}"));
        }
        assert!(
            secret_in(&open.rest).is_some() || *expected == No,
            "{text}: a scope hides what is no secret"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_appear_in_no_diagnostics_of_an_engine_that_hides_them() {
    let (engine, layout) = engine_that(false, functions::standard());
    for (text, _) in TABLE {
        let open = seen(&engine, &layout, text, false).expect("it compiles");
        assert_eq!(secret_in(&open.problem), None, "{text}: {}", open.problem);
    }
}

/// Functions that remove marks on purpose.
const OPEN: [&str; 2] = ["nonsensitive", "core::nonsensitive"];

/// The arguments used in every position of every function.
const ARGUMENTS: [&str; 9] = ["k", "kn", "kw", "ko", "kl", "kj", "part", "1", "[\"a\", k]"];

#[test]
fn no_function_reveals_marked_arguments() {
    let granted = Capabilities::none();
    let tables = [
        functions::standard(),
        functions::packer(&granted),
        functions::nomad(&granted),
        functions::opentofu(),
    ];
    let (mut wrong, mut calls, mut told) = (Vec::new(), 0, 0);
    let mut tried: BTreeSet<String> = OPEN.map(str::to_owned).into();
    for table in tables {
        let functions: Vec<(String, usize)> = table
            .names()
            .filter(|name| tried.insert(name.to_string()))
            .map(|name| (name.to_string(), table.get(name).map_or(0, |function| function.parameters.len())))
            .collect();
        let (hiding, _) = engine_that(false, table.clone());
        let (engine, layout) = engine(table);
        let scopes = [true, false].map(|marked| scope(&engine, &layout, marked));
        let hidden = scope(&hiding, &layout, false);
        let [mut session, mut hiding_session] = [&engine, &hiding].map(Engine::session);
        for text in functions.iter().flat_map(|(name, needs)| calls_of(name, *needs)) {
            let Ok(program) = engine.compile(&text, &layout) else { continue };
            let [marked, open] = scopes.each_ref().map(|scope| match session.evaluate(&program, scope) {
                Ok(found) => {
                    (format!("{:?} {}", found.value, Pretty(found.value)), found.diagnostics.to_string())
                }
                Err(error) => (String::new(), shown(error)),
            });
            calls += 1;
            told += usize::from(secret_in(&open.1).is_some());
            if let Some(secret) = secret_in(&marked.0).or(secret_in(&marked.1)) {
                wrong.push(format!("{text}: {secret}: {} {}", marked.0, marked.1));
            }
            let Ok(program) = hiding.compile(&text, &layout) else { continue };
            if let Ok(found) = hiding_session.evaluate(&program, &hidden)
                && let Some(secret) = secret_in(&format!("{:?}", found.diagnostics))
            {
                wrong.push(format!("{text}: {secret} is in {}", found.diagnostics));
            }
        }
    }
    assert!(wrong.is_empty(), "{} calls tell:\n{}", wrong.len(), wrong.join("\n"));
    assert!(calls > 2_000 && told > 20, "{calls} calls, {told} would tell");
}

/// Returns calls with the required number of arguments and one more: each argument in each position.
fn calls_of(name: &str, needs: usize) -> Vec<String> {
    let mut calls = Vec::new();
    for count in needs.max(1)..=needs + 1 {
        for place in 0..count {
            for argument in ARGUMENTS {
                let mut list = vec![if place % 2 == 0 { "k" } else { "kl" }; count];
                list[place] = argument;
                calls.push(format!("{name}({})", list.join(", ")));
            }
        }
    }
    calls
}
