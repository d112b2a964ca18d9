//! Version requirements of templates: `packer { required_version = ">= 1.9, < 2" }`.
//!
//! The syntax is the one of Go programs, `~> 1.9` for 1.9 and later of 1, which no crate reads.

use std::cmp::Ordering;

use hclvm::schema::Schema;
use hclvm::{Attribute, Document};

use crate::constants::Constants;
use crate::problems::{Place, Problems};

/// Reads the `packer` blocks of a document; returns false after reporting that this version is not supported.
pub(super) fn check(
    document: &Document,
    version: &str,
    constants: &mut Constants,
    problems: &mut Problems,
) -> bool {
    let schema = Schema::new().optional("required_version").block("required_plugins", &[]);
    let mut is_supported = true;
    for block in document.body().blocks_of("packer").filter(|block| block.labels().next().is_none()) {
        let (content, found) = block.body().content_lenient(&schema);
        problems.add(found);
        if let Some(attribute) = content.attribute("required_version") {
            is_supported &= attribute_allows(attribute, version, constants, problems);
        }
    }
    is_supported
}

/// Returns true for a version requirement: operators and versions.
pub(super) fn is_requirement(text: &str) -> bool {
    text.split(',').all(|one| Requirement::parse(one).is_some())
}

fn attribute_allows(
    attribute: Attribute<'_>,
    version: &str,
    constants: &mut Constants,
    problems: &mut Problems,
) -> bool {
    let Some(value) = constants.value(attribute, problems) else { return true };
    let place = Place::of_value(attribute);
    let value = value.get();
    let Some(text) = value.as_str() else {
        let shown = hclvm::show::line(value);
        let detail = format!("A version requirement is a text such as \">= 1.9\", not {shown}.");
        problems.error(&place, "Invalid version constraint", detail);
        return true;
    };
    let parsed: Option<Vec<Requirement>> = text.split(',').map(Requirement::parse).collect();
    let Some(requirements) = parsed else {
        let detail =
            format!("\"{text}\" is no version requirement. Write operators and versions: \">= 1.9, < 2\".");
        problems.error(&place, "Invalid version constraint", detail);
        return true;
    };
    let is_allowed =
        Version::parse(version).is_none_or(|version| requirements.iter().all(|one| one.allows(&version)));
    if !is_allowed {
        let detail = format!("The template requires version {text}, and this is {version}.");
        problems.error(&place, "Unsupported Packer Core version", detail);
    }
    is_allowed
}

/// A version: its numbers, and what follows a hyphen.
#[derive(Debug)]
struct Version {
    numbers: Vec<u64>,
    /// How many numbers were written.
    written: usize,
    prerelease: String,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, metadata) = text.split_once('+').map_or((text, None), |(text, data)| (text, Some(data)));
        // Letters need no hyphen before them.
        let end = text.find(|one: char| !(one.is_ascii_digit() || one == '.')).unwrap_or(text.len());
        let (numbers, rest) = text.split_at(end);
        let prerelease = rest.strip_prefix('-').unwrap_or(rest);
        let is_suffix = |text: &str| {
            text.split('.').all(|part| {
                !part.is_empty()
                    && part.bytes().all(|one| one.is_ascii_alphanumeric() || matches!(one, b'-' | b'~'))
            })
        };
        if !(rest.is_empty() || is_suffix(prerelease)) || metadata.is_some_and(|data| !is_suffix(data)) {
            return None;
        }
        let parsed: Option<Vec<u64>> = numbers.split('.').map(|one| one.parse().ok()).collect();
        let mut numbers = parsed?;
        let written = numbers.len();
        numbers.resize(written.max(3), 0);
        Some(Self { numbers, written, prerelease: prerelease.to_owned() })
    }

    fn order(&self, other: &Self) -> Ordering {
        let length = self.numbers.len().max(other.numbers.len());
        let number = |of: &Self, at: usize| of.numbers.get(at).copied().unwrap_or_default();
        let numbers = (0..length).map(|at| number(self, at).cmp(&number(other, at)));
        let numbers = numbers.fold(Ordering::Equal, Ordering::then);
        // A version without a suffix comes after those with one.
        let suffix = (self.prerelease.is_empty(), &self.prerelease);
        numbers.then(suffix.cmp(&(other.prerelease.is_empty(), &other.prerelease)))
    }
}

/// An operator and a version.
#[derive(Debug)]
struct Requirement {
    operator: Operator,
    version: Version,
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// The last written number may grow.
    Compatible,
}

impl Requirement {
    fn parse(text: &str) -> Option<Self> {
        let operators = [
            // Longer ones before those that they begin with.
            ("!=", Operator::NotEqual),
            ("<=", Operator::LessOrEqual),
            (">=", Operator::GreaterOrEqual),
            ("~>", Operator::Compatible),
            ("=", Operator::Equal),
            ("<", Operator::Less),
            (">", Operator::Greater),
            ("", Operator::Equal),
        ];
        let text = text.trim();
        let (operator, rest) =
            operators.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))?;
        Some(Self { operator, version: Version::parse(rest)? })
    }

    fn allows(&self, version: &Version) -> bool {
        let order = version.order(&self.version);
        match self.operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Compatible => {
                let fixed = self.version.written.saturating_sub(1);
                order.is_ge()
                    && version.numbers.iter().zip(&self.version.numbers).take(fixed).all(|(a, b)| a == b)
            }
        }
    }
}
