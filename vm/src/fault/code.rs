//! Codes: the stable names of problems, one table.
//!
//! Titles are the reference's, and one title covers problems with different solutions; a code names one
//! problem. Each has an explanation with a wrong and a right text, which `hclvm explain` shows and
//! tests/structure/codes.rs runs. The rows are in the files below, by what finds the problem.
//!
//! A diagnostic gets its code from its title, and a more specific one from
//! [`Diagnostic::coded`](super::diagnostic::Diagnostic::coded). The front end's titles are looked up while
//! it compiles, so that a title without a code is an error of the build.

mod evaluation;
mod host;
mod json;
mod lint;
mod module;
mod policy;
mod structure;
mod syntax;

use std::fmt;
use std::hash::{Hash, Hasher};

use super::Failure;
use super::Fault;
use crate::text::suggest::nearest;

pub use evaluation::*;
pub use host::*;
pub use json::*;
pub use lint::*;
pub use module::*;
pub use policy::*;
pub use structure::*;
pub use syntax::*;

/// The stable name of a problem, for example `unknown-variable`.
#[derive(Clone, Copy)]
pub struct Code(&'static CodeRow);

/// A row of the table.
struct CodeRow {
    name: &'static str,
    /// `{}` covers any text, such as the type of a block.
    titles: &'static [&'static str],
    explanation: &'static str,
    wrong: &'static str,
    right: &'static str,
    /// Why there are no texts; empty if there are.
    without_example: &'static str,
}

/// Declares the codes of a file, and the list of them.
macro_rules! codes {
    ($($code:ident $name:literal $titles:expr, $explanation:literal, $wrong:tt $sign:tt $right:literal;)*) => {
        $(
            #[doc = $explanation]
            pub const $code: Code = Code(&CodeRow {
                name: $name,
                titles: &$titles,
                explanation: $explanation,
                wrong: example!($wrong $sign $right).0,
                right: example!($wrong $sign $right).1,
                without_example: example!($wrong $sign $right).2,
            });
        )*
        pub(super) const ROWS: &[Code] = &[$($code),*];
    };
}
use codes;

/// The example of a row, `"wrong" => "right"`, or the reason why there is none, `none because "reason"`.
macro_rules! example {
    (none because $reason:literal) => {
        ("", "", $reason)
    };
    ($wrong:literal => $right:literal) => {
        ($wrong, $right, "")
    };
}
use example;

/// All codes. If several have the same title, the first one is the one of the title.
const TABLE: [&[Code]; 8] = [
    syntax::ROWS,
    evaluation::ROWS,
    structure::ROWS,
    json::ROWS,
    module::ROWS,
    policy::ROWS,
    lint::ROWS,
    host::ROWS,
];

impl Code {
    /// Returns all codes, by what finds the problem.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.into_iter().flatten().copied()
    }

    /// Returns the code of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::all().find(|code| code.name() == name)
    }

    /// Returns the code whose name is similar to `name`.
    pub fn nearest(name: &str) -> Option<Self> {
        nearest(name, Self::all().map(Self::name)).and_then(Self::find)
    }

    /// Returns the code of a title, [`OTHER`] for a title that is not in the table.
    pub fn of_title(title: &str) -> Self {
        let with = |fits: fn(&str, &str) -> bool| {
            Self::all().find(|code| code.0.titles.iter().any(|one| fits(one, title)))
        };
        with(|one, title| one == title).or_else(|| with(covers)).unwrap_or(OTHER)
    }

    /// Returns the code of a title that the table has as it is. It is called in constants, where a title
    /// that the table does not have ends the build.
    #[expect(
        clippy::missing_panics_doc,
        reason = "it is called in constants only, where a panic ends the build"
    )]
    pub const fn of_known_title(title: &str) -> Self {
        let mut part = 0;
        while part < TABLE.len() {
            let mut at = 0;
            while at < TABLE[part].len() {
                let titles = TABLE[part][at].0.titles;
                let mut one = 0;
                while one < titles.len() {
                    if equal(titles[one].as_bytes(), title.as_bytes()) {
                        return TABLE[part][at];
                    }
                    one += 1;
                }
                at += 1;
            }
            part += 1;
        }
        panic!("the table of codes does not have this title")
    }

    /// Returns the name, in lower case with hyphens.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the titles of diagnostics with this code. `{}` covers any text, such as the type of a
    /// block.
    pub const fn titles(self) -> &'static [&'static str] {
        self.0.titles
    }

    /// Returns what the problem is, and what to do.
    pub const fn explanation(self) -> &'static str {
        self.0.explanation
    }

    /// Returns a text with the problem; a command line after `$ ` if a text cannot have it. Empty if there is
    /// no short one: see [`Code::without_example`].
    pub const fn wrong(self) -> &'static str {
        self.0.wrong
    }

    /// Returns the text without the problem. Empty if [`Code::wrong`] is.
    pub const fn right(self) -> &'static str {
        self.0.right
    }

    /// Returns why there is no example. Empty if there is one.
    pub const fn without_example(self) -> &'static str {
        self.0.without_example
    }

    /// Returns true for the codes of warnings about texts that are correct but probably not meant.
    pub fn is_lint(self) -> bool {
        lint::ROWS.contains(&self)
    }

    /// Returns true for the codes of modules as applications read them.
    pub fn is_of_module(self) -> bool {
        module::ROWS.contains(&self)
    }

    /// Returns true for the codes of Terraform's policies.
    pub fn is_of_policy(self) -> bool {
        policy::ROWS.contains(&self)
    }
}

/// Compares bytes in a constant, where `==` cannot be used.
const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    a.len() == b.len()
}

/// Returns true if a title equals a pattern in which `{}` covers any text.
fn covers(pattern: &str, title: &str) -> bool {
    match pattern.split_once("{}") {
        None => pattern == title,
        Some((before, after)) => {
            title.strip_prefix(before).is_some_and(|rest| match after.split_once("{}") {
                None => rest.len() > after.len() && rest.ends_with(after),
                Some((between, last)) => rest.contains(between) && rest.ends_with(last),
            })
        }
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Code {}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Code({})", self.name())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Fault<'_> {
    /// Returns the code of the problem.
    pub fn code(&self) -> Code {
        match self {
            Self::Failure(Failure::UnknownVariable { .. }) => UNKNOWN_VARIABLE,
            Self::Failure(Failure::VariablesNotAllowed) => VARIABLES_NOT_ALLOWED,
            Self::Failure(Failure::FunctionsNotAllowed) => FUNCTIONS_NOT_ALLOWED,
            Self::Failure(Failure::UnknownFunction { .. }) => UNKNOWN_FUNCTION,
            Self::Failure(Failure::AmbiguousKey) => AMBIGUOUS_KEY,
            Self::UnsetVariable(_) => UNSET_VARIABLE,
            Self::NullKey => NULL_OBJECT_KEY,
            Self::NameNull => NULL_PROPERTY_NAME,
            Self::IncludeNull => NULL_FOR_CONDITION,
            Self::ForKeyNull => NULL_FOR_KEY,
            Self::PartNull | Self::JoinNull => NULL_IN_TEMPLATE,
            Self::Part(_) | Self::Join(_) => TEMPLATE_VALUE_TYPE,
            Self::NoAttribute { .. } => UNKNOWN_ATTRIBUTE,
            Self::AttributeOfObjects { .. } => ATTRIBUTE_OF_LIST,
            Self::AttributeOfPrimitive(_) | Self::AttributeOfOther(_) => ATTRIBUTE_OF_OTHER,
            Self::IndexNull => NULL_INDEX,
            Self::IndexKey(_) => INVALID_INDEX,
            Self::IndexFraction => FRACTIONAL_INDEX,
            Self::IndexNegative | Self::IndexEmpty | Self::IndexRange(_) => INDEX_OUT_OF_RANGE,
            Self::IndexMissing { .. } => UNKNOWN_KEY,
            Self::IndexOfSet => INDEX_OF_SET,
            Self::IndexOfOther(_) => INDEX_OF_OTHER,
            Self::ExpandNull => NULL_EXPANSION,
            Self::ExpandType(_) => EXPANSION_TYPE,
            Self::Refused { .. } => ARGUMENT_REFUSED,
            Self::NoneSucceeded(_) => NO_ATTEMPT_SUCCEEDED,
            // The others have a title of their own.
            _ => Code::of_title(&self.title()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_kebab_case() {
        let mut names: Vec<&str> = Code::all().map(Code::name).collect();
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn titles_with_gaps_cover_what_fills_them() {
        assert_eq!(Code::of_title("Duplicate rule block"), DUPLICATE_BLOCK);
        assert_eq!(Code::of_title("Missing name for rule"), MISSING_LABEL);
        assert_eq!(Code::of_title("Missing rule block"), MISSING_BLOCK);
        assert_eq!(Code::of_title("Missing item separator"), MISSING_ITEM_SEPARATOR);
        assert_eq!(Code::of_title("Of the host"), OTHER);
        assert!(!covers("Too many {} blocks", "Too many blocks"));
    }
}
