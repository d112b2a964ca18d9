//! Keys: tests as they are looked up. Texts and integers are looked up by their hashes alone, and other numbers by the
//! nearest float: a test may be found that does not hold, because candidates are evaluated, but no test is missed.

use std::hash::BuildHasher;

use hclvm_compiler::analysis::{Clause, Constant, GuardKind, Holds, Traversal};
use hclvm_vm::Number;
use hclvm_vm::hash::Hash;
use hclvm_vm::text::nfc_code_points;
use smol_str::SmolStr;

/// Tests of which one holds if the condition is true, with what must be true of other values.
#[derive(Clone, Debug)]
pub(crate) struct KeyChoice {
    pub(super) tests: Vec<KeyTest>,
    pub(super) guards: Vec<Guarded>,
}

/// A test of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeyTest {
    pub(super) path: u32,
    pub(super) key: IndexKey,
}

/// A path and the values that it must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Guarded {
    pub(super) path: u32,
    pub(super) kind: GuardKind,
}

/// The constant that the value of a path is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum IndexKey {
    /// The hash of the value.
    Equal(u64),
    /// The length and the hash of the beginning of the text.
    Begin(usize, u64),
    /// The least and the greatest number.
    Range(f64, f64),
}

/// The hash function of an index.
#[derive(Debug, Default)]
pub(super) struct Keys(Hash);

/// Returns true if a float represents an integer and its neighbours exactly.
pub(super) const fn is_exact(int: i64) -> bool {
    int.unsigned_abs() < 1 << 53
}

impl Keys {
    pub(super) fn text(&self, text: &str) -> u64 {
        self.0.hash_one(text.as_bytes())
    }

    pub(super) fn beginning(&self, bytes: &[u8]) -> u64 {
        self.0.hash_one(bytes)
    }

    pub(super) fn int(&self, int: i64) -> u64 {
        self.0.hash_one(int)
    }

    pub(super) fn bool(&self, bool: bool) -> u64 {
        self.0.hash_one(bool)
    }

    /// Returns the keys of a clause; `None` if a path has no number.
    pub(super) fn choice(
        &self,
        clause: &Clause<'_>,
        mut number: impl FnMut(&Traversal<'_>) -> Option<u32>,
    ) -> Option<KeyChoice> {
        let tests = clause.tests.iter().map(|test| {
            let path = number(&test.path)?;
            Some(KeyTest { path, key: self.key(&test.holds) })
        });
        let tests = tests.collect::<Option<_>>()?;
        let guards = clause.guards.iter().map(|guard| {
            let path = number(&guard.path)?;
            Some(Guarded { path, kind: guard.kind })
        });
        Some(KeyChoice { tests, guards: guards.collect::<Option<_>>()? })
    }

    fn key(&self, holds: &Holds<'_>) -> IndexKey {
        match holds {
            Holds::Equals(Constant::Text(text)) => IndexKey::Equal(self.text(&normal(text))),
            Holds::Equals(Constant::Bool(bool)) => IndexKey::Equal(self.bool(*bool)),
            Holds::Equals(Constant::Number(number)) => self.number(number),
            Holds::Begins(prefix) => {
                let prefix = normal(prefix);
                IndexKey::Begin(prefix.len(), self.beginning(prefix.as_bytes()))
            }
            // The nearest floats of two numbers are in the order of the numbers, or equal.
            Holds::Between(low, high) => {
                let bound = |number: &Option<Number>, none| {
                    number.as_ref().map_or(none, |number| number.borrow().to_f64())
                };
                IndexKey::Range(bound(low, f64::NEG_INFINITY), bound(high, f64::INFINITY))
            }
        }
    }

    /// Returns the key of a number. Other numbers than integers equal those with the same shortest text, which are a
    /// little larger or smaller.
    fn number(&self, number: &Number) -> IndexKey {
        let number = number.borrow();
        match number.to_i64().filter(|_| number.is_integer()) {
            Some(int) if is_exact(int) => IndexKey::Equal(self.int(int)),
            _ => {
                let nearest = number.to_f64();
                IndexKey::Range(nearest.next_down().next_down(), nearest.next_up().next_up())
            }
        }
    }
}

fn normal(text: &str) -> SmolStr {
    nfc_code_points(text).collect()
}
