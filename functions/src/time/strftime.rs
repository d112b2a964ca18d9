//! Formats of C's `strftime`, in English. Unknown directives are literal.
//!
//! Written by hand because `jiff` (0.2.46) rejects `%L`, unknown directives and a final `%`, and prints
//! `%c`, `%x` and a zero `%f` in other forms.

use super::timestamp::Timestamp;

/// Formats a time.
pub(super) fn shown(format: &str, time: &Timestamp) -> String {
    let mut text = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        match chars.next() {
            None => text.push('%'),
            Some(directive) => match directive_text(directive, time) {
                Some(part) => text.push_str(&part),
                None => text.extend(['%', directive]),
            },
        }
    }
    text
}

fn directive_text(directive: char, time: &Timestamp) -> Option<String> {
    let date = time.date();
    let (hour, minute, second) = time.clock();
    let short = |name: &str| name.chars().take(3).collect::<String>();
    Some(match directive {
        'a' => short(date.weekday_name()),
        'A' => date.weekday_name().to_owned(),
        'b' | 'h' => short(date.month_name()),
        'B' => date.month_name().to_owned(),
        'c' => shown("%a %b %e %H:%M:%S %Y", time),
        'C' => format!("{:02}", date.year.div_euclid(100)),
        'd' => format!("{:02}", date.day),
        'D' | 'x' => shown("%m/%d/%y", time),
        'e' => format!("{:2}", date.day),
        'f' => format!("{:06}", time.nanoseconds / 1_000),
        'F' => shown("%Y-%m-%d", time),
        'H' => format!("{hour:02}"),
        'I' => format!("{:02}", (hour + 11) % 12 + 1),
        'j' => format!("{:03}", date.day_of_year()),
        'L' => format!("{:03}", time.nanoseconds / 1_000_000),
        'm' => format!("{:02}", date.month),
        'M' => format!("{minute:02}"),
        'n' => "\n".to_owned(),
        'p' => if hour < 12 { "AM" } else { "PM" }.to_owned(),
        'R' => shown("%H:%M", time),
        's' => time.seconds.to_string(),
        'S' => format!("{second:02}"),
        't' => "\t".to_owned(),
        'T' | 'X' => shown("%H:%M:%S", time),
        'u' => ((date.weekday() + 6) % 7 + 1).to_string(),
        'V' => format!("{:02}", date.iso_week().1),
        'w' => date.weekday().to_string(),
        'y' => format!("{:02}", date.year.rem_euclid(100)),
        'Y' => date.year.to_string(),
        'z' => time.offset_text(""),
        'Z' => "UTC".to_owned(),
        '%' => "%".to_owned(),
        _ => return None,
    })
}
