//! Why a request is not answered with a result.

use serde_json::Error;

/// The codes of errors of the protocol.
pub(crate) const INVALID_REQUEST: i32 = -32600;
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
pub(crate) const INVALID_PARAMS: i32 = -32602;
pub(crate) const INTERNAL_ERROR: i32 = -32603;
pub(crate) const NOT_INITIALIZED: i32 = -32002;
pub(crate) const REQUEST_FAILED: i32 = -32803;
pub(crate) const REQUEST_CANCELLED: i32 = -32800;

/// An error as an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestFailure {
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl RequestFailure {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// A request that is valid but cannot be carried out.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(REQUEST_FAILED, message)
    }

    /// A request about a text that is not open.
    pub(crate) fn not_open(uri: &str) -> Self {
        Self::new(INVALID_PARAMS, format!("The text {uri} is not open."))
    }
}

impl From<Error> for RequestFailure {
    fn from(error: Error) -> Self {
        Self::new(INVALID_PARAMS, format!("The parameters do not fit the method: {error}."))
    }
}
