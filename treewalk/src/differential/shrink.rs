//! Minimizes an expression while its results still differ.

use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::Value;

use super::compare::{Setting, compare};

/// Replacements for any part.
const SIMPLE: &[&str] = &["n", "s", "1", "null", "[]", "\"\"", "d", "a", "zz"];

/// Maximum attempts, so that minimizing takes about a second at most.
const ATTEMPTS: usize = 3_000;

/// Replaces the whole by a part, or a part by something simple, as long as the results differ.
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

/// Returns texts shorter than `source`, the shortest first.
fn candidates(source: &str) -> Vec<String> {
    let parsed = parse_expression(source, &ParseLimits::default());
    let mut all = Vec::new();
    for node in 0..u32::try_from(parsed.tree.len()).unwrap_or(u32::MAX) {
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
