//! Plans that Terraform 1.11.4 made with the AWS provider 5.100.0, without attributes that say nothing: how their three forms
//! of a value become one, and which entries are judged.

use hclvm::Limits;
use hclvm_dialects::File;
use hclvm_dialects::terraform_policy::{Plan, PlanSettings, Policies, Settings, Status};

use super::judged;

const PLANS: &str = include_str!("real_plans.json");

fn plan(name: &str) -> Plan {
    let plans: serde_json::Value = serde_json::from_str(PLANS).expect("JSON");
    Plan::read(&plans[name].to_string(), &PlanSettings::new(), Limits::trusted()).expect("it is a plan")
}

/// Returns each object with its operation and the status of a policy of a kind for it.
fn statuses(
    plan: &Plan,
    block: &str,
    label: &str,
    operations: &str,
    condition: &str,
) -> Vec<(String, Status)> {
    let text = format!(
        "{block} \"{label}\" \"p\" {{\n  {operations}\n  enforce {{\n    condition = {condition}\n  }}\n}}\n"
    );
    let policies = Policies::load(&[File::new("a.policy.hcl", text)], &Settings::new()).expect("no errors");
    let report = judged(&policies, plan);
    let verdicts = report.verdicts().iter();
    verdicts
        .map(|one| {
            let operation =
                policies.operation(plan, one).map_or(String::new(), |one| format!(" {}", one.name()));
            (format!("{}{operation}", policies.object(plan, one)), one.status())
        })
        .collect()
}

/// Checks the status of conditions for the only resource of a type that a plan has.
fn check(name: &str, kind: &str, conditions: &[(&str, Status)]) {
    let plan = plan(name);
    for (condition, wanted) in conditions {
        let found = statuses(&plan, "resource_policy", kind, "", condition);
        let [(_, status)] = found.as_slice() else { panic!("{name}: {found:?}") };
        assert_eq!(status, wanted, "{name}: {condition}");
    }
}

#[test]
fn what_is_not_set_is_null_and_what_is_computed_is_unknown() {
    use Status::{Error, Pass, Unknown};
    let bucket = [
        ("attrs.bucket == \"logs\"", Pass),
        ("attrs.tags.env == \"prod\"", Pass),
        ("attrs.id == \"logs\"", Unknown),
        ("attrs.arn != null", Unknown),
        ("attrs.no_such_attribute == null", Error),
    ];
    check("create", "aws_s3_bucket", &bucket);
    let topic = [("attrs.display_name == null", Pass), ("attrs.tags_all.key == \"x\"", Unknown)];
    for (condition, wanted) in topic {
        let found = statuses(&plan("forget"), "resource_policy", "aws_sns_topic", "", condition);
        assert_eq!(found, [("aws_sns_topic.b create".to_owned(), wanted)]);
    }
    // Write-only attributes are null, whatever the configuration has.
    check(
        "write_only",
        "aws_ssm_parameter",
        &[("attrs.value_wo == null", Pass), ("attrs.value == null", Unknown)],
    );
}

#[test]
fn blocks_are_known_in_part() {
    use Status::{Fail, Pass, Unknown};
    let open = "core::anytrue([for rule in attrs.ingress : core::contains(rule.cidr_blocks, \"0.0.0.0/0\")])";
    check(
        "nested_blocks",
        "aws_security_group",
        &[
            (open, Pass),
            ("core::length(attrs.ingress) == 2", Pass),
            ("core::length(attrs.egress) == 0", Unknown),
        ],
    );
    let base = "attrs.name != \"web\"";
    for (condition, wanted) in [
        (format!("{base} || attrs.ingress[0].from_port == 443"), Pass),
        (format!("{base} || core::length(attrs.ingress[0].cidr_blocks) == 1"), Fail),
        (format!("{base} || core::contains(attrs.ingress[0].security_groups, \"sg-1\")"), Unknown),
    ] {
        let found =
            statuses(&plan("unknown_in_block"), "resource_policy", "aws_security_group", "", &condition);
        assert_eq!(found[0].1, wanted, "{condition}: {found:?}");
    }
    let key = "attrs.rule[0].apply_server_side_encryption_by_default[0]";
    check(
        "list_blocks",
        "aws_s3_bucket_server_side_encryption_configuration",
        &[
            (&format!("{key}.sse_algorithm == \"aws:kms\""), Pass),
            (&format!("{key}.kms_master_key_id == \"k\""), Unknown),
            ("attrs.rule[0].bucket_key_enabled", Pass),
        ],
    );
    check(
        "partial_set",
        "aws_instance",
        &[("core::contains(attrs.vpc_security_group_ids, \"sg-1\")", Unknown)],
    );
}

#[test]
fn operations_are_those_of_the_plan() {
    let of = |name: &str| -> Vec<String> {
        let all = statuses(&plan(name), "resource_policy", "*", "operations = []", "true");
        all.into_iter().map(|(object, _)| object).collect()
    };
    for (name, wanted) in [
        ("create", &["aws_s3_bucket.a create"][..]),
        ("update", &["aws_sns_topic.a update"]),
        ("delete", &["aws_sns_topic.a delete"]),
        ("replace", &["aws_sns_topic.a create", "aws_sns_topic.a delete"]),
        ("create_before_destroy", &["aws_sns_topic.a create", "aws_sns_topic.a delete"]),
        ("no_op", &["aws_sns_topic.a no-op"]),
        ("moved", &["aws_sns_topic.b no-op"]),
        ("forget", &["aws_sns_topic.b create"]),
        ("deposed", &["aws_sns_topic.a no-op"]),
        ("data", &["aws_iam_policy.known create", "aws_iam_policy.later create", "aws_s3_bucket.b create"]),
        ("errored", &["aws_sns_topic.good create"]),
        (
            "instances",
            &[
                "aws_sns_topic.c[0] create",
                "aws_sns_topic.c[1] create",
                "aws_sns_topic.e[\"a\"] create",
                "aws_sns_topic.e[\"b c\"] create",
            ],
        ),
    ] {
        assert_eq!(of(name), wanted, "{name}");
    }
    assert_eq!(plan("errored").notes().len(), 2);
}

#[test]
fn states_before_and_after() {
    for (name, operations, condition) in [
        ("update", "\"update\"", "prior_attrs.display_name == \"old\" && attrs.display_name == \"new\""),
        ("delete", "\"delete\"", "prior_attrs.name == \"t\" && attrs.name == null"),
        ("replace", "\"delete\"", "prior_attrs.name == \"old\" && attrs.name == null"),
    ] {
        let operations = format!("operations = [{operations}]");
        let found = statuses(&plan(name), "resource_policy", "*", &operations, condition);
        let judged: Vec<Status> =
            found.iter().map(|one| one.1).filter(|one| *one != Status::Skipped).collect();
        assert_eq!(judged, [Status::Pass], "{name}: {found:?}");
    }
    let plan = plan("replace");
    let found = statuses(&plan, "resource_policy", "*", "operations = [\"create\"]", "attrs.name == \"new\"");
    assert_eq!(found[0].1, Status::Pass);
}

#[test]
fn modules_and_providers() {
    let plan = self::plan("modules");
    let path = "meta.module_path == \"module.m[\\\"x\\\"].module.inner\"";
    let found = statuses(&plan, "resource_policy", "aws_sqs_queue", "", path);
    assert_eq!(found.iter().map(|one| one.1).collect::<Vec<_>>(), [Status::Pass, Status::Fail]);
    let found = statuses(&plan, "module_policy", "*", "", "meta.version == null && meta.source != \"\"");
    let wanted = ["module.m", "module.m.module.inner"].map(|address| (address.to_owned(), Status::Pass));
    assert_eq!(found, wanted);
    // The provider of this plan has no block that the recorded part contains.
    let found = statuses(
        &plan,
        "provider_policy",
        "aws",
        "",
        "meta.namespace == \"hashicorp\" && meta.alias == null",
    );
    assert_eq!(found, [("provider.aws".to_owned(), Status::Pass)]);

    let plan = self::plan("providers");
    let found = statuses(&plan, "provider_policy", "aws", "", "attrs.region == \"eu-central-1\"");
    let wanted = [("provider.aws".to_owned(), Status::Pass), ("provider.aws.us".to_owned(), Status::Unknown)];
    assert_eq!(found, wanted);
    let tags = "core::try(attrs.default_tags[0].tags.team, \"\") == \"x\"";
    let found = statuses(&plan, "provider_policy", "aws", "", tags);
    assert_eq!(found.iter().map(|one| one.1).collect::<Vec<_>>(), [Status::Fail, Status::Pass]);
}

#[test]
fn data_of_the_state_is_found() {
    let known =
        "core::getdatasource(\"aws_iam_policy_document\", { id = \"3125787031\" }).version == \"2012-10-17\"";
    let found = statuses(&plan("data"), "resource_policy", "aws_iam_policy", "", known);
    assert_eq!(found.iter().map(|one| one.1).collect::<Vec<_>>(), [Status::Pass, Status::Pass]);
}

#[test]
fn sensitive_values_are_used_and_not_shown() {
    for (name, kind, attribute) in [
        ("sensitive_variable", "aws_db_instance", "attrs.password"),
        ("sensitive_entry", "aws_sns_topic", "attrs.tags.hidden"),
        // The provider copies tags to an attribute that the plan does not mark.
        ("sensitive_entry", "aws_sns_topic", "attrs.tags_all.hidden"),
        ("sensitive_map", "aws_sns_topic", "attrs.tags.a"),
        ("sensitive_map", "aws_sns_topic", "attrs.tags_all.a"),
    ] {
        let text = format!(
            "resource_policy \"{kind}\" \"p\" {{\n  enforce {{\n    condition     = {attribute} != \"hunter2\"\n    error_message = \"It is ${{{attribute}}}.\"\n  }}\n}}\n"
        );
        let policies =
            Policies::load(&[File::new("a.policy.hcl", text)], &Settings::new()).expect("no errors");
        let report = judged(&policies, &plan(name));
        let [verdict] = report.verdicts() else { panic!("{name}") };
        assert_eq!(
            (verdict.status(), verdict.messages()),
            (Status::Fail, &["It is (sensitive value).".to_owned()][..])
        );
    }
}
