//! Values that have to be fetched: a policy shows what it reads, and only that is awaited before it runs.
//!
//! `cargo run --example async_fetch`
//!
//! Programs run without waiting for anything, so a host fetches ahead: it runs the policy with what it has and
//! everything else unknown, and if that does not decide, it fetches what `referenced_paths` names, all at once.
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::time::Duration;

use hclvm::analysis::Need;
use hclvm::{Engine, Error, Program, Scope, Session};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const POLICY: &str = r#"
  allow = request.method == "GET" && (request.public || contains(account.groups, "ops") && !tenant.locked)
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let engine = Engine::new();
    let document = engine.parse("policy.hcl", POLICY)?;
    let allow = document.attribute("allow").expect("the policy defines it").program()?;
    let (mut session, mut scope) = (engine.session(), document.scope());
    for request in [
        json!({ "method": "PUT", "public": false }),
        json!({ "method": "GET", "public": true }),
        json!({ "method": "GET", "public": false }),
    ] {
        scope.set("request", &request)?;
        println!("{request}: {}", decide(&mut session, &allow, &mut scope).await?);
    }
    Ok(())
}

/// Runs the policy for a scope that has the request. Fetches the other variables only if they decide.
async fn decide(session: &mut Session, allow: &Program, scope: &mut Scope) -> Result<bool, Error> {
    let others: Vec<(String, Need)> =
        allow.referenced_paths().into_iter().map(|(name, need)| (name.to_string(), need)).collect();
    let others = others.into_iter().filter(|(name, _)| name != "request");
    let mut fetches = JoinSet::new();
    for (name, need) in others {
        scope.set_unknown(&name);
        fetches.spawn(async move {
            let value = fetch(&name, &need).await;
            (name, value)
        });
    }
    // Nothing is fetched before the first `await`, and dropping the set cancels it.
    if let Some(allowed) = session.run(allow, scope)?.as_bool() {
        return Ok(allowed);
    }
    while let Some(fetched) = fetches.join_next().await {
        let (name, value) = fetched.expect("a fetch does not panic");
        scope.set(&name, &value)?;
    }
    Ok(session.run(allow, scope)?.as_bool() == Some(true))
}

/// A query to a service, which is asked for the attributes that the policy reads.
async fn fetch(name: &str, need: &Need) -> Value {
    let attributes: Vec<&str> = need.names().map(|name| name.as_str()).collect();
    println!("  fetching {name}: {}", attributes.join(", "));
    tokio::time::sleep(Duration::from_millis(10)).await;
    match name {
        "account" => json!({ "groups": ["dev", "ops"] }),
        _ => json!({ "locked": false }),
    }
}
