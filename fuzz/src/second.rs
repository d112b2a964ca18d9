//! Evaluates with the tree-walker, for comparison with the machine.

use hclvm::{Diagnostic, Undefined, Value};
use hclvm_compiler::locate::locate;
use hclvm_compiler::lower::Environment;
use hclvm_compiler::source::decode;
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression, parse_template};
use hclvm_treewalk::Walker;
use hclvm_vm::{Arena, FunctionTable, Limits as RunLimits, Names};

use crate::world::limits;
use crate::{Outcome, World, describe};

/// Evaluates a text without syntax errors with the tree-walker.
pub fn walked(world: &World, functions: &FunctionTable, text: &str, is_template: bool) -> Outcome {
    let text = decode(text.as_bytes());
    let parsed = if is_template {
        parse_template(&text, &ParseLimits::default())
    } else {
        parse_expression(&text, &ParseLimits::default())
    };
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let environment = Environment {
        layout: Some(&world.layout),
        functions: Some(functions),
        undefined: Undefined::Error,
        short_circuit: true,
        names: &Names::default(),
        source: &text.text,
    };
    let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
    let limits = limits();
    let arena = Arena::with_limits(RunLimits {
        fuel: 10 * limits.fuel,
        arena_bytes: limits.arena_bytes,
        digits: limits.digits,
        text_bytes: limits.text_bytes,
        faults: limits.diagnostics,
        value_depth: limits.value_depth,
        call_depth: limits.call_depth,
    });
    let names = world.layout.names().iter();
    let values: Vec<Value<'_>> = names.map(|name| world.scope.get(name).unwrap_or(Value::UNSET)).collect();
    let result = walker.run(&values, &arena);
    if result.exhausted.is_some() || result.faults.len() > limits.diagnostics {
        return None;
    }
    let faults: Vec<Diagnostic> = result
        .faults
        .iter()
        .map(|record| {
            let (subject, _) = locate(&parsed.tree, NodeId(record.node), record.place);
            Diagnostic::error(record.fault.title(), record.fault.detail(), subject)
        })
        .collect();
    Some(describe(result.value, &faults))
}
