//! The texts of configurations: files, standard input, and JSON, which is recognized by its suffix.

use std::io;

use hclvm::{Diagnostics, Document, Engine};

use crate::input::{self, STANDARD_INPUT};
use crate::outcome::Stop;

/// Reads a file, or standard input for `-`.
pub(crate) fn read(path: &str) -> io::Result<Vec<u8>> {
    if path == STANDARD_INPUT { input::standard() } else { input::source(path) }
}

/// Reads a text that has to be there.
pub(crate) fn source(path: &str) -> Result<Vec<u8>, Stop> {
    let name = input::display_name(path);
    read(path).map_err(|error| Stop::Refused(format!("Cannot read {name}: {error}.")))
}

/// Parses a text: in JSON if the path says so, else in the native syntax.
pub(crate) fn parse(engine: &Engine, path: &str, text: &[u8]) -> (Document, Diagnostics) {
    let name = input::display_name(path);
    if is_json(path) {
        engine.parse_json_bytes_lenient(name, text)
    } else {
        engine.parse_bytes_lenient(name, text)
    }
}

/// Returns true for the path of a file in JSON, such as `policy.hcl.json`.
fn is_json(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"))
}
