//! Instructions that a large file takes to parse and to prepare as a module, and to load as one that was saved,
//! counted by valgrind, with budgets; and those that `check` takes for texts that are made to be slow.
//!
//! The text comes from `hclvm_workloads::policy`: 10,000 rules and 2,000 locals. Evaluations are counted in
//! `benches/instructions.rs`.
//!
//! `cargo bench --bench large_files`

#![allow(missing_docs, unreachable_pub, reason = "gungraun makes public items without documentation")]

use std::hint::black_box;

use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind, LibraryBenchmarkConfig, OutputFormat};
use hclvm::check::Declared;
use hclvm::functions::Capabilities;
use hclvm::lint::Lints;
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

/// Bytes of each hostile text.
const HOSTILE: usize = 100_000;

/// Returns a text that repeats `part`. `check` visits such texts in linear time: whatever is quadratic in one of
/// them takes more than ten times the budget.
fn repeated(before: &str, part: &str, after: &str) -> (Engine, String) {
    let (engine, _) = policies();
    (engine, format!("{before}{}{after}\n", part.repeat(HOSTILE / part.len())))
}

fn nested_loops() -> (Engine, String) {
    let list = "y,".repeat(HOSTILE / 2);
    let (engine, _) = policies();
    (engine, format!("a = {}[{list}]{}\n", "[for a in x: ".repeat(100), "]".repeat(100)))
}

// Parsing, `check` and the lints take about 3,000 instructions a byte at most.
#[library_benchmark(config = budget(1_000))]
#[bench::comparisons(repeated("a = \"a\"", " < \"b\"", ""))]
#[bench::equalities(repeated("a = 1", " == \"1\"", ""))]
#[bench::connectives(repeated("a = x", " && x == \"a\"", ""))]
#[bench::conditionals(repeated("a = [", "c ? x : x, ", "]"))]
#[bench::directives(repeated("a = \"", "{% if ", "\""))]
#[bench::dates(repeated("a = [", "2024-01-31, ", "]"))]
#[bench::fallbacks(repeated("a = [", "try(local.x.y, 1), ", "]\nlocals {\n z = 1\n}"))]
#[bench::allowed(repeated("# hclvm:allow ", "quotednumber,", ""))]
#[bench::loops(nested_loops())]
fn check((engine, text): (Engine, String)) -> (Engine, usize) {
    let document = engine.parse("hostile.hcl", black_box(&text)).expect("HCL");
    let errors = document.check(&Declared::default()).into_iter().count();
    let warnings = document.lints(&Lints::default()).into_iter().count();
    (engine, errors + warnings)
}

library_benchmark_group!(name = large, benchmarks = [parse, module, load, check]);

main!(
    config =
        LibraryBenchmarkConfig::default().output_format(OutputFormat::default().truncate_description(None)),
    library_benchmark_groups = large
);
