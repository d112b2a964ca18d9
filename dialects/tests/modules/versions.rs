//! Version requirements of templates.

use hclvm_dialects::Inputs;
use hclvm_dialects::packer::Settings;

use crate::{template, titles};

/// Returns the problems of a template with a requirement, read by a version of the application.
fn problems(version: &str, requirement: &str) -> Vec<String> {
    let text = format!("packer {{\n required_version = \"{requirement}\"\n}}\n");
    let module = Settings::new().version(version).prepare(&template(&[("a.pkr.hcl", &text)]));
    titles(module.expect("no syntax errors").evaluate(&Inputs::new()).problems())
}

#[test]
fn each_operator_compares_versions() {
    // The version of the application, the version that the requirement has, and their order.
    for (version, other, order) in [
        ("1.2.3", "1.2.3", 0),
        ("1.2.3", "v1.2.3", 0),
        ("v1.2.3", "1.2.3", 0),
        ("1.2.0", "1.2", 0),
        ("1.2", "1.2.0", 0),
        ("1", "1.0.0.0", 0),
        ("1.2.3+build", "1.2.3", 0),
        ("1.2.3-rc1+build", "1.2.3-rc1", 0),
        ("1.2.3", "1.2.4", -1),
        ("1.2.9", "1.2.10", -1),
        ("1.9.9", "1.10", -1),
        ("1.9.9", "2", -1),
        ("0.9.9", "1", -1),
        ("1.2.3", "1.2.3.1", -1),
        ("1.2.3-rc1", "1.2.3", -1),
        ("1.2.3-rc1", "1.2.3-rc2", -1),
        ("1.2.3-beta", "1.2.3-rc", -1),
        ("1.2.2", "1.2.3-rc", -1),
        ("1.2.3-a-b", "1.2.3-a-c", -1),
        ("1.2.3", "1.2.3-rc", 1),
        ("1.3.0", "1.2.9", 1),
        ("2.0.0", "1.9.9", 1),
        ("1.2.3.4", "1.2.3", 1),
    ] {
        for (operator, allowed) in [
            ("", order == 0),
            ("=", order == 0),
            ("!=", order != 0),
            ("<", order < 0),
            ("<=", order <= 0),
            (">", order > 0),
            (">=", order >= 0),
        ] {
            for requirement in [format!("{operator}{other}"), format!(" {operator} {other} ")] {
                let found = problems(version, &requirement);
                let expected = if allowed { &[][..] } else { &["Unsupported Packer Core version"] };
                assert_eq!(found, expected, "{version} {requirement}");
            }
        }
    }
}

#[test]
fn the_last_number_of_a_compatible_version_may_grow() {
    for (version, requirement, allowed) in [
        ("1.2.3", "~> 1.2.3", true),
        ("1.2.9", "~> 1.2.3", true),
        ("1.3.0", "~> 1.2.3", false),
        ("1.2.2", "~> 1.2.3", false),
        ("1.2.0", "~> 1.2", true),
        ("1.9.0", "~> 1.2", true),
        ("2.0.0", "~> 1.2", false),
        ("1.1.9", "~> 1.2", false),
        ("0.9.0", "~> 1", false),
        ("1.5.0", "~> 1", true),
        ("2.0.0", "~> 1", true),
        ("1.2.3-rc", "~> 1.2.3", false),
    ] {
        assert_eq!(problems(version, requirement).is_empty(), allowed, "{version} {requirement}");
    }
}

#[test]
fn all_parts_of_a_requirement_hold() {
    for (requirement, allowed) in [
        ("> 1, < 2", true),
        ("> 1,< 1.2", false),
        ("< 1, < 2", false),
        ("1.2.3, != 1.2.3", false),
        ("!= 1, != 2, != 3", true),
    ] {
        assert_eq!(problems("1.2.3", requirement).is_empty(), allowed, "{requirement}");
    }
}

#[test]
fn texts_that_are_no_requirement() {
    for requirement in ["", ">", "latest", "1.x", "> 1,", "=> 1", "1..2", "~>", "> 1 < 2", "-1", "v", ">> 1"]
    {
        assert_eq!(problems("1.2.3", requirement), ["Invalid version constraint"], "{requirement}");
    }
    // A version of the application that cannot be read satisfies all requirements.
    assert_eq!(problems("dev", "> 1"), [""; 0]);
    assert_eq!(problems("dev", "x"), ["Invalid version constraint"]);
}

#[test]
fn a_requirement_that_cannot_be_read_hides_no_other_problem() {
    for (requirement, title) in [
        ("var.a", "Variables not allowed"),
        ("1", "Invalid version constraint"),
        ("\"x\"", "Invalid version constraint"),
    ] {
        let text = format!(
            "packer {{\n required_version = {requirement}\n}}\nvariable \"1\" {{\n default = 1\n}}\n"
        );
        assert_eq!(crate::errors(&text), [title, "Invalid variable name"], "{requirement}");
    }
}

#[test]
fn every_file_and_block_counts() {
    let wrong = "packer {\n required_version = \"> 9\"\n}\n";
    let right = "packer {\n required_version = \"> 1\"\n}\n";
    let of = |files: &[(&str, &str)]| {
        let module = Settings::new().prepare(&template(files)).expect("no syntax errors");
        titles(module.evaluate(&Inputs::new()).problems())
    };
    let unsupported = "Unsupported Packer Core version";
    assert_eq!(of(&[("a.pkr.hcl", right), ("b.pkr.hcl", wrong)]), [unsupported]);
    assert_eq!(of(&[("a.pkr.hcl", wrong), ("b.pkr.hcl", right)]), [unsupported]);
    assert_eq!(of(&[("a.pkr.hcl", wrong), ("b.pkr.hcl", wrong)]), [unsupported; 2]);
    assert_eq!(of(&[("a.pkr.hcl", &format!("{right}{wrong}"))]), [unsupported]);
    assert_eq!(of(&[("a.pkr.hcl", &format!("{wrong}{right}"))]), [unsupported]);
    assert_eq!(
        of(&[("a.pkr.hcl", "packer {\n required_plugins {\n  a = 1\n }\n}\n")]),
        ["Invalid plugin requirement"]
    );
    assert_eq!(of(&[("a.pkr.hcl", "packer {\n required_version = var.a\n}\n")]), ["Variables not allowed"]);
}
