//! Evaluations one after another: their values and problems are those of whole evaluations.

use hclvm::Value;
use hclvm::functions::Capabilities;
use hclvm::value::{Arena, Entry};
use hclvm_dialects::terraform::{Evaluation, Module, Settings, Terraform};
use hclvm_dialects::{File, Files, Given, Inputs, ModuleContent};
use serde_json::Value as Json;

use super::{json, members, text};

/// Returns everything that an evaluation has, as a text.
fn everything(evaluation: &Evaluation) -> String {
    let values = evaluation.values();
    let values = values.iter().map(|one| format!("{} = {}\n", one.path, hclvm::show::line(one.value)));
    let resources = evaluation.content().resources();
    let resources = resources.iter().map(|one| format!("{} = {}\n", one.address(), json(one.values())));
    let outputs = evaluation.content().outputs().map(|(name, value)| format!("{name} = {}\n", json(value)));
    let count = evaluation.content().output(&[]).len();
    let parts: String = values.chain(resources).chain(outputs).collect();
    format!("{parts}{count}\n{}", evaluation.problems())
}

fn given(arguments: &[(&str, &str)]) -> Given {
    let mut given = Given::new(&Terraform);
    let inputs = Inputs::new();
    given.inputs = arguments.iter().fold(inputs, |inputs, (name, text)| inputs.argument(*name, *text));
    given
}

/// Evaluates a module for each set of values, and compares with whole evaluations.
fn compare(name: &str, module: &Module, all: &[Given]) {
    let mut evaluator = module.evaluator();
    for (at, given) in all.iter().enumerate() {
        let (kept, whole) = (evaluator.evaluate(given), module.evaluate_with(given));
        assert_eq!(everything(&kept), everything(&whole), "{name}, evaluation {at}");
    }
}

fn module(text: &str) -> Module {
    let child = r#"
        variable "size" { default = 1 }
        variable "name" {
          validation {
            condition     = length(var.name) < 4
            error_message = "${var.name} is too long."
          }
        }
        locals { both = "${var.name}-${var.size}" }
        resource "a_b" "inner" {
          for_each = toset([for n in range(var.size) : "k${n}"])
          x        = local.both
        }
        output "both" { value = local.both }
        output "keys" { value = [for key, one in a_b.inner : "${key}=${one.x}"] }
    "#;
    let files = Files::of(&Terraform, ".", [File::new("main.tf", text)])
        .with_folder("m", [File::new("m/main.tf", child)]);
    Settings::new().prepare(&files).expect("a sound syntax")
}

#[test]
fn recorded_modules_with_other_values() {
    let cases: Vec<Json> = serde_json::from_str(include_str!("cases.json")).expect("cases in JSON");
    for case in &cases {
        let sources = members(&case["files"]);
        let (inner, outer): (Vec<_>, Vec<_>) = sources.partition(|(name, _)| name.contains('/'));
        let file = |(name, content): (&String, &Json)| File::new(name.as_str(), text(content));
        let mut files = Files::of(&Terraform, ".", outer.into_iter().map(file));
        for (name, content) in inner {
            let (folder, _) = name.rsplit_once('/').expect("a file in a folder");
            files = files.with_folder(folder, [file((name, content))]);
        }
        let Ok(module) = Settings::new().prepare(&files) else { continue };
        let arguments: Vec<(&str, &str)> = members(&case["arguments"])
            .map(|(name, value)| (name.as_str(), value.as_str().unwrap_or("")))
            .collect();
        let mut all = vec![given(&arguments), given(&[]), given(&arguments)];
        let first = module.evaluate_with(&given(&arguments));
        for variable in first.variables() {
            for text in ["[\"a\", \"b\"]", "{ a = \"b\" }", "2", "true"] {
                all.push(given(&[(variable.name(), text)]));
            }
        }
        all.push(given(&arguments));
        compare(&text(&case["name"]), &module, &all);
    }
}

#[test]
fn repetition_validation_and_warnings_follow_their_values() {
    let module = module(
        r#"
        variable "names" { default = ["a", "b"] }
        variable "size" { default = 1 }
        variable "other" { default = "x" }
        module "m" {
          source   = "./m"
          for_each = toset(var.names)
          name     = each.key
          size     = var.size
        }
        resource "a_b" "n" {
          count = var.size
          x     = module.m["a"].both
        }
        data "a_c" "d" { y = a_b.n[0].x }
        check "it" {
          assert {
            condition     = var.other == "x"
            error_message = "It is ${var.other}."
          }
        }
        output "all" { value = { for key, one in module.m : key => one.keys } }
        output "data" { value = [data.a_c.d.y, data.a_c.d.id, resource.a_b.n[*].x] }
        output "workspace" { value = terraform.workspace }
    "#,
    );
    let names = |names: &str| given(&[("names", names)]);
    let mut in_workspace = given(&[]);
    in_workspace.inputs = Inputs::new().environment([("TF_WORKSPACE", "prod")]);
    let all = [
        given(&[]),
        given(&[("size", "2")]),
        given(&[("other", "y")]),
        given(&[("other", "y"), ("size", "3")]),
        given(&[("other", "x"), ("size", "3")]),
        names("[\"a\"]"),
        names("[\"a\", \"too long\"]"),
        names("[\"b\"]"),
        names("[\"b\", \"a\"]"),
        given(&[("size", "0")]),
        in_workspace,
        given(&[]),
    ];
    compare("repetition", &module, &all);
}

#[test]
fn hosts_and_files_are_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.txt");
    std::fs::write(&path, "one").expect("a file");
    let text = "data \"a_b\" \"c\" {}\nlocals { from_file = upper(file(\"a.txt\")) }\noutput \"o\" { value = [data.a_b.c.x, local.from_file] }\n";
    let files = Files::of(&Terraform, ".", [File::new("main.tf", text)]);
    let granted = Capabilities::none().directory(folder.path());
    let module = Settings::new().granted(granted).prepare(&files).expect("a sound syntax");
    let mut evaluator = module.evaluator();
    for (at, content) in ["one", "two", "two"].into_iter().enumerate() {
        std::fs::write(&path, content).expect("a file");
        let arena = Arena::new();
        let object = |name, value| Value::object(&arena, arena.slice(&[Entry::new(name, value)]));
        let number = i64::try_from(at / 2).expect("a small number");
        let mut given = Given::new(&Terraform);
        given.add("data", "a_b", object("c", object("x", Value::int(number)))).expect("an object");
        let evaluation = evaluator.evaluate(&given);
        let found: Option<Value<'_>> = evaluation.content().output_value("o");
        assert_eq!(found.map(json), Some(serde_json::json!([number, content.to_uppercase()])));
    }
}
