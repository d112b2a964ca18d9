//! Builds the instrumented tree, and drops the mutants that the compiler rejects.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::config::{Config, Selection};
use crate::list::List;
use crate::rewrite::Rewritten;
use crate::tree::{self, Folders};

/// A test program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The package and the target, such as `hclvm-vm/number`.
    pub name: String,
    /// The name of the target.
    pub target: String,
    /// The file to execute.
    pub executable: PathBuf,
    /// The folder in which its tests expect to run.
    pub folder: PathBuf,
}

/// A build of the instrumented tree.
#[derive(Debug)]
pub struct Build {
    /// The mutants, with those that were dropped.
    pub list: List,
    /// The keys of the mutants that the compiler rejected.
    pub dropped: BTreeSet<u64>,
    /// The test programs, by name.
    pub programs: Vec<Program>,
    /// A hash of the workspace.
    pub fingerprint: u64,
}

/// A line of `cargo --message-format=json`.
#[derive(Deserialize)]
struct Line {
    reason: String,
    message: Option<Message>,
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "message")]
    text: String,
    level: String,
    code: Option<Code>,
    spans: Vec<Place>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Place {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    is_primary: bool,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Place,
}

/// Builds the test programs, in as many attempts as it takes. Reports its progress by `tell`.
pub fn build(
    folders: &Folders,
    config: &Config,
    selection: &Selection,
    tell: &dyn Fn(&str),
) -> Result<Build, String> {
    let (dropped_file, constant_file) = (folders.file("dropped"), folders.file("constant"));
    let mut dropped: BTreeSet<u64> =
        lines(&dropped_file).iter().filter_map(|line| line.parse().ok()).collect();
    let mut list = List::of(&folders.root, config, selection, lines(&constant_file))?;
    let mut fewest = usize::MAX;
    loop {
        let except: BTreeSet<&str> = list.sources.keys().map(String::as_str).collect();
        let fingerprint = tree::copy(folders, &except, &selection.packages)?;
        let mut texts = BTreeMap::new();
        for file in list.sources.keys() {
            let is_dropped = |mutant: &crate::mutant::Mutant| dropped.contains(&mutant.key);
            let Some(rewritten) = list.rewritten(file, &is_dropped) else { continue };
            tree::write(&folders.tree().join(file), rewritten.text.as_bytes())?;
            // The compiler names files by their paths in the workspace that it builds.
            let named = file.strip_prefix(&*folders.workspace).unwrap_or(file);
            texts.insert(named.trim_start_matches('/'), rewritten);
        }
        let (messages, programs) = cargo(folders, &selection.packages)?;
        if messages.is_empty() {
            return Ok(Build { list, dropped, programs, fingerprint });
        }
        // An error that the innermost mutant did not cause is attributed to all around it.
        let blamed = blame(&messages, &texts, messages.len() >= fewest);
        fewest = messages.len();
        let rejected = blamed.mutants.iter().filter_map(|id| list.mutants.get(*id as usize)).map(|m| m.key);
        let before = (dropped.len(), list.constant.len());
        dropped.extend(rejected.collect::<Vec<_>>());
        let mut constant = list.constant.clone();
        constant.extend(blamed.constant);
        constant.sort();
        constant.dedup();
        if before == (dropped.len(), constant.len()) {
            let shown: Vec<&str> =
                messages.iter().filter_map(|message| message.rendered.as_deref()).take(5).collect();
            return Err(format!("the instrumented tree does not compile:\n{}", shown.join("\n")));
        }
        tell(&format!(
            "{} errors; {} mutants dropped, {} in all; {} functions stay constant",
            messages.len(),
            dropped.len() - before.0,
            dropped.len(),
            constant.len()
        ));
        let text: Vec<String> = dropped.iter().map(u64::to_string).collect();
        tree::write(&dropped_file, text.join("\n").as_bytes())?;
        tree::write(&constant_file, constant.join("\n").as_bytes())?;
        if constant.len() > before.1 {
            list = List::of(&folders.root, config, selection, constant)?;
        }
    }
}

fn lines(path: &std::path::Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Builds the test programs of packages, or all; returns the errors, or the programs.
fn cargo(folders: &Folders, packages: &[String]) -> Result<(Vec<Message>, Vec<Program>), String> {
    let chosen = packages.iter().flat_map(|package| ["--package", package]);
    let mut child = Command::new("cargo")
        .args(["test", "--lib", "--bins", "--tests", "--no-run", "--quiet"])
        .args(packages.is_empty().then_some("--workspace"))
        .args(chosen)
        .arg("--message-format=json")
        .current_dir(folders.tree().join(&folders.workspace))
        .env("CARGO_TARGET_DIR", folders.build())
        .env("CARGO_INCREMENTAL", "0")
        // Debug information is of no use here; a little optimization pays for itself in test time.
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("RUSTFLAGS", "--cap-lints allow")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo: {error}"))?;
    let stderr = child.stderr.take();
    let said = std::thread::spawn(move || stderr.map(std::io::read_to_string));
    let (mut messages, mut programs) = (Vec::new(), Vec::new());
    for line in child.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines()) {
        let line = line.map_err(|error| error.to_string())?;
        let Ok(line) = serde_json::from_str::<Line>(&line) else { continue };
        if line.reason == "compiler-message" {
            messages.extend(line.message.filter(|message| message.level.starts_with("error")));
        } else if let (Some(executable), Some(target), Some(manifest)) =
            (line.executable, line.target, line.manifest_path)
            && line.profile.is_some_and(|profile| profile.test)
        {
            let folder = manifest.parent().unwrap_or(&manifest).to_owned();
            let package = match folder.strip_prefix(folders.tree()) {
                Ok(path) if path.as_os_str().is_empty() => "hclvm".to_owned(),
                Ok(path) => path.to_string_lossy().replace('/', "-"),
                Err(_) => folder.to_string_lossy().into_owned(),
            };
            let name = format!("{package}/{}", target.name);
            programs.push(Program { name, target: target.name, executable, folder });
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let said = said.join().ok().flatten().and_then(Result::ok).unwrap_or_default();
    // Summaries without a place, such as "aborting due to 3 errors".
    messages.retain(|message| !message.spans.is_empty());
    if !status.success() && messages.is_empty() {
        return Err(format!("cargo fails:\n{said}"));
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((messages, programs))
}

/// The mutants and functions that errors are attributed to.
#[derive(Default)]
struct Blamed {
    mutants: BTreeSet<u32>,
    constant: BTreeSet<String>,
}

fn blame(messages: &[Message], texts: &BTreeMap<&str, Rewritten>, all: bool) -> Blamed {
    let mut blamed = Blamed::default();
    for message in messages {
        // A call of a function that is not constant: the message names the function.
        if message.code.as_ref().is_some_and(|code| code.code == "E0015") {
            let name = message.text.split('`').nth(1).and_then(|path| path.rsplit("::").next());
            blamed.constant.extend(name.map(str::to_owned));
            continue;
        }
        let primary = places(message.spans.iter().filter(|place| place.is_primary));
        let every = places(&message.spans);
        let find = |places: &Places<'_>, find: &Find<'_>| -> Vec<u32> {
            places
                .iter()
                .filter_map(|(file, places)| Some(find(texts.get(file)?, places)))
                .flatten()
                .collect()
        };
        let mut found = find(&primary, &|text, places| text.culprits(places, all));
        if found.is_empty() {
            found = find(&every, &|text, places| text.culprits(places, all));
        }
        if found.is_empty() {
            found = find(&every, &Rewritten::between);
        }
        blamed.mutants.extend(found);
    }
    blamed
}

/// Finds mutants at places of a text.
type Find<'f> = dyn Fn(&Rewritten, &[Range<usize>]) -> Vec<u32> + 'f;

/// Places in files, by the file.
type Places<'m> = BTreeMap<&'m str, Vec<Range<usize>>>;

/// The places of an error, and the calls of the macros that they are in.
fn places<'m>(of: impl IntoIterator<Item = &'m Place>) -> Places<'m> {
    let mut ranges = Places::new();
    for place in of {
        let mut next = Some(place);
        while let Some(place) = next {
            ranges.entry(&place.file_name).or_default().push(place.byte_start..place.byte_end);
            next = place.expansion.as_deref().map(|expansion| &expansion.span);
        }
    }
    ranges
}
