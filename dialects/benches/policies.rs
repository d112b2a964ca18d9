//! Times 348 policies over a plan of 10,000 resources, the reading of the plan, and calls of `getresources`.
//!
//! `cargo bench -p hclvm-dialects --bench policies`; with `--judge` or `--call` it only judges or calls, once, for profilers.

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use hclvm::Limits;
use hclvm_dialects::File;
use hclvm_dialects::terraform_policy::{GivenInputs, Plan, PlanSettings, Policies, Settings, Status};

const RESOURCES: usize = 10_000;
const POLICIES: usize = 348;
/// Types of resources: with 10,000 resources and 348 policies, about five policies judge a resource.
const TYPES: usize = 70;
/// Candidates of `getresources`, of one type.
const CANDIDATES: usize = 10_000;

/// Returns a file with a policy like those of published libraries: a filter, locals, two conditions with messages, one in
/// ten about other resources.
fn policy_file(at: usize) -> File {
    let kind = at % TYPES;
    let condition = match at % 10 {
        0 => "core::length(core::getresources(\"aws_part\", { owner = attrs.name })) == 0",
        1 | 2 => "core::contains([\"a\", \"b\", \"c\"], attrs.class)",
        3 => {
            "core::alltrue([for rule in attrs.rules : rule.port != 22 || !core::contains(rule.ranges, \"0.0.0.0/0\")])"
        }
        4 => "core::startswith(attrs.name, \"r\") && core::length(attrs.name) < 40",
        5 => "core::try(attrs.tags.owner, \"\") != \"\"",
        6 => "core::alltrue([for name in local.required : core::contains(core::keys(attrs.tags), name)])",
        _ => "attrs.encrypted == true && attrs.size <= input.largest",
    };
    let text = format!(
        "input \"largest\" {{\n  type    = number\n  default = 500\n}}\n\
         locals {{\n  required = [\"owner\", \"env\"]\n}}\n\
         resource_policy \"aws_type{kind}\" \"p{at}\" {{\n\
           enforcement_level = \"advisory\"\n\
           filter            = attrs.class != \"exempt\"\n\
           locals {{\n    is_public = attrs.public == true && meta.operation == \"create\"\n  }}\n\
           enforce {{\n    condition     = {condition}\n    error_message = \"${{attrs.name}} violates rule {at}.\"\n  }}\n\
           enforce {{\n    condition     = !local.is_public || attrs.class == \"c\"\n    error_message = \"${{attrs.name}} is public.\"\n  }}\n}}\n"
    );
    File::new(format!("p{at}.policy.hcl"), text)
}

/// Returns a plan in JSON. One resource in 51 violates a policy.
fn plan() -> String {
    let mut changes = Vec::new();
    for at in 0..RESOURCES {
        let kind = at % TYPES;
        let encrypted = at % 51 != 0;
        let after = format!(
            r#"{{"name": "r{at}", "class": "{}", "encrypted": {encrypted}, "public": {}, "size": {}, "description": null, "zone": "eu-central-1a",
            "tags": {{"owner": "team-{}", "env": "prod", "cost": "{at}"}}, "timeouts": null, "policy": null, "kms_key_id": null,
            "rules": [{{"port": 443, "ranges": ["10.0.0.0/8"], "note": null}}, {{"port": 22, "ranges": ["10.0.0.0/8", "192.168.0.0/16"], "note": "x"}}]}}"#,
            ["a", "b", "c"][at % 3],
            at % 3 == 2,
            at % 400,
            at % 30,
        );
        changes.push(change("aws_type", kind, at, &after));
    }
    format!(r#"{{"format_version": "1.2", "resource_changes": [{}]}}"#, changes.join(",\n"))
}

fn change(kind: &str, number: usize, at: usize, after: &str) -> String {
    format!(
        r#"{{"address": "{kind}{number}.n{at}", "mode": "managed", "type": "{kind}{number}", "name": "n{at}",
        "provider_name": "registry.terraform.io/hashicorp/aws", "change": {{"actions": ["create"], "before": null,
        "after": {after}, "after_unknown": {{"id": true, "arn": true, "rules": [{{}}, {{}}], "tags": {{}}}}, "before_sensitive": false,
        "after_sensitive": {{"rules": [{{"ranges": [false]}}, {{"ranges": [false, false]}}], "tags": {{}}}}}}}}"#
    )
}

/// Returns a plan with one resource that asks, and the candidates.
fn candidates() -> String {
    let mut changes = vec![change("asker", 0, 0, r#"{"n": 0}"#)];
    changes.extend((0..CANDIDATES).map(|at| {
        let after = format!(r#"{{"owner": "o{at}", "size": {at}}}"#);
        change("part", 0, at, &after)
    }));
    format!(r#"{{"format_version": "1.2", "resource_changes": [{}]}}"#, changes.join(",\n"))
}

/// Returns the median time of a call.
fn time(mut call: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..11)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn read(text: &str) -> Plan {
    Plan::read(text, &PlanSettings::new(), Limits::trusted()).expect("it is a plan")
}

/// Calls of `getresources` of one policy.
const CALLS: u32 = 1_000;

/// Returns the policies whose condition evaluates an expression for each call.
fn calling(element: &str) -> Policies {
    let text = format!(
        "resource_policy \"asker0\" \"p\" {{\n  enforce {{\n    condition = core::length([for n in core::range({CALLS}) : {element}]) == {CALLS}\n  }}\n}}\n"
    );
    let settings = Settings::new().limits(Limits::trusted());
    Policies::load(&[File::new("a.policy.hcl", text)], &settings).expect("no errors")
}

/// The condition that selects a resource.
const CALL: &str = "core::getresources(\"part0\", { owner = \"o${n}\" })";

/// Judges a plan by policies that call.
fn judge_calls(policies: &Policies, plan: &Plan) {
    let report = policies.judge(plan, &GivenInputs::new()).expect("inputs");
    assert_eq!(report.verdicts()[0].status(), Status::Pass);
}

/// Returns the time of a call of `getresources`: of a policy with calls, less that of one with none.
fn call() -> Duration {
    let plan = read(&candidates());
    let judging = |element: &str| {
        let policies = calling(element);
        judge_calls(&policies, &plan);
        time(|| judge_calls(&policies, &plan))
    };
    judging(CALL).saturating_sub(judging("{ owner = \"o${n}\" }")) / CALLS
}

fn main() {
    let has_argument = |name: &str| std::env::args().any(|argument| argument == name);
    if has_argument("--call") {
        return judge_calls(&calling(CALL), &read(&candidates()));
    }
    let files: Vec<File> = (0..POLICIES).map(policy_file).collect();
    let settings = Settings::new();
    let policies = Policies::load(&files, &settings).expect("the policies have no errors");
    let text = plan();
    let plan = read(&text);
    let judge = || policies.judge(&plan, &GivenInputs::new()).expect("inputs have values");
    let report = judge();
    let failed = report.verdicts().iter().filter(|one| one.status() == Status::Fail).count();
    let results = report.verdicts().len();
    assert!(failed > 0 && report.verdicts().iter().all(|one| one.status() != Status::Error));
    if has_argument("--judge") {
        return;
    }
    let load = time(|| drop(black_box(Policies::load(&files, &settings))));
    println!("load {POLICIES} policies              {load:>10.1?}");
    let reading = time(|| drop(black_box(read(&text))));
    println!("read a plan of {} MB              {reading:>10.1?}", text.len() / 1_000_000);
    let judging = time(|| drop(black_box(judge())));
    println!("judge: {results} results, {failed} fail  {judging:>10.1?}");
    let plain = Policies::load(&files, &settings.explain(false)).expect("the policies have no errors");
    let judging = time(|| drop(black_box(plain.judge(&plan, &GivenInputs::new()))));
    println!("the same without explanations     {judging:>10.1?}");
    println!("getresources of {CANDIDATES} candidates  {:>10.1?}", call());
}
