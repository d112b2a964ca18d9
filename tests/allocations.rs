//! An evaluation allocates nothing from the heap once its session has grown to its size. How much an
//! evaluation may allocate in its arena is in tests/limits.rs.
//!
//! Counted are the allocations of Rust code; benches/instructions.rs counts at the C allocator, where the
//! number library allocates.

use allocation_counter::measure;
use hclvm_workloads::subject::Subject;

/// Evaluations that use each scope twice.
const ROUND: usize = 128;

/// Returns the heap allocations of `turns` evaluations, after `ROUND` evaluations that are not counted.
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
    let names = [
        "policy-condition",
        "arithmetic",
        "fractions",
        "for-filter",
        "object-for",
        "splat",
        "template",
        "switch",
        "attribute-body",
    ];
    let counts = names.map(|name| (name, allocations(name, ROUND)));
    assert_eq!(counts, names.map(|name| (name, 0)));
}

#[test]
fn the_counter_counts() {
    assert_eq!(measure(|| drop(std::hint::black_box(Box::new(1)))).count_total, 1);
}

#[test]
fn faults_about_values_of_many_paths_stay_within_the_memory_limit() {
    // Objects with shared parts: small in memory, but their types are written out path by path.
    let doubled: String = (1..24).fold(String::new(), |text, at| {
        let inner = at - 1;
        text + &format!("[for x{at} in [{{a = x{inner}, b = x{inner}}}] : ")
    });
    let end = "]".repeat(23);
    let engine = hclvm::Engine::standard();
    let layout = std::sync::Arc::new(hclvm::Layout::new(["x0"]));
    let mut scope = engine.scope(&layout);
    scope.set("x0", &1).expect("it is a number");
    for use_of_it in ["x23 + 1", "x23 > 1", "\"a${x23}\"", "abs(x23)", "x23 == 5 ? x23 : [1, x23]"] {
        let program = engine.compile(&format!("{doubled}{use_of_it}{end}"), &layout).expect(use_of_it);
        let taken = measure(|| {
            assert!(
                engine.session().run(&program, &scope).is_err_and(|error| error.is_limit()),
                "{use_of_it}"
            );
        });
        // Chunks double in size, so the last may be mostly unused.
        assert!(taken.bytes_max < 320 << 20, "{use_of_it} took {} bytes", taken.bytes_max);
    }
}
