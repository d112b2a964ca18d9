//! Versions and constraints of versions, `>= 1.2, < 2`, as Terraform's module and provider requirements have them: any
//! number of segments, pre-releases, `~>`.

use std::cmp::Ordering;

/// A version: `1.4.2`, `v2.0`, `1.0.0-beta.1+build`.
#[derive(Debug)]
pub(super) struct Version {
    segments: Vec<u64>,
    /// The number of segments that were written; others are zero.
    written: usize,
    prerelease: String,
}

impl Version {
    /// Reads a version; `None` if the text is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        let (numbers, prerelease) =
            text.split_once('-').map_or((text, None), |(numbers, suffix)| (numbers, Some(suffix)));
        if ![build, prerelease].into_iter().flatten().all(is_suffix) {
            return None;
        }
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { digits.parse().ok() } else { None }
        };
        let mut segments = numbers.split('.').map(number).collect::<Option<Vec<u64>>>()?;
        let written = segments.len();
        segments.resize(written.max(3), 0);
        Some(Self { segments, written, prerelease: prerelease.unwrap_or_default().to_owned() })
    }

    /// Returns the order of two versions. Build metadata has none.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.order_of_segments(other).then_with(|| match (self.prerelease(), other.prerelease()) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(own), Some(other)) => order_of_prereleases(own, other),
        })
    }

    fn order_of_segments(&self, other: &Self) -> Ordering {
        let length = self.segments.len().max(other.segments.len());
        let segment = |of: &Self, at: usize| of.segments.get(at).copied().unwrap_or_default();
        (0..length).map(|at| segment(self, at).cmp(&segment(other, at))).fold(Ordering::Equal, Ordering::then)
    }

    fn prerelease(&self) -> Option<&str> {
        Some(self.prerelease.as_str()).filter(|text| !text.is_empty())
    }
}

/// Returns true for what may follow a hyphen or a plus sign.
fn is_suffix(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~'))
    };
    text.split('.').all(is_part)
}

/// Numbers are less than words; more parts are greater than fewer.
fn order_of_prereleases(own: &str, other: &str) -> Ordering {
    let (mut own, mut other) = (own.split('.'), other.split('.'));
    loop {
        let order = match (own.next(), other.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(own), Some(other)) => match (own.parse::<u64>(), other.parse::<u64>()) {
                (Ok(own), Ok(other)) => own.cmp(&other),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => own.cmp(other),
            },
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Requirements that a version meets together.
#[derive(Debug)]
pub(super) struct Constraint(Vec<Requirement>);

impl Constraint {
    /// Reads requirements, separated by commas; `None` if the text is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        text.split(',').map(Requirement::parse).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Returns true if a version meets all requirements.
    pub(super) fn allows(&self, version: &Version) -> bool {
        self.0.iter().all(|one| one.allows(version))
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
    /// The last written segment may grow.
    Compatible,
}

/// The signs of operators; longer ones before those that they begin with.
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
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (operator, rest) =
            OPERATORS.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))?;
        Some(Self { operator, version: Version::parse(rest.trim_start())? })
    }

    fn allows(&self, version: &Version) -> bool {
        let order = version.order(&self.version);
        match self.operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            _ if !self.admits_prerelease(version) => false,
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::GreaterOrEqual => order.is_ge(),
            Operator::Compatible => {
                let fixed = self.version.written.saturating_sub(1);
                let prereleases = self.version.prerelease().is_none() || version.prerelease().is_some();
                prereleases
                    && order.is_ge()
                    && self.version.segments.iter().zip(&version.segments).take(fixed).all(|(a, b)| a == b)
            }
        }
    }

    /// A pre-release meets a range only if the range names one of the same version.
    fn admits_prerelease(&self, version: &Version) -> bool {
        match (version.prerelease(), self.version.prerelease()) {
            (Some(_), Some(_)) => version.order_of_segments(&self.version).is_eq(),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Constraint, Version};

    fn allows(constraint: &str, version: &str) -> bool {
        let constraint = Constraint::parse(constraint).expect("a constraint");
        constraint.allows(&Version::parse(version).expect("a version"))
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
            let [a, b] = [pair[0], pair[1]].map(|text| Version::parse(text).expect("a version"));
            assert!(a.order(&b).is_lt(), "{pair:?}");
        }
        let [a, b] = ["1.2.3+a", "v1.2.3"].map(|text| Version::parse(text).expect("a version"));
        assert!(a.order(&b).is_eq());
    }

    #[test]
    fn other_texts_are_no_versions() {
        for text in ["", "1.", "a", "1.2.x", "1.2-", "1.2+", "-1", "99999999999999999999", " 1", "1 .2"] {
            assert!(Version::parse(text).is_none(), "{text:?}");
        }
        for text in ["", ">", "> 1,", "=> 1", "1 2"] {
            assert!(Constraint::parse(text).is_none(), "{text:?}");
        }
    }
}
