//! Texts with values in them, without any file of HCL: a template is compiled once and filled for each recipient.
//!
//! `cargo run --example templates_only`
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::sync::Arc;

use hclvm::syntax::Text;
use hclvm::{Engine, Error, Layout};
use serde_json::json;

const LETTER: &str = "\
Dear ${title(user.name)},
%{ if length(orders) == 0 ~}
you have no orders.
%{ else ~}
your orders:
%{ for order in orders ~}
- ${order.count} x ${order.what}, ${format(\"%.2f\", order.count * order.price)}
%{ endfor ~}
%{ endif ~}
";

fn main() -> Result<(), Error> {
    let engine = Engine::new();
    let layout = Arc::new(Layout::new(["user", "orders"]));
    let letter = engine.compile_template(Text::named("letter.tmpl", LETTER), &layout)?;

    let (mut session, mut scope) = (engine.session(), engine.scope(&layout));
    for (name, orders) in [("ann", json!([{ "what": "tea", "count": 3, "price": 4.5 }])), ("bob", json!([]))]
    {
        scope.set("user", &json!({ "name": name }))?;
        scope.set("orders", &orders)?;
        print!("{}", session.run(&letter, &scope)?.as_str().unwrap_or_default());
    }

    // A mistake is found when the template is compiled, before the first letter is written.
    let Err(error) = engine.compile_template(Text::named("letter.tmpl", "Dear ${user.name"), &layout) else {
        return Ok(());
    };
    print!("{}", error.to_diagnostics("letter.tmpl").report());
    Ok(())
}
