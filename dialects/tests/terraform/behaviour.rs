//! What the reference does not show: unknown values, providers without schemas, schemas, hosts, bad input.

use hclvm::Value;
use hclvm::diagnostics::Severity;
use hclvm::functions::Capabilities;
use hclvm_dialects::terraform::{Evaluation, Settings, Terraform};
use hclvm_dialects::{Application, File, Files, Given, Inputs, Purpose, ReadSettings};

fn files(text: &str) -> Files {
    Files::of(&Terraform, ".", [File::new("main.tf", text)])
}

fn evaluate(text: &str) -> Evaluation {
    Settings::new().prepare(&files(text)).expect("a sound syntax").evaluate(&Inputs::new())
}

fn sound(text: &str) -> Evaluation {
    let evaluation = evaluate(text);
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    evaluation
}

fn shown(value: Option<Value<'_>>) -> String {
    let json = |value| serde_json::to_string(&hclvm::Json(value).lenient()).expect("a value in JSON");
    value.map_or_else(|| "nothing".to_owned(), json)
}

#[test]
fn a_variable_without_a_value_is_unknown_unless_strict() {
    let text = "variable \"a\" { type = string }\noutput \"o\" { value = [upper(var.a), 1] }\n";
    let value = sound(text);
    assert_eq!(value.content().output_value("o").and_then(|one| one.as_items()?[1].as_i64()), Some(1));
    let strict = Settings::new().strict(true).prepare(&files(text)).expect("a sound syntax");
    let titles = strict.evaluate(&Inputs::new()).problems().titles(Severity::Error).join("");
    assert_eq!(titles, "No value for required variable");
}

#[test]
fn without_a_schema_written_arguments_are_known_and_others_unknown() {
    let evaluation = sound(
        r#"
        resource "aws_instance" "web" {
          count = 2
          ami   = "ami-${count.index}"
          dynamic "disk" {
            for_each = ["a", "b"]
            content { name = disk.value }
          }
        }
        output "known" { value = aws_instance.web[1].ami }
        output "unknown" { value = aws_instance.web[1].id }
        output "ids" { value = length(aws_instance.web[*].id) }
        "#,
    );
    let content = evaluation.content();
    assert_eq!(content.output_value("known").and_then(|one| one.as_str()), Some("ami-1"));
    assert!(content.output_value("unknown").is_some_and(|one| !one.is_known()));
    assert_eq!(content.output_value("ids").and_then(|one| one.as_i64()), Some(2));
    let web = &content.resources()[1];
    assert_eq!((web.address(), web.kind(), web.name()), ("aws_instance.web[1]", "aws_instance", "web"));
    assert_eq!(shown(Some(web.values())), r#"{"ami":"ami-1","disk":[{"name":"a"},{"name":"b"}]}"#);
}

#[test]
fn an_unknown_count_makes_one_instance_of_an_unknown_key() {
    let evaluation = sound(
        r#"
        variable "n" { type = number }
        resource "aws_instance" "web" { count = var.n }
        resource "aws_instance" "other" {
          for_each = toset(aws_instance.web[*].id)
          name     = each.key
        }
        output "o" { value = length(aws_instance.web) }
        "#,
    );
    let addresses: Vec<&str> = evaluation.content().resources().iter().map(|one| one.address()).collect();
    assert_eq!(addresses, ["aws_instance.web[*]", "aws_instance.other[*]"]);
}

#[test]
fn a_module_that_is_not_local_is_unknown() {
    let evaluation = sound(
        r#"
        module "vpc" {
          source  = "terraform-aws-modules/vpc/aws"
          version = "5.0"
          name    = "x"
        }
        output "o" { value = [module.vpc.vpc_id, provider::aws::arn_parse("x"), 1] }
        "#,
    );
    let items = evaluation.content().output_value("o").and_then(|one| one.as_items()).expect("a tuple");
    assert!(!items[0].is_known() && !items[1].is_known() && items[2].is_known());
}

/// A schema as providers have it, of one resource and one data source.
const SCHEMA: &str = r#"{"format_version": "1.0", "provider_schemas": {"registry.terraform.io/acme/acme": {
  "resource_schemas": {"acme_box": {"version": 3, "block": {
    "attributes": {
      "id": {"type": "string", "computed": true},
      "size": {"type": "number", "required": true},
      "tags": {"type": ["map", "string"], "optional": true},
      "secret": {"type": "string", "optional": true, "sensitive": true},
      "color": {"type": "string", "optional": true, "computed": true}},
    "block_types": {"part": {"nesting_mode": "list", "block": {"attributes": {
      "name": {"type": "string", "required": true}, "weight": {"type": "number", "optional": true}}}}}}}},
  "data_source_schemas": {"acme_box": {"version": 0, "block": {"attributes": {
    "name": {"type": "string", "required": true}, "size": {"type": "number", "computed": true}}}}}}}}"#;

#[test]
fn a_schema_gives_types_and_what_is_computed_and_sensitive() {
    let text = r#"
        resource "acme_box" "a" {
          size   = "3"
          secret = "x"
          part { name = 1 }
        }
        data "acme_box" "d" { name = "n" }
        output "o" {
          value = [acme_box.a.size, acme_box.a.tags == null, acme_box.a.part[0].name, issensitive(acme_box.a.secret)]
        }
        output "p" { value = acme_box.a.id }
        output "q" { value = data.acme_box.d.name }
    "#;
    let module =
        Settings::new().schemas(File::new("schemas.json", SCHEMA)).prepare(&files(text)).expect("sound");
    let evaluation = module.evaluate(&Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    assert_eq!(shown(evaluation.content().output_value("o")), r#"[3,true,"1",true]"#);
    assert!(evaluation.content().output_value("p").is_some_and(|one| !one.is_known()));
    assert_eq!(shown(evaluation.content().output_value("q")), r#""n""#);
    let values = shown(Some(evaluation.content().resources()[0].values()));
    assert!(values.contains(r#""secret":"<sensitive>""#) && values.contains(r#""tags":null"#), "{values}");
}

#[test]
fn a_schema_reports_what_it_does_not_have() {
    let text = r#"
        resource "acme_box" "a" {
          sise = 3
          id   = "x"
          parts {}
        }
        output "o" { value = acme_box.a.nope }
    "#;
    let module =
        Settings::new().schemas(File::new("schemas.json", SCHEMA)).prepare(&files(text)).expect("sound");
    let evaluation = module.evaluate(&Inputs::new());
    let titles = evaluation.problems().titles(Severity::Error);
    let want = [
        "Unsupported argument",
        "Value for unconfigurable attribute",
        "Unsupported block type",
        "Missing required argument",
    ];
    assert_eq!(titles, want, "{:?}", evaluation.problems());
}

#[test]
fn a_host_gives_the_values_of_data_sources() {
    let text = "data \"aws_ami\" \"x\" {}\noutput \"o\" { value = data.aws_ami.x.id }\n";
    let module = Settings::new().prepare(&files(text)).expect("sound");
    let arena = hclvm::value::Arena::new();
    let object = |name, value| Value::object(&arena, arena.slice(&[hclvm::value::Entry::new(name, value)]));
    let mut given = Given::new(&Terraform);
    given.add("data", "aws_ami", object("x", object("id", Value::text(&arena, "ami-1")))).expect("an object");
    let evaluation = module.evaluate_with(&given);
    assert_eq!(shown(evaluation.content().output_value("o")), r#""ami-1""#);
}

#[test]
fn secrets_are_not_shown() {
    let text = r#"
        variable "password" {
          default   = "hunter2"
          sensitive = true
        }
        locals {
          url  = "https://u:${var.password}@x"
          both = { open = 1, closed = var.password }
          bad  = tonumber(var.password)
        }
        resource "aws_db" "x" { password = local.url }
        resource "aws_db" "each" {
          for_each = { a = var.password, b = "open" }
          password = each.value
        }
        resource "aws_db" "counted" {
          count    = length(var.password) - 6
          password = [var.password, count.index]
        }
        resource "aws_db" "keys" { for_each = toset([var.password]) }
        check "it" {
          assert {
            condition     = var.password == "other"
            error_message = "It is ${var.password}."
          }
        }
        module "child" {
          source   = "./m"
          for_each = { a = var.password }
          password = each.value
        }
        output "all" {
          value     = [aws_db.each["a"].password, module.child["a"].copy]
          sensitive = true
        }
        output "wrong" { value = [for one in aws_db.each : one.password] }
    "#;
    let child = r#"
        variable "password" {
          validation {
            condition     = var.password == "other"
            error_message = "It is ${var.password}."
          }
        }
        resource "aws_db" "x" { password = var.password }
        output "copy" { value = aws_db.x.password }
    "#;
    let files = files(text).with_folder("m", [File::new("m/main.tf", child)]);
    let evaluation = Settings::new().prepare(&files).expect("a sound syntax").evaluate(&Inputs::new());
    let mut titles = evaluation.problems().titles(Severity::Error);
    titles.sort_unstable();
    let wanted = [
        "Invalid for_each argument",
        "Invalid function argument",
        "Invalid value for variable",
        "Output refers to sensitive values",
    ];
    assert_eq!(titles, wanted);
    assert!(!format!("{:?}", evaluation.problems()).contains("hunter2"), "{:?}", evaluation.problems());
    assert_eq!(evaluation.content().resources().len(), 5, "x, each twice, counted, and x of the module");
    assert_eq!(shown(evaluation.local("both")), r#"{"closed":"<sensitive>","open":1}"#);
    for one in evaluation.values() {
        assert!(!hclvm::show::line(one.value).contains("hunter2"), "{}", one.path);
    }
}

#[test]
fn attributes_of_instances_are_known_wherever_they_are_read() {
    let evaluation = sound(
        r#"
        resource "a_b" "n" {
          count = 2
          size  = count.index
        }
        resource "a_b" "e" {
          for_each = { id = 1, y = 2 }
          size     = each.value
        }
        data "a_c" "n" {
          count = 2
          size  = count.index
        }
        locals {
          by_loop  = [for one in a_b.n : one.size]
          by_splat = a_b.n[*].size
          by_index = [for at in range(2) : data.a_c.n[at].size]
          by_key   = { for key, one in a_b.e : key => one.size }
          computed = [for one in a_b.n : one.id]
          keys     = [for key, one in a_b.e : key]
          whole    = jsonencode(a_b.n)
          object   = jsonencode(a_b.e[*].id)
        }
    "#,
    );
    assert_eq!(shown(evaluation.local("by_loop")), "[0,1]");
    assert_eq!(shown(evaluation.local("by_splat")), "[0,1]");
    assert_eq!(shown(evaluation.local("by_index")), "[0,1]");
    assert_eq!(shown(evaluation.local("by_key")), r#"{"id":1,"y":2}"#);
    assert_eq!(shown(evaluation.local("keys")), r#"["id","y"]"#);
    let is_unknown = |name: &str| evaluation.local(name).is_some_and(|one| !one.is_wholly_known());
    assert!(["computed", "whole", "object"].into_iter().all(is_unknown));
}

#[test]
fn a_check_has_unknown_variables_and_finds_problems_of_all_folders() {
    let read = |text: &str, child: &str| {
        let files = files(text).with_folder("m", [File::new("m/main.tf", child)]);
        let settings = ReadSettings {
            granted: Capabilities::none(),
            directory: ".".to_owned(),
            strict: false,
            purpose: Purpose::Check,
            schemas: Vec::new(),
        };
        let module = Application::prepare(&Terraform, &files, &settings).expect("a sound syntax");
        let evaluation = module.evaluate(&Given::new(&Terraform));
        evaluation.problems().titles(Severity::Error).iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()
    };
    // The default would be an error.
    let text = "variable \"a\" { default = \"\" }\nlocals { x = cidrhost(var.a, 1) }\nmodule \"m\" { source = \"./m\" }\n";
    assert_eq!(read(text, ""), [""; 0]);
    let titles = read(
        "output \"o\" { value = var.a }\nmodule \"m\" { source = \"./m\" }\n",
        "locals { x = local.y }\n",
    );
    assert_eq!(titles, ["Reference to undeclared input variable", "Reference to undeclared local value"]);
}

#[test]
fn modules_that_call_themselves_are_named() {
    let files = files("module \"a\" { source = \"./m\" }\n")
        .with_folder("m", [File::new("m/main.tf", "module \"b\" { source = \"../m\" }\n")]);
    let evaluation = Settings::new().prepare(&files).expect("sound").evaluate(&Inputs::new());
    assert_eq!(evaluation.problems().titles(Severity::Error), ["Module call cycle"]);
}

#[test]
fn modules_that_double_end() {
    let mut all = files("module \"a\" { source = \"./m0\" }\nmodule \"b\" { source = \"./m0\" }\n");
    for at in 0..25 {
        let next = format!("../m{}", at + 1);
        let text =
            format!("module \"a\" {{ source = \"{next}\" }}\nmodule \"b\" {{ source = \"{next}\" }}\n");
        all = all.with_folder(format!("m{at}"), [File::new(format!("m{at}/main.tf"), text)]);
    }
    let evaluation = Settings::new().prepare(&all).expect("sound").evaluate(&Inputs::new());
    assert_eq!(evaluation.problems().titles(Severity::Error), ["Too many modules"]);
}

#[test]
fn errors_end_what_depends_on_them_and_nothing_else() {
    let evaluation = evaluate("locals {\n  a = {}.x\n  b = local.a\n  c = 1\n  d = [][0]\n}\n");
    let titles = evaluation.problems().titles(Severity::Error);
    assert_eq!(titles, ["Unsupported attribute", "Invalid index"], "{:?}", evaluation.problems());
    assert_eq!(evaluation.local("c").and_then(|one| one.as_i64()), Some(1));
    assert!(evaluation.local("b").is_none());
}
