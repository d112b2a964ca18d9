//! Local values: their forms, their graph, reads of all of them.

use hclvm_dialects::Inputs;

use crate::{errors, job, job_errors, local};

#[test]
fn both_forms_are_one_graph() {
    let text =
        "locals {\n a = local.b + 1\n}\nlocal \"b\" {\n expression = local.c * 2\n}\nlocals {\n c = 3\n}\n";
    assert_eq!(local(text, &Inputs::new(), "a"), "7");
}

#[test]
fn reads_of_all_locals_see_those_that_do_not_depend_on_them() {
    let value = |expression: &str, name: &str| {
        let text = format!(
            "locals {{\n a = {expression}\n b = 1\n c = local.a\n}}\nvariable \"n\" {{\n default = \"b\"\n}}\n"
        );
        local(&text, &Inputs::new(), name)
    };
    assert_eq!(value("keys(local)", "c"), "[\"b\"]");
    assert_eq!(value("lookup(local, \"b\", 0)", "c"), "1");
    assert_eq!(value("local[var.n]", "a"), "1");
    assert_eq!(value("{ for name, value in local : name => value }", "a"), "{\"b\":1}");
}

#[test]
fn names_bound_by_a_loop_are_no_references() {
    let text = "locals {\n a = [for local in [{ x = 1 }] : local.x]\n b = [for data in [2] : data]\n}\n";
    assert_eq!(local(text, &Inputs::new(), "a"), "[1]");
}

#[test]
fn problems_of_the_graph_are_one_problem_with_all_paths() {
    let text = "locals {\n a = local.b\n b = local.a\n c = local.missing\n d = local.d\n}\n";
    let evaluation = crate::evaluated(text, &Inputs::new());
    let found: Vec<_> = evaluation.problems().iter().collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].title, "failed to prepare execution graph");
    for part in ["local.a -> local.b -> local.a", "`local.missing`", "local.d -> local.d"] {
        assert!(found[0].detail.contains(part), "{part}: {}", found[0].detail);
    }
}

#[test]
fn every_wrong_local_is_reported_but_none_that_reads_it() {
    let text =
        "locals {\n a = 1 + \"x\"\n b = local.a\n c = upper(1, 2)\n d = local.b\n e = keys(local)\n}\n";
    assert_eq!(errors(text), ["Invalid operand", "Too many function arguments"]);
    let text =
        "data \"http\" \"a\" {\n url = local.a\n}\nlocals {\n a = 1 + \"x\"\n b = data.http.a.body\n}\n";
    assert_eq!(errors(text), ["Invalid operand"]);
}

#[test]
fn forms_are_checked() {
    assert_eq!(errors("local \"1a\" {\n expression = 1\n}\n"), ["Invalid local name"]);
    assert_eq!(errors("local \"a\" {\n sensitive = true\n}\n"), ["Missing required argument"]);
    assert_eq!(errors("local \"a\" {\n expression = 1\n x = 1\n}\n"), ["Unsupported argument"]);
    assert_eq!(
        errors("local \"a\" {\n expression = 1\n}\nlocals {\n a = 2\n}\n"),
        ["Duplicate local definition"]
    );
}

#[test]
fn nomad_tells_cycles_and_missing_names_as_missing_attributes() {
    for locals in ["a = local.b\n b = local.a", "a = local.zz\n b = 1"] {
        let text = format!("locals {{\n {locals}\n}}\njob \"j\" {{}}\n");
        assert_eq!(job_errors(&text, &Inputs::new()), ["Unsupported attribute"], "{locals}");
    }
}

#[test]
fn nomad_evaluates_locals_beside_wrong_variables_but_no_job() {
    let text = "variable \"a\" {}\nlocals {\n b = 1 + \"x\"\n}\njob \"j\" {\n region = var.zz\n}\n";
    let evaluation = job(text, &Inputs::new());
    assert_eq!(crate::titles(evaluation.problems()), ["Unset variable \"a\"", "Invalid operand"]);
    assert!(evaluation.content().job().is_none());
}

#[test]
fn both_operands_of_nomads_conditions_count() {
    let text = |operator: &str| format!("locals {{\n a = {operator} (1 + \"x\" == 2)\n}}\njob \"j\" {{}}\n");
    assert_eq!(job_errors(&text("false &&"), &Inputs::new()), ["Invalid operand"]);
    assert_eq!(job_errors(&text("true ||"), &Inputs::new()), ["Invalid operand"]);
}
