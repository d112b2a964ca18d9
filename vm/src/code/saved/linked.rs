//! The saved form of linked code: where the rules of both copies begin, then the stream. The positions of results are
//! those of the rules, which the module determines.

use super::{Linkage, Reader, Writer};
use crate::code::fast::Fast;
use crate::code::link::Linked;
use crate::code::verify::verify_linked;
use crate::memory::arena::Arena;

impl Linked {
    /// Appends the stream. Returns `None` if it has no saved form; what was appended then is to be dropped.
    pub fn save(&self, out: &mut Writer) -> Option<()> {
        out.each(&self.optimized, |out, start| out.u16(*start))?;
        out.each(&self.starts, |out, start| out.u16(*start))?;
        self.fast.save(out)
    }

    /// Reads the stream of the rules whose results have `positions`, which ascend, and verifies it. Returns `None` if
    /// anything is wrong, or if it is a stream of other rules.
    pub fn load<'a>(
        from: &mut Reader<'a>,
        linkage: &Linkage,
        arena: &'a Arena,
        positions: Box<[u32]>,
    ) -> Option<Self> {
        let optimized: Vec<u16> = from.list(Reader::u16)?;
        let starts: Vec<u16> = from.list(Reader::u16)?;
        let fast = Fast::read(from, linkage, arena)?;
        let linked = Self { fast, optimized: optimized.into(), starts: starts.into(), positions };
        verify_linked(&linked, linkage.slots).ok()?;
        Some(linked)
    }
}
