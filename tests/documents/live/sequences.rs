//! Generates modules and sequences of changes to their scopes.

use std::fmt::Write as _;

use hclvm::{OwnedValue, Scope};
use hclvm_treewalk::differential::{RuleCase, RuleCases};

/// A splitmix64 generator.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        Self(seed.wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ case)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ mixed >> 31) % end.max(1) as u64).unwrap_or(0)
    }

    fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Expressions on variables.
const PLAIN: &[&str] = &[
    "n",
    "o",
    "d",
    "o.a",
    "o.b",
    "o[\"b\"]",
    "o.deep.v",
    "o.deep",
    "u[1].deep.v",
    "mo.a.b",
    "mo",
    "mn.k",
    "ms[s]",
    "n + m",
    "n / 3",
    "b ? n : m",
    "upper(s)",
    "\"${s}-${n}\"",
    "[for k in ls : \"${k}${n}\"]",
    "lo[*].a",
    "{ x = n, y = s }",
    "try(o.nothing, m)",
    "can(d.a)",
    "o.b > n",
    "length(ls) + n",
    "[n, m, s]",
    "e",
    "t[1]",
    "[1, 2][n]",
    "o.missing",
    "1",
];

/// Collections for dynamic blocks.
const COLLECTIONS: &[&str] =
    &["ls", "mn", "ms", "mo", "lo", "ss", "so", "t", "[n, m]", "{ a = n, b = s }", "d", "o", "[]"];

/// Writes an expression that may read the first `locals` locals, or the object of all if `object`.
fn expression(random: &mut Random, case: &RuleCase, locals: usize, object: bool) -> String {
    let local = |random: &mut Random| format!("local.l{}", random.below(locals));
    match random.below(10) {
        0 | 1 => format!("(\n{}\n)", case.sources[random.below(case.sources.len())]),
        2..=5 if locals > 0 => {
            let (one, other) = (local(random), local(random));
            let variable = random.pick(PLAIN);
            match random.below(9) {
                0 => one,
                1 => format!("[{one}, {other}]"),
                2 => format!("{one} == {other}"),
                3 => format!("\"${{s}}:${{{one}}}\""),
                4 => format!("try({one}.a, {other}, 0)"),
                5 => format!("b ? {one} : {variable}"),
                6 => format!("{{ x = {one}, y = {variable} }}"),
                7 => format!("{one}.a"),
                _ => format!("[for i in [{variable}] : [i, {other}]]"),
            }
        }
        6 if object => {
            random.pick(&["keys(local)", "local[s]", "local.missing", "[for k, v in local : v]"]).to_owned()
        }
        _ => random.pick(PLAIN).to_owned(),
    }
}

/// Writes a module.
pub(crate) fn module(random: &mut Random, case: &RuleCase) -> String {
    let mut text = String::from("locals {\n");
    let locals = random.below(7);
    let object = random.percent(25);
    for at in 0..locals {
        // A chain if each local reads the one before.
        let chained = at > 0 && random.percent(40);
        let value = if chained {
            format!("[local.l{}, {}]", at - 1, random.pick(PLAIN))
        } else {
            expression(random, case, at, false)
        };
        let _ = writeln!(text, "  l{at} = {value}");
    }
    text.push_str("}\n");
    for at in 0..=random.below(24) {
        let value = expression(random, case, locals, object);
        let _ = writeln!(text, "a{at} = {value}");
    }
    for at in 0..random.below(3) {
        let value = expression(random, case, locals, object);
        let _ = writeln!(text, "rule \"r{at}\" {{\n  when = {value}");
        if random.percent(30) {
            dynamic(random, case, (locals, object), &format!("in{at}"), &mut text);
        }
        text.push_str("}\n");
    }
    for at in 0..random.below(3) {
        dynamic(random, case, (locals, object), &format!("port{at}"), &mut text);
    }
    text
}

/// Writes a dynamic block, perhaps with another one in its content.
fn dynamic(
    random: &mut Random,
    case: &RuleCase,
    (locals, object): (usize, bool),
    kind: &str,
    text: &mut String,
) {
    let collection = match random.below(8) {
        0 | 1 if locals > 0 => format!("local.l{}", random.below(locals)),
        2 => expression(random, case, locals, object),
        _ => random.pick(COLLECTIONS).to_owned(),
    };
    let _ = writeln!(text, "dynamic \"{kind}\" {{\n  for_each = {collection}");
    match random.below(4) {
        0 => {}
        1 => {
            let _ = writeln!(text, "  labels = [{kind}.key, s]");
        }
        _ => {
            let _ = writeln!(text, "  labels = [{kind}.key]");
        }
    }
    let value = expression(random, case, locals, object);
    let _ = writeln!(text, "  content {{\n    own = {kind}.value\n    other = {value}");
    if kind.len() < 9 && random.percent(25) {
        dynamic(random, case, (locals, object), &format!("{kind}_deep"), text);
    }
    text.push_str("  }\n}\n");
}

/// Changes one variable of a scope. Returns a description.
pub(crate) fn change(random: &mut Random, case: &RuleCase, scope: &mut Scope) -> String {
    let names: Vec<&str> = RuleCases::names().collect();
    let at = random.below(names.len());
    let name = names[at];
    match random.below(12) {
        0 => scope.unset(name),
        1 => scope.set_unknown(name),
        2 => {
            // An equal value in other memory.
            let copy = scope.get(name).map(OwnedValue::new);
            if let Some(copy) = copy {
                scope.set_value(name, copy.get()).expect("it is small");
            }
        }
        3..=5 => {
            // Some parts differ.
            let (name, json) = nested(random);
            scope.set_json(name, &json).expect("it is small");
            return format!("{name} = {json}");
        }
        6 => {
            let number = random.below(4);
            let name = random.pick(&["n", "m"]);
            scope.set(name, &number).expect("it is small");
            return format!("{name} = {number}");
        }
        _ => {
            let value = &case.scopes[random.below(case.scopes.len())][at];
            if value.get().is_unset() {
                scope.unset(name);
            } else {
                scope.set_value(name, value.get()).expect("it is small");
            }
        }
    }
    format!("{name} = {:?}", scope.get(name))
}

/// Returns a value with parts, of which few variants exist, so that often only some differ.
fn nested(random: &mut Random) -> (&'static str, String) {
    let mut bit = || random.below(2);
    match bit() + 2 * bit() {
        0 => (
            "o",
            format!(
                r#"{{"a": "k{}", "b": {}, "deep": {{"v": {}, "w": ["x{}"]}}}}"#,
                bit(),
                bit(),
                bit() == 0,
                bit()
            ),
        ),
        1 => ("mo", format!(r#"{{"a": {{"a": "x", "b": {}}}, "c": {{"a": "y{}", "b": 2}}}}"#, bit(), bit())),
        2 => (
            "u",
            format!(
                r#"[{{"a": "x{}", "b": 1}}, {{"a": "y", "b": 2, "deep": {{"v": {}, "w": []}}}}]"#,
                bit(),
                bit() == 0
            ),
        ),
        _ => ("o", format!(r#"{{"a": "k{}", "b": {}}}"#, bit(), bit())),
    }
}
