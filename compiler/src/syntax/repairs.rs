//! Changes that problems propose, tried out. Advice is found by the tokens around a mistake, which do not show whether the
//! text is correct with the change: each change is applied alone, and the text is parsed again.

use hclvm_vm::{Diagnostic, Replacement, Span, cast};

/// Bytes that all parses of one text may read together: a hundred parses of a file of 40 KiB. What is not tried out is not
/// proposed.
const BYTES: usize = 4 << 20;

/// Removes the changes that are no repairs: with which `parse`, which returns the problems of a text, finds the problem
/// again, or another one where the text has changed or before that.
pub fn keep_repairs(text: &str, problems: &mut [Diagnostic], parse: impl Fn(&str) -> Vec<Diagnostic>) {
    let mut left = BYTES;
    for at in 0..problems.len() {
        let additions = problems[at].additions.as_deref();
        let Some(additions) = additions.filter(|one| !one.replacements.is_empty()) else { continue };
        let is_repair = text.len() <= left
            && changed(text, &additions.replacements)
                .is_some_and(|(text, places)| repairs(problems, at, &parse(&text), &places));
        left = left.saturating_sub(text.len());
        if !is_repair {
            problems[at].additions_mut().replacements.clear();
        }
    }
}

/// Returns true if the problem `at` is not among those that are left, and none of these is new up to one of the places.
fn repairs(problems: &[Diagnostic], at: usize, left: &[Diagnostic], places: &[Span]) -> bool {
    let is = |one: &Diagnostic, other: &Diagnostic| one.title == other.title && one.subject == other.subject;
    let first = places.first().map_or(0, |place| place.start);
    left.iter().all(|one| {
        let start = one.subject.map_or(u32::MAX, |subject| subject.start);
        let touches = places.iter().any(|place| place.start <= start && start <= place.end);
        let is_new = start < first && !problems.iter().any(|problem| is(one, problem));
        !touches && !is_new && !is(one, &problems[at])
    })
}

/// Returns a text with changes, and where they are in it. `None` for changes of one place.
fn changed(text: &str, changes: &[Replacement]) -> Option<(String, Vec<Span>)> {
    let mut changes: Vec<&Replacement> = changes.iter().collect();
    changes.sort_by_key(|change| change.span.start);
    let (mut changed, mut places, mut end) = (String::with_capacity(text.len()), Vec::new(), 0);
    for change in changes {
        changed += text.get(end..cast::index(change.span.start))?;
        let start = changed.len();
        changed += &change.text;
        places.push(Span::new(cast::length(start), cast::length(changed.len())));
        end = cast::index(change.span.end);
    }
    changed += text.get(end..)?;
    Some((changed, places))
}
