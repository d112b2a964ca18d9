//! Projections: which parts of its variables a set of programs reads, so that a scope takes in only
//! those.
//!
//! A part is read if a path of constant names leads to it, which may go through the elements of a tuple that a
//! `for` expression iterates over or a splat expands. Where a value is used as a whole (passed on, compared,
//! returned, indexed by a computed key), all of it is read. Compilation finds the paths; [`parts`] is their form
//! for the readers of values.

mod parts;

use std::collections::btree_map::Entry;
use std::ptr;
use std::sync::Arc;

use hclvm_compiler::analysis::Paths;
use hclvm_functions::PlainString;
use hclvm_vm::Layout;
use hclvm_vm::code::Slot;
use smol_str::SmolStr;

use crate::compile::artifact::SharedArtifact;
use crate::compile::file::SourceFile;
use crate::compile::program::Program;
use crate::compile::settings::Engine;
use crate::diagnostics::error::Error;
use crate::syntax::document::Document;

pub(crate) use parts::{Read, ReadPart, ReadParts};

/// The parts of variables that some programs read, all compiled for one layout. Scopes
/// [made from it](Projection::scope) take in only these parts of JSON, of structs and maps through
/// serde, and of [host objects](crate::ingest::HostObject), [records](crate::record) among them: the
/// rest of a JSON text is checked and skipped, other fields are not serialized, and other attributes
/// of an object are not requested. Of JSON arrays that for expressions iterate over and splats expand, the elements
/// have the attributes that these read; other sources give whole elements.
///
/// The programs return what they return for whole values. Running another program that reads more
/// is an error.
///
/// ```
/// let engine = hclvm::Engine::new();
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
pub struct Projection(Arc<ProjectionState>);

#[derive(Debug)]
struct ProjectionState {
    engine: Engine,
    layout: Arc<Layout>,
    paths: Paths,
    variables: ReadParts,
    covered: CoveredPrograms,
}

/// Programs that are known to read no more, found by address instead of by comparing paths. They
/// are kept alive, so that no other program gets their address.
#[derive(Debug)]
enum CoveredPrograms {
    /// All programs of a file.
    File(Arc<SourceFile>),
    /// Programs with this code, sorted by address.
    Codes(Vec<SharedArtifact>),
    /// The rules of a set.
    Rules(Arc<Vec<Program>>),
}

impl Engine {
    /// Returns what `programs` read together.
    ///
    /// # Errors
    /// No programs, or programs compiled for different layouts or by another engine.
    pub fn projection<'p>(
        &self,
        programs: impl IntoIterator<Item = &'p Program>,
    ) -> Result<Projection, Error> {
        let programs: Vec<&Program> = programs.into_iter().collect();
        let mut codes =
            programs.iter().map(|program| program.shared_artifact()).collect::<Result<Vec<_>, _>>()?;
        codes.sort_by_key(SharedArtifact::as_ptr);
        Projection::of_programs(self, programs, CoveredPrograms::Codes(codes))
    }
}

impl Document {
    /// Returns what all its programs read together, for scopes of its layout.
    pub fn projection(&self) -> Projection {
        let covered = CoveredPrograms::File(Arc::clone(self.file()));
        Projection::new(self.engine(), self.layout(), self.projected_paths(), covered)
    }
}

impl Projection {
    /// Returns what the rules of a set read together.
    ///
    /// # Errors
    /// No rules.
    pub(crate) fn of_rules(rules: &Arc<Vec<Program>>) -> Result<Self, Error> {
        let engine = rules.first().ok_or_else(no_program)?.engine();
        Self::of_programs(engine, rules.iter().collect(), CoveredPrograms::Rules(Arc::clone(rules)))
    }

    fn of_programs(
        engine: &Engine,
        programs: Vec<&Program>,
        covered: CoveredPrograms,
    ) -> Result<Self, Error> {
        let layout = programs.first().ok_or_else(no_program)?.layout();
        let mut paths = Paths::new();
        for program in &programs {
            program.check_layout(layout)?;
            if !program.is_of(engine) {
                return Err(Error::layout("a program of another engine"));
            }
            for (name, need) in program.projected_paths() {
                match paths.entry(name) {
                    Entry::Vacant(vacant) => drop(vacant.insert(need)),
                    Entry::Occupied(mut known) => known.get_mut().add(need),
                }
            }
        }
        Ok(Self::new(engine, layout, paths, covered))
    }

    fn new(engine: &Engine, layout: &Arc<Layout>, paths: Paths, covered: CoveredPrograms) -> Self {
        let variables = ReadParts::of_layout(&engine.settings().names, layout, &paths);
        let (engine, layout) = (engine.clone(), Arc::clone(layout));
        Self(Arc::new(ProjectionState { engine, layout, paths, variables, covered }))
    }

    /// Returns the slots of the variables that are read.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.0.variables.iter().map(|part| part.slot())
    }

    /// Returns the layout of its scopes.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.0.layout
    }

    /// Returns true if both are clones of one projection.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the parts of each variable that are read.
    pub fn paths(&self) -> &Paths {
        &self.0.paths
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Returns the slot of a variable and what is read of it, if anything is.
    #[inline]
    pub(crate) fn variable(&self, name: &str) -> Option<(Slot, &Read)> {
        let (_, part) = self.0.variables.find(name)?;
        Some((part.slot(), part.read()))
    }

    /// Returns the number of a variable among those that are read; `None` if nothing of it is.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.0.variables.find(name).map(|(at, _)| at)
    }

    /// Like [`Projection::position`], for a name of a JSON text in normal form C, which is probably `likely`.
    #[inline]
    pub(crate) fn plain_position(&self, name: &PlainString<'_>, likely: usize) -> Option<usize> {
        self.0.variables.find_plain(name, likely).map(|(at, _)| at)
    }

    /// Returns the slot of a variable by its number, and what is read of it.
    #[inline]
    pub(crate) fn variable_at(&self, at: usize) -> Option<(Slot, &Read)> {
        let part = self.0.variables.get(at)?;
        Some((part.slot(), part.read()))
    }

    /// Returns true if the program reads no more than the projection has.
    #[inline]
    pub(crate) fn admits(&self, program: &Program) -> bool {
        let known = match &self.0.covered {
            CoveredPrograms::File(file) => Arc::ptr_eq(file, program.file()),
            CoveredPrograms::Codes(codes) => {
                let address = ptr::from_ref(program.artifact());
                codes.binary_search_by_key(&address, SharedArtifact::as_ptr).is_ok()
            }
            CoveredPrograms::Rules(rules) => {
                rules.iter().any(|rule| ptr::eq(rule.artifact(), program.artifact()))
            }
        };
        known || self.covers(&program.projected_paths())
    }

    /// Returns true if the rules of a set read no more than the projection has.
    #[inline]
    pub(crate) fn admits_rules(&self, rules: &Arc<Vec<Program>>) -> bool {
        match &self.0.covered {
            CoveredPrograms::Rules(known) if Arc::ptr_eq(known, rules) => true,
            // The rules before some were changed.
            CoveredPrograms::Rules(known) => rules.iter().enumerate().all(|(at, rule)| {
                let is_kept = |known: &Program| ptr::eq(known.artifact(), rule.artifact());
                known.get(at).is_some_and(is_kept) || self.covers(&rule.projected_paths())
            }),
            _ => rules.iter().all(|rule| self.admits(rule)),
        }
    }

    /// Returns true if the programs of a document read no more than the projection has.
    pub(crate) fn admits_document(&self, document: &Document) -> bool {
        let known =
            matches!(&self.0.covered, CoveredPrograms::File(file) if Arc::ptr_eq(file, document.file()));
        known || self.covers(&document.projected_paths())
    }

    // Out of line: the programs that a projection was made from are found by address.
    #[cold]
    fn covers(&self, paths: &Paths) -> bool {
        let read = |name: &SmolStr, need| self.0.paths.get(name).is_some_and(|known| known.covers(need));
        paths.iter().all(|(name, need)| self.0.layout.slot(name).is_none() || read(name, need))
    }
}

fn no_program() -> Error {
    Error::layout("a projection needs at least one program")
}
