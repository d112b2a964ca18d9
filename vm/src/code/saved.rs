//! The saved form of fast code: bytes that another process loads instead of compiling an expression again.
//!
//! ```text
//! code       slots  registers  names  functions  constants  shapes  switches  intervals  handlers  instructions
//! name       a number in the list of names that all code of a file shares; symbols are of one process
//! function   a number in the list of names of functions, resolved when the file is loaded
//! ```
//!
//! Loading trusts nothing: every number is checked where it is read, and [`verify`](super::verify) checks the
//! code as a whole. Code that refers to something without a saved form, such as an exact fraction of many
//! digits, is not saved; its expression is compiled again.
//!
//! The format is written by hand, because the instructions are a table from which their form follows, and
//! because values are built in an arena. It is little-endian and is not stable between versions:
//! [`fingerprint`] distinguishes versions.

mod linked;
mod reader;
mod value;
mod writer;

use std::sync::Arc;

use smallvec::SmallVec;
use smol_str::SmolStr;

pub use reader::Reader;
pub use writer::Writer;

use super::fast::{
    FAST_INSTRUCTIONS, Fast, FastLabel, FastOp, FastReg, Handler, Immediate, InlineCache, IntervalId,
    MOST_TERMS, Scaled, SwitchId, Symbol, Term,
};
use super::role::Role;
use super::verify::verify_loaded;
use super::{
    Arithmetic, Build, Callee, Comparison, Connective, Const, Count, Rounding, Shape, ShapeId, Slot, Switch,
};
use crate::function::{Function, FunctionTable};
use crate::memory::arena::Arena;
use crate::memory::cast::{self, index};
use crate::memory::name::Names;
use crate::number::Interval;
use crate::value::Constants;

/// The names and functions to which the saved code of a file refers.
#[derive(Debug)]
pub struct Linkage {
    names: Vec<(Symbol, SmolStr)>,
    functions: Vec<Arc<Function>>,
    slots: usize,
}

impl Linkage {
    /// Interns the names in the symbol table of an engine and finds the functions in its table. `slots` is the
    /// length of the layout. `None` if there is no function of one of the names.
    pub fn new(
        names: &[&str],
        table: &Names,
        functions: &[&str],
        available: Option<&FunctionTable>,
        slots: usize,
    ) -> Option<Self> {
        let symbols = table.intern(names.iter().copied());
        let names = symbols.into_iter().zip(names);
        let find = |name: &&str| available?.get(name).cloned();
        Some(Self {
            names: names.map(|(symbol, name)| (Symbol(symbol), SmolStr::new(name))).collect(),
            functions: functions.iter().map(find).collect::<Option<_>>()?,
            slots,
        })
    }

    /// Reads a function, and prepares it for the texts that it was prepared for.
    fn function(&self, from: &mut Reader<'_>) -> Option<Arc<Function>> {
        let function = self.functions.get(usize::from(from.u16()?))?;
        let texts: Vec<Option<&str>> = from.list(|from| {
            let is_text = bool::load(from)?;
            from.text().map(|text| is_text.then_some(text))
        })?;
        Some(function.prepared(&texts).unwrap_or_else(|| Arc::clone(function)))
    }

    fn name(&self, number: u32) -> Option<&(Symbol, SmolStr)> {
        self.names.get(index(number))
    }
}

/// Returns a text that differs between versions whose saved code differs.
pub fn fingerprint() -> String {
    // What precedes the instructions.
    let mut text = String::from("slots registers others in_place omits\n");
    for row in FAST_INSTRUCTIONS {
        text.push_str(row.name);
        for operand in row.operands {
            text.push_str(match operand.role {
                Role::Out => " out ",
                Role::In => " in ",
                _ => " ",
            });
            text.push_str(operand.name);
        }
        text.push('\n');
    }
    text
}

/// A part of an instruction with a saved form.
pub(in crate::code) trait Saved: Sized {
    /// Appends it.
    fn save(&self, out: &mut Writer);

    /// Reads it.
    fn load(from: &mut Reader<'_>) -> Option<Self>;
}

macro_rules! saved_numbers {
    ($($ty:ident: $number:ident),+ $(,)?) => {$(
        impl Saved for $ty {
            fn save(&self, out: &mut Writer) {
                out.$number(self.0);
            }

            fn load(from: &mut Reader<'_>) -> Option<Self> {
                from.$number().map(Self)
            }
        }
    )+};
}

saved_numbers!(
    Const: u32, ShapeId: u32, Count: u32, FastLabel: u16, Callee: u16, SwitchId: u16, IntervalId: u16, Slot: u16,
    FastReg: u8,
);

macro_rules! saved_choices {
    ($($ty:ident: $($choice:path = $number:literal),+;)+) => {$(
        impl Saved for $ty {
            fn save(&self, out: &mut Writer) {
                out.u8(match self { $( $choice => $number, )+ });
            }

            fn load(from: &mut Reader<'_>) -> Option<Self> {
                match from.u8()? {
                    $( $number => Some($choice), )+
                    _ => None,
                }
            }
        }
    )+};
}

saved_choices! {
    Comparison: Comparison::Less = 0, Comparison::LessOrEqual = 1, Comparison::Greater = 2, Comparison::GreaterOrEqual = 3;
    Connective: Connective::And = 0, Connective::Or = 1, Connective::StrictAnd = 2, Connective::StrictOr = 3;
    Rounding: Rounding::Down = 0, Rounding::Up = 1;
    Build: Build::Tuple = 0, Build::Object = 1, Build::Groups = 2;
    Arithmetic: Arithmetic::Add = 0, Arithmetic::Subtract = 1, Arithmetic::Multiply = 2, Arithmetic::Divide = 3, Arithmetic::Modulo = 4;
}

impl Saved for bool {
    fn save(&self, out: &mut Writer) {
        out.u8((*self).into());
    }

    fn load(from: &mut Reader<'_>) -> Option<Self> {
        match from.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Saved for u8 {
    fn save(&self, out: &mut Writer) {
        out.u8(*self);
    }

    fn load(from: &mut Reader<'_>) -> Option<Self> {
        from.u8()
    }
}

impl Saved for Immediate {
    fn save(&self, out: &mut Writer) {
        out.u32(self.0.cast_unsigned());
    }

    fn load(from: &mut Reader<'_>) -> Option<Self> {
        Some(Self(from.u32()?.cast_signed()))
    }
}

impl Saved for Scaled {
    fn save(&self, out: &mut Writer) {
        out.u8(self.operand());
    }

    fn load(from: &mut Reader<'_>) -> Option<Self> {
        from.u8().map(Self::of_operand)
    }
}

/// Symbols are saved as positions in the code's list of names, which [`Fast::load`] resolves.
impl Saved for Symbol {
    fn save(&self, out: &mut Writer) {
        out.symbol(*self);
    }

    fn load(from: &mut Reader<'_>) -> Option<Self> {
        from.symbol()
    }
}

/// Inline caches begin empty.
impl Saved for InlineCache {
    fn save(&self, _: &mut Writer) {}

    fn load(_: &mut Reader<'_>) -> Option<Self> {
        Some(Self::default())
    }
}

impl Fast {
    /// Appends the code of an expression. Returns `None` if it has no saved form; what was appended then is to be
    /// dropped.
    pub fn save(&self, out: &mut Writer) -> Option<()> {
        out.each(&self.slots, |out, slot| slot.save(out))?;
        out.u16(self.registers);
        out.u16(self.others);
        self.in_place.save(out);
        self.omits.save(out);
        out.begin_code(&self.names);
        out.list(&self.names, |out, (_, name)| out.name(name))?;
        out.list(&self.functions, |out, function| out.function(function))?;
        out.list(self.constants.values(), |out, value| value::save(out, *value))?;
        out.list(&self.shapes, save_shape)?;
        out.list(&self.switches, save_switch)?;
        out.list(&self.intervals, |out, terms| out.each(terms, |out, term| save_term(out, *term)))?;
        out.each(&self.handlers, |out, handler| {
            out.u16(handler.start);
            out.u16(handler.end);
            handler.target.is_some().save(out);
            handler.target.unwrap_or(FastLabel(0)).save(out);
        })?;
        out.each(&self.ops, |out, op| op.save(out))?;
        out.is_sound().then_some(())
    }

    /// Reads the code of an expression and verifies it. Values are built in `arena` and copied. Returns `None` if
    /// anything is wrong.
    pub fn load<'a>(from: &mut Reader<'a>, linkage: &Linkage, arena: &'a Arena) -> Option<Self> {
        let fast = Self::read(from, linkage, arena)?;
        verify_loaded(&fast, linkage.slots).ok()?;
        Some(fast)
    }

    /// Reads code that is not verified.
    fn read<'a>(from: &mut Reader<'a>, linkage: &Linkage, arena: &'a Arena) -> Option<Self> {
        let mut fast = Self { slots: from.list(Slot::load)?, ..Self::default() };
        fast.registers = from.u16()?;
        if fast.slots.len() > usize::from(fast.registers) {
            return None;
        }
        fast.others = from.u16()?;
        fast.in_place = bool::load(from)?;
        fast.omits = bool::load(from)?;
        fast.slot_bits = fast.slots.iter().fold(0, |bits, slot| bits | slot.bit());
        fast.names = from.list(|from| linkage.name(from.u32()?).cloned())?;
        from.begin_code(fast.names.iter().map(|(symbol, _)| *symbol));
        fast.functions = from.list(|from| linkage.function(from))?;
        let constants: SmallVec<[_; 8]> = from.list(|from| value::load(from, arena))?;
        if !constants.is_empty() {
            fast.constants = Constants::freeze(&constants);
        }
        fast.shapes = from.list::<_, Vec<_>>(|from| load_shape(from, linkage))?.into();
        fast.switches = from.list::<_, Vec<_>>(load_switch)?.into();
        fast.intervals = from.list::<_, Vec<_>>(load_terms)?.into();
        fast.handlers = from.list::<_, Vec<_>>(load_handler)?.into();
        fast.ops = from.list(FastOp::load)?;
        fast.complete_entry()?;
        Some(fast)
    }
}

fn save_shape(out: &mut Writer, shape: &Shape) -> Option<()> {
    out.u32(shape.pushed);
    out.list(&shape.names, |out, (name, at)| {
        out.name(name)?;
        out.u32(*at);
        Some(())
    })
}

fn load_shape(from: &mut Reader<'_>, linkage: &Linkage) -> Option<Shape> {
    let pushed = from.u32()?;
    let mut symbols = Vec::new();
    let names: Vec<(SmolStr, u32)> = from.list(|from| {
        let (symbol, name) = linkage.name(from.u32()?)?;
        symbols.push(symbol.0);
        let at = from.u32()?;
        (at < pushed).then(|| (name.clone(), at))
    })?;
    let sorted = names.is_sorted_by(|(a, _), (b, _)| a < b);
    sorted.then(|| Shape { names: names.into(), symbols: symbols.into(), pushed })
}

fn save_switch(out: &mut Writer, switch: &Switch) -> Option<()> {
    let arms: Vec<_> = switch.arms().collect();
    out.list(&arms, |out, (text, target)| {
        out.text(text)?;
        target.save(out);
        Some(())
    })?;
    switch.otherwise().save(out);
    switch.unknown().is_some().save(out);
    switch.unknown().unwrap_or(FastLabel(0)).save(out);
    Some(())
}

fn load_switch(from: &mut Reader<'_>) -> Option<Switch> {
    let arms: Vec<_> = from.list(|from| Some((SmolStr::new(from.text()?), FastLabel::load(from)?)))?;
    let fits = u16::try_from(arms.len()).is_ok();
    let otherwise = FastLabel::load(from)?;
    let decides = bool::load(from)?;
    let unknown = FastLabel::load(from)?;
    let switch = fits.then(|| Switch::new(arms, otherwise))?;
    Some(if decides { switch.with_unknown(unknown) } else { switch })
}

fn load_handler(from: &mut Reader<'_>) -> Option<Handler> {
    let (start, end) = (from.u16()?, from.u16()?);
    let target = bool::load(from)?;
    let label = FastLabel::load(from)?;
    Some(Handler { start, end, target: target.then_some(label) })
}

fn save_term(out: &mut Writer, term: Term) {
    match term {
        Term::Register(reg) => {
            out.u8(0);
            reg.save(out);
        }
        Term::Constant(interval, constant) => {
            out.u8(if constant.is_some() { 1 } else { 2 });
            let (value, error) = interval.parts();
            out.u64(value.to_bits());
            out.u64(error.to_bits());
            if let Some(constant) = constant {
                constant.save(out);
            }
        }
        Term::Apply(operator) => {
            out.u8(3);
            operator.save(out);
        }
    }
}

fn load_terms(from: &mut Reader<'_>) -> Option<Box<[Term]>> {
    let terms: Vec<Term> = from.list(load_term)?;
    // The depth of the stack, which the executor bounds by the number of terms.
    let mut depth: usize = 0;
    for term in &terms {
        depth = match term {
            Term::Apply(_) => depth.checked_sub(2)? + 1,
            Term::Register(_) | Term::Constant(..) => depth + 1,
        };
    }
    ((1..=2).contains(&depth) && terms.len() <= MOST_TERMS).then(|| terms.into())
}

fn load_term(from: &mut Reader<'_>) -> Option<Term> {
    Some(match from.u8()? {
        0 => Term::Register(FastReg::load(from)?),
        kind @ (1 | 2) => {
            let (value, error) = (f64::from_bits(from.u64()?), f64::from_bits(from.u64()?));
            let constant = if kind == 1 { Some(Const::load(from)?) } else { None };
            Term::Constant(Interval::of_parts(value, error)?, constant)
        }
        3 => Term::Apply(Arithmetic::load(from)?),
        _ => return None,
    })
}

/// Narrows the length of a list that is saved.
fn length(count: usize) -> Option<u32> {
    (count <= index(u32::MAX)).then(|| cast::length(count))
}
