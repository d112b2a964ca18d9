//! Terraform modules: folders with local modules, variables, paths of results, schemas of providers, checks.

use serde_json::Value as Json;

use crate::{Folder, hclvm, json, text};

const MAIN: &str = r#"
variable "names" {
  type    = list(string)
  default = ["a", "b"]
}
variable "token" {
  default   = "hunter2"
  sensitive = true
}
locals {
  upper  = [for name in var.names : upper(name)]
  header = "Bearer ${var.token}"
}
resource "acme_box" "web" {
  count = length(var.names)
  name  = local.upper[count.index]
  auth  = local.header
}
module "child" {
  source = "./child"
  name   = local.upper[0]
}
output "child" {
  value = module.child.name
}
"#;

const CHILD: &str = r#"
variable "name" {}
output "name" {
  value = "child of ${var.name}"
}
"#;

fn module() -> (Folder, String) {
    let folder = Folder::new();
    folder.file("main.tf", MAIN);
    std::fs::create_dir(folder.0.path().join("child")).expect("a folder");
    folder.file("child/main.tf", CHILD);
    let path = folder.0.path().to_str().expect("a path of plain letters").to_owned();
    (folder, path)
}

#[test]
fn a_folder_is_evaluated_with_its_modules() {
    let (_folder, path) = module();
    let output = hclvm(&["eval", &path, "--var", "names=[\"x\"]"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let want = json!({
        "variables": { "names": ["x"], "token": "<sensitive>" },
        "locals": { "upper": ["X"], "header": "<sensitive>" },
        "planned_values": {
            "outputs": { "child": { "sensitive": false, "value": "child of X" } },
            "root_module": {
                "resources": [{
                    "address": "acme_box.web[0]",
                    "mode": "managed",
                    "type": "acme_box",
                    "name": "web",
                    "index": 0,
                    "provider_name": "registry.terraform.io/hashicorp/acme",
                    "values": { "name": "X", "auth": "<sensitive>" },
                    "sensitive_values": { "auth": true },
                }],
            },
        },
    });
    assert_eq!(printed, want);
}

#[test]
fn paths_lead_to_outputs_and_attributes_of_modules() {
    let (_folder, path) = module();
    for (attribute, want) in [
        ("output.child", "\"child of A\"\n"),
        ("module.child.output.name", "\"child of A\"\n"),
        ("module.child.var.name", "\"A\"\n"),
        ("acme_box.web.1.name", "\"B\"\n"),
        ("local.upper", "[\n  \"A\",\n  \"B\"\n]\n"),
    ] {
        let output = hclvm(&["eval", &path, "--attr", attribute]);
        assert_eq!(text(&output.stdout), want, "{attribute}: {}", text(&output.stderr));
    }
}

#[test]
fn scopes_give_sets_of_variables() {
    let (folder, path) = module();
    let scopes =
        folder.file("scopes.ndjson", "{\"var\": {\"names\": []}}\n{\"var\": {\"names\": [\"q\"]}}\n");
    let output = hclvm(&["eval", &path, "--scopes", &scopes]);
    let lines: Vec<Json> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].get("errors").is_some(), "the list has no first element");
    assert_eq!(lines[1]["locals"]["upper"], json!(["Q"]));
}

#[test]
fn a_check_reads_schemas_of_providers() {
    let (folder, path) = module();
    assert!(hclvm(&["check", &path]).status.success());
    let schemas = folder.file(
        "schemas.json",
        r#"{"provider_schemas": {"registry.terraform.io/hashicorp/acme": {"resource_schemas": {"acme_box":
            {"version": 1, "block": {"attributes": {"name": {"type": "string", "required": true}}}}}}}}"#,
    );
    let output = hclvm(&["check", &path, "--schemas", &schemas]);
    assert!(!output.status.success());
    assert!(
        text(&output.stderr).contains("Unsupported argument")
            || text(&output.stdout).contains("Unsupported argument")
    );
}
