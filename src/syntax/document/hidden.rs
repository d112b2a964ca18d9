//! Names that an attribute does not see: iterators of `dynamic` blocks that it is not in.
//!
//! Only a dialect whose undefined names are text needs them. A slot serves all blocks that bind a name, and outside
//! of these the name is text.

use std::sync::Arc;

use hclvm_compiler::analysis;
use hclvm_compiler::tree::{AttributeSyntax, BlockSyntax, BodyId, BodyItem, Node, NodeId, Tree};
use hclvm_vm::Layout;
use smol_str::SmolStr;

use crate::compile::file::SourceFile;
use crate::compile::settings::Engine;
use crate::compile::unit::HiddenNames;
use crate::dialect::Undefined;
use crate::structure::schema::DYNAMIC;
use crate::syntax::document::json::{JsonMember, dynamics, members};

/// Returns the layouts of attributes that refer to names bound elsewhere, in the order of their nodes.
pub(super) fn hidden(engine: &Engine, file: &SourceFile, root: BodyId, layout: &Layout) -> HiddenNames {
    let mut found = HiddenNames::default();
    if layout.bound().is_empty() || engine.settings().dialect.undefined != Undefined::Text {
        return found;
    }
    let tree = file.tree();
    if let Some(root) = tree.json() {
        return hidden_in_json(tree, root, layout);
    }
    // Bodies, each with the names bound around it and the iterator of the dynamic block whose body it is.
    let mut open: Vec<(BodyId, Vec<SmolStr>, Option<SmolStr>)> = vec![(root, Vec::new(), None)];
    while let Some((body, visible, own)) = open.pop() {
        for item in &tree.body(body).items {
            match item {
                BodyItem::Attribute(at) => {
                    let attribute = tree.attribute(*at);
                    // The collection is evaluated before the iterator is bound.
                    let own = own.as_ref().filter(|_| name(file, attribute) != "for_each");
                    let is_visible = |name: &SmolStr| visible.contains(name) || own == Some(name);
                    found.extend(hidden_in(tree, attribute, layout, is_visible));
                }
                BodyItem::Block(at) => {
                    let block = tree.block(*at);
                    let iterator =
                        if tree.name(block.kind) == DYNAMIC { iterator(file, block) } else { None };
                    open.push((block.body, visible.iter().chain(&own).cloned().collect(), iterator));
                }
            }
        }
    }
    found.sort_by_key(|(nodes, _)| nodes.1);
    found
}

/// Returns the layout of an attribute that refers to names which are bound elsewhere.
fn hidden_in(
    tree: &Tree,
    attribute: &AttributeSyntax,
    layout: &Layout,
    is_visible: impl Fn(&SmolStr) -> bool,
) -> Option<((NodeId, NodeId), Arc<Layout>)> {
    let mut names = analysis::names(tree, [attribute.expr]);
    names.retain(|name| layout.bound().contains(name) && !is_visible(name));
    let layout = (!names.is_empty()).then(|| Arc::new(layout.hiding(&names)))?;
    Some(((attribute.first_node, attribute.expr), layout))
}

/// In JSON every property may be an attribute.
fn hidden_in_json(tree: &Tree, root: NodeId, layout: &Layout) -> HiddenNames {
    let mut found = HiddenNames::default();
    // Values, each with the names bound around it.
    let mut open: Vec<(NodeId, Vec<SmolStr>)> = vec![(root, Vec::new())];
    while let Some((value, visible)) = open.pop() {
        if let Node::Tuple(items) = tree.node(value) {
            open.extend(tree.list(items).iter().map(|item| (*item, visible.clone())));
        }
        let mut member = |member: JsonMember, visible: Vec<SmolStr>| {
            let attribute = tree.attribute(member.attribute);
            found.extend(hidden_in(tree, attribute, layout, |name| visible.contains(name)));
            open.push((member.value, visible));
        };
        for property in members(tree, value).into_iter().flatten() {
            if property.name(tree) != DYNAMIC {
                member(property, visible.clone());
                continue;
            }
            for dynamic in dynamics(tree, property.value) {
                for inner in dynamic.members {
                    let is_outside = inner.name(tree) == "for_each";
                    let own = (!is_outside).then(|| SmolStr::new(dynamic.iterator));
                    member(inner, visible.iter().cloned().chain(own).collect());
                }
            }
        }
    }
    found.sort_by_key(|(nodes, _)| nodes.1);
    found
}

/// Returns the iterator of a dynamic block.
fn iterator(file: &SourceFile, block: &BlockSyntax) -> Option<SmolStr> {
    let tree = file.tree();
    let attributes = tree.body(block.body).items.iter().filter_map(|item| match item {
        BodyItem::Attribute(at) => Some(tree.attribute(*at)),
        BodyItem::Block(_) => None,
    });
    let mut named = attributes.filter(|one| name(file, one) == "iterator");
    match named.next() {
        Some(attribute) => analysis::keyword(tree, attribute.expr).map(SmolStr::new),
        None => block.labels.first().map(|label| SmolStr::new(&label.text)),
    }
}

fn name<'f>(file: &'f SourceFile, attribute: &'f AttributeSyntax) -> &'f str {
    file.attribute_name(attribute)
}
