//! The forms of diagnostics: text with colours, JSON, SARIF and workflow commands.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value as Json;

use crate::{Folder, hclvm, json, text};

const WRONG: &str = "rule \"a\" {\n  when = true and false\n}\n\nlonger = \"é\" + contians([], 1)\n";

/// Runs `check` with standard error on a terminal, and returns what it printed there.
fn on_a_terminal(file: &str, variables: &[(&str, &str)]) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&master).expect("its other side");
    unlockpt(&master).expect("its other side");
    let size = Winsize { ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).expect("its size");
    let name = ptsname(&master, Vec::new()).expect("its name");
    let name = name.to_str().expect("a path of plain letters");
    let slave = File::options().read(true).write(true).open(name).expect("its other side");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm"));
    command.args(["check", file]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(slave);
    // `CI` counts as a terminal with colours, whatever `TERM` says.
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    command.env("TERM", "xterm-256color").envs(variables.iter().copied());
    let mut child = command.spawn().expect("the command starts");
    // The terminal ends when its last writer is closed.
    drop(command);
    let mut printed = Vec::new();
    // A terminal whose writers are gone ends with an error.
    let _ = File::from(master).read_to_end(&mut printed);
    child.wait().expect("the command ends");
    String::from_utf8(printed).expect("output is UTF-8")
}

#[test]
fn a_terminal_shows_colours_unless_the_environment_refuses_them() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "a = 1 +\n");
    let colored = on_a_terminal(&file, &[]);
    assert!(colored.contains("\u{1b}[1;31merror["), "{colored:?}");
    for refusal in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
        let plain = on_a_terminal(&file, &[refusal]);
        assert!(plain.contains("error[") && !plain.contains('\u{1b}'), "{refusal:?} {plain:?}");
    }
}

#[test]
fn lines_fit_in_the_terminal() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", format!("a = [{} nope() {}]\n", "1,".repeat(100), ",2".repeat(100)));
    let shown = on_a_terminal(&file, &[("NO_COLOR", "1")]);
    let line = shown.lines().find(|line| line.contains("nope()")).expect("the line");
    assert_eq!(line.trim_end().chars().count(), 60, "{shown}");
}

#[test]
fn a_file_gets_no_colours_unless_they_are_forced() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "a = 1 +\n");
    let output = hclvm(&["check", &file]);
    assert!(!text(&output.stderr).contains('\u{1b}'), "{}", text(&output.stderr));
    let mut command = crate::command(&["check", &file]);
    let output = command.env("CLICOLOR_FORCE", "1").output().expect("the command runs");
    assert!(text(&output.stderr).contains("\u{1b}[1;31merror["), "{}", text(&output.stderr));
}

#[test]
fn github_shows_a_command_for_each_diagnostic() {
    let folder = Folder::new();
    let file = folder.file("a,b:c.hcl", "a = \"é\"\nb = [contians([], 1)]\n");
    let output = hclvm(&["check", &file, "--diagnostics", "github"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = text(&output.stdout).lines().next().expect("a command");
    let name = file.replace(',', "%2C").replace(':', "%3A");
    let start = format!(
        "::error file={name},line=2,endLine=2,col=6,endColumn=14,title=Call to unknown function [unknown-function]::"
    );
    assert!(shown.starts_with(&start), "{shown}");
    assert_eq!(text(&output.stderr), "");
    let output = hclvm(&["eval", &file, "--diagnostics", "github"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with(&start), "{}", text(&output.stderr));
}

#[test]
fn sarif_has_rules_places_and_fixes() {
    let folder = Folder::new();
    let file = folder.file("a b.hcl", WRONG);
    let output = hclvm(&["check", &file, "--diagnostics", "sarif"]);
    assert_eq!(output.status.code(), Some(1));
    let log = json(&output.stdout);
    let problems = sarif::problems(&log);
    assert!(problems.is_empty(), "{problems:#?}\n{log:#}");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "missing-newline-after-argument");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], result["ruleId"]);
    let place = &result["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(uri.starts_with("file:///") && uri.ends_with("a%20b.hcl"), "{uri}");
    let region = &place["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&json!(2), &json!(15)));
    assert_eq!((&region["endColumn"], &region["byteLength"]), (&json!(18), &json!(3)));
    let change = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(change["insertedContent"]["text"], "&&");
}

#[test]
fn sarif_of_correct_files_has_no_results() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "a = 1\n");
    let output = hclvm(&["check", &file, "--diagnostics", "sarif"]);
    assert_eq!(output.status.code(), Some(0));
    let log = json(&output.stdout);
    assert_eq!(sarif::problems(&log), [""; 0]);
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn columns_of_sarif_count_code_points() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "a = [\"e\u{301}🇩🇪\", contians(1)]\n");
    let output = hclvm(&["check", &file, "--diagnostics", "sarif"]);
    let log = json(&output.stdout);
    let region = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startColumn"], &region["endColumn"]), (&json!(14), &json!(22)));
}

#[test]
fn json_has_codes_and_proposed_changes() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", WRONG);
    let output = hclvm(&["check", &file, "--diagnostics", "json"]);
    let found = &json(&output.stdout)["diagnostics"][0];
    assert_eq!(found["code"], "missing-newline-after-argument");
    assert_eq!(found["replacements"][0]["text"], "&&");
    assert_eq!(found["replacements"][0]["range"]["start"], json!({"line": 2, "column": 15, "byte": 25}));
}

/// The parts of SARIF 2.1.0 that a log here may have: the members of each object, of which some are
/// required (sections 3.13 to 3.57 of the specification).
mod sarif {
    use super::Json;

    /// The name of a kind of object, its members with their kinds, and the required ones.
    type Kind = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

    /// A kind in brackets is an array of it.
    const KINDS: &[Kind] = &[
        ("log", &[("$schema", "text"), ("version", "text"), ("runs", "[run]")], &["version", "runs"]),
        ("run", &[("tool", "tool"), ("columnKind", "text"), ("results", "[result]")], &["tool"]),
        ("tool", &[("driver", "driver")], &["driver"]),
        (
            "driver",
            &[("name", "text"), ("version", "text"), ("informationUri", "text"), ("rules", "[rule]")],
            &["name"],
        ),
        (
            "rule",
            &[
                ("id", "text"),
                ("shortDescription", "message"),
                ("fullDescription", "message"),
                ("help", "message"),
                ("defaultConfiguration", "configuration"),
            ],
            &["id"],
        ),
        ("configuration", &[("level", "level")], &[]),
        ("message", &[("text", "text")], &["text"]),
        (
            "result",
            &[
                ("ruleId", "text"),
                ("ruleIndex", "count"),
                ("level", "level"),
                ("message", "message"),
                ("locations", "[location]"),
                ("relatedLocations", "[location]"),
                ("fixes", "[fix]"),
            ],
            &["message"],
        ),
        (
            "location",
            &[
                ("id", "count"),
                ("physicalLocation", "place"),
                ("logicalLocations", "[logical]"),
                ("message", "message"),
            ],
            &[],
        ),
        ("logical", &[("name", "text"), ("fullyQualifiedName", "text"), ("kind", "text")], &[]),
        ("place", &[("artifactLocation", "artifact"), ("region", "region")], &["artifactLocation"]),
        ("artifact", &[("uri", "text")], &[]),
        (
            "region",
            &[
                ("startLine", "number"),
                ("startColumn", "number"),
                ("endLine", "number"),
                ("endColumn", "number"),
                ("byteOffset", "count"),
                ("byteLength", "count"),
            ],
            &[],
        ),
        ("fix", &[("artifactChanges", "[change]")], &["artifactChanges"]),
        (
            "change",
            &[("artifactLocation", "artifact"), ("replacements", "[replacement]")],
            &["artifactLocation", "replacements"],
        ),
        ("replacement", &[("deletedRegion", "region"), ("insertedContent", "content")], &["deletedRegion"]),
        ("content", &[("text", "text")], &[]),
    ];

    /// Returns what is not as the specification has it.
    pub(super) fn problems(log: &Json) -> Vec<String> {
        let mut problems = Vec::new();
        check(log, "log", "", &mut problems);
        if log["version"] != "2.1.0" || log["runs"][0]["columnKind"] != "unicodeCodePoints" {
            problems.push("the version or the kind of columns".to_owned());
        }
        problems
    }

    fn check(value: &Json, kind: &str, path: &str, problems: &mut Vec<String>) {
        if let Some(kind) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
            match value.as_array() {
                // The specification wants at least one item of these.
                Some(items) if items.is_empty() && matches!(kind, "change" | "replacement") => {
                    problems.push(format!("{path} is empty"));
                }
                Some(items) => items.iter().for_each(|item| check(item, kind, path, problems)),
                None => problems.push(format!("{path} is not an array")),
            }
            return;
        }
        let fits = match kind {
            "text" => value.is_string(),
            "count" => value.is_u64(),
            "number" => value.as_u64().is_some_and(|number| number > 0),
            "level" => {
                value.as_str().is_some_and(|level| ["error", "warning", "note", "none"].contains(&level))
            }
            _ => value.is_object(),
        };
        if !fits {
            problems.push(format!("{path} is not of the kind {kind}: {value}"));
        }
        let (Some((_, members, required)), Some(object)) =
            (KINDS.iter().find(|(name, ..)| *name == kind), value.as_object())
        else {
            return;
        };
        for name in required.iter().filter(|name| !object.contains_key(**name)) {
            problems.push(format!("{path} has no {name}"));
        }
        for (name, member) in object {
            let path = format!("{path}/{name}");
            match members.iter().find(|(known, _)| known == name) {
                Some((_, kind)) => check(member, kind, &path, problems),
                None => problems.push(format!("{path} is not a member")),
            }
        }
    }
}

#[test]
fn command_lines_of_codes_have_their_problem_and_right_ones_have_none() {
    let folder =
        std::path::Path::new(env!("CARGO_BIN_EXE_hclvm")).parent().expect("the folder of the command");
    let path = std::env::join_paths([folder.to_owned(), "/usr/bin".into(), "/bin".into()]).expect("a path");
    let run = |line: &str| {
        let line = line.trim().strip_prefix("$ ").expect("a command line");
        let output = std::process::Command::new("sh").args(["-c", line]).env("PATH", &path).output();
        String::from_utf8(output.expect("the shell runs").stderr).expect("messages are UTF-8")
    };
    let lines: Vec<_> =
        hclvm::diagnostics::Code::all().filter(|code| code.wrong().starts_with("$ ")).collect();
    assert_eq!(lines.len(), 5);
    for code in lines {
        let told = run(code.wrong());
        assert!(told.contains(&format!("error[{code}]")), "{code}: {told}");
        assert_eq!(run(code.right()), "", "{code}");
    }
}
