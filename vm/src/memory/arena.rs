//! Memory of one evaluation: values live here until the arena is reset, and nothing in it needs a destructor.
//!
//! The arena also carries the [`Budget`] of the evaluation, because everything
//! that can make memory grow already holds the arena. When a limit is exceeded
//! the budget stays exhausted, builders return placeholders, and whoever runs the
//! evaluation reports the limit instead of the result.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::sync::Arc;

use bumpalo::Bump;

use crate::memory::limits::{Budget, Exhausted, Interrupt, Limits};
use crate::memory::name::Symbols;
use crate::number::Big;
use crate::value::{Entry, TextBuffer, Value};

/// Bytes from which on a look at a text is work of its own.
pub(crate) const WORK_TO_READ: usize = 4 << 10;

/// Bytes of long texts that are compared for one unit of fuel.
const BYTES_PER_UNIT: usize = 512;

/// A growable list in an arena.
pub type ArenaVec<'a, T> = bumpalo::collections::Vec<'a, T>;

/// A growable text in an arena.
pub type ArenaString<'a> = bumpalo::collections::String<'a>;

/// Where the values of one evaluation live.
#[derive(Debug, Default)]
pub struct Arena {
    bump: Bump,
    /// Whether there is something to forget, to refill or to ask.
    used: Cell<bool>,
    /// What is there may be left there as long as the bump has this chunk and that much room in it.
    slack: Cell<Slack>,
    /// Made for the first big float.
    bigs: OnceCell<Box<BigStore>>,
    budget: Budget,
    symbols: Option<Arc<Symbols>>,
    /// Bytes held when what was evaluated before was done.
    settled: Cell<usize>,
    /// Bytes that count for nothing, because the work that took them is done again.
    forgiven: Cell<usize>,
    /// Where templates grow when nobody brings a buffer.
    scratch: RefCell<TextBuffer>,
}

/// A chunk and room in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slack {
    /// Bytes of the chunk, and so those of the bump as long as it has only that.
    chunk: usize,
    /// The least room; more than there can be when nothing may be left.
    room: usize,
}

/// The most bytes that are left where they are, so that the next evaluation finds its memory in the
/// processor's cache, and of what part of the limit on memory.
const MOST_LEFT: usize = 4 << 10;
const PART_LEFT: usize = 64;

impl Arena {
    /// An empty arena with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty arena with `limits`.
    pub fn with_limits(limits: Limits) -> Self {
        Self { budget: Budget::new(limits), ..Self::default() }
    }

    /// An empty arena with room for `bytes` at once.
    pub(crate) fn with_capacity(limits: Limits, bytes: usize) -> Self {
        let bump = if bytes == 0 { Bump::new() } else { Bump::with_capacity(bytes) };
        Self { bump, ..Self::with_limits(limits) }
    }

    /// Objects built here get the symbols of this table from now on.
    pub fn set_symbols(&mut self, symbols: Arc<Symbols>) {
        self.symbols = Some(symbols);
    }

    /// The symbol of a name, 0 when no program mentions it.
    #[inline]
    pub fn symbol(&self, name: &str) -> u32 {
        self.symbols.as_ref().and_then(|symbols| symbols.get(name)).copied().unwrap_or(0)
    }

    /// An entry whose name has its symbol.
    #[inline]
    pub fn entry<'a>(&self, name: &'a str, value: Value<'a>) -> Entry<'a> {
        Entry { name, symbol: self.symbol(name), value }
    }

    /// Lets `watch` end evaluations in this arena from now on.
    pub fn set_interrupt(&mut self, interrupt: Option<Arc<dyn Interrupt>>) {
        self.lend();
        self.budget.set_interrupt(interrupt);
    }

    /// What may still be spent.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Spends `units` of fuel; false when there is not enough left, or when more memory is taken
    /// than the limit allows. Growable lists take memory without asking, and whatever grows also
    /// charges: this is where such growth ends.
    #[inline]
    pub fn charge(&self, units: u64) -> bool {
        self.spend(units) && self.has_room(0)
    }

    /// Spends `units` of fuel; false when there is not enough left. For work that takes no memory, or
    /// none without asking.
    #[inline]
    pub fn spend(&self, units: u64) -> bool {
        self.budget.charge(units)
    }

    /// Spends fuel for a look at all of a text, such as a comparison with another one; false when
    /// there is not enough left. Texts may be long and shared, so that what looks at them takes no
    /// memory; short ones are paid for by whoever looks.
    #[inline]
    pub fn look_at(&self, text: &str) -> bool {
        text.len() <= WORK_TO_READ || self.spend((text.len() / BYTES_PER_UNIT) as u64)
    }

    /// Spends fuel for the comparisons that put a text in its place among `count` others, as far as it is
    /// long; false when there is not enough left.
    pub fn put_in_order(&self, text: &str, count: usize) -> bool {
        let rounds = u64::from(count.max(1).ilog2()) + 1;
        self.spend((text.len() / BYTES_PER_UNIT) as u64 * rounds)
    }

    /// Whether two texts are equal, paid for where they are long; of an exhausted budget this means
    /// nothing.
    #[inline]
    pub(crate) fn equal_texts(&self, a: &str, b: &str) -> bool {
        a.len() == b.len() && self.look_at(a) && a == b
    }

    /// Bytes the arena holds from the system.
    pub fn allocated_bytes(&self) -> usize {
        self.bump.allocated_bytes()
    }

    /// Whether there is nothing to [forget](Arena::forget), as after most evaluations. There always is
    /// when somebody watches, and when more than one evaluation had a share in the budget: see
    /// [`Arena::lend`].
    #[inline(always)]
    pub fn is_fresh(&self) -> bool {
        !self.used.get()
    }

    /// The arena is to be reset before it is used again, whatever is done with it now.
    pub fn lend(&self) -> &Self {
        self.used.set(true);
        self.slack.set(Slack { chunk: 0, room: usize::MAX });
        self
    }

    /// Forgets all values and refills the budget like [`Arena::reset`], but a few small ones stay where
    /// they are for now.
    #[inline]
    pub fn forget(&mut self) {
        let slack = self.slack.get();
        if self.bump.chunk_capacity() >= slack.room && self.bump.allocated_bytes() == slack.chunk {
            self.used.set(false);
            self.budget.refill();
        } else {
            self.reset();
        }
    }

    /// Forgets all values and refills the budget; keeps the memory unless it grew beyond a
    /// quarter of the limit.
    pub fn reset(&mut self) {
        if self.bigs.get().is_some() || self.bump.allocated_bytes() > self.budget.limits().arena_bytes / 4 {
            self.shed();
        }
        self.bump.reset();
        self.settled.set(0);
        self.forgiven.set(0);
        self.used.set(false);
        let (chunk, room) = (self.bump.allocated_bytes(), self.bump.chunk_capacity());
        let most = if chunk <= self.budget.limits().arena_bytes / PART_LEFT { MOST_LEFT } else { 0 };
        self.slack.set(Slack { chunk, room: room - most.min(room / 2) });
        if self.budget.interrupt().is_some() {
            self.lend();
        }
        self.budget.refill();
    }

    /// Lets go what is not kept.
    #[cold]
    #[inline(never)]
    fn shed(&mut self) {
        if let Some(bigs) = self.bigs.get_mut() {
            bigs.clear();
        }
        if self.bump.allocated_bytes() > self.budget.limits().arena_bytes / 4 {
            self.bump = Bump::new();
        }
    }

    /// A buffer for texts that grow, for those who have none; [`Arena::keep_scratch`] takes it back.
    pub(crate) fn take_scratch(&self) -> TextBuffer {
        self.scratch.take()
    }

    /// Keeps the buffer for the next time.
    pub(crate) fn keep_scratch(&self, mut scratch: TextBuffer) {
        scratch.shrink();
        self.scratch.replace(scratch);
    }

    /// Lets what was allocated since the last evaluation count for nothing, because that is done
    /// again by other means. A growing text may have taken twice the limit; no more is forgiven.
    pub(crate) fn forgive(&self) {
        let held = self.held();
        let wasted = held.saturating_sub(self.settled.replace(held));
        let most = held.min(self.budget.limits().arena_bytes.saturating_mul(2));
        self.forgiven.set((self.forgiven.get() + wasted).min(most));
        self.lend();
    }

    /// What is allocated now is the result of an evaluation.
    pub(crate) fn settle(&self) {
        self.settled.set(self.held());
        self.lend();
    }

    /// Bytes that count as memory: the arena's, and those of floats.
    fn held(&self) -> usize {
        let floats = self.bigs.get().map_or(0, |bigs| bigs.used.get().saturating_mul(BIG_BYTES));
        self.bump.allocated_bytes().saturating_add(floats)
    }

    /// Whether `bytes` more fit the memory limit; exhausts the budget when they do not.
    #[inline]
    pub fn has_room(&self, bytes: usize) -> bool {
        let left = self.budget.limits().arena_bytes.checked_sub(self.bump.allocated_bytes());
        left.is_some_and(|left| bytes <= left) || self.may_grow(bytes)
    }

    /// Whether a copy of `items` fits the memory limit.
    #[inline(always)]
    fn has_room_for<T>(&self, items: &[T]) -> bool {
        // No sum of what is in memory twice is beyond what a word can say.
        let bytes = size_of_val(items);
        self.bump.allocated_bytes().wrapping_add(bytes) <= self.budget.limits().arena_bytes
            || self.may_grow(bytes)
    }

    #[inline(never)]
    fn may_grow(&self, bytes: usize) -> bool {
        let held = self.held().saturating_sub(self.forgiven.get());
        let fits = held.saturating_add(bytes) <= self.budget.limits().arena_bytes;
        if !fits {
            self.budget.exhaust(Exhausted::Memory);
        }
        fits
    }

    /// The bump, for something that stays in it.
    #[inline(always)]
    fn allocate(&self) -> &Bump {
        self.used.set(true);
        &self.bump
    }

    /// A copy of `text` in the arena; empty when it does not fit the memory limit.
    pub fn text(&self, text: &str) -> &str {
        if self.has_room(text.len()) { self.allocate().alloc_str(text) } else { "" }
    }

    /// A copy of `bytes` in the arena, to be changed in place; `None` when it does not fit the
    /// memory limit.
    #[inline]
    pub(crate) fn bytes_mut(&self, bytes: &[u8]) -> Option<&mut [u8]> {
        if self.has_room_for(bytes) { Some(self.allocate().alloc_slice_copy(bytes)) } else { None }
    }

    /// A copy of `items` in the arena; empty when they do not fit the memory limit.
    pub fn slice<T: Copy>(&self, items: &[T]) -> &[T] {
        if self.has_room_for(items) { self.allocate().alloc_slice_copy(items) } else { &[] }
    }

    /// One item of a type without destructor. Always succeeds, so that the header of a value
    /// can be made even while an evaluation ends; it counts towards the memory limit.
    pub fn item<T: Copy>(&self, item: T) -> &T {
        self.has_room(size_of::<T>());
        self.allocate().alloc(item)
    }

    /// The same for a few bytes, without a call.
    #[inline(always)]
    pub(crate) fn block<const N: usize>(&self, bytes: [u8; N]) -> &[u8; N] {
        self.has_room(N);
        self.allocate().alloc(bytes)
    }

    /// One item that may be changed. It is not dropped, so it must not own memory elsewhere.
    pub(crate) fn place<T>(&self, item: T) -> &mut T {
        self.has_room(size_of::<T>());
        self.allocate().alloc(item)
    }

    /// `count` items, each made from its position; none when they do not fit the memory limit.
    #[inline(always)]
    pub(crate) fn filled<T: Copy>(&self, count: usize, make: impl FnMut(usize) -> T) -> &[T] {
        if self.has_room(count.saturating_mul(size_of::<T>())) {
            self.allocate().alloc_slice_fill_with(count, make)
        } else {
            &[]
        }
    }

    /// A float that lives as long as the arena's values. There is always a place for it, so that a
    /// number can be made even while an evaluation ends; it counts towards the memory limit, with
    /// what it owns outside of the arena.
    pub fn big(&self, big: Big) -> &Big {
        self.lend();
        self.may_grow(BIG_BYTES);
        self.bigs.get_or_init(Box::default).keep(big)
    }

    /// An empty growable list.
    pub fn list<T>(&self) -> ArenaVec<'_, T> {
        ArenaVec::new_in(self.allocate())
    }

    /// An empty growable list with room for `capacity` items.
    pub fn list_with<T>(&self, capacity: usize) -> ArenaVec<'_, T> {
        ArenaVec::with_capacity_in(capacity, self.allocate())
    }

    /// An empty growable text.
    pub fn string(&self) -> ArenaString<'_> {
        ArenaString::new_in(self.allocate())
    }
}

/// Floats own memory outside the bump; they are kept in chunks that never move.
#[derive(Default)]
struct BigStore {
    chunks: [OnceCell<Box<[OnceCell<Big>]>>; 32],
    used: Cell<usize>,
}

/// Bytes of a float: its place here, its digits of 512 bits, and what the allocator adds to these.
const BIG_BYTES: usize = size_of::<OnceCell<Big>>() + 64 + 16;

impl fmt::Debug for BigStore {
    /// Tells how many there are and none of them: the value of one may be marked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigStore").field("used", &self.used).finish_non_exhaustive()
    }
}

/// Length of the first chunk; every next one is twice as long.
const FIRST_CHUNK: usize = 16;

impl BigStore {
    fn keep(&self, big: Big) -> &Big {
        let index = self.used.get();
        self.used.set(index + 1);
        let chunk = ((index / FIRST_CHUNK) + 1).ilog2() as usize;
        let start = FIRST_CHUNK * ((1 << chunk) - 1);
        let cells =
            self.chunks[chunk].get_or_init(|| (0..FIRST_CHUNK << chunk).map(|_| OnceCell::new()).collect());
        cells[index - start].get_or_init(|| big)
    }

    fn clear(&mut self) {
        if self.used.replace(0) == 0 {
            return;
        }
        for chunk in self.chunks.iter_mut().filter_map(OnceCell::get_mut) {
            for cell in chunk.iter_mut() {
                if cell.take().is_none() {
                    break;
                }
            }
        }
    }
}
