//! The function table of the recorded cases, under the names that they use.

use hclvm::functions::{self, Capabilities, FunctionTable};
use serde_json::Value as Json;

/// Further names of the recorded table: how cases call a function, and what it is called here.
const ALIASES: [(&str, &str); 2] = [("ns::upper", "upper"), ("core::math::max", "max")];

/// The table called `stdlib`.
pub(crate) fn stdlib() -> FunctionTable {
    let mut table = functions::standard();
    for (alias, name) in ALIASES {
        if let Some(function) = table.get(name).cloned() {
            table.insert(alias, function);
        }
    }
    table
}

/// The table of an application that is granted nothing.
pub(crate) fn of_app(name: &str) -> Result<FunctionTable, String> {
    match name {
        "packer" => Ok(packer()),
        "opentofu" => Ok(functions::opentofu()),
        "nomad" => Ok(functions::nomad(&Capabilities::none())),
        _ => Err(format!("no application is called {name}")),
    }
}

/// Packer's table, granted nothing.
pub(crate) fn packer() -> FunctionTable {
    functions::packer(&Capabilities::none())
}

/// The functions that a case may call; `None` where calls are not allowed at all.
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
        Some(other) => Err(format!("no function table is called {other}")),
    }
}
