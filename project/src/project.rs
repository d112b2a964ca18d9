//! The project file `hclvm.hcl`: what is the same for all files of a project, so that commands need no options for it.
//!
//! ```hcl
//! dialect = "packer"                            # optional: for files that no application claims by name
//! schema  = "types.hcl"                         # the variables of hosts, see hclvm check --schema
//! provider_schemas = "schemas.json"             # for Terraform policies, see hclvm policy check --schemas
//! exclude = ["vendor", "node_modules"]          # folders that are not read
//!
//! policy {
//!   combining = "deny-overrides"
//!   effects   = ["allow", "deny", "challenge"]
//! }
//!
//! function "ip_in" {
//!   arguments = ["10.0.0.1", "10.0.0.0/8"]     # optional: for calls with these alone
//!   result    = true
//! }
//!
//! scope "guest" {                               # a sample of scopes: editors show values under it
//!   values = { user = { name = "ann", roles = [] } }
//! }
//! scope "admin" {
//!   file = "scopes/admin.json"
//! }
//!
//! lints {
//!   allow = ["unused-local"]
//!   deny  = ["warnings"]
//! }
//! ```
//! It is found in the folder of a file or in a folder above, up to the root of the repository. Outside of a repository,
//! only the folder of the file counts: a folder above may be writable by others.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hclvm::check::Declared;
use hclvm::diagnostics::{Code, Source, Span};
use hclvm::lint::Lints;
use hclvm::value::Arena;
use hclvm::{Diagnostic, Diagnostics, Engine, Error, Limits, OwnedValue};
use hclvm_dialects::registry::NamedDialect;
use hclvm_dialects::terraform_policy::Schemas;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use crate::notation;
use crate::policy::PolicyBlock;
use crate::stub::{Answer, Stub};

/// The name of the file.
pub const PROJECT_FILE: &str = "hclvm.hcl";

/// The size of the largest file with schemas that is read: those of all AWS resources have some 20 MB.
const LARGEST_SCHEMAS: u64 = 256 << 20;

/// The folders and files that make a folder the root of a repository.
const ROOTS: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// The content of a project file.
#[derive(Debug, Default)]
pub struct Project {
    /// The path of the file; `None` if there is no project.
    pub path: Option<PathBuf>,
    /// The dialect of files that no application claims by their names.
    pub dialect: Option<&'static NamedDialect>,
    /// `None` if there is no block `policy`.
    pub policy: Option<PolicyBlock>,
    /// Answers of functions that only the host has.
    pub stubs: Vec<Stub>,
    /// The path of the file with the types of variables, relative to the folder of the project.
    pub schema: Option<String>,
    /// The path of the file with the schemas of Terraform's providers, relative to the folder of the project.
    pub provider_schemas: Option<String>,
    /// Samples of scopes. The first one is used unless a user chooses another.
    pub scopes: Vec<SampleScope>,
    /// Which warnings are shown, and how.
    pub lints: LintBlock,
    /// The names of folders that are not read, or their paths relative to the folder of the project.
    pub exclude: Vec<String>,
}

/// A sample of scopes.
#[derive(Clone, Debug)]
pub struct SampleScope {
    /// Its name.
    pub name: String,
    /// The file with its values, relative to the folder of the project.
    pub file: Option<String>,
    /// Its values, unless they are in a file.
    pub values: Map<String, Json>,
}

/// The block `lints`: codes of warnings.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LintBlock {
    /// The codes of warnings that are not shown.
    #[serde(default)]
    pub allow: Vec<String>,
    /// The codes of warnings that are errors; `warnings` for all of them.
    #[serde(default)]
    pub deny: Vec<String>,
}

/// The reason why a project file cannot be used.
#[derive(Debug)]
pub enum ProjectError {
    /// A file cannot be read: a sentence.
    Unreadable(String),
    /// The file has errors.
    Diagnosed(Diagnostics),
}

impl fmt::Display for ProjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(sentence) => f.write_str(sentence),
            Self::Diagnosed(problems) => problems.fmt(f),
        }
    }
}

impl std::error::Error for ProjectError {}

#[derive(Deserialize)]
struct ProjectBody {
    dialect: Option<String>,
    schema: Option<String>,
    provider_schemas: Option<String>,
    #[serde(default)]
    exclude: Vec<String>,
    policy: Option<PolicyBlock>,
    #[serde(default)]
    function: Vec<FunctionBlock>,
    #[serde(default)]
    scope: Vec<ScopeBlock>,
    lints: Option<LintBlock>,
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

#[derive(Deserialize)]
struct ScopeBlock {
    #[serde(rename = "$label")]
    name: String,
    file: Option<String>,
    values: Option<Map<String, Json>>,
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
    /// Reads the project file of the files in a folder. Without one, the project is empty.
    ///
    /// # Errors
    /// A file that cannot be read or has errors.
    pub fn of_folder(folder: &Path) -> Result<Self, ProjectError> {
        find(folder).map_or_else(|| Ok(Self::default()), |file| Self::of_file(&file))
    }

    /// Reads a project file.
    ///
    /// # Errors
    /// A file that cannot be read or has errors.
    pub fn of_file(file: &Path) -> Result<Self, ProjectError> {
        let project = Self::parse(&file.to_string_lossy(), &read_file(file, too_large())?)?;
        Ok(Self { path: Some(file.to_path_buf()), ..project })
    }

    /// Reads the text of a project file. `name` is the name of the file in diagnostics.
    ///
    /// # Errors
    /// A file that has errors.
    pub fn parse(name: &str, text: &[u8]) -> Result<Self, ProjectError> {
        let body = decode(name, text)?;
        let ProjectBody { dialect, schema, provider_schemas, exclude, policy, function, scope, lints } = body;
        let refused = |why: String| refused(name, &why);
        let dialect = dialect
            .map(|dialect| NamedDialect::named(&dialect))
            .transpose()
            .map_err(|why| refused(format!("{why}.")))?;
        let lints = lints.unwrap_or_default();
        lints.lints(Lints::new()).map_err(refused)?;
        let scopes = scope.into_iter().map(sample).collect::<Result<_, _>>().map_err(refused)?;
        Ok(Self {
            path: None,
            dialect,
            policy,
            stubs: stubs(function, name)?,
            schema,
            provider_schemas,
            scopes,
            lints,
            exclude,
        })
    }

    /// Returns the folder of the file.
    pub fn folder(&self) -> Option<&Path> {
        let folder = self.path.as_deref()?.parent()?;
        Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    }

    /// Returns a path that the file names, from the folder of the file.
    fn path_of(&self, relative: &str) -> PathBuf {
        self.folder().unwrap_or(Path::new(".")).join(relative)
    }

    /// Returns true for a folder, by its path, that is not read.
    pub fn excludes(&self, folder: &Path) -> bool {
        let Some(root) = self.folder() else { return false };
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let is = |excluded: &String| {
            folder.file_name().is_some_and(|name| name == excluded.as_str()) || folder == root.join(excluded)
        };
        folder != root && self.exclude.iter().any(is)
    }

    /// Returns the variables that the schema declares; `None` without a schema.
    ///
    /// # Errors
    /// A file that cannot be read or is no schema.
    pub fn declared(&self) -> Result<Option<Declared>, ProjectError> {
        let Some(schema) = &self.schema else { return Ok(None) };
        let path = self.path_of(schema);
        let name = path.to_string_lossy();
        let (document, problems) = Engine::new().parse_bytes_lenient(&name, &read_file(&path, too_large())?);
        if problems.has_errors() {
            return Err(ProjectError::Diagnosed(problems));
        }
        let declared = Declared::of_schema(&document);
        declared.map(Some).map_err(|error| ProjectError::Diagnosed(error.to_diagnostics(&name)))
    }

    /// Returns the schemas of Terraform's providers; `None` without any.
    ///
    /// # Errors
    /// A file that cannot be read or has no schemas.
    pub fn provider_schemas(&self) -> Result<Option<Schemas>, ProjectError> {
        let Some(file) = &self.provider_schemas else { return Ok(None) };
        let path = self.path_of(file);
        let bytes = read_file(&path, LARGEST_SCHEMAS)?;
        let schemas = Schemas::read(&String::from_utf8_lossy(&bytes), Limits::trusted());
        schemas.map(Some).map_err(|error| refused(&path.to_string_lossy(), &format!("{error}.")))
    }

    /// Returns the values of a sample of scopes: of the one with this name, or of the first one.
    ///
    /// # Errors
    /// A file that cannot be read, and values that are none.
    pub fn sample(&self, name: Option<&str>) -> Result<Vec<(String, OwnedValue)>, ProjectError> {
        let chosen = match name {
            Some(name) => self.scopes.iter().find(|scope| scope.name == name),
            None => self.scopes.first(),
        };
        let Some(scope) = chosen else { return Ok(Vec::new()) };
        let (values, source) = match &scope.file {
            None => (scope.values.clone(), self.path.clone().unwrap_or_else(|| PROJECT_FILE.into())),
            Some(file) => {
                let path = self.path_of(file);
                let why = |why: String| refused(&path.to_string_lossy(), &why);
                match serde_json::from_slice(&read_file(&path, too_large())?) {
                    Ok(Json::Object(values)) => (values, path),
                    Ok(_) => return Err(why("a scope has to be an object.".to_owned())),
                    Err(error) => return Err(why(format!("{error}."))),
                }
            }
        };
        let read = |(name, json): (&String, &Json)| {
            let value =
                value(json).map_err(|error| refused(&source.to_string_lossy(), &format!("{name}: {error}.")));
            Ok((name.clone(), value?))
        };
        values.iter().map(read).collect()
    }
}

impl LintBlock {
    /// Adds what the block says to lints.
    ///
    /// # Errors
    /// A sentence about a name that is no code of a warning.
    pub fn lints(&self, lints: Lints) -> Result<Lints, String> {
        let lints =
            self.allow.iter().try_fold(lints, |lints, name| Ok::<_, String>(lints.allow(lint(name)?)))?;
        self.deny.iter().try_fold(lints, |lints, name| {
            Ok(if name == "warnings" { lints.deny_all() } else { lints.deny(lint(name)?) })
        })
    }
}

/// Returns the code of a warning.
fn lint(name: &str) -> Result<Code, String> {
    match Code::find(name) {
        Some(code) if code.is_lint() => Ok(code),
        Some(_) => Err(format!("`{name}` is the code of an error.")),
        None => Err(match Code::nearest(name) {
            Some(near) => format!("there is no code `{name}`; did you mean `{near}`?"),
            None => format!("there is no code `{name}`."),
        }),
    }
}

fn sample(block: ScopeBlock) -> Result<SampleScope, String> {
    let ScopeBlock { name, file, values } = block;
    if file.is_some() == values.is_some() {
        return Err(format!("the scope `{name}` has either a `file` or `values`."));
    }
    Ok(SampleScope { name, file, values: values.unwrap_or_default() })
}

/// Reads the functions of a file that has nothing else.
///
/// # Errors
/// A file that has errors.
pub fn functions(name: &str, text: &[u8]) -> Result<Vec<Stub>, ProjectError> {
    let FunctionsBody { function } = decode(name, text)?;
    stubs(function, name)
}

/// Returns the project file for the files in a folder.
pub fn find(folder: &Path) -> Option<PathBuf> {
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

/// Returns the size of a source text that the parser reports as too large.
fn too_large() -> u64 {
    Limits::untrusted().source_bytes as u64 + 1
}

/// Reads at most `most` bytes of a file. Pipes and devices are refused: a project may come from anyone, and `/dev/stdin` has
/// the messages of a language server.
fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, ProjectError> {
    let mut bytes = Vec::new();
    let read = std::fs::metadata(path).and_then(|metadata| {
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)
    });
    read.map_err(|error| ProjectError::Unreadable(format!("Cannot read {}: {error}.", path.display())))?;
    Ok(bytes)
}

/// Reads the blocks of a file.
fn decode<T: DeserializeOwned>(name: &str, text: &[u8]) -> Result<T, ProjectError> {
    let (document, problems) = Engine::new().parse_bytes_lenient(name, text);
    if problems.has_errors() {
        return Err(ProjectError::Diagnosed(problems));
    }
    let decoded = document.decode(&document.scope());
    decoded.map_err(|error| ProjectError::Diagnosed(error.to_diagnostics(name)))
}

fn stubs(blocks: Vec<FunctionBlock>, name: &str) -> Result<Vec<Stub>, ProjectError> {
    let stubs = blocks.into_iter().map(stub).collect::<Result<_, _>>();
    stubs.map_err(|why: String| refused(name, &why))
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

/// Returns the error of a file as a whole.
fn refused(name: &str, why: &str) -> ProjectError {
    let mut one = Diagnostic::error("Invalid value", format!("{name}: {why}"), Span::new(0, 0));
    one.subject = None;
    ProjectError::Diagnosed(Diagnostics::new(Arc::new(Source::new(name, "", Vec::new())), vec![one]))
}
