//! Tests that a decision has the result of the loop, and spends what the loop spends.

use std::sync::Arc;

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
const X: Symbol = Symbol(1);
const Y: Symbol = Symbol(2);
/// Two temporaries, behind each other.
const ARGUMENTS: [FastReg; 2] = [FastReg(1), FastReg(2)];

/// The tests of a decision; each jumps to `to`.
fn branches(to: FastLabel) -> Vec<Vec<FastOp>> {
    let cache = InlineCache::default;
    let (op, i, f) = (Comparison::LessOrEqual, Immediate(5), Callee(0));
    let [d, second] = ARGUMENTS;
    let call = |when| FastOp::BranchCall { f, base: d, count: 2, when, to };
    let first = || FastOp::Attribute { d, a: A, cache: cache(), symbol: X };
    vec![
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
    let functions = [same.inline(inline), search.inline(searches).searching()];
    let mut fast = Fast {
        slots: [Slot(0)].into_iter().collect(),
        slot_bits: Slot(0).bit(),
        registers: 3,
        others: 1,
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
fn a_decision_has_the_result_of_the_loop() {
    let arena = &Arena::new();
    let plain = [
        Value::TRUE,
        Value::FALSE,
        Value::str(arena, "ad"),
        Value::str(arena, "administrator"),
        Value::str(arena, "administratrix"),
        Value::int(5),
        Value::int(6),
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
        assert!(decision.entry.is_decision(), "{:?}", branch());
        general.entry = Entry::Owned8;
        // The first runs are those of the loop.
        for _ in 0..20 {
            run_fast(&decision, Frame::new(&[Value::NULL; 8]), arena, &mut text);
        }
        let steps = decision.decision.steps().expect("they are derived");
        let mut decided = 0;
        for subject in &subjects {
            let values = [*subject; 8];
            let frame = Frame::new(&values);
            let spent = || arena.budget().spent();
            arena.budget().refill();
            let expected = format!("{:?}", run_fast(&general, frame, arena, &mut text));
            let by_loop = spent();
            arena.budget().refill();
            let result = format!("{:?}", run_fast(&decision, frame, arena, &mut text));
            assert_eq!((&result, spent()), (&expected, by_loop), "{:?} of {subject:?}", branch());
            decided += usize::from(decide(&decision, steps, &values, arena).is_some());
        }
        assert!(decided > 1, "{:?} is decided {decided} times", branch());
    }
}
