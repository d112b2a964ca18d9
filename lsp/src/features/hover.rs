//! Hover: what a name is, the value under the sample of scopes, and for conditions why they are what they are.

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind};
use hclvm::diagnostics::Span;
use hclvm::show::line;
use hclvm::syntax::tree::{Node, NodeId};
use hclvm::{Attribute, Value};

use super::completion::documentation;
use super::types::with_type;
use crate::analysis::Analysis;
use crate::index::{BindingKind, IndexedName, NameRole, NameTarget, as_written};
use crate::values::FileValues;

/// The most characters of an explanation.
const LONGEST_WHY: usize = 4000;

/// Returns what is shown for a byte.
pub(crate) fn hover(analysis: &Analysis, offset: u32) -> Option<Hover> {
    let (span, text) = match analysis.index().at(offset) {
        Some(name) => of_name(analysis, name, offset)?,
        None => of_expression(analysis, offset)?,
    };
    let contents = Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Some(Hover { contents, range: Some(analysis.lines.range(span)) })
}

fn code(text: &str) -> String {
    format!("```hcl\n{text}\n```")
}

fn of_name(analysis: &Analysis, name: &IndexedName, offset: u32) -> Option<(Span, String)> {
    let text = analysis.text();
    let written = name.span.slice(text);
    let found = match (name.role, &name.target) {
        (NameRole::Function, _) => function(analysis, written)?,
        (NameRole::Attribute, _) => {
            let attribute = analysis.document.attribute_at(name.span.start)?;
            of_attribute(analysis, attribute)?
        }
        (NameRole::Bound | NameRole::Label, Some(NameTarget::Bound(binding))) => {
            let kind = match analysis.index().bindings[*binding].kind {
                BindingKind::For => "bound by a `for` expression",
                BindingKind::Iterator | BindingKind::Label(_) => {
                    "the iterator of a `dynamic` block: it has `key` and `value`"
                }
                BindingKind::Parameter => "a parameter",
            };
            format!("`{written}`: {kind}")
        }
        (NameRole::Variable | NameRole::Root | NameRole::Member, _) => {
            let whole = traversal(analysis, name.span)?;
            let mut path = whole.slice(text).to_owned();
            if let Some(NameTarget::Defined(defined)) = &name.target {
                path = as_written(defined);
            }
            let described = |value: Value<'_>| (line(value), value.is_known());
            let value = analysis.values().and_then(|values| match &name.target {
                Some(NameTarget::Defined(defined)) => {
                    values.defined(defined).map(|value| described(value.get()))
                }
                _ => values.expression(analysis, &path, described),
            });
            let ty = with_type(analysis, &path, offset, hclvm::show::type_text).flatten();
            match (value, ty) {
                (Some((value, true)), _) | (Some((value, false)), None) => {
                    format!("{}\n{}", code(&format!("{path} = {value}")), sample_line(analysis))
                }
                (_, Some(ty)) => code(&format!("{path}: {ty}")),
                (None, None) => code(&path),
            }
        }
        (NameRole::BlockType | NameRole::Label, _) => {
            let blocks = analysis.document.blocks_at(offset);
            let block = blocks.last()?;
            let header = block.header_span().slice(text);
            return Some((name.span, code(header)));
        }
        _ => return None,
    };
    Some((name.span, found))
}

/// Returns the range from the root of a traversal to the end of a name in it.
fn traversal(analysis: &Analysis, name: Span) -> Option<Span> {
    let attribute = analysis.document.attribute_at(name.start)?;
    let (first, last) = attribute.nodes();
    let tree = analysis.document.tree();
    let nodes = (first.0..=last.0).map(NodeId);
    let holds = |span: Span| span.start <= name.start && name.end <= span.end;
    let mut found = None::<(Span, Span)>;
    for id in nodes {
        let span = tree.span(id);
        if holds(span) && matches!(tree.node(id), Node::Traversal { .. }) {
            let is_smaller = found.is_none_or(|(known, _)| span.end - span.start < known.end - known.start);
            if is_smaller {
                // Of `a["b"]`, the bracket behind the name belongs to it.
                let end = match tree.node(id) {
                    Node::Traversal { steps, .. } => tree
                        .steps(steps)
                        .iter()
                        .find(|step| holds_in(step.span, name))
                        .map_or(name.end, |step| step.span.end),
                    _ => name.end,
                };
                found = Some((span, Span::new(span.start, end)));
            }
        }
    }
    found.map(|(_, path)| path)
}

fn holds_in(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn function(analysis: &Analysis, name: &str) -> Option<String> {
    let function = analysis.settings.functions.get(name)?;
    let signature = code(&function.typed_signature(name));
    let stub = analysis.settings.project.stubs.iter().any(|stub| stub.function == name);
    let about = if stub {
        "A function of the host; the project file has its answer.".to_owned()
    } else {
        documentation(name, analysis.settings.dialect).unwrap_or_default()
    };
    Some(format!("{signature}\n{about}").trim_end().to_owned())
}

/// Returns the value of an attribute, and why a condition is what it is.
fn of_attribute(analysis: &Analysis, attribute: Attribute<'_>) -> Option<String> {
    let values = analysis.values()?;
    let value = values.attribute(attribute, line)?;
    let mut text = code(&format!("{} = {value}", attribute.name()));
    text = format!("{text}\n{}", sample_line(analysis));
    if matches!(value.as_str(), "true" | "false") {
        text.push_str(&why(values, attribute));
    }
    Some(text)
}

/// Returns why an attribute has its value, as Markdown.
pub(crate) fn why(values: &FileValues, attribute: Attribute<'_>) -> String {
    match values.why(attribute) {
        Some(why) => {
            let mut tree = why.to_string();
            if tree.len() > LONGEST_WHY {
                let end = (0..=LONGEST_WHY).rev().find(|at| tree.is_char_boundary(*at)).unwrap_or(0);
                tree.truncate(end);
                tree.push('…');
            }
            format!("\n\n```text\n{}\n```", tree.trim_end())
        }
        None => String::new(),
    }
}

fn sample_line(analysis: &Analysis) -> String {
    match &analysis.settings.sample.0 {
        Some(name) => format!("under the scope `{name}`"),
        None => String::new(),
    }
}

/// Returns the value of the smallest part of an expression at a byte that is no name and reads no bound name.
fn of_expression(analysis: &Analysis, offset: u32) -> Option<(Span, String)> {
    let attribute = analysis.document.attribute_at(offset)?;
    let (first, last) = attribute.nodes();
    let tree = analysis.document.tree();
    let holds = |span: Span| span.start <= offset && offset < span.end;
    let is_operation = |node: Node| {
        matches!(
            node,
            Node::Binary { .. }
                | Node::Unary { .. }
                | Node::Conditional { .. }
                | Node::Call(_)
                | Node::Index { .. }
                | Node::For(_)
                | Node::Splat { .. }
                | Node::Parens(_)
        )
    };
    let nodes = (first.0..=last.0).map(NodeId);
    let nodes = nodes.filter(|id| holds(tree.span(*id)) && is_operation(tree.node(*id)));
    let span = nodes.map(|id| tree.span(id)).min_by_key(|span| span.end - span.start)?;
    let index = analysis.index();
    let first = index.names.partition_point(|name| name.span.start < span.start);
    let mut inside = index.names[first..].iter().take_while(|name| name.span.start < span.end);
    let reads_bound = inside.any(|name| {
        holds_in(span, name.span)
            && matches!(&name.target, Some(NameTarget::Bound(binding)) if !holds_in(span, index.bindings[*binding].scope))
    });
    if reads_bound {
        return None;
    }
    let text = span.slice(analysis.text());
    let value = analysis.values()?.expression(analysis, text, line)?;
    Some((span, format!("{}\n{}", code(&value), sample_line(analysis))))
}
