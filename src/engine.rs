//! The engine: a dialect and limits, shared by everything made from it.

use std::sync::Arc;

use hclvm_compiler::source::{Input, decode};
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{
    ParsedConfig, ParsedExpression, parse_config, parse_expression, parse_json, parse_json_expression,
    parse_template,
};
use hclvm_vm::{FunctionTable, Layout, Names};

use crate::compile::cache::Cache;
use crate::compile::program::{File, Form, Program};
use crate::compile::scratch_pool::Bench;
use crate::compile::unit::Home;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::dialect::{Dialect, Undefined};
use crate::limits::Limits;
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::syntax::document::Document;
use hclvm_compiler::source::Source;

/// Parses and compiles. Cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Engine(Arc<Settings>);

/// What an engine was built with.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    /// The names that its programs mention.
    pub(crate) names: Names,
    /// Who has the code of an expression.
    pub(crate) cache: Cache,
    /// Where it is compiled.
    pub(crate) bench: Bench,
}

/// Collects what an engine is built with.
#[derive(Debug, Default)]
pub struct EngineBuilder {
    dialect: Dialect,
    limits: Limits,
}

impl EngineBuilder {
    /// Uses a dialect instead of the standard one.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Uses a function table instead of the dialect's.
    pub fn functions(mut self, functions: FunctionTable) -> Self {
        self.dialect.functions = Some(functions);
        self
    }

    /// Says what undefined names mean.
    pub fn undefined(mut self, undefined: Undefined) -> Self {
        self.dialect.undefined = undefined;
        self
    }

    /// What a text may contain and one evaluation may spend.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The engine.
    pub fn build(self) -> Engine {
        Engine(Arc::new(Settings {
            dialect: self.dialect,
            limits: self.limits,
            names: Names::new(),
            cache: Cache::default(),
            bench: Bench::default(),
        }))
    }
}

impl Engine {
    /// An engine with the standard functions and the default limits.
    pub fn standard() -> Self {
        Self::builder().build()
    }

    /// Starts building an engine.
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Whether both are clones of one engine.
    #[inline]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0
    }

    /// Parses a file. All its syntax errors come back at once.
    pub fn parse(&self, name: &str, text: &str) -> Result<Document, Error> {
        let (document, diagnostics) = self.parse_lenient(name, text);
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok(document) }
    }

    /// Parses a file and keeps what could be understood beside the diagnostics. When these have
    /// errors the document is not the whole file: editors want it, a host that evaluates does not.
    pub fn parse_lenient(&self, name: &str, text: &str) -> (Document, Diagnostics) {
        self.parse_input(name, text.into())
    }

    /// Like [`Engine::parse_lenient`] for bytes as they were read, which may not be UTF-8. A byte
    /// that belongs to no character is an error, told once a file; a sequence that only looks like
    /// a character (overlong, a surrogate) is taken for one, as the reference implementation does.
    /// Both have stand-ins of their own length in [`Document::source`], so that places are places
    /// in the bytes. A host that wants UTF-8 or nothing checks it with [`std::str::from_utf8`].
    pub fn parse_bytes_lenient(&self, name: &str, bytes: &[u8]) -> (Document, Diagnostics) {
        self.parse_input(name, (&decode(bytes)).into())
    }

    /// Parses a file in HCL's JSON syntax. All its syntax errors come back at once; what is wrong
    /// inside of strings, which are templates, is found when they are evaluated.
    pub fn parse_json(&self, name: &str, text: &str) -> Result<Document, Error> {
        let (document, diagnostics) = self.parse_json_bytes_lenient(name, text.as_bytes());
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok(document) }
    }

    /// Like [`Engine::parse_json`] for bytes as they were read, with what could be understood
    /// beside the diagnostics. What is not UTF-8 is treated as by [`Engine::parse_bytes_lenient`].
    pub fn parse_json_bytes_lenient(&self, name: &str, bytes: &[u8]) -> (Document, Diagnostics) {
        let decoded = decode(bytes);
        let mut parsed = parse_json(&decoded, &self.0.limits.of_texts());
        let seams = std::mem::take(&mut parsed.seams);
        self.document(Form::Json, Source::of_json(name, decoded.text, seams), parsed)
    }

    /// Compiles a JSON value, in which strings are templates, for scopes of `layout`.
    pub fn compile_json(&self, text: &str, layout: &Arc<Layout>) -> Result<Program, Error> {
        let mut parsed = parse_json_expression(text, &self.0.limits.of_texts());
        let source = Source::of_json("", text, std::mem::take(&mut parsed.seams));
        self.single(Form::JsonExpression, source, parsed, layout)
    }

    fn parse_input(&self, name: &str, input: Input<'_>) -> (Document, Diagnostics) {
        let mut parsed = parse_config(input, &self.0.limits.of_texts());
        let source = Source::new(name, input.text, std::mem::take(&mut parsed.seams));
        self.document(Form::Config, source, parsed)
    }

    fn document(&self, form: Form, source: Source, parsed: ParsedConfig) -> (Document, Diagnostics) {
        let source = Arc::new(source);
        let diagnostics = Diagnostics::new(Arc::clone(&source), parsed.diagnostics);
        let file = Arc::new(File { form, source, tree: parsed.tree });
        let sound = diagnostics.is_empty();
        (Document::new(self.clone(), file, parsed.body, sound), diagnostics)
    }

    /// An expression within the engine's limits.
    pub(crate) fn parse_expression(&self, text: &str) -> ParsedExpression {
        parse_expression(text, &self.0.limits.of_texts())
    }

    /// Compiles a single expression for scopes of `layout`.
    pub fn compile(&self, text: &str, layout: &Arc<Layout>) -> Result<Program, Error> {
        self.native(Form::Expression, text, self.parse_expression(text), layout)
    }

    /// Compiles a bare template, such as the content of a template file, for scopes of `layout`.
    pub fn compile_template(&self, text: &str, layout: &Arc<Layout>) -> Result<Program, Error> {
        self.native(Form::Template, text, parse_template(text, &self.0.limits.of_texts()), layout)
    }

    fn native(
        &self,
        form: Form,
        text: &str,
        mut parsed: ParsedExpression,
        layout: &Arc<Layout>,
    ) -> Result<Program, Error> {
        let source = Source::new("", text, std::mem::take(&mut parsed.seams));
        self.single(form, source, parsed, layout)
    }

    fn single(
        &self,
        form: Form,
        source: Source,
        parsed: ParsedExpression,
        layout: &Arc<Layout>,
    ) -> Result<Program, Error> {
        let source = Arc::new(source);
        let diagnostics = Diagnostics::new(Arc::clone(&source), parsed.diagnostics);
        if diagnostics.has_errors() {
            return Err(diagnostics.into());
        }
        let file = Arc::new(File { form, source, tree: parsed.tree });
        Home::of_one(self, layout, &file, NodeId(0), parsed.root).program(0)
    }

    /// How many programs it has compiled since it was built. Evaluating does not add to it, which
    /// is a way to see that nothing is compiled twice.
    pub fn compiled_programs(&self) -> u64 {
        self.0.bench.compiled()
    }

    /// A scope of `layout` without values.
    pub fn scope(&self, layout: &Arc<Layout>) -> Scope {
        Scope::new(Arc::clone(layout), self.clone())
    }

    /// Memory to run programs in; one for each thread.
    pub fn session(&self) -> Session {
        Session::new(&self.0.limits, &self.0.names)
    }
}
