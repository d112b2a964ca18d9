//! Forms whose results depend on what is marked, with the reasons.
//!
//! A result that is unknown whatever is marked need not be marked.

use crate::influence::Leak;
use Leak::{Message, Unknown, Unmarked, Value};

/// A form, in which a star matches any text, and how its results depend on what is marked.
type Exception = (&'static str, Leak);

/// Of the language.
pub(crate) const OF_THE_LANGUAGE: &[Exception] = &[
    // The result is unknown whatever is marked.
    ("*for x in u*m*", Unmarked),
    ("[m][un]", Unmarked),
    ("{ a = m }[us]", Unmarked),
    ("{*us* m }", Unmarked),
    ("{for x in l : us => m}", Unmarked),
    ("{\"${us}\": \"${m}\"}", Unmarked),
    // Whether a part is known is reported: with an unknown one all of a tried value is unknown, and marked.
    ("*try(m*, *)*", Unknown),
    // The type of a marked value is reported.
    ("[for y in try(m*) : 1]", Message),
    ("tm[try(m*)]", Message),
];

/// Of functions.
pub(crate) const OF_FUNCTIONS: &[Exception] = &[
    // The marked part is not read: elements are counted, or left out.
    ("*length*([m*])", Unmarked),
    ("*slice([m*], 1, 1)", Unmarked),
    // The type of a marked value is reported: a tuple with a list has other elements than one with a string.
    ("*flatten(*m*)", Value),
    // The mark is removed on purpose, or is what is asked for.
    ("*nonsensitive(*m*)", Value),
    ("*nonsensitive(*m*)", Unknown),
    ("*nonsensitive(*m*)", Unmarked),
    ("*issensitive(*m*)", Unknown),
    ("*issensitive(*m*)", Unmarked),
    // An argument before it is taken.
    ("*try(o, *m*)", Unmarked),
    ("*try(tl, *m*)", Unmarked),
    // Whether a part is known is reported: with an unknown one all of a tried or flattened value is unknown, and marked,
    ("*try(*m*)", Unknown),
    ("*flatten(*m*)", Unknown),
    // or the default may not be the result.
    ("*lookup(m, *", Unknown),
    // Which of the expanded arguments does not fit is reported.
    ("*(*m...)", Message),
];

/// Removes allowed findings. Returns the exceptions that allowed none.
pub(crate) fn allow<T>(exceptions: &[Exception], found: &mut Vec<(String, Leak, T)>) -> Vec<Exception> {
    let mut unused = exceptions.to_vec();
    found.retain(|(form, leak, _)| {
        let allows = |(pattern, kind): &Exception| kind == leak && matches(pattern, form);
        unused.retain(|exception| !allows(exception));
        !exceptions.iter().any(allows)
    });
    unused
}

/// Returns true if `text` is `pattern` with every star replaced by some text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| matches(rest, &text[at..]))
        }),
    }
}
