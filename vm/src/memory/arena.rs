//! The memory of one evaluation: values live here until the arena is reset, and nothing in it needs a
//! destructor.
//!
//! The arena also carries the [`Budget`] of the evaluation, because everything that can make memory grow
//! already holds the arena. After a limit is exceeded the budget stays exhausted and builders return
//! placeholders; the caller of the evaluation checks the budget at the end and reports the limit instead
//! of the result.
//!
//! This is the only file that names bumpalo. Memory that outlives evaluations is in the [owned
//! values](crate::OwnedValue) and [slots](crate::Slots), which hold arenas of their own.

use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::mem::MaybeUninit;
use std::sync::Arc;

use bumpalo::Bump;

use crate::memory::limits::{Budget, Exhausted, Interrupt, Limits};
use crate::memory::name::Symbols;
use crate::number::Big;
use crate::text::suggest::Comparisons;
use crate::value::{Entry, LARGEST_KEPT, TextBuffer, Value};

/// The length from which on reading a text is charged: shorter ones are covered by the charge for the
/// operation that reads them.
pub(crate) const WORK_TO_READ: usize = 4 << 10;

/// Bytes of a long text that one unit of fuel pays for, so that reading is charged in proportion.
const BYTES_PER_UNIT: usize = 512;

/// A growable list in an arena.
pub type ArenaVec<'a, T> = bumpalo::collections::Vec<'a, T>;

/// A growable text in an arena.
pub type ArenaString<'a> = bumpalo::collections::String<'a>;

/// The memory and the budget of one evaluation.
#[derive(Debug, Default)]
pub struct Arena {
    bump: Bump,
    /// True if the next reset has work to do: values were allocated, the budget was charged, or an
    /// interrupt is registered.
    used: Cell<bool>,
    /// Leftover bytes below which a reset may skip rewinding the bump allocator.
    slack: Cell<Slack>,
    /// Created lazily, because most evaluations hold no big float.
    bigs: OnceCell<Box<BigStore>>,
    budget: Budget,
    symbols: Option<Arc<Symbols>>,
    /// Bytes held when the previous evaluation ended.
    settled: Cell<usize>,
    /// Bytes excluded from the memory limit: they were allocated by a fast tier run that fell back, and
    /// the baseline tier allocates them again.
    forgiven: Cell<usize>,
    /// The buffer of templates for callers that bring none.
    scratch: RefCell<TextBuffer>,
    /// The string in which functions build texts.
    text: RefCell<String>,
    /// True if objects of the scope may lack attributes that no program reads.
    partial: Cell<bool>,
    /// What the suggestions of the evaluation's diagnostics may still compare.
    comparisons: Comparisons,
}

/// The chunk that the bump allocator must still have, and the room that must be left in it, for a reset
/// to skip rewinding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Slack {
    /// The size of the chunk. It is the size of all memory while there is only one chunk.
    chunk: usize,
    /// The least room in bytes; `usize::MAX` if the next reset must rewind.
    room: usize,
}

/// The most bytes that a reset may leave in place: one page, so that the next evaluations find their memory
/// in the processor's cache. At most one part in `PART_LEFT` of the memory limit, so that leftovers hardly
/// count towards it.
const MOST_LEFT: usize = 4 << 10;
const PART_LEFT: usize = 64;

/// The part of the memory limit that the other values of an arena may take when another one is added. The next
/// chunk, of which the new value may use little, is at most twice this part.
const PART_SHARED: usize = 16;

impl Arena {
    /// Creates an empty arena with the default limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty arena with `limits`.
    pub fn with_limits(limits: Limits) -> Self {
        Self { budget: Budget::new(limits), ..Self::default() }
    }

    /// Creates an empty arena with one chunk of `bytes`, for copies of values that were within limits.
    pub(crate) fn unlimited(bytes: usize) -> Self {
        let limits =
            Limits { fuel: u64::MAX, arena_bytes: usize::MAX, value_depth: u16::MAX, ..Limits::UNTRUSTED };
        let bump = if bytes == 0 { Bump::new() } else { Bump::with_capacity(bytes) };
        Self { bump, ..Self::with_limits(limits) }
    }

    /// Sets the table from which names of objects built here get their symbols.
    pub fn set_symbols(&mut self, symbols: Arc<Symbols>) {
        self.symbols = Some(symbols);
    }

    /// Returns the symbol of a name, or 0 if no program uses it.
    #[inline]
    pub fn symbol(&self, name: &str) -> u32 {
        self.symbols.as_ref().and_then(|symbols| symbols.get(name)).copied().unwrap_or(0)
    }

    /// Creates an entry whose name has its symbol.
    #[inline]
    pub fn entry<'a>(&self, name: &'a str, value: Value<'a>) -> Entry<'a> {
        Entry { name, symbol: self.symbol(name), value }
    }

    /// Registers the interrupt that may end evaluations in this arena.
    pub fn set_interrupt(&mut self, interrupt: Option<Arc<dyn Interrupt>>) {
        self.lend();
        self.budget.set_interrupt(interrupt);
    }

    /// Returns the budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns what the suggestions of the evaluation's diagnostics may still compare.
    pub const fn comparisons(&self) -> &Comparisons {
        &self.comparisons
    }

    /// Spends `units` of fuel. Returns false if not enough is left, or if the memory limit is exceeded:
    /// growable lists allocate without a check, so the charge that accompanies their growth checks it.
    #[inline]
    pub fn charge(&self, units: u64) -> bool {
        self.spend(units) && self.has_room(0)
    }

    /// Spends `units` of fuel. Returns false if not enough is left. For work that allocates nothing, or
    /// checks the memory limit itself.
    #[inline]
    pub fn spend(&self, units: u64) -> bool {
        self.budget.charge(units)
    }

    /// Charges for reading a whole text, for example to compare it. Returns false if not enough fuel is
    /// left. Long texts can be shared, so reading them can take time without taking memory; short ones
    /// are covered by the charge for the operation.
    #[inline]
    pub fn look_at(&self, text: &str) -> bool {
        text.len() <= WORK_TO_READ || self.spend((text.len() / BYTES_PER_UNIT) as u64)
    }

    /// Charges for the comparisons that sort a long text among `count` others. Returns false if not
    /// enough fuel is left.
    pub fn put_in_order(&self, text: &str, count: usize) -> bool {
        let rounds = u64::from(count.max(1).ilog2()) + 1;
        self.spend((text.len() / BYTES_PER_UNIT) as u64 * rounds)
    }

    /// Returns true if two texts are equal, and charges for comparing long ones. The result is
    /// meaningless if that exhausts the budget.
    #[inline]
    pub(crate) fn equal_texts(&self, a: &str, b: &str) -> bool {
        a.len() == b.len() && self.look_at(a) && a == b
    }

    /// Returns the number of bytes that the arena has allocated.
    pub fn allocated_bytes(&self) -> usize {
        self.bump.allocated_bytes()
    }

    /// Returns the number of bytes that can be allocated without memory from the system.
    pub(crate) fn left(&self) -> usize {
        self.bump.chunk_capacity()
    }

    /// Returns true if a reset would be a no-op. Never true while an interrupt is registered, or while
    /// several evaluations share the budget; see [`Arena::lend`].
    ///
    /// Inlined into the entry of every run, where it is a load and a compare.
    #[inline(always)]
    pub fn is_fresh(&self) -> bool {
        !self.used.get()
    }

    /// Marks the arena dirty, so that the next run resets it even if nothing is allocated.
    pub fn lend(&self) -> &Self {
        self.used.set(true);
        self.slack.set(Slack { chunk: 0, room: usize::MAX });
        self
    }

    /// Removes all values and refills the budget like [`Arena::reset`], but leaves a small number of
    /// bytes in place.
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

    /// Creates an empty arena with the limits, the names and the interrupt of this one, and a budget of its own.
    pub fn beside(&self) -> Self {
        let symbols = self.symbols.clone();
        let mut arena = Self { symbols, ..Self::with_limits(*self.budget.limits()) };
        arena.set_interrupt(self.budget.interrupt().cloned());
        arena.set_partial(self.is_partial());
        arena
    }

    /// Removes all values and refills the budget. Keeps the memory unless it exceeds a quarter of the
    /// limit.
    pub fn reset(&mut self) {
        self.clear();
        self.comparisons.refill();
        self.budget.refill();
    }

    /// Removes all values like [`Arena::reset`], but gives back nothing of what was spent of the budget.
    pub fn clear(&mut self) {
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
    }

    /// Refills the budget for another value, beside those that the arena has: the limits apply to each value.
    /// Returns `None` if these take so much that the next chunk would be a large part of the memory limit:
    /// each chunk is twice as large as the one before.
    pub(crate) fn begin_value(&self) -> Option<&Self> {
        let held = self.held();
        if held > self.budget.limits().arena_bytes / PART_SHARED {
            return None;
        }
        self.forgiven.set(held);
        self.budget.refill();
        Some(self)
    }

    /// Frees big floats and any memory above a quarter of the limit. Cold: only runs that held more than
    /// that get here.
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

    /// Takes the buffer for growing texts, for callers that have none. [`Arena::keep_scratch`] returns
    /// it.
    pub(crate) fn take_scratch(&self) -> TextBuffer {
        self.scratch.take()
    }

    /// Returns the buffer for later use.
    pub(crate) fn keep_scratch(&self, mut scratch: TextBuffer) {
        scratch.shrink();
        self.scratch.replace(scratch);
    }

    /// Notes whether objects of the scope may lack attributes that no program reads, so that messages do not list
    /// those that there are.
    pub fn set_partial(&self, partial: bool) {
        self.partial.set(partial);
    }

    /// Returns true if objects of the scope may lack attributes that no program reads.
    pub fn is_partial(&self) -> bool {
        self.partial.get()
    }

    /// Takes an empty string in which a function builds a text; it has its memory from earlier texts, unless
    /// another function uses it now. [`Arena::keep_text`] returns it.
    pub fn take_text(&self) -> String {
        self.text.take()
    }

    /// Returns a string for later texts.
    pub fn keep_text(&self, mut text: String) {
        text.clear();
        text.shrink_to(LARGEST_KEPT);
        self.text.replace(text);
    }

    /// Excludes what was allocated since the last evaluation from the memory limit: it was allocated by a
    /// run that fell back to the baseline tier, which allocates it again. A growing text may have taken
    /// twice the limit; no more than that is excluded.
    pub(crate) fn forgive(&self) {
        let held = self.held();
        let wasted = held.saturating_sub(self.settled.replace(held));
        let most = held.min(self.budget.limits().arena_bytes.saturating_mul(2));
        self.forgiven.set((self.forgiven.get() + wasted).min(most));
        self.lend();
    }

    /// Ends an evaluation: everything allocated so far belongs to its result.
    pub(crate) fn settle(&self) {
        self.settled.set(self.held());
        self.lend();
    }

    /// Returns the number of bytes that count as memory: those of the arena and of floats.
    fn held(&self) -> usize {
        let floats = self.bigs.get().map_or(0, |bigs| bigs.used.get().saturating_mul(BIG_BYTES));
        self.bump.allocated_bytes().saturating_add(floats)
    }

    /// Returns true if `bytes` more fit the memory limit; otherwise exhausts the budget.
    #[inline]
    pub fn has_room(&self, bytes: usize) -> bool {
        let left = self.budget.limits().arena_bytes.checked_sub(self.bump.allocated_bytes());
        left.is_some_and(|left| bytes <= left) || self.may_grow(bytes)
    }

    /// Returns true if a copy of `items` fits the memory limit. Inlined so that the size of the items is
    /// a constant.
    #[inline(always)]
    fn has_room_for<T>(&self, items: &[T]) -> bool {
        // Cannot wrap: both are sizes of memory in use, so their sum is an address at most.
        let bytes = size_of_val(items);
        self.bump.allocated_bytes().wrapping_add(bytes) <= self.budget.limits().arena_bytes
            || self.may_grow(bytes)
    }

    /// Checks the limit with floats and excluded bytes taken into account. Not inlined: most allocations
    /// are decided by the comparison before it.
    #[inline(never)]
    fn may_grow(&self, bytes: usize) -> bool {
        let held = self.held().saturating_sub(self.forgiven.get());
        let fits = held.saturating_add(bytes) <= self.budget.limits().arena_bytes;
        if !fits {
            self.budget.exhaust(Exhausted::Memory);
        }
        fits
    }

    /// Returns the bump allocator for an allocation. Inlined: it is one store.
    #[inline(always)]
    fn allocate(&self) -> &Bump {
        self.used.set(true);
        &self.bump
    }

    /// Copies `text` into the arena. Returns an empty text if it does not fit the memory limit.
    pub fn text(&self, text: &str) -> &str {
        if self.has_room(text.len()) { self.allocate().alloc_str(text) } else { "" }
    }

    /// Copies `bytes` into the arena, to be modified in place. Returns `None` if they do not fit the
    /// memory limit.
    #[inline]
    pub(crate) fn bytes_mut(&self, bytes: &[u8]) -> Option<&mut [u8]> {
        if self.has_room_for(bytes) { Some(self.allocate().alloc_slice_copy(bytes)) } else { None }
    }

    /// Copies `items` into the arena. Returns an empty slice if they do not fit the memory limit.
    pub fn slice<T: Copy>(&self, items: &[T]) -> &[T] {
        if self.has_room_for(items) { self.allocate().alloc_slice_copy(items) } else { &[] }
    }

    /// Copies `items` into the arena, to be changed. Returns `None` if they do not fit the memory limit.
    pub(crate) fn copied<T: Copy>(&self, items: &[T]) -> Option<&mut [T]> {
        self.has_room_for(items).then(|| self.allocate().alloc_slice_copy(items))
    }

    /// Allocates one item. Always succeeds, so that the header of a value can be made even after a limit
    /// is exceeded; the item counts towards the memory limit.
    pub fn item<T: Copy>(&self, item: T) -> &T {
        self.has_room(size_of::<T>());
        self.allocate().alloc(item)
    }

    /// Allocates a block of constant size. Inlined so that the copy needs no call.
    #[inline(always)]
    pub(crate) fn block<const N: usize>(&self, bytes: [u8; N]) -> &[u8; N] {
        self.has_room(N);
        self.allocate().alloc(bytes)
    }

    /// Allocates one item that can be modified. Its destructor is not run, so it must not own memory
    /// elsewhere.
    pub(crate) fn place<T>(&self, item: T) -> &mut T {
        self.has_room(size_of::<T>());
        self.allocate().alloc(item)
    }

    /// Allocates `count` items, each made from its index. Returns an empty slice if they do not fit the
    /// memory limit. Inlined together with `make`, which is a few instructions in a loop.
    #[inline(always)]
    pub(crate) fn filled<T: Copy>(&self, count: usize, make: impl FnMut(usize) -> T) -> &[T] {
        if self.has_room(count.saturating_mul(size_of::<T>())) {
            self.allocate().alloc_slice_fill_with(count, make)
        } else {
            &[]
        }
    }

    /// Allocates places for `count` items. Returns `None` if they do not fit the memory limit.
    pub(crate) fn places<T: Copy>(&self, count: usize) -> Option<&mut [MaybeUninit<T>]> {
        let fits = self.has_room(count.saturating_mul(size_of::<T>()));
        fits.then(|| self.allocate().alloc_slice_fill_with(count, |_| MaybeUninit::uninit()))
    }

    /// Keeps a float as long as the arena's values. Always succeeds, so that a number can be made even
    /// after a limit is exceeded. The float counts towards the memory limit, including the digits it owns
    /// outside of the arena.
    pub fn big(&self, big: Big) -> &Big {
        self.lend();
        self.may_grow(BIG_BYTES);
        self.bigs.get_or_init(Box::default).keep(big)
    }

    /// Creates an empty growable list.
    pub fn list<T>(&self) -> ArenaVec<'_, T> {
        ArenaVec::new_in(self.allocate())
    }

    /// Creates an empty growable list with room for `capacity` items.
    pub fn list_with<T>(&self, capacity: usize) -> ArenaVec<'_, T> {
        ArenaVec::with_capacity_in(capacity, self.allocate())
    }

    /// Creates an empty growable text.
    pub fn string(&self) -> ArenaString<'_> {
        ArenaString::new_in(self.allocate())
    }
}

/// Floats, which own memory outside of the bump allocator, in chunks that never move.
#[derive(Default)]
struct BigStore {
    chunks: [OnceCell<Box<[OnceCell<Big>]>>; 32],
    used: Cell<usize>,
}

/// The bytes that a float counts for: its cell, which has up to 512 bits of digits, and some of the memory of
/// longer ones, whose length has a limit of its own.
const BIG_BYTES: usize = size_of::<OnceCell<Big>>() + 32;

impl fmt::Debug for BigStore {
    /// Shows the number of floats but no float: its value may be marked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigStore").field("used", &self.used).finish_non_exhaustive()
    }
}

/// The length of the first chunk. Each further chunk is twice as long as the one before, so 32 chunks
/// suffice.
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
