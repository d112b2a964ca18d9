//! The hot loop. What is not plain is left to `cold`, and what that cannot do bails out.
//!
//! Registers 0, 1, … hold the slots that the expression reads; constants, loop variables
//! and temporaries follow. Straight-line code is bounded by its length; every round of a
//! loop and every call charges.

use std::mem::ManuallyDrop;

use super::cold;
use super::quick::{FastLoop, attribute};
use crate::arena::{Arena, ArenaString, ArenaVec};
use crate::code::fast::{Fast, FastOp, FastReg};
use crate::value::{Entry, Value};

/// Runs the fast body; `None` when it bails out.
pub(super) fn run<'a>(fast: &'a Fast, slots: &[Value<'a>], arena: &'a Arena) -> Option<Value<'a>> {
    match fast.registers {
        0..=16 => enter::<16>(fast, slots, arena),
        17..=64 => enter::<64>(fast, slots, arena),
        _ => enter::<256>(fast, slots, arena),
    }
}

/// Loads the slots; a missing or marked one is for the full body.
#[inline(always)]
fn enter<'a, const N: usize>(fast: &'a Fast, slots: &[Value<'a>], arena: &'a Arena) -> Option<Value<'a>> {
    let mut registers = [Value::NULL; N];
    for (register, slot) in registers.iter_mut().zip(&fast.slots) {
        let value = *slots.get(usize::from(slot.0))?;
        if value.is_unset_or_marked() {
            return None;
        }
        *register = value;
    }
    run_loop(fast, arena, &mut registers)
}

/// The state that most programs never touch.
struct State<'a> {
    loops: ArenaVec<'a, FastLoop<'a>>,
    templates: ArenaVec<'a, ArenaString<'a>>,
}

/// A register's place: the count of registers is a power of two and the verifier has seen that
/// every register is below it, so that the mask changes nothing but saves the check.
#[inline(always)]
fn place<const N: usize>(reg: FastReg) -> usize {
    const { assert!(N.is_power_of_two()) };
    usize::from(reg.0) & (N - 1)
}

#[inline(never)]
fn run_loop<'a, const N: usize>(
    fast: &'a Fast,
    arena: &'a Arena,
    registers: &mut [Value<'a>; N],
) -> Option<Value<'a>> {
    let ops = &*fast.ops;
    let mut pc = 0usize;
    // What it holds lives in the arena and needs no destructor.
    let mut state = ManuallyDrop::new(State { loops: arena.list(), templates: arena.list() });
    macro_rules! r {
        ($reg:expr) => {
            registers[place::<N>(*$reg)]
        };
    }
    macro_rules! set {
        ($reg:expr, $value:expr) => {
            registers[place::<N>(*$reg)] = $value
        };
    }
    // A fault: on to the handler around it, if there is one.
    macro_rules! fault {
        () => {{
            pc = fast.handler(pc)?;
            continue;
        }};
    }
    // The value of something that may fault or bail out.
    macro_rules! plain {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(cold::Stop::Fault) => fault!(),
                Err(cold::Stop::Bail) => return None,
            }
        };
    }
    macro_rules! attribute {
        ($a:expr, $hint:expr, $symbol:expr) => {
            match attribute(r!($a), $hint, *$symbol) {
                Some(value) => value,
                None => plain!(cold::attribute(fast, arena, r!($a), $hint, *$symbol)),
            }
        };
    }
    macro_rules! branch {
        ($truth:expr, $when:expr, $to:expr) => {
            if $truth == *$when {
                pc = usize::from($to.0);
                continue;
            }
        };
    }
    loop {
        match &ops[pc] {
            FastOp::Constant { d, k } => set!(d, fast.constants.get(k.0 as usize)),
            FastOp::Copy { d, a } => set!(d, r!(a)),
            FastOp::Attribute { d, a, hint, symbol } => {
                let value = attribute!(a, hint, symbol);
                set!(d, value);
            }
            FastOp::IndexText { d, a, k } => {
                let value = plain!(cold::index(arena, r!(a), fast.constants.get(k.0 as usize)));
                set!(d, value);
            }
            FastOp::IndexInt { d, a, i } => {
                let value = plain!(cold::index_at(arena, r!(a), i64::from(i.0)));
                set!(d, value);
            }
            FastOp::Index { d, a, b } => {
                let value = match r!(b).as_any_int() {
                    Some(at) => plain!(cold::index_at(arena, r!(a), at)),
                    None => plain!(cold::index(arena, r!(a), r!(b))),
                };
                set!(d, value);
            }
            FastOp::Add { d, a, b } => {
                let sum = match (r!(a).as_full_int(), r!(b).as_full_int()) {
                    (Some(a), Some(b)) => a.checked_add(b),
                    _ => None,
                };
                let value = match sum {
                    Some(sum) => Value::int(sum),
                    None => plain!(cold::add(arena, r!(a), r!(b))),
                };
                set!(d, value);
            }
            FastOp::Subtract { d, a, b } => {
                let difference = match (r!(a).as_full_int(), r!(b).as_full_int()) {
                    (Some(a), Some(b)) => a.checked_sub(b),
                    _ => None,
                };
                let value = match difference {
                    Some(difference) => Value::int(difference),
                    None => plain!(cold::subtract(arena, r!(a), r!(b))),
                };
                set!(d, value);
            }
            FastOp::Multiply { d, a, b } => {
                let product = match (r!(a).as_full_int(), r!(b).as_full_int()) {
                    (Some(a), Some(b)) => a.checked_mul(b).filter(|product| *product != 0),
                    _ => None,
                };
                let value = match product {
                    Some(product) => Value::int(product),
                    None => plain!(cold::multiply(arena, r!(a), r!(b))),
                };
                set!(d, value);
            }
            FastOp::Divide { d, a, b } => {
                let value = plain!(cold::divide(arena, r!(a), r!(b)));
                set!(d, value);
            }
            FastOp::Modulo { d, a, b } => {
                let value = plain!(cold::modulo(arena, r!(a), r!(b)));
                set!(d, value);
            }
            FastOp::AddInt { d, a, i } => {
                let value = match r!(a).as_full_int().and_then(|a| a.checked_add(i64::from(i.0))) {
                    Some(sum) => Value::int(sum),
                    None => plain!(cold::add(arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::MultiplyInt { d, a, i } => {
                let product = r!(a).as_full_int().and_then(|a| a.checked_mul(i64::from(i.0)));
                let value = match product {
                    Some(product) if product != 0 => Value::int(product),
                    _ => plain!(cold::multiply(arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::DivideInt { d, a, i } => {
                let value = match r!(a).as_full_int().and_then(|a| exact_quotient(a, i.0)) {
                    Some(quotient) => Value::int(quotient),
                    None => plain!(cold::divide(arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::ModuloInt { d, a, i } => {
                let value = match r!(a).as_full_int().and_then(|a| remainder(a, i.0)) {
                    Some(rest) => Value::int(rest),
                    None => plain!(cold::modulo(arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::Negate { d, a } => {
                let value = plain!(cold::negate(arena, r!(a)));
                set!(d, value);
            }
            FastOp::RequireBool { a } => {
                r!(a).as_bool()?;
            }
            FastOp::RequireKnown { a } => {
                if !r!(a).is_wholly_known() {
                    return None;
                }
            }
            FastOp::Branch { a, when, to } => branch!(r!(a).as_bool()?, when, to),
            FastOp::BranchAttribute { a, when, hint, to, symbol } => {
                let value = attribute!(a, hint, symbol);
                branch!(value.as_bool()?, when, to);
            }
            FastOp::BranchAttributeText { a, when, hint, to, symbol, k } => {
                let value = attribute!(a, hint, symbol);
                let text = fast.constants.get(k.0 as usize);
                let equal = match value.equals_short_text(text) {
                    Some(equal) => equal,
                    None => cold::equal(arena, value, text)?,
                };
                branch!(equal, when, to);
            }
            FastOp::BranchAttributeInt { op, a, when, hint, to, symbol, i } => {
                let value = attribute!(a, hint, symbol);
                let truth = match value.as_any_int() {
                    Some(number) => op.holds_for(&number, &i64::from(i.0)),
                    None => plain!(cold::compare(arena, *op, value, Value::int(i64::from(i.0)))),
                };
                branch!(truth, when, to);
            }
            FastOp::BranchAttributeNumber { op, a, when, hint, to, symbol, k } => {
                let value = attribute!(a, hint, symbol);
                let number = fast.constants.get(k.0 as usize);
                let truth = match value.compare_short(number) {
                    Some(order) => op.holds_in(order),
                    None => plain!(cold::compare(arena, *op, value, number)),
                };
                branch!(truth, when, to);
            }
            FastOp::BranchText { a, when, to, k } => {
                let text = fast.constants.get(k.0 as usize);
                let equal = match r!(a).equals_short_text(text) {
                    Some(equal) => equal,
                    None => cold::equal(arena, r!(a), text)?,
                };
                branch!(equal, when, to);
            }
            FastOp::BranchInt { op, a, when, to, i } => {
                let truth = match r!(a).as_any_int() {
                    Some(number) => op.holds_for(&number, &i64::from(i.0)),
                    None => plain!(cold::compare(arena, *op, r!(a), Value::int(i64::from(i.0)))),
                };
                branch!(truth, when, to);
            }
            FastOp::BranchNumber { op, a, when, to, k } => {
                let number = fast.constants.get(k.0 as usize);
                let truth = match r!(a).compare_short(number) {
                    Some(order) => op.holds_in(order),
                    None => plain!(cold::compare(arena, *op, r!(a), number)),
                };
                branch!(truth, when, to);
            }
            FastOp::BranchCompare { op, a, b, when, to } => {
                let truth = match (r!(a).as_any_int(), r!(b).as_any_int()) {
                    (Some(a), Some(b)) => op.holds_for(&a, &b),
                    _ => plain!(cold::compare(arena, *op, r!(a), r!(b))),
                };
                branch!(truth, when, to);
            }
            FastOp::BranchEqual { a, b, when, to } => {
                let equal = match r!(b).as_short_text().and_then(|_| r!(a).equals_short_text(r!(b))) {
                    Some(equal) => equal,
                    None => cold::equal(arena, r!(a), r!(b))?,
                };
                branch!(equal, when, to);
            }
            FastOp::BranchEqualConstant { a, when, to, k } => {
                let equal = cold::equal(arena, r!(a), fast.constants.get(k.0 as usize))?;
                branch!(equal, when, to);
            }
            FastOp::BranchCall { f, base, count, when, to } => {
                let args = window(registers, base.0, *count)?;
                let value = plain!(cold::call(fast, arena, *f, args));
                branch!(value.as_bool()?, when, to);
            }
            FastOp::Switch { a, table } => {
                let table = &fast.switches[usize::from(table.0)];
                pc = match r!(a).as_short_text() {
                    Some(text) => {
                        table.arms.get(text).map_or(usize::from(table.otherwise), |to| usize::from(to.0))
                    }
                    // Anything else known equals no text.
                    None if r!(a).is_plain_primitive() => usize::from(table.otherwise),
                    None => return None,
                };
                continue;
            }
            FastOp::Jump { to } => {
                pc = usize::from(to.0);
                continue;
            }
            FastOp::Arm { d, a, b, yes } => {
                let value = if r!(a).same_primitive_type(r!(b)) {
                    r!(a)
                } else {
                    cold::arm(arena, r!(a), r!(b), *yes)?
                };
                set!(d, value);
            }
            FastOp::Call { d, f, base, count } => {
                let args = window(registers, base.0, *count)?;
                let value = plain!(cold::call(fast, arena, *f, args));
                set!(d, value);
            }
            FastOp::Tuple { d, base, count } => {
                let items = arena.slice(window(registers, base.0, *count)?);
                set!(d, Value::tuple(arena, items));
            }
            FastOp::Object { d, base, shape } => {
                let shape = &fast.shapes[shape.0 as usize];
                let base = usize::from(base.0);
                let mut entries = arena.list_with(shape.names.len());
                entries.extend(shape.entries().map(|(name, symbol, at)| Entry {
                    name,
                    symbol,
                    value: registers[base + at],
                }));
                set!(d, Value::object(arena, entries.into_bump_slice()));
            }
            FastOp::TemplateBegin {} => state.templates.push(arena.string()),
            FastOp::TemplateText { k } => {
                let text = fast.constants.get(k.0 as usize).as_str()?;
                state.templates.last_mut()?.push_str(text);
            }
            FastOp::TemplateValue { a } => {
                let value = r!(a);
                match value.as_short_text() {
                    Some(text) => state.templates.last_mut()?.push_str(text),
                    None => plain!(cold::append(arena, state.templates.last_mut()?, value)),
                }
            }
            FastOp::TemplateAttribute { a, hint, symbol } => {
                let value = attribute!(a, hint, symbol);
                match value.as_short_text() {
                    Some(text) => state.templates.last_mut()?.push_str(text),
                    None => plain!(cold::append(arena, state.templates.last_mut()?, value)),
                }
            }
            FastOp::TemplateEnd { d } => {
                let buffer = state.templates.pop()?;
                let value = cold::finish_template(arena, buffer)?;
                set!(d, value);
            }
            FastOp::LoopBegin { build, a, clause } => {
                let opened = FastLoop::open(arena, r!(a), *build, *clause)?;
                state.loops.push(opened);
            }
            FastOp::LoopSplat { a } => {
                let opened = FastLoop::open_splat(arena, r!(a))?;
                state.loops.push(opened);
            }
            FastOp::LoopNext { keyed, key, value, to } => {
                let current = state.loops.last_mut()?;
                if let Some((element_key, element)) = current.next(arena, *keyed) {
                    if *keyed {
                        set!(key, element_key);
                    }
                    set!(value, element);
                    if !arena.charge(1) {
                        return None;
                    }
                } else {
                    pc = usize::from(to.0);
                    continue;
                }
            }
            FastOp::LoopPush { a, to } => {
                state.loops.last_mut()?.push(r!(a));
                pc = usize::from(to.0);
                continue;
            }
            FastOp::LoopPushAttribute { a, hint, to, symbol } => {
                let value = attribute!(a, hint, symbol);
                state.loops.last_mut()?.push(value);
                pc = usize::from(to.0);
                continue;
            }
            FastOp::LoopPushCall { f, base, count, to } => {
                let args = window(registers, base.0, *count)?;
                let value = plain!(cold::call(fast, arena, *f, args));
                state.loops.last_mut()?.push(value);
                pc = usize::from(to.0);
                continue;
            }
            FastOp::LoopEntry { key, a, to } => {
                let name = cold::key(arena, r!(key))?;
                state.loops.last_mut()?.entry(name, r!(a));
                pc = usize::from(to.0);
                continue;
            }
            FastOp::LoopEnd { d } => {
                let value = state.loops.pop()?.finish(arena)?;
                set!(d, value);
            }
            FastOp::LoopClose {} => {
                state.loops.pop();
            }
            FastOp::Splat { d, a, hint, symbol } => {
                let value = match super::quick::splat(arena, r!(a), hint, *symbol) {
                    Some(value) => value,
                    None => plain!(cold::splat(fast, arena, r!(a), hint, *symbol)),
                };
                set!(d, value);
            }
            FastOp::Trap {} => fault!(),
            FastOp::Return { a } => return Some(r!(a)),
            FastOp::ReturnConstant { k } => return Some(fast.constants.get(k.0 as usize)),
        }
        pc += 1;
    }
}

#[inline(always)]
fn window<'w, 'a>(registers: &'w [Value<'a>], base: u8, count: u8) -> Option<&'w [Value<'a>]> {
    registers.get(usize::from(base)..usize::from(base) + usize::from(count))
}

/// `a / i` when it is a whole number and no negative zero.
#[inline(always)]
fn exact_quotient(a: i64, i: i32) -> Option<i64> {
    if a == 0 {
        return None;
    }
    // Both in 32 bits: the narrow division is several times quicker.
    if let Ok(narrow) = i32::try_from(a) {
        let quotient = narrow.checked_div(i)?;
        return (quotient.wrapping_mul(i) == narrow).then_some(i64::from(quotient));
    }
    let quotient = a.checked_div(i64::from(i))?;
    (quotient.wrapping_mul(i64::from(i)) == a).then_some(quotient)
}

#[inline(always)]
fn remainder(a: i64, i: i32) -> Option<i64> {
    match i32::try_from(a) {
        Ok(narrow) => narrow.checked_rem(i).map(i64::from),
        Err(_) => a.checked_rem(i64::from(i)),
    }
}
