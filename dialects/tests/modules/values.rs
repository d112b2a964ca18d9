//! Values of variables: texts, files, their order, and what ends the reading.

use hclvm_dialects::{File, Inputs, Origin, packer};

use crate::{errors_with, evaluated, job, job_errors, local, packer_files, template, titles};

const STRING: &str = "variable \"a\" {\n type = string\n default = \"d\"\n}\nlocals {\n v = var.a\n}\n";

#[test]
fn the_strongest_value_is_used_and_all_are_kept() {
    let files = [("main.pkr.hcl", STRING), ("x.auto.pkrvars.json", "{\"a\": \"auto\"}")];
    let inputs = Inputs::new()
        .environment([("PKR_VAR_a", "e")])
        .file(File::new("y.pkrvars.hcl", "a = \"file\""))
        .argument("a", "cmd");
    let evaluation = packer_files(&files, &inputs).expect("no syntax errors");
    let values = evaluation.variables()[0].values();
    let found: Vec<String> =
        values.map(|(origin, value)| format!("{origin} {}", crate::json(value))).collect();
    let expected = ["default \"d\"", "env \"e\"", "varfile \"auto\"", "varfile \"file\"", "cmd \"cmd\""];
    assert_eq!(found, expected);
    assert_eq!(evaluation.variables()[0].origin(), Some(&Origin::Argument));
}

#[test]
fn texts_for_strings_and_numbers_are_values() {
    let value = |ty: &str, text: &str| {
        let module = format!("variable \"a\" {{\n type = {ty}\n}}\nlocals {{\n v = var.a\n}}\n");
        local(&module, &Inputs::new().argument("a", text), "v")
    };
    assert_eq!(value("string", "${1 + 1}\"x\""), "\"${1 + 1}\\\"x\\\"\"");
    assert_eq!(value("number", "1e3"), "1000");
    assert_eq!(value("any", "[1]"), "\"[1]\"");
    assert_eq!(value("bool", "\"true\""), "true");
    assert_eq!(value("map(string)", "{ a = 1 }"), "{\"a\":\"1\"}");
}

#[test]
fn other_texts_are_expressions_without_variables_and_functions() {
    let of = |text: &str| {
        let module = "variable \"a\" {\n type = list(string)\n}\n";
        errors_with(module, &Inputs::new().argument("a", text))
    };
    assert_eq!(of("[upper(\"x\")]"), ["Function calls not allowed"]);
    assert_eq!(of("[var.b]"), ["Variables not allowed"]);
    assert_eq!(of(""), ["Missing expression"]);
}

#[test]
fn undeclared_variables_are_errors_on_the_command_line_only() {
    let inputs =
        Inputs::new().environment([("PKR_VAR_z", "1")]).file(File::new("f.hcl", "z = 1")).argument("zz", "1");
    assert_eq!(errors_with(STRING, &inputs), ["Undefined -var variable"]);
}

#[test]
fn a_wrong_value_ends_the_reading_at_the_next_file() {
    let module = "variable \"a\" {\n type = number\n}\nvariable \"b\" {\n type = number\n}\n";
    let inputs = Inputs::new().environment([("PKR_VAR_a", "x")]).argument("b", "y");
    assert_eq!(
        errors_with(module, &inputs),
        ["Invalid value for variable", "Invalid argument value for -var variable"]
    );
    let inputs = inputs.file(File::new("f.hcl", "b = \"z\""));
    assert_eq!(errors_with(module, &inputs), ["Invalid value for variable"]);
}

#[test]
fn declarations_in_a_variable_file_end_the_reading() {
    let inputs = Inputs::new()
        .file(File::new("f.hcl", "variable \"x\" {}"))
        .file(File::new("g.hcl", "a = var.x"))
        .argument("zz", "1");
    assert_eq!(errors_with(STRING, &inputs), ["Variable declaration in a .pkrvar file"]);
    let text = format!("{STRING}job \"j\" {{}}\n");
    assert_eq!(job_errors(&text, &inputs), ["Variable declaration in a .var file"]);
}

#[test]
fn syntax_errors_of_variable_files_are_told_first() {
    let inputs = Inputs::new().environment([("PKR_VAR_n", "x")]).file(File::new("f.hcl", "a = ["));
    let module = "variable \"n\" {\n type = number\n}\n";
    assert_eq!(errors_with(module, &inputs).last().map(String::as_str), Some("Invalid value for variable"));
    assert!(errors_with(module, &inputs).len() > 1);
}

#[test]
fn the_suffix_of_a_variable_file_tells_its_syntax() {
    let inputs = Inputs::new().file(File::new("f.txt", "a = 1"));
    assert_eq!(errors_with(STRING, &inputs), ["Could not guess format of f.txt"]);
    // Nomad looks at the content.
    let text = format!("{STRING}job \"j\" {{}}\n");
    let evaluation = job(&text, &Inputs::new().file(File::new("f.txt", " {\"a\": \"json\"}")));
    assert_eq!(evaluation.local("v").and_then(|value| value.as_str()), Some("json"));
}

#[test]
fn nomad_is_strict_about_undeclared_variables() {
    let text = format!("{STRING}job \"j\" {{}}\n");
    let inputs = Inputs::new().file(File::new("f", "z = 1")).argument("zz", "1");
    assert_eq!(job_errors(&text, &inputs), ["Undefined variable", "Undefined -var variable"]);
    let lenient = hclvm_dialects::nomad::Settings::new().strict(false);
    let module = lenient.prepare(&File::new("a.nomad", text)).expect("no syntax errors");
    let evaluation = module.evaluate(&inputs);
    assert!(titles(evaluation.problems()).is_empty());
    assert_eq!(evaluation.problems().iter().count(), 2);
}

#[test]
fn texts_of_sensitive_values_are_secrets_as_a_whole_and_by_line() {
    let text = "variable \"key\" {\n sensitive = true\n default = { pem = \"a\\nb\\n\", n = 5, none = \"\" }\n}\nlocal \"l\" {\n sensitive = true\n expression = \"c\"\n}\n";
    let mut secrets = evaluated(text, &Inputs::new()).secrets();
    secrets.sort();
    assert_eq!(secrets, ["a", "a\nb\n", "b", "c"]);
}

#[test]
fn sensitive_values_are_marked_if_the_host_wants_it() {
    let text = "variable \"key\" {\n sensitive = true\n default = \"k\"\n}\nlocals {\n header = \"Bearer ${var.key}\"\n open = 1\n}\n\
                local \"own\" {\n sensitive = true\n expression = 2\n}\n";
    let marked = |mark: bool| {
        let files = template(&[("main.pkr.hcl", text)]);
        let module = packer::Settings::new().mark_sensitive(mark).prepare(&files).expect("it is sound");
        let evaluation = module.evaluate(&Inputs::new());
        let is_marked =
            |name: &str| evaluation.local(name).is_some_and(|one| one.unmark().1.contains("sensitive"));
        ["header", "open", "own"].map(is_marked)
    };
    assert_eq!(marked(true), [true, false, true]);
    assert_eq!(marked(false), [false; 3]);
}

#[test]
fn values_are_listed_by_path() {
    let evaluation = evaluated(
        r#"
        variable "key" {
          type      = string
          default   = "k"
          sensitive = true
        }
        source "docker" "app" {
          image = "x"
        }
        build {
          name    = "web"
          sources = ["docker.app"]
          provisioner "shell" {
            inline = ["a"]
          }
          provisioner "shell" {
            inline = ["b"]
          }
        }
        "#,
        &Inputs::new(),
    );
    let values = evaluation.values();
    let paths: Vec<String> = values.iter().map(|one| one.path.to_string()).collect();
    let build = "build.web.docker.app";
    let shell = format!("{build}.provisioner.shell");
    let expected = [
        "var.key".to_owned(),
        format!("{build}.image"),
        format!("{shell}.inline"),
        format!("{shell}.1.inline"),
    ];
    assert_eq!(paths, expected);
    assert!(values.iter().all(|one| one.sensitive == (one.path.to_string() == "var.key")));
}
