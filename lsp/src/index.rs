//! The names of a document, each with its role and with what it refers to.
//!
//! ```text
//! locals { n = 1 }        n: definition of local.n
//! x = [for v in a.b :     v: definition of a bound name   a: variable, path a   b: member, path a.b
//!      v + local.n]       v: the bound name   local: root   n: local.n
//! ```
//! One pass over the bodies and the nodes of their expressions, with a stack in place of recursion. Names that `for`
//! expressions, `dynamic` blocks and functions bind have the scopes that the language gives them.

use std::collections::{HashMap, HashSet};

use hclvm::diagnostics::Span;
use hclvm::syntax::tree::{LexMode, Node, NodeId, StepKind, StepList, TokenKind, Tree, lex};
use hclvm::{Attribute, Block, Body, Document};
use hclvm_dialects::{DefinedBy, NameDefinition};

use crate::lines::size;

/// The most steps of a traversal that are members with paths: the texts of longer chains would take quadratic space.
const LONGEST_PATH: usize = 12;

/// The most parameters of a function that are bound: each name in it is compared with all of them.
const MOST_PARAMETERS: usize = 256;

/// The syntactic role of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRole {
    /// The name of an attribute.
    Attribute,
    /// The type of a block.
    BlockType,
    /// A label of a block.
    Label,
    /// A variable that the host sets.
    Variable,
    /// The root of references to definitions of the file or of its module, such as `local`.
    Root,
    /// A part of a value, or a defined name behind its root.
    Member,
    /// A function that is called.
    Function,
    /// A name that a `for` expression, a `dynamic` block or a function binds.
    Bound,
    /// A written name of an object.
    Key,
    /// A word of a type, such as `string`.
    Type,
}

/// The thing that a name refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NameTarget {
    /// A definition of the file or of its module, by its path: `local.n`, `data.http.page`.
    Defined(String),
    /// A bound name, by its number.
    Bound(usize),
    /// A function.
    Function(String),
    /// A variable or a part of one: `user.name`.
    Path(String),
}

/// A name of a document.
#[derive(Clone, Debug)]
pub(crate) struct IndexedName {
    /// Its range, without quotes.
    pub(crate) span: Span,
    pub(crate) role: NameRole,
    pub(crate) target: Option<NameTarget>,
    /// True where the target is defined.
    pub(crate) defines: bool,
}

/// A bound name.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    /// The range in which it is visible.
    pub(crate) scope: Span,
    /// The expression or block that binds it.
    pub(crate) kind: BindingKind,
    /// The binding around it, by its number.
    outer: Option<usize>,
}

/// The construct that binds a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BindingKind {
    /// A `for` expression.
    For,
    /// A `dynamic` block with an attribute `iterator`.
    Iterator,
    /// A `dynamic` block whose label is the name; the byte before which `iterator = NAME` can be written.
    Label(u32),
    /// A parameter of a function that a block defines.
    Parameter,
}

/// A definition.
#[derive(Clone, Debug)]
pub(crate) struct IndexedDefinition {
    /// Its path, `local.n`. That of a name which a block defines for itself has the place of the block, see [`own_root`].
    pub(crate) path: String,
    /// The range of the name.
    pub(crate) name: Span,
}

/// The names of a document.
#[derive(Debug, Default)]
pub(crate) struct NameIndex {
    /// In the order of the text.
    pub(crate) names: Vec<IndexedName>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) definitions: Vec<IndexedDefinition>,
    /// Roots that are read as a whole, `local` in `keys(local)`: such an expression may read any name below the root.
    pub(crate) whole_roots: HashSet<String>,
    /// The numbers of names by their targets.
    by_target: HashMap<NameTarget, Vec<usize>>,
}

impl NameIndex {
    /// Returns the name at a byte, also directly behind it.
    pub(crate) fn at(&self, offset: u32) -> Option<&IndexedName> {
        let behind = self.names.partition_point(|name| name.span.start <= offset);
        let name = self.names[..behind].last()?;
        (offset <= name.span.end).then_some(name)
    }

    /// Iterates over the names that refer to a target.
    pub(crate) fn of<'i>(&'i self, target: &NameTarget) -> impl Iterator<Item = &'i IndexedName> + use<'i> {
        self.by_target.get(target).into_iter().flatten().map(|at| &self.names[*at])
    }

    /// Returns the number of names that refer to a target, without its definitions.
    pub(crate) fn uses(&self, target: &NameTarget) -> usize {
        self.of(target).filter(|name| !name.defines).count()
    }

    /// Returns the definition of a path.
    pub(crate) fn definition(&self, path: &str) -> Option<&IndexedDefinition> {
        self.definitions.iter().find(|one| one.path == path)
    }

    /// Iterates over the bound names that are visible at a byte.
    pub(crate) fn visible(&self, offset: u32) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |one| (one.scope.start..=one.scope.end).contains(&offset))
    }

    /// Reads the names of a document in the native syntax.
    pub(crate) fn new(document: &Document, definitions: &[NameDefinition]) -> Self {
        if document.is_json() {
            return Self::default();
        }
        let text = document.source().text();
        let mut reader =
            IndexReader { text, tree: document.tree(), definitions, own: None, index: Self::default() };
        reader.bodies(document.body());
        let mut index = reader.index;
        index.names.sort_by_key(|name| (name.span.start, name.span.end));
        for (at, name) in index.names.iter().enumerate() {
            if let Some(target) = &name.target {
                index.by_target.entry(target.clone()).or_default().push(at);
            }
        }
        index
    }
}

/// Returns what the paths of names begin with that a block of the top level defines for itself: `local@120`.
pub(crate) fn own_root(root: &str, block: Block<'_>) -> String {
    format!("{root}@{}", block.span().start)
}

/// Returns the path of a definition as references write it.
pub(crate) fn as_written(path: &str) -> String {
    let root = path.split('.').next().unwrap_or(path);
    let (written, rest) = (root.split('@').next().unwrap_or(root), &path[root.len()..]);
    format!("{written}{rest}")
}

/// The names visible in an expression: the innermost binding.
type Environment = Option<usize>;

/// The names that a block of the top level defines for itself, with their roots.
struct OwnNames<'d> {
    block: Block<'d>,
    names: HashSet<(&'static str, &'d str)>,
}

impl OwnNames<'_> {
    fn defines(&self, root: &str, name: &str) -> bool {
        self.names.contains(&(root, name))
    }
}

struct IndexReader<'d> {
    text: &'d str,
    tree: &'d Tree,
    definitions: &'d [NameDefinition],
    own: Option<OwnNames<'d>>,
    index: NameIndex,
}

impl<'d> IndexReader<'d> {
    fn add(&mut self, span: Span, role: NameRole, target: Option<NameTarget>, defines: bool) {
        self.index.names.push(IndexedName { span, role, target, defines });
    }

    fn bind(&mut self, name: &str, scope: Span, kind: BindingKind, outer: Environment) -> usize {
        self.index.bindings.push(Binding { name: name.to_owned(), scope, kind, outer });
        self.index.bindings.len() - 1
    }

    fn lookup(&self, name: &str, mut at: Environment) -> Option<usize> {
        while let Some(binding) = at {
            let one = &self.index.bindings[binding];
            if one.name == name {
                return Some(binding);
            }
            at = one.outer;
        }
        None
    }

    /// Reads the bodies of a file. The iterator of a `dynamic` block is visible in its `labels` and its `content`, and the
    /// parameters of a function in all of its attributes.
    fn bodies(&mut self, file: Body<'d>) {
        let mut open = vec![(file, None, None::<Block<'d>>, 0_usize)];
        while let Some((body, environment, owner, depth)) = open.pop() {
            // The blocks in one of the top level are read before the next one.
            if depth <= 1 {
                self.own = owner.map(|block| self.own_names(block));
            }
            let is_dynamic = owner.is_some_and(|block| block.kind() == "dynamic");
            let inner = if is_dynamic { self.iterator(owner, environment) } else { environment };
            let is_function = depth == 1
                && owner
                    .is_some_and(|block| block.kind() == "function" && block.attribute("params").is_some());
            let inner = if is_function { self.parameters(owner, inner) } else { inner };
            for attribute in body.attributes() {
                let definition = owner.and_then(|block| self.defined_by_attribute(block, depth));
                let target = definition.map(|one| {
                    let path = self.path(one.root, attribute.name(), depth > 1);
                    self.define(&path, attribute.name_span());
                    NameTarget::Defined(path)
                });
                let defines = target.is_some();
                self.add(attribute.name_span(), NameRole::Attribute, target, defines);
                let name = attribute.name();
                if is_dynamic && name == "iterator"
                    || is_function && matches!(name, "params" | "variadic_param")
                {
                    continue;
                }
                let is_type = name == "type" && owner.is_some_and(|block| block.kind() == "variable");
                let visible = if is_dynamic && name == "for_each" { environment } else { inner };
                self.expression(attribute, visible, is_type);
            }
            for block in body.blocks() {
                self.header(block, depth);
                let visible = if is_dynamic && block.kind() == "content" { inner } else { environment };
                let visible = if is_function { inner } else { visible };
                open.push((block.body(), visible, Some(block), depth + 1));
            }
        }
    }

    fn defined_by_attribute(&self, block: Block<'d>, depth: usize) -> Option<&'d NameDefinition> {
        let by = match depth {
            1 => DefinedBy::Attributes,
            2 => DefinedBy::NestedAttributes,
            _ => return None,
        };
        self.definitions.iter().find(|one| one.by == by && one.block == block.kind())
    }

    /// Returns the names that a block defines for itself.
    fn own_names(&self, block: Block<'d>) -> OwnNames<'d> {
        let nested = self.definitions.iter().filter(|one| one.by == DefinedBy::NestedAttributes);
        let names = nested.flat_map(|one| {
            let blocks = block.body().blocks_of(one.block);
            blocks.flat_map(|block| block.body().attributes()).map(|attribute| (one.root, attribute.name()))
        });
        OwnNames { block, names: names.collect() }
    }

    /// Returns the path of a name.
    fn path(&self, root: &str, name: &str, is_own: bool) -> String {
        match &self.own {
            Some(own) if is_own => format!("{}.{name}", own_root(root, own.block)),
            _ => format!("{root}.{name}"),
        }
    }

    fn define(&mut self, path: &str, name: Span) {
        self.index.definitions.push(IndexedDefinition { path: path.to_owned(), name });
    }

    /// Adds the type and the labels of a block.
    fn header(&mut self, block: Block<'d>, depth: usize) {
        self.add(block.kind_span(), NameRole::BlockType, None, false);
        let labels: Vec<(&str, Span)> = block.labels().zip(block.label_spans()).collect();
        let of_labels =
            |one: &&NameDefinition| matches!(one.by, DefinedBy::Labels(_)) && one.block == block.kind();
        let definition = self.definitions.iter().find(of_labels).filter(|_| depth == 0);
        let is_function = depth == 0 && block.kind() == "function" && labels.len() == 1;
        let last = labels.len().saturating_sub(1);
        let mut path = definition.map(|one| one.root.to_owned());
        for (at, (label, span)) in labels.into_iter().enumerate() {
            if block.kind() == "dynamic" && block.attribute("iterator").is_none() {
                // The iterator adds it.
                continue;
            }
            let span = self.unquoted(span);
            if is_function {
                let target = NameTarget::Function(label.to_owned());
                self.define(&format!("{label}()"), span);
                self.add(span, NameRole::Label, Some(target), true);
                continue;
            }
            let Some(path) = &mut path else {
                self.add(span, NameRole::Label, None, false);
                continue;
            };
            path.push('.');
            path.push_str(label);
            if at == last {
                self.define(path, span);
                self.add(span, NameRole::Label, Some(NameTarget::Defined(path.clone())), true);
            } else {
                self.add(span, NameRole::Label, None, false);
            }
        }
    }

    /// Binds the iterator of a dynamic block.
    fn iterator(&mut self, block: Option<Block<'d>>, outer: Environment) -> Environment {
        let block = block?;
        if let Some(attribute) = block.attribute("iterator") {
            let name = attribute.keyword()?;
            let binding = self.bind(name, block.span(), BindingKind::Iterator, outer);
            self.add(attribute.expression_span(), NameRole::Bound, Some(NameTarget::Bound(binding)), true);
            return Some(binding);
        }
        let (label, span) = (block.labels().next()?, block.label_spans().next()?);
        let before = block.attribute("for_each").map_or(span.start, |one| one.name_span().start);
        let binding = self.bind(label, block.span(), BindingKind::Label(before), outer);
        let span = self.unquoted(span);
        self.add(span, NameRole::Label, Some(NameTarget::Bound(binding)), true);
        Some(binding)
    }

    /// Binds the parameters of a function.
    fn parameters(&mut self, block: Option<Block<'d>>, outer: Environment) -> Environment {
        let block = block?;
        let mut environment = outer;
        for name in ["params", "variadic_param"] {
            let Some(attribute) = block.attribute(name) else { continue };
            let (first, root) = attribute.nodes();
            let tree = self.tree;
            let names = (first.0..=root.0).map(NodeId).filter_map(|id| match tree.node(id) {
                Node::Traversal { root, steps } if tree.steps(steps).is_empty() => Some((id, root)),
                _ => None,
            });
            for (id, root) in names.take(MOST_PARAMETERS) {
                let binding = self.bind(tree.name(root), block.span(), BindingKind::Parameter, environment);
                self.add(tree.span(id), NameRole::Bound, Some(NameTarget::Bound(binding)), true);
                environment = Some(binding);
            }
        }
        environment
    }

    /// Returns the range of a label or text without its quotes.
    fn unquoted(&self, span: Span) -> Span {
        let text = span.slice(self.text);
        if text.len() >= 2 && text.starts_with('"') && text.ends_with('"') {
            Span::new(span.start + 1, span.end - 1)
        } else {
            span
        }
    }

    /// Reads the names of an expression.
    fn expression(&mut self, attribute: Attribute<'d>, environment: Environment, is_type: bool) {
        let mut open = vec![(attribute.nodes().1, environment)];
        let mut children = Vec::new();
        while let Some((id, environment)) = open.pop() {
            match self.tree.node(id) {
                Node::Traversal { root, steps } => {
                    let root = self.tree.name(root).as_str();
                    self.traversal(id, root, steps, environment, is_type);
                }
                Node::RelativeTraversal { steps, .. } => self.members(None, steps, 0),
                Node::Call(call) => {
                    let call = self.tree.call(call);
                    let (role, target) = if is_type {
                        (NameRole::Type, None)
                    } else {
                        (NameRole::Function, Some(NameTarget::Function(call.name.to_string())))
                    };
                    self.add(call.name_span, role, target, false);
                }
                Node::ObjectKey { expr, forced: false } => {
                    if let Node::Traversal { steps, .. } = self.tree.node(expr)
                        && self.tree.steps(steps).is_empty()
                    {
                        let span = self.tree.span(expr);
                        self.add(span, NameRole::Key, None, false);
                        continue;
                    }
                }
                Node::For(details) => {
                    let inner = self.for_names(id, environment);
                    let details = self.tree.for_expr(details);
                    open.push((details.collection, environment));
                    let parts = [details.key, Some(details.value), details.condition];
                    open.extend(parts.into_iter().flatten().map(|part| (part, inner)));
                    continue;
                }
                Node::Template(parts) => {
                    if let Some((text, span)) = self.plain_text(id, self.tree.list(parts)) {
                        self.text_reference(text, span);
                    }
                }
                _ => {}
            }
            children.clear();
            self.tree.children(id, &mut children);
            open.extend(children.iter().map(|child| (*child, environment)));
        }
    }

    fn plain_text(&self, id: NodeId, parts: &[NodeId]) -> Option<(&'d str, Span)> {
        let [part] = parts else { return None };
        let Node::Text(text) = self.tree.node(*part) else { return None };
        let span = self.unquoted(self.tree.span(id));
        let text = self.tree.text(text);
        (span.slice(self.text) == text).then_some((text, span))
    }

    /// Adds a text that names a definition by its labels, such as `"source.null.x"`.
    fn text_reference(&mut self, text: &str, span: Span) {
        let Some((root, _)) = text.split_once('.') else { return };
        let is_root = |one: &NameDefinition| {
            matches!(one.by, DefinedBy::Labels(_)) && one.root == root && one.block == root
        };
        if !self.definitions.iter().any(is_root) || text.len() > 200 {
            return;
        }
        let last = text.rfind('.').map_or(0, |at| at + 1);
        let span = Span::new(span.start + size(last), span.end);
        self.add(span, NameRole::Member, Some(NameTarget::Defined(text.to_owned())), false);
    }

    /// Binds the names of a `for` expression or directive.
    fn for_names(&mut self, id: NodeId, environment: Environment) -> Environment {
        let Node::For(details) = self.tree.node(id) else { return environment };
        let details = self.tree.for_expr(details).clone();
        let collection = self.tree.span(details.collection);
        let head = Span::new(details.open.start, collection.start.max(details.open.start));
        let scope = Span::new(collection.end, self.tree.span(id).end.max(collection.end));
        let lexed = lex(head.slice(self.text), LexMode::Expression);
        let words: Vec<Span> = lexed
            .tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Ident)
            .map(|token| token.span)
            .collect();
        // `for`, the names, `in`.
        let mut words = words.into_iter().skip(1);
        let mut inner = environment;
        for name in details.key_name.into_iter().chain([details.value_name]) {
            let name = self.tree.name(name).to_string();
            let binding = self.bind(&name, scope, BindingKind::For, inner);
            if let Some(word) = words.next() {
                let span = Span::new(head.start + word.start, head.start + word.end);
                self.add(span, NameRole::Bound, Some(NameTarget::Bound(binding)), true);
            }
            inner = Some(binding);
        }
        inner
    }

    fn traversal(
        &mut self,
        id: NodeId,
        root: &'d str,
        steps: StepList,
        environment: Environment,
        is_type: bool,
    ) {
        let span = self.tree.root_span(id);
        if is_type {
            self.add(span, NameRole::Type, None, false);
            return;
        }
        if let Some(binding) = self.lookup(root, environment) {
            self.add(span, NameRole::Bound, Some(NameTarget::Bound(binding)), false);
            self.members(None, steps, 0);
            return;
        }
        let defined = self.definitions.iter().any(|one| one.root == root);
        if !defined {
            self.add(span, NameRole::Variable, Some(NameTarget::Path(root.to_owned())), false);
            self.members(Some((root.to_owned(), false)), steps, 0);
            return;
        }
        self.add(span, NameRole::Root, None, false);
        let is_named = |step: &hclvm::syntax::tree::TraversalStep| match step.kind {
            StepKind::Attribute(_) => true,
            StepKind::Index(key) => matches!(self.tree.node(key), Node::Text(_)),
        };
        if !self.tree.steps(steps).first().is_some_and(is_named) {
            self.index.whole_roots.insert(root.to_owned());
        }
        let labels = self.definitions.iter().filter(|one| one.root == root).map(|one| match one.by {
            DefinedBy::Attributes | DefinedBy::NestedAttributes => 1,
            DefinedBy::Labels(count) => count,
        });
        let labels = labels.max().unwrap_or(1);
        self.members(Some((root.to_owned(), true)), steps, labels);
    }

    /// Adds the steps of a traversal. The first `labels` of them are the name of a definition.
    fn members(&mut self, path: Option<(String, bool)>, steps: StepList, labels: usize) {
        let (mut path, is_defined) = match path {
            Some((path, is_defined)) => (Some(path), is_defined),
            None => (None, false),
        };
        for (at, step) in self.tree.steps(steps).iter().enumerate() {
            let found = match step.kind {
                StepKind::Attribute(name) => {
                    let name = self.tree.name(name).as_str();
                    Some((name, Span::new(step.span.end.saturating_sub(size(name.len())), step.span.end)))
                }
                StepKind::Index(key) => match self.tree.node(key) {
                    Node::Text(text) => {
                        let text = self.tree.text(text);
                        // `["name"]`: the text is within the quotes, unless it has escapes.
                        let written = step.span.slice(self.text);
                        let at = written.find('"').map(|at| step.span.start + size(at) + 1);
                        at.map(|at| (text, Span::new(at, at + size(text.len())))).filter(|(text, span)| {
                            self.text.get(span.start as usize..span.end as usize) == Some(*text)
                        })
                    }
                    _ => None,
                },
            };
            let Some((name, span)) = found else {
                path = None;
                continue;
            };
            if at >= LONGEST_PATH {
                path = None;
            }
            let target = path.as_mut().map(|path| {
                let own = self.own.as_ref().filter(|_| at == 0 && is_defined);
                if let Some(own) = own.filter(|own| own.defines(path, name)) {
                    *path = own_root(path, own.block);
                }
                path.push('.');
                path.push_str(name);
                if is_defined && at < labels {
                    NameTarget::Defined(path.clone())
                } else {
                    NameTarget::Path(path.clone())
                }
            });
            self.add(span, NameRole::Member, target, false);
        }
    }
}
