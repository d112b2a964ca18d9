//! The state of a fast body that runs, but for its registers: loops and templates under way.

use super::loops::FastLoop;
use crate::code::Build;
use crate::code::fast::Fast;
use crate::memory::arena::{Arena, ArenaVec};
use crate::value::{TextBuffer, Value};

/// What the loop's arms reach through one reference.
pub(in crate::exec) struct FastMachine<'t, 'a> {
    pub(super) fast: &'a Fast,
    pub(super) arena: &'a Arena,
    /// The innermost loop, and those around it.
    pub(super) current: Option<FastLoop<'a>>,
    outer: Option<ArenaVec<'a, FastLoop<'a>>>,
    /// The text of the templates under way, each behind that of the one around it.
    pub(super) text: &'t mut TextBuffer,
}

impl<'t, 'a> FastMachine<'t, 'a> {
    #[inline(always)]
    pub(in crate::exec) fn new(fast: &'a Fast, arena: &'a Arena, text: &'t mut TextBuffer) -> Self {
        Self { fast, arena, current: None, outer: None, text }
    }

    /// Begins a loop over a known collection.
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

    /// Begins a loop for a splat.
    #[inline(never)]
    pub(super) fn open_splat(&mut self, value: Value<'a>, round: u32) -> Option<()> {
        self.enter(FastLoop::open_splat(self.arena, value, round)?);
        Some(())
    }

    /// The next element of the innermost loop, whose round is not paid for.
    #[cold]
    #[inline(never)]
    pub(super) fn pay_on(&mut self) -> Option<Value<'a>> {
        let current = self.current.as_mut()?;
        current.pay(self.arena)?;
        current.next()
    }

    #[inline(always)]
    fn enter(&mut self, inner: FastLoop<'a>) {
        if self.current.is_some() {
            self.set_aside();
        }
        self.current = Some(inner);
    }

    #[cold]
    #[inline(never)]
    fn set_aside(&mut self) {
        let outer = self.outer.get_or_insert_with(|| self.arena.list());
        outer.extend(self.current.take());
    }

    /// Ends the innermost loop.
    #[inline(always)]
    fn leave(&mut self) -> Option<FastLoop<'a>> {
        let closed = self.current.take();
        self.current = self.outer.as_mut().and_then(ArenaVec::pop);
        closed
    }

    /// Ends the innermost loop; gives what it built.
    #[inline(never)]
    pub(super) fn finish(&mut self) -> Option<Value<'a>> {
        self.leave()?.finish(self.arena)
    }

    /// Ends the innermost loop, which built nothing.
    #[inline(never)]
    pub(super) fn close(&mut self) {
        self.current = match &mut self.outer {
            None => None,
            Some(outer) => outer.pop(),
        };
    }

    /// Forgets what a body that gave up has left open.
    #[inline(always)]
    pub(super) fn forget_open(&mut self) {
        self.text.clear();
        self.current = None;
        self.outer = None;
    }
}
