//! The keywords of JSON, with advice for words that JavaScript has or that are misspelled.

use hclvm_vm::nearest;

use super::JsonParser;
use crate::diagnostic;
use crate::syntax::tree::{Node, NodeId};

impl JsonParser<'_> {
    /// `word = "true" | "false" | "null"`
    // See `JsonParser::value`.
    #[inline(never)]
    pub(super) fn word(&mut self) -> Option<NodeId> {
        let span = self.scanner.read().span;
        let word = span.slice(self.text);
        let node = match word {
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            "null" => Node::Null,
            "undefined" | "NaN" | "Infinity" => {
                self.complain(diagnostic::json_javascript_word(word, span));
                return None;
            }
            _ => {
                let near = nearest(word, ["true", "false", "null"]);
                self.complain(diagnostic::json_unknown_word(word, near, span));
                return None;
            }
        };
        Some(self.node(node, span))
    }
}
