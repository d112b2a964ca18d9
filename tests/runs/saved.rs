//! Compiled documents on disk: what is loaded gives what was saved, damage and other versions are errors, and bytes
//! that were made up crash nothing.

use std::fmt::Write as _;

use hclvm::{Document, Engine, LoadError};
use serde_json::json;

/// A file with every construct that has an instruction of its own.
const EVERYTHING: &str = r#"
sum      = (n + 2) * 3 - n / 4 % 5
chain    = -n
both     = n > 3 && name == "ada" || !flag
many     = n * 1.5 + 0.25 > n - 0.1
rounded  = floor(n * 1.15)
chosen   = flag ? "yes" : "no"
level    = kind == "a" ? 1 : kind == "b" ? 2 : kind == "c" ? 3 : kind == "d" ? 4 : 5
text     = "hello ${name}, ${n} times${flag ? "!" : ""}"
lines    = <<-EOT
  %{ for x in items ~}
  ${x.name}: ${x.size}
  %{ endfor ~}
EOT
list     = [for x in items : x.size if x.size > 1]
names    = items[*].name
upper    = [for x in items : upper(x.name)]
by_name  = { for x in items : x.name => x.size }
grouped  = { for x in items : x.kind => x.name... }
object   = { name = name, "n" = n, deep = { more = [1, 2, name] } }
constant = [1, "two", 3.25, null, true, { a = ["é"] }]
indexed  = [items[0].name, items[n].size, { a = 1 }["a"]]
found    = contains(["a", "b", "c"], kind)
tried    = try(missing.attribute, items[99].name, "none")
can      = can(items[99])
strings  = join("-", sort([name, kind, "z"]))
block "b" "label" {
  inner = n + 1
  nested {
    deepest = "${name}-${n}"
  }
}
"#;

fn scope() -> serde_json::Value {
    json!({
        "n": 2, "name": "ada", "flag": true, "kind": "c", "missing": {},
        "items": [
            {"name": "x", "size": 1, "kind": "p"},
            {"name": "y", "size": 2, "kind": "q"},
            {"name": "z", "size": 3, "kind": "p"},
        ],
    })
}

/// Returns the result of every attribute, or its messages.
fn results(document: &Document, scope: &serde_json::Value) -> Vec<String> {
    let engine = document.engine();
    let mut values = engine.scope(document.layout());
    for (name, value) in scope.as_object().into_iter().flatten() {
        if document.layout().slot(name).is_some() {
            values.set(name, value).expect("the value fits");
        }
    }
    let mut session = engine.session();
    let mut results = Vec::new();
    let mut open = vec![document.body()];
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            let result = attribute.program().map(|program| match session.run(&program, &values) {
                Ok(value) => value.to_string(),
                Err(error) => error.to_string(),
            });
            let header =
                (attribute.name(), attribute.span(), attribute.expression_span(), attribute.name_span());
            results.push(format!("{header:?} {result:?}"));
        }
        for block in body.blocks() {
            let labels: Vec<&str> = block.labels().collect();
            results.push(format!("{} {labels:?} {:?} {:?}", block.kind(), block.span(), block.header_span()));
            open.push(block.body());
        }
    }
    results
}

fn parsed(text: &str) -> Document {
    Engine::new().parse("x.hcl", text).expect("the text parses")
}

#[test]
fn loaded_code_gives_the_same_results() {
    let document = parsed(EVERYTHING);
    let bytes = document.save().expect("it is saved");
    let loaded = Engine::new().load(&bytes).expect("it is loaded");
    assert_eq!(results(&loaded, &scope()), results(&document, &scope()));
    assert_eq!(loaded.layout().names(), document.layout().names());
}

#[test]
fn loaded_code_is_not_compiled_again() {
    let bytes = parsed(EVERYTHING).save().expect("it is saved");
    let engine = Engine::new();
    let loaded = engine.load(&bytes).expect("it is loaded");
    let compiled = |name: &str| {
        let before = engine.compiled_programs();
        loaded.attribute(name).expect("it is there").program().expect("it fits");
        engine.compiled_programs() > before
    };
    let names: Vec<&str> = loaded.body().attributes().map(|attribute| attribute.name()).collect();
    assert_eq!(names.into_iter().filter(|name| compiled(name)).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn what_falls_back_is_compiled_from_the_text() {
    let text = "a = n + 1\nb = \"${n}\"\nc = nothing.here\n";
    let document = parsed(text);
    let loaded = Engine::new().load(&document.save().expect("it is saved")).expect("it is loaded");
    for n in [json!(null), json!("five"), json!([1])] {
        let scope = json!({ "n": n, "nothing": 1 });
        let (expected, found) = (results(&document, &scope), results(&loaded, &scope));
        assert_eq!(found, expected);
        assert!(found.iter().any(|result| result.contains("x.hcl:3:12: Unsupported attribute")), "{found:?}");
    }
}

/// Locals that are used by others and by the object `local`, common subexpressions, results that are left out, faults
/// with handlers, loops, `dynamic` blocks, and rules that always fall back.
const MODULE: &str = r#"
locals {
  twice  = n * 2
  label  = upper(name)
  all    = [for x in items : "${x.name}-${local.twice}"]
  failed = try(items[99].name, local.label)
}
service "a" {
  port = local.twice + 8000
  when = upper(name) == "ADA" && local.twice > 3
  why  = upper(name) != "ADA" ? "other ${local.label}" : "is ${upper(name)}"
  deep { inner = [local.twice, local.failed, { a = upper(name) }] }
}
service "b" {
  port = n == 2 ? local.twice : n == 3 ? 1 : 0
  bad  = nothing.here
  list = { for x in items : x.name => x.size + local.twice if x.size > 1 }
}
dynamic "made" {
  for_each = items
  labels   = [made.value.name]
  content { size = made.value.size + local.twice }
}
object = local[kind == "c" ? "twice" : "label"]
last   = "${local.twice} ${length(items)}"
"#;

/// Returns the values and diagnostics of a document as a whole.
fn whole(document: &Document, scope: &serde_json::Value) -> String {
    let module = document.module().expect("it is a module");
    let mut values = module.scope();
    for (name, value) in scope.as_object().into_iter().flatten() {
        if document.layout().slot(name).is_some() {
            values.set(name, value).expect("the value fits");
        }
    }
    let mut session = document.engine().session();
    let values = module.evaluate(&mut session, &values).expect("it ends");
    let mut text = values.diagnostics().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    for local in module.locals() {
        writeln!(text, "{local} = {:?}", values.local(local).map(|value| value.to_string())).expect("a text");
    }
    let mut open = vec![values.body()];
    while let Some(body) = open.pop() {
        for (name, value) in body.attributes() {
            writeln!(text, "{name} = {value}").expect("a text");
        }
        for block in body.blocks() {
            writeln!(text, "{} {:?}", block.kind(), block.labels().collect::<Vec<_>>()).expect("a text");
            open.push(block.body());
        }
    }
    text
}

/// Returns the number of programs that an engine compiles while a module is made and evaluated.
fn compiled_for(document: &Document, scope: &serde_json::Value) -> u64 {
    let before = document.engine().compiled_programs();
    whole(document, scope);
    document.engine().compiled_programs() - before
}

#[test]
fn modules_are_saved_with_their_linked_code() {
    let mut scope = scope();
    let document = parsed(MODULE);
    let bytes = document.save_module().expect("it is saved");
    for n in [json!(2), json!(3), json!(null), json!("text"), json!([])] {
        scope["n"] = n;
        let loaded = Engine::new().load(&bytes).expect("it is loaded");
        assert_eq!(whole(&loaded, &scope), whole(&document, &scope));
    }
    let plain = parsed(
        "locals {\n  a = n + 1\n  b = upper(name)\n}\nx = local.a * 2\ny = \"${local.b} ${upper(name)}\"\n",
    );
    let loaded = Engine::new().load(&plain.save_module().expect("it is saved")).expect("it is loaded");
    scope["n"] = json!(2);
    assert_eq!(compiled_for(&loaded, &scope), 0);
    // The code of attributes is compiled from the text.
    assert_eq!(results(&loaded, &scope), results(&plain, &scope));
    let selected = loaded.module().and_then(|module| module.select(&["x".parse().expect("a path")]));
    assert_eq!(selected.expect("it is planned").locals().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn documents_without_linked_code_are_linked_when_they_are_loaded() {
    let document = parsed(MODULE);
    let loaded = Engine::new().load(&document.save().expect("it is saved")).expect("it is loaded");
    assert_eq!(whole(&loaded, &scope()), whole(&document, &scope()));
    let circle = parsed("locals {\n  a = local.b\n  b = local.a\n}\n");
    assert!(circle.save_module().is_err());
}

#[test]
fn edited_and_json_documents_are_saved() {
    let document = parsed("a = n\nb = 2\n").update("a = n\nc = n + 3\nb = 2\n").expect("it parses").0;
    let loaded = Engine::new().load(&document.save().expect("it is saved")).expect("it is loaded");
    assert_eq!(results(&loaded, &scope()), results(&document, &scope()));
    let document =
        Engine::new().parse_json("x.json", r#"{"a": "${n + 1}", "b": {"c": "x"}}"#).expect("it parses");
    let loaded = Engine::new().load(&document.save().expect("it is saved")).expect("it is loaded");
    assert_eq!(results(&loaded, &scope()), results(&document, &scope()));
}

#[test]
fn every_flipped_bit_is_an_error() {
    let bytes = parsed("a = n + 1\nb \"c\" {\n  d = [for x in n : x.y]\n}\n").save().expect("it is saved");
    let engine = Engine::new();
    for at in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        assert!(engine.load(&damaged).is_err(), "bit {at}");
        assert!(engine.load_or_compile(&damaged).is_err(), "bit {at}");
    }
    for len in 0..bytes.len() {
        assert!(engine.load(&bytes[..len]).is_err(), "{len} bytes");
    }
    assert!(matches!(engine.load(b"a = 1"), Err(LoadError::NotCompiled)));
}

/// Returns bytes with the checksum that they ought to have.
fn forged(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes[12..]).to_le_bytes();
    bytes[8..12].copy_from_slice(&checksum);
    bytes
}

/// `HCLVM_FORGED=COUNT` for a longer run.
#[test]
fn forged_bytes_are_refused_or_run_within_the_limits() {
    let bytes = parsed(EVERYTHING).save().expect("it is saved");
    forge(&bytes, 3_000, |document| {
        results(document, &scope());
        // Code that was accepted is linked.
        drop(document.module());
    });
}

/// `HCLVM_FORGED=COUNT` for a longer run.
#[test]
fn forged_modules_are_refused_or_run_within_the_limits() {
    let bytes = parsed(MODULE).save_module().expect("it is saved");
    forge(&bytes, 1_000, |document| {
        let Ok(module) = document.module() else { return };
        let scope = module.scope();
        drop(module.evaluate(&mut document.engine().session(), &scope));
        if document.layout().len() == parsed(MODULE).layout().len() {
            whole(document, &self::scope());
        }
    });
}

/// Loads and uses documents whose bytes were changed at a few places.
fn forge(bytes: &[u8], few: usize, run: impl Fn(&Document)) {
    let engine = Engine::new();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap_or_default() % below
    };
    let (mut loaded, mut refused) = (0, 0);
    let count = std::env::var("HCLVM_FORGED").ok().and_then(|count| count.parse().ok()).unwrap_or(few);
    for _ in 0..count {
        let mut damaged = bytes.to_vec();
        for _ in 0..=next(3) {
            let at = 12 + next(bytes.len() - 12);
            damaged[at] =
                if next(2) == 0 { damaged[at].wrapping_add(1) } else { u8::try_from(next(256)).unwrap_or(0) };
        }
        match engine.load(&forged(damaged)) {
            Ok(document) => {
                run(&document);
                loaded += 1;
            }
            Err(_) => refused += 1,
        }
    }
    // Most of the bytes are of the text and of constants, any of which are valid.
    assert!(loaded * 30 > count && refused * 30 > count, "{loaded} {refused}");
}

#[test]
fn other_functions_and_versions_are_refused_and_compiled_again() {
    let bytes = parsed("a = 1 + n\n").save().expect("it is saved");
    let plain = Engine::builder().functions(hclvm::functions::FunctionTable::new()).build();
    assert!(matches!(plain.load(&bytes), Err(LoadError::OtherEngine)));
    let (document, reason) = plain.load_or_compile(&bytes).expect("the text is compiled");
    assert!(matches!(reason, Some(LoadError::OtherEngine)));
    assert!(results(&document, &scope())[0].contains('3'));
    let at =
        bytes.windows(5).position(|part| part == env!("CARGO_PKG_VERSION").as_bytes()).expect("it is there");
    let mut older = bytes;
    older[at] = b'9';
    let error = Engine::new().load(&forged(older)).expect_err("it is of another version");
    assert!(matches!(&error, LoadError::OtherVersion(version) if version.starts_with('9')), "{error}");
}

#[test]
fn code_with_another_fingerprint_is_refused() {
    let bytes = parsed("a = 1 + n\n").save().expect("it is saved");
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let at = bytes.windows(version.len()).position(|part| part == version).expect("it is there");
    // The fingerprint is behind the version, which stays that of this build.
    for byte in at + version.len()..at + version.len() + 4 {
        let mut other = bytes.clone();
        other[byte] ^= 1;
        let error = Engine::new().load(&forged(other)).expect_err("its code is of another kind");
        assert!(
            matches!(&error, LoadError::OtherVersion(version) if version == env!("CARGO_PKG_VERSION")),
            "{error}"
        );
    }
}

/// The result of a pure function with constant arguments may be in the code.
#[test]
fn functions_that_are_not_pure_any_more_are_refused() {
    let engine = |pure: bool| {
        let next = hclvm::function("next", ["n"], |n: i64| n + 1);
        let mut functions = hclvm::functions::standard();
        functions.insert("next", if pure { next } else { next.impure() });
        Engine::builder().functions(functions).build()
    };
    let bytes = engine(true).parse("x.hcl", "a = next(1)\n").expect("HCL").save().expect("it is saved");
    assert!(engine(true).load(&bytes).is_ok());
    assert!(matches!(engine(false).load(&bytes), Err(LoadError::OtherEngine)));
}

#[test]
fn an_incomplete_document_stays_incomplete() {
    let engine = Engine::builder().undefined(hclvm::Undefined::Unknown).build();
    let document = engine.parse("x.hcl", "a = n\nb = name\n").expect("HCL");
    let some = std::sync::Arc::new(hclvm::Layout::new(["n"]));
    let document = document.for_layout(&some);
    let loaded = engine.load(&document.save().expect("it is saved")).expect("it is loaded");
    // An edit that uses no other name: the layout has those of the rest of the text all the same.
    for before in [document, loaded] {
        let (after, _) = before.update("a = n + 1\nb = name\n").expect("HCL");
        assert!(after.layout().slot("name").is_some(), "{:?}", after.layout().names());
    }
}

#[test]
fn texts_with_errors_are_not_saved() {
    let (document, _) = Engine::new().parse_lenient("x.hcl", "a = \nb = 1\n");
    assert!(document.save().is_err());
}

#[test]
fn a_large_document_is_saved_with_all_its_code() {
    let mut text = String::new();
    for at in 0..500 {
        writeln!(
            text,
            "a{at} = n > {at} && name == \"x{at}\" ? \"${{kind}}-{at}\" : [for x in items : x.size + {at}]"
        )
        .expect("it is text");
    }
    let document = parsed(&text);
    let engine = Engine::new();
    let loaded = engine.load(&document.save().expect("it is saved")).expect("it is loaded");
    assert_eq!(results(&loaded, &scope()), results(&document, &scope()));
}

/// Returns the attributes of a text whose saved code is not used, and the number of all; none if the text does not
/// parse.
fn compiled_again(text: &str) -> (Vec<String>, usize) {
    let Ok(document) = Engine::new().parse("x.hcl", text) else { return Default::default() };
    let Ok(bytes) = document.save() else { return Default::default() };
    let engine = Engine::new();
    let loaded = engine.load(&bytes).expect("it is loaded");
    let (mut found, mut all) = (Vec::new(), 0);
    let mut open = vec![loaded.body()];
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            all += 1;
            let before = engine.compiled_programs();
            attribute.program().expect("it fits");
            if engine.compiled_programs() > before {
                let span = attribute.expression_span();
                found.push(span.slice(text).to_owned());
            }
        }
        open.extend(body.blocks().map(|block| block.body()));
    }
    (found, all)
}

/// Sets, maps and typed nulls have no saved form, so a few expressions with such constants are compiled again. Code
/// that the verifier refuses is compiled from the text, which nothing else would show.
#[test]
fn the_code_of_real_files_is_loaded() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut open = vec![folder];
    let (mut again, mut all) = (Vec::new(), 0);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|suffix| suffix == "hcl") {
                let text = std::fs::read_to_string(&path).expect("the file is there");
                let (found, count) = compiled_again(&text);
                again.extend(found);
                all += count;
            }
        }
    }
    assert!(all > 300 && again.len() * 100 <= all, "{} of {all}: {again:#?}", again.len());
}
