//! hclvm's tree-walker: the parser, values and operations of hclvm without bytecode, to show the
//! difference that bytecode makes.

use std::hint::black_box;
use std::sync::Arc;

use hclvm::functions::FunctionTable;
use hclvm::{Engine, Json, Layout, Scope, Undefined, Value};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::{BodyItem, NodeId, Tree};
use hclvm_compiler::{ParseLimits, parse_config, parse_expression};
use hclvm_treewalk::Walker;
use hclvm_vm::{Arena, Limits, Names};
use hclvm_workloads::{DECISION, body};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, keep, one};
use crate::task::Task;

/// The peer.
pub const PEER: Peer = Peer { name: "our tree-walker", prepare };

fn prepare(task: Task) -> Prepared {
    let texts = task.scopes();
    Ok(match task {
        Task::Expression(workload) => {
            let walking = Walking::new(&texts)?;
            let walker = walking.expression(&workload.text())?;
            Some(Box::new(Walked::new(vec![walker], walking.slots)))
        }
        Task::Body => {
            let walking = Walking::new(&texts)?;
            let walkers = walking.attributes(&body::text())?;
            Some(Box::new(Walked::new(walkers, walking.slots)))
        }
        // Parsing alone: it evaluates the tree.
        Task::Compile => {
            let text = body::text();
            one(
                1,
                move |_| parse_config(&*text, &ParseLimits::default()),
                |parsed| Answer::of(parsed.tree.body(parsed.body).items.len()),
            )
        }
        Task::Request => {
            let walking = Walking::new(&texts)?;
            Some(Box::new(Requests {
                walker: walking.expression(DECISION)?,
                scope: walking.engine.scope(&walking.layout),
                layout: walking.layout,
                arena: Arena::with_limits(Limits::default()),
                turn: Turn::of(texts.len()),
                texts,
            }))
        }
    })
}

/// The environment of the walkers, and the values of the scopes by slot.
struct Walking {
    engine: Engine,
    layout: Arc<Layout>,
    functions: &'static FunctionTable,
    slots: Vec<Vec<Value<'static>>>,
}

impl Walking {
    fn new(texts: &[String]) -> Result<Self, Failure> {
        let engine = Engine::standard();
        let first: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(texts.first().ok_or("no scope")?)?;
        let layout = Arc::new(Layout::new(first.keys().cloned()));
        let slots: Result<_, Failure> = texts
            .iter()
            .map(|text| {
                let mut scope = engine.scope(&layout);
                scope.set_all_json(text.as_str())?;
                Ok(slots(keep(scope), &layout))
            })
            .collect();
        Ok(Self { slots: slots?, engine, layout, functions: keep(hclvm::functions::standard()) })
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

fn shown(walker: &Walker<'_>, slots: &[Value<'_>]) -> Result<Answer, Failure> {
    let arena = Arena::with_limits(Limits::default());
    let evaluation = walker.run(slots, &arena);
    if !evaluation.faults.is_empty() || evaluation.exhausted.is_some() {
        return Err("the walker found faults".into());
    }
    Answer::of(Json(evaluation.value))
}

/// Walkers run one by one, each with an empty arena.
struct Walked {
    walkers: Vec<Walker<'static>>,
    slots: Vec<Vec<Value<'static>>>,
    arena: Arena,
    turn: Turn,
}

impl Walked {
    fn new(walkers: Vec<Walker<'static>>, slots: Vec<Vec<Value<'static>>>) -> Self {
        let turn = Turn::of(slots.len());
        Self { walkers, slots, arena: Arena::with_limits(Limits::default()), turn }
    }
}

impl Contender for Walked {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        let answers: Result<Vec<_>, _> =
            self.walkers.iter().map(|walker| shown(walker, &self.slots[scope])).collect();
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

/// Reads requests and decides them.
struct Requests {
    walker: Walker<'static>,
    scope: Scope,
    layout: Arc<Layout>,
    arena: Arena,
    texts: Vec<String>,
    turn: Turn,
}

impl Contender for Requests {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        self.scope.set_all_json(self.texts[scope].as_str())?;
        shown(&self.walker, &slots(&self.scope, &self.layout))
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let text = &self.texts[self.turn.step()];
            if self.scope.set_all_json(text.as_str()).is_ok() {
                self.arena.reset();
                black_box(self.walker.run(&slots(&self.scope, &self.layout), &self.arena).value);
            }
        }
    }
}
