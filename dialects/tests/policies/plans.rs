//! Values, operations and addresses of plans.

use hclvm::Limits;
use hclvm_dialects::terraform_policy::{Plan, PlanSettings, Schemas, Status};

use super::{change, created, judged, plan, plan_with, policies, policy, status};

#[test]
fn known_and_unknown_parts_are_one_value() {
    let (after, unknown) = (
        r#"{"b": "x", "rule": [{"days": 1}, {"days": 2, "key": "k"}], "n": null}"#,
        r#"{"arn": true, "rule": [{"key": true}, {}], "all": true}"#,
    );
    for (condition, wanted) in [
        ("attrs.b == \"x\"", Status::Pass),
        ("attrs.arn == \"x\"", Status::Unknown),
        ("attrs.arn == null", Status::Unknown),
        ("attrs.rule[0].key == \"k\"", Status::Unknown),
        ("attrs.rule[1].key == \"k\"", Status::Pass),
        ("core::length(attrs.rule) == 2", Status::Pass),
        ("core::length(attrs.all) == 2", Status::Unknown),
        ("attrs.n == null", Status::Pass),
        ("attrs.missing == null", Status::Error),
        ("attrs.arn == \"x\" && attrs.b == \"y\"", Status::Fail),
        ("attrs.n", Status::Error),
        ("attrs.b", Status::Error),
        ("\"true\"", Status::Pass),
    ] {
        assert_eq!(status(condition, after, unknown), wanted, "{condition}");
    }
}

#[test]
fn a_null_is_one_of_its_type() {
    for (condition, wanted) in [
        ("core::contains([\"a\"], attrs.n) == false", Status::Pass),
        ("core::contains([\"a\", null], attrs.n)", Status::Pass),
        ("attrs.n == \"a\"", Status::Fail),
        ("(attrs.n != null ? attrs.n : []) == []", Status::Pass),
        ("core::alltrue([attrs.n])", Status::Fail),
        ("core::anytrue([attrs.n])", Status::Fail),
        ("core::valuetostring(attrs.n) == \"(null)\"", Status::Pass),
        ("core::coalesce(attrs.n, \"d\") == \"d\"", Status::Pass),
        ("core::length(core::setunion([\"a\"], [attrs.n])) == 2", Status::Pass),
    ] {
        assert_eq!(status(condition, r#"{"n": null}"#, "{}"), wanted, "{condition}");
    }
}

#[test]
fn a_replacement_is_judged_twice() {
    let policies = policies(
        "resource_policy \"t\" \"c\" {\n  enforce {\n    condition = attrs.a == 2\n  }\n}\nresource_policy \"t\" \"d\" {\n  operations = [\"delete\"]\n  enforce {\n    condition = prior_attrs.a == 1 && attrs.a == null\n  }\n}\n",
    );
    let plan = plan(&[change("t.x", "\"delete\", \"create\"", (r#"{"a": 1}"#, r#"{"a": 2}"#), "{}", "{}")]);
    let report = judged(&policies, &plan);
    let found: Vec<_> = report
        .verdicts()
        .iter()
        .map(|one| {
            (
                policies.label(one).to_owned(),
                policies.operation(&plan, one).map(|one| one.name()),
                one.status(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("c".to_owned(), Some("create"), Status::Pass),
            ("d".to_owned(), Some("create"), Status::Skipped),
            ("c".to_owned(), Some("delete"), Status::Skipped),
            ("d".to_owned(), Some("delete"), Status::Pass),
        ]
    );
}

#[test]
fn numbers_keep_their_text() {
    let after = r#"{"n": 0.1, "big": 123456789012345678901234567890}"#;
    assert_eq!(status("attrs.n == 0.1", after, "{}"), Status::Pass);
    assert_eq!(status("attrs.big == 123456789012345678901234567890", after, "{}"), Status::Pass);
}

#[test]
fn schemas_give_values_their_types() {
    let text = r#"{"provider_schemas": {"registry.terraform.io/x/t": {"resource_schemas": {"t": {"block": {
        "attributes": {"names": {"type": ["set", "string"]}, "size": {"type": "number"}, "note": {"type": "string"}},
        "block_types": {"rule": {"nesting_mode": "list", "block": {"attributes": {"on": {"type": "bool"}}}}}
    }}}}}}"#;
    let changes =
        [created("t.x", r#"{"names": ["b", "a", "b"], "size": "3"}"#, r#"{"rule": [{"on": true}]}"#, "{}")];
    let conditions = [
        "core::length(attrs.names) == 2",
        "attrs.size == 3",
        "attrs.note == null",
        "core::length(attrs.rule) == 1",
        "core::try(attrs.names[0], \"no index\") == \"no index\"",
        "attrs.names != [\"a\", \"b\"]",
    ];
    for condition in conditions {
        let schemas = Schemas::read(text, Limits::trusted()).expect("they are schemas");
        let plan = plan_with(&changes, &PlanSettings::new().schemas(schemas));
        let report = judged(&policies(&policy(condition)), &plan);
        assert_eq!(report.verdicts()[0].status(), Status::Pass, "{condition}");
    }
}

#[test]
fn hostile_plans_are_refused_or_bounded() {
    let read = |text: &str| Plan::read(text, &PlanSettings::new(), Limits::untrusted());
    for text in [
        "",
        "[]",
        "{}",
        "nope",
        r#"{"format_version": 1}"#,
        r#"{"format_version": "1.2", "resource_changes": "#,
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    let deep = format!(
        r#"{{"format_version": "1.2", "resource_changes": [{}]}}"#,
        created("t.x", &format!("{}{}", "[".repeat(200_000), "]".repeat(200_000)), "{}", "{}")
    );
    assert!(read(&deep).is_err());
    for text in [
        r#"{"format_version": "1.2", "resource_changes": 3, "configuration": []}"#,
        r#"{"format_version": "1.2", "resource_changes": [null, 1, {}, {"address": "t.x", "type": "t"}]}"#,
        r#"{"format_version": "1.2", "configuration": {"provider_config": {"a": 1}, "root_module": {"module_calls": {"m": null}}}}"#,
    ] {
        read(text).expect("it has a version");
    }
}

#[test]
fn any_objects_are_judged() {
    let policies = policies(&policy("attrs.total < 100 && meta.type == \"t\""));
    let read = |text: &str| Plan::read_objects(text, &PlanSettings::new(), Limits::trusted());
    let objects = read(
        r#"[{"type": "t", "name": "a", "attrs": {"total": 90}}, {"type": "t", "attrs": {"total": 190}}, {"type": "u", "attrs": {}}]"#,
    )
    .expect("they are objects");
    let report = judged(&policies, &objects);
    let found: Vec<_> =
        report.verdicts().iter().map(|one| (policies.object(&objects, one), one.status())).collect();
    assert_eq!(found, [("t.a", Status::Pass), ("t[1]", Status::Fail)]);
    for text in ["{}", r#"[{"attrs": {}}]"#, r#"[{"type": "t"}]"#, r#"[{"type": "t", "attrs": 1}]"#] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn the_first_results_alone_are_explained() {
    let policies = policies(&policy("attrs.n < 0"));
    let changes: Vec<String> =
        (0..3_000).map(|at| created(&format!("t.n{at}"), &format!(r#"{{"n": {at}}}"#), "{}", "{}")).collect();
    let report = judged(&policies, &plan(&changes));
    let explained: Vec<bool> =
        report.verdicts().iter().map(|one| one.failures()[0].why().is_some()).collect();
    assert_eq!(explained, [vec![true; 1_000], vec![false; 2_000]].concat());
    assert!(report.verdicts().iter().all(|one| one.status() == Status::Fail));
}

#[test]
fn names_of_filters_that_depend_on_the_object_are_bounded() {
    let policies = policies(&policy("core::length(core::getresources(\"t\", { (attrs.name) = 1 })) == 1"));
    let changes: Vec<String> = (0..300)
        .map(|at| created(&format!("t.n{at}"), &format!(r#"{{"name": "a{at}", "a{at}": 1}}"#), "{}", "{}"))
        .collect();
    let report = judged(&policies, &plan(&changes));
    assert!(report.verdicts().iter().all(|one| one.status() == Status::Pass));
}
