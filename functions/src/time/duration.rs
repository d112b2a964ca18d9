//! Reads durations such as `1h30m` or `-2.5s` as nanoseconds.
//!
//! Written by hand to be exact with Go's time.ParseDuration, which `timeadd` uses: several units in any
//! order, `µs` with either of two characters, and fractions rounded by way of a float.
//!
//! ```text
//! duration = sign? ( "0" | ( number unit )+ )
//! number   = digit+ ( "." digit* )? | "." digit+
//! unit     = "ns" | "us" | "µs" | "ms" | "s" | "m" | "h"
//! ```

/// Returns the nanoseconds of a duration.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    let (negative, unsigned) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if unsigned == "0" {
        return Ok(0);
    }
    let magnitude = magnitude(text, unsigned)?;
    let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    i64::try_from(value).map_err(|_| invalid(text, "it is longer than 292 years"))
}

fn magnitude(text: &str, unsigned: &str) -> Result<u64, String> {
    if unsigned.is_empty() {
        return Err(invalid(text, "it has no number"));
    }
    let (mut rest, mut total) = (unsigned, 0_u64);
    while !rest.is_empty() {
        let (nanoseconds, after) = part(text, rest)?;
        // The magnitude of `i64::MIN` is allowed; a positive duration of it fails in `parse`.
        total = total
            .checked_add(nanoseconds)
            .filter(|total| *total <= 1 << 63)
            .ok_or_else(|| invalid(text, "it is longer than 292 years"))?;
        rest = after;
    }
    Ok(total)
}

/// part = number unit
///
/// Returns its nanoseconds and the rest of the text.
fn part<'t>(text: &str, rest: &'t str) -> Result<(u64, &'t str), String> {
    let (whole, after) = digits(rest);
    let (fraction, after) = match after.strip_prefix('.') {
        Some(after) => digits(after),
        None => ("", after),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(invalid(text, "every unit needs a number before it"));
    }
    let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
    let (unit, after) = after.split_at(end);
    let scale = scale(text, unit)?;
    let whole: u64 = if whole.is_empty() { Some(0) } else { whole.parse().ok() }
        .and_then(|whole: u64| whole.checked_mul(scale))
        .ok_or_else(|| invalid(text, "it is longer than 292 years"))?;
    let nanoseconds = whole.checked_add(of_fraction(fraction, scale));
    Ok((nanoseconds.ok_or_else(|| invalid(text, "it is longer than 292 years"))?, after))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Returns the value of the digits after the point, rounded down by way of a float, like Go.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "Go's algorithm; the product is positive and below `scale`"
)]
fn of_fraction(digits: &str, scale: u64) -> u64 {
    let (mut value, mut unit) = (0_u64, 1.0_f64);
    for digit in digits.bytes() {
        // Digits that no longer fit are worth less than a nanosecond.
        let Some(next) = value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0'))) else {
            break;
        };
        if next > 1 << 63 {
            break;
        }
        value = next;
        unit *= 10.0;
    }
    (value as f64 * (scale as f64 / unit)) as u64
}

fn scale(text: &str, unit: &str) -> Result<u64, String> {
    Ok(match unit {
        "ns" => 1,
        "us" | "\u{B5}s" | "\u{3BC}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "" => return Err(invalid(text, "its last number has no unit")),
        _ => return Err(invalid(text, &format!("the units are ns, us, ms, s, m and h, not {unit:?}"))),
    })
}

fn invalid(text: &str, why: &str) -> String {
    format!("{text:?} is not a duration: {why}")
}
