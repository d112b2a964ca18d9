//! How long a whole evaluation of the configurations in examples/ takes: locals, every attribute,
//! dynamic blocks. Beside it the same by the plain evaluator of trees, whose values are compared
//! first.
//!
//! `cargo bench --bench applications`

#[path = "applications/walked.rs"]
mod walked;

use std::hint::black_box;

use criterion::Criterion;
use hclvm::functions::{Capabilities, packer};
use hclvm::{Arena, BlockResult, BodyResult, Dialect, Engine, Json, Module, Scope, Value};
use hclvm_vm::limits::Limits;
use serde_json::{Map, Value as Tree};

use walked::Walked;

type Failure = Box<dyn std::error::Error>;

const APPLICATIONS: [(&str, &str, &str); 2] = [
    ("authz", include_str!("../examples/authz/authz.hcl"), include_str!("../examples/authz/scopes.json")),
    ("game", include_str!("../examples/game/game.hcl"), include_str!("../examples/game/scopes.json")),
];

fn main() -> Result<(), Failure> {
    let mut criterion = Criterion::default().configure_from_args();
    for (name, text, scopes) in APPLICATIONS {
        measure(&mut criterion, name, text, scopes)?;
    }
    criterion.final_summary();
    Ok(())
}

fn measure(criterion: &mut Criterion, name: &str, text: &str, scopes: &str) -> Result<(), Failure> {
    let capabilities = Capabilities::none();
    let engine = Engine::builder().dialect(Dialect::packer(&capabilities)).build();
    let module = engine.parse(name, text)?.module()?;
    let scopes = known_scopes(&module, scopes)?;
    let functions = packer(&capabilities);
    let walked = Walked::new(text, &module, &functions)?;
    let slots: Vec<Vec<Value<'_>>> = scopes.iter().map(|scope| walked.slots(scope)).collect();
    let mut session = engine.session();
    for (scope, slots) in scopes.iter().zip(&slots) {
        let arena = Arena::with_limits(Limits::default());
        let result = module.evaluate(&mut session, scope)?;
        assert!(result.diagnostics.is_empty(), "{name} has no problems");
        assert_eq!(shown(&walked.evaluate(slots, &arena))?, shown(&flat(&result.body))?, "{name}");
    }

    let mut group = criterion.benchmark_group(name);
    let mut turns = scopes.iter().cycle();
    group.bench_function("hclvm", |bencher| {
        bencher.iter(|| {
            let scope = turns.next()?;
            let result = module.evaluate(&mut session, scope);
            Some(black_box(result).is_ok())
        });
    });
    let mut turns = slots.iter().cycle();
    let mut arena = Arena::with_limits(Limits::default());
    group.bench_function("tree-walker", |bencher| {
        bencher.iter(|| {
            arena.reset();
            let slots = turns.next()?;
            Some(black_box(walked.evaluate(slots, &arena)).len())
        });
    });
    group.finish();
    Ok(())
}

/// The scopes in which everything is known: the plain evaluator's way through a document knows no
/// others.
fn known_scopes(module: &Module, texts: &str) -> Result<Vec<Scope>, Failure> {
    let all: Vec<Map<String, Tree>> = serde_json::from_str(texts)?;
    let mut scopes = Vec::new();
    for mut variables in all {
        variables.remove("$name");
        let text = serde_json::to_string(&variables)?;
        if !text.contains("\"$unknown\"") {
            let mut scope = module.scope();
            scope.set_all_json(text.as_bytes())?;
            scopes.push(scope);
        }
    }
    Ok(scopes)
}

/// The values of all attributes, those of a body before those of its blocks.
fn flat<'a>(body: &BodyResult<'a>) -> Vec<Value<'a>> {
    let mut values: Vec<Value<'a>> = body.attributes.iter().map(|attribute| attribute.1).collect();
    for block in &body.blocks {
        if let BlockResult::Block { body, .. } = block {
            values.extend(flat(body));
        }
    }
    values
}

fn shown(values: &[Value<'_>]) -> Result<Vec<String>, Failure> {
    values.iter().map(|value| Ok(serde_json::to_string(&Json(*value))?)).collect()
}
