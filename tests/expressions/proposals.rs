//! Changes that diagnostics propose: each one, applied, gives a text without the problem and without another one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use hclvm::diagnostics::{Code, Span};
use hclvm::lint::Lints;
use hclvm::{Diagnostic, Dialect, Engine, Error, Layout, Program};

/// How a text is parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    File,
    Json,
    Expression,
    Template,
}

/// Returns the problems that an engine finds in a text: syntax errors, all of them or those of one parse, or warnings about
/// a file without any.
fn problems(text: &str, form: Form, all: bool) -> Vec<Diagnostic> {
    let engine = Engine::builder().dialect(Dialect::standard()).further_errors(all).build();
    let layout = Arc::new(Layout::new([""; 0]));
    let found = match form {
        Form::File => {
            let (document, found) = engine.parse_lenient("a.hcl", text);
            if found.has_errors() { found } else { document.lints(&Lints::new()) }
        }
        Form::Json => engine.parse_json_bytes_lenient("a.hcl.json", text.as_bytes()).1,
        Form::Expression => return of_program(engine.compile(text, &layout)),
        Form::Template => return of_program(engine.compile_template(text, &layout)),
    };
    found.iter().cloned().collect()
}

fn of_program(program: Result<Program, Error>) -> Vec<Diagnostic> {
    let error = program.err();
    error.iter().filter_map(Error::diagnostics).flatten().cloned().collect()
}

/// Returns a text with the changes that a problem proposes, and the ranges of these in it.
fn repaired(text: &str, problem: &Diagnostic) -> Option<(String, Vec<Span>)> {
    let mut changes = problem.additions.as_ref().map(|additions| additions.replacements.clone())?;
    changes.sort_by_key(|change| change.span.start);
    let (mut changed, mut places, mut end) = (String::new(), Vec::new(), 0);
    for change in &changes {
        changed += &text[end..change.span.start as usize];
        let start = u32::try_from(changed.len()).expect("a short text");
        changed += &change.text;
        places.push(Span::new(start, start + u32::try_from(change.text.len()).expect("a short text")));
        end = change.span.end as usize;
    }
    changed += &text[end..];
    (!changes.is_empty()).then_some((changed, places))
}

/// Returns the number of changes that the problems of a text propose, and why some are wrong.
fn faults(text: &str, form: Form) -> (usize, Vec<String>) {
    let (mut count, mut faults) = (0, Vec::new());
    for problem in problems(text, form, true) {
        let Some((changed, places)) = repaired(text, &problem) else { continue };
        count += 1;
        let left = problems(&changed, form, false);
        let touches = |one: &&Diagnostic| {
            let start = one.subject.map_or(u32::MAX, |subject| subject.start);
            one.is_error() && places.iter().any(|place| place.start <= start && start <= place.end)
        };
        let remains = |one: &&Diagnostic| one.title == problem.title && one.subject == problem.subject;
        if let Some(one) = left.iter().find(|one| touches(one) || remains(one)) {
            faults.push(format!("{text:?} for {:?}\n  {changed:?} has {:?}", problem.title, one.title));
        }
    }
    (count, faults)
}

/// Returns the texts of a file with a case in each line, a text in JSON.
fn texts(path: &str) -> Vec<String> {
    let content = fs::read_to_string(path).expect("the file can be read");
    let text = |line: &str| serde_json::Deserializer::from_str(line).into_iter().next()?.ok();
    content.lines().filter_map(text).collect()
}

/// Asserts that each change that is proposed for a text is a repair, and that there are `least` of them.
#[track_caller]
fn all_repair(texts: impl IntoIterator<Item = (String, Form)>, least: usize) {
    let (mut count, mut faults) = (0, Vec::new());
    for (text, form) in texts {
        let (proposed, found) = self::faults(&text, form);
        count += proposed;
        faults.extend(found);
    }
    assert!(faults.is_empty(), "{} of {count}\n{}", faults.len(), faults.join("\n"));
    assert!(count >= least, "{count} changes are proposed");
}

/// Returns the texts of the files in a folder of the tests.
fn of_folder(folder: &str, files: &[(&str, Form)]) -> Vec<(String, Form)> {
    let of_file = |(file, form): &(&str, Form)| {
        let found = texts(&format!("{}/tests/documents/{folder}/{file}.txt", env!("CARGO_MANIFEST_DIR")));
        found.into_iter().map(|text| (text, *form)).collect::<Vec<_>>()
    };
    files.iter().flat_map(of_file).collect()
}

const MISTAKES: [(&str, Form); 3] =
    [("files", Form::File), ("templates", Form::Template), ("json", Form::Json)];

#[test]
fn changes_of_usual_mistakes_repair_them() {
    all_repair(of_folder("syntax_advice", &MISTAKES), 220);
}

#[test]
fn an_engine_proposes_the_changes_that_repair() {
    for (text, form) in of_folder("syntax_advice", &MISTAKES) {
        let found = problems(&text, form, true);
        assert!(found.iter().any(|one| repaired(&text, one).is_some()), "{text:?}: {found:?}");
    }
}

#[test]
fn changes_of_texts_with_several_mistakes_repair_one_of_them() {
    let files = [("files", Form::File), ("further", Form::File), ("templates", Form::Template)];
    let texts = of_folder("syntax_errors", &files);
    all_repair(
        texts.into_iter().chain(of_folder("syntax_errors", &[("expressions", Form::Expression)])),
        500,
    );
}

#[test]
fn changes_of_the_examples_of_codes_repair_them() {
    let examples =
        Code::all().flat_map(|code| [Form::File, Form::Json].map(|form| (code.wrong().to_owned(), form)));
    all_repair(examples, 50);
}

#[test]
fn changes_of_recorded_mistakes_repair_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/files/_mutants");
    let Ok(entries) = fs::read_dir(&folder) else {
        eprintln!("skipped: {} is absent", folder.display());
        return;
    };
    let texts = entries.flatten().filter_map(|entry| fs::read_to_string(entry.path()).ok());
    all_repair(texts.map(|text| (text, Form::File)), 100);
}

#[test]
fn names_that_begin_with_digits_are_put_in_brackets() {
    for (text, expected) in [
        ("a = x.56net", Some("a = x[\"56net\"]")),
        ("a = x.1a.b[0]", Some("a = x[\"1a\"].b[0]")),
        ("a = local.3d-models[0]", Some("a = local[\"3d-models\"][0]")),
        ("a = f(x).0x1F", Some("a = f(x)[\"0x1F\"]")),
        ("a = x[0].1_000", Some("a = x[0][\"1_000\"]")),
        ("a = \"${meta.56net}-${b}\"", Some("a = \"${meta[\"56net\"]}-${b}\"")),
        ("a = x[*].56net", Some("a = x[*][\"56net\"]")),
        ("a = x.*.56net", None),
        ("a = x.*.b.56net", None),
        ("a = 56net", Some("a = \"56net\"")),
    ] {
        let found = problems(text, Form::File, true);
        let repaired = found.iter().find_map(|one| repaired(text, one)).map(|(text, _)| text);
        assert_eq!(repaired.as_deref(), expected, "{text}");
    }
}

#[test]
fn names_that_look_like_others_are_not_proposed() {
    let engine = Engine::standard();
    for (known, wanted, is_proposed) in [
        ("user", "usr", true),
        ("größe", "groesse", false),
        ("größe", "größ", true),
        ("grösse", "grosse", true),
        ("us\u{435}r", "user", false),
        ("\u{445}\u{43e}\u{441}\u{442}", "\u{445}\u{43e}\u{441}", true),
        ("\u{445}o\u{441}\u{442}", "\u{445}\u{43e}\u{441}\u{442}", false),
        ("user", "us\u{435}r", true),
        ("us\u{200d}er", "user", false),
        ("us\u{ad}er", "user", false),
    ] {
        // The name of an attribute of an object, and that of a variable.
        let document = engine.parse("a.hcl", &format!("a = o.{wanted}\n")).expect("no errors");
        let mut scope = document.scope();
        scope.set("o", &BTreeMap::from([(known, 1)])).expect("a value");
        let layout = Arc::new(Layout::new([known]));
        let program = document.attribute("a").expect("there").program().expect("compiles");
        let of_object = engine.session().run(&program, &scope).map(drop).expect_err("no attribute");
        let of_variable = engine.compile(wanted, &layout).expect("compiles").known_problems();
        let of_object = of_object.diagnostics().expect("diagnostics");
        for found in [of_object, &of_variable] {
            let has = found.iter().any(|one| {
                one.additions.as_ref().is_some_and(|additions| !additions.replacements.is_empty())
            });
            assert_eq!(has, is_proposed, "{known:?} for {wanted:?}: {found}");
        }
    }
}
