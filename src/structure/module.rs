//! Modules: a whole file evaluated into a tree of values, with `locals` in dependency order and
//! `dynamic` blocks expanded.
//!
//! Use a [`Module`] if the blocks of a file are not known in advance and every value is needed. For a
//! known shape, [`Document::decode`](crate::Document::decode) fills structs and a
//! [`Spec`](crate::spec::Spec) builds one value; to choose which attributes to evaluate, use an
//! [`Expansion`](crate::expansion::Expansion).
//!
//! ```text
//! locals { a = 1 }   locals { b = local.a }      evaluated first, each after those it uses
//! rule "x" { when = local.b > request.n }        then every attribute of every block
//! dynamic "port" { for_each = … content { … } }  becomes blocks of type port
//! ```

mod locals;

use std::sync::Arc;

use hclvm_vm::{Entry, Layout, Value};
use smol_str::SmolStr;

use locals::Local;

use crate::diagnostics::error::{Diagnostics, Error};
use crate::diagnostics::problems::Problems;
use crate::run::scope::Scope;
use crate::run::session::Session;
use crate::structure::dynamic;
use crate::structure::expansion::{BlockView, BodyView, Expansion};
use crate::structure::schema::DYNAMIC;
use crate::syntax::document::{Attribute, Document};

/// The block type whose attributes are the module's locals.
const LOCALS: &str = "locals";
/// The variable through which expressions reach the locals.
const LOCAL: &str = "local";

/// A document prepared for evaluation as a whole, with its locals in dependency order. Immutable, and
/// shared between threads.
#[derive(Clone, Debug)]
pub struct Module {
    document: Document,
    /// The locals in evaluation order.
    locals: Vec<Local>,
    /// Indexes of the locals, sorted by name.
    by_name: Vec<usize>,
}

/// The values of a module.
#[derive(Debug)]
pub struct ModuleResult<'a> {
    /// The locals, sorted by name.
    pub locals: Vec<(&'a str, Value<'a>)>,
    /// Attributes and blocks of the file, without `locals` blocks.
    pub body: BodyResult<'a>,
    /// Errors and warnings; with errors, values are partial.
    pub diagnostics: Diagnostics,
}

/// The values of a body.
#[derive(Debug, Default)]
pub struct BodyResult<'a> {
    /// Attributes in source order.
    pub attributes: Vec<(&'a str, Value<'a>)>,
    /// Blocks in source order.
    pub blocks: Vec<BlockResult<'a>>,
}

impl<'a> BodyResult<'a> {
    /// Returns the value of the attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<Value<'a>> {
        self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}

/// A block of a result.
#[derive(Debug)]
pub enum BlockResult<'a> {
    /// A block, written out or made by a `dynamic` block.
    Block {
        /// Its type.
        kind: &'a str,
        /// Its labels.
        labels: Vec<&'a str>,
        /// Its content.
        body: BodyResult<'a>,
    },
    /// Blocks of a `dynamic` block whose `for_each` is unknown.
    Pending {
        /// Their type.
        kind: &'a str,
        /// The unknown collection.
        for_each: Value<'a>,
    },
}

impl Document {
    /// Returns the document as a module whose variables are all names that the text uses.
    ///
    /// # Errors
    /// Locals that are defined twice or form a cycle; expressions too large to compile.
    pub fn module(&self) -> Result<Module, Error> {
        Module::new(self.clone())
    }

    /// Returns the document as a module with exactly these variables. Other names are undefined: the
    /// dialect decides what they mean, for [`Undefined::Text`](crate::Undefined::Text) at compile time.
    ///
    /// # Errors
    /// See [`Document::module`].
    pub fn module_for<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Module, Error> {
        let iterators = dynamic::iterators(self.body());
        let own = std::iter::once(SmolStr::new(LOCAL)).chain(iterators);
        let layout = Layout::new(names.into_iter().map(SmolStr::new).chain(own));
        Module::new(self.for_layout(&Arc::new(layout)))
    }
}

impl Module {
    fn new(document: Document) -> Result<Self, Error> {
        let mut problems = Problems::new(document.engine().settings().limits.diagnostics);
        let locals = locals::locals(&document, &mut problems);
        let diagnostics = Diagnostics::new(Arc::clone(document.source()), problems.take());
        if diagnostics.has_errors() {
            return Err(diagnostics.into());
        }
        let mut by_name: Vec<usize> = (0..locals.len()).collect();
        by_name.sort_by_key(|at| &locals[*at].name);
        Ok(Self { document, locals, by_name })
    }

    /// Returns the document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Iterates over the names of the locals, each after those it uses.
    pub fn locals(&self) -> impl Iterator<Item = &str> {
        self.locals.iter().map(|local| local.name.as_str())
    }

    /// Iterates over the names of the variables that a scope may set.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.document.layout().names().iter().map(SmolStr::as_str).filter(|name| *name != LOCAL)
    }

    /// Creates a scope without values.
    pub fn scope(&self) -> Scope {
        self.document.scope()
    }

    /// Evaluates all attributes. The dialect decides the value of variables that are not set.
    ///
    /// # Errors
    /// A limit that was exceeded. Other errors are in the diagnostics of the result.
    pub fn evaluate<'s>(
        &'s self,
        session: &'s mut Session,
        scope: &'s Scope,
    ) -> Result<ModuleResult<'s>, Error> {
        let mut run = Run { expansion: session.expand(&self.document, scope)? };
        let locals = run.locals(self)?;
        let body = run.body(run.expansion.body(), true)?;
        let diagnostics = run.expansion.take_diagnostics();
        Ok(ModuleResult { locals, body, diagnostics })
    }
}

/// One evaluation of a module.
struct Run<'a> {
    expansion: Expansion<'a>,
}

impl<'a> Run<'a> {
    /// Evaluates the locals, and sets `local` to the object of all of them.
    fn locals(&mut self, module: &'a Module) -> Result<Vec<(&'a str, Value<'a>)>, Error> {
        let outside = self.expansion.body();
        let mut done: Vec<Entry<'a>> = Vec::with_capacity(module.locals.len());
        for local in &module.locals {
            self.set_local(&local.uses, &done);
            let attribute = Attribute::new(&module.document, local.attribute);
            let value = self.expansion.value(outside.attribute(attribute))?;
            done.push(Entry { name: &local.name, symbol: local.symbol, value });
        }
        self.set_local(&module.by_name, &done);
        Ok(module.by_name.iter().map(|at| (done[*at].name, done[*at].value)).collect())
    }

    /// Sets `local` to the object of the locals at these indexes, which are sorted by name.
    fn set_local(&mut self, places: &[usize], done: &[Entry<'a>]) {
        let arena = self.expansion.arena;
        let mut entries = arena.list_with(places.len());
        entries.extend(places.iter().filter_map(|at| done.get(*at).copied()));
        self.expansion.set(LOCAL, Value::object(arena, entries.into_bump_slice()));
    }

    /// Evaluates a body. The root body leaves out `locals` blocks.
    fn body(&mut self, view: BodyView<'a>, root: bool) -> Result<BodyResult<'a>, Error> {
        if view.body.blocks().all(|block| block.kind() != DYNAMIC) {
            return self.written_body(view, root);
        }
        let content = self.expansion.everything(view)?;
        let mut result = BodyResult::default();
        for attribute in content.attributes {
            result.attributes.push((attribute.name(), self.expansion.value(attribute)?));
        }
        for block in content.blocks {
            if root && !block.made && block.kind == LOCALS {
                continue;
            }
            result.blocks.push(self.block(block)?);
        }
        Ok(result)
    }

    /// Evaluates a body without `dynamic` blocks directly, without collecting views of its items.
    fn written_body(&mut self, view: BodyView<'a>, root: bool) -> Result<BodyResult<'a>, Error> {
        let mut result = BodyResult::default();
        result.attributes.reserve_exact(view.body.attributes().count());
        for attribute in view.body.attributes() {
            result.attributes.push((attribute.name(), self.expansion.value(view.attribute(attribute))?));
        }
        for block in view.body.blocks().filter(|block| !root || block.kind() != LOCALS) {
            let body = self.body(view.inside(block), false)?;
            let labels = block.labels().collect();
            result.blocks.push(BlockResult::Block { kind: block.kind(), labels, body });
        }
        Ok(result)
    }

    fn block(&mut self, block: BlockView<'a>) -> Result<BlockResult<'a>, Error> {
        let kind = block.kind;
        if let Some(for_each) = block.pending {
            return Ok(BlockResult::Pending { kind, for_each });
        }
        let body = self.body(block.body, false)?;
        Ok(BlockResult::Block { kind, labels: block.labels, body })
    }
}
