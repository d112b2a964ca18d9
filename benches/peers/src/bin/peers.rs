//! Measures the workloads with hclvm, other engines and the reference in Go, interleaved. Compares
//! all results before timing anything.
//!
//! `benches/peers/run` builds all processes and starts this one, which starts the others:
//! `peers-plain` and the reference.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use hclvm_peers::chart::chart;
use hclvm_peers::conditions::Conditions;
use hclvm_peers::contender::Peer;
use hclvm_peers::figures::figures;
use hclvm_peers::guests::Guest;
use hclvm_peers::measure::{Effort, measure};
use hclvm_peers::report::report;
use hclvm_peers::task::Task;
use hclvm_peers::{Failure, peers};

const USAGE: &str = "\
usage: benches/peers/run [--tasks splat,compile] [--peers hcl-rs,cel] [--rounds N] [--batch MICROSECONDS]
                         [--check] [--chart FILE.svg] [--table FILE.txt] [--figures FILE.md]
  --tasks   rows to run, by their names or by the name of a form such as cold [default: all]
  --peers   peers to run, by prefixes of their names [default: all]; hclvm and native code always run
  --check   compare the results and stop
  --chart   write the chart to this file
  --table   write the tables to this file as well
  --figures replace the figures in this file";

struct Options {
    tasks: Vec<Task>,
    peers: Vec<String>,
    effort: Effort,
    /// Compare the results, do not measure.
    only_check: bool,
    chart: Option<PathBuf>,
    table: Option<PathBuf>,
    figures: Option<PathBuf>,
}

fn main() -> ExitCode {
    let done = options().and_then(|options| run(&options));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("peers: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, Failure> {
    let effort = Effort { rounds: 31, batch: Duration::from_micros(1500) };
    let mut options = Options {
        tasks: Task::all(),
        peers: Vec::new(),
        effort,
        only_check: false,
        chart: None,
        table: None,
        figures: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--check" {
            options.only_check = true;
            options.effort = Effort { rounds: 1, batch: Duration::from_nanos(1) };
            continue;
        }
        let value = arguments.next().ok_or(USAGE)?;
        match argument.as_str() {
            "--tasks" => {
                options.tasks = Vec::new();
                for name in value.split(',') {
                    let chosen = Task::chosen(name);
                    if chosen.is_empty() {
                        return Err(format!("there is no workload or form {name}").into());
                    }
                    options.tasks.extend(chosen);
                }
            }
            "--peers" => options.peers = value.split(',').map(str::to_owned).collect(),
            "--rounds" => options.effort.rounds = value.parse::<usize>()?.max(1),
            "--batch" => options.effort.batch = Duration::from_micros(value.parse()?),
            "--chart" => options.chart = Some(value.into()),
            "--table" => options.table = Some(value.into()),
            "--figures" => options.figures = Some(value.into()),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

fn run(options: &Options) -> Result<(), Failure> {
    let here: Vec<Peer> =
        peers::ours().into_iter().filter(|peer| peers::wanted(peer.name, &options.peers)).collect();
    let mut guests = vec![Guest::plain(&options.peers)?];
    guests.extend(Guest::reference(&options.peers)?);
    let conditions = Conditions::now();
    let mut rows = Vec::new();
    let mut wrong = 0;
    for task in &options.tasks {
        eprintln!("{}", task.title());
        match measure(*task, &here, &mut guests, options.effort) {
            Ok(row) => rows.push(row),
            Err(failure) if options.only_check => {
                eprintln!("{failure}");
                wrong += 1;
            }
            Err(failure) => return Err(failure),
        }
    }
    if wrong > 0 {
        return Err(format!("{wrong} rows with other results").into());
    }
    if options.only_check {
        println!("all results agree");
        return Ok(());
    }
    let mut about = Vec::new();
    for guest in &mut guests {
        about.extend(guest.about()?);
    }
    let conditions = conditions.ended(options.effort, about);
    let text = report(&rows, &conditions);
    print!("{text}");
    if let Some(path) = &options.table {
        std::fs::write(path, &text)?;
    }
    if let Some(path) = &options.chart {
        std::fs::write(path, chart(&rows, &conditions))?;
    }
    if let Some(path) = &options.figures {
        let changed = figures(&std::fs::read_to_string(path)?, &rows, &conditions)?;
        std::fs::write(path, changed)?;
    }
    Ok(())
}
