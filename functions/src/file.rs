//! Functions of files, which need the capability `files`. Pure functions of paths are in `path`.

#[cfg(feature = "digest")]
mod digest;
mod glob;
mod path;
mod template;

#[cfg(all(feature = "digest", feature = "encoding"))]
pub(crate) use digest::{filebase64sha256, filebase64sha512};
#[cfg(feature = "digest")]
pub(crate) use digest::{filemd5, filesha1, filesha256, filesha512};
pub(crate) use path::{abspath, basename, dirname, pathexpand};
pub(crate) use template::{nested_templatefile, templatefile};

use std::borrow::Cow;

use hclvm_vm::{Arena, CallError, Function, Type, Value, set_from};

use super::arguments::{CallResult, collect, may_make_items, string, text_of};
use super::capability::{Capabilities, FileKind};
use super::text_builder::text_value;

/// `file(path)`: the text of a file.
pub(crate) fn file(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("file", [string("path")], Type::String, move |arena, args, _| {
        let text = read_text(arena, &granted, text_of(args, 0))?;
        Ok(text.map_or(Value::DYNAMIC, |text| text_value(arena, &text)))
    })
    .impure()
}

/// `filebase64(path)`: the bytes of a file in Base64.
#[cfg(feature = "encoding")]
pub(crate) fn filebase64(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("filebase64", [string("path")], Type::String, move |arena, args, _| {
        let bytes = read(arena, &granted, text_of(args, 0))?;
        Ok(bytes.map_or(Value::DYNAMIC, |bytes| super::encoding::base64_value(arena, &bytes)))
    })
    .impure()
}

/// `fileexists(path)`: true if a regular file is at the path.
pub(crate) fn fileexists(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    Function::new("fileexists", [string("path")], Type::Bool, move |arena, args, _| {
        if !may_ask(arena, text_of(args, 0)) {
            return Ok(Value::DYNAMIC);
        }
        let path = expanded(&granted, text_of(args, 0))?;
        match granted.granted_files()?.kind(&path).map_err(|why| CallError::argument(0, why))? {
            None => Ok(Value::FALSE),
            Some(FileKind::File) => Ok(Value::TRUE),
            Some(FileKind::Directory) => {
                Err(CallError::argument(0, format!("{path:?} is a directory, not a file")))
            }
            Some(FileKind::Other) => Err(CallError::argument(0, format!("{path:?} is not a regular file"))),
        }
    })
    .impure()
}

/// `fileset(path, pattern)`: the files below a directory whose paths match a pattern.
pub(crate) fn fileset(granted: &Capabilities) -> Function {
    let granted = granted.clone();
    let parameters = ["path", "pattern"].map(string);
    Function::new("fileset", parameters, Type::Set(&Type::String), move |arena, args, _| {
        // Every character of a pattern becomes a piece of 16 bytes or more.
        if !may_ask(arena, text_of(args, 0)) || !arena.charge(text_of(args, 1).len() as u64 * 16) {
            return Ok(Value::DYNAMIC);
        }
        let glob = glob::Glob::parse(text_of(args, 1)).map_err(|why| CallError::argument(1, why))?;
        fitting(arena, &granted, text_of(args, 0), &glob)
    })
    .impure()
}

fn fitting<'a>(arena: &'a Arena, granted: &Capabilities, path: &str, glob: &glob::Glob) -> CallResult<'a> {
    let path = expanded(granted, path)?;
    let limit = usize::try_from(arena.budget().fuel()).unwrap_or(usize::MAX);
    let found = granted.granted_files()?.list(&path, limit).map_err(|why| CallError::argument(0, why))?;
    if !may_make_items(arena, found.len()) {
        return Ok(Value::DYNAMIC);
    }
    let fitting =
        found.iter().filter(|path| arena.charge(path.len() as u64 * glob.cost()) && glob.fits(path));
    let items = collect(arena, fitting.map(|path| text_value(arena, path)));
    Ok(set_from(arena, items, Type::String))
}

/// Charges for a call of the system. Returns false if the budget is exhausted.
fn may_ask(arena: &Arena, path: &str) -> bool {
    const QUESTION: u64 = 64;
    arena.charge(QUESTION + path.len() as u64)
}

/// Returns the text of a file; `None` if the budget is exhausted.
fn read_text(arena: &Arena, granted: &Capabilities, path: &str) -> Result<Option<String>, CallError> {
    let Some(bytes) = read(arena, granted, path)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| {
        CallError::argument(0, format!("{path:?} is not valid UTF-8: filebase64 can read any file"))
    })
}

/// Returns the bytes of a file; `None` if the budget is exhausted.
fn read(arena: &Arena, granted: &Capabilities, path: &str) -> Result<Option<Vec<u8>>, CallError> {
    if !may_ask(arena, path) {
        return Ok(None);
    }
    let path = expanded(granted, path)?;
    let limit = arena.budget().limits().text_bytes;
    let bytes = granted.granted_files()?.read(&path, limit).map_err(|why| CallError::argument(0, why))?;
    Ok(arena.charge(bytes.len() as u64).then_some(bytes))
}

/// Replaces `~` at the start of a path by the home directory.
fn expanded<'p>(granted: &Capabilities, path: &'p str) -> Result<Cow<'p, str>, CallError> {
    let Some(rest) = path.strip_prefix('~') else { return Ok(Cow::Borrowed(path)) };
    if !(rest.is_empty() || rest.starts_with(['/', '\\'])) {
        return Err(CallError::argument(0, "only the user's own home directory can be written with ~"));
    }
    let home = granted.granted_environment()?.home();
    let home = home.ok_or_else(|| CallError::argument(0, "the home directory is not known"))?;
    Ok(Cow::Owned(path::clean(&format!("{home}/{rest}"))))
}
