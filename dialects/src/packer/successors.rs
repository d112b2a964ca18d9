//! Functions that only the old templates in JSON had: messages about their calls name what takes their place.

use std::sync::Arc;

use hclvm::diagnostics::codes;
use hclvm::functions::{Capabilities, packer};
use hclvm::{Diagnostic, Diagnostics};

use crate::problems::Problems;

/// The functions, and what is written instead.
const SUCCESSORS: [(&str, &str); 13] = [
    ("build_name", "source.name"),
    ("build_type", "source.type"),
    ("clean_resource_name", "regex_replace(NAME, \"[^a-zA-Z0-9-]\", \"-\")"),
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
            if name == "env" {
                one.detail = "Only the default of a variable may call `env`: declare a variable with such a default, and read `var.NAME` here.".into();
            } else if let Some((_, new)) = SUCCESSORS.iter().find(|(old, _)| *old == name) {
                one.detail = format!("{} Templates in HCL have {new} instead.", one.detail).into();
            } else if functions.get(name).is_some() {
                one.detail = format!(
                    "The default of a variable may call only `env`, not `{name}`: compute the value in a local."
                )
                .into();
            }
            one
        });
        *group = Diagnostics::new(Arc::clone(group.source()), named.collect());
    }
}
