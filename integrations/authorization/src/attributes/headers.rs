//! The headers of a request as an object of texts, by lower-case names. Pseudo headers such as `:path` are left out,
//! because only one of the protocols has them. Bytes that are not UTF-8 are replaced.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use axum::http::HeaderMap;
use envoy_types::pb::envoy::config::core::v3::HeaderValue;
use hclvm::ingest::{Builder, HostObject, HostValue};
use hclvm::{Error, Value};

use super::query::add;

/// Headers in one of the forms in which the protocols have them. The values of a repeated name are joined with
/// commas.
#[derive(Debug, Default)]
pub(crate) enum Headers<'r> {
    /// No headers.
    #[default]
    None,
    /// Joined by Envoy.
    Joined(&'r HashMap<String, String>),
    /// One by one, as Envoy sends them if it is configured to encode raw headers.
    Single(Single<'r>),
    /// Those of an HTTP request.
    Http(&'r HeaderMap),
}

/// Headers one by one, and joined as soon as a policy reads one.
#[derive(Debug)]
pub(crate) struct Single<'r> {
    headers: &'r [HeaderValue],
    joined: OnceCell<BTreeMap<String, String>>,
}

impl<'r> Headers<'r> {
    /// Reads headers one by one.
    pub(crate) fn single(headers: &'r [HeaderValue]) -> Self {
        Self::Single(Single { headers, joined: OnceCell::new() })
    }
}

impl Single<'_> {
    fn joined(&self) -> &BTreeMap<String, String> {
        self.joined.get_or_init(|| {
            let mut joined = BTreeMap::new();
            for HeaderValue { key, value, raw_value } in self.headers {
                let value = if raw_value.is_empty() {
                    Cow::Borrowed(value.as_str())
                } else {
                    String::from_utf8_lossy(raw_value)
                };
                add(&mut joined, key, &value);
            }
            joined
        })
    }
}

/// Returns true for the name of a header as policies see it.
fn is_plain(name: &str) -> bool {
    let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    !name.starts_with(':') && name.bytes().all(is_lower)
}

/// Returns the values of a header, joined.
fn value_of<'h>(headers: &'h HeaderMap, name: &str) -> Option<Cow<'h, str>> {
    let mut values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let first = values.next()?;
    Some(values.fold(first, |mut joined, value| {
        let text = joined.to_mut();
        text.push(',');
        text.push_str(&value);
        joined
    }))
}

impl HostObject for Headers<'_> {
    fn names(&self, visit: &mut dyn FnMut(&str)) {
        let mut visit = |name: &str| {
            if is_plain(name) {
                visit(name);
            }
        };
        match self {
            Self::None => {}
            Self::Joined(headers) => headers.keys().for_each(|name| visit(name)),
            Self::Single(headers) => headers.joined().keys().for_each(|name| visit(name)),
            Self::Http(headers) => headers.keys().for_each(|name| visit(name.as_str())),
        }
    }

    fn attribute<'a>(&self, name: &str, to: Builder<'a, '_>) -> Result<Option<Value<'a>>, Error> {
        if !is_plain(name) {
            return Ok(None);
        }
        let value = match self {
            Self::None => None,
            Self::Joined(headers) => headers.get(name).map(|value| value.build(to)),
            Self::Single(headers) => headers.joined().get(name).map(|value| value.build(to)),
            Self::Http(headers) => value_of(headers, name).map(|value| str::build(&value, to)),
        };
        value.transpose()
    }
}

impl HostValue for Headers<'_> {
    fn build<'a>(&self, to: Builder<'a, '_>) -> Result<Value<'a>, Error> {
        to.object(self)
    }
}
