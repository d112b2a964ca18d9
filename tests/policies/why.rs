//! What conditions were, and why results are what they are: outcomes added up, and explanations.

use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, Scope};

mod blocks;
mod branches;
mod coverage;
mod data;
mod decisions;
mod explanations;
mod limits;
mod nearest;

/// Sets the variables of a text. `s` is marked; `later` is unknown.
fn set(scope: &mut Scope, values: &str) {
    let document = Engine::new().parse("scope.hcl", values).expect("it parses");
    let mut session = document.engine().session();
    let empty = document.scope();
    for attribute in document.body().attributes() {
        let program = attribute.program().expect("it compiles");
        let value = session.run(&program, &empty).expect("it evaluates");
        let arena = Arena::new();
        let marks = if attribute.name() == "s" { &["sensitive"][..] } else { &[] };
        let value = value.with_marks(&arena, marks_from(&arena, marks));
        scope.set_value(attribute.name(), value).expect("a variable");
    }
    if scope.has("later") {
        scope.set_unknown("later");
    }
}
