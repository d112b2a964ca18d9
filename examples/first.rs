//! One policy, parsed once and evaluated for each request.
//!
//! `cargo run --example first`

use serde::Serialize;

const POLICY: &str = r#"
rule "allow-owner" {
  when = user.id == resource.owner || contains(user.roles, "admin")
}
"#;

#[derive(Serialize)]
struct User {
    id: u32,
    roles: Vec<&'static str>,
}

fn main() -> Result<(), hclvm::Error> {
    let engine = hclvm::Engine::new();
    let document = engine.parse("policy.hcl", POLICY)?; // every syntax error at once
    let rule = document.block("rule", ["allow-owner"]).expect("the policy defines this rule");
    let allow = rule.attribute("when").expect("a rule has this attribute").program()?;

    let mut session = engine.session(); // one for each thread
    let mut scope = document.projection().scope(); // copies only the fields that the document reads
    scope.set_json("resource", br#"{"owner": 17}"#)?;
    for user in
        [User { id: 17, roles: vec![] }, User { id: 18, roles: vec![] }, User { id: 1, roles: vec!["admin"] }]
    {
        scope.set("user", &user)?; // the other variables keep their values
        let allowed = session.run(&allow, &scope)?.as_bool();
        #[expect(clippy::print_stdout, reason = "an example prints its results")]
        {
            println!("user {:>2}: {}", user.id, if allowed == Some(true) { "allowed" } else { "denied" });
        }
    }
    Ok(())
}
