//! The format language of `formatdate`, which is go-cty's own.
//!
//! | verb | means | verb | means |
//! |---|---|---|---|
//! | `YYYY` `YY` | year | `hh` `h` | hour, 0 to 23 |
//! | `MMMM` `MMM` | name of the month | `HH` `H` | hour, 1 to 12 |
//! | `MM` `M` | month | `AA` `aa` | AM or PM, am or pm |
//! | `DD` `D` | day | `mm` `m` | minute |
//! | `EEEE` `EEE` | day of the week | `ss` `s` | second |
//! | `Z` `ZZZZZ` | `Z` or offset, offset, both with a colon | `ZZZ` `ZZZZ` | `UTC` or offset, offset |
//!
//! Letters in single quotes and all other characters are literal; two quotes are one, within quotes and
//! alone.

use super::timestamp::Timestamp;
use crate::text_builder::TextBuilder;

/// Writes a time in a format.
pub(super) fn write(out: &mut TextBuilder<'_>, format: &str, time: &Timestamp) -> Result<(), String> {
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let (length, fits) = match first {
            '\'' if rest.starts_with("''") => (2, out.push("'")),
            '\'' => write_quoted(out, rest)?,
            'a'..='z' | 'A'..='Z' => {
                let verb = &rest[..rest.len() - rest.trim_start_matches(first).len()];
                (verb.len(), out.push(&shown(verb, time)?))
            }
            _ => (first.len_utf8(), out.push_char(first)),
        };
        if !fits {
            return Ok(());
        }
        rest = &rest[length..];
    }
    Ok(())
}

/// Writes quoted text. Returns its length with the quotes, and false if the budget is exhausted.
fn write_quoted(out: &mut TextBuilder<'_>, text: &str) -> Result<(usize, bool), String> {
    let mut fits = true;
    let mut from = 1;
    while let Some(end) = text[from..].find('\'') {
        fits &= out.push(&text[from..from + end]);
        from += end + 1;
        if !text[from..].starts_with('\'') {
            return Ok((from, fits));
        }
        fits &= out.push("'");
        from += 1;
        if from == text.len() {
            // As in the reference, two quotes also close a text at the end of the format.
            return Ok((from, fits));
        }
    }
    Err("a quoted text in the format has no closing quote".to_owned())
}

/// Formats a verb: a run of one letter.
fn shown(verb: &str, time: &Timestamp) -> Result<String, String> {
    let date = time.date();
    let (hour, minute, second) = time.clock();
    let half = if hour < 12 { "AM" } else { "PM" };
    let of_half = (hour + 11) % 12 + 1;
    Ok(match verb {
        "YYYY" => format!("{:04}", date.year),
        "YY" => format!("{:02}", date.year.rem_euclid(100)),
        "MMMM" => date.month_name().to_owned(),
        "MMM" => short(date.month_name()),
        "MM" => format!("{:02}", date.month),
        "M" => date.month.to_string(),
        "DD" => format!("{:02}", date.day),
        "D" => date.day.to_string(),
        "EEEE" => date.weekday_name().to_owned(),
        "EEE" => short(date.weekday_name()),
        "hh" => format!("{hour:02}"),
        "h" => hour.to_string(),
        "HH" => format!("{of_half:02}"),
        "H" => of_half.to_string(),
        "AA" => half.to_owned(),
        "aa" => half.to_lowercase(),
        "mm" => format!("{minute:02}"),
        "m" => minute.to_string(),
        "ss" => format!("{second:02}"),
        "s" => second.to_string(),
        "Z" if time.offset == 0 => "Z".to_owned(),
        "ZZZ" if time.offset == 0 => "UTC".to_owned(),
        "Z" | "ZZZZZ" => time.offset_text(":"),
        "ZZZ" | "ZZZZ" => time.offset_text(""),
        _ => return Err(unknown(verb)),
    })
}

fn short(name: &str) -> String {
    name.chars().take(3).collect()
}

fn unknown(verb: &str) -> String {
    let choice = match verb.chars().next() {
        Some('Y') => "the year is YY or YYYY",
        Some('M') => "the month is M, MM, MMM or MMMM",
        Some('D') => "the day is D or DD",
        Some('E') => "the day of the week is EEE or EEEE",
        Some('h') => "the hour of the day is h or hh",
        Some('H') => "the hour of half a day is H or HH",
        Some('A') => "the half of the day is AA",
        Some('a') => "the half of the day is aa",
        Some('m') => "the minute is m or mm",
        Some('s') => "the second is s or ss",
        Some('Z') => "the time zone is Z, ZZZ, ZZZZ or ZZZZZ",
        _ => "put literal letters in single quotes",
    };
    format!("the format has no verb {verb:?}: {choice}")
}
