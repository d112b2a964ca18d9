//! The named values that exist beside variables, locals and data sources.

use hclvm::analysis::Paths;
use hclvm::value::Arena;
use hclvm::{Document, Error, OwnedValue, Scope, Type, Value};

use super::Settings;
use crate::files::Files;
use crate::marks::{ExpressionName, Marking};
use crate::names::{object, set_object};

/// All named values.
pub(super) const NAMES: [&str; 7] = ["var", "local", "data", "path", "packer", "source", "build"];

/// The attributes that every builder gives while it runs. Before, each is the text `<unknown>`.
const BUILDER: [&str; 13] = [
    "ConnType",
    "Host",
    "ID",
    "PackerHTTPAddr",
    "PackerHTTPIP",
    "PackerHTTPPort",
    "PackerRunUUID",
    "Password",
    "Port",
    "SSHPrivateKey",
    "SSHPublicKey",
    "User",
    "WinRMPassword",
];

/// Returns the attributes of `build` that expressions read beside those that every builder gives.
pub(super) fn builder_keys(documents: &[Document]) -> Vec<String> {
    let paths: Vec<Paths> = documents.iter().map(Document::referenced_paths).collect();
    let needs = paths.iter().filter_map(|paths| paths.get("build"));
    let mut keys: Vec<String> = needs.flat_map(|need| need.names()).map(ToString::to_string).collect();
    keys.retain(|key| key != "name" && !BUILDER.contains(&key.as_str()));
    keys.sort();
    keys.dedup();
    keys
}

/// Sets what does not depend on inputs and builds.
pub(super) fn set_fixed(scope: &mut Scope, settings: &Settings, files: &Files) -> Result<(), Error> {
    let arena = Arena::new();
    let text = |text: &str| Value::str(&arena, arena.text(text));
    set_object(scope, "path", [("cwd", text(&settings.directory)), ("root", text(&files.root))])?;
    let unknown = Value::unknown_of(&arena, Type::String);
    let packer =
        [("version", text(&settings.version)), ("iterationID", unknown), ("versionFingerprint", unknown)];
    set_object(scope, "packer", packer)?;
    scope.set_value("source", no_source().get())?;
    scope.set_value("build", no_build().get())
}

/// Returns `source` outside of builds.
pub(super) fn no_source() -> OwnedValue {
    let arena = Arena::new();
    let unknown = Value::unknown_of(&arena, Type::String);
    object([("type", unknown), ("name", unknown)])
}

/// Returns `build` outside of builds.
pub(super) fn no_build() -> OwnedValue {
    OwnedValue::new(Value::unknown_of(&Arena::new(), Type::Object(&[])))
}

/// Returns `build` in the headers of a build.
pub(super) fn build_header(name: &ExpressionName, marking: Marking) -> OwnedValue {
    object([("name", name.value(marking).get())])
}

/// Returns `source` in bodies.
pub(super) fn source(kind: &ExpressionName, name: &ExpressionName, marking: Marking) -> OwnedValue {
    object([("type", kind.value(marking).get()), ("name", name.value(marking).get())])
}

/// Returns `build` in bodies: the builder's values, or placeholders for those it has not given.
pub(super) fn build(name: &ExpressionName, marking: Marking, given: &[(String, OwnedValue)]) -> OwnedValue {
    let arena = Arena::new();
    let placeholder = Value::str(&arena, "<unknown>");
    let common = BUILDER.iter().map(|name| (*name, placeholder));
    let given = given.iter().map(|(name, value)| (name.as_str(), value.get()));
    let name = name.value(marking);
    object(common.chain([("name", name.get())]).chain(given))
}
