//! The subcommands `deps`, `functions`, `completions` and `man`, and `disasm --json`.

use serde_json::json;

use super::{Folder, POLICY, hclvm, json as parsed, text};

#[test]
fn deps_lists_what_each_attribute_reads_and_calls() {
    let folder = Folder::new();
    let policy = folder.file(
        "policy.hcl",
        "locals {\n  n = length(user.roles)\n}\nok = local.n > 1 && user.name != env\nno = 1\n",
    );
    let output = hclvm(&["deps", &policy]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let expected = "\
attribute  reads                    calls
local.n    user.roles               length
ok         env, local.n, user.name  -
no         -                        -
";
    assert_eq!(text(&output.stdout), expected);
    let output = hclvm(&["deps", &policy, "--json"]);
    let first = json!({
        "attribute": "local.n", "variables": ["user"], "paths": ["user.roles"], "functions": ["length"],
    });
    assert_eq!(parsed(&output.stdout)[0], first);
}

#[test]
fn deps_draws_a_graph() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let output = hclvm(&["deps", &policy, "--dot"]);
    let expected = "\
digraph deps {
  rankdir = LR;
  \"local.limit\" [shape = box];
  \"rule.small.when\" [shape = box];
  \"local.limit\" -> \"n\";
  \"rule.small.when\" -> \"local.limit\";
}
";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn deps_reports_errors_of_the_file() {
    let folder = Folder::new();
    let broken = folder.file("broken.hcl", "a = \n");
    let output = hclvm(&["deps", &broken]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
    assert!(text(&output.stderr).contains("broken.hcl:1"));
}

#[test]
fn completions_name_the_subcommands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = hclvm(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = text(&output.stdout);
        assert!(script.contains("specialize") && script.contains("scopes"), "{shell}: {script}");
    }
    assert_eq!(hclvm(&["completions", "ksh"]).status.code(), Some(2));
}

#[test]
fn man_prints_a_page_of_the_command_or_of_a_subcommand() {
    let page = hclvm(&["man"]);
    assert_eq!(page.status.code(), Some(0));
    assert!(text(&page.stdout).contains(".TH hclvm 1"), "{}", text(&page.stdout));
    let page = hclvm(&["man", "eval"]);
    assert!(text(&page.stdout).contains(".TH hclvm-eval 1"), "{}", text(&page.stdout));
    assert!(text(&page.stdout).contains("fail\\-fast"), "{}", text(&page.stdout));
    let missing = hclvm(&["man", "evil"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(text(&missing.stderr), "error: There is no command `evil`. See hclvm help.\n");
}

#[test]
fn disasm_tells_how_searches_find_the_rules_of_a_file() {
    let folder = Folder::new();
    let policy = folder.file(
        "policy.hcl",
        "locals {\n  n = size\n}\nrule \"own\" {\n  when = user == owner\n}\nrule \"small\" {\n  when = local.n == 1\n}\n",
    );
    let output = hclvm(&["disasm", "--index", &policy]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let expected = format!(
        "\
rule.own  {policy}:5:10
  always evaluated: it compares no part of a variable with a constant, a prefix or a range
rule.small  {policy}:8:10
  always evaluated: it computes local values that later rules may read
"
    );
    assert_eq!(text(&output.stdout), expected);
    let listed = parsed(&hclvm(&["disasm", "--index", &policy, "--json"]).stdout);
    assert_eq!((&listed[1]["rule"], &listed[1]["line"]), (&json!("rule.small"), &json!(8)));
}

#[test]
fn disasm_lists_the_code_as_json() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let output = hclvm(&["disasm", &policy, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let listed = parsed(&output.stdout);
    assert_eq!(
        (&listed[0]["attribute"], &listed[1]["attribute"]),
        (&json!("local.limit"), &json!("rule.small.when"))
    );
    assert_eq!((&listed[0]["line"], &listed[0]["column"]), (&json!(2), &json!(11)));
    assert_eq!(listed[0]["registers"], json!([{ "register": 0, "variable": "n" }]));
    let last =
        |tier: &str| listed[0][tier].as_array().and_then(|lines| lines.last()).cloned().unwrap_or_default();
    assert_eq!((&last("fast")["name"], &last("baseline")["name"]), (&json!("Return"), &json!("Return")));
    assert_eq!(listed[0]["baseline"][1]["source"], json!("n"));
    assert_eq!(parsed(&hclvm(&["disasm", &policy, "local.limit", "--json"]).stdout)[0], listed[0]);
}

#[test]
fn functions_are_listed_and_described() {
    let output = hclvm(&["functions"]);
    assert_eq!(output.status.code(), Some(0));
    let line = text(&output.stdout).lines().find(|line| line.starts_with("abs "));
    assert!(line.is_some_and(|line| line.ends_with("  The number without its sign.")), "{line:?}");
    let expected = "\
abs(num: number) -> number
standard, packer, nomad, opentofu

The number without its sign.

    abs(-12.5) # 12.5
";
    assert_eq!(text(&hclvm(&["functions", "abs"]).stdout), expected);
    let index = hclvm(&["functions", "index"]);
    assert!(text(&index.stdout).matches("index(").count() > 1, "dialects differ: {}", text(&index.stdout));
    let missing = hclvm(&["functions", "uper"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(text(&missing.stderr), "error: There is no function `uper`. Did you mean `upper`?\n");
}
