//! An expression or template evaluated three ways: by the fast body, by the full body, by the plain
//! evaluator. All that stay within the limits give the same value and the same diagnostics.
#![no_main]

use std::cell::RefCell;

use hclvm::functions::FunctionTable;
use hclvm_fuzz::{World, walked};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static WORLD: RefCell<(World, FunctionTable)> =
        RefCell::new((World::default(), hclvm::functions::standard()));
}

fuzz_target!(|data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let is_template = kind % 4 == 3;
    WORLD.with_borrow_mut(|(world, functions)| {
        let Some(program) = world.compile(text, is_template) else { return };
        let [best, full] = world.both(&program);
        let (Some(best), Some(full)) = (best, full) else { return };
        assert_eq!(best, full, "the fast body and the full body of {text:?}");
        if let Some(walked) = walked(world, functions, text, is_template) {
            assert_eq!(full, walked, "the full body and the plain evaluator of {text:?}");
        }
    });
});
