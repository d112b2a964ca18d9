//! An evaluation takes no memory from the heap once its session has grown to its size.
//!
//! What the number library takes for itself is not seen here; of the workloads, only W2b makes
//! numbers for which it is asked.

use allocation_counter::measure;
use hclvm_workloads::subject::Subject;

/// Turns that visit each scope twice.
const ROUND: usize = 128;

/// Heap allocations of `turns` evaluations after as many as `ROUND` that were not counted.
fn allocations(name: &str, turns: usize) -> u64 {
    let mut subject = Subject::named(name).expect("it compiles").expect("it exists");
    let mut run = |turns: usize| {
        for turn in 0..turns {
            subject.evaluate(turn).expect("it evaluates");
        }
    };
    run(ROUND);
    measure(|| run(turns)).count_total
}

#[test]
fn evaluations_allocate_nothing() {
    let names = ["W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"];
    let counts = names.map(|name| (name, allocations(name, ROUND)));
    assert_eq!(counts, names.map(|name| (name, 0)));
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(std::hint::black_box(Box::new(1)))).count_total, 1);
}
