//! A smaller expression that shows the same difference.

use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::Value;

use super::compare::{Setting, compare};

/// What any part may be replaced by.
const SIMPLE: &[&str] = &["n", "s", "1", "null", "[]", "\"\"", "d", "a", "zz"];

/// The most attempts, for a difference is worth a second at most.
const ATTEMPTS: usize = 3_000;

/// Takes a part for the whole or replaces it by something simple, as long as that differs too.
pub(crate) fn shrunk(source: &str, setting: &Setting<'_>, scopes: &[Vec<Value<'_>>]) -> String {
    let mut smallest = source.to_owned();
    let mut attempts = 0;
    'again: loop {
        for candidate in candidates(&smallest) {
            attempts += 1;
            if attempts > ATTEMPTS {
                return smallest;
            }
            if compare(&candidate, setting, scopes).is_some_and(|compared| compared.difference.is_some()) {
                smallest = candidate;
                continue 'again;
            }
        }
        return smallest;
    }
}

/// Texts that are shorter than `source`, the shortest first.
fn candidates(source: &str) -> Vec<String> {
    let parsed = parse_expression(source, &ParseLimits::default());
    let mut all = Vec::new();
    for node in 0..parsed.tree.len() as u32 {
        let span = parsed.tree.span(NodeId(node));
        let (start, end) = (span.start as usize, span.end as usize);
        let Some(part) = source.get(start..end) else { continue };
        all.push(part.to_owned());
        for inner in 0..node {
            let inner = parsed.tree.span(NodeId(inner));
            let within = inner.start >= span.start && inner.end <= span.end;
            if let Some(inner) = source.get(inner.start as usize..inner.end as usize)
                && within
            {
                all.push([&source[..start], inner, &source[end..]].concat());
            }
        }
        for simple in SIMPLE {
            all.push([&source[..start], simple, &source[end..]].concat());
        }
    }
    all.retain(|candidate| candidate.len() < source.len());
    all.sort_by_key(String::len);
    all.dedup();
    all
}
