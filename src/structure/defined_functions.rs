//! Functions defined in HCL, by `function` blocks. Functions written in Rust are in `data/host`.
//!
//! ```text
//! function "clamp" {
//!   params = [value, low, high]          names; the result can read these variables only
//!   result = max(low, min(high, value))
//! }
//! function "joined" {
//!   params         = [separator]
//!   variadic_param = parts               a tuple of all further arguments
//!   result         = join(separator, parts)
//! }
//! ```
//!
//! Both arms of a conditional are evaluated, so a recursion ends only if its step is in a `for`
//! expression over a collection that becomes empty.
//!
//! Results are compiled once, against the functions of the engine and of the same body: functions may
//! call each other and themselves, up to a limit of call depth. Programs of a group hold weak references
//! to it, so that the group is freed with the last function that was handed out.

use std::sync::{Arc, OnceLock, Weak};

use hclvm_compiler::analysis;
use hclvm_compiler::tree::NodeId;
use hclvm_vm::{
    Arena, CallError, Diagnostic, Function, FunctionTable, Layout, Parameter, Span, Type, Value, copy,
};
use smol_str::SmolStr;

use crate::compile::program::Program;
use crate::diagnostics::error::{Diagnostics, Error, ErrorKind};
use crate::run::session::{Tier, evaluate_in};
use crate::structure::content::Remainder;
use crate::structure::schema::Schema;
use crate::syntax::document::{Attribute, Block, Body};

/// The functions that blocks define, and the rest of their body.
#[derive(Debug)]
pub struct DefinedFunctions<'d> {
    /// Names and functions in source order. Of a name defined twice, [`add_to`](Self::add_to) keeps the
    /// last.
    pub functions: Vec<(SmolStr, Function)>,
    /// The body without the blocks.
    pub rest: Remainder<'d>,
}

impl DefinedFunctions<'_> {
    /// Adds the functions to a table.
    pub fn add_to(self, table: &mut FunctionTable) {
        for (name, function) in self.functions {
            table.insert(name, function);
        }
    }
}

/// The compiled results of the functions of one body.
#[derive(Debug)]
struct FunctionGroup {
    results: Vec<OnceLock<Program>>,
}

/// A function as written.
struct FunctionDefinition<'d> {
    name: &'d str,
    parameters: Vec<SmolStr>,
    variadic: Option<SmolStr>,
    result: Attribute<'d>,
}

impl<'d> Body<'d> {
    /// Compiles the functions that blocks of type `kind` (usually `function`) define. They can call each
    /// other and the functions of the document's engine. To use them, add them to the table of another
    /// engine.
    ///
    /// ```
    /// use hclvm::{Engine, functions};
    ///
    /// let library = Engine::new().parse("lib.hcl", r#"
    ///     function "double" {
    ///       params = [n]
    ///       result = n * 2
    ///     }
    /// "#)?;
    /// let mut table = functions::standard();
    /// library.body().functions("function")?.add_to(&mut table);
    ///
    /// let engine = Engine::builder().functions(table).build();
    /// let document = engine.parse("x.hcl", "x = double(21)")?;
    /// let program = document.attribute("x").expect("x is defined").program()?;
    /// let (mut session, scope) = (engine.session(), document.scope());
    /// assert_eq!(session.run(&program, &scope)?.as_number().map(|n| n.to_string()), Some("42".into()));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Blocks without a name, parameters or result, or with other content; parameters that are not
    /// names.
    pub fn functions(self, kind: &str) -> Result<DefinedFunctions<'d>, Error> {
        let (content, rest) = self.partial_content(&Schema::new().block(kind, &["name"]))?;
        let mut problems = Vec::new();
        let found = content.blocks.into_iter().filter_map(|block| definition(block, &mut problems));
        let definitions: Vec<FunctionDefinition<'d>> = found.collect();
        let diagnostics = self.document().file().diagnostics(problems);
        if diagnostics.has_errors() {
            return Err(diagnostics.into());
        }
        Ok(DefinedFunctions { functions: compiled(self, &definitions)?, rest })
    }
}

/// Reads a block. Reports problems and returns `None` if there are any.
fn definition<'d>(block: Block<'d>, problems: &mut Vec<Diagnostic>) -> Option<FunctionDefinition<'d>> {
    let schema = Schema::new().required("params").optional("variadic_param").required("result");
    let known = problems.len();
    let (content, diagnostics) = block.body().content_lenient(&schema);
    problems.extend(diagnostics.iter().cloned());
    let (params, result) = (content.attribute("params")?, content.attribute("result")?);
    let parameters = parameters(params, problems);
    let variadic = content.attribute("variadic_param").and_then(|attribute| {
        let detail = "Expected a single name: the parameter for all further arguments.";
        let node = attribute.definition().expr;
        name_of(attribute, node, ("Invalid variadic_param", detail), problems)
    });
    let name = block.labels().next()?;
    (problems.len() == known).then_some(FunctionDefinition { name, parameters, variadic, result })
}

fn parameters(attribute: Attribute<'_>, problems: &mut Vec<Diagnostic>) -> Vec<SmolStr> {
    let tree = attribute.document().file().tree();
    match analysis::list(tree, attribute.definition().expr) {
        Ok(nodes) => {
            let message = ("Invalid param element", "Expected a single name for each parameter.");
            nodes.iter().filter_map(|node| name_of(attribute, *node, message, problems)).collect()
        }
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    }
}

/// Returns the single name that a node consists of, or reports `title` and `detail`.
fn name_of(
    attribute: Attribute<'_>,
    node: NodeId,
    (title, detail): (&'static str, &'static str),
    problems: &mut Vec<Diagnostic>,
) -> Option<SmolStr> {
    let tree = attribute.document().file().tree();
    let name = analysis::keyword(tree, node).map(SmolStr::new);
    if name.is_none() {
        let place: Span = tree.span(node);
        problems.push(Diagnostic::error(title, detail, place));
    }
    name
}

/// Compiles the results, each against the functions of the engine and all definitions.
fn compiled(
    body: Body<'_>,
    definitions: &[FunctionDefinition<'_>],
) -> Result<Vec<(SmolStr, Function)>, Error> {
    let engine = body.document().engine();
    let group = Arc::new(FunctionGroup { results: definitions.iter().map(|_| OnceLock::new()).collect() });
    let mut table = engine.settings().dialect.functions.clone().unwrap_or_default();
    for (index, definition) in definitions.iter().enumerate() {
        table.insert(definition.name, definition.function(index, GroupRef::Inner(Arc::downgrade(&group))));
    }
    for (definition, cell) in definitions.iter().zip(&group.results) {
        let names = definition.parameters.iter().chain(&definition.variadic);
        let layout = Arc::new(Layout::new(names.cloned()));
        let program = Program::with_functions(&definition.result.unit_for(&layout), &table)?;
        // Each cell is set once: it belongs to one definition.
        let _ = cell.set(program);
    }
    let outer = |(index, definition): (usize, &FunctionDefinition<'_>)| {
        let members = GroupRef::Outer(Arc::clone(&group));
        (SmolStr::new(definition.name), definition.function(index, members))
    };
    Ok(definitions.iter().enumerate().map(outer).collect())
}

/// A reference from a function to its group.
#[derive(Clone)]
enum GroupRef {
    /// Held by a function that was handed out; keeps the group alive.
    Outer(Arc<FunctionGroup>),
    /// Held by the programs of the group itself.
    Inner(Weak<FunctionGroup>),
}

impl GroupRef {
    fn group(&self) -> Result<Arc<FunctionGroup>, CallError> {
        match self {
            Self::Outer(group) => Ok(Arc::clone(group)),
            Self::Inner(group) => group.upgrade().ok_or_else(|| CallError::new("the function was dropped")),
        }
    }
}

impl FunctionDefinition<'_> {
    fn function(&self, index: usize, members: GroupRef) -> Function {
        let named = |name: &SmolStr| Parameter::new(name.clone(), Type::Dynamic);
        let parameters: Vec<Parameter> = self.parameters.iter().map(named).collect();
        let call =
            FunctionCode { index, fixed: parameters.len(), has_rest: self.variadic.is_some(), members };
        let typed = call.clone();
        let function =
            Function::new(self.name, parameters, Type::Dynamic, move |arena, args, _| call.run(arena, args))
                .refined(None)
                .typed(move |arena, args| typed.ty(arena, args))
                .impure()
                .metered();
        match &self.variadic {
            Some(name) => function.variadic(named(name)),
            None => function,
        }
    }
}

/// The code behind a function.
#[derive(Clone)]
struct FunctionCode {
    index: usize,
    fixed: usize,
    has_rest: bool,
    members: GroupRef,
}

/// Fuel charged for a call in addition to its instructions, for the stack frame and for copying the
/// result: otherwise a chain of functions that call each other would be nearly free.
const COST: u64 = 16;

impl FunctionCode {
    /// Returns the type of the result. It is computed only if an argument is unknown; otherwise the
    /// result itself has the type, and evaluating it here as well would double the work of each level of
    /// calls.
    fn ty<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Type<'a>, CallError> {
        if args.iter().all(|arg| arg.is_known()) {
            return Ok(Type::Dynamic);
        }
        Ok(self.run(arena, args)?.type_of(arena))
    }

    fn run<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
        let group = self.members.group()?;
        let program = group.results.get(self.index).and_then(OnceLock::get);
        let program = program.ok_or_else(|| CallError::new("the function is not compiled yet"))?;
        let (fixed, rest) = args.split_at_checked(self.fixed).unwrap_or((args, &[]));
        let mut slots = fixed.to_vec();
        if self.has_rest {
            slots.push(Value::tuple(arena, arena.slice(rest)));
        }
        if !arena.charge(COST) {
            return Ok(Value::DYNAMIC);
        }
        // The baseline tier looks attributes up by name; symbols differ, because the program belongs to
        // another engine than the caller.
        let called = arena.budget().call(|| evaluate_in(arena, Tier::Baseline, program, &slots));
        match called {
            None => Ok(Value::DYNAMIC),
            Some(Ok(result)) if result.diagnostics.has_errors() => Err(blamed(&result.diagnostics)),
            Some(Ok(result)) => Ok(copy(arena, result.value)),
            Some(Err(error)) => match error.kind() {
                ErrorKind::Limit(_) => Ok(Value::DYNAMIC),
                _ => Err(CallError::new(error.to_string())),
            },
        }
    }
}

/// Returns the first error in a function as an error of its call, with the position in the function.
fn blamed(diagnostics: &Diagnostics) -> CallError {
    let source = diagnostics.source();
    let first = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let what = first.map(Diagnostic::to_string).unwrap_or_default();
    let what = what.trim_end_matches('.');
    match first.and_then(|first| first.subject) {
        Some(span) => {
            let place = source.position(span.start);
            CallError::new(format!("{}:{}:{}: {what}", source.name(), place.line, place.column))
        }
        None => CallError::new(what),
    }
}
