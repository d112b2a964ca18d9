//! `hclvm repl`: plain lines through a pipe, and edited lines on a pseudo-terminal.

#[cfg(feature = "line-editing")]
mod edited;

use super::{Folder, POLICY, hclvm, hclvm_reading, text};

/// Runs the inputs and returns what was printed, and the messages.
fn answers(arguments: &[&str], inputs: &str) -> (String, String) {
    let output = hclvm_reading(&[&["repl"], arguments].concat(), inputs);
    let failed = !output.stderr.is_empty();
    assert_eq!(output.status.code(), Some(i32::from(failed)), "{}", text(&output.stderr));
    (text(&output.stdout).to_owned(), text(&output.stderr).to_owned())
}

/// Runs inputs that have no errors.
fn values(arguments: &[&str], inputs: &str) -> String {
    let (printed, messages) = answers(arguments, inputs);
    assert_eq!(messages, "");
    printed
}

#[test]
fn expressions_and_assignments_are_evaluated() {
    assert_eq!(
        values(&[], "1 + 2\nn = 4\nn * n\n:set n = n == 4\nn ? \"yes\" : \"no\"\n"),
        "3\n4\n16\ntrue\n\"yes\"\n"
    );
    assert_eq!(values(&["--var", "user=bob"], "upper(user)"), "\"BOB\"\n");
    assert_eq!(values(&[], "a = tolist([1])\n:type a\n"), "[\n  1\n]\nlist(number)\n");
}

#[test]
fn blank_lines_and_comments_have_no_answer() {
    assert_eq!(values(&[], "\n  \n# 1 + 1\n// 2\n"), "");
}

#[test]
fn an_input_continues_until_it_is_complete() {
    for (input, answer) in [
        ("[\n1\n,2]", "[\n  1,\n  2\n]\n"),
        ("upper(\n\"a\"\n)", "\"A\"\n"),
        ("1 +\n\n2", "3\n"),
        ("true ? 1\n: 2", "1\n"),
        ("\"a${\n1\n}\"", "\"a1\"\n"),
        ("<<EOT\n(\nEOT", "\"(\\n\"\n"),
        ("<<EOT\n%{ if true }\nx\n%{ endif }\nEOT", "\"\\nx\\n\\n\"\n"),
        ("a = {\nb = 1\n}\na.b", "{\n  \"b\": 1\n}\n1\n"),
        ("1 + # one\n2", "3\n"),
        (":type [\n]", "tuple([])\n"),
    ] {
        assert_eq!(values(&[], &format!("{input}\n7\n")), format!("{answer}7\n"), "{input}");
    }
}

#[test]
fn a_wrong_input_ends_on_its_line() {
    for input in ["[1 2", "{ a b", "1 )", "\"abc", "\"${1\"", "f(g(1]", "a ? b c", "[1, 2}"] {
        let (printed, messages) = answers(&[], &format!("{input}\n7\n"));
        assert_eq!(printed, "7\n", "{input}");
        assert!(messages.starts_with("error["), "{input}: {messages}");
    }
}

/// Lines of long inputs are read ahead. Asking for the end of an input with each of them would take minutes.
#[test]
fn long_inputs_end_with_their_last_line() {
    let list: String = (0..8_000).flat_map(|n| [n.to_string(), ",\n".to_owned()]).collect();
    let heredoc = "some words of a text\n".repeat(8_000);
    let inputs = format!("length([\n{list}])\n1 + 1\ntext = <<EOT\n{heredoc}EOT\n2 + 1\n3 +\n1\n");
    let printed = values(&[], &inputs);
    assert!(printed.starts_with("8000\n2\n\"some words"), "{}", &printed[..40]);
    assert!(printed.ends_with("\"\n3\n4\n"), "{}", &printed[printed.len() - 40..]);

    let wrong = format!("[\n{list}1 2,\n");
    let (printed, messages) = answers(&[], &format!("{wrong}7\n[\n{list}]\n"));
    assert!(printed.starts_with("7\n[\n  0,\n"), "a wrong input ends on its line: {}", &printed[..40]);
    assert!(messages.contains("expression:8002:3"), "{messages}");
    let (printed, messages) = answers(&[], &format!("1\n[\n{list}"));
    assert!(printed == "1\n" && messages.contains("expression:8002:1"), "{messages}");
}

#[test]
fn a_session_may_have_many_variables() {
    let assignments: Vec<String> = (0..1_500).map(|n| format!("variable_{n} = {n}\n")).collect();
    let assignments = assignments.concat();
    let (printed, messages) =
        answers(&[], &format!("{assignments}variable_7 + variable_1499\nvariable_1\nvariabel_2\n"));
    assert!(printed.ends_with("\n1499\n1506\n1\n"), "{}", &printed[printed.len() - 40..]);
    assert!(messages.contains("Did you mean \"variable_2\"?"), "{messages}");
}

#[test]
fn the_end_of_the_lines_ends_an_incomplete_input() {
    let (printed, messages) = answers(&[], "1 +\n");
    assert_eq!(printed, "");
    assert!(messages.contains("expression:1:4") && messages.contains("missing-expression"), "{messages}");
}

#[test]
fn a_file_gives_its_locals_attributes_and_blocks() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", format!("{POLICY}\nlimit = local.limit + most\n"));
    let inputs = "local.limit\nrule.small.when\nrule[\"small\"]\nmost = 2\nlimit\nn = 1\nlocal.limit\n";
    let printed = values(&[&policy, "--var", "n=4"], inputs);
    assert_eq!(printed, "8\ntrue\n{\n  \"when\": true\n}\n2\n10\n1\n2\n");
}

#[test]
fn only_the_parts_of_a_file_that_are_used_are_evaluated() {
    let folder = Folder::new();
    let file = folder.file("file.hcl", "locals {\n  a = 1\n  b = missing\n}\nc = local.a + 1\n");
    let (printed, messages) = answers(&[&file], "local.a\nc\nlocal.b\n");
    assert_eq!(printed, "1\n2\n");
    assert!(messages.contains("file.hcl:3:7") && messages.contains("\"missing\""), "{messages}");
}

#[test]
fn a_name_that_a_file_does_not_have_is_proposed() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let (_, messages) = answers(&[&policy], "local.limits\nrule.smal.when\n");
    assert!(messages.contains("Did you mean \"limit\"?"), "{messages}");
    assert!(messages.contains("Did you mean \"small\"?"), "{messages}");
}

#[test]
fn a_scope_and_a_file_can_be_loaded_later() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", POLICY);
    let scope = folder.file("scope.json", r#"{"n": 3, "s": {"$set": ["b", "a"]}}"#);
    let printed = values(&[], &format!(":load {policy}\n:scope {scope}\n:scope\nlocal.limit\n"));
    assert_eq!(printed, "n = 3\ns = [\"a\", \"b\"]\n6\n");
    let broken = folder.file("broken.hcl", "a = [\n");
    let (printed, messages) =
        answers(&[&policy, "--scope", &scope], &format!(":load {broken}\nlocal.limit\n"));
    assert_eq!(printed, "6\n", "the file before is kept");
    assert!(messages.contains("broken.hcl:2:1"), "{messages}");
    let (_, messages) = answers(&[], ":load /no/such/file\n");
    assert!(messages.starts_with("error: Cannot read /no/such/file"), "{messages}");
}

#[test]
fn code_is_listed_as_disasm_does() {
    let printed = values(&["--var", "n=1"], ":code n + 1\n");
    let folder = Folder::new();
    let file = folder.file("file.hcl", "a = n + 1\n");
    let listing = hclvm(&["disasm", &file]);
    let instructions = |text: &str| text.split_once("fast tier").expect("code").1.to_owned();
    assert_eq!(instructions(&printed), instructions(text(&listing.stdout)));
}

#[test]
fn functions_are_described_as_by_the_subcommand() {
    assert_eq!(values(&[], ":functions abs\n"), text(&hclvm(&["functions", "abs"]).stdout));
    assert_eq!(values(&[], ":functions\n"), text(&hclvm(&["functions"]).stdout));
}

#[test]
fn bench_tells_the_time_and_the_runs() {
    let printed = values(&["--var", "n=1"], ":bench n + 1\n");
    assert!(printed.contains(" ns a run, in 15 rounds of "), "{printed}");
    let (printed, messages) = answers(&["--var", "n=1"], ":bench n.a\n");
    assert!(printed.is_empty() && messages.contains("expression:1:2"), "{messages}");
}

#[test]
fn why_names_the_conditions_that_decide() {
    let printed = values(&["--var", "n=1"], ":why n > 0 && n > 5\n");
    assert!(
        printed.starts_with("false, because `n > 5` is false (n = 1)\n└─ false  n > 0 && n > 5\n"),
        "{printed}"
    );
}

#[test]
fn commands_are_proposed_and_explained() {
    let (_, messages) = answers(&[], ":tpye 1\n:type\n:set 1\n:load\n:quit 1\ntrue = 1\n");
    let expected = "error: There is no command `:tpye`. Did you mean `:type`?\nerror: Write :type EXPR.\n\
        error: Write :set NAME = EXPR.\nerror: Write :load FILE.\nerror: Write :quit.\n\
        error: `true` is a value, not the name of a variable.\n";
    assert_eq!(messages, expected);
    let help = values(&[], ":help\n");
    for command in
        [":type", ":why", ":code", ":bench", ":set", ":scope", ":load", ":functions", ":help", ":quit"]
    {
        assert!(help.contains(command), "{help}");
    }
}

#[test]
fn quit_ends_before_the_lines_do() {
    assert_eq!(values(&[], "1\n:quit\n2\n"), "1\n");
    assert_eq!(values(&[], "1\n:q\n2\n"), "1\n", "the beginning of one name is enough");
}

#[test]
fn unknown_values_are_shown_as_eval_shows_them() {
    let unknown = values(&["--var", r#"u={"$unknown":"number"}"#], "u + 1\n:type u\n");
    assert_eq!(unknown, "{\n  \"$unknown\": \"number\"\n}\nnumber\n");
}

#[test]
fn arguments_that_need_standard_input_are_refused() {
    assert_eq!(hclvm(&["repl", "-"]).status.code(), Some(2));
    assert_eq!(hclvm(&["repl", "--scope", "-"]).status.code(), Some(2));
    assert_eq!(hclvm(&["repl", "/no/such/file"]).status.code(), Some(2));
}
