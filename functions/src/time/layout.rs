//! Go's time layouts, which write a reference time the way the time is to be shown: Monday, 2 January
//! 2006, 15:04:05, seven hours west of UTC.
//!
//! Written by hand because `jiff` has strftime formats only; the other format languages are in
//! `pattern` and `strftime`.

use super::timestamp::Timestamp;

/// The elements of layouts. Where two match, the first one wins.
const ELEMENTS: [&str; 33] = [
    "January",
    "Jan",
    "Monday",
    "Mon",
    "MST",
    "2006",
    "02",
    "002",
    "01",
    "03",
    "04",
    "05",
    "06",
    "_2006",
    "__2",
    "_2",
    "15",
    "PM",
    "pm",
    "Z070000",
    "Z07:00:00",
    "Z0700",
    "Z07:00",
    "Z07",
    "-070000",
    "-07:00:00",
    "-0700",
    "-07:00",
    "-07",
    "1",
    "2",
    "3",
    "4",
];

/// Formats a time.
pub(super) fn shown(layout: &str, time: &Timestamp) -> String {
    let mut text = String::new();
    let mut rest = layout;
    while let Some(first) = rest.chars().next() {
        let fraction = fraction(rest);
        let element = ELEMENTS.iter().find(|element| starts(rest, element)).copied();
        let length = match (fraction, element) {
            (Some(length), _) => {
                text.push_str(&fraction_text(&rest[..length], time));
                length
            }
            // An underscore before a year is literal.
            (None, Some("_2006")) => {
                text.push('_');
                1
            }
            (None, Some(element)) => {
                text.push_str(&element_text(element, time));
                element.len()
            }
            (None, None) if rest.starts_with('5') => {
                text.push_str(&time.clock().2.to_string());
                1
            }
            (None, None) => {
                text.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    text
}

/// Returns true if a layout starts with an element. `Jan` and `Mon` must not be part of a longer word.
fn starts(rest: &str, element: &str) -> bool {
    let Some(after) = rest.strip_prefix(element) else { return false };
    let in_word = after.starts_with(|c: char| c.is_ascii_lowercase());
    !(matches!(element, "Jan" | "Mon") && in_word)
}

/// fraction = ( "." | "," ) ( "0"+ | "9"+ )
///
/// Returns the length of a fraction of the second at the start of a layout.
fn fraction(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix(['.', ','])?;
    let digit = digits.chars().next().filter(|c| matches!(c, '0' | '9'))?;
    let count = digits.chars().take_while(|c| *c == digit).count();
    let ends = !digits[count..].starts_with(|c: char| c.is_ascii_digit());
    ends.then_some(count + 1)
}

/// Formats a fraction of the second. Zeros in the layout keep trailing zeros, nines drop them.
fn fraction_text(element: &str, time: &Timestamp) -> String {
    let digits: String = format!("{:09}", time.nanoseconds).chars().take(element.len() - 1).collect();
    if !element.ends_with('9') {
        return format!("{}{digits}", &element[..1]);
    }
    match digits.trim_end_matches('0') {
        "" => String::new(),
        digits => format!("{}{digits}", &element[..1]),
    }
}

fn element_text(element: &str, time: &Timestamp) -> String {
    let date = time.date();
    let (hour, minute, second) = time.clock();
    let of_half = (hour + 11) % 12 + 1;
    let short = |name: &str| name.chars().take(3).collect();
    match element {
        "January" => date.month_name().to_owned(),
        "Jan" => short(date.month_name()),
        "Monday" => date.weekday_name().to_owned(),
        "Mon" => short(date.weekday_name()),
        "MST" => "UTC".to_owned(),
        "2006" => format!("{:04}", date.year),
        "06" => format!("{:02}", date.year.rem_euclid(100)),
        "01" => format!("{:02}", date.month),
        "1" => date.month.to_string(),
        "02" => format!("{:02}", date.day),
        "_2" => format!("{:2}", date.day),
        "2" => date.day.to_string(),
        "002" => format!("{:03}", date.day_of_year()),
        "__2" => format!("{:3}", date.day_of_year()),
        "15" => format!("{hour:02}"),
        "03" => format!("{of_half:02}"),
        "3" => of_half.to_string(),
        "04" => format!("{minute:02}"),
        "4" => minute.to_string(),
        "05" => format!("{second:02}"),
        "PM" => if hour < 12 { "AM" } else { "PM" }.to_owned(),
        "pm" => if hour < 12 { "am" } else { "pm" }.to_owned(),
        // The time is always in UTC.
        zone => match zone.as_bytes() {
            [b'Z', ..] => "Z".to_owned(),
            _ => format!("+{}", zone.trim_start_matches('-').replace('7', "0")),
        },
    }
}
