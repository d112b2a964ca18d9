//! Lints of policies: names of blocks and attributes that are nearly those of rules, so that a rule or a part of it has no
//! effect. The names come from [`PolicySpec::default`]; [`Module::policy`](crate::Module::policy) reports such mistakes
//! as errors, with the names that the host has.

use hclvm_vm::{Span, codes, nearest};

use super::file::LintedFile;
use crate::structure::policy::PolicySpec;
use crate::syntax::document::Block;

/// Warns about blocks that are nearly rules, and attributes that are nearly parts of rules, in a file with rules.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    let spec = PolicySpec::default();
    let has = |block: Block<'_>, name: &str| block.attribute(name).is_some();
    let blocks: Vec<Block<'_>> = file.document.body().blocks().collect();
    let is_rule = |block: &Block<'_>| {
        block.kind() == spec.kind && has(*block, spec.condition) && has(*block, spec.effect)
    };
    if !blocks.iter().any(is_rule) {
        return;
    }
    for block in blocks {
        if block.kind() == spec.kind {
            attributes(file, block, &spec);
        } else if nearest(block.kind(), [spec.kind]).is_some()
            && (has(block, spec.condition) || has(block, spec.effect))
        {
            let (kind, meant) = (block.kind(), spec.kind);
            let detail =
                format!("Rules are blocks of type \"{meant}\"; a block of type \"{kind}\" is not a rule.");
            warn(file, detail, block.kind_span(), meant);
        }
    }
}

/// Warns about the attributes of a rule.
fn attributes(file: &mut LintedFile<'_>, rule: Block<'_>, spec: &PolicySpec<'_>) {
    let names = [spec.condition, spec.effect, spec.reason, spec.obligations].into_iter().chain(spec.priority);
    // An attribute beside the one that it resembles is not misspelt.
    let missing: Vec<&str> = names.clone().filter(|name| rule.attribute(name).is_none()).collect();
    for attribute in rule.body().attributes().filter(|one| !names.clone().any(|name| name == one.name())) {
        if let Some(near) = nearest(attribute.name(), missing.iter().copied()) {
            let detail =
                format!("The attribute of rules is \"{near}\"; \"{}\" has no effect.", attribute.name());
            warn(file, detail, attribute.name_span(), near);
        }
    }
}

fn warn(file: &mut LintedFile<'_>, detail: String, place: Span, meant: &str) {
    file.warn(codes::MISSPELLED_RULE, detail, place).additions_mut().propose(place, meant.to_owned());
}
