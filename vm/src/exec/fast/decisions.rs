//! Tests that decisions and computations have the result of the loop, and spend what it spends.

use std::sync::Arc;

use super::compute::compute;
use super::decide::decide;
use super::run_fast;
use crate::code::fast::{Entry, Fast, FastLabel, FastOp, FastReg, Immediate, InlineCache, Symbol};
use crate::code::{Callee, Comparison, Const, Slot};
use crate::exec::Frame;
use crate::function::{Function, Parameter};
use crate::memory::arena::Arena;
use crate::types::Type;
use crate::value::{self, Constants, TextBuffer, Value};

const A: FastReg = FastReg(0);
/// Another variable, mostly a number.
const N: FastReg = FastReg(1);
const X: Symbol = Symbol(1);
const Y: Symbol = Symbol(2);
/// Two temporaries, behind each other.
const ARGUMENTS: [FastReg; 2] = [FastReg(2), FastReg(3)];

/// The tests of a decision, and computations; each jumps to `to` or returns.
fn branches(to: FastLabel) -> Vec<Vec<FastOp>> {
    let cache = InlineCache::default;
    let (op, i, f) = (Comparison::LessOrEqual, Immediate(5), Callee(0));
    let [d, second] = ARGUMENTS;
    let call = |when| FastOp::BranchCall { f, base: d, count: 2, when, to };
    let first = || FastOp::Attribute { d, a: A, cache: cache(), symbol: X };
    [
        vec![FastOp::BranchAttribute { a: A, when: true, cache: cache(), to, symbol: X }],
        vec![FastOp::BranchAttribute { a: A, when: false, cache: cache(), to, symbol: Y }],
        vec![FastOp::BranchAttributeText { a: A, when: true, cache: cache(), to, symbol: X, k: Const(0) }],
        vec![FastOp::BranchAttributeText { a: A, when: false, cache: cache(), to, symbol: X, k: Const(1) }],
        vec![FastOp::BranchAttributeInt { op, a: A, cache: cache(), to, symbol: Y, i }],
        vec![FastOp::Branch { a: A, when: true, to }],
        vec![FastOp::BranchText { a: A, when: true, to, k: Const(1) }],
        vec![FastOp::BranchInt { op, a: A, to, i }],
        vec![first(), FastOp::Attribute { d: second, a: A, cache: cache(), symbol: Y }, call(true)],
        vec![first(), FastOp::Constant { d: second, k: Const(1) }, call(false)],
        vec![
            first(),
            FastOp::Attribute { d: second, a: A, cache: cache(), symbol: Y },
            FastOp::BranchCall { f: Callee(1), base: d, count: 2, when: true, to },
        ],
    ]
    .into_iter()
    .chain(computations().into_iter().map(|mut ops| {
        ops.push(FastOp::BranchInt { op, a: d, to, i });
        ops
    }))
    .chain([
        vec![FastOp::BranchCompare { op, a: A, b: N, to }],
        vec![first(), FastOp::BranchCompare { op, a: d, b: N, to }],
        vec![first(), FastOp::BranchCompare { op, a: N, b: d, to }],
        vec![
            FastOp::AddInt { d: second, a: N, i },
            first(),
            FastOp::BranchCompare { op, a: second, b: d, to },
        ],
        vec![FastOp::AddInt { d, a: A, i }, FastOp::BranchCompare { op, a: N, b: d, to }],
        vec![FastOp::AddInt { d, a: A, i }, FastOp::Return { a: d }],
        vec![FastOp::MultiplyInt { d, a: A, i }, FastOp::Return { a: d }],
        vec![FastOp::BranchCompare { op, a: A, b: N, to }, FastOp::Return { a: A }],
        vec![
            FastOp::BranchInt { op, a: N, to, i },
            FastOp::Branch { a: A, when: true, to },
            FastOp::ReturnArm { a: A, b: N, yes: true },
        ],
    ])
    .collect()
}

/// Computations whose result is in the first temporary.
fn computations() -> Vec<Vec<FastOp>> {
    let [d, b] = ARGUMENTS;
    let i = Immediate(4);
    let attribute = |d, symbol| FastOp::Attribute { d, a: A, cache: InlineCache::default(), symbol };
    vec![
        vec![FastOp::Add { d, a: A, b: N }],
        vec![FastOp::Subtract { d, a: A, b: N }],
        vec![FastOp::Multiply { d, a: A, b: N }],
        vec![attribute(b, X), FastOp::Add { d, a: N, b }],
        vec![attribute(b, X), FastOp::Add { d, a: b, b: N }],
        vec![attribute(d, X), attribute(b, Y), FastOp::Add { d, a: d, b }],
        vec![attribute(d, X), attribute(b, Y), FastOp::Subtract { d, a: d, b }],
        vec![attribute(d, X), attribute(b, Y), FastOp::Multiply { d, a: d, b }],
        vec![attribute(d, X), FastOp::AddInt { d, a: d, i }],
        vec![attribute(d, X), FastOp::MultiplyInt { d, a: d, i }],
        vec![FastOp::MultiplyInt { d, a: A, i }, FastOp::Add { d, a: d, b: N }],
        vec![
            FastOp::MultiplyInt { d, a: A, i },
            FastOp::AddInt { d: b, a: A, i },
            FastOp::Add { d, a: d, b },
        ],
        vec![
            FastOp::MultiplyInt { d: b, a: A, i },
            FastOp::AddInt { d, a: A, i },
            FastOp::Subtract { d, a: d, b },
        ],
        vec![FastOp::AddInt { d, a: A, i }, FastOp::MultiplyInt { d, a: d, i }],
        vec![FastOp::Shift { d, a: A, bits: 1 }],
        vec![FastOp::ModuloInt { d, a: A, i }],
    ]
}

fn code(arena: &Arena, branch: Vec<FastOp>) -> Fast {
    let constants = [Value::str(arena, "ad"), Value::str(arena, "administrator"), Value::int(7)];
    let parameters = ["a", "b"].map(|name| Parameter::new(name, Type::String));
    let same = Function::new("same", parameters, Type::Bool, |_, args, _| {
        Ok(Value::bool(args[0].as_str() == args[1].as_str()))
    });
    let inline = |arena: &Arena, args: &[Value<'_>]| {
        let [a, b] = args else { return None };
        arena.charge(1).then(|| Some(Value::bool(a.as_str()? == b.as_str()?))).flatten()
    };
    let parameters = ["list", "text"].map(|name| Parameter::new(name, Type::Dynamic));
    let search = Function::new("search", parameters, Type::Bool, |_, _, _| Ok(Value::FALSE));
    let searches = |arena: &Arena, args: &[Value<'_>]| {
        let [list, text] = args else { return None };
        let (items, text) = (list.as_items()?, *text);
        let found = text.is_among_primitives(items)?;
        arena.spend(items.len() as u64).then(|| Value::bool(found))
    };
    let functions =
        [same.inline(inline), search.inline(searches).intrinsic(crate::function::Intrinsic::Searches)];
    let mut fast = Fast {
        slots: [Slot(0), Slot(1)].into_iter().collect(),
        slot_bits: Slot(0).bit() | Slot(1).bit(),
        registers: 4,
        others: 2,
        names: [(X, "x".into()), (Y, "y".into())].into_iter().collect(),
        constants: Constants::freeze(&constants),
        functions: functions.into_iter().map(Arc::new).collect(),
        ..Fast::default()
    };
    let results = [
        FastOp::Jump { to: FastLabel(u16::try_from(branch.len() + 3).unwrap_or_default()) },
        FastOp::ReturnBool { truth: true },
        FastOp::ReturnBool { truth: false },
        FastOp::ReturnConstant { k: Const(2) },
    ];
    fast.assemble(&branch.into_iter().chain(results).collect::<Vec<_>>(), |label| label);
    fast
}

#[test]
fn decisions_and_computations_have_the_result_of_the_loop() {
    let arena = &Arena::new();
    let plain = [
        Value::TRUE,
        Value::FALSE,
        Value::str(arena, "ad"),
        Value::str(arena, "administrator"),
        Value::str(arena, "administratrix"),
        Value::int(5),
        Value::int(6),
        Value::int(0),
        Value::int(i64::MAX),
        Value::int(i64::MIN),
        Value::NULL,
        Value::DYNAMIC,
    ];
    // Attributes in both orders, with symbols and without, and only one of them.
    let mut subjects = plain.to_vec();
    for value in plain {
        for names in [
            &[("x", X.0), ("y", Y.0)][..],
            &[("w", 9), ("x", X.0), ("y", Y.0)],
            &[("x", X.0)],
            &[("x", 0), ("y", 0)],
        ] {
            let entries: Vec<_> =
                names.iter().map(|(name, symbol)| value::Entry { name, symbol: *symbol, value }).collect();
            subjects.push(Value::object(arena, arena.slice(&entries)));
        }
    }
    let numbers = [Value::int(7), Value::int(0), Value::int(-3), Value::int(i64::MIN), Value::TRUE];
    let texts = [plain[2], plain[3], Value::str(arena, "a text of more than sixteen bytes")];
    for (list, text) in [
        (&texts[..], texts[1]),
        (&texts, texts[2]),
        (&texts, plain[4]),
        (&plain, texts[1]),
        (&plain, plain[4]),
    ] {
        let entry = |name, Symbol(symbol), value| value::Entry { name, symbol, value };
        let list = Value::tuple(arena, arena.slice(list));
        subjects.push(Value::object(arena, arena.slice(&[entry("x", X, list), entry("y", Y, text)])));
    }
    let mut text = TextBuffer::default();
    for at in 0..branches(FastLabel(0)).len() {
        let branch = || {
            let len = branches(FastLabel(0))[at].len();
            branches(FastLabel(u16::try_from(len + 1).unwrap_or_default())).swap_remove(at)
        };
        let decision = code(arena, branch());
        let mut general = code(arena, branch());
        assert!(decision.entry.is_derived(), "{:?}", branch());
        general.entry = Entry::Owned8;
        // The first runs are those of the loop.
        for _ in 0..20 {
            run_fast(&decision, || Frame::new(&[Value::NULL; 8]), arena, &mut text);
        }
        // Taken before too many failures.
        let (tests, computation) = (decision.decision.steps(), decision.computation.steps());
        let mut decided = 0;
        for (subject, number) in
            subjects.iter().flat_map(|subject| numbers.iter().map(move |number| (subject, number)))
        {
            let mut values = [*number; 8];
            values[0] = *subject;
            let frame = Frame::new(&values);
            let spent = || arena.budget().spent();
            arena.budget().refill();
            let expected = format!("{:?}", run_fast(&general, || frame, arena, &mut text));
            let by_loop = spent();
            arena.budget().refill();
            let result = format!("{:?}", run_fast(&decision, || frame, arena, &mut text));
            assert_eq!((&result, spent()), (&expected, by_loop), "{:?} of {subject:?}, {number:?}", branch());
            let result = match (tests, computation) {
                (Some(steps), _) => decide(&decision, steps, &values, arena),
                (_, Some(steps)) => compute(&decision, steps, &values),
                (None, None) => panic!("nothing is derived of {:?}", branch()),
            };
            if result.is_some() {
                assert_eq!(format!("{result:?}"), expected, "{:?} of {subject:?}, {number:?}", branch());
                decided += 1;
            }
        }
        assert!(decided > 1, "{:?} is decided {decided} times", branch());
    }
}

#[test]
fn code_that_needs_the_loop_is_no_computation() {
    let arena = &Arena::new();
    let mut text = TextBuffer::default();
    let [d, second] = ARGUMENTS;
    let (to, i) = (FastLabel(4), Immediate(3));
    let attribute = |d| FastOp::Attribute { d, a: A, cache: InlineCache::default(), symbol: X };
    for branch in [
        // Nothing, only one way, or a jump that comes from elsewhere reads the temporary.
        vec![attribute(d), FastOp::Branch { a: N, when: true, to }],
        vec![FastOp::MultiplyInt { d, a: A, i }, FastOp::BranchInt { op: Comparison::Less, a: N, to, i }],
        vec![attribute(d), attribute(d), FastOp::BranchInt { op: Comparison::Less, a: d, to, i }],
        vec![
            FastOp::AddInt { d, a: N, i },
            FastOp::Branch { a: A, when: true, to: FastLabel(3) },
            FastOp::AddInt { d, a: A, i },
            FastOp::BranchInt { op: Comparison::Less, a: d, to, i },
        ],
        // The accumulator holds another integer.
        vec![
            FastOp::AddInt { d, a: N, i },
            FastOp::AddInt { d: second, a: A, i },
            FastOp::Multiply { d, a: d, b: second },
            FastOp::Return { a: d },
        ],
        // The quotient is rarely an integer, and may be a negative zero.
        vec![FastOp::DivideInt { d, a: A, i }, FastOp::Return { a: d }],
        vec![FastOp::MultiplyInt { d, a: A, i: Immediate(-2) }, FastOp::Return { a: d }],
        // An attribute may be something else than an integer.
        vec![FastOp::Branch { a: N, when: true, to }, attribute(d), FastOp::Return { a: d }],
    ] {
        let code = code(arena, branch.clone());
        for _ in 0..20 {
            run_fast(&code, || Frame::new(&[Value::NULL; 8]), arena, &mut text);
        }
        assert!(code.decision.steps().is_none() && code.computation.steps().is_none(), "{branch:?}");
    }
}

#[test]
fn code_that_turns_out_to_be_no_decision_is_given_up_until_it_is_cleared() {
    let arena = &Arena::new();
    let mut text = TextBuffer::default();
    let [d, second] = ARGUMENTS;
    let attribute = |d| FastOp::Attribute { d, a: A, cache: InlineCache::default(), symbol: X };
    let call = FastOp::BranchCall { f: Callee(0), base: d, count: 1, when: true, to: FastLabel(4) };
    let mut code = code(arena, vec![attribute(d), attribute(second), call]);
    assert!(code.entry.is_derived(), "{:?}", code.entry);
    for _ in 0..20 {
        run_fast(&code, || Frame::new(&[Value::NULL; 8]), arena, &mut text);
    }
    assert!(code.decision.is_given_up() && code.decision.steps().is_none());
    code.clear();
    assert!(!code.decision.is_given_up());
}
