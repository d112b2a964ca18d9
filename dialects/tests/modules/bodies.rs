//! Evaluated bodies: placeholders of unknown values, blocks, and the paths of all values.

use hclvm_dialects::packer::{self, GivenData, Host, Settings};
use hclvm_dialects::{Body, Inputs};

use crate::{json, shown, template};

/// Evaluates a template whose variables have no values, so that they are unknown values of their types.
fn checked(text: &str) -> packer::Evaluation {
    let module = Settings::new().checking(true).prepare(&template(&[("a.pkr.hcl", text)]));
    let evaluation = module.expect("no syntax errors").evaluate(&Inputs::new());
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    evaluation
}

/// Returns the body of a source with one attribute, and the values of variables of these types unknown.
fn body(types: &[(&str, &str)], value: &str) -> Body {
    let variables = types.iter().map(|(name, ty)| format!("variable \"{name}\" {{\n type = {ty}\n}}\n"));
    let text = format!("{}source \"null\" \"x\" {{\n v = {value}\n}}\n", variables.collect::<String>());
    checked(&text).content().unused_sources()[0].body().clone()
}

#[test]
fn each_type_has_a_placeholder() {
    for (ty, expected) in [
        ("bool", "false"),
        ("number", "0"),
        ("string", "\"<unknown>\""),
        ("any", "\"<unknown>\""),
        ("list(string)", "[]"),
        ("set(bool)", "[]"),
        ("map(number)", "{}"),
        ("tuple([bool, string])", "[false,\"<unknown>\"]"),
        ("object({ b = list(any), a = number })", "{\"a\":0,\"b\":[]}"),
    ] {
        assert_eq!(shown(&body(&[("v", ty)], "var.v").with_placeholders()), format!("v={expected}"), "{ty}");
    }
}

#[test]
fn the_known_parts_of_a_value_stay() {
    let types = [
        ("s", "string"),
        ("n", "number"),
        ("d", "any"),
        ("o", "object({ a = list(bool), b = set(string), c = map(any) })"),
        ("t", "tuple([number, any])"),
        ("l", "list(map(number))"),
    ];
    for (value, expected) in [
        ("[1, var.n, [var.s]]", "[1, 0, [\"<unknown>\"]]"),
        ("{ a = 1, b = var.n }", "{a = 1, b = 0}"),
        ("tolist([\"a\", var.s])", "\"<unknown>\""),
        ("tolist([1, var.d])", "\"<unknown>\""),
        ("tomap({ a = \"a\", b = var.s })", "\"<unknown>\""),
        ("tomap({ a = true, b = var.d })", "\"<unknown>\""),
        ("toset([\"a\", var.s])", "\"<unknown>\""),
        ("[{ a = var.d }, \"k\"]", "[{a = \"<unknown>\"}, \"k\"]"),
        ("[\"a\", 1]", "[\"a\", 1]"),
        ("[var.o, var.t, var.l]", "[{a = [], b = [], c = {}}, [0, \"<unknown>\"], []]"),
    ] {
        let replaced = body(&types, value).with_placeholders();
        let found = replaced.attribute("v").expect("an attribute");
        assert_eq!(hclvm::show::line(found), expected, "{value}");
    }
}

#[test]
fn collections_of_a_host_keep_their_known_elements() {
    let arena = hclvm::value::Arena::new();
    let unknown = hclvm::Value::unknown_of(&arena, hclvm::Type::Dynamic);
    let text = |text: &str| hclvm::Value::str(&arena, arena.text(text));
    let tuple = hclvm::Value::tuple(&arena, arena.slice(&[text("a"), unknown]));
    let entries = [hclvm::value::Entry::new("a", text("a")), hclvm::value::Entry::new("b", unknown)];
    let object = hclvm::Value::object(&arena, arena.slice(&entries));
    for (ty, value, expected) in [
        ("list(string)", tuple, "[\"a\", \"<unknown>\"]"),
        ("list(any)", tuple, "[\"a\", \"<unknown>\"]"),
        ("set(string)", tuple, "[\"a\"]"),
        ("map(string)", object, "{a = \"a\", b = \"<unknown>\"}"),
        ("map(any)", object, "{a = \"a\", b = \"<unknown>\"}"),
        ("any", tuple, "[\"a\", \"<unknown>\"]"),
        ("any", object, "{a = \"a\", b = \"<unknown>\"}"),
    ] {
        let template_text =
            format!("variable \"v\" {{\n type = {ty}\n}}\nsource \"null\" \"x\" {{\n v = var.v\n}}\n");
        let module =
            Settings::new().prepare(&template(&[("a.pkr.hcl", &template_text)])).expect("no syntax errors");
        let evaluation = module.evaluate(&Inputs::new().value("v", value));
        assert!(evaluation.problems().is_empty(), "{ty}: {:?}", evaluation.problems());
        let body = evaluation.content().unused_sources()[0].body();
        let (before, after) = (body.attribute("v").expect("a value"), body.with_placeholders());
        let after = after.attribute("v").expect("a value");
        assert_eq!(hclvm::show::line(after), expected, "{ty} {before:?}");
        assert_eq!(std::mem::discriminant(&after.view()), std::mem::discriminant(&before.view()), "{ty}");
    }
}

#[test]
fn placeholders_are_in_blocks_and_keep_what_describes_them() {
    let text = "variable \"n\" {\n type = number\n}\nvariable \"l\" {\n type = list(string)\n sensitive = true\n default = [\"k\"]\n}\nsource \"null\" \"x\" {\n \
                disk \"a\" {\n  size = var.n\n  part {\n   n = [var.n]\n  }\n }\n dynamic \"tag\" {\n  for_each = var.l\n  labels = [tag.value]\n  content {\n   n = var.n\n  }\n }\n}\n";
    let body = checked(text).content().unused_sources()[0].body().with_placeholders();
    assert_eq!(shown(&body), "disk a {size=0, part {n=[0]}}, tag k {n=0}");
    assert_eq!(body.blocks().iter().map(|one| one.has_sensitive_labels()).collect::<Vec<_>>(), [false, true]);
    assert_eq!(body.blocks_of("tag").count(), 1);
    assert!(body.attribute("size").is_none());
}

#[test]
fn sensitive_values_have_marked_placeholders() {
    let text = "variable \"n\" {\n type = number\n sensitive = true\n}\nsource \"null\" \"x\" {\n v = [1, var.n]\n}\n";
    let settings = Settings::new().checking(true).mark_sensitive(true);
    let module = settings.prepare(&template(&[("a.pkr.hcl", text)])).expect("no syntax errors");
    let evaluation = module.evaluate(&Inputs::new());
    let body = evaluation.content().unused_sources()[0].body().with_placeholders();
    let items = body.attribute("v").and_then(hclvm::Value::as_items).expect("a tuple");
    assert_eq!((json(items[0]), items[0].is_marked()), ("1".to_owned(), false));
    assert_eq!((json(items[1].unmark().0), items[1].is_marked()), ("0".to_owned(), true));
}

#[test]
fn a_dynamic_block_of_an_unknown_collection_is_pending() {
    let text = "variable \"l\" {\n type = list(string)\n sensitive = SENSITIVE\n}\nsource \"null\" \"x\" {\n dynamic \"tag\" {\n  for_each = var.l\n  content {\n   n = tag.value\n  }\n }\n}\n";
    for sensitive in ["false", "true"] {
        let evaluation = checked(&text.replace("SENSITIVE", sensitive));
        let block = &evaluation.content().unused_sources()[0].body().blocks()[0];
        let pending = block.pending().expect("a collection");
        assert!(!pending.is_known() && !pending.is_marked(), "{sensitive}: {pending:?}");
        let paths: Vec<String> = evaluation.values().iter().map(|one| one.path.to_string()).collect();
        assert_eq!(paths, ["var.l", "source.null.x.tag"], "{sensitive}");
    }
}

const WHOLE: &str = r#"
variable "secret" {
  default   = "k"
  sensitive = true
}
local "own" {
  expression = 1
  sensitive  = true
}
locals {
  open = 2
}
data "http" "page" {
  url = "u"
}
source "null" "unused" {
  a = 3
}
source "null" "x" {
  a = 5
  disk "d" {
    b = 6
  }
  disk "d" {
    b = 7
  }
}
build {
  sources = ["null.x", "null.x"]
  provisioner "shell" {
    name     = "first"
    inline   = 8
    override = { x = { c = 9 } }
  }
  provisioner "shell" {
    inline = 10
  }
  error-cleanup-provisioner "shell" {
    inline = 11
  }
  post-processor "shell" {
    only   = ["null.x"]
    inline = 12
  }
  post-processors {
    post-processor "shell" {
      inline = 13
    }
    post-processor "other" {
      keep_input_artifact = true
    }
  }
}
build {
  name = "named"
  source "null.x" {
    name = "local"
    e    = 14
  }
  provisioner "shell" {
    override = { local = { c = 15 }, x = { c = 16 } }
  }
}
build {
  name    = "k${var.secret}"
  sources = ["null.x"]
}
"#;

/// The paths and values of the template. An override is listed as the argument, and as the part for the source.
const VALUES: &str = r#"var.secret "k" sensitive
local.own 1 sensitive
local.open 2
data.http.page 20
build.null.x.a 5
build.null.x.disk.d.b 6
build.null.x.disk.d.1.b 7
build.null.x.provisioner.shell.name "first"
build.null.x.provisioner.shell.override {"x":{"c":9}}
build.null.x.provisioner.shell.inline 8
build.null.x.provisioner.shell.override {"c":9}
build.null.x.provisioner.shell.1.inline 10
build.null.x.error-cleanup-provisioner.shell.inline 11
build.null.x.post-processor.shell.only ["null.x"]
build.null.x.post-processor.shell.inline 12
build.null.x.post-processor.shell.1.inline 13
build.null.x.post-processor.other.keep_input_artifact true
build.null.x.1.a 5
build.null.x.1.disk.d.b 6
build.null.x.1.disk.d.1.b 7
build.null.x.1.provisioner.shell.name "first"
build.null.x.1.provisioner.shell.override {"x":{"c":9}}
build.null.x.1.provisioner.shell.inline 8
build.null.x.1.provisioner.shell.override {"c":9}
build.null.x.1.provisioner.shell.1.inline 10
build.null.x.1.error-cleanup-provisioner.shell.inline 11
build.null.x.1.post-processor.shell.only ["null.x"]
build.null.x.1.post-processor.shell.inline 12
build.null.x.1.post-processor.shell.1.inline 13
build.null.x.1.post-processor.other.keep_input_artifact true
build.named.null.local.a 5
build.named.null.local.e 14
build.named.null.local.disk.d.b 6
build.named.null.local.disk.d.1.b 7
build.named.null.local.provisioner.shell.override {"local":{"c":15},"x":{"c":16}}
build.named.null.local.provisioner.shell.override {"c":15}
build.<sensitive>.null.x.a 5
build.<sensitive>.null.x.disk.d.b 6
build.<sensitive>.null.x.disk.d.1.b 7
source.null.unused.a 3
"#;

#[test]
fn all_values_have_paths() {
    let module = Settings::new().prepare(&template(&[("a.pkr.hcl", WHOLE)])).expect("no syntax errors");
    let mut data = GivenData::new();
    data.set("http", "page", hclvm::Value::int(20));
    let evaluation = module.evaluate_with(&Inputs::new(), Host { data: &data, builder: &[] });
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    let unused = &evaluation.content().unused_sources()[0];
    assert_eq!((unused.kind(), unused.name(), unused.has_sensitive_name()), ("null", "unused", false));
    let listed = evaluation.values().into_iter().map(|one| {
        format!("{} {}{}\n", one.path, json(one.value), if one.sensitive { " sensitive" } else { "" })
    });
    assert_eq!(listed.collect::<String>(), VALUES);
}
