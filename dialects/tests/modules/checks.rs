//! Checks without values, single files of a template, and the budget that all evaluations of a template share.

use hclvm::Limits;
use hclvm_dialects::Inputs;
use hclvm_dialects::packer::{Evaluation, Settings};

use crate::{template, titles};

fn evaluate(settings: &Settings, text: &str) -> Evaluation {
    let module = settings.prepare(&template(&[("a.pkr.hcl", text)]));
    module.unwrap_or_else(|problems| panic!("{problems:?}")).evaluate(&Inputs::new())
}

fn checked(text: &str) -> Vec<String> {
    titles(evaluate(&Settings::new().checking(true), text).problems())
}

const UNKNOWN: &str = "variable \"text\" {\n type = string\n}\nvariable \"list\" {\n type = list(string)\n}\nvariable \"any\" {}\nsource \"null\" \"x\" {}\n";

#[test]
fn a_check_accepts_what_is_unknown() {
    for build in [
        "sources = var.list",
        "sources = [\"null.${var.text}\"]",
        "name = var.text\ndescription = var.any\nsources = [\"null.x\"]",
        "sources = [\"null.x\"]\nprovisioner \"a\" {\n name = var.text\n timeout = var.text\n max_retries = var.any\n continue_on_error = var.any\n only = var.list\n override = var.any\n}",
        "sources = [\"null.x\"]\nprovisioner \"a\" {\n except = [var.text]\n override = { x = var.any }\n pause_before = var.any\n}",
        "sources = [\"null.x\"]\npost-processor \"a\" {\n keep_input_artifact = var.any\n}",
    ] {
        assert_eq!(checked(&format!("{UNKNOWN}build {{\n{build}\n}}\n")), [""; 0], "{build}");
        let evaluation = evaluate(&Settings::new(), &format!("{UNKNOWN}build {{\n{build}\n}}\n"));
        assert!(titles(evaluation.problems()).len() > 3, "{build}");
    }
}

#[test]
fn a_check_finds_what_is_wrong_for_all_values() {
    for (build, expected) in [
        ("sources = []", "missing source reference"),
        ("sources = 5", "Unsuitable value type"),
        ("sources = [var.text, 5, [1]]", ""),
        ("name = [1]\nsources = [\"null.x\"]", "Unsuitable value type"),
        ("sources = [\"null.y\"]", "Unknown source null.y"),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n timeout = \"x\"\n}",
            "Failed to parse timeout duration",
        ),
        (
            "sources = [\"null.x\"]\nprovisioner \"a\" {\n v = 1 + \"x\"\n}",
            "Failed preparing provisioner-block \"a\" \"\"",
        ),
    ] {
        let expected: Vec<&str> = Some(expected).filter(|one| !one.is_empty()).into_iter().collect();
        assert_eq!(checked(&format!("{UNKNOWN}build {{\n{build}\n}}\n")), expected, "{build}");
    }
}

#[test]
fn a_single_file_of_a_template_may_read_what_others_declare() {
    let settings = Settings::new().checking(true).partial(true);
    let of = |text: &str| titles(evaluate(&settings, text).problems());
    for text in [
        "locals {\n a = var.other + local.other + data.http.other.size\n b = keys(var)\n c = keys(local)\n}\n",
        "build {\n sources = [\"null.other\"]\n provisioner \"a\" {\n  v = var.other\n }\n}\n",
        "source \"null\" \"x\" {\n a = var.other\n b = local.other.c\n}\n",
        "data \"http\" \"x\" {\n url = local.other\n}\nlocals {\n a = data.http.x.body\n}\n",
    ] {
        assert_eq!(of(text), [""; 0], "{text}");
        assert_ne!(checked(text).len() + usize::from(text.starts_with("source")), 0, "{text}");
    }
    for (text, expected) in [
        ("locals {\n a = local.b\n b = local.a\n c = local.other\n}\n", "failed to prepare execution graph"),
        ("source \"null\" \"x\" {\n a = 1 + \"x\"\n}\n", "Invalid operand"),
        ("locals {\n a = 1 + \"x\"\n}\n", "Invalid operand"),
        ("build {\n sources = [\"null\"]\n}\n", "Invalid source reference"),
    ] {
        assert_eq!(of(text), [expected], "{text}");
    }
}

/// Returns the problems of a template beyond a budget that the work of one evaluation does not exceed.
fn exhausted(text: &str) -> Vec<String> {
    let limits = Limits { fuel: 20_000, ..Limits::default() };
    titles(evaluate(&Settings::new().limits(limits), text).problems())
}

#[test]
fn every_part_of_a_template_spends_its_budget() {
    let work = "length([for a in range(1000) : a + 1])";
    let sources = |count: usize, body: &str| {
        (0..count)
            .map(|at| format!("source \"null\" \"s{at}\" {{\n{body}\n}}\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let uses = |count: usize| (0..count).map(|at| format!("\"null.s{at}\", ")).collect::<Vec<_>>().concat();
    let parts = |count: usize| {
        [
            (0..count).map(|at| format!("locals {{\n l{at} = {work}\n}}\n")).collect::<Vec<_>>().concat(),
            (0..count)
                .map(|at| format!("data \"http\" \"d{at}\" {{\n v = {work}\n}}\n"))
                .collect::<Vec<_>>()
                .concat(),
            format!("{}build {{\n sources = [{}]\n}}\n", sources(count, &format!("v = {work}")), uses(count)),
            format!(
                "{}build {{\n sources = [{}]\n provisioner \"a\" {{\n  v = {work}\n }}\n}}\n",
                sources(count, ""),
                uses(count)
            ),
        ]
    };
    for (few, many) in parts(2).iter().zip(parts(12)) {
        assert_eq!(exhausted(few), [""; 0], "{few}");
        assert_eq!(exhausted(&many), ["Limit exceeded"], "{many}");
    }
}

#[test]
fn the_name_of_a_build_ends_with_it() {
    let text = "source \"null\" \"x\" {}\nbuild {\n name = \"first\"\n}\nbuild {\n name = build.name\n sources = [\"null.x\"]\n}\n";
    assert_eq!(
        titles(evaluate(&Settings::new(), text).problems()),
        ["missing source reference", "Unsupported attribute"]
    );
    let text = "source \"null\" \"x\" {\n v = build.name\n}\nbuild {\n name = \"first\"\n sources = [\"null.x\"]\n}\n";
    assert_eq!(titles(evaluate(&Settings::new(), text).problems()), ["Unsupported attribute"]);
}

#[test]
fn an_iterator_is_the_only_name_in_the_name_of_a_source() {
    let of = |dynamic: &str| {
        let text = format!(
            "source \"null\" \"x\" {{}}\nbuild {{\n dynamic \"source\" {{\n  for_each = [\"a\"]\n  labels = [\"null.x\"]\n{dynamic}\n }}\n}}\n"
        );
        titles(evaluate(&Settings::new(), &text).problems())
    };
    assert_eq!(of("iterator = it\ncontent {\n name = it.value\n}"), [""; 0]);
    assert_eq!(of("content {\n name = source.value\n}"), [""; 0]);
    assert_eq!(of("iterator = it\ncontent {\n name = source.value\n}"), ["Variables not allowed"]);
    assert_eq!(of("content {\n name = upper(source.value)\n}"), ["Function calls not allowed"]);
    assert_eq!(of("content {\n name = build.name\n}"), ["Variables not allowed"]);
}

#[test]
fn headers_read_the_name_of_their_build() {
    let text = "source \"null\" \"x\" {}\nbuild {\n name = \"b\"\n sources = [\"null.x\"]\n provisioner \"a\" {\n  name = \"${build.name}-step\"\n }\n}\n";
    let evaluation = evaluate(&Settings::new(), text);
    assert_eq!(evaluation.content().builds()[0].sources()[0].provisioners()[0].name(), Some("b-step"));
}

#[test]
fn a_wrong_header_of_another_build_hides_bodies() {
    let text = "source \"null\" \"x\" {\n v = 1 + \"x\"\n}\nbuild {\n sources = [\"null.x\"]\n}\nbuild {}\n";
    let evaluation = evaluate(&Settings::new(), text);
    assert_eq!(titles(evaluation.problems()), ["missing source reference"]);
    assert!(evaluation.content().builds().is_empty());
}

#[test]
fn steps_run_for_the_sources_that_they_admit() {
    let text = "source \"null\" \"x\" {}\nbuild {\n sources = [\"null.x\"]\n source \"null.x\" {\n  name = \"own\"\n }\n source \"null.x\" {\n  name = \"\"\n }\n error-cleanup-provisioner \"a\" {\n  only = [\"null.own\"]\n }\n}\n";
    let evaluation = evaluate(&Settings::new(), text);
    let sources = evaluation.content().builds()[0].sources().iter();
    let cleanups: Vec<_> = sources.map(|one| (one.name(), one.error_cleanup().is_some())).collect();
    assert_eq!(cleanups, [("x", false), ("own", true), ("x", false)]);
}

#[test]
fn a_template_sees_its_working_directory_and_version() {
    let settings = Settings::new().directory("a\\b").version("1.2.3");
    let evaluation = evaluate(&settings, "locals {\n a = \"${path.cwd} ${packer.version}\"\n}\n");
    assert_eq!(evaluation.local("a").and_then(hclvm::Value::as_str), Some("a/b 1.2.3"));
    let evaluation = evaluate(&Settings::new(), "locals {\n a = \"${path.cwd} ${packer.version}\"\n}\n");
    assert_eq!(evaluation.local("a").and_then(hclvm::Value::as_str), Some(". 1.16.0"));
}

#[test]
fn the_nodes_of_a_long_cycle_are_counted() {
    for (count, others) in [(100, None), (101, Some("-> (1 more) ->")), (102, Some("-> (2 more) ->"))] {
        let locals = (0..count)
            .map(|at| format!(" l{at} = local.l{}\n", (at + 1) % count))
            .collect::<Vec<_>>()
            .concat();
        let evaluation = evaluate(&Settings::new(), &format!("locals {{\n{locals}}}\n"));
        let detail = &evaluation.problems().iter().next().expect("a problem").detail;
        assert_eq!(others.map(|others| detail.contains(others)), others.map(|_| true), "{detail}");
        assert_eq!(detail.contains("more)"), others.is_some(), "{detail}");
    }
}
