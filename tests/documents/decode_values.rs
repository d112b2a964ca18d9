//! The values of modules through serde: decoded to types of the host, and serialized. Documents are decoded in
//! tests/documents/decode_body.rs.

use std::collections::BTreeMap;
use std::fmt::Debug;

use hclvm::{Document, Engine};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

const GAME: &str = r#"
locals {
  base  = 10
  extra = { bow = 3, axe = 4 }
}
title = "arena"
speed = local.base * 2
weapon "sword" {
  damage = local.base
  grip "left" "soft" { size = 1 }
}
dynamic "weapon" {
  for_each = local.extra
  labels   = [weapon.key]
  content { damage = weapon.value }
}
backend "file" { path = "x" }
limits {}
step { n = 1 }
step { n = 2 }
"#;

fn parse(text: &str) -> Document {
    Engine::standard().parse("t.hcl", text).expect("the text is well formed")
}

fn decoded<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let document = parse(text);
    let module = document.module().expect("it compiles");
    let (mut session, mut scope) = (document.engine().session(), module.scope());
    scope.set_unknown("unknown");
    let values = module.evaluate(&mut session, &scope).expect("it is within limits");
    values.decode().map_err(|error| error.to_string())
}

fn serialized(text: &str) -> Result<Json, String> {
    let document = parse(text);
    let module = document.module().expect("it compiles");
    let (mut session, mut scope) = (document.engine().session(), module.scope());
    scope.set_unknown("unknown");
    let values = module.evaluate(&mut session, &scope).expect("it is within limits");
    serde_json::to_value(&values).map_err(|error| error.to_string())
}

#[derive(Debug, Deserialize, PartialEq)]
struct Game {
    title: String,
    speed: u8,
    weapon: BTreeMap<String, Weapon>,
    backend: Backend,
    limits: (),
    step: Vec<Step>,
    missing: Option<Step>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Weapon {
    damage: u32,
    #[serde(default)]
    grip: Vec<Grip>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Grip {
    #[serde(rename = "$label")]
    side: String,
    #[serde(rename = "$label2")]
    kind: String,
    size: u8,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Backend {
    File { path: String },
    Memory,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Step {
    n: u8,
}

#[test]
fn values_fill_the_types_that_documents_fill() {
    let game: Game = decoded(GAME).expect("it fits");
    assert_eq!((game.title.as_str(), game.speed, game.step.len()), ("arena", 20, 2));
    assert_eq!(game.weapon["sword"].grip, [Grip { side: "left".into(), kind: "soft".into(), size: 1 }]);
    assert_eq!((game.weapon["bow"].damage, game.weapon["axe"].damage), (3, 4));
    assert_eq!(game.backend, Backend::File { path: "x".into() });
    let document = parse(GAME);
    assert_eq!(document.decode::<Game>(&document.scope()).expect("it fits"), game);
    let memory: Game = decoded(&GAME.replace("\"file\" { path = \"x\" }", "\"memory\" {}")).expect("it fits");
    assert_eq!(memory.backend, Backend::Memory);
}

#[test]
fn maps_and_json_values_are_filled_as_from_documents() {
    let from_values: Json = decoded(GAME).expect("it fits");
    let document = parse(GAME);
    let from_document: Json = document.decode(&document.scope()).expect("it fits");
    assert_eq!(from_values, from_document);
    assert_eq!(from_values, serialized(GAME).expect("all values are known"));
}

#[test]
fn serialized_values_have_the_shape_of_json_files() {
    let expected = json!({
        "title": "arena",
        "speed": 20,
        "weapon": {
            "sword": {"damage": 10, "grip": {"left": {"soft": {"size": 1}}}},
            "axe": {"damage": 4},
            "bow": {"damage": 3},
        },
        "backend": {"file": {"path": "x"}},
        "limits": {},
        "step": [{"n": 1}, {"n": 2}],
    });
    assert_eq!(serialized(GAME), Ok(expected.clone()));
    // Such a file has the same values.
    let document = Engine::standard().parse_json("t.json", &expected.to_string()).expect("it is well formed");
    assert_eq!(document.decode::<Json>(&document.scope()).expect("it is an object"), expected);
}

#[test]
fn strings_are_borrowed_from_the_session() {
    #[derive(Deserialize)]
    struct Borrowed<'v> {
        title: &'v str,
        rule: BTreeMap<&'v str, Vec<u8>>,
    }
    let document = parse("title = \"a${1}\"\nrule = { x = [] }\n");
    let module = document.module().expect("it compiles");
    let (mut session, scope) = (document.engine().session(), module.scope());
    let values = module.evaluate(&mut session, &scope).expect("it is within limits");
    let borrowed: Borrowed<'_> = values.decode().expect("it fits");
    assert_eq!((borrowed.title, borrowed.rule.contains_key("x")), ("a1", true));
}

#[test]
fn blocks_are_decoded_alone() {
    let document = parse(GAME);
    let module = document.module().expect("it compiles");
    let (mut session, scope) = (document.engine().session(), module.scope());
    let values = module.evaluate(&mut session, &scope).expect("it is within limits");
    let sword = values.block("weapon", ["sword"]).expect("it is there");
    let grips: Vec<Grip> = sword.body().blocks().map(|grip| grip.decode().expect("it fits")).collect();
    assert_eq!((grips[0].side.as_str(), grips[0].size), ("left", 1));
}

#[test]
fn errors_name_the_path() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what is wrong with the values matters")]
    struct Simple {
        #[serde(default)]
        weapon: BTreeMap<String, Small>,
        #[serde(default)]
        step: Vec<Step>,
        one: Option<Step>,
    }
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what is wrong with the values matters")]
    struct Small {
        damage: u8,
    }
    for (text, expected) in [
        (
            "weapon \"a\" {\n damage = 300\n}",
            "weapon.a.damage: found the number 300, wanted a whole number from 0 to 255",
        ),
        (
            "weapon \"a\" {\n damge = 3\n}",
            "weapon.a: \"damge\" is not an argument that can be set here. Did you mean \"damage\"?",
        ),
        ("weapon \"a\" {\n}", "weapon.a: there is no attribute \"damage\""),
        ("weapn \"a\" {\n}", "Blocks of type \"weapn\" are not allowed here. Did you mean \"weapon\"?"),
        (
            "weapon {\n damage = 1\n}",
            "weapon.damage: found the number 1, wanted an object with the attribute damage",
        ),
        (
            "step {\n n = 1\n}\nstep {\n n = true\n}",
            "step[1].n: found true, wanted a whole number from 0 to 255",
        ),
        ("step \"a\" {\n n = 1\n}", "step[0]: blocks of type \"step\" have 0 labels here, not 1"),
        (
            "one {\n n = 1\n}\none {\n n = 1\n}",
            "one: found 2 blocks of type \"one\", but only one is allowed here",
        ),
        ("one {\n n = unknown\n}", "one.n: the value is not known (type dynamic)"),
        (
            "dynamic \"step\" {\n for_each = unknown\n content {\n n = 1\n }\n}",
            "step: `for_each` is not known yet, so the blocks cannot be made",
        ),
    ] {
        assert_eq!(decoded::<Simple>(text).err().as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn partial_values_are_not_decoded() {
    let error = decoded::<BTreeMap<String, u8>>("a = upper(1, 2)\nb = 1\n").expect_err("there is an error");
    assert!(error.starts_with("t.hcl:1:14: Too many function arguments"), "{error}");
}

#[test]
fn values_without_json_are_refused_with_their_path() {
    for (text, expected) in [
        (
            "rule \"a\" {\n x = [1, unknown]\n}",
            "rule.a.x[1]: the value is not known (type dynamic), so it has no JSON",
        ),
        ("log {\n}\nlog \"x\" {\n}", "log: some of the blocks have fewer labels than others"),
        (
            "dynamic \"log\" {\n for_each = unknown\n content {\n }\n}",
            "log: `for_each` is not known, so the blocks have no JSON",
        ),
    ] {
        assert_eq!(serialized(text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn marked_values_are_neither_decoded_nor_serialized() {
    let document = parse("rule \"a\" {\n  x = secret\n}\n");
    let module = document.module().expect("it compiles");
    let (mut session, mut scope) = (document.engine().session(), module.scope());
    let set = scope.build("secret", |arena| {
        let marks = hclvm::value::marks_from(arena, &["sensitive"]);
        Ok(hclvm::Value::str(arena, "hunter2").with_marks(arena, marks))
    });
    set.expect("it fits");
    let values = module.evaluate(&mut session, &scope).expect("it is within limits");
    let refused = serde_json::to_string(&values).expect_err("it is marked").to_string();
    assert_eq!(refused, "rule.a.x: the value is marked (sensitive), so it has no JSON");
    let refused = values.decode::<BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>>();
    let refused = refused.expect_err("it is marked").to_string();
    assert_eq!(refused, "rule.a.x: the value is marked (sensitive) and is not given out");
    assert!(!format!("{values:?}").contains("hunter2"), "Debug hides it, too");
}

#[test]
fn types_that_contain_themselves_are_an_error() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what is wrong with the values matters")]
    struct Endless(Box<Endless>);
    let error = decoded::<Endless>("a = 1\n").expect_err("it has no end");
    assert_eq!(error, "the wanted type contains itself without end");
    let error = decoded::<BTreeMap<String, Endless>>("a {\n}\n").expect_err("it has no end");
    assert_eq!(error, "a: the wanted type contains itself without end");
}

/// Serde recurses into each level of blocks and labels, so that levels without a limit would overflow the stack.
#[test]
fn levels_of_blocks_and_labels_are_limited() {
    let labels = |count: usize| format!("a {}{{\n  b = 1\n}}\n", "x ".repeat(count));
    let blocks = |count: usize| format!("{}b = 1\n{}", "a {\n".repeat(count), "}\n".repeat(count));
    let reads = move || {
        for (text, fits) in [
            (labels(100), true),
            (blocks(100), true),
            (labels(100_000), false),
            (blocks(990), false),
            ("a x y z {\n".repeat(50) + &"}\n".repeat(50), false),
        ] {
            let document = Engine::new().parse("x.hcl", &text).expect("it parses");
            let decoded = document.decode::<Json>(&document.scope());
            let module = document.module().expect("it compiles");
            let (mut session, scope) = (document.engine().session(), module.scope());
            let values = module.evaluate(&mut session, &scope).expect("it is within limits");
            let again = values.decode::<Json>();
            let json = serde_json::to_value(&values);
            if fits {
                let decoded = decoded.expect("it fits");
                assert!(decoded == again.expect("it fits") && decoded == json.expect("it has JSON"));
            } else {
                for error in [
                    decoded.expect_err("it is too deep").to_string(),
                    again.expect_err("it is too deep").to_string(),
                    json.expect_err("it is too deep").to_string(),
                ] {
                    assert!(error.contains("blocks are nested in more than 128 levels"), "{error}");
                }
            }
        }
    };
    // Two thirds of the stack of a thread.
    let small = std::thread::Builder::new().stack_size(1365 << 10).spawn(reads);
    small.expect("a thread").join().expect("the stack is large enough");
}
