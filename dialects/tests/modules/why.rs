//! Explanations and outcomes of conditions of templates and jobs: their paths, what surrounds them, and that sensitive
//! values are in none of them.

use std::collections::BTreeSet;

use hclvm::why::Truth;
use hclvm_dialects::packer::{Host, Settings};
use hclvm_dialects::{Explanation, File, Inputs, nomad};

use crate::template;

const TEMPLATE: &str = r#"
variable "region" {
  default = "eu"
}
variable "token" {
  default   = "s3cret"
  sensitive = true
}
locals {
  is_eu = var.region == "eu"
  known = try(length(var.token) > 3, false)
}
local "header" {
  expression = "Bearer ${var.token}"
  sensitive  = true
}
source "null" "web" {
  fast = local.is_eu && source.name == "web"
  auth = local.header == "x" || var.token == "y" || local.known
  text = "${var.token == "s3cret" ? "same" : "other"} ${local.is_eu ? 1 : 2}"
}
build {
  name    = "all"
  sources = ["source.null.web"]
  source "source.null.web" {
    name = "db"
    last = !local.is_eu
  }
  provisioner "shell-local" {
    only  = local.is_eu ? ["null.web", "null.db"] : []
    valid = source.name == "db"
  }
  dynamic "provisioner" {
    for_each = ["x", "y"]
    labels   = ["shell"]
    content {
      ok = provisioner.value == "x"
    }
  }
}
"#;

fn explained(inputs: &Inputs) -> Vec<Explanation> {
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", TEMPLATE)])).expect("no syntax errors");
    let (evaluation, explanations) = module.why(inputs, Host::default());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    explanations
}

fn reason(explanations: &[Explanation], path: &str) -> String {
    let found = explanations.iter().find(|one| one.path.to_string() == path);
    found.map_or_else(|| panic!("nothing at {path}"), |one| one.why.reason())
}

#[test]
fn each_source_of_a_build_has_its_own_explanations() {
    let found = explained(&Inputs::new());
    let reasons = [
        ("local.is_eu", "true, because `var.region == \"eu\"` is true (var.region = \"eu\")"),
        ("build.all.null.web.fast", "true, because `local.is_eu` and `source.name == \"web\"` are true"),
        ("build.all.null.db.fast", "false, because `source.name == \"web\"` is false (source.name = \"db\")"),
        (
            "build.all.null.db.last",
            "false, because `local.is_eu` is true: `var.region == \"eu\"` is true (var.region = \"eu\")",
        ),
        (
            "build.all.null.web.provisioner.shell-local.valid",
            "false, because `source.name == \"db\"` is false (source.name = \"web\")",
        ),
        (
            "build.all.null.db.provisioner.shell.1.ok",
            "false, because `provisioner.value == \"x\"` is false (provisioner.value = \"y\")",
        ),
    ];
    for (path, expected) in reasons {
        assert_eq!(reason(&found, path), expected, "{path}");
    }
}

#[test]
fn paths_are_those_of_the_values() {
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", TEMPLATE)])).expect("no syntax errors");
    let evaluation = module.evaluate(&Inputs::new());
    let explained: BTreeSet<String> =
        explained(&Inputs::new()).into_iter().map(|one| one.path.to_string()).collect();
    let values: BTreeSet<String> = evaluation
        .values()
        .into_iter()
        .map(|one| one.path.to_string())
        // A source of its own has `only`, which is evaluated once for all.
        .filter(|path| !path.starts_with("var.") && path != "local.header" && !path.contains(".only"))
        .collect();
    assert!(values.len() > 10, "{values:?}");
    assert!(values.is_subset(&explained), "{values:?}\n{explained:?}");
}

#[test]
fn explanations_do_not_depend_on_sensitive_values() {
    let of = |token: &str| {
        let found = explained(&Inputs::new().argument("token", token));
        let all: Vec<String> = found.iter().map(|one| format!("{}: {}", one.path, one.why)).collect();
        let data = found.iter().map(|one| serde_json::to_string(&one.why).expect("JSON"));
        all.into_iter().chain(data).collect::<Vec<_>>()
    };
    let (one, other) = (of("s3cret-token"), of("other-token"));
    assert!(one.iter().any(|text| text.contains("sensitive")), "{one:?}");
    assert!(!one.concat().contains("s3cret-token") && !one.concat().contains("local.header:"));
    assert_eq!(one, other);
}

#[test]
fn outcomes_are_told_for_each_evaluation() {
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", TEMPLATE)])).expect("no syntax errors");
    let (_, observed) = module.observe(&Inputs::new(), Host::default());
    let of = |text: &str| {
        let of = observed.iter().filter(|one| one.span.slice(one.program.source().text()).starts_with(text));
        let outcomes = of.filter_map(|one| one.coverage.outcomes().last());
        outcomes.map(|outcomes| outcomes.has(Truth::True)).collect::<Vec<_>>()
    };
    assert_eq!(of("fast"), [true, false]);
    assert_eq!(of("ok"), [true, false, true, false]);
    assert_eq!(of("auth"), [true, true], "coverage is for tests, which have no secrets");
}

#[test]
fn groups_and_tasks_of_jobs_are_explained() {
    let file = File::new(
        "a.nomad.hcl",
        r#"
        variable "env" { default = "prod" }
        locals {
          is_prod = var.env == "prod"
        }
        job "web" {
          all_at_once = local.is_prod
          group "api" {
            count = local.is_prod ? 3 : 1
            task "server" {
              leader = !local.is_prod
              config {
                privileged = var.env == "dev"
                auth {
                  enabled = local.is_prod && var.env != ""
                }
              }
            }
            dynamic "task" {
              for_each = ["a", "b"]
              labels   = [task.value]
              content {
                leader = task.value == "a"
              }
            }
          }
        }
        "#,
    );
    let module = nomad::Settings::new().prepare(&file).expect("no syntax errors");
    let (evaluation, found) = module.why(&Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let reasons = [
        (
            "job.web.all_at_once",
            "true, because `local.is_prod` is true: `var.env == \"prod\"` is true (var.env = \"prod\")",
        ),
        (
            "job.web.group.api.task.server.config.privileged",
            "false, because `var.env == \"dev\"` is false (var.env = \"prod\")",
        ),
        (
            "job.web.group.api.task.b.leader",
            "false, because `task.value == \"a\"` is false (task.value = \"b\")",
        ),
    ];
    for (path, expected) in reasons {
        assert_eq!(reason(&found, path), expected, "{path}");
    }
    let count = reason(&found, "job.web.group.api.count");
    assert!(count.starts_with("3, because `local.is_prod` is true"), "{count}");
    assert!(reason(&found, "job.web.group.api.task.server.config.auth.enabled").starts_with("true, because"));
}
