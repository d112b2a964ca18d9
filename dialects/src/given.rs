//! What one evaluation gets from outside of the files: inputs for variables, and the values that a host has for other
//! names.
//!
//! ```text
//! var      region = "eu"                     Inputs
//! data     http.image = {…}                  a root whose members have types
//! build    ID = "i-1"                        a root with members
//! ```

use std::collections::BTreeMap;

use hclvm::{OwnedValue, Value};

use crate::application::Application;
use crate::inputs::Inputs;

/// A name whose values a host may give.
#[derive(Clone, Copy, Debug)]
pub struct HostRoot {
    /// The name.
    pub name: &'static str,
    /// True if each of its members is an object: `data.TYPE.NAME`.
    pub has_types: bool,
}

/// The outputs of data sources, and the values that exist while an application runs.
pub(crate) const USUAL_ROOTS: [HostRoot; 2] =
    [HostRoot { name: "data", has_types: true }, HostRoot { name: "build", has_types: false }];

/// The inputs of one evaluation of a module.
#[derive(Clone, Debug)]
pub struct Given {
    /// The values for variables.
    pub inputs: Inputs,
    roots: &'static [HostRoot],
    members: BTreeMap<&'static str, Vec<(String, OwnedValue)>>,
}

impl Given {
    /// Creates it without any value.
    pub fn new(application: &dyn Application) -> Self {
        Self { inputs: Inputs::new(), roots: application.host_roots(), members: BTreeMap::new() }
    }

    /// Adds a member of a root, such as `ID` of `build`. Of equal names the last one is used.
    ///
    /// # Errors
    /// A sentence about a value that the application does not take.
    pub fn add(&mut self, root: &str, name: &str, value: Value<'_>) -> Result<(), String> {
        let root = self.root(root)?;
        if root.has_types && value.as_entries().is_none() {
            return Err(not_an_object(root.name));
        }
        self.members.entry(root.name).or_default().push((name.to_owned(), OwnedValue::new(value)));
        Ok(())
    }

    /// Returns the root of a name.
    ///
    /// # Errors
    /// A sentence about a name that the application does not take.
    pub fn root(&self, name: &str) -> Result<HostRoot, String> {
        self.roots.iter().find(|root| root.name == name).copied().ok_or_else(|| {
            let known = std::iter::once("var").chain(self.roots.iter().map(|root| root.name));
            let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
            format!("A scope of this application has {}, not `{name}`.", listed(&known))
        })
    }

    /// Returns the members of a root, in the order in which they were added.
    pub fn members(&self, root: &str) -> &[(String, OwnedValue)] {
        self.members.get(root).map_or(&[], Vec::as_slice)
    }
}

/// Returns the sentence about a root or a type that is no object.
pub fn not_an_object(root: &str) -> String {
    format!("`{root}` has to be an object.")
}

fn listed(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.join(", "),
    }
}
