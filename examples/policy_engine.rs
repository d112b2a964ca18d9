//! A policy engine: examples/authz decides many requests. Only the user and the request change.
//!
//! `cargo run --release --example policy_engine`
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::time::Instant;

use hclvm::functions::Capabilities;
use hclvm::policy::PolicySpec;
use hclvm::{Dialect, Engine, Error};
use serde_json::json;

const POLICY: &str = include_str!("authz/authz.hcl");
const REQUESTS: u32 = 10_000;

fn main() -> Result<(), Error> {
    let engine = Engine::builder().dialect(Dialect::packer(&Capabilities::none())).build();
    let module = engine.parse("authz.hcl", POLICY)?.module()?;
    let policy = module.policy(&PolicySpec::default())?;
    let mut session = engine.session();
    let mut scope = policy.projection().scope(); // copies only what the policy reads

    // Variables that all requests share are set once.
    scope.set(
        "resource",
        &json!({
            "type": "invoice", "id": "42", "tenant": "acme", "owner_id": "u-3", "labels": {}, "fields": {},
            "acl": [{"grants": [{"permission": "invoice:read", "group": "billing", "expires": null}]}],
        }),
    )?;
    scope.set(
        "env",
        &json!({"hour": 10, "now": 1700, "failed_logins": 0, "blocked_prefixes": [], "risk_limits": {}}),
    )?;

    let start = Instant::now();
    let mut allowed = 0;
    for n in 0..REQUESTS {
        let group = if n % 3 == 0 { "billing" } else { "sales" };
        scope.set(
            "user",
            &json!({"id": format!("u-{}", n % 7), "tenant": "acme", "roles": ["member"], "mfa": true,
                    "groups": [{"name": group}]}),
        )?;
        scope.set("request", &json!({"method": "GET", "path": "/api/acme/invoices/42", "ip": "10.1.2.3"}))?;
        let decision = policy.decide(&mut session, &scope)?;
        allowed += u32::from(decision.effect() == "allow");
        if n < 4 {
            let reason = decision.reason().unwrap_or("no rule applies");
            println!("user u-{} of {group:<7} {}: {reason}", n % 7, decision.effect());
        }
    }
    let each = start.elapsed() / REQUESTS;
    println!("{allowed} of {REQUESTS} requests allowed; {each:?} for each, including building its input");
    Ok(())
}
