//! `startswith` of an unknown text is decided by the prefix that is known.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::{Engine, Layout, functions};

#[test]
fn startswith_is_decided_by_a_known_prefix() {
    let engine = Engine::builder().functions(functions::opentofu()).build();
    let layout = Arc::new(Layout::new(["s"]));
    let mut scope = engine.scope(&layout);
    scope.set_unknown("s");
    // The last character before an unknown part may combine with what follows, so it is not known.
    for (prefix, expected) in [
        ("", Some(true)),
        ("ab", Some(true)),
        ("ab-", Some(true)),
        ("ac", Some(false)),
        ("x", Some(false)),
        ("abc", Some(false)),
        ("ab-c", None),
    ] {
        let program =
            engine.compile(&format!("startswith(\"ab-${{s}}\", {prefix:?})"), &layout).expect("HCL");
        for tier in [Tier::Best, Tier::Baseline] {
            let mut session = engine.session();
            session.set_tier(tier);
            let found = session.run(&program, &scope).expect("no error");
            assert_eq!((found.as_bool(), found.is_known()), (expected, expected.is_some()), "{prefix:?}");
        }
    }
}
