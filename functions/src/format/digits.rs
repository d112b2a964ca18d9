//! Numbers as verbs show them: signs, bases, exponents, padding.

use std::fmt::Write;

use hclvm_vm::{Arena, Exhausted, NumberRef};
use smol_str::{SmolStr, format_smolstr};

use super::verb::Verb;
use crate::text_builder::TextBuilder;

/// The digits of the longest 64-bit integer.
const MOST_DIGITS: u32 = 19;

/// Places after the point when a verb names none.
const PLACES: usize = 6;

/// Writes an integer: sign, base prefix, zeros, digits.
pub(super) fn write_integer(out: &mut TextBuilder<'_>, verb: &Verb<'_>, number: NumberRef<'_>) {
    if let (true, NumberRef::Int(value, _)) = (verb.is_plain_decimal(), number)
        && out.arena().budget().limits().digits >= MOST_DIGITS
    {
        // Without padding and its parts: a third of the instructions. A failed write exhausted the budget.
        let _ = write!(out, "{value}");
        return;
    }
    let Some(digits) = digits_in_base(out.arena(), verb.letter, number) else { return };
    if digits == "0" && verb.precision == Some(0) {
        // Zero with a precision of zero is empty, without padding.
        return;
    }
    let body = PaddedNumber {
        sign: sign(verb, number.sign() < 0),
        prefix: if verb.sharp { base_prefix(verb.letter) } else { "" },
        zeros: verb.precision.map_or(0, |count| count.saturating_sub(digits.len())),
        digits: &digits,
    };
    body.write(out, verb, verb.precision.is_none());
}

/// Writes a number with a point or an exponent.
pub(super) fn write_float(out: &mut TextBuilder<'_>, verb: &Verb<'_>, number: NumberRef<'_>) {
    let Some(mut text) = float_text(out.arena(), verb, number) else { return };
    if verb.letter.is_ascii_uppercase() && !number.is_infinite() {
        text.make_ascii_uppercase();
    }
    let digits = text.trim_start_matches(['-', '+']);
    let sign = match sign(verb, number.is_negative()) {
        // An infinity always shows its sign.
        "" if number.is_infinite() => "+",
        sign => sign,
    };
    PaddedNumber { sign, prefix: "", zeros: 0, digits }.write(out, verb, !number.is_infinite());
}

/// `%v` of a number: the shortest text, with an exponent where that is large.
pub(super) fn shortest(arena: &Arena, number: NumberRef<'_>) -> Option<String> {
    may_find_digits(arena, number).then(|| number.text_general(None))
}

/// Charges for computing the digits of a number that is not inline, and the power of ten of a large
/// exponent. Returns false if the budget is exhausted.
fn may_find_digits(arena: &Arena, number: NumberRef<'_>) -> bool {
    const SOME: u64 = 60;
    const FAR: u64 = 400;
    let float = number.to_f64().abs();
    arena.charge(match number {
        NumberRef::Ratio(_) | NumberRef::Big(_) if (1e-99..1e99).contains(&float) => SOME,
        NumberRef::Ratio(_) | NumberRef::Big(_) => FAR,
        NumberRef::Int(..) | NumberRef::Decimal(..) => 1,
    })
}

fn float_text(arena: &Arena, verb: &Verb<'_>, number: NumberRef<'_>) -> Option<String> {
    if number.is_infinite() {
        return Some("Inf".to_owned());
    }
    if !may_find_digits(arena, number) {
        return None;
    }
    let places = verb.precision.unwrap_or(PLACES);
    match verb.letter {
        'e' | 'E' => affordable(arena, places).then(|| number.text_scientific(places)),
        'f' => {
            affordable(arena, places.saturating_add(whole_digits(number))).then(|| number.text_fixed(places))
        }
        _ => affordable(arena, verb.precision.unwrap_or(0)).then(|| number.text_general(verb.precision)),
    }
}

/// Digits before the point of a number, or one more.
fn whole_digits(number: NumberRef<'_>) -> usize {
    let text = number.text_scientific(0);
    text.split_once("e+").and_then(|(_, exponent)| exponent.parse().ok()).map_or(0, |e: usize| e + 1)
}

/// Pays for digits; false, and the budget exhausted, when there are too many.
fn affordable(arena: &Arena, digits: usize) -> bool {
    if digits > arena.budget().limits().digits as usize {
        arena.budget().exhaust(Exhausted::Digits);
    }
    arena.charge(digits as u64)
}

/// Returns the digits of an integer without its sign; `None`, which exhausts the
/// budget, if there are too many.
fn digits_in_base(arena: &Arena, letter: char, number: NumberRef<'_>) -> Option<SmolStr> {
    let radix = match letter {
        'b' => 2,
        'o' => 8,
        'x' | 'X' => 16,
        _ => 10,
    };
    let limit = arena.budget().limits().digits;
    // The digits of short integers fit a `SmolStr` without a heap allocation.
    if let (10, NumberRef::Int(value, _)) = (radix, number) {
        let text = format_smolstr!("{}", value.unsigned_abs());
        if text.len() <= limit as usize {
            return Some(text);
        }
    }
    let Some(mut text) = number.text_in_radix(radix, u64::from(limit)) else {
        arena.budget().exhaust(Exhausted::Digits);
        return None;
    };
    if letter == 'X' {
        text.make_ascii_uppercase();
    }
    Some(SmolStr::new(text.trim_start_matches('-')))
}

fn sign(verb: &Verb<'_>, negative: bool) -> &'static str {
    match (negative, verb.plus, verb.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

fn base_prefix(letter: char) -> &'static str {
    match letter {
        'b' => "0b",
        'o' => "0",
        'x' => "0x",
        'X' => "0X",
        _ => "",
    }
}

/// A number in the parts that padding goes between.
struct PaddedNumber<'t> {
    sign: &'t str,
    prefix: &'t str,
    zeros: usize,
    digits: &'t str,
}

impl PaddedNumber<'_> {
    /// Writes the parts, padded to the width of a verb.
    fn write(mut self, out: &mut TextBuilder<'_>, verb: &Verb<'_>, zeros_allowed: bool) {
        let length = self.sign.len() + self.prefix.len() + self.zeros + self.digits.len();
        let missing = verb.width.map_or(0, |width| width.saturating_sub(length));
        let (mut before, mut after) = (0, 0);
        if verb.minus {
            after = missing;
        } else if verb.zero && zeros_allowed {
            self.zeros += missing;
        } else {
            before = missing;
        }
        let _ = out.repeat(' ', before)
            && out.push(self.sign)
            && out.push(self.prefix)
            && out.repeat('0', self.zeros)
            && out.push(self.digits)
            && out.repeat(' ', after);
    }
}
