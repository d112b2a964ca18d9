//! The source ranges of a fault: the part of a node that it is about, and the construct around it.
//!
//! The executor identifies a node and a [`Place`] in it, not a range of the source. This file maps both to ranges; the
//! sentences are made by [`Fault`](hclvm_vm::Fault).

use hclvm_vm::{Place, Span, cast};

use crate::tree::{Call, Node, NodeId, NodeList, Tree};

/// Returns subject and context of a fault at `place` of node `id`.
pub fn locate(tree: &Tree, id: NodeId, place: Place) -> (Span, Option<Span>) {
    let whole = tree.span(id);
    let inside = |node: NodeId| (tree.span(node), Some(whole));
    match (place, tree.node(id)) {
        (Place::Root, Node::Traversal { root, .. }) => {
            let end = whole.start + cast::length(tree.name(root).len());
            (Span::new(whole.start, end), None)
        }
        (Place::Step(at), Node::Traversal { steps, .. } | Node::RelativeTraversal { steps, .. }) => {
            let step = tree.steps(steps).get(usize::from(at)).or_else(|| tree.steps(steps).last());
            (step.map_or(whole, |step| step.span), None)
        }
        (Place::Brackets, Node::Index { open, .. }) => (Span::new(open, whole.end), None),
        (Place::Left, Node::Binary { lhs, .. }) => inside(lhs),
        (Place::Right, Node::Binary { rhs, .. }) => inside(rhs),
        (Place::Operand, Node::Unary { operand, .. }) => inside(operand),
        (Place::Condition, Node::Conditional { condition, .. }) => inside(condition),
        (Place::Yes, Node::Conditional { yes, .. }) => inside(yes),
        (Place::No, Node::Conditional { no, .. }) => inside(no),
        (Place::Arms, Node::Conditional { yes, no, .. }) => (tree.span(yes).to(tree.span(no)), Some(whole)),
        (Place::Key(item), Node::Object(items) | Node::JsonObject(items)) => {
            (object_part(tree, items, item, 0, whole), None)
        }
        (Place::Value(item), Node::Object(items)) => (object_part(tree, items, item, 1, whole), None),
        (place, Node::For(details)) => {
            let details = tree.for_expr(details);
            match (place, details.key, details.condition) {
                (Place::Collection, ..) => inside(details.collection),
                (Place::Key(_), Some(key), _) => inside(key),
                (Place::Condition, _, Some(condition)) => inside(condition),
                _ => (whole, None),
            }
        }
        (Place::Source, Node::Splat { source, item, .. }) => {
            (tree.span(source), Some(tree.span(source).to(tree.span(item))))
        }
        (Place::Each, Node::Splat { each, .. }) => inside(each),
        (Place::Part(at), Node::Template(parts)) => {
            tree.list(parts).get(usize::from(at)).map_or((whole, None), |part| inside(*part))
        }
        (place, Node::Call(call)) => {
            (call_part(tree, tree.call(call), place, whole), call_context(place, whole))
        }
        _ => (whole, None),
    }
}

/// Returns the operand, predicate or clause at `place` of node `id`, without parentheses around it; the node itself for
/// other places.
pub fn part(tree: &Tree, id: NodeId, place: Place) -> NodeId {
    let part = match (place, tree.node(id)) {
        (Place::Left, Node::Binary { lhs: part, .. })
        | (Place::Right, Node::Binary { rhs: part, .. })
        | (Place::Operand, Node::Unary { operand: part, .. })
        | (Place::Condition, Node::Conditional { condition: part, .. })
        | (Place::Yes, Node::Conditional { yes: part, .. })
        | (Place::No, Node::Conditional { no: part, .. }) => part,
        (Place::Condition, Node::For(details)) => tree.for_expr(details).condition.unwrap_or(id),
        _ => id,
    };
    unwrapped(tree, part)
}

/// Returns a node without the parentheses, or the quotes of a single interpolation, around it.
pub fn unwrapped(tree: &Tree, mut id: NodeId) -> NodeId {
    while let Node::Parens(inner) | Node::TemplateWrap(inner) | Node::JsonString { template: inner, .. } =
        tree.node(id)
    {
        id = inner;
    }
    id
}

/// Returns the nodes whose values explain a fault at `place` of node `id`: the operands, the condition, the
/// argument.
pub fn concerned(tree: &Tree, id: NodeId, place: Place) -> Vec<NodeId> {
    match (place, tree.node(id)) {
        (_, Node::Binary { lhs, rhs, .. }) => vec![lhs, rhs],
        (_, Node::Unary { operand, .. }) => vec![operand],
        (Place::Condition, Node::Conditional { condition, .. }) => vec![condition],
        (_, Node::Conditional { yes, no, .. }) => vec![yes, no],
        (Place::Key(item) | Place::Value(item), Node::Object(items) | Node::JsonObject(items)) => {
            tree.list(items).get(cast::index(item) * 2).map_or_else(Vec::new, |key| vec![*key])
        }
        (place, Node::For(details)) => {
            let details = tree.for_expr(details);
            match place {
                Place::Collection => vec![details.collection],
                Place::Key(_) => details.key.into_iter().collect(),
                Place::Condition => details.condition.into_iter().collect(),
                _ => vec![id],
            }
        }
        (Place::Source, Node::Splat { source, .. }) => vec![source],
        (Place::Part(at), Node::Template(parts)) => {
            tree.list(parts).get(usize::from(at)).map_or_else(Vec::new, |part| vec![*part])
        }
        (place, Node::Call(call)) => {
            let args = tree.list(tree.call(call).args);
            let last = args.len().saturating_sub(1);
            match place {
                Place::Argument(at) => args.get(usize::from(at).min(last)).copied().into_iter().collect(),
                Place::Expanded => args.last().copied().into_iter().collect(),
                Place::CallStart => args.to_vec(),
                _ => Vec::new(),
            }
        }
        _ => vec![id],
    }
}

/// Returns the range of the key (`part` 0) or value (`part` 1) of an item.
fn object_part(tree: &Tree, items: NodeList, item: u32, part: usize, whole: Span) -> Span {
    tree.list(items).get(cast::index(item) * 2 + part).map_or(whole, |node| tree.span(*node))
}

fn call_part(tree: &Tree, call: &Call, place: Place, whole: Span) -> Span {
    let args = tree.list(call.args);
    let last = args.len().saturating_sub(1);
    match place {
        Place::FunctionName => call.name_span,
        Place::CallStart => call.name_span.to(call.open_paren),
        Place::CloseParen => call.close_paren,
        Place::Arguments => call.arguments_span(),
        Place::MoreArguments => more_arguments(tree, args, whole),
        Place::Argument(at) if call.expand && usize::from(at) >= last => {
            args.last().map_or(whole, |arg| tree.span(*arg))
        }
        Place::Argument(at) => args.get(usize::from(at).min(last)).map_or(whole, |arg| tree.start_span(*arg)),
        Place::Expanded => args.last().map_or(whole, |arg| tree.span(*arg)),
        _ => whole,
    }
}

/// Returns the range of all arguments but the first.
fn more_arguments(tree: &Tree, args: &[NodeId], whole: Span) -> Span {
    match args {
        [_, second, ..] => args.last().map_or(whole, |last| tree.span(*second).to(tree.span(*last))),
        _ => whole,
    }
}

/// Returns the call as context of a fault in a part of it; a fault of the whole call has none.
fn call_context(place: Place, whole: Span) -> Option<Span> {
    (place != Place::Node).then_some(whole)
}
