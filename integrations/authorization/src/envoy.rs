//! Envoy's gRPC protocol `envoy.service.auth.v3`: messages as attributes, and answers as messages.

use std::sync::Arc;
use std::time::Instant;

use envoy_types::ext_authz::v3::pb::{
    Address, Authorization, CheckRequest, CheckResponse, DeniedHttpResponse, HeaderAppendAction, HeaderValue,
    HeaderValueOption, HttpResponse, HttpStatus, OkHttpResponse,
};
use envoy_types::pb::envoy::config::core::v3::Metadata as EnvoyMetadata;
use envoy_types::pb::envoy::config::core::v3::socket_address::PortSpecifier;
use envoy_types::pb::envoy::service::auth::v3::AttributeContext;
use envoy_types::pb::envoy::service::auth::v3::attribute_context::{HttpRequest, Peer as EnvoyPeer};
use envoy_types::pb::google::protobuf::{BoolValue, Timestamp};
use envoy_types::pb::google::rpc;
use tonic::{Code, Request as GrpcRequest, Response as GrpcResponse, Status};

use crate::answer::{Answer, Header};
use crate::attributes::{Attributes, Headers, Metadata, Peer, Request, Texts, Tls};
use crate::decide::Decider;

/// The service of the protocol.
#[derive(Debug)]
pub(crate) struct Checks {
    decider: Arc<Decider>,
    body_bytes: usize,
}

impl Checks {
    pub(crate) fn new(decider: Arc<Decider>, body_bytes: usize) -> Self {
        Self { decider, body_bytes }
    }

    fn answer(&self, request: &CheckRequest) -> Answer {
        let attributes = attributes(request);
        if attributes.request.body.is_some_and(|body| body.len() > self.body_bytes) {
            return self.decider.refuse(413);
        }
        self.decider.decide(&attributes)
    }
}

#[tonic::async_trait]
impl Authorization for Checks {
    async fn check(&self, request: GrpcRequest<CheckRequest>) -> Result<GrpcResponse<CheckResponse>, Status> {
        let begin = Instant::now();
        let response = response(self.answer(request.get_ref()));
        self.decider.metrics.add_grpc(begin.elapsed());
        Ok(GrpcResponse::new(response))
    }
}

/// Returns the attributes of a message. What it lacks is empty or null.
fn attributes(message: &CheckRequest) -> Attributes<'_> {
    let Some(AttributeContext {
        source,
        destination,
        request,
        context_extensions,
        metadata_context,
        route_metadata_context,
        tls_session,
    }) = &message.attributes
    else {
        return Attributes::default();
    };
    let unix_ms = request.as_ref().and_then(|request| request.time.as_ref()).and_then(milliseconds);
    let http = request.as_ref().and_then(|request| request.http.as_ref());
    Attributes {
        request: Request { unix_ms, ..http.map(request_of).unwrap_or_default() },
        source: source.as_ref().map(peer).unwrap_or_default(),
        destination: destination.as_ref().map(peer).unwrap_or_default(),
        context_extensions: Texts(Some(context_extensions)),
        metadata: metadata(metadata_context.as_ref()),
        route_metadata: metadata(route_metadata_context.as_ref()),
        tls: Tls { sni: tls_session.as_ref().map_or("", |session| &session.sni) },
    }
}

fn metadata(metadata: Option<&EnvoyMetadata>) -> Metadata<'_> {
    Metadata(metadata.map(|metadata| &metadata.filter_metadata))
}

fn request_of(http: &HttpRequest) -> Request<'_> {
    let HttpRequest { id, method, headers, header_map, path, host, scheme, size, protocol, .. } = http;
    let headers = match header_map {
        Some(map) if headers.is_empty() => Headers::single(&map.headers),
        _ => Headers::Joined(headers),
    };
    let size = Some(*size).filter(|size| *size >= 0);
    let mut request =
        Request { id, method, host, scheme, protocol, headers, body: body(http), size, ..Request::default() };
    request.set_target(path);
    request
}

/// Returns the body if there is one in UTF-8.
fn body(http: &HttpRequest) -> Option<&str> {
    let body = if http.raw_body.is_empty() {
        http.body.as_str()
    } else {
        std::str::from_utf8(&http.raw_body).ok()?
    };
    Some(body).filter(|body| !body.is_empty())
}

fn milliseconds(time: &Timestamp) -> Option<i64> {
    time.seconds.checked_mul(1_000)?.checked_add(i64::from(time.nanos) / 1_000_000)
}

fn peer(peer: &EnvoyPeer) -> Peer<'_> {
    let EnvoyPeer { address, service, labels, principal, certificate } = peer;
    let (address, port) = match address.as_ref().and_then(|address| address.address.as_ref()) {
        Some(Address::SocketAddress(socket)) => {
            let port = match socket.port_specifier {
                Some(PortSpecifier::PortValue(port)) => Some(port),
                _ => None,
            };
            (socket.address.as_str(), port)
        }
        Some(Address::Pipe(pipe)) => (pipe.path.as_str(), None),
        _ => ("", None),
    };
    Peer { address, port, principal, service, certificate, labels: Texts(Some(labels)) }
}

/// Returns an answer as a message.
fn response(answer: Answer) -> CheckResponse {
    let Answer { is_allowed, status, body, request_headers, removed_headers, response_headers, metadata } =
        answer;
    let code = match (is_allowed, status) {
        (true, _) => Code::Ok,
        (false, 401) => Code::Unauthenticated,
        (false, _) => Code::PermissionDenied,
    };
    let http_response = if is_allowed {
        HttpResponse::OkResponse(OkHttpResponse {
            headers: options(request_headers),
            headers_to_remove: removed_headers,
            response_headers_to_add: options(response_headers),
            ..OkHttpResponse::default()
        })
    } else {
        HttpResponse::DeniedResponse(DeniedHttpResponse {
            status: Some(HttpStatus { code: i32::from(status) }),
            headers: options(response_headers),
            body,
        })
    };
    CheckResponse {
        status: Some(rpc::Status { code: code.into(), ..rpc::Status::default() }),
        dynamic_metadata: metadata,
        http_response: Some(http_response),
    }
}

fn options(headers: Vec<Header>) -> Vec<HeaderValueOption> {
    headers.into_iter().map(option).collect()
}

/// Returns a header with what Envoy does if there is one of its name. Older releases read the older of both
/// fields, which is set only if the header is added to others.
#[expect(deprecated, reason = "older releases of Envoy read it")]
fn option(header: Header) -> HeaderValueOption {
    let Header { name, value, appends } = header;
    let action = if appends {
        HeaderAppendAction::AppendIfExistsOrAdd
    } else {
        HeaderAppendAction::OverwriteIfExistsOrAdd
    };
    HeaderValueOption {
        header: Some(HeaderValue { key: name, value, raw_value: Vec::new() }),
        append: appends.then_some(BoolValue { value: true }),
        append_action: action.into(),
        keep_empty_value: true,
    }
}

#[cfg(test)]
mod tests;
