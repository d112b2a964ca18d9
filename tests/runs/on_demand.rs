//! The baseline code of a program is compiled when it is first needed, without visible effects.

use std::sync::Arc;
use std::thread;

use hclvm::{Engine, Limits};

#[test]
fn threads_that_need_the_baseline_code_at_once_share_it() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "a = user.name == \"ann\" || user.nope").expect("HCL");
    let program = document.attribute("a").expect("it is there").program().expect("it compiles");
    let told = |engine: &Engine| {
        let mut scope = document.scope();
        scope.set("user", &serde_json::json!({ "name": "bob" })).expect("a value");
        engine.session().run(&program, &scope).expect_err("no such attribute").to_string()
    };
    let all: Vec<String> = thread::scope(|threads| {
        let running: Vec<_> = (0..8).map(|_| threads.spawn(|| told(&engine))).collect();
        running.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    assert!(all[0].starts_with("x.hcl:1:31:"), "{}", all[0]);
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
}

#[test]
fn the_baseline_code_is_compiled_from_any_document_with_the_text() {
    let engine = Engine::standard();
    let first = engine.parse("first.hcl", "a = 1\nb = max(user.x, 2)").expect("HCL");
    let kept = first.attribute("b").expect("it is there").program().expect("it compiles");
    drop(first);
    let second = engine.parse("second.hcl", "b = max(user.x, 2)").expect("HCL");
    let shared = second.attribute("b").expect("it is there").program().expect("it compiles");
    let listed = |program: &hclvm::Program| -> Vec<String> {
        program
            .listing()
            .expect("it is small")
            .map(|line| format!("{} {} {}", line.name, line.operands, line.node))
            .collect()
    };
    let mut scope = second.scope();
    scope.set("user", &serde_json::json!({})).expect("a value");
    let error = engine.session().run(&shared, &scope).expect_err("no such attribute").to_string();
    assert!(error.starts_with("second.hcl:1:13:"), "{error}");
    let error = engine.session().run(&kept, &scope).expect_err("no such attribute").to_string();
    assert!(error.starts_with("first.hcl:2:13:"), "{error}");
    assert_eq!(listed(&kept), listed(&shared));
}

#[test]
fn an_expression_that_is_too_large_is_rejected_when_compiled() {
    // Its fast code needs one register, its baseline code several for each level.
    let levels = 25_000;
    let compile = move || {
        let mut limits = Limits::trusted();
        limits.nesting = u32::MAX;
        let engine = Engine::builder().limits(limits).build();
        let text = format!("{}0", "a ? 1 : ".repeat(levels));
        let layout = Arc::new(hclvm::Layout::new(["a"]));
        engine.compile(&text, &layout).expect_err("too many registers").to_string()
    };
    let thread = thread::Builder::new().stack_size(2 << 30).spawn(compile).expect("a thread");
    let error = thread.join().expect("it ends");
    assert!(error.contains("Expression too large"), "{error}");
}
