//! Updates: a document parsed again from another text, which keeps the code of every expression
//! that did not change. The comparison of both is in `difference`; the engine's cache finds equal expressions
//! elsewhere.

mod difference;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hclvm_vm::Layout;

use crate::clock::TimePoint;
use crate::diagnostics::error::{Diagnostics, Error};
use crate::syntax::document::{Attribute, Document};
use difference::AttributeDifference;

/// What an update changed, attribute by attribute. An attribute is found again by its blocks and its name;
/// its line does not matter.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Attributes that the old text does not have.
    pub added: Vec<NamedAttribute>,
    /// Attributes that the new text does not have.
    pub removed: Vec<NamedAttribute>,
    /// Attributes with another expression.
    pub changed: Vec<NamedAttribute>,
    /// Attributes that are in other blocks than before, with the same name and expression.
    pub moved: Vec<MovedAttribute>,
    /// The number of attributes with the expression that they had.
    pub unchanged: usize,
    /// The number of expressions that the update compiled, because no document of the engine had their code.
    pub compiled: usize,
    /// The number of expressions whose code was there: the unchanged ones, and those equal to others.
    pub reused: usize,
    /// How long the parts of the update took.
    pub times: UpdateTimes,
}

/// The time that parts of an update took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateTimes {
    /// Parsing; zero if the text was parsed by the caller.
    pub parse: Duration,
    /// Comparing both documents.
    pub compare: Duration,
    /// Looking up the code of expressions.
    pub look_up: Duration,
    /// Compiling expressions.
    pub compile: Duration,
}

/// An attribute of one of the documents of an update.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedAttribute {
    path: String,
    /// Block types, labels and the name.
    names: Vec<String>,
    /// True if outer blocks are left out.
    shortened: bool,
}

/// An attribute that an update found in other blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedAttribute {
    /// The attribute of the old document.
    pub from: NamedAttribute,
    /// The attribute of the new document.
    pub to: NamedAttribute,
}

impl Update {
    /// Returns true if all attributes are those of before.
    pub fn is_empty(&self) -> bool {
        self.touched().next().is_none()
    }

    /// Iterates over the attributes that were added, removed, changed or moved, of moved ones both.
    pub fn touched(&self) -> impl Iterator<Item = &NamedAttribute> {
        let moved = self.moved.iter().flat_map(|moved| [&moved.from, &moved.to]);
        self.added.iter().chain(&self.removed).chain(&self.changed).chain(moved)
    }
}

impl NamedAttribute {
    /// Returns its path: block types, labels and the name, joined by dots. A block that repeats an earlier one
    /// has its index: `rule[1].when`. Of blocks with long names, only the inner ones whose names are at most 200
    /// bytes are in it: `….when`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        self.names.last().map_or("", String::as_str)
    }

    /// Returns the name of the local that it defines.
    pub fn local(&self) -> Option<&str> {
        match self.names.as_slice() {
            [block, name] if block == "locals" && !self.shortened => Some(name),
            _ => None,
        }
    }

    /// Iterates over block types, labels and the name, without those of blocks that are
    /// [left out](NamedAttribute::is_shortened).
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.names.iter().map(String::as_str)
    }

    /// Returns true if outer blocks are left out, because their names are long.
    pub fn is_shortened(&self) -> bool {
        self.shortened
    }
}

impl fmt::Display for NamedAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

impl Document {
    /// Parses another text of the same file and returns its document, with all attributes compiled,
    /// and what changed. Expressions that the engine has code for are not compiled again. Programs and
    /// documents in use stay valid.
    ///
    /// Scopes of the old document fit the new one if its text uses no further variables: then both
    /// have the same layout.
    ///
    /// # Errors
    /// The syntax errors of the text. The old document remains unchanged.
    pub fn update(&self, text: &str) -> Result<(Document, Update), Error> {
        let start = TimePoint::now();
        let parsed = self.reparse(text)?;
        let parse = start.elapsed();
        let (document, mut update) = self.update_to(&parsed)?;
        update.times.parse = parse;
        Ok((document, update))
    }

    /// Parses another text of the same file, without compiling it. Only attributes and blocks of the file between the
    /// first and the last difference are parsed, if each is on lines of its own. The layout has the names of
    /// this document's if the new text uses no others.
    ///
    /// # Errors
    /// The syntax errors of the text.
    pub fn reparse(&self, text: &str) -> Result<Document, Error> {
        if let Some(document) = self.with_edit(text) {
            return Ok(document);
        }
        let (name, engine) = (self.source().name(), self.engine());
        if self.is_json() { engine.parse_json(name, text) } else { engine.parse(name, text) }
    }

    /// Like [`Document::reparse`], for editors: returns what could be understood beside the diagnostics, as
    /// [`Engine::parse_lenient`](crate::Engine::parse_lenient) does. This document has to be without errors: those of
    /// the parts that are not parsed again would be lost.
    pub fn reparse_lenient(&self, text: &str) -> (Document, Diagnostics) {
        if let Some(document) = self.with_edit(text) {
            let source = Arc::clone(document.source());
            return (document, Diagnostics::new(source, Vec::new()));
        }
        let (name, engine) = (self.source().name(), self.engine());
        if self.is_json() {
            engine.parse_json_bytes_lenient(name, text.as_bytes())
        } else {
            engine.parse_lenient(name, text)
        }
    }

    /// Like [`Document::update`], for a document that was parsed already, such as one of several
    /// [files](crate::Engine::parse_files). Returns it with all attributes compiled for a layout that has the
    /// names of both, if that is possible.
    ///
    /// # Errors
    /// An expression that is too large for the instruction format.
    pub fn update_to(&self, parsed: &Document) -> Result<(Document, Update), Error> {
        let mut clock = PartTimer::start();
        let document = parsed.for_layout(&extended(self.layout(), parsed.layout()));
        let AttributeDifference { equal, rest, new: mut others, mut update } =
            AttributeDifference::of(self, &document);
        update.times.compare = clock.lap();
        let rest = rest.map(|[old, new]| [Attribute::new(self, old), Attribute::new(&document, new)]);
        for [old, new] in rest.chain(equal) {
            if new.take_code_of(old) {
                update.reused += 1;
            } else {
                // Entered even if it was never compiled, so that the new document finds it.
                old.enter_in_cache();
                others.push(new);
            }
        }
        for attribute in &others {
            attribute.enter_in_cache();
        }
        update.times.look_up = clock.lap();
        for attribute in others {
            let known = attribute.compile_or_reuse()?;
            *(if known { &mut update.reused } else { &mut update.compiled }) += 1;
        }
        update.times.compile = clock.lap();
        Ok((document, update))
    }
}

/// Measures successive parts.
struct PartTimer(TimePoint);

impl PartTimer {
    fn start() -> Self {
        Self(TimePoint::now())
    }

    /// Returns the time since the start or the last call.
    fn lap(&mut self) -> Duration {
        let lap = self.0.elapsed();
        self.0 = TimePoint::now();
        lap
    }
}

/// Returns the old layout if it has all names of the new one. Otherwise appends the missing names, so
/// that code compiled for the old layout still fits. If most names of the old layout are no longer
/// used, returns the new layout instead, so that layouts do not grow with every update.
fn extended(old: &Arc<Layout>, new: &Arc<Layout>) -> Arc<Layout> {
    if new.names().iter().all(|name| old.slot(name).is_some()) {
        return Arc::clone(old);
    }
    if old.len() > 2 * new.len() + MAX_UNUSED {
        return Arc::clone(new);
    }
    Arc::new(Layout::new(old.names().iter().chain(new.names()).cloned()))
}

/// Unused names that a layout may keep: 1 KiB of values in each scope, less than what compiling all
/// expressions for another layout costs.
const MAX_UNUSED: usize = 64;
