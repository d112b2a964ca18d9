//! What users give to the files of applications: options, variables, scopes.

use clap::{ArgAction, Args};
use hclvm::Diagnostics;
use hclvm::value::Arena;
use hclvm_dialects::{Application, File, Given, Inputs, Selection, not_an_object};
use serde_json::{Map, Value as Json};

use super::words;
use crate::input;
use crate::options::Access;
use crate::outcome::EarlyEnd;
use crate::report::sentence;
use crate::scopes::{self, GivenVariables, Scanned};
use hclvm_project::notation;

/// What users give to the files of applications, and what is shown of them.
#[derive(Args, Debug)]
#[command(next_help_heading = words::modules())]
pub(crate) struct ModuleArguments {
    #[command(flatten)]
    pub(crate) inputs: ModuleInputs,

    /// Show only these sources of builds, TYPE.NAME or BUILD.TYPE.NAME, where * is any text
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Show all sources of builds but these
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) except: Vec<String>,

    #[command(flatten)]
    pub(crate) denied: DeniedAccess,
}

/// What functions of modules may not access.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = words::modules())]
pub(crate) struct DeniedAccess {
    /// Access to withhold from functions, which otherwise have all that the application gives them
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ACCESS")]
    pub(crate) deny: Vec<Access>,
}

/// What users give to the files of applications.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = words::modules())]
pub(crate) struct ModuleInputs {
    /// File with values of variables, name = value; later files are stronger
    #[arg(long, value_name = "FILE")]
    var_file: Vec<String>,

    /// JSON file with the outputs of data sources: {"TYPE": {"NAME": OUTPUT}}; others are unknown
    #[arg(long, value_name = "FILE")]
    data: Option<String>,

    /// JSON file with the values that a builder sets while it runs: {"ID": "i-1"}
    #[arg(long, value_name = "FILE")]
    build: Option<String>,

    #[arg(help = words::strict(), long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
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

impl ModuleArguments {
    /// Returns true if something is given that only applications read.
    pub(crate) fn is_used(&self) -> bool {
        self.inputs.is_used() || !self.selection().is_everything() || !self.denied.deny.is_empty()
    }

    /// Returns the sources of builds that are shown.
    pub(crate) fn selection(&self) -> Selection {
        Selection { only: self.only.clone(), except: self.except.clone() }
    }
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
        application: &dyn Application,
        assignments: &[Assignment],
        read: impl Fn(&str) -> Result<Vec<u8>, EarlyEnd>,
    ) -> Result<Result<Given, Diagnostics>, EarlyEnd> {
        let variables = std::env::vars_os()
            .filter_map(|(name, text)| Some((name.into_string().ok()?, text.into_string().ok()?)));
        let mut inputs = Inputs::new().environment(variables);
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
        let mut given = Given::new(application);
        given.inputs = inputs;
        for (path, root) in [(&self.data, "data"), (&self.build, "build")] {
            let Some(path) = path else { continue };
            let scanned = scopes::of_bytes(&read(path)?, input::display_name(path));
            let added = scanned.and_then(|variables| {
                let members = Json::Object(variables.values);
                add_root(&mut given, root, &members).map_err(|why| sentence("Invalid value", &why, path))
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

/// Adds the variables of a scope: `var`, and the names that the application takes from hosts.
///
/// # Errors
/// A sentence about a variable that it does not take.
pub(crate) fn add_scope(given: &mut Given, variables: &GivenVariables) -> Result<(), String> {
    variables.values.iter().try_for_each(|(root, members)| add_root(given, root, members))
}

fn add_root(given: &mut Given, root: &str, members: &Json) -> Result<(), String> {
    let empty = Map::new();
    let members =
        if members.is_null() { &empty } else { members.as_object().ok_or_else(|| not_an_object(root))? };
    for (name, json) in members {
        if root == "var" {
            given.inputs = with_value(std::mem::take(&mut given.inputs), name, json)?;
            continue;
        }
        given.root(root)?;
        let arena = Arena::new();
        let value = notation::value(&arena, json).map_err(|error| format!("{root}.{name}: {error}."))?;
        given.add(root, name, value)?;
    }
    Ok(())
}

/// Returns the variables of a scope, added to what the command line gives.
pub(crate) fn with_scope(scanned: Scanned, name: &str, mut given: Given) -> Result<Given, Diagnostics> {
    let variables = scanned?;
    add_scope(&mut given, &variables).map_err(|why| sentence("Invalid scope", &why, name))?;
    Ok(given)
}
