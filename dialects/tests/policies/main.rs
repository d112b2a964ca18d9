//! Terraform's policies, by their texts: what is refused, what plans and mocks give, what stays secret.

mod loading;
mod mocks;
mod plans;
mod properties;
mod real_plans;
mod secrets;
mod worlds;

use hclvm::Limits;
use hclvm_dialects::File;
use hclvm_dialects::terraform_policy::{
    GivenInputs, Plan, PlanSettings, Policies, Report, Settings, Status, TestFile, TestSettings,
};

/// Loads one file of policies.
fn policies(text: &str) -> Policies {
    Policies::load(&[File::new("a.policy.hcl", text)], &Settings::new()).expect("the policies have no errors")
}

/// Returns a policy for the type `t` with these lines in its `enforce` block.
fn policy(condition: &str) -> String {
    format!("resource_policy \"t\" \"p\" {{\n  enforce {{\n    condition = {condition}\n  }}\n}}\n")
}

/// Returns an entry of a plan that creates a resource.
fn created(address: &str, after: &str, unknown: &str, sensitive: &str) -> String {
    change(address, "\"create\"", ("null", after), unknown, sensitive)
}

fn change(
    address: &str,
    actions: &str,
    (before, after): (&str, &str),
    unknown: &str,
    sensitive: &str,
) -> String {
    let kind = address.rsplit('.').nth(1).expect("an address has a type");
    format!(
        r#"{{"address": "{address}", "mode": "managed", "type": "{kind}", "provider_name": "registry.terraform.io/x/{kind}",
            "change": {{"actions": [{actions}], "before": {before}, "after": {after}, "after_unknown": {unknown},
            "before_sensitive": {sensitive}, "after_sensitive": {sensitive}}}}}"#
    )
}

fn plan(changes: &[String]) -> Plan {
    plan_with(changes, &PlanSettings::new())
}

fn plan_with(changes: &[String], settings: &PlanSettings) -> Plan {
    let text = format!(r#"{{"format_version": "1.2", "resource_changes": [{}]}}"#, changes.join(", "));
    Plan::read(&text, settings, Limits::trusted()).expect("it is a plan")
}

fn judged(policies: &Policies, plan: &Plan) -> Report {
    policies.judge(plan, &GivenInputs::new()).expect("inputs have values")
}

/// Returns the status of a condition for the resource `t.x` with these attributes.
fn status(condition: &str, after: &str, unknown: &str) -> Status {
    let plan = plan(&[created("t.x", after, unknown, "{}")]);
    judged(&policies(&policy(condition)), &plan).verdicts()[0].status()
}

fn test(policy: &str, test: &str) -> TestFile {
    policies(policy).test(&File::new("a.policytest.hcl", test), &TestSettings::new())
}
