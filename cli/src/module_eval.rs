//! `hclvm eval` for the files of applications: a template, a module or a job, with the values that users give it.

use std::io::Write;

use hclvm::{Diagnostics, Value};
use hclvm_dialects::{
    Application, ApplicationModule, Evaluation, Explanation, Given, ModuleContent, Output, Problems, Purpose,
    Selection,
};
use serde_json::{Map, Value as Json};

use crate::application::{self, ModuleArguments, with_scope};
use crate::attribute_path::PathArgument;
use crate::eval::EvalArguments;
use crate::evaluator::is_wanted;
use crate::input;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::{list, sentence};
use crate::scopes::{self, ScopeReader};
use crate::secrets::{HiddenTexts, SENSITIVE};
use crate::shown::{OutputFormat, write};
use crate::texts;
use crate::why::ExplainedSubject;

/// Reads the module at a path. Its functions may access what the application gives them.
fn read(
    arguments: &EvalArguments,
    application: &dyn Application,
    path: &str,
) -> Result<Result<Box<dyn ApplicationModule>, Problems>, EarlyEnd> {
    let ModuleArguments { inputs, denied, .. } = &arguments.module;
    let granted = arguments.options.granted_to_module(application::folder_of(path), &denied.deny);
    let settings = application::settings(application, granted, inputs.strict, Purpose::Evaluate);
    application::read(application, path, &arguments.options, settings)
}

/// Evaluates the files of a folder that are each a module of its own. Prints an object with the results by their paths; a
/// file with errors has none.
pub(crate) fn separate(
    arguments: &EvalArguments,
    paths: &[String],
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let is_single = arguments.scopes().is_some() || arguments.why() || arguments.attr().is_some();
    if is_single {
        let why = format!("--scopes, --attr and --why are for one module, and there are {}.", paths.len());
        return Err(EarlyEnd::Refused(why));
    }
    let scope = match arguments.scope() {
        Some(path) => Some((scopes::one(path)?, input::display_name(path))),
        None => None,
    };
    let mut found: Vec<Diagnostics> = Vec::new();
    let mut results = Map::new();
    for path in paths {
        let Some(application) = arguments.options.application(path) else { continue };
        let module = match read(arguments, application, path)? {
            Ok(module) => module,
            Err(problems) => {
                found.extend(problems.groups().cloned());
                continue;
            }
        };
        let given = arguments.module.inputs.given(application, arguments.assignments(), texts::source)?;
        let given = match (given, &scope) {
            (Ok(given), Some((scanned, name))) => with_scope(scanned.clone(), name, given),
            (given, _) => given,
        };
        match given {
            Ok(given) => {
                let evaluated = module.evaluate(&given);
                found.extend(evaluated.problems().groups().cloned());
                if !evaluated.problems().has_errors() {
                    results.insert(path.clone(), result(&evaluated, &Selection::default()));
                }
            }
            Err(problems) => found.push(problems),
        }
    }
    let has_errors = found.iter().any(Diagnostics::has_errors);
    print(arguments, &found);
    if !results.is_empty() {
        print_result(arguments, &Json::Object(results), out)?;
    }
    Ok(if has_errors { CommandResult::Diagnosed } else { CommandResult::Fine })
}

fn print_result(arguments: &EvalArguments, result: &Json, out: &mut impl Write) -> Result<(), EarlyEnd> {
    let mut buffer = Vec::new();
    let format = arguments.output().unwrap_or(OutputFormat::Pretty);
    write(format, result, &mut buffer)
        .map_err(|why| EarlyEnd::Refused(format!("The result cannot be written: {why}.")))?;
    out.write_all(&buffer)?;
    Ok(())
}

/// Evaluates the module at a path.
pub(crate) fn run(
    arguments: &EvalArguments,
    application: &dyn Application,
    path: &str,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let module = match read(arguments, application, path)? {
        Ok(module) => module,
        Err(problems) => return Ok(print(arguments, problems.groups())),
    };
    if let Some(scopes) = arguments.scopes() {
        return many(arguments, application, &*module, scopes, out);
    }
    let given = match arguments.module.inputs.given(application, arguments.assignments(), texts::source)? {
        Ok(given) => given,
        Err(problems) => return Ok(print(arguments, [&problems])),
    };
    let given = match arguments.scope() {
        None => given,
        Some(scope) => match with_scope(scopes::one(scope)?, input::display_name(scope), given) {
            Ok(given) => given,
            Err(problems) => return Ok(print(arguments, [&problems])),
        },
    };
    if arguments.why() {
        return why(arguments, &*module, &given, out);
    }
    let evaluated = module.evaluate(&given);
    let has_errors = evaluated.problems().has_errors();
    print(arguments, evaluated.problems().groups());
    if has_errors {
        return Ok(CommandResult::Diagnosed);
    }
    let result = result(&evaluated, &arguments.module.selection());
    let result = match arguments.attr() {
        None => result,
        Some(path) => {
            let name = arguments.subject_name();
            let found = member(&result, &path.to_string()).or_else(|| value_at(&evaluated, path));
            let Some(member) = found else {
                let missing = format!(
                    "There is no `{path}` in {name}: name `var.NAME`, `local.NAME`, `output.NAME` or the path of an attribute."
                );
                return Ok(print(arguments, [&sentence("Unknown attribute", &missing, name)]));
            };
            member
        }
    };
    print_result(arguments, &result, out)?;
    Ok(CommandResult::Fine)
}

/// Evaluates a module and explains its attributes: the one that is wanted, or those that are true or false.
fn why(
    arguments: &EvalArguments,
    module: &dyn ApplicationModule,
    given: &Given,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    if !arguments.module.selection().is_everything() {
        let why = "--only and --except select results; with --why, name what to explain with --attr.";
        return Err(EarlyEnd::Refused(why.to_owned()));
    }
    let (evaluated, explanations) = module.why(given);
    let has_errors = evaluated.problems().has_errors();
    print(arguments, evaluated.problems().groups());
    if has_errors {
        return Ok(CommandResult::Diagnosed);
    }
    let wanted = arguments.attr().map(PathArgument::selection);
    let is_bool = |one: &Explanation| one.why.root().outcome.as_bool().is_some();
    let is_block = explanations.iter().any(|one| is_wanted(&one.path, true, wanted));
    let mut found: Vec<_> = explanations
        .into_iter()
        .filter(|one| is_wanted(&one.path, is_bool(one), wanted))
        .map(|one| (one.path, one.why))
        .collect();
    let explained = match (arguments.attr(), &*found) {
        (Some(path), []) if is_block => {
            let detail = format!("Nothing in `{path}` is true or false. Name the attribute to explain.");
            return Err(EarlyEnd::Refused(detail));
        }
        (Some(path), []) => {
            let detail = if path.names().first().is_some_and(|root| root == "var") {
                "The value of a variable is given. Name a local value or an attribute."
            } else {
                "Paths are local.NAME, data.TYPE.NAME.ATTRIBUTE, build.NAME.TYPE.SOURCE.ATTRIBUTE, source.TYPE.NAME.ATTRIBUTE \
                 and those of blocks, such as job.NAME.group.NAME.count. Sensitive local values are not explained."
            };
            return Err(EarlyEnd::Refused(format!("There is no `{path}` to explain. {detail}")));
        }
        (None, []) => {
            let detail = "No attribute is true or false. Name the one to explain with --attr.";
            return Err(EarlyEnd::Refused(detail.to_owned()));
        }
        (Some(_), [(path, _)]) if Some(path) == wanted => found
            .pop()
            .map_or(ExplainedSubject::Many(Vec::new()), |(_, why)| ExplainedSubject::One(Box::new(why))),
        _ => ExplainedSubject::Many(found),
    };
    let mut buffer = Vec::new();
    let explained = explained.without(&HiddenTexts::of(&evaluated));
    out.write_all(explained.shown(arguments.output(), &mut buffer)?)?;
    Ok(CommandResult::Fine)
}

/// Evaluates a module once for each scope. Prints a line for each.
fn many(
    arguments: &EvalArguments,
    application: &dyn Application,
    module: &dyn ApplicationModule,
    path: &str,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let mut reader = match ScopeReader::open(path, &arguments.table)? {
        Ok(reader) => reader,
        Err(problems) => return Ok(print(arguments, [&problems])),
    };
    if let Some(line) = arguments.stream.from {
        reader.skip_to(line.get())?;
    }
    let name = reader.name().to_owned();
    let mut evaluate = module.evaluator();
    let (mut outcome, mut buffer) = (CommandResult::Fine, Vec::new());
    loop {
        let group = reader.next(0)?;
        if group.texts.is_empty() {
            return Ok(outcome);
        }
        for text in group.texts {
            let (unit, number) = text.place();
            let given =
                match arguments.module.inputs.given(application, arguments.assignments(), texts::source)? {
                    Ok(given) => given,
                    Err(problems) => return Ok(print(arguments, [&problems])),
                };
            let scanned = text.scan(&name);
            let title = scanned.as_ref().ok().and_then(|variables| variables.title.clone());
            let mut line = Map::new();
            line.extend(title.map(|title| ("scope".to_owned(), title.into())));
            match with_scope(scanned, &name, given) {
                Ok(given) => {
                    let evaluated = evaluate(&given);
                    if evaluated.problems().has_errors() {
                        let errors: Vec<Json> = evaluated.problems().groups().flat_map(list).collect();
                        line.extend([(unit.to_owned(), number.into()), ("errors".to_owned(), errors.into())]);
                        outcome = CommandResult::Diagnosed;
                    } else if let Json::Object(members) = result(&evaluated, &arguments.module.selection()) {
                        line.extend(members);
                    }
                }
                Err(problems) => {
                    line.extend([
                        (unit.to_owned(), number.into()),
                        ("errors".to_owned(), list(&problems).into()),
                    ]);
                    outcome = CommandResult::Diagnosed;
                }
            }
            let format = arguments.output().unwrap_or(OutputFormat::Json);
            write(format, &line, &mut buffer)
                .map_err(|why| EarlyEnd::Refused(format!("The result cannot be written: {why}.")))?;
            out.write_all(&buffer)?;
            if arguments.stream.fail_fast && outcome != CommandResult::Fine {
                return Ok(outcome);
            }
        }
        if group.waits {
            out.flush()?;
        }
    }
}

/// Prints all diagnostics of a run, as data in one document.
fn print<'d>(arguments: &EvalArguments, found: impl IntoIterator<Item = &'d Diagnostics>) -> CommandResult {
    let found: Vec<Diagnostics> = found.into_iter().cloned().collect();
    arguments.options.diagnostics.print_together(&found);
    CommandResult::Diagnosed
}

/// Returns what `var.NAME` or `local.NAME` leads to.
fn member(result: &Json, path: &str) -> Option<Json> {
    let (root, name) = path.split_once('.')?;
    let key = match root {
        "var" => "variables",
        "local" => "locals",
        _ => return None,
    };
    result.get(key)?.get(name).cloned()
}

/// Returns the value at the path of an attribute or output.
fn value_at(evaluated: &Evaluation, path: &PathArgument) -> Option<Json> {
    let wanted = path.selection();
    let values = evaluated.content().values();
    let found = values.iter().find(|one| one.path == *wanted)?;
    Some(HiddenTexts::of(evaluated).value(found.value))
}

/// Returns the values of a module as JSON. Empty parts are left out.
pub(crate) fn result(evaluated: &Evaluation, selection: &Selection) -> Json {
    let secrets = HiddenTexts::of(evaluated);
    let value = |value: Value<'_>, sensitive: bool| -> Json {
        if sensitive { SENSITIVE.into() } else { secrets.value(value) }
    };
    let variables = evaluated
        .variables()
        .iter()
        .map(|variable| (variable.name().to_owned(), value(variable.value(), variable.is_sensitive())));
    let locals = evaluated
        .locals()
        .iter()
        .map(|local| (local.name().to_owned(), value(local.value(), local.is_sensitive())));
    let declared = [("variables", variables.collect()), ("locals", locals.collect())];
    let declared = declared.into_iter().map(|(name, values)| (name, Json::Object(values)));
    let content = evaluated.content().selected(selection);
    let content = content.into_iter().map(|(name, part)| (name, shown(&secrets, part)));
    let is_empty = |part: &Json| {
        part.as_object().is_some_and(Map::is_empty) || part.as_array().is_some_and(Vec::is_empty)
    };
    let parts = declared.chain(content).filter(|(_, part)| !is_empty(part));
    Json::Object(parts.map(|(name, part)| (name.to_owned(), part)).collect())
}

/// Shows a part of a module. Secrets are replaced in values and texts, not in the names of the structure.
fn shown(secrets: &HiddenTexts, part: Output<'_>) -> Json {
    match part {
        Output::Value(value) => secrets.value(value),
        Output::Text(text) => secrets.hidden(text).into(),
        Output::Name(name) => name.into(),
        Output::List(items) => items.into_iter().map(|item| shown(secrets, item)).collect(),
        Output::Object(members) => {
            let members = members.into_iter().map(|(name, member)| (name.to_owned(), shown(secrets, member)));
            Json::Object(members.collect())
        }
    }
}
