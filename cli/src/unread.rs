//! Variables that are given and that nothing reads: their names are probably mistakes.

use std::collections::HashSet;
use std::io::{self, Write as _};

use hclvm::diagnostics::nearest;

use crate::application::Assignment;
use crate::application::words::listed;
use crate::eval::TEMPLATE;
use crate::outcome::EarlyEnd;
use crate::scopes::GivenVariables;

/// The most variables that an error names.
const MOST_NAMED: usize = 8;

/// The most pairs of names that are compared for notes.
const MOST_COMPARED: usize = 1 << 16;

/// Refuses variables of the command line that nothing reads. `known` are the names of the variables that `subject` reads.
///
/// # Errors
/// The first one.
pub(crate) fn check_assignments(
    assignments: &[Assignment],
    known: &[String],
    subject: &str,
) -> Result<(), EarlyEnd> {
    let Some(Assignment { name, .. }) = assignments.iter().find(|one| !known.contains(&one.name)) else {
        return Ok(());
    };
    let near = nearest(name, known.iter().map(String::as_str));
    let hint = match (near, name.split_once('.')) {
        (_, Some((root, member))) => {
            format!(" A variable has its whole value: --var '{root}={{\"{member}\": …}}'.")
        }
        (Some(near), None) => format!(" Did you mean {near}?"),
        (None, None) => only(subject, known),
    };
    Err(EarlyEnd::Refused(format!("--var {name}: {subject} reads no variable of this name.{hint}")))
}

/// Names the variables that a subject reads, if they are few.
fn only(subject: &str, known: &[String]) -> String {
    match known {
        [] if subject == TEMPLATE => " A template inserts a value with ${NAME}.".to_owned(),
        [] => " It reads none.".to_owned(),
        known if known.len() <= MOST_NAMED => format!(" It reads {}.", listed(known.iter().cloned(), "and")),
        _ => String::new(),
    }
}

/// Notes on standard error which names of a scope are nearly those of variables that have no value. Other names are not
/// noted: a scope may have more than a file reads.
pub(crate) fn note(variables: &GivenVariables, known: &[String], assignments: &[Assignment], scope: &str) {
    let is_set =
        |name: &str| variables.values.contains_key(name) || assignments.iter().any(|one| one.name == name);
    let missing: Vec<&str> = known.iter().map(String::as_str).filter(|name| !is_set(name)).collect();
    // A scope of thousands of names that a file does not read is no typing mistake.
    let most = MOST_COMPARED / missing.len().max(1);
    let read: HashSet<&str> = known.iter().map(String::as_str).collect();
    let unread = variables.values.keys().filter(|name| !read.contains(name.as_str()));
    for name in unread.take(most) {
        if let Some(near) = nearest(name, missing.iter().copied()) {
            // If standard error is closed, the note is not wanted.
            let _ = writeln!(
                io::stderr(),
                "note: {scope} sets {name:?}, which nothing reads. Did you mean {near:?}, which has no value?"
            );
        }
    }
}
