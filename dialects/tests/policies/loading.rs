//! What is wrong with files before anything is evaluated.

use std::fmt::Write;

use hclvm::Limits;
use hclvm::diagnostics::Severity;
use hclvm_dialects::File;
use hclvm_dialects::terraform_policy::{Policies, Schemas, Settings};

use super::{policies, policy};

fn errors(text: &str) -> Vec<String> {
    let found = Policies::load(&[File::new("a.policy.hcl", text)], &Settings::new()).err();
    let found = found.expect("the text has errors");
    found.titles(Severity::Error).into_iter().map(str::to_owned).collect()
}

#[test]
fn all_problems_of_a_file_are_reported_at_once() {
    let text = "resource_policy \"t\" \"p\" {\n  enforcement_level = \"hard\"\n  operations = [\"destroy\"]\n  enforce {\n    condition = local.a && input.b && core::nope()\n  }\n}\n";
    let found = errors(text);
    for title in ["Invalid enforcement level", "Invalid operations", "Undefined local", "Undefined input"] {
        assert!(found.iter().any(|one| one == title), "{title} is not among {found:?}");
    }
}

#[test]
fn files_do_not_see_each_other() {
    let other = File::new("b.policy.hcl", "locals {\n  a = true\n}\n");
    let reader = File::new("a.policy.hcl", policy("local.a"));
    assert!(Policies::load(&[other, reader], &Settings::new()).is_err());
}

#[test]
fn equal_names_of_two_files_have_their_own_values() {
    let file = |name: &str, value: &str| {
        File::new(name, format!("locals {{\n  a = {value}\n}}\n{}", policy(&format!("local.a == {value}"))))
    };
    let files = [file("a.policy.hcl", "1"), file("b.policy.hcl", "2"), file("c.policy.hcl", "3")];
    let policies = Policies::load(&files, &Settings::new()).expect("no errors");
    let plan =
        super::plan(&[super::created("t.x", "{}", "{}", "{}"), super::created("t.y", "{}", "{}", "{}")]);
    let report = super::judged(&policies, &plan);
    assert_eq!(report.verdicts().len(), 6);
    assert!(!report.stops());
}

#[test]
fn what_always_fails_is_a_warning() {
    let loaded = policies(&policy("\"a\" + attrs.b == \"ab\""));
    assert!(!loaded.warnings().is_empty() && !loaded.warnings().has_errors());
    assert!(policies(&policy("core::length(attrs.l) > 0")).warnings().is_empty());
}

#[test]
fn a_long_chain_of_locals_is_loaded_and_evaluated() {
    let mut text = String::from("locals {\n  l0 = 1\n");
    for at in 1..3_000 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  l{at} = local.l{}", at - 1);
    }
    text += "}\n";
    text += &policy("local.l2999 == 1");
    let report = super::judged(&policies(&text), &super::plan(&[super::created("t.x", "{}", "{}", "{}")]));
    assert!(!report.stops());
}

#[test]
fn a_call_through_a_local_of_the_file_is_refused_for_providers() {
    let text = "locals {\n  all = core::getresources(\"t\", {})\n}\nprovider_policy \"aws\" \"p\" {\n  enforce {\n    condition = local.all == []\n  }\n}\n";
    assert_eq!(errors(text), ["Unsupported call"]);
}

#[test]
fn attributes_that_a_schema_does_not_have_are_reported() {
    let schemas = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/x/t": {"resource_schemas": {"t": {"block": {
        "attributes": {"size": {"type": "number"}, "tags": {"type": ["map", "string"]}},
        "block_types": {"rule": {"nesting_mode": "list", "block": {"attributes": {"port": {"type": "number"}}}}}
    }}}}}}"#;
    let found = |condition: &str, strict: bool| {
        let schemas = Schemas::read(schemas, Limits::trusted()).expect("schemas");
        let settings = Settings::new().schemas(schemas).strict(strict);
        match Policies::load(&[File::new("a.policy.hcl", policy(condition))], &settings) {
            Ok(policies) => policies.warnings().to_string(),
            Err(problems) => format!("refused {problems}"),
        }
    };
    for sound in
        ["attrs.size > 1", "attrs.tags.any == \"\"", "attrs.rule[0].port == 1", "attrs.rule[*].x == []"]
    {
        assert_eq!(found(sound, true), "", "{sound}");
    }
    let warning = found("core::try(attrs.siez, 1) == 1", false);
    assert!(warning.contains("Unsupported attribute") && warning.contains("\"size\""), "{warning}");
    assert!(found("attrs.rule[0].prot == 1", true).starts_with("refused"));
}
