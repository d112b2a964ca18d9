//! Cases that run programs: expressions, templates and whole files, by the machine. `treewalk` runs them by the
//! tree-walker.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hclvm::functions::FunctionTable;
use hclvm::run::Tier;
use hclvm::{Body, Diagnostics, Dialect, Document, Engine, Error, Layout, Program, Scope, Session};
use hclvm_compiler::source::decode;
use hclvm_compiler::{
    ParseLimits, ParsedExpression, analysis, parse_expression, parse_json_expression, parse_template,
};
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;

use super::{Answer, Evaluator, content, fields, treewalk};
use crate::case::Case;
use crate::report::diagnostics_to;
use crate::table;
use crate::tv::{self, value_from, value_to};

/// State shared by cases: an engine for each function table, and the program of the last group.
#[derive(Debug)]
pub struct Runner {
    evaluator: Evaluator,
    callable: HashMap<String, Callable>,
    group: Option<(String, Compiled)>,
    answers: Answers,
}

/// How many evaluations there were, apart from those of expanded bodies, and how many of them the fast tier
/// answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// All evaluations.
    pub evaluations: u64,
    /// Those that the fast tier answered.
    pub fast: u64,
}

/// A session that counts its evaluations.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) session: Session,
    evaluations: u64,
}

impl Counted {
    fn new(engine: &Engine, tier: Tier) -> Self {
        let mut session = engine.session();
        session.set_tier(tier);
        Self { session, evaluations: 0 }
    }

    /// Runs a program and returns the result.
    pub(super) fn evaluated(&mut self, program: &Program, scope: &Scope) -> Map<String, Json> {
        self.evaluations += 1;
        match self.session.evaluate(program, scope) {
            Ok(result) if result.diagnostics.is_empty() => fields([("value", value_to(result.value))]),
            Ok(result) => fields([
                ("phase", json!("eval")),
                ("errors", diagnostics_to(result.diagnostics.source(), result.diagnostics.iter())),
                ("value", value_to(result.value)),
            ]),
            Err(error) => failed("eval", &error),
        }
    }

    fn answers(&self) -> Answers {
        Answers { evaluations: self.evaluations, fast: self.evaluations - self.session.baseline_runs() }
    }
}

/// A function table, alone and in an engine.
#[derive(Clone, Debug)]
struct Callable {
    functions: Rc<Option<FunctionTable>>,
    engine: Engine,
}

/// A program with the scope and session it runs in.
#[derive(Debug)]
struct Compiled {
    program: Program,
    scope: Scope,
    session: Counted,
}

impl Runner {
    /// Creates a runner without shared state.
    pub fn new(evaluator: Evaluator) -> Self {
        Self { evaluator, callable: HashMap::new(), group: None, answers: Answers::default() }
    }

    /// Returns the functions that a case may call.
    fn callable(&mut self, case: &Case) -> Result<Callable, String> {
        let key = case.get("functions").map_or(String::new(), Json::to_string);
        if let Some(callable) = self.callable.get(&key) {
            return Ok(callable.clone());
        }
        let functions = table::of_case(case.get("functions"))?;
        let dialect = Dialect { functions: functions.clone(), ..Dialect::standard() };
        let engine = Engine::builder().dialect(dialect).build();
        let callable = Callable { functions: Rc::new(functions), engine };
        self.callable.insert(key, callable.clone());
        Ok(callable)
    }

    /// Evaluates an expression or template.
    pub(super) fn single(&mut self, case: &Case) -> Result<Answer, String> {
        let callable = self.callable(case)?;
        if self.evaluator == Evaluator::TreeWalk {
            return treewalk::single(case, &callable.functions);
        }
        let group = case.get("group").map(Json::to_string);
        let tier = self.tier();
        let mut compiled = match (self.group.take(), &group) {
            (Some((last, compiled)), Some(group)) if last == *group && compiled.takes(case) => compiled,
            _ => match Compiled::new(&callable.engine, case, tier) {
                Ok(compiled) => compiled,
                Err(error) => return Ok(Some(failed("parse", &error))),
            },
        };
        let before = compiled.session.answers();
        let answer = compiled.run(case)?;
        self.count(before, compiled.session.answers());
        self.group = group.map(|group| (group, compiled));
        Ok(Some(answer))
    }

    /// Evaluates every attribute of a file.
    pub(super) fn config(&mut self, case: &Case) -> Result<Answer, String> {
        let Callable { engine, functions } = self.callable(case)?;
        if self.evaluator == Evaluator::TreeWalk {
            return treewalk::config(case, &functions);
        }
        let (document, diagnostics) = engine.parse_bytes_lenient("", &case.source());
        self.document(case, &engine, &document, diagnostics)
    }

    /// Evaluates a file in JSON: its attributes, or its content by a schema.
    pub(super) fn json(&mut self, case: &Case) -> Result<Answer, String> {
        let engine = self.callable(case)?.engine;
        if self.evaluator == Evaluator::TreeWalk {
            return Ok(None);
        }
        let (document, diagnostics) = engine.parse_json_bytes_lenient("", &case.source());
        self.document(case, &engine, &document, diagnostics)
    }

    /// Returns how many evaluations there were so far.
    pub fn answers(&self) -> Answers {
        self.answers
    }

    fn count(&mut self, before: Answers, after: Answers) {
        self.answers.evaluations += after.evaluations - before.evaluations;
        self.answers.fast += after.fast - before.fast;
    }

    fn document(
        &mut self,
        case: &Case,
        engine: &Engine,
        document: &Document,
        diagnostics: Diagnostics,
    ) -> Result<Answer, String> {
        if diagnostics.has_errors() {
            return Ok(Some(failed("parse", &diagnostics.into())));
        }
        let names = document.layout().names().iter().cloned().chain(scope_names(case));
        let document = document.for_layout(&Arc::new(Layout::new(names)));
        let mut scope = document.scope();
        fill(&mut scope, case)?;
        let mut session = Counted::new(engine, self.tier());
        let answer = match case.get("schema") {
            Some(schema) => content::run(&document, schema, case.flag("dynblock"), &scope, &mut session),
            None if document.is_json() => Ok(Some(content::attributes(&document, &scope, &mut session))),
            None => Ok(Some(body(document.body(), &scope, &mut session))),
        };
        self.count(Answers::default(), session.answers());
        answer
    }

    fn tier(&self) -> Tier {
        match self.evaluator {
            Evaluator::Machine(tier) => tier,
            Evaluator::TreeWalk => Tier::default(),
        }
    }
}

impl Compiled {
    fn new(engine: &Engine, case: &Case, tier: Tier) -> Result<Self, Error> {
        let text = decode(&case.source()).text;
        let limits = ParseLimits::default();
        let names = names(&match case.kind() {
            "template" => parse_template(&text, &limits),
            "jsonexpr" => parse_json_expression(&text, &limits),
            _ => parse_expression(&text, &limits),
        });
        let layout = Arc::new(Layout::new(names.into_iter().chain(scope_names(case))));
        let program = match case.kind() {
            "template" => engine.compile_template(&text, &layout),
            "jsonexpr" => engine.compile_json(&text, &layout),
            _ => engine.compile(&text, &layout),
        }?;
        let session = Counted::new(engine, tier);
        Ok(Self { program, scope: engine.scope(&layout), session })
    }

    /// Returns true if every variable of the case has a slot.
    fn takes(&self, case: &Case) -> bool {
        scope_names(case).all(|name| self.program.layout().slot(&name).is_some())
    }

    fn run(&mut self, case: &Case) -> Result<Map<String, Json>, String> {
        fill(&mut self.scope, case)?;
        Ok(self.session.evaluated(&self.program, &self.scope))
    }
}

/// Returns the names that an expression uses.
fn names(parsed: &ParsedExpression) -> Vec<SmolStr> {
    analysis::names(&parsed.tree, [parsed.root])
}

/// Returns the names of the variables of a case.
pub(super) fn scope_names(case: &Case) -> impl Iterator<Item = SmolStr> {
    case.get("scope").and_then(Json::as_object).into_iter().flat_map(|scope| scope.keys().map(SmolStr::new))
}

/// Sets the variables of a case and unsets all others.
fn fill(scope: &mut Scope, case: &Case) -> Result<(), String> {
    let given = case.get("scope").and_then(Json::as_object);
    for name in scope.layout().clone().names() {
        match given.and_then(|given| given.get(name.as_str())) {
            Some(json) => {
                let arena = tv::arena();
                let value = value_from(&arena, json)?;
                scope.set_value(name, value).map_err(|error| error.to_string())?;
            }
            None => scope.unset(name),
        }
    }
    Ok(())
}

/// Evaluates the attributes and blocks of a body.
fn body(content: Body<'_>, scope: &Scope, session: &mut Counted) -> Map<String, Json> {
    let mut attributes = Map::new();
    for attribute in content.attributes() {
        let result = match attribute.program() {
            Ok(program) => session.evaluated(&program, scope),
            Err(error) => failed("eval", &error),
        };
        attributes.insert(attribute.name().to_owned(), Json::Object(result));
    }
    let mut blocks = Vec::new();
    for block in content.blocks() {
        let labels: Vec<&str> = block.labels().collect();
        let mut shown = fields([("type", json!(block.kind())), ("labels", json!(labels))]);
        shown.extend(body(block.body(), scope, session));
        blocks.push(Json::Object(shown));
    }
    fields([("attrs", Json::Object(attributes)), ("blocks", Json::Array(blocks))])
}

/// Returns the result of an error, which has no value.
pub(super) fn failed(phase: &str, error: &Error) -> Map<String, Json> {
    let errors = match error.diagnostics() {
        Some(diagnostics) => diagnostics_to(diagnostics.source(), diagnostics.iter()),
        None => json!([{ "severity": "error", "summary": "Not evaluated", "detail": error.to_string() }]),
    };
    fields([("phase", json!(phase)), ("errors", errors)])
}
