//! Parsed files beyond a single document: several files merged into one body, updates of a document,
//! and type constraints written in HCL.
//!
//! [`Document`](crate::Document), [`Body`](crate::Body), [`Block`](crate::Block) and
//! [`Attribute`](crate::Attribute) are at the root of the crate. Use [`Merged`] if a configuration is
//! split over files, [`Update`] to learn what a reload changed, and [`TypeConstraint`] for attributes
//! such as `type = list(string)`, [`Text`] to name an expression in messages. Nothing here evaluates: see [`schema`](crate::schema) to check a
//! body, and [`expansion`](crate::expansion) or [`module`](crate::module) to evaluate it.

pub(crate) mod document;
mod folder;
mod format;
pub(crate) mod merged;
pub(crate) mod position;
pub(crate) mod references;
pub(crate) mod saved;
pub(crate) mod type_constraint;
pub(crate) mod update;

pub use crate::compile::text::Text;
pub use document::TemplatePart;
pub use folder::repeated;
pub use hclvm_compiler::is_identifier;
pub use hclvm_compiler::typeexpr::TypeMode;
pub use merged::{Merged, MergedContent};
pub use type_constraint::TypeConstraint;
pub mod tree {
    //! The tree of a document, and the tokens of a text, for editors and other tools that show every part of a file.
    //!
    //! [`Document::tree`](crate::Document::tree) returns it. Nodes are numbers; children precede their parents. A
    //! program that only evaluates needs none of it.
    //!
    //! ```
    //! use hclvm::syntax::tree::{LexMode, Node, TokenKind, lex};
    //!
    //! let document = hclvm::Engine::new().parse("a.hcl", "a = b.c + 1")?;
    //! let (tree, a) = (document.tree(), document.attribute("a").expect("it is there"));
    //! assert!(matches!(tree.node(a.nodes().1), Node::Binary { .. }));
    //! assert_eq!(lex("a = 1", LexMode::Config).tokens[1].kind, TokenKind::Equal);
    //! # Ok::<(), hclvm::Error>(())
    //! ```

    pub use hclvm_compiler::token::{Token, TokenKind};
    pub use hclvm_compiler::tree::{
        AttributeSyntax, BinaryKind, BinaryOp, BlockLabel, BlockSyntax, BodyId, BodyItem, BodySyntax, Call,
        For, Node, NodeId, NodeList, StepKind, StepList, TraversalStep, Tree, UnaryOp,
    };
    pub use hclvm_compiler::{LexMode, Lexed, lex};
}

pub use update::{MovedAttribute, NamedAttribute, Update, UpdateTimes};
