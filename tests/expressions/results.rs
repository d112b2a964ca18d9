//! Results: owned copies, and JSON written without copying. Decoding through serde is in tests/documents/serde.

use allocation_counter::measure;
use hclvm::{Engine, Json, OwnedValue, Scope, Session, Value};

/// Evaluates `text` in the scope that `set` fills and returns a copy of the result.
fn kept(text: &str, set: impl FnOnce(&mut Scope)) -> OwnedValue {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", &format!("x = {text}")).expect("it parses");
    let mut scope = document.scope();
    set(&mut scope);
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut session = engine.session();
    OwnedValue::new(session.run(&program, &scope).expect("it evaluates"))
}

fn json(value: &OwnedValue) -> String {
    Json(value.get()).to_text().expect("it has JSON")
}

#[test]
fn copies_keep_shared_parts_shared() {
    // The leaf occurs 2^60 times, the string a thousand times.
    for (inner, pair) in [("v", "[_, _]"), ("{a = v}", "{a = _, b = _}"), ("tolist([v])", "[_, _]")] {
        let text = (0..60)
            .fold(inner.to_owned(), |text, _| format!("[for x in [{text}] : {}][0]", pair.replace('_', "x")));
        let value = kept(&text, |scope| scope.set("v", "leaf").expect("a text"));
        assert!(value.allocated_bytes() < 60_000, "{}", value.allocated_bytes());
        assert_eq!(value.get().depth(), 60 + inner.matches(['{', '[']).count());
    }
    let long = "x".repeat(100_000);
    let many = kept("[for i in range(1000) : v]", |scope| scope.set("v", &long).expect("a text"));
    assert!(many.allocated_bytes() < 200_000, "{}", many.allocated_bytes());
    assert_eq!(many.get().as_items().expect("a tuple")[999].as_str(), Some(&*long));
}

/// Calls `take` with a scope and lists of twenty thousand nulls and unknown values whose type has a
/// thousand attributes.
fn of_one_large_type(take: impl Fn(&mut Scope, Value<'_>)) {
    let attributes = (0..1_000).map(|at| format!("a{at} = number, ")).collect::<Vec<_>>().concat();
    let engine = Engine::standard();
    let document = engine.parse(
        "x.hcl",
        &format!(
            "unknown = convert(any, list(object({{ {attributes} }})))
            null    = [for n in [convert(null, object({{ {attributes} }}))] : [for i in many : n]][0]
            element = [for i in many : list[i]]"
        ),
    );
    let document = document.expect("it parses");
    let run = |session: &mut Session, scope: &mut Scope, name: &str, take: &dyn Fn(&mut Scope, Value<'_>)| {
        let program = document.attribute(name).expect("it is there").program().expect("it compiles");
        let seen = scope.fork();
        take(scope, session.run(&program, &seen).expect("it evaluates"));
    };
    let (mut session, mut scope) = (engine.session(), document.scope());
    scope.set("many", &vec![0; 20_000]).expect("a list");
    scope.set_unknown("any");
    run(&mut session, &mut scope, "unknown", &|scope, list| {
        scope.set_value("list", list).expect("it is small");
    });
    for name in ["null", "element"] {
        run(&mut session, &mut scope, name, &take);
    }
}

#[test]
fn copies_keep_shared_types_shared() {
    of_one_large_type(|_, value| {
        let held = OwnedValue::new(value).allocated_bytes();
        assert!(held < 8 << 20, "{held} bytes");
    });
}

#[test]
fn a_copy_without_sharing_ends_at_the_limit() {
    of_one_large_type(|scope, value| {
        let taken = measure(|| {
            let error = scope.set_value("any", value).expect_err("it is too large").to_string();
            assert!(error.contains("exceeds the limits"), "{error}");
        });
        assert!(taken.bytes_max < 128 << 20, "{} bytes", taken.bytes_max);
    });
}

#[test]
fn a_copy_is_equal_and_takes_no_excess_memory() {
    let list: Vec<String> =
        (0..200).map(|n| format!(r#"{{"name":"name {n}","port":{n},"tags":["a","b"]}},"#)).collect();
    let list = list.concat();
    let text = format!("[{list}0.5,-1,1e40,null,true,{{}},[],\"\"]");
    let value = kept("v", |scope| scope.set_json("v", &text).expect("JSON"));
    assert_eq!(json(&value), text.replace("1e40", &format!("1{}", "0".repeat(40))));
    // 16 bytes for a value, 40 for an entry, plus the text of its name.
    let least = 200 * (16 + 3 * (40 + 8) + 2 * 16 + 2 * 8 + 8);
    let held = value.allocated_bytes();
    assert!((least..least + least / 8).contains(&held), "{held} for {least}");
    let types = "[toset([\"b\", \"a\"]), tomap({a = [1]}), tolist([{x = 1}, {x = 2}]), tolist([])]";
    let value = kept(types, |_| ());
    assert_eq!(format!("{:?}", OwnedValue::new(value.get()).get()), format!("{:?}", value.get()));
    assert_eq!(json(&value), r#"[["a","b"],{"a":[1]},[{"x":1},{"x":2}],[]]"#);
}

#[test]
fn an_owned_value_outlives_its_engine_on_any_thread() {
    let value = kept("{a = [v, 1 / 3], b = upper(v)}", |scope| scope.set("v", "text").expect("a text"));
    let clone = value.clone();
    let shown = std::thread::spawn(move || json(&clone)).join().expect("no panic");
    assert_eq!(shown, json(&value));
}

#[test]
fn json_is_written_without_allocating_values() {
    let text: Vec<String> =
        (0..100).map(|n| format!(r#"{{"load":{n}.25,"name":"n\n{n}","tags":[true,null,-1{n}]}}"#)).collect();
    let value = kept("v", |scope| scope.set_json("v", &format!("[{}]", text.join(","))).expect("JSON"));
    let mut out = Vec::with_capacity(100_000);
    let mut write = || {
        out.clear();
        serde_json::to_writer(&mut out, &Json(value.get())).expect("it has JSON");
    };
    write();
    assert_eq!(measure(&mut write).count_total, 0);
    assert_eq!(String::from_utf8(out).expect("UTF-8"), format!("[{}]", text.join(",")));
}
