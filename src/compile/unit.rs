//! A compilation unit: the expressions of one parsed text for scopes of one layout, and their code.
//!
//! Every program refers to its unit, so the code of all expressions of a unit stays as long as one
//! program or document uses it. Code may come from another unit that has an equal expression; the
//! [cache](crate::compile::cache) finds it.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use hclvm_compiler::analysis::{self, Clause, Determined, Folded, Meaning, Obstacle};
use hclvm_compiler::lower::{self, Context, Environment, Resolution, Scratch, TooLarge};
use hclvm_compiler::tree::NodeId;
use hclvm_vm::code::columns::ColumnCode;
use hclvm_vm::code::{Code, Slot};
use hclvm_vm::{FunctionTable, Layout, Type, cast};

use crate::compile::artifact::SharedArtifact;
use crate::compile::cache::CachedCode;
use crate::compile::file::{SourceFile, SourceKind};
use crate::compile::saved_code::SavedCode;
use crate::compile::settings::Engine;
use crate::diagnostics::error::Error;
use crate::dialect::Undefined;

/// The code of an expression, unless it does not fit the instruction format.
pub(crate) type Compiled = Result<SharedArtifact, TooLarge>;

/// The code of each expression of a unit. That of a single one needs no memory of its own.
#[derive(Debug)]
enum Codes {
    One([OnceLock<Compiled>; 1]),
    Many(Box<[OnceLock<Compiled>]>),
}

impl Deref for Codes {
    type Target = [OnceLock<Compiled>];

    #[inline]
    fn deref(&self) -> &Self::Target {
        match self {
            Self::One(code) => code,
            Self::Many(codes) => codes,
        }
    }
}

impl DerefMut for Codes {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::One(code) => code,
            Self::Many(codes) => codes,
        }
    }
}

/// The tests without which an expression is not true, or why there are none, and the layout of its names.
pub(crate) type NecessaryTests<'u> = (Result<Vec<Clause<'u>>, Obstacle>, &'u Layout);

/// Expressions that do not see some names of the layout, with the layouts that they see: first node and root of
/// each, in the order of the roots. See [`hidden`](crate::syntax::document).
pub(crate) type HiddenNames = Vec<((NodeId, NodeId), Arc<Layout>)>;

/// The expressions of a text, numbered like the attributes of its tree, and their code.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) engine: Engine,
    pub(crate) layout: Arc<Layout>,
    pub(crate) file: Arc<SourceFile>,
    /// The first node and the root of the only expression, in a unit that has one. Otherwise the
    /// expressions are those of the file's attributes.
    single: Option<(NodeId, NodeId)>,
    /// Empty for nearly all documents.
    hidden: HiddenNames,
    /// The slots and symbols of the file's names. Computed for the first expression that is
    /// compiled, and only for a unit of many.
    resolution: OnceLock<Resolution>,
    /// The saved code of a loaded document.
    saved: Option<SavedCode>,
    codes: Codes,
    /// Where the code of each expression comes from, by groups of `1 << group_bits` expressions. A group is
    /// looked up when the code of one of its expressions is first needed; it is empty if all are compiled.
    lookups: Box<[OnceLock<Box<[CachedCode]>>]>,
    group_bits: u32,
}

/// The binary logarithm of the number of expressions looked up together: enough to make the lock and the upgrade
/// of weak references cheap, few enough that one attribute of a large file does not hash all others.
const GROUP_BITS: u32 = 8;

/// The most expressions of a unit that keeps the code that is linked. It takes half a kilobyte each, and saves
/// compiling again for updates, selections and what falls back.
const MOST_KEPT: usize = 1000;

impl Unit {
    /// Creates the unit of the attributes of a file.
    pub(crate) fn of_attributes(
        engine: &Engine,
        layout: &Arc<Layout>,
        file: &Arc<SourceFile>,
        hidden: HiddenNames,
    ) -> Arc<Self> {
        Self::new(engine, layout, file, None, hidden, file.attribute_count(), None)
    }

    /// Creates the unit of the attributes of a loaded document, with the code that was loaded.
    pub(crate) fn of_loaded(
        engine: &Engine,
        layout: &Arc<Layout>,
        file: &Arc<SourceFile>,
        hidden: HiddenNames,
        saved: SavedCode,
    ) -> Arc<Self> {
        Self::new(engine, layout, file, None, hidden, file.attribute_count(), Some(saved))
    }

    /// Creates the unit of the expression `root`, whose nodes are among `first..=root`.
    pub(crate) fn of_expression(
        engine: &Engine,
        layout: &Arc<Layout>,
        file: &Arc<SourceFile>,
        first: NodeId,
        root: NodeId,
    ) -> Arc<Self> {
        Self::new(engine, layout, file, Some((first, root)), Vec::new(), 1, None)
    }

    /// Creates a unit of a part of an expression, `root`, whose nodes are among `first..=root`, with its code.
    pub(crate) fn of_part(&self, first: NodeId, root: NodeId, code: Compiled) -> Arc<Self> {
        let layout = self.seen_layout(root);
        let hidden = layout.into_iter().map(|layout| ((first, root), Arc::clone(layout))).collect();
        Arc::new(Self {
            engine: self.engine.clone(),
            layout: Arc::clone(&self.layout),
            file: Arc::clone(&self.file),
            single: Some((first, root)),
            hidden,
            resolution: OnceLock::new(),
            saved: None,
            codes: Codes::One([OnceLock::from(code)]),
            lookups: Box::default(),
            group_bits: 0,
        })
    }

    fn new(
        engine: &Engine,
        layout: &Arc<Layout>,
        file: &Arc<SourceFile>,
        single: Option<(NodeId, NodeId)>,
        hidden: HiddenNames,
        expressions: usize,
        saved: Option<SavedCode>,
    ) -> Arc<Self> {
        // Attributes in JSON contain each other. Hashing all of them would take time quadratic in the
        // size of the file, so they are looked up one by one.
        let group_bits = if file.kind == SourceKind::Config { GROUP_BITS } else { 0 };
        let groups = expressions.div_ceil(1 << group_bits);
        Arc::new(Self {
            engine: engine.clone(),
            layout: Arc::clone(layout),
            file: Arc::clone(file),
            single,
            hidden,
            resolution: OnceLock::new(),
            saved,
            codes: match expressions {
                1 => Codes::One([OnceLock::new()]),
                _ => Codes::Many((0..expressions).map(|_| OnceLock::new()).collect()),
            },
            lookups: (0..groups).map(|_| OnceLock::new()).collect(),
            group_bits,
        })
    }

    /// Returns the first node and the root of an expression.
    pub(crate) fn nodes(&self, at: u32) -> (NodeId, NodeId) {
        self.single.unwrap_or_else(|| {
            let attribute = self.file.attribute(at);
            (attribute.first_node, attribute.expr)
        })
    }

    /// Returns the layout that an expression sees, if that has fewer names than the unit's. So do its parts.
    fn seen_layout(&self, root: NodeId) -> Option<&Arc<Layout>> {
        // Most documents hide no name, and this is asked several times for each expression.
        if self.hidden.is_empty() {
            return None;
        }
        let ((first, _), layout) =
            self.hidden.get(self.hidden.partition_point(|((_, end), _)| *end < root))?;
        (*first <= root).then_some(layout)
    }

    /// Returns the saved linked code of the module of a loaded document.
    pub(crate) fn saved_module(&self) -> Option<&[u8]> {
        self.saved.as_ref().and_then(SavedCode::module)
    }

    /// Returns true if the code of an expression may serve equal expressions: those that do not see all names of
    /// their layout are equal to none.
    #[inline]
    pub(crate) fn is_shared(&self, at: u32) -> bool {
        self.hidden.is_empty() || self.seen_layout(self.nodes(at).1).is_none()
    }

    /// Returns the error of an expression that does not fit the instruction format.
    // Cold: few expressions are that large.
    #[cold]
    pub(crate) fn too_large(&self, at: u32) -> Error {
        Error::too_large(&self.file.source, self.file.tree().span(self.nodes(at).1))
    }

    /// Returns the text of an expression.
    pub(crate) fn text(&self, at: u32) -> &[u8] {
        self.texts()(at)
    }

    /// Returns a function from the numbers of expressions to their texts.
    #[inline]
    pub(crate) fn texts<'u>(&'u self) -> impl Fn(u32) -> &'u [u8] {
        let (known, source) = (self.file.known(), self.file.source.text());
        let single = self.single.map(|(_, root)| self.file.tree().span(root));
        move |at| single.unwrap_or_else(|| known.expression_span(at)).bytes(source)
    }

    /// Returns true if a layout, with whose names that of the unit begins, has all names that an expression
    /// reads, so that its code depends on no other names.
    pub(crate) fn is_complete_in(&self, at: u32, layout: &Layout) -> bool {
        let names = || analysis::names(self.file.tree(), [self.nodes(at).1]);
        self.engine.settings().dialect.undefined == Undefined::Error
            && names().iter().all(|name| layout.slot(name).is_some() && !self.layout.has_derived(name))
    }

    /// Returns the code of an expression if it is compiled.
    pub(crate) fn code_if_compiled(&self, at: u32) -> Option<&SharedArtifact> {
        let code = self.codes.get(cast::index(at))?.get();
        code.or_else(|| self.codes.get(cast::index(self.equal_to(at)?))?.get())?.as_ref().ok()
    }

    /// Returns the expression of the unit whose code serves as that of `at`, if there is one and `at` was looked up.
    fn equal_to(&self, at: u32) -> Option<u32> {
        let group = at >> self.group_bits;
        let lookups = self.lookups.get(cast::index(group))?.get()?;
        match lookups.get(cast::index(at - (group << self.group_bits)))? {
            CachedCode::SameUnit(equal) => Some(*equal),
            _ => None,
        }
    }

    /// Uses the code of an equal expression of another unit. Returns false if that is not compiled, or is for
    /// another layout.
    pub(crate) fn take_code(&self, at: u32, other: &Self, other_at: u32) -> bool {
        let code = other.code_if_compiled(other_at).filter(|_| Arc::ptr_eq(&self.layout, &other.layout));
        code.is_some_and(|code| self.codes[cast::index(at)].set(Ok(code.clone())).is_ok())
    }

    /// Returns the code of an expression, which is compiled if no unit has it, and whether it or an
    /// equal expression of another unit was known before.
    pub(crate) fn code(self: &Arc<Self>, at: u32) -> (&Compiled, bool) {
        let cell = &self.codes[cast::index(at)];
        if let Some(code) = cell.get() {
            return (code, true);
        }
        if let Some(code) = self.saved.as_ref().and_then(|saved| saved.load(at)) {
            return (cell.get_or_init(|| Ok(code)), true);
        }
        // Equal expressions share the cell of the first one: entering its code in theirs as well would take four
        // atomic operations.
        let lookup = match self.look_up(at) {
            CachedCode::SameUnit(equal) => return self.code(*equal),
            lookup => lookup,
        };
        let mut search = CodeSearch { unit: self, at, lookup, known: true };
        // Captures one reference: the cell moves the closure twice.
        let search = &mut search;
        let code = cell.get_or_init(|| search.find_or_compile());
        (code, search.known)
    }

    /// Returns the code of an expression to be linked. In a large file it is not kept, because it is seldom
    /// needed beside the stream it is linked into.
    pub(crate) fn code_to_link(self: &Arc<Self>, at: u32) -> Compiled {
        if self.codes.len() <= MOST_KEPT || self.codes[cast::index(at)].get().is_some() {
            return self.code(at).0.clone();
        }
        if let Some(code) = self.saved.as_ref().and_then(|saved| saved.load(at)) {
            return Ok(code);
        }
        match self.look_up(at) {
            CachedCode::Ready(code) => return Ok(code.clone()),
            // Kept, so that an expression that is repeated is compiled twice at most.
            CachedCode::SameUnit(equal) => return self.code(*equal).0.clone(),
            CachedCode::OtherUnit(unit, equal) => {
                if let Some(code) = unit.upgrade().and_then(|unit| unit.code_if_compiled(*equal).cloned()) {
                    return Ok(code);
                }
            }
            CachedCode::Compile => {}
        }
        let (first, root) = self.nodes(at);
        self.compile(first, root, None)
    }

    /// Returns where the code of an expression comes from. Enters the expression in the cache the
    /// first time.
    pub(crate) fn look_up(self: &Arc<Self>, at: u32) -> &CachedCode {
        let group = at >> self.group_bits;
        let first = group << self.group_bits;
        let lookups = self.lookups[cast::index(group)].get_or_init(|| {
            let end = (first + (1 << self.group_bits)).min(cast::length(self.codes.len()));
            let lookups = self.engine.settings().cache.look_up(self, first..end);
            let is_new = |lookup: &CachedCode| matches!(lookup, CachedCode::Compile);
            // Usual, and worth no memory.
            if lookups.iter().all(is_new) { Box::default() } else { lookups }
        });
        lookups.get(cast::index(at - first)).unwrap_or(&CachedCode::Compile)
    }

    /// Compiles the expression `root`, whose nodes are among `first..=root`, for the fast tier, and
    /// for the baseline tier if that cannot be deferred. The constants of `folded` take the place of parts.
    pub(crate) fn compile(&self, first: NodeId, root: NodeId, folded: Option<&Folded<'_>>) -> Compiled {
        self.engine.settings().scratch_pool.compile(|scratch, artifact| {
            let environment = self.environment(root);
            let context = Context {
                tree: self.file.tree(),
                first,
                root,
                environment: &environment,
                resolution: self.resolution(root),
                folded,
                scratch,
            };
            let baseline = lower::lower(&context, &mut artifact.fast)?;
            if let Some(baseline) = baseline {
                artifact.baseline = OnceLock::from(Ok(baseline));
            }
            Ok(())
        })
    }

    /// Compiles the same expression for the baseline tier, with other functions than the engine's if
    /// there are any.
    pub(crate) fn compile_baseline(
        &self,
        first: NodeId,
        root: NodeId,
        functions: Option<&FunctionTable>,
    ) -> Result<Box<Code>, TooLarge> {
        let mut environment = self.environment(root);
        environment.functions = functions.or(environment.functions);
        let context = Context {
            tree: self.file.tree(),
            first,
            root,
            environment: &environment,
            resolution: None,
            folded: None,
            scratch: &Scratch::default(),
        };
        lower::lower_baseline(&context).map(Box::new)
    }

    /// Compiles the expression `root`, whose nodes are among `first..=root`, for vectors of rows. Returns `None` if each
    /// row has to be run alone.
    pub(crate) fn compile_columns(&self, first: NodeId, root: NodeId) -> Option<ColumnCode> {
        self.with_context(first, root, lower::lower_columns)
    }

    /// Returns the static type of the expression `root`, whose nodes are among `first..=root`.
    pub(crate) fn static_type(&self, first: NodeId, root: NodeId) -> Type<'static> {
        self.with_context(first, root, lower::static_type)
    }

    /// Lends the context of an expression whose temporaries are dropped at once.
    fn with_context<R>(&self, first: NodeId, root: NodeId, body: impl FnOnce(&Context<'_>) -> R) -> R {
        body(&Context {
            tree: self.file.tree(),
            first,
            root,
            environment: &self.environment(root),
            resolution: self.resolution(root),
            folded: None,
            scratch: &Scratch::default(),
        })
    }

    /// Returns the tests without which the expression `root` is not true, and the layout of its names.
    pub(crate) fn necessary_tests(&self, root: NodeId) -> NecessaryTests<'_> {
        let dialect = &self.engine.settings().dialect;
        let meaning = Meaning { functions: dialect.functions.as_ref(), short_circuit: dialect.short_circuit };
        let layout = self.seen_layout(root).unwrap_or(&self.layout);
        (analysis::necessary_tests(self.file.tree(), root, meaning), layout)
    }

    /// Returns the parts of the expression `root`, whose nodes are among `first..=root`, that known slots
    /// determine.
    pub(crate) fn determined(
        &self,
        first: NodeId,
        root: NodeId,
        is_known: impl Fn(Slot) -> bool,
    ) -> Determined {
        self.with_context(first, root, |context| analysis::determined(context, is_known))
    }

    /// Returns the slots and symbols of the file's names; `None` for an expression that looks up its own.
    fn resolution(&self, root: NodeId) -> Option<&Resolution> {
        if self.single.is_some() || self.seen_layout(root).is_some() {
            return None;
        }
        let names = &self.engine.settings().names;
        Some(self.resolution.get_or_init(|| Resolution::new(self.file.tree(), &self.layout, names)))
    }

    /// Returns what an expression is compiled against.
    fn environment(&self, root: NodeId) -> Environment<'_> {
        let settings = self.engine.settings();
        Environment {
            layout: Some(self.seen_layout(root).unwrap_or(&self.layout)),
            functions: settings.dialect.functions.as_ref(),
            undefined: settings.dialect.undefined,
            short_circuit: settings.dialect.short_circuit,
            names: &settings.names,
            source: self.file.source.text(),
        }
    }
}

/// The search for the code of an expression that is not compiled.
struct CodeSearch<'u> {
    unit: &'u Unit,
    at: u32,
    lookup: &'u CachedCode,
    /// True unless the code is compiled for this expression.
    known: bool,
}

impl CodeSearch<'_> {
    fn find_or_compile(&mut self) -> Compiled {
        match self.lookup {
            CachedCode::Ready(code) => return Ok(code.clone()),
            CachedCode::OtherUnit(unit, equal) => {
                if let Some(unit) = unit.upgrade() {
                    return unit.code(*equal).0.clone();
                }
            }
            // The code of another expression of this unit is in the cell of that one.
            CachedCode::SameUnit(_) | CachedCode::Compile => {}
        }
        self.known = false;
        let (first, root) = self.unit.nodes(self.at);
        self.unit.compile(first, root, None)
    }
}

/// Returns the memory of code that no other unit uses to the scratch pool.
impl Drop for Unit {
    fn drop(&mut self) {
        // They also refer to code of this unit, which then would not be the only reference.
        self.lookups = Box::default();
        let compiled = self.codes.iter_mut().filter_map(|code| code.take()?.ok());
        self.engine.settings().scratch_pool.take_back(compiled);
    }
}
