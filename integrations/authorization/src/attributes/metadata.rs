//! The metadata that Envoy's filters and routes attach to a request, and values of the language as such metadata.

use std::collections::HashMap;

use envoy_types::pb::google::protobuf::value::Kind;
use envoy_types::pb::google::protobuf::{ListValue, Struct, Value as Any};
use hclvm::ingest::{Builder, HostObject, HostValue};
use hclvm::value::View;
use hclvm::{Error, Value};

use super::names::{find, normal};

/// Metadata by the names of filters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Metadata<'r>(pub(crate) Option<&'r HashMap<String, Struct>>);

/// The fields of one structure.
struct Fields<'r>(&'r HashMap<String, Any>);

/// One value. The decoder of protocol buffers limits the nesting.
struct Field<'r>(&'r Any);

impl HostObject for Metadata<'_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        self.0.into_iter().flat_map(HashMap::keys).for_each(|name| visit(&normal(name)));
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        self.0.and_then(|map| find(map, name)).map(|one| to.object(&Fields(&one.fields))).transpose()
    }
}

impl HostObject for Fields<'_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        self.0.keys().for_each(|name| visit(&normal(name)));
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        find(self.0, name).map(|value| Field(value).build(to)).transpose()
    }
}

impl HostValue for Field<'_> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        match &self.0.kind {
            None | Some(Kind::NullValue(_)) => Ok(Value::NULL),
            // No JSON has such a number.
            Some(Kind::NumberValue(number)) if number.is_nan() => Ok(Value::NULL),
            Some(Kind::NumberValue(number)) => number.build(to),
            Some(Kind::StringValue(text)) => text.build(to),
            Some(Kind::BoolValue(truth)) => truth.build(to),
            Some(Kind::StructValue(fields)) => to.object(&Fields(&fields.fields)),
            Some(Kind::ListValue(list)) => list.values.iter().map(Field).collect::<Vec<_>>().build(to),
        }
    }
}

/// The deepest nesting of metadata that is sent: decoders of protocol buffers accept about a hundred messages, and a
/// level takes three.
const DEEPEST: u8 = 24;

impl Metadata<'_> {
    /// Returns an object of the language as metadata; `None` for another value, and for one that JSON does not have.
    pub(crate) fn of_value(value: Value<'_>) -> Option<Struct> {
        match to_any(value, DEEPEST)?.kind? {
            Kind::StructValue(fields) => Some(fields),
            _ => None,
        }
    }
}

fn to_any(value: Value<'_>, levels: u8) -> Option<Any> {
    let below = || levels.checked_sub(1);
    let kind = match value.unmark().0.view() {
        View::Null(_) => Kind::NullValue(0),
        View::Bool(truth) => Kind::BoolValue(truth),
        View::Number(_) => Kind::NumberValue(value.unmark().0.as_f64()?),
        View::String(text) => Kind::StringValue(text.to_owned()),
        View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
            let below = below()?;
            let values = items.iter().map(|item| to_any(*item, below)).collect::<Option<_>>()?;
            Kind::ListValue(ListValue { values })
        }
        View::Object(entries) | View::Map(entries, _) => {
            let below = below()?;
            let field =
                |entry: &hclvm::value::Entry<'_>| Some((entry.name.to_owned(), to_any(entry.value, below)?));
            Kind::StructValue(Struct { fields: entries.iter().map(field).collect::<Option<_>>()? })
        }
        _ => return None,
    };
    Some(Any { kind: Some(kind) })
}
