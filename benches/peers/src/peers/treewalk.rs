//! hclvm's tree-walker: the parser, values and operations of hclvm without bytecode, to show the
//! difference that bytecode makes.

use std::hint::black_box;
use std::sync::Arc;

use hclvm::functions::FunctionTable;
use hclvm::{Engine, Layout, Scope, Undefined, Value};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::{BodyItem, NodeId, Tree};
use hclvm_compiler::{ParseLimits, parse_config, parse_expression};
use hclvm_treewalk::Walker;
use hclvm_vm::{Arena, Limits, Names};
use hclvm_workloads::{body, rules};

use super::setting::{Sources, alter, shown};
use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, keep, one};
use crate::task::{Form, Task, Work};

/// The peer.
pub const PEER: Peer = Peer { name: super::WALKER, prepare };

fn prepare(task: Task) -> Prepared {
    let Some(walking) = Walking::new(task)? else { return Ok(None) };
    match (task.work, task.form) {
        // Parsing alone: it evaluates the tree.
        (Work::Compile, _) => {
            let text = body::text();
            let parse = move |_| parse_config(&*text, &ParseLimits::default());
            Ok(one(task.turn(), parse, |parsed| Answer::of(parsed.tree.body(parsed.body).items.len())))
        }
        (Work::Expression(workload), Form::Compile) => {
            let text = workload.text();
            let parse = move |_| parse_expression(&text, &ParseLimits::default());
            Ok(one(task.turn(), parse, |_| Answer::of(1)))
        }
        (Work::Expression(workload), Form::Json | Form::Struct | Form::Owned) => {
            let scope = walking.engine.scope(&walking.layout);
            Ok(Some(Box::new(Setting {
                walker: walking.expression(&workload.text())?,
                sources: Sources::of(task, &scope)?.ok_or("a form without a source")?,
                scope,
                layout: walking.layout,
                arena: Arena::with_limits(Limits::default()),
                turn: task.turn(),
            })))
        }
        (Work::Expression(workload), Form::Warm | Form::Cold) => {
            walked(vec![walking.expression(&workload.text())?], walking.slots, task)
        }
        (Work::Expression(workload), form) if form.altered() => {
            walked(vec![walking.expression(&workload.text())?], walking.slots, task)
        }
        (Work::Body(attributes), Form::Warm) => {
            walked(walking.attributes(&attributes.text())?, walking.slots, task)
        }
        (Work::Expression(workload), Form::Batch) => {
            let walkers = vec![walking.expression(&workload.text())?];
            let (mut arena, slots) = (Arena::with_limits(Limits::default()), walking.slots);
            let once = move |_| {
                slots.iter().map(|slots| holds(&walkers[0], slots, &mut arena)).collect::<Vec<bool>>()
            };
            Ok(one(task.turn(), once, Answer::of))
        }
        (Work::Rules, _) => {
            let (walkers, slots) = (walking.attributes(&rules::text())?, walking.slots);
            let mut arena = Arena::with_limits(Limits::default());
            let once = move |at: usize| {
                let mut holding = Vec::new();
                for (number, walker) in walkers.iter().enumerate() {
                    if holds(walker, &slots[at], &mut arena) {
                        holding.push(number);
                    }
                }
                holding
            };
            Ok(one(task.turn(), once, Answer::of))
        }
        _ => Ok(None),
    }
}

fn holds(walker: &Walker<'_>, slots: &[Value<'_>], arena: &mut Arena) -> bool {
    arena.reset();
    walker.run(slots, arena).value.as_bool() == Some(true)
}

fn walked(walkers: Vec<Walker<'static>>, slots: Vec<Vec<Value<'static>>>, task: Task) -> Prepared {
    let arena = Arena::with_limits(Limits::default());
    Ok(Some(Box::new(Walked { walkers, slots, arena, turn: task.turn() })))
}

/// The environment of the walkers, and the values of the scopes by slot.
struct Walking {
    engine: Engine,
    layout: Arc<Layout>,
    functions: &'static FunctionTable,
    slots: Vec<Vec<Value<'static>>>,
}

impl Walking {
    /// Returns the environment of a task; `None` if it is one of another form of body.
    fn new(task: Task) -> Result<Option<Self>, Failure> {
        if matches!(task.form, Form::Inside | Form::OneByOne | Form::OwnedResult | Form::JsonResult) {
            return Ok(None);
        }
        let engine = Engine::standard();
        let layout = Arc::new(Layout::new(task.variables().iter().copied()));
        let slots: Result<_, Failure> = task
            .scopes()
            .iter()
            .map(|text| {
                let mut scope = engine.scope(&layout);
                scope.set_all_json(text.as_str())?;
                alter(task, &mut scope)?;
                Ok(slots(keep(scope), &layout))
            })
            .collect();
        Ok(Some(Self { slots: slots?, engine, layout, functions: keep(hclvm::functions::standard()) }))
    }

    fn walker(
        &self,
        text: &'static str,
        tree: &'static Tree,
        first: NodeId,
        root: NodeId,
    ) -> Walker<'static> {
        let environment = Environment {
            layout: Some(keep(Layout::clone(&self.layout))),
            functions: Some(self.functions),
            undefined: Undefined::Error,
            short_circuit: true,
            names: keep(Names::default()),
            source: text,
        };
        Walker::new(tree, first, root, environment)
    }

    fn expression(&self, text: &str) -> Result<Walker<'static>, Failure> {
        let text: &'static str = keep(text.to_owned());
        let parsed = keep(parse_expression(text, &ParseLimits::default()));
        Ok(self.walker(text, &parsed.tree, NodeId(0), parsed.root))
    }

    fn attributes(&self, text: &str) -> Result<Vec<Walker<'static>>, Failure> {
        let text: &'static str = keep(text.to_owned());
        let parsed = keep(parse_config(text, &ParseLimits::default()));
        let tree = &parsed.tree;
        let attributes = tree.body(parsed.body).items.iter().filter_map(|item| match *item {
            BodyItem::Attribute(index) => Some(tree.attribute(index)),
            BodyItem::Block(_) => None,
        });
        Ok(attributes
            .map(|attribute| self.walker(text, tree, attribute.first_node, attribute.expr))
            .collect())
    }
}

fn slots<'s>(scope: &'s Scope, layout: &Layout) -> Vec<Value<'s>> {
    layout.names().iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect()
}

fn answered(walker: &Walker<'_>, slots: &[Value<'_>]) -> Result<Answer, Failure> {
    let arena = Arena::with_limits(Limits::default());
    let evaluation = walker.run(slots, &arena);
    if !evaluation.faults.is_empty() || evaluation.exhausted.is_some() {
        return Err("the walker found faults".into());
    }
    shown(evaluation.value)
}

/// Walkers run one by one, each with an empty arena.
struct Walked {
    walkers: Vec<Walker<'static>>,
    slots: Vec<Vec<Value<'static>>>,
    arena: Arena,
    turn: Turn,
}

impl Contender for Walked {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let answers: Result<Vec<_>, _> =
            self.walkers.iter().map(|walker| answered(walker, &self.slots[scope])).collect();
        let answers = answers?;
        Ok(if let [answer] = answers.as_slice() { answer.clone() } else { Answer::list(&answers) })
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let slots = &self.slots[black_box(self.turn.step())];
            for walker in &self.walkers {
                self.arena.reset();
                black_box(walker.run(slots, &self.arena).value);
            }
        }
    }
}

/// Sets the scope in each evaluation.
struct Setting {
    walker: Walker<'static>,
    scope: Scope,
    sources: Sources,
    layout: Arc<Layout>,
    arena: Arena,
    turn: Turn,
}

impl Contender for Setting {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        self.sources.set(&mut self.scope, scope)?;
        answered(&self.walker, &slots(&self.scope, &self.layout))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            if self.sources.set(&mut self.scope, black_box(self.turn.step())).is_ok() {
                self.arena.reset();
                black_box(self.walker.run(&slots(&self.scope, &self.layout), &self.arena).value);
            }
        }
    }
}
