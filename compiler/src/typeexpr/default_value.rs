//! Evaluation of a default, which may use neither variables nor functions.
//!
//! Applying defaults to values is in [`super::defaults`].

use hclvm_vm::{Arena, Names, Value, copy, exec};

use super::problem::{self, TypeProblem};
use crate::lower::{Context, Environment, Scratch, Undefined, lower_baseline};
use crate::syntax::tree::{NodeId, Tree};

/// Returns the value of the expression `node`, allocated in `arena`. It is evaluated in `scratch`, which
/// has limits of its own: a default can loop over the collections that it builds.
pub(super) fn evaluate<'a>(
    tree: &Tree,
    node: NodeId,
    scratch: &Arena,
    arena: &'a Arena,
) -> Result<Value<'a>, Vec<TypeProblem>> {
    let first = tree.first_node(node);
    let names = Names::new();
    let nothing = Environment {
        layout: None,
        functions: None,
        undefined: Undefined::Error,
        short_circuit: true,
        names: &names,
        source: "",
    };
    let memory = Scratch::default();
    let context = Context {
        tree,
        first,
        root: node,
        environment: &nothing,
        resolution: None,
        folded: None,
        scratch: &memory,
    };
    let code = lower_baseline(&context).map_err(|_| vec![problem::large_default(node)])?;
    let outcome = exec::run(&code, &[], scratch);
    if outcome.exhausted.is_some() {
        return Err(vec![problem::endless_default(node)]);
    }
    if outcome.faults.is_empty() {
        return Ok(copy(arena, outcome.value));
    }
    Err(outcome.faults.iter().map(|record| TypeProblem::of_fault(record, first)).collect())
}
