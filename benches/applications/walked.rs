//! Evaluates a whole document with the tree-walker: locals in dependency order, then the attributes of all
//! bodies, `dynamic` blocks once for each element. Only for documents and scopes without problems.

use hclvm::functions::FunctionTable;
use hclvm::value::View;
use hclvm::{Layout, Module, Scope, Undefined, Value};
use hclvm_compiler::analysis::{self, Need};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::{BodyId, BodyItem, NodeId, Tree};
use hclvm_compiler::{ParseLimits, ParsedConfig, parse_config};
use hclvm_treewalk::Walker;
use hclvm_vm::{Arena, Entry, Names, Number};

use crate::Failure;

/// A document prepared for walking. It is leaked, so it lives as long as the program.
#[derive(Debug)]
pub(crate) struct Walked {
    layout: &'static Layout,
    /// The slot of `local`, if it is read.
    local: Option<usize>,
    locals: Vec<WalkedLocal>,
    body: WalkedBody,
}

#[derive(Debug)]
struct WalkedLocal {
    name: String,
    walker: Walker<'static>,
    /// Indices of the locals that it reads.
    uses: Vec<usize>,
}

#[derive(Debug, Default)]
struct WalkedBody {
    attributes: Vec<Walker<'static>>,
    blocks: Vec<WalkedBlock>,
}

#[derive(Debug)]
enum WalkedBlock {
    Plain(WalkedBody),
    Dynamic {
        iterator: usize,
        for_each: Walker<'static>,
        labels: Option<Walker<'static>>,
        content: WalkedBody,
    },
}

/// The source that walkers are built from.
struct WalkedSource {
    text: &'static str,
    tree: &'static Tree,
    layout: &'static Layout,
    functions: &'static FunctionTable,
}

fn keep<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

impl Walked {
    pub(crate) fn new(text: &str, module: &Module, functions: &FunctionTable) -> Result<Self, Failure> {
        let text: &'static str = keep(text.to_owned());
        let parsed: &'static ParsedConfig = keep(parse_config(text, &ParseLimits::default()));
        let layout: &'static Layout = keep(Layout::clone(module.document().layout()));
        let source = WalkedSource { text, tree: &parsed.tree, layout, functions: keep(functions.clone()) };
        let names: Vec<&str> = module.locals().collect();
        Ok(Self {
            layout,
            local: source.slot("local").ok(),
            locals: names
                .iter()
                .map(|name| source.local(parsed.body, name, &names))
                .collect::<Result<_, _>>()?,
            body: source.body(parsed.body, true)?,
        })
    }

    /// Returns the values of a scope by slot.
    pub(crate) fn slots<'a>(&self, scope: &'a Scope) -> Vec<Value<'a>> {
        self.layout.names().iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect()
    }

    /// Returns the values of all attributes, those of a body before those of its blocks.
    pub(crate) fn evaluate<'a>(&'a self, given: &[Value<'a>], arena: &'a Arena) -> Vec<Value<'a>> {
        let mut slots = given.to_vec();
        let mut done: Vec<Value<'a>> = Vec::with_capacity(self.locals.len());
        for local in &self.locals {
            if let Some(slot) = self.local {
                slots[slot] = self.object(local.uses.iter().copied(), &done, arena);
            }
            done.push(local.walker.run(&slots, arena).value);
        }
        if let Some(slot) = self.local.filter(|_| !self.locals.is_empty()) {
            slots[slot] = self.object(0..self.locals.len(), &done, arena);
        }
        let mut values = Vec::new();
        self.body.evaluate(&mut slots, arena, &mut values);
        values
    }

    /// Returns the values of the attributes outside of `dynamic` blocks. The given values include the
    /// locals.
    pub(crate) fn attributes<'a>(&'a self, given: &[Value<'a>], arena: &'a Arena) -> Vec<Value<'a>> {
        let mut values = Vec::new();
        self.body.attributes(given, arena, &mut values);
        values
    }

    fn object<'a>(
        &'a self,
        of: impl Iterator<Item = usize>,
        done: &[Value<'a>],
        arena: &'a Arena,
    ) -> Value<'a> {
        let mut entries: Vec<Entry<'a>> = of.map(|at| arena.entry(&self.locals[at].name, done[at])).collect();
        entries.sort_by_key(|entry| entry.name);
        Value::object(arena, arena.slice(&entries))
    }
}

impl WalkedBody {
    fn attributes<'a>(&'a self, slots: &[Value<'a>], arena: &'a Arena, values: &mut Vec<Value<'a>>) {
        values.extend(self.attributes.iter().map(|attribute| attribute.run(slots, arena).value));
        for block in &self.blocks {
            if let WalkedBlock::Plain(body) = block {
                body.attributes(slots, arena, values);
            }
        }
    }

    fn evaluate<'a>(&'a self, slots: &mut Vec<Value<'a>>, arena: &'a Arena, values: &mut Vec<Value<'a>>) {
        for attribute in &self.attributes {
            values.push(attribute.run(slots, arena).value);
        }
        for block in &self.blocks {
            match block {
                WalkedBlock::Plain(body) => body.evaluate(slots, arena, values),
                WalkedBlock::Dynamic { iterator, for_each, labels, content } => {
                    for (key, value) in elements(for_each.run(slots, arena).value, arena) {
                        let entries = [arena.entry("key", key), arena.entry("value", value)];
                        slots[*iterator] = Value::object(arena, arena.slice(&entries));
                        if let Some(labels) = labels {
                            labels.run(slots, arena);
                        }
                        content.evaluate(slots, arena, values);
                    }
                }
            }
        }
    }
}

fn elements<'a>(collection: Value<'a>, arena: &'a Arena) -> Vec<(Value<'a>, Value<'a>)> {
    match collection.view() {
        View::Object(entries) | View::Map(entries, _) => {
            entries.iter().map(|entry| (Value::str(arena, entry.name), entry.value)).collect()
        }
        _ => {
            let items = (0_i64..).zip(collection.as_items().unwrap_or_default());
            items.map(|(at, item)| (Value::number(arena, Number::from(at)), *item)).collect()
        }
    }
}

impl WalkedSource {
    fn slot(&self, name: &str) -> Result<usize, Failure> {
        Ok(usize::from(self.layout.slot(name).ok_or("the name has no slot")?.0))
    }

    fn walker(&self, first: NodeId, root: NodeId) -> Walker<'static> {
        let environment = Environment {
            layout: Some(self.layout),
            functions: Some(self.functions),
            undefined: Undefined::Error,
            short_circuit: true,
            names: keep(Names::default()),
            source: self.text,
        };
        Walker::new(self.tree, first, root, environment)
    }

    fn local(&self, file: BodyId, name: &str, names: &[&str]) -> Result<WalkedLocal, Failure> {
        let blocks = self.tree.body(file).items.iter().filter_map(|item| match *item {
            BodyItem::Block(block) => Some(self.tree.block(block)),
            BodyItem::Attribute(_) => None,
        });
        let locals = blocks.filter(|block| self.tree.name(block.kind) == "locals");
        let mut attributes = locals.flat_map(|block| &self.tree.body(block.body).items);
        let found = attributes.find_map(|item| match *item {
            BodyItem::Attribute(at) => {
                Some(self.tree.attribute(at)).filter(|at| self.tree.attribute_name(at, self.text) == name)
            }
            BodyItem::Block(_) => None,
        });
        let attribute = found.ok_or("the local is defined")?;
        let need = analysis::referenced_paths(self.tree, [attribute.expr]).remove("local");
        let used: Vec<&str> = need.iter().flat_map(Need::names).map(|name| name.as_str()).collect();
        Ok(WalkedLocal {
            name: name.to_owned(),
            walker: self.walker(attribute.first_node, attribute.expr),
            uses: (0..names.len()).filter(|at| used.contains(&names[*at])).collect(),
        })
    }

    fn body(&self, id: BodyId, is_file: bool) -> Result<WalkedBody, Failure> {
        let mut body = WalkedBody::default();
        for item in &self.tree.body(id).items {
            match *item {
                BodyItem::Attribute(at) => {
                    let attribute = self.tree.attribute(at);
                    body.attributes.push(self.walker(attribute.first_node, attribute.expr));
                }
                BodyItem::Block(at) => {
                    let block = self.tree.block(at);
                    match self.tree.name(block.kind).as_str() {
                        "locals" if is_file => {}
                        "dynamic" => {
                            let made = block.labels.first().ok_or("a dynamic block has a label")?;
                            body.blocks.push(self.dynamic(block.body, &made.text)?);
                        }
                        _ => body.blocks.push(WalkedBlock::Plain(self.body(block.body, false)?)),
                    }
                }
            }
        }
        Ok(body)
    }

    fn dynamic(&self, id: BodyId, kind: &str) -> Result<WalkedBlock, Failure> {
        let (mut for_each, mut labels, mut iterator, mut content) = (None, None, kind.to_owned(), None);
        for item in &self.tree.body(id).items {
            match *item {
                BodyItem::Attribute(at) => {
                    let attribute = self.tree.attribute(at);
                    let walker = self.walker(attribute.first_node, attribute.expr);
                    match self.tree.attribute_name(attribute, self.text) {
                        "for_each" => for_each = Some(walker),
                        "labels" => labels = Some(walker),
                        _ => {
                            let text = &self.text[attribute.equals.end as usize..attribute.span.end as usize];
                            text.trim().clone_into(&mut iterator);
                        }
                    }
                }
                BodyItem::Block(at) => content = Some(self.body(self.tree.block(at).body, false)?),
            }
        }
        Ok(WalkedBlock::Dynamic {
            iterator: self.slot(&iterator)?,
            for_each: for_each.ok_or("a dynamic block has a collection")?,
            labels,
            content: content.ok_or("a dynamic block has content")?,
        })
    }
}
