//! The attributes of a request as the variables of a policy. Both protocols make an [`Attributes`]; what a policy
//! does not read of it is not converted. `scope.hcl` has the types of all variables, by which policies are checked.

mod headers;
mod metadata;
mod names;
mod query;

use hclvm::{Error, Scope, record};

pub(crate) use headers::Headers;
pub(crate) use metadata::Metadata;
pub(crate) use names::Texts;
pub(crate) use query::Query;

/// The variables of a policy.
pub(crate) const VARIABLES: [&str; 7] =
    ["request", "source", "destination", "context_extensions", "metadata", "route_metadata", "tls"];

/// The types of the variables, as a file of type constraints.
pub(crate) const TYPES: &str = include_str!("scope.hcl");

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

impl Attributes<'_> {
    /// Sets the variables of a scope: of each the parts that the policy reads.
    ///
    /// # Errors
    /// A value beyond the limits of the engine.
    pub(crate) fn set(&self, scope: &mut Scope) -> Result<(), Error> {
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
