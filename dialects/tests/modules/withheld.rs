//! The parts of templates and variable files that hold sensitive values, and the reports without them.

use hclvm::diagnostics::Span;
use hclvm::{Diagnostic, Diagnostics, Engine};
use hclvm_dialects::packer::{Host, Packer, Settings};
use hclvm_dialects::{Application, File, Inputs};

use crate::template;

/// Returns the parts of a template that hold sensitive values.
fn parts(name: &str, text: &str) -> Vec<String> {
    let engine = Engine::new();
    let (document, found) = if text.starts_with('{') {
        engine.parse_json_bytes_lenient(name, text.as_bytes())
    } else {
        engine.parse_bytes_lenient(name, text.as_bytes())
    };
    assert!(!found.has_errors(), "{found}");
    Packer.secret_parts(&document).into_iter().map(|part| part.slice(text).to_owned()).collect()
}

#[test]
fn defaults_and_literals_of_what_is_not_known_to_be_open_are_secret() {
    for sensitive in ["true", "\"true\"", "x", "1", "upper(\"x\")", "null"] {
        let text = format!(
            "variable \"a\" {{\n sensitive = {sensitive}\n default = [\"a\", 1]\n description = \"d\"\n}}\n\
             local \"b\" {{\n expression = [upper(\"b\"), 2, var.c]\n sensitive = {sensitive}\n}}\n"
        );
        assert_eq!(parts("a.pkr.hcl", &text), ["[\"a\", 1]", "b", "2"], "{sensitive}");
    }
    for sensitive in ["sensitive = false", "sensitive = \"false\"", ""] {
        let text = format!(
            "variable \"a\" {{\n {sensitive}\n default = 1\n}}\nlocal \"b\" {{\n {sensitive}\n expression = \"b\"\n}}\n"
        );
        assert_eq!(parts("a.pkr.hcl", &text), [""; 0], "{sensitive}");
    }
    // Other blocks with these names.
    let others = "source \"a\" \"b\" {\n sensitive = true\n default = \"a\"\n expression = \"b\"\n}\nvariables {\n sensitive = true\n default = \"a\"\n}\nlocals {\n sensitive = true\n expression = \"b\"\n}\n";
    assert_eq!(parts("a.pkr.hcl", others), [""; 0]);
    let json =
        "{\"variable\": {\"a\": {\"sensitive\": true, \"default\": \"x\"}, \"b\": {\"default\": \"y\"}}}";
    assert_eq!(parts("a.pkr.json", json), ["\"x\""]);
}

#[test]
fn names_of_sensitive_variables() {
    let text = "variable \"a\" {\n sensitive = true\n}\nvariable \"b\" {}\nlocal \"c\" {\n sensitive = true\n expression = 1\n}\nvariable \"d\" {\n sensitive = x\n}\n";
    let (document, _) = Engine::new().parse_bytes_lenient("a.pkr.hcl", text.as_bytes());
    assert_eq!(Packer.sensitive_variables(&document), ["a", "d"]);
}

#[test]
fn findings_about_a_secret_part_are_withheld() {
    let text = "variable \"a\" {\n default = \"secret\" \n sensitive = true\n}\nlocals {\n b = \"open\"\n}\n";
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
    let at = |part: &str| {
        let start = text.find(part).expect("a part");
        (u32::try_from(start).expect("small"), u32::try_from(start + part.len()).expect("small"))
    };
    let (start, end) = at("\"secret\"");
    let source = module.documents()[0].source();
    let shown = |start: u32, end: u32| {
        let one = Diagnostic::error("Title", "It is \"secret\".", Span::new(start, end));
        let found = module.without_secrets(&Diagnostics::new(std::sync::Arc::clone(source), vec![one]));
        let one = found.iter().next().expect("a finding");
        assert!(!format!("{found:?}").replace("It is \"secret\".", "").contains("secret\""), "{found:?}");
        one.detail.to_string()
    };
    let withheld = "The reason is not shown, because it may contain a sensitive value.";
    for (from, to) in [
        (start, end),
        (start + 1, start + 2),
        (start - 3, start),
        (start - 3, end + 2),
        (end - 1, end + 1),
        (0, end),
    ] {
        assert_eq!(shown(from, to), withheld, "{from} {to}");
    }
    for (from, to) in [(0, start - 1), (end, end + 1), (end + 1, end + 2), at("\"open\"")] {
        assert_eq!(shown(from, to), "It is \"secret\".", "{from} {to}");
    }
    // Another text, and one without secrets.
    let other = Diagnostics::new(
        std::sync::Arc::new(hclvm::diagnostics::Source::new("b", text, Vec::new())),
        vec![Diagnostic::error("Title", "Detail.", Span::new(start, end))],
    );
    assert_eq!(
        module.without_secrets(&other).iter().next().map(|one| one.detail.to_string()).as_deref(),
        Some("Detail.")
    );
}

/// Returns the lines of files in a report, each once, and the number of details that are withheld.
fn excerpts(report: &str) -> (Vec<&str>, usize) {
    let mut lines: Vec<&str> =
        report.lines().filter(|line| line.starts_with(|one: char| one.is_ascii_digit())).collect();
    lines.sort_unstable();
    lines.dedup();
    (lines, report.matches("The reason is not shown").count())
}

#[test]
fn lines_that_may_hold_secrets_are_hidden_in_errors_of_the_syntax() {
    for (text, lines, withheld) in [
        (
            "variable \"a\" {\n  sensitive = true\n  default   =  \"x\" y\n}\n",
            &["3 |   default   =  <sensitive>"][..],
            1,
        ),
        (
            "variable \"a\" {\n  sensitive = true\n  default = {\n    k = \"x\" y\n    \"secret\" : 1\n  }\n}\n",
            &["4 |     k = <sensitive>"],
            1,
        ),
        // The text that is not closed may have swallowed what follows.
        (
            "variable \"a\" {\n  sensitive = true\n  default = \"secret\n}\nlocals {\n  b = 1\n}\n",
            &[
                "3 |   default = <sensitive>",
                "3 |   default = <sensitive>\"",
                "4 | }",
                "5 | <sensitive>",
                "6 |   b = <sensitive>",
                "7 | }",
            ],
            1,
        ),
        // Values that are not sensitive are shown.
        (
            "variable \"a\" {\n  default = 1 y\n}\nlocals {\n  sensitive = \"open\"\n}\n",
            &["2 |   default = 1 y"],
            0,
        ),
        (
            "locals {\n  a = 1 y\n}\nlocal \"a\" {\n  sensitive = true\n  expression = \"secret\"\n}\n",
            &["2 |   a = 1 y"],
            0,
        ),
    ] {
        let found =
            Settings::new().prepare(&template(&[("a.pkr.hcl", text)])).expect_err("an error of the syntax");
        assert_eq!(excerpts(&format!("{found:?}")), (lines.to_vec(), withheld), "{text}");
    }
}

#[test]
fn lines_of_variable_files_that_may_hold_secrets_are_hidden() {
    let module =
        "variable \"open\" {\n default = 1\n}\nvariable \"pin\" {\n default = 1\n sensitive = true\n}\n";
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", module)])).expect("no syntax errors");
    for (name, text, lines, withheld) in [
        ("v.hcl", "open = \"a\" x\n", &["1 | open = \"a\" x"][..], 0),
        ("v.hcl", "open = \"a\" x\npin = 2\n", &["1 | open = <sensitive>"], 1),
        // A sensitive variable may be in the part that was not read.
        (
            "v.hcl",
            "open = \"a\n pin = 2\n",
            &["1 | open = <sensitive>", "1 | open = <sensitive>\"", "2 |  pin = <sensitive>"],
            0,
        ),
        ("v.hcl", "open = 1\nopen = 2\n", &["1 | open = 1", "2 | open = 2"], 0),
        ("v.hcl", "open = 1\nopen = 2\npin = 3\n", &["1 | open = <sensitive>", "2 | open = <sensitive>"], 0),
        ("v.hcl", "open {\n a = 1\n}\npin = 3\n", &["1 | <sensitive>"], 0),
        (
            "v.hcl",
            "open = upper(\"a\")\npin = upper(\"b\")\n",
            &["1 | open = upper(\"a\")", "2 | pin = <sensitive>"],
            1,
        ),
        ("v.json", "{\"open\": 1, \"pin\": 2", &["1 | <sensitive>"], 2),
        ("v.json", "{\"open\": 1, \"other\": 2", &["1 | {\"open\": 1, \"other\": 2"], 0),
    ] {
        let evaluation = module.evaluate(&Inputs::new().file(File::new(name, text)));
        assert_eq!(excerpts(&format!("{:?}", evaluation.problems())), (lines.to_vec(), withheld), "{text}");
    }
}

#[test]
fn problems_call_marked_values_sensitive() {
    let text = "variable \"pin\" {\n default = \"x\"\n sensitive = true\n}\nlocals {\n a = 1 + var.pin\n}\n";
    for mark in [false, true] {
        let settings = Settings::new().mark_sensitive(mark);
        let module = settings.prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
        let found = format!("{:?}", module.evaluate(&Inputs::new()).problems());
        assert!(found.contains("var.pin is (sensitive)") && !found.contains("marked"), "{found}");
    }
}

#[test]
fn texts_of_sensitive_values_are_secrets_at_any_depth() {
    let text = "variable \"a\" {\n sensitive = true\n default = { list = [\"b\", [\"c\"]], map = { d = \"e\" }, text = \"f\\n\\ng\", none = null, number = 5, flag = true, empty = \"\" }\n}\nvariable \"open\" {\n default = \"h\"\n}\nlocal \"l\" {\n sensitive = true\n expression = { m = \"i\" }\n}\nlocals {\n n = \"j${var.a.text}\"\n}\n";
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
    let mut secrets = module.evaluate(&Inputs::new()).secrets();
    secrets.sort();
    assert_eq!(secrets, ["b", "c", "e", "f", "f\n\ng", "g", "i"]);
}

#[test]
fn paths_of_an_explanation_show_no_sensitive_names() {
    let text = "variable \"s\" {\n default = \"zq7Canary\"\n sensitive = true\n}\nsource \"null\" \"x\" {\n dynamic \"tag\" {\n  for_each = [1]\n  labels = [var.s]\n  content {\n   a = source.name == \"x\"\n  }\n }\n}\nbuild {\n name = var.s\n source \"null.x\" {\n  name = \"own\"\n }\n dynamic \"source\" {\n  for_each = [var.s]\n  labels = [\"null.x\"]\n  content {\n   name = source.value\n  }\n }\n dynamic \"provisioner\" {\n  for_each = [1]\n  labels = [var.s]\n  content {\n   b = source.type == \"null\"\n  }\n }\n}\n";
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
    let (evaluation, explanations) = module.why(&Inputs::new(), Host::default());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let mut explained: Vec<String> = explanations.iter().map(|one| one.path.to_string()).collect();
    let values: Vec<String> = evaluation.values().iter().map(|one| one.path.to_string()).collect();
    explained.sort();
    let expected = [
        "build.<sensitive>.name",
        "build.<sensitive>.null.<sensitive>.provisioner.<sensitive>.b",
        "build.<sensitive>.null.<sensitive>.tag.<sensitive>.a",
        "build.<sensitive>.null.own.provisioner.<sensitive>.b",
        "build.<sensitive>.null.own.tag.<sensitive>.a",
    ];
    assert_eq!(explained, expected);
    assert!(values[1..].iter().all(|path| explained.contains(path)), "{values:?}");
}

#[test]
fn values_of_variables_that_are_not_declared_are_shown() {
    let text = "variable \"pin\" {\n default = 1\n sensitive = true\n}\n";
    let settings = Settings::new().warn_undeclared(true);
    let module = settings.prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
    let evaluation = module.evaluate(&Inputs::new().file(File::new("v.hcl", "other = \"open\"\n")));
    assert_eq!(excerpts(&format!("{:?}", evaluation.problems())), (vec!["1 | other = \"open\""], 0));
}

#[test]
fn a_finding_without_a_place_is_shown() {
    let text = "variable \"pin\" {\n default = \"x\"\n sensitive = true\n}\n";
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
    let mut one = Diagnostic::error("Title", "Detail.", Span::new(0, 0));
    one.subject = None;
    let source = std::sync::Arc::clone(module.documents()[0].source());
    let found = module.without_secrets(&Diagnostics::new(source, vec![one]));
    assert_eq!(found.iter().next().map(|one| one.detail.to_string()).as_deref(), Some("Detail."));
}

#[test]
fn an_argument_of_a_build_that_is_sensitive_is_called_so() {
    let text = "variable \"pin\" {\n default = \"x\"\n sensitive = true\n}\nsource \"null\" \"x\" {}\nbuild {\n name = [var.pin]\n sources = [\"null.x\"]\n}\n";
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
    let found = module.evaluate(&Inputs::new()).problems().to_string();
    assert_eq!(
        found,
        "a.pkr.hcl:7:9: Unsuitable value type: `name` has to be a known text, not a sensitive value."
    );
}
