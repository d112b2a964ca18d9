//! Names of attributes in normal form C, as objects of the language have them, and maps that are read by such names.

use std::borrow::Cow;
use std::collections::HashMap;

use hclvm::ingest::{Builder, HostObject, HostValue};
use hclvm::{Error, Value};
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Returns a name in normal form C.
pub(crate) fn normal(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc(name) { Cow::Borrowed(name) } else { Cow::Owned(name.nfc().collect()) }
}

/// Returns the value of a name in normal form C. Some names outside of ASCII are ASCII in this form.
pub(super) fn find<'m, V>(map: &'m HashMap<String, V>, name: &str) -> Option<&'m V> {
    map.get(name).or_else(|| {
        let mut others = map.iter().filter(|(other, _)| !other.is_ascii());
        others.find(|(other, _)| normal(other) == name).map(|(_, value)| value)
    })
}

/// Texts by name. Without a map there are none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Texts<'r>(pub(crate) Option<&'r HashMap<String, String>>);

impl HostObject for Texts<'_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        self.0.into_iter().flat_map(HashMap::keys).for_each(|name| visit(&normal(name)));
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        self.0.and_then(|map| find(map, name)).map(|text| text.build(to)).transpose()
    }
}

impl HostValue for Texts<'_> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.object(self)
    }
}
