//! Messages of Envoy as variables.

use std::collections::HashMap;

use envoy_types::pb::envoy::config::core::v3::{Address as EnvoyAddress, HeaderMap, Pipe, SocketAddress};
use envoy_types::pb::envoy::service::auth::v3::attribute_context;
use envoy_types::pb::google::protobuf::value::Kind;
use envoy_types::pb::google::protobuf::{Struct, Value};
use hclvm::{Engine, Json};
use serde_json::json;

use super::*;
use crate::attributes::{self, Input, OF_ENVOY};

/// Returns all variables that a message becomes.
fn variables(message: &CheckRequest) -> serde_json::Value {
    let module =
        Engine::new().parse("x.hcl", "").expect("HCL").module_for(attributes::variables()).expect("a module");
    let mut scope = module.scope();
    attributes(message).set(&mut scope).expect("it fits");
    let value = |name: &str| json!(Json(scope.get(name).expect("it is set")));
    OF_ENVOY.into_iter().map(|name| (name.to_owned(), value(name))).collect()
}

fn texts(texts: &[(&str, &str)]) -> HashMap<String, String> {
    texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn message(http: HttpRequest) -> CheckRequest {
    let request = Some(attribute_context::Request { http: Some(http), time: None });
    CheckRequest { attributes: Some(AttributeContext { request, ..AttributeContext::default() }) }
}

#[test]
fn a_message_becomes_variables() {
    let http = HttpRequest {
        id: "17".into(),
        method: "PUT".into(),
        path: "/a?b=c".into(),
        host: "example.org".into(),
        scheme: "https".into(),
        protocol: "HTTP/2".into(),
        headers: texts(&[(":path", "/a?b=c"), ("x-a", "1,2")]),
        body: "text".into(),
        size: 4,
        ..HttpRequest::default()
    };
    let mut message = message(http);
    let all = message.attributes.as_mut().expect("attributes");
    let time = Some(Timestamp { seconds: 3, nanos: 4_500_000 });
    all.request.as_mut().expect("a request").time = time;
    let socket = SocketAddress {
        address: "192.0.2.1".into(),
        port_specifier: Some(PortSpecifier::PortValue(80)),
        ..SocketAddress::default()
    };
    all.source = Some(EnvoyPeer {
        address: Some(EnvoyAddress { address: Some(Address::SocketAddress(socket)) }),
        principal: "p".into(),
        service: "s".into(),
        certificate: "c".into(),
        labels: texts(&[("zone", "z")]),
    });
    let pipe = Pipe { path: "/run/x".into(), mode: 0 };
    let address = Some(EnvoyAddress { address: Some(Address::Pipe(pipe)) });
    all.destination = Some(EnvoyPeer { address, ..EnvoyPeer::default() });
    all.context_extensions = texts(&[("team", "x")]);
    let field = |kind| Value { kind: Some(kind) };
    let fields = HashMap::from([
        ("n".to_owned(), field(Kind::NumberValue(2.5))),
        ("whole".to_owned(), field(Kind::NumberValue(3.0))),
        ("nan".to_owned(), field(Kind::NumberValue(f64::NAN))),
        ("none".to_owned(), Value { kind: None }),
    ]);
    let filter_metadata = HashMap::from([("f".to_owned(), Struct { fields })]);
    all.metadata_context = Some(EnvoyMetadata { filter_metadata, ..EnvoyMetadata::default() });
    all.tls_session = Some(attribute_context::TlsSession { sni: "sni".into() });
    assert_eq!(
        variables(&message),
        json!({
            "request": {
                "id": "17", "method": "PUT", "path": "/a", "query": {"b": "c"}, "host": "example.org",
                "scheme": "https", "protocol": "HTTP/2", "headers": {"x-a": "1,2"}, "body": "text",
                "size": 4, "unix_ms": 3_004,
            },
            "source": {
                "address": "192.0.2.1", "port": 80, "principal": "p", "service": "s", "certificate": "c",
                "labels": {"zone": "z"},
            },
            "destination": {
                "address": "/run/x", "port": null, "principal": "", "service": "", "certificate": "",
                "labels": {},
            },
            "context_extensions": {"team": "x"},
            "metadata": {"f": {"n": 2.5, "whole": 3, "nan": null, "none": null}},
            "route_metadata": {},
            "tls": {"sni": "sni"},
        })
    );
}

#[test]
fn what_a_message_lacks_is_empty_or_null() {
    let peer = json!({
        "address": "", "port": null, "principal": "", "service": "", "certificate": "", "labels": {},
    });
    let wanted = json!({
        "request": {
            "id": "", "method": "", "path": "", "query": {}, "host": "", "scheme": "", "protocol": "",
            "headers": {}, "body": null, "size": null, "unix_ms": null,
        },
        "source": peer, "destination": peer, "context_extensions": {}, "metadata": {}, "route_metadata": {},
        "tls": {"sni": ""},
    });
    assert_eq!(variables(&CheckRequest::default()), wanted);
    let empty = CheckRequest { attributes: Some(AttributeContext::default()) };
    assert_eq!(variables(&empty), wanted);
    assert_eq!(variables(&message(HttpRequest { size: -1, ..HttpRequest::default() })), wanted);
}

#[test]
fn a_time_is_whole_milliseconds_that_a_number_has() {
    for (seconds, nanos, wanted) in [
        (0, 0, json!(0)),
        (3, 999_999, json!(3_000)),
        (3, 1_000_000, json!(3_001)),
        (3, 999_999_999, json!(3_999)),
        (i64::MAX / 1_000, 807_999_999, json!(i64::MAX)),
        (i64::MAX / 1_000, 808_000_000, json!(null)),
        (i64::MAX / 1_000 + 1, 0, json!(null)),
        (i64::MAX, 0, json!(null)),
    ] {
        let mut message = message(HttpRequest::default());
        let request = message.attributes.as_mut().and_then(|all| all.request.as_mut()).expect("a request");
        request.time = Some(Timestamp { seconds, nanos });
        assert_eq!(variables(&message)["request"]["unix_ms"], wanted, "{seconds} {nanos}");
    }
}

#[test]
fn raw_headers_and_bodies_are_read() {
    let header = |key: &str, value: &[u8]| HeaderValue {
        key: key.to_owned(),
        raw_value: value.to_owned(),
        ..HeaderValue::default()
    };
    let headers =
        vec![header("x-a", b"1"), header("x-b", b"\xff"), header("x-a", b"2"), header(":path", b"/")];
    let mut http = HttpRequest {
        header_map: Some(HeaderMap { headers }),
        raw_body: b"raw".to_vec(),
        ..HttpRequest::default()
    };
    let read = variables(&message(http.clone()));
    assert_eq!(read["request"]["headers"], json!({"x-a": "1,2", "x-b": "\u{fffd}"}));
    assert_eq!(read["request"]["body"], "raw");
    // Headers that Envoy has joined come first.
    http.headers = texts(&[("x-c", "3")]);
    assert_eq!(variables(&message(http.clone()))["request"]["headers"], json!({"x-c": "3"}));
    http.raw_body = b"\xff".to_vec();
    assert_eq!(variables(&message(http))["request"]["body"], json!(null));
}

#[test]
fn an_answer_becomes_a_message() {
    let header = |name: &str, appends| Header { name: name.to_owned(), value: "1".to_owned(), appends };
    let allowed = Answer {
        request_headers: vec![header("x-a", false), header("x-b", true)],
        removed_headers: vec!["x-c".to_owned()],
        response_headers: vec![header("x-d", false)],
        body: "left out".to_owned(),
        ..Answer::allow()
    };
    let message = response(allowed.clone());
    assert_eq!(message.status.expect("a status").code, i32::from(Code::Ok));
    let Some(HttpResponse::OkResponse(ok)) = message.http_response else { panic!("it is denied") };
    let actions: Vec<i32> = ok.headers.iter().map(|option| option.append_action).collect();
    let wanted = [HeaderAppendAction::OverwriteIfExistsOrAdd, HeaderAppendAction::AppendIfExistsOrAdd];
    assert_eq!(actions, wanted.map(i32::from));
    assert!(ok.headers.iter().all(|option| option.keep_empty_value), "an empty value replaces one");
    assert_eq!((ok.headers_to_remove.len(), ok.response_headers_to_add.len()), (1, 1));

    // What is denied has nothing for the upstream service, and no code that allows.
    for (status, code) in
        [(401, Code::Unauthenticated), (403, Code::PermissionDenied), (302, Code::PermissionDenied)]
    {
        let message = response(Answer { is_allowed: false, status, ..allowed.clone() });
        assert_eq!(message.status.expect("a status").code, i32::from(code));
        let Some(HttpResponse::DeniedResponse(denied)) = message.http_response else {
            panic!("it is allowed")
        };
        assert_eq!(denied.status.expect("a status").code, i32::from(status));
        assert_eq!((denied.headers.len(), denied.body.as_str()), (1, "left out"));
    }
}
