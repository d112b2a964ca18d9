//! Paths to attributes: `rule.allow-owner.when`, `local.risk`, `rule.*.when`, `job["a.b"].group.count`.

use std::fmt;
use std::str::FromStr;

use super::locals::LOCAL;

/// The path to attributes of a file: block types and labels, then the name of the attribute, separated by
/// dots. `*` matches any name, and a name with a dot is written in quotes, also in brackets as in expressions.
/// `local` leads to the locals
/// of all `locals` blocks. A path to a block leads to all attributes in it.
///
/// ```
/// use hclvm::module::AttributePath;
///
/// let path: AttributePath = "rule.*.when".parse()?;
/// assert_eq!(path.to_string(), "rule.*.when");
/// let path: AttributePath = r#"rule["allow-owner"].when"#.parse()?;
/// assert_eq!(path.to_string(), "rule.allow-owner.when");
/// assert!("rule..when".parse::<AttributePath>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AttributePath(Vec<Segment>);

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Segment {
    Any,
    Name(String),
}

impl Segment {
    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Name(wanted) => wanted == name,
        }
    }
}

impl AttributePath {
    /// Iterates over its names; `None` for `*`.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = Option<&str>> {
        self.0.iter().map(|segment| match segment {
            Segment::Any => None,
            Segment::Name(name) => Some(name.as_str()),
        })
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns the path with further segments.
    pub(super) fn with_segments(&self, segments: impl IntoIterator<Item = Segment>) -> Self {
        Self(self.0.iter().cloned().chain(segments).collect())
    }

    /// Returns the path with further names.
    pub(super) fn with<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Self {
        self.with_segments(names.into_iter().map(|name| Segment::Name(name.to_owned())))
    }

    /// Returns the path followed by another one.
    pub(super) fn join(&self, path: &Self) -> Self {
        self.with_segments(path.0.iter().cloned())
    }
}

/// The path of these names.
impl<S: Into<String>> FromIterator<S> for AttributePath {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Self(names.into_iter().map(|name| Segment::Name(name.into())).collect())
    }
}

impl FromStr for AttributePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut segments = Vec::new();
        let mut rest = text;
        loop {
            let (segment, after) = first_segment(rest)?;
            segments.push(segment);
            rest = after;
            while let Some(bracketed) = rest.strip_prefix('[') {
                let (segment, after) = first_segment(bracketed)?;
                rest = after.strip_prefix(']').ok_or("expected a name in quotes and `]` after `[`")?;
                segments.push(segment);
            }
            match rest.strip_prefix('.') {
                Some(next) => rest = next,
                None if rest.is_empty() => return Ok(Self(segments)),
                None => return Err("expected a dot or `[` after a name".to_owned()),
            }
        }
    }
}

/// Splits off the first part of a path.
fn first_segment(text: &str) -> Result<(Segment, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, after) = quoted.split_once('"').ok_or("a quoted name is missing its closing quote")?;
        return Ok((Segment::Name(name.to_owned()), after));
    }
    let end = text.find(['.', '[', ']']).unwrap_or(text.len());
    match &text[..end] {
        "" => Err("a name is empty".to_owned()),
        "*" => Ok((Segment::Any, &text[end..])),
        name => Ok((Segment::Name(name.to_owned()), &text[end..])),
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            match segment {
                Segment::Any => f.write_str("*")?,
                Segment::Name(name) if name.contains('.') || name == "*" => write!(f, "\"{name}\"")?,
                Segment::Name(name) => f.write_str(name)?,
            }
        }
        Ok(())
    }
}

/// The attributes of a body that are evaluated.
#[derive(Clone, Debug)]
pub(super) enum RequestedAttributes<'p> {
    All,
    /// The parts that one of the paths leads to, from the body.
    Paths(Vec<&'p [Segment]>),
}

impl RequestedAttributes<'_> {
    /// Returns true if an attribute is wanted.
    pub(super) fn attribute(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Paths(paths) => paths.iter().any(|path| matches!(path, [last] if last.matches(name))),
        }
    }

    /// Returns true if a local is wanted.
    pub(super) fn local(&self, name: &str) -> bool {
        let is_local = |segment: &Segment| matches!(segment, Segment::Name(local) if local == LOCAL);
        match self {
            Self::All => true,
            Self::Paths(paths) => paths.iter().any(|path| match path {
                [local] => is_local(local),
                [local, wanted] => is_local(local) && wanted.matches(name),
                _ => false,
            }),
        }
    }

    /// Returns what is wanted in a block; `None` if nothing is.
    pub(super) fn block<'l>(&self, kind: &'l str, labels: impl Iterator<Item = &'l str>) -> Option<Self> {
        let names: Vec<&str> = std::iter::once(kind).chain(labels).collect();
        self.below(names.len(), |path| path.iter().zip(&names).all(|(segment, name)| segment.matches(name)))
    }

    /// Returns what is wanted in the blocks that a dynamic block makes, whatever their labels.
    pub(super) fn made_block(&self, kind: &str, labels: usize) -> Option<Self> {
        self.below(1 + labels, |path| path.first().is_some_and(|segment| segment.matches(kind)))
    }

    /// Returns the rests of the paths that lead to a block of `length` names.
    fn below(&self, length: usize, matches: impl Fn(&[Segment]) -> bool) -> Option<Self> {
        let Self::Paths(paths) = self else { return Some(Self::All) };
        let mut rests = Vec::new();
        for path in paths.iter().filter(|path| matches(path)) {
            match path.get(length..) {
                // The path leads to this block, or to several of which it is one.
                None | Some([]) => return Some(Self::All),
                Some(rest) => rests.push(rest),
            }
        }
        (!rests.is_empty()).then_some(Self::Paths(rests))
    }
}
