//! The example policy as README.md describes it.

mod support;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use envoy_types::ext_authz::v3::pb::{Address as AddressKind, CheckRequest, HttpResponse};
use envoy_types::pb::envoy::config::core::v3::{Address, Metadata, SocketAddress};
use envoy_types::pb::envoy::service::auth::v3::attribute_context::Peer;
use envoy_types::pb::google::protobuf::value::Kind;
use envoy_types::pb::google::protobuf::{ListValue, Struct, Value};
use support::{ALLOWED, DENIED, Service, check, message, status};

fn text(text: &str) -> Value {
    Value { kind: Some(Kind::StringValue(text.to_owned())) }
}

fn fields(fields: &[(&str, Value)]) -> Struct {
    Struct { fields: fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect() }
}

/// Returns a request of a user whom Envoy's filter has verified.
fn of_user(user: &str, groups: &[&str], path: &str) -> CheckRequest {
    let mut request = message("GET", path, &[("authorization", "Bearer x")]);
    let groups = ListValue { values: groups.iter().map(|group| text(group)).collect() };
    let groups = Value { kind: Some(Kind::ListValue(groups)) };
    let claims = fields(&[("sub", text(user)), ("groups", groups)]);
    let payload = fields(&[("payload", Value { kind: Some(Kind::StructValue(claims)) })]);
    let filter_metadata = HashMap::from([("envoy.filters.http.jwt_authn".to_owned(), payload)]);
    let all = request.attributes.as_mut().expect("attributes");
    all.metadata_context = Some(Metadata { filter_metadata, ..Metadata::default() });
    request
}

fn from(peer: Peer, mut request: CheckRequest) -> CheckRequest {
    request.attributes.as_mut().expect("attributes").source = Some(peer);
    request
}

fn at(address: &str) -> Peer {
    let socket = SocketAddress { address: address.to_owned(), ..SocketAddress::default() };
    Peer { address: Some(Address { address: Some(AddressKind::SocketAddress(socket)) }), ..Peer::default() }
}

#[tokio::test]
async fn the_example_decides_as_its_rules_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("policies");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("it is there");
    let service = Service::start(&format!("{}\n{}", read("locals.hcl"), read("rules.hcl"))).await;
    let mut client = service.client().await;
    let login = (16, 401);
    let ann = |path: &str| of_user("ann", &[], path);
    let root = |path: &str| of_user("root", &["staff", "admin"], path);
    let mesh = Peer { principal: "spiffe://example.org/billing".to_owned(), ..Peer::default() };
    for (request, wanted) in [
        (message("GET", "/healthz", &[]), ALLOWED),
        (message("POST", "/healthz", &[]), login),
        (message("GET", "/accounts/ann/", &[]), login),
        (ann("/accounts/ann/orders?page=2"), ALLOWED),
        (ann("/accounts/bob/orders"), DENIED),
        (ann("/accounts/ann"), DENIED),
        (ann("/accounts/bob/?confirm=yes"), DENIED),
        (root("/accounts/bob/?confirm=yes"), ALLOWED),
        (root("/accounts/bob/?confirm=no"), DENIED),
        (root("/accounts/bob/?confirm=no&confirm=yes"), DENIED),
        (from(at("203.0.113.9"), ann("/accounts/ann/")), DENIED),
        (from(at("192.0.2.9"), ann("/accounts/ann/")), ALLOWED),
        (from(at("2001:db8::1"), ann("/accounts/ann/")), ALLOWED),
        (from(mesh.clone(), message("DELETE", "/accounts/ann/", &[])), ALLOWED),
    ] {
        let response = check(&mut client, request.clone()).await;
        assert_eq!(status(&response), wanted, "{request:?}");
    }
    let response = check(&mut client, ann("/accounts/ann/")).await;
    let Some(HttpResponse::OkResponse(ok)) = response.http_response else { panic!("it is denied") };
    let header = ok.headers[0].header.clone().expect("a header");
    assert_eq!((header.key.as_str(), header.value.as_str()), ("x-user", "ann"));
    assert_eq!(ok.headers_to_remove, ["authorization"]);
    assert_eq!(service.metric("hclvm_authorization_faults_total").await, 0.0);
}
