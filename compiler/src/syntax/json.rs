//! The parser of HCL's JSON syntax, which builds the tree of the native syntax.
//!
//! ```text
//! {"rule": {"a": {"when": "${x > 1}"}}}
//!     JsonObject [ JsonKey rule, JsonObject [ JsonKey a, JsonObject [ JsonKey when, JsonString ] ] ]
//! ```
//! Only a schema decides whether a property is an attribute or a block, so every value is an
//! expression, and every property has an attribute. Numbers, keywords and arrays use the nodes of the
//! native syntax; strings and objects have their own, because strings and keys are templates.
//!
//! After an error the rest of the innermost value is skipped. Recursion is bounded by the nesting
//! limit. JSON that is data, not configuration, is read by the library's ingestion instead.

mod advice;
mod keyword;
mod string;
mod token;

use std::collections::HashSet;

use hclvm_vm::{Number, Span, cast};
use smol_str::SmolStr;

use crate::diagnostic::{self, DiagnosticSink, Make};
use crate::limits::{LimitReached, ParseLimits};
use crate::source::Input;
use crate::syntax::parser::{ParsedConfig, ParsedExpression};
use crate::syntax::tree::{
    AttributeSyntax, BodyId, BodyItem, BodySyntax, NameId, Node, NodeId, NodeList, NumberId, Property,
    PropertyId, Tree,
};
use token::{JsonScanner, JsonToken, JsonTokenKind};

/// Parses a JSON file. Its body has every property of the root object as an attribute; to apply a
/// schema, start from [`Tree::json`].
pub fn parse_json<'t>(input: impl Into<Input<'t>>, limits: &ParseLimits) -> ParsedConfig {
    let mut parser = JsonParser::new(input.into(), limits);
    let mut root = parser.whole();
    if !matches!(parser.tree.node(root), Node::JsonObject(_) | Node::Tuple(_)) {
        let subject = parser.tree.start_span(root);
        parser.problem(diagnostic::json_root, subject);
        root = parser.node(Node::JsonObject(NodeList::EMPTY), subject);
    }
    parser.tree.json = Some(root);
    let body = parser.root_body(root);
    let JsonParser { tree, report, limit, scanner, .. } = parser;
    ParsedConfig { tree, body, diagnostics: report.finish(), limit, seams: scanner.seams }
}

/// Parses one JSON value as an expression.
pub fn parse_json_expression<'t>(input: impl Into<Input<'t>>, limits: &ParseLimits) -> ParsedExpression {
    let mut parser = JsonParser::new(input.into(), limits);
    let root = parser.whole();
    let JsonParser { tree, report, limit, scanner, .. } = parser;
    ParsedExpression { tree, root, diagnostics: report.finish(), limit, seams: scanner.seams }
}

/// The name of properties that are comments in a body.
pub const COMMENT: &str = "//";

/// A cursor over the tokens of a JSON text, and the tree under construction.
struct JsonParser<'t> {
    text: &'t str,
    scanner: JsonScanner<'t>,
    tree: Tree,
    report: DiagnosticSink,
    limits: ParseLimits,
    limit: Option<LimitReached>,
    depth: u32,
    /// Children of incomplete objects and arrays.
    children: Vec<NodeId>,
    /// The property whose value is being read.
    parent: Option<PropertyId>,
}

/// The tokens that delimit an object or array, and the messages for errors in it.
struct Brackets {
    open: JsonTokenKind,
    close: JsonTokenKind,
    trailing_comma: Make,
    unclosed: Make,
    unseparated: Make,
}

const OBJECT: Brackets = Brackets {
    open: JsonTokenKind::OpenBrace,
    close: JsonTokenKind::CloseBrace,
    trailing_comma: diagnostic::json_comma_in_object,
    unclosed: diagnostic::json_unclosed_object,
    unseparated: diagnostic::json_unseparated_property,
};

const ARRAY: Brackets = Brackets {
    open: JsonTokenKind::OpenBracket,
    close: JsonTokenKind::CloseBracket,
    trailing_comma: diagnostic::json_comma_in_array,
    unclosed: diagnostic::json_unclosed_array,
    unseparated: diagnostic::json_unseparated_item,
};

impl<'t> JsonParser<'t> {
    fn new(input: Input<'t>, limits: &ParseLimits) -> Self {
        let mut report = DiagnosticSink::new(limits.diagnostics);
        let (mut text, mut limit) = (input.text, None);
        if text.len() > limits.source_bytes.min(u32::MAX as usize) {
            report.push(diagnostic::source_too_large(Span::default()));
            limit = Some(LimitReached::SourceBytes);
            text = "";
        }
        Self {
            text,
            scanner: JsonScanner::new(text, input.bad),
            tree: Tree::default(),
            report,
            limits: *limits,
            limit,
            depth: 0,
            children: Vec::new(),
            parent: None,
        }
    }

    /// Reports a problem, unless a limit ended the parse.
    // Only invalid texts get here.
    #[cold]
    fn problem(&mut self, make: Make, subject: Span) {
        self.complain(make(subject));
    }

    fn complain(&mut self, problem: diagnostic::Diagnostic) {
        if self.limit.is_none() {
            let told = self.report.keeps_next();
            self.report.push(if told { advice::advised(self.text, problem) } else { problem });
        }
    }

    // See `value`.
    #[inline(never)]
    fn node(&mut self, node: Node, span: Span) -> NodeId {
        self.tree.add(node, span)
    }

    // See `value`.
    #[inline(never)]
    fn list_since(&mut self, from: usize) -> NodeList {
        let start = self.tree.links.len();
        self.tree.links.extend(self.children.drain(from..));
        NodeList::between(start, self.tree.links.len())
    }

    /// `File = Value Eof`
    fn whole(&mut self) -> NodeId {
        let root = self.value();
        let next = self.scanner.peek();
        if self.report.count() == 0 && next.kind != JsonTokenKind::Eof {
            self.problem(diagnostic::json_extra, next.span);
        }
        root
    }

    /// `Value = Object | Array | number | string | word`
    ///
    /// Values nest, so this function recurses. Productions that do not recurse are kept out of line, so
    /// that a level of nesting uses little native stack.
    fn value(&mut self) -> NodeId {
        let token = self.scanner.peek();
        let found = match token.kind {
            JsonTokenKind::OpenBrace => self.nested(Self::object),
            JsonTokenKind::OpenBracket => self.nested(Self::array),
            JsonTokenKind::Number => self.number(),
            JsonTokenKind::String => self.string(),
            JsonTokenKind::Word => self.word(),
            JsonTokenKind::CloseBrace => self.no_value(diagnostic::json_value_before_brace, token),
            JsonTokenKind::CloseBracket => self.no_value(diagnostic::json_value_before_bracket, token),
            JsonTokenKind::Eof => self.no_value(diagnostic::json_value_before_end, token),
            _ if self.scanner.is_bad(token.span.start) => self.no_value(diagnostic::json_bad_byte, token),
            _ => self.no_value(diagnostic::json_no_value, token),
        };
        found.unwrap_or_else(|| self.node(Node::Invalid, token.span))
    }

    /// Reports a token that begins no value. The token is not read: it may end the value around.
    fn no_value(&mut self, make: Make, found: JsonToken) -> Option<NodeId> {
        self.problem(make, found.span);
        None
    }

    /// Parses a value one level deeper. Beyond the limit the parse stops.
    fn nested(&mut self, inside: fn(&mut Self) -> Option<NodeId>) -> Option<NodeId> {
        if self.depth >= self.limits.nesting {
            let here = self.scanner.peek().span;
            self.problem(diagnostic::nesting_too_deep, here);
            self.limit = self.limit.or(Some(LimitReached::Nesting));
            self.scanner.stop();
            return None;
        }
        self.depth += 1;
        let from = self.children.len();
        let found = inside(self);
        self.children.truncate(from);
        self.depth -= 1;
        found
    }

    /// `Object = "{" [ Property { "," Property } ] "}"`
    fn object(&mut self) -> Option<NodeId> {
        let open = self.scanner.read().span;
        let from = self.children.len();
        while self.scanner.peek().kind != JsonTokenKind::CloseBrace {
            self.property()?;
            if !self.separator(&OBJECT, open)? {
                break;
            }
        }
        let close = self.scanner.read().span;
        let items = self.list_since(from);
        Some(self.node(Node::JsonObject(items), open.to(close)))
    }

    /// `Array = "[" [ Value { "," Value } ] "]"`
    fn array(&mut self) -> Option<NodeId> {
        let open = self.scanner.read().span;
        let from = self.children.len();
        while self.scanner.peek().kind != JsonTokenKind::CloseBracket {
            let item = self.value();
            self.children.push(item);
            if !self.separator(&ARRAY, open)? {
                break;
            }
        }
        let close = self.scanner.read().span;
        let items = self.list_since(from);
        Some(self.node(Node::Tuple(items), open.to(close)))
    }

    /// `Property = string ":" Value`
    // See `value`.
    #[inline(never)]
    fn property(&mut self) -> Option<()> {
        let name = self.value();
        let Node::JsonString { text, .. } = self.tree.node(name) else {
            let subject = self.tree.start_span(name);
            self.problem(diagnostic::json_name_required, subject);
            return None;
        };
        let colon = self.scanner.read();
        if colon.kind != JsonTokenKind::Colon {
            self.skip_from(colon, &OBJECT);
            self.problem(missing_colon(colon.kind), colon.span);
            return None;
        }
        let attribute = cast::length(self.tree.attributes.len());
        let (name_span, equals) = (self.tree.span(name), colon.span);
        let named = NameId::at(self.tree.names.len());
        self.tree.names.push(SmolStr::new(self.tree.text(text)));
        let property = PropertyId::at(self.tree.properties.len());
        self.tree.properties.push(Property { attribute, parent: self.parent });
        let key = self.node(Node::JsonKey { property, name }, name_span);
        let first_node = NodeId::at(key.index() + 1);
        // The range and expression are filled in below: the attribute must precede those inside it.
        self.tree.attributes.push(AttributeSyntax {
            name: Some(named),
            name_span,
            equals,
            expr: key,
            first_node,
            span: name_span,
        });
        let outer = self.parent.replace(property);
        let expr = self.value();
        self.parent = outer;
        let span = name_span.to(self.tree.span(expr));
        let filled = &mut self.tree.attributes[cast::index(attribute)];
        (filled.expr, filled.span) = (expr, span);
        self.children.extend([key, expr]);
        Some(())
    }

    /// `","` after a property or item; returns whether another one follows. An error ends the value.
    fn separator(&mut self, brackets: &Brackets, open: Span) -> Option<bool> {
        let next = self.scanner.peek();
        match next.kind {
            kind if kind == brackets.close => return Some(false),
            JsonTokenKind::Comma => {
                self.scanner.read();
                if self.scanner.peek().kind != brackets.close {
                    return Some(true);
                }
                self.problem(brackets.trailing_comma, next.span);
            }
            JsonTokenKind::Eof => self.problem(brackets.unclosed, open),
            JsonTokenKind::CloseBracket => {
                self.scanner.read();
                let subject = self.scanner.peek().span;
                self.problem(diagnostic::json_bracket_for_brace, subject);
            }
            kind => {
                self.skip(brackets);
                let subject = self.scanner.peek().span;
                let make = match (kind, brackets.open) {
                    (JsonTokenKind::CloseBrace, _) => diagnostic::json_brace_for_bracket,
                    (JsonTokenKind::Colon, JsonTokenKind::OpenBracket) => diagnostic::json_colon_in_array,
                    (JsonTokenKind::String | JsonTokenKind::OpenBrace | JsonTokenKind::OpenBracket, _) => {
                        let problem = (brackets.unseparated)(subject);
                        self.complain(advice::comma_before(self.text, problem, next.span));
                        return None;
                    }
                    _ => brackets.unseparated,
                };
                self.problem(make, subject);
            }
        }
        None
    }

    /// Skips to the probable end of the enclosing value.
    fn skip(&mut self, brackets: &Brackets) {
        let token = self.scanner.read();
        self.skip_from(token, brackets);
    }

    fn skip_from(&mut self, token: JsonToken, brackets: &Brackets) {
        let (mut token, mut open) = (token, 1u32);
        loop {
            match token.kind {
                JsonTokenKind::Eof => return,
                kind if kind == brackets.open => open += 1,
                kind if kind == brackets.close => {
                    open -= 1;
                    if open <= 1 {
                        return;
                    }
                }
                _ => {}
            }
            token = self.scanner.read();
        }
    }

    /// `number = [ "-" ] int [ frac ] [ exp ]`
    // See `value`.
    #[inline(never)]
    fn number(&mut self) -> Option<NodeId> {
        let span = self.scanner.read().span;
        let digits = span.slice(self.text);
        let number = token::is_number(digits).then(|| Number::parse_text(digits)).flatten();
        let Some(number) = number else {
            self.problem(diagnostic::json_bad_number, span);
            return None;
        };
        let id = NumberId::at(self.tree.numbers.len());
        self.tree.numbers.push(number);
        Some(self.node(Node::Number(id), span))
    }

    /// Adds the body of the file: of properties with one name, only the first.
    fn root_body(&mut self, root: NodeId) -> BodyId {
        let mut seen = HashSet::new();
        let mut items = Vec::new();
        if let Node::JsonObject(list) = self.tree.node(root) {
            for key in self.tree.list(list).iter().step_by(2) {
                let Node::JsonKey { property, .. } = self.tree.node(*key) else { continue };
                let attribute = self.tree.property(property).attribute;
                let name = self.tree.property_name(self.tree.attribute(attribute));
                if name != COMMENT && seen.insert(name) {
                    items.push(BodyItem::Attribute(attribute));
                }
            }
        }
        let span = self.tree.span(root);
        let id = BodyId::at(self.tree.bodies.len());
        self.tree.bodies.push(BodySyntax { items, span });
        id
    }
}

/// Returns the message for a token that is not a colon after a name.
fn missing_colon(found: JsonTokenKind) -> Make {
    match found {
        JsonTokenKind::CloseBrace | JsonTokenKind::Comma => diagnostic::json_value_missing,
        JsonTokenKind::Equals => diagnostic::json_equals_for_colon,
        _ => diagnostic::json_colon_missing,
    }
}
