//! Small cases, one behaviour each: texts in tests/cases, run on both tiers, by the tree-walker, within
//! small limits, again and on another thread. Cases recorded from the reference are in tests/harness.
//!
//! ```text
//! A title, which is a sentence.
//! === expr | template | body        the text to evaluate
//! === scope                         JSON: variables by name; {"$unknown": true} and {"$marked": x} are special
//! === value                         JSON, as `Json::lenient` writes it
//! === error                         one line per diagnostic: line:column title
//! === code                          the listing of the baseline code with operands
//! ```

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, thread};

use hclvm::module::{BlockResult, BodyResult};
use hclvm::run::Tier;
use hclvm::value::marks_from;
use hclvm::{Diagnostics, Engine, Error, Json, Layout, Limits, Program, Scope, Undefined, Value};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression, parse_template};
use hclvm_treewalk::Walker;
use hclvm_vm::{Arena, Names};
use serde_json::{Map, Value as Tree, json};

/// A case as written in its file.
struct CaseFile {
    path: PathBuf,
    kind: String,
    text: String,
    scope: Map<String, Tree>,
    value: Option<Tree>,
    error: Option<String>,
    code: Option<String>,
}

impl CaseFile {
    fn read(path: &Path) -> Self {
        let content = fs::read_to_string(path).expect("the file is there");
        let mut sections = content.split("\n=== ");
        let title = sections.next().unwrap_or_default();
        assert!(
            title.ends_with('.') && title.lines().count() == 1,
            "{}: the title is a sentence",
            path.display()
        );
        let mut case = Self {
            path: path.to_owned(),
            kind: String::new(),
            text: String::new(),
            scope: Map::new(),
            value: None,
            error: None,
            code: None,
        };
        for section in sections {
            let (name, text) = section.split_once('\n').unwrap_or((section, ""));
            let text = text.strip_suffix('\n').unwrap_or(text);
            let json = |what| {
                serde_json::from_str(text)
                    .unwrap_or_else(|error| panic!("{}: {what}: {error}", path.display()))
            };
            match name {
                "expr" | "template" | "body" => (case.kind, case.text) = (name.to_owned(), text.to_owned()),
                "scope" => case.scope = serde_json::from_value(json("scope")).expect("a scope is an object"),
                "value" => case.value = Some(json("value")),
                "error" => case.error = Some(text.to_owned()),
                "code" => case.code = Some(text.to_owned()),
                other => panic!("{}: no section is called {other}", path.display()),
            }
        }
        assert!(!case.kind.is_empty(), "{}: nothing to evaluate", path.display());
        assert!(
            case.value.is_some() || case.error.is_some() || case.code.is_some(),
            "{}: nothing is expected",
            path.display()
        );
        case
    }

    fn layout(&self) -> Arc<Layout> {
        Arc::new(Layout::new(self.scope.keys().map(String::as_str)))
    }

    fn fill(&self, scope: &mut Scope) -> Result<(), Error> {
        for (name, value) in &self.scope {
            if value.get("$unknown").is_some() {
                scope.set_unknown(name);
            } else if let Some(inner) = value.get("$marked") {
                scope.build(name, |arena| {
                    let value = hclvm::ingest::Ingest::ingest(inner, arena)?;
                    Ok(value.with_marks(arena, marks_from(arena, &["sensitive"])))
                })?;
            } else {
                scope.set(name, value)?;
            }
        }
        Ok(())
    }

    fn compile(&self, engine: &Engine) -> Result<Program, Error> {
        match self.kind.as_str() {
            "template" => engine.compile_template(&self.text, &self.layout()),
            _ => engine.compile(&self.text, &self.layout()),
        }
    }

    /// Returns the difference between a result and the expected one, if there is one.
    fn difference(&self, way: &str, found: &Found) -> Option<String> {
        let place = self.path.display();
        let wanted = self.error.as_deref().unwrap_or("");
        if (self.value.is_some() || self.error.is_some()) && found.problems != wanted {
            return Some(format!("{place}: the errors by {way}: {:?} instead of {wanted:?}", found.problems));
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
    problems: String,
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

fn shown(value: Value<'_>) -> Option<Tree> {
    serde_json::to_value(Json(value).lenient()).ok()
}

fn refused(error: &Error) -> Option<Found> {
    error.diagnostics().map(|diagnostics| Found { value: None, problems: listed(diagnostics) })
}

/// Runs a case with one engine. Returns `None` if a limit was exceeded.
fn run(case: &CaseFile, limits: Limits, tier: Tier) -> Option<Found> {
    let engine = Engine::builder().limits(limits).build();
    if case.kind == "body" {
        return run_body(case, &engine, tier);
    }
    let program = match case.compile(&engine) {
        Ok(program) => program,
        Err(error) => return refused(&error),
    };
    let mut scope = engine.scope(program.layout());
    case.fill(&mut scope).ok()?;
    let mut session = engine.session();
    session.set_tier(tier);
    let evaluation =
        session.evaluate(&program, &scope).map_err(|error| assert!(error.is_limit(), "{error}")).ok()?;
    Some(Found { value: shown(evaluation.value), problems: listed(&evaluation.diagnostics) })
}

fn run_body(case: &CaseFile, engine: &Engine, tier: Tier) -> Option<Found> {
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
    Some(Found { value: Some(body_shown(&result.body)), problems: listed(&result.diagnostics) })
}

fn body_shown(body: &BodyResult<'_>) -> Tree {
    let mut out = Map::new();
    for (name, value) in &body.attributes {
        out.insert((*name).to_owned(), shown(*value).unwrap_or(Tree::Null));
    }
    for block in &body.blocks {
        let (kind, shown) = match block {
            BlockResult::Block { kind, labels, body } if labels.is_empty() => (kind, body_shown(body)),
            BlockResult::Block { kind, labels, body } => {
                (kind, json!({ "labels": labels, "body": body_shown(body) }))
            }
            BlockResult::Pending { kind, .. } => (kind, json!("pending")),
        };
        let blocks = out.entry(*kind).or_insert_with(|| json!([]));
        blocks.as_array_mut().expect("attributes and blocks have different names").push(shown);
    }
    Tree::Object(out)
}

/// Runs a case with the tree-walker, which evaluates expressions and templates only.
fn walk(case: &CaseFile) -> Option<Found> {
    let parse = if case.kind == "template" { parse_template } else { parse_expression };
    let text = hclvm_compiler::source::decode(case.text.as_bytes());
    let parsed = parse(&text, &ParseLimits::default());
    if case.kind == "body" || !parsed.diagnostics.is_empty() {
        return None;
    }
    let engine = Engine::standard();
    let layout = case.layout();
    let mut scope = engine.scope(&layout);
    case.fill(&mut scope).expect("the scope is small");
    let functions = hclvm::functions::standard();
    let environment = Environment {
        layout: Some(&layout),
        functions: Some(&functions),
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
    let problems = listed(&Diagnostics::new(source, faults.collect()));
    Some(Found { value: shown(result.value), problems })
}

fn cases() -> Vec<CaseFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths = Vec::new();
    for area in fs::read_dir(root).expect("there are cases") {
        let area = area.expect("the directory can be read").path();
        paths.extend(
            fs::read_dir(area)
                .expect("areas are directories")
                .map(|entry| entry.expect("it can be read").path()),
        );
    }
    paths.sort();
    assert!(paths.len() >= 40, "there are cases");
    paths.iter().map(|path| CaseFile::read(path)).collect()
}

#[test]
fn cases_have_their_results_on_both_tiers_and_in_the_tree_walker() {
    let mut differences = Vec::new();
    for case in cases() {
        for (way, tier) in [("the baseline tier", Tier::Baseline), ("the fast tier", Tier::Best)] {
            let found = run(&case, Limits::default(), tier).expect("no case exceeds a limit");
            differences.extend(case.difference(way, &found));
        }
        differences.extend(walk(&case).and_then(|found| case.difference("the tree-walker", &found)));
        if let Some(code) = &case.code {
            let listing = listing(&case);
            if listing != *code {
                differences.push(format!("{}: the code:\n{listing}", case.path.display()));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn listing(case: &CaseFile) -> String {
    let program = case.compile(&Engine::standard()).expect("it compiles");
    let line = |line: hclvm::analysis::Line| {
        format!("{:>2} {} {}", line.at, line.name, line.operands).trim_end().to_owned()
    };
    program.listing().expect("it is small").map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn cases_within_small_limits_have_their_result_or_exceed_a_limit() {
    for case in cases() {
        let whole = run(&case, Limits::default(), Tier::Baseline).expect("no case exceeds a limit");
        let small =
            [0, 64, 512, 4 << 10, 64 << 10].map(|arena_bytes| Limits { arena_bytes, ..Limits::default() });
        let little = [0, 3, 30, 300].map(|fuel| Limits { fuel, ..Limits::default() });
        let shallow = [1, 2, 5].map(|value_depth| Limits { value_depth, ..Limits::default() });
        let short =
            [1, 10, 100].map(|size| Limits { text_bytes: size as usize, digits: size, ..Limits::default() });
        let all = small.into_iter().chain(little).chain(shallow).chain(short);
        for limits in all {
            for tier in [Tier::Baseline, Tier::Best] {
                if let Some(found) = run(&case, limits, tier) {
                    assert_eq!(found, whole, "{} with {limits:?}", case.path.display());
                }
            }
        }
    }
}

#[test]
fn cases_give_equal_results_again_and_on_another_thread() {
    let all = || -> Vec<Option<Found>> {
        cases().iter().map(|case| run(case, Limits::default(), Tier::Best)).collect()
    };
    let here = all();
    let there = thread::Builder::new().stack_size(2 << 20).spawn(all).expect("a thread can be had");
    assert_eq!(all(), here);
    assert_eq!(there.join().expect("no case panics"), here);
}
