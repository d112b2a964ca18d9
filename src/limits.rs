//! Limits of texts and of evaluations, in one struct for hosts. The parser and the machine each get
//! their part of it.

use std::time::Duration;

use hclvm_compiler::ParseLimits;
use hclvm_vm::Limits as RunLimits;

/// The limits of texts and evaluations. Exceeding a limit is an error of a separate
/// kind, [`ErrorKind::Limit`](crate::ErrorKind::Limit), or a diagnostic of the text. No operator and
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
/// The nesting of texts, values and calls is the same in both, because it bounds the native stack:
/// with it, every recursion of the engine fits a thread of 2 MiB, also in unoptimized builds. Chains
/// of operators, attributes, `else if`, locals and blocks are walked by loops and limited by the size
/// of the text alone.
///
/// Change limits by struct update from a preset:
///
/// ```
/// use hclvm::{Engine, Limits};
///
/// let limits = Limits { fuel: 1_000_000, nesting: 100, ..Limits::untrusted() };
/// let engine = Engine::builder().limits(limits).build();
/// # let _ = engine;
/// ```
///
/// A minor version may add limits, with values in both presets. Code that ends in a preset, as above,
/// continues to compile. (`non_exhaustive` would also forbid this form.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a text.
    pub source_bytes: usize,
    /// Nesting of brackets, conditionals, templates and blocks in a text.
    pub nesting: u32,
    /// Bytes of a name.
    pub identifier_bytes: usize,
    /// Diagnostics that are kept of a text or an evaluation; one more shows the number of the others.
    pub diagnostics: usize,
    /// Units of work of an evaluation: instructions in loops, and elements and bytes that functions
    /// produce.
    pub fuel: u64,
    /// Bytes of all values of an evaluation, or of the value of one variable.
    pub arena_bytes: usize,
    /// Nesting of values (a list in a list is 2).
    pub value_depth: u16,
    /// Decimal digits of a number turned into text.
    pub digits: u32,
    /// Bytes of one text that an evaluation produces.
    pub text_bytes: usize,
    /// Nesting of calls of functions that are defined in HCL.
    pub call_depth: u16,
    /// Duration of an evaluation. The only limit that makes results depend on the machine.
    pub time: Option<Duration>,
}

impl Limits {
    /// Returns limits for texts and values of unknown origin.
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

    /// Returns limits for texts that the host trusts: a program exceeds them only by mistake.
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

    /// Returns the limits of the parser.
    pub(crate) const fn of_texts(&self) -> ParseLimits {
        ParseLimits {
            source_bytes: self.source_bytes,
            nesting: self.nesting,
            identifier_bytes: self.identifier_bytes,
            diagnostics: self.diagnostics,
        }
    }

    /// Returns the limits of the machine.
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
