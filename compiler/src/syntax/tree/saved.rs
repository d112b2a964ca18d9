//! The structure of a file without its expressions, and its saved form: what a document needs of its tree as long
//! as only compiled code runs. The expressions are parsed again when they are first needed, so that nothing but
//! the parser makes nodes.

use hclvm_vm::code::saved::{Reader, Writer};
use hclvm_vm::{Span, cast};
use smol_str::SmolStr;

use super::{
    AttributeSyntax, BlockLabel, BlockSyntax, BodyId, BodyItem, BodySyntax, NameId, Node, NodeId,
    SpannedNode, Tree,
};

/// Attributes, blocks and bodies of a file in the native syntax, numbered as in its [`Tree`].
#[derive(Debug)]
pub struct Structure {
    attributes: Vec<AttributeSyntax>,
    /// The range of the expression of each attribute.
    expressions: Vec<Span>,
    blocks: Vec<BlockSyntax>,
    bodies: Vec<BodySyntax>,
    /// The types of blocks.
    names: Vec<SmolStr>,
    /// The number of nodes of the tree.
    nodes: u32,
    root: BodyId,
}

impl Structure {
    /// Returns the attribute of that number.
    pub fn attribute(&self, index: u32) -> &AttributeSyntax {
        &self.attributes[cast::index(index)]
    }

    /// Returns the range of the expression of an attribute.
    pub fn expression_span(&self, index: u32) -> Span {
        self.expressions[cast::index(index)]
    }

    /// Returns the number of attributes in all bodies.
    pub fn attribute_count(&self) -> usize {
        self.attributes.len()
    }

    /// Returns the block of that number.
    pub fn block(&self, index: u32) -> &BlockSyntax {
        &self.blocks[cast::index(index)]
    }

    /// Returns the type of a block.
    pub fn kind(&self, block: &BlockSyntax) -> &SmolStr {
        &self.names[block.kind.index()]
    }

    /// Returns a body.
    pub fn body(&self, id: BodyId) -> &BodySyntax {
        &self.bodies[id.index()]
    }

    /// Returns the body of the file.
    pub fn root(&self) -> BodyId {
        self.root
    }

    /// Reads a structure of a text; `None` unless all that it refers to is there.
    pub fn load(from: &mut Reader<'_>, text: &str) -> Option<Self> {
        let nodes = from.u32()?;
        // Each node is written with a character at least; a plain string has a template and a text.
        if cast::index(nodes) > 2 * text.len() + 2 {
            return None;
        }
        let root = BodyId(from.u32()?);
        let names: Vec<SmolStr> = from.list(|from| Some(SmolStr::new(from.text()?)))?;
        let mut expressions = Vec::new();
        let attributes: Vec<_> = from.list(|from| {
            expressions.push(span(from, text)?);
            let (name_span, equals, all) = (span(from, text)?, span(from, text)?, span(from, text)?);
            let (first_node, expr) = (NodeId(from.u32()?), NodeId(from.u32()?));
            let valid = first_node <= expr && expr.0 < nodes;
            let syntax = AttributeSyntax { name: None, name_span, equals, expr, first_node, span: all };
            valid.then_some(syntax)
        })?;
        let blocks: Vec<_> = from.list(|from| {
            let kind = NameId(from.u32()?);
            let spans = (span(from, text)?, span(from, text)?, span(from, text)?);
            let labels = from.list(|from| {
                Some(BlockLabel { text: SmolStr::new(from.text()?), span: span(from, text)? })
            })?;
            let body = BodyId(from.u32()?);
            let (kind_span, open_brace, close_brace) = spans;
            (kind.index() < names.len()).then_some(BlockSyntax {
                kind,
                kind_span,
                labels,
                open_brace,
                close_brace,
                body,
            })
        })?;
        let bodies: Vec<_> = from.list(|from| {
            let span = span(from, text)?;
            let items = from.list(|from| match (from.u8()?, from.u32()?) {
                (0, at) => Some(BodyItem::Attribute(at)),
                (1, at) => Some(BodyItem::Block(at)),
                _ => None,
            })?;
            Some(BodySyntax { items, span })
        })?;
        let structure = Self { attributes, expressions, blocks, bodies, names, nodes, root };
        structure.is_a_tree().then_some(structure)
    }

    /// Returns true if the bodies are a tree that contains everything once at most.
    fn is_a_tree(&self) -> bool {
        let mut attributes = vec![false; self.attributes.len()];
        let mut bodies = vec![false; self.bodies.len()];
        let take = |list: &mut Vec<bool>, at: usize| {
            list.get_mut(at).is_some_and(|taken| !std::mem::replace(taken, true))
        };
        let mut open = vec![self.root];
        while let Some(body) = open.pop() {
            if !take(&mut bodies, body.index()) {
                return false;
            }
            for item in &self.body(body).items {
                let valid = match *item {
                    BodyItem::Attribute(at) => take(&mut attributes, cast::index(at)),
                    BodyItem::Block(at) => self.blocks.get(cast::index(at)).is_some_and(|block| {
                        open.push(block.body);
                        true
                    }),
                };
                if !valid {
                    return false;
                }
            }
        }
        true
    }

    /// Returns true if it is the structure of a tree whose file has the body `root`.
    pub fn is_of(&self, tree: &Tree, root: BodyId) -> bool {
        let same_block = |(own, other): (&BlockSyntax, &BlockSyntax)| {
            let kind = other.kind;
            self.kind(own) == tree.name(kind) && BlockSyntax { kind, ..own.clone() } == *other
        };
        let spans = tree.attributes.iter().map(|attribute| tree.span(attribute.expr));
        self.root == root
            && cast::index(self.nodes) == tree.len()
            && self.attributes == tree.attributes
            && self.expressions.iter().copied().eq(spans)
            && self.bodies == tree.bodies
            && self.blocks.len() == tree.blocks.len()
            && self.blocks.iter().zip(&tree.blocks).all(same_block)
    }

    /// Returns a tree of this structure in which no expression is valid.
    pub fn without_expressions(&self) -> Tree {
        let node = SpannedNode { node: Node::Invalid, span: Span::new(0, 0) };
        let mut nodes = vec![node; cast::index(self.nodes)];
        for (attribute, span) in self.attributes.iter().zip(&self.expressions) {
            nodes[attribute.expr.index()].span = *span;
        }
        Tree {
            nodes,
            attributes: self.attributes.clone(),
            blocks: self.blocks.clone(),
            bodies: self.bodies.clone(),
            names: self.names.clone(),
            ..Tree::default()
        }
    }
}

impl Tree {
    /// Appends the structure of a file in the native syntax whose body is `root`.
    pub fn save_structure(&self, root: BodyId, out: &mut Writer) -> Option<()> {
        out.u32(cast::length(self.nodes.len()));
        out.u32(root.0);
        let mut names: Vec<&SmolStr> = self.blocks.iter().map(|block| self.name(block.kind)).collect();
        names.sort();
        names.dedup();
        out.list(&names, |out, name| out.text(name))?;
        out.list(&self.attributes, |out, attribute| {
            for span in [self.span(attribute.expr), attribute.name_span, attribute.equals, attribute.span] {
                save_span(out, span);
            }
            out.u32(attribute.first_node.0);
            out.u32(attribute.expr.0);
            Some(())
        })?;
        out.list(&self.blocks, |out, block| {
            let kind = names.binary_search(&self.name(block.kind)).ok()?;
            out.u32(cast::length(kind));
            for span in [block.kind_span, block.open_brace, block.close_brace] {
                save_span(out, span);
            }
            out.list(&block.labels, |out, label| {
                out.text(&label.text)?;
                save_span(out, label.span);
                Some(())
            })?;
            out.u32(block.body.0);
            Some(())
        })?;
        out.list(&self.bodies, |out, body| {
            save_span(out, body.span);
            out.list(&body.items, |out, item| {
                let (kind, at) = match *item {
                    BodyItem::Attribute(at) => (0, at),
                    BodyItem::Block(at) => (1, at),
                };
                out.u8(kind);
                out.u32(at);
                Some(())
            })
        })
    }
}

fn save_span(out: &mut Writer, span: Span) {
    out.u32(span.start);
    out.u32(span.end);
}

/// Reads a range of a text, which begins and ends between characters.
fn span(from: &mut Reader<'_>, text: &str) -> Option<Span> {
    let span = Span::new(from.u32()?, from.u32()?);
    let range = cast::index(span.start)..cast::index(span.end);
    text.get(range).is_some().then_some(span)
}
