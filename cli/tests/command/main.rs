//! The command's behaviour: runs the built binary on small files. `examples.rs` runs it on whole examples.

mod applications;
mod bench;
mod check;
mod compared;
mod compile;
mod coverage;
mod covered;
mod decide;
mod decisions;
mod eval;
mod fmt;
mod forms;
mod hidden;
mod hostile;
mod inputs;
mod jobs;
mod json;
mod lints;
mod modules;
mod policy;
mod record;
mod repl;
mod reports;
#[cfg(feature = "parquet")]
mod rows;
mod secrets;
mod specialize;
mod tables;
mod terraform;
mod test;
mod tools;
mod usage;
mod watch;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A directory for the files of one test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for the test"))
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("a file for the test");
        path.to_str().expect("a path of plain letters").to_owned()
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // What these say of colours is not about the tests.
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

fn hclvm(arguments: &[&str]) -> Output {
    hclvm_reading(arguments, "")
}

/// Runs the command with `input` as its standard input.
fn hclvm_reading(arguments: &[&str], input: &str) -> Output {
    let mut child = command(arguments).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("an input");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A command that reads no input may have ended already.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the input is written");
    output
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is UTF-8")
}

fn json(bytes: &[u8]) -> Json {
    serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", text(bytes)))
}

fn json_lines(output: &Output) -> Vec<Json> {
    text(&output.stdout).lines().map(|line| json(line.as_bytes())).collect()
}

const POLICY: &str = r#"locals {
  limit = n * 2
}
rule "small" {
  when = local.limit < 10
}
"#;

#[test]
fn a_file_is_evaluated_against_a_scope() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let scope = folder.file("scope.json", r#"{"$name": "first", "n": 4}"#);
    let output = hclvm(&["eval", &policy, "--scope", &scope]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        json(&output.stdout),
        json!({
            "scope": "first",
            "locals": {"limit": 8},
            "blocks": [{"type": "rule", "labels": ["small"], "attrs": {"when": true}}],
        })
    );
    assert!(text(&output.stdout).lines().count() > 5, "one result is indented");
    let compact = hclvm(&["eval", &policy, "--scope", &scope, "--output", "json"]);
    assert_eq!(text(&compact.stdout).lines().count(), 1);
    assert_eq!(json(&compact.stdout), json(&output.stdout));
}

#[test]
fn a_scope_comes_from_the_standard_input() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let arguments = ["eval", &policy, "--attr", "local.limit"];
    let one = hclvm_reading(&[&arguments[..], &["--scope", "-"]].concat(), r#"{"n": 21}"#);
    assert_eq!((text(&one.stdout), one.status.code()), ("42\n", Some(0)));
    let two = hclvm_reading(&[&arguments[..], &["--scopes", "-"]].concat(), "{\"n\": 1}\n\n{\"n\": 2}");
    assert_eq!((text(&two.stdout), two.status.code()), ("2\n4\n", Some(0)));
}

#[test]
fn an_argument_overrides_a_scope() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", "a = n\nb = m\n");
    let output = hclvm_reading(
        &["eval", &policy, "--scopes", "-", "--var", "n=7", "--var", r#"m={"x":"="}"#],
        "{\"n\": 1}\n{}\n",
    );
    let expected = json!({"attrs": {"a": 7, "b": {"x": "="}}});
    assert_eq!(json_lines(&output), [expected.clone(), expected]);
}

#[test]
fn each_scope_prints_one_line_in_order_also_with_errors() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let scopes = folder.file(
        "scopes.ndjson",
        "{\"n\": 1}\n{\"$name\": \"no n\", \"other\": 1}\n{\"n\": \n{\"n\": {\"$list\": 1}}\n[]\n{\"n\": 9}",
    );
    let output = hclvm(&["eval", &policy, "--scopes", &scopes]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), "");
    let lines = json_lines(&output);
    let titles: Vec<&str> =
        lines.iter().map(|line| line["errors"][0]["summary"].as_str().unwrap_or("fine")).collect();
    assert_eq!(
        titles,
        ["fine", "Unknown variable", "Invalid scope", "Invalid value", "Invalid scope", "fine"]
    );
    assert_eq!(lines[1]["scope"], "no n", "the value of the previous scope is unset");
    assert_eq!(lines[1]["errors"][0]["range"]["start"], json!({"line": 2, "column": 11, "byte": 19}));
    assert_eq!(lines[5]["locals"]["limit"], 18);
}

#[test]
fn scopes_can_be_given_as_a_list() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let scopes = folder.file("scopes.json", "\n[{\"n\": 1},\n {\"n\": 2}, 3]\n");
    let output = hclvm(&["eval", &policy, "--scopes", &scopes, "--attr", "rule.small.when"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = json_lines(&output);
    assert_eq!(lines[..2], [json!(true), json!(true)]);
    let detail = lines[2]["errors"][0]["detail"].as_str().unwrap_or_default();
    assert!(detail.starts_with("Item 3"), "{detail}");
}

#[test]
fn one_run_over_many_scopes_equals_many_runs() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let scopes = ["{\"n\": 1}", "{\"m\": 1}", "{\"n\": {\"$unknown\": \"number\"}}", "{\"n\": \"5\"}"];
    let together = hclvm_reading(&["eval", &policy, "--scopes", "-"], &scopes.join("\n"));
    // The result of a scope with errors shows its line.
    let alone = |(before, scope): (usize, &&str)| {
        let input = "\n".repeat(before) + scope;
        text(&hclvm_reading(&["eval", &policy, "--scopes", "-"], &input).stdout).to_owned()
    };
    let apart: String = scopes.iter().enumerate().map(alone).collect();
    assert_eq!(text(&together.stdout), apart);
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let lines: Vec<String> = (0..10_000)
        .map(|n| match n % 9 {
            4 => format!("{{\"n\": {n}"),
            7 => format!("{{\"$name\": \"no n {n}\"}}"),
            _ => format!("{{\"$name\": \"{n}\", \"n\": {n}}}"),
        })
        .collect();
    let scopes = folder.file("scopes.ndjson", lines.join("\n"));
    let run = |more: &[&str]| hclvm(&[&["eval", &policy, "--scopes", &scopes][..], more].concat());
    let one = run(&["--threads", "1"]);
    assert_eq!(json_lines(&one).len(), lines.len());
    for more in [&["-j", "2"][..], &["-j", "7"], &[]] {
        let many = run(more);
        assert!(many.stdout == one.stdout && many.status.code() == Some(1), "{more:?}");
    }
    assert_eq!(run(&["-j", "0"]).status.code(), Some(2));
}

#[test]
fn a_result_is_printed_before_the_next_scope_arrives() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let mut child = command(&["eval", &policy, "--scopes", "-", "--attr", "local.limit", "-j", "3"])
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("an input");
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines();
    for n in 0..50 {
        writeln!(stdin, "{{\"n\": {n}}}").expect("the command reads");
        let line = lines.next().expect("a line").expect("text");
        assert_eq!(line, (2 * n).to_string());
    }
    drop(stdin);
    assert!(lines.next().is_none() && child.wait().expect("it ends").success());
}

#[test]
fn paths_name_attributes_of_blocks() {
    let folder = Folder::new();
    let file = folder.file(
        "file.hcl",
        r#"
top = 1
job "a.b" "x" {
  group { count = 2 }
  group { size = 3 }
}
dynamic "port" {
  for_each = { http = 80 }
  labels   = [port.key]
  content { to = port.value }
}
dynamic "later" {
  for_each = u
  content { to = 1 }
}
"#,
    );
    let value = |path: &str| {
        let output = hclvm(&["eval", &file, "--attr", path, "--var", r#"u={"$unknown":"any"}"#]);
        (output.status.code(), text(&output.stdout).trim().to_owned(), text(&output.stderr).to_owned())
    };
    for (path, wanted) in [
        ("top", "1"),
        (r#"job."a.b".x.group.count"#, "2"),
        (r#"job."a.b".x.group.size"#, "3"),
        ("port.http.to", "80"),
    ] {
        assert_eq!(value(path), (Some(0), wanted.to_owned(), String::new()), "{path}");
    }
    let (code, shown, _) = value("later.to");
    assert_eq!((code, json(shown.as_bytes())), (Some(0), json!({"$unknown": "any"})));
    let (code, shown, complaint) = value("job.c.group.count");
    assert_eq!((code, shown.as_str()), (Some(1), ""));
    assert!(complaint.contains("job.c.group.count"), "{complaint}");
    assert_eq!(value("job..count").0, Some(2));
}

#[test]
fn values_that_json_cannot_express_are_read_and_written() {
    let folder = Folder::new();
    let file = folder.file(
        "file.hcl",
        "a = list\nb = set\nc = map\nd = unknown\ne = 1 / 0\nf = [for s in set : s]\ng = \"${part}\"\n",
    );
    let scope = r#"{
        "list": {"$list": [1, "2"]}, "set": {"$set": ["b", "a", "b"]}, "map": {"$map": {"k": 1, "l": "x"}},
        "unknown": {"$unknown": "list(object({a = string, \"b c\" = tuple([bool, any])}))"},
        "part": {"$unknown": "string"}
    }"#;
    let output = hclvm_reading(&["eval", &file, "--scope", "-"], scope);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        json(&output.stdout)["attrs"],
        json!({
            "a": ["1", "2"],
            "b": ["a", "b"],
            "c": {"k": "1", "l": "x"},
            "d": {"$unknown": "list(object({a = string, \"b c\" = tuple([bool, any])}))"},
            "e": {"$number": "+Inf"},
            "f": ["a", "b"],
            "g": {"$unknown": "string"},
        })
    );
}

#[test]
fn the_undefined_option_selects_the_meaning_of_undefined_variables() {
    let folder = Folder::new();
    let file = folder.file("file.hcl", "a = \"${x.y}-${v}\"\n");
    let run = |how: &[&str]| hclvm(&[&["eval", &file, "--var", "v=1", "--attr", "a"], how].concat());
    assert_eq!(run(&[]).status.code(), Some(1));
    assert_eq!(json(&run(&["--undefined", "unknown"]).stdout), json!({"$unknown": "string"}));
    assert_eq!(text(&run(&["--undefined", "text"]).stdout), "\"${x.y}-1\"\n");
}

#[test]
fn undefined_text_is_kept_only_in_scopes_without_the_variable() {
    let folder = Folder::new();
    let file = folder.file("file.hcl", "a = \"${x}\"\n");
    let output = hclvm_reading(
        &["eval", &file, "--scopes", "-", "--undefined", "text", "--attr", "a"],
        "{}\n{\"x\": 1}\n{\"y\": 1}\n",
    );
    assert_eq!(text(&output.stdout), "\"${x}\"\n1\n\"${x}\"\n");
}

#[test]
fn functions_access_only_what_is_allowed() {
    let folder = Folder::new();
    let file = folder.file("file.hcl", "a = file(\"note.txt\")\n");
    folder.file("note.txt", "hello");
    let run = |allow: &[&str]| {
        let mut command = command(&[&["eval", &file, "--attr", "a"], allow].concat());
        command.current_dir(folder.0.path()).output().expect("the command runs")
    };
    let refused = run(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("file"), "{}", text(&refused.stderr));
    assert_eq!(text(&run(&["--allow", "clock,files"]).stdout), "\"hello\"\n");
}

#[test]
fn a_dialect_provides_its_functions() {
    let folder = Folder::new();
    let file = folder.file("file.hcl", "a = reverse(v)\n");
    let run = |dialect: &str, v: &str| {
        let output =
            hclvm(&["eval", &file, "--attr", "a", "--dialect", dialect, "--var", v, "--output", "json"]);
        text(&output.stdout).trim().to_owned()
    };
    assert_eq!(run("packer", "v=[1,2]"), "[2,1]");
    assert_eq!(run("nomad", "v=\"ab\""), "\"ba\"");
    assert_eq!(run("nomad", "v=[1,2]"), "");
}

#[test]
fn eval_prints_diagnostics_as_json() {
    let folder = Folder::new();
    let file = folder.file("file.hcl", "a = 1 + nope\n");
    let output = hclvm(&["eval", &file, "--diagnostics", "json"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""));
    let found = json(&output.stderr);
    assert_eq!(found["diagnostics"][0]["summary"], "Unknown variable");
    assert_eq!(found["diagnostics"][0]["snippet"]["highlight_start_offset"], 8);
}

#[test]
fn a_listing_shows_the_source_beside_the_code() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let all = hclvm(&["disasm", &policy]);
    assert_eq!(all.status.code(), Some(0));
    let listing = text(&all.stdout);
    for wanted in [
        "local.limit  ",
        "rule.small.when  ",
        "  when = local.limit < 10\n",
        "fast tier",
        " = local\n",
        "baseline tier",
        "Compare",
        "Return",
    ] {
        assert!(listing.contains(wanted), "{wanted} is missing in\n{listing}");
    }
    let one = hclvm(&["disasm", &policy, "rule.small.when"]);
    assert!(listing.ends_with(text(&one.stdout)));
    assert_eq!(hclvm(&["disasm", &policy, "rule.large.when"]).status.code(), Some(1));
    let misspelled = hclvm(&["disasm", &policy, "rule.smal.when"]);
    assert!(text(&misspelled.stderr).contains("Did you mean `rule.small.when`?"));
    // The heading names registers as the instructions do, whatever the slots of the variables are.
    let two = folder.file("two.hcl", "a = one + two + three\nb = three > 5\n");
    let listing = hclvm(&["disasm", &two, "b"]);
    let listing = text(&listing.stdout);
    let (_, register) = listing.split_once("; ").expect("it has fast code");
    let (register, _) = register.split_once(" = three").expect("it reads a variable");
    assert!(listing.contains(&format!("a={register}, ")), "{listing}");
    // An instruction that fails shows the title of its diagnostic.
    let broken = folder.file("broken.hcl", "a = nothing(1)\n");
    let failing = hclvm(&["disasm", &broken]);
    assert!(text(&failing.stdout).contains("(Call to unknown function)"), "{}", text(&failing.stdout));
}

#[test]
fn invalid_arguments_and_unreadable_files_exit_with_2() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    for arguments in [
        &["eval"][..],
        &["eval", "/no/such/file.hcl"],
        &["eval", &policy, "--scope", "/no/such/scope.json"],
        &["eval", &policy, "--var", "n"],
        &["eval", &policy, "--var", "n:=word"],
        &["eval", &policy, "--var", "m=1"],
        &["eval", &policy, "-e", "1"],
        &["eval", "-", "--scope", "-"],
        &["eval", "-e", "1", "--fail-fast"],
        &["eval", &policy, "--scope", "-", "--scopes", "-"],
        &["check"],
        &["check", "/no/such/file.hcl"],
        &["check", &policy, "--vars", "n:nothing"],
        &["check", &policy, "--vars", ","],
        &["frobnicate"],
    ] {
        let output = hclvm(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn files_that_are_not_utf8_are_diagnosed() {
    let folder = Folder::new();
    let file = folder.file("latin1.hcl", b"name = \"caf\xe9\"\n");
    let output = hclvm(&["check", &file]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("Invalid character encoding"), "{}", text(&output.stderr));
}

#[test]
fn results_that_are_too_large_as_json_are_rejected() {
    let folder = Folder::new();
    let doubled = |n: u32| format!("  a{n} = [local.a{0}, local.a{0}]\n", n - 1);
    let doubling: Vec<String> = (1..40).map(doubled).collect();
    let wide =
        folder.file("wide.hcl", format!("locals {{\n  a0 = \"0123456789\"\n{}}}\n", doubling.concat()));
    let long = folder.file("long.hcl", "a = 1e100000000\n");
    for file in [wide, long] {
        let output = hclvm(&["eval", &file]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(text(&output.stderr).contains("Result too large"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_closed_output_does_not_panic() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let scopes = folder.file("scopes.ndjson", "{\"n\": 1}\n".repeat(20_000));
    let mut child = command(&["eval", &policy, "--scopes", &scopes]).spawn().expect("the command starts");
    let mut first = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("an output"));
    stdout.read_line(&mut first).expect("a first line");
    drop(stdout);
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(first.starts_with('{'));
}

/// Sends `count` scopes and waits for their results.
fn converse(child: &mut Child, reader: &mut impl BufRead, count: usize) {
    let stdin = child.stdin.as_mut().expect("an input");
    for n in 0..count {
        writeln!(stdin, "{{\"n\": {n}, \"big\": \"{}\"}}", "x".repeat(1000)).expect("the command reads");
        let mut line = String::new();
        reader.read_line(&mut line).expect("the command answers");
        assert_eq!(json(line.as_bytes())["locals"]["limit"], n * 2);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_scopes() {
    let resident = |child: &Child| -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a status");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
    };
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", format!("{POLICY}big = [big, upper(big)]\n"));
    let mut child = command(&["eval", &policy, "--scopes", "-"]).spawn().expect("the command starts");
    let mut reader = BufReader::new(child.stdout.take().expect("an output"));
    converse(&mut child, &mut reader, 50);
    let before = resident(&child);
    converse(&mut child, &mut reader, 1_000);
    let after = resident(&child);
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("the command ends").code(), Some(0));
    // Retaining 1,000 results of 3 KB would take 3,000 KiB.
    assert!(after < before + 512, "{before} KiB before, {after} KiB after");
}

#[test]
fn only_the_attribute_that_is_asked_for_is_evaluated() {
    let folder = Folder::new();
    let file = folder.file("x.hcl", "a = 1\nb = nope\n");
    assert_eq!(String::from_utf8_lossy(&hclvm(&["eval", &file, "--attr", "a"]).stdout), "1\n");
    let titles = |arguments: &[&str]| {
        let all = [&["eval", &file, "--diagnostics", "json"], arguments].concat();
        let output = hclvm(&all);
        assert_eq!(output.status.code(), Some(1));
        let found = json(&output.stderr);
        let found = found["diagnostics"].as_array().expect("a list").clone();
        found.iter().map(|one| one["summary"].as_str().expect("a title").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles(&["--attr", "b"]), ["Unknown variable"]);
    assert_eq!(titles(&["--attr", "z", "--var", "nope=1"]), ["Unknown attribute"]);
}

#[test]
fn codes_are_explained() {
    let output = hclvm(&["explain", "unknown-function"]);
    assert_eq!(output.status.code(), Some(0));
    let shown = "unknown-function: Call to unknown function\n\nThe dialect has no function of this name.\n\n\
        Wrong:\n\n    a = maximum(1, 2)\n\nRight:\n\n    a = max(1, 2)\n";
    assert_eq!(text(&output.stdout), shown);
    let list = hclvm(&["explain"]);
    assert!(text(&list.stdout).lines().any(|line| line.starts_with("unknown-function ")));
    for code in text(&list.stdout).lines().filter_map(|line| line.split(' ').next()) {
        assert_eq!(hclvm(&["explain", code]).status.code(), Some(0), "{code}");
    }
    let wrong = hclvm(&["explain", "unknwon-function"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("Did you mean `unknown-function`?"), "{}", text(&wrong.stderr));
}
