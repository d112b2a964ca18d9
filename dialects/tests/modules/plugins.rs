//! Requirements of plugins, registries, and functions of old templates.

use hclvm::diagnostics::Severity;
use hclvm_dialects::packer::Settings;
use hclvm_dialects::{Inputs, ModuleContent};

use crate::{errors, evaluated, packer_files, template, titles};

/// Returns the titles of the errors of a requirement.
fn requirement(plugin: &str) -> Vec<String> {
    errors(&format!("packer {{\n required_plugins {{\n  {plugin}\n }}\n}}\n"))
}

#[test]
fn plugins_have_versions_and_sources() {
    let sound = "a = {\n   version = \"~> 1.2, != 1.3.0-beta\"\n   source = \"github.com/acme/a\"\n  }";
    assert_eq!(requirement(sound), [""; 0]);
    for (plugin, title) in [
        ("a = \"1.0\"", "Invalid plugin requirement"),
        ("a = true", "Invalid plugin requirement"),
        ("a = [1]", "Invalid required_plugins syntax"),
        ("a = null", "Invalid required_plugins syntax"),
        ("a = {\n source = \"github.com/acme/a\"\n}", "No version constraint was set"),
        ("a = {\n version = 1\n source = \"github.com/acme/a\"\n}", "Invalid version constraint"),
        ("a = {\n version = \"latest\"\n source = \"github.com/acme/a\"\n}", "Invalid version constraint"),
        ("a = {\n version = \"\"\n source = \"github.com/acme/a\"\n}", "Invalid version constraint"),
        ("a = {\n version = \">= 1\"\n}", "No source was set"),
        ("a = {\n version = \">= 1\"\n source = null\n}", "Invalid source"),
        ("a = {\n version = \">= 1\"\n source = \"acme\"\n}", "Malformed source URL"),
        (
            "a = {\n version = \">= 1\"\n source = \"github.com/acme/packer-plugin-a\"\n}",
            "Invalid plugin type",
        ),
        (
            "a = {\n version = \">= 1\"\n source = \"github.com/acme/a\"\n x = 1\n}",
            "Invalid required_plugins object",
        ),
        ("A = {\n version = \">= 1\"\n source = \"github.com/acme/a\"\n}", "Invalid plugin local name"),
        ("a_b = {\n version = \">= 1\"\n source = \"github.com/acme/a\"\n}", "Invalid plugin local name"),
        ("a {\n}", "Unexpected \"a\" block"),
    ] {
        assert_eq!(requirement(plugin), [title], "{plugin}");
    }
    let variable = requirement("a = {\n version = var.x\n source = \"github.com/acme/a\"\n}");
    assert_eq!(variable, ["Variables not allowed", "Invalid required_plugins syntax"]);
}

#[test]
fn a_plugin_is_required_once() {
    let text = "packer {\n required_plugins {\n  a = {\n version = \">= 1\"\n source = \"h/a\"\n}\n }\n}\n";
    let evaluation = packer_files(&[("a.pkr.hcl", text), ("b.pkr.hcl", text)], &Inputs::new());
    let evaluation = evaluation.expect("no syntax errors");
    assert_eq!(titles(evaluation.problems()), ["Duplicate required_plugin.\"a\" block"]);
}

#[test]
fn registries_are_evaluated_and_shown() {
    let text = "variable \"team\" {\n default = \"web\"\n}\nhcp_packer_registry {\n bucket_name = \"${var.team}-image\"\n bucket_labels = { size = 2 }\n channels = [\"a\"]\n other = nothing\n}\nsource \"null\" \"x\" {}\nbuild {\n sources = [\"null.x\"]\n hcp_packer_registry {\n  build_labels = { a = \"b\" }\n }\n}\n";
    let evaluation = evaluated(text, &Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let value = |path: &str| {
        let values = evaluation.values();
        let found = values.iter().find(|one| one.path.to_string() == path).expect("a value");
        crate::json(found.value)
    };
    assert_eq!(value("hcp_packer_registry.bucket_name"), "\"web-image\"");
    assert_eq!(value("hcp_packer_registry.bucket_labels"), "{\"size\":\"2\"}");
    assert_eq!(value("build.hcp_packer_registry.build_labels"), "{\"a\":\"b\"}");
    assert!(evaluation.content().output(&[]).iter().any(|(name, _)| *name == "hcp_packer_registry"));
}

#[test]
fn wrong_registries_are_reported() {
    let of = |body: &str| errors(&format!("hcp_packer_registry {{\n{body}\n}}\n"));
    assert_eq!(of("bucket_name = var.nope"), ["Unsupported attribute", "Unsuitable value type"]);
    for wrong in [
        "bucket_name = []",
        "bucket_name = null",
        "bucket_labels = \"a\"",
        "channels = { a = 1 }",
        "build_labels = { a = null }",
    ] {
        assert_eq!(of(wrong), ["Unsuitable value type"], "{wrong}");
    }
    assert_eq!(of("bucket_labels = null\nchannels = null"), [""; 0]);
    let name = "hcp_packer_registry.bucket_name can only contain between 3 and 36 ASCII letters, numbers and hyphens";
    assert_eq!(of("bucket_name = \"a_b\""), [name]);
    let long = format!("description = \"{}\"", "x".repeat(256));
    assert_eq!(of(&long), ["hcp_packer_registry.description should have a maximum length of 255 characters"]);
    assert_eq!(of("labels = { a = 1 }\nbucket_labels = { a = 1 }").len(), 1);
    let old = evaluated("hcp_packer_registry {\n labels = { a = 1 }\n}\n", &Inputs::new());
    assert_eq!(old.problems().titles(Severity::Warning).len(), 1);
}

#[test]
fn builders_give_values_that_only_their_plugins_know() {
    let body = "sources = [\"null.x\"]\nprovisioner \"a\" {\n v = \"${build.SourceAMI} ${build.ID}\"\n}\n";
    let text = format!("source \"null\" \"x\" {{}}\nbuild {{\n{body}}}\n");
    let evaluation = evaluated(&text, &Inputs::new());
    let build = &evaluation.content().builds()[0];
    let value = build.sources()[0].provisioners()[0].body().attribute("v").map(crate::json);
    assert_eq!(value.as_deref(), Some("\"<unknown> <unknown>\""));
}

#[test]
fn functions_of_old_templates_have_successors() {
    for (call, successor) in
        [("isotime()", "legacy_isotime"), ("user(\"a\")", "var.NAME"), ("pwd()", "path.cwd")]
    {
        let evaluation = evaluated(&format!("locals {{\n a = {call}\n}}\n"), &Inputs::new());
        let found = evaluation.problems().to_string();
        assert!(found.contains(successor), "{found}");
    }
    let found =
        evaluated("variable \"a\" {\n default = upper(\"x\")\n}\n", &Inputs::new()).problems().to_string();
    assert!(found.contains("compute the value in a local"), "{found}");
    let found = evaluated("locals {\n a = nosuch()\n}\n", &Inputs::new()).problems().to_string();
    assert!(!found.contains("Templates in HCL"), "{found}");
}

#[test]
fn a_template_that_is_built_has_a_build() {
    let of = |text: &str, checking: bool| {
        let settings = Settings::new().expects_build(true).checking(checking);
        let module = settings.prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
        let found = module.evaluate(&Inputs::new()).problems().clone();
        (found.titles(Severity::Error).len(), found.titles(Severity::Warning).len())
    };
    assert_eq!(of("locals {\n a = 1\n}\n", false), (1, 0));
    assert_eq!(of("locals {\n a = 1\n}\n", true), (0, 1));
    assert_eq!(of("source \"null\" \"x\" {}\nbuild {\n sources = [\"null.x\"]\n}\n", false), (0, 0));
    // An error shows enough.
    assert_eq!(of("locals {\n a = 1 + \"x\"\n}\n", false), (1, 0));
}
