//! Forms whose results depend on what is marked, with the reasons.
//!
//! Where an unknown result lacks marks, it tells no more than its type, and when the value becomes known,
//! so do the result and its marks.

use crate::Leak;
use Leak::{Message, Unknown, Unmarked, Value};

/// A form, in which a star matches any text, and how its results depend on what is marked.
type Exception = (&'static str, Leak);

/// Of the language.
pub(crate) const OF_THE_LANGUAGE: &[Exception] = &[
    // Whether an expression has a fault is told: a fault that is caught has no marks, like one that is not.
    ("*try(*", Value),
    ("*try(*", Message),
    ("*try(*", Unknown),
    ("*can(*", Value),
    ("*can(*", Message),
    ("*can(*", Unknown),
    ("*try(*", Unmarked),
    ("*can(*", Unmarked),
    // The value is not read, because the loop has no elements,
    ("[for x in [] : x if m]", Unmarked),
    ("*for x in u*m*", Unmarked),
    // or the part of the template is not taken: its null has no text.
    ("\"%{ if * }${m}%{ endif }\"", Unmarked),
    // The reference drops the marks of a null clause, which is a fault unless the result is unknown,
    ("[for x in [u, m] : 2 if x]", Unmarked),
    // of an element or attribute with an unknown key,
    ("[m][un]", Unmarked),
    ("{ a = m }[us]", Unmarked),
    ("{*us* m }", Unmarked),
    ("{for x in l : us => m}", Unmarked),
    ("{\"${us}\": \"${m}\"}", Unmarked),
    // of the key of an unknown collection,
    ("u*[m]", Unmarked),
    // of an unknown operand,
    ("!m", Unknown),
    ("-m", Unknown),
    // of a collection of unknown type,
    ("*for * in m *", Unknown),
    // of an unknown part of a loop in a template,
    ("\"%{ for x in l }${m}%{ endfor }\"", Unknown),
    // of an unknown key of a known collection,
    ("*l[m*]", Unknown),
    ("o[m*]", Unknown),
    ("tm[m*]", Unknown),
    // and of an unknown key of an object under construction.
    ("{*(m*) = *", Unknown),
    ("{*${m}\"*", Unknown),
];

/// Of functions.
pub(crate) const OF_FUNCTIONS: &[Exception] = &[
    ("*try(*", Value),
    ("*try(*", Unknown),
    ("*can(*", Value),
    ("*can(*", Unknown),
    ("*try(*", Unmarked),
    ("*can(*", Unmarked),
    // The marked part is not read: elements are counted, or left out.
    ("*length*([m])", Unmarked),
    ("*slice([m], 1, 1)", Unmarked),
    // The type of a marked value is told: a tuple with a list has other elements than one with a string.
    ("*flatten(*m*)", Value),
    // The mark is removed on purpose, or is what is asked for.
    ("*nonsensitive(*m*)", Value),
    ("*nonsensitive(*m*)", Unknown),
    ("*nonsensitive(*m*)", Unmarked),
    ("*issensitive(*m*)", Unknown),
    ("*issensitive(*m*)", Unmarked),
    // Which of the expanded arguments does not fit is told.
    ("*(*m...)", Message),
    // The reference returns an unknown value without marks for an unknown expanded collection,
    ("*(*m...)", Unknown),
    // and for an argument of unknown type of the functions that receive arguments with their marks.
    ("*abs(*m*)", Unknown),
    ("*and(*m*)", Unknown),
    ("*chunklist(*m*)", Unknown),
    ("*concat(*m*)", Unknown),
    ("*element(*m*)", Unknown),
    ("*flatten(*m*)", Unknown),
    ("*keys(*m*)", Unknown),
    ("*lookup(*m*)", Unknown),
    ("*merge(*m*)", Unknown),
    ("*negate(*m*)", Unknown),
    ("*not(*m*)", Unknown),
    ("*or(*m*)", Unknown),
    ("*reverse*(*m*)", Unknown),
    ("*setproduct(*m*)", Unknown),
    ("*slice(*m*)", Unknown),
    ("*templatestring(*m*)", Unknown),
    ("*values(*m*)", Unknown),
    ("*zipmap(*m*)", Unknown),
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
