//! Evaluates an expression or template three ways: on the fast tier, on the baseline tier, and with the
//! tree-walker. All that stay within the limits give equal values and diagnostics.
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
        assert_eq!(best, full, "the fast tier and the baseline tier of {text:?}");
        if let Some(walked) = walked(world, functions, text, is_template) {
            assert_eq!(full, walked, "the baseline tier and the tree-walker of {text:?}");
        }
    });
});
