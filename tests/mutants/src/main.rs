//! `mutants`: lists, shows and runs mutants of the workspace. See README.md.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use clap::{Parser, Subcommand};
use hclvm_mutants::compile::{self, Build};
use hclvm_mutants::config::{Config, Selection};
use hclvm_mutants::list::List;
use hclvm_mutants::mutant::Mutant;
use hclvm_mutants::run::Verdict;
use hclvm_mutants::tree::Folders;
use hclvm_mutants::{process, reach, report, run, sample};

/// Mutation testing: small changes of the sources, each of which some test should notice.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Action,
    #[command(flatten)]
    files: Files,
}

/// The files that get mutants. Ids count the mutants of these.
#[derive(clap::Args)]
struct Files {
    /// Only files that begin with this path.
    #[arg(long, global = true, default_value = "")]
    path: String,
    /// Only files of these rooms of mutants.toml; several are separated by commas.
    #[arg(long, global = true, value_delimiter = ',')]
    room: Vec<String>,
    /// The workspace whose files get mutants and whose tests are run, such as `integrations/authorization`; without it the
    /// main one.
    #[arg(long, global = true, default_value = "")]
    workspace: String,
    /// Only the tests of this package; may be repeated.
    #[arg(long, global = true)]
    package: Vec<String>,
}

#[derive(Subcommand)]
enum Action {
    /// Lists all mutants that the sources offer, with their ids.
    List,
    /// Shows mutants as differences.
    Diff {
        /// Their ids.
        #[arg(required = true)]
        ids: Vec<u32>,
    },
    /// Builds the instrumented tree.
    Build,
    /// Runs the tests with mutants, one at a time.
    Run(Choice),
}

#[derive(clap::Args)]
struct Choice {
    /// The number of mutants; all without it.
    #[arg(long)]
    sample: Option<usize>,
    /// Chooses the sample.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these mutants.
    #[arg(long, value_delimiter = ',', conflicts_with = "sample")]
    only: Vec<u32>,
    /// Only the mutants that survived the last run before the sources or tests changed.
    #[arg(long, conflicts_with_all = ["sample", "only"])]
    again: bool,
    /// Test programs at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// A file to which survivors are appended as they are found.
    #[arg(long)]
    survivors: Option<PathBuf>,
}

fn main() -> ExitCode {
    match execute(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            tell(&error);
            ExitCode::FAILURE
        }
    }
}

fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "mutants: {text}");
}

/// Writes to standard output. Errors are ignored, such as a closed pipe.
fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn execute(
    Arguments { command, files: Files { path, room, workspace, package } }: Arguments,
) -> Result<bool, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = own.ancestors().nth(2).ok_or("the tool is not in its workspace")?;
    let text =
        fs::read_to_string(own.join("mutants.toml")).map_err(|error| format!("mutants.toml: {error}"))?;
    let config = Config::read(&text).map_err(|error| format!("mutants.toml: {error}"))?;
    if !workspace.is_empty() && !config.workspace.contains(&workspace) {
        return Err(format!("mutants.toml has no workspace {workspace}"));
    }
    if let Some(unknown) = room.iter().find(|name| config.room.iter().all(|room| room.name != **name)) {
        return Err(format!("mutants.toml has no room \"{unknown}\""));
    }
    let folders = Folders::of(root, &workspace);
    let selection = Selection { workspace, path, rooms: room, packages: package };
    match command {
        Action::List => {
            for mutant in &listed(&folders, &config, &selection)?.mutants {
                let Mutant { id, file, line, change, .. } = mutant;
                let replacement = change.replacement.escape_debug();
                say(&format!("{id}\t{file}:{line}\t{}\t{replacement}\n", change.operator));
            }
            Ok(true)
        }
        Action::Diff { ids } => {
            let list = listed(&folders, &config, &selection)?;
            for id in ids {
                let mutant =
                    list.mutants.get(id as usize).ok_or_else(|| format!("there is no mutant {id}"))?;
                say(&list.diff(mutant));
            }
            Ok(true)
        }
        Action::Build => built(&folders, &config, &selection).map(|_| true),
        Action::Run(choice) => execute_run(&folders, &config, &selection, &choice),
    }
}

/// Lists the mutants with the ids of the last build, which may have found more constant functions.
fn listed(folders: &Folders, config: &Config, selection: &Selection) -> Result<List, String> {
    let constant = fs::read_to_string(folders.file("constant")).unwrap_or_default();
    List::of(&folders.root, config, selection, constant.lines().map(str::to_owned).collect())
}

fn built(folders: &Folders, config: &Config, selection: &Selection) -> Result<Build, String> {
    let begin = Instant::now();
    let build = compile::build(folders, config, selection, &tell)?;
    let offered = build.list.mutants.len();
    let rejected = build.list.mutants.iter().filter(|mutant| build.dropped.contains(&mutant.key)).count();
    tell(&format!(
        "{offered} mutants, {rejected} of which do not compile; {} test programs; built in {:.0} s",
        build.programs.len(),
        begin.elapsed().as_secs_f64()
    ));
    Ok(build)
}

fn execute_run(
    folders: &Folders,
    config: &Config,
    selection: &Selection,
    choice: &Choice,
) -> Result<bool, String> {
    let build = built(folders, config, selection)?;
    let begin = Instant::now();
    let reach = reach::record(folders, config, &build, choice.jobs, &tell)?;
    tell(&format!(
        "{} tests; reach recorded or read in {:.0} s",
        reach.tests.len(),
        begin.elapsed().as_secs_f64()
    ));
    for test in &reach.failing {
        tell(&format!("left out, because it fails without a mutant: {test}"));
    }
    let viable = build.list.mutants.iter().filter(|mutant| !build.dropped.contains(&mutant.key));
    let viable: Vec<&Mutant> = viable.collect();
    let only: BTreeSet<u32> = choice.only.iter().copied().collect();
    let path = folders.file("results.tsv");
    let chosen = match choice.sample {
        Some(count) => sample::sample(&viable, config, count, choice.seed),
        None if choice.again => {
            let keys = report::survivors_of_another_tree(&path, &build);
            viable.into_iter().filter(|mutant| keys.contains(&mutant.key)).collect()
        }
        None if only.is_empty() => viable,
        None => viable.into_iter().filter(|mutant| only.contains(&mutant.id)).collect(),
    };
    let results = Mutex::new(report::read(&path, &build));
    let known = results.lock().map_err(|error| error.to_string())?.clone();
    let open: Vec<&Mutant> =
        chosen.iter().copied().filter(|mutant| !known.contains_key(&mutant.id)).collect();
    tell(&format!(
        "{} mutants, {} of them known from an earlier run",
        chosen.len(),
        chosen.len() - open.len()
    ));
    process::in_parallel(&open, choice.jobs, |_, mutant| {
        let (verdict, time) = run::judge(mutant.id, &build.programs, &reach, config.memory)?;
        let room = config.room.get(mutant.room).map_or("", |room| &room.name);
        let line = report::line(mutant, room, &verdict, time);
        let mut results = results.lock().map_err(|error| error.to_string())?;
        report::append(&path, &build, &line)?;
        say(&format!("{line}\n"));
        if let (Some(path), Verdict::Survived | Verdict::NotReached) = (&choice.survivors, &verdict) {
            let file = OpenOptions::new().create(true).append(true).open(path);
            let text = report::survivor(mutant, &build, &reach, &verdict);
            file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
        }
        results.insert(mutant.id, (verdict, time));
        Ok(())
    })?;
    let results = results.into_inner().map_err(|error| error.to_string())?;
    let (table, share) = report::summary(&chosen, &results, config);
    say(&table);
    if share < config.floor {
        tell(&format!("{share:.1} % killed is below the floor of {:.1} %", config.floor));
    }
    Ok(share >= config.floor)
}
