//! Bad input: a diagnostic or an error, and never a panic, however long or deep.

use std::fmt::Write;

use hclvm_dialects::{File, Files, Inputs, nomad, packer};

use crate::{errors_with, evaluated, job, titles};

/// Runs on a thread with the stack that threads have by default.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn missing_folders_and_files_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(Files::read(&packer::Packer, &folder.path().join("none")).is_err());
    let empty = Files::read(&packer::Packer, folder.path()).expect_err("no template").to_string();
    assert!(empty.starts_with("Could not find any config file in "), "{empty}");
    assert!(File::read(folder.path()).is_err());
}

#[test]
fn text_that_is_not_utf_8_is_a_syntax_error() {
    let files =
        Files::of(&packer::Packer, "a", [File::new("a.pkr.hcl", b"locals {\n a = \"\xff\"\n}\n".to_vec())]);
    assert!(packer::Settings::new().prepare(&files).is_err());
    assert!(nomad::Settings::new().prepare(&File::new("a.nomad", b"\xfe{}".to_vec())).is_err());
    let inputs = Inputs::new().file(File::new("f.hcl", b"a = \"\xff\"\n".to_vec()));
    assert!(!errors_with("variable \"a\" {\n default = 1\n}\n", &inputs).is_empty());
}

#[test]
fn variable_files_of_other_forms_are_errors() {
    let module = "variable \"a\" {\n default = 1\n}\n";
    let of = |name: &str, text: &str| errors_with(module, &Inputs::new().file(File::new(name, text)));
    assert!(!of("f.json", "[1").is_empty());
    assert!(!of("f.json", "5").is_empty());
    assert!(!of("f.hcl", "a {}").is_empty());
    assert!(!of("f.hcl", "\0").is_empty());
    assert!(!of("f.hcl", "a = 1\na = 2").is_empty());
    assert!(of("f.hcl", "").is_empty());
}

#[test]
fn a_chain_of_20_000_locals() {
    on_a_small_stack(|| {
        let mut text = String::from("locals {\n");
        for at in 0..20_000 {
            writeln!(text, " l{at} = local.l{}", at + 1).expect("a string");
        }
        text.push_str(" l20000 = 1\n}\n");
        let evaluation = crate::evaluated(&text, &Inputs::new());
        assert_eq!(evaluation.local("l0").and_then(hclvm::Value::as_i64), Some(1));
        let evaluation = job(&format!("{text}job \"j\" {{}}\n"), &Inputs::new());
        assert_eq!(evaluation.local("l0").and_then(hclvm::Value::as_i64), Some(1));
    });
}

#[test]
fn a_cycle_of_10_000_locals() {
    on_a_small_stack(|| {
        let mut text = String::from("locals {\n");
        for at in 0..10_000 {
            writeln!(text, " l{at} = local.l{}", (at + 1) % 10_000).expect("a string");
        }
        text.push_str("}\n");
        let evaluation = evaluated(&text, &Inputs::new());
        assert_eq!(titles(evaluation.problems()), ["failed to prepare execution graph"]);
        let detail = &evaluation.problems().iter().next().expect("a problem").detail;
        assert!(detail.ends_with("local.l99 -> (9900 more) -> local.l0."), "{detail}");
    });
}

#[test]
fn blocks_nested_1_000_times() {
    on_a_small_stack(|| {
        let nested = |text: &str| format!("{}{}", "b {\n".repeat(1_000), "}\n".repeat(1_000)) + text;
        let bodies = [
            format!("source \"null\" \"x\" {{\n{}}}\nbuild {{\n sources = [\"null.x\"]\n}}\n", nested("")),
            format!("data \"http\" \"x\" {{\n{}}}\n", nested("")),
        ];
        for text in bodies {
            let files = Files::of(&packer::Packer, "a", [File::new("a.pkr.hcl", text)]);
            let found = match packer::Settings::new().prepare(&files) {
                Ok(module) => module.evaluate(&Inputs::new()).problems().clone(),
                Err(problems) => problems,
            };
            assert_eq!(titles(&found), ["Nesting too deep"]);
        }
        let text = format!(
            "job \"j\" {{\n group \"g\" {{\n task \"t\" {{\n config {{\n{}}}\n}}\n}}\n}}\n",
            nested("")
        );
        if let Ok(module) = nomad::Settings::new().prepare(&File::new("a.nomad", text)) {
            let evaluation = module.evaluate(&Inputs::new());
            assert!(evaluation.problems().has_errors() || evaluation.content().job().is_some());
        }
    });
}

#[test]
fn values_nested_100_times_are_read() {
    on_a_small_stack(|| {
        let text = format!("locals {{\n a = {}1{}\n}}\n", "[".repeat(100), "]".repeat(100));
        let evaluation = crate::evaluated(&text, &Inputs::new());
        assert!(evaluation.local("a").is_some());
    });
}

/// Returns the texts of `count` lines.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

#[test]
fn many_readers_of_all_locals_are_evaluated_in_linear_memory() {
    let locals = lines(1_000, |at| format!(" l{at} = length(keys(local)) >= {at}\n"));
    let evaluation = evaluated(&format!("locals {{\n{locals}}}\n"), &Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    // Each sees all that do not depend on it: the last one sees none, and the first one all others.
    assert_eq!(evaluation.local("l0").and_then(hclvm::Value::as_bool), Some(true));
    assert_eq!(evaluation.local("l999").and_then(hclvm::Value::as_bool), Some(false));
}

#[test]
fn as_many_cycles_as_reads_are_listed_in_part() {
    // Each local reads the next one and the first one, so that each closes a cycle of all before it.
    let count = 3_000;
    let locals = lines(count, |at| format!(" l{at} = [local.l{}, local.l0]\n", (at + 1) % count));
    let evaluation = evaluated(&format!("locals {{\n{locals}}}\n"), &Inputs::new());
    let problems = evaluation.problems();
    assert_eq!(titles(problems), ["failed to prepare execution graph"]);
    let detail = &problems.iter().next().expect("a problem").detail;
    assert!(detail.len() < 100_000, "{}", detail.len());
}

#[test]
fn names_that_do_not_exist_are_listed_in_part() {
    let locals = lines(3_000, |at| format!(" l{at} = local.m{at}\n"));
    let evaluation = evaluated(&format!("locals {{\n{locals}}}\n"), &Inputs::new());
    let problems = evaluation.problems();
    let detail = &problems.iter().next().expect("a problem").detail;
    assert!(detail.ends_with("(2980 more)") && detail.lines().count() == 21, "{detail}");
    for (count, lines_of_detail) in [(20, 20), (21, 21)] {
        let locals = lines(count, |at| format!(" l{at} = local.m{at}\n"));
        let evaluation = evaluated(&format!("locals {{\n{locals}}}\n"), &Inputs::new());
        let detail = &evaluation.problems().iter().next().expect("a problem").detail;
        assert_eq!(detail.lines().count(), lines_of_detail);
        assert_eq!(detail.ends_with("(1 more)"), count == 21);
    }
}

#[test]
fn evaluations_of_a_module_share_one_budget() {
    let work = "length([for a in range(1000) : [for b in range(1000) : b]])";
    let one = |count: usize| {
        let locals = lines(count, |at| format!(" l{at} = {work}\n"));
        let evaluation = evaluated(&format!("locals {{\n{locals}}}\n"), &Inputs::new());
        titles(evaluation.problems())
    };
    assert!(one(1).is_empty());
    assert_eq!(one(20), ["Limit exceeded"]);
}
