//! Envoy's HTTP protocol, `http_service`: the request itself, and the answer as its response. The status is 200 if
//! the request is allowed.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request as HttpRequest, State};
use axum::http::header::{CONTENT_LENGTH, HOST};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::Response;

use crate::answer::{Answer, Header};
use crate::attributes::{Attributes, Headers, Request};
use crate::decide::Decider;

/// The header that names what Envoy removes from a request that is allowed.
const TO_REMOVE: HeaderName = HeaderName::from_static("x-envoy-auth-headers-to-remove");

/// The longest time in which a body arrives.
const BODY_TIME: Duration = Duration::from_secs(10);

/// What all requests share.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    decider: Arc<Decider>,
    body_bytes: usize,
    /// What Envoy puts in front of paths.
    prefix: Arc<str>,
}

impl Http {
    pub(crate) fn new(decider: Arc<Decider>, body_bytes: usize, prefix: &str) -> Self {
        Self { decider, body_bytes, prefix: prefix.into() }
    }

    /// Returns the service: it answers every method and path.
    pub(crate) fn router(self) -> Router {
        Router::new().fallback(answer).with_state(self)
    }
}

async fn answer(State(http): State<Http>, request: HttpRequest) -> Response {
    let (parts, body) = request.into_parts();
    let body = match read_body(body, http.body_bytes).await {
        Ok(body) => body,
        Err(status) => return response(http.decider.refuse(status)),
    };
    let begin = Instant::now();
    let target = parts.uri.path_and_query().map_or("", |target| target.as_str());
    let answer = match without_prefix(target, &http.prefix) {
        Some(target) => {
            let body = std::str::from_utf8(&body).ok().filter(|body| !body.is_empty());
            let mut attributes = attributes(parts.method.as_str(), &parts.uri, &parts.headers, body);
            attributes.request.set_target(target);
            http.decider.decide(&attributes)
        }
        None => http.decider.refuse(404),
    };
    let response = response(answer);
    http.decider.metrics.add_http(begin.elapsed());
    response
}

/// Reads a body, or returns the status with which it is refused: it has more bytes, or arrives too late.
pub(crate) async fn read_body(body: Body, most: usize) -> Result<Bytes, u16> {
    match tokio::time::timeout(BODY_TIME, to_bytes(body, most)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(413),
        Err(_) => Err(408),
    }
}

/// Returns the target that Envoy received; `None` if the prefix is not the beginning of the path, up to a slash.
fn without_prefix<'t>(target: &'t str, prefix: &str) -> Option<&'t str> {
    target.strip_prefix(prefix).filter(|rest| prefix.is_empty() || rest.starts_with('/'))
}

/// Returns the attributes of a request. Those of the connection are Envoy's own, not its client's, and are left
/// out.
fn attributes<'r>(
    method: &'r str,
    uri: &'r Uri,
    headers: &'r HeaderMap,
    body: Option<&'r str>,
) -> Attributes<'r> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(HOST.as_str()).or(uri.authority().map(|authority| authority.as_str()));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok();
    let request = Request {
        id: text("x-request-id").unwrap_or_default(),
        method,
        host: host.unwrap_or_default(),
        scheme: text("x-forwarded-proto").unwrap_or_default(),
        headers: Headers::Http(headers),
        body,
        size: text(CONTENT_LENGTH.as_str()).and_then(|size| size.parse().ok()),
        unix_ms: now.and_then(|now| i64::try_from(now.as_millis()).ok()),
        ..Request::default()
    };
    Attributes { request, ..Attributes::default() }
}

/// Returns an answer as a response.
fn response(answer: Answer) -> Response {
    let Answer { is_allowed, status, body, request_headers, removed_headers, response_headers, .. } = answer;
    let mut response = Response::new(Body::from(body));
    // A status of a denial was checked; another one must not allow.
    let denied = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
    *response.status_mut() = if is_allowed { StatusCode::OK } else { denied };
    let headers = response.headers_mut();
    request_headers.into_iter().chain(response_headers).for_each(|header| set(headers, header));
    if !removed_headers.is_empty()
        && let Ok(names) = HeaderValue::try_from(removed_headers.join(","))
    {
        headers.insert(TO_REMOVE, names);
    }
    response
}

/// Sets a header, whose name and value were checked when the answer was made.
fn set(headers: &mut HeaderMap, header: Header) {
    let Header { name, value, appends } = header;
    if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
        if appends {
            headers.append(name, value);
        } else {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_at_a_slash() {
        for (target, prefix, wanted) in [
            ("/a?b", "", Some("/a?b")),
            ("*", "", Some("*")),
            ("/authz/a?b", "/authz", Some("/a?b")),
            ("/authz/", "/authz", Some("/")),
            ("/authz", "/authz", None),
            ("/authzadmin", "/authz", None),
            ("/authz?a=/", "/authz", None),
            ("/authz//a", "/authz/", Some("/a")),
            ("/authz/a", "/authz/", None),
            ("/AUTHZ/a", "/authz", None),
        ] {
            assert_eq!(without_prefix(target, prefix), wanted, "{target} without {prefix}");
        }
    }

    #[test]
    fn a_denial_never_has_a_status_that_allows() {
        for (status, wanted) in [(401, 401), (0, 403), (1_000, 403)] {
            assert_eq!(response(Answer::deny(status)).status(), wanted);
        }
        let header = |value: &str, appends| Header { name: "x-a".into(), value: value.into(), appends };
        let request_headers = vec![header("1", true), header("2", true), header("3", false)];
        let removed_headers = vec!["x-b".to_owned(), "x-c".to_owned()];
        let allowed = response(Answer { request_headers, removed_headers, ..Answer::allow() });
        assert_eq!((allowed.status(), allowed.headers().get_all("x-a").iter().count()), (StatusCode::OK, 1));
        assert_eq!(allowed.headers()[TO_REMOVE], "x-b,x-c");
    }
}
