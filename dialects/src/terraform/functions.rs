//! The functions of Terraform, as they are while it plans.
//!
//! A function whose result is known only after apply, such as `timestamp`, is unknown. So is one that needs what the host has
//! not granted, and every function of a provider.

use std::sync::Arc;

use hclvm::functions::library::{cty, hashicorp, opentofu, packer};
use hclvm::functions::{self, Accepts, Capabilities, Function, FunctionSet, FunctionTable, Parameter, Part};
use hclvm::{Type, Value};

/// What OpenTofu has and Terraform does not.
const OF_OPENTOFU: [&str; 3] = ["base64gunzip", "cidrcontains", "urldecode"];

const FUNCTIONS: FunctionSet = FunctionSet::new(&[
    Part::all_but(cty::FUNCTIONS, &["regex_replace", "strlen"]),
    Part::all(cty::CONVERSIONS),
    Part::all(hashicorp::COMMON),
    Part::all(hashicorp::TERRAFORM),
    Part::all_but(hashicorp::SYSTEM, &["bcrypt", "uuidv4"]),
    Part::all(hashicorp::FILE_DIGESTS),
    Part::only(packer::FUNCTIONS, &["templatefile", "timestamp"]),
    Part::all(opentofu::FUNCTIONS),
]);

/// Functions whose results are unknown until an apply, with the number of their parameters.
const UNPREDICTABLE: [(&str, usize, bool); 3] =
    [("timestamp", 0, false), ("uuid", 0, false), ("bcrypt", 1, true)];

/// Returns the functions; with those of OpenTofu for its files. `of_providers` are the names of functions of
/// providers.
pub(super) fn table<'n>(
    granted: &Capabilities,
    is_opentofu: bool,
    of_providers: impl IntoIterator<Item = &'n str>,
) -> FunctionTable {
    let mut table = functions::of(&FUNCTIONS, granted);
    // The clock of a plan.
    if let Some(now) = table.remove("timestamp") {
        table.insert("plantimestamp", (*now).clone());
    }
    // Of the language's library alone.
    table.remove("convert");
    if !is_opentofu {
        for name in OF_OPENTOFU {
            table.remove(name);
        }
    }
    for (name, count, more) in UNPREDICTABLE {
        table.insert(name, unknown(name, count, more, Type::String));
    }
    let names: Vec<_> = table.names().cloned().collect();
    for name in names {
        let Some(function) = table.get(&name).cloned() else { continue };
        let function = if function.pure { function } else { Arc::new(tolerant(&function)) };
        table.insert(format!("core::{name}"), Arc::clone(&function));
        table.insert(name, function);
    }
    for name in of_providers {
        table.insert(name, unknown(name, 0, true, Type::Dynamic));
    }
    table
}

fn any(name: &str) -> Parameter {
    Parameter::new(name, Type::Dynamic).accepting(Accepts::PLAIN.null().unknown().dynamic())
}

/// Creates a function whose results are unknown.
fn unknown(name: &str, count: usize, more: bool, ty: Type<'static>) -> Function {
    let parameters: Vec<Parameter> = (0..count).map(|_| any("value")).collect();
    let function = Function::new(name, parameters, ty, move |arena, _, ty| Ok(Value::unknown_of(arena, ty)));
    let function = if more { function.variadic(any("more")) } else { function };
    if ty == Type::Dynamic { function.refined(None) } else { function }
}

/// Returns a function that returns an unknown value where it needs what is not granted.
fn tolerant(function: &Function) -> Function {
    let inner = Arc::clone(&function.body);
    let mut function = function.clone();
    function.body = Arc::new(move |arena, args, ty| match inner(arena, args, ty) {
        Err(error) if error.is_ungranted => Ok(Value::unknown_of(arena, ty)),
        result => result,
    });
    function
}

#[cfg(test)]
mod tests {
    use hclvm::functions::Capabilities;

    use super::table;

    /// The functions of Terraform 1.11.4, as `terraform metadata functions -json` lists them.
    const NAMES: &str = include_str!("functions.txt");

    #[test]
    fn the_names_are_those_of_the_reference() {
        let table = table(&Capabilities::none(), false, ["provider::aws::arn_parse"]);
        let plain =
            |name: &&str| !name.contains("::") && (cfg!(feature = "functions") || table.get(name).is_some());
        let mut found: Vec<&str> = table.names().map(|name| name.as_str()).filter(plain).collect();
        found.sort_unstable();
        // Its crate decrypts in a time that depends on the key.
        let want: Vec<&str> =
            NAMES.split_whitespace().filter(|name| *name != "rsadecrypt").filter(plain).collect();
        found.retain(|name| *name != "rsadecrypt");
        assert_eq!(found, want);
        assert!(table.get("provider::aws::arn_parse").is_some() && table.get("core::upper").is_some());
    }
}
