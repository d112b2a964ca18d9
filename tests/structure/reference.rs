//! docs/functions.md is generated from the function tables and one text about them, and is up to date.
//!
//! `UPDATE=1 cargo test --workspace --test structure` regenerates the page.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use hclvm::functions::capability::FixedClock;
use hclvm::functions::{Capabilities, Function, FunctionTable};
use hclvm::value::View;
use hclvm::{Engine, Layout, Value};

const TEXT: &str = include_str!("../../functions/src/summaries.txt");

/// The description of a function in the text.
struct Entry<'t> {
    name: &'t str,
    feature: Option<&'t str>,
    /// The tables it applies to; all that have the name if there is only one entry.
    tables: Option<Vec<&'t str>>,
    sentence: &'t str,
    example: Option<(&'t str, &'t str)>,
}

fn entries() -> Vec<Entry<'static>> {
    let text = TEXT.split("\n\n").filter(|paragraph| !paragraph.starts_with('#'));
    text.map(|paragraph| entry(paragraph).unwrap_or_else(|| panic!("cannot read: {paragraph}"))).collect()
}

fn entry(paragraph: &str) -> Option<Entry<'_>> {
    let mut lines = paragraph.trim().lines();
    let (title, tables) = match lines.next()?.split_once(" : ") {
        Some((title, tables)) => (title, Some(tables.split(' ').collect())),
        None => (paragraph.trim().lines().next()?, None),
    };
    let (name, feature) = match title.split_once(" [") {
        Some((name, feature)) => (name, Some(feature.strip_suffix(']')?)),
        None => (title, None),
    };
    let sentence = lines.next()?;
    let example = match lines.next() {
        Some(line) => Some(line.split_once(" => ")?),
        None => None,
    };
    Some(Entry { name, feature, tables, sentence, example })
}

/// Returns the capabilities that every example has.
fn granted() -> Capabilities {
    let variables = [("USER", "ann"), ("HOME", "/home/ann")].map(|(name, value)| (name.into(), value.into()));
    let clock = FixedClock(SystemTime::UNIX_EPOCH + Duration::from_secs(1_709_229_900));
    Capabilities::none()
        .directory(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/structure/reference/files"))
        .environment(HashMap::<String, String>::from(variables))
        .clock(clock)
}

fn tables() -> [(&'static str, FunctionTable); 4] {
    hclvm::functions::tables(&granted())
}

/// Returns the functions that an entry describes, with the names of their tables.
fn functions<'f>(
    entry: &Entry<'_>,
    tables: &'f [(&'static str, FunctionTable)],
) -> Vec<(&'static str, &'f Arc<Function>)> {
    let meant = |table: &str| entry.tables.as_ref().is_none_or(|tables| tables.contains(&table));
    let found = tables.iter().filter(|(table, _)| meant(table));
    found.filter_map(|(table, functions)| Some((*table, functions.get(entry.name)?))).collect()
}

/// Formats a signature: `name(a: number, b…: list of string) → string`.
fn signature(name: &str, function: &Function) -> String {
    function.typed_signature(name).replace("...", "…").replace("->", "→")
}

/// Formats a value as an expression.
fn show(value: Value<'_>) -> String {
    let all = |items: &[Value<'_>]| items.iter().map(|item| show(*item)).collect::<Vec<_>>().join(", ");
    let pairs = |entries: &[hclvm::value::Entry<'_>]| {
        let pairs = entries.iter().map(|entry| format!("{} = {}", entry.name, show(entry.value)));
        format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
    };
    match value.view() {
        View::Null(_) => "null".to_owned(),
        View::Number(number) => number.to_owned().to_string(),
        View::String(text) => format!("{text:?}"),
        View::Tuple(items) => format!("[{}]", all(items)),
        View::List(items, _) => format!("tolist([{}])", all(items)),
        View::Set(items, _) => format!("toset([{}])", all(items)),
        View::Object(entries) => pairs(entries),
        View::Map(entries, _) => format!("tomap({})", pairs(entries)),
        _ => format!("{value:?}"),
    }
}

fn result(engine: &Engine, example: &str) -> String {
    let layout = Arc::new(Layout::new([""; 0]));
    let program = engine.compile(example, &layout).unwrap_or_else(|error| panic!("{example}: {error}"));
    match engine.session().run(&program, &engine.scope(&layout)) {
        Ok(value) => show(value),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn examples_have_their_documented_results() {
    let tables = tables();
    let engines: BTreeMap<_, _> = tables
        .iter()
        .map(|(name, table)| (*name, Engine::builder().functions(table.clone()).build()))
        .collect();
    let mut wrong = String::new();
    for entry in entries() {
        let Some((example, expected)) = entry.example else { continue };
        for (table, _) in functions(&entry, &tables) {
            let found = result(&engines[table], example);
            if found != expected {
                let _ = writeln!(wrong, "{table}: {example} => {found}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_function_of_every_table_is_described_once() {
    let (entries, tables) = (entries(), tables());
    for (table, functions) in &tables {
        for name in functions.names().filter(|name| !name.starts_with("core::")) {
            let about = entries.iter().filter(|entry| {
                entry.name == name.as_str()
                    && entry.tables.as_ref().is_none_or(|tables| tables.contains(table))
            });
            assert_eq!(about.count(), 1, "{name} of {table}");
        }
    }
    for entry in &entries {
        let found = functions(entry, &tables);
        let wanted = entry.tables.as_ref().map_or(1, Vec::len);
        assert!(found.len() >= wanted || entry.feature.is_some(), "{} is in no table", entry.name);
        let signatures = found.iter().map(|(_, function)| (signature(entry.name, function), function.pure));
        let signatures: std::collections::BTreeSet<_> = signatures.collect();
        assert!(signatures.len() <= 1, "different functions called {}: {signatures:?}", entry.name);
        assert!(entry.sentence.ends_with('.'), "{}", entry.name);
    }
    assert!(entries.is_sorted_by_key(|entry| entry.name), "the text is in alphabetical order");
}

/// Returns the section of the page for one function, or an empty string if its feature is off.
fn section(entry: &Entry<'_>, tables: &[(&'static str, FunctionTable)]) -> String {
    let found = functions(entry, tables);
    let Some((_, function)) = found.first() else { return String::new() };
    let names: Vec<_> = found.iter().map(|(table, _)| *table).collect();
    let purity = if function.pure { "pure" } else { "impure" };
    let feature = entry.feature.map_or(String::new(), |feature| format!(" · feature `{feature}`"));
    let mut text = String::new();
    let _ = writeln!(text, "### {}\n", entry.name);
    let _ = writeln!(text, "`{}`\\", signature(entry.name, function));
    let _ = writeln!(text, "{purity} · {}{feature}\n", names.join(", "));
    let _ = writeln!(text, "{}", entry.sentence);
    if let Some((example, expected)) = entry.example {
        let _ = writeln!(text, "\n```hcl\n{example} # {expected}\n```");
    }
    text
}

const HEAD: &str = "# Functions

Each function with its signature, whether it is pure, the tables that have it, and an example with its
result. `name…` takes any number of arguments, or is optional; the type after `→` is that of every
result. Arguments are converted to the types of the parameters. Null is rejected, an unknown argument
makes the result unknown, and marks pass to the result, unless the signature says `or null` or the
description something else.

Pure functions depend on their arguments only: with constant ones they may be called when an
expression is compiled. Impure ones need a [capability](../functions/src/capability.rs) that the
host has granted; the examples see two files, the variables `USER` and `HOME`, and a fixed clock. A
function with a feature is missing if that feature of the crate is off.

Every function of the OpenTofu table is also called `core::name`. Hosts add their own functions with
[`hclvm::function`](../src/data/host.rs).

This page is made by [`tests/structure/reference.rs`](../tests/structure/reference.rs) from the functions themselves and
[one text](../functions/src/summaries.txt).
";

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/functions.md")
}

#[test]
fn the_page_is_up_to_date() {
    let tables = tables();
    let sections: Vec<_> = entries().iter().map(|entry| section(entry, &tables)).collect();
    if std::env::var_os("UPDATE").is_some() && cfg!(feature = "full") {
        let text = format!("{HEAD}\n{}", sections.join("\n"));
        std::fs::write(page(), text).expect("the page can be written");
    }
    let page = std::fs::read_to_string(page()).expect("the page is there");
    assert!(page.starts_with(HEAD), "the head of the page");
    // The page also has the functions whose features are off in this build.
    for section in &sections {
        assert!(page.contains(section.as_str()), "docs/functions.md lacks\n{section}");
    }
    let titles = page.lines().filter(|line| line.starts_with("### ")).count();
    assert_eq!(titles, sections.len(), "sections of the page");
}
