//! Coverage as text: a table with what is not covered, and the records of lcov.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Branch, Counted, Coverage, File, Share, Totals};
use crate::disasm::plain;

/// Returns a table of the files, and what is not covered in them.
pub(super) fn table(coverage: &Coverage) -> String {
    let width = coverage.files.keys().map(|name| plain(name).chars().count()).max().unwrap_or(0).max(4);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:width$}  attributes  conditions      rules  covered", "");
    let mut row = |name: &str, totals: Totals| {
        let of = |share: Share| format!("{}/{}", share.covered, share.all);
        let Totals { attributes, outcomes, rules } = totals;
        let _ = writeln!(
            out,
            "{name:width$}  {:>10}  {:>10}  {:>9}  {:>7}",
            of(attributes),
            of(outcomes),
            of(rules),
            totals.whole().percent()
        );
    };
    for (name, file) in &coverage.files {
        row(&plain(name), Totals::of([file]));
    }
    if coverage.files.len() > 1 {
        row("all", Totals::of(coverage.files.values()));
    }
    for (name, file) in &coverage.files {
        for attribute in &file.attributes {
            missing(name, attribute, &mut out);
        }
    }
    out
}

/// Writes what is not covered of an attribute, a line for each condition.
fn missing(name: &str, attribute: &Counted, out: &mut String) {
    let (name, path) = (plain(name), plain(&attribute.path));
    if attribute.cases == 0 {
        let _ = writeln!(out, "{name}:{}: {path} is not evaluated", attribute.line);
        return;
    }
    for condition in &attribute.conditions {
        if let Some(what) = condition.missing() {
            let _ =
                writeln!(out, "{name}:{}: {path}: `{}` is {what}", condition.line, plain(&condition.text));
        }
    }
}

impl Branch {
    /// Returns what no case made of the condition.
    pub(super) fn missing(&self) -> Option<&'static str> {
        match self.seen.map(|cases| cases > 0) {
            [true, true] => None,
            [false, true] => Some("never true"),
            [true, false] => Some("never false"),
            [false, false] => Some("neither true nor false"),
        }
    }
}

/// Returns the records of lcov: a line for each attribute, and two branches for each condition.
pub(super) fn lcov(coverage: &Coverage) -> String {
    let mut out = String::from("TN:\n");
    for (name, file) in &coverage.files {
        let _ = writeln!(out, "SF:{}", plain(name));
        records(file, &mut out);
        out.push_str("end_of_record\n");
    }
    out
}

fn records(file: &File, out: &mut String) {
    let mut lines: BTreeMap<u32, u32> = BTreeMap::new();
    for attribute in &file.attributes {
        let cases = lines.entry(attribute.line).or_default();
        *cases = attribute.cases.max(*cases);
        for condition in &attribute.conditions {
            let cases = lines.entry(condition.line).or_default();
            *cases = attribute.cases.max(*cases);
        }
    }
    let (mut blocks, mut found, mut hit): (BTreeMap<u32, u32>, u32, u32) = (BTreeMap::new(), 0, 0);
    for attribute in &file.attributes {
        for condition in &attribute.conditions {
            let block = blocks.entry(condition.line).or_default();
            for (branch, cases) in condition.seen.into_iter().enumerate() {
                // A dash: the condition was never reached.
                let taken = if attribute.cases == 0 { "-".to_owned() } else { cases.to_string() };
                let _ = writeln!(out, "BRDA:{},{block},{branch},{taken}", condition.line);
                found += 1;
                hit += u32::from(cases > 0);
            }
            *block += 1;
        }
    }
    let _ = writeln!(out, "BRF:{found}\nBRH:{hit}");
    for (line, cases) in &lines {
        let _ = writeln!(out, "DA:{line},{cases}");
    }
    let covered = lines.values().filter(|cases| **cases > 0).count();
    let _ = writeln!(out, "LF:{}\nLH:{covered}", lines.len());
}
