//! Modules: a whole document evaluated, with `locals` in dependency order and `dynamic` blocks expanded.
//!
//! ```text
//! locals { a = 1 }   locals { b = local.a }      evaluated first, each after those it uses
//! rule "x" { when = local.b > request.n }        then every attribute of every block
//! dynamic "port" { for_each = … content { … } }  becomes blocks of type port
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use hclvm_compiler::analysis::{self, Attributes};
use hclvm_vm::arena::Arena;
use hclvm_vm::diagnostic::Diagnostic;
use hclvm_vm::scope::Layout;
use hclvm_vm::value::{Entry, Value};
use smol_str::SmolStr;

use crate::document::{Attribute, Block, Body, Document};
use crate::dynamic;
use crate::error::{Diagnostics, Error};
use crate::program::Program;
use crate::session::{Session, Tier, evaluate_in};
use crate::{Scope, Undefined};

/// The block type whose attributes are the module's locals.
const LOCALS: &str = "locals";
/// The variable through which expressions reach the locals.
const LOCAL: &str = "local";

/// A document prepared for evaluation as a whole: locals in order, everything compiled.
#[derive(Clone, Debug)]
pub struct Module {
    document: Document,
    /// Numbers of the locals' attributes, each after those it uses.
    locals: Vec<Local>,
}

#[derive(Clone, Debug)]
struct Local {
    name: SmolStr,
    attribute: u32,
    uses: Attributes,
}

/// The values of a module.
#[derive(Debug)]
pub struct ModuleResult<'a> {
    /// The locals, sorted by name.
    pub locals: Vec<(&'a str, Value<'a>)>,
    /// Attributes and blocks of the file, without `locals` blocks.
    pub body: BodyResult<'a>,
    /// What went wrong; values beside errors are partial.
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
    /// The value of the attribute `name`.
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
    /// Blocks that cannot be made yet because their `for_each` is unknown.
    Pending {
        /// Their type.
        kind: &'a str,
        /// The unknown collection.
        for_each: Value<'a>,
    },
}

impl Document {
    /// The document as a module whose programs may read all names that the text uses.
    ///
    /// # Errors
    /// Locals that are defined twice or depend on themselves; expressions too large to compile.
    pub fn module(&self) -> Result<Module, Error> {
        Module::new(self.clone())
    }

    /// The document as a module for scopes with exactly these variables. Other names are undefined
    /// names of the dialect, which for [`Undefined::Text`] is decided when compiling.
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
        let mut problems = Vec::new();
        let defined = collect_locals(&document, &mut problems);
        let locals = in_order(&document, defined, &mut problems);
        let diagnostics = Diagnostics::new(Arc::clone(document.source()), problems);
        if diagnostics.has_errors() {
            return Err(diagnostics.into());
        }
        Ok(Self { document, locals })
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Names of the locals, each after those it uses.
    pub fn locals(&self) -> impl Iterator<Item = &str> {
        self.locals.iter().map(|local| local.name.as_str())
    }

    /// Names of the variables a scope may set.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.document.layout().names().iter().map(SmolStr::as_str).filter(|name| *name != LOCAL)
    }

    /// A scope for it without values.
    pub fn scope(&self) -> Scope {
        self.document.scope()
    }

    /// Evaluates everything. Names without a value are what the dialect says of undefined names.
    ///
    /// # Errors
    /// The limit that the evaluation exceeded; everything else is in the result's diagnostics.
    pub fn evaluate<'s>(
        &'s self,
        session: &'s mut Session,
        scope: &'s Scope,
    ) -> Result<ModuleResult<'s>, Error> {
        let tier = session.tier();
        let arena = session.fresh_arena();
        let mut run = Run::new(self, arena, tier, scope);
        let locals = run.locals(self)?;
        let body = run.body(self.document.body(), true)?;
        let diagnostics = Diagnostics::new(Arc::clone(self.document.source()), run.problems);
        Ok(ModuleResult { locals, body, diagnostics })
    }
}

/// All attributes of `locals` blocks; of a name defined twice the first.
fn collect_locals(document: &Document, problems: &mut Vec<Diagnostic>) -> Vec<Local> {
    let mut locals: Vec<Local> = Vec::new();
    let mut seen: HashMap<SmolStr, u32> = HashMap::new();
    for block in document.body().blocks_of(LOCALS) {
        for attribute in block.body().attributes() {
            let name = SmolStr::new(attribute.name());
            if let Some(first) = seen.get(&name) {
                let line = document.source().position(*first).line;
                let detail = format!("The local value \"{name}\" is already defined on line {line}.");
                problems.push(Diagnostic::error("Duplicate local value", detail, attribute.name_span()));
                continue;
            }
            seen.insert(name.clone(), attribute.name_span().start);
            let definition = attribute.definition();
            let tree = &document.file().tree;
            let uses = analysis::attributes_of(tree, definition.first_node, definition.expr, LOCAL);
            locals.push(Local { name, attribute: attribute.index(), uses });
        }
    }
    locals
}

/// The locals, each after those it uses; a cycle is a problem that names its whole path.
fn in_order(document: &Document, locals: Vec<Local>, problems: &mut Vec<Diagnostic>) -> Vec<Local> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let index: HashMap<&str, usize> =
        locals.iter().enumerate().map(|(at, local)| (local.name.as_str(), at)).collect();
    let uses: Vec<Vec<usize>> = locals
        .iter()
        .map(|local| {
            if local.uses.whole {
                return (0..locals.len()).collect();
            }
            local.uses.names.iter().filter_map(|name| index.get(name.as_str()).copied()).collect()
        })
        .collect();
    let mut visits = vec![Visit::New; locals.len()];
    let mut order = Vec::with_capacity(locals.len());
    for start in 0..locals.len() {
        if visits[start] != Visit::New {
            continue;
        }
        visits[start] = Visit::Open;
        // An explicit stack: chains of locals may be as long as the file allows.
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            let Some(used) = uses[at].get(*next).copied() else {
                visits[at] = Visit::Done;
                order.push(at);
                path.pop();
                continue;
            };
            *next += 1;
            match visits[used] {
                Visit::Done => {}
                Visit::New => {
                    visits[used] = Visit::Open;
                    path.push((used, 0));
                }
                Visit::Open => problems.push(cycle(document, &locals, &path, used)),
            }
        }
    }
    order.into_iter().map(|at| locals[at].clone()).collect()
}

fn cycle(document: &Document, locals: &[Local], path: &[(usize, usize)], closing: usize) -> Diagnostic {
    let from = path.iter().position(|(at, _)| *at == closing).unwrap_or(0);
    let mut names: Vec<String> =
        path[from..].iter().map(|(at, _)| format!("local.{}", locals[*at].name)).collect();
    names.push(format!("local.{}", locals[closing].name));
    let attribute = Attribute::new(document, locals[closing].attribute);
    let detail = format!("These local values depend on themselves: {}.", names.join(" -> "));
    Diagnostic::error("Dependency cycle", detail, attribute.name_span())
}

/// One evaluation of a module.
pub(crate) struct Run<'a> {
    pub(crate) arena: &'a Arena,
    tier: Tier,
    layout: &'a Layout,
    /// Values by slot; changed while the content of dynamic blocks is evaluated.
    pub(crate) values: Vec<Value<'a>>,
    pub(crate) problems: Vec<Diagnostic>,
}

impl<'a> Run<'a> {
    fn new(module: &'a Module, arena: &'a Arena, tier: Tier, scope: &'a Scope) -> Self {
        let layout: &'a Layout = module.document.layout();
        let mut values: Vec<Value<'a>> =
            layout.names().iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect();
        if module.document.engine().settings().dialect.undefined == Undefined::Unknown {
            for value in values.iter_mut().filter(|value| value.is_unset()) {
                *value = Value::DYNAMIC;
            }
        }
        Self { arena, tier, layout, values, problems: Vec::new() }
    }

    /// Evaluates the locals and leaves `local` set to the object of all of them.
    fn locals(&mut self, module: &'a Module) -> Result<Vec<(&'a str, Value<'a>)>, Error> {
        let mut done: HashMap<&str, Value<'a>> = HashMap::with_capacity(module.locals.len());
        for local in &module.locals {
            let used: Vec<Entry<'a>> = if local.uses.whole {
                module.locals.iter().filter_map(|used| entry(self.arena, used, &done)).collect()
            } else {
                let names = local.uses.names.iter();
                names.filter_map(|name| Some(self.arena.entry(name, *done.get(name.as_str())?))).collect()
            };
            self.set_local(used);
            let value = self.value(Attribute::new(&module.document, local.attribute))?;
            done.insert(&local.name, value);
        }
        let all: Vec<Entry<'a>> =
            module.locals.iter().filter_map(|local| entry(self.arena, local, &done)).collect();
        let mut named: Vec<_> = all.iter().map(|entry| (entry.name, entry.value)).collect();
        named.sort_by_key(|(name, _)| *name);
        self.set_local(all);
        Ok(named)
    }

    fn set_local(&mut self, mut entries: Vec<Entry<'a>>) {
        entries.sort_by_key(|entry| entry.name);
        let object = Value::object(self.arena, self.arena.slice(&entries));
        self.bind(LOCAL, object);
    }

    /// Sets a variable and gives its value before that; nothing reads a name without slot.
    pub(crate) fn bind(&mut self, name: &str, value: Value<'a>) -> Value<'a> {
        let slot = self.layout.slot(name).map(|slot| usize::from(slot.0));
        slot.and_then(|slot| self.values.get_mut(slot))
            .map_or(Value::UNSET, |cell| std::mem::replace(cell, value))
    }

    /// Attributes and blocks of a body. The file's own body leaves out `locals` blocks.
    pub(crate) fn body(&mut self, body: Body<'a>, root: bool) -> Result<BodyResult<'a>, Error> {
        let mut result = BodyResult::default();
        for attribute in body.attributes() {
            let value = self.value(attribute)?;
            result.attributes.push((attribute.name(), value));
        }
        for block in body.blocks() {
            match block.kind() {
                LOCALS if root => {}
                dynamic::KEYWORD => self.expand(block, &mut result.blocks)?,
                _ => {
                    let block = self.block(block)?;
                    result.blocks.push(block);
                }
            }
        }
        Ok(result)
    }

    fn block(&mut self, block: Block<'a>) -> Result<BlockResult<'a>, Error> {
        let body = self.body(block.body(), false)?;
        Ok(BlockResult::Block { kind: block.kind(), labels: block.labels().collect(), body })
    }

    /// The value of an attribute; its diagnostics are kept.
    pub(crate) fn value(&mut self, attribute: Attribute<'a>) -> Result<Value<'a>, Error> {
        let program: &'a Program = attribute.program_ref().map_err(Clone::clone)?;
        let evaluation = evaluate_in(self.arena, self.tier, program, &self.values)?;
        self.problems.extend(evaluation.diagnostics.iter().cloned());
        Ok(evaluation.value)
    }
}

fn entry<'a>(arena: &'a Arena, local: &'a Local, done: &HashMap<&str, Value<'a>>) -> Option<Entry<'a>> {
    Some(arena.entry(&local.name, *done.get(local.name.as_str())?))
}
