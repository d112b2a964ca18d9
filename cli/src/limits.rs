//! What evaluations may spend: options, and messages about limits that were exceeded.

use std::sync::OnceLock;
use std::time::Duration;

use clap::Args;
use hclvm::Limits;
use hclvm::diagnostics::{Exhausted, LimitError};

/// What evaluations may spend
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Limits of an evaluation")]
pub(crate) struct LimitArguments {
    /// Units of work: instructions in loops, and elements and bytes that functions produce [default: 10000000]
    #[arg(long, value_name = "UNITS", hide_short_help = true)]
    fuel: Option<u64>,

    /// Memory for values [default: 64M] [examples: 512K, 1G]
    #[arg(long, value_name = "BYTES", value_parser = bytes, hide_short_help = true)]
    memory: Option<usize>,

    /// Time [default: none] [examples: 200ms, 5s]
    #[arg(long, value_name = "TIME", value_parser = duration, hide_short_help = true)]
    time: Option<Duration>,
}

/// The limits of this process, for messages: there is one set of options.
static LIMITS: OnceLock<Limits> = OnceLock::new();

impl LimitArguments {
    /// Returns the limits of engines.
    pub(crate) fn limits(&self) -> Limits {
        let default = Limits::untrusted();
        let limits = Limits {
            fuel: self.fuel.unwrap_or(default.fuel),
            arena_bytes: self.memory.unwrap_or(default.arena_bytes),
            time: self.time,
            ..default
        };
        *LIMITS.get_or_init(|| limits)
    }

    /// Returns true if a limit is given.
    pub(crate) fn is_used(&self) -> bool {
        *self != Self::default()
    }
}

/// Returns the sentence that a limit was exceeded: which one, and its value.
pub(crate) fn exceeded(error: &LimitError) -> String {
    let limits = LIMITS.get().copied().unwrap_or_default();
    let (what, most) = match error.exhausted {
        Exhausted::Fuel => ("more work", format!("--fuel allows: {} units", grouped(limits.fuel))),
        Exhausted::Memory => ("more memory", format!("--memory allows: {}", size(limits.arena_bytes))),
        Exhausted::Time => {
            let time = limits.time.map_or_else(|| "none".to_owned(), |time| format!("{time:?}"));
            ("more time", format!("--time allows: {time}"))
        }
        Exhausted::Depth => ("deeper nested values", format!("the limit of {} levels", limits.value_depth)),
        Exhausted::Digits => {
            ("longer numbers", format!("the limit of {} digits", grouped(limits.digits.into())))
        }
        Exhausted::Text => ("longer texts", format!("the limit of {}", size(limits.text_bytes))),
        Exhausted::Calls => ("deeper calls of functions", format!("the limit of {}", limits.call_depth)),
        Exhausted::Cancelled => return "The evaluation was stopped.".to_owned(),
    };
    format!("The evaluation needs {what} than {most}.")
}

/// Returns the option of the limit that a message of the library is about, with the value of the limit.
pub(crate) fn option_of(message: &str) -> Option<String> {
    let limits = LIMITS.get().copied().unwrap_or_default();
    let (option, value) = if message.contains("needs more work than its limits") {
        ("--fuel", format!("{} units", grouped(limits.fuel)))
    } else if message.contains("needs more memory than its limits") {
        ("--memory", size(limits.arena_bytes))
    } else if message.contains("needs more time than its limits") {
        ("--time", limits.time.map_or_else(|| "none".to_owned(), |time| format!("{time:?}")))
    } else {
        return None;
    };
    Some(format!("{option}, which is {value}"))
}

/// Returns a number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The units of sizes, the largest first.
const UNITS: [(&str, u64); 3] = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];

/// Returns a size in the largest unit of which it is a multiple.
fn size(bytes: usize) -> String {
    let bytes = bytes as u64;
    let unit = UNITS.iter().find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
    unit.map_or_else(
        || format!("{} bytes", grouped(bytes)),
        |(name, unit)| format!("{} {name}iB", bytes / unit),
    )
}

/// Reads a number of bytes such as `64M`.
fn bytes(text: &str) -> Result<usize, String> {
    let upper = text.to_ascii_uppercase();
    let number = upper.trim_end_matches("IB").trim_end_matches('B');
    let unit = UNITS.iter().find_map(|(name, unit)| Some((number.strip_suffix(name)?, *unit)));
    let (number, unit) = unit.unwrap_or((number, 1));
    let bytes = number.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    let bytes = bytes.filter(|bytes| *bytes > 0).and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| "expected a number of bytes, such as 1000000, 512K or 64M".to_owned())
}

/// Reads a time such as `200ms`.
fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("min", 60.0)];
    let unit = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)));
    let seconds = unit.and_then(|(number, unit)| Some(number.trim().parse::<f64>().ok()? * unit));
    let time = seconds
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "expected a time, such as 200ms, 5s or 1min".to_owned())
}
