//! Other resources: selections of which unknown values leave members open, and verdicts that hold in all cases.

use hclvm_dialects::terraform_policy::{Settings, Status};

use super::{created, judged, plan, policies};

/// Returns the status of a condition for `t.x` beside resources of the type `o`.
fn beside(condition: &str, others: &[(&str, &str)]) -> Status {
    let mut changes = vec![created("t.x", r#"{"bucket": "a"}"#, r#"{"id": true}"#, "{}")];
    for (at, (after, unknown)) in others.iter().enumerate() {
        changes.push(created(&format!("o.n{at}"), after, unknown, "{}"));
    }
    let text = format!(
        "resource_policy \"t\" \"p\" {{\n  locals {{\n    o = core::getresources(\"o\", {{ bucket = attrs.bucket }})\n  }}\n  enforce {{\n    condition = {condition}\n  }}\n}}\n"
    );
    judged(&policies(&text), &plan(&changes)).verdicts()[0].status()
}

const MEMBER: (&str, &str) = (r#"{"bucket": "a", "on": true}"#, "{}");
const OFF: (&str, &str) = (r#"{"bucket": "a", "on": false}"#, "{}");
const OTHER: (&str, &str) = (r#"{"bucket": "b", "on": true}"#, "{}");
const OPEN: (&str, &str) = (r#"{"on": true}"#, r#"{"bucket": true}"#);
const OPEN_OFF: (&str, &str) = (r#"{"on": false}"#, r#"{"bucket": true}"#);
const WITHOUT: (&str, &str) = (r#"{"on": true}"#, "{}");

#[test]
fn members_are_selected_by_their_values() {
    assert_eq!(beside("core::length(local.o) == 1", &[MEMBER, OTHER, WITHOUT]), Status::Pass);
    assert_eq!(beside("local.o[0].on", &[OTHER, MEMBER]), Status::Pass);
    assert_eq!(beside("local.o == []", &[]), Status::Pass);
}

#[test]
fn a_verdict_holds_if_it_is_equal_in_all_cases() {
    let any_on = "core::anytrue([for o in local.o : o.on])";
    assert_eq!(beside(any_on, &[MEMBER, OPEN_OFF]), Status::Pass);
    assert_eq!(beside(any_on, &[OFF, OPEN]), Status::Unknown);
    assert_eq!(beside(any_on, &[OPEN_OFF, OPEN_OFF]), Status::Fail);
    // More are open than are tried.
    assert_eq!(beside(any_on, &[MEMBER, OPEN_OFF, OPEN_OFF, OPEN_OFF, OPEN_OFF, OPEN_OFF]), Status::Unknown);
}

#[test]
fn the_length_of_an_open_selection_is_bounded() {
    assert_eq!(beside("core::length(local.o) >= 1", &[MEMBER, OPEN]), Status::Pass);
    assert_eq!(
        beside("core::length(local.o) > 8", &[MEMBER, OPEN, OPEN, OPEN, OPEN, OPEN, OPEN]),
        Status::Fail
    );
    assert_eq!(beside("core::length(local.o) == 2", &[MEMBER, OPEN]), Status::Unknown);
}

#[test]
fn a_shared_local_of_the_file_is_tried_in_all_cases_as_well() {
    let text = "locals {\n  o = core::getresources(\"o\", { bucket = \"a\" })\n  on = core::anytrue([for o in local.o : o.on])\n}\nresource_policy \"t\" \"p\" {\n  enforce {\n    condition = local.on\n  }\n}\nresource_policy \"t\" \"q\" {\n  enforce {\n    condition = !local.on\n  }\n}\n";
    let of = |others: &[(&str, &str)]| -> Vec<Status> {
        let mut changes = vec![created("t.x", "{}", "{}", "{}"), created("t.y", "{}", "{}", "{}")];
        for (at, (after, unknown)) in others.iter().enumerate() {
            changes.push(created(&format!("o.n{at}"), after, unknown, "{}"));
        }
        judged(&policies(text), &plan(&changes)).verdicts().iter().map(|one| one.status()).collect()
    };
    assert_eq!(of(&[MEMBER, OPEN_OFF]), [Status::Pass, Status::Fail, Status::Pass, Status::Fail]);
    assert_eq!(of(&[OFF, OPEN]), [Status::Unknown; 4]);
}

#[test]
fn unknown_arguments_of_two_calls_are_not_taken_for_equal() {
    // One of the calls may have a member, and the other none.
    let condition = "core::length(core::getresources(\"o\", { bucket = attrs.id })) == core::length(core::getresources(\"o\", { bucket = attrs.arn }))";
    let changes = [
        created("t.x", "{}", r#"{"id": true, "arn": true}"#, "{}"),
        created("o.a", r#"{"bucket": "a"}"#, "{}", "{}"),
    ];
    let report = judged(&policies(&super::policy(condition)), &plan(&changes));
    assert_eq!(report.verdicts()[0].status(), Status::Unknown);
    assert_eq!(report.verdicts()[0].waits_for(), ["o.a"]);
}

#[test]
fn threads_give_the_verdicts_of_one() {
    let text = super::policy("core::length(core::getresources(\"t\", { a = attrs.a })) == 10");
    let file = hclvm_dialects::File::new("a.policy.hcl", text);
    let changes: Vec<String> = (0..300)
        .map(|at| created(&format!("t.n{at}"), &format!(r#"{{"a": {}}}"#, at % 30), "{}", "{}"))
        .collect();
    let plan = plan(&changes);
    let of = |threads: usize| -> Vec<Status> {
        let settings = Settings::new().threads(threads);
        let policies =
            hclvm_dialects::terraform_policy::Policies::load(std::slice::from_ref(&file), &settings)
                .expect("no errors");
        judged(&policies, &plan).verdicts().iter().map(|one| one.status()).collect()
    };
    assert_eq!(of(1), [Status::Pass; 300]);
    assert_eq!(of(1), of(3));
}

#[test]
fn equal_names_of_policies_have_their_own_values() {
    let policy = |label: &str, value: &str| {
        format!(
            "resource_policy \"t\" \"{label}\" {{\n  locals {{\n    a = {value}\n    all = core::length(core::getresources(\"t\", {{}}))\n  }}\n  enforce {{\n    condition = local.a == {value} && local.all == 2\n  }}\n}}\n"
        )
    };
    let text = [policy("p", "1"), policy("q", "attrs.n"), policy("r", "3")].concat();
    let changes = [created("t.x", r#"{"n": 1}"#, "{}", "{}"), created("t.y", r#"{"n": 3}"#, "{}", "{}")];
    let report = judged(&policies(&text), &plan(&changes));
    assert_eq!(report.verdicts().len(), 6);
    assert!(report.verdicts().iter().all(|one| one.status() == Status::Pass), "{report:?}");
}

#[test]
fn two_references_to_an_unknown_value_are_equal() {
    let of =
        |condition: &str| super::status(condition, "{}", r#"{"id": true, "arn": true, "r": [{"k": true}]}"#);
    assert_eq!(of("attrs.id == attrs.id"), Status::Pass);
    assert_eq!(of("attrs.r[0].k != attrs.r[0].k"), Status::Fail);
    assert_eq!(of("\"${attrs.id}\" == attrs.id"), Status::Pass);
    for other in ["attrs.arn", "attrs.r[0].k", "\"${attrs.id}-x\"", "core::upper(attrs.id)", "attrs.id.name"]
    {
        assert_eq!(of(&format!("attrs.id == {other}")), Status::Unknown, "{other}");
    }
    let changes = ["t.x", "t.y"].map(|address| created(address, "{}", r#"{"id": true}"#, "{}"));
    let found = |condition: &str| {
        let report = judged(&policies(&super::policy(condition)), &plan(&changes));
        [0, 1].map(|at| report.verdicts()[at].status())
    };
    // The object itself is a member, the other one may be one.
    let same = "core::getresources(\"t\", { id = attrs.id })";
    assert_eq!(found(&format!("core::length({same}) >= 1")), [Status::Pass; 2]);
    assert_eq!(found(&format!("core::length({same}) == 1")), [Status::Unknown; 2]);
}
