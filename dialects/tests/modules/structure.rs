//! Instances of a template in which each variable is read in one place: an update of it evaluates that place alone, or the
//! whole template where the place decides more than a value.

use std::fmt::Write;

use hclvm::{Json, OwnedValue, Value};
use hclvm_dialects::packer::{DataSources, Evaluation, Host, Module, Packer, Settings};
use hclvm_dialects::{Body, File, Files, Inputs};

const TEMPLATE: &str = r#"
data "echo" "one" {
  url = var.data
  retry {
    name = var.data_block
  }
}
data "echo" "two" {
  url = local.for_data
}
locals {
  for_data = "${var.data_local}!"
  plain    = "${var.local}!"
  next     = "${local.plain}?"
  from     = data.echo.one
}
source "null" "unused" {
  a = var.unused
  inner {
    b = var.unused_block
  }
}
source "null" "x" {
  a = var.source
  b = [local.next, "fixed"]
  inner {
    c = "${source.name} ${var.inner}"
  }
  outer {
    dynamic "tag" {
      for_each = var.dynamic_list
      content {
        a = "${tag.value} ${var.dynamic_content}"
        inner {
          b = var.dynamic_inner
        }
      }
    }
    d = var.outer
  }
}
build {
  name        = "b-${var.name}"
  description = var.description
  sources     = var.sources
  source "null.x" {
    name = "own"
    e    = "${source.name} ${var.own}"
  }
  provisioner "shell" {
    name = var.step_name
    a    = "${build.name} ${source.name} ${var.step}"
    inner {
      timeout = var.step_inner
    }
  }
  provisioner "shell" {
    only     = [var.only]
    override = { x = { a = var.override } }
  }
  dynamic "provisioner" {
    for_each = ["p"]
    labels   = ["file"]
    content {
      a = var.dynamic_step
    }
  }
  error-cleanup-provisioner "shell" {
    a = "${build.ID} ${var.cleanup}"
  }
  post-processor "first" {
    a = var.first
  }
  post-processors {
    post-processor "second" {
      keep_input_artifact = true
      a                   = 1
    }
    post-processor "third" {
      a = "${source.type} ${var.third}"
    }
  }
}
build {
  sources = ["null.x"]
  provisioner "shell" {
    a = "${build.name}-${source.name}-${var.second_build}"
  }
}
"#;

/// The sources of both builds, and of the first one: bodies are evaluated for each.
const SOURCES: usize = 3;
const SOURCES_OF_FIRST: usize = 2;

/// The variables, whether a change evaluates the whole template, and otherwise how many locals and attributes.
const VARIABLES: [(&str, Option<usize>); 26] = [
    ("data", None),
    ("data_block", None),
    ("data_local", None),
    ("local", Some(2 + SOURCES)),
    ("unused", None),
    ("unused_block", None),
    ("source", Some(SOURCES)),
    ("inner", Some(SOURCES)),
    ("dynamic_list", None),
    ("dynamic_content", None),
    ("dynamic_inner", None),
    ("outer", Some(SOURCES)),
    ("name", None),
    ("description", None),
    ("sources", None),
    ("own", Some(1)),
    ("step_name", None),
    ("step", Some(SOURCES_OF_FIRST)),
    ("step_inner", None),
    ("only", None),
    ("override", None),
    ("dynamic_step", None),
    ("cleanup", Some(SOURCES_OF_FIRST)),
    ("first", Some(SOURCES_OF_FIRST)),
    ("third", Some(SOURCES_OF_FIRST)),
    ("second_build", Some(1)),
];

/// Returns the locals that a variable changes.
fn changed(name: &str) -> &'static [&'static str] {
    match name {
        "data" | "data_block" => &["from"],
        "data_local" => &["for_data"],
        "local" => &["plain", "next"],
        _ => &[],
    }
}

/// Returns the default of a variable, or its second value.
fn value(name: &str, is_second: bool) -> &'static str {
    match (name, is_second) {
        ("dynamic_list", false) => "[\"a\"]",
        ("dynamic_list", true) => "[\"a\", \"b\"]",
        ("sources", false) => "[\"null.x\"]",
        ("sources", true) => "[]",
        ("only", false) => "null.x",
        ("only", true) => "null.own",
        (_, false) => "1",
        (_, true) => "2",
    }
}

/// Gives each data source the text of its block.
struct Echo;

impl DataSources for Echo {
    fn read(&self, _: &str, _: &str, body: &Body) -> Result<OwnedValue, String> {
        let arena = hclvm::value::Arena::new();
        let mut text = String::new();
        show_body(body, &mut text);
        Ok(OwnedValue::new(Value::str(&arena, &text)))
    }
}

fn json(value: Value<'_>) -> String {
    Json(value).lenient().to_text().expect("a value of JSON")
}

fn show_body(body: &Body, text: &mut String) {
    for (name, value) in body.attributes() {
        let _ = write!(text, "{name}={} ", json(value));
    }
    for block in body.blocks() {
        let _ = write!(text, "{} ", block.kind());
        show_body(block.body(), text);
    }
}

/// Returns everything in an evaluation as text.
fn shown(evaluation: &Evaluation) -> String {
    let mut text = String::new();
    for one in evaluation.values() {
        let _ = writeln!(text, "{} = {}", one.path, json(one.value));
    }
    for build in evaluation.content().builds() {
        let _ = writeln!(text, "build {} {:?}", build.name(), build.description());
        for source in build.sources() {
            let names = source.provisioners().iter().chain(source.error_cleanup()).map(|one| one.name());
            let _ = writeln!(text, "{} {:?}", source.name(), names.collect::<Vec<_>>());
        }
    }
    text
}

fn module() -> Module {
    let declared = VARIABLES.iter().map(|(name, _)| {
        let default = value(name, false);
        let quoted = if default.starts_with('[') { default.to_owned() } else { format!("\"{default}\"") };
        let ty = if default.starts_with('[') { "list(string)" } else { "string" };
        format!("variable \"{name}\" {{\n  type    = {ty}\n  default = {quoted}\n}}\n")
    });
    let text = declared.collect::<String>() + TEMPLATE;
    let prepared = Settings::new().prepare(&Files::of(&Packer, ".", [File::new("a.pkr.hcl", text)]));
    prepared.unwrap_or_else(|problems| panic!("{problems:?}"))
}

#[test]
fn a_change_evaluates_the_place_that_reads_the_variable() {
    let (module, host) = (module(), Host { data: &Echo, builder: &[] });
    let mut instance = module.instance(Inputs::new(), host);
    assert!(instance.evaluation().problems().is_empty(), "{:?}", instance.evaluation().problems());
    let before = shown(instance.evaluation());
    for (name, evaluated) in VARIABLES {
        let update = instance.set_argument(name, value(name, true)).expect("a sound value");
        let fresh = module.evaluate_with(&Inputs::new().argument(name, value(name, true)), host);
        assert_eq!(shown(instance.evaluation()), shown(&fresh), "{name}");
        assert_ne!(shown(instance.evaluation()), before, "{name}");
        let locals: Vec<&str> = update.locals.iter().map(|one| one.as_str()).collect();
        assert_eq!(locals, changed(name), "{name}");
        assert_eq!((!update.whole).then_some(update.evaluated), evaluated, "{name}");
        let back = instance.set_argument(name, value(name, false)).expect("a sound value");
        assert_eq!((back.whole, back.locals), (update.whole, update.locals), "{name}");
        assert_eq!(shown(instance.evaluation()), before, "{name}");
    }
}
