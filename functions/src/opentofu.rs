//! The OpenTofu table: what its expressions can call without files, clock or randomness.
//! Every function also stands under `core::`.

use hclvm_vm::{Function, FunctionTable};

use super::standard::standard;
use super::{collection, encoding, network, number, shared, text, time};

/// Names of the standard table that OpenTofu does not have.
const ABSENT: [&str; 26] = [
    "add",
    "and",
    "assertnotnull",
    "byteslen",
    "bytesslice",
    "divide",
    "equal",
    "greaterthan",
    "greaterthanorequalto",
    "hasindex",
    "int",
    "length_cty",
    "lessthan",
    "lessthanorequalto",
    "modulo",
    "multiply",
    "negate",
    "not",
    "notequal",
    "or",
    "regex_replace",
    "reverselist",
    "sethaselement",
    "setsymmetricdifference",
    "strlen",
    "subtract",
];

/// The functions of OpenTofu's expressions.
pub fn opentofu() -> FunctionTable {
    let mut table = standard();
    for name in ABSENT {
        table.remove(name);
    }
    for (name, function) in shared::beyond_library().into_iter().chain(own()).chain(of_features()) {
        table.insert(name, function);
    }
    let names: Vec<_> = table.names().cloned().collect();
    for name in names {
        if let Some(function) = table.get(&name).cloned() {
            table.insert(format!("core::{name}"), function);
        }
    }
    table
}

/// The functions that the standard table does not have, or has otherwise.
fn own() -> [(&'static str, Function); 15] {
    [
        ("alltrue", collection::alltrue()),
        ("anytrue", collection::anytrue()),
        ("cidrcontains", network::cidrcontains()),
        ("coalesce", collection::coalesce_nonempty()),
        ("endswith", text::endswith()),
        ("index", collection::index_of()),
        ("lookup", collection::lookup_optional()),
        ("matchkeys", collection::matchkeys()),
        ("one", collection::one()),
        ("startswith", text::startswith()),
        ("strcontains", text::strcontains()),
        ("sum", number::sum()),
        ("timecmp", time::timecmp()),
        ("transpose", collection::transpose()),
        ("urldecode", encoding::urldecode()),
    ]
}

/// The functions that are there only with a feature of the crate.
fn of_features() -> Vec<(&'static str, Function)> {
    vec![
        #[cfg(feature = "compression")]
        ("base64gzip", super::compression::base64gzip()),
        #[cfg(all(feature = "digest", feature = "encoding"))]
        ("base64sha256", super::digest::base64sha256()),
        #[cfg(all(feature = "digest", feature = "encoding"))]
        ("base64sha512", super::digest::base64sha512()),
        #[cfg(feature = "charset")]
        ("textdecodebase64", super::charset::textdecodebase64()),
        #[cfg(feature = "charset")]
        ("textencodebase64", super::charset::textencodebase64()),
    ]
}
