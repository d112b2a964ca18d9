//! Durations as both applications write them.

/// The units of durations and their nanoseconds. Longer names are before those that they begin with.
const UNITS: [(&str, u128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The nanoseconds of the longest negative duration; the longest positive one is shorter by one.
const MOST: u128 = 1 << 63;

/// Returns true for the durations of Go: numbers with units, such as `1h15m30.5s`, of at most 292 years; no crate reads
/// them.
pub(crate) fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let mut total = 0;
    while !rest.is_empty() {
        let end = rest.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let Some((unit, nanoseconds)) = UNITS.iter().find(|(unit, _)| after.starts_with(unit)) else {
            return false;
        };
        let Some(part) = scaled(number, *nanoseconds) else { return false };
        total += part;
        if total > MOST {
            return false;
        }
        rest = &after[unit.len()..];
    }
    text.starts_with('-') || total < MOST
}

/// Returns a decimal number times a unit without its fraction; `None` if it is no number or more than the longest duration.
fn scaled(number: &str, unit: u128) -> Option<u128> {
    /// The digits of a fraction that matter.
    const DIGITS: usize = 18;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole: u128 = match whole.len() {
        0 => 0,
        // All numbers of nineteen digits fit.
        1..=19 => whole.parse().ok()?,
        _ => return None,
    };
    let mut part = 0;
    let mut scale = 1;
    for digit in fraction.bytes().take(DIGITS) {
        part = part * 10 + u128::from(digit - b'0');
        scale *= 10;
    }
    let nanoseconds = whole * unit + part * unit / scale;
    (nanoseconds <= MOST).then_some(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::is_duration;

    #[test]
    fn durations_are_numbers_with_units() {
        for sound in [
            "0",
            "-0",
            "30s",
            "1h30m",
            "1.5h",
            ".5s",
            "5.s",
            "-5s",
            "+5s",
            "1h1h",
            "00000000000000000000001s",
            "3µs",
            "3μs",
            "2562047h47m16.854775807s",
            "-2562047h47m16.854775808s",
        ] {
            assert!(is_duration(sound), "{sound}");
        }
        for wrong in [
            "",
            "-",
            "5",
            ".s",
            "1..5s",
            "1.2.3s",
            "5 s",
            " 5s",
            "5S",
            "1d",
            "1w",
            "s",
            "5sm",
            "1h5",
            "--5s",
            "2562047h47m16.854775808s",
            "2562048h",
            "99999999999999999999s",
        ] {
            assert!(!is_duration(wrong), "{wrong}");
        }
    }
}
