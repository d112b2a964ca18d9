//! Time to turn a text into programs: the workload `compile` of `hclvm-workloads`, and its parsing
//! alone. `benches/evaluate.rs` measures running them.
//!
//! `cargo bench --bench compile`

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use hclvm::Engine;
use hclvm_workloads::{body, subject};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let text = body::text();
    let mut group = criterion.benchmark_group("compile");
    group.throughput(Throughput::Bytes(text.len() as u64));
    let engine = Engine::standard();
    group.bench_function("parse-and-compile", |bencher| {
        bencher.iter(|| subject::compile(&engine, black_box(&text)));
    });
    group.bench_function("parse-only", |bencher| {
        bencher.iter(|| engine.parse("body.hcl", black_box(&text)));
    });
    group.finish();
    criterion.final_summary();
}
