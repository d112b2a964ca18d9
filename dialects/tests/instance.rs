//! Instances: after changes of variables they have the values of a whole evaluation, and evaluate only what depends on
//! the change.

use std::fmt::Write;

use hclvm::Json;
use hclvm_dialects::packer::{Evaluation, Host, Module, Packer, Settings};
use hclvm_dialects::{Body, File, Files, Inputs};

/// A template whose locals and bodies read variables directly, through others, as whole objects and in dynamic blocks.
const TEMPLATE: &str = r#"
variable "a" {
  type    = number
  default = 1
}
variable "b" {
  default = "b"
}
variable "c" {
  type    = list(string)
  default = ["x", "y"]
}
variable "d" {
  type    = number
  default = 4
  validation {
    condition     = var.d < 9
    error_message = "Less than 9."
  }
}
variable "e" {
  default = "e"
}
locals {
  small  = min(var.a, 2)
  double = local.small * 2
  text   = "${var.b}-${local.double}"
  mix    = [for one in var.c : "${one}${local.text}"]
}
local "whole" {
  expression = lookup(local, "text", "")
}
source "null" "one" {
  port = local.double
  name = var.b
  disk {
    size = var.a
    path = local.text
  }
  dynamic "tag" {
    for_each = var.c
    content {
      key = "${tag.value}${var.e}"
    }
  }
}
source "null" "two" {
  port = var.d + 1
  keys = length(keys(var))
}
build {
  name    = "build"
  sources = ["null.one", "null.two"]
  provisioner "shell" {
    only   = ["null.${var.e == "e" ? "one" : "two"}"]
    inline = ["${source.name} ${build.ID} ${local.text}", var.b]
    env {
      D = var.d
    }
  }
  post-processor "manifest" {
    output = "${build.name}-${var.a}"
  }
}
build {
  source "null.one" {
    name  = "own"
    extra = "${source.name}-${local.whole}"
  }
}
"#;

fn module(text: &str) -> Module {
    let files = Files::of(&Packer, ".", [File::new("a.pkr.hcl", text)]);
    Settings::new().prepare(&files).expect("the template is sound")
}

/// Returns all values of an evaluation as text.
fn shown(evaluation: &Evaluation) -> String {
    let mut text = String::new();
    let json = |value| Json(value).to_text().expect("a value of JSON");
    for one in evaluation.variables() {
        let _ = writeln!(text, "var.{} = {}", one.name(), json(one.value()));
    }
    for one in evaluation.locals() {
        let _ = writeln!(text, "local.{} = {}", one.name(), json(one.value()));
    }
    for build in evaluation.content().builds() {
        for source in build.sources() {
            let _ = writeln!(text, "{} {}.{}", build.name(), source.kind(), source.name());
            show_body(source.body(), &mut text);
            for step in source.provisioners().iter().chain(source.post_processors().iter().flatten()) {
                let _ = writeln!(text, "{}", step.kind());
                show_body(step.body(), &mut text);
            }
        }
    }
    text
}

fn show_body(body: &Body, text: &mut String) {
    for (name, value) in body.attributes() {
        let _ = writeln!(text, "{name} = {}", Json(value).to_text().expect("a value of JSON"));
    }
    for block in body.blocks() {
        let _ = writeln!(text, "{}", block.kind());
        show_body(block.body(), text);
    }
}

#[test]
fn values_after_changes_are_those_of_whole_evaluations() {
    let module = module(TEMPLATE);
    let host = Host::default();
    let mut instance = module.instance(Inputs::new(), host);
    let mut given: Vec<(&str, &str)> = Vec::new();
    let choices: [(&str, &[&str]); 5] = [
        ("a", &["1", "2", "3", "7", "x"]),
        ("b", &["b", "c", ""]),
        ("c", &["[\"x\"]", "[]", "[\"p\", \"q\", \"r\"]", "["]),
        ("d", &["4", "5", "12"]),
        ("e", &["e", "f"]),
    ];
    let mut state = 7_u64;
    let (mut updated, mut refused) = (0, 0);
    for _ in 0..400 {
        // Knuth's linear congruential generator: a fixed sequence.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = usize::try_from(state >> 40).expect("24 bits");
        let (name, texts) = choices[number % choices.len()];
        let text = texts[number / 7 % texts.len()];
        match instance.set_argument(name, text) {
            Ok(update) => {
                updated += usize::from(!update.whole);
                given.retain(|(known, _)| *known != name);
                given.push((name, text));
            }
            Err(_) => refused += 1,
        }
        let inputs = given.iter().fold(Inputs::new(), |inputs, (name, text)| inputs.argument(*name, *text));
        let fresh = module.evaluate_with(&inputs, host);
        assert_eq!(shown(instance.evaluation()), shown(&fresh), "{given:?}");
    }
    assert!(updated > 100 && refused > 30, "{updated} {refused}");
}

#[test]
fn only_dependents_are_evaluated() {
    let mut instance = module(TEMPLATE).instance(Inputs::new(), Host::default());
    let update = instance.set_argument("a", "2").expect("a number");
    assert!(!update.whole);
    assert_eq!(update.locals, ["small", "double", "text", "mix", "whole"]);
    // `small` stays 2, so that nothing behind it is evaluated: it, the sizes of two disks, two outputs, and the
    // attribute that reads all of `var`.
    let update = instance.set_argument("a", "3").expect("a number");
    assert!(update.locals.is_empty(), "{update:?}");
    assert_eq!(update.evaluated, 1 + 2 + 2 + 1, "{update:?}");
    // An equal value changes nothing.
    assert_eq!(instance.set_argument("a", "3").expect("a number").evaluated, 0);
    // Elements of a dynamic block.
    assert!(instance.set_argument("c", "[\"z\"]").expect("a list").whole);
}

#[test]
fn a_wrong_value_leaves_everything_as_it_was() {
    let mut instance = module(TEMPLATE).instance(Inputs::new(), Host::default());
    let before = shown(instance.evaluation());
    let titles = |problems: hclvm_dialects::Problems| -> Vec<String> {
        problems.iter().map(|one| one.title.to_string()).collect()
    };
    let refused = instance.set_argument("d", "10").expect_err("a validation refuses it");
    assert_eq!(titles(refused), ["Invalid value for cmd variable"]);
    let refused = instance.set_argument("a", "many").expect_err("no number");
    assert_eq!(titles(refused), ["Invalid argument value for -var variable"]);
    let refused = instance.set_argument("z", "1").expect_err("no variable");
    assert_eq!(titles(refused), ["Undefined -var variable"]);
    assert_eq!(shown(instance.evaluation()), before);
}

#[test]
fn an_instance_with_errors_is_repaired_by_a_value() {
    let text = "variable \"n\" {\n type = number\n}\nlocals {\n a = var.n * 2\n b = [1, 2, 3][var.n]\n}\nsource \"null\" \"x\" {\n v = local.a\n w = [0, 1, 2][var.n]\n}\nbuild {\n sources = [\"null.x\"]\n}\n";
    let module = module(text);
    let mut instance = module.instance(Inputs::new(), Host::default());
    assert!(instance.evaluation().problems().has_errors(), "it has no value");
    let update = instance.set_argument("n", "1").expect("a sound value");
    assert_eq!((update.whole, update.evaluated), (true, 2 + 2));
    assert_eq!(update.locals, ["a", "b"]);
    let before = shown(instance.evaluation());
    // The first local has its new value when the second one fails.
    instance.set_argument("n", "5").expect_err("there is no such item");
    assert_eq!(shown(instance.evaluation()), before);
    let update = instance.set_argument("n", "0").expect("a sound value");
    assert_eq!((update.whole, update.evaluated), (false, 2 + 2));
    assert_eq!(update.locals, ["a", "b"]);
    let fresh = module.evaluate_with(&Inputs::new().argument("n", "0"), Host::default());
    assert_eq!(shown(instance.evaluation()), shown(&fresh));
}

#[test]
fn a_body_that_fails_leaves_everything_as_it_was() {
    let text = "variable \"n\" {\n default = 1\n}\nsource \"null\" \"x\" {\n v = var.n\n}\nbuild {\n sources = [\"null.x\"]\n provisioner \"a\" {\n  v = [1, 2][var.n]\n }\n}\n";
    let mut instance = module(text).instance(Inputs::new(), Host::default());
    let before = shown(instance.evaluation());
    for _ in 0..2 {
        instance.set_argument("n", "7").expect_err("there is no such item");
        assert_eq!(shown(instance.evaluation()), before);
        assert!(!instance.set_argument("n", "0").expect("there is such an item").whole);
        assert!(!instance.set_argument("n", "1").expect("there is such an item").whole);
    }
}

#[test]
fn other_inputs_change_the_locals_that_are_named() {
    let text = "variable \"a\" {\n default = 1\n}\nvariable \"b\" {\n default = 1\n}\nlocals {\n x = var.a\n y = var.b\n z = 5\n}\n";
    let module = module(text);
    let mut instance = module.instance(Inputs::new().argument("a", "2"), Host::default());
    let update = instance.replace(Inputs::new().argument("b", "3")).expect("sound values");
    assert_eq!((update.whole, update.evaluated), (true, 3));
    assert_eq!(update.locals, ["x", "y"]);
    // The new inputs count, and an argument replaces the one before.
    instance.set_argument("a", "4").expect("a number");
    instance.set_argument("a", "5").expect("a number");
    let fresh = module.evaluate(&Inputs::new().argument("b", "3").argument("a", "5"));
    assert_eq!(shown(instance.evaluation()), shown(&fresh));
    let given: Vec<String> =
        instance.evaluation().variables()[0].values().map(|(origin, _)| origin.to_string()).collect();
    assert_eq!(given, ["default", "cmd"]);
}

#[test]
fn locals_that_read_all_variables_or_locals_follow_a_change() {
    let text = "variable \"a\" {\n default = 1\n}\nvariable \"b\" {\n default = 1\n}\nlocals {\n all = [for name, value in var : \"${name}${value}\"]\n x = var.a\n more = length([for name, value in local : value if value != null])\n sum = values(local)\n}\nsource \"null\" \"x\" {\n v = values(local)\n w = var\n}\nbuild {\n sources = [\"null.x\"]\n}\n";
    let module = module(text);
    let mut instance = module.instance(Inputs::new(), Host::default());
    let mut given = Inputs::new();
    for (name, value) in [("a", "2"), ("b", "3"), ("a", "2"), ("a", "1")] {
        let update = instance.set_argument(name, value).expect("a number");
        assert!(!update.whole, "{name}");
        given = given.argument(name, value);
        assert_eq!(shown(instance.evaluation()), shown(&module.evaluate(&given)), "{name} {value}");
    }
}

#[test]
fn blocks_in_json_follow_a_change() {
    let text = r#"{"variable": {"a": {"default": "x"}, "b": {"default": "y"}}, "locals": {"l": "${var.b}!"}, "source": {"null": {"x": {"v": "${var.a}", "disk": {"w": "${var.a}"}}}}, "build": {"sources": ["null.x"], "provisioner": {"shell": {"p": "${var.b}"}}}}"#;
    let prepared = Settings::new().prepare(&Files::of(&Packer, ".", [File::new("a.pkr.json", text)]));
    let module = prepared.expect("the template is sound");
    let mut instance = module.instance(Inputs::new(), Host::default());
    for (name, value) in [("a", "1"), ("b", "2")] {
        instance.set_argument(name, value).expect("a text");
    }
    let fresh = module.evaluate(&Inputs::new().argument("a", "1").argument("b", "2"));
    assert_eq!(shown(instance.evaluation()), shown(&fresh));
    assert!(shown(instance.evaluation()).contains("v = \"1\""), "{}", shown(instance.evaluation()));
}

#[test]
fn locals_see_no_source_after_a_change_of_bodies() {
    let text = "variable \"n\" {\n default = 1\n}\nvariable \"m\" {\n default = 1\n}\nlocals {\n l = \"${source.name}${var.n}\"\n}\nsource \"null\" \"x\" {\n v = \"${source.name}${var.m}\"\n}\nbuild {\n sources = [\"null.x\"]\n}\n";
    let mut instance = module(text).instance(Inputs::new(), Host::default());
    assert!(!instance.set_argument("m", "2").expect("a number").whole);
    assert!(!instance.set_argument("n", "2").expect("a number").whole);
    assert!(instance.evaluation().local("l").is_some_and(|value| !value.is_known()));
}

#[test]
fn a_whole_evaluation_has_the_last_of_the_arguments_that_were_set() {
    let text = "variable \"n\" {\n default = 1\n}\nvariable \"list\" {\n type = list(string)\n default = []\n}\nlocals {\n l = var.n\n}\nsource \"null\" \"x\" {\n dynamic \"d\" {\n  for_each = var.list\n  content {}\n }\n}\n";
    let mut instance = module(text).instance(Inputs::new(), Host::default());
    for (name, value, whole) in [("n", "2", false), ("n", "3", false), ("list", "[\"a\"]", true)] {
        assert_eq!(instance.set_argument(name, value).expect("a sound value").whole, whole);
    }
    let values: Vec<String> =
        instance.evaluation().variables()[0].values().map(|(origin, _)| origin.to_string()).collect();
    assert_eq!(values, ["default", "cmd"]);
}

#[test]
fn a_local_that_reads_all_locals_is_evaluated_once() {
    let text = "variable \"n\" {\n default = 1\n}\nlocals {\n all = values(local)\n l = var.n\n}\n";
    let mut instance = module(text).instance(Inputs::new(), Host::default());
    let update = instance.set_argument("n", "2").expect("a number");
    assert_eq!((update.evaluated, update.whole), (2, false));
    assert_eq!(update.locals, ["l", "all"]);
}
