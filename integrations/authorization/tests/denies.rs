//! Requests through a service: what cannot be decided is denied, however the rules are written.

mod support;

use hclvm_authorization::{Combining, Settings};
use support::{ALLOWED, DENIED, Service, check, message, status};

/// A request: its headers, and its path.
type Asked<'r> = (&'r [(&'r str, &'r str)], &'r str);

/// Returns the answers of a policy, as codes and statuses.
async fn answers(policy: &str, settings: Settings, asked: &[Asked<'_>]) -> Vec<(i32, i32)> {
    let service = Service::start_with(policy, settings).await;
    let mut client = service.client().await;
    let mut answers = Vec::new();
    for (headers, path) in asked {
        answers.push(status(&check(&mut client, message("GET", path, headers)).await));
    }
    answers
}

#[tokio::test]
async fn an_attribute_that_fails_allows_nothing() {
    let given = [("x-level", "3")];
    for attribute in [
        "headers          = { x-level = request.headers.x-level }",
        "remove_headers   = [request.headers.x-level]",
        "response_headers = { x-level = request.headers.x-level }",
        "response_headers = { a = [\"1\", request.headers.x-level] }",
        "metadata         = { level = request.headers.x-level }",
        "metadata         = { level = [{ is = parseint(request.headers.x-level, 10) }] }",
    ] {
        let policy = format!("rule \"a\" {{\n  when   = true\n  effect = \"allow\"\n  {attribute}\n}}\n");
        let asked: [Asked<'_>; 2] = [(&given, "/"), (&[], "/")];
        let settings = || Settings { fault_status: 429, ..Settings::default() };
        assert_eq!(answers(&policy, settings(), &asked).await, [ALLOWED, (7, 429)], "{attribute}");
        let settings = Settings { combining: Combining::DenyOverrides, ..settings() };
        assert_eq!(answers(&policy, settings, &asked).await, [ALLOWED, (7, 429)], "{attribute}");
    }
}

#[tokio::test]
async fn a_rule_that_denies_does_so_whatever_else_fails() {
    let policy = "rule \"a\" {\n  when   = request.path == \"/a\"\n  effect = \"deny\"\n  status = 401\n\
                  body   = request.headers.x-text\n}\n\
                  rule \"b\" {\n  when   = true\n  effect = \"allow\"\n}\n";
    let asked: [Asked<'_>; 3] = [(&[("x-text", "no")], "/a"), (&[], "/a"), (&[], "/b")];
    for combining in [Combining::First, Combining::DenyOverrides] {
        let settings = Settings { combining, fail_open: true, fault_status: 429, ..Settings::default() };
        assert_eq!(answers(policy, settings, &asked).await, [(16, 401), (7, 429), ALLOWED], "{combining:?}");
    }
}

#[tokio::test]
async fn only_the_effect_allow_allows() {
    let policy = "rule \"a\" {\n  when   = true\n  effect = jsondecode(request.headers.x-effect)\n}\n";
    let effects =
        ["\"allow\"", "\"deny\"", "\"Allow\"", "\"allow \"", "\"\"", "null", "true", "[\"allow\"]", "no"];
    let headers: Vec<[(&str, &str); 1]> = effects.iter().map(|effect| [("x-effect", *effect)]).collect();
    let mut asked: Vec<Asked<'_>> = headers.iter().map(|headers| (headers.as_slice(), "/")).collect();
    asked.push((&[], "/"));
    for combining in [Combining::First, Combining::DenyOverrides] {
        let settings = Settings { combining, fault_status: 429, denied_status: 404, ..Settings::default() };
        let found = answers(policy, settings, &asked).await;
        assert_eq!(found[..2], [ALLOWED, (7, 404)], "{combining:?}");
        assert!(found[2..].iter().all(|answer| *answer == (7, 429)), "{combining:?}: {found:?}");
    }
}

#[tokio::test]
async fn a_condition_that_is_no_bool_allows_nothing() {
    let policy = "rule \"a\" {\n  when   = jsondecode(request.headers.x-when)\n  effect = \"allow\"\n}\n";
    let values = ["true", "false", "\"yes\"", "null", "1", "[true]"];
    let headers: Vec<[(&str, &str); 1]> = values.iter().map(|value| [("x-when", *value)]).collect();
    let asked: Vec<Asked<'_>> = headers.iter().map(|headers| (headers.as_slice(), "/")).collect();
    let settings = Settings { fault_status: 429, denied_status: 404, ..Settings::default() };
    let found = answers(policy, settings, &asked).await;
    assert_eq!(found[..2], [ALLOWED, (7, 404)]);
    assert!(found[2..].iter().all(|answer| *answer == (7, 429)), "{found:?}");
}

#[tokio::test]
async fn without_a_rule_that_applies_nothing_is_allowed() {
    for policy in
        ["", "locals {\n  a = request.path\n}\n", "rule \"a\" {\n  when = false\n  effect = \"allow\"\n}\n"]
    {
        let settings = Settings { fail_open: true, denied_status: 404, ..Settings::default() };
        assert_eq!(answers(policy, settings, &[(&[], "/")]).await, [(7, 404)], "{policy}");
    }
}

#[tokio::test]
async fn nothing_remains_of_the_request_before() {
    let policy = "rule \"a\" {\n  when   = try(request.headers.x-user, \"\") == \"ann\" && request.path == \"/\"\n\
                  effect = \"allow\"\n  headers = { x-user = request.headers.x-user }\n}\n";
    let ann = [("x-user", "ann")];
    let asked: [Asked<'_>; 5] =
        [(&ann, "/"), (&[], "/"), (&ann, "/"), (&ann, "/b"), (&[("x-a", "ann")], "/")];
    let wanted = [ALLOWED, DENIED, ALLOWED, DENIED, DENIED];
    assert_eq!(answers(policy, Settings::default(), &asked).await, wanted);
}

#[tokio::test]
async fn faults_are_counted_by_what_became_of_them() {
    let policy = "rule \"a\" {\n  when   = request.headers.x-a == \"1\"\n  effect = \"allow\"\n}\n\
                  rule \"b\" {\n  when   = request.path == \"/b\"\n  effect = \"deny\"\n  body   = request.headers.x-b\n}\n";
    for (fail_open, allowed, denied) in [(true, 1.0, 1.0), (false, 0.0, 2.0)] {
        let service = Service::start_with(policy, Settings { fail_open, ..Settings::default() }).await;
        let mut client = service.client().await;
        let answer = status(&check(&mut client, message("GET", "/", &[])).await);
        assert_eq!(answer, if fail_open { ALLOWED } else { DENIED });
        let answer = status(&check(&mut client, message("GET", "/b", &[("x-a", "0")])).await);
        assert_eq!(answer, DENIED, "it denies, whatever it says");
        let decisions = "hclvm_authorization_decisions_total";
        for (result, count) in [("allow", allowed), ("deny", denied)] {
            let metric = format!("{decisions}{{result=\"{result}\",cause=\"fault\"");
            assert_eq!(service.metric(&metric).await, count, "{result}, {fail_open}");
        }
        assert_eq!(service.metric("hclvm_authorization_rule_faults_total{rule=\"a\"}").await, 1.0);
        assert_eq!(service.metric("hclvm_authorization_rule_faults_total{rule=\"b\"}").await, 1.0);
    }
}

#[tokio::test]
async fn requests_beyond_the_limits_have_the_status_of_faults() {
    let policy = "rule \"a\" {\n  when   = try(length(request.body), 0) < 1000\n  effect = \"allow\"\n}\n";
    let settings = Settings {
        body_bytes: 20_000,
        memory_bytes: 16 << 10,
        fault_status: 429,
        fail_open: true,
        ..Settings::default()
    };
    let service = Service::start_with(policy, settings).await;
    let mut client = service.client().await;
    for (bytes, wanted) in [(999, ALLOWED), (1_000, DENIED), (20_000, (7, 429)), (20_001, (7, 413))] {
        let mut request = message("POST", "/", &[]);
        let http = request.attributes.as_mut().and_then(|all| all.request.as_mut()?.http.as_mut());
        http.expect("a request").body = "x".repeat(bytes);
        assert_eq!(status(&check(&mut client, request).await), wanted, "{bytes} over gRPC");
        let body = "x".repeat(bytes);
        let head =
            format!("POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: {bytes}\r\n\r\n");
        let wanted = if wanted == ALLOWED { 200 } else { wanted.1 };
        assert_eq!(i32::from(service.http(&(head + &body)).await.status), wanted, "{bytes} over HTTP");
    }
    assert_eq!(service.metric("hclvm_authorization_faults_total{kind=\"request\"}").await, 4.0);
    let decisions = "hclvm_authorization_decisions_total";
    assert_eq!(service.metric(&format!("{decisions}{{result=\"deny\",cause=\"fault\"")).await, 4.0);
    assert_eq!(service.metric(&format!("{decisions}{{result=\"allow\",cause=\"fault\"")).await, 0.0);
}
