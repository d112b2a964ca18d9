//! Values of variables: which of several is used, and how each is read.

use hclvm_dialects::packer::{Packer, Settings};
use hclvm_dialects::{File, Files, Inputs, Origin};

use crate::{evaluated, json, packer_files, template, titles};

const DECLARED: &str = "variable \"a\" {\n type = string\n default = \"d\"\n description = \"The a.\"\n}\nvariable \"b\" {\n type = number\n default = 1\n sensitive = true\n}\n";

/// Returns the origins and values of the first variable.
fn values(inputs: &Inputs) -> Vec<String> {
    let evaluation = evaluated(DECLARED, inputs);
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    evaluation.variables()[0].values().map(|(origin, value)| format!("{origin} {}", json(value))).collect()
}

#[test]
fn values_of_a_host_are_between_files_and_arguments() {
    let arena = hclvm::value::Arena::new();
    let host = |inputs: Inputs, name: &str| inputs.value(name, hclvm::Value::str(&arena, "h"));
    let inputs = host(Inputs::new().argument("a", "c"), "a");
    let inputs = inputs.file(File::new("f.hcl", "a = \"f\"\n")).environment([("PKR_VAR_a", "e")]);
    assert_eq!(values(&inputs), ["default \"d\"", "env \"e\"", "varfile \"f\"", "host \"h\"", "cmd \"c\""]);
    assert_eq!(values(&host(Inputs::new(), "a")), ["default \"d\"", "host \"h\""]);
    // A number becomes a text.
    assert_eq!(values(&Inputs::new().value("a", hclvm::Value::int(5))), ["default \"d\"", "host \"5\""]);
}

#[test]
fn an_environment_has_the_prefix_of_the_application() {
    let inputs =
        Inputs::new().environment([("a", "1"), ("PKR_VAR_", "2"), ("NOMAD_VAR_a", "3"), ("xPKR_VAR_a", "4")]);
    assert_eq!(values(&inputs), ["default \"d\""]);
    let inputs = Inputs::new().environment([("PKR_VAR_a", "1"), ("PKR_VAR_a", "2"), ("PKR_VAR_c", "3")]);
    assert_eq!(values(&inputs), ["default \"d\"", "env \"1\"", "env \"2\""]);
}

#[test]
fn a_variable_has_its_description_and_origin() {
    let evaluation = evaluated(DECLARED, &Inputs::new().file(File::new("x/f.hcl", "b = 2\n")));
    let [a, b] = evaluation.variables() else { panic!("two variables") };
    assert_eq!((a.name(), a.description(), a.is_sensitive()), ("a", Some("The a."), false));
    assert_eq!((b.name(), b.description(), b.is_sensitive()), ("b", None, true));
    assert_eq!((a.origin(), b.origin()), (Some(&Origin::Default), Some(&Origin::File("x/f.hcl".to_owned()))));
    assert_eq!(json(b.value()), "2");
    let unset = evaluated("variable \"a\" {\n type = number\n}\n", &Inputs::new());
    let unset = &unset.variables()[0];
    assert!(unset.origin().is_none() && !unset.value().is_known());
}

#[test]
fn a_file_without_a_sensitive_variable_is_shown() {
    let read = |text: &str| {
        let evaluation = evaluated(DECLARED, &Inputs::new().file(File::new("f.hcl", text)));
        format!("{:?}", evaluation.problems())
    };
    let shown = read("a = [\"one\"]\n");
    assert!(
        shown.contains("f.hcl:1:5")
            && shown.contains("a = [\"one\"]")
            && shown.contains("The value [\"one\"] does"),
        "{shown}"
    );
    let hidden = read("b = [\"one\"]\n");
    assert!(
        hidden.contains("f.hcl:1:5") && !hidden.contains("one") && hidden.contains("The value does not fit"),
        "{hidden}"
    );
}

#[test]
fn sensitive_values_that_fit_are_used() {
    for text in ["b = 2\n", "b = \"2\"\n", "b = 1 + 1\n"] {
        let evaluation = evaluated(DECLARED, &Inputs::new().file(File::new("f.hcl", text)));
        assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
        assert_eq!(json(evaluation.variables()[1].value()), "2");
    }
    let list = "variable \"l\" {\n type = list(number)\n sensitive = true\n}\nlocals {\n l = var.l\n}\n";
    let evaluation = evaluated(list, &Inputs::new().argument("l", "[1, 1 + 1]"));
    assert_eq!(evaluation.local("l").map(json).as_deref(), Some("[1,2]"));
}

#[test]
fn a_wrong_value_is_unknown_so_that_nothing_follows() {
    let text = format!("{DECLARED}locals {{\n c = var.b + 1\n}}\n");
    let evaluation = evaluated(&text, &Inputs::new().value("b", hclvm::Value::bool(true)));
    assert_eq!(titles(evaluation.problems()), ["Invalid value for variable"]);
    assert!(evaluation.locals().is_empty(), "values are missing");
    assert!(!evaluation.variables()[1].value().is_known());
}

#[test]
fn variables_of_files_that_are_not_declared_are_ignored_or_warnings() {
    let inputs = Inputs::new().file(File::new("f.hcl", "aa = 1\na = \"f\"\n"));
    let settings = Settings::new();
    for (settings, count) in [
        (settings.clone(), 0),
        (settings.clone().warn_undeclared(false), 0),
        (settings.warn_undeclared(true), 1),
    ] {
        let module = settings.prepare(&template(&[("a.pkr.hcl", DECLARED)])).expect("no syntax errors");
        let evaluation = module.evaluate(&inputs);
        assert_eq!((evaluation.problems().len(), evaluation.problems().has_errors()), (count, false));
        assert_eq!(json(evaluation.variables()[0].value()), "\"f\"");
    }
}

#[test]
fn a_default_gives_its_type_only_where_the_declared_one_is_open() {
    let of = |declared: &str, argument: &str| {
        let text = format!("variable \"v\" {{\n{declared}\n}}\n");
        let evaluation = evaluated(&text, &Inputs::new().argument("v", argument));
        match titles(evaluation.problems()).first() {
            Some(title) => title.clone(),
            None => json(evaluation.variables()[0].value()),
        }
    };
    let wrong = "Invalid argument value for -var variable";
    assert_eq!(of("type = any\n default = [\"x\"]", "[\"a\", \"b\"]"), wrong);
    assert_eq!(of("type = list(string)\n default = [\"x\"]", "[\"a\", \"b\"]"), "[\"a\",\"b\"]");
    let object = "type = object({ a = optional(number, 5), b = optional(string) })\n default = { a = 1 }";
    assert_eq!(of(object, "{}"), "{\"a\":5,\"b\":null}");
    assert_eq!(of("type = any\n default = {}", "x"), "\"x\"");
    assert_eq!(of("default = \"x\"", "[1]"), "\"[1]\"");
}

#[test]
fn proposals_end_at_many_problems() {
    let inputs = (0..120).fold(Inputs::new(), |inputs, at| inputs.argument(format!("aa{at}"), "x"));
    let evaluation = evaluated("variable \"aa\" {\n default = 1\n}\n", &inputs);
    let proposals = evaluation.problems().iter().filter(|one| one.detail.contains("Did you mean \"aa\"?"));
    assert_eq!((proposals.count(), evaluation.problems().len()), (100, 120));
}

#[test]
fn files_of_a_template_are_selected_by_their_suffixes() {
    let file = |name: &str| File::new(name, "");
    let names = [
        "x/b.pkr.hcl",
        "x/a.pkr.json",
        "y/a.pkr.hcl",
        "c.pkrvars.hcl",
        "z\\0.pkr.hcl",
        "d.hcl",
        "e.json",
        "a.auto.pkrvars.json",
    ];
    let files = Files::of(&Packer, "a\\b", names.map(file));
    let found: Vec<&str> = files.iter().map(File::name).collect();
    assert_eq!(found, ["z\\0.pkr.hcl", "y/a.pkr.hcl", "x/b.pkr.hcl", "x/a.pkr.json"]);
    let root = |files: &Files| {
        let evaluation = Settings::new().prepare(files).expect("no syntax errors").evaluate(&Inputs::new());
        evaluation.local("r").map(json).unwrap_or_default()
    };
    let text = "locals {\n r = path.root\n}\n";
    assert_eq!(root(&Files::of(&Packer, "a\\b", [File::new("a.pkr.hcl", text)])), "\"a/b\"");
    for (name, folder) in [("a.pkr.hcl", "."), ("x/a.pkr.hcl", "x"), ("x\\y\\a", "x/y"), ("/a", "")] {
        assert_eq!(root(&Files::one(File::new(name, text))), format!("\"{folder}\""), "{name}");
    }
}

#[test]
fn automatic_files_are_read_by_name_json_last() {
    let files = [
        ("a.pkr.hcl", DECLARED),
        ("b.auto.pkrvars.hcl", "a = \"b\"\n"),
        ("a.auto.pkrvars.hcl", "a = \"a\"\n"),
        ("0.auto.pkrvars.json", "{\"a\": \"json\"}"),
        ("z.pkrvars.hcl", "a = \"none\"\n"),
    ];
    let evaluation = packer_files(&files, &Inputs::new()).expect("no syntax errors");
    let values: Vec<String> = evaluation.variables()[0].values().map(|(_, value)| json(value)).collect();
    assert_eq!(values, ["\"d\"", "\"a\"", "\"b\"", "\"json\""]);
}

#[test]
fn folders_with_one_kind_of_file_are_templates() {
    for (name, text) in [("a.pkr.hcl", "locals {\n a = 1\n}\n"), ("a.pkr.json", "{\"locals\": {\"a\": 1}}")] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(name), text).expect("a file");
        std::fs::write(folder.path().join("b.auto.pkrvars.json"), "{\"x\": 1}").expect("a file");
        let files = Files::read(&Packer, folder.path()).expect("a template");
        let module = Settings::new().warn_undeclared(true).prepare(&files).expect("no syntax errors");
        let evaluation = module.evaluate(&Inputs::new());
        assert_eq!(evaluation.local("a").map(json).as_deref(), Some("1"), "{name}");
        assert_eq!(evaluation.problems().len(), 1, "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("b.auto.pkrvars.hcl"), "x = 1\n").expect("a file");
    assert!(Files::read(&Packer, folder.path()).is_err());
}
