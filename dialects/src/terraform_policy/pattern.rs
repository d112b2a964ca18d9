//! The first label of a policy: which objects it is for.

use super::PolicyKind;

/// A name, in which `*` is any text.
#[derive(Clone, Debug)]
pub(super) enum NamePattern {
    All,
    Exact(String),
    /// What is between the `*`.
    Parts(Vec<String>),
}

impl NamePattern {
    /// Reads a label. Those of modules have no `*` in them: a module is named whole.
    pub(super) fn new(kind: PolicyKind, label: &str) -> Self {
        if label == "*" {
            Self::All
        } else if label.contains('*') && kind != PolicyKind::Module {
            Self::Parts(label.split('*').map(str::to_owned).collect())
        } else {
            Self::Exact(label.to_owned())
        }
    }

    /// Returns the only name that it matches, if there is one.
    pub(super) fn exact(&self) -> Option<&str> {
        if let Self::Exact(name) = self { Some(name) } else { None }
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exact(wanted) => wanted == name,
            Self::Parts(parts) => matches_parts(parts, name),
        }
    }
}

/// The first occurrence of each part is as good as any other: what is left for the next ones is longest.
fn matches_parts(parts: &[String], name: &str) -> bool {
    let [first, inner @ .., last] = parts else { return false };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    for part in inner {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::PolicyKind;
    use super::NamePattern;

    #[test]
    fn stars_are_any_text() {
        let matches = |label: &str, name: &str| NamePattern::new(PolicyKind::Resource, label).matches(name);
        assert!(matches("*", "aws_vpc") && matches("aws_*", "aws_vpc") && matches("aws_*", "aws_"));
        assert!(!matches("aws_*", "awsx") && !matches("aws_vpc", "aws_vpc_dhcp_options"));
        assert!(matches("*_policy", "aws_iam_policy") && !matches("*_policy", "aws_iam_policy_document"));
        assert!(matches("a*b*c", "abc") && matches("a*b*c", "axbybc") && !matches("a*b*c", "acb"));
        assert!(!matches("ab*ba", "aba"));
    }

    #[test]
    fn a_module_is_named_whole() {
        assert!(!NamePattern::new(PolicyKind::Module, "./modules/*").matches("./modules/net"));
        assert!(NamePattern::new(PolicyKind::Module, "*").matches("./modules/net"));
    }
}
