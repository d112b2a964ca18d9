//! A rule that applies and whose effect or obligations fail: the request is denied, whatever other rules say.

mod support;

use hclvm_authorization::{Combining, Settings};
use support::{ALLOWED, Service, check, message, status};

/// The answer to a request that cannot be decided.
const UNDECIDED: (i32, i32) = (7, 429);

/// Returns the answers to a request with and without the header that a rule reads.
async fn answers(policy: &str, combining: Combining) -> [(i32, i32); 2] {
    let settings = Settings { combining, fault_status: 429, ..Settings::default() };
    let service = Service::start_with(policy, settings).await;
    let mut client = service.client().await;
    let with = status(&check(&mut client, message("GET", "/admin", &[("x-risk", "low")])).await);
    [with, status(&check(&mut client, message("GET", "/admin", &[])).await)]
}

const USERS: &str = "rule \"users\" {\n  when   = request.method == \"GET\"\n  effect = \"allow\"\n}\n";

#[tokio::test]
async fn an_effect_that_fails_overrides_what_allows() {
    for effect in [
        "request.headers.x-risk == \"low\" ? \"allow\" : \"deny\"",
        "{ low = \"allow\" }[request.headers.x-risk]",
        "try(request.headers.x-risk, null) == null ? null : \"allow\"",
    ] {
        let risk =
            format!("rule \"risk\" {{\n  when   = request.path == \"/admin\"\n  effect = {effect}\n}}\n");
        for policy in [format!("{USERS}{risk}"), format!("{risk}{USERS}")] {
            let answers = answers(&policy, Combining::DenyOverrides).await;
            assert_eq!(answers, [ALLOWED, UNDECIDED], "{policy}");
        }
    }
}

#[tokio::test]
async fn obligations_that_fail_allow_nothing() {
    let policy = "rule \"a\" {\n  when        = true\n  effect      = \"allow\"\n\
                  obligations = { risk = request.headers.x-risk }\n}\n";
    for combining in [Combining::First, Combining::DenyOverrides] {
        assert_eq!(answers(policy, combining).await, [ALLOWED, UNDECIDED], "{combining:?}");
    }
}
