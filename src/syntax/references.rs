//! What expressions refer to, found without running them: variables, functions and parts of values.
//! Each method applies an analysis of the compiler to a program, an attribute or a document.

use std::sync::Arc;

use hclvm_compiler::analysis::{self, Paths, Traversal};
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_vm::{Layout, OwnedValue};
use smol_str::SmolStr;

use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::session::Session;
use crate::syntax::document::{Attribute, Document};

impl Program {
    /// Returns every use of a variable in source order, without names that `for` expressions bind.
    pub fn variables(&self) -> Vec<Traversal<'_>> {
        let (tree, root) = self.expression();
        analysis::variables(tree, root)
    }

    /// Returns a layout of the variables that it reads, in the order of their first use. A text whose variables are not known
    /// before is compiled without slots, and then for this layout.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let layout = engine.compile("b.c + a + b.d", &Default::default())?.own_layout();
    /// assert_eq!(layout.names(), ["b", "a"]);
    /// let program = engine.compile("b.c + a + b.d", &layout)?;
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn own_layout(&self) -> Arc<Layout> {
        Arc::new(Layout::new(self.variables().iter().map(|variable| SmolStr::new(variable.root()))))
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

    /// Like [`referenced_paths`](Self::referenced_paths), and follows paths into the elements that for expressions,
    /// splats and computed indexes read.
    pub fn projected_paths(self) -> Paths {
        analysis::projected_paths(self.tree(), [self.root()])
    }

    /// Returns true if it calls no function that depends on more than its arguments, such as a file or the clock.
    pub fn is_pure(self) -> bool {
        is_pure(self.document(), self.root())
    }

    /// Returns its value if every evaluation gives it: it reads no variable, calls pure functions alone, and has no
    /// error.
    ///
    /// # Errors
    /// An expression that is too large to compile.
    pub fn constant(self, session: &mut Session) -> Result<Option<OwnedValue>, Error> {
        if !self.referenced_paths().is_empty() || !self.is_pure() {
            return Ok(None);
        }
        let (program, scope) = (self.program()?, self.document().scope());
        Ok(session.run(&program, &scope).ok().map(OwnedValue::new))
    }
}

/// Returns true if an expression calls no function that depends on more than its arguments.
pub(crate) fn is_pure(document: &Document, root: NodeId) -> bool {
    let functions = document.engine().settings().dialect.functions.as_ref();
    let is_impure = |name: &SmolStr| functions.and_then(|table| table.get(name)).is_some_and(|f| !f.pure);
    !analysis::required_functions(document.file().tree(), [root]).iter().any(is_impure)
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
