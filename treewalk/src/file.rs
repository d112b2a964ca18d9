//! Whole files by the tree-walker: locals in dependency order, then the attributes of all bodies, and the
//! blocks that `dynamic` blocks make. The result lists everything in the order of the file.
//!
//! Every `dynamic` block must be written as one: with `for_each`, and with one `content`.

use std::collections::{BTreeMap, BTreeSet};

use hclvm_compiler::analysis::{self, Need};
use hclvm_compiler::locate::locate;
use hclvm_compiler::lower::{Environment, Undefined};
use hclvm_compiler::tree::{BodyId, BodyItem, Node, NodeId, Tree};
use hclvm_compiler::{ParseLimits, parse_config};
use hclvm_vm::{
    Arena, Entry, FunctionTable, Layout, Marks, Names, Number, Record, Span, Type, Value, View, convert,
};

use crate::Walker;

/// A file prepared for walking.
#[derive(Debug)]
pub struct FileWalker<'t> {
    tree: &'t Tree,
    environment: Environment<'t>,
    /// Locals by name, in the order of the text.
    locals: Vec<(&'t str, Expression<'t>)>,
    /// The locals, each after those that it reads.
    order: Vec<usize>,
    body: Body<'t>,
}

/// What the expressions of a file may use.
#[derive(Clone, Copy, Debug)]
pub struct Language<'l> {
    /// The names of the scope.
    pub layout: &'l Layout,
    /// The functions; `None` if none may be called.
    pub functions: Option<&'l FunctionTable>,
    /// The meaning of other names.
    pub undefined: Undefined,
    /// True if one operand of `&&` and `||` may decide alone.
    pub short_circuit: bool,
}

/// Parses a file and lends a walker of it, which refers to its tree. Returns `None` if the text has syntax errors.
pub fn with_file<R>(
    text: &str,
    language: &Language<'_>,
    walk: impl FnOnce(&FileWalker<'_>) -> R,
) -> Option<R> {
    let parsed = parse_config(text, &ParseLimits::default());
    let names = Names::new();
    let Language { layout, functions, undefined, short_circuit } = *language;
    let environment = Environment {
        layout: Some(layout),
        functions,
        undefined,
        short_circuit,
        names: &names,
        source: text,
    };
    parsed.diagnostics.is_empty().then(|| walk(&FileWalker::new(&parsed.tree, parsed.body, environment)))
}

#[derive(Debug)]
struct Expression<'t> {
    walker: Walker<'t>,
    first: NodeId,
    span: Span,
    /// The locals that it reads.
    uses: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct Body<'t> {
    attributes: Vec<(&'t str, Expression<'t>)>,
    blocks: Vec<Block<'t>>,
}

#[derive(Debug)]
enum Block<'t> {
    Written {
        kind: &'t str,
        labels: Vec<&'t str>,
        body: Body<'t>,
    },
    Dynamic {
        kind: &'t str,
        iterator: Option<usize>,
        for_each: Expression<'t>,
        labels: Vec<Expression<'t>>,
        content: Body<'t>,
    },
}

/// An item of the result.
#[derive(Clone, Debug)]
pub enum Item<'a> {
    /// An attribute.
    Attribute(&'a str, Value<'a>),
    /// The type and the labels of a block, whose items follow.
    Begin(&'a str, Vec<&'a str>),
    /// The end of the block begun last.
    End,
    /// The type of the blocks of a collection that is not known, and the collection.
    Pending(&'a str, Value<'a>),
}

/// A problem that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its title.
    pub title: String,
    /// What it says; `None` if that is not known here, or must not show values.
    pub detail: Option<String>,
    /// Its place.
    pub span: Span,
}

/// The result of an evaluation.
#[derive(Debug, Default)]
pub struct WalkedFile<'a> {
    /// The locals, sorted by name.
    pub locals: BTreeMap<&'a str, Value<'a>>,
    /// Attributes and blocks in the order of the file, those of a body before its blocks.
    pub items: Vec<Item<'a>>,
    /// The problems, those of locals first.
    pub problems: Vec<Problem>,
}

/// A block that a `dynamic` block makes.
struct Instance<'a> {
    labels: Vec<&'a str>,
    element: Value<'a>,
    around: Around<'a>,
}

/// What surrounds a body.
#[derive(Clone, Copy)]
struct Around<'a> {
    marks: Marks<'a>,
}

impl<'t> FileWalker<'t> {
    /// Creates a walker of the file `body`. The environment has a layout.
    pub fn new(tree: &'t Tree, body: BodyId, environment: Environment<'t>) -> Self {
        let mut file =
            Self { tree, environment, locals: Vec::new(), order: Vec::new(), body: Body::default() };
        file.body = file.body(body, true);
        file.order = file.order();
        file
    }

    /// Returns the locals, each after those that it reads, in the order of their names.
    fn order(&self) -> Vec<usize> {
        let places: BTreeMap<&str, usize> =
            self.locals.iter().enumerate().rev().map(|(at, (name, _))| (*name, at)).collect();
        let reads = |(_, local): &(&str, Expression<'t>)| {
            local.uses.iter().filter_map(|name| places.get(name.as_str()).copied()).collect()
        };
        let reads: Vec<Vec<usize>> = self.locals.iter().map(reads).collect();
        analysis::dependency_order(&reads, |_| {})
    }

    fn slot(&self, name: &str) -> Option<usize> {
        Some(usize::from(self.environment.layout?.slot(name)?.0))
    }

    fn expression(&self, first: NodeId, root: NodeId) -> Expression<'t> {
        let need = analysis::referenced_paths(self.tree, [root]).remove("local");
        let uses = need.iter().flat_map(Need::names).map(ToString::to_string).collect();
        let walker = Walker::new(self.tree, first, root, self.environment);
        Expression { walker, first, span: self.tree.span(root), uses }
    }

    fn body(&mut self, id: BodyId, is_file: bool) -> Body<'t> {
        let tree = self.tree;
        let mut body = Body::default();
        for item in &tree.body(id).items {
            match *item {
                BodyItem::Attribute(at) => body.attributes.push(self.attribute(at)),
                BodyItem::Block(at) => {
                    let block = tree.block(at);
                    let kind = tree.name(block.kind).as_str();
                    let labels: Vec<&str> = block.labels.iter().map(|label| label.text.as_str()).collect();
                    if kind == "locals" && is_file {
                        let locals = self.body(block.body, false).attributes;
                        self.locals.extend(locals);
                    } else if kind == "dynamic" {
                        let made = self.dynamic(block.body, labels.first().copied().unwrap_or_default());
                        body.blocks.extend(made);
                    } else {
                        let inner = self.body(block.body, false);
                        body.blocks.push(Block::Written { kind, labels, body: inner });
                    }
                }
            }
        }
        body
    }

    fn attribute(&self, at: u32) -> (&'t str, Expression<'t>) {
        let attribute = self.tree.attribute(at);
        let name = self.tree.attribute_name(attribute, self.environment.source);
        (name, self.expression(attribute.first_node, attribute.expr))
    }

    fn dynamic(&mut self, id: BodyId, kind: &'t str) -> Option<Block<'t>> {
        let tree = self.tree;
        let (mut for_each, mut labels, mut iterator, mut content) = (None, Vec::new(), kind, None);
        for item in &tree.body(id).items {
            match *item {
                BodyItem::Attribute(at) => {
                    let root = tree.attribute(at).expr;
                    match self.attribute(at) {
                        ("for_each", expression) => for_each = Some(expression),
                        ("iterator", _) => iterator = analysis::keyword(tree, root)?,
                        _ => {
                            let Node::Tuple(nodes) = tree.node(root) else { return None };
                            let nodes = tree.list(nodes).iter();
                            labels =
                                nodes.map(|node| self.expression(tree.first_node(*node), *node)).collect();
                        }
                    }
                }
                BodyItem::Block(at) => content = Some(self.body(tree.block(at).body, false)),
            }
        }
        let iterator = self.slot(iterator);
        Some(Block::Dynamic { kind, iterator, for_each: for_each?, labels, content: content? })
    }

    /// Evaluates the file with the values of the environment's layout, by slot.
    pub fn run<'a>(&'a self, given: &[Value<'a>], arena: &'a Arena) -> WalkedFile<'a> {
        let (values, result) = (given.to_vec(), WalkedFile::default());
        let mut run = Run { file: self, arena, values, result };
        for (name, expression) in self.order.iter().map(|at| &self.locals[*at]) {
            let uses = expression.uses.iter();
            run.set_local(|done| uses.filter_map(|name| done.get_key_value(name.as_str())).collect());
            let value = run.expression(expression, OUTSIDE).0;
            run.result.locals.insert(name, value);
        }
        run.set_local(|done| done.iter().collect());
        run.body(&self.body, OUTSIDE);
        run.result
    }
}

const OUTSIDE: Around<'static> = Around { marks: Marks::NONE };

/// An evaluation of a file.
struct Run<'a, 't> {
    file: &'a FileWalker<'t>,
    arena: &'a Arena,
    values: Vec<Value<'a>>,
    result: WalkedFile<'a>,
}

impl<'a, 't> Run<'a, 't> {
    /// Sets `local` to an object of some locals, in the order of their names.
    fn set_local<'d>(
        &'d mut self,
        some: impl FnOnce(&'d BTreeMap<&'a str, Value<'a>>) -> Vec<(&'d &'a str, &'d Value<'a>)>,
    ) where
        'a: 'd,
    {
        let Some(slot) = self.file.slot("local") else { return };
        let arena = self.arena;
        let some = some(&self.result.locals);
        if self.file.locals.is_empty() {
            return;
        }
        let entries: Vec<Entry<'a>> =
            some.into_iter().map(|(name, value)| arena.entry(name, *value)).collect();
        self.values[slot] = Value::object(arena, arena.slice(&entries));
    }

    /// Evaluates an expression. Returns its value, and true if there were no faults.
    fn expression(&mut self, expression: &'a Expression<'t>, around: Around<'a>) -> (Value<'a>, bool) {
        let evaluation = expression.walker.run(&self.values, self.arena);
        for record in &evaluation.faults {
            let node = NodeId(expression.first.0 + record.node);
            let span = locate(self.file.tree, node, record.place).0;
            let detail = around.marks.is_empty().then(|| record.fault.detail());
            self.result.problems.push(Problem { title: record.fault.title().into_owned(), detail, span });
        }
        let marks = Record::marks_of(self.arena, &evaluation.faults);
        (evaluation.value.with_marks(self.arena, marks), evaluation.faults.is_empty())
    }

    fn problem(&mut self, title: &str, span: Span) {
        self.result.problems.push(Problem { title: title.to_owned(), detail: None, span });
    }

    fn body(&mut self, body: &'a Body<'t>, around: Around<'a>) {
        let made: Vec<_> = body.blocks.iter().map(|block| self.expand(block, around)).collect();
        for (name, expression) in &body.attributes {
            let value = self.expression(expression, around).0.with_marks(self.arena, around.marks);
            self.result.items.push(Item::Attribute(name, value));
        }
        for (block, made) in body.blocks.iter().zip(made) {
            match block {
                Block::Written { kind, labels, body } => {
                    self.result.items.push(Item::Begin(kind, labels.clone()));
                    self.body(body, around);
                    self.result.items.push(Item::End);
                }
                Block::Dynamic { kind, iterator, content, .. } => match made {
                    Made::Nothing => {}
                    Made::Pending(collection) => self.result.items.push(Item::Pending(kind, collection)),
                    Made::Blocks(instances) => {
                        for Instance { labels, element, around } in instances {
                            let outer = self.bind(*iterator, element);
                            self.result.items.push(Item::Begin(kind, labels));
                            self.body(content, around);
                            self.result.items.push(Item::End);
                            self.bind(*iterator, outer);
                        }
                    }
                },
            }
        }
    }

    /// Sets an iterator. Returns the value before.
    fn bind(&mut self, iterator: Option<usize>, value: Value<'a>) -> Value<'a> {
        iterator.map_or(Value::UNSET, |slot| std::mem::replace(&mut self.values[slot], value))
    }

    /// Makes the blocks of a dynamic block.
    fn expand(&mut self, block: &'a Block<'t>, outer: Around<'a>) -> Made<'a> {
        let Block::Dynamic { iterator, for_each, labels, .. } = block else { return Made::Nothing };
        let (value, succeeded) = self.expression(for_each, outer);
        if !succeeded {
            return Made::Nothing;
        }
        let (collection, marks) = value.unmark();
        let has_elements = !matches!(
            collection.type_of(self.arena),
            Type::Bool | Type::Number | Type::String | Type::Capsule(_)
        );
        if collection.is_null() || !has_elements {
            self.problem("Invalid dynamic for_each value", for_each.span);
            return Made::Nothing;
        }
        let around = Around { marks: outer.marks.union(self.arena, marks) };
        let Some(elements) = elements(collection, self.arena) else { return Made::Pending(value) };
        let mut instances = Vec::new();
        for (key, value) in elements {
            let entries = [self.arena.entry("key", key), self.arena.entry("value", value)];
            let element = Value::object(self.arena, self.arena.slice(&entries));
            let before = self.bind(*iterator, element);
            let labels: Option<Vec<&str>> = labels.iter().map(|label| self.label(label, around)).collect();
            self.bind(*iterator, before);
            instances.extend(labels.map(|labels| Instance { labels, element, around }));
        }
        Made::Blocks(instances)
    }

    fn label(&mut self, label: &'a Expression<'t>, around: Around<'a>) -> Option<&'a str> {
        let (value, succeeded) = self.expression(label, around);
        if !succeeded {
            return None;
        }
        let text = convert(self.arena, value, Type::String).ok();
        let text = text.filter(|text| text.is_known() && !text.is_null()).and_then(Value::as_str);
        if text.is_none() {
            self.problem("Invalid dynamic block label", label.span);
        }
        text
    }
}

enum Made<'a> {
    Nothing,
    /// The collection is not known.
    Pending(Value<'a>),
    Blocks(Vec<Instance<'a>>),
}

/// Returns the keys and values of a collection; `None` if it is not known.
fn elements<'a>(collection: Value<'a>, arena: &'a Arena) -> Option<Vec<(Value<'a>, Value<'a>)>> {
    Some(match collection.view() {
        View::Object(entries) | View::Map(entries, _) => {
            entries.iter().map(|entry| (Value::str(arena, entry.name), entry.value)).collect()
        }
        View::Set(items, _) => items.iter().map(|item| (*item, *item)).collect(),
        View::Tuple(items) | View::List(items, _) => {
            let keys = (0_i64..).map(|at| Value::number(arena, Number::from(at)));
            keys.zip(items.iter().copied()).collect()
        }
        _ => return None,
    })
}
