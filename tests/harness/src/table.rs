//! The function tables of the recorded cases, under the names used there.

use hclvm::functions::{self, Capabilities, FunctionTable};
use serde_json::Value as Json;

/// Names that differ: that of a function in the cases, and its name here.
const ALIASES: [(&str, &str); 2] = [("ns::upper", "upper"), ("core::math::max", "max")];

/// Returns the table `stdlib`.
pub(crate) fn stdlib() -> FunctionTable {
    let mut table = functions::standard();
    for (alias, name) in ALIASES {
        if let Some(function) = table.get(name).cloned() {
            table.insert(alias, function);
        }
    }
    table
}

/// Returns the table of an application without capabilities.
pub(crate) fn of_app(name: &str) -> Result<FunctionTable, String> {
    match name {
        "packer" => Ok(packer()),
        "opentofu" => Ok(functions::opentofu()),
        "nomad" => Ok(functions::nomad(&Capabilities::none())),
        _ => Err(format!("there is no application {name}")),
    }
}

/// Returns Packer's table without capabilities.
pub(crate) fn packer() -> FunctionTable {
    functions::packer(&Capabilities::none())
}

/// Returns the functions that a case may call, or `None` if calls are not allowed.
pub(crate) fn of_case(named: Option<&Json>) -> Result<Option<FunctionTable>, String> {
    match named {
        None => Ok(None),
        Some(Json::String(name)) if name == "none" => Ok(None),
        Some(Json::String(name)) if name == "stdlib" => Ok(Some(stdlib())),
        Some(Json::Object(chosen)) => {
            let all = stdlib();
            let mut table = FunctionTable::new();
            for (name, original) in chosen {
                if let Some(function) = original.as_str().and_then(|original| all.get(original)) {
                    table.insert(name.as_str(), function.clone());
                }
            }
            Ok(Some(table))
        }
        Some(other) => Err(format!("there is no function table {other}")),
    }
}
