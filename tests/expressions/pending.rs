//! Dynamic blocks of a module whose collection is unknown are pending.

use hclvm::Engine;

#[test]
fn labelled_blocks_from_an_unknown_collection_are_pending_without_a_fault() {
    let text = "dynamic \"group\" {\n for_each = groups\n labels = [group.key]\n content {\n  size = group.value\n }\n}\n";
    let engine = Engine::standard();
    let module = engine.parse("job.hcl", text).and_then(|document| document.module()).expect("a module");
    let mut scope = module.scope();
    scope.set_unknown("groups");
    let mut session = engine.session();
    let values = module.evaluate(&mut session, &scope).expect("within the limits");
    assert!(values.diagnostics().is_empty(), "{}", values.diagnostics());
    let blocks: Vec<_> =
        values.body().blocks().map(|block| (block.kind(), block.pending().is_some())).collect();
    assert_eq!(blocks, [("group", true)]);
}
