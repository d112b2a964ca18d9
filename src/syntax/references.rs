//! What expressions refer to, found without running them: variables, functions and parts of values.
//! Each method applies an analysis of the compiler to a program, an attribute or a document.

use hclvm_compiler::analysis::{self, Paths, Traversal};
use hclvm_compiler::tree::{NodeId, Tree};
use smol_str::SmolStr;

use crate::compile::program::Program;
use crate::syntax::document::{Attribute, Document};

impl Program {
    /// Returns every use of a variable in source order, without names that `for` expressions bind.
    pub fn variables(&self) -> Vec<Traversal<'_>> {
        let (tree, root) = self.expression();
        analysis::variables(tree, root)
    }

    /// Returns the names of the functions that it calls, each once, whether its engine has them or not.
    pub fn required_functions(&self) -> Vec<SmolStr> {
        let (tree, root) = self.expression();
        analysis::required_functions(tree, [root])
    }

    /// Returns the parts of each variable that it reads.
    pub fn referenced_paths(&self) -> Paths {
        let (tree, root) = self.expression();
        analysis::referenced_paths(tree, [root])
    }

    /// Returns the parts of each variable that it reads, for a projection.
    pub(crate) fn projected_paths(&self) -> Paths {
        let (tree, root) = self.expression();
        analysis::projected_paths(tree, [root])
    }
}

impl<'d> Attribute<'d> {
    fn tree(self) -> &'d Tree {
        self.document().file().tree()
    }

    fn root(self) -> NodeId {
        self.definition().expr
    }

    /// Returns every use of a variable in source order, without names that `for` expressions bind.
    pub fn variables(self) -> Vec<Traversal<'d>> {
        analysis::variables(self.tree(), self.root())
    }

    /// Returns the names of the functions that it calls, each once, whether the engine has them or not.
    pub fn required_functions(self) -> Vec<SmolStr> {
        analysis::required_functions(self.tree(), [self.root()])
    }

    /// Returns the parts of each variable that it reads.
    pub fn referenced_paths(self) -> Paths {
        analysis::referenced_paths(self.tree(), [self.root()])
    }
}

impl Document {
    fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.file().tree().expressions()
    }

    /// Returns every use of a variable in its attributes.
    pub fn variables(&self) -> Vec<Traversal<'_>> {
        self.roots().flat_map(|root| analysis::variables(self.file().tree(), root)).collect()
    }

    /// Returns the names of the functions that its attributes call, each once.
    pub fn required_functions(&self) -> Vec<SmolStr> {
        analysis::required_functions(self.file().tree(), self.roots())
    }

    /// Returns the parts of each variable that its attributes read.
    pub fn referenced_paths(&self) -> Paths {
        analysis::referenced_paths(self.file().tree(), self.roots())
    }

    /// Returns the parts of each variable that its attributes read, for a projection.
    pub(crate) fn projected_paths(&self) -> Paths {
        analysis::projected_paths(self.file().tree(), self.roots())
    }
}
