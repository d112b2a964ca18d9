//! Lints of names: local values without their prefix, and words that are bools elsewhere.

use std::collections::{HashMap, HashSet};

use hclvm_compiler::tree::{Node, NodeId, StepKind};
use hclvm_vm::{Span, cast, codes, nearest};

use super::file::LintedFile;
use crate::structure::module::locals::{LOCAL, LOCALS};
use crate::syntax::document::Document;

/// Words for true and false in other languages.
const BOOLS: [(&str, &str); 8] = [
    ("yes", "true"),
    ("no", "false"),
    ("on", "true"),
    ("off", "false"),
    ("Yes", "true"),
    ("No", "false"),
    ("On", "true"),
    ("Off", "false"),
];

/// Warns about the names of a file. Names that a `for` expression or a dynamic block declares are not those of
/// variables.
pub(super) fn lint(file: &mut LintedFile<'_>) {
    misspelled_block(file);
    let nodes: Vec<NodeId> = file.nodes().collect();
    let keys: HashSet<NodeId> = nodes
        .iter()
        .filter_map(|id| match file.tree.node(*id) {
            Node::ObjectKey { expr, forced: false } => Some(expr),
            _ => None,
        })
        .collect();
    let blocks = BlockPaths::of(file.document);
    for id in nodes.into_iter().filter(|id| !keys.contains(id)) {
        let Node::Traversal { root, steps } = file.tree.node(id) else { continue };
        let name = file.tree.name(root).as_str();
        if file.bound.contains(name) || name == LOCAL {
            continue;
        }
        block_as_variable(file, &blocks, id, name);
        let first = file.tree.steps(steps).first().map(|step| step.kind);
        match first {
            Some(StepKind::Attribute(step))
                if name.eq_ignore_ascii_case(LOCALS) || name.eq_ignore_ascii_case(LOCAL) =>
            {
                misspelled_prefix(file, id, name, file.tree.name(step).as_str());
            }
            _ => {
                without_prefix(file, id, name);
                if first.is_none() {
                    word_for_bool(file, id, name);
                }
            }
        }
    }
}

/// Warns about `local { }` and the like in a file that reads locals and defines none.
fn misspelled_block(file: &mut LintedFile<'_>) {
    let body = file.document.body();
    if !file.locals.is_empty() || !file.reads_locals() {
        return;
    }
    let is_meant = |kind: &str| kind != LOCALS && nearest(kind, [LOCALS]).is_some();
    let blocks: Vec<_> =
        body.blocks().filter(|block| block.labels().next().is_none() && is_meant(block.kind())).collect();
    for block in blocks {
        let detail = format!("Local values are in blocks `{LOCALS}`; this is a block `{}`.", block.kind());
        let span = start_of(block.header_span(), block.kind().len());
        file.warn(codes::MISSPELLED_LOCALS, detail, span).additions_mut().propose(span, LOCALS);
    }
}

/// Warns about `locals.n`.
fn misspelled_prefix(file: &mut LintedFile<'_>, id: NodeId, name: &str, local: &str) {
    if !file.locals.contains_key(local) {
        return;
    }
    file.mention(local);
    let detail = format!(
        "`{name}` is a variable that the scope has to set. The local value is read as `local.{local}`."
    );
    let span = start_of(file.tree.span(id), name.len());
    file.warn(codes::LOCAL_PREFIX, detail, span).additions_mut().propose(span, LOCAL);
}

/// Warns about `n` where only the local value `n` exists in the file and nothing reads that.
fn without_prefix(file: &mut LintedFile<'_>, id: NodeId, name: &str) {
    if !file.locals.contains_key(name) || file.reads_local(name) || file.is_part {
        return;
    }
    file.mention(name);
    let detail = format!(
        "`{name}` is a variable that the scope has to set. The local value is read as `local.{name}`."
    );
    let span = start_of(file.tree.span(id), name.len());
    file.warn(codes::LOCAL_PREFIX, detail, span).additions_mut().propose(span, format!("{LOCAL}.{name}"));
}

/// The blocks of a file by the paths that people read them by, each with the range of its header.
struct BlockPaths<'d> {
    /// By type, labels and the name of an attribute: `rule.x.when`.
    attributes: HashMap<Vec<&'d str>, Span>,
    /// The blocks of type `variable` by their first label.
    variables: HashMap<&'d str, Span>,
    /// The length of the longest path.
    longest: usize,
}

impl<'d> BlockPaths<'d> {
    /// Blocks with more labels are not looked for.
    const MOST_LABELS: usize = 8;

    fn of(document: &'d Document) -> Self {
        let mut paths = Self { attributes: HashMap::new(), variables: HashMap::new(), longest: 0 };
        for block in document.body().blocks().filter(|block| block.kind() != LOCALS) {
            let (kind, header) = (block.kind(), block.header_span());
            let mut path: Vec<&str> = std::iter::once(kind).chain(block.labels()).collect();
            if kind == "variable"
                && let Some(label) = path.get(1)
            {
                paths.variables.entry(label).or_insert(header);
            }
            if path.len() > 1 + Self::MOST_LABELS {
                continue;
            }
            for attribute in block.body().attributes() {
                path.push(attribute.name());
                paths.longest = paths.longest.max(path.len());
                paths.attributes.entry(path.clone()).or_insert(header);
                path.pop();
            }
        }
        paths
    }
}

/// Warns about `tags.env` and `rule.x.when` where the file has such a block with such an attribute.
fn block_as_variable(file: &mut LintedFile<'_>, blocks: &BlockPaths<'_>, id: NodeId, name: &str) {
    let Node::Traversal { steps, .. } = file.tree.node(id) else { return };
    let path: Option<Vec<&str>> = file
        .tree
        .steps(steps)
        .iter()
        .map(|step| match step.kind {
            StepKind::Attribute(name) => Some(file.tree.name(name).as_str()),
            StepKind::Index(key) => match file.tree.node(key) {
                Node::Text(text) => Some(file.tree.text(text)),
                _ => None,
            },
        })
        .collect();
    let Some(path) = path else { return };
    // Terraform and Packer read `variable` blocks as `var`.
    let variable = path.first().filter(|_| name == "var").and_then(|first| blocks.variables.get(first));
    let read = || {
        let path: Vec<&str> = std::iter::once(name).chain(path.iter().copied()).collect();
        let ends = 2..=path.len().min(blocks.longest);
        ends.into_iter().find_map(|end| blocks.attributes.get(&path[..end]))
    };
    let (header, advice) = match variable {
        Some(header) => (
            *header,
            "Blocks of type \"variable\" declare nothing here: the host sets variables, and they are read by their names alone.",
        ),
        None if file.is_part => return,
        None => match read() {
            Some(header) => {
                (*header, "Put the value into a block `locals`, and read it from there as `local.NAME`.")
            }
            None => return,
        },
    };
    let detail = format!(
        "{} reads the variable `{name}`, which the scope has to set, and not the block on line {}. {advice}",
        file.quoted(id),
        file.document.source().position(header.start).line
    );
    file.warn(codes::BLOCK_AS_VARIABLE, detail, file.tree.span(id));
}

/// Warns about `yes`.
fn word_for_bool(file: &mut LintedFile<'_>, id: NodeId, name: &str) {
    let Some((_, literal)) = BOOLS.iter().find(|(word, _)| *word == name) else { return };
    let detail =
        format!("`{name}` is a variable that the scope has to set. The literals are `true` and `false`.");
    let span = file.tree.span(id);
    file.warn(codes::WORD_FOR_BOOL, detail, span).additions_mut().propose(span, *literal);
}

fn start_of(span: Span, length: usize) -> Span {
    Span::new(span.start, span.start + cast::length(length))
}
