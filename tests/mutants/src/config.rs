//! The configuration of a run: `mutants.toml`.

use serde::Deserialize;

/// See `mutants.toml`, which documents each field.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The least share of killed mutants that a run accepts, in percent.
    pub floor: f64,
    /// Megabytes of address space that a test program may use.
    pub memory: u64,
    /// Functions and files without mutants.
    #[serde(default)]
    pub exclude: Vec<Exclude>,
    /// Test programs that are not run.
    #[serde(default)]
    pub skip: Vec<Skip>,
    /// Folders of workspaces of their own, whose files get mutants only in a run for that workspace.
    #[serde(default)]
    pub workspace: Vec<String>,
    /// The rooms, in the order of the summary.
    pub room: Vec<Room>,
}

/// The files that get mutants in a run, and the tests.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The folder of the workspace; empty for the main one.
    pub workspace: String,
    /// The beginning of their paths.
    pub path: String,
    /// The names of their rooms; all without any.
    pub rooms: Vec<String>,
    /// The packages whose tests run; all without any.
    pub packages: Vec<String>,
}

/// A part of the sources that gets mutants.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Room {
    /// Its name in the summary.
    pub name: String,
    /// The beginnings of the paths of its files. The longest beginning in any room decides.
    pub paths: Vec<String>,
    /// Its weight in a sample, relative to the other rooms.
    pub share: u32,
}

/// A function or a file without mutants.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclude {
    /// The beginning of the path; empty for all.
    #[serde(default)]
    pub path: String,
    /// The name of the function; empty for all of the file.
    #[serde(default)]
    pub function: String,
    /// The reason why its mutants are of no interest.
    pub reason: String,
}

/// A test program that is not run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// The name of the target.
    pub program: String,
    /// The name of the test; empty for all of the program.
    #[serde(default)]
    pub test: String,
    /// The reason why its result does not depend on mutants.
    pub reason: String,
}

impl Config {
    /// Reads a configuration.
    pub fn read(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let reasons =
            config.exclude.iter().map(|row| &row.reason).chain(config.skip.iter().map(|row| &row.reason));
        if reasons.into_iter().any(|reason| reason.trim().is_empty()) {
            return Err("each exclusion needs a reason".to_owned());
        }
        Ok(config)
    }

    /// Returns true if a file may get mutants in a run.
    pub fn selects(&self, selection: &Selection, file: &str) -> bool {
        let is_in =
            |folder: &&String| file.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let workspace = self.workspace.iter().find(is_in).map_or("", String::as_str);
        let is_wanted = |room: usize| selection.rooms.contains(&self.room[room].name);
        workspace == selection.workspace
            && file.starts_with(&selection.path)
            && (selection.rooms.is_empty() || self.room_of(file).is_some_and(is_wanted))
    }

    /// Returns the index of the room of a file.
    pub fn room_of(&self, file: &str) -> Option<usize> {
        let fits = self.room.iter().enumerate().flat_map(|(index, room)| {
            room.paths
                .iter()
                .filter(|path| file.starts_with(path.as_str()))
                .map(move |path| (path.len(), index))
        });
        let excluded = self.exclude.iter().any(|row| row.function.is_empty() && file.starts_with(&row.path));
        if excluded { None } else { fits.max().map(|(_, index)| index) }
    }

    /// Returns true if a function of a file gets no mutants.
    pub fn excludes(&self, file: &str, function: &str) -> bool {
        self.exclude.iter().any(|row| row.function == function && file.starts_with(&row.path))
    }

    /// Returns true if a test is not run.
    pub fn skips(&self, program: &str, test: &str) -> bool {
        self.skip.iter().any(|row| row.program == program && (row.test.is_empty() || row.test == test))
    }
}
