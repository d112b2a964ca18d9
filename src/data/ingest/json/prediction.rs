//! Predicts the members of an object from an earlier object at its place: of the text before, or of the element
//! before in an array. A member is predicted by the bytes between the values around it, which show its name. Only
//! bytes are compared, so that a wrong prediction takes time but changes no result.
//!
//! The prediction of whole values is in [`build`](super::build), which also predicts their order by name.

use hclvm_functions::{Between, JsonError, JsonReader};

use super::skip::skip;

/// Objects are predicted up to this member.
const MOST_MEMBERS: usize = 64;

/// The most elements for which memory is reserved.
const MOST_RESERVED: usize = 128;

/// The most bytes between two values that are remembered: a long name, and some indentation.
const LONGEST: usize = 256;

/// A place of a text at which objects are read, with what was learned from those read before.
#[derive(Debug, Default)]
pub(crate) struct ObjectSite {
    members: Vec<Member>,
    /// True if the objects learned from had more members.
    cut_off: bool,
    /// The number of objects that were not as predicted, since one was.
    misses: u32,
    /// The length of the last array.
    len: u16,
    /// The places inside, by the number of the part that is read.
    inside: Vec<ObjectSite>,
}

#[derive(Debug)]
struct Member {
    /// The bytes before its value.
    before: Between,
    /// The number of the part that it is, or [`UNREAD`].
    part: usize,
}

/// Instead of the number of a part, for a member that no program reads. No part has this number.
pub(crate) const UNREAD: usize = usize::MAX;

/// How far an object was as predicted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PredictionProgress {
    /// The number of the member that is expected next. It is 0 before the first member only: what precedes that has
    /// no comma.
    next: usize,
    /// True if another member was read.
    missed: bool,
}

impl ObjectSite {
    /// Returns the place of objects of which one was read.
    pub(crate) fn after_one() -> Self {
        Self { misses: 1, ..Self::default() }
    }

    /// Returns true if no object was read here. Learning from a single one would be in vain.
    #[inline]
    pub(crate) fn is_new(&self) -> bool {
        self.misses == 0 && self.members.is_empty()
    }

    /// Returns the length of the last array here, if that is not long.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.len)
    }

    /// Keeps the length of an array. Memory is reserved for as many elements as the last one had, without regard to
    /// the limits, and so only for [`MOST_RESERVED`].
    #[inline]
    pub(crate) fn set_len(&mut self, len: usize) {
        self.len = u16::try_from(len.min(MOST_RESERVED)).unwrap_or_default();
    }

    /// Returns the place of the values of a part.
    #[inline]
    pub(crate) fn inside(&mut self, part: usize) -> &mut Self {
        if self.inside.len() <= part {
            self.inside.resize_with(part + 1, Self::default);
        }
        &mut self.inside[part]
    }

    /// Advances to the value of the next member and returns the number of the part that it is, or [`UNREAD`]. Returns
    /// `None` behind the end of the object. A name that is not as predicted is read by `name`, up to the value.
    // Inlined into the loops over members: a few comparisons for most.
    #[inline(always)]
    pub(crate) fn next(
        &self,
        progress: &mut PredictionProgress,
        reader: &mut JsonReader<'_>,
        name: impl FnOnce(&mut JsonReader<'_>) -> Result<Option<usize>, JsonError>,
    ) -> Result<Option<usize>, JsonError> {
        if let Some(member) = self.members.get(progress.next)
            && reader.passes(&member.before)
        {
            progress.next += 1;
            return Ok(Some(member.part));
        }
        let mut first = progress.next == 0;
        if !first && reader.peek() == Some(b'}') {
            reader.bump();
            return Ok(None);
        }
        let start = reader.position();
        if !reader.another(b'}', &mut first)? {
            return Ok(None);
        }
        let part = name(reader)?;
        if self.members.is_empty() {
            *progress = PredictionProgress { next: 1, missed: true };
        } else {
            self.miss(progress, reader, start);
        }
        Ok(Some(part.unwrap_or(UNREAD)))
    }

    /// Notes that another member was read than predicted, of which what precedes the value begins at `start`. The
    /// prediction is resumed behind that member, or stays where it is if there is none.
    #[inline(never)] // Most members are predicted.
    fn miss(&self, progress: &mut PredictionProgress, reader: &JsonReader<'_>, start: usize) {
        progress.missed |= progress.next < self.members.len() || !self.cut_off;
        let value = reader.position();
        let mut from = reader.clone();
        let rest = self.members.iter().enumerate().skip(progress.next.max(1));
        progress.next = progress.next.max(1);
        for (at, member) in rest {
            from.rewind(start);
            if from.passes(&member.before) && from.position() == value {
                progress.next = at + 1;
                return;
            }
        }
    }

    /// Ends an object whose members begin at `start`. After several that were not as predicted, learns from it.
    /// `part` shows the number of a name that is read.
    #[inline]
    pub(crate) fn end(
        &mut self,
        progress: PredictionProgress,
        reader: &JsonReader<'_>,
        start: usize,
        part: impl Fn(&str) -> Option<usize>,
    ) {
        if !progress.missed && progress.next == self.members.len() {
            self.misses = 0;
            return;
        }
        self.misses = self.misses.saturating_add(1);
        // Rarely, if objects differ: each time takes as long as skipping the object.
        if self.misses > 1 && self.misses.is_power_of_two() {
            self.learn(reader, start, part);
        }
    }

    /// Learns from an object that was read, whose members begin at `start`.
    #[cold]
    fn learn(&mut self, reader: &JsonReader<'_>, start: usize, part: impl Fn(&str) -> Option<usize>) {
        self.members.clear();
        let mut reader = reader.clone();
        reader.rewind(start);
        let mut first = true;
        loop {
            let before = reader.position();
            // Errors were reported when the object was read.
            if !reader.another(b'}', &mut first).unwrap_or(false) {
                self.cut_off = false;
                return;
            }
            let part = match reader.plain_string() {
                Ok(Some(name)) if name.ascii => part(name.text()),
                // Names with escapes, or perhaps not in normal form, are not predicted.
                _ => break,
            };
            if reader.colon().is_err() {
                break;
            }
            reader.space();
            let before = reader.since(before);
            if self.members.len() == MOST_MEMBERS || before.len() > LONGEST {
                break;
            }
            let part = part.unwrap_or(UNREAD);
            self.members.push(Member { before: Between::new(before), part });
            if skip(&mut reader, super::DEEPEST, super::DEEPEST).is_err() {
                break;
            }
        }
        self.cut_off = true;
    }
}
