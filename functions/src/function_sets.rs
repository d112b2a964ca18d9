//! Dialects as sets of names over the base [libraries](crate::library).
//!
//! ```text
//! PACKER = cty::FUNCTIONS without strlen  +  COMMON, unrefined  +  TERRAFORM, …  +  packer::FUNCTIONS
//!                 coalesce ──────────────────── replaced by ───────── coalesce
//! ```
//!
//! A part replaces the functions of the same names in the parts before it. To add a function, write its constructor in
//! the file of its family and its line in a library; it is then in every set that has the library.

use std::sync::Arc;

use hclvm_vm::{CallError, Function, FunctionTable};

use crate::capability::Capabilities;
use crate::file::templatefile;
use crate::library::{Library, cty, hashicorp, nomad, opentofu, packer};
use crate::template::{MakeRenderer, add_templatestring};

/// The functions of a dialect.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSet {
    parts: &'static [Part],
    namespace: Option<&'static str>,
    /// True if a file that cannot be read is a failure of the call, not of the argument with its path.
    blames_calls: bool,
}

/// Functions of one library.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    library: Library,
    names: SetNames,
    unrefined: bool,
}

#[derive(Clone, Copy, Debug)]
enum SetNames {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

impl SetNames {
    fn has(self, name: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&name),
            Self::AllBut(names) => !names.contains(&name),
        }
    }
}

impl Part {
    /// All functions of a library.
    pub const fn all(library: Library) -> Self {
        Self { library, names: SetNames::AllBut(&[]), unrefined: false }
    }

    /// The functions of a library with these names.
    pub const fn only(library: Library, names: &'static [&'static str]) -> Self {
        Self { library, names: SetNames::Only(names), unrefined: false }
    }

    /// The functions of a library without those of these names.
    pub const fn all_but(library: Library, names: &'static [&'static str]) -> Self {
        Self { library, names: SetNames::AllBut(names), unrefined: false }
    }

    /// The functions without their refinements: nothing is known of an unknown result, not even that it is not null.
    /// Packer and Nomad treat functions outside of go-cty's library so.
    pub const fn unrefined(self) -> Self {
        Self { unrefined: true, ..self }
    }
}

impl FunctionSet {
    /// Creates a set of parts, of which later ones replace earlier ones.
    pub const fn new(parts: &'static [Part]) -> Self {
        Self { parts, namespace: None, blames_calls: false }
    }

    /// Reports a file that cannot be read at the call, as Packer and Nomad do, instead of at the argument with its path.
    pub const fn blaming_calls(self) -> Self {
        Self { blames_calls: true, ..self }
    }

    /// Also makes each function available as `namespace::name`.
    pub const fn also_in(self, namespace: &'static str) -> Self {
        Self { namespace: Some(namespace), ..self }
    }

    /// Returns the functions. Those that depend on more than their arguments use what the host has `granted`;
    /// `renderer` makes the renderer of templates from the functions that these can call.
    pub fn table(&self, granted: &Capabilities, renderer: MakeRenderer) -> FunctionTable {
        let mut table = self.without_templates(granted);
        add_templates(&mut table, granted, renderer);
        if self.blames_calls {
            // Its other argument holds the variables of the template.
            blame_calls(&mut table, &["templatefile"], |argument| argument == 0);
        }
        table
    }

    /// Returns the functions, of which none renders templates.
    fn without_templates(&self, granted: &Capabilities) -> FunctionTable {
        let mut table = FunctionTable::new();
        for part in self.parts {
            for entry in part.library.entries().iter().filter(|entry| part.names.has(entry.name)) {
                match entry.function(granted) {
                    Some(function) if part.unrefined => table.insert(entry.name, function.refined(None)),
                    Some(function) => table.insert(entry.name, function),
                    // The form of an earlier part would be another function.
                    None => drop(table.remove(entry.name)),
                }
            }
        }
        if let Some(namespace) = self.namespace {
            let named = table.names().filter_map(|name| Some((name.clone(), table.get(name)?.clone())));
            for (name, function) in named.collect::<Vec<_>>() {
                table.insert(format!("{namespace}::{name}"), function);
            }
        }
        if self.blames_calls {
            blame_calls(&mut table, &FILES, |_| true);
        }
        table
    }
}

/// The functions that read files or make paths of them.
const FILES: [&str; 6] = ["abspath", "file", "filebase64", "fileexists", "fileset", "pathexpand"];

/// Makes failures of functions those of their calls, where they are about an argument of `is_blamed`.
fn blame_calls(table: &mut FunctionTable, names: &[&str], is_blamed: fn(usize) -> bool) {
    for name in names {
        let Some(function) = table.remove(name) else { continue };
        let body = Arc::clone(&function.body);
        let mut function = Function::clone(&function);
        function.body = Arc::new(move |arena, args, ty| {
            body(arena, args, ty).map_err(|error| CallError {
                argument: error.argument.filter(|argument| !is_blamed(*argument)),
                ..error
            })
        });
        table.insert(*name, function);
    }
}

/// Lets the functions of a table that render templates do so. Template files call the functions of the table, but
/// cannot render further files.
fn add_templates(table: &mut FunctionTable, granted: &Capabilities, renderer: MakeRenderer) {
    add_templatestring(table, renderer);
    if table.get("templatefile").is_some() {
        let outer = templatefile(granted, renderer(table.clone()));
        table.insert("templatefile", outer);
    }
}

/// The functions of the standard dialect.
const STANDARD: FunctionSet =
    FunctionSet::new(&[Part::all(cty::FUNCTIONS), Part::all(cty::CONVERSIONS), Part::all(cty::OPERATORS)]);

/// The functions of Packer's templates.
const PACKER: FunctionSet = FunctionSet::new(&[
    Part::all_but(cty::FUNCTIONS, &["strlen"]),
    Part::all(hashicorp::COMMON).unrefined(),
    Part::all(hashicorp::TERRAFORM).unrefined(),
    Part::only(hashicorp::TERRAFORM, &["alltrue", "anytrue"]),
    Part::all(hashicorp::SYSTEM),
    Part::all(hashicorp::NETWORKS).unrefined(),
    Part::all(packer::FUNCTIONS),
    Part::all(packer::TIMES).unrefined(),
    Part::all(packer::SECRETS),
])
.blaming_calls();

/// The functions of Nomad's job specifications.
const NOMAD: FunctionSet = FunctionSet::new(&[
    Part::all_but(cty::FUNCTIONS, &["regex", "regexall"]),
    Part::all(hashicorp::COMMON).unrefined(),
    Part::all(hashicorp::SYSTEM),
    Part::all(hashicorp::NETWORKS).unrefined(),
    Part::all(nomad::FUNCTIONS),
])
.blaming_calls();

/// The functions of OpenTofu's expressions.
const OPENTOFU: FunctionSet = FunctionSet::new(&[
    Part::all_but(cty::FUNCTIONS, &["regex_replace", "strlen"]),
    Part::all(cty::CONVERSIONS),
    Part::all(hashicorp::COMMON),
    Part::all(hashicorp::TERRAFORM),
    Part::only(hashicorp::SYSTEM, &["pathexpand"]),
    Part::all(opentofu::FUNCTIONS),
])
.also_in("core");

/// The functions of all dialects. Those of OpenTofu are stronger than those of Packer, and these stronger than those of
/// go-cty.
const ALL: FunctionSet = FunctionSet::new(&[
    Part::all(nomad::FUNCTIONS),
    Part::all(cty::FUNCTIONS),
    Part::all(cty::CONVERSIONS),
    Part::all(cty::OPERATORS),
    Part::all(hashicorp::COMMON),
    Part::all(hashicorp::TERRAFORM),
    Part::all(hashicorp::SYSTEM),
    Part::all(hashicorp::NETWORKS),
    Part::all(packer::FUNCTIONS),
    Part::all(packer::TIMES),
    Part::all_but(opentofu::FUNCTIONS, &["replace"]),
]);

/// Returns the functions of the standard dialect: go-cty's library and the additions that every
/// application makes to it.
pub fn standard() -> FunctionTable {
    STANDARD.without_templates(&Capabilities::none())
}

/// Returns the functions of Packer's templates. Those that depend on more than their arguments use
/// what the host has `granted`. `renderer` makes the renderer of `templatefile` from the functions
/// that template files can call.
///
/// `env`, which Packer allows in the defaults of variables only, is included; the host decides where
/// it may be called.
pub fn packer(granted: &Capabilities, renderer: MakeRenderer) -> FunctionTable {
    PACKER.table(granted, renderer)
}

/// Returns the functions of Nomad's job specifications. Those that depend on more than their
/// arguments use what the host has `granted`.
///
/// Four of them differ from Packer's functions of the same name: `coalesce` does not skip empty
/// strings, `index` returns an element, `length` rejects strings and objects, and `reverse` takes a
/// string.
pub fn nomad(granted: &Capabilities) -> FunctionTable {
    NOMAD.without_templates(granted)
}

/// Returns the functions that OpenTofu's expressions can call without files, clock or randomness.
/// Each of them is also available as `core::name`. `renderer` makes the renderer of `templatestring`.
pub fn opentofu(renderer: MakeRenderer) -> FunctionTable {
    OPENTOFU.table(&Capabilities::none(), renderer)
}

/// Returns the functions of each dialect that has a page of the reference, with its name.
pub fn tables(granted: &Capabilities, renderer: MakeRenderer) -> [(&'static str, FunctionTable); 4] {
    [
        ("standard", standard()),
        ("packer", packer(granted, renderer)),
        ("nomad", nomad(granted)),
        ("opentofu", opentofu(renderer)),
    ]
}

/// Returns every function of the dialects under its usual name, except those that fetch secrets for one
/// application. Those that depend on more than their arguments use what the host has `granted`.
///
/// Where dialects have different functions of one name, it is OpenTofu's, else Packer's, else that of the
/// standard dialect: `coalesce` skips empty strings, `index` returns a position, and `lookup` may leave out the
/// default. Only `replace` is that of all others, which is literal: in OpenTofu's, a path between slashes would
/// silently be a pattern, and `regex_replace` is there for patterns.
pub fn all(granted: &Capabilities, renderer: MakeRenderer) -> FunctionTable {
    ALL.table(granted, renderer)
}

#[cfg(test)]
mod tests {
    use super::{ALL, NOMAD, OPENTOFU, PACKER, STANDARD, SetNames};

    #[test]
    fn names_of_a_library_are_sorted_and_distinct() {
        for part in [STANDARD, PACKER, NOMAD, OPENTOFU, ALL].iter().flat_map(|set| set.parts) {
            let names: Vec<_> = part.library.names().collect();
            assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        }
    }

    #[test]
    fn the_names_of_a_part_are_in_its_library() {
        for part in [STANDARD, PACKER, NOMAD, OPENTOFU, ALL].iter().flat_map(|set| set.parts) {
            let (SetNames::Only(names) | SetNames::AllBut(names)) = part.names;
            for name in names {
                assert!(
                    part.library.names().any(|known| known == *name),
                    "{name} is not in {:?}",
                    part.library
                );
            }
        }
    }
}
