//! Durations as both applications write them.

/// Returns true for the durations of Go: numbers with units, such as `1h15m30.5s`; no crate reads them.
pub(crate) fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    let is_empty = rest.is_empty();
    while !rest.is_empty() {
        let digits = rest.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let is_number = number.bytes().any(|one| one.is_ascii_digit()) && number.matches('.').count() <= 1;
        // Longer units before those that they begin with.
        let units = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];
        match units.iter().find_map(|unit| after.strip_prefix(unit)) {
            Some(after) if is_number => rest = after,
            _ => return false,
        }
    }
    !is_empty
}
