//! The table of codes: every wrong example has its problem, every right one has none, and every title that
//! the sources and the recorded cases name has a code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hclvm::diagnostics::{Code, codes};
use hclvm::lint::Lints;
use hclvm::module::RuleSpec;
use hclvm::policy::PolicySpec;
use hclvm::schema::Schema;
use hclvm::spec::Spec;
use hclvm::syntax::TypeMode;
use hclvm::{Diagnostics, Document, Engine, Error, Layout};
use hclvm_compiler::{ParseLimits, parse_traversal};
use serde::Deserialize;

/// How an example is run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// As a file that is evaluated with an empty scope.
    File,
    /// As a file in JSON, likewise.
    Json,
    /// As a file whose variables all have to be known.
    NoVariables,
    /// As an expression.
    Expression,
    /// As a type.
    Type,
    /// As a file with the arguments and blocks of [`schema`].
    Content,
    /// Likewise, in JSON.
    JsonContent,
    /// As a file with arguments only.
    Arguments,
    /// Likewise, in JSON.
    JsonArguments,
    /// As such a file with its dynamic blocks expanded.
    Expanded,
    /// As a file that is decoded.
    Decoded,
    /// As a file with rules.
    Rules,
    /// Read as a policy.
    Policy,
    /// As a file with functions.
    Functions,
    /// As a file that is linted.
    Lint,
    /// Likewise, in JSON.
    JsonLint,
    /// As a reference.
    Reference,
    /// As a file that is read by the description of an application.
    Described(&'static str),
}

fn way(code: Code) -> Way {
    if code.is_lint() {
        return if code.wrong().starts_with('{') { Way::JsonLint } else { Way::Lint };
    }
    match code.name() {
        "unknown-variable" => Way::NoVariables,
        "extra-after-expression" => Way::Expression,
        "variables-not-allowed" | "functions-not-allowed" | "invalid-type" | "invalid-default" => Way::Type,
        "missing-argument" | "unknown-argument" | "unknown-block-type" | "extra-label" | "missing-label" => {
            Way::Content
        }
        "json-type" | "json-property" | "json-missing-label" | "duplicate-argument" => Way::JsonContent,
        "json-duplicate-argument" => Way::JsonArguments,
        "unexpected-block" => Way::Arguments,
        "property-name-type" | "null-property-name" | "duplicate-property" => Way::Json,
        "static-expression-required" => Way::Expanded,
        "value-type" | "duplicate-block" => Way::Decoded,
        "rule-condition" | "rules-in-dynamic" | "rule-priority" => Way::Rules,
        "rule-effect" | "rule-effect-value" | "rule-without-condition" => Way::Policy,
        "function-parameter" => Way::Functions,
        "variable-name-required" | "attribute-name-required" | "index-required" => Way::Reference,
        "missing-block" => {
            Way::Described(r#"{"block": {"type": "service", "content": PORT, "required": true}}"#)
        }
        "too-few-blocks" => {
            Way::Described(r#"{"block_list": {"type": "service", "content": PORT, "min": 2}}"#)
        }
        "too-many-blocks" => {
            Way::Described(r#"{"block_list": {"type": "service", "content": PORT, "max": 1}}"#)
        }
        "attribute-type" => Way::Described("PORT"),
        "element-type" => Way::Described(r#"{"block_attributes": {"type": "service", "element": "number"}}"#),
        "inconsistent-types" => Way::Described(
            r#"{"block_list": {"type": "service", "content": {"attribute": {"name": "port"}}}}"#,
        ),
        "transformation-failed" => Way::Described(
            r#"{"transform": {"of": {"attribute": {"name": "port"}}, "variable": "x", "expression": "x + 1"}}"#,
        ),
        name if name.starts_with("dynamic-") => Way::Expanded,
        name if name.starts_with("json-") => Way::Json,
        _ => Way::File,
    }
}

fn schema() -> Schema {
    Schema::new().optional("port").block("service", &["name"])
}

/// The description of an argument.
const PORT: &str = r#"{"attribute": {"name": "port", "type": "number"}}"#;

/// A file as an application decodes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Services {
    service: BTreeMap<String, Service>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only its decoding is tested")]
struct Service {
    port: u16,
}

fn codes_of(found: &Diagnostics) -> Vec<Code> {
    found.iter().map(|one| one.code()).collect()
}

fn codes_of_error(error: &Error) -> Vec<Code> {
    codes_of(error.diagnostics().expect("the error is about the text"))
}

/// Returns the codes of the problems of a text.
fn found(way: Way, text: &str) -> Vec<Code> {
    let engine = Engine::standard();
    let result = match way {
        Way::Expression | Way::Type => expression(&engine, way, text),
        Way::Reference => {
            let parsed = parse_traversal(text, &ParseLimits::default(), false);
            return parsed.diagnostics.iter().map(|one| one.code()).collect();
        }
        Way::Json | Way::JsonContent | Way::JsonArguments | Way::JsonLint => {
            engine.parse_json("a.hcl.json", text).and_then(|document| file(way, &document))
        }
        _ => engine.parse("a.hcl", text).and_then(|document| file(way, &document)),
    };
    result.unwrap_or_else(|error| codes_of_error(&error))
}

fn expression(engine: &Engine, way: Way, text: &str) -> Result<Vec<Code>, Error> {
    if way == Way::Type {
        return engine.type_constraint(text, TypeMode::WithDefaults).map(|_| Vec::new());
    }
    let program = engine.compile(text, &Arc::new(Layout::default()))?;
    Ok(codes_of(&program.known_problems()))
}

fn file(way: Way, document: &Document) -> Result<Vec<Code>, Error> {
    let mut session = document.engine().session();
    match way {
        Way::NoVariables => {
            let document = document.for_layout(&Arc::new(Layout::default()));
            let programs = document.body().attributes().map(|attribute| attribute.program());
            Ok(programs.flatten().flat_map(|program| codes_of(&program.known_problems())).collect())
        }
        Way::Content | Way::JsonContent => {
            let content = document.body().content(&schema())?;
            for block in content.blocks {
                block.body().content(&Schema::new().required("port"))?;
            }
            Ok(Vec::new())
        }
        Way::Arguments | Way::JsonArguments => document.body().just_attributes().map(|_| Vec::new()),
        Way::Expanded => {
            let scope = document.scope();
            let mut expansion = session.expand(document, &scope)?;
            let content = expansion.content(expansion.body(), &schema())?;
            let _ = content;
            Ok(codes_of(&expansion.take_diagnostics()))
        }
        Way::Decoded => document.decode::<Services>(&document.scope()).map(|_| Vec::new()),
        Way::Rules => {
            let module = document.module()?;
            let rules = module.rules(&RuleSpec {
                kind: "rule",
                condition: "when",
                outcome: &[],
                priority: Some("priority"),
            })?;
            let scope = module.scope();
            let matches = rules.all_matches(&mut session, &scope)?;
            Ok(codes_of(matches.diagnostics()))
        }
        Way::Policy => document.module()?.policy(&PolicySpec::default()).map(|_| Vec::new()),
        Way::Described(description) => {
            let spec: Spec = serde_json::from_str(&description.replace("PORT", PORT)).expect("a description");
            let plan = document.engine().plan(&spec).expect("a correct description");
            let scope = document.scope();
            Ok(codes_of(&session.read(&plan, document, &scope)?.diagnostics))
        }
        Way::Lint | Way::JsonLint => Ok(codes_of(&document.lints(&Lints::new()))),
        Way::Functions => document.body().functions("function").map(|_| Vec::new()),
        _ => {
            let module = document.module()?;
            let scope = module.scope();
            let values = module.evaluate(&mut session, &scope)?;
            Ok(codes_of(values.diagnostics()))
        }
    }
}

#[test]
fn wrong_examples_have_their_problem_and_right_ones_have_none() {
    let mut failures = Vec::new();
    for code in Code::all() {
        assert_eq!(code.wrong().is_empty(), code.right().is_empty(), "{code}");
        assert_ne!(code.wrong().is_empty(), code.without_example().is_empty(), "{code}");
        // The tests of the command run command lines, those of the dialects run modules.
        if code.wrong().is_empty()
            || code.wrong().starts_with("$ ")
            || code.is_of_module()
            || code.is_of_policy()
        {
            continue;
        }
        let wrong = found(way(code), code.wrong());
        if !wrong.contains(&code) {
            failures.push(format!("{code}: the wrong example has {wrong:?}"));
        }
        let right = found(way(code), code.right());
        if !right.is_empty() {
            failures.push(format!("{code}: the right example has {right:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns all files below a folder of the repository.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(path)
                    .expect("the folder can be read")
                    .map(|entry| entry.expect("an entry").path()),
            );
        } else {
            found.push(path);
        }
    }
    found
}

/// Returns the titles that a source gives to diagnostics, literal ones and those with `{name}` in them.
fn titles_in<'s>(source: &'s str, constructor: &'s str) -> impl Iterator<Item = String> + 's {
    source.split(constructor).skip(1).filter_map(|call| {
        let first = call.trim_start().trim_start_matches("problems, ").trim_start_matches("format!(");
        let title =
            first.strip_prefix('"')?.replace("\\\"", "\u{0}").split('"').next()?.replace('\u{0}', "\"");
        let mut pattern = String::new();
        for (at, part) in title.split('{').enumerate() {
            pattern.push_str(if at == 0 { part } else { "x" });
            pattern.push_str(if at == 0 { "" } else { part.split_once('}').map_or("", |(_, rest)| rest) });
        }
        Some(pattern)
    })
}

/// Returns the titles in a source of the dialects: the second argument of a call, and `let title`.
fn titles_of_modules(source: &str) -> impl Iterator<Item = String> {
    // Calls on one line, whatever the place in front of the title.
    let text = source.split_whitespace().collect::<Vec<_>>().join(" ");
    let calls = text.split(".error(").skip(1).chain(text.split(".warning(").skip(1)).filter_map(|call| {
        let at = call.find(", \"").filter(|at| call.find("detail").is_none_or(|detail| *at < detail));
        let is_title = |at: &usize| call.find(';').is_none_or(|end| *at < end);
        at.filter(is_title).map(|at| format!("TITLE {}", &call[at + 2..]))
    });
    let calls: Vec<String> = calls.collect();
    let named = text.replace("let title = ", "TITLE ").replace("=> \"Unsuitable", "TITLE \"Unsuitable");
    let named = calls.into_iter().chain([named]);
    let titles = named.flat_map(|text| titles_in(&text, "TITLE ").collect::<Vec<_>>());
    titles.collect::<Vec<_>>().into_iter()
}

#[test]
fn every_title_in_the_sources_has_a_code() {
    let mut titles = Vec::new();
    for folder in ["vm/src", "compiler/src", "src", "cli/src", "dialects/src"] {
        for file in files(folder) {
            let text = fs::read_to_string(&file).expect("a source");
            if folder == "dialects/src" {
                titles.extend(titles_of_modules(&text).map(|title| (file.clone(), title)));
                continue;
            }
            let of_command = titles_in(&text, "sentence(").filter(|title| !title.is_empty());
            let found =
                titles_in(&text, "Diagnostic::error(").chain(of_command.filter(|_| folder == "cli/src"));
            titles.extend(found.map(|title| (file.clone(), title)));
        }
    }
    assert!(titles.len() > 40, "{titles:?}");
    let without = |(_, title): &&(PathBuf, String)| Code::of_title(title) == codes::OTHER;
    let missing: Vec<_> = titles.iter().filter(without).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_recorded_title_has_a_code() {
    let mut titles = Vec::new();
    for file in files("tests/documents/syntax_errors") {
        let text = fs::read_to_string(file).expect("recorded problems");
        for line in text.lines() {
            let (_, problems) = line.rsplit_once(" => ").expect("a text and its problems");
            // Further problems follow a plus sign.
            let problems = problems.split("; ").flat_map(|one| one.split(" + "));
            titles.extend(problems.filter_map(|one| one.split_once(' ')).map(|(_, title)| title.to_owned()));
        }
    }
    assert!(titles.len() > 1_000);
    titles.retain(|title| Code::of_title(title) == codes::OTHER);
    assert!(titles.is_empty(), "{titles:?}");
}

/// Returns the page of the documentation that lists all codes.
fn page() -> String {
    let head = "# Codes\n\nThe codes of diagnostics, as `hclvm explain` shows them. Made from the table in vm/src/fault/code by\n`UPDATE=1 cargo test --test structure`.\n";
    std::iter::once(head.to_owned()).chain(Code::all().map(section)).collect()
}

fn section(code: Code) -> String {
    let titles = code.titles().join("; ").replace("{}", "…");
    let titles = if titles.is_empty() { titles } else { format!("*{titles}.* ") };
    let is_json = matches!(way(code), Way::Json | Way::JsonContent | Way::JsonArguments | Way::JsonLint);
    let language = match code.wrong() {
        command if command.starts_with("$ ") => "console",
        _ if is_json => "json",
        _ => "hcl",
    };
    let examples = [("Wrong", code.wrong()), ("Right", code.right())];
    let shown = |(name, text): (&str, &str)| match text.trim_end() {
        "" => String::new(),
        text => format!("\n{name}:\n\n```{language}\n{text}\n```\n"),
    };
    let examples = match code.without_example() {
        "" => examples.map(shown).concat(),
        reason => format!("\nThere is no example. {reason}\n"),
    };
    format!("\n## {code}\n\n{titles}{}\n{examples}", code.explanation())
}

#[test]
fn the_documentation_lists_all_codes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/codes.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, page()).expect("the page can be written");
    }
    let written = fs::read_to_string(path).expect("the page can be read");
    assert_eq!(written, page(), "run UPDATE=1 cargo test --test structure");
}
