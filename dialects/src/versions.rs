//! Versions and version constraints, `>= 1.2, < 2`, in the syntax of HashiCorp's Go programs: any number of segments,
//! pre-releases, `~>`. Crates for semantic versions accept neither `1.2` nor `~>`.

use std::cmp::Ordering;

/// The differences between applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionRules {
    /// A pre-release follows a hyphen, and satisfies a range only if the range names a pre-release of its version.
    Terraform,
    /// Spaces around a version are ignored, `1.2rc1` is a pre-release, and ranges contain pre-releases by their order.
    Packer,
}

/// A version: `1.4.2`, `v2.0`, `1.0.0-beta.1+build`.
#[derive(Debug)]
pub(crate) struct Version {
    /// The segments without trailing zeros, so that the order of versions is that of these lists and a comparison takes
    /// no longer than the shorter version.
    segments: Vec<u64>,
    /// The number of segments in the text.
    written: usize,
    prerelease: Vec<PreReleasePart>,
}

/// A part of a pre-release. Numbers are less than texts.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PreReleasePart {
    Number(u64),
    Text(String),
}

impl Version {
    /// Reads a version; `None` if the text is not one.
    pub(crate) fn parse(text: &str, rules: VersionRules) -> Option<Self> {
        let text = if rules == VersionRules::Packer { text.trim() } else { text };
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let (numbers, rest) = text.split_at(end);
        let prerelease = match rest.strip_prefix('-') {
            Some(prerelease) => Some(prerelease),
            None if rest.is_empty() => None,
            None if rules == VersionRules::Packer => Some(rest),
            None => return None,
        };
        if ![build, prerelease].into_iter().flatten().all(is_suffix) {
            return None;
        }
        // Segments consist of digits, so that only empty and too large ones are refused.
        let mut segments =
            numbers.split('.').map(|digits| digits.parse().ok()).collect::<Option<Vec<u64>>>()?;
        let written = segments.len();
        segments.truncate(segments.iter().rposition(|segment| *segment != 0).map_or(0, |last| last + 1));
        let part = |text: &str| {
            text.parse().map_or_else(|_| PreReleasePart::Text(text.to_owned()), PreReleasePart::Number)
        };
        let prerelease = prerelease.map(|text| text.split('.').map(part).collect()).unwrap_or_default();
        Some(Self { segments, written, prerelease })
    }

    /// Returns the order of two versions. Build metadata is ignored.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        // A release is greater than its pre-releases.
        let suffix = |of: &Self| of.prerelease.is_empty();
        self.segments
            .cmp(&other.segments)
            .then_with(|| suffix(self).cmp(&suffix(other)))
            .then_with(|| self.prerelease.cmp(&other.prerelease))
    }

    fn segment(&self, at: usize) -> u64 {
        self.segments.get(at).copied().unwrap_or_default()
    }

    fn is_prerelease(&self) -> bool {
        !self.prerelease.is_empty()
    }
}

/// Returns true for the text after a hyphen or a plus sign.
fn is_suffix(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~'))
    };
    text.split('.').all(is_part)
}

/// Requirements that a version has to satisfy together.
#[derive(Debug)]
pub(crate) struct Constraint {
    requirements: Vec<Requirement>,
    rules: VersionRules,
}

impl Constraint {
    /// Reads requirements that are separated by commas; `None` if the text is not a constraint.
    pub(crate) fn parse(text: &str, rules: VersionRules) -> Option<Self> {
        let requirements =
            text.split(',').map(|text| Requirement::parse(text, rules)).collect::<Option<_>>()?;
        Some(Self { requirements, rules })
    }

    /// Returns true if a version satisfies all requirements.
    pub(crate) fn allows(&self, version: &Version) -> bool {
        self.requirements.iter().all(|requirement| requirement.allows(version, self.rules))
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
    /// Equal but for the last written segment, which may be greater.
    Compatible,
}

/// The signs of operators; longer ones before their prefixes.
const OPERATORS: [(&str, Operator); 8] = [
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("~>", Operator::Compatible),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("", Operator::Equal),
];

impl Requirement {
    fn parse(text: &str, rules: VersionRules) -> Option<Self> {
        let text = text.trim();
        let (operator, rest) =
            OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))?;
        Some(Self { operator, version: Version::parse(rest.trim_start(), rules)? })
    }

    fn allows(&self, version: &Version, rules: VersionRules) -> bool {
        let order = version.order(&self.version);
        match self.operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            _ if rules == VersionRules::Terraform && !self.admits_prerelease(version) => false,
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Compatible => {
                let fixed = self.version.written.saturating_sub(1);
                order.is_ge() && (0..fixed).all(|at| version.segment(at) == self.version.segment(at))
            }
        }
    }

    /// Returns false if the range excludes the version because it is a pre-release, or, for `~>` a pre-release, because
    /// it is not.
    fn admits_prerelease(&self, version: &Version) -> bool {
        match (version.is_prerelease(), self.version.is_prerelease()) {
            (true, true) => version.segments == self.version.segments,
            (true, false) => false,
            (false, true) => !matches!(self.operator, Operator::Compatible),
            (false, false) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Constraint, Version, VersionRules};

    fn version(text: &str) -> Option<Version> {
        Version::parse(text, VersionRules::Terraform)
    }

    fn constraint(text: &str) -> Option<Constraint> {
        Constraint::parse(text, VersionRules::Terraform)
    }

    fn allows(text: &str, of: &str) -> bool {
        constraint(text).expect("a constraint").allows(&version(of).expect("a version"))
    }

    #[test]
    fn requirements_hold_together() {
        assert!(allows(">= 1.2, < 2", "1.10.0"));
        assert!(!allows(">= 1.2, < 2", "2.0.0"));
        assert!(allows("1.2", "1.2.0") && allows("= v1.2.0", "1.2") && !allows("!= 1.2", "1.2.0"));
    }

    #[test]
    fn a_compatible_version_differs_in_the_last_written_segment() {
        assert!(allows("~> 1.2", "1.9.9") && !allows("~> 1.2", "2.0.0") && !allows("~> 1.2", "1.1.9"));
        assert!(allows("~> 1.2.3", "1.2.9") && !allows("~> 1.2.3", "1.3.0"));
        assert!(allows("~> 1", "7.0.0"));
    }

    #[test]
    fn a_prerelease_meets_a_range_that_names_one() {
        assert!(!allows(">= 1.0", "2.0.0-beta") && allows(">= 2.0.0-alpha", "2.0.0-beta"));
        assert!(!allows(">= 1.9.0-alpha", "2.0.0-beta") && !allows("~> 2.0.0-alpha", "2.0.1"));
        assert!(allows("2.0.0-beta", "2.0.0-beta") && !allows("< 2.0.0", "2.0.0-beta"));
    }

    #[test]
    fn versions_have_an_order() {
        let ordered = ["1.0.0-1", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0", "1.0.0.1", "1.10"];
        for pair in ordered.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|text| version(text).expect("a version"));
            assert!(a.order(&b).is_lt(), "{pair:?}");
        }
        let [a, b] = ["1.2.3+a", "v1.2.3"].map(|text| version(text).expect("a version"));
        assert!(a.order(&b).is_eq());
    }

    #[test]
    fn other_texts_are_no_versions() {
        for text in ["", "1.", "a", "1.2.x", "1.2-", "1.2+", "-1", "99999999999999999999", " 1", "1 .2"] {
            assert!(version(text).is_none(), "{text:?}");
        }
        for text in ["", ">", "> 1,", "=> 1", "1 2"] {
            assert!(constraint(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn long_versions_are_compared_in_linear_time() {
        let long = "0.".repeat(100_000) + "0-" + &"0".repeat(100_000);
        let ranges = vec![">= 0-0, < 0-a"; 60_000].join(", ");
        assert!(constraint(&ranges).expect("a constraint").allows(&version(&long).expect("a version")));
        let ranges = vec!["!= 0"; 100_000].join(", ");
        assert!(constraint(&ranges).expect("a constraint").allows(&version(&long).expect("a version")));
    }
}
