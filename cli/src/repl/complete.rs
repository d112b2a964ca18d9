//! Completion: which names may follow a text.

use hclvm::syntax::is_identifier;

use super::command::{COMMANDS, CommandArgument};
use super::environment::ReplEnvironment;

/// What may follow.
pub(super) enum Completions {
    /// The path of a file.
    Files,
    /// Names in place of the text from a position on, each with what is shown of it.
    Names(usize, Vec<(String, String)>),
}

/// Returns what may follow the text before the cursor.
pub(super) fn candidates(text: &str, environment: &mut ReplEnvironment<'_>) -> Completions {
    let start = text.trim_end_matches(is_of_name).len();
    let takes = match text.split_once(char::is_whitespace) {
        None if text.starts_with(':') => {
            let commands = COMMANDS.iter().map(|command| command.name).filter(|name| name.starts_with(text));
            return Completions::Names(
                0,
                commands.map(|name| (format!("{name} "), name.to_owned())).collect(),
            );
        }
        Some((name, _)) => COMMANDS.iter().find(|command| command.name == name).map(|command| command.takes),
        None => None,
    };
    match takes {
        Some(CommandArgument::File) => return Completions::Files,
        Some(CommandArgument::Nothing) => return Completions::Names(start, Vec::new()),
        _ => {}
    }
    let (before, word) = text.split_at(start);
    if let Some(object) = before.strip_suffix('.') {
        let names = members(traversal(object), environment);
        let fitting = names.into_iter().filter(|name| name.starts_with(word) && is_identifier(name));
        return Completions::Names(start, fitting.map(|name| (name.clone(), name)).collect());
    }
    let is_call = takes != Some(CommandArgument::Function);
    let mut found: Vec<(String, String)> = Vec::new();
    if is_call {
        found.extend(environment.names().into_iter().map(|name| (name.clone(), name)));
    }
    let functions = environment.functions();
    let mut names: Vec<&str> = functions.names().map(|name| name.as_str()).collect();
    names.sort_unstable();
    found.extend(names.into_iter().map(|name| {
        let shown = functions.get(name).map_or(name.to_owned(), |function| function.typed_signature(name));
        (if is_call { format!("{name}(") } else { name.to_owned() }, shown)
    }));
    found.retain(|(name, _)| name.starts_with(word));
    Completions::Names(start, found)
}

/// Returns the function whose arguments are entered at the end of a text.
pub(super) fn called(text: &str) -> Option<&str> {
    let mut open = 0_usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => open += 1,
            '(' if open == 0 => {
                let before = &text[..at];
                return Some(&before[before.trim_end_matches(is_of_name).len()..]);
            }
            '(' | '[' | '{' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':')
}

/// Returns the traversal at the end of a text, such as `a.b[0]`.
fn traversal(text: &str) -> &str {
    let (mut start, mut open) = (text.len(), 0_usize);
    for (at, c) in text.char_indices().rev() {
        match c {
            ']' => open += 1,
            '[' if open > 0 => open -= 1,
            _ if open > 0 || c == '.' || is_of_name(c) => {}
            _ => break,
        }
        start = at;
    }
    &text[start..]
}

/// Returns the names of the attributes of an object: of a path into the file without evaluating it, else of the
/// value.
fn members(object: &str, environment: &mut ReplEnvironment<'_>) -> Vec<String> {
    let path: Vec<&str> = object.split('.').collect();
    if environment.bindings.get(path[0]).is_none() {
        let names = environment.loaded().members(&path);
        if !names.is_empty() {
            return names;
        }
    }
    let names = environment.evaluate(object, |value| {
        let entries = value.as_entries().unwrap_or_default();
        entries.iter().map(|entry| entry.name.to_owned()).collect()
    });
    names.unwrap_or_default()
}
