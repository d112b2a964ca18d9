//! `hclvm eval` as people type it: expressions, templates, folders, variables, paths, streams.

use std::process::Output;

use super::{Folder, hclvm, hclvm_reading, json, json_lines, text};

/// The output of a command that succeeds.
fn printed(arguments: &[&str]) -> String {
    let output = hclvm(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

#[test]
fn expressions_need_no_file() {
    assert_eq!(printed(&["eval", "-e", "1 + 2"]), "3\n");
    assert_eq!(printed(&["eval", "-e", "-7 + 2"]), "-5\n");
    assert_eq!(printed(&["eval", "-e", "upper(user)", "--var", "user=bob"]), "\"BOB\"\n");
    let streamed = hclvm_reading(&["eval", "-e", "n * 2", "--scopes", "-"], "{\"n\": 1}\n{\"n\": 2}\n");
    assert_eq!(text(&streamed.stdout), "2\n4\n");
    let failed = hclvm(&["eval", "-e", "1 +"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(text(&failed.stderr).contains("expression:1:4"), "{}", text(&failed.stderr));
}

#[test]
fn templates_are_printed_as_text() {
    assert_eq!(printed(&["eval", "-t", "Hello ${name}", "--var", "name=bob"]), "Hello bob\n");
    assert_eq!(printed(&["eval", "-t", "a\n", "--output", "json"]), "\"a\\n\"\n");
}

#[test]
fn variables_are_json_or_text() {
    for (variable, expression, value) in [
        ("n=3", "n == 3", "true"),
        ("n=bob", "n", "\"bob\""),
        ("n=true", "n ? 1 : 2", "1"),
        ("n={\"a\":1}", "n.a", "1"),
        ("n=a=b", "n", "\"a=b\""),
        ("n:=\"1.10\"", "n", "\"1.10\""),
        ("n=", "n", "\"\""),
    ] {
        assert_eq!(
            printed(&["eval", "-e", expression, "--var", variable]),
            format!("{value}\n"),
            "{variable}"
        );
    }
}

#[test]
fn variables_that_are_no_strings_are_noted_where_a_string_was_probably_meant() {
    for (variable, expression, note) in [
        ("pin=123456", "pin == \"123456\"", "`pin` is a number, and \"123456\" in quotes is a string"),
        ("flag=true", "flag != \"true\"", "To pass a string, write --var 'flag:=\"true\"'."),
        ("version=1.10", "version", "--var version=1.10 is the number 1.1."),
        ("code=1e5", "code", "--var code=1e5 is the number 100000."),
        ("list=[a]", "list", "--var list is a string, because its value is not JSON."),
    ] {
        let output = hclvm(&["eval", "-e", expression, "--var", variable]);
        assert!(output.status.success());
        assert!(text(&output.stderr).contains(note), "{variable}: {}", text(&output.stderr));
    }
    for (variable, expression) in
        [("n=1", "n == 1"), ("n=1", "n"), ("pin:=123456", "pin == \"123456\""), ("pin=a", "pin == \"1\"")]
    {
        let output = hclvm(&["eval", "-e", expression, "--var", variable]);
        assert_eq!(text(&output.stderr), "", "{variable}");
    }
}

#[test]
fn a_variable_that_nothing_reads_is_refused_with_a_hint() {
    let output = hclvm(&["eval", "-e", "user", "--var", "usr=1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Did you mean user?"), "{}", text(&output.stderr));
}

#[test]
fn the_files_of_a_folder_are_one_body() {
    let folder = Folder::new();
    folder.file("a.hcl", "locals {\n  limit = 10\n}\nx = local.other\n");
    folder.file("b.hcl", "locals {\n  other = local.limit + n\n}");
    folder.file("c.hcl.json", r#"{"z": "${n}"}"#);
    folder.file("scopes.json", "[]");
    let path = folder.0.path().to_str().expect("a path of plain letters");
    let value = json(printed(&["eval", path, "--var", "n=1"]).as_bytes());
    assert_eq!(value["attrs"], serde_json::json!({"x": 11, "z": 1}));
    assert_eq!(value["locals"], serde_json::json!({"limit": 10, "other": 11}));
    folder.file("d.hcl", "x = 1\n\ny = local.nope\n");
    let repeated = hclvm(&["eval", path, "--var", "n=1"]);
    assert!(text(&repeated.stderr).contains("d.hcl:1:1"), "{}", text(&repeated.stderr));
    folder.file("d.hcl", "\n\ny = local.nope\n");
    for command in ["eval", "check"] {
        let faulty = hclvm(&[command, path]);
        assert_eq!(faulty.status.code(), Some(1));
        assert!(text(&faulty.stderr).contains("d.hcl:3:10"), "{command}: {}", text(&faulty.stderr));
    }
}

#[test]
fn json_is_recognized_by_its_suffix() {
    let folder = Folder::new();
    let file = folder.file("x.hcl.json", r#"{"a": "${n + 1}"}"#);
    assert_eq!(printed(&["eval", &file, "--var", "n=1", "--attr", "a"]), "2\n");
}

#[test]
fn paths_lead_to_blocks_and_take_brackets() {
    let folder = Folder::new();
    let file = folder.file(
        "x.hcl",
        "rule \"a.b\" {\n  when = 1\n}\nrule \"c\" {\n  when = nope\n}\nlocals {\n  d = 2\n}\n",
    );
    let value = |path: &str| printed(&["eval", &file, "--attr", path, "--output", "json"]);
    assert_eq!(value(r#"rule["a.b"].when"#), "1\n");
    assert_eq!(value(r#"rule["a.b"]"#), "{\"type\":\"rule\",\"labels\":[\"a.b\"],\"attrs\":{\"when\":1}}\n");
    assert_eq!(value("local"), "{\"d\":2}\n");
    let wrong = |path: &str| text(&hclvm(&["eval", &file, "--attr", path]).stderr).to_owned();
    assert!(wrong("rule.c.wen").contains("Did you mean `rule.c.when`?"), "{}", wrong("rule.c.wen"));
    assert!(wrong("unlike").contains("There are `local`, `local.d`"), "{}", wrong("unlike"));
}

fn streamed(arguments: &[&str], scopes: &str) -> Output {
    hclvm_reading(&[&["eval", "-e", "n + 1", "--scopes", "-"], arguments].concat(), scopes)
}

#[test]
fn errors_of_a_stream_tell_the_line() {
    let lines = json_lines(&streamed(&[], "{\"n\": 1}\n\n{\"n\": \"a\"}\nnonsense\n"));
    assert_eq!((&lines[1]["line"], &lines[2]["line"]), (&3.into(), &4.into()));
    let items = json_lines(&streamed(&[], "[{\"n\": 1}, {\"n\": \"a\"}]"));
    assert_eq!(items[1]["item"], 2);
}

#[test]
fn a_stream_can_end_at_the_first_error() {
    let output = streamed(&["--fail-fast"], "{\"n\": 1}\n{\"n\": \"a\"}\n{\"n\": 2}\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout).lines().count(), 2);
}

#[test]
fn lines_are_read_alike_with_and_without_notation() {
    let lines = [
        "{}",
        r#"{"n": 1, "user": {"role": "admin", "tags": ["a", 1.50, null]}}"#,
        r#"{"n": 1, "n": 2, "user": {"role": "x", "role": "admin"}}"#,
        r#"{"n": 1e400, "user": 12345678901234567890.125}"#,
        r#"{"n": "1", "user": {"role": null}}"#,
        r#"{"n": 1e9999999999}"#,
        r#"{"n": true, "user": {"role": "é\n"}, "other": [[[]]]}"#,
        r#"{"n": 1, "user": {"role": }}"#,
        "[1]",
        r#""text""#,
        &format!(r#"{{"n": {}1{}}}"#, "[".repeat(200), "]".repeat(200)),
    ];
    for subject in [&["-e", "[n, user.role == \"admin\", user]"][..], &["-e", "n + 1", "--var", "n=7"]] {
        let run = |lines: &str| hclvm_reading(&[&["eval", "--scopes", "-"], subject].concat(), lines);
        for line in lines {
            // A `$` anywhere may be notation, so that the line is read another way; columns are the same.
            let other = format!("{line}\n\"$\"\n");
            let with_dollar = line.replacen('{', "{\"\u{24}\": 0, ", 1).replace(", }", "}");
            let (plain, slow) = (run(&other), run(&format!("{with_dollar}\n\"$\"\n")));
            let first = |output: &Output| output_of(output).lines().next().map(without_column);
            assert_eq!(first(&plain), first(&slow), "{subject:?} {line}");
        }
    }
}

/// Returns a line of results without the columns in messages.
fn without_column(line: &str) -> String {
    line.split("at column").next().unwrap_or_default().to_owned()
}

fn output_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_stream_continues_at_a_line() {
    let folder = Folder::new();
    let lines = folder.file("scopes.ndjson", "{\"n\": 1}\n\n{\"n\": 2}\n{\"n\": 3}\n");
    let list = folder.file("scopes.json", "[{\"n\": 1}, {\"n\": 2}, {\"n\": 3}]");
    let run = |file: &str, from: &str| {
        let output = hclvm(&["eval", "-e", "n", "--scopes", file, "--from", from]);
        assert!(output.status.success());
        output_of(&output)
    };
    assert_eq!(run(&lines, "1"), "1\n2\n3\n");
    assert_eq!(run(&lines, "3"), "2\n3\n");
    assert_eq!(run(&lines, "9"), "");
    assert_eq!(run(&list, "2"), "2\n3\n");
    assert_eq!(run(&list, "4"), "");
    let errors = hclvm(&["eval", "-e", "n.x", "--scopes", &lines, "--from", "4"]);
    assert!(output_of(&errors).starts_with("{\"line\":4,"), "{}", output_of(&errors));
}

#[test]
fn a_stream_of_many_scopes_has_a_summary() {
    let summary = text(&streamed(&[], &"{\"n\": 1}\n".repeat(1_000)).stderr).to_owned();
    assert!(summary.starts_with("1000 scopes, 0 with errors, in "), "{summary}");
    assert_eq!(text(&streamed(&[], &"{\"n\": 1}\n".repeat(999)).stderr), "");
}

/// `script` of util-linux runs a command with a pseudo-terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_bar_is_drawn_on_a_terminal_only() {
    let folder = Folder::new();
    let scopes = folder.file("scopes.ndjson", "{\"n\": 1}\n".repeat(200_000));
    let (log, results) = (folder.file("log", ""), folder.file("results", ""));
    let command = format!("{} eval -e 'n + 1' --scopes {scopes} > {results}", env!("CARGO_BIN_EXE_hclvm"));
    let mut script = std::process::Command::new("script");
    // No bar is drawn on a dumb terminal.
    let run =
        script.args(["-qec", &command, &log]).env("TERM", "xterm-256color").env_remove("NO_COLOR").output();
    let Ok(run) = run else { return };
    assert!(run.status.success());
    let drawn = std::fs::read_to_string(&log).expect("what the terminal showed");
    assert!(drawn.contains(" %  ") && drawn.contains("200000 scopes, 0 with errors"), "{drawn}");
    let results = std::fs::read_to_string(&results).expect("the results");
    assert_eq!(results.lines().filter(|line| *line == "2").count(), 200_000);
}

#[test]
fn the_default_dialect_has_the_functions_of_all() {
    assert_eq!(printed(&["eval", "-e", "alltrue([true])"]), "true\n");
    assert_eq!(printed(&["eval", "-e", "add(1, 2)"]), "3\n");
    assert_eq!(printed(&["eval", "-e", "urldecode(\"a%20b\")", "--dialect", "opentofu"]), "\"a b\"\n");
    assert_eq!(hclvm(&["eval", "-e", "alltrue([true])", "--dialect", "nomad"]).status.code(), Some(1));
}

#[test]
fn every_subcommand_shows_an_example() {
    for command in ["eval", "check", "disasm", "specialize"] {
        let help = printed(&[command, "--help"]);
        assert!(help.contains(&format!("  hclvm {command} ")), "{command}: {help}");
    }
}

#[test]
fn why_names_the_conditions_that_decide() {
    let arguments = ["eval", "-e", "a && n > 1", "--var", "a=true", "--var", "n=1", "--why"];
    assert!(printed(&arguments).starts_with("false, because `n > 1` is false (n = 1)\n"));
    let explained = json(printed(&[&arguments[..], &["--output", "json"]].concat()).as_bytes());
    assert_eq!(explained["deciding"], serde_json::json!(["n > 1"]));
}

#[test]
fn why_explains_the_bools_of_a_file_or_the_attribute_of_a_path() {
    let folder = Folder::new();
    let file = folder.file(
        "rules.hcl",
        "locals { big = n > 5 }\nname = \"x\"\nrule \"a\" { when = local.big }\nok = n < 9",
    );
    let explain = |more: &[&str]| printed(&[&["eval", &file, "--var", "n=1", "--why"], more].concat());
    let all = explain(&[]);
    let lines: Vec<&str> = all.lines().filter(|line| line.contains(", because ")).collect();
    let expected = [
        "rule.a.when: false, because `local.big` is false: `n > 5` is false (n = 1)",
        "ok: true, because `n < 9` is true (n = 1)",
    ];
    assert_eq!(lines, expected, "{all}");
    let one = explain(&["--attr", "rule.a.when"]);
    assert!(one.starts_with("false, because `local.big` is false"), "{one}");
    assert!(explain(&["--attr", "local.big"]).starts_with("false, because `n > 5` is false"));
    assert!(explain(&["--attr", "name"]).starts_with("\"x\", for all values of the variables"));
    assert_eq!(json(explain(&["--output", "json"]).as_bytes())["ok"]["result"], "true");
}

#[test]
fn why_tells_errors_and_paths_that_lead_nowhere() {
    let failed = hclvm(&["eval", "-e", "a.b && true", "--var", "a={}", "--why"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(
        text(&failed.stdout).starts_with("no result: Unsupported attribute: "),
        "{}",
        text(&failed.stdout)
    );
    let folder = Folder::new();
    let file = folder.file("rules.hcl", "ok = true");
    let output = hclvm(&["eval", &file, "--attr", "okay", "--why"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("Unknown attribute"), "{}", text(&output.stderr));
}
