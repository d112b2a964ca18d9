//! Time of one evaluation for each workload of `hclvm-workloads` except `compile`, which has
//! `benches/compile.rs`. Each iteration uses the next scope.
//!
//! `cargo bench --bench evaluate -- for-filter`

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use hclvm_workloads::subject::{Decision, Subject};
use hclvm_workloads::{Workload, body, requests};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for workload in Workload::ALL {
        measure(&mut criterion, workload.name());
    }
    measure(&mut criterion, "attribute-body");
    decisions(&mut criterion);
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, name: &str) {
    let mut subject = Subject::named(name).expect("it compiles").expect("it exists");
    let mut group = criterion.benchmark_group("evaluate");
    if name == "attribute-body" {
        group.throughput(Throughput::Elements(body::ATTRIBUTES as u64));
    }
    let mut turn = 0;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            turn += 1;
            subject.evaluate(turn)
        });
    });
    group.finish();
}

fn decisions(criterion: &mut Criterion) {
    let requests = requests();
    let bytes: usize = requests.iter().map(String::len).sum();
    let mut decision = Decision::new().expect("it compiles");
    let mut turns = requests.iter().cycle();
    let mut group = criterion.benchmark_group("evaluate");
    group.throughput(Throughput::Bytes((bytes / requests.len()) as u64));
    group.bench_function("json-decision", |bencher| {
        bencher.iter(|| turns.next().map(|request| decision.decide(black_box(request))));
    });
    group.finish();
}
