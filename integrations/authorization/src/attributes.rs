//! The attributes of a request as the variables of a policy. Both protocols make an [`Attributes`]; what a policy
//! does not read of it is not converted. `scope.hcl` has the types of all variables, by which policies are checked.

mod headers;
mod metadata;
mod names;
mod query;

use hclvm::{Error, Scope, Value, record};

pub(crate) use headers::Headers;
pub(crate) use metadata::Metadata;
pub(crate) use names::Texts;
pub(crate) use query::Query;

/// The variables of a policy that requests of Envoy set.
pub(crate) const OF_ENVOY: [&str; 7] =
    ["request", "source", "destination", "context_extensions", "metadata", "route_metadata", "tls"];

/// The variables of a policy that evaluations of AuthZEN set.
pub(crate) const OF_AUTHZEN: [&str; 4] = ["subject", "action", "resource", "context"];

/// Returns the variables of a policy.
pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
    OF_ENVOY.into_iter().chain(OF_AUTHZEN)
}

/// The types of the variables, as a file of type constraints.
pub(crate) const TYPES: &str = include_str!("scope.hcl");

/// What a policy decides about.
pub(crate) trait Input {
    /// Sets all variables of a scope, which had those of another request.
    ///
    /// # Errors
    /// A value beyond the limits of the engine.
    fn set(&self, scope: &mut Scope) -> Result<(), Error>;
}

/// What is known of a request. It borrows from the message of the protocol.
#[derive(Debug, Default)]
pub(crate) struct Attributes<'r> {
    pub(crate) request: Request<'r>,
    pub(crate) source: Peer<'r>,
    pub(crate) destination: Peer<'r>,
    pub(crate) context_extensions: Texts<'r>,
    pub(crate) metadata: Metadata<'r>,
    pub(crate) route_metadata: Metadata<'r>,
    pub(crate) tls: Tls<'r>,
}

/// The request that is to be authorized.
#[derive(Debug, Default)]
pub(crate) struct Request<'r> {
    pub(crate) id: &'r str,
    pub(crate) method: &'r str,
    pub(crate) path: &'r str,
    pub(crate) query: Query<'r>,
    pub(crate) host: &'r str,
    pub(crate) scheme: &'r str,
    pub(crate) protocol: &'r str,
    pub(crate) headers: Headers<'r>,
    pub(crate) body: Option<&'r str>,
    pub(crate) size: Option<i64>,
    pub(crate) unix_ms: Option<i64>,
}

/// One end of the connection that the request came by.
#[derive(Debug, Default)]
pub(crate) struct Peer<'r> {
    pub(crate) address: &'r str,
    pub(crate) port: Option<u32>,
    pub(crate) principal: &'r str,
    pub(crate) service: &'r str,
    pub(crate) certificate: &'r str,
    pub(crate) labels: Texts<'r>,
}

/// The TLS session of the request.
#[derive(Debug, Default)]
pub(crate) struct Tls<'r> {
    pub(crate) sni: &'r str,
}

record!(Request<'_> { id, method, path, query, host, scheme, protocol, headers, body, size, unix_ms });
record!(Peer<'_> { address, port, principal, service, certificate, labels });
record!(Tls<'_> { sni });

impl Input for Attributes<'_> {
    /// Sets of each variable the parts that the policy reads. Those of AuthZEN are null: reading them is an error, which
    /// denies.
    fn set(&self, scope: &mut Scope) -> Result<(), Error> {
        for name in OF_AUTHZEN {
            scope.set_value(name, Value::NULL)?;
        }
        scope.set_object("request", &self.request)?;
        scope.set_object("source", &self.source)?;
        scope.set_object("destination", &self.destination)?;
        scope.set_object("context_extensions", &self.context_extensions)?;
        scope.set_object("metadata", &self.metadata)?;
        scope.set_object("route_metadata", &self.route_metadata)?;
        scope.set_object("tls", &self.tls)
    }
}

impl<'r> Request<'r> {
    /// Sets the path and the query of a request's target, which is not decoded.
    pub(crate) fn set_target(&mut self, target: &'r str) {
        let target = target.split_once('#').map_or(target, |(target, _)| target);
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        self.path = path;
        self.query = Query::new(query);
    }
}

#[cfg(test)]
mod tests;
