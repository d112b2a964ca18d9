//! Policies that are edited while requests are decided: no request fails, and a broken file changes nothing.

mod support;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use envoy_types::ext_authz::v3::pb::HttpResponse;
use support::{ALLOWED, Service, check, message, status};

/// The reloads, and every how many of them the file is broken.
const RELOADS: u64 = 20;
const BROKEN: u64 = 4;

fn policy(version: u64) -> String {
    format!(
        "rule \"all\" {{\n  when    = request.path == \"/\"\n  effect  = \"allow\"\n  headers = {{ x-version = {version} }}\n}}\n"
    )
}

/// Returns a text that is no policy, of several kinds.
fn broken(version: u64) -> String {
    match version / BROKEN % 3 {
        0 => policy(version).replace("request.path ==", "request.path ="),
        1 => policy(version).replace("request.path", "request.pth"),
        _ => policy(version).replace("\"allow\"", "\"alow\""),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_fails_while_policies_are_replaced() {
    let service = Service::start(&policy(0)).await;
    let (ends, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let newest = Arc::new(AtomicU64::new(0));
    let mut clients = Vec::new();
    for _ in 0..8 {
        let mut client = service.client().await;
        let (ends, asked, newest) = (Arc::clone(&ends), Arc::clone(&asked), Arc::clone(&newest));
        clients.push(tokio::spawn(async move {
            let mut last = 0;
            while !ends.load(Ordering::Relaxed) {
                let response = check(&mut client, message("GET", "/", &[])).await;
                assert_eq!(status(&response), ALLOWED);
                let Some(HttpResponse::OkResponse(ok)) = response.http_response else { panic!("no answer") };
                let header = ok.headers[0].header.as_ref().expect("a header");
                let version: u64 = header.value.parse().expect("a version");
                assert!(version >= last && version <= newest.load(Ordering::SeqCst), "{last}, {version}");
                assert!(version == 0 || !version.is_multiple_of(BROKEN), "{version} is broken");
                last = version;
                asked.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    let (loaded, rejected) = (
        "hclvm_authorization_reloads_total{kind=\"loaded\"}",
        "hclvm_authorization_reloads_total{kind=\"rejected\"}",
    );
    for version in 1..=RELOADS {
        newest.store(version, Ordering::SeqCst);
        let is_broken = version % BROKEN == 0;
        let text = if is_broken { broken(version) } else { policy(version) };
        fs::write(service.policy_file(), text).expect("it is written");
        let broken = version / BROKEN;
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let (metric, wanted) =
            if is_broken { (rejected, broken as f64) } else { (loaded, (version - broken) as f64) };
        service.wait_for(metric, wanted).await;
        assert_eq!(
            service.metric("hclvm_authorization_policy_rejected").await,
            f64::from(u8::from(is_broken))
        );
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    ends.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.expect("no request failed");
    }
    assert!(asked.load(Ordering::Relaxed) > 100);
    assert_eq!(service.metric(loaded).await, 15.0);
    assert_eq!(service.metric(rejected).await, 5.0);
    assert_eq!(service.metric("hclvm_authorization_policy_epoch").await, 15.0);
    let state = service.admin("/status").await.body;
    assert!(state.contains("\"epoch\":15") && !state.contains("\"rejected\":null"), "{state}");
    // The last good policy decides, and the files may return to it.
    fs::write(service.policy_file(), policy(RELOADS - 1)).expect("it is written");
    service.wait_for("hclvm_authorization_reloads_total{kind=\"restored\"}", 1.0).await;
    assert!(service.server.stop().await.is_drained);
}
