//! A policy evaluated before everything is known: results that are decided already, what the others still need, and
//! the policy that remains.
//!
//! `cargo run --example partial`
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use hclvm::{Engine, Error};

const POLICY: &str = r#"
locals {
  limit = tenant.plan == "pro" ? 1000 : 10
}
read  = request.method == "GET" || user.role == "admin"
write = user.role == "admin" && request.size <= local.limit
quota = "at most ${local.limit}"
"#;

fn main() -> Result<(), Error> {
    let engine = Engine::new();
    let module = engine.parse("policy.hcl", POLICY)?.module()?;
    let mut session = engine.session();

    // The request has arrived, the user is still looked up.
    let mut scope = module.scope();
    scope.set_json("tenant", r#"{"plan": "pro"}"#)?;
    scope.set_json("request", r#"{"method": "GET", "size": 7}"#)?;
    scope.set_unknown("user");
    let values = module.evaluate(&mut session, &scope)?;
    for (name, value) in values.body().attributes() {
        if value.is_known() {
            println!("{name} is decided: {value}");
            continue;
        }
        let attribute = module.document().attribute(name).expect("it has a value");
        let unknown = attribute.program()?;
        let waits = unknown.referenced_paths().into_keys().filter(|name| name == "user");
        println!("{name} waits for {}", waits.collect::<Vec<_>>().join(", "));
    }

    // What is known for all requests of a tenant is folded into a policy of its own.
    let mut known = module.scope();
    known.set_json("tenant", r#"{"plan": "pro"}"#)?;
    print!("{}", module.specialize(&known)?.residual()?);
    Ok(())
}
