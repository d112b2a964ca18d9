//! Coverage as text: a table with what is not covered, and the records of lcov.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use super::{Branch, Counted, CoverageByFile, CoveredFile, Share, Totals};
use crate::disasm::plain;

/// Returns a table of the files, and what is not covered in them: a line for each rule, other block, local or attribute, or
/// with `verbose` for each attribute and condition.
pub(super) fn table(coverage: &CoverageByFile, verbose: bool) -> String {
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
        if verbose {
            file.attributes.iter().for_each(|attribute| missing(name, attribute, &mut out));
        } else {
            summaries(name, file, &mut out);
        }
    }
    out
}

/// The blocks whose attributes have a line each.
const LOCAL: &str = "local.";

/// Writes a line for each block with something that is not covered.
fn summaries(name: &str, file: &CoveredFile, out: &mut String) {
    let mut groups: Vec<(&str, Vec<&Counted>)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for attribute in &file.attributes {
        let block = attribute.block.as_str();
        let group = if block.is_empty() || block == LOCAL { attribute.path.as_str() } else { block };
        let at = *known.entry(group).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, attributes)) => attributes.push(attribute),
            None => groups.push((group, vec![attribute])),
        }
    }
    for (group, attributes) in groups {
        let mut details = String::new();
        for attribute in &attributes {
            missing(name, attribute, &mut details);
        }
        if details.lines().count() == 1 {
            out.push_str(&details);
        } else if let (Some(summary), Some(line)) =
            (summary(&attributes), attributes.first().map(|one| one.line))
        {
            let group = plain(group.trim_end_matches('.'));
            let _ = writeln!(out, "{}:{line}: {group}{}", plain(name), plain(&summary));
        }
    }
}

/// Returns what is not covered of the attributes of a block; `None` if all is.
fn summary(attributes: &[&Counted]) -> Option<String> {
    if attributes.iter().all(|attribute| attribute.cases == 0) {
        return Some(" is not evaluated".to_owned());
    }
    let whole = attributes.iter().filter(|attribute| attribute.is_rule).flat_map(|one| &one.conditions);
    let applies = whole.filter(|condition| condition.is_result).find_map(Branch::missing);
    let applies = match applies {
        Some("never true") => Some(" never applies"),
        Some("never false") => Some(" always applies"),
        _ => None,
    };
    let evaluated = attributes.iter().filter(|attribute| attribute.cases > 0);
    let conditions =
        evaluated.flat_map(|attribute| attribute.conditions.iter().map(move |one| (attribute, one)));
    let conditions = conditions.filter(|(of, one)| applies.is_none() || !(of.is_rule && one.is_result));
    let missing: Vec<String> =
        conditions.filter_map(|(_, one)| Some(format!("`{}` is {}", one.text, one.missing()?))).collect();
    let unevaluated = attributes.iter().filter(|attribute| attribute.cases == 0).count();
    let of = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut parts: Vec<String> = Vec::new();
    match (applies, &*missing) {
        (_, []) => {}
        (Some(_), all) => parts.push(format!("{} not covered", of(all.len(), "more condition"))),
        (None, [one]) => parts.push(one.clone()),
        (None, [first, others @ ..]) => {
            parts.push(format!("{first}, and {}", of(others.len(), "more condition")));
        }
    }
    if unevaluated > 0 && applies != Some(" never applies") {
        parts.push(format!("{} not evaluated", of(unevaluated, "attribute")));
    }
    match (applies, parts.is_empty()) {
        (None, true) => None,
        (Some(applies), true) => Some(applies.to_owned()),
        (applies, false) => Some(format!("{}: {}", applies.unwrap_or_default(), parts.join("; "))),
    }
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
pub(super) fn lcov(coverage: &CoverageByFile) -> String {
    let mut out = String::from("TN:\n");
    for (name, file) in &coverage.files {
        let _ = writeln!(out, "SF:{}", plain(name));
        records(file, &mut out);
        out.push_str("end_of_record\n");
    }
    out
}

fn records(file: &CoveredFile, out: &mut String) {
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
