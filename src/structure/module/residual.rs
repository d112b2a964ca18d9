//! The residual of a specialized module as HCL text: the file with literals for what is known.
//!
//! ```text
//! limit = env.strict ? 10 : 100            limit = 10
//! when  = request.size <= local.limit      when  = request.size <= (10)
//! zones = toset(env.zones)                 zones = toset(["a", "b"])
//! ```
//! Each literal is evaluated, and only one that gives exactly the value takes the place of an expression.
//! What has no literal keeps its text, which reads the known variables: infinity, an empty list of numbers, and
//! where other expressions compute with them, numbers of another precision than literals have.

use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use hclvm_compiler::tree::{Node, NodeId, Tree};
use hclvm_vm::code::Slot;
use hclvm_vm::ops::equality::{identical, same};
use hclvm_vm::{Arena, Layout, Value, View, Width, cast};

use super::Module;
use super::known::{Specializer, size_within};
use crate::compile::file::SourceKind;
use crate::compile::program::Program;
use crate::diagnostics::error::Error;
use crate::run::session::{Session, Tier, evaluate_in};

/// The longest literal inside of an expression, in bytes. A longer one would be repeated wherever a variable
/// is read.
const LONGEST_PART: usize = 256;

/// Bytes that all literals together may take, beside as many as the text has.
const MOST_GROWTH: usize = 64 << 10;

impl Module {
    /// Returns the text of the file with literals for what is known. Parsed again, it has the values of this
    /// module in every scope, and diagnostics of the same titles, those of locals perhaps in another order; of
    /// known variables only those must be set that the text still mentions. The text of a module that is not specialized is that of the file, and
    /// that of a selection has literals in the attributes that are selected.
    ///
    /// # Errors
    /// A file in JSON syntax, which has no literals for all values.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let module = engine.parse("policy.hcl", "limit = env.strict ? 10 : 100\nfits = size < env.most\n")?.module()?;
    /// let mut known = module.scope();
    /// known.set_json("env", r#"{"strict": true, "most": 7}"#)?;
    /// let residual = module.specialize(&known)?.residual()?;
    /// assert_eq!(residual, "limit = 10\nfits = size < (7)\n");
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn residual(&self) -> Result<String, Error> {
        let document = &self.0.linked;
        if document.file().kind == SourceKind::Json {
            return Err(Error::value("a file in JSON syntax has no residual text"));
        }
        let text = document.source().text();
        let Some(known) = &self.0.known else { return Ok(text.to_string()) };
        let engine = document.engine();
        let mut session = engine.session();
        let (arena, ..) = session.start_shared();
        let plan = &self.0.plan;
        let known = Specializer::resumed(arena, document, known, &plan.frozen);
        let mut editor = Editor {
            known,
            arena,
            text,
            judge: engine.session(),
            layout: Arc::new(Layout::new(std::iter::empty::<&str>())),
            room: text.len() + MOST_GROWTH,
            edits: Vec::new(),
        };
        let dynamics = plan.levels.iter().flat_map(|level| &level.dynamics);
        let read: HashSet<usize> = dynamics.filter_map(|it| it.for_each.as_ref().ok().copied()).collect();
        // Locals may have no slots of their own.
        let locals_end = plan.slots + self.0.locals.len();
        for (number, rule) in plan.rules.iter().enumerate() {
            let is_read = cast::index(rule.position) < locals_end || read.contains(&number);
            editor.program(
                rule.program(document)?,
                if is_read { ExpressionRole::Read } else { ExpressionRole::Result },
            );
        }
        let made = plan.levels.iter().flat_map(|level| &level.dynamics);
        let labels = made.filter_map(|dynamic| dynamic.made.as_ref().ok()).flat_map(|made| &made.labels);
        labels.for_each(|label| editor.program(label, ExpressionRole::Label));
        Ok(editor.finish())
    }
}

/// What an expression is.
#[derive(Clone, Copy, PartialEq)]
enum ExpressionRole {
    /// The expression of a local or the collection of a dynamic block, which other expressions read.
    Read,
    /// The expression of an attribute.
    Result,
    /// A label of a dynamic block.
    Label,
}

/// Replaces expressions of a text by literals.
struct Editor<'s, 't> {
    known: Specializer<'s>,
    arena: &'s Arena,
    text: &'t str,
    /// Evaluates literals.
    judge: Session,
    layout: Arc<Layout>,
    /// The bytes that literals may still take.
    room: usize,
    edits: Vec<(Range<usize>, String)>,
}

impl Editor<'_, '_> {
    /// Replaces the known parts of a program, or all of it.
    fn program(&mut self, program: &Program, role: ExpressionRole) {
        let determined = program.determined(|Slot(slot)| self.known.is_determined(slot));
        let (tree, root) = program.expression();
        determined.fold(tree, |first, part| {
            if !self.is_replaceable(tree, part) || self.arena.budget().exhausted().is_some() {
                return None;
            }
            let whole = role != ExpressionRole::Label && part == root;
            let alone = program.part(first, part).ok()?;
            let evaluation = evaluate_in(self.arena, Tier::Baseline, &alone, self.known.values()).ok()?;
            let most = if whole { self.room } else { self.room.min(LONGEST_PART) };
            let value = evaluation.value;
            // A value of this many bytes has a literal that is at least a tenth as long.
            size_within(value, most.saturating_mul(10))?;
            let exactly = !(whole && role == ExpressionRole::Result);
            if !evaluation.diagnostics.is_empty()
                || exactly && !has_precision_of_literals(value)
                || !whole && self.known.conceals(&alone)
            {
                return None;
            }
            let literal = self.literal(program, value, most, exactly)?;
            self.room -= literal.len();
            let span = tree.span(part);
            let literal = if whole { literal } else { format!("({literal})") };
            self.edits.push((cast::index(span.start)..cast::index(span.end), literal));
            Some(Value::NULL)
        });
    }

    /// Returns true if a literal may take the place of a node. The parts of templates are texts and directives,
    /// and a heredoc ends in a line of its own.
    fn is_replaceable(&self, tree: &Tree, id: NodeId) -> bool {
        match tree.node(id) {
            Node::Template(_) | Node::TemplateJoin(_) => false,
            _ => !tree.span(id).slice(self.text).starts_with('%'),
        }
    }

    /// Returns the literal of a value, unless it is longer than `most` or does not give exactly the value.
    fn literal(&mut self, program: &Program, value: Value<'_>, most: usize, exactly: bool) -> Option<String> {
        let mut text = String::new();
        write_literal(&mut text, value, most)?;
        let literal = program.engine().compile(&text, &self.layout).ok()?;
        let scope = program.engine().scope(&self.layout);
        let found = self.judge.run(&literal, &scope).ok()?;
        let equal = if exactly { identical } else { same };
        equal(&Arena::new(), found, value).then_some(text)
    }

    fn finish(mut self) -> String {
        self.edits.sort_by_key(|(range, _)| range.start);
        let mut text = String::with_capacity(self.text.len());
        let mut from = 0;
        for (range, literal) in self.edits {
            text.push_str(self.text.get(from..range.start).unwrap_or(""));
            text.push_str(&literal);
            from = range.end;
        }
        text.push_str(self.text.get(from..).unwrap_or(""));
        text
    }
}

/// Returns true if all numbers of a value have the precision of literals, so that computing with literals in
/// their place gives the same results.
fn has_precision_of_literals(value: Value<'_>) -> bool {
    if let View::Number(number) = value.view() {
        return number.precision() == Width::Full.bits();
    }
    let items = value.as_items().unwrap_or_default().iter();
    let members = value.as_entries().unwrap_or_default().iter().map(|entry| &entry.value);
    items.chain(members).all(|part| has_precision_of_literals(*part))
}

/// Writes a value as an expression, up to about `most` bytes. Returns `None` if it is longer or has no literal.
/// Recurses as deep as the value is nested, which is limited.
fn write_literal(text: &mut String, value: Value<'_>, most: usize) -> Option<()> {
    match value.view() {
        View::Null(_) => text.push_str("null"),
        View::Bool(value) => text.push_str(if value { "true" } else { "false" }),
        View::Number(number) => write!(text, "{number}").ok()?,
        View::String(value) => write_text(text, value),
        View::Tuple(items) => write_items(text, items, most)?,
        View::List(items, _) => within(text, "tolist(", |text| write_items(text, items, most))?,
        View::Set(items, _) => within(text, "toset(", |text| write_items(text, items, most))?,
        View::Object(entries) | View::Map(entries, _) => {
            let is_map = matches!(value.view(), View::Map(..));
            text.push_str(if is_map { "tomap({" } else { "{" });
            for (at, entry) in entries.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { " " });
                write_text(text, entry.name);
                text.push_str(" = ");
                write_literal(text, entry.value, most)?;
            }
            text.push_str(if entries.is_empty() { "}" } else { " }" });
            if is_map {
                text.push(')');
            }
        }
        _ => return None,
    }
    (text.len() <= most).then_some(())
}

fn within(text: &mut String, call: &str, body: impl FnOnce(&mut String) -> Option<()>) -> Option<()> {
    text.push_str(call);
    body(text)?;
    text.push(')');
    Some(())
}

fn write_items(text: &mut String, items: &[Value<'_>], most: usize) -> Option<()> {
    text.push('[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        write_literal(text, *item, most)?;
    }
    text.push(']');
    Some(())
}

/// Writes a quoted string. The markers of templates are escaped.
fn write_text(text: &mut String, value: &str) {
    text.push('"');
    let mut before = ' ';
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            // Behind a marker of its kind it would be a part of that.
            '$' | '%' if chars.peek() == Some(&'{') && before == c => {
                text.push_str(if c == '$' { "\\u0024" } else { "\\u0025" });
            }
            '$' | '%' if chars.peek() == Some(&'{') => text.extend([c, c]),
            c if c.is_control() => {
                // Writing to a text cannot fail.
                let _ = write!(text, "\\U{:08X}", u32::from(c));
            }
            c => text.push(c),
        }
        before = c;
    }
    text.push('"');
}
