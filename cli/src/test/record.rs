//! `hclvm test --record`: writes a test file whose cases expect the present values.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use hclvm::diagnostics::Severity;
use hclvm::ingest::Ingest;
use hclvm::module::{AttributePath, BodyValues, Values};
use hclvm::show::Pretty;
use hclvm::value::Arena;
use hclvm::{Diagnostics, Engine, Error, Value};
use serde_json::Value as Json;

use super::TestArguments;
use super::subject::{CaseValues, TestSubject};
use crate::application::words;
use crate::attribute_path::{Found, LOCAL};
use crate::outcome::{CommandResult, EarlyEnd};
use crate::scopes::ScopeReader;
use crate::shown::shown;

/// Records a case for each scope.
pub(super) fn run(
    arguments: &TestArguments,
    scopes: &str,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let [path] = arguments.paths.as_slice() else {
        return Err(EarlyEnd::Refused("Name one file to record; it is not a test file.".to_owned()));
    };
    if arguments.options.application(path).is_some() {
        let modules = words::modules();
        let why = format!("Cases of {modules} cannot be recorded; write them by hand.");
        return Err(EarlyEnd::Refused(why));
    }
    let subject = TestSubject::new(path, Vec::new(), &arguments.options).map_err(EarlyEnd::Refused)?;
    let mut reader = match ScopeReader::open(scopes, &arguments.table)? {
        Ok(reader) => reader,
        Err(problems) => return Ok(print(arguments, &[problems])),
    };
    let name = reader.name().to_owned();
    let file =
        Path::new(path).file_name().map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned());
    let (mut text, mut is_empty) = (format!("file = {}\n", literal(&file.into())), true);
    loop {
        let group = reader.next(0)?;
        if group.texts.is_empty() {
            break;
        }
        for scope in group.texts {
            is_empty = false;
            let (unit, number) = scope.place();
            let variables = match scope.scan(&name) {
                Ok(variables) => variables,
                Err(problems) => return Ok(print(arguments, &[problems])),
            };
            let title = variables.title.clone().unwrap_or_else(|| format!("{unit} {number}"));
            let selected: Vec<_> = arguments.attr.iter().map(|path| path.selection().clone()).collect();
            let mut prepared = match subject.prepare(&variables, (!selected.is_empty()).then_some(&selected))
            {
                Ok(prepared) => prepared,
                Err(problems) => return Ok(print(arguments, &problems)),
            };
            let (values, problems) = prepared.evaluate();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\ncase {} {{", literal(&title.into()));
            let _ = writeln!(text, "scope = {}", literal(&Json::Object(variables.values)));
            record_errors(&problems, &mut text);
            if problems.is_empty()
                && let CaseValues::Values(values) = &values
            {
                record_values(values, &subject, arguments, &mut text)?;
            }
            text += "}\n";
        }
    }
    if is_empty {
        return Err(EarlyEnd::Refused(format!("There are no scopes in {name}.")));
    }
    let formatted = Engine::new().format("recorded", &text);
    let formatted =
        formatted.map_err(|error| EarlyEnd::Refused(format!("The cases cannot be written: {error}.")))?;
    out.write_all(formatted.as_bytes())?;
    Ok(CommandResult::Fine)
}

fn print(arguments: &TestArguments, problems: &[Diagnostics]) -> CommandResult {
    for one in problems {
        arguments.options.diagnostics.print(one);
    }
    CommandResult::Diagnosed
}

/// Returns JSON as an expression of HCL.
fn literal(json: &Json) -> String {
    let arena = Arena::new();
    let value: Result<Value<'_>, Error> = json.ingest(&arena);
    Pretty(value.unwrap_or(Value::NULL)).to_string()
}

fn record_errors(problems: &[Diagnostics], text: &mut String) {
    for list in problems {
        for problem in list.iter().filter(|problem| problem.severity == Severity::Error) {
            let _ = writeln!(text, "expect_error {{\ntitle = {}", literal(&problem.title.as_ref().into()));
            if let Some(subject) = problem.subject {
                let start = list.source().range(subject).0;
                let _ = writeln!(text, "line = {}\ncolumn = {}", start.line, start.column);
            }
            *text += "}\n";
        }
    }
}

/// Writes the values of all attributes, or of those that are wanted.
///
/// # Errors
/// A path that leads to no value, and values that cannot be written: the case would fail.
fn record_values(
    values: &[Values<'_>],
    subject: &TestSubject,
    arguments: &TestArguments,
    text: &mut String,
) -> Result<(), EarlyEnd> {
    let mut found: Vec<(AttributePath, Value<'_>)> = Vec::new();
    if arguments.attr.is_empty() {
        for values in values {
            found.extend(values.locals().map(|(name, value)| ([LOCAL, name].into_iter().collect(), value)));
            add(values.body(), &[], &mut found);
        }
    } else {
        for path in &arguments.attr {
            match path.find(values) {
                Some(Found::Value(value)) => found.push((path.selection().clone(), value)),
                Some(_) => {
                    return Err(EarlyEnd::Refused(format!(
                        "`{path}` is a block; name the attributes to record."
                    )));
                }
                None => return Err(EarlyEnd::Refused(subject.missing(path))),
            }
        }
    }
    let (mut known, mut is_empty) = (HashSet::new(), true);
    *text += "expect = {\n";
    for (path, value) in found {
        let written = path.to_string();
        // Of equal paths, the first belongs to the value that a test finds. A name with a quote has no path.
        let is_readable = written.parse().is_ok_and(|read: AttributePath| read == path);
        if is_readable && known.insert(path) {
            let json = serde_json::to_value(shown(value))
                .map_err(|error| EarlyEnd::Refused(format!("`{written}` cannot be recorded: {error}.")))?;
            let _ = writeln!(text, "{} = {}", literal(&written.into()), literal(&json));
            is_empty = false;
        }
    }
    if is_empty {
        return Err(EarlyEnd::Refused(format!("{} has no values to record.", subject.path)));
    }
    *text += "}\n";
    Ok(())
}

fn add<'s>(body: BodyValues<'s>, above: &[&'s str], found: &mut Vec<(AttributePath, Value<'s>)>) {
    found.extend(
        body.attributes().map(|(name, value)| (above.iter().copied().chain([name]).collect(), value)),
    );
    for block in body.blocks().filter(|block| block.pending().is_none()) {
        let path: Vec<&str> = above.iter().copied().chain([block.kind()]).chain(block.labels()).collect();
        add(block.body(), &path, found);
    }
}
