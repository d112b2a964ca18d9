//! Data sources.

use std::cell::RefCell;

use hclvm::value::Arena;
use hclvm::{OwnedValue, Value};
use hclvm_dialects::{Body, Inputs, packer};

use crate::{errors, json, shown, template, titles};

/// Returns a text for every data source, and keeps the bodies.
#[derive(Default)]
struct Recorder(RefCell<Vec<String>>);

impl packer::DataSources for Recorder {
    fn read(&self, kind: &str, name: &str, body: &Body) -> Result<OwnedValue, String> {
        self.0.borrow_mut().push(format!("{kind}.{name}: {}", shown(body)));
        if name == "broken" {
            return Err("The server does not answer.".to_owned());
        }
        let arena = Arena::new();
        let entries = [hclvm::value::Entry::new("out", Value::str(&arena, arena.text(name)))];
        Ok(OwnedValue::new(Value::object(&arena, &entries)))
    }
}

fn evaluate(text: &str, data: &dyn packer::DataSources) -> packer::Evaluation {
    let module = packer::Settings::new().prepare(&template(&[("a.pkr.hcl", text)]));
    let module = module.unwrap_or_else(|problems| panic!("{problems:?}"));
    module.evaluate_with(&Inputs::new(), packer::Host { data, builder: &[] })
}

#[test]
fn locals_and_data_sources_are_one_graph() {
    let text = "locals {\n a = upper(data.http.x.out)\n b = \"u\"\n}\ndata \"http\" \"x\" {\n url = local.b\n retry {\n name = local.b\n }\n}\n";
    let data = Recorder::default();
    let evaluation = evaluate(text, &data);
    assert!(evaluation.problems().is_empty());
    assert_eq!(evaluation.local("a").map(json).as_deref(), Some("\"X\""));
    assert_eq!(*data.0.borrow(), ["http.x: url=\"u\", retry {name=\"u\"}"]);
}

#[test]
fn outputs_of_one_type_are_a_map() {
    let text = "data \"http\" \"x\" {}\ndata \"http\" \"y\" {}\nlocals {\n all = [for d in data.http : d.out]\n y = data[\"http\"][\"y\"].out\n}\n";
    let evaluation = evaluate(text, &Recorder::default());
    assert_eq!(evaluation.local("all").map(json).as_deref(), Some("[\"x\",\"y\"]"));
    assert_eq!(evaluation.local("y").map(json).as_deref(), Some("\"y\""));
}

#[test]
fn outputs_of_one_type_are_an_object_if_their_types_differ() {
    let text = "data \"http\" \"x\" {}\ndata \"http\" \"y\" {}\nlocals {\n all = data.http\n}\n";
    for (other, is_map) in [(Value::int(2), true), (Value::bool(true), false), (Value::DYNAMIC, false)] {
        let mut data = packer::GivenData::new();
        data.set("http", "x", Value::int(1));
        data.set("http", "y", other);
        let evaluation = evaluate(text, &data);
        let all = evaluation.local("all").expect("a value");
        assert_eq!(matches!(all.view(), hclvm::value::View::Map(..)), is_map, "{all:?}");
    }
}

#[test]
fn a_source_that_cannot_be_read_ends_the_evaluation_of_values() {
    let text = "data \"http\" \"broken\" {}\nlocals {\n a = data.http.broken.out\n}\n";
    let evaluation = evaluate(text, &Recorder::default());
    assert_eq!(titles(evaluation.problems()), ["Data source http.broken failed"]);
    assert!(evaluation.local("a").is_none());
}

#[test]
fn sources_that_are_not_read_are_unknown() {
    let text = "data \"http\" \"x\" {}\nlocals {\n a = data.http.x.out\n b = \"${data.http.x.out}!\"\n}\n";
    let evaluation = evaluate(text, &packer::UnknownData);
    assert!(evaluation.problems().is_empty());
    assert!(evaluation.local("b").is_some_and(|value| !value.is_known()));
}

#[test]
fn an_error_in_a_body_ends_the_evaluation_of_values() {
    let text = "data \"http\" \"x\" {\n url = 1 + \"a\"\n}\nlocals {\n a = data.http.x.out\n}\n";
    assert_eq!(errors(text), ["Invalid operand"]);
}

#[test]
fn headers_and_bodies_are_checked() {
    assert_eq!(
        errors("data \"1\" \"x\" {}\ndata \"a\" \"2\" {}\n"),
        ["Invalid data source name", "Invalid data resource name"]
    );
    assert_eq!(errors("data \"a\" \"x\" {}\ndata \"a\" \"x\" {}\n"), ["Duplicate data block"]);
    assert_eq!(errors("data \"a\" \"x\" {\n b = data.a.x.out\n}\n"), ["failed to prepare execution graph"]);
    let dynamic = "data \"a\" \"x\" {\n dynamic \"b\" {\n for_each = [1]\n content {}\n }\n}\n";
    assert_eq!(errors(dynamic), ["Unsupported block type"]);
}
