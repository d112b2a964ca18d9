//! The paths of a projection in the form that readers of JSON, serde and host objects search: sorted
//! names with their symbols. The paths as an analysis are `hclvm_compiler::analysis::Paths`.

use hclvm_compiler::analysis::{Need, Paths};
use hclvm_functions::{PlainString, head};
use hclvm_vm::code::Slot;
use hclvm_vm::{Layout, Names};
use smol_str::SmolStr;

/// Which parts of a value are read.
#[derive(Debug)]
pub(crate) enum Read {
    /// All of it.
    Whole,
    /// These attributes of an object; all of any other value.
    Parts(ReadParts),
    /// This of each element of a tuple; all of any other value.
    Elements(Box<Read>),
}

/// Attributes or variables that are read, sorted by name.
#[derive(Debug)]
pub(crate) struct ReadParts {
    parts: Box<[ReadPart]>,
    /// Their names one after the other.
    joined: Box<str>,
}

/// An attribute or variable that is read.
#[derive(Debug)]
pub(crate) struct ReadPart {
    name: Box<str>,
    /// The [`head`] of the name.
    head: u64,
    /// The symbol of an attribute; 0 for a variable.
    symbol: u32,
    /// The slot of a variable; 0 for an attribute.
    slot: Slot,
    read: Read,
}

impl ReadPart {
    fn new(name: &str, symbol: u32, slot: Slot, read: Read) -> Self {
        Self { name: name.into(), head: head(name), symbol, slot, read }
    }

    /// Returns its name, in normal form C.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the symbol of an attribute.
    pub(crate) fn symbol(&self) -> u32 {
        self.symbol
    }

    /// Returns the slot of a variable.
    pub(crate) fn slot(&self) -> Slot {
        self.slot
    }

    /// Returns which parts of its value are read.
    pub(crate) fn read(&self) -> &Read {
        &self.read
    }
}

/// The most names that are searched one by one: comparing a few short names takes less than the
/// unpredictable branches of a binary search.
const MAX_LINEAR: usize = 12;

impl ReadParts {
    /// Returns the variables of a layout that `paths` begin with.
    pub(super) fn of_layout(names: &Names, layout: &Layout, paths: &Paths) -> Self {
        let variable = |(name, need): (&SmolStr, &Need)| {
            let slot = layout.slot(name)?;
            Some(ReadPart::new(name, 0, slot, Read::new(names, need)))
        };
        Self::new(paths.iter().filter_map(variable))
    }

    fn new(parts: impl Iterator<Item = ReadPart>) -> Self {
        let parts: Box<[ReadPart]> = parts.collect();
        let joined = parts.iter().map(ReadPart::name).collect::<String>().into();
        Self { parts, joined }
    }

    /// Returns the part at a position.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<&ReadPart> {
        self.parts.get(at)
    }

    /// Returns the names one after the other, to be copied at once.
    pub(crate) fn joined(&self) -> &str {
        &self.joined
    }

    /// Returns the part called `name` and its position.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<(usize, &ReadPart)> {
        if self.parts.len() <= MAX_LINEAR {
            return self.parts.iter().enumerate().find(|(_, part)| *part.name == *name);
        }
        let at = self.parts.binary_search_by(|part| (*part.name).cmp(name)).ok()?;
        Some((at, self.parts.get(at)?))
    }

    /// Like [`ReadParts::find`], for a name of a JSON text in normal form C, which is probably at a position.
    // Inlined: a few comparisons of words.
    #[inline(always)]
    pub(crate) fn find_plain(&self, name: &PlainString<'_>, probably: usize) -> Option<(usize, &ReadPart)> {
        if let Some(part) = self.parts.get(probably)
            && name.is(&part.name, part.head)
        {
            return Some((probably, part));
        }
        if self.parts.len() > MAX_LINEAR {
            return self.find(name.text());
        }
        // Not `find` of an iterator, which is a call and a loop of twice as many instructions.
        for (at, part) in self.parts.iter().enumerate() {
            if name.is(&part.name, part.head) {
                return Some((at, part));
            }
        }
        None
    }

    /// Returns the number of parts.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns the parts by name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ReadPart> {
        self.parts.iter()
    }
}

impl Read {
    /// The recursion is bounded by the length of paths, which the analysis limits.
    fn new(names: &Names, need: &Need) -> Self {
        let attributes = match need {
            Need::Whole => return Self::Whole,
            Need::Elements(element) => return Self::Elements(Box::new(Self::new(names, element))),
            Need::Attributes(attributes) => attributes,
        };
        let symbols = names.intern(attributes.keys().map(SmolStr::as_str));
        let part = |((name, need), symbol): ((&SmolStr, &Need), u32)| {
            ReadPart::new(name, symbol, Slot(0), Self::new(names, need))
        };
        Self::Parts(ReadParts::new(attributes.iter().zip(symbols).map(part)))
    }
}
