//! Packer templates and Nomad jobs: folders, variable files, scopes, checks.

use crate::{Folder, hclvm, json, text};

const VARIABLES: &str = r#"
variable "region" {
  type = string
}
variable "size" {
  type    = number
  default = 2
  validation {
    condition     = var.size < 10
    error_message = "At most 9."
  }
}
variable "token" {
  default   = "secret"
  sensitive = true
}
"#;

const BUILD: &str = r#"
locals {
  name   = "web-${var.region}-${var.size}"
  header = "Bearer ${var.token}"
}
source "null" "web" {
  communicator = "none"
}
build {
  name    = "web"
  sources = ["source.null.web"]
  provisioner "shell-local" {
    inline = ["echo ${local.name} ${source.type} ${build.ID}"]
  }
}
"#;

/// A folder with a template of two files.
fn template() -> Folder {
    let folder = Folder::new();
    folder.file("variables.pkr.hcl", VARIABLES);
    folder.file("web.pkr.hcl", BUILD);
    folder
}

fn path(folder: &Folder) -> String {
    folder.0.path().to_str().expect("a path of plain letters").to_owned()
}

#[test]
fn attributes_of_templates_and_jobs_are_explained() {
    let folder = Folder::new();
    folder.file(
        "a.pkr.hcl",
        format!(
            "{VARIABLES}{}",
            BUILD.replace(
                "communicator = \"none\"",
                "fast = var.size < 3 && source.name == \"web\"\n  auth = var.token == \"secret\""
            )
        ),
    );
    let path = path(&folder);
    let eval = |more: &[&str]| {
        hclvm(&[&["eval", &path, "--var", "region=eu", "--why", "--dialect", "packer"][..], more].concat())
    };
    let output = eval(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let reason =
        "build.web.null.web.fast: true, because `var.size < 3` and `source.name == \"web\"` are true\n";
    assert!(printed.starts_with(reason), "{printed}");
    let output = eval(&["--attr", "build.web.null.web.auth"]);
    assert_eq!(
        text(&output.stdout),
        "the result depends on sensitive values\n└─ (sensitive)  var.token == \"<sensitive>\"\n"
    );
    let output = eval(&["--attr", "build.web.null.web.auth", "--output", "json"]);
    assert_eq!(json(&output.stdout)["conditions"]["outcome"], "sensitive");
    assert!(!text(&output.stdout).contains("secret\""), "{}", text(&output.stdout));
    for (path, sentence) in [
        ("var.size", "The value of a variable is given"),
        ("build.web.null", "Name the attribute to explain"),
        ("local.none", "Paths are local.NAME"),
    ] {
        let output = eval(&["--attr", path]);
        let told = text(&output.stderr);
        let is_explained = path == "build.web.null" && output.status.code() == Some(0);
        assert!(is_explained || output.status.code() == Some(2) && told.contains(sentence), "{path}: {told}");
    }
    let job = folder.file(
        "a.nomad.hcl",
        "variable \"n\" {\n  default = 3\n}\njob \"j\" {\n  all_at_once = var.n > 2\n}\n",
    );
    let output = hclvm(&["eval", &job, "--why"]);
    assert_eq!(
        text(&output.stdout).lines().next(),
        Some("job.j.all_at_once: true, because `var.n > 2` is true (var.n = 3)"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn cases_of_templates_and_jobs_have_coverage() {
    let folder = Folder::new();
    folder.file("variables.pkr.hcl", VARIABLES);
    folder.file("web.pkr.hcl", BUILD.replace("communicator = \"none\"", "fast = var.size < 3"));
    folder.file(
        "a.nomad.hcl",
        "variable \"n\" {\n  default = 3\n}\njob \"j\" {\n  all_at_once = var.n > 2\n}\n",
    );
    let template = "file = \".\"\ncase \"a\" {\n  scope = { var = { region = \"eu\", size = 1 } }\n  expect = { \"var.size\" = 1 }\n}\n\
                    case \"b\" {\n  scope = { var = { region = \"eu\", size = 5 } }\n  expect = { \"var.size\" = 5 }\n}\n";
    folder.file("a.hcltest", template);
    folder.file(
        "b.hcltest",
        "file = \"a.nomad.hcl\"\ncase \"a\" {\n  expect = { \"job.j.all_at_once\" = true }\n}\n",
    );
    let output = hclvm(&["test", &path(&folder), "--coverage", "-v"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let printed = text(&output.stdout);
    let row = |file: &str| {
        let row = printed.lines().find(|line| line.contains(file) && line.contains('%'));
        row.unwrap_or_else(|| panic!("{printed}")).split_whitespace().skip(1).take(2).collect::<Vec<_>>()
    };
    assert_eq!(row("web.pkr.hcl"), ["6/6", "2/2"]);
    assert_eq!(row("a.nomad.hcl"), ["1/1", "1/2"]);
    assert!(printed.contains("job.j.all_at_once: `var.n > 2` is never false"), "{printed}");
}

#[test]
fn a_folder_is_a_template() {
    let folder = template();
    let file = folder.file("eu.pkrvars.hcl", "region = \"eu\"\n");
    let output = hclvm(&["eval", &path(&folder), "--var-file", &file, "--var", "size=3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = json(&output.stdout);
    assert_eq!(shown["variables"]["size"], 3);
    assert_eq!(shown["variables"]["token"], "<sensitive>");
    assert_eq!(shown["locals"]["header"], "Bearer <sensitive>");
    assert_eq!(shown["locals"]["name"], "web-eu-3");
    let source = &shown["builds"][0]["sources"][0];
    assert_eq!(source["provisioners"][0]["attrs"]["inline"][0], "echo web-eu-3 null <unknown>");
}

#[test]
fn problems_of_a_template_are_told_with_their_files() {
    let folder = template();
    let output = hclvm(&["eval", &path(&folder), "--var", "size=10", "--var", "rgion=eu"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("Undefined -var variable"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("Did you mean \"region\"?"), "{}", text(&output.stderr));
    let output = hclvm(&["eval", &path(&folder), "--var", "size=10"]);
    let shown = text(&output.stderr);
    assert!(shown.contains("Unset variable \"region\"") && shown.contains("At most 9."), "{shown}");
    assert!(shown.contains("variables.pkr.hcl:2:1"), "{shown}");
}

#[test]
fn values_of_a_builder_and_of_data_sources_are_given_as_json() {
    let folder = Folder::new();
    let file = folder.file(
        "a.pkr.hcl",
        "data \"http\" \"ip\" {\n}\nlocals {\n  ip = data.http.ip.body\n}\nsource \"null\" \"x\" {\n}\n\
         build {\n  sources = [\"null.x\"]\n  provisioner \"shell-local\" {\n    inline = [local.ip, build.ID]\n  }\n}\n",
    );
    let data = folder.file("data.json", r#"{"http": {"ip": {"body": "10.0.0.1"}}}"#);
    let build = folder.file("build.json", r#"{"ID": "i-1"}"#);
    let output = hclvm(&["eval", &file, "--data", &data, "--build", &build]);
    let inline = &json(&output.stdout)["builds"][0]["sources"][0]["provisioners"][0]["attrs"]["inline"];
    assert_eq!(*inline, serde_json::json!(["10.0.0.1", "i-1"]));
}

#[test]
fn only_some_sources_are_shown() {
    let folder = Folder::new();
    let source = |name: &str| format!("source \"null\" \"{name}\" {{\n}}\n");
    let build = "build {\n  sources = [\"null.a\", \"null.b\"]\n}\n";
    let file = folder.file("a.pkr.hcl", format!("{}{}{build}", source("a"), source("b")));
    let shown =
        |only: &str| json(&hclvm(&["eval", &file, "--only", only]).stdout)["builds"][0]["sources"].clone();
    assert_eq!(shown("null.b").as_array().map(Vec::len), Some(1));
    assert_eq!(shown("null.*").as_array().map(Vec::len), Some(2));
    assert_eq!(shown("null.c"), serde_json::Value::Null, "a build without a source is left out");
}

#[test]
fn a_module_is_evaluated_for_many_scopes() {
    let folder = template();
    let scopes = folder
        .file("scopes.ndjson", "{\"var\": {\"region\": \"eu\"}}\n{\"var\": {\"region\": 7, \"size\": 70}}\n");
    let output = hclvm(&["eval", &path(&folder), "--scopes", &scopes]);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(json(lines[0].as_bytes())["locals"]["name"], "web-eu-2");
    let second = json(lines[1].as_bytes());
    assert_eq!(second["line"], 2);
    assert_eq!(second["errors"].as_array().map(Vec::len), Some(1), "{second}");
}

#[test]
fn a_path_leads_to_a_variable_or_a_local() {
    let folder = template();
    let output = |path_of: &str| {
        let folder = path(&folder);
        text(&hclvm(&["eval", &folder, "--var", "region=eu", "--attr", path_of]).stdout).to_owned()
    };
    assert_eq!(output("local.name"), "\"web-eu-2\"\n");
    assert_eq!(output("var.size"), "2\n");
}

#[test]
fn the_suffix_tells_a_job() {
    let folder = Folder::new();
    let job = "variable \"dc\" {\n}\njob \"a\" {\n  datacenters = [var.dc]\n  meta {\n    node = \"${node.unique.name}\"\n  }\n}\n";
    let file = folder.file("a.nomad.hcl", job);
    let output = hclvm(&["eval", &file, "--var", "dc=eu"]);
    let shown = json(&output.stdout);
    assert_eq!(shown["blocks"][0]["attrs"]["datacenters"], serde_json::json!(["eu"]));
    assert_eq!(shown["blocks"][0]["blocks"][0]["attrs"]["node"], "${node.unique.name}");
    let output = hclvm(&["eval", &file, "--var", "dc=eu", "--var", "other=1"]);
    assert!(text(&output.stderr).contains("error"), "{}", text(&output.stderr));
    let output = hclvm(&["eval", &file, "--var", "dc=eu", "--var", "other=1", "--strict=false"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("warning"), "{}", text(&output.stderr));
}

#[test]
fn checks_need_no_values() {
    let folder = template();
    let output = hclvm(&["check", &path(&folder)]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // A single file is a part of a template.
    let file = format!("{}/web.pkr.hcl", path(&folder));
    assert_eq!(hclvm(&["check", &file]).status.code(), Some(0));
    folder.file("wrong.pkr.hcl", "locals {\n  a = var.rgion\n  b = upper(1, 2)\n}\n");
    let output = hclvm(&["check", &path(&folder)]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn options_of_modules_are_refused_for_other_files() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "a = 1\n");
    let output = hclvm(&["eval", &file, "--only", "null.a"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("for Packer templates, Nomad jobs and "),
        "{}",
        text(&output.stderr)
    );
}
