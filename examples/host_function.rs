//! Host functions in a policy: closures over Rust types.
//!
//! `cargo run --example host_function`

use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use hclvm::host::{Optional, Rest};
use hclvm::{Engine, function, functions};

const POLICY: &str = r#"
  local  = address(request.from, "127.0.0.1", "::1")
  ticket = ticket("req")
  reason = local ? "from this machine" : "from ${request.from}"
  broken = address("somewhere")
"#;

fn main() -> Result<(), hclvm::Error> {
    let mut table = functions::all(&functions::Capabilities::none());
    // Parameters are converted and checked; errors are reported at the call in the policy.
    table.insert(
        "address",
        function("address", ["text", "among"], |text: &str, Rest(among): Rest<&str>| {
            let address: IpAddr = text.parse().map_err(|_| format!("{text} is not an IP address"))?;
            Ok::<bool, String>(among.iter().any(|other| other.parse() == Ok(address)))
        }),
    );
    // Declared impure, because each call has another result: it is never called at compile time.
    let next = AtomicU32::new(1);
    let ticket = function("ticket", ["prefix", "digits"], move |prefix: &str, digits: Optional<u8>| {
        let digits = usize::from(digits.0.unwrap_or(4));
        format!("{prefix}-{:0digits$}", next.fetch_add(1, Ordering::Relaxed))
    });
    table.insert("ticket", ticket.impure());

    let engine = Engine::builder().functions(table).build();
    let document = engine.parse("policy.hcl", POLICY)?;
    let (mut session, mut scope) = (engine.session(), document.scope());
    scope.set_json("request", br#"{"from": "127.0.0.1"}"#)?;
    scope.set("local", &true)?;
    for name in ["local", "ticket", "ticket", "reason", "broken"] {
        let program = document.attribute(name).expect("the policy defines it").program()?;
        #[expect(clippy::print_stdout, reason = "an example prints its results")]
        match session.run(&program, &scope) {
            Ok(value) => println!("{name} = {value:?}"),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}
