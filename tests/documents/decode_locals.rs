//! Files with `locals` decoded to types of the host: which blocks are locals, and what is reported about them. Other
//! blocks are decoded in tests/documents/decode_body.rs.

use std::collections::BTreeMap;

use hclvm::{Engine, Error, Limits};
use serde::Deserialize;
use serde::de::DeserializeOwned;

fn decode<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let document = Engine::standard().parse("t.hcl", text)?;
    let mut scope = document.scope();
    if scope.has("level") {
        scope.set("level", &3)?;
    }
    document.decode(&scope)
}

/// Returns position, title and detail of every diagnostic.
fn problems(text: &str) -> Vec<String> {
    let error = decode::<Tuning>(text).expect_err("the text has errors");
    error.to_string().lines().map(|line| line.replace("t.hcl:", "")).collect()
}

#[derive(Debug, Deserialize, PartialEq)]
struct Tuning {
    speed: u32,
    #[serde(default)]
    weapon: BTreeMap<String, Weapon>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Weapon {
    damage: u32,
    #[serde(default)]
    hits: Vec<u32>,
}

#[test]
fn locals_are_evaluated_in_the_order_of_their_use() {
    let tuning: Tuning = decode(
        r#"
        locals { fast = local.base * level }
        speed = local.fast
        weapon "sword" {
          damage = local.fast + local.weapons.sword
          hits   = [for name, hit in local.weapons : hit]
        }
        locals {
          base    = 10
          weapons = { sword = local.base, bow = 2 }
        }
        "#,
    )
    .expect("it decodes");
    let sword = Weapon { damage: 40, hits: vec![2, 10] };
    assert_eq!(tuning, Tuning { speed: 30, weapon: BTreeMap::from([("sword".into(), sword)]) });
}

#[test]
fn dynamic_blocks_read_locals_and_the_whole_object() {
    let tuning: Tuning = decode(
        r#"
        locals {
          damage = { sword = 5, bow = 3 }
          base   = 1
        }
        speed = length(local)
        dynamic "weapon" {
          for_each = local.damage
          labels   = [weapon.key]
          content { damage = weapon.value + local.base }
        }
        "#,
    )
    .expect("it decodes");
    assert_eq!(tuning.speed, 2);
    assert_eq!((tuning.weapon["bow"].damage, tuning.weapon["sword"].damage), (4, 6));
}

#[test]
fn files_in_json_have_locals_too() {
    let engine = Engine::standard();
    let document = engine
        .parse_json(
            "t.json",
            r#"{"locals": {"base": 10, "fast": "${local.base * 2}"}, "speed": "${local.fast}"}"#,
        )
        .expect("it is well formed");
    let tuning: Tuning = document.decode(&document.scope()).expect("it decodes");
    assert_eq!(tuning.speed, 20);
}

#[test]
fn a_struct_with_a_field_for_them_gets_the_blocks() {
    #[derive(Debug, Deserialize)]
    struct Own {
        speed: u32,
        locals: Vec<BTreeMap<String, u32>>,
    }
    let own: Own = decode("locals {\n  a = 1\n}\nlocals {\n  a = 2\n}\nspeed = 3\n").expect("it decodes");
    assert_eq!((own.speed, own.locals[0]["a"], own.locals[1]["a"]), (3, 1, 2));

    let document =
        Engine::standard().parse("t.hcl", "locals {\n  a = 1\n}\nspeed = local.b\n").expect("it is");
    let mut scope = document.scope();
    scope.set("local", &BTreeMap::from([("b", 7)])).expect("it is read");
    let own: Own = document.decode(&scope).expect("the variable is the host's");
    assert_eq!((own.speed, own.locals[0]["a"]), (7, 1));
}

#[test]
fn blocks_of_this_type_inside_of_others_are_no_locals() {
    #[derive(Debug, Deserialize)]
    struct Outer {
        inner: BTreeMap<String, BTreeMap<String, u32>>,
    }
    let outer: Outer = decode("inner {\n  locals {\n    a = 1\n  }\n}\n").expect("it decodes");
    assert_eq!(outer.inner["locals"]["a"], 1);
}

#[test]
fn maps_have_no_entry_for_locals() {
    let found: BTreeMap<String, u32> = decode("locals {\n  a = 1\n}\nspeed = local.a\n").expect("it decodes");
    assert_eq!(found, BTreeMap::from([("speed".into(), 1)]));
}

#[test]
fn variables_named_local_are_hidden_by_the_locals_of_the_file() {
    let document =
        Engine::standard().parse("t.hcl", "locals {\n  a = 1\n}\nspeed = local.a\n").expect("it is");
    let mut scope = document.scope();
    scope.set_all_json(r#"{"local": {"a": 99}}"#).expect("it is JSON");
    let tuning: Tuning = document.decode(&scope).expect("it decodes");
    assert_eq!(tuning.speed, 1);
}

#[test]
fn a_local_with_an_error_is_reported_once_with_all_other_problems() {
    let text = "locals {\n  bad  = upper(1, 2)\n  more = local.bad + 1\n}\nspeed = local.more\nweapon \"a\" {\n  \
                damage = local.bad\n}\nweapon \"b\" {\n  damage = -1\n  colour = 2\n}\n";
    assert_eq!(
        problems(text),
        [
            "2:19: Too many function arguments: The function \"upper\" takes only 1 argument: upper(str).",
            "10:12: Unsuitable value type: The value cannot be used here: found the number -1, wanted a whole number from 0 to 4294967295.",
            "11:3: Unsupported argument: \"colour\" is not an argument that can be set here. Possible names are damage, hits.",
        ]
    );
}

#[test]
fn blocks_of_a_collection_with_an_error_are_not_reported_again() {
    let text = "locals {\n  all = [for n in 5 : n]\n}\nspeed = 1\ndynamic \"weapon\" {\n  for_each = local.all\n  \
                labels = [\"x\"]\n  content {\n    damage = 1\n  }\n}\n";
    let found = problems(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("2:19: Iteration"), "{found:?}");
}

#[test]
fn cycles_and_duplicates_are_reported_with_all_other_problems() {
    let found = problems(
        "locals {\n  a = local.b\n  b = local.a\n  c = 1\n}\nlocals {\n  c = 2\n}\nspeed = local.a\nsped = 1\n",
    );
    let titles: Vec<&str> = found.iter().filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!(titles, ["Dependency cycle", "Duplicate local value", "Unsupported argument"], "{found:?}");
}

#[test]
fn names_of_locals_that_do_not_exist_are_reported_with_the_nearest_one() {
    let found = problems("locals {\n  base = 1\n}\nspeed = local.bse\n");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("Did you mean \"base\"?"), "{found:?}");
}

#[test]
fn limits_hold_for_locals() {
    let limits = Limits { fuel: 10_000, ..Limits::untrusted() };
    let engine = Engine::builder().limits(limits).build();
    let text =
        "locals {\n  big = length([for a in range(1000) : [for b in range(1000) : b]])\n}\nspeed = 1\n";
    let document = engine.parse("t.hcl", text).expect("it is well formed");
    let error = document.decode::<Tuning>(&document.scope()).expect_err("the limit is exceeded");
    assert!(matches!(error.kind(), hclvm::ErrorKind::Limit(_)), "{error}");
}

#[test]
fn a_secret_of_a_local_is_not_in_messages() {
    let text = "locals {\n  copy = secret\n}\nspeed = local.copy\n";
    let document = Engine::standard().parse("t.hcl", text).expect("it is well formed");
    let mut scope = document.scope();
    let set = scope.build("secret", |arena| {
        let text = hclvm::Value::str(arena, "hunter2");
        Ok(text.with_marks(arena, hclvm::value::marks_from(arena, &["sensitive"])))
    });
    set.expect("it fits");
    let error = document.decode::<Tuning>(&scope).expect_err("a secret is not given out");
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}
