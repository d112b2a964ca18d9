//! The files of policies and of their tests: below folders, by their suffix.

use std::collections::BTreeSet;
use std::{fs, io};

use hclvm::Limits;
use hclvm_dialects::File;

use crate::outcome::EarlyEnd;
use crate::{input, texts};

/// The most folders in folders.
const MOST_FOLDERS: usize = 100;

/// Reads files, and those below folders that have a suffix, each once. Links to folders are not followed.
pub(super) fn read(paths: &[&String], suffix: &str) -> Result<Vec<File>, EarlyEnd> {
    let mut found = BTreeSet::new();
    for path in paths {
        if fs::metadata(path.as_str()).is_ok_and(|data| data.is_dir()) {
            below(path, suffix, &mut found)?;
        } else {
            found.insert((*path).clone());
        }
    }
    found.into_iter().map(|path| Ok(File::new(path.as_str(), texts::source(&path)?))).collect()
}

fn below(folder: &str, suffix: &str, found: &mut BTreeSet<String>) -> Result<(), EarlyEnd> {
    let mut open = vec![(folder.trim_end_matches('/').to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let refused = |error| EarlyEnd::Refused(format!("Cannot read {folder}: {error}."));
        let path = if folder.is_empty() { "/" } else { &folder };
        for entry in fs::read_dir(path).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') {
                continue;
            }
            let inner = if folder == "." { name.clone() } else { format!("{folder}/{name}") };
            let kind = entry.file_type().map_err(refused)?;
            if kind.is_dir() && depth < MOST_FOLDERS {
                open.push((inner, depth + 1));
            } else if name.ends_with(suffix) && !kind.is_dir() {
                found.insert(inner);
            }
        }
    }
    Ok(())
}

/// Reads a file of data, or standard input, which has to be text. Plans are larger than files of source.
pub(super) fn text(path: &str) -> Result<String, EarlyEnd> {
    let most = Limits::trusted().source_bytes;
    let name = input::display_name(path);
    let read = || match path {
        input::STANDARD_INPUT => input::up_to(io::stdin().lock(), most),
        _ => input::up_to(fs::File::open(path)?, most),
    };
    let bytes = read().map_err(|error| EarlyEnd::Refused(format!("Cannot read {name}: {error}.")))?;
    if bytes.len() > most {
        return Err(EarlyEnd::Refused(format!("Cannot read {name}: it is longer than {most} bytes.")));
    }
    let text = input::without_mark(&bytes)
        .map_err(|why| EarlyEnd::Refused(format!("Cannot read {name}: {why}.")))?;
    std::str::from_utf8(text)
        .map(str::to_owned)
        .map_err(|_| EarlyEnd::Refused(format!("Cannot read {name}: it is not valid UTF-8.")))
}
