//! The function table of the recorded cases, under the names that they use.

use hclvm::{FunctionTable, functions};
use serde_json::Value as Json;

/// The table called `stdlib`.
pub(crate) fn stdlib() -> FunctionTable {
    functions::standard()
}

/// The table of an application.
pub(crate) fn of_app(name: &str) -> Result<FunctionTable, String> {
    match name {
        "packer" => Ok(packer()),
        "opentofu" => Ok(functions::opentofu()),
        "nomad" => Ok(packer()),
        _ => Err(format!("no application is called {name}")),
    }
}

/// Packer's table.
pub(crate) fn packer() -> FunctionTable {
    functions::standard()
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
