//! A service on the loopback interface with a policy in a folder of its own, and clients of both protocols.
#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod process;

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use envoy_types::ext_authz::v3::pb::{CheckRequest, CheckResponse, HttpResponse};
use envoy_types::pb::envoy::service::auth::v3::AttributeContext;
use envoy_types::pb::envoy::service::auth::v3::attribute_context::{HttpRequest, Request};
use envoy_types::pb::envoy::service::auth::v3::authorization_client::AuthorizationClient;
use hclvm_authorization::{Server, Settings};
use tempfile::TempDir;
use tonic::transport::Channel;

/// A service and the folder of its policy.
pub(crate) struct Service {
    pub(crate) server: Server,
    pub(crate) folder: TempDir,
}

/// Any port of this machine.
pub(crate) fn any_port() -> Option<SocketAddr> {
    Some(([127, 0, 0, 1], 0).into())
}

impl Service {
    /// Serves a policy. On a machine with much other work, a decision has all the time it needs.
    pub(crate) async fn start(policy: &str) -> Self {
        Self::start_with(policy, Settings { time: Duration::from_secs(60), ..Settings::default() }).await
    }

    /// Serves a policy with other settings than the addresses.
    pub(crate) async fn start_with(policy: &str, settings: Settings) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("policy.hcl"), policy).expect("it is written");
        let settings = Settings {
            policies: folder.path().into(),
            grpc: any_port(),
            http: any_port(),
            authzen: any_port(),
            admin: any_port(),
            ..settings
        };
        let server = Server::start(settings).await.unwrap_or_else(|problems| panic!("{problems}"));
        Self { server, folder }
    }

    pub(crate) fn policy_file(&self) -> PathBuf {
        self.folder.path().join("policy.hcl")
    }

    pub(crate) async fn client(&self) -> AuthorizationClient<Channel> {
        client(self.server.grpc_address().expect("it is served")).await
    }

    /// Sends a request over HTTP.
    pub(crate) async fn http(&self, request: &str) -> Reply {
        let address = self.server.http_address().expect("it is served");
        let request = request.to_owned();
        tokio::task::spawn_blocking(move || http(address, &request)).await.expect("a reply")
    }

    /// Sends a request to the address of AuthZEN: its beginning, with headers, and its body.
    pub(crate) async fn authzen(&self, head: &str, body: &str) -> Reply {
        let address = self.server.authzen_address().expect("it is served");
        let length = body.len();
        let request =
            format!("{head}\r\nhost: pdp\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
        tokio::task::spawn_blocking(move || http(address, &request)).await.expect("a reply")
    }

    /// Reads a path of the admin address.
    pub(crate) async fn admin(&self, path: &str) -> Reply {
        let address = self.server.admin_address().expect("it is served");
        let request = format!("GET {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
        tokio::task::spawn_blocking(move || http(address, &request)).await.expect("a reply")
    }

    /// Returns the sum of the samples of a metric whose lines begin with a text.
    pub(crate) async fn metric(&self, beginning: &str) -> f64 {
        let text = self.admin("/metrics").await.body;
        assert!(text.ends_with("# EOF\n"), "{text}");
        sum(&text, beginning)
    }

    /// Waits until a metric has at least a value.
    pub(crate) async fn wait_for(&self, beginning: &str, value: f64) {
        for _ in 0..1_000 {
            if self.metric(beginning).await >= value {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{beginning} is {}", self.metric(beginning).await);
    }
}

/// Returns the sum of the samples whose lines begin with a text.
pub(crate) fn sum(metrics: &str, beginning: &str) -> f64 {
    let lines = metrics.lines().filter(|line| line.starts_with(beginning));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

pub(crate) async fn client(address: SocketAddr) -> AuthorizationClient<Channel> {
    AuthorizationClient::connect(format!("http://{address}")).await.expect("it listens")
}

/// A reply over HTTP.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    /// Reads the text of a reply.
    pub(crate) fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no reply: {text}"));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let header =
            |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { status, headers: lines.filter_map(header).collect(), body: body.to_owned() }
    }

    /// Returns the values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let found = self.headers.iter().filter(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).collect()
    }
}

/// Sends a request over HTTP, and waits for the end of the connection.
pub(crate) fn http(address: SocketAddr, request: &str) -> Reply {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("a reply");
    Reply::parse(&text)
}

/// Returns the message of a request.
pub(crate) fn message(method: &str, path: &str, headers: &[(&str, &str)]) -> CheckRequest {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let http = HttpRequest {
        method: method.to_owned(),
        path: path.to_owned(),
        host: "api.example.org".to_owned(),
        scheme: "https".to_owned(),
        headers: headers.collect::<HashMap<_, _>>(),
        size: -1,
        ..HttpRequest::default()
    };
    let request = Some(Request { http: Some(http), ..Request::default() });
    CheckRequest { attributes: Some(AttributeContext { request, ..AttributeContext::default() }) }
}

/// Asks, and returns the answer.
pub(crate) async fn check(client: &mut AuthorizationClient<Channel>, request: CheckRequest) -> CheckResponse {
    client.check(request).await.expect("an answer").into_inner()
}

/// Returns the code of an answer (0 allows), and the status of a denial.
pub(crate) fn status(response: &CheckResponse) -> (i32, i32) {
    let code = response.status.as_ref().map_or(-1, |status| status.code);
    match &response.http_response {
        Some(HttpResponse::DeniedResponse(denied)) => {
            (code, denied.status.as_ref().map_or(0, |status| status.code))
        }
        _ => (code, 0),
    }
}

/// The answer to a request that is allowed.
pub(crate) const ALLOWED: (i32, i32) = (0, 0);

/// The answer to a request that is denied without a status.
pub(crate) const DENIED: (i32, i32) = (7, 403);
