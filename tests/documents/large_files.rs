//! Large files: the memory of a module grows with the number of its rules and is limited for each, and rules
//! that fall back have the results of a small file. Instructions are counted in benches/large_files.rs.

use std::num::NonZeroUsize;

use allocation_counter::measure;
use hclvm::functions::Capabilities;
use hclvm::{Dialect, Engine, Module, Value};
use hclvm_workloads::policy;

fn engine() -> Engine {
    Engine::builder().dialect(Dialect::packer(&Capabilities::none())).build()
}

fn module(engine: &Engine, text: &str) -> Module {
    engine.parse("policies.hcl", text).and_then(|document| document.module()).expect("it compiles")
}

/// Returns the bytes that a module of so many rules keeps for each of its attributes, with its text.
fn bytes(rules: usize) -> u64 {
    let locals = rules / 5;
    let text = policy::text(rules, locals);
    let mut kept = None;
    let counted = measure(|| kept = Some(module(&engine(), &text)));
    let attributes = i64::try_from(2 * rules + locals).expect("it is small");
    u64::try_from(counted.bytes_current / attributes).expect("something is kept")
}

#[test]
fn an_attribute_takes_at_most_a_kilobyte_however_many_there_are() {
    let [small, large] = [1_000, 10_000].map(bytes);
    assert!(small <= 1024 && large <= 1024, "{small} and {large} bytes");
    assert!(large <= small, "{small} bytes grow to {large}");
}

/// Returns the values of the first `rules` rules, and all diagnostics, of two evaluations.
fn evaluated(engine: &Engine, text: &str, rules: usize) -> Vec<String> {
    let module = module(engine, text);
    let mut scope = module.scope();
    // Without `resource` and `limits`, so that many rules have errors, and some of them locals.
    let variables = r#"{
        "user": {"role": "admin", "name": "Zoe", "groups": ["group-3"], "level": 40, "mfa": true, "verified": null},
        "request": {"method": "GET", "path": "/admin/7/x", "size": 70, "host": "a"},
        "service": {"name": "api", "replicas": 3, "exposed": false}, "env": "prod", "region": "north"
    }"#;
    scope.set_all_json(variables.as_bytes()).expect("it is small");
    let mut session = engine.session();
    let mut found = Vec::new();
    for _ in 0..2 {
        let values = module.evaluate(&mut session, &scope).expect("it is within the limits");
        let show = |value: Option<Value<'_>>| format!("{value:?}");
        for rule in 0..rules {
            let block = values.block("rule", [format!("r{rule}").as_str()]).expect("it is there");
            found.push(show(block.attribute("when")) + &show(block.attribute("reason")));
        }
        found.push(values.diagnostics().to_string());
    }
    found
}

#[test]
fn code_that_is_not_kept_is_compiled_again_for_rules_that_fall_back() {
    let small = policy::text(200, 60);
    // No more code is kept in a file of this many attributes.
    let large = (0..1_000).fold(small.clone(), |text, at| text + &format!("further_{at} = {at}\n"));
    let [small, large] = [small, large].map(|text| evaluated(&engine(), &text, 200));
    assert_eq!(small, large);
    assert!(small[200].contains("resource"), "{}", small[200]);
}

#[test]
fn the_number_of_threads_changes_no_result() {
    let text = policy::text(700, 140);
    let with = |threads| {
        let engine = Engine::builder().dialect(Dialect::packer(&Capabilities::none()));
        let engine = engine.compile_threads(NonZeroUsize::new(threads).expect("it is not 0")).build();
        evaluated(&engine, &text, 700)
    };
    let one = with(1);
    for threads in [2, 7] {
        assert_eq!(one, with(threads), "{threads} threads");
    }
}
