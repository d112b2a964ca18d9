//! Files in JSON that are read without a schema.

use super::{Folder, hclvm, text};

/// Evaluates a file in JSON. Returns the exit code and what is printed.
fn eval(json: &str) -> (Option<i32>, String) {
    let folder = Folder::new();
    let file = folder.file("j.hcl.json", json);
    let checked = hclvm(&["check", &file]);
    let output = hclvm(&["eval", &file, "--output", "json"]);
    assert_eq!(checked.status.code(), output.status.code(), "{json}: `check` finds what `eval` finds");
    (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn only_an_object_has_attributes() {
    for json in ["[{\"a\": 1}, {\"b\": 2}]", "[]", "[{\"locals\": {\"q\": 1}}, {\"x\": 1}]"] {
        let (code, printed) = eval(json);
        assert!(
            code == Some(1) && printed.contains("error[json-type]: Incorrect JSON value type"),
            "{printed}"
        );
    }
    for locals in ["3", "[1]", "\"a\"", "[{\"a\": 1}, []]"] {
        let (code, printed) = eval(&format!("{{\"locals\": {locals}, \"b\": 1}}"));
        assert!(code == Some(1) && printed.contains("error[json-type]"), "{locals}: {printed}");
    }
    let (code, printed) = eval("{\"locals\": [{\"a\": 1}, {\"b\": 2}], \"c\": \"${local.a + local.b}\"}");
    assert_eq!((code, printed.trim_end()), (Some(0), "{\"locals\":{\"a\":1,\"b\":2},\"attrs\":{\"c\":3}}"));
}

#[test]
fn an_attribute_is_set_once() {
    for json in ["{\"a\": 1, \"a\": 2}", "{\"a\": {}, \"b\": 1,\n\"a\": {}}", "{\"a\": 1, \"\\u0061\": 1}"] {
        let (code, printed) = eval(json);
        let told = "error[json-duplicate-argument]: Duplicate attribute definition";
        assert!(
            code == Some(1) && printed.contains(told) && printed.contains("already set on line 1"),
            "{printed}"
        );
    }
    let (code, printed) =
        eval("{\"//\": 1, \"a\": 1, \"//\": 2, \"locals\": {\"x\": 1}, \"locals\": {\"y\": 2}}");
    assert_eq!((code, printed.trim_end()), (Some(0), "{\"locals\":{\"x\":1,\"y\":2},\"attrs\":{\"a\":1}}"));
    assert!(
        eval("{\"locals\": {\"x\": 1, \"x\": 2}, \"a\": \"${local.x}\"}").1.contains("Duplicate local value")
    );
}

#[test]
fn a_folder_sets_an_attribute_in_one_of_its_files() {
    let folder = Folder::new();
    folder.file("a.hcl", "a = 1\nlocals {\n  x = 1\n}\n");
    folder.file("b.hcl.json", "{\"a\": 2, \"b\": 3, \"locals\": {\"y\": 1}}");
    folder.file("c.hcl.json", "{\"b\": 4, \"locals\": {\"z\": 1}}");
    let path = folder.0.path().to_str().expect("a path of plain letters");
    for command in ["eval", "check"] {
        let output = hclvm(&[command, path]);
        let told = text(&output.stderr);
        assert_eq!(
            (output.status.code(), told.matches("Duplicate argument").count()),
            (Some(1), 2),
            "{told}"
        );
    }
}
