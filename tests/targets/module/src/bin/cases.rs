//! Traps unless all cases hold.

fn main() {
    assert!(hclvm_target_module::check_cases().is_ok(), "all cases hold");
}
