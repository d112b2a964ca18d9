//! Tests that every superinstruction is equal to its parts in sequence. The arms of the loop are written by
//! hand for speed; the instruction table describes their parts, see [`FastOp::parts`].

use std::sync::Arc;

use super::entry::run_rules;
use super::machine::FastMachine;
use super::run_fast;
use crate::code::fast::{
    FAST_INSTRUCTIONS, Fast, FastLabel, FastOp, FastReg, Immediate, InlineCache, IntervalId, Symbol, Term,
};
use crate::code::{Build, Callee, Comparison, Const, Slot};
use crate::exec::Frame;
use crate::function::{Function, Parameter};
use crate::memory::arena::Arena;
use crate::memory::cast::operand;
use crate::number::Interval;
use crate::types::Type;
use crate::value::{Constants, Entry, TextBuffer, Value};

/// The subject: a slot.
const A: FastReg = FastReg(0);
/// Another slot, which holds a tuple of subjects.
const ALL: FastReg = FastReg(1);
/// The element of a loop, its result, and a template.
const ELEMENT: FastReg = FastReg(2);
const RESULT: FastReg = FastReg(3);
const TEMPLATE: FastReg = FastReg(4);
/// The value between parts.
const BETWEEN: FastReg = FastReg(5);
/// The key of an entry.
const KEY: FastReg = FastReg(6);
const X: Symbol = Symbol(1);
const Y: Symbol = Symbol(2);

/// One of each superinstruction, with the position to which it jumps.
fn superinstructions(to: FastLabel) -> Vec<FastOp> {
    let (cache, key_cache) = (InlineCache::default, InlineCache::default);
    let (text, number, k) = (Const(0), Const(1), Const(2));
    let (when, op, i) = (true, Comparison::Less, Immediate(5));
    let (a, symbol, f) = (A, X, Callee(0));
    vec![
        FastOp::BranchAttribute { a, when, cache: cache(), to, symbol },
        FastOp::BranchAttributeText { a, when, cache: cache(), to, symbol, k: text },
        FastOp::BranchAttributeInt { op, a, cache: cache(), to, symbol, i },
        FastOp::BranchAttributeNumber { op, a, cache: cache(), to, symbol, k: number },
        FastOp::BranchText { a, when, to, k: text },
        FastOp::BranchAttributeBound {
            op,
            a,
            cache: cache(),
            bound: IntervalId(0),
            to,
            other: FastLabel(to.0.saturating_sub(1)),
            symbol,
        },
        FastOp::BranchCall { f: Callee(1), base: A, count: 1, when, to },
        FastOp::ConstantJump { d: RESULT, k, to },
        FastOp::TemplateValue { a },
        FastOp::TemplateAttribute { a, cache: cache(), symbol },
        FastOp::AppendText { a, k },
        FastOp::TemplateValueText { a, k },
        FastOp::TemplateAttributeText { a, cache: cache(), symbol, k },
        FastOp::LoopText { a: ELEMENT, to, k },
        FastOp::LoopTextAttribute { a: ELEMENT, cache: cache(), to, symbol, k },
        FastOp::LoopPushAttribute { a: ELEMENT, cache: cache(), to, symbol },
        FastOp::LoopPushCall { f, base: ELEMENT, count: 1, to },
        FastOp::LoopPushCallAttribute { f, a: ELEMENT, cache: cache(), to, symbol },
        FastOp::LoopEntryAttribute { key: KEY, a: ELEMENT, cache: cache(), to, symbol },
        FastOp::LoopEntryAttributes {
            a: ELEMENT,
            key_cache: key_cache(),
            cache: cache(),
            to,
            key_symbol: X,
            symbol: Y,
        },
        FastOp::ReturnArm { a, b: ALL, yes: true },
        FastOp::EmitConstant { k, jumps: false, to },
        FastOp::EmitArm { a, b: ALL, yes: true, jumps: false, to },
        FastOp::ReturnConstant { k },
        FastOp::ReturnCall { f, base: A, count: 1 },
        FastOp::ReturnTemplate { d: TEMPLATE },
    ]
}

/// Surrounds the instructions of a superinstruction with others that make its effect visible. `ops` gets the
/// position to which it may jump.
fn around(name: &str, ops: impl Fn(u16) -> Vec<FastOp>) -> Vec<FastOp> {
    let (end, round) = (|at| FastLabel(at), Immediate(0));
    let finish = [FastOp::TemplateEnd { d: TEMPLATE }, FastOp::Return { a: TEMPLATE }];
    if name.starts_with("Branch") {
        let len = operand(ops(0).len());
        let results = [FastOp::ReturnBool { truth: false }, FastOp::ReturnBool { truth: true }];
        return ops(len + 1).into_iter().chain(results).collect();
    }
    if name == "ConstantJump" {
        let len = operand(ops(0).len());
        let results = [FastOp::ReturnBool { truth: false }, FastOp::Return { a: RESULT }];
        return ops(len + 1).into_iter().chain(results).collect();
    }
    if name.starts_with("LoopText") {
        let body = ops(2);
        let to = end(3 + operand(body.len()));
        let begin = [
            FastOp::TemplateBegin { d: TEMPLATE },
            FastOp::LoopEach { a: ALL, clause: false, round },
            FastOp::LoopNext { value: ELEMENT, to },
        ];
        return begin.into_iter().chain(body).chain([FastOp::LoopClose {}]).chain(finish).collect();
    }
    if name.starts_with("Loop") {
        let build = if name.starts_with("LoopEntry") { Build::Object } else { Build::Tuple };
        let body = ops(1);
        let key = usize::from(name == "LoopEntryAttribute");
        let to = end(2 + operand(key + body.len()));
        let begin = [
            FastOp::LoopBegin { build, a: ALL, clause: false, round },
            FastOp::LoopNext { value: ELEMENT, to },
            FastOp::LoopKey { key: KEY },
        ];
        let begin = begin.into_iter().take(2 + key);
        let finish = [FastOp::LoopEnd { d: RESULT }, FastOp::Return { a: RESULT }];
        return begin.into_iter().chain(body).chain(finish).collect();
    }
    let begin = [FastOp::TemplateBegin { d: TEMPLATE }, FastOp::TemplateText { k: Const(2) }];
    if name.starts_with("Template") || name == "AppendText" {
        return begin.into_iter().chain(ops(0)).chain(finish).collect();
    }
    if name.starts_with("Emit") {
        return ops(0).into_iter().chain([FastOp::End {}]).collect();
    }
    begin.into_iter().chain(ops(0)).collect()
}

fn code(ops: &[FastOp]) -> Fast {
    let arena = &Arena::new();
    let constants = [Value::str(arena, "text"), Value::int(7), Value::str(arena, "!")];
    let length = Function::new("length", [Parameter::new("of", Type::String)], Type::Number, |_, args, _| {
        Ok(Value::int(args[0].as_str().map_or(-1, |text| i64::try_from(text.len()).unwrap_or(-1))))
    });
    let is_long = Function::new("is_long", [Parameter::new("of", Type::String)], Type::Bool, |_, args, _| {
        Ok(Value::bool(args[0].as_str().is_some_and(|text| text.len() > 1)))
    });
    let mut fast = Fast {
        slots: [Slot(0), Slot(1)].into_iter().collect(),
        slot_bits: Slot(0).bit() | Slot(1).bit(),
        registers: 7,
        others: 2,
        names: [(X, "x".into()), (Y, "y".into())].into_iter().collect(),
        constants: Constants::freeze(&constants),
        functions: [Arc::new(length), Arc::new(is_long)].into_iter().collect(),
        intervals: Box::new([Box::new([Term::Constant(Interval::ZERO, None)])]),
        ..Fast::default()
    };
    fast.assemble(ops, |label| label);
    assert_eq!(crate::code::verify_fast(&fast), Ok(()), "{ops:?}");
    fast
}

/// Runs code on a subject. Returns its result as text; `None` in that text means that it fell back.
fn outcome(ops: &[FastOp], subject: Value<'_>) -> String {
    let (fast, arena) = (code(ops), Arena::new());
    let values = [subject, Value::tuple(&arena, arena.slice(&[subject, subject]))];
    let mut text = TextBuffer::default();
    if matches!(ops.last(), Some(FastOp::End {})) {
        let [first, second] = values;
        let (mut machine, mut values) =
            (FastMachine::new(&fast, &arena, &mut text), [first, second, Value::NULL]);
        let ended = run_rules(&mut machine, &mut values, 0, &mut 2);
        return format!("{:?}", ended.map(|()| values[2]));
    }
    format!("{:?}", run_fast(&fast, || Frame::new(&values), &arena, &mut text))
}

#[test]
fn superinstructions_do_what_their_parts_do() {
    let arena = &Arena::new();
    let plain = [
        Value::TRUE,
        Value::FALSE,
        Value::str(arena, "text"),
        Value::str(arena, "7"),
        Value::str(arena, "a text that is longer than what fits into one word, or two, or three"),
        Value::int(3),
        Value::int(i64::MAX),
        Value::NULL,
        Value::DYNAMIC,
        Value::tuple(arena, &[]),
    ];
    let objects = plain.map(|value| {
        let entries =
            ["x", "y"].map(|name| Entry { name, symbol: if name == "x" { X.0 } else { Y.0 }, value });
        Value::object(arena, arena.slice(&entries))
    });
    let described = FAST_INSTRUCTIONS.iter().filter(|row| !row.parts.is_empty()).map(|row| row.name);
    let tested: Vec<_> = superinstructions(FastLabel(0)).iter().map(FastOp::name).collect();
    assert_eq!(described.collect::<Vec<_>>(), tested, "the list above has one of each");
    let mut plain_outcomes = 0;
    for (at, name) in tested.into_iter().enumerate() {
        let one = |to| vec![superinstructions(FastLabel(to)).swap_remove(at)];
        // Jumps lead behind all parts.
        let parts = |to| {
            superinstructions(FastLabel(to))
                .swap_remove(at)
                .parts(Some(BETWEEN))
                .expect("it has parts")
                .to_vec()
        };
        for subject in plain.into_iter().chain(objects) {
            let whole = outcome(&around(name, one), subject);
            assert_eq!(whole, outcome(&around(name, parts), subject), "{name} of {subject:?}");
            plain_outcomes += usize::from(whole != "None");
        }
    }
    assert!(plain_outcomes > 100, "most of them do something: {plain_outcomes}");
}
