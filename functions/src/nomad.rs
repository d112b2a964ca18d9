//! The Nomad table: the functions of its job specifications, under the names they have there.
//!
//! Four of them mean something else than their namesakes in Packer: `coalesce` does not skip empty
//! texts, `index` gives an element, `length` refuses texts and objects, `reverse` turns a text.

use hclvm_vm::FunctionTable;

use super::capability::Capabilities;
use super::shared::{self, Named};
use super::{collection, text};

/// The functions of Nomad's job specifications; those that touch more than their arguments do so
/// by what the host has `granted`.
pub fn nomad(granted: &Capabilities) -> FunctionTable {
    let mut table = FunctionTable::new();
    let named = shared::functions().into_iter().chain(shared::granted_functions(granted));
    for (name, function) in named.chain(own()) {
        table.insert(name, function);
    }
    table
}

fn own() -> [Named; 5] {
    [
        ("coalesce", collection::coalesce()),
        ("index", collection::index()),
        ("length", collection::length_of_collection()),
        ("reverse", text::strrev()),
        ("strlen", text::strlen()),
    ]
}
