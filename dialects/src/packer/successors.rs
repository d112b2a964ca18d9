//! Functions that only the old templates in JSON had: messages about their calls name what takes their place.

use std::sync::Arc;

use hclvm::diagnostics::codes;
use hclvm::functions::{Capabilities, packer};
use hclvm::{Diagnostic, Diagnostics};

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

/// Adds to messages about unknown functions what takes the place of those that old templates had, and where those of
/// templates may be called that are unknown only in the default of a variable.
pub(super) fn name_successors(problems: &mut Problems) {
    let is_unknown = |one: &Diagnostic| one.code() == codes::UNKNOWN_FUNCTION;
    let mut functions = None;
    for group in problems.groups_mut() {
        if !group.iter().any(is_unknown) {
            continue;
        }
        let functions = functions.get_or_insert_with(|| packer(&Capabilities::none()));
        let named = group.iter().cloned().map(|mut one| {
            let name = one.detail.split('"').nth(1).filter(|_| is_unknown(&one)).unwrap_or_default();
            if let Some((_, new)) = SUCCESSORS.iter().find(|(old, _)| *old == name) {
                one.detail = format!("{} Templates in HCL have {new} instead.", one.detail).into();
            } else if functions.get(name).is_some() {
                let why =
                    "Only `env` may be called in the default of a variable: compute the value in a local.";
                one.detail = format!("{} {why}", one.detail).into();
            }
            one
        });
        *group = Diagnostics::new(Arc::clone(group.source()), named.collect());
    }
}
