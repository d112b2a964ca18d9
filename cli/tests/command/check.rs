//! `hclvm check`: its output, its exit codes, and what declares variables.

use super::{Folder, POLICY, hclvm, hclvm_reading, json, text};

#[test]
fn check_shows_every_problem_with_its_line() {
    let folder = Folder::new();
    let good = folder.file("good.hcl", POLICY);
    let bad = folder.file("bad.hcl", "a = nosuch(1)\nlocals {\n  b = local.c\n  c = local.b\n}\n");
    let fine = hclvm(&["check", &good]);
    assert_eq!(fine.status.code(), Some(0));
    assert_eq!(text(&fine.stdout), "checked 1 file with 2 attributes: 0 errors, 0 warnings\n");
    let found = hclvm(&["check", &good, &bad]);
    assert_eq!(found.status.code(), Some(1));
    assert_eq!(text(&found.stdout), "checked 2 files with 5 attributes: 2 errors, 0 warnings\n");
    let complaint = text(&found.stderr);
    for wanted in
        ["Call to unknown function", "a = nosuch(1)\n", "    ^^^^^^", "local.b -> local.c -> local.b"]
    {
        assert!(complaint.contains(wanted), "{wanted} is missing in\n{complaint}");
    }
}

#[test]
fn check_prints_diagnostics_as_json() {
    let folder = Folder::new();
    let bad = folder.file("bad.hcl", "a = [1,\nb = \"é\" + )\n");
    let missing = folder.0.path().join("missing.hcl").to_string_lossy().into_owned();
    let output = hclvm(&["check", "--diagnostics", "json", &bad, &missing]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), ""));
    let found = json(&output.stdout);
    assert_eq!(found["valid"], false);
    let list = found["diagnostics"].as_array().expect("a list");
    assert_eq!(found["error_count"], list.len());
    assert_eq!(list[0]["range"]["filename"], bad);
    assert!(list[0]["range"]["start"]["line"].is_u64(), "{list:?}");
    assert!(list[0]["snippet"]["code"].is_string(), "{list:?}");
    assert_eq!(list.last().expect("one at least")["summary"], "Unreadable file");
}

/// The titles that a check of `file` shows.
fn titles(file: &str, arguments: &[&str]) -> Vec<String> {
    let output = hclvm(&[&["check", file, "--diagnostics", "json"], arguments].concat());
    let found = json(&output.stdout);
    let list = found["diagnostics"].as_array().expect("a list");
    list.iter().map(|one| one["summary"].as_str().expect("a title").to_owned()).collect()
}

#[test]
fn check_needs_no_scope() {
    let folder = Folder::new();
    let file =
        folder.file("x.hcl", "locals {\n  age = \"ten\"\n}\na = local.age + 1\nb = usr.on && upper(1, 2)\n");
    assert_eq!(titles(&file, &[]), ["Invalid operand", "Too many function arguments"]);
}

#[test]
fn variables_are_declared_by_names_types_samples_and_schemas() {
    let folder = Folder::new();
    let file = folder.file("x.hcl", "a = user.name + 1\nb = usr\n");
    let scope = folder.file("scope.json", r#"{"user": {"role": "a"}}"#);
    let schema = folder.file("types.hcl", "user = object({ name = list(string) })\n");
    assert_eq!(titles(&file, &["--vars", "user,usr"]), [""; 0]);
    assert_eq!(titles(&file, &["--vars", "user:object({name=number,role=string}),usr:any"]), [""; 0]);
    assert_eq!(titles(&file, &["--scope", &scope]), ["Unsupported attribute", "Unknown variable"]);
    assert_eq!(titles(&file, &["--schema", &schema, "--vars", "usr"]), ["Invalid operand"]);
}

#[test]
fn a_schema_with_a_mistake_is_diagnosed() {
    let folder = Folder::new();
    let (file, schema) = (folder.file("x.hcl", "a = 1\n"), folder.file("types.hcl", "user = strin\n"));
    let output = hclvm(&["check", &file, "--schema", &schema]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("types.hcl:1:8"), "{}", text(&output.stderr));
}

#[test]
fn check_reads_standard_input_and_json() {
    let read = hclvm_reading(&["check", "-"], "a = 1\nb = upper(1, 2)\n");
    assert_eq!(read.status.code(), Some(1));
    assert!(text(&read.stderr).contains("standard input:2:14"), "{}", text(&read.stderr));
    let folder = Folder::new();
    let file = folder.file("x.hcl.json", r#"{"a": "${upper(1, 2)}"}"#);
    assert_eq!(titles(&file, &[]), ["Too many function arguments"]);
}

const RULES: &str = "rule \"a\" {\n  when   = user.ok\n  effect = \"allow\"\n}\n";

/// A rule that has no effect because of a misspelt name or effect.
const MISTAKES: [&str; 4] = [
    "rule \"b\" {\n  whn    = user.locked\n  effect = \"deny\"\n}\n",
    "rul \"b\" {\n  when   = user.locked\n  effect = \"deny\"\n}\n",
    "rule \"b\" {\n  when   = user.locked\n  effect = \"dney\"\n}\n",
    "rule \"b\" {\n  effect = \"deny\"\n}\n",
];

#[test]
fn a_policy_is_checked_strictly() {
    let folder = Folder::new();
    let good = folder.file("good.hcl", RULES);
    let fine = hclvm(&["check", &good, "--policy", "--deny", "warnings"]);
    assert_eq!(fine.status.code(), Some(0), "{}", text(&fine.stderr));
    assert_eq!(text(&fine.stdout), "checked 1 file with 2 attributes and 1 rule: 0 errors, 0 warnings\n");
    for mistake in MISTAKES {
        let bad = folder.file("bad.hcl", format!("{RULES}{mistake}"));
        let found = hclvm(&["check", &bad, "--policy"]);
        assert_eq!(found.status.code(), Some(1), "{mistake}");
        assert!(text(&found.stderr).contains("bad.hcl:"), "{}", text(&found.stderr));
        assert!(!text(&found.stderr).contains("misspelled-rule"), "told once: {}", text(&found.stderr));
    }
    // Names and effects by options, which mean a policy, and by the project.
    let other = folder.file("other.hcl", RULES.replace("allow", "permit").replace("when  ", "if    "));
    assert_eq!(hclvm(&["check", &other, "--policy"]).status.code(), Some(1));
    let options = ["check", &other, "--effects", "permit,deny", "--condition", "if"];
    assert_eq!(hclvm(&options).status.code(), Some(0));
    folder.file("hclvm.hcl", "policy {\n  effects   = [\"permit\", \"deny\"]\n  condition = \"if\"\n}\n");
    let of_project = hclvm(&["check", &other]);
    assert_eq!(of_project.status.code(), Some(0), "{}", text(&of_project.stderr));
    assert!(text(&of_project.stdout).contains("and 1 rule:"));
    assert_eq!(hclvm(&["check", &good]).status.code(), Some(1), "the project has other names");
}

#[test]
fn names_that_are_nearly_those_of_rules_are_warned_about() {
    let folder = Folder::new();
    for mistake in &MISTAKES[..2] {
        let file = folder.file("a.hcl", format!("{RULES}{mistake}"));
        let output = hclvm(&["check", &file]);
        assert!(text(&output.stderr).contains("warning[misspelled-rule]"), "{}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn folders_below_are_checked_if_that_is_asked_for() {
    let folder = Folder::new();
    for below in ["sub", "empty", ".hidden"] {
        std::fs::create_dir(folder.0.path().join(below)).expect("a folder");
    }
    folder.file("a.hcl", "a = 1\n");
    folder.file("sub/b.hcl", "b = [\n");
    folder.file(".hidden/c.hcl", "c = [\n");
    let root = folder.0.path().to_str().expect("plain").to_owned();
    assert_eq!(hclvm(&["check", &root]).status.code(), Some(0));
    let found = hclvm(&["check", &root, "--recursive"]);
    assert_eq!(found.status.code(), Some(1));
    let told = text(&found.stderr);
    assert!(told.contains("sub/b.hcl:") && !told.contains("c.hcl"), "{told}");
    assert!(text(&found.stdout).starts_with("checked 2 files"), "{}", text(&found.stdout));
    let empty = folder.0.path().join("empty");
    assert_eq!(hclvm(&["check", "-r", empty.to_str().expect("plain")]).status.code(), Some(2));
}

#[test]
fn modules_below_are_checked_as_such() {
    let folder = Folder::new();
    for below in ["plain", "infra", "infra/.terraform", "images"] {
        std::fs::create_dir(folder.0.path().join(below)).expect("a folder");
    }
    folder.file("plain/a.hcl", "a = 1\n");
    folder.file("infra/main.tf", "output \"a\" {\n  value = local.b\n}\n");
    folder.file("infra/.terraform/c.tf", "output \"c\" {\n  value = local.c\n}\n");
    folder.file("images/a.pkr.json", "{\"source\": {\"null\": {\"x\": {}}}}");
    let root = folder.0.path().to_str().expect("plain").to_owned();
    let found = hclvm(&["check", "-r", &root]);
    let told = text(&found.stderr);
    assert!(told.contains("infra/main.tf:2:11") && !told.contains("c.tf"), "{told}");
    assert!(text(&found.stdout).starts_with("checked 3 files"), "{}", text(&found.stdout));
    assert_eq!(found.status.code(), Some(1));
    let alone = hclvm(&["check", "-r", &format!("{root}/infra")]);
    assert!(text(&alone.stderr).contains("infra/main.tf:2:11"), "{}", text(&alone.stderr));
    // A module that another one calls is checked once more, but its problems are not repeated.
    std::fs::create_dir(folder.0.path().join("infra/net")).expect("a folder");
    folder.file("infra/main.tf", "module \"net\" {\n  source = \"./net\"\n}\n");
    folder.file("infra/net/main.tf", "output \"a\" {\n  value = local.b\n}\n");
    let called = hclvm(&["check", "-r", &format!("{root}/infra")]);
    assert!(
        text(&called.stdout).starts_with("checked 2 files with 2 attributes: 1 error"),
        "{}",
        text(&called.stdout)
    );
}

#[test]
fn variables_are_given_to_modules_only() {
    let folder = Folder::new();
    let plain = folder.file("a.hcl", "a = n + 1\n");
    let job = folder.file("b.nomad", "variable \"n\" {}\njob \"x\" {\n  priority = var.n\n}\n");
    let refused = hclvm(&["check", &plain, "--var", "n=x"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--scope or --vars"), "{}", text(&refused.stderr));
    assert_eq!(hclvm(&["check", &plain, &job, "--var", "n=1"]).status.code(), Some(0));
}

#[test]
fn mistakes_of_rules_are_reported_beside_other_errors() {
    let folder = Folder::new();
    let rule = "rule \"a\" {\n  when   = f(x)\n  effect = \"dney\"\n}\n";
    let found = hclvm(&["check", "--policy", &folder.file("a.hcl", rule)]);
    let sum = text(&found.stdout);
    assert_eq!(sum, "checked 1 file with 2 attributes and 1 rule: 2 errors, 0 warnings\n");
    assert!(text(&found.stderr).contains("Did you mean \"deny\"?"), "{}", text(&found.stderr));
    // Errors of the module are those of the check.
    let cycle = "locals {\n  a = local.b\n  b = local.a\n}\nrule \"a\" {\n  when   = local.a\n  effect = \"allow\"\n}\n";
    let found = hclvm(&["check", "--policy", &folder.file("b.hcl", cycle)]);
    assert!(text(&found.stdout).ends_with("1 rule: 1 error, 0 warnings\n"), "{}", text(&found.stdout));
}

#[test]
fn standard_input_has_the_name_that_it_is_given() {
    let named = |name: &str, input: &str| {
        hclvm_reading(&["check", "-", "--stdin-filename", name, "--diagnostics", "json"], input)
    };
    let native = named("src/a.hcl", "a = [\n");
    assert_eq!(json(&native.stdout)["diagnostics"][0]["range"]["filename"], "src/a.hcl");
    assert_eq!(json(&named("a.hcl.json", "{\"a\": 1}").stdout)["valid"], true);
    let job = named("a.nomad.hcl", "job \"a\" {\n");
    assert_eq!(json(&job.stdout)["diagnostics"][0]["range"]["filename"], "a.nomad.hcl");
    assert_eq!(hclvm(&["check", "a.hcl", "--stdin-filename", "b.hcl"]).status.code(), Some(2));
}

#[test]
fn a_file_of_types_is_checked_as_one() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = user.name\n");
    let types = folder.file("types.hcl", "user = object({ name = string })\nport = number\n");
    let root = folder.0.path().to_str().expect("plain").to_owned();
    for arguments in [&["check", &root][..], &["check", &types], &["check", &root, "--schema", &types]] {
        let output = hclvm(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[test]
fn names_of_files_in_sarif_are_relative_to_the_folder() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = [\n");
    let mut command = super::command(&["check", "././a.hcl", "--diagnostics", "sarif"]);
    let output = command.current_dir(folder.0.path()).output().expect("the command ends");
    let log = json(&output.stdout);
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(place["uri"], "a.hcl", "{log}");
}
