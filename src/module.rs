//! Modules: a whole document evaluated, with `locals` in dependency order and `dynamic` blocks expanded.
//!
//! ```text
//! locals { a = 1 }   locals { b = local.a }      evaluated first, each after those it uses
//! rule "x" { when = local.b > request.n }        then every attribute of every block
//! dynamic "port" { for_each = … content { … } }  becomes blocks of type port
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use hclvm_compiler::analysis::{self, Need};
use hclvm_vm::arena::Arena;
use hclvm_vm::diagnostic::Diagnostic;
use hclvm_vm::scope::Layout;
use hclvm_vm::span::Span;
use hclvm_vm::value::{Entry, Value};
use smol_str::SmolStr;

use crate::Scope;
use crate::document::{Attribute, Document};
use crate::dynamic;
use crate::error::{Diagnostics, Error};
use crate::expansion::{BlockView, BodyView, Expansion};
use crate::problems::Problems;
use crate::session::Session;

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
    /// What it reads of the variable `local`.
    uses: Option<Need>,
}

impl Local {
    /// Whether it reads the object of all locals.
    fn uses_all(&self) -> bool {
        self.uses.as_ref().is_some_and(Need::is_whole)
    }

    /// Names of the locals that it reads one by one.
    fn used(&self) -> impl Iterator<Item = &SmolStr> {
        self.uses.iter().flat_map(Need::names)
    }
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
    /// names of the dialect, which for [`Undefined::Text`](crate::Undefined::Text) is decided when compiling.
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
        let defined = collect_locals(&document, &mut problems);
        let locals = in_order(&document, defined, &mut problems);
        let diagnostics = Diagnostics::new(Arc::clone(document.source()), problems.take());
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
        let mut run = Run { expansion: session.expand(&self.document, scope)? };
        let locals = run.locals(self)?;
        let body = run.body(run.expansion.body(), true)?;
        let diagnostics = run.expansion.take_diagnostics();
        Ok(ModuleResult { locals, body, diagnostics })
    }
}

/// All attributes of `locals` blocks; of a name defined twice the first.
fn collect_locals(document: &Document, problems: &mut Problems) -> Vec<Local> {
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
            let uses = analysis::referenced_paths(tree, [definition.expr]).remove(LOCAL);
            locals.push(Local { name, attribute: attribute.index(), uses });
        }
    }
    locals
}

/// The locals, each after those it uses; a cycle is a problem that names its whole path.
fn in_order(document: &Document, locals: Vec<Local>, problems: &mut Problems) -> Vec<Local> {
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
            // One that uses all of them uses itself, whatever else it uses.
            let own = local.uses_all().then_some(&local.name);
            own.into_iter().chain(local.used()).filter_map(|name| index.get(name.as_str()).copied()).collect()
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
                Visit::Open => {
                    let subject = Attribute::new(document, locals[used].attribute).name_span();
                    problems.push_with(Some(subject), || cycle(subject, &locals, &path, used));
                }
            }
        }
    }
    order.into_iter().map(|at| locals[at].clone()).collect()
}

/// The longest path that is listed as a whole; of a longer one as many as that.
const LONGEST_PATH: usize = 100;

fn cycle(subject: Span, locals: &[Local], path: &[(usize, usize)], closing: usize) -> Diagnostic {
    let from = path.iter().position(|(at, _)| *at == closing).unwrap_or(0);
    let circle = &path[from..];
    let name = |at: usize| format!("local.{}", locals[at].name);
    let mut names: Vec<String> = circle.iter().take(LONGEST_PATH).map(|(at, _)| name(*at)).collect();
    if circle.len() > LONGEST_PATH {
        names.push(format!("({} more)", circle.len() - LONGEST_PATH));
    }
    names.push(name(closing));
    let detail = format!("These local values depend on themselves: {}.", names.join(" -> "));
    Diagnostic::error("Dependency cycle", detail, subject)
}

/// One evaluation of a module.
struct Run<'a> {
    expansion: Expansion<'a>,
}

impl<'a> Run<'a> {
    /// Evaluates the locals and leaves `local` set to the object of all of them.
    fn locals(&mut self, module: &'a Module) -> Result<Vec<(&'a str, Value<'a>)>, Error> {
        let (arena, outside) = (self.expansion.arena, self.expansion.body());
        let mut done: HashMap<&str, Value<'a>> = HashMap::with_capacity(module.locals.len());
        for local in &module.locals {
            let used: Vec<Entry<'a>> = if local.uses_all() {
                module.locals.iter().filter_map(|used| entry(arena, used, &done)).collect()
            } else {
                local.used().filter_map(|name| Some(arena.entry(name, *done.get(name.as_str())?))).collect()
            };
            self.set_local(used);
            let attribute = Attribute::new(&module.document, local.attribute);
            let value = self.expansion.value(outside.attribute(attribute))?;
            done.insert(&local.name, value);
        }
        let all: Vec<Entry<'a>> =
            module.locals.iter().filter_map(|local| entry(arena, local, &done)).collect();
        let mut named: Vec<_> = all.iter().map(|entry| (entry.name, entry.value)).collect();
        named.sort_by_key(|(name, _)| *name);
        self.set_local(all);
        Ok(named)
    }

    fn set_local(&mut self, mut entries: Vec<Entry<'a>>) {
        entries.sort_by_key(|entry| entry.name);
        let arena = self.expansion.arena;
        self.expansion.set(LOCAL, Value::object(arena, arena.slice(&entries)));
    }

    /// Attributes and blocks of a body. The file's own body leaves out `locals` blocks.
    fn body(&mut self, view: BodyView<'a>, root: bool) -> Result<BodyResult<'a>, Error> {
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

    fn block(&mut self, block: BlockView<'a>) -> Result<BlockResult<'a>, Error> {
        let kind = block.kind;
        if let Some(for_each) = block.pending {
            return Ok(BlockResult::Pending { kind, for_each });
        }
        let body = self.body(block.body, false)?;
        Ok(BlockResult::Block { kind, labels: block.labels, body })
    }
}

fn entry<'a>(arena: &'a Arena, local: &'a Local, done: &HashMap<&str, Value<'a>>) -> Option<Entry<'a>> {
    Some(arena.entry(&local.name, *done.get(local.name.as_str())?))
}
