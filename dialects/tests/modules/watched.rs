//! Explanations and coverage: the attributes of a template that have them, with their paths.

use std::collections::BTreeMap;

use hclvm::why::Truth;
use hclvm_dialects::packer::{Host, Module, Settings};
use hclvm_dialects::{Inputs, packer};

use crate::{template, titles};

const TEMPLATE: &str = r#"
variable "n" {
  default = 1
  validation {
    condition     = var.n > 0
    error_message = "Positive."
  }
}
variable "s" {
  default   = 5
  sensitive = true
}
locals {
  l1 = var.n > 1
}
local "l2" {
  expression = var.s > 2
  sensitive  = true
}
local "l3" {
  expression = local.l2 || local.l1
}
data "http" "d" {
  d1 = var.n > 3
  inner "label" {
    d2 = var.n > 4
  }
}
source "null" "x" {
  x1 = source.name == "x"
  inner {
    x2 = source.name == "x"
  }
  inner {
    x3 = source.name == "x"
  }
}
source "null" "unused" {
  u1 = var.n > 5
}
build {
  name        = var.n > 6 ? "big" : "small"
  description = var.n > 7 ? "big" : "small"
  sources     = var.n > 8 ? [] : ["null.x", "null.x"]
  source "null.x" {
    name = "own"
    o1   = source.name == "x"
  }
  provisioner "shell" {
    only = var.n > 9 ? [] : ["null.x", "null.own"]
    p1   = source.name == "x"
    inner {
      p2 = source.name == "x"
    }
  }
  error-cleanup-provisioner "shell" {
    e1 = source.name == "x"
  }
  post-processor "shell" {
    keep_input_artifact = var.n > 10
    q1                  = source.name == "x"
  }
}
build {
  sources = ["null.x"]
}
"#;

fn module(text: &str) -> Module {
    Settings::new().prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors")
}

/// The path and the reason of each.
const EXPLAINED: &str = r#"local.l1 false, because `var.n > 1` is false (var.n = 1)
local.l3 the result depends on sensitive values
data.http.d.d1 false, because `var.n > 3` is false (var.n = 1)
data.http.d.inner.label.d2 false, because `var.n > 4` is false (var.n = 1)
build.small.name "small", because `var.n > 6` is false (var.n = 1)
build.small.description "small", because `var.n > 7` is false (var.n = 1)
build.small.sources ["null.x", "null.x"], because `var.n > 8` is false (var.n = 1)
build.small.provisioner.shell.only ["null.x", "null.own"], because `var.n > 9` is false (var.n = 1)
build.small.post-processor.shell.keep_input_artifact false, because `var.n > 10` is false (var.n = 1)
build.small.null.x.provisioner.shell.p1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.provisioner.shell.inner.p2 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.post-processor.shell.q1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.error-cleanup-provisioner.shell.e1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.1.provisioner.shell.p1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.1.provisioner.shell.inner.p2 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.1.post-processor.shell.q1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.1.error-cleanup-provisioner.shell.e1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.own.o1 false, because `source.name == "x"` is false (source.name = "own")
build.small.null.own.provisioner.shell.p1 false, because `source.name == "x"` is false (source.name = "own")
build.small.null.own.provisioner.shell.inner.p2 false, because `source.name == "x"` is false (source.name = "own")
build.small.null.own.post-processor.shell.q1 false, because `source.name == "x"` is false (source.name = "own")
build.small.null.own.error-cleanup-provisioner.shell.e1 false, because `source.name == "x"` is false (source.name = "own")
build.small.null.x.x1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.inner.x2 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.inner.1.x3 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.1.x1 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.1.inner.x2 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.x.1.inner.1.x3 true, because `source.name == "x"` is true (source.name = "x")
build.small.null.own.x1 false, because `source.name == "x"` is false (source.name = "own")
build.small.null.own.inner.x2 false, because `source.name == "x"` is false (source.name = "own")
build.small.null.own.inner.1.x3 false, because `source.name == "x"` is false (source.name = "own")
build.sources ["null.x"], for all values of the variables
build.null.x.x1 true, because `source.name == "x"` is true (source.name = "x")
build.null.x.inner.x2 true, because `source.name == "x"` is true (source.name = "x")
build.null.x.inner.1.x3 true, because `source.name == "x"` is true (source.name = "x")
source.null.unused.u1 false, because `var.n > 5` is false (var.n = 1)"#;

#[test]
fn attributes_with_explanations() {
    let (evaluation, found) = module(TEMPLATE).why(&Inputs::new(), Host::default());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let found: Vec<String> = found.iter().map(|one| format!("{} {}", one.path, one.why.reason())).collect();
    assert_eq!(found.join("\n"), EXPLAINED);
}

#[test]
fn attributes_with_outcomes() {
    let (evaluation, observed) = module(TEMPLATE).observe(&Inputs::new(), Host::default());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let mut found: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    for one in &observed {
        let text = one.span.slice(one.program.source().text());
        let (name, _) = text.split_once('=').expect("an attribute");
        let outcomes = found.entry(name.trim().to_owned()).or_default();
        outcomes.extend(one.coverage.outcomes().take(1).map(|outcomes| outcomes.has(Truth::True)));
    }
    let bodies = ["x1", "x2", "x3"].map(|name| (name, &[true, true, false, true][..]));
    let steps = ["e1", "p1", "p2", "q1"].map(|name| (name, &[true, true, false][..]));
    let once =
        ["d1", "d2", "description", "keep_input_artifact", "l1", "name", "o1", "only", "sources", "u1"];
    let once = once.map(|name| (name, &[false][..]));
    let mut expected = BTreeMap::from([("expression", &[true, true][..])]);
    expected.extend(bodies.into_iter().chain(steps).chain(once));
    let found: BTreeMap<&str, &[bool]> =
        found.iter().map(|(name, all)| (name.as_str(), all.as_slice())).collect();
    assert_eq!(found, expected);
}

#[test]
fn explanations_and_outcomes_change_no_results() {
    let module = module(TEMPLATE);
    let text = |evaluation: &packer::Evaluation| {
        let values =
            evaluation.values().into_iter().map(|one| format!("{} {}\n", one.path, crate::json(one.value)));
        values.collect::<String>()
    };
    for inputs in [
        Inputs::new(),
        Inputs::new().argument("n", "7"),
        Inputs::new().argument("n", "-1"),
        Inputs::new().argument("n", "x"),
    ] {
        let plain = module.evaluate(&inputs);
        let (explained, _) = module.why(&inputs, Host::default());
        let (observed, outcomes) = module.observe(&inputs, Host::default());
        for other in [&explained, &observed] {
            assert_eq!(text(other), text(&plain));
            assert_eq!(titles(other.problems()), titles(plain.problems()));
        }
        assert_eq!(
            outcomes.is_empty(),
            titles(plain.problems()).contains(&"Invalid argument value for -var variable".to_owned())
        );
    }
}

#[test]
fn a_template_in_json_has_explanations_of_its_bodies() {
    let text = r#"{"locals": {"l": "${1 > 2}"}, "source": {"null": {"x": {"a": "${source.name == \"x\"}"}}}, "build": {"name": "b", "sources": ["null.x"], "provisioner": {"shell": {"p": "${source.name == \"y\"}"}}}}"#;
    let module = Settings::new().prepare(&template(&[("a.pkr.json", text)])).expect("no syntax errors");
    let (evaluation, found) = module.why(&Inputs::new(), Host::default());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let found: Vec<String> = found.iter().map(|one| format!("{} {}", one.path, one.why.reason())).collect();
    let expected = [
        "local.l false, because `1 > 2` is false",
        r#"build.b.null.x.provisioner.shell.p false, because `source.name == \"y\"` is false (source.name = "x")"#,
        r#"build.b.null.x.a true, because `source.name == \"x\"` is true (source.name = "x")"#,
    ];
    assert_eq!(found, expected);
}
