//! The service as Envoy sees it: answers of both protocols, faults, health and metrics.

mod support;

use std::fs;
use std::time::Duration;

use envoy_types::ext_authz::v3::pb::{CheckRequest, CheckResponse, HeaderAppendAction, HeaderValueOption};
use envoy_types::ext_authz::v3::pb::{DeniedHttpResponse, HttpResponse, OkHttpResponse};
use hclvm_authorization::{Combining, LogSettings, Server, Settings};
use support::{ALLOWED, DENIED, Service, any_port, check, message, status};
use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

const POLICY: &str = r#"
rule "owner" {
  when             = request.path == "/docs/${try(request.headers.x-user, "")}"
  effect           = "allow"
  reason           = "owner"
  headers          = { x-owner = request.headers.x-user, x-many = ["a", "b"] }
  remove_headers   = ["authorization", "Cookie"]
  response_headers = { x-seen = true }
  metadata         = { user = { name = request.headers.x-user, level = 3 } }
}
rule "login" {
  when             = try(request.headers.authorization, "") == ""
  effect           = "deny"
  status           = 401
  body             = "Log in first, then ${request.method} ${request.path}.\n"
  response_headers = { www-authenticate = "Bearer", set-cookie = ["a=1", "b=2"] }
}
rule "upload" {
  when   = request.method == "POST" && length(coalesce(request.body, "")) > 3
  effect = "allow"
}
"#;

fn ok(response: CheckResponse) -> OkHttpResponse {
    match response.http_response {
        Some(HttpResponse::OkResponse(response)) => response,
        other => panic!("{other:?}"),
    }
}

fn denied(response: CheckResponse) -> DeniedHttpResponse {
    match response.http_response {
        Some(HttpResponse::DeniedResponse(response)) => response,
        other => panic!("{other:?}"),
    }
}

/// Returns headers as `name: value`, with `+` if the header is added to others.
fn shown(headers: &[HeaderValueOption]) -> Vec<String> {
    let shown = headers.iter().map(|option| {
        let header = option.header.as_ref().expect("a header");
        let appends = option.append_action == i32::from(HeaderAppendAction::AppendIfExistsOrAdd);
        format!("{}{}: {}", if appends { "+" } else { "" }, header.key, header.value)
    });
    shown.collect()
}

#[tokio::test]
async fn envoy_is_answered_over_grpc() {
    let service = Service::start(POLICY).await;
    let mut client = service.client().await;

    let response = check(&mut client, message("GET", "/docs/ann", &[("x-user", "ann")])).await;
    assert_eq!(status(&response), ALLOWED);
    let metadata = response.dynamic_metadata.clone().expect("metadata");
    assert_eq!(metadata.fields.len(), 1);
    let response = ok(response);
    assert_eq!(shown(&response.headers), ["+x-many: a", "+x-many: b", "x-owner: ann"]);
    assert_eq!(response.headers_to_remove, ["authorization", "cookie"]);
    assert_eq!(shown(&response.response_headers_to_add), ["x-seen: true"]);

    let response = check(&mut client, message("GET", "/docs/bob?x=1", &[("x-user", "ann")])).await;
    assert_eq!(status(&response), (16, 401));
    let response = denied(response);
    assert_eq!(response.body, "Log in first, then GET /docs/bob.\n");
    assert_eq!(
        shown(&response.headers),
        ["+set-cookie: a=1", "+set-cookie: b=2", "www-authenticate: Bearer"]
    );

    let user = [("authorization", "Bearer x")];
    assert_eq!(status(&check(&mut client, message("GET", "/", &user)).await), DENIED);
    let mut upload = message("POST", "/", &user);
    let http =
        upload.attributes.as_mut().and_then(|all| all.request.as_mut()).and_then(|one| one.http.as_mut());
    http.expect("a request").body = "12345".to_owned();
    assert_eq!(status(&check(&mut client, upload.clone()).await), ALLOWED);

    // A message without attributes is decided like any other.
    assert_eq!(status(&check(&mut client, CheckRequest::default()).await), (16, 401));
    assert!(service.server.stop().await.is_drained);
}

#[tokio::test]
async fn envoy_is_answered_over_http() {
    let service = Service::start(POLICY).await;
    let reply =
        service.http("GET /docs/ann HTTP/1.1\r\nhost: a\r\nx-user: ann\r\nconnection: close\r\n\r\n").await;
    assert_eq!((reply.status, reply.body.as_str()), (200, ""));
    assert_eq!(reply.header("x-owner"), ["ann"]);
    assert_eq!(reply.header("x-many"), ["a", "b"]);
    assert_eq!(reply.header("x-seen"), ["true"]);
    assert_eq!(reply.header("x-envoy-auth-headers-to-remove"), ["authorization,cookie"]);

    let reply = service.http("PUT /docs/x?q HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await;
    assert_eq!((reply.status, reply.body.as_str()), (401, "Log in first, then PUT /docs/x.\n"));
    assert_eq!(reply.header("set-cookie"), ["a=1", "b=2"]);
    assert_eq!(reply.header("www-authenticate"), ["Bearer"]);

    let upload = |body: &str| {
        let length = body.len();
        format!(
            "POST / HTTP/1.1\r\nhost: a\r\nauthorization: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        )
    };
    assert_eq!(service.http(&upload("12345")).await.status, 200);
    assert_eq!(service.http(&upload("1")).await.status, 403);
    assert_eq!(service.http(&upload(&"x".repeat(100_000))).await.status, 413, "the body is too large");
    let settings = Settings { http_prefix: "/authz".into(), ..Settings::default() };
    let prefixed = Service::start_with(POLICY, settings).await;
    let ask =
        |path: &str| format!("GET {path} HTTP/1.1\r\nhost: a\r\nx-user: ann\r\nconnection: close\r\n\r\n");
    assert_eq!(prefixed.http(&ask("/authz/docs/ann")).await.status, 200);
    for path in [
        "/docs/ann",
        "/authzdocs/ann",
        "/authz-x/docs/ann",
        "/authz",
        "/authz?/docs/ann",
        "/x/authz/docs/ann",
    ] {
        assert_eq!(prefixed.http(&ask(path)).await.status, 404, "the prefix is missing: {path}");
    }
    assert_eq!(prefixed.metric("hclvm_authorization_faults_total{kind=\"request\"}").await, 6.0);
}

/// A policy that shows what it is given.
const ECHO: &str = r#"
rule "echo" {
  when             = true
  effect           = "allow"
  response_headers = {
    x-request = jsonencode([request.method, request.path, request.query, request.host, request.scheme, request.id])
    x-body    = jsonencode([request.body, request.size, request.protocol, source.address, tls.sni])
    x-time    = request.unix_ms > 1600000000000 && request.unix_ms < 99000000000000
    x-several = request.headers.x-a
  }
}
"#;

#[tokio::test]
async fn a_request_over_http_has_these_attributes() {
    let service = Service::start(ECHO).await;
    let head = "PUT /a%2Fb/?q=1&q=2 HTTP/1.1\r\nhost: api.example.org\r\nx-forwarded-proto: https\r\n\
                x-request-id: 17\r\nx-a: 1\r\nX-A: 2\r\nconnection: close\r\n";
    let reply = service.http(&format!("{head}content-length: 4\r\n\r\ntext")).await;
    let request = r#"["PUT","/a%2Fb/",{"q":"1,2"},"api.example.org","https","17"]"#;
    assert_eq!(reply.header("x-request"), [request]);
    assert_eq!(reply.header("x-body"), [r#"["text",4,"","",""]"#]);
    assert_eq!((reply.header("x-time"), reply.header("x-several")), (vec!["true"], vec!["1,2"]));
    let reply = service.http(&format!("{head}\r\n")).await;
    assert_eq!(reply.header("x-body"), [r#"[null,null,"","",""]"#]);
    // A proxy's form of a request has the host in its target.
    let rest = "x-a: 1\r\nconnection: close\r\n\r\n";
    for (host, wanted) in [("", "b.example.org"), ("host: a.example.org\r\n", "a.example.org")] {
        let reply = service.http(&format!("GET http://b.example.org/x?y HTTP/1.1\r\n{host}{rest}")).await;
        let request = format!(r#"["GET","/x",{{"y":""}},"{wanted}","",""]"#);
        assert_eq!(reply.header("x-request"), [request]);
    }
}

#[tokio::test]
async fn open_connections_are_counted() {
    let service = Service::start(POLICY).await;
    let connections = "hclvm_authorization_connections";
    let own = service.metric(connections).await;
    let http = service.server.http_address().expect("it is served");
    let streams = [0; 3].map(|_| std::net::TcpStream::connect(http).expect("it listens"));
    service.wait_for(connections, own + 3.0).await;
    drop(streams);
    for _ in 0..1_000 {
        if service.metric(connections).await < own + 1.0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("they are still open");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_stops_answers_and_is_not_ready() {
    let settings = Settings { delay: Duration::from_millis(600), ..Settings::default() };
    let Service { server, folder: _folder } = Service::start_with(POLICY, settings).await;
    let (grpc, admin) = (server.grpc_address().expect("it is served"), server.admin_address());
    let admin = admin.expect("it is served");
    let read = move |path: &'static str| async move {
        let ask = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        tokio::task::spawn_blocking(move || support::http(admin, &ask)).await.expect("a reply")
    };
    let reply = read("/readyz").await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "ready\n"));
    let begin = std::time::Instant::now();
    let stopped = tokio::spawn(server.stop());
    let mut reply = read("/readyz").await;
    while reply.status == 200 {
        reply = read("/readyz").await;
    }
    assert_eq!((reply.status, reply.body.as_str()), (503, "stopping\n"));
    assert_eq!(read("/healthz").await.body, "ok\n");
    let channel = Endpoint::from_shared(format!("http://{grpc}")).expect("an address");
    let channel = channel.connect().await.expect("it still listens");
    let mut health = HealthClient::new(channel);
    for name in ["", "envoy.service.auth.v3.Authorization"] {
        let request = HealthCheckRequest { service: name.to_owned() };
        let status = health.check(request).await.expect("an answer").into_inner().status;
        assert_eq!(status, 2, "{name}: NOT_SERVING");
    }
    let mut client = support::client(grpc).await;
    let response = check(&mut client, message("GET", "/docs/ann", &[("x-user", "ann")])).await;
    assert_eq!(status(&response), ALLOWED);
    drop((client, health));
    assert!(stopped.await.expect("it ends").is_drained);
    assert!(begin.elapsed() >= Duration::from_millis(600));
    assert!(std::net::TcpStream::connect(grpc).is_err() && std::net::TcpStream::connect(admin).is_err());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn decisions_that_cannot_be_logged_are_counted() {
    let settings = Settings { log: Some(LogSettings::new("/dev/full")), ..Settings::default() };
    let service = Service::start_with(POLICY, settings).await;
    let mut client = service.client().await;
    for _ in 0..3 {
        check(&mut client, message("GET", "/docs/ann", &[("x-user", "ann")])).await;
    }
    service.wait_for("hclvm_authorization_decision_log_dropped", 3.0).await;
    drop(client);
    let log = service.server.stop().await.log.expect("a log");
    assert_eq!((log.written, log.dropped, log.failed), (0, 0, 3));
}

#[tokio::test]
async fn a_log_has_the_settings_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("decisions.log");
    let log = LogSettings {
        masks: vec!["request.headers.x-user".into()],
        sample: 2,
        rotate_bytes: Some(1),
        rotate_kept: 1,
        ..LogSettings::new(&path)
    };
    let service = Service::start_with(POLICY, Settings { log: Some(log), ..Settings::default() }).await;
    let mut client = service.client().await;
    let headers = [("x-user", "hunter2"), ("authorization", "Bearer")];
    for _ in 0..6 {
        check(&mut client, message("GET", "/docs/ann", &headers)).await;
    }
    drop(client);
    assert_eq!(service.server.stop().await.log.expect("a log").written, 3);
    let renamed = folder.path().join("decisions.log.1");
    for path in [&path, &renamed] {
        let text = fs::read_to_string(path).expect("a log");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("$masked") && text.contains("Bearer") && !text.contains("hunter2"), "{text}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[tokio::test]
async fn the_metrics_say_since_when_a_policy_is_in_use() {
    let before = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time").as_secs_f64();
    let service = Service::start(POLICY).await;
    let loaded = service.metric("hclvm_authorization_policy_loaded_timestamp_seconds").await;
    let after = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time").as_secs_f64();
    assert!(before <= loaded && loaded <= after, "{before} {loaded} {after}");
    fs::write(service.policy_file(), format!("{POLICY}\n# edited\n")).expect("it is written");
    service.wait_for("hclvm_authorization_policy_epoch", 1.0).await;
    assert!(service.metric("hclvm_authorization_policy_loaded_timestamp_seconds").await > loaded);
    assert_eq!(service.metric("hclvm_authorization_reloads_total{kind=\"loaded\"}").await, 1.0);
    fs::write(service.policy_file(), "rule {").expect("it is written");
    service.wait_for("hclvm_authorization_policy_rejected", 1.0).await;
    fs::write(service.policy_file(), format!("{POLICY}\n# edited\n")).expect("it is written");
    service.wait_for("hclvm_authorization_reloads_total{kind=\"restored\"}", 1.0).await;
    assert_eq!(service.metric("hclvm_authorization_policy_rejected").await, 0.0);
    assert_eq!(service.metric("hclvm_authorization_policy_epoch").await, 1.0);
}

#[tokio::test]
async fn the_status_shows_texts_only_if_that_was_asked_for() {
    for status_texts in [false, true] {
        let service = Service::start_with(POLICY, Settings { status_texts, ..Settings::default() }).await;
        let broken = "rule \"hunter2\" {\n  when   = request.path == \"/hunter2\" && request.methd == \"GET\"\n  effect = \"allow\"\n}\n";
        fs::write(service.policy_file(), broken).expect("it is written");
        service.wait_for("hclvm_authorization_policy_rejected", 1.0).await;
        let state = service.admin("/status").await.body;
        assert!(state.contains("Unsupported attribute") && state.contains("policy.hcl:2:49"), "{state}");
        assert_eq!(state.contains("hunter2"), status_texts, "{state}");
        fs::remove_file(service.policy_file()).expect("it is there");
        service.wait_for("hclvm_authorization_reloads_total{kind=\"rejected\"}", 2.0).await;
        let state = service.admin("/status").await.body;
        assert!(!state.contains("\"rejected\":null"), "{state}");
        let folder = service.folder.path().to_str().expect("UTF-8");
        assert!(status_texts || !state.contains(folder), "{state}");
    }
}

/// A policy with a fault of each kind, by the path of the request.
const FAULTS: &str = r#"
rule "missing" {
  when   = request.path == "/missing" && request.headers.x-none == "a"
  effect = "allow"
}
rule "work" {
  when   = request.path == "/work" && length([for a in range(try(request.headers.x-n, 0)) : upper(request.headers.x-n)]) > 0
  effect = "allow"
}
rule "header" {
  when    = request.path == "/header"
  effect  = "allow"
  headers = { x-path = try(request.headers.x-a, "a\nb") }
}
rule "effect" {
  when   = request.path == "/effect"
  effect = try(request.headers.x-effect, "perhaps")
}
rule "body" {
  when   = request.path == "/body"
  effect = "deny"
  status = 404
  body   = try(request.headers.x-a, ["no text"])
}
rule "ok" {
  when   = request.path == "/ok"
  effect = "allow"
}
"#;

/// The headers with which the second of these rules takes too much work.
const WORK: [(&str, &str); 1] = [("x-n", "1000")];

#[tokio::test]
async fn what_cannot_be_decided_is_denied() {
    let settings = Settings { fault_status: 429, fuel: 2_000, ..Settings::default() };
    let service = Service::start_with(FAULTS, settings).await;
    let mut client = service.client().await;
    for path in ["/missing", "/work", "/header", "/effect", "/body"] {
        assert_eq!(status(&check(&mut client, message("GET", path, &WORK)).await), (7, 429), "{path}");
        let request = format!("GET {path} HTTP/1.1\r\nhost: a\r\nx-n: 1000\r\nconnection: close\r\n\r\n");
        assert_eq!(service.http(&request).await.status, 429, "{path}");
    }
    assert_eq!(status(&check(&mut client, message("GET", "/ok", &[])).await), ALLOWED);
    assert_eq!(status(&check(&mut client, message("GET", "/other", &[])).await), DENIED);
    let fixed = [("x-a", "1"), ("x-effect", "deny"), ("x-none", "a")];
    for (path, wanted) in
        [("/missing", ALLOWED), ("/header", ALLOWED), ("/effect", DENIED), ("/body", (7, 404))]
    {
        assert_eq!(status(&check(&mut client, message("GET", path, &fixed)).await), wanted, "{path}");
    }

    let fault = |kind: &str| format!("hclvm_authorization_faults_total{{kind=\"{kind}\"}}");
    // An effect other than "allow" and "deny" leaves the decision undecided.
    assert_eq!(service.metric(&fault("rule")).await, 4.0);
    assert_eq!(service.metric(&fault("limit")).await, 2.0);
    assert_eq!(service.metric(&fault("outcome")).await, 4.0);
    assert_eq!(service.metric("hclvm_authorization_rule_faults_total{rule=\"missing\"}").await, 2.0);
    let decisions = "hclvm_authorization_decisions_total";
    assert_eq!(service.metric(&format!("{decisions}{{result=\"deny\",cause=\"fault\"")).await, 10.0);
    assert_eq!(service.metric(&format!("{decisions}{{result=\"allow\",cause=\"fault\"")).await, 0.0);
    let rule = |result: &str, name: &str| {
        format!("{decisions}{{result=\"{result}\",cause=\"rule\",rule=\"{name}\"}}")
    };
    assert_eq!(service.metric(&rule("allow", "ok")).await, 1.0);
    assert_eq!(service.metric(&rule("deny", "effect")).await, 1.0);
    assert_eq!(service.metric(&format!("{decisions}{{result=\"deny\",cause=\"no-rule\"")).await, 1.0);
    assert_eq!(service.metric("hclvm_authorization_decision_seconds_count{kind=\"grpc\"}").await, 11.0);
    assert_eq!(service.metric("hclvm_authorization_decision_seconds_count{kind=\"http\"}").await, 5.0);
}

#[tokio::test]
async fn faults_allow_only_if_that_was_asked_for() {
    let settings = Settings { fail_open: true, fuel: 2_000, ..Settings::default() };
    let service = Service::start_with(FAULTS, settings).await;
    let mut client = service.client().await;
    for path in ["/missing", "/work", "/header", "/effect", "/ok"] {
        assert_eq!(status(&check(&mut client, message("GET", path, &WORK)).await), ALLOWED, "{path}");
    }
    // The policy denies these, whatever is wrong with the response.
    for path in ["/body", "/other"] {
        assert_eq!(status(&check(&mut client, message("GET", path, &[])).await), DENIED, "{path}");
    }
}

#[tokio::test]
async fn what_cannot_be_given_to_the_policy_is_denied() {
    let settings = Settings { fail_open: true, memory_bytes: 16 << 10, ..Settings::default() };
    let policy = "rule \"all\" {\n  when = try(length(request.body), 0) < 100000\n  effect = \"allow\"\n}\n";
    let service = Service::start_with(policy, settings).await;
    let mut client = service.client().await;
    for (bytes, wanted) in [(10, ALLOWED), (60_000, DENIED), (70_000, (7, 413))] {
        let mut request = message("POST", "/", &[]);
        let all = request.attributes.as_mut().and_then(|all| all.request.as_mut());
        all.and_then(|one| one.http.as_mut()).expect("a request").body = "x".repeat(bytes);
        assert_eq!(status(&check(&mut client, request).await), wanted, "{bytes}");
    }
    assert_eq!(service.metric("hclvm_authorization_faults_total{kind=\"request\"}").await, 2.0);
}

#[tokio::test]
async fn a_time_limit_ends_a_decision() {
    let policy = r#"
locals {
  n = range(try(request.headers.x-n, 0))
}
rule "slow" {
  when   = length([for a in local.n : [for b in local.n : length([for c in local.n : upper("x${a * b * c}")])]]) > 0
  effect = "allow"
}
"#;
    let settings = Settings {
        fuel: 1 << 40,
        memory_bytes: 1 << 34,
        time: Duration::from_millis(30),
        ..Settings::default()
    };
    let service = Service::start_with(policy, settings).await;
    let mut client = service.client().await;
    let begin = std::time::Instant::now();
    assert_eq!(status(&check(&mut client, message("GET", "/", &WORK)).await), DENIED);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_eq!(service.metric("hclvm_authorization_faults_total{kind=\"limit\"}").await, 1.0);
}

#[tokio::test]
async fn denials_can_override_what_comes_before() {
    let policy = "rule \"all\" {\n  when = true\n  effect = \"allow\"\n}\n\
                  rule \"not-this\" {\n  when = request.path == \"/no\"\n  effect = \"deny\"\n}\n\
                  rule \"fails\" {\n  when = request.headers.x-a == \"1\"\n  effect = \"deny\"\n}\n";
    for (combining, no, other) in
        [(Combining::First, ALLOWED, ALLOWED), (Combining::DenyOverrides, DENIED, ALLOWED)]
    {
        let service = Service::start_with(policy, Settings { combining, ..Settings::default() }).await;
        let mut client = service.client().await;
        let headers = [("x-a", "0")];
        assert_eq!(status(&check(&mut client, message("GET", "/no", &headers)).await), no);
        assert_eq!(status(&check(&mut client, message("GET", "/", &headers)).await), other);
        // A rule that fails might have denied.
        let failing = if combining == Combining::First { ALLOWED } else { DENIED };
        assert_eq!(status(&check(&mut client, message("GET", "/", &[])).await), failing);
    }
}

#[tokio::test]
async fn health_and_status_are_told() {
    let service = Service::start(POLICY).await;
    let address = service.server.grpc_address().expect("it is served");
    let channel = Endpoint::from_shared(format!("http://{address}")).expect("an address");
    let mut health = HealthClient::new(channel.connect().await.expect("it listens"));
    for name in ["", "envoy.service.auth.v3.Authorization"] {
        let request = HealthCheckRequest { service: name.to_owned() };
        assert_eq!(health.check(request).await.expect("an answer").into_inner().status, 1, "{name}: SERVING");
    }
    let request = HealthCheckRequest { service: String::new() };
    let mut watched = health.watch(request).await.expect("a stream").into_inner();
    assert_eq!(watched.message().await.expect("a message").expect("a status").status, 1);
    assert_eq!(service.admin("/healthz").await.status, 200);
    assert_eq!(service.admin("/readyz").await.status, 200);
    assert_eq!(service.admin("/other").await.status, 404);
    let state = service.admin("/status").await.body;
    assert!(state.contains("\"epoch\":0") && state.contains("\"rejected\":null"), "{state}");
    let metrics = service.admin("/metrics").await;
    assert!(metrics.header("content-type")[0].starts_with("application/openmetrics-text"));
    for name in ["policy_epoch 0", "policy_rejected 0", "connections ", "decision_log_dropped 0"] {
        assert!(metrics.body.contains(&format!("hclvm_authorization_{name}")), "{name}: {}", metrics.body);
    }

    assert!(service.server.stop().await.is_drained, "a watched health does not hold it up");
    assert_eq!(watched.message().await.expect("a message").expect("a status").status, 2, "NOT_SERVING");
}

#[tokio::test]
async fn decisions_are_logged_without_credentials() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("decisions.log");
    let settings = Settings { log: Some(LogSettings::new(&path)), ..Settings::default() };
    let service = Service::start_with(POLICY, settings).await;
    let mut client = service.client().await;
    let headers = [("x-user", "ann"), ("authorization", "hunter2"), ("x-unread", "unread")];
    check(&mut client, message("GET", "/docs/ann", &headers)).await;
    check(&mut client, message("GET", "/docs/bob", &headers)).await;
    drop(client);
    let log = service.server.stop().await.log.expect("a log");
    assert_eq!((log.written, log.dropped, log.failed), (2, 0, 0));
    let text = fs::read_to_string(&path).expect("a log");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&lines[0]["rule"], &lines[0]["effect"]), (&"owner".into(), &"allow".into()));
    assert_eq!((&lines[1]["cause"], &lines[1]["effect"]), (&"no-rule".into(), &"deny".into()));
    let headers = &lines[0]["inputs"]["request"]["headers"];
    assert_eq!(headers["x-user"], "ann");
    assert!(headers["authorization"]["$masked"].as_bool().is_some_and(|masked| masked));
    assert!(!text.contains("hunter2") && !text.contains("unread"), "{text}");
}

#[tokio::test]
async fn a_log_that_was_renamed_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, renamed) = (folder.path().join("decisions.log"), folder.path().join("renamed.log"));
    let settings = Settings { log: Some(LogSettings::new(&path)), ..Settings::default() };
    let service = Service::start_with(POLICY, settings).await;
    let mut client = service.client().await;
    check(&mut client, message("GET", "/docs/ann", &[("x-user", "ann")])).await;
    fs::rename(&path, &renamed).expect("it is renamed");
    service.server.reopen_log();
    check(&mut client, message("GET", "/docs/ann", &[("x-user", "bob")])).await;
    drop(client);
    let log = service.server.stop().await.log.expect("a log");
    assert_eq!((log.written, log.failed), (2, 0));
    let lines = |path| fs::read_to_string(path).expect("a log").lines().count();
    assert_eq!(lines(&renamed) + lines(&path), 2);
    assert!(lines(&path) >= 1, "the second decision is in the new file");
}

#[tokio::test]
async fn a_policy_is_refused_with_everything_that_is_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = "rule \"a\" {\n  when   = request.methd == \"GET\"\n  effect = \"alow\"\n}\n\
                 rul \"b\" {\n  when = true\n}\n";
    let second = "rule \"a\" {\n  when   = user == \"x\"\n  effect = \"deny\"\n  staus  = 401\n  headers = {}\n}\n\
                  rule \"c\" {\n  effect = \"deny\"\n  status = 200\n}\n";
    fs::write(folder.path().join("1.hcl"), first).expect("it is written");
    fs::write(folder.path().join("2.hcl"), second).expect("it is written");
    let settings = Settings { policies: folder.path().into(), grpc: any_port(), ..Settings::default() };
    let told = Server::start(settings).await.expect_err("it is wrong").to_string();
    for part in [
        "1.hcl:2:19",
        "methd",
        "1.hcl:3:12",
        "\"allow\" or \"deny\"",
        "1.hcl:5:1",
        "rul",
        "2.hcl:1:1",
        "2.hcl:2:12",
        "user",
        "2.hcl:4:3",
        "staus",
        "2.hcl:5:3",
        "2.hcl:7:",
        "when",
        "2.hcl:9:12",
    ] {
        assert!(told.contains(part), "{part}:\n{told}");
    }
    // The file, the policy and the expressions are checked one by one, and each mistake is reported once.
    let titles: Vec<&str> = told.lines().filter(|line| line.starts_with("error[")).collect();
    let mut different = titles.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!((titles.len(), different.len()), (9, 9), "{told}");
}
