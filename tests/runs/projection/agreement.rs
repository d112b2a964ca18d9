//! Generated values and many expressions give equal results with a projection and with a whole scope.

use std::fmt::Write;

use hclvm::run::Evaluation;
use hclvm::{Engine, Program, Scope};
use hclvm_workloads::dice::Dice;

/// Expressions that read parts, the whole, and parts of values that may not be objects.
const EXPRESSIONS: &[&str] = &[
    "v.a",
    "v.a.b",
    "v.a.b.c",
    "v.a == v.b",
    "v[\"a\"][\"b\"]",
    "v[\"e\u{301}\"]",
    "v.a[0]",
    "v.a[0].b",
    "v.a[*].b",
    "v.a.*.b",
    "v[w.a]",
    "v[0]",
    "v.0",
    "v[true]",
    "v",
    "v == w",
    "[for k, x in v : k]",
    "[for x in v.a : x.b]",
    "{for k, x in v.a : k => x}",
    "[for x in v.a : x.b if x.a == 1]",
    "{for x in v.a : x.a => x.b...}",
    "[for x in v : [for y in x.a : y.b]]",
    "[for x in v.a : [for y in x : [for x in y.b : x.a]]]",
    "[for k, x in v.a : x]",
    "[for x, x in v.a : x.b]",
    "[for v in v.a : v.b]",
    "[for x in v.a : w.a]",
    "[for x in v.a : 1]",
    "[for x in v.a[0] : x.b]",
    "[for x in v.a : x[0].b]",
    "v[*].a[*].b",
    "v.a[*].b[*].c.a",
    "v.a[*][*].b",
    "v.*.a.b",
    "v.a[*].b[0]",
    "v.a[*][w.a]",
    "v.a[*][\"a\"].b",
    "[for x in v.a : x.a[*].b]",
    "\"%{ for x in v.a }${x.b}%{ endfor }\"",
    "length(v)",
    "keys(v.a)",
    "jsonencode(v.b)",
    "try(v.a.b, w.a, \"none\")",
    "can(v.a.b)",
    "\"${v.a}-${v.b}\"",
    "v.a ? w.a : w.b",
    "v.a == null ? w : v.b",
    "v.a && w.b",
    "contains(v.a, w.a)",
    "merge(v, {a = 1}).a",
    "(v).a",
    "v.a.b + w.a",
    "{a = v.a, b = w.b.c}",
    "[v.a.a, v.a.b]",
    "missing.a",
];

/// Generates a JSON value from few names, so that paths often exist.
fn grow(dice: &mut Dice, depth: u32, out: &mut String) {
    const NAMES: &[&str] = &["a", "b", "c", "\\u0061", "e\u{301}", "\u{e9}", "\\u00e9", "0", "x\\\"y"];
    const LEAVES: &[&str] = &[
        "1",
        "-0",
        "2.50",
        "1e3",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a\"",
        "\"b\\n\"",
        "\"e\u{301}\"",
        "{}",
        "[]",
        "\"\\ud83d\\ude00\"",
        "12345678901234567890",
    ];
    match if depth == 0 { 9 } else { dice.roll(10) } {
        0..5 => {
            out.push('{');
            for at in 0..dice.roll(5) {
                let comma = if at > 0 { " ,\n" } else { "" };
                write!(out, "{comma}\"{}\" :", dice.pick(NAMES)).expect("a text");
                grow(dice, depth - 1, out);
            }
            out.push('}');
        }
        5..7 => {
            out.push('[');
            for at in 0..dice.roll(4) {
                out.push_str(if at > 0 { "," } else { "" });
                grow(dice, depth - 1, out);
            }
            out.push(']');
        }
        _ => out.push_str(dice.pick(LEAVES)),
    }
}

/// Evaluates a program. Messages about an object that lacks an attribute show the others only if the scope has all.
fn shown(engine: &Engine, program: &Program, scope: &Scope) -> String {
    let mut session = engine.session();
    match session.evaluate(program, scope) {
        Ok(Evaluation { value, diagnostics, .. }) => {
            let problems = diagnostics.iter().map(|one| {
                let lacks_name = ["Unsupported attribute", "Invalid index"].contains(&&*one.title);
                let detail = if lacks_name { "" } else { &one.detail };
                format!("{:?} {} {detail}", one.subject, one.title)
            });
            format!("{value:?} {:?}", problems.collect::<Vec<_>>())
        }
        Err(error) => error.to_string(),
    }
}

/// Corrupts a text in one or two places.
fn broken(dice: &mut Dice, text: &str) -> Vec<u8> {
    const BYTES: &[u8] = b"{}[],:\"\\ \n\t01e.-u\0\x1f\xff\xc3";
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.roll(2) {
        let at = dice.below(bytes.len());
        let byte = BYTES[dice.below(BYTES.len())];
        match dice.roll(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, byte),
            2 => bytes[at..].rotate_left(1),
            _ => bytes[at] = byte,
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn a_corrupted_text_is_rejected_alike_by_every_projection() {
    let engine = Engine::standard();
    let reads = ["v.a", "v.a.b", "v.b[0].c", "v[\"e\u{301}\"] == w.a", "v", "w.b.c"];
    let attributes: Vec<_> = reads.iter().enumerate().map(|(at, text)| format!("x{at} = {text}\n")).collect();
    let document = engine.parse("x.hcl", &attributes.concat()).expect("it parses");
    let programs: Vec<Program> = document.body().attributes().map(|x| x.program().expect("code")).collect();
    let projections = programs.iter().map(|program| engine.projection([program]).expect("one layout"));
    let projections: Vec<_> = projections.collect();
    let (mut dice, mut refused) = (Dice::new(23), 0);
    for _ in 0..1_200 {
        let (mut v, mut w) = (String::new(), String::new());
        grow(&mut dice, 4, &mut v);
        grow(&mut dice, 3, &mut w);
        let text = broken(&mut dice, &format!("{{\"v\":{v},\"none\":{w},\"w\":{w},\"v\":{v}}}"));
        let told = |mut scope: Scope| scope.set_all_json(&text).map_err(|error| error.to_string());
        let whole = told(document.scope());
        refused += u32::from(whole.is_err());
        for (projection, read) in projections.iter().zip(reads) {
            assert_eq!(told(projection.scope()), whole, "{read} of {}", String::from_utf8_lossy(&text));
        }
    }
    assert!((300..1_200).contains(&refused), "{refused}");
}

#[test]
fn projections_give_the_results_of_whole_scopes() {
    let engine = Engine::standard();
    let attributes: Vec<_> =
        EXPRESSIONS.iter().enumerate().map(|(at, text)| format!("x{at} = {text}\n")).collect();
    let attributes = attributes.concat();
    let document = engine.parse("x.hcl", &attributes).expect("it parses");
    let programs: Vec<Program> = document.body().attributes().map(|x| x.program().expect("code")).collect();
    let mut dice = Dice::new(11);
    let mut known = 0;
    for round in 0..1500 {
        let (mut v, mut w) = (String::new(), String::new());
        grow(&mut dice, 4, &mut v);
        grow(&mut dice, 3, &mut w);
        let all = format!("{{\"v\":{v},\"w\":{w},\"other\":{v}}}");
        let mut whole = document.scope();
        whole.set_all_json(&all).expect("it is JSON");
        let one = round % programs.len();
        let programs = if round % 3 == 0 { &programs[one..=one] } else { &programs[..] };
        let projection = engine.projection(programs).expect("one layout");
        // Of names that are equal when normalized the last one wins, and a tree has its own order.
        let whole_tree = through_serde(document.scope(), &v, &w);
        let ways = [
            (through_all(&projection, &all), &whole),
            (one_by_one(&projection, &v, &w), &whole),
            (through_serde(projection.scope(), &v, &w), &whole_tree),
        ];
        for (scope, whole) in ways {
            for program in programs {
                let expected = shown(&engine, program, whole);
                known += usize::from(!expected.contains("rror"));
                assert_eq!(
                    shown(&engine, program, &scope),
                    expected,
                    "{} of {all}",
                    program.span().slice(&attributes)
                );
            }
        }
    }
    assert!(known > 5_000, "{known}");
}

fn through_all(projection: &hclvm::run::Projection, all: &str) -> Scope {
    let mut scope = projection.scope();
    scope.set_all_json(all.as_bytes()).expect("it is JSON");
    scope
}

fn one_by_one(projection: &hclvm::run::Projection, v: &str, w: &str) -> Scope {
    let mut scope = projection.scope();
    scope.set_json("v", v).expect("it is JSON");
    scope.set_json("w", w).expect("it is JSON");
    scope
}

fn through_serde(mut scope: Scope, v: &str, w: &str) -> Scope {
    let tree = |text| serde_json::from_str::<serde_json::Value>(text).expect("it is JSON");
    scope.set("v", &tree(v)).expect("it is a value");
    scope.set("w", &Some(&tree(w))).expect("it is a value");
    scope
}
