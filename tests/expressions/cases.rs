//! Small cases, one behaviour each: texts in tests/cases, run on both tiers, by the tree-walker, within
//! small limits, again and on another thread. Cases recorded from the reference are in tests/harness.
//!
//! ```text
//! A title, which is a sentence.
//! === expr | template | body        the text to evaluate
//! === scope                         variables: name = expression; `notation` adds functions to the standard ones
//! === value                         JSON, as `Json::lenient` writes it
//! === error                         one line per diagnostic: line:column title
//! === code                          the listing of the baseline code with operands
//! === lines                         instead of these: expression => value, in `notation`, or
//!                                   expression => error line:column title; line:column title
//! === fast lines                    such lines; the fast tier has to answer each
//! === sentences                     expression => `part`: what is said about this part of the text
//! === fast code                     expression => the names of its instructions in the fast tier
//! ```

mod file;
pub(crate) mod notation;

use std::fmt::Write;
use std::sync::{Arc, LazyLock};
use std::thread;

use hclvm::functions::FunctionTable;
use hclvm::module::BodyValues;
use hclvm::run::Tier;
use hclvm::{Diagnostics, Engine, Error, Json, Layout, Limits, Program, Scope, Undefined, Value};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression, parse_template};
use hclvm_treewalk::Walker;
use hclvm_vm::{Arena, Names};
use serde_json::{Map, Value as Tree, json};

use file::{Case, Kind, cases};

impl Case {
    fn layout(&self) -> Arc<Layout> {
        Arc::new(Layout::new(self.scope.iter().map(|(name, _)| name.as_str())))
    }

    fn fill(&self, scope: &mut Scope) -> Result<(), Error> {
        for (name, value) in self.scope.iter() {
            scope.set_value(name, value.get())?;
        }
        Ok(())
    }

    fn compile(&self, engine: &Engine) -> Result<Program, Error> {
        match self.kind {
            Kind::Template => engine.compile_template(&self.text, &self.layout()),
            Kind::Expression | Kind::Body => engine.compile(&self.text, &self.layout()),
        }
    }

    /// Returns the difference between a result and the expected one, if there is one.
    fn difference(&self, way: &str, found: &Found) -> Option<String> {
        let place = &self.place;
        let wanted = self.error.as_deref().unwrap_or("");
        if let Some(told) = &self.told {
            let found = found.told.join(" ");
            return (*told != found).then(|| format!("{place}: the sentences by {way}: {found}"));
        }
        if self.code.is_none() && self.fast_code.is_none() && found.problems != wanted {
            return Some(format!("{place}: the errors by {way}: {:?} instead of {wanted:?}", found.problems));
        }
        if let Some(written) = self.written.as_ref().filter(|written| **written != found.written) {
            return Some(format!("{place}: the value by {way}: {} instead of {written}", found.written));
        }
        let value = self.value.as_ref().filter(|value| found.value.as_ref() != Some(value))?;
        let found = found.value.as_ref().unwrap_or(&Tree::Null);
        Some(format!("{place}: the value by {way}: {found} instead of {value}"))
    }
}

/// The result of one way of running a case.
#[derive(Debug, Default, PartialEq)]
struct Found {
    value: Option<Tree>,
    written: String,
    problems: String,
    /// What is said about each problem.
    told: Vec<String>,
}

impl Found {
    fn new(value: Value<'_>, diagnostics: &Diagnostics) -> Self {
        let (problems, told) = (listed(diagnostics), told(diagnostics));
        Self { value: Some(shown(value)), written: notation::written(value), problems, told }
    }
}

fn listed(diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for found in diagnostics {
        let place = found.subject.map(|span| diagnostics.source().position(span.start));
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        let _ = write!(out, "{}{line}:{column} {}", if out.is_empty() { "" } else { "\n" }, found.title);
    }
    out
}

fn shown(value: Value<'_>) -> Tree {
    serde_json::to_value(Json(value).lenient()).unwrap_or(Tree::Null)
}

/// Returns the sentences of all problems, each with the part of the text that it is about.
fn told(diagnostics: &Diagnostics) -> Vec<String> {
    let text = diagnostics.source().text();
    let one = |found: &hclvm::Diagnostic| {
        let part = found.subject.map(|span| span.slice(text)).unwrap_or_default();
        format!("`{part}`: {}", found.detail.replace('\n', " "))
    };
    diagnostics.iter().map(one).collect()
}

fn refused(error: &Error) -> Option<Found> {
    let found =
        |diagnostics| Found { problems: listed(diagnostics), told: told(diagnostics), ..Found::default() };
    error.diagnostics().map(found)
}

/// The functions of [`Engine::standard`].
static FUNCTIONS: LazyLock<FunctionTable> = LazyLock::new(hclvm::functions::standard);

/// Runs a case with one engine. Returns `None` if a limit was exceeded.
fn run(case: &Case, engine: &Engine, tier: Tier) -> Option<Found> {
    if case.kind == Kind::Body {
        return run_body(case, engine, tier);
    }
    let program = match case.compile(engine) {
        Ok(program) => program,
        Err(error) => return refused(&error),
    };
    let mut scope = engine.scope(program.layout());
    case.fill(&mut scope).ok()?;
    let mut session = engine.session();
    session.set_tier(tier);
    let evaluation =
        session.evaluate(&program, &scope).map_err(|error| assert!(error.is_limit(), "{error}")).ok()?;
    Some(Found::new(evaluation.value, &evaluation.diagnostics))
}

fn run_body(case: &Case, engine: &Engine, tier: Tier) -> Option<Found> {
    let document = match engine.parse("", "kept = 1 + 1") {
        // Updated from another text, as a changed file is.
        Ok(before) => before.update(&case.text).map(|(document, _)| document),
        Err(error) => Err(error),
    };
    let module = match document.and_then(|document| document.module()) {
        Ok(module) => module,
        Err(error) => return refused(&error),
    };
    let mut scope = module.scope();
    case.fill(&mut scope).ok()?;
    let mut session = engine.session();
    session.set_tier(tier);
    let result =
        module.evaluate(&mut session, &scope).map_err(|error| assert!(error.is_limit(), "{error}")).ok()?;
    let value = Some(body_shown(result.body()));
    Some(Found { value, problems: listed(result.diagnostics()), ..Found::default() })
}

fn body_shown(body: BodyValues<'_>) -> Tree {
    let mut out = Map::new();
    for (name, value) in body.attributes() {
        out.insert(name.to_owned(), shown(value));
    }
    for block in body.blocks() {
        let labels: Vec<&str> = block.labels().collect();
        let made = match block.pending() {
            Some(_) => json!("pending"),
            None if labels.is_empty() => body_shown(block.body()),
            None => json!({ "labels": labels, "body": body_shown(block.body()) }),
        };
        let blocks = out.entry(block.kind()).or_insert_with(|| json!([]));
        blocks.as_array_mut().expect("attributes and blocks have different names").push(made);
    }
    Tree::Object(out)
}

/// Runs a case with the tree-walker, which evaluates expressions and templates only.
fn walk(case: &Case, engine: &Engine) -> Option<Found> {
    let parse = if case.kind == Kind::Template { parse_template } else { parse_expression };
    let text = hclvm_compiler::source::decode(case.text.as_bytes());
    let parsed = parse(&text, &ParseLimits::default());
    if case.kind == Kind::Body || !parsed.diagnostics.is_empty() {
        return None;
    }
    let layout = case.layout();
    let mut scope = engine.scope(&layout);
    case.fill(&mut scope).expect("the scope is small");
    let environment = Environment {
        layout: Some(&layout),
        functions: Some(&FUNCTIONS),
        undefined: Undefined::Error,
        short_circuit: true,
        names: &Names::default(),
        source: &text.text,
    };
    let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
    let names = layout.names().iter();
    let values: Vec<Value<'_>> = names.map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect();
    let arena = Arena::new();
    let result = walker.run(&values, &arena);
    let faults = result.faults.iter().map(|record| {
        let (subject, _) = hclvm_compiler::locate::locate(&parsed.tree, NodeId(record.node), record.place);
        hclvm::Diagnostic::error(record.fault.title(), record.fault.detail(), subject)
    });
    let source = Arc::new(hclvm::diagnostics::Source::new("", text.text.as_ref(), parsed.seams.clone()));
    Some(Found::new(result.value, &Diagnostics::new(source, faults.collect())))
}

#[test]
fn cases_have_their_results_on_both_tiers_and_in_the_tree_walker() {
    let (mut differences, engine) = (Vec::new(), Engine::standard());
    for case in cases() {
        for (way, tier) in [("the baseline tier", Tier::Baseline), ("the fast tier", Tier::Best)] {
            let found = run(&case, &engine, tier).expect("no case exceeds a limit");
            differences.extend(case.difference(way, &found));
        }
        differences.extend(walk(&case, &engine).and_then(|mut found| {
            // The tree-walker says what is wrong, but neither shows a text that was found nor proposes what to write
            // instead.
            let whole = run(&case, &engine, Tier::Baseline).map_or_else(Vec::new, |found| found.told);
            let beginning = |part: &str| part.find(", found a string that ").map_or(part.len(), |at| at);
            let begins = |(all, part): (&String, &String)| all.starts_with(&part[..beginning(part)]);
            if whole.len() == found.told.len() && whole.iter().zip(&found.told).all(begins) {
                found.told = whole;
            }
            case.difference("the tree-walker", &found)
        }));
        if case.fast && !is_fast(&case, &engine) {
            differences.push(format!("{}: the fast tier falls back", case.place));
        }
        if let Some(code) = &case.code {
            let listing = listing(&case);
            if listing != *code {
                differences.push(format!("{}: the code:\n{listing}", case.place));
            }
        }
        if let Some(code) = &case.fast_code {
            let found = fast_code(&case);
            if found != *code {
                differences.push(format!("{}: the fast code: {found}", case.place));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Returns true if the fast tier answers a case.
fn is_fast(case: &Case, engine: &Engine) -> bool {
    let program = case.compile(engine).expect("it compiles");
    let mut scope = engine.scope(program.layout());
    case.fill(&mut scope).expect("the values are small");
    let mut session = engine.session();
    session.evaluate(&program, &scope).expect("no case exceeds a limit");
    session.baseline_runs() == 0
}

fn listing(case: &Case) -> String {
    let program = case.compile(&Engine::standard()).expect("it compiles");
    let line = |line: hclvm::analysis::Line| {
        format!("{:>2} {} {}", line.at, line.name, line.operands).trim_end().to_owned()
    };
    program.listing().expect("it is small").map(line).collect::<Vec<_>>().join("\n")
}

fn fast_code(case: &Case) -> String {
    let program = case.compile(&Engine::standard()).expect("it compiles");
    program.fast_listing().map(|line| line.name).collect::<Vec<_>>().join(" ")
}

fn standard(limits: Limits) -> Engine {
    Engine::builder().dialect(hclvm::Dialect::standard()).limits(limits).build()
}

#[test]
fn cases_within_small_limits_have_their_result_or_exceed_a_limit() {
    let small =
        [0, 64, 512, 4 << 10, 64 << 10].map(|arena_bytes| Limits { arena_bytes, ..Limits::default() });
    let little = [0, 3, 30, 300].map(|fuel| Limits { fuel, ..Limits::default() });
    let shallow = [1, 2, 5].map(|value_depth| Limits { value_depth, ..Limits::default() });
    let short =
        [1, 10, 100].map(|size| Limits { text_bytes: size as usize, digits: size, ..Limits::default() });
    let all = small.into_iter().chain(little).chain(shallow).chain(short);
    let limited: Vec<(Limits, Engine)> = all.map(|limits| (limits, standard(limits))).collect();
    let engine = Engine::standard();
    for (number, case) in cases().iter().enumerate() {
        let whole = run(case, &engine, Tier::Baseline).expect("no case exceeds a limit");
        // There are many cases of a line, so each is run with a third of the limits.
        let (first, step) = if case.written.is_some() { (number % 3, 3) } else { (0, 1) };
        for (limits, engine) in limited.iter().skip(first).step_by(step) {
            for tier in [Tier::Baseline, Tier::Best] {
                if let Some(found) = run(case, engine, tier) {
                    assert_eq!(found, whole, "{} with {limits:?}", case.place);
                }
            }
        }
    }
}

#[test]
fn cases_give_equal_results_again_and_on_another_thread() {
    let all = || -> Vec<Option<Found>> {
        let engine = Engine::standard();
        cases().iter().map(|case| run(case, &engine, Tier::Best)).collect()
    };
    let here = all();
    let there = thread::Builder::new().stack_size(2 << 20).spawn(all).expect("a thread can be had");
    assert_eq!(all(), here);
    assert_eq!(there.join().expect("no case panics"), here);
}
