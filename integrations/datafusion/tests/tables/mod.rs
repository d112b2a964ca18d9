//! Tables of generated requests, and a policy for them.
#![allow(dead_code, reason = "each test uses some of it")]

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Int64Array, ListBuilder, RecordBatch, StringArray, StringBuilder, StructArray,
};
use datafusion::arrow::datatypes::{DataType, Field};
use hclvm::policy::{Combining, PolicySpec};

/// A policy for requests.
pub(crate) const POLICY: &str = r#"
rule "admin" {
  when   = user.role == "admin"
  effect = "allow"
}
rule "own" {
  when   = owner == user.name
  effect = "allow"
  reason = "owner of request ${id}"
}
rule "small" {
  when   = size < 10 && contains(tags, "public")
  effect = "allow"
}
rule "locked" {
  when   = locked
  effect = "deny"
}
"#;

/// Returns how the policy combines rules.
pub(crate) fn policy_spec() -> PolicySpec<'static> {
    PolicySpec { combining: Combining::Overrides("deny"), ..PolicySpec::default() }
}

/// Numbers that depend on a seed alone.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// Returns one of some texts.
    pub(crate) fn one_of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[usize::try_from(self.below(texts.len() as u64)).unwrap_or(0)]
    }
}

/// Returns a table of requests.
pub(crate) fn requests(rows: usize, seed: u64) -> RecordBatch {
    let mut numbers = Numbers(seed);
    let ids: Vec<i64> = (0..).take(rows).collect();
    let sizes: Vec<i64> = (0..rows).map(|_| i64::try_from(numbers.below(100)).unwrap_or(0)).collect();
    let locked: Vec<bool> = (0..rows).map(|_| numbers.below(5) == 0).collect();
    let owner =
        |numbers: &mut Numbers| (numbers.below(4) > 0).then(|| numbers.one_of(&["ann", "bob", "eve"]));
    let owners: Vec<Option<&str>> = (0..rows).map(|_| owner(&mut numbers)).collect();
    let names: Vec<&str> = (0..rows).map(|_| numbers.one_of(&["ann", "bob", "zoë"])).collect();
    let roles: Vec<&str> = (0..rows).map(|_| numbers.one_of(&["admin", "guest", "staff"])).collect();
    let mut tags = ListBuilder::new(StringBuilder::new());
    for _ in 0..rows {
        for _ in 0..=numbers.below(2) {
            tags.values().append_value(numbers.one_of(&["public", "big", "old"]));
        }
        tags.append(true);
    }
    let text = |name| Arc::new(Field::new(name, DataType::Utf8, false));
    let user = StructArray::from(vec![
        (text("name"), Arc::new(StringArray::from(names)) as ArrayRef),
        (text("role"), Arc::new(StringArray::from(roles)) as ArrayRef),
    ]);
    RecordBatch::try_from_iter([
        ("id", Arc::new(Int64Array::from(ids)) as ArrayRef),
        ("size", Arc::new(Int64Array::from(sizes))),
        ("locked", Arc::new(BooleanArray::from(locked))),
        ("owner", Arc::new(StringArray::from(owners))),
        ("user", Arc::new(user)),
        ("tags", Arc::new(tags.finish())),
    ])
    .expect("columns of one length")
}
