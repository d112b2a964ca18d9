//! What each function does: the sentences and examples of docs/functions.md. `table` has the functions themselves.

/// A paragraph for each function; its first lines say how it is written.
const TEXT: &str = include_str!("summaries.txt");

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// A sentence or more.
    pub text: &'static str,
    /// A call and its result.
    pub example: Option<(&'static str, &'static str)>,
}

/// Returns what a function does in the table of a dialect: `standard`, `packer`, `nomad` or `opentofu`.
pub fn summary(name: &str, table: &str) -> Option<Summary> {
    TEXT.split("\n\n").find_map(|paragraph| {
        let mut lines = paragraph.trim().lines();
        let (title, tables) = match lines.next()?.split_once(" : ") {
            Some((title, tables)) => (title, Some(tables)),
            None => (paragraph.trim().lines().next()?, None),
        };
        let is_meant = title.split(" [").next() == Some(name)
            && tables.is_none_or(|tables| tables.split(' ').any(|one| one == table));
        if !is_meant {
            return None;
        }
        Some(Summary { text: lines.next()?, example: lines.next().and_then(|line| line.split_once(" => ")) })
    })
}
