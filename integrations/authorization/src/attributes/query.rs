//! The query of a request as an object of texts.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hclvm::ingest::{Builder, HostObject, HostValue};
use hclvm::{Error, Value};

use super::names::normal;

/// The parameters of a query, decoded when a policy reads one. The values of a repeated name are joined with commas:
/// a comparison with one value is then false, whichever of them the upstream service uses.
#[derive(Debug, Default)]
pub(crate) struct Query<'r> {
    text: &'r str,
    /// Parsed once, so that the work does not grow with the product of names that are read and written.
    parameters: OnceCell<BTreeMap<String, String>>,
}

impl<'r> Query<'r> {
    /// Reads the text behind the question mark.
    pub(crate) fn new(text: &'r str) -> Self {
        Self { text, parameters: OnceCell::new() }
    }

    fn parameters(&self) -> &BTreeMap<String, String> {
        self.parameters.get_or_init(|| {
            let mut parameters: BTreeMap<String, String> = BTreeMap::new();
            for (name, value) in form_urlencoded::parse(self.text.as_bytes()) {
                add(&mut parameters, &normal(&name), &value);
            }
            parameters
        })
    }
}

/// Adds a value to those of a name.
pub(super) fn add(values: &mut BTreeMap<String, String>, name: &str, value: &str) {
    if let Some(known) = values.get_mut(name) {
        known.push(',');
        known.push_str(value);
    } else {
        values.insert(name.to_owned(), value.to_owned());
    }
}

impl HostObject for Query<'_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        self.parameters().names(visit);
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        self.parameters().attribute(name, to)
    }
}

impl HostValue for Query<'_> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.object(self)
    }
}
