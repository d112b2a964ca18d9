//! Functions defined in HCL.
//!
//! ```text
//! function "clamp" {
//!   params = [value, low, high]          each a name; the result sees these and nothing else
//!   result = max(low, min(high, value))
//! }
//! function "joined" {
//!   params         = [separator]
//!   variadic_param = parts               a tuple of all further arguments
//!   result         = join(separator, parts)
//! }
//! ```
//!
//! Both arms of a conditional are evaluated, so a recursion that has an end takes its step in a for
//! expression over a collection that becomes empty.
//!
//! Results are compiled once, against the functions of the engine and of the same body, so that
//! they may call each other and themselves; how deep is a limit. Programs of a group reach the
//! others through weak references, so a group is freed with the last function that was handed out.

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

/// The functions that blocks define, and what else is in their body.
#[derive(Debug)]
pub struct DefinedFunctions<'d> {
    /// Names and functions in source order; of a name defined twice the last one counts.
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

/// What functions of one body share.
#[derive(Debug)]
struct FunctionGroup {
    results: Vec<OnceLock<Program>>,
}

/// Names of a function and its parameters, and its result.
struct Definition<'d> {
    name: &'d str,
    parameters: Vec<SmolStr>,
    variadic: Option<SmolStr>,
    result: Attribute<'d>,
}

impl<'d> Body<'d> {
    /// The functions that blocks of type `kind` (usually `function`) define. They can call the
    /// functions of the document's engine and each other, and are used by adding them to the table
    /// of another engine.
    ///
    /// ```
    /// use hclvm::{Engine, functions};
    ///
    /// let library = Engine::standard().parse("lib.hcl", r#"
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
    /// let program = document.attribute("x").expect("it is there").program()?;
    /// let (mut session, scope) = (engine.session(), document.scope());
    /// assert_eq!(session.run(&program, &scope)?.as_number().map(|n| n.to_string()), Some("42".into()));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// Blocks without name, parameters or result, with anything else, or with parameters that are
    /// no names.
    pub fn functions(self, kind: &str) -> Result<DefinedFunctions<'d>, Error> {
        let (content, rest) = self.partial_content(&Schema::new().block(kind, &["name"]))?;
        let mut problems = Vec::new();
        let found = content.blocks.into_iter().filter_map(|block| definition(block, &mut problems));
        let definitions: Vec<Definition<'d>> = found.collect();
        let diagnostics = Diagnostics::new(Arc::clone(self.document().source()), problems);
        if diagnostics.has_errors() {
            return Err(diagnostics.into());
        }
        Ok(DefinedFunctions { functions: compiled(self, &definitions)?, rest })
    }
}

/// The parts of a block; `None` when something is wrong with it.
fn definition<'d>(block: Block<'d>, problems: &mut Vec<Diagnostic>) -> Option<Definition<'d>> {
    let schema = Schema::new().required("params").optional("variadic_param").required("result");
    let known = problems.len();
    let (content, diagnostics) = block.body().content_lenient(&schema);
    problems.extend(diagnostics.iter().cloned());
    let (params, result) = (content.attribute("params")?, content.attribute("result")?);
    let parameters = parameters(params, problems);
    let variadic = content.attribute("variadic_param").and_then(|attribute| {
        let detail = "The parameter for all further arguments has to be a single name.";
        let node = attribute.definition().expr;
        name_of(attribute, node, ("Invalid variadic_param", detail), problems)
    });
    let name = block.labels().next()?;
    (problems.len() == known).then_some(Definition { name, parameters, variadic, result })
}

fn parameters(attribute: Attribute<'_>, problems: &mut Vec<Diagnostic>) -> Vec<SmolStr> {
    let tree = &attribute.document().file().tree;
    match analysis::list(tree, attribute.definition().expr) {
        Ok(nodes) => {
            let message = ("Invalid param element", "Each parameter has to be a single name.");
            nodes.iter().filter_map(|node| name_of(attribute, *node, message, problems)).collect()
        }
        Err(problem) => {
            problems.push(problem);
            Vec::new()
        }
    }
}

/// The single name that a node consists of.
fn name_of(
    attribute: Attribute<'_>,
    node: NodeId,
    (title, detail): (&'static str, &'static str),
    problems: &mut Vec<Diagnostic>,
) -> Option<SmolStr> {
    let tree = &attribute.document().file().tree;
    let name = analysis::keyword(tree, node).map(SmolStr::new);
    if name.is_none() {
        let place: Span = tree.span(node);
        problems.push(Diagnostic::error(title, detail, place));
    }
    name
}

/// The functions, with their results compiled against all of them.
fn compiled(body: Body<'_>, definitions: &[Definition<'_>]) -> Result<Vec<(SmolStr, Function)>, Error> {
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
        // Each cell belongs to one definition.
        let _ = cell.set(program);
    }
    let outer = |(index, definition): (usize, &Definition<'_>)| {
        let members = GroupRef::Outer(Arc::clone(&group));
        (SmolStr::new(definition.name), definition.function(index, members))
    };
    Ok(definitions.iter().enumerate().map(outer).collect())
}

/// How a function reaches its group.
#[derive(Clone)]
enum GroupRef {
    /// Handed out: keeps the group.
    Outer(Arc<FunctionGroup>),
    /// In the programs of the group itself.
    Inner(Weak<FunctionGroup>),
}

impl GroupRef {
    fn group(&self) -> Result<Arc<FunctionGroup>, CallError> {
        match self {
            Self::Outer(group) => Ok(Arc::clone(group)),
            Self::Inner(group) => {
                group.upgrade().ok_or_else(|| CallError::new("the function is no longer there"))
            }
        }
    }
}

impl Definition<'_> {
    fn function(&self, index: usize, members: GroupRef) -> Function {
        let named = |name: &SmolStr| Parameter::new(name.clone(), Type::Dynamic);
        let parameters: Vec<Parameter> = self.parameters.iter().map(named).collect();
        let call = Callee { index, fixed: parameters.len(), has_rest: self.variadic.is_some(), members };
        let typed = call.clone();
        let function =
            Function::new(self.name, parameters, Type::Dynamic, move |arena, args, _| call.run(arena, args))
                .refined(None)
                .typed(move |arena, args| typed.ty(arena, args))
                .impure();
        match &self.variadic {
            Some(name) => function.variadic(named(name)),
            None => function,
        }
    }
}

/// What a function knows about itself.
#[derive(Clone)]
struct Callee {
    index: usize,
    fixed: usize,
    has_rest: bool,
    members: GroupRef,
}

/// What a call costs beside the work of its result: the native stack and the copy.
const COST: u64 = 16;

impl Callee {
    /// The type of the result: only asked for arguments that are unknown, because else the result
    /// tells it, and asking would double the work of every level of calls.
    fn ty<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Type<'a>, CallError> {
        if args.iter().all(|arg| arg.is_known()) {
            return Ok(Type::Dynamic);
        }
        Ok(self.run(arena, args)?.type_of(arena))
    }

    fn run<'a>(&self, arena: &'a Arena, args: &[Value<'a>]) -> Result<Value<'a>, CallError> {
        let group = self.members.group()?;
        let program = group.results.get(self.index).and_then(OnceLock::get);
        let program = program.ok_or_else(|| CallError::new("the function has no result yet"))?;
        let (fixed, rest) = args.split_at_checked(self.fixed).unwrap_or((args, &[]));
        let mut slots = fixed.to_vec();
        if self.has_rest {
            slots.push(Value::tuple(arena, arena.slice(rest)));
        }
        if !arena.charge(COST) {
            return Ok(Value::DYNAMIC);
        }
        // The full body finds attributes by name: the program is of another engine than the caller.
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

/// The first problem in a function, with its place there.
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
