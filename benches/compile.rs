//! How long a text takes to become programs: W9 of `hclvm-workloads`, and its first half alone.
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
    group.bench_function("W9", |bencher| {
        bencher.iter(|| subject::compile(&engine, black_box(&text)));
    });
    group.bench_function("W9 parse only", |bencher| {
        bencher.iter(|| engine.parse("body.hcl", black_box(&text)));
    });
    group.finish();
    criterion.final_summary();
}
