//! Terraform policies: their blocks and functions, the attributes of resources by the schemas of providers, and locals that
//! belong to one policy.

use crate::client::{Editor, folder, marked, uri};

const SCHEMAS: &str = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/x/aws": {"resource_schemas": {
    "aws_disk": {"version": 0, "block": {
        "attributes": {"size": {"type": "number", "required": true}, "tags": {"type": ["map", "string"], "optional": true}},
        "block_types": {"rule": {"nesting_mode": "list", "block": {"attributes": {"port": {"type": "number"}}}}}
    }},
    "aws_vpc": {"version": 0, "block": {"attributes": {"cidr": {"type": "string", "required": true}}}}
}}}}"#;

const POLICIES: &str = r#"input "most" {
  type = number
}
locals {
  wanted = ["owner"]
}
resource_policy "aws_disk" "small" {
  locals {
    limit = 5
  }
  enforce {
    condition = attrs.size < local.limit
  }
}
resource_policy "aws_vpc" "wide" {
  locals {
    limit = 16
  }
  enforce {
    condition = ^
  }
}
"#;

/// Returns an editor of a folder with schemas, and the URI of a file in it.
fn editor(name: &str) -> (tempfile::TempDir, Editor, String) {
    let folder = folder(&[("hclvm.hcl", "provider_schemas = \"schemas.json\"\n"), ("schemas.json", SCHEMAS)]);
    let (editor, uri) = (Editor::of_folder(folder.path()), uri(&folder.path().join(name)));
    (folder, editor, uri)
}

/// Returns what is proposed where the text has `^`.
fn completions(name: &str, text: &str) -> Vec<String> {
    let (text, at) = marked(text);
    let (_folder, mut editor, uri) = editor(name);
    editor.open(&uri, &text);
    editor.completions(&uri, at)
}

fn in_condition(expression: &str) -> Vec<String> {
    completions("a.policy.hcl", &POLICIES.replace('^', expression))
}

#[test]
fn blocks_and_their_attributes_are_completed() {
    let file = completions("a.policy.hcl", "^");
    assert!(
        ["policy", "input", "resource_policy", "module_policy"]
            .iter()
            .all(|kind| file.contains(&(*kind).to_owned()))
    );
    let policy = completions("a.policy.hcl", "resource_policy \"a\" \"b\" {\n  ^\n}");
    assert!(
        ["operations", "filter", "enforce"].iter().all(|name| policy.contains(&(*name).to_owned())),
        "{policy:?}"
    );
    assert!(!policy.contains(&"when".to_owned()));
    let enforce = completions("a.policy.hcl", "provider_policy \"a\" \"b\" {\n  enforce {\n    ^\n  }\n}");
    assert!(enforce.contains(&"error_message".to_owned()), "{enforce:?}");
    let mock = completions("a.policytest.hcl", "resource \"a\" \"b\" {\n  ^\n}");
    assert!(mock.contains(&"expect_failure".to_owned()), "{mock:?}");
}

#[test]
fn attributes_of_a_resource_are_those_of_its_schema() {
    assert_eq!(in_condition("attrs.^"), ["cidr"]);
    assert_eq!(in_condition("meta.o^"), ["operation"]);
    let disk = |path: &str| {
        let text =
            POLICIES.replace("attrs.size <", &format!("attrs.{path}^ == 1 &&")).replacen("= ^", "= true", 1);
        completions("a.policy.hcl", &text)
    };
    assert_eq!(disk(""), ["rule", "size", "tags"]);
    assert_eq!(disk("rule[0]."), ["port"]);
    let types = completions("a.policy.hcl", "resource_policy \"aws_^\" \"b\" {\n}");
    assert_eq!(types, ["aws_disk", "aws_vpc"]);
}

#[test]
fn locals_of_a_policy_belong_to_it() {
    assert_eq!(in_condition("local.^"), ["limit", "wanted"]);
    assert_eq!(in_condition("input.^"), ["most"]);
    let (_folder, mut editor, uri) = editor("a.policy.hcl");
    let text = POLICIES.replace('^', "local.limit < 9");
    editor.open(&uri, &text);
    for (definition, reference) in [(8, 11), (16, 19)] {
        let found = editor.at("textDocument/references", &uri, (definition, 5));
        let lines = found.as_array().expect("a list").iter().map(|one| &one["range"]["start"]["line"]);
        assert_eq!(lines.collect::<Vec<_>>(), [reference], "{found}");
    }
}

#[test]
fn functions_have_their_namespace_and_a_description() {
    assert_eq!(in_condition("core::getr^"), ["getresources"]);
    let (_folder, mut editor, uri) = editor("a.policy.hcl");
    editor.open(&uri, &POLICIES.replace('^', "core::semvercmp(\"1\", \"2\") == core::length([])"));
    assert!(editor.hover(&uri, (19, 24)).contains("Compares two versions"));
    assert!(editor.hover(&uri, (19, 55)).contains("length"));
    assert_eq!(editor.hover(&uri, (11, 25)), "```hcl\nattrs.size: number\n```");
}

#[test]
fn misspelt_attributes_are_reported() {
    let (_folder, mut editor, uri) = editor("a.policy.hcl");
    editor.open(&uri, &POLICIES.replace('^', "attrs.cdir != \"\""));
    let messages = editor.messages(&uri);
    assert!(messages.len() == 1 && messages[0].contains("Did you mean \"cidr\"?"), "{messages:?}");
}
