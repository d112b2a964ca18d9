//! The figures of docs/performance.md, between two comments in it: means, the rows in which another engine
//! is faster, and when compiling pays off. [`crate::report`] writes all figures.

use std::fmt::Write;

use crate::Failure;
use crate::conditions::Conditions;
use crate::measure::Row;
use crate::report::{COLUMNS, break_evens, faster_engines, short};
use crate::targets::mean;
use crate::task::Section;

const BEGIN: &str = "<!-- Figures written by benches/peers/run -->\n";
const END: &str = "<!-- End of these figures -->\n";

/// The sections in the table of means.
const SECTIONS: [Section; 7] = [
    Section::Set,
    Section::Cold,
    Section::Warm,
    Section::Rules,
    Section::Results,
    Section::Numbers,
    Section::Beside,
];

/// Returns the page with the figures of these rows.
pub fn figures(page: &str, rows: &[Row], conditions: &Conditions) -> Result<String, Failure> {
    let missing = "the page has no place for figures";
    let (before, rest) = page.split_once(BEGIN).ok_or(missing)?;
    let (_, after) = rest.split_once(END).ok_or(missing)?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", of_rows(rows, conditions)))
}

fn of_rows(rows: &[Row], conditions: &Conditions) -> String {
    let mut text = format!("{}.\n\n| geometric mean, rows |", conditions.caption());
    let section = |section: Section| rows.iter().filter(move |row| row.task.section() == section);
    for chosen in SECTIONS {
        let _ = write!(text, " {}, {} |", chosen.short(), section(chosen).count());
    }
    let _ = write!(text, "\n|---|{}\n", "---|".repeat(SECTIONS.len()));
    for heading in COLUMNS {
        let means = SECTIONS.map(|chosen| mean(section(chosen), heading.peer));
        if means.iter().all(Option::is_none) {
            continue;
        }
        let cells = means.into_iter().zip(SECTIONS).map(|(mean, chosen)| match mean {
            None => String::new(),
            Some((mean, count)) if count == section(chosen).count() => short(mean),
            Some((mean, count)) => format!("{} ({count})", short(mean)),
        });
        let _ = writeln!(text, "| {} | {} |", heading.peer, cells.collect::<Vec<_>>().join(" | "));
    }
    let _ = write!(
        text,
        "\nA number in parentheses is the number of rows that a peer has, if it cannot do all; no mean is given for half of \
         the rows or fewer.\n\nRows in which another engine is faster, with its time as a multiple of hclvm's:\n\n"
    );
    for row in rows {
        let faster: Vec<String> =
            faster_engines(row).map(|(peer, ratio)| format!("{peer} {}", short(ratio))).collect();
        if !faster.is_empty() {
            let _ = writeln!(text, "- `{}`: {}", row.task.name(), faster.join(", "));
        }
    }
    let pays: Vec<String> =
        break_evens(rows).iter().map(|it| format!("{:.0} for `{}`", it.evaluations(), it.name)).collect();
    if !pays.is_empty() {
        let _ = write!(
            text,
            "\nParsing, compiling and running takes less time than parsing and walking the tree from this number of \
             evaluations on: {}.\n",
            pays.join(", ")
        );
    }
    text
}
