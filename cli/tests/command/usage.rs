//! What the command proposes to people who know other tools, and the messages about arguments, limits and access.

use super::{Folder, hclvm, hclvm_reading, json, text};

#[test]
fn commands_of_other_tools_are_translated() {
    for (name, meant) in
        [("validate", "check"), ("console", "repl"), ("lint", "check"), ("plan", "eval"), ("run", "eval")]
    {
        let output = hclvm(&[name]);
        assert_eq!(output.status.code(), Some(2));
        let told = text(&output.stderr);
        assert!(told.contains(&format!("'{meant}'")), "{name}: {told}");
        assert!(!told.contains("'man'"), "{told}");
    }
    let serve = hclvm(&["serve"]);
    assert!(!text(&serve.stderr).contains("similar"), "{}", text(&serve.stderr));
    let dashes = hclvm(&["eval", "-e", "tag", "-var", "tag=1"]);
    assert!(text(&dashes.stderr).contains("'--var'"), "{}", text(&dashes.stderr));
    let unknown = hclvm(&["check", "-o", "x"]);
    assert!(!text(&unknown.stderr).contains("-- -o"), "{}", text(&unknown.stderr));
    let shells = hclvm(&["completions"]);
    assert!(text(&shells.stderr).contains("zsh"), "{}", text(&shells.stderr));
}

#[test]
fn errors_say_what_to_do_at_the_command() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "a = user\n");
    for (arguments, wanted) in [
        (&["eval", &file][..], "help: set the variable with --var user=VALUE or --scope FILE\n"),
        (&["eval", "-e", "timestamp()"], "help: grant this access with --grant clock\n"),
        (
            &["eval", "-e", "my_own(1)"],
            "hclvm.hcl or --functions FILE: function \"my_own\" { result = VALUE }",
        ),
        (&["eval", "upper(\"x\")"], "An expression is evaluated by hclvm eval -e 'EXPR'."),
        (&["eval", &file, "--scope", "{\"user\": 1}"], "use --var NAME=JSON"),
        // The real error, not the variable that is not read because of it.
        (&["eval", "-e", "foo()", "--var", "x=1"], "There is no function \"foo\"."),
        (&["eval", "-e", "1", "--var", "x=1"], "reads no variable of this name. It reads none."),
        (&["eval", &file, "--var", "role=1"], "reads no variable of this name. It reads user."),
        (&["eval", "-t", "{{ name }}", "--var", "name=1"], "A template inserts a value with ${NAME}."),
        (&["eval", &file, "--var", "user", "=", "1"], "without spaces around `=`: --var name=value"),
        (&["check", &file, "--vars", "user:int"], "There is no type `int`. Did you mean `number`?\n"),
        (&["decide", &file, "--var", "user=1"], "a.hcl has no rules."),
        (&["eval", &file, "--var", "user.rank=3"], "--var 'user={\"rank\": …}'."),
        (&["eval", &file, "--var", "user={role=1}", "--attr", "b"], "note: --var user is a string"),
        (&["check", &file, "--allow", "network"], "granted by --grant files, environment, clock, random"),
        (&["check", &file, "--deny", "warning"], "to deny all warnings, write `warnings`"),
        (&["test", &file], "is read as a test file, whose name ends in .hcltest"),
    ] {
        let output = hclvm(arguments);
        let told = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(told.contains(wanted), "{wanted} is missing for {arguments:?}:\n{told}");
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
    }
    let data = hclvm(&["eval", &file, "--diagnostics", "json"]);
    json(&data.stderr);
    let loaded = hclvm_reading(&["repl", &file], "a\n");
    assert!(
        text(&loaded.stderr).contains("help: set the variable with user = VALUE\n"),
        "{}",
        text(&loaded.stderr)
    );
}

#[test]
fn access_is_granted_by_its_own_option_and_by_the_old_one() {
    for option in ["--grant", "--allow"] {
        let output = hclvm(&["eval", "-e", "length(timestamp())", option, "clock"]);
        assert_eq!(text(&output.stdout), "20\n", "{}", text(&output.stderr));
    }
    assert_eq!(hclvm(&["eval", "-e", "1", "--grant", "unused-local"]).status.code(), Some(2));
}

#[test]
fn limits_are_options_and_messages_name_them() {
    let long = "[for a in range(1000) : [for b in range(1000) : a * b]]";
    for (arguments, wanted) in [
        (&["--fuel", "5000"][..], "needs more work than --fuel allows: 5,000 units."),
        (&["--memory", "64K"], "needs more memory than --memory allows: 64 KiB."),
        (
            &["--time", "1ms", "--fuel", "10000000000", "--memory", "1G"],
            "needs more time than --time allows: 1ms.",
        ),
    ] {
        let output = hclvm(&[&["eval", "-e", long], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(wanted), "{wanted} is missing in\n{}", text(&output.stderr));
    }
    let folder = Folder::new();
    let file = folder.file("a.hcl", format!("a = {long}\n"));
    let checked = hclvm(&["check", &file, "--fuel", "5000"]);
    let told = text(&checked.stderr);
    assert!(told.contains("help: raise the limit with --fuel, which is 5,000 units\n"), "{told}");
    for wrong in [["--time", "5"], ["--memory", "x"], ["--memory", "0"], ["--fuel", "-1"]] {
        assert_eq!(hclvm(&[&["eval", "-e", "1"][..], &wrong].concat()).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn an_unknown_path_is_an_error_of_the_file_in_every_command() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "speed = 1\n");
    for arguments in [&["eval", &file, "--attr", "sped"][..], &["disasm", &file, "sped"]] {
        let output = hclvm(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains("Did you mean `speed`?"), "{}", text(&output.stderr));
    }
}

#[test]
fn consoles_end_and_help_by_words() {
    let output = hclvm_reading(&["repl"], "help\n1 + 1\nexit\n2 + 2\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains(":help") && told.ends_with("2\n") && !told.contains("\n4\n"), "{told}");
    assert_eq!(hclvm_reading(&["repl"], "quit\nnonsense(\n").status.code(), Some(0));
    // They can still be variables.
    assert_eq!(text(&hclvm_reading(&["repl"], "exit = 1\nexit + 1\n").stdout), "1\n2\n");
}

#[test]
fn a_line_that_ends_early_has_its_column() {
    let output = hclvm_reading(&["eval", "-e", "n", "--scopes", "-"], "{\"n\": 1}\n{\"n\": [1, \n");
    assert!(
        text(&output.stdout).contains("Line 2: the text ends within a value at column 9."),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_file_that_cannot_be_written_is_named_as_it_was() {
    let folder = Folder::new();
    let file = folder.file("a.hcl", "a = 1\n");
    let nowhere = folder.0.path().join("missing/a.hclc").to_string_lossy().into_owned();
    let output = hclvm(&["compile", &file, "-o", &nowhere]);
    assert_eq!(output.status.code(), Some(2));
    let folder = folder.0.path().join("missing");
    let expected = format!("error: Cannot write {nowhere}: the folder {} is not there.\n", folder.display());
    assert_eq!(text(&output.stderr), expected);
}
