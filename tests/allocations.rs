//! An evaluation allocates nothing from the heap once its session has grown to its size. How much an
//! evaluation may allocate in its arena is in tests/safety/limits.rs.
//!
//! Counted are the allocations of Rust code; benches/instructions.rs counts at the C allocator, where the
//! number library allocates.

use allocation_counter::measure;
use hclvm::functions::Capabilities;
use hclvm::module::BodyValues;
use hclvm::{Body, Dialect, Engine, Scope};
use hclvm_vm::Span;
use hclvm_workloads::subject::Subject;
use serde_json::{Map, Value as Json};

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

/// Counts the attributes of a body and of all blocks in it, having looked at each value.
fn walk(body: BodyValues<'_>) -> usize {
    let known = body.attributes().filter(|(_, value)| value.is_known()).count();
    known + body.blocks().map(|block| block.labels().count() + walk(block.body())).sum::<usize>()
}

/// Adds the paths of all attributes but those that call `format`, whose text grows on the heap.
fn add_paths(body: Body<'_>, path: &str, paths: &mut Vec<String>) {
    let calls_format = |span: Span| span.slice(body.document().source().text()).contains("format(");
    for attribute in body.attributes().filter(|attribute| !calls_format(attribute.span())) {
        paths.push(format!("{path}{}", attribute.name()));
    }
    for block in body.blocks() {
        if block.kind() != "dynamic" {
            let kind = if block.kind() == "locals" { "local" } else { block.kind() };
            let labels: Vec<&str> = block.labels().flat_map(|label| ["\"", label, "\"."]).collect();
            add_paths(block.body(), &format!("{path}{kind}.{}", labels.concat()), paths);
        } else if !calls_format(block.span()) {
            paths.extend(block.labels().map(|kind| format!("{path}{kind}")));
        }
    }
}

/// Returns the heap allocations of a file of examples in each of its scopes, and the values that were read.
fn allocations_of_file(name: &str) -> (u64, usize) {
    let read = |file: &str| {
        let path = format!("{}/examples/{name}/{file}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).expect("an example")
    };
    let engine = Engine::builder().dialect(Dialect::packer(&Capabilities::none())).build();
    let document = engine.parse(name, &read(&format!("{name}.hcl"))).expect("HCL");
    let mut paths = Vec::new();
    add_paths(document.body(), "", &mut paths);
    let paths: Vec<_> = paths.iter().map(|path| path.parse().expect("a path")).collect();
    let module = document.module().and_then(|module| module.select(&paths)).expect("it compiles");
    let scopes: Vec<Map<String, Json>> = serde_json::from_str(&read("scopes.json")).expect("JSON");
    let scopes = scopes.into_iter().filter_map(|mut variables| {
        variables.remove("$name");
        let text = serde_json::to_string(&variables).expect("JSON");
        let mut scope = module.scope();
        // Values that are not known fall back to the baseline tier, which shows what it finds.
        scope.set_all_json(text.as_str()).expect("it fits");
        (!text.contains("$unknown")).then_some(scope)
    });
    let scopes: Vec<Scope> = scopes.collect();
    let mut session = engine.session();
    let mut round = || {
        let values = scopes.iter().map(|scope| {
            let values = module.evaluate(&mut session, scope).expect("it is within the limits");
            assert!(values.diagnostics().is_empty(), "{name}: {}", values.diagnostics());
            let locals = values.locals().filter(|(_, value)| value.is_known()).count();
            locals + walk(values.body())
        });
        values.sum::<usize>()
    };
    round();
    round();
    let mut read = 0;
    let counted = measure(|| read = round());
    (counted.count_total, read)
}

#[test]
fn whole_files_and_the_reading_of_their_values_allocate_nothing() {
    for (name, least) in [("authz", 60), ("game", 60), ("job", 30)] {
        let (count, read) = allocations_of_file(name);
        assert_eq!(count, 0, "{name}");
        assert!(read > least, "{name}: only {read} values are read");
    }
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
