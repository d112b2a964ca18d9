//! Addresses of files and their paths.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Returns the path of an address. One that is no file is a path by its last part, which says how it is read.
pub(crate) fn to_path(uri: &str) -> PathBuf {
    let Some(rest) = uri.strip_prefix("file://") else {
        let rest = uri.split_once(':').map_or(uri, |(_, rest)| rest);
        return PathBuf::from(decoded(rest.trim_start_matches('/')));
    };
    // The host before the path is empty or this machine.
    let path = rest.find('/').map_or(rest, |slash| &rest[slash..]);
    let path = decoded(path);
    // `/C:/folder` of Windows.
    let bytes = path.as_bytes();
    match bytes {
        [b'/', drive, b':', ..] if cfg!(windows) && drive.is_ascii_alphabetic() => PathBuf::from(&path[1..]),
        _ => PathBuf::from(path),
    }
}

/// Returns the address of a path.
pub(crate) fn of_path(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let text = absolute.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}

/// Returns a text with its escapes decoded. Escapes that are none are kept.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let escape = others.get(..2).filter(|_| *first == b'%').and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        if let Some(byte) = escape {
            bytes.push(byte);
            rest = &others[2..];
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{of_path, to_path};

    #[test]
    fn paths_are_found_again() {
        for path in ["/a/b.hcl", "/a b/c%41ä.hcl", "/x:y/#?.hcl"] {
            assert_eq!(to_path(&of_path(Path::new(path))), Path::new(path));
        }
        assert_eq!(to_path("file://localhost/a%20b.hcl"), Path::new("/a b.hcl"));
        assert_eq!(to_path("file:///%zz%4"), Path::new("/%zz%4"));
        assert_eq!(to_path("untitled:Untitled-1"), Path::new("Untitled-1"));
    }
}
