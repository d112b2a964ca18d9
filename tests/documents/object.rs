//! Host objects: they give the values that serde would, and are asked only for attributes that programs read.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use hclvm::ingest::{Builder, HostObject};
use hclvm::{Engine, Error, Limits, Scope, Value, record};
use serde::Serialize;

#[derive(Clone, Serialize)]
struct Server<'s> {
    zone: &'s str,
    name: String,
    port: u16,
    load: f64,
    big: u64,
    owner: Option<Owner>,
    tags: Vec<String>,
    labels: BTreeMap<String, i64>,
    pair: [bool; 2],
    #[serde(rename = "type")]
    kind: i8,
}

#[derive(Clone, Serialize)]
struct Owner {
    id: usize,
    mail: Box<str>,
}

record!(Server<'_> { zone, name, port, load, big, owner, tags, labels, pair, kind as "type" });
record!(Owner { id, mail });

fn server() -> Server<'static> {
    Server {
        zone: "a\u{301}",
        name: "one".to_owned(),
        port: 8080,
        load: 0.1,
        big: u64::MAX,
        owner: Some(Owner { id: 7, mail: "a@b".into() }),
        tags: vec!["x".to_owned(), "y".to_owned()],
        labels: BTreeMap::from([("p".to_owned(), -1), ("q".to_owned(), 2)]),
        pair: [true, false],
        kind: -3,
    }
}

#[test]
fn records_equal_their_serde_values() {
    let engine = Engine::standard();
    let text =
        "x = [s, s.owner.mail, s.type, s.big + 1, s.load * 3, s.labels, [for k, v in s : k], s == t, u]";
    let document = engine.parse("x.hcl", text).expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let shown = |scope: &Scope| {
        let mut session = engine.session();
        format!("{:?}", session.run(&program, scope).expect("all are set"))
    };
    let (one, many) = (server(), vec![Server { owner: None, ..server() }; 3]);
    let mut by_serde = document.scope();
    by_serde.set("s", &one).expect("a struct");
    by_serde.set("t", &one).expect("a struct");
    by_serde.set("u", &many).expect("structs");
    for mut scope in [document.scope(), document.projection().scope()] {
        scope.set_object("s", &one).expect("a record");
        scope.set_host("t", &one).expect("a record");
        scope.set_host("u", &many).expect("records");
        assert_eq!(shown(&scope), shown(&by_serde));
    }
    let parts =
        engine.parse("y.hcl", "x = [s.owner.mail, s.type, s.missing.more, s.tags]").expect("it parses");
    let mut scope = parts.projection().scope();
    scope.set_object("s", &one).expect("a record");
    let brought = r#"{owner = {mail = "a@b"}, tags = ["x", "y"], type = -3}"#;
    assert_eq!(format!("{:?}", scope.get("s").expect("set")), brought);
}

/// An object that records the attributes it was asked for.
#[derive(Default)]
struct Asked(RefCell<Vec<String>>);

impl HostObject for Asked {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        ["b", "a", "nothing", "inner"].into_iter().for_each(visit);
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        self.0.borrow_mut().push(name.to_owned());
        match name {
            "a" | "b" => to.value(name).map(Some),
            "inner" => to.object(self).map(Some),
            "list" => to.serde(&[1, 2]).map(Some),
            "closed" => Err(Error::host("it is closed")),
            _ => Ok(None),
        }
    }
}

#[test]
fn only_attributes_that_are_read_are_asked_for_each_once() {
    let engine = Engine::standard();
    let asked = |text: &str| {
        let document = engine.parse("x.hcl", text).expect("it parses");
        let (object, mut scope) = (Asked::default(), document.projection().scope());
        let set = scope.set_object("v", &object);
        let object = object.0.into_inner().join(" ");
        set.map(|()| object).map_err(|error| error.to_string())
    };
    assert_eq!(asked("x = v.a == v.a ? v.a : v.zzz\ny = v.b"), Ok("a b zzz".to_owned()));
    assert_eq!(asked("x = v.inner.inner.a"), Ok("inner inner a".to_owned()));
    assert!(asked("x = w.a").is_err(), "nothing reads the variable");
    assert_eq!(asked("x = v.list[0]"), Ok("list".to_owned()));
    assert_eq!(asked("x = v.closed"), Err("it is closed".to_owned()));
    // An object that contains itself is as deep as the limits allow.
    assert!(asked("x = v").expect_err("no end").contains("nest deeper than 128"));
    assert!(asked("x = keys(v.inner)").expect_err("no end").contains("nest deeper than 128"));
}

/// An object some of whose attributes cannot be read.
struct Failing(&'static [&'static str]);

impl HostObject for Failing {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        self.0.iter().copied().for_each(visit);
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        match name {
            "none" => Ok(None),
            _ if name.starts_with("bad") => Err(Error::host(format!("{name} is broken"))),
            _ => to.value(name).map(Some),
        }
    }
}

#[test]
fn the_first_attribute_that_fails_is_reported() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "x = v").expect("it parses");
    for (names, expected) in [
        (&["bad1"][..], "bad1 is broken"),
        (&["bad1", "a"], "bad1 is broken"),
        (&["a", "bad1"], "bad1 is broken"),
        (&["bad1", "bad2"], "bad1 is broken"),
        (&["bad2", "none", "bad1"], "bad2 is broken"),
        (&["b", "none", "a"], r#"{a = "a", b = "b"}"#),
        (&["a", "a"], r#"{a = "a"}"#),
        (&[], "{}"),
    ] {
        let mut scope = document.scope();
        let found = match scope.set_object("v", &Failing(names)) {
            Ok(()) => format!("{:?}", scope.get("v").expect("it is set")),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{names:?}");
    }
}

#[test]
fn a_failing_object_leaves_the_slot_unset() {
    let limits = Limits { arena_bytes: 20_000, ..Limits::default() };
    let engine = Engine::builder().limits(limits).build();
    let document = engine.parse("x.hcl", "x = v").expect("it parses");
    let mut scope = document.scope();
    for wrong in [f64::NAN, f64::INFINITY] {
        let set = scope.set_host("v", &[1.0, wrong]);
        assert_eq!(set.is_err(), wrong.is_nan());
    }
    scope.set_host("v", &vec!["x".repeat(100); 1_000]).expect_err("too large");
    assert!(scope.get("v").is_none());
    let map: HashMap<String, Option<bool>> = [("k".to_owned(), None)].into();
    scope.set_object("v", &map).expect("it is small");
    assert_eq!(format!("{:?}", scope.get("v").expect("set")), r"{k = null}");
    scope.set_object("none", &map).expect_err("nothing reads it");
}
