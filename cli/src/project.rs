//! The project file `hclvm.hcl`: what is the same for all files of a project, so that commands need no options for it.
//!
//! ```hcl
//! policy {
//!   combining = "deny-overrides"
//!   effects   = ["allow", "deny", "challenge"]
//! }
//!
//! function "ip_in" {
//!   arguments = ["10.0.0.1", "10.0.0.0/8"]     # optional: for calls with these alone
//!   result    = true
//! }
//! ```
//! It is found in the folder of a file or in a folder above, up to the root of the repository. Outside of a repository,
//! only the folder of the file counts: a folder above may be writable by others.

use std::path::{Path, PathBuf};

use hclvm::value::Arena;
use hclvm::{Diagnostics, Engine, Error, OwnedValue};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use crate::application::folder_of;
use crate::input::STANDARD_INPUT;
use crate::notation;
use crate::outcome::Stop;
use crate::policy::PolicyBlock;
use crate::report::{DiagnosticFormat, diagnostics_of, sentence};
use crate::stub::{Answer, Stub};
use crate::texts;

/// The name of the file.
pub(crate) const PROJECT_FILE: &str = "hclvm.hcl";

/// What makes a folder the root of a repository.
const ROOTS: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// What a project file says.
#[derive(Default)]
pub(crate) struct Project {
    /// `None` if there is no block `policy`.
    pub(crate) policy: Option<PolicyBlock>,
    pub(crate) stubs: Vec<Stub>,
}

#[derive(Deserialize)]
struct ProjectBody {
    policy: Option<PolicyBlock>,
    #[serde(default)]
    function: Vec<FunctionBlock>,
}

#[derive(Deserialize)]
struct FunctionsBody {
    #[serde(default)]
    function: Vec<FunctionBlock>,
}

#[derive(Deserialize)]
struct FunctionBlock {
    #[serde(rename = "$label")]
    name: String,
    arguments: Option<Vec<Json>>,
    #[serde(default)]
    result: ResultAttribute,
    error: Option<String>,
}

/// A result, which may be null; `None` if there is no such attribute.
#[derive(Default)]
struct ResultAttribute(Option<Json>);

impl<'de> Deserialize<'de> for ResultAttribute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Json::deserialize(deserializer).map(|json| Self(Some(json)))
    }
}

impl Project {
    /// Reads the project file of the file or folder at a path, or of the current directory. Without one, the project is
    /// empty.
    ///
    /// # Errors
    /// A file that cannot be read. Its problems are printed.
    pub(crate) fn of(path: Option<&str>, format: DiagnosticFormat) -> Result<Self, Stop> {
        let Some(file) = find(path) else { return Ok(Self::default()) };
        let file = file.to_string_lossy();
        let ProjectBody { policy, function } = read(&file, format)?;
        Ok(Self { policy, stubs: stubs(function, &file, format)? })
    }
}

/// Reads the functions of a file that has nothing else.
///
/// # Errors
/// A file that cannot be read. Its problems are printed.
pub(crate) fn functions(path: &str, format: DiagnosticFormat) -> Result<Vec<Stub>, Stop> {
    let FunctionsBody { function } = read(path, format)?;
    stubs(function, path, format)
}

/// Returns the project file of a path.
fn find(path: Option<&str>) -> Option<PathBuf> {
    let folder = match path {
        Some(path) if path != STANDARD_INPUT => folder_of(path),
        _ => Path::new("."),
    };
    // Without links, so that the folders above are those of the files.
    let folder = folder.canonicalize().ok()?;
    let is_root = |folder: &&Path| ROOTS.iter().any(|name| folder.join(name).exists());
    let root = folder.ancestors().find(is_root).unwrap_or(&folder);
    let mut inside = folder.ancestors().take_while(|above| above.starts_with(root));
    let file = inside.find_map(|folder| Some(folder.join(PROJECT_FILE)).filter(|file| file.is_file()))?;
    // As a person would write it, for messages.
    let current = std::env::current_dir().and_then(|current| current.canonicalize()).ok();
    let short = current.and_then(|current| file.strip_prefix(current).ok().map(Path::to_path_buf));
    Some(short.unwrap_or(file))
}

/// Reads the blocks of a file.
fn read<T: DeserializeOwned>(path: &str, format: DiagnosticFormat) -> Result<T, Stop> {
    let text = texts::source(path)?;
    let (document, problems) = Engine::new().parse_bytes_lenient(path, &text);
    let read = if problems.has_errors() {
        Err(problems)
    } else {
        document.decode(&document.scope()).map_err(|error| diagnostics_of(&error, path))
    };
    read.map_err(|problems| refused(&problems, format))
}

fn stubs(blocks: Vec<FunctionBlock>, path: &str, format: DiagnosticFormat) -> Result<Vec<Stub>, Stop> {
    let stubs = blocks.into_iter().map(stub).collect::<Result<_, _>>();
    stubs.map_err(|why: String| refused(&sentence("Invalid value", &format!("{path}: {why}"), path), format))
}

fn stub(block: FunctionBlock) -> Result<Stub, String> {
    let FunctionBlock { name: function, arguments, result: ResultAttribute(result), error } = block;
    let failed = |error: Error| format!("the function `{function}`: {error}.");
    let answer = match (result, error) {
        (Some(_), Some(_)) => {
            return Err(format!("the function `{function}` has a result and an error; it can have one."));
        }
        (_, Some(error)) => Answer::Error(error),
        (Some(result), None) => Answer::Value(value(&result).map_err(failed)?),
        (None, None) => Answer::unknown(),
    };
    let arguments = arguments.map(|all| all.iter().map(value).collect::<Result<_, _>>());
    let arguments = arguments.transpose().map_err(failed)?;
    Ok(Stub { function, arguments, answer })
}

fn value(json: &Json) -> Result<OwnedValue, Error> {
    let arena = Arena::new();
    notation::value(&arena, json).map(OwnedValue::new)
}

fn refused(problems: &Diagnostics, format: DiagnosticFormat) -> Stop {
    format.print(problems);
    Stop::Diagnosed
}
