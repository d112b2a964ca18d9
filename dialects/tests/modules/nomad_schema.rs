//! Jobs are checked against the job specification.

use hclvm_dialects::{Inputs, nomad};

use crate::{job, job_errors, shown, task, task_errors};

/// Returns the titles of the errors of a body of a job, with their lines.
fn errors(body: &str) -> Vec<String> {
    job_errors(&format!("job \"j\" {{\n{body}\n}}\n"), &Inputs::new())
}

#[test]
fn names_are_those_of_the_specification() {
    assert_eq!(errors("namespacce = 1"), ["Unsupported argument"]);
    assert_eq!(errors("updat {\n}"), ["Unsupported block type"]);
    assert_eq!(errors("group \"g\" {\n spread = {}\n}"), ["Unsupported argument"]);
    assert_eq!(errors("group \"g\" {\n count {\n }\n}"), ["Unsupported block type"]);
    assert_eq!(errors("dynamic \"grup\" {\n for_each = []\n content {}\n}"), ["Unsupported block type"]);
    assert_eq!(task_errors("device \"gpu\" {}"), ["Unsupported block type"]);
    assert_eq!(task_errors("template {\n dest = \"a\"\n}"), ["Unsupported argument"]);
    let found = job("job \"j\" {\n prioritty = 1\n}\n", &Inputs::new()).problems().to_string();
    assert!(found.contains("Did you mean \"priority\"?"), "{found}");
}

#[test]
fn labels_are_those_of_the_specification() {
    assert_eq!(errors("group {\n zz = 1\n}"), ["Missing name for group"]);
    assert_eq!(errors("group \"a\" \"b\" {}"), ["Extraneous label for group"]);
    assert_eq!(errors("group \"g\" {\n network {\n  port {}\n }\n}"), ["Missing  for port"]);
    assert_eq!(errors("group \"g\" {\n vault \"x\" {}\n zz = 1\n}"), ["Extraneous label for vault"]);
}

#[test]
fn values_are_converted() {
    let text = "job \"j\" {\n priority = \"70\"\n all_at_once = \"true\"\n region = 7\n datacenters = [1]\n group \"g\" {\n count = \"2\"\n }\n}\n";
    let evaluation = job(text, &Inputs::new());
    let body = evaluation.content().job().map(|job| shown(job.body())).expect("a job");
    let expected = "priority=70, all_at_once=true, region=\"7\", datacenters=[\"1\"], group g {count=2}";
    assert_eq!(body, expected);
}

#[test]
fn values_of_other_types_are_reported() {
    for wrong in [
        "priority = \"high\"",
        "priority = 1.5",
        "priority = \" 70\"",
        "priority = true",
        "all_at_once = \"yes\"",
        "datacenters = \"dc1\"",
        "datacenters = [null]",
        "region = [1]",
        "group \"g\" {\n spread {\n  weight = 200\n }\n}",
        "group \"g\" {\n spread {\n  target \"a\" {\n   percent = -1\n  }\n }\n}",
        "meta = [1]",
        "region = \"${1 + 1}\" == \"2\" ? [] : []",
    ] {
        assert_eq!(errors(wrong), ["Unsuitable value type"], "{wrong}");
    }
    for sound in [
        "priority = null",
        "priority = 7e1",
        "datacenters = null",
        "datacenters = []",
        "group \"g\" {\n spread {\n  target \"a\" {\n   percent = 1.5\n  }\n }\n}",
    ] {
        assert_eq!(errors(sound), [""; 0], "{sound}");
    }
    assert_eq!(task_errors("driver = null"), ["Unsuitable value type"]);
    assert_eq!(errors("constraint {\n distinct_hosts = \"yes\"\n}"), ["Incorrect attribute value type"]);
}

#[test]
fn places_are_those_of_the_decoder() {
    let place = |text: &str| {
        let evaluation = job(text, &Inputs::new());
        let group = evaluation.problems().groups().next().expect("a problem").clone();
        let subject = group.iter().next().and_then(|one| one.subject).expect("a place");
        let position = group.source().position(subject.start);
        (position.line, position.column)
    };
    assert_eq!(place("job \"j\" {\n priority = \"x\"\n}\n"), (2, 14));
    assert_eq!(place("job \"j\" {\n priority = \"${upper(\"x\")}\"\n}\n"), (2, 13));
    assert_eq!(place("job \"j\" {\n datacenters = {}\n}\n"), (2, 16));
    assert_eq!(place("job \"j\" {\n update {}\n update {}\n}\n"), (3, 2));
}

#[test]
fn blocks_that_may_be_there_once_are_not_repeated() {
    assert_eq!(errors("update {\n zz = 1\n}\nupdate {}\nupdate {}"), ["Duplicate update block"]);
    assert_eq!(errors("vault {}\nvault {\n zz = 1\n}\nvault {}"), ["Duplicate vault block"; 2]);
    assert_eq!(errors("group \"g\" {}\ngroup \"g\" {}"), [""; 0]);
    assert_eq!(
        errors("group \"g\" {\n meta = { a = 1 }\n meta {\n  b = 2\n }\n zz = 1\n}"),
        ["Duplicate meta block"]
    );
}

#[test]
fn what_is_required_and_what_scales() {
    assert_eq!(task_errors("lifecycle {}"), ["Missing required argument"]);
    assert_eq!(errors("group \"g\" {\n scaling {\n  min = 1\n }\n}"), ["Missing required argument"]);
    let wrong = "group \"g\" {\n scaling {\n  max = 1\n  type = \"vertical\"\n }\n}";
    assert_eq!(errors(wrong), ["Invalid group scaling type"]);
    assert_eq!(task_errors("scaling \"disk\" {\n zz = 1\n}"), ["Invalid scaling policy name"]);
    assert_eq!(task_errors("scaling \"cpu\" {}\nscaling \"CPU\" {}"), ["Duplicate scaling \"cpu\" block"]);
    assert_eq!(task_errors("scaling \"mem\" {\n type = \"horizontal\"\n}"), ["Invalid scaling policy type"]);
    assert_eq!(task_errors("scaling \"CPU\" {\n type = \"vertical_cpu\"\n}"), [""; 0]);
}

#[test]
fn some_bodies_are_not_checked() {
    assert_eq!(errors("group \"g\" {\n vault {\n  zz = nosuch()\n }\n}"), [""; 0]);
    assert_eq!(task_errors("vault {\n zz = 1\n}"), ["Unsupported argument"]);
    assert_eq!(task_errors("config {\n a = 1\n b \"c\" {\n  d = null\n }\n}"), [""; 0]);
}

#[test]
fn errors_in_bodies_of_values_are_errors_of_their_blocks() {
    let nested = "config {\n b {\n  a = nosuch(1)\n }\n b {\n  a = nosuch(1)\n }\n}";
    assert_eq!(task_errors(nested), ["Call to unknown function"; 2]);
    let text = format!("job \"j\" {{\n task \"t\" {{\n{nested}\n}}\n}}\n");
    let file = hclvm_dialects::File::new("a.nomad.hcl", text);
    let module = nomad::Settings::new().follow_ups(true).prepare(&file).expect("no syntax errors");
    let found = ["Call to unknown function", "Call to unknown function", "unsuitable value type"];
    assert_eq!(crate::titles(module.evaluate(&Inputs::new()).problems()), found);
    assert_eq!(task_errors("env {\n A {}\n B {}\n A {}\n}"), ["Unsuitable value type"; 2]);
    assert_eq!(shown(&task("config {\n a = 1\n a {\n  b = 2\n }\n}")), "config {a=[{\"b\":2}]}");
}

#[test]
fn one_mistake_in_a_dynamic_block_is_one_problem() {
    let text = "group \"g\" {\n dynamic \"service\" {\n  for_each = [1, 2, 3]\n  content {\n   nmae = service.value\n  }\n }\n}";
    assert_eq!(errors(text), ["Unsupported argument"]);
}

#[test]
fn a_check_knows_no_values_and_reports_none() {
    let text = "variable \"n\" {\n type = number\n}\njob \"j\" {\n group \"g\" {\n  count = var.n\n  zz = var.n\n }\n}\n";
    let file = hclvm_dialects::File::new("a.nomad.hcl", text);
    let module = nomad::Settings::new().checking(true).prepare(&file).expect("no syntax errors");
    let found = module.evaluate(&Inputs::new());
    assert_eq!(crate::titles(found.problems()), ["Unsupported argument"]);
}

#[test]
fn the_last_of_two_local_values_counts() {
    let text =
        "locals {\n a = 1\n b = local.a\n}\nlocals {\n a = 2\n}\njob \"j\" {\n priority = local.b\n}\n";
    let evaluation = job(text, &Inputs::new());
    assert_eq!(crate::titles(evaluation.problems()), [""; 0]);
    assert_eq!(evaluation.problems().len(), 1);
    assert_eq!(evaluation.local("a").map(crate::json).as_deref(), Some("2"));
}
