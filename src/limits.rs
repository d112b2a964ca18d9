//! How large texts may be and what evaluations may spend: one struct for both.

use std::time::Duration;

use hclvm_compiler::ParseLimits;
use hclvm_vm::Limits as RunLimits;

/// What a text may contain and an evaluation may spend. Exceeding one is an error of its own kind,
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit), or a diagnostic of the text; no operator and
/// no function of the language can hide it.
///
/// | | [untrusted](Limits::untrusted), the default | [trusted](Limits::trusted) |
/// |---|---|---|
/// | `source_bytes` | 4 MiB | 256 MiB |
/// | `nesting` | 1,000 | 1,000 |
/// | `identifier_bytes` | 4 KiB | 64 KiB |
/// | `diagnostics` | 100 | 1,000 |
/// | `fuel` | 10,000,000 | 10,000,000,000 |
/// | `arena_bytes` | 64 MiB | 1 GiB |
/// | `value_depth` | 1,000 | 1,000 |
/// | `digits` | 100,000 | 10,000,000 |
/// | `text_bytes` | 16 MiB | 256 MiB |
/// | `call_depth` | 64 | 64 |
/// | `time` | none | none |
///
/// The nesting of texts, values and calls is the same in both, because it is what bounds the machine's
/// stack: every recursion of the engine fits a thread of 2 MiB with it, also without
/// optimisation. Chains of operators, of attributes, of `else if`, of locals and of blocks are
/// loops and have no limit but the size of the text.
///
/// Limits are changed by struct update from a preset:
///
/// ```
/// use hclvm::{Engine, Limits};
///
/// let limits = Limits { fuel: 1_000_000, nesting: 100, ..Limits::untrusted() };
/// let engine = Engine::builder().limits(limits).build();
/// # let _ = engine;
/// ```
///
/// Further limits may be added in a minor version, with values in both presets; code that ends in a
/// preset, as above, then stays as it is. (An attribute `non_exhaustive` would say so to the compiler,
/// but would forbid this way of writing them, too.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a text.
    pub source_bytes: usize,
    /// Nesting of brackets, conditionals, templates and blocks in a text.
    pub nesting: u32,
    /// Bytes of a name.
    pub identifier_bytes: usize,
    /// Diagnostics that are kept, of a text as of an evaluation; one more counts the others.
    pub diagnostics: usize,
    /// Units of work of an evaluation: instructions in loops, elements and bytes that functions make.
    pub fuel: u64,
    /// Bytes of all values of an evaluation, or of one variable.
    pub arena_bytes: usize,
    /// Nesting of values (a list in a list is 2).
    pub value_depth: u16,
    /// Decimal digits of a number turned into text.
    pub digits: u32,
    /// Bytes of one text that an evaluation makes.
    pub text_bytes: usize,
    /// Functions defined in HCL that are called inside of each other.
    pub call_depth: u16,
    /// How long an evaluation may take. The only limit that makes results depend on the machine.
    pub time: Option<Duration>,
}

impl Limits {
    /// For texts and values of unknown origin.
    pub const fn untrusted() -> Self {
        Self {
            source_bytes: 4 << 20,
            nesting: 1_000,
            identifier_bytes: 4 << 10,
            diagnostics: 100,
            fuel: 10_000_000,
            arena_bytes: 64 << 20,
            value_depth: 1_000,
            digits: 100_000,
            text_bytes: 16 << 20,
            call_depth: 64,
            time: None,
        }
    }

    /// For texts that the host itself wrote: wide enough not to be met by accident.
    pub const fn trusted() -> Self {
        Self {
            source_bytes: 256 << 20,
            nesting: 1_000,
            identifier_bytes: 64 << 10,
            diagnostics: 1_000,
            fuel: 10_000_000_000,
            arena_bytes: 1 << 30,
            value_depth: 1_000,
            digits: 10_000_000,
            text_bytes: 256 << 20,
            call_depth: 64,
            time: None,
        }
    }

    /// The part that is about texts.
    pub(crate) const fn of_texts(&self) -> ParseLimits {
        ParseLimits {
            source_bytes: self.source_bytes,
            nesting: self.nesting,
            identifier_bytes: self.identifier_bytes,
            diagnostics: self.diagnostics,
        }
    }

    /// The part that is about evaluations.
    pub(crate) const fn of_runs(&self) -> RunLimits {
        RunLimits {
            fuel: self.fuel,
            arena_bytes: self.arena_bytes,
            value_depth: self.value_depth,
            digits: self.digits,
            text_bytes: self.text_bytes,
            faults: self.diagnostics,
            call_depth: self.call_depth,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::untrusted()
    }
}
