//! Values that are not logged, by their paths.
//!
//! Invariant: in doubt a value is hidden. Names are compared in normal form C and without regard to case, and the names
//! of a path also match a name that has their dots in it.

use std::borrow::Cow;

use hclvm::module::AttributePath;
use hclvm::value::{Arena, nfc};

/// What is written for a masked value.
pub(crate) const MASKED: &str = "{\"$masked\":true}";

/// The path of values that are not logged.
#[derive(Clone, Debug)]
pub(crate) struct Mask(Box<[Segment]>);

/// A part of a path.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    /// `*`: every attribute or element.
    Any,
    /// A name, [folded](fold).
    Name(String),
}

impl Mask {
    /// Reads a path.
    ///
    /// # Errors
    /// Why no value can be at this path, as a sentence without its end.
    pub(crate) fn new(path: &str) -> Result<Self, String> {
        let parsed: AttributePath = path.parse().map_err(|why| match why {
            why if path.is_empty() => format!("{why}; name a variable, or write `*` for all"),
            why => format!(
                "{why}; write a name with dots or brackets as [\"a.b\"], and the first one as \"a.b\""
            ),
        })?;
        let segments = parsed.names().enumerate().map(|(at, name)| segment(at, name, path));
        segments.collect::<Result<_, _>>().map(Self)
    }

    pub(crate) fn segments(&self) -> &[Segment] {
        &self.0
    }
}

/// Returns the part `name` of a path. What another notation would mean something else by is refused, because it would
/// match nothing and leave a secret in the log; in quotes, it is a name.
fn segment(at: usize, name: Option<&str>, path: &str) -> Result<Segment, String> {
    let Some(name) = name else { return Ok(Segment::Any) };
    if name.contains('"') {
        return Err("a quotation mark is not a part of a name; mask what is around it".to_owned());
    }
    let hint = if path.contains(&format!("\"{name}\"")) {
        None
    } else if name.contains('*') {
        Some("`*` matches a whole name, not a part of one")
    } else if name.trim() != name {
        Some("a name has blanks around it")
    } else if at == 0 && name.starts_with(['/', '$']) {
        Some("a path begins with the name of a variable, and names are separated by dots")
    } else {
        None
    };
    match hint {
        Some(why) => {
            // A path begins without brackets.
            let (open, close) = if at == 0 { ("\"", "\"") } else { ("[\"", "\"]") };
            Err(format!("{why}; if `{name}` is a name, write it as {open}{name}{close}"))
        }
        None => Ok(Segment::Name(fold(name).into_owned())),
    }
}

/// Returns the form in which names are compared: normal form C without case.
fn fold(name: &str) -> Cow<'_, str> {
    if !name.is_ascii() {
        let arena = Arena::new();
        // Both ways, because some letters have several small or several capital forms.
        let capital = nfc(&arena, name).chars().flat_map(char::to_uppercase);
        let folded: String = capital.flat_map(char::to_lowercase).collect();
        // The parts of a letter that was divided are one again.
        return Cow::Owned(nfc(&arena, &folded).to_owned());
    }
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// The masks that apply below a value, without the names of the values around it.
pub(crate) type Below<'m> = Vec<&'m [Segment]>;

/// Returns the masks below the attribute `name`; `None` if that is masked.
pub(crate) fn below<'m>(masks: &[&'m [Segment]], name: &str) -> Option<Below<'m>> {
    let name = fold(name);
    let mut below = Below::new();
    for mask in masks {
        add_below(mask, &name, &mut below);
    }
    below.iter().all(|rest| !rest.is_empty()).then_some(below)
}

/// Adds what is left of a mask below the attribute `name`. A name with dots is matched by several parts as well: of
/// `labels.app.io/token`, the last two match the label `app.io/token`.
fn add_below<'m>(mask: &'m [Segment], name: &str, below: &mut Below<'m>) {
    let (mut mask, mut name) = (mask, name);
    while let Some((first, rest)) = mask.split_first() {
        let behind = match first {
            Segment::Any => {
                below.push(rest);
                name.split_once('.').map(|(_, behind)| behind)
            }
            Segment::Name(wanted) => match name.strip_prefix(wanted.as_str()) {
                Some("") => return below.push(rest),
                behind => behind.and_then(|behind| behind.strip_prefix('.')),
            },
        };
        let Some(behind) = behind else { return };
        (mask, name) = (rest, behind);
    }
}

/// Separates the next member or element from the one before it.
pub(crate) fn separate(out: &mut String) {
    if !out.ends_with(['{', '[']) {
        out.push(',');
    }
}
