//! Files of applications: which application reads a file, and with which settings.

use std::path::Path;

use clap::{ArgAction, Args};
use hclvm::functions::Capabilities;
use hclvm::value::Arena;
use hclvm::{Diagnostics, Document, OwnedValue};
use hclvm_dialects::{Explanation, File, Inputs, Observed, Problems, nomad, packer};
use serde_json::{Map, Value as Json};

use crate::options::{DialectName, Options};
use crate::outcome::Stop;
use crate::report::sentence;
use crate::scopes::{self, Scanned, Variables};
use crate::{input, notation, texts};

/// An application that reads files in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Application {
    Packer,
    Nomad,
}

impl Application {
    /// Returns the application of a path, by the suffixes of a file or of those in a folder.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        let names: Vec<String> = if Path::new(path).is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        } else {
            vec![path.to_owned()]
        };
        let has = |suffixes: &[&str]| names.iter().any(|name| suffixes.iter().any(|one| name.ends_with(one)));
        if has(&[".pkr.hcl", ".pkr.json"]) {
            return Some(Self::Packer);
        }
        // A folder is no job: each of its files is one.
        let is_job = !Path::new(path).is_dir() && has(&[".nomad.hcl", ".nomad", ".nomad.json"]);
        is_job.then_some(Self::Nomad)
    }

    /// Returns true if a file holds nothing but blocks of the application, for a job also declarations: scopes
    /// give the variables of others.
    fn recognizes(self, document: &Document) -> bool {
        let declares = |kind: &str| document.body().blocks_of(kind).next().is_some();
        match self {
            Self::Packer => packer::recognizes(document),
            Self::Nomad => nomad::recognizes(document) && (declares("variable") || declares("variables")),
        }
    }
}

impl Options {
    /// Returns the application that reads a file. With `--dialect`, a file is evaluated as it is, with the functions
    /// of the application, unless it looks like one of its files. Without, the suffix tells; but a `*.nomad` with
    /// attributes alone is a variable file.
    pub(crate) fn application(&self, path: &str) -> Option<Application> {
        let by_suffix = Application::of_path(path);
        let application = match self.dialect {
            None => by_suffix?,
            Some(DialectName::Packer) => Application::Packer,
            Some(DialectName::Nomad) => Application::Nomad,
            Some(_) => return None,
        };
        let is_of_suffix = by_suffix == Some(application);
        if is_of_suffix && application == Application::Packer {
            return Some(application);
        }
        // Standard input can be read once.
        if path == input::STANDARD_INPUT || Path::new(path).is_dir() {
            return None;
        }
        let text = texts::read(path).ok()?;
        let (document, _) = texts::parse(&self.engine(Some(path)), path, &text);
        let is_of_application = if is_of_suffix {
            document.is_json() || document.body().blocks().next().is_some()
        } else {
            application.recognizes(&document)
        };
        is_of_application.then_some(application)
    }
}

/// What users give to the files of applications, and what is shown of them.
#[derive(Args, Debug)]
#[command(next_help_heading = "Packer templates and Nomad jobs")]
pub(crate) struct ModuleArguments {
    #[command(flatten)]
    pub(crate) inputs: ModuleInputs,

    /// Show only these sources of builds, TYPE.NAME, where * is any text
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
}

/// What users give to the files of applications.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Packer templates and Nomad jobs")]
pub(crate) struct ModuleInputs {
    /// File with values of variables, name = value; later files are stronger
    #[arg(long, value_name = "FILE")]
    var_file: Vec<String>,

    /// JSON file with the outputs of data sources: {"TYPE": {"NAME": OUTPUT}}; others are unknown
    #[arg(long, value_name = "FILE")]
    data: Option<String>,

    /// JSON file with the values that a builder gives while it runs: {"ID": "i-1"}
    #[arg(long, value_name = "FILE")]
    build: Option<String>,

    /// Values for variables that are not declared are errors (nomad, by default) or warnings (packer)
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    pub(crate) strict: Option<bool>,
}

/// A variable of the command line.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    /// The value as JSON; a text that is no JSON is a string.
    pub(crate) json: Json,
    /// The text, unless only JSON was allowed.
    pub(crate) text: Option<String>,
}

impl Assignment {
    /// Reads `NAME=VALUE` or `NAME:=JSON`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE or NAME:=JSON")?;
        let json = serde_json::from_str(value);
        match (name.strip_suffix(':'), json) {
            (Some(name), Err(error)) => Err(format!("the value of {name} is not JSON: {error}")),
            (Some(name), Ok(json)) => Ok(Self { name: name.to_owned(), json, text: None }),
            (None, json) => {
                let json = json.unwrap_or_else(|_| value.into());
                Ok(Self { name: name.to_owned(), json, text: Some(value.to_owned()) })
            }
        }
    }
}

/// What one evaluation gets.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(crate) inputs: Inputs,
    pub(crate) data: packer::GivenData,
    pub(crate) builder: Vec<(String, OwnedValue)>,
}

impl ModuleInputs {
    /// Returns true if something is given that only applications read.
    pub(crate) fn is_used(&self) -> bool {
        let Self { var_file, data, build, strict } = self;
        !var_file.is_empty() || data.is_some() || build.is_some() || strict.is_some()
    }

    /// Returns the paths of the files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &String> {
        self.var_file.iter().chain(&self.data).chain(&self.build)
    }

    /// Returns what the command line and the environment give, without scopes. `read` reads a file.
    ///
    /// # Errors
    /// Files that cannot be read stop the command; what is wrong in them is returned.
    pub(crate) fn given(
        &self,
        application: Application,
        assignments: &[Assignment],
        read: impl Fn(&str) -> Result<Vec<u8>, Stop>,
    ) -> Result<Result<Given, Diagnostics>, Stop> {
        let prefix = match application {
            Application::Packer => "PKR_VAR_",
            Application::Nomad => "NOMAD_VAR_",
        };
        let variables = std::env::vars_os()
            .filter_map(|(name, text)| Some((name.into_string().ok()?, text.into_string().ok()?)));
        let mut inputs = Inputs::new().environment(variables.filter(|(name, _)| name.starts_with(prefix)));
        for path in &self.var_file {
            inputs = inputs.file(File::new(path, read(path)?));
        }
        for Assignment { name, json, text } in assignments {
            inputs = match text {
                Some(text) => inputs.argument(name, text),
                None => match with_value(inputs, name, json) {
                    Ok(inputs) => inputs,
                    Err(why) => return Ok(Err(sentence("Invalid value", &why, name))),
                },
            };
        }
        let mut given = Given { inputs, ..Given::default() };
        for (path, root) in [(&self.data, "data"), (&self.build, "build")] {
            let Some(path) = path else { continue };
            let scanned = scopes::of_bytes(&read(path)?, input::display_name(path));
            let added = scanned.and_then(|variables| {
                let members = Json::Object(variables.values);
                given.add_root(root, &members).map_err(|why| sentence("Invalid value", &why, path))
            });
            if let Err(problems) = added {
                return Ok(Err(problems));
            }
        }
        Ok(Ok(given))
    }
}

fn with_value(inputs: Inputs, name: &str, json: &Json) -> Result<Inputs, String> {
    let arena = Arena::new();
    let value = notation::value(&arena, json).map_err(|error| format!("{name}: {error}."))?;
    Ok(inputs.value(name, value))
}

impl Given {
    fn host(&self) -> packer::Host<'_> {
        packer::Host { data: &self.data, builder: &self.builder }
    }

    /// Adds the variables of a scope: `var`, `data` and `build`.
    ///
    /// # Errors
    /// A sentence about a variable that the application does not take from scopes.
    pub(crate) fn add(&mut self, variables: &Variables) -> Result<(), String> {
        variables.values.iter().try_for_each(|(root, members)| self.add_root(root, members))
    }

    fn add_root(&mut self, root: &str, members: &Json) -> Result<(), String> {
        let empty = Map::new();
        let object =
            |json: &'_ Json| json.as_object().cloned().ok_or(format!("`{root}` has to be an object."));
        let members = if members.is_null() { empty } else { object(members)? };
        for (name, json) in &members {
            let arena = Arena::new();
            let value = |json: &Json| {
                let value = notation::value(&arena, json).map_err(|error| format!("{root}.{name}: {error}."));
                value.map(OwnedValue::new)
            };
            match root {
                "var" => self.inputs = with_value(std::mem::take(&mut self.inputs), name, json)?,
                "build" => self.builder.push((name.clone(), value(json)?)),
                "data" => {
                    for (output, json) in &object(json)? {
                        self.data.set(name, output, value(json)?.get());
                    }
                }
                _ => {
                    return Err(format!(
                        "A scope of this application has `var`, `data` and `build`, not `{root}`."
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A module that was read.
pub(crate) enum Module {
    Packer(packer::Module),
    Nomad(nomad::Module),
}

/// The values of a module.
pub(crate) enum Evaluated {
    Packer(packer::Evaluation),
    Nomad(nomad::Evaluation),
}

/// For what a module is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// All variables have to have values.
    Evaluate,
    /// Variables without values are unknown, and a single file of a template is a part of it.
    Check,
}

impl Module {
    /// Reads the files of a module.
    pub(crate) fn read(
        application: Application,
        path: &str,
        options: &Options,
        strict: Option<bool>,
        purpose: Purpose,
    ) -> Result<Result<Self, Problems>, Stop> {
        let is_folder = Path::new(path).is_dir();
        let files = if application == Application::Packer && is_folder {
            packer::Files::read(Path::new(path)).map_err(|error| Stop::Refused(format!("{error}.")))?
        } else {
            packer::Files::one(File::new(input::display_name(path), texts::source(path)?))
        };
        Ok(Self::prepare(application, path, &files, &options.granted(folder_of(path)), strict, purpose))
    }

    /// Prepares the files of a module; a job has one.
    pub(crate) fn prepare(
        application: Application,
        path: &str,
        files: &packer::Files,
        granted: &Capabilities,
        strict: Option<bool>,
        purpose: Purpose,
    ) -> Result<Self, Problems> {
        let is_check = purpose == Purpose::Check;
        match application {
            Application::Packer => {
                let settings = packer::Settings::new()
                    .granted(granted.clone())
                    .mark_sensitive(true)
                    .directory(std::env::current_dir().unwrap_or_default())
                    .warn_undeclared(strict.unwrap_or(false))
                    .checking(is_check)
                    .partial(is_check && !Path::new(path).is_dir());
                settings.prepare(files).map(Self::Packer)
            }
            Application::Nomad => {
                let settings = nomad::Settings::new().granted(granted.clone());
                let settings = settings.strict(strict.unwrap_or(true)).checking(is_check);
                let empty = File::new(path, Vec::new());
                settings.prepare(files.iter().next().unwrap_or(&empty)).map(Self::Nomad)
            }
        }
    }

    /// Returns its files.
    pub(crate) fn documents(&self) -> &[Document] {
        match self {
            Self::Packer(module) => module.documents(),
            Self::Nomad(module) => std::slice::from_ref(module.document()),
        }
    }

    /// Returns what was found in the text of one of its files, without the secrets that are written there.
    pub(crate) fn without_secrets(&self, found: &Diagnostics) -> Diagnostics {
        match self {
            Self::Packer(module) => module.without_secrets(found),
            Self::Nomad(_) => found.clone(),
        }
    }

    /// Evaluates it.
    pub(crate) fn evaluate(&self, given: &Given) -> Evaluated {
        match self {
            Self::Packer(module) => Evaluated::Packer(module.evaluate_with(&given.inputs, given.host())),
            Self::Nomad(module) => Evaluated::Nomad(module.evaluate(&given.inputs)),
        }
    }

    /// Evaluates it and explains its local values and attributes.
    pub(crate) fn why(&self, given: &Given) -> (Evaluated, Vec<Explanation>) {
        match self {
            Self::Packer(module) => {
                let (evaluation, explanations) = module.why(&given.inputs, given.host());
                (Evaluated::Packer(evaluation), explanations)
            }
            Self::Nomad(module) => {
                let (evaluation, explanations) = module.why(&given.inputs);
                (Evaluated::Nomad(evaluation), explanations)
            }
        }
    }

    /// Evaluates it and returns what the conditions of its local values and attributes were.
    pub(crate) fn observe(&self, given: &Given) -> Vec<Observed> {
        match self {
            Self::Packer(module) => module.observe(&given.inputs, given.host()).1,
            Self::Nomad(module) => module.observe(&given.inputs).1,
        }
    }
}

impl Evaluated {
    pub(crate) fn problems(&self) -> &Problems {
        match self {
            Self::Packer(evaluation) => evaluation.problems(),
            Self::Nomad(evaluation) => evaluation.problems(),
        }
    }
}

/// Returns a folder itself, or the folder of a file: functions read the files below it.
pub(crate) fn folder_of(path: &str) -> &Path {
    if Path::new(path).is_dir() { Path::new(path) } else { parent(path) }
}

/// Returns the folder of a file.
fn parent(path: &str) -> &Path {
    Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the variables of a scope, added to what the command line gives.
pub(crate) fn with_scope(scanned: Scanned, name: &str, mut given: Given) -> Result<Given, Diagnostics> {
    let variables = scanned?;
    given.add(&variables).map_err(|why| sentence("Invalid scope", &why, name))?;
    Ok(given)
}
