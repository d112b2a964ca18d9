//! One expression by every evaluator.

use std::sync::Arc;

use hclvm::diagnostics::Additions;
use hclvm::functions::FunctionTable;
use hclvm::ingest::Ingest;
use hclvm::run::Tier;
use hclvm::value::{Arena, convert};
use hclvm::{Engine, Layout, OwnedValue, Program, Scope, Type, Undefined, Value};
use hclvm_compiler::locate::locate;
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::{NodeId, Tree};
use hclvm_compiler::{ParseLimits, parse_expression, parse_json_expression};
use hclvm_treewalk::Walker;
use hclvm_vm::Names;
use hclvm_vm::ops::equality::same;
use serde_json::json;

use crate::influence::contents::{Place, Variant};

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) text: String,
    /// True for an expression in JSON.
    pub(crate) json: bool,
    /// True for a construct within another one.
    pub(crate) nested: bool,
}

impl Form {
    /// Returns the places of the marked value with which it is run: those that differ most for a nested form.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let nested = self.nested;
        Place::ALL
            .into_iter()
            .filter(move |place| !nested || matches!(place, Place::Whole | Place::Attribute))
    }
}

/// A compiled form.
pub(crate) struct Compiled {
    program: Program,
    tree: Tree,
    root: NodeId,
    text: String,
}

/// What a diagnostic shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) title: String,
    pub(crate) detail: String,
    pub(crate) span: Option<(u32, u32)>,
    /// What is reported beside the sentence; the tree-walker reveals nothing.
    pub(crate) additions: Option<Box<Additions>>,
}

/// Reasons that a message may show of a marked value: they are about what the place requires.
const REASONS: [&str; 5] = [
    "Unsuitable index: expected a number, found a string that does not denote one.",
    "This value has no element with that index.",
    "expected a number, found a string that does not denote one",
    "expected a bool, found a string that is neither \"true\" nor \"false\"",
    "the reason is not shown, because it could reveal a hidden value",
];

impl Problem {
    /// Returns the beginning of the sentence, up to a text that was found: the tree-walker does not show it.
    fn without_text(&self) -> &str {
        self.detail.split(", found a string that ").next().unwrap_or_default()
    }

    /// Returns the message without reasons that may be shown.
    pub(crate) fn revealing(&self) -> String {
        let told = format!("{} {:?}", self.detail, self.additions);
        REASONS.iter().fold(told, |told, reason| told.replace(reason, "…"))
    }
}

/// An engine with its functions and variables.
pub(crate) struct World {
    engine: Engine,
    table: FunctionTable,
    layout: Arc<Layout>,
}

/// The variables beside `m`: unmarked, and unknown where the type is not that of the JSON.
fn others() -> Vec<(&'static str, Option<serde_json::Value>, Type<'static>)> {
    let strings = &Type::String;
    vec![
        ("l", Some(json!(["x", "y"])), Type::Dynamic),
        ("o", Some(json!({ "a": "x", "b": "y" })), Type::Dynamic),
        ("tl", Some(json!(["x", "y"])), Type::List(strings)),
        ("ts", Some(json!(["x", "y"])), Type::Set(strings)),
        ("tm", Some(json!({ "a": "x", "x": "y" })), Type::Map(strings)),
        ("u", None, Type::Dynamic),
        ("us", None, Type::String),
        ("un", None, Type::Number),
        ("ub", None, Type::Bool),
        ("ul", None, Type::List(strings)),
    ]
}

impl World {
    pub(crate) fn new(table: FunctionTable) -> Self {
        let engine = Engine::builder().functions(table.clone()).undefined(Undefined::Error).build();
        let names = others().into_iter().map(|(name, ..)| name).chain(["m"]);
        Self { engine, table, layout: Arc::new(Layout::new(names)) }
    }

    pub(crate) fn scope(&self, variant: &Variant) -> Scope {
        let mut scope = self.engine.scope(&self.layout);
        for (name, value, ty) in others() {
            let made = scope.build(name, |arena| match &value {
                Some(value) => Ok(convert(arena, value.ingest(arena)?, ty).expect("it converts")),
                None => Ok(Value::unknown_of(arena, ty)),
            });
            made.expect("it is small");
        }
        scope.build("m", |arena| Ok(variant.build(arena))).expect("it is small");
        scope
    }

    /// Compiles a form; `None` if it is rejected.
    pub(crate) fn compile(&self, form: &Form) -> Option<Compiled> {
        let compiled = if form.json {
            self.engine.compile_json(&form.text, &self.layout)
        } else {
            self.engine.compile(&form.text, &self.layout)
        };
        let parse = if form.json { parse_json_expression } else { parse_expression };
        let parsed = parse(&hclvm_compiler::source::decode(form.text.as_bytes()), &ParseLimits::default());
        let (program, text) = (compiled.ok()?, form.text.clone());
        Some(Compiled { program, tree: parsed.tree, root: parsed.root, text })
    }

    /// Runs a form by every evaluator. All must agree.
    pub(crate) fn run(&self, form: &Compiled, scope: &Scope) -> (OwnedValue, Vec<Problem>) {
        let baseline = self.by_machine(form, scope, Tier::Baseline);
        for (way, other) in [
            ("fast tier", self.by_machine(form, scope, Tier::Best)),
            ("tree-walker", self.by_walker(form, scope)),
        ] {
            let arena = Arena::new();
            let [a, b] = [&baseline.0, &other.0].map(|value| hclvm_vm::copy(&arena, value.get()));
            assert!(same(&arena, a, b), "{}: {a:?} by the baseline tier, {b:?} by the {way}", form.text);
            let are_same = baseline.1.len() == other.1.len()
                && baseline.1.iter().zip(&other.1).all(|(whole, part)| match way {
                    // It neither proposes what to write instead nor shows texts.
                    "tree-walker" => {
                        whole.detail.starts_with(part.without_text())
                            && whole.title == part.title
                            && whole.span == part.span
                    }
                    _ => whole == part,
                });
            assert!(are_same, "{}: {:?}, by the {way} {:?}", form.text, baseline.1, other.1);
        }
        baseline
    }

    fn by_machine(&self, form: &Compiled, scope: &Scope, tier: Tier) -> (OwnedValue, Vec<Problem>) {
        let mut session = self.engine.session();
        session.set_tier(tier);
        let found = session.evaluate(&form.program, scope).expect("no limit is exceeded");
        let problems = found.diagnostics.iter().map(|problem| Problem {
            title: problem.title.to_string(),
            detail: problem.detail.to_string(),
            span: problem.subject.map(|span| (span.start, span.end)),
            additions: problem.additions.clone(),
        });
        (OwnedValue::new(found.value), problems.collect())
    }

    fn by_walker(&self, form: &Compiled, scope: &Scope) -> (OwnedValue, Vec<Problem>) {
        let environment = Environment {
            layout: Some(&self.layout),
            functions: Some(&self.table),
            undefined: Undefined::Error,
            short_circuit: true,
            names: &Names::default(),
            source: &form.text,
        };
        let walker = Walker::new(&form.tree, NodeId(0), form.root, environment);
        let values: Vec<_> =
            self.layout.names().iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect();
        let arena = Arena::new();
        let found = walker.run(&values, &arena);
        let problems = found.faults.iter().map(|record| {
            let (span, _) = locate(&form.tree, NodeId(record.node), record.place);
            let (title, detail) = (record.fault.title().to_string(), record.fault.detail());
            Problem { title, detail, span: Some((span.start, span.end)), additions: None }
        });
        (OwnedValue::new(found.value), problems.collect())
    }
}
