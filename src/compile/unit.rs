//! What all programs of a document have in common, and their code.

use std::sync::{Arc, OnceLock};

use hclvm_compiler::analysis;
use hclvm_compiler::lower::{self, Context, Environment, Resolution, Scratch, TooLarge};
use hclvm_compiler::tree::NodeId;
use hclvm_vm::code::fast::Fast;
use hclvm_vm::{FunctionTable, Layout};

use crate::compile::cache::Owner;
use crate::compile::program::{Artifact, File, Form, Program};
use crate::diagnostics::error::Error;
use crate::dialect::Undefined;
use crate::engine::Engine;

/// The code of an expression, unless it is too large for any.
type Made = Result<Arc<Artifact>, TooLarge>;

/// Expressions of one file for scopes of one layout. As long as any of their programs is used, the
/// code of all stays.
#[derive(Debug)]
pub(crate) struct Home {
    pub(crate) engine: Engine,
    pub(crate) layout: Arc<Layout>,
    pub(crate) file: Arc<File>,
    /// The expression and the first of its nodes, if there is only one; else they are those of the
    /// file's attributes.
    single: Option<(NodeId, NodeId)>,
    /// What the names of the file mean, where many of its expressions may be compiled; made for the
    /// first of them.
    resolution: OnceLock<Resolution>,
    /// The code of the expressions by their number, as far as somebody asked for it.
    codes: Box<[OnceLock<Made>]>,
    /// Who compiles the expressions, [`AT_ONCE`] by [`AT_ONCE`], once one of them is needed. Nobody
    /// where each is registered by itself.
    owners: Box<[OnceLock<Box<[Owner]>>]>,
}

/// So many expressions are registered at once.
const AT_ONCE: u32 = 256;

impl Home {
    /// Of the attributes of a file.
    pub(crate) fn of_many(engine: &Engine, layout: &Arc<Layout>, file: &Arc<File>) -> Arc<Self> {
        Self::new(engine, layout, file, None, file.tree.attribute_count())
    }

    /// Of the expression `root`, whose nodes are among `first..=root`.
    pub(crate) fn of_one(
        engine: &Engine,
        layout: &Arc<Layout>,
        file: &Arc<File>,
        first: NodeId,
        root: NodeId,
    ) -> Arc<Self> {
        Self::new(engine, layout, file, Some((first, root)), 1)
    }

    fn new(
        engine: &Engine,
        layout: &Arc<Layout>,
        file: &Arc<File>,
        single: Option<(NodeId, NodeId)>,
        expressions: usize,
    ) -> Arc<Self> {
        // Expressions in JSON are in each other: the texts of all together are longer than the file.
        let runs = match (single, file.form) {
            (None, Form::Config) => expressions.div_ceil(AT_ONCE as usize),
            _ => 0,
        };
        Arc::new(Self {
            engine: engine.clone(),
            layout: Arc::clone(layout),
            file: Arc::clone(file),
            single,
            resolution: OnceLock::new(),
            codes: (0..expressions).map(|_| OnceLock::new()).collect(),
            owners: (0..runs).map(|_| OnceLock::new()).collect(),
        })
    }

    /// The first node and the last of an expression, which is the expression itself.
    fn nodes(&self, index: u32) -> (NodeId, NodeId) {
        self.single.unwrap_or_else(|| {
            let attribute = self.file.tree.attribute(index);
            (attribute.first_node, attribute.expr)
        })
    }

    /// The text of an expression.
    pub(crate) fn text(&self, index: u32) -> &[u8] {
        self.file.tree.span(self.nodes(index).1).bytes(self.file.source.text())
    }

    /// Whether all names that an expression reads are in a layout, so that its code depends on no
    /// others.
    pub(crate) fn is_complete_in(&self, index: u32, layout: &Layout) -> bool {
        let names = || analysis::names(&self.file.tree, [self.nodes(index).1]);
        self.engine.settings().dialect.undefined == Undefined::Error
            && names().iter().all(|name| layout.slot(name).is_some())
    }

    /// The code of an expression, if it is there already.
    pub(crate) fn code_if_compiled(&self, index: u32) -> Option<&Arc<Artifact>> {
        self.codes.get(index as usize)?.get()?.as_ref().ok()
    }

    /// The code of an expression, and whether it was there already: compiled, or that of an equal one
    /// that is still in use.
    pub(crate) fn code(self: &Arc<Self>, index: u32) -> (Result<&Arc<Artifact>, Error>, bool) {
        let (code, known) = self.code_or_failure(index);
        (code.as_ref().map_err(|_| self.too_large(self.nodes(index).1)), known)
    }

    fn code_or_failure(self: &Arc<Self>, index: u32) -> (&Made, bool) {
        // All that is taken along is one reference: the cell moves it about.
        let mut call = (self, index, true);
        let call_in_place = &mut call;
        let code = self.codes[index as usize].get_or_init(move || {
            let (home, index, known) = call_in_place;
            let code;
            (code, *known) = home.make_code(*index);
            code
        });
        (code, call.2)
    }

    /// Code by whoever has or compiles it. That is somebody who compiles it himself, so that nobody
    /// waits in a circle.
    fn make_code(self: &Arc<Self>, index: u32) -> (Made, bool) {
        if let Some(owners) = self.owners.get((index / AT_ONCE) as usize) {
            let first = index - index % AT_ONCE;
            let owners = owners.get_or_init(|| {
                let end = (first + AT_ONCE).min(self.codes.len() as u32);
                self.engine.settings().cache.register(self, first..end)
            });
            if let Some(made) =
                owners.get((index - first) as usize).and_then(|owner| self.code_of(owner, index))
            {
                return made;
            }
        }
        self.make_by_itself(index)
    }

    /// The same of an expression that is registered by itself.
    #[cold]
    fn make_by_itself(self: &Arc<Self>, index: u32) -> (Made, bool) {
        loop {
            // An owner that goes away at once is not found again.
            let owner = self.engine.settings().cache.register(self, index..index + 1);
            if let Some(made) = owner.first().and_then(|owner| self.code_of(owner, index)) {
                return made;
            }
        }
    }

    /// Code by its owner, unless he has gone; and whether it was there already.
    fn code_of(self: &Arc<Self>, owner: &Owner, index: u32) -> Option<(Made, bool)> {
        let equal = |home: &Arc<Self>, equal: u32| {
            let (code, known) = home.code_or_failure(equal);
            (code.clone(), known)
        };
        Some(match owner {
            Owner::Itself => {
                let (first, root) = self.nodes(index);
                (self.artifact(first, root), false)
            }
            Owner::Code(code) => (Ok(Arc::clone(code)), true),
            Owner::Sibling(index) => equal(self, *index),
            Owner::Other(home, index) => equal(&home.upgrade()?, *index),
        })
    }

    /// The program of an expression.
    pub(crate) fn program(self: &Arc<Self>, index: u32) -> Result<Program, Error> {
        let code = Arc::clone(self.code(index).0?);
        let (first, root) = self.nodes(index);
        Ok(Program::new(code, Arc::clone(self), first, root))
    }

    /// The program of an expression that is part of another one and has no number: `root`, whose nodes
    /// are among `first..=root`.
    pub(crate) fn program_of_part(self: &Arc<Self>, first: NodeId, root: NodeId) -> Result<Program, Error> {
        let artifact = self.artifact(first, root).map_err(|TooLarge| self.too_large(root))?;
        Ok(Program::new(artifact, Arc::clone(self), first, root))
    }

    /// The same with other functions than the engine's, and the full body only.
    pub(crate) fn program_with(
        self: &Arc<Self>,
        first: NodeId,
        root: NodeId,
        functions: &FunctionTable,
    ) -> Result<Program, Error> {
        self.engine.settings().bench.count();
        let environment = self.environment_with(Some(functions));
        let scratch = Scratch::default();
        let full = lower::lower_baseline(&Context {
            tree: &self.file.tree,
            first,
            root,
            environment: &environment,
            resolution: None,
            scratch: &scratch,
        });
        let full = full.map_err(|TooLarge| self.too_large(root))?;
        let artifact = Artifact { fast: Fast::default(), full: OnceLock::from(Ok(Box::new(full))) };
        Ok(Program::new(Arc::new(artifact), Arc::clone(self), first, root))
    }

    fn too_large(&self, root: NodeId) -> Error {
        Error::too_large(&self.file.source, self.file.tree.span(root))
    }

    /// Compiles the expression `root`, whose nodes are among `first..=root`.
    fn artifact(&self, first: NodeId, root: NodeId) -> Made {
        self.engine.settings().bench.make(|scratch, artifact| {
            let environment = self.environment();
            let context = Context {
                tree: &self.file.tree,
                first,
                root,
                environment: &environment,
                resolution: self.resolution(),
                scratch,
            };
            let full = lower::lower(&context, &mut artifact.fast)?;
            if let Some(full) = full {
                artifact.full = OnceLock::from(Ok(full));
            }
            Ok(())
        })
    }

    fn resolution(&self) -> Option<&Resolution> {
        if self.single.is_some() {
            return None;
        }
        let names = &self.engine.settings().names;
        Some(self.resolution.get_or_init(|| Resolution::new(&self.file.tree, &self.layout, names)))
    }

    /// What its expressions are compiled against.
    pub(crate) fn environment(&self) -> Environment<'_> {
        self.environment_with(self.engine.settings().dialect.functions.as_ref())
    }

    /// The same with other functions than the engine's.
    fn environment_with<'e>(&'e self, functions: Option<&'e FunctionTable>) -> Environment<'e> {
        let settings = self.engine.settings();
        Environment {
            layout: Some(&self.layout),
            functions,
            undefined: settings.dialect.undefined,
            short_circuit: settings.dialect.short_circuit,
            names: &settings.names,
            source: self.file.source.text(),
        }
    }
}

/// What was compiled is of use for its memory.
impl Drop for Home {
    fn drop(&mut self) {
        let codes = std::mem::take(&mut self.codes);
        let made = codes.into_iter().filter_map(|code| code.into_inner()?.ok());
        self.engine.settings().bench.take_back(made);
    }
}
