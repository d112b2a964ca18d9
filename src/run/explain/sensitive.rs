//! Calls of `sensitive`: their results are marked, but the variables in their arguments may not be. A fault about such a call
//! reports no values.

use hclvm_compiler::tree::{Node, NodeId};

use crate::compile::program::Program;

/// The function that marks its argument.
const SENSITIVE: &str = "sensitive";

/// Returns true if a node is in an argument of `sensitive`, or has such a call in it.
pub(super) fn is_concerned(program: &Program, id: NodeId) -> bool {
    let (tree, root) = program.expression();
    let place = tree.span(id);
    let mut open = vec![root];
    while let Some(at) = open.pop() {
        let span = tree.span(at);
        let is_around = span.start <= place.start && place.end <= span.end;
        let is_inside = place.start <= span.start && span.end <= place.end;
        if (is_around || is_inside)
            && let Node::Call(call) = tree.node(at)
            && &*tree.call(call).name == SENSITIVE
        {
            return true;
        }
        tree.children(at, &mut open);
    }
    false
}
