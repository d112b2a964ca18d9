//! The interpreter loop of the fast tier.
//!
//! An instruction whose operands are plain (known, unmarked, not null) is executed inline; rarer cases are
//! handled out of line in [`slow`]; everything else ends the run, and the caller starts the baseline tier.
//! Straight-line code is bounded by its length; loops charge the budget for many rounds at once, and each
//! call charges its own cost.
//!
//! Code that only rare instructions need is kept out of this function: each temporary that it adds would
//! be spilled, and each value that it reads from the code would be loaded before the first instruction.
//! The arm of a superinstruction is the composition of the arms of its parts; a test compares them.

use super::attribute::attribute;
use super::entry::Results;
use super::inline::{exact_quotient, exact_shift, remainder};
use super::intervals;
use super::machine::FastMachine;
use super::registers::RegisterFile;
use super::slow;
use super::stop::Stop;
use crate::code::Callee;
use crate::code::fast::FastOp;
use crate::memory::arena::Arena;
use crate::memory::cast::{amount, signed};
use crate::value::{TextBuffer, Value};

/// Runs instructions from `from` on until a return, the end of a rule set (whose results go to
/// `results`), or a case that the baseline tier has to decide.
///
/// Inlined into its callers, one for each kind of register file, which own the registers it works on.
#[inline(always)]
#[expect(clippy::needless_continue, reason = "a jump may be anywhere in an arm")]
pub(super) fn run_loop<'a, const N: usize, const SCALED: bool, R: RegisterFile<'a, N>>(
    machine: &mut FastMachine<'_, 'a>,
    registers: &mut R,
    from: usize,
    mut results: Option<&mut Results<'_, 'a>>,
) -> Option<Value<'a>> {
    let ops = &*machine.fast.ops;
    // The instructions from the next one on.
    let mut next = ops.get(from..)?.iter();
    macro_rules! r {
        ($reg:expr) => {
            registers.all()[$reg.index::<N, SCALED>()]
        };
    }
    macro_rules! k {
        ($k:expr) => {
            match machine.fast.constants.values().get($k.0 as usize) {
                Some(constant) => *constant,
                None => return None,
            }
        };
    }
    macro_rules! jump {
        ($to:expr) => {{
            next = ops.get(usize::from($to.0)..)?.iter();
            continue;
        }};
    }
    macro_rules! set {
        ($reg:expr, $value:expr) => {
            registers.all_mut()?[$reg.index::<N, SCALED>()] = $value
        };
    }
    // A fault: execution continues at the handler around it, if there is one.
    macro_rules! fault {
        () => {{
            next = slow::handler(machine.fast, next.as_slice().len())?.iter();
            continue;
        }};
    }
    // Unwraps the result of an operation that may fault or fall back.
    macro_rules! plain {
        ($result:expr) => {
            match $result {
                Ok(value) => value,
                Err(Stop::Fault) => fault!(),
                Err(Stop::FallBack) => return None,
            }
        };
    }
    macro_rules! attribute {
        ($a:expr, $cache:expr, $symbol:expr) => {
            match attribute(r!($a), $cache, *$symbol) {
                Some(value) => value,
                None => plain!(slow::attribute(machine, r!($a), $cache, *$symbol)),
            }
        };
    }
    // Calls a function, by its inline body if that accepts these arguments.
    macro_rules! call {
        ($f:expr, $base:expr, $count:expr) => {{
            let args = window(registers.all(), $base.index::<N, SCALED>(), *$count)?;
            match inline_call(machine, *$f, args) {
                Some(value) => value,
                None => plain!(slow::call(machine, *$f, args)),
            }
        }};
    }
    macro_rules! branch {
        ($truth:expr, $when:expr, $to:expr) => {
            if $truth == *$when {
                jump!($to);
            }
        };
    }
    // Compares a value with a constant text.
    macro_rules! equals_text {
        ($value:expr, $k:expr) => {{
            let (value, text) = ($value, k!($k));
            match value.equals_short_text(text) {
                Some(equal) => equal,
                None => slow::equal(machine.arena, value, text)?,
            }
        }};
    }
    macro_rules! emit {
        ($value:expr) => {
            match &mut results {
                Some(results) => *results.next()? = $value,
                None => return None,
            }
        };
    }
    macro_rules! append_text {
        ($k:expr) => {{
            let text = k!($k).as_short_text()?;
            append(machine.arena, machine.text, text)?;
        }};
    }
    macro_rules! append_value {
        ($value:expr) => {{
            let value = $value;
            match value.as_short_text() {
                Some(text) => append(machine.arena, machine.text, text)?,
                None => plain!(slow::append(machine, value)),
            }
        }};
    }
    // Appends a value and the constant text behind it.
    macro_rules! append_both {
        ($value:expr, $k:expr) => {{
            let (value, behind) = ($value, k!($k).as_short_text()?);
            match value.as_short_text() {
                Some(text) if machine.text.push_two(text, behind) => {}
                Some(text) => {
                    append(machine.arena, machine.text, text)?;
                    append(machine.arena, machine.text, behind)?;
                }
                None => {
                    plain!(slow::append(machine, value));
                    append(machine.arena, machine.text, behind)?;
                }
            }
        }};
    }
    loop {
        // Code ends in an instruction that nothing follows.
        let op = next.next()?;
        match op {
            FastOp::Constant { d, k } => set!(d, k!(k)),
            FastOp::Copy { d, a } => set!(d, r!(a)),
            FastOp::Attribute { d, a, cache, symbol } => {
                let value = attribute!(a, cache, symbol);
                set!(d, value);
            }
            FastOp::IndexText { d, a, k } => {
                let value = plain!(slow::index(machine.arena, r!(a), k!(k)));
                set!(d, value);
            }
            FastOp::IndexInt { d, a, i } => {
                let value = plain!(slow::index_at(machine.arena, r!(a), i64::from(i.0)));
                set!(d, value);
            }
            FastOp::Index { d, a, b } => {
                let value = match r!(b).as_any_int() {
                    Some(at) => plain!(slow::index_at(machine.arena, r!(a), at)),
                    None => plain!(slow::index(machine.arena, r!(a), r!(b))),
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
                    None => plain!(slow::add(machine.arena, r!(a), r!(b))),
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
                    None => plain!(slow::subtract(machine.arena, r!(a), r!(b))),
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
                    None => plain!(slow::multiply(machine.arena, r!(a), r!(b))),
                };
                set!(d, value);
            }
            FastOp::Divide { d, a, b } => {
                let value = plain!(slow::divide(machine.arena, r!(a), r!(b)));
                set!(d, value);
            }
            FastOp::Modulo { d, a, b } => {
                let value = plain!(slow::modulo(machine.arena, r!(a), r!(b)));
                set!(d, value);
            }
            FastOp::AddInt { d, a, i } => {
                let value = match r!(a).as_full_int().and_then(|a| a.checked_add(i64::from(i.0))) {
                    Some(sum) => Value::int(sum),
                    None => plain!(slow::add(machine.arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::MultiplyInt { d, a, i } => {
                let product = r!(a).as_full_int().and_then(|a| a.checked_mul(i64::from(i.0)));
                let value = match product {
                    Some(product) if product != 0 => Value::int(product),
                    _ => plain!(slow::multiply(machine.arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::DivideInt { d, a, i } => {
                let value = match r!(a).as_full_int().and_then(|a| exact_quotient(a, i.0)) {
                    Some(quotient) => Value::int(quotient),
                    None => plain!(slow::divide(machine.arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::Shift { d, a, bits } => {
                let value = match r!(a).as_full_int().and_then(|a| exact_shift(a, *bits)) {
                    Some(quotient) => Value::int(quotient),
                    None => plain!(slow::divide(machine.arena, r!(a), Value::int(1_i64 << (bits & 31)))),
                };
                set!(d, value);
            }
            FastOp::ModuloInt { d, a, i } => {
                let value = match r!(a).as_full_int().and_then(|a| remainder(a, i.0)) {
                    Some(rest) => Value::int(rest),
                    None => plain!(slow::modulo(machine.arena, r!(a), Value::int(i64::from(i.0)))),
                };
                set!(d, value);
            }
            FastOp::Negate { d, a } => {
                let value = plain!(slow::negate(machine.arena, r!(a)));
                set!(d, value);
            }
            FastOp::EqualText { d, a, k } => {
                let equal = equals_text!(r!(a), k);
                set!(d, Value::bool(equal));
            }
            FastOp::Text { d, a } => {
                let value = match r!(a).as_short_text() {
                    Some(_) => r!(a),
                    None => plain!(slow::text(machine, r!(a))),
                };
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
            FastOp::BranchAttribute { a, when, cache, to, symbol } => {
                let value = attribute!(a, cache, symbol);
                branch!(value.as_bool()?, when, to);
            }
            FastOp::BranchAttributeText { a, when, cache, to, symbol, k } => {
                let equal = equals_text!(attribute!(a, cache, symbol), k);
                branch!(equal, when, to);
            }
            FastOp::BranchAttributeInt { op, a, cache, to, symbol, i } => {
                let value = attribute!(a, cache, symbol);
                let truth = match value.as_any_int() {
                    Some(number) => op.holds_for(&number, &i64::from(i.0)),
                    None => plain!(slow::compare(machine.arena, *op, value, Value::int(i64::from(i.0)))),
                };
                if truth {
                    jump!(to);
                }
            }
            FastOp::BranchAttributeNumber { op, a, cache, to, symbol, k } => {
                let value = attribute!(a, cache, symbol);
                let number = k!(k);
                let truth = match value.compare_short(number) {
                    Some(order) => op.holds_in(order),
                    None => plain!(slow::compare(machine.arena, *op, value, number)),
                };
                if truth {
                    jump!(to);
                }
            }
            FastOp::BranchText { a, when, to, k } => {
                let equal = equals_text!(r!(a), k);
                branch!(equal, when, to);
            }
            FastOp::BranchInt { op, a, to, i } => {
                let truth = match r!(a).as_any_int() {
                    Some(number) => op.holds_for(&number, &i64::from(i.0)),
                    None => plain!(slow::compare(machine.arena, *op, r!(a), Value::int(i64::from(i.0)))),
                };
                if truth {
                    jump!(to);
                }
            }
            FastOp::BranchNumber { op, a, to, k } => {
                let number = k!(k);
                let truth = match r!(a).compare_short(number) {
                    Some(order) => op.holds_in(order),
                    None => plain!(slow::compare(machine.arena, *op, r!(a), number)),
                };
                if truth {
                    jump!(to);
                }
            }
            FastOp::BranchCompare { op, a, b, to } => {
                let truth = match (r!(a).as_any_int(), r!(b).as_any_int()) {
                    (Some(a), Some(b)) => op.holds_for(&a, &b),
                    _ => plain!(slow::compare(machine.arena, *op, r!(a), r!(b))),
                };
                if truth {
                    jump!(to);
                }
            }
            FastOp::BranchIntegers { a, b, to } => {
                if r!(a).as_any_int().is_some() && r!(b).as_any_int().is_some() {
                    jump!(to);
                }
            }
            FastOp::BranchInterval { op, intervals, to, other } => {
                if let Some(truth) = intervals::compare(machine, *op, *intervals, registers.all()) {
                    jump!(if truth { to } else { other });
                }
            }
            FastOp::BranchBound { op, a, bound, to, other } => {
                if let Some(truth) = intervals::compare_bound(machine, *op, *bound, r!(a)) {
                    jump!(if truth { to } else { other });
                }
            }
            FastOp::BranchAttributeBound { op, a, cache, bound, to, other, symbol } => {
                let value = attribute!(a, cache, symbol);
                if let Some(truth) = intervals::compare_bound(machine, *op, *bound, value) {
                    jump!(if truth { to } else { other });
                }
            }
            FastOp::Round { rounding, d, intervals } => {
                let value = plain!(intervals::round(machine, *rounding, *intervals, registers.all()));
                set!(d, value);
            }
            FastOp::BranchEqual { a, b, when, to } => {
                let equal = match r!(b).as_short_text().and_then(|_| r!(a).quickly_equals(r!(b))) {
                    Some(equal) => equal,
                    None => slow::equal(machine.arena, r!(a), r!(b))?,
                };
                branch!(equal, when, to);
            }
            FastOp::BranchEqualConstant { a, when, to, k } => {
                let equal = slow::equal(machine.arena, r!(a), k!(k))?;
                branch!(equal, when, to);
            }
            FastOp::BranchCall { f, base, count, when, to } => {
                let value = call!(f, base, count);
                branch!(value.as_bool()?, when, to);
            }
            FastOp::Switch { a, table } => {
                next = slow::switch(machine, *table, r!(a))?.iter();
            }
            FastOp::Jump { to } => {
                jump!(to);
            }
            FastOp::ConstantJump { d, k, to } => {
                set!(d, k!(k));
                jump!(to);
            }
            FastOp::Arm { d, a, b, yes } => {
                let value = if r!(a).same_primitive_type(r!(b)) {
                    r!(a)
                } else {
                    slow::arm(machine.arena, r!(a), r!(b), *yes)?
                };
                set!(d, value);
            }
            FastOp::Call { d, f, base, count } => {
                let value = call!(f, base, count);
                set!(d, value);
            }
            FastOp::CallExpanded { d, f, base, count } => {
                let args = window(registers.all(), base.index::<N, SCALED>(), *count)?;
                let value = plain!(slow::call_expanded(machine, *f, args));
                set!(d, value);
            }
            FastOp::Tuple { d, base, count } => {
                let value =
                    slow::tuple(machine.arena, window(registers.all(), base.index::<N, SCALED>(), *count)?);
                set!(d, value);
            }
            FastOp::Object { d, base, shape } => {
                let value = slow::object(machine, registers.all().get(base.index::<N, SCALED>()..)?, *shape)?;
                set!(d, value);
            }
            FastOp::ObjectOfPairs { d, base, count } => {
                let pairs = window(registers.all(), base.index::<N, SCALED>(), *count)?;
                let value = slow::object_of_pairs(machine.arena, pairs)?;
                set!(d, value);
            }
            FastOp::TemplateBegin { d } => {
                set!(d, Value::int(signed(machine.text.len())));
            }
            FastOp::TemplateText { k } => append_text!(k),
            FastOp::TemplateValue { a } | FastOp::Append { a } => append_value!(r!(a)),
            FastOp::TemplateAttribute { a, cache, symbol } => append_value!(attribute!(a, cache, symbol)),
            FastOp::TemplateValueText { a, k } | FastOp::AppendText { a, k } => {
                append_both!(r!(a), k);
            }
            FastOp::TemplateAttributeText { a, cache, symbol, k } => {
                append_both!(attribute!(a, cache, symbol), k);
            }
            FastOp::TemplateEach { a, k } => {
                let behind = k!(k);
                plain!(super::map::append_each(machine, r!(a), behind));
            }
            FastOp::TemplateEnd { d } => {
                let start = r!(d).as_full_int()?;
                let value = slow::finish_template(machine, amount(start.cast_unsigned()))?;
                set!(d, value);
            }
            FastOp::LoopBegin { build, a, clause, round } => {
                machine.open(r!(a), Some(*build), *clause, round.0.cast_unsigned())?;
            }
            FastOp::LoopEach { a, clause, round } => {
                machine.open(r!(a), None, *clause, round.0.cast_unsigned())?;
            }
            FastOp::LoopSplat { a, round } => machine.open_splat(r!(a), round.0.cast_unsigned())?,
            FastOp::LoopNext { value, to } => {
                let current = machine.current.as_mut()?;
                let element = match current.next() {
                    Some(element) => element,
                    None if current.is_done() => jump!(to),
                    None => machine.pay_on()?,
                };
                set!(value, element);
            }
            FastOp::LoopKey { key } => {
                let current = machine.current.as_ref()?.key(machine.arena)?;
                set!(key, current);
            }
            FastOp::LoopText { a, to, k } => {
                append_both!(r!(a), k);
                jump!(to);
            }
            FastOp::LoopTextAttribute { a, cache, to, symbol, k } => {
                append_both!(attribute!(a, cache, symbol), k);
                jump!(to);
            }
            FastOp::LoopPush { a, to } => {
                machine.current.as_mut()?.push(r!(a));
                jump!(to);
            }
            FastOp::LoopPushAttribute { a, cache, to, symbol } => {
                let value = attribute!(a, cache, symbol);
                machine.current.as_mut()?.push(value);
                jump!(to);
            }
            FastOp::LoopPushBool { truth, to } => {
                machine.current.as_mut()?.push(Value::bool(*truth));
                jump!(to);
            }
            FastOp::LoopPushCall { f, base, count, to } => {
                let value = call!(f, base, count);
                machine.current.as_mut()?.push(value);
                jump!(to);
            }
            FastOp::LoopPushCallAttribute { f, a, cache, to, symbol } => {
                let args = [attribute!(a, cache, symbol)];
                let value = match inline_call(machine, *f, &args) {
                    Some(value) => value,
                    None => plain!(slow::call(machine, *f, &args)),
                };
                machine.current.as_mut()?.push(value);
                jump!(to);
            }
            FastOp::LoopEntry { key, a, to } => {
                let name = slow::key(machine.arena, r!(key))?;
                machine.current.as_mut()?.entry(name, r!(a))?;
                jump!(to);
            }
            FastOp::LoopEntryAttribute { key, a, cache, to, symbol } => {
                let name = slow::key(machine.arena, r!(key))?;
                let value = attribute!(a, cache, symbol);
                machine.current.as_mut()?.entry(name, value)?;
                jump!(to);
            }
            FastOp::LoopEntryAttributes { a, key_cache, cache, to, key_symbol, symbol } => {
                let key = attribute!(a, key_cache, key_symbol);
                let name = slow::key(machine.arena, key)?;
                let value = attribute!(a, cache, symbol);
                machine.current.as_mut()?.entry(name, value)?;
                jump!(to);
            }
            FastOp::LoopEnd { d } => {
                let value = machine.finish()?;
                set!(d, value);
            }
            FastOp::LoopClose {} => machine.close(),
            FastOp::Splat { d, a, cache, symbol } => {
                let value = match super::inline::splat(machine, r!(a), cache, *symbol) {
                    Some(value) => value,
                    None => plain!(slow::splat(machine, r!(a), cache, *symbol)),
                };
                set!(d, value);
            }
            FastOp::Map { d, a, cache, symbol } => {
                let value = match super::inline::splat(machine, r!(a), cache, *symbol) {
                    Some(value) => value,
                    None => super::map::attributes(machine, r!(a), cache, *symbol)?,
                };
                set!(d, value);
            }
            FastOp::MapArithmetic { op, d, a, k } => {
                let value = super::map::arithmetic(machine.arena, *op, r!(a), k!(k))?;
                set!(d, value);
            }
            FastOp::MapCompare { op, d, a, k } => {
                let value = super::map::compare(machine.arena, *op, r!(a), k!(k))?;
                set!(d, value);
            }
            FastOp::MapBound { op, d, a, bound, to } => {
                let Some(value) = super::map::compare_bound(machine, *op, r!(a), *bound) else { jump!(to) };
                set!(d, value);
            }
            FastOp::MapEqual { when, d, a, k } => {
                let value = super::map::equal(machine.arena, *when, r!(a), k!(k))?;
                set!(d, value);
            }
            FastOp::MapNot { d, a } => {
                let value = super::map::not(machine.arena, r!(a))?;
                set!(d, value);
            }
            FastOp::MapConnective { op, d, a, b } => {
                let value = super::map::connective(machine.arena, *op, r!(a), r!(b))?;
                set!(d, value);
            }
            FastOp::Trap {} => fault!(),
            FastOp::ReturnArm { a, b, yes } => {
                if r!(a).same_primitive_type(r!(b)) {
                    return Some(r!(a));
                }
                return slow::arm(machine.arena, r!(a), r!(b), *yes);
            }
            FastOp::Emit { a, jumps, to } => {
                emit!(r!(a));
                if *jumps {
                    jump!(to);
                }
            }
            FastOp::EmitConstant { k, jumps, to } => {
                emit!(k!(k));
                if *jumps {
                    jump!(to);
                }
            }
            FastOp::EmitArm { a, b, yes, jumps, to } => {
                let value = if r!(a).same_primitive_type(r!(b)) {
                    r!(a)
                } else {
                    slow::arm(machine.arena, r!(a), r!(b), *yes)?
                };
                emit!(value);
                if *jumps {
                    jump!(to);
                }
            }
            FastOp::EmitBool { truth, jumps, to } => {
                emit!(Value::bool(*truth));
                if *jumps {
                    jump!(to);
                }
            }
            FastOp::Begin { skipped } => slow::begin(machine, results.as_deref_mut(), skipped.0)?,
            FastOp::End {} => return Some(Value::NULL),
            FastOp::Return { a } => return Some(r!(a)),
            FastOp::ReturnConstant { k } => return Some(k!(k)),
            FastOp::ReturnBool { truth } => return Some(Value::bool(*truth)),
            FastOp::ReturnCall { f, base, count } => return Some(call!(f, base, count)),
            FastOp::ReturnTemplate { d } => {
                let start = r!(d).as_full_int()?;
                return slow::finish_template(machine, amount(start.cast_unsigned()));
            }
        }
    }
}

/// Appends to the text of a template. Inlined: a copy of a few bytes; growing the buffer is out of line.
#[inline(always)]
fn append(arena: &Arena, text: &mut TextBuffer, piece: &str) -> Option<()> {
    if text.push(piece) { Some(()) } else { slow::append_growing(arena, text, piece) }
}

/// Calls the function's inline body, if it has one that accepts these arguments. Inlined: a load and an
/// indirect call.
#[inline(always)]
fn inline_call<'a>(machine: &FastMachine<'_, 'a>, f: Callee, args: &[Value<'a>]) -> Option<Value<'a>> {
    let body = machine.fast.functions.get(usize::from(f.0))?.inline?;
    body(machine.arena, args)
}

/// Returns `count` registers from `base` on. Inlined: two bounds checks.
#[inline(always)]
fn window<'w, 'a>(registers: &'w [Value<'a>], base: usize, count: u8) -> Option<&'w [Value<'a>]> {
    registers.get(base..base + usize::from(count))
}
