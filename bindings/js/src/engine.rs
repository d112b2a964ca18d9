//! Engines: the function library with host functions, the limits, and a session.

use std::cell::Cell;
use std::rc::Rc;

use hclvm::functions::{Capabilities, FunctionTable};
use hclvm::{Limits, Session, Undefined};
use hclvm_bindings_common::compiled;
use hclvm_dialects::registry::NamedDialect;
use js_sys::Object;
use wasm_bindgen::prelude::*;

use crate::document::Document;
use crate::error::{OrThrow, Thrown, refusal};
use crate::host;
use crate::program::Program;

/// The nesting of texts, values and evaluations in one another, each of which takes stack: browsers give a page about a
/// megabyte of it.
const NESTING: u16 = 250;

/// An engine, which everything made by it shares.
pub(crate) struct EngineState {
    pub(crate) engine: hclvm::Engine,
    session: Cell<Option<Session>>,
    functions: host::Registered,
}

impl EngineState {
    /// Calls `run` with the session. Throws an exception of a host function as the cause of the error.
    pub(crate) fn with_session<R>(
        &self,
        run: impl FnOnce(&mut Session) -> Result<R, hclvm::Error>,
    ) -> Thrown<R> {
        // A host function may use the engine: its evaluation finds no session here and makes one.
        let mut session = self.session.take().unwrap_or_else(|| self.engine.session());
        let outcome = if self.functions.is_empty() {
            run(&mut session).or_throw()
        } else {
            host::throwing(|| run(&mut session))
        };
        self.session.set(Some(session));
        outcome
    }
}

/// The language, its functions and limits. Immutable.
#[wasm_bindgen(skip_typescript)]
pub struct Engine(Rc<EngineState>);

#[wasm_bindgen]
impl Engine {
    /// Creates an engine of a dialect. `functions` is an object of functions by their names.
    #[wasm_bindgen(constructor)]
    pub fn new(
        dialect: &str,
        functions: &Object,
        is_undefined_unknown: bool,
        is_trusted: bool,
    ) -> Thrown<Engine> {
        let named = NamedDialect::named(dialect).map_err(refusal)?;
        let mut dialect = named.dialect(&Capabilities::none());
        let registered = host::Registered::new(functions)?;
        for (name, function) in registered.functions() {
            dialect.functions.get_or_insert_with(FunctionTable::new).insert(name, function);
        }
        if is_undefined_unknown {
            dialect.undefined = Undefined::Unknown;
        }
        let limits = if is_trusted { Limits::trusted() } else { Limits::untrusted() };
        let limits = Limits { nesting: NESTING.into(), value_depth: NESTING, ..limits };
        let engine = hclvm::Engine::builder().dialect(dialect).limits(limits).build();
        Ok(Self(Rc::new(EngineState { engine, session: Cell::new(None), functions: registered })))
    }

    /// Evaluates an expression once, with the variables in an object.
    pub fn evaluate(&self, text: &str, values: &JsValue) -> Thrown<JsValue> {
        let program = compiled(|layout| self.0.engine.compile(text, layout)).or_throw()?;
        // Of whole values, so that an error may propose the name of an attribute that the expression does not read.
        let scope = self.0.engine.scope(program.layout());
        Program::with_scope(&self.0, program, scope).run_with(values)
    }

    /// Compiles an expression.
    pub fn compile(&self, text: &str) -> Thrown<Program> {
        Program::new(&self.0, compiled(|layout| self.0.engine.compile(text, layout)).or_throw()?)
    }

    /// Compiles a template, such as `Hello ${name}`.
    #[wasm_bindgen(js_name = compileTemplate)]
    pub fn compile_template(&self, text: &str) -> Thrown<Program> {
        Program::new(&self.0, compiled(|layout| self.0.engine.compile_template(text, layout)).or_throw()?)
    }

    /// Parses a file's text.
    pub fn parse(&self, text: &str, name: Option<String>) -> Thrown<Document> {
        let document = self.0.engine.parse(&file_name(name), text).or_throw()?;
        Ok(Document::new(&self.0, document))
    }

    /// Parses a file's text in the JSON syntax of HCL.
    #[wasm_bindgen(js_name = parseJson)]
    pub fn parse_json(&self, text: &str, name: Option<String>) -> Thrown<Document> {
        let document = self.0.engine.parse_json(&file_name(name), text).or_throw()?;
        Ok(Document::new(&self.0, document))
    }

    /// Formats a file's text.
    pub fn format(&self, text: &str, name: Option<String>) -> Thrown<String> {
        self.0.engine.format(&file_name(name), text).or_throw()
    }
}

/// Returns the name that messages call a file.
fn file_name(name: Option<String>) -> String {
    name.unwrap_or_else(|| "<string>".to_owned())
}
