//! The instructions that an expression is compiled to, with the source of each.
//!
//! `cargo run --example listing -- 'a.b > 3 ? upper(c) : "none"'`
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use hclvm::{Engine, Error, Layout};

fn main() -> Result<(), Error> {
    let given = std::env::args().nth(1);
    let text = given.unwrap_or_else(|| r#"user.age >= 18 ? upper(user.name) : "minor""#.to_owned());
    let layout = Arc::new(Layout::new(["user", "a", "b", "c"]));
    let program = Engine::new().compile(&text, &layout)?;
    for line in program.listing()? {
        let source = program.node_span(line.node).slice(&text);
        println!("{:>3}  {:<12} {:<40} {source}", line.at, line.name, line.operands);
    }
    println!("reads {:?}", program.referenced_paths());
    println!("calls {:?}", program.required_functions());
    Ok(())
}
