//! Which parts of its variables a set of programs reads, so that a scope takes in only those.
//!
//! A part is read when a path of constant names leads to it. Where a value escapes as a whole (it
//! is passed on, compared, iterated, returned, indexed by something computed) all of it is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use hclvm_compiler::analysis::{Need, Paths};
use hclvm_vm::Layout;
use hclvm_vm::code::Slot;
use smol_str::SmolStr;

use crate::compile::program::{Artifact, File, Program};
use crate::diagnostics::error::Error;
use crate::engine::Engine;
use crate::run::rule_set::RuleSet;
use crate::run::scope::Scope;
use crate::syntax::document::Document;

/// The parts of variables that some programs read, all compiled for one layout. Scopes
/// [made from it](Projection::scope) take in only these parts of JSON, of structs and maps through
/// serde, and of [objects of the host](crate::ingest::HostObject), [records](crate::record) among them: the
/// rest of a JSON text is checked and passed over, other fields are not serialized, other attributes
/// of an object are not asked for.
///
/// What these programs give is the same as with the whole values. Any other program that reads
/// more is refused such a scope when it is run.
///
/// ```
/// let engine = hclvm::Engine::standard();
/// let document = engine.parse("x.hcl", r#"
///     allow = user.role == "admin" || contains(user.groups, resource.group)
/// "#)?;
/// let mut scope = document.projection().scope();
/// scope.set_all_json(r#"{
///     "user": {"role": "guest", "groups": ["a", "b"], "history": [{"at": 1}, {"at": 2}]},
///     "resource": {"group": "b", "size": 1234}
/// }"#)?;
/// let allow = document.attribute("allow").expect("it is there").program()?;
/// assert_eq!(engine.session().run(&allow, &scope)?.as_bool(), Some(true));
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    engine: Engine,
    layout: Arc<Layout>,
    paths: Paths,
    variables: Parts,
    covered: Covered,
}

/// Who is known to read no more: kept alive, so that an address stands for one of them.
#[derive(Debug)]
enum Covered {
    /// All programs of a file.
    File(Arc<File>),
    /// Programs with this code, sorted by address.
    Codes(Vec<Arc<Artifact>>),
    /// The rules of a set.
    Rules(Arc<[Program]>),
}

/// What some programs of one layout read, and their code.
struct ReadBy {
    layout: Arc<Layout>,
    paths: Paths,
    codes: Vec<Arc<Artifact>>,
}

const NO_PROGRAM: &str = "a projection needs at least one program";

impl Engine {
    /// What `programs` read together.
    ///
    /// # Errors
    /// No programs, programs compiled for different layouts or by another engine.
    pub fn projection<'p>(
        &self,
        programs: impl IntoIterator<Item = &'p Program>,
    ) -> Result<Projection, Error> {
        let ReadBy { layout, paths, mut codes } = self.read_by(programs)?;
        codes.sort_by_key(Arc::as_ptr);
        Ok(Projection::new(self.clone(), layout, paths, Covered::Codes(codes)))
    }

    fn read_by<'p>(&self, programs: impl IntoIterator<Item = &'p Program>) -> Result<ReadBy, Error> {
        let mut programs = programs.into_iter().peekable();
        let first = programs.peek().ok_or_else(|| Error::layout(NO_PROGRAM))?;
        let layout = first.layout();
        let (mut paths, mut codes) = (Paths::new(), Vec::new());
        for program in programs {
            program.check_layout(layout)?;
            if !program.is_of(self) {
                return Err(Error::layout("a program of another engine"));
            }
            for (name, need) in program.referenced_paths() {
                merge(paths.entry(name).or_insert_with(nothing), need);
            }
            codes.push(Arc::clone(program.artifact()));
        }
        Ok(ReadBy { layout: Arc::clone(layout), paths, codes })
    }
}

impl RuleSet {
    /// What its rules read together.
    ///
    /// # Errors
    /// A set without rules.
    pub fn projection(&self) -> Result<Projection, Error> {
        let first = self.programs().first().ok_or_else(|| Error::layout(NO_PROGRAM))?;
        let ReadBy { layout, paths, .. } = first.engine().read_by(self.programs())?;
        let covered = Covered::Rules(Arc::clone(self.shared_programs()));
        Ok(Projection::new(first.engine().clone(), layout, paths, covered))
    }
}

impl Document {
    /// What all its programs read together, for scopes of its layout.
    pub fn projection(&self) -> Projection {
        let covered = Covered::File(Arc::clone(self.file()));
        Projection::new(self.engine().clone(), Arc::clone(self.layout()), self.referenced_paths(), covered)
    }
}

impl Projection {
    fn new(engine: Engine, layout: Arc<Layout>, paths: Paths, covered: Covered) -> Self {
        let variables = Parts::new(&engine, &layout, &paths);
        Self(Arc::new(Inner { engine, layout, paths, variables, covered }))
    }

    /// The layout of its scopes.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.0.layout
    }

    /// The parts of each variable that are read.
    pub fn paths(&self) -> &Paths {
        &self.0.paths
    }

    /// A scope without values that takes in only what is read.
    pub fn scope(&self) -> Scope {
        Scope::projected(Arc::clone(&self.0.layout), self.0.engine.clone(), Some(self.clone()))
    }

    /// What is read of a variable of the layout.
    #[inline]
    pub(crate) fn variable(&self, name: &str) -> Option<(Slot, &Read)> {
        let (_, part) = self.0.variables.find(name)?;
        Some((part.slot, &part.read))
    }

    /// Whether the program reads no more than that.
    #[inline]
    pub(crate) fn admits(&self, program: &Program) -> bool {
        let known = match &self.0.covered {
            Covered::File(file) => Arc::ptr_eq(file, program.file()),
            Covered::Codes(codes) => {
                let address = Arc::as_ptr(program.artifact());
                codes.binary_search_by_key(&address, Arc::as_ptr).is_ok()
            }
            Covered::Rules(rules) => {
                rules.iter().any(|rule| Arc::ptr_eq(rule.artifact(), program.artifact()))
            }
        };
        known || self.covers(&program.referenced_paths())
    }

    /// Whether the rules of the set read no more than that.
    #[inline]
    pub(crate) fn admits_rules(&self, rules: &RuleSet) -> bool {
        let programs = rules.shared_programs();
        let known = matches!(&self.0.covered, Covered::Rules(known) if Arc::ptr_eq(known, programs));
        known || programs.iter().all(|rule| self.admits(rule))
    }

    /// Whether the programs of the document read no more than that.
    pub(crate) fn admits_all(&self, document: &Document) -> bool {
        let known = matches!(&self.0.covered, Covered::File(file) if Arc::ptr_eq(file, document.file()));
        known || self.covers(&document.referenced_paths())
    }

    #[cold]
    fn covers(&self, paths: &Paths) -> bool {
        let read = |name: &SmolStr, need| self.0.paths.get(name).is_some_and(|known| is_within(known, need));
        paths.iter().all(|(name, need)| self.0.layout.slot(name).is_none() || read(name, need))
    }
}

fn nothing() -> Need {
    Need::Attributes(BTreeMap::new())
}

/// Adds what is read to `need`. Paths have a greatest length, which bounds the recursion.
fn merge(need: &mut Need, other: Need) {
    match (need, other) {
        (Need::Whole, _) => {}
        (need, Need::Whole) => *need = Need::Whole,
        (Need::Attributes(known), Need::Attributes(other)) => {
            for (name, more) in other {
                merge(known.entry(name).or_insert_with(nothing), more);
            }
        }
    }
}

/// Whether all of `need` is in `known`.
fn is_within(known: &Need, need: &Need) -> bool {
    match (known, need) {
        (Need::Whole, _) => true,
        (Need::Attributes(_), Need::Whole) => false,
        (Need::Attributes(known), Need::Attributes(needed)) => {
            needed.iter().all(|(name, need)| known.get(name).is_some_and(|known| is_within(known, need)))
        }
    }
}

/// What is read of a value, made to be asked often.
#[derive(Debug)]
pub(crate) enum Read {
    /// All of it.
    Whole,
    /// Of an object these attributes, of anything else all.
    Parts(Parts),
}

/// Attributes that are read, sorted by name.
#[derive(Debug)]
pub(crate) struct Parts(Box<[Part]>);

/// An attribute or variable that is read.
#[derive(Debug)]
pub(crate) struct Part {
    name: Box<str>,
    symbol: u32,
    /// The place of a variable; nothing of an attribute.
    slot: Slot,
    read: Read,
}

impl Part {
    /// Its name, in normal form C.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The number of its name in the engine's table.
    pub(crate) fn symbol(&self) -> u32 {
        self.symbol
    }

    /// What is read of its value.
    pub(crate) fn read(&self) -> &Read {
        &self.read
    }
}

/// Up to here names are compared one after the other.
const FEW: usize = 12;

impl Parts {
    /// The variables of a layout.
    fn new(engine: &Engine, layout: &Layout, paths: &Paths) -> Self {
        let variable = |(name, need): (&SmolStr, &Need)| {
            let slot = layout.slot(name)?;
            Some(Part { name: name.as_str().into(), symbol: 0, slot, read: Read::new(engine, need) })
        };
        Self(paths.iter().filter_map(variable).collect())
    }

    /// The attribute called `name`, and its place.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<(usize, &Part)> {
        if self.0.len() <= FEW {
            return self.0.iter().enumerate().find(|(_, part)| *part.name == *name);
        }
        let at = self.0.binary_search_by(|part| (*part.name).cmp(name)).ok()?;
        Some((at, self.0.get(at)?))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Part> {
        self.0.iter()
    }
}

impl Read {
    /// The recursion is bounded by the greatest length of a path.
    fn new(engine: &Engine, need: &Need) -> Self {
        let Need::Attributes(attributes) = need else { return Self::Whole };
        let symbols = engine.settings().names.intern(attributes.keys().map(SmolStr::as_str));
        let part = |((name, need), symbol): ((&SmolStr, &Need), u32)| Part {
            name: name.as_str().into(),
            symbol,
            slot: Slot(0),
            read: Self::new(engine, need),
        };
        Self::Parts(Parts(attributes.iter().zip(symbols).map(part).collect()))
    }
}
