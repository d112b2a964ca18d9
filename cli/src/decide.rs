//! `hclvm decide`: what a policy decides for one scope or many. `policy` says how its rules decide, `output` writes the
//! decisions.

mod output;

use std::io::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{Args, ValueEnum};
use hclvm::policy::{Cause, Policy};
use hclvm::{Diagnostics, Document, Engine, Error, ErrorKind, Scope, Session};

use crate::advice;
use crate::application::Assignment;
use crate::eval::SET_BY;
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::policy::{PolicyArguments, PolicySettings};
use crate::report::diagnostics_of;
use crate::scopes::{self, GivenVariables, TableArguments};
use crate::stream::{self, StreamArguments};
use crate::{assigned, input, texts, unread};
use hclvm_project::notation;
use output::Decided;

/// Evaluate the rules of a policy and print the effect, the rule and the reason
#[derive(Args, Debug)]
#[command(after_help = "\
A rule is a block with a condition and an effect:

  rule \"owner\" {
    when        = request.user == resource.owner
    effect      = \"allow\"
    reason      = \"${request.user} owns it\"    # optional
    obligations = { audit = true }             # optional: what the host has to do
  }

Misspelt names and effects in rules are errors; hclvm check --policy finds them without a scope. A decision
that depends on a rule with an error, or on an unknown value, is undecided: deny, unless --undecided-effect
says otherwise.

The file hclvm.hcl, in the folder of FILE or above it up to the root of the repository, has settings for all
policies of a project, named like the options, and results of functions that only the host has:

  policy {
    combining = \"deny-overrides\"
    effects   = [\"allow\", \"deny\", \"challenge\"]
  }

  function \"ip_in\" {
    result = true                              # or error = \"TEXT\"; without both, it is unknown
  }

Examples:
  hclvm decide policy.hcl --scope request.json && echo allowed
  hclvm decide policy.hcl --scope request.json --why
  hclvm decide policy.hcl --scopes requests.ndjson > decisions.ndjson

Exit codes, of several scopes the first of 1, 4, 3, 0 that one of them has:
  0  the effect is \"allow\", or one of --allowing
  1  errors in the policy, the scope or hclvm.hcl; nothing was decided
  2  invalid arguments or a file that cannot be read
  3  another effect, such as \"deny\"
  4  undecided: rules that matter have errors or depend on unknown values")]
pub(crate) struct DecideArguments {
    /// The policy, or a folder with its files; - is standard input
    #[arg(value_name = "FILE")]
    file: String,

    /// File with the variables as a JSON object; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "scopes")]
    scope: Option<String>,

    /// File with one such object per line, a list of them, or a table *.csv or *.tsv; prints one decision per line
    #[arg(long, value_name = "FILE")]
    scopes: Option<String>,

    /// Set a variable, overriding the scope's, as for eval [example: --var user=bob]
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = Assignment::parse)]
    variables: Vec<Assignment>,

    /// Explain the decision by the conditions of its rules, first those of the rules that nearly applied
    #[arg(long)]
    why: bool,

    /// Explain all rules
    #[arg(long, requires = "why")]
    all: bool,

    /// The effects with the exit code 0 [default: allow]
    #[arg(long, value_name = "EFFECTS", value_delimiter = ',')]
    allowing: Vec<String>,

    /// Format of decisions [default: text, for --scopes json]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    output: Option<DecisionFormat>,

    #[command(flatten)]
    stream: StreamArguments,

    #[command(flatten)]
    table: TableArguments,

    #[command(flatten)]
    options: CommandOptions,

    // Last, because the heading of its options would hold for those behind it.
    #[command(flatten)]
    policy: PolicyArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DecisionFormat {
    /// A line with the effect, then lines with reason and obligations
    Text,
    /// One line per decision
    Json,
    /// Indented JSON
    Pretty,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &DecideArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let path = &arguments.file;
    check_arguments(arguments)?;
    let options = &arguments.options;
    let settings = arguments
        .policy
        .settings(options.project(Some(path))?.policy)?
        .with_allowing(&arguments.allowing)
        .map_err(EarlyEnd::Refused)?;
    let engine = options.engine(Some(path))?;
    let read = texts::configuration(&engine, path)?;
    read.problems.iter().for_each(|problems| options.diagnostics.print(problems));
    let document = match &*read.documents {
        [] => return Ok(CommandResult::Diagnosed),
        [document] => document,
        _ => {
            return Err(EarlyEnd::Refused(format!(
                "{path} has files in JSON; the rules of a policy are in HCL."
            )));
        }
    };
    let subject = match DecisionSubject::new(&engine, document, settings) {
        Ok(subject) => subject,
        Err(error) => {
            let problems = diagnostics_of(&error, input::display_name(path));
            problems.by_file().iter().for_each(|one| options.diagnostics.print(one));
            return Ok(CommandResult::Diagnosed);
        }
    };
    unread::check_assignments(&arguments.variables, &subject.names, input::display_name(path))?;
    if subject.policy.is_empty() && !read.problems.iter().any(Diagnostics::has_errors) {
        // If standard error is closed, the note is not wanted.
        let _ = writeln!(io::stderr(), "note: {} has no rules.", input::display_name(path));
    }
    assigned::note(&arguments.variables, &read.documents);
    match &arguments.scopes {
        Some(scopes) => many(arguments, &subject, scopes, out),
        None => one(arguments, &subject, out),
    }
}

fn check_arguments(arguments: &DecideArguments) -> Result<(), EarlyEnd> {
    let path = &arguments.file;
    let scopes = [&arguments.scope, &arguments.scopes];
    let reads_twice = *path == input::STANDARD_INPUT
        && scopes.iter().any(|scope| scope.as_deref() == Some(input::STANDARD_INPUT));
    if reads_twice {
        return Err(EarlyEnd::Refused("Standard input can be the file or the scope, not both.".to_owned()));
    }
    arguments.table.check(arguments.scopes.as_deref())?;
    if arguments.options.application(path).is_some() {
        return Err(EarlyEnd::Refused(format!("{path} is read by its application, which has no rules.")));
    }
    if arguments.options.depends_on_names() {
        let why = "With --undefined text, a misspelt variable would be taken as literal text in a decision. Use error or unknown.";
        return Err(EarlyEnd::Refused(why.to_owned()));
    }
    Ok(())
}

/// A policy, and how its decisions are shown.
struct DecisionSubject<'d> {
    engine: &'d Engine,
    document: &'d Document,
    policy: Policy,
    settings: PolicySettings,
    scope: Scope,
    /// The names of the variables that it reads.
    names: Vec<String>,
}

impl<'d> DecisionSubject<'d> {
    /// # Errors
    /// What is wrong with the policy.
    fn new(engine: &'d Engine, document: &'d Document, settings: PolicySettings) -> Result<Self, Error> {
        let module = document.module()?;
        let policy = settings.with_spec(|spec| module.policy(spec))?;
        let names = module.variables().map(str::to_owned).collect();
        Ok(Self { engine, document, policy, settings, scope: module.scope(), names })
    }

    fn decider(&self, assignments: &[Assignment]) -> Result<Decider<'_, 'd>, Error> {
        let mut scope = self.scope.clone();
        for Assignment { name, json, .. } in assignments {
            set(&mut scope, name, json)?;
        }
        let mut free = self.names.clone();
        free.retain(|name| assignments.iter().all(|one| one.name != *name));
        Ok(Decider { subject: self, session: self.engine.session(), scope, free })
    }
}

/// A session and a scope that decisions share.
struct Decider<'p, 'd> {
    subject: &'p DecisionSubject<'d>,
    session: Session,
    scope: Scope,
    /// The names of the variables that scopes set.
    free: Vec<String>,
}

impl Decider<'_, '_> {
    fn set(&mut self, variables: &GivenVariables) -> Result<(), Error> {
        for name in &self.free {
            match variables.values.get(name) {
                Some(json) => set(&mut self.scope, name, json)?,
                None => self.scope.unset(name),
            }
        }
        Ok(())
    }

    /// Decides for these variables. `name` is the name of the scope in messages.
    fn decide(
        &mut self,
        arguments: &DecideArguments,
        variables: &GivenVariables,
        name: &str,
    ) -> Result<Decided, Diagnostics> {
        self.set(variables).map_err(|error| diagnostics_of(&error, name))?;
        let Self { subject, session, scope, .. } = self;
        let limit = |error: Error| diagnostics_of(&error, input::display_name(&arguments.file));
        let decision = subject.policy.decide(session, scope).map_err(limit)?;
        let decided = Decided::new(subject, &decision, variables.title.clone());
        let mut decided =
            decided.map_err(|why| output::too_large(&why, input::display_name(&arguments.file)))?;
        if arguments.why {
            decided.why = Some(subject.policy.why(session, scope).map_err(limit)?);
        }
        Ok(decided)
    }
}

fn set(scope: &mut Scope, name: &str, json: &serde_json::Value) -> Result<(), Error> {
    scope
        .build(name, |arena| notation::value(arena, json))
        .map_err(|error| ErrorKind::Value(format!("variable \"{name}\": {error}")).into())
}

/// Decides for one scope.
fn one(
    arguments: &DecideArguments,
    subject: &DecisionSubject<'_>,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let diagnosed = |problems: &Diagnostics| {
        problems.by_file().iter().for_each(|one| arguments.options.diagnostics.print(one));
        advice::print(arguments.options.diagnostics, [problems], Some(SET_BY));
        Ok(CommandResult::Diagnosed)
    };
    let (variables, name) = match &arguments.scope {
        Some(path) => (scopes::one(path)?, input::display_name(path)),
        None => (Ok(GivenVariables::default()), input::display_name(&arguments.file)),
    };
    let decided = variables.and_then(|variables| {
        unread::note(&variables, &subject.names, &arguments.variables, name);
        let mut decider =
            subject.decider(&arguments.variables).map_err(|error| diagnostics_of(&error, name))?;
        decider.decide(arguments, &variables, name)
    });
    let decided = match decided {
        Ok(decided) => decided,
        Err(problems) => return diagnosed(&problems),
    };
    let mut buffer = Vec::new();
    let format = arguments.output.unwrap_or(DecisionFormat::Text);
    decided
        .write(format, None, arguments.all, &mut buffer)
        .map_err(|why| EarlyEnd::Refused(format!("The decision cannot be written: {why}.")))?;
    out.write_all(&buffer)?;
    if format == DecisionFormat::Text {
        diagnosed(&decided.problems)?;
    }
    Ok(decided.outcome)
}

/// Decides for the scopes of a file, on all cores. Prints a decision for each, in order.
fn many(
    arguments: &DecideArguments,
    subject: &DecisionSubject<'_>,
    path: &str,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let format = arguments.output.unwrap_or(DecisionFormat::Json);
    let worst = AtomicU8::new(0);
    let start = || subject.decider(&arguments.variables);
    let decide = |decider: &mut Result<Decider<'_, '_>, Error>,
                  variables: &GivenVariables,
                  place: (&'static str, usize),
                  buffer: &mut Vec<u8>| {
        let decider = decider.as_mut().map_err(|error| diagnostics_of(error, path))?;
        let decided = decider.decide(arguments, variables, input::display_name(path))?;
        worst.fetch_max(rank(decided.outcome), Ordering::Relaxed);
        decided
            .write(format, Some(place), arguments.all, buffer)
            .map_err(|why| output::too_large(&why, input::display_name(path)))
    };
    let failed =
        |title: Option<String>, place: (&str, usize), problems: &Diagnostics, buffer: &mut Vec<u8>| {
            output::write_errors(format, title, place, problems, buffer);
        };
    let read = stream::each_scope(&arguments.stream, &arguments.table, path, start, decide, failed, out);
    match read? {
        Ok(CommandResult::Fine) => Ok(outcome(worst.into_inner())),
        Ok(other) => Ok(other),
        Err(problems) => {
            arguments.options.diagnostics.print(&problems);
            Ok(CommandResult::Diagnosed)
        }
    }
}

/// Orders outcomes: an undecided one is worse than one that denies.
fn rank(outcome: CommandResult) -> u8 {
    match outcome {
        CommandResult::Undecided => 2,
        CommandResult::Denied => 1,
        _ => 0,
    }
}

fn outcome(rank: u8) -> CommandResult {
    match rank {
        0 => CommandResult::Fine,
        1 => CommandResult::Denied,
        _ => CommandResult::Undecided,
    }
}

/// Returns how a decision ends the command.
fn outcome_of(settings: &PolicySettings, effect: &str, cause: Cause) -> CommandResult {
    match cause {
        Cause::Undecided => CommandResult::Undecided,
        _ if settings.allows(effect) => CommandResult::Fine,
        _ => CommandResult::Denied,
    }
}
