//! What the service answers, for both protocols.

use envoy_types::pb::google::protobuf::Struct;

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    /// True if the request is allowed.
    pub(crate) is_allowed: bool,
    /// The status of the response to a request that is denied.
    pub(crate) status: u16,
    /// The body of that response.
    pub(crate) body: String,
    /// Headers of the request that is allowed, for the upstream service.
    pub(crate) request_headers: Vec<Header>,
    /// Names of headers that the upstream service does not get.
    pub(crate) removed_headers: Vec<String>,
    /// Headers of the response, whether the request is allowed or denied.
    pub(crate) response_headers: Vec<Header>,
    /// Metadata for Envoy's next filters.
    pub(crate) metadata: Option<Struct>,
}

/// A header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The name in lower case.
    pub(crate) name: String,
    pub(crate) value: String,
    /// True if headers of this name are kept beside it.
    pub(crate) appends: bool,
}

impl Answer {
    /// Allows a request as it is.
    pub(crate) fn allow() -> Self {
        Self { is_allowed: true, ..Self::default() }
    }

    /// Denies a request.
    pub(crate) fn deny(status: u16) -> Self {
        Self { status, ..Self::default() }
    }
}

/// Returns true for a status with which a request may be denied. Envoy's `http_service` takes statuses from 500 on as
/// a failure of the authorization service, and allows the request if it is configured with `failure_mode_allow`; and
/// Envoy refuses statuses that it does not know.
pub(crate) fn is_denial(status: u16) -> bool {
    use envoy_types::ext_authz::v3::pb::HttpStatusCode;
    matches!(status, 300..=499) && HttpStatusCode::try_from(i32::from(status)).is_ok()
}
