//! `harness probe`: evaluates one hostile input from standard input and prints its outcome on one line.
//!
//! ```text
//! {"outcome":"ok"|"error"|"limit","value":..}      the value if there is one and printing it is cheap
//! ```
#![expect(clippy::print_stdout, reason = "the line is the program's output")]

use std::io::Read;
use std::sync::Arc;
use std::thread;

use hclvm::{Body, Dialect, Document, Engine, Error, Layout, Program, Scope, Session, Value};
use hclvm_compiler::source::{Decoded, decode};
use hclvm_compiler::{
    ParseLimits, ParsedExpression, analysis, parse_expression, parse_template, parse_traversal,
};
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::{plain, scopes, table, tv};

/// The arguments of the command line.
struct Request {
    kind: String,
    /// The variables, in the notation of hostile inputs.
    variables: Json,
    stack: Option<usize>,
}

impl Request {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let (kind, mut rest) = match arguments.split_first() {
            Some((kind, rest)) => (kind.clone(), rest.iter()),
            None => return Err("usage: probe KIND [--scope FILE] [--stack SIZE]".to_owned()),
        };
        let mut request = Self { kind, variables: Json::Null, stack: None };
        while let Some(argument) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("{argument} needs a value"))?;
            match argument.as_str() {
                "--scope" => request.variables = variables(value)?,
                "--stack" => request.stack = Some(size(value)?),
                _ => return Err(format!("invalid argument: {argument}")),
            }
        }
        Ok(request)
    }
}

fn variables(path: &str) -> Result<Json, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut json: Json = serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))?;
    Ok(json["variables"].take())
}

/// Parses a number of bytes: `65536`, `512K`, `2M`.
fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix(['K', 'k']) {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix(['M', 'm']).map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    digits.parse::<usize>().map(|count| count * unit).map_err(|_| format!("not a size: {text}"))
}

/// The outcome of an input.
enum Outcome {
    /// No problems; the value if there is exactly one.
    Fine(Option<String>),
    /// The text or its evaluation has errors.
    Wrong,
    /// A limit was exceeded.
    Limit,
}

/// Runs the input of standard input.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let request = Request::read(arguments)?;
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let outcome = match request.stack {
        Some(size) => {
            let thread = thread::Builder::new().stack_size(size);
            let running = thread.spawn(move || probe(&request, &bytes)).map_err(|error| error.to_string())?;
            running.join().map_err(|_| "the probe panicked".to_owned())?
        }
        None => probe(&request, &bytes),
    }?;
    let line = match outcome {
        Outcome::Fine(Some(value)) => format!(r#"{{"outcome":"ok","value":{value}}}"#),
        Outcome::Fine(None) => r#"{"outcome":"ok"}"#.to_owned(),
        Outcome::Wrong => r#"{"outcome":"error"}"#.to_owned(),
        Outcome::Limit => r#"{"outcome":"limit"}"#.to_owned(),
    };
    println!("{line}");
    Ok(())
}

fn probe(request: &Request, bytes: &[u8]) -> Result<Outcome, String> {
    let text = decode(bytes);
    let engine = Engine::builder().dialect(Dialect::with_functions(table::stdlib())).build();
    match request.kind.as_str() {
        "expr" | "template" => single(&engine, request, &text),
        "traversal" => Ok(traversal(&text)),
        "config" => config(&engine, request, bytes),
        "dyn" | "locals" => module(&engine, request, &text),
        "json" => json(&engine, request, bytes),
        other => return Err(format!("there is no kind of input {other}")),
    }
    .map(|outcome| match outcome {
        // Replacement characters are not compared.
        Outcome::Fine(_) if text.text.as_bytes() != bytes => Outcome::Fine(None),
        other => other,
    })
}

/// Converts an error to an outcome. Formats the report once, so that its cost is part of the probe. Limits of the parser are diagnostics with their own titles.
fn failed(error: &Error) -> Outcome {
    const LIMITS: [&str; 4] =
        ["Nesting too deep", "Source too large", "Identifier too long", "Expression too large"];
    let is_limit = |title: &str| LIMITS.contains(&title);
    let shown = error.diagnostics().map(|listed| listed.report().to_string()).unwrap_or_default();
    std::hint::black_box((shown, error.to_string()));
    match error.diagnostics() {
        Some(listed) if !listed.iter().any(|diagnostic| is_limit(&diagnostic.title)) => Outcome::Wrong,
        _ => Outcome::Limit,
    }
}

fn traversal(text: &Decoded) -> Outcome {
    let parsed = parse_traversal(text, &ParseLimits::default(), false);
    if parsed.diagnostics.is_empty() { Outcome::Fine(None) } else { Outcome::Wrong }
}

fn single(engine: &Engine, request: &Request, text: &Decoded) -> Result<Outcome, String> {
    let limits = ParseLimits::default();
    let is_template = request.kind == "template";
    let parsed = if is_template { parse_template(text, &limits) } else { parse_expression(text, &limits) };
    let layout = Arc::new(Layout::new(names(&parsed)));
    let compiled = if is_template {
        engine.compile_template(&text.text, &layout)
    } else {
        engine.compile(&text.text, &layout)
    };
    let program = match compiled {
        Ok(program) => program,
        Err(error) => return Ok(failed(&error)),
    };
    let mut scope = engine.scope(&layout);
    fill(&mut scope, &request.variables)?;
    Ok(evaluated(&program, &scope, &mut engine.session()))
}

fn names(parsed: &ParsedExpression) -> Vec<SmolStr> {
    analysis::names(&parsed.tree, [parsed.root])
}

fn fill(scope: &mut Scope, variables: &Json) -> Result<(), String> {
    let arena = tv::arena();
    for (name, json) in variables.as_object().into_iter().flatten() {
        let value = scopes::value_from(&arena, json, scopes::hostile)?;
        scope.set_value(name, value).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn config(engine: &Engine, request: &Request, bytes: &[u8]) -> Result<Outcome, String> {
    let (document, diagnostics) = engine.parse_bytes_lenient("", bytes);
    if diagnostics.has_errors() {
        return Ok(failed(&diagnostics.into()));
    }
    let mut scope = document.scope();
    fill(&mut scope, &request.variables)?;
    Ok(bodies(&document, &scope, &mut engine.session()))
}

/// Evaluates a file in the JSON syntax whose properties are all attributes.
fn json(engine: &Engine, request: &Request, bytes: &[u8]) -> Result<Outcome, String> {
    let (document, diagnostics) = engine.parse_json_bytes_lenient("", bytes);
    if diagnostics.has_errors() {
        return Ok(failed(&diagnostics.into()));
    }
    let mut scope = document.scope();
    fill(&mut scope, &request.variables)?;
    let attributes = match document.body().just_attributes() {
        Ok(attributes) => attributes,
        Err(error) => return Ok(failed(&error)),
    };
    let mut session = engine.session();
    let mut last = None;
    for attribute in &attributes {
        match attribute
            .program()
            .map_or_else(|error| failed(&error), |program| evaluated(&program, &scope, &mut session))
        {
            Outcome::Fine(value) => last = value,
            problem => return Ok(problem),
        }
    }
    Ok(Outcome::Fine(last.filter(|_| attributes.len() == 1)))
}

/// Evaluates a document with its locals and dynamic blocks.
fn module(engine: &Engine, request: &Request, text: &Decoded) -> Result<Outcome, String> {
    let module = match engine.parse("", &text.text).and_then(|document| document.module()) {
        Ok(module) => module,
        Err(error) => return Ok(failed(&error)),
    };
    let mut scope = module.scope();
    fill(&mut scope, &request.variables)?;
    let mut session = engine.session();
    let outcome = match module.evaluate(&mut session, &scope) {
        Ok(values) if values.diagnostics().has_errors() => Outcome::Wrong,
        Ok(_) => Outcome::Fine(None),
        Err(error) => failed(&error),
    };
    Ok(outcome)
}

/// Evaluates every attribute of a document. Prints the value if it is the only one.
fn bodies(document: &Document, scope: &Scope, session: &mut Session) -> Outcome {
    let mut last = None;
    let mut count = 0;
    let mut open: Vec<Body<'_>> = vec![document.body()];
    while let Some(body) = open.pop() {
        for attribute in body.attributes() {
            let outcome = match attribute.program() {
                Ok(program) => evaluated(&program, scope, session),
                Err(error) => failed(&error),
            };
            match outcome {
                Outcome::Fine(value) => last = value,
                problem => return problem,
            }
            count += 1;
        }
        open.extend(body.blocks().map(|block| block.body()));
    }
    Outcome::Fine(last.filter(|_| count == 1))
}

fn evaluated(program: &Program, scope: &Scope, session: &mut Session) -> Outcome {
    match session.run(program, scope) {
        Ok(value) => Outcome::Fine(shown(value)),
        Err(error) => failed(&error),
    }
}

fn shown(value: Value<'_>) -> Option<String> {
    if plain::is_cheap(value) { plain::text(value) } else { None }
}
