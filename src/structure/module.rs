//! Modules: a whole file as one program, with `locals` in dependency order and `dynamic` blocks expanded.
//!
//! Use a [`Module`] if the blocks of a file are not known in advance, or if values of many attributes are
//! needed at once. For a known shape, [`Document::decode`](crate::Document::decode) fills structs and a
//! [`Spec`](crate::spec::Spec) builds one value; to evaluate step by step with schemas, use an
//! [`Expansion`](crate::expansion::Expansion).
//!
//! ```text
//! locals { a = 1 }   locals { b = local.a }      evaluated first, each after those it uses
//! rule "x" { when = local.b > request.n }        then every attribute of every block
//! dynamic "port" { for_each = … content { … } }  becomes blocks of type port
//! ```
//!
//! The programs of a file are linked: `local.a` is a slot that the program of `a` writes, common
//! subexpressions of all attributes are evaluated once, and an evaluation is one run of the machine for each
//! 65,000 instructions or 256 registers, and one for each block that a `dynamic` block makes. A program that
//! falls back is evaluated by itself. Results are a flat list, which [`Values`] reads by the structure of
//! the file; an evaluation allocates nothing once the session is warm.

mod changes;
mod compare;
mod coverage;
mod dependencies;
mod explanations;
mod groups;
mod known;
mod live;
pub(crate) mod locals;
mod matching;
mod names;
mod path;
mod plan;
mod record;
mod residual;
mod rule;
mod run;
mod saved;
mod serialize;
mod specialize;
mod streams;
mod values;
mod why;

use std::fmt;
use std::sync::{Arc, OnceLock};

use hclvm_vm::Layout;
use smol_str::{SmolStr, format_smolstr};

pub use changes::{Change, Changes};
use dependencies::Dependencies;
use known::KnownVariables;
pub use live::Live;
use locals::{LOCAL, OrderedLocal};
pub(in crate::structure) use matching::RulePart;
pub use matching::{Matches, RuleSpec, Rules};
pub use path::AttributePath;
use path::RequestedAttributes;
use plan::ModulePlan;
pub(in crate::structure) use record::RecordedRules;
use streams::SavedStreams;
pub use values::{BlockValues, BodyValues, Values};
pub(in crate::structure) use why::ExplainedRule;

use crate::diagnostics::error::Error;
use crate::diagnostics::problems::ProblemCollector;
use crate::run::projection::Projection;
use crate::run::scope::Scope;
use crate::syntax::document::Document;

/// The most slots of a layout that are given to variables and locals. Locals beyond it are read through the
/// object `local`.
const MOST_SLOTS: usize = 60_000;

/// A document prepared for evaluation as a whole, with its locals in dependency order. Immutable, cheap to
/// clone, and shared between threads.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let module = engine.parse("policy.hcl", r#"
///     locals { limit = env.strict ? 10 : 100 }
///     rule "small" { when = request.size <= local.limit }
/// "#)?.module()?;
/// let mut scope = module.projection().scope();          // copies only what the module reads
/// scope.set_all_json(r#"{"env": {"strict": true}, "request": {"size": 12}}"#)?;
///
/// let mut session = engine.session();
/// let values = module.evaluate(&mut session, &scope)?;
/// assert!(values.diagnostics().is_empty());
/// let rule = values.block("rule", ["small"]).expect("it is there");
/// assert_eq!(rule.attribute("when").and_then(|when| when.as_bool()), Some(false));
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone)]
pub struct Module(Arc<ModuleState>);

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.document.source().name();
        write!(f, "Module({name:?}, {} locals)", self.0.locals.len())
    }
}

#[derive(Debug)]
struct ModuleState {
    /// The document, for scopes.
    document: Document,
    /// The same document, compiled for a layout in which locals have slots.
    linked: Document,
    /// The locals in evaluation order.
    locals: Arc<[OrderedLocal]>,
    /// The slot of `local`.
    object_slot: Option<usize>,
    /// The paths of the attributes that are evaluated; `None` for all.
    wanted: Option<Arc<[AttributePath]>>,
    /// The variables that it is specialized for.
    known: Option<Arc<KnownVariables>>,
    plan: ModulePlan,
    /// Found when first needed.
    dependencies: OnceLock<Dependencies>,
}

impl Document {
    /// Returns the document as a module whose variables are all names that the text uses.
    ///
    /// # Errors
    /// Locals that are defined twice or form a cycle; expressions too large to compile.
    pub fn module(&self) -> Result<Module, Error> {
        Module::of_saved(self).unwrap_or_else(|| Module::new(self.clone()))
    }

    /// Returns the document as a module with exactly these variables. Other names are undefined: the
    /// dialect decides what they mean, for [`Undefined::Text`](crate::Undefined::Text) at compile time.
    ///
    /// # Errors
    /// See [`Document::module`].
    pub fn module_for<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Module, Error> {
        let iterators = self.iterators();
        // No expression reads a name with a dot.
        let names = names.into_iter().filter(|name| !name.contains('.')).map(SmolStr::new);
        let names: Vec<SmolStr> = names.chain([SmolStr::new(LOCAL)]).collect();
        let bound: Vec<SmolStr> = iterators.iter().filter(|name| !names.contains(name)).cloned().collect();
        let layout = Layout::new(names.into_iter().chain(iterators)).with_bound(bound);
        Module::new(self.for_layout(&Arc::new(layout)))
    }
}

impl Module {
    fn new(document: Document) -> Result<Self, Error> {
        let mut problems = ProblemCollector::new(document.engine().settings().limits.diagnostics);
        let locals = locals::locals(&document, &mut problems);
        let diagnostics = document.file().diagnostics(problems.take());
        if diagnostics.has_errors() {
            return Err(diagnostics.into());
        }
        let linked = with_slots(&document, &locals);
        Self::planned(document, linked, locals.into(), None, None, None)
    }

    /// Plans the same file for other attributes and other known variables.
    fn again(
        &self,
        wanted: Option<Arc<[AttributePath]>>,
        known: Option<Arc<KnownVariables>>,
    ) -> Result<Self, Error> {
        let ModuleState { document, linked, locals, .. } = &*self.0;
        Self::planned(document.clone(), linked.clone(), Arc::clone(locals), wanted, known, None)
    }

    fn planned(
        document: Document,
        linked: Document,
        locals: Arc<[OrderedLocal]>,
        wanted: Option<Arc<[AttributePath]>>,
        known: Option<Arc<KnownVariables>>,
        saved: Option<SavedStreams<'_>>,
    ) -> Result<Self, Error> {
        let paths = wanted.as_ref().map(|paths| paths.iter().map(AttributePath::segments).collect());
        let paths = paths.map_or(RequestedAttributes::All, RequestedAttributes::Paths);
        let plan = plan::plan(&linked, document.layout().len(), &locals, &paths, known.as_deref(), saved)?;
        let object_slot = document.layout().slot(LOCAL).map(|slot| usize::from(slot.0));
        let dependencies = OnceLock::new();
        let state = ModuleState { document, linked, locals, object_slot, wanted, known, plan, dependencies };
        Ok(Self(Arc::new(state)))
    }

    /// Returns the part of the module to which paths lead: those attributes, and the locals that they need.
    /// Nothing else is evaluated, and problems in other attributes are not found. A path that leads to
    /// nothing is ignored. Blocks that a `dynamic` block makes are selected by their type, whatever their
    /// labels.
    ///
    /// # Errors
    /// See [`Document::module`].
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", r#"
    ///     locals { limit = 10 }
    ///     rule "small" {
    ///       when   = request.size <= local.limit
    ///       reason = "at most ${local.limit}, not ${request.size}"
    ///     }
    /// "#)?.module()?;
    /// let conditions = module.select(&["rule.*.when".parse().expect("a path")])?;
    /// let mut scope = conditions.scope();
    /// scope.set_json("request", r#"{"size": 3}"#)?;
    /// let mut session = engine.session();
    /// let values = conditions.evaluate(&mut session, &scope)?;
    /// let rule = values.block("rule", ["small"]).expect("it is there");
    /// assert_eq!(rule.body().attributes().count(), 1);
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn select(&self, paths: &[AttributePath]) -> Result<Self, Error> {
        self.again(Some(paths.into()), self.0.known.clone())
    }

    /// Returns the document.
    pub fn document(&self) -> &Document {
        &self.0.document
    }

    /// Iterates over the names of the locals that are evaluated, each after those it uses.
    pub fn locals(&self) -> impl Iterator<Item = &str> {
        let ModuleState { plan, locals, .. } = &*self.0;
        let rules = plan.rules.iter().map(|rule| rule.position as usize);
        rules.filter_map(|position| Some(locals.get(position.checked_sub(plan.slots)?)?.name.as_str()))
    }

    /// Iterates over the names of the variables that a scope may set.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.document().layout().names().iter().map(SmolStr::as_str).filter(|name| *name != LOCAL)
    }

    /// Creates a scope without values, which takes in whole values. One of [`Module::projection`] is set faster.
    pub fn scope(&self) -> Scope {
        self.document().scope()
    }

    /// Returns what the expressions of the document read together. A scope made from it copies only these parts of
    /// structs and JSON. That of a [selection](Module::select) is the same: its scopes suit the whole module.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("x.hcl", "locals { vip = user.rank > 9 }\nfee = local.vip ? 0 : order.sum / 10")?.module()?;
    /// let mut scope = module.projection().scope();
    /// scope.set_all_json(r#"{"user": {"rank": 3, "history": [1, 2, 3]}, "order": {"sum": 50, "items": []}}"#)?;
    /// assert_eq!(scope.get("user").expect("it is set").to_string(), "{rank = 3}");
    /// let mut session = engine.session();
    /// let values = module.evaluate(&mut session, &scope)?;
    /// assert_eq!(values.attribute("fee").and_then(|fee| fee.as_i64()), Some(5));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn projection(&self) -> Projection {
        self.document().projection()
    }
}

/// Returns the document compiled for a layout in which the locals have slots behind those of scopes.
pub(in crate::structure) fn with_slots(document: &Document, locals: &[OrderedLocal]) -> Document {
    let names = document.layout().names();
    // A dynamic block whose iterator is called `local` hides the locals in its content.
    let hidden = || document.iterators().iter().any(|name| name == LOCAL);
    if document.layout().slot(LOCAL).is_none() || locals.is_empty() || hidden() {
        return document.clone();
    }
    let room = MOST_SLOTS.saturating_sub(names.len());
    let slots = locals.iter().take(room).map(|local| format_smolstr!("{LOCAL}.{}", local.name));
    let bound = document.layout().bound().iter().cloned();
    document.for_layout(&Arc::new(Layout::new(names.iter().cloned().chain(slots)).with_bound(bound)))
}
