//! Requirements of plugins: `packer { required_plugins { docker = { source = "github.com/hashicorp/docker", version = "~> 1" } } }`.
//! Which plugins are installed is not read.

use std::collections::HashMap;

use hclvm::schema::{Content, Schema};
use hclvm::value::View;
use hclvm::{Attribute, Value};
use smol_str::SmolStr;

use crate::constants::ConstantEvaluator;
use crate::problems::{Problems, TextRange};
use crate::versions::{Constraint, VersionRules};

/// Checks the requirements of all files.
pub(super) fn check(contents: &[Content<'_>], constants: &mut ConstantEvaluator, problems: &mut Problems) {
    let schema = Schema::new().optional("required_version").block("required_plugins", &[]);
    let mut first: HashMap<SmolStr, String> = HashMap::new();
    for block in contents.iter().flat_map(|content| content.blocks_of("packer")) {
        // What else is in the block was reported with its version.
        let inner = block.body().content_lenient(&schema).0;
        for plugins in inner.blocks_of("required_plugins") {
            let (attributes, found) = plugins.body().just_attributes_lenient();
            problems.add(found);
            for attribute in attributes {
                requirement(attribute, constants, problems);
                let (name, place) = (attribute.name(), TextRange::of_value(attribute));
                if let Some(line) = first.get(name) {
                    let detail = format!("The plugin is already required at {line}.");
                    problems.error(&place, format!("Duplicate required_plugin.\"{name}\" block"), detail);
                } else {
                    first.insert(name.into(), place.line());
                }
            }
        }
    }
}

/// Checks the requirement of one plugin.
fn requirement(attribute: Attribute<'_>, constants: &mut ConstantEvaluator, problems: &mut Problems) {
    let (name, place) = (attribute.name(), TextRange::of_value(attribute));
    let value = constants.value(attribute, problems);
    if let Some(why) = refuse_part(name).or_else(|| refuse_letters(name)) {
        let detail = format!("The name of a plugin {why}.");
        problems.error(&place, "Invalid plugin local name", detail);
    }
    let form = format!("{name} = {{ source = \"github.com/hashicorp/{name}\", version = \">= 1\" }}");
    let value = value.as_ref().map_or(Value::DYNAMIC, |value| value.get());
    if matches!(value.view(), View::String(_) | View::Number(_) | View::Bool(_)) {
        let place = TextRange { span: attribute.span(), ..place };
        let detail = format!("A plugin has a source and a version: {form}.");
        problems.error(&place, "Invalid plugin requirement", detail);
        return;
    }
    let View::Object(entries) = value.view() else {
        let detail = format!("A plugin is required by an object: {form}.");
        problems.error(&place, "Invalid required_plugins syntax", detail);
        return;
    };
    let find = |wanted: &str| entries.iter().find(|entry| entry.name == wanted).map(|entry| entry.value);
    let Some(version) = find("version") else {
        let detail = format!("`version` says which versions of the plugin are good: {form}.");
        problems.error(&place, "No version constraint was set", detail);
        return;
    };
    if version.as_str().and_then(|text| Constraint::parse(text, VersionRules::Packer)).is_none() {
        let shown = hclvm::show::line(version);
        let detail =
            format!("{shown} is not a version requirement. Write operators and versions: \">= 1.9, < 2\".");
        problems.error(&place, "Invalid version constraint", detail);
        return;
    }
    let Some(source) = find("source") else {
        let detail = format!("`source` says where the plugin comes from: {form}.");
        problems.error(&place, "No source was set", detail);
        return;
    };
    let Some(source) = source.as_str() else {
        let detail = format!("`source` is a string, not {}.", hclvm::show::line(source));
        problems.error(&place, "Invalid source", detail);
        return;
    };
    if let Some((title, why)) = refuse_source(source) {
        let detail =
            format!("The source \"{source}\" {why}. Sources look like \"github.com/hashicorp/docker\".");
        problems.error(&place, title, detail);
        return;
    }
    if let Some(other) = entries.iter().find(|entry| !matches!(entry.name, "version" | "source")) {
        let detail = format!("A plugin has a `version` and a `source`, but no `{}`.", other.name);
        problems.error(&place, "Invalid required_plugins object", detail);
    }
}

/// Returns the title and what is wrong with the source of a plugin.
fn refuse_source(source: &str) -> Option<(&'static str, String)> {
    const MOST_PARTS: usize = 16;
    let (path, fragment) = source.split_once('#').unwrap_or((source, ""));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let has_scheme = path.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|one: char| one.is_ascii_alphabetic())
            && scheme.bytes().all(|one| one.is_ascii_alphanumeric() || matches!(one, b'+' | b'-' | b'.'))
    });
    let has_colon = path.split('/').next().is_some_and(|first| first.contains(':'));
    let is_malformed = |why: &str| Some(("Malformed source URL", why.to_owned()));
    if source.starts_with('/') {
        return is_malformed("begins with a slash");
    }
    if source.ends_with('/') {
        return is_malformed("ends with a slash");
    }
    if !source.contains('/') {
        return is_malformed("has no host and path");
    }
    if has_scheme {
        return is_malformed("has a scheme");
    }
    if has_colon || source.contains(|one: char| one.is_ascii_control()) || has_bad_escape(source) {
        return is_malformed("is no URL");
    }
    if !query.is_empty() || !fragment.is_empty() {
        return is_malformed("has a query or a fragment");
    }
    let name = source.rsplit('/').next().unwrap_or_default();
    if let Some(why) = refuse_part(name) {
        return Some(("Invalid plugin type", format!("has a last part that {why}")));
    }
    if name.starts_with("packer-") {
        let short = name.trim_start_matches("packer-plugin-").trim_start_matches("packer-");
        return Some(("Invalid plugin type", format!("names the plugin \"{name}\" instead of \"{short}\"")));
    }
    let parts = source.split('/').filter(|part| !part.is_empty()).count();
    (parts > MOST_PARTS)
        .then(|| ("Too many parts to source URL", format!("has {parts} parts, more than {MOST_PARTS}")))
}

/// Returns true if a text has a percent sign without two hexadecimal digits behind it.
fn has_bad_escape(text: &str) -> bool {
    let is_hex = |digits: Option<&str>| {
        digits.is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|one| one.is_ascii_hexdigit()))
    };
    text.split('%').skip(1).any(|rest| !is_hex(rest.get(..2)))
}

/// Returns what is wrong with a name in a source, which is a label of a domain name; it may have capital letters.
fn refuse_part(name: &str) -> Option<&'static str> {
    let is_allowed =
        |one: char| one == '-' || one.is_ascii_alphanumeric() || !one.is_ascii() && one.is_alphanumeric();
    if name.is_empty() {
        Some("is empty")
    } else if name.contains('.') {
        Some("has a dot")
    } else if name.contains("--") {
        Some("has two hyphens one after the other")
    } else if name.starts_with('-') || name.ends_with('-') || !name.chars().all(is_allowed) {
        Some("has other signs than letters, digits and hyphens between them")
    } else {
        None
    }
}

/// Returns what is wrong with the letters of a name that has to be written as it is compared.
fn refuse_letters(name: &str) -> Option<&'static str> {
    (name.to_lowercase() != name).then_some("has capital letters")
}

#[cfg(test)]
mod tests {
    use super::refuse_source;

    #[test]
    fn sources_are_paths_on_hosts() {
        for sound in
            ["github.com/hashicorp/docker", "example.com/docker", "a/b", "host.com/x/Docker", "h/\u{e9}t"]
        {
            assert_eq!(refuse_source(sound), None, "{sound}");
        }
        let title = |source: &str| refuse_source(source).map(|(title, _)| title);
        for malformed in ["docker", "", "/a/b", "a/b/", "https://a/b", "a/b?x=1", "a/b#c", "1:2/b", "a/%zz"] {
            assert_eq!(title(malformed), Some("Malformed source URL"), "{malformed}");
        }
        for wrong in ["a/b.c", "a/b--c", "a/-b", "a/b_c", "a/packer-plugin-docker", "a/packer-docker"] {
            assert_eq!(title(wrong), Some("Invalid plugin type"), "{wrong}");
        }
        assert_eq!(title("a/".repeat(20).trim_end_matches('/')), Some("Too many parts to source URL"));
    }
}
