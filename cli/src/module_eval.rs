//! `hclvm eval` for the files of applications: a template or a job, with the values that users give it.

use std::io::Write;

use hclvm::Diagnostics;
use hclvm_dialects::{Block, Body, Explanation, Local, Variable, packer};
use serde_json::{Map, Value as Json, json};

use crate::application::{Application, Evaluated, Given, Module, Purpose, with_scope};
use crate::attribute_path::AttributePath;
use crate::eval::EvalArguments;
use crate::evaluator::is_wanted;
use crate::input;
use crate::outcome::{Outcome, Stop};
use crate::report::list;
use crate::scopes::{self, ScopeReader};
use crate::secrets::{SENSITIVE, Secrets};
use crate::shown::{OutputFormat, write};
use crate::texts;
use crate::why::Explained;

/// Evaluates the module at a path.
pub(crate) fn run(
    arguments: &EvalArguments,
    application: Application,
    path: &str,
    out: &mut impl Write,
) -> Result<Outcome, Stop> {
    let strict = arguments.module.inputs.strict;
    let module = match Module::read(application, path, &arguments.options, strict, Purpose::Evaluate)? {
        Ok(module) => module,
        Err(problems) => return Ok(print(arguments, problems.groups())),
    };
    if let Some(scopes) = arguments.scopes() {
        return many(arguments, application, &module, scopes, out);
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
        return why(arguments, &module, &given, out);
    }
    let evaluated = module.evaluate(&given);
    let has_errors = evaluated.problems().has_errors();
    print(arguments, evaluated.problems().groups());
    if has_errors {
        return Ok(Outcome::Diagnosed);
    }
    let result = result(&evaluated, &arguments.module.only);
    let result = match arguments.attr() {
        None => result,
        Some(path) => member(&result, &path.to_string()).ok_or_else(|| {
            Stop::Refused(format!(
                "There is no `{path}` in {}: name `var.NAME` or `local.NAME`.",
                arguments.subject_name()
            ))
        })?,
    };
    let mut buffer = Vec::new();
    let format = arguments.output().unwrap_or(OutputFormat::Pretty);
    write(format, &result, &mut buffer)
        .map_err(|why| Stop::Refused(format!("The result cannot be written: {why}.")))?;
    out.write_all(&buffer)?;
    Ok(Outcome::Fine)
}

/// Evaluates a module and explains its attributes: the one that is wanted, or those that are true or false.
fn why(
    arguments: &EvalArguments,
    module: &Module,
    given: &Given,
    out: &mut impl Write,
) -> Result<Outcome, Stop> {
    if !arguments.module.only.is_empty() {
        let why = "--only selects results; with --why, name what to explain with --attr.";
        return Err(Stop::Refused(why.to_owned()));
    }
    let (evaluated, explanations) = module.why(given);
    let has_errors = evaluated.problems().has_errors();
    print(arguments, evaluated.problems().groups());
    if has_errors {
        return Ok(Outcome::Diagnosed);
    }
    let wanted = arguments.attr().map(AttributePath::selection);
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
            return Err(Stop::Refused(detail));
        }
        (Some(path), []) => {
            let detail = if path.names().first().is_some_and(|root| root == "var") {
                "The value of a variable is given. Name a local value or an attribute."
            } else {
                "Paths are local.NAME, data.TYPE.NAME.ATTRIBUTE, build.NAME.TYPE.SOURCE.ATTRIBUTE, source.TYPE.NAME.ATTRIBUTE \
                 and those of blocks, such as job.NAME.group.NAME.count. Sensitive local values are not explained."
            };
            return Err(Stop::Refused(format!("There is no `{path}` to explain. {detail}")));
        }
        (None, []) => {
            let detail = "No attribute is true or false. Name the one to explain with --attr.";
            return Err(Stop::Refused(detail.to_owned()));
        }
        (Some(_), [(path, _)]) if Some(path) == wanted => {
            found.pop().map_or(Explained::Many(Vec::new()), |(_, why)| Explained::One(Box::new(why)))
        }
        _ => Explained::Many(found),
    };
    let mut buffer = Vec::new();
    let explained = explained.without(&Secrets::of(&evaluated));
    out.write_all(explained.shown(arguments.output(), &mut buffer)?)?;
    Ok(Outcome::Fine)
}

/// Evaluates a module once for each scope. Prints a line for each.
fn many(
    arguments: &EvalArguments,
    application: Application,
    module: &Module,
    path: &str,
    out: &mut impl Write,
) -> Result<Outcome, Stop> {
    let mut reader = match ScopeReader::open(path, &arguments.table)? {
        Ok(reader) => reader,
        Err(problems) => return Ok(print(arguments, [&problems])),
    };
    if let Some(line) = arguments.from() {
        reader.skip_to(line.get())?;
    }
    let name = reader.name().to_owned();
    let (mut outcome, mut buffer) = (Outcome::Fine, Vec::new());
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
                    let evaluated = module.evaluate(&given);
                    if evaluated.problems().has_errors() {
                        let errors: Vec<Json> = evaluated.problems().groups().flat_map(list).collect();
                        line.extend([(unit.to_owned(), number.into()), ("errors".to_owned(), errors.into())]);
                        outcome = Outcome::Diagnosed;
                    } else if let Json::Object(members) = result(&evaluated, &arguments.module.only) {
                        line.extend(members);
                    }
                }
                Err(problems) => {
                    line.extend([
                        (unit.to_owned(), number.into()),
                        ("errors".to_owned(), list(&problems).into()),
                    ]);
                    outcome = Outcome::Diagnosed;
                }
            }
            let format = arguments.output().unwrap_or(OutputFormat::Json);
            write(format, &line, &mut buffer)
                .map_err(|why| Stop::Refused(format!("The result cannot be written: {why}.")))?;
            out.write_all(&buffer)?;
            if arguments.fail_fast() && outcome != Outcome::Fine {
                return Ok(outcome);
            }
        }
        if group.waits {
            out.flush()?;
        }
    }
}

fn print<'d>(arguments: &EvalArguments, found: impl IntoIterator<Item = &'d Diagnostics>) -> Outcome {
    found.into_iter().for_each(|one| arguments.options.diagnostics.print(one));
    Outcome::Diagnosed
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

/// Returns the values of a module as JSON. Empty parts are left out.
pub(crate) fn result(evaluated: &Evaluated, only: &[String]) -> Json {
    let mut members = Map::new();
    let mut insert = |name: &str, value: Json| {
        let is_empty =
            value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            members.insert(name.to_owned(), value);
        }
    };
    let shown = Shown { secrets: Secrets::of(evaluated) };
    match evaluated {
        Evaluated::Packer(evaluation) => {
            insert("variables", shown.variables(evaluation.variables()));
            insert("locals", shown.locals(evaluation.locals()));
            let mut data = Map::new();
            for (kind, name, output) in evaluation.data() {
                let outputs = data.entry(kind).or_insert_with(|| json!({}));
                if let Some(outputs) = outputs.as_object_mut() {
                    outputs.insert(name.to_owned(), shown.secrets.value(output));
                }
            }
            insert("data", Json::Object(data));
            insert("builds", evaluation.builds().iter().map(|one| shown.build(one, only)).collect());
            insert(
                "blocks",
                evaluation.unused_sources().iter().map(|one| shown.unused_source(one)).collect(),
            );
        }
        Evaluated::Nomad(evaluation) => {
            insert("variables", shown.variables(evaluation.variables()));
            insert("locals", shown.locals(evaluation.locals()));
            insert("blocks", evaluation.job().map(|job| shown.block(job)).into_iter().collect());
        }
    }
    Json::Object(members)
}

/// Shows the parts of a module. Secrets are replaced in values, and in names that depend on them; other names are the
/// structure of the module.
struct Shown {
    secrets: Secrets,
}

impl Shown {
    fn variables(&self, variables: &[Variable]) -> Json {
        let show = |one: &Variable| {
            if one.is_sensitive() { SENSITIVE.into() } else { self.secrets.value(one.value()) }
        };
        Json::Object(variables.iter().map(|one| (one.name().to_owned(), show(one))).collect())
    }

    fn locals(&self, locals: &[Local]) -> Json {
        let show = |one: &Local| {
            if one.is_sensitive() { SENSITIVE.into() } else { self.secrets.value(one.value()) }
        };
        Json::Object(locals.iter().map(|one| (one.name().to_owned(), show(one))).collect())
    }

    /// Returns a text that is a value.
    fn text(&self, text: &str) -> Json {
        self.secrets.hidden(text).into()
    }

    /// Returns a name, which is a value if it depends on sensitive ones.
    fn name(&self, name: &str, sensitive: bool) -> Json {
        if sensitive { self.text(name) } else { name.into() }
    }

    fn build(&self, build: &packer::Build, only: &[String]) -> Json {
        let mut members = Map::new();
        members.insert("name".to_owned(), self.text(build.name()));
        members.extend(build.description().map(|text| ("description".to_owned(), self.text(text))));
        let is_wanted = |source: &&packer::Source| {
            let name = format!("{}.{}", source.kind(), source.name());
            only.is_empty()
                || only.iter().any(|pattern| {
                    matches(pattern, &name) || matches(pattern, &format!("{}.{name}", build.name()))
                })
        };
        let sources: Vec<Json> =
            build.sources().iter().filter(is_wanted).map(|one| self.source(one)).collect();
        members.insert("sources".to_owned(), sources.into());
        Json::Object(members)
    }

    fn source(&self, source: &packer::Source) -> Json {
        let mut members = Map::new();
        let sensitive = source.has_sensitive_name();
        members.insert("type".to_owned(), self.name(source.kind(), sensitive));
        members.insert("name".to_owned(), self.name(source.name(), sensitive));
        self.insert_body(&mut members, source.body());
        let steps =
            |steps: &[packer::Provisioner]| Json::Array(steps.iter().map(|one| self.step(one)).collect());
        if !source.provisioners().is_empty() {
            members.insert("provisioners".to_owned(), steps(source.provisioners()));
        }
        let cleanup = source.error_cleanup().map(|one| self.step(one));
        members.extend(cleanup.map(|one| ("error_cleanup_provisioner".to_owned(), one)));
        if !source.post_processors().is_empty() {
            let sequences = source.post_processors().iter().map(|one| steps(one)).collect();
            members.insert("post_processors".to_owned(), sequences);
        }
        Json::Object(members)
    }

    fn step(&self, step: &packer::Provisioner) -> Json {
        let mut members = Map::new();
        members.insert("type".to_owned(), self.name(step.kind(), step.has_sensitive_kind()));
        members.extend(step.name().map(|name| ("name".to_owned(), self.text(name))));
        self.insert_body(&mut members, step.body());
        Json::Object(members)
    }

    fn unused_source(&self, source: &packer::Source) -> Json {
        let mut members = Map::new();
        members.insert("type".to_owned(), "source".into());
        members.insert("labels".to_owned(), json!([source.kind(), source.name()]));
        self.insert_body(&mut members, source.body());
        Json::Object(members)
    }

    fn block(&self, one: &Block) -> Json {
        let mut members = Map::new();
        if let Some(for_each) = one.pending() {
            members.insert("dynamic".to_owned(), one.kind().into());
            members.insert("for_each".to_owned(), self.secrets.value(for_each));
            return Json::Object(members);
        }
        members.insert("type".to_owned(), one.kind().into());
        let labels: Vec<Json> =
            one.labels().map(|label| self.name(label, one.has_sensitive_labels())).collect();
        if !labels.is_empty() {
            members.insert("labels".to_owned(), labels.into());
        }
        self.insert_body(&mut members, one.body());
        Json::Object(members)
    }

    fn insert_body(&self, members: &mut Map<String, Json>, body: &Body) {
        if body.attributes().len() > 0 {
            let value = |(name, one): (&str, hclvm::Value<'_>)| (name.to_owned(), self.secrets.value(one));
            members.insert("attrs".to_owned(), Json::Object(body.attributes().map(value).collect()));
        }
        if !body.blocks().is_empty() {
            members.insert("blocks".to_owned(), body.blocks().iter().map(|one| self.block(one)).collect());
        }
    }
}

/// Returns true if a name is as a pattern says, in which `*` is any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
