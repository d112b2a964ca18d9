//! A module of which one variable changes: 400 attributes, each of which reads one to three fields of 20
//! variables, some through 60 locals.

use std::fmt::Write as _;

/// The number of variables.
pub const VARIABLES: usize = 20;
/// The number of fields of each variable.
pub const FIELDS: usize = 5;
const LOCALS: usize = 60;
const ATTRIBUTES: usize = 400;

/// Returns the text of the module. The numbers in it are drawn from a fixed sequence.
pub fn text() -> String {
    let mut state = 7_u64;
    let mut draw = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % end
    };
    let mut text = String::from("locals {\n");
    let read = |draw: &mut dyn FnMut(usize) -> usize| format!("v{}.f{}", draw(VARIABLES), draw(FIELDS));
    for at in 0..LOCALS {
        let (one, other) = (read(&mut draw), read(&mut draw));
        let _ = match draw(3) {
            0 => writeln!(text, "  l{at} = {one} > {other}"),
            1 => writeln!(text, "  l{at} = {one} * 3 + {other}"),
            _ if at > 0 => writeln!(text, "  l{at} = local.l{} == {one} ? {other} : 7", draw(at)),
            _ => writeln!(text, "  l{at} = {one}"),
        };
    }
    text.push_str("}\n");
    for at in 0..ATTRIBUTES {
        let (one, other, third) = (read(&mut draw), read(&mut draw), read(&mut draw));
        let _ = match draw(6) {
            0 => writeln!(text, "a{at} = {one} + 1"),
            1 => writeln!(text, "a{at} = {one} * {other} > 100"),
            2 => writeln!(text, "a{at} = {one} > {other} ? \"large\" : \"small\""),
            3 => writeln!(text, "a{at} = \"${{{one}}} of ${{{other}}} and ${{{third}}}\""),
            4 => writeln!(text, "a{at} = [{one}, local.l{}]", draw(LOCALS)),
            _ => writeln!(text, "a{at} = max({one}, {other}, {third})"),
        };
    }
    text
}

/// Returns the JSON of all variables, with their first values.
pub fn variables() -> String {
    let variable = |at: usize| {
        let fields: Vec<String> = (0..FIELDS).map(|field| format!("\"f{field}\": {}", at + field)).collect();
        format!("\"v{at}\": {{{}}}", fields.join(", "))
    };
    format!("{{{}}}", (0..VARIABLES).map(variable).collect::<Vec<_>>().join(", "))
}

/// Returns the JSON of the first variable, with values of the round in its first `fields` fields.
pub fn first(fields: usize, round: usize) -> String {
    let value = |field: usize| if field < fields { field + round % 10 } else { field };
    let values: Vec<String> = (0..FIELDS).map(|field| format!("\"f{field}\": {}", value(field))).collect();
    format!("{{{}}}", values.join(", "))
}
