//! Names of jobs that nothing defines are text.

use hclvm_dialects::Inputs;

use crate::{job, job_errors, shown, task, task_errors};

#[test]
fn references_are_left_as_they_are_written() {
    let of = |text: &str| {
        let config = shown(&task(&format!("config {{\n user = {text}\n}}")));
        config
            .strip_prefix("config {")
            .and_then(|rest| rest.strip_suffix('}'))
            .map(str::to_owned)
            .expect("a config")
    };
    assert_eq!(of("\"${ node.dc }\""), "user=\"${ node.dc }\"");
    assert_eq!(of("node.dc"), "user=\"${node.dc}\"");
    assert_eq!(of("\"a-${attr.x[0]}-${meta[\"k\"]}b\""), "user=\"a-${attr.x[0]}-${meta[\\\"k\\\"]}b\"");
    assert_eq!(of("[node]"), "user=[\"${node}\"]");
    assert_eq!(of("upper(node.dc)"), "user=\"${NODE.DC}\"");
    assert_eq!(of("node.list[*]"), "user=[\"${node.list}\"]");
    assert_eq!(of("[for x in [\"1\"] : \"${x} ${node.y}\"]"), "user=[\"1 ${node.y}\"]");
}

#[test]
fn an_index_by_expression_is_no_part_of_the_text() {
    assert_eq!(task_errors("user = node.dc[1 + 1]"), ["Invalid index"]);
}

#[test]
fn variables_and_locals_always_exist() {
    assert_eq!(task_errors("user = var.nope"), ["Unsupported attribute"]);
    assert_eq!(task_errors("user = \"${local.nope}\""), ["Unsupported attribute"]);
}

#[test]
fn an_iterator_is_text_outside_of_its_block() {
    let body = task(
        "user = \"${env[\"HOME\"]}\"\ndynamic \"env\" {\n for_each = [\"a\"]\n content {\n V = env.value\n }\n}\n",
    );
    assert_eq!(shown(&body), "user=\"${env[\\\"HOME\\\"]}\", env {V=\"a\"}");
}

#[test]
fn iterators_of_json_too() {
    let text = r#"{"job": {"j": {"group": {"g": {"dynamic": {"network": {"for_each": ["h"], "content": {"mode": "${network.value}"}}}, "task": {"t": {"user": "${network.x}"}}}}}}}"#;
    let evaluation = job(text, &Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let body = evaluation.content().job().map(|job| shown(job.body())).expect("a job");
    assert_eq!(body, "group g {network {mode=\"h\"}, task t {user=\"${network.x}\"}}");
}

#[test]
fn texts_are_listed_with_their_places() {
    let text = "job \"j\" {\n region = \"${attr.region}\"\n meta {\n a = node.x\n b = var.a\n }\n}\nvariable \"a\" {\n default = 1\n}\n";
    let evaluation = job(text, &Inputs::new());
    let found: Vec<String> = evaluation
        .content()
        .runtime_texts()
        .iter()
        .map(|one| format!("{} {}", one.position().1.line, one.reference()))
        .collect();
    assert_eq!(found, ["2 attr.region", "4 node.x"]);
}

#[test]
fn conditions_of_validations_have_no_texts() {
    let text = "variable \"a\" {\n default = 1\n validation {\n condition = node.x == var.a\n error_message = \"A.\"\n }\n}\njob \"j\" {}\n";
    let expected = ["Invalid reference in variable validation", "Unknown variable"];
    assert_eq!(job_errors(text, &Inputs::new()), expected);
}
