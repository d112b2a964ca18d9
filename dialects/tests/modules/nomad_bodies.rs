//! Bodies of jobs.

use hclvm_dialects::Inputs;

use crate::{job, job_errors, shown, task, task_errors};

#[test]
fn bodies_without_a_schema_become_values() {
    let of = |text: &str| shown(&task(&format!("config {{\n{text}\n}}")));
    assert_eq!(of("image = \"x\"\n ports = [\"http\"]"), "config {image=\"x\", ports=[\"http\"]}");
    assert_eq!(of("labels {\n a = 1\n}\nlabels {\n b = 2\n}"), "config {labels=[{\"a\":1},{\"b\":2}]}");
    assert_eq!(of("mount \"m\" \"n\" {\n q = 1\n}"), "config {mount=[{\"m\":[{\"n\":[{\"q\":1}]}]}]}");
    assert_eq!(
        of("o = { a = { b = 1 } }\n l = [{ a = 1 }]"),
        "config {o=[{\"a\":{\"b\":1}}], l=[{\"a\":1}]}"
    );
    assert_eq!(of("n {\n o = { z = 1 }\n}"), "config {n=[{\"o\":[{\"z\":1}]}]}");
}

#[test]
fn dynamic_blocks_in_them_are_values_too() {
    let body = task("config {\n dynamic \"x\" {\n for_each = [1]\n content {\n a = 1\n }\n }\n}");
    assert_eq!(shown(&body), "config {dynamic=[{\"x\":[{\"content\":[{\"a\":1}],\"for_each\":[1]}]}]}");
}

#[test]
fn numbers_in_them_are_integers_or_floats_of_64_bits() {
    let body = task("config {\n a = 1 / 3\n b = 9007199254740993\n c = [1.5, 0.1 + 0.2]\n}");
    assert_eq!(shown(&body), "config {a=0.3333333333333333, b=9007199254740993, c=[1.5,0.3]}");
}

#[test]
fn their_problems_are_told_if_there_are_no_others() {
    assert_eq!(task_errors("config {\n a = local.x\n}"), ["Unsupported attribute"]);
    assert_eq!(task_errors("config {\n a = 1 + \"x\"\n}\nuser = local.y"), ["Unsupported attribute"]);
}

#[test]
fn maps_of_texts_are_blocks_or_attributes() {
    assert_eq!(shown(&task("env {\n A = 1\n B = true\n}")), "env {A=\"1\", B=\"true\"}");
    assert_eq!(shown(&task("env = { \"a.b\" = 1 }\nmeta = null")), "env {a.b=\"1\"}");
    assert_eq!(task_errors("env = { A = 1 }\nenv {\n B = 1\n}"), ["Duplicate env block"]);
    assert_eq!(task_errors("env {\n A = 1\n}\nenv {\n B = 1\n}"), ["Duplicate env block"]);
    for wrong in ["env = [1]", "env = { A = [1] }", "env = { A = null }", "meta {\n A = [1]\n}"] {
        assert_eq!(task_errors(wrong), ["Unsuitable value type"], "{wrong}");
    }
}

#[test]
fn dynamic_blocks_are_expanded_where_the_schema_knows_blocks() {
    let text = "job \"j\" {\n dynamic \"group\" {\n for_each = [\"a\", \"b\"]\n labels = [group.value]\n content {\n network {\n dynamic \"port\" {\n for_each = { http = 80 }\n labels = [port.key]\n content {\n to = port.value\n }\n }\n }\n }\n }\n}\n";
    let evaluation = job(text, &Inputs::new());
    let body = evaluation.content().job().map(|job| shown(job.body())).expect("a job");
    assert_eq!(body, "group a {network {port http {to=80}}}, group b {network {port http {to=80}}}");
}

#[test]
fn constraints_have_an_operator_and_a_value() {
    let of = |text: &str| shown(&task(&format!("constraint {{\n{text}\n}}")));
    assert_eq!(of("attribute = \"a\"\n value = 3"), "constraint {attribute=\"a\", value=\"3\"}");
    assert_eq!(
        of("attribute = attr.v\n semver = \">= 1\""),
        "constraint {attribute=\"${attr.v}\", semver=\">= 1\", operator=\"semver\", value=\">= 1\"}"
    );
    assert_eq!(of("distinct_hosts = true"), "constraint {distinct_hosts=true, operator=\"distinct_hosts\"}");
    assert_eq!(
        of("distinct_property = \"p\""),
        "constraint {distinct_property=\"p\", operator=\"distinct_property\", attribute=\"p\"}"
    );
}

#[test]
fn durations_are_texts_with_units_or_nanoseconds() {
    assert_eq!(
        shown(&task("kill_timeout = \"1m30s\"\nshutdown_delay = 5")),
        "kill_timeout=\"1m30s\", shutdown_delay=5"
    );
    for wrong in ["\"30\"", "true", "[]", "\"${NOMAD_META_x}\""] {
        assert_eq!(task_errors(&format!("kill_timeout = {wrong}")), ["Unsuitable value type"], "{wrong}");
    }
    assert_eq!(task_errors("kill_timeout = null"), ["Unsuitable value"]);
}

#[test]
fn a_file_has_one_job() {
    assert_eq!(job_errors("variables {}\n", &Inputs::new()), ["Missing job block"]);
    let text = "job \"a\" {}\njob \"b\" {}\njob \"c\" {}\n";
    assert_eq!(job_errors(text, &Inputs::new()), ["Duplicate job block", "Duplicate job block"]);
    let text = "foo {}\nvariable \"a\" {}\njob \"b\" {}\n";
    assert_eq!(job_errors(text, &Inputs::new()), ["Unsupported block type"]);
    let label = hclvm_dialects::File::new("a.nomad", "job \"${1 + 1}\" {}\n");
    assert!(hclvm_dialects::nomad::Settings::new().prepare(&label).is_err());
}

#[test]
fn jobs_in_json_have_the_same_blocks() {
    let text = r#"{"locals": {"tag": "1.2"}, "job": {"web": {"group": {"g": {"count": 2, "task": {"t": {"config": {"image": "r:${local.tag}", "auth": {"user": "${attr.u}"}}, "env": {"A": 1}}}}}}}}"#;
    let evaluation = job(text, &Inputs::new());
    let body = evaluation.content().job().map(|job| shown(job.body())).expect("a job");
    let expected =
        "group g {count=2, task t {config {image=\"r:1.2\", auth={\"user\":\"${attr.u}\"}}, env {A=\"1\"}}}";
    assert_eq!(body, expected);
}
