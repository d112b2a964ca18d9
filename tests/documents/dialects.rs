//! Dialects differ in whether one operand of `&&` and `||` may decide alone.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::{Dialect, Engine, Layout};

/// Returns the result of a condition over `o`, an object without attributes, and `t` and `f`, which are
/// true and false; `None` if there are errors.
fn evaluated(short_circuit: bool, tier: Tier, condition: &str) -> Option<bool> {
    let engine = Engine::builder().dialect(Dialect { short_circuit, ..Dialect::standard() }).build();
    let layout = Arc::new(Layout::new(["o", "t", "f"]));
    let program = engine.compile(condition, &layout).expect("it compiles");
    let mut scope = engine.scope(&layout);
    scope.set_json("o", "{}").expect("it is JSON");
    scope.set("t", &true).expect("it fits");
    scope.set("f", &false).expect("it fits");
    let mut session = engine.session();
    session.set_tier(tier);
    let evaluation = session.evaluate(&program, &scope).expect("no limit is exceeded");
    if evaluation.diagnostics.is_empty() { evaluation.value.as_bool() } else { None }
}

#[test]
fn an_operand_decides_alone_only_in_dialects_with_short_circuits() {
    for (condition, alone) in [
        ("f && o.a == 1", false),
        ("t || o.a == 1", true),
        ("f && 0 / (t ? 0 : 1) > 1", false),
        ("t || 0 / (t ? 0 : 1) > 1", true),
        ("!(f && o.a == 1)", true),
        ("(f && o.a == 1) ? t : f", false),
        ("(t || o.a == 1) && t", true),
    ] {
        for tier in [Tier::Baseline, Tier::Best] {
            assert_eq!(evaluated(true, tier, condition), Some(alone), "{condition} {tier:?}");
            assert_eq!(evaluated(false, tier, condition), None, "{condition} {tier:?}");
        }
    }
}

#[test]
fn the_other_operand_decides_in_every_dialect() {
    for (condition, result) in [
        ("t && f", false),
        ("t && t", true),
        ("f || t", true),
        ("f || f", false),
        ("f && t", false),
        ("t || f", true),
    ] {
        for tier in [Tier::Baseline, Tier::Best] {
            for short_circuit in [true, false] {
                let found = evaluated(short_circuit, tier, condition);
                assert_eq!(found, Some(result), "{condition} {tier:?} {short_circuit}");
            }
        }
    }
}
