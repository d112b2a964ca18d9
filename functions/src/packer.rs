//! The Packer table: the functions of its templates, under the names they have there.
//!
//! `env`, which Packer allows in the defaults of variables only, is among them: where it may be
//! called is for the host to say.

use std::sync::Arc;

use hclvm_vm::FunctionTable;

use super::capability::Capabilities;
use super::file::{TemplateRenderer, nested_templatefile, templatefile};
use super::shared::{self, Named, unpromised};
use super::{collection, environment, network, number, text, time};

/// Returns the functions of Packer's templates. Those that depend on more than their arguments use
/// what the host has `granted`. `renderer` makes the renderer of `templatefile` from the functions
/// that template files can call.
pub fn packer(
    granted: &Capabilities,
    renderer: impl FnOnce(FunctionTable) -> Arc<dyn TemplateRenderer>,
) -> FunctionTable {
    let mut table = FunctionTable::new();
    let library = shared::functions().into_iter().chain(promised());
    let further = unpromised(own()).chain(unpromised(of_features()));
    let granted_ones = shared::granted_functions(granted).into_iter().chain(granted_own(granted));
    for (name, function) in library.chain(further).chain(granted_ones) {
        table.insert(name, function);
    }
    // A template file sees the same functions, but does not render further files.
    table.insert("templatefile", nested_templatefile());
    let outer = templatefile(granted, renderer(table.clone()));
    table.insert("templatefile", outer);
    table
}

/// The functions that Nomad does not have, or has otherwise, and that promise nothing of unknown results.
fn own() -> Vec<Named> {
    vec![
        ("coalesce", collection::coalesce_nonempty()),
        ("endswith", text::endswith()),
        ("index", collection::index_of()),
        ("rfc3339_parse", time::rfc3339_parse()),
        ("startswith", text::startswith()),
        ("strcontains", text::strcontains()),
        ("sum", number::sum()),
        ("unix_timestamp_parse", time::unix_timestamp_parse()),
    ]
}

/// The functions that Nomad does not have, or has otherwise, and whose results are never null.
fn promised() -> Vec<Named> {
    vec![
        ("alltrue", collection::alltrue()),
        ("anytrue", collection::anytrue()),
        ("length", collection::length()),
        #[cfg(feature = "regex")]
        ("regex", super::regex::regex()),
        #[cfg(feature = "regex")]
        ("regexall", super::regex::regexall()),
        ("reverse", collection::reverse()),
    ]
}

fn granted_own(granted: &Capabilities) -> Vec<Named> {
    vec![
        ("aws_secretsmanager", network::aws_secretsmanager(granted)),
        ("aws_secretsmanager_raw", network::aws_secretsmanager_raw(granted)),
        ("consul_key", network::consul_key(granted)),
        ("env", environment::env(granted)),
        ("legacy_isotime", time::legacy_isotime(granted)),
        ("legacy_strftime", time::legacy_strftime(granted)),
        ("timestamp", time::now(granted)),
        ("vault", network::vault(granted)),
    ]
}

/// The functions that are there only with a feature of the crate.
fn of_features() -> Vec<Named> {
    vec![
        #[cfg(feature = "compression")]
        ("base64gzip", super::compression::base64gzip()),
        #[cfg(feature = "charset")]
        ("textdecodebase64", super::charset::textdecodebase64()),
        #[cfg(feature = "charset")]
        ("textencodebase64", super::charset::textencodebase64()),
    ]
}
