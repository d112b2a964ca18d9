//! Functions of paths. Names are separated by `/`, whatever the system.

use hclvm_vm::{CallError, Function, Type, Value};

use super::{expanded, may_ask};
use crate::arguments::{may_read, string, text_of};
use crate::capability::Capabilities;
use crate::text_builder::text_value;

/// `abspath(path)`: the path from the root.
pub(crate) fn abspath(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("abspath", [string("path")], Type::String, move |arena, args, _| {
        if !may_ask(arena, text_of(args, 0)) {
            return Ok(Value::DYNAMIC);
        }
        let absolute = granted.granted_files()?.absolute(text_of(args, 0));
        Ok(text_value(arena, &absolute.map_err(|why| CallError::argument(0, why))?))
    })
    .impure()
}

/// `basename(path)`: the last name of a path.
pub(crate) fn basename() -> Function {
    Function::new("basename", [string("path")], Type::String, |arena, args, _| {
        let path = text_of(args, 0);
        if !may_read(arena, path) {
            return Ok(Value::DYNAMIC);
        }
        Ok(text_value(arena, base(path)))
    })
}

/// `dirname(path)`: the path without its last name.
pub(crate) fn dirname() -> Function {
    Function::new("dirname", [string("path")], Type::String, |arena, args, _| {
        let path = text_of(args, 0);
        // The work grows with the number of names.
        if !arena.spend(path.len() as u64) {
            return Ok(Value::DYNAMIC);
        }
        Ok(text_value(arena, &directory(path)))
    })
}

/// `pathexpand(path)`: the path with `~` at its start replaced by the home directory.
pub(crate) fn pathexpand(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("pathexpand", [string("path")], Type::String, move |arena, args, _| {
        let path = text_of(args, 0);
        if !may_ask(arena, path) {
            return Ok(Value::DYNAMIC);
        }
        Ok(text_value(arena, &expanded(&granted, path)?))
    })
    .impure()
}

fn base(path: &str) -> &str {
    if path.is_empty() {
        return ".";
    }
    match path.trim_end_matches('/') {
        "" => "/",
        trimmed => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

fn directory(path: &str) -> String {
    clean(path.rfind('/').map_or("", |last| &path[..=last]))
}

/// Returns the shortest equivalent path by its names alone, like Go's path.Clean.
pub(super) fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => {
                names.pop();
            }
            // The root is its own parent.
            ".." if rooted => {}
            name => names.push(name),
        }
    }
    match (rooted, names.is_empty()) {
        (true, _) => format!("/{}", names.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => names.join("/"),
    }
}
