//! The state of a run of the fast tier except its registers: open loops and templates. The registers
//! are in [`registers`](super::registers).

use super::loops::FastLoop;
use crate::code::Build;
use crate::code::fast::Fast;
use crate::memory::arena::{Arena, ArenaVec};
use crate::value::{Marks, TextBuffer, Value};

/// A part of a template that is not plain.
#[derive(Clone, Copy)]
pub(super) struct NotedPart<'a> {
    /// Where its text begins in the buffer.
    at: usize,
    marks: Marks<'a>,
    unknown: bool,
}

/// The state that the arms of the interpreter loop reach through one reference.
pub(in crate::exec) struct FastMachine<'t, 'a> {
    pub(super) fast: &'a Fast,
    pub(super) arena: &'a Arena,
    /// The innermost open loop.
    pub(super) current: Option<FastLoop<'a>>,
    /// The loops around it, outermost first; allocated for the first nested loop.
    outer: Option<ArenaVec<'a, FastLoop<'a>>>,
    /// The text of the open templates, each behind the text of the enclosing one.
    pub(super) text: &'t mut TextBuffer,
    /// The marked and the unknown parts of the open templates; allocated for the first one.
    pub(super) parts: Option<ArenaVec<'a, NotedPart<'a>>>,
    /// The last rule with loops: the number of results from its own on, and the fuel at its
    /// beginning.
    pub(super) begun: Option<(usize, u64)>,
}

impl<'t, 'a> FastMachine<'t, 'a> {
    /// Creates the state of a run. Inlined: a few stores into the caller's frame.
    #[inline(always)]
    pub(in crate::exec) fn new(fast: &'a Fast, arena: &'a Arena, text: &'t mut TextBuffer) -> Self {
        Self { fast, arena, current: None, outer: None, text, parts: None, begun: None }
    }

    /// Opens a loop over a known collection. Out of line, because the loop's state would spill in the
    /// interpreter loop.
    #[inline(never)]
    pub(super) fn open(
        &mut self,
        value: Value<'a>,
        build: Option<Build>,
        clause: bool,
        round: u32,
    ) -> Option<()> {
        self.enter(FastLoop::open(self.arena, value, build, clause, round)?);
        Some(())
    }

    /// Opens a loop for a splat. Out of line, as [`FastMachine::open`].
    #[inline(never)]
    pub(super) fn open_splat(&mut self, value: Value<'a>, round: u32) -> Option<()> {
        self.enter(FastLoop::open_splat(self.arena, value, round)?);
        Some(())
    }

    /// Charges for the next rounds and returns the next element. Cold: once in 1,024 rounds.
    #[cold]
    #[inline(never)]
    pub(super) fn pay_on(&mut self) -> Option<Value<'a>> {
        let current = self.current.as_mut()?;
        current.pay(self.arena)?;
        current.next()
    }

    /// Makes a loop the innermost one. Inlined, so that the loop is built where it is stored.
    #[inline(always)]
    fn enter(&mut self, inner: FastLoop<'a>) {
        if self.current.is_some() {
            self.set_aside();
        }
        self.current = Some(inner);
    }

    /// Moves the current loop to the outer ones. Cold: only nested loops need it.
    #[cold]
    #[inline(never)]
    fn set_aside(&mut self) {
        let outer = self.outer.get_or_insert_with(|| self.arena.list());
        outer.extend(self.current.take());
    }

    /// Ends the innermost loop. Inlined into [`FastMachine::finish`], its only caller.
    #[inline(always)]
    fn leave(&mut self) -> Option<FastLoop<'a>> {
        let closed = self.current.take();
        self.current = self.outer.as_mut().and_then(ArenaVec::pop);
        closed
    }

    /// Ends the innermost loop and returns its result. Out of line, as [`FastMachine::open`].
    #[inline(never)]
    pub(super) fn finish(&mut self) -> Option<Value<'a>> {
        self.leave()?.finish(self.arena)
    }

    /// Ends the innermost loop, which has no result. Out of line, as [`FastMachine::open`].
    #[inline(never)]
    pub(super) fn close(&mut self) {
        self.current = match &mut self.outer {
            None => None,
            Some(outer) => outer.pop(),
        };
    }

    /// Notes that the next part of the template opened last is marked or unknown. Cold, as most parts are neither.
    #[cold]
    #[inline(never)]
    pub(super) fn note_part(&mut self, marks: Marks<'a>, unknown: bool) {
        let at = self.text.len();
        self.parts.get_or_insert_with(|| self.arena.list()).push(NotedPart { at, marks, unknown });
    }

    /// Removes the noted parts from position `start` on. Returns the marks of all, and the position of the first
    /// unknown one; `None` if there are none. Cold, as [`FastMachine::note_part`].
    ///
    /// A part without text that is noted in front of a nested template counts as a part of that template too,
    /// which changes nothing: the nested template is a part of the same one.
    #[cold]
    #[inline(never)]
    pub(super) fn parts_since(&mut self, start: usize) -> Option<(Marks<'a>, Option<usize>)> {
        let noted = self.parts.as_mut()?;
        let first = noted.iter().position(|part| part.at >= start)?;
        let marks =
            noted[first..].iter().fold(Marks::NONE, |marks, part| marks.union(self.arena, part.marks));
        let unknown = noted[first..].iter().find(|part| part.unknown).map(|part| part.at);
        noted.truncate(first);
        Some((marks, unknown))
    }

    /// Gives back the fuel that a rule spent before it fell back. `results` is the number of results from its
    /// own on.
    pub(in crate::exec) fn give_back(&mut self, results: usize) {
        if let Some((begun, fuel)) = self.begun.take()
            && begun == results
        {
            self.arena.budget().restore(fuel);
        }
    }

    /// Drops the loops and templates that a run left open when it fell back. Inlined: a few stores if there
    /// are none.
    #[inline(always)]
    pub(super) fn forget_open(&mut self) {
        self.text.clear();
        self.current = None;
        self.outer = None;
        self.parts = None;
    }
}
