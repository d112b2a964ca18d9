//! Formatting of configuration files in the canonical style.

use std::sync::Arc;

use hclvm_compiler::source::Source;
use hclvm_vm::{Diagnostic, Span};

use crate::compile::settings::Engine;
use crate::diagnostics::error::{Diagnostics, Error};

impl Engine {
    /// Returns a file of the native syntax in the canonical style, that of `hclfmt` and `terraform fmt`: an
    /// indentation of two spaces, aligned `=` and comments of consecutive lines, single spaces between tokens.
    /// `name` is the name of the file in diagnostics.
    ///
    /// Only blanks change. Comments, line breaks and literal texts are kept, every expression keeps its
    /// value, and formatting the result again returns it unchanged. For files in HCL's JSON syntax use a
    /// formatter of JSON.
    ///
    /// ```
    /// let text = "a=1\nlonger = [ 1,2 ] # two\n";
    /// let formatted = hclvm::Engine::new().format("app.hcl", text)?;
    /// assert_eq!(formatted, "a      = 1\nlonger = [1, 2] # two\n");
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// All syntax errors of the text; a formatted text that is longer than
    /// [`Limits::source_bytes`](crate::Limits::source_bytes).
    pub fn format(&self, name: &str, text: &str) -> Result<String, Error> {
        self.parse(name, text)?;
        let longest = self.settings().limits.source_bytes;
        hclvm_compiler::format(text, longest).map_err(|too_long| {
            let detail = format!(
                "Formatted, this text would have {} bytes because of its alignment; at most {longest} are allowed.",
                too_long.0
            );
            let mut problem = Diagnostic::error("Source too large", detail, Span::new(0, 0));
            problem.subject = None;
            let source = Source::new(name, text, Vec::new());
            Diagnostics::new(Arc::new(source), vec![problem]).into()
        })
    }
}
