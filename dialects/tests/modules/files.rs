//! Files of a module, and files that functions read.

use hclvm::functions::Capabilities;
use hclvm_dialects::{File, Files, Inputs, nomad, packer};

use crate::{json, packer_files, titles};

#[test]
fn all_files_of_a_folder_are_one_module_in_the_order_of_their_names() {
    let files = [
        ("z.pkr.json", "{\"locals\": {\"c\": \"${local.b}3\"}}"),
        ("b.pkr.hcl", "locals {\n b = \"${var.a}2\"\n}\n"),
        ("a.pkr.hcl", "variable \"a\" {\n default = \"1\"\n}\n"),
        ("other.hcl", "this is no template"),
    ];
    let evaluation = packer_files(&files, &Inputs::new()).expect("no syntax errors");
    assert_eq!(evaluation.local("c").map(json).as_deref(), Some("\"123\""));
}

#[test]
fn syntax_errors_of_all_files_are_told() {
    let files = [("b.pkr.hcl", "b = ]"), ("a.pkr.hcl", "a = "), ("c.pkr.json", "{")];
    let problems = packer_files(&files, &Inputs::new()).expect_err("syntax errors");
    let names: Vec<&str> = problems.groups().map(|group| group.source().name()).collect();
    assert_eq!(names, ["a.pkr.hcl", "b.pkr.hcl", "c.pkr.json"]);
}

#[test]
fn block_types_come_first_then_variables_file_by_file() {
    let files = [
        ("a.pkr.hcl", "foo {}\nvariable \"1\" {\n default = 1\n}\nlocals {\n a = 1\n}\n"),
        (
            "b.pkr.hcl",
            "bar {}\nvariable \"2\" {\n default = 1\n}\nlocals {\n a = 1\n}\ndata \"3\" \"x\" {}\n",
        ),
    ];
    let evaluation = packer_files(&files, &Inputs::new()).expect("no syntax errors");
    let expected = [
        "Unsupported block type",
        "Unsupported block type",
        "Invalid variable name",
        "Invalid variable name",
        "Invalid data source name",
        "Duplicate local definition",
    ];
    assert_eq!(titles(evaluation.problems()), expected);
}

#[test]
fn another_version_is_the_only_problem() {
    let of = |version: &str| {
        let text = format!("packer {{\n required_version = \"{version}\"\n}}\nvariable \"1\" {{}}\n");
        crate::errors(&text)
    };
    for version in [">= 1.9", "~> 1.9", "~> 1", "1.16.0", "v1.16", "> 1.15.9-dev", ">= 1, != 1.15"] {
        assert_eq!(of(version), ["Invalid variable name"], "{version}");
    }
    for version in ["< 1", "~> 1.9.0", "!= 1.16", ">= 1, < 1.16", "1.16.1-dev"] {
        assert_eq!(of(version), ["Unsupported Packer Core version"], "{version}");
    }
    assert_eq!(of("latest"), ["Invalid version constraint", "Invalid variable name"]);
}

#[test]
fn templates_in_json_have_builds() {
    let text = r#"{"source": {"null": {"x": {}}}, "build": {"sources": ["null.x"], "dynamic": {"provisioner": {"for_each": [1, 2], "labels": ["a"], "content": {"v": "${provisioner.value} ${source.name}"}}}}}"#;
    let evaluation = packer_files(&[("a.pkr.json", text)], &Inputs::new()).expect("no syntax errors");
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let steps = evaluation.content().builds()[0].sources()[0].provisioners();
    let bodies: Vec<String> = steps.iter().map(|step| crate::shown(step.body())).collect();
    assert_eq!(bodies, ["v=\"1 x\"", "v=\"2 x\""]);
}

#[test]
fn functions_read_the_files_that_are_granted() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "hello").expect("a file");
    let granted = Capabilities::none().directory(folder.path());
    let text = "locals {\n a = file(\"a.txt\")\n}\njob \"j\" {}\n";
    let evaluate = |settings: nomad::Settings| {
        let module = settings.prepare(&File::new("a.nomad", text)).expect("no syntax errors");
        module.evaluate(&Inputs::new())
    };
    let evaluation = evaluate(nomad::Settings::new().granted(granted.clone()));
    assert_eq!(evaluation.local("a").and_then(|value| value.as_str()), Some("hello"));
    let evaluation = evaluate(nomad::Settings::new());
    assert_eq!(titles(evaluation.problems()), ["Error in function call"]);
}

#[test]
fn a_folder_is_read_without_its_subfolders() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    std::fs::create_dir(folder.path().join("inner.pkr.hcl")).expect("a folder");
    write("a.pkr.hcl", "variable \"a\" {}\nlocals {\n b = var.a\n}\n");
    write("x.auto.pkrvars.hcl", "a = \"auto\"\n");
    write("x.pkrvars.hcl", "a = \"other\"\n");
    let files = Files::read(&packer::Packer, folder.path()).expect("a template");
    let module = packer::Settings::new().prepare(&files).expect("no syntax errors");
    let evaluation = module.evaluate(&Inputs::new());
    assert_eq!(evaluation.local("b").and_then(|value| value.as_str()), Some("auto"));
    // A single file has no automatic variable files.
    let file = Files::read(&packer::Packer, &folder.path().join("a.pkr.hcl")).expect("a template");
    let module = packer::Settings::new().prepare(&file).expect("no syntax errors");
    assert_eq!(titles(module.evaluate(&Inputs::new()).problems()), ["Unset variable \"a\""]);
}
