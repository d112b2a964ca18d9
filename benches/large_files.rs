//! Instructions that a large file takes to parse and to prepare as a module, and to load as one that was saved,
//! counted by valgrind, with budgets.
//!
//! The text is that of `hclvm_workloads::policy`: 10,000 rules and 2,000 locals. Evaluations are counted in
//! `benches/instructions.rs`.
//!
//! `cargo bench --bench large_files`

#![allow(missing_docs, unreachable_pub, reason = "gungraun makes public items without documentation")]

use std::hint::black_box;

use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind, LibraryBenchmarkConfig, OutputFormat};
use hclvm::functions::Capabilities;
use hclvm::{Dialect, Document, Engine, Module};
use hclvm_workloads::policy;

/// Returns a configuration that fails above a number of million instructions.
fn budget(millions: u64) -> LibraryBenchmarkConfig {
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(Callgrind::default().hard_limits([(EventKind::Ir, millions * 1_000_000)]));
    config
}

fn policies() -> (Engine, String) {
    let engine = Engine::builder().dialect(Dialect::packer(&Capabilities::none())).build();
    (engine, policy::text(policy::RULES, policy::LOCALS))
}

fn parsed() -> Document {
    let (engine, text) = policies();
    engine.parse("policies.hcl", &text).expect("HCL")
}

fn saved() -> (Engine, Vec<u8>) {
    let (engine, text) = policies();
    let bytes = engine.parse("policies.hcl", &text).and_then(|document| document.save_module()).expect("HCL");
    (engine, bytes)
}

// The budgets are a few percent above the present counts.
#[library_benchmark]
#[bench::policies(setup = policies, config = budget(82))]
fn parse((engine, text): (Engine, String)) -> (Engine, Document) {
    let document = engine.parse("policies.hcl", black_box(&text)).expect("HCL");
    (engine, document)
}

#[library_benchmark]
#[bench::policies(setup = parsed, config = budget(257))]
fn module(document: Document) -> (Module, Document) {
    (black_box(&document).module().expect("it compiles"), document)
}

#[library_benchmark]
#[bench::policies(setup = saved, config = budget(122))]
fn load((engine, bytes): (Engine, Vec<u8>)) -> (Engine, Vec<u8>, Module) {
    let module = engine.load(black_box(&bytes)).expect("it is valid").module().expect("it was compiled");
    (engine, bytes, module)
}

library_benchmark_group!(name = large, benchmarks = [parse, module, load]);

main!(
    config =
        LibraryBenchmarkConfig::default().output_format(OutputFormat::default().truncate_description(None)),
    library_benchmark_groups = large
);
