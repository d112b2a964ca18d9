//! The reason why a conversion failed: recorded as facts, and formatted only when it is shown.
//!
//! A mismatch is one pointer, so that a conversion returns in two registers. It shows the text of a value only
//! if it was [asked to](Mismatch::showing), because a mark may have been removed from it; of marked values it does
//! not even show the names of attributes. The sentence around it is in [`fault`](crate::fault).

use std::fmt;

use super::exists::exists;
use crate::memory::arena::Arena;
use crate::types::unify::Safety;
use crate::types::{AttributeType, Type};

/// The reason why a value cannot be converted to a type. Displayed as a phrase such as `attribute "x": a
/// number is needed, not a tuple`.
#[derive(Clone, Copy)]
pub struct Mismatch<'a>(&'a MismatchReport<'a>);

const _: () = assert!(size_of::<Mismatch<'static>>() == size_of::<usize>());

/// The target of a mismatch's pointer.
#[derive(Clone, Copy)]
struct MismatchReport<'a> {
    problem: MismatchProblem<'a>,
    /// The part of the value that failed; empty for a mismatch of types, which concerns the whole value.
    path: Option<&'a Link<'a>>,
    /// The number of steps at the end of the path that are not shown, because they lead into a marked value.
    hidden: usize,
    /// True if the value is marked, so that no names or texts in it are shown.
    secret: bool,
    /// True if the text of the value may be shown.
    shows_text: bool,
}

/// The outermost step of a path, and the rest of the path.
#[derive(Clone, Copy)]
struct Link<'a> {
    step: MismatchStep<'a>,
    rest: Option<&'a Link<'a>>,
}

/// One step into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MismatchStep<'a> {
    /// To an attribute of an object.
    Attribute(&'a str),
    /// To an element of a list, set or tuple.
    Index(usize),
    /// To an element of a map, or of an object that becomes one.
    Key(&'a str),
}

/// The kind of failure.
#[derive(Clone, Copy)]
pub(super) enum MismatchProblem<'a> {
    /// No conversion exists between the types.
    Types { have: Type<'a>, want: Type<'a> },
    /// The string does not denote a number.
    NoNumber(&'a str),
    /// The string does not denote a bool.
    NoBool(&'a str),
    /// The string denotes a bool, but is not in lower case.
    WrongCase(&'static str),
    /// The map lacks an element for a required attribute.
    NoElement(&'a str),
    /// The map has an element for an optional attribute, but of a type that does not convert.
    Attribute { name: &'a str, have: Type<'a>, want: Type<'a> },
    /// The converted elements of a list, set or map have different types.
    Mixed { want: Type<'a> },
}

impl<'a> Mismatch<'a> {
    /// Returns a mismatch of types. Cold, like the other constructors: most conversions succeed.
    #[cold]
    pub(super) fn of_types(arena: &'a Arena, have: Type<'a>, want: Type<'a>) -> Self {
        Self::of_value(arena, MismatchProblem::Types { have, want })
    }

    /// Returns a mismatch that depends on the value.
    // Most conversions succeed.
    #[cold]
    pub(super) fn of_value(arena: &'a Arena, problem: MismatchProblem<'a>) -> Self {
        Self(arena.item(MismatchReport { problem, path: None, hidden: 0, secret: false, shows_text: false }))
    }

    /// Returns the mismatch with `step` in front of its path.
    // Most conversions succeed.
    #[cold]
    pub(super) fn under(self, arena: &'a Arena, step: MismatchStep<'a>) -> Self {
        let link = arena.item(Link { step, rest: self.0.path });
        Self(arena.item(MismatchReport { path: Some(link), ..*self.0 }))
    }

    /// Returns the mismatch of a marked value, whose text reveals nothing of its content.
    // Most conversions succeed.
    #[cold]
    pub fn concealed(self, arena: &'a Arena) -> Self {
        Self(arena.item(MismatchReport { hidden: self.path().count(), secret: true, ..*self.0 }))
    }

    /// Returns the mismatch of a value without marks, whose text may be shown.
    // Most conversions succeed.
    #[cold]
    pub fn showing(self, arena: &'a Arena) -> Self {
        Self(arena.item(MismatchReport { shows_text: true, ..*self.0 }))
    }

    fn explanation<'f, 'g>(self, out: &'f mut fmt::Formatter<'g>) -> MismatchExplanation<'f, 'g> {
        MismatchExplanation { out, scratch: Arena::new(), secret: self.0.secret }
    }

    /// Returns true if the types alone rule the conversion out, whatever the value.
    pub fn is_of_types(self) -> bool {
        matches!(self.0.problem, MismatchProblem::Types { .. })
    }

    /// Returns the steps from the converted value to the part that failed. The text of
    /// the mismatch leaves out those inside a marked value: keys and positions are part of its content.
    pub fn path(self) -> impl Iterator<Item = MismatchStep<'a>> {
        let mut next = self.0.path;
        std::iter::from_fn(move || {
            let link = next?;
            next = link.rest;
            Some(link.step)
        })
    }
}

/// The phrase for a string that does not denote a bool.
const NO_BOOL: &str = "expected a bool, found a string that is neither \"true\" nor \"false\"";

/// Characters of a string that are shown.
const LONGEST: usize = 60;

/// Displays a string that was found, shortened if it is long.
struct FoundText<'t>(&'t str);

impl fmt::Display for FoundText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(LONGEST) {
            _ if self.0.is_empty() => f.write_str("an empty string"),
            None => write!(f, "the string {:?}", self.0),
            Some((end, _)) => write!(f, "the string {:?}…", &self.0[..end]),
        }
    }
}

impl fmt::Debug for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mismatch({self})")
    }
}

impl fmt::Display for Mismatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.path().count().saturating_sub(self.0.hidden);
        for step in self.path().take(shown) {
            write!(f, "{step}: ")?;
        }
        let shows_text = self.0.shows_text && !self.0.secret;
        match self.0.problem {
            MismatchProblem::Types { have, want } => self.explanation(f).types(have, want),
            MismatchProblem::NoNumber(text) if shows_text => {
                write!(f, "expected a number, found {}", FoundText(text))
            }
            MismatchProblem::NoNumber(_) => {
                f.write_str("expected a number, found a string that does not denote one")
            }
            MismatchProblem::WrongCase(_) if self.0.secret => f.write_str(NO_BOOL),
            MismatchProblem::NoBool(text) if shows_text => {
                write!(f, "expected a bool, found {}", FoundText(text))
            }
            MismatchProblem::NoBool(_) => f.write_str(NO_BOOL),
            MismatchProblem::WrongCase(word) => {
                write!(f, "a bool is needed, and its text must be in lower case: \"{word}\"")
            }
            MismatchProblem::NoElement(_) if self.0.secret => {
                f.write_str("the map has no element for an attribute")
            }
            MismatchProblem::NoElement(name) => {
                write!(f, "the map has no element for the attribute {name:?}")
            }
            MismatchProblem::Attribute { have, want, .. } if self.0.secret => {
                f.write_str("the elements of the map do not fit an attribute: ")?;
                self.explanation(f).types(have, want)
            }
            MismatchProblem::Attribute { name, have, want } => {
                write!(f, "the elements of the map do not fit the attribute {name:?}: ")?;
                self.explanation(f).types(have, want)
            }
            MismatchProblem::Mixed { want } => {
                write!(f, "the elements of the {} came out with different types", kind(want))
            }
        }
    }
}

impl std::error::Error for Mismatch<'_> {}

impl fmt::Display for MismatchStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => write!(f, "attribute {name:?}"),
            Self::Index(index) => write!(f, "element {index}"),
            Self::Key(key) => write!(f, "element {key:?}"),
        }
    }
}

/// Finds the parts of two types that do not convert. Repeats the decisions of the conversion, in memory
/// of its own, because explaining is rare and converting is not.
struct MismatchExplanation<'f, 'g> {
    out: &'f mut fmt::Formatter<'g>,
    scratch: Arena,
    /// True if names of attributes are not shown.
    secret: bool,
}

impl MismatchExplanation<'_, '_> {
    fn converts(&self, have: Type<'_>, want: Type<'_>) -> bool {
        exists(&self.scratch, have, want, Safety::Unsafe)
    }

    /// Explains a mismatch between the types of one value.
    fn types(&mut self, have: Type<'_>, want: Type<'_>) -> fmt::Result {
        match (have, want) {
            _ if self.secret => self.kinds(have, want),
            (Type::Object(have), Type::Object(want)) => self.attributes(have, want),
            (Type::Tuple(have), Type::Tuple(want)) if have.len() == want.len() => {
                let parts = have.iter().zip(want).map(|(have, want)| (*have, *want)).enumerate();
                self.first_of(parts.map(|(at, (have, want))| (MismatchStep::Index(at), have, want)))
            }
            (Type::Tuple(have), Type::Tuple(want)) => {
                write!(self.out, "a tuple of length {} is needed, not of length {}", want.len(), have.len())
            }
            (Type::Tuple(have), Type::List(&Type::Dynamic) | Type::Set(&Type::Dynamic)) => {
                self.no_common_type(have.iter().copied(), want)
            }
            (Type::Object(have), Type::Map(&Type::Dynamic)) => {
                self.no_common_type(have.iter().map(|attribute| attribute.ty), want)
            }
            (Type::Tuple(have), Type::List(element) | Type::Set(element)) => self.first_of(
                have.iter().enumerate().map(|(at, have)| (MismatchStep::Index(at), *have, *element)),
            ),
            (Type::Object(have), Type::Map(element)) => {
                self.first_of(have.iter().map(|have| (MismatchStep::Key(have.name), have.ty, *element)))
            }
            (Type::Map(element), Type::Object(want)) => self.first_of(
                want.iter()
                    .filter(|want| !want.optional)
                    .map(|want| (MismatchStep::Attribute(want.name), *element, want.ty)),
            ),
            (Type::List(have) | Type::Set(have), Type::List(element) | Type::Set(element))
            | (Type::Map(have), Type::Map(element)) => {
                write!(self.out, "each element of the {}: ", kind(want))?;
                self.types(*have, *element)
            }
            _ => self.kinds(have, want),
        }
    }

    fn kinds(&mut self, have: Type<'_>, want: Type<'_>) -> fmt::Result {
        let (wanted, found) = (want.constraint_name(), have.friendly_name());
        write!(self.out, "{} {wanted} is needed, not {} {found}", article(want), article(have))
    }

    fn attributes(&mut self, have: &[AttributeType<'_>], want: &[AttributeType<'_>]) -> fmt::Result {
        let has = |name: &str| Type::Object(have).attribute(name).map(|attribute| attribute.ty);
        let mut missing = want.iter().filter(|want| !want.optional && has(want.name).is_none()).peekable();
        if missing.peek().is_none() {
            return self
                .first_of(want.iter().filter_map(|want| {
                    Some((MismatchStep::Attribute(want.name), has(want.name)?, want.ty))
                }));
        }
        let names: Vec<String> = missing.map(|want| format!("{:?}", want.name)).collect();
        match names.as_slice() {
            [name] => write!(self.out, "the attribute {name} is missing"),
            [names @ .., last] => {
                write!(self.out, "the attributes {} and {last} are missing", names.join(", "))
            }
            [] => Ok(()),
        }
    }

    /// Explains the first part that does not convert.
    fn first_of<'a>(
        &mut self,
        mut parts: impl Iterator<Item = (MismatchStep<'a>, Type<'a>, Type<'a>)>,
    ) -> fmt::Result {
        match parts.find(|(_, have, want)| !self.converts(*have, *want)) {
            Some((step, have, want)) => {
                write!(self.out, "{step}: ")?;
                self.types(have, want)
            }
            None => self.out.write_str("the parts do not fit together"),
        }
    }

    fn no_common_type<'a>(&mut self, have: impl Iterator<Item = Type<'a>>, want: Type<'_>) -> fmt::Result {
        let mut names: Vec<String> = Vec::new();
        for name in have.map(|ty| ty.friendly_name().to_string()) {
            if !names.contains(&name) && names.len() < 4 {
                names.push(name);
            }
        }
        let kind = kind(want);
        match names.as_slice() {
            [name] => write!(
                self.out,
                "no single type fits all elements of the {kind}: each is a {name}, of parts that differ"
            ),
            _ => write!(self.out, "no single type fits all elements of the {kind}: {}", names.join(", ")),
        }
    }
}

/// Returns the name of a kind of collection.
const fn kind(ty: Type<'_>) -> &'static str {
    match ty {
        Type::Set(_) => "set",
        Type::Map(_) => "map",
        _ => "list",
    }
}

const fn article(ty: Type<'_>) -> &'static str {
    match ty {
        Type::Object(_) => "an",
        Type::Dynamic => "a value of",
        _ => "a",
    }
}
