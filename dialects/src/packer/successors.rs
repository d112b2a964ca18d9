//! Functions that only the old templates in JSON had: messages about their calls name what takes their place.

use std::sync::Arc;

use hclvm::Diagnostics;
use hclvm::diagnostics::codes;

use crate::problems::Problems;

/// The functions, and what is written instead.
const SUCCESSORS: [(&str, &str); 14] = [
    ("build_name", "source.name"),
    ("build_type", "source.type"),
    ("clean_resource_name", "regex_replace(NAME, \"[^a-zA-Z0-9-]\", \"-\")"),
    ("env", "env(\"NAME\") in the default of a variable, the only place that may call it, and var.NAME here"),
    ("isotime", "legacy_isotime(LAYOUT), or formatdate(FORMAT, timestamp())"),
    ("packer_version", "packer.version"),
    ("pwd", "path.cwd"),
    ("replace_all", "replace(TEXT, OLD, NEW)"),
    ("sed", "regex_replace(TEXT, PATTERN, NEW)"),
    ("strftime", "legacy_strftime(FORMAT)"),
    ("swap_case", "upper(TEXT) or lower(TEXT)"),
    ("template_dir", "path.root"),
    ("user", "var.NAME"),
    ("uuid", "uuidv4()"),
];

/// Adds to messages about unknown functions what takes the place of those that old templates had.
pub(super) fn name_successors(problems: &mut Problems) {
    for group in problems.groups_mut() {
        if !group.iter().any(|one| one.code() == codes::UNKNOWN_FUNCTION) {
            continue;
        }
        let named = group.iter().cloned().map(|mut one| {
            let name = one.detail.split('"').nth(1);
            let successor = SUCCESSORS.iter().find(|(old, _)| Some(*old) == name);
            if let Some((_, new)) = successor.filter(|_| one.code() == codes::UNKNOWN_FUNCTION) {
                one.detail = format!("{} Templates in HCL have {new} instead.", one.detail).into();
            }
            one
        });
        *group = Diagnostics::new(Arc::clone(group.source()), named.collect());
    }
}
