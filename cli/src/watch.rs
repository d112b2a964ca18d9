//! `hclvm watch`: loads a file or folder again whenever it changes, and prints what each reload changed. The files,
//! the document in use and the reports come from `hclvm-reload`.

mod module;

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use hclvm::syntax::NamedAttribute;
use hclvm::{Diagnostics, Document, Engine, Error, ErrorKind, OwnedValue, Scope};
use hclvm_reload::{
    Candidate, ContentHash, Files, Options, Outcome, Problems, Reload, Report, Source, Text, Texts,
    Unreadable, Watched, Watcher, Watching,
};
use serde_json::{Value as Json, json};

use crate::application::{Assignment, DeniedAccess, ModuleInputs, folder_of, words};
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::{list, sentence};
use crate::scopes;
use crate::shown::shown;
use hclvm_project::notation;
use module::ModuleLoader;

/// Evaluate a file whenever it is edited, and print what changes
#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(crate) struct WatchArguments {
    #[arg(help = file_help())]
    file: String,

    /// File with the variables as a JSON object
    #[arg(long, value_name = "FILE")]
    scope: Option<String>,

    /// Command to run after each reload; the variable HCLVM_EPOCH has its number
    #[arg(long, value_name = "CMD")]
    exec: Option<String>,

    /// Format of the reports
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, value_name = "FORMAT")]
    output: ReportFormat,

    /// Poll the files every second instead of using file notifications
    #[arg(long)]
    poll: bool,

    #[arg(help = variable_help(), long = "var", value_name = "NAME=VALUE", value_parser = Assignment::parse)]
    variables: Vec<Assignment>,

    #[command(flatten)]
    inputs: ModuleInputs,

    #[command(flatten)]
    denied: DeniedAccess,

    #[command(flatten)]
    options: CommandOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// Lines for people
    Text,
    /// One JSON object per line, diagnostics included
    Json,
}

/// The time between attempts to load the first configuration.
const RETRY: Duration = Duration::from_millis(500);

fn file_help() -> String {
    format!(
        "The file to watch, or a folder: its files *.hcl are one body; {} is watched with its automatic variable files",
        words::a_folder()
    )
}

fn variable_help() -> String {
    format!("Set a variable of {}, as for eval", words::a_module())
}

/// Returns the help after the list of options.
fn after_help() -> String {
    format!(
        "\
A file is loaded again when it was left alone for 150 milliseconds. Problems are printed as diagnostics,
and the last good values stay in use until they are fixed. With --scope, the values under these
variables are compared; that file is also watched. Of {}, the values are always
compared; files with values for them are watched, files that functions read are not. The command runs until it is interrupted.

Examples:
  hclvm watch game.hcl --scope player.json
  hclvm watch images/ --var-file eu.pkrvars.hcl
  hclvm watch policies/ --exec 'systemctl reload authz'
  hclvm watch game.hcl --output json | jq -r 'select(.event == \"rejected\")'

Exit codes: 2 invalid arguments or a file that is not there.",
        words::modules()
    )
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &WatchArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    for path in [&arguments.file].into_iter().chain(&arguments.scope).chain(arguments.inputs.files()) {
        if !Path::new(path).exists() {
            return Err(EarlyEnd::Refused(format!("Cannot watch {path}: it is not there.")));
        }
    }
    let mut printer = Printer { arguments, out };
    if let Some(application) = arguments.options.application(&arguments.file) {
        let WatchArguments { file, scope, inputs, variables, options, denied, .. } = arguments;
        let granted = options.granted_to_module(folder_of(file), &denied.deny);
        let open = || {
            let granted = granted.clone();
            let loader = ModuleLoader::new(application, file, granted, inputs, variables, scope.as_ref());
            Reload::open(loader, |_| Ok(()))
        };
        let reload = first(open, &mut printer)?;
        let values = reload.current().load().content().len();
        return follow(reload, ("value", values), &mut printer);
    }
    if arguments.inputs.is_used() || !arguments.variables.is_empty() {
        let modules = words::modules();
        let why = format!("--var, --var-file, --data, --build and --strict are for {modules}.");
        return Err(EarlyEnd::Refused(why));
    }
    if arguments.options.depends_on_names() {
        let sentence = "A watched file is compiled before its variables are known; with --undefined text it cannot be. Use --undefined error or unknown.";
        return Err(EarlyEnd::Refused(sentence.to_owned()));
    }
    let engine = arguments.options.engine(Some(&arguments.file))?;
    let reload = first(|| document(arguments, &engine), &mut printer)?;
    let attributes = hclvm_project::check::attributes(reload.current().load().document().body()).len();
    follow(reload, ("attribute", attributes), &mut printer)
}

/// Watches a configuration that was loaded. `size` is what it consists of, and how many.
fn follow<C, W: Write>(
    reload: Reload<(), C>,
    size: (&str, usize),
    printer: &mut Printer<'_, W>,
) -> Result<CommandResult, EarlyEnd> {
    let arguments = printer.arguments;
    let options = if arguments.poll { Options::default().polling() } else { Options::default() };
    let mut watcher = Watcher::new(reload, options, Instant::now());
    printer.loaded(watcher.reload().current().load().hash(), size)?;
    let mut watching = Watching::Nothing;
    loop {
        let now = watcher.reload().current().status().watching;
        if now != watching {
            note_polling(&now);
            watching = now;
        }
        match watcher.step(Instant::now()) {
            Some(Outcome::Reloaded(report)) => {
                printer.reloaded(&report)?;
                execute(arguments, report.epoch);
            }
            Some(Outcome::Rejected(rejection)) => {
                let epoch = watcher.reload().current().load().epoch();
                printer.rejected(&rejection.problems, Some(epoch))?;
            }
            Some(Outcome::Restored) => printer.restored(watcher.reload().current().load().epoch())?,
            Some(Outcome::Unchanged | Outcome::Unfinished(_)) | None => {}
        }
        watcher.wait();
    }
}

/// Loads the first configuration. One with errors is printed, and waited for until it is fixed.
fn first<C, W: Write>(
    open: impl Fn() -> Result<Reload<(), C>, Problems>,
    printer: &mut Printer<'_, W>,
) -> Result<Reload<(), C>, EarlyEnd> {
    let mut printed = String::new();
    loop {
        let problems = match open() {
            Ok(reload) => return Ok(reload),
            Err(problems) => problems,
        };
        let text = problems.to_string();
        if text != printed {
            printer.rejected(&problems, None)?;
            printed = text;
        }
        thread::sleep(RETRY);
    }
}

/// Loads a document.
fn document(arguments: &WatchArguments, engine: &Engine) -> Result<Reload<()>, Problems> {
    let mut builder = Reload::builder(engine, FilesWithScope::new(arguments));
    if let Some(scope) = arguments.scope.clone() {
        builder = builder.scope(move |values, candidate| set(values, candidate, &scope));
    }
    builder.open(|candidate| candidate.module().map(drop).map_err(Problems::from))
}

/// Sets the variables that a file uses to those of the watched scope.
fn set(values: &mut Scope, candidate: &Candidate<'_>, path: &str) -> Result<(), Error> {
    let Some(text) = candidate.texts().iter().find(|text| text.name == path) else { return Ok(()) };
    let variables = scopes::of_bytes(&text.bytes, path)?;
    for (name, json) in &variables.values {
        if !values.has(name) {
            continue;
        }
        values
            .build(name, |arena| notation::value(arena, json))
            .map_err(|error| ErrorKind::Value(format!("variable \"{name}\": {error}")))?;
    }
    Ok(())
}

/// The watched files, followed by the scope as another text.
struct FilesWithScope {
    files: Files,
    scope: Option<Files>,
    /// The number of texts of the files.
    count: usize,
}

impl FilesWithScope {
    fn new(arguments: &WatchArguments) -> Self {
        let most = crate::input::LONGEST as u64;
        let scope = arguments.scope.as_ref().map(|scope| Files::new(scope).most_bytes(most));
        Self { files: Files::new(&arguments.file).most_bytes(most), scope, count: 0 }
    }
}

impl Texts for FilesWithScope {
    fn watched(&self) -> Vec<Watched> {
        let scope = self.scope.iter().flat_map(Texts::watched);
        self.files.watched().into_iter().chain(scope).collect()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        let mut texts = self.files.read()?;
        self.count = texts.len();
        if let Some(scope) = &mut self.scope {
            texts.extend(scope.read()?);
        }
        Ok(texts)
    }
}

impl Source for FilesWithScope {
    fn parse(
        &mut self,
        engine: &Engine,
        texts: &[Text],
        last: Option<&Document>,
    ) -> Result<Document, Vec<Diagnostics>> {
        self.files.parse(engine, &texts[..self.count.min(texts.len())], last)
    }
}

/// Runs the command of the arguments. What it prints is not a report.
fn execute(arguments: &WatchArguments, epoch: u64) {
    let Some(line) = &arguments.exec else { return };
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(shell);
    command.args([option, line]).env("HCLVM_EPOCH", epoch.to_string()).stdin(Stdio::null());
    let failure = match command.stdout(io::stderr()).status() {
        Ok(status) if status.success() => return,
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    note(&format!("`{line}` failed: {failure}."));
}

/// Prints a sentence beside the reports.
fn note(sentence: &str) {
    // If standard error is closed, nothing wants it.
    let _ = writeln!(io::stderr(), "note: {sentence}");
}

/// Prints that files are read in intervals, if that was not chosen.
fn note_polling(watching: &Watching) {
    if let Watching::Polling(Some(why)) = watching {
        note(&format!("The system gives no notices of changes: {why}. The files are read every second."));
    }
}

/// Prints what happens.
struct Printer<'a, W> {
    arguments: &'a WatchArguments,
    out: &'a mut W,
}

impl<W: Write> Printer<'_, W> {
    fn is_json(&self) -> bool {
        self.arguments.output == ReportFormat::Json
    }

    /// Prints a line at once: its reader waits for it.
    fn line(&mut self, line: &str) -> Result<(), EarlyEnd> {
        if self.is_json() {
            writeln!(self.out, "{line}")?;
        } else {
            writeln!(self.out, "{} {line}", time_of_day(SystemTime::now()))?;
        }
        self.out.flush()?;
        Ok(())
    }

    fn loaded(&mut self, hash: ContentHash, (what, count): (&str, usize)) -> Result<(), EarlyEnd> {
        if self.is_json() {
            let mut event = json!({ "event": "loaded", "epoch": 0, "hash": hash.to_string() });
            event[format!("{what}s")] = count.into();
            return self.line(&event.to_string());
        }
        let plural = if count == 1 { "" } else { "s" };
        self.line(&format!("watching {}: {count} {what}{plural}", self.arguments.file))
    }

    fn reloaded(&mut self, report: &Report) -> Result<(), EarlyEnd> {
        self.problems(&report.problems);
        if self.is_json() {
            return self.line(&event(report).to_string());
        }
        let mut lines = vec![report.to_string()];
        let (files, update) = (&report.files, &report.update);
        for (sign, list) in [("+", &files.added), ("-", &files.removed)] {
            lines.extend(list.iter().map(|file| format!("  {sign} {file}")));
        }
        for (sign, list) in [("+", &update.added), ("-", &update.removed), ("~", &update.changed)] {
            lines
                .extend(list.iter().map(|attribute| format!("  {sign} {}", as_read(&attribute.to_string()))));
        }
        lines.extend(update.moved.iter().map(|moved| format!("  > {} from {}", moved.to, moved.from)));
        lines.extend(report.values.iter().map(|change| {
            let value = |value: &Option<OwnedValue>| match value {
                Some(value) => one_line(value).to_string(),
                None => "nothing".to_owned(),
            };
            format!("  {}: {} -> {}", change.path, value(&change.before), value(&change.after))
        }));
        self.line(&lines.join("\n"))
    }

    /// Prints why a configuration is not loaded, and which one stays in use.
    fn rejected(&mut self, problems: &Problems, in_use: Option<u64>) -> Result<(), EarlyEnd> {
        let diagnostics = match problems {
            Problems::Diagnostics(list) => list.clone(),
            Problems::Sentence(text) => vec![sentence("Not loaded", text, &self.arguments.file)],
        };
        if self.is_json() {
            let diagnostics: Vec<Json> = diagnostics.iter().flat_map(list).collect();
            let event = json!({ "event": "rejected", "epoch": in_use, "diagnostics": diagnostics });
            return self.line(&event.to_string());
        }
        self.problems(&diagnostics);
        match in_use {
            Some(epoch) => self.line(&format!("rejected; epoch {epoch} stays in use")),
            None => self.line("not loaded yet; waiting for a change"),
        }
    }

    fn restored(&mut self, epoch: u64) -> Result<(), EarlyEnd> {
        if self.is_json() {
            return self.line(&json!({ "event": "restored", "epoch": epoch }).to_string());
        }
        self.line(&format!("epoch {epoch} again, without the rejected change"))
    }

    /// Prints diagnostics on standard error; in JSON they are in the events.
    fn problems(&self, problems: &[Diagnostics]) {
        if !self.is_json() {
            for one in problems {
                self.arguments.options.diagnostics.print(one);
            }
        }
    }
}

/// Returns the path of an attribute as expressions and the lines with values have it: `local.NAME` for a local value.
fn as_read(path: &str) -> String {
    path.strip_prefix("locals.").map_or_else(|| path.to_owned(), |name| format!("local.{name}"))
}

/// Returns the time of day in UTC, such as `09:15:02Z`.
fn time_of_day(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()) % 86_400;
    format!("{:02}:{:02}:{:02}Z", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

/// Returns a report as an event.
fn event(report: &Report) -> Json {
    let Report { epoch, update, times, .. } = report;
    let paths = |list: &[NamedAttribute]| -> Vec<String> { list.iter().map(ToString::to_string).collect() };
    let moved =
        |moved: &hclvm::syntax::MovedAttribute| json!({ "from": moved.from.path(), "to": moved.to.path() });
    let value = |change: &hclvm_reload::ValueChange| {
        let mut members = serde_json::Map::new();
        members.insert("path".into(), change.path.to_string().into());
        for (name, value) in [("before", &change.before), ("after", &change.after)] {
            if let Some(value) = value {
                members.insert(name.into(), one_line(value));
            }
        }
        Json::Object(members)
    };
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    json!({
        "event": "reloaded",
        "epoch": epoch,
        "hash": report.hash.to_string(),
        "files": {
            "added": report.files.added,
            "removed": report.files.removed,
            "changed": report.files.changed,
        },
        "added": paths(&update.added),
        "removed": paths(&update.removed),
        "changed": paths(&update.changed),
        "moved": update.moved.iter().map(moved).collect::<Vec<_>>(),
        "unchanged": update.unchanged,
        "compiled": update.compiled,
        "locals": report.locals,
        "dependents": report.dependents,
        "values": report.values.iter().map(value).collect::<Vec<_>>(),
        "diagnostics": report.problems.iter().flat_map(list).collect::<Vec<_>>(),
        "microseconds": {
            "read": micros(times.read),
            "parse": micros(times.parse),
            "look_up": micros(times.look_up),
            "compile": micros(times.compile),
            "evaluate": micros(times.evaluate),
        },
    })
}

/// Returns a value as JSON. One that is too large is its reason.
fn one_line(value: &OwnedValue) -> Json {
    serde_json::to_value(shown(value.get())).unwrap_or_else(|error| format!("({error})").into())
}
