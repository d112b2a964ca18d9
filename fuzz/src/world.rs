//! An engine and a scope with a value of every kind. `second` evaluates with its values.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::value::{Refinement, Unknown, marks_from};
use hclvm::{Dialect, Engine, Layout, Limits, Program, Scope, Session, Type, Value};
use hclvm_vm::set_from;

use crate::{Outcome, describe};

/// The names of the variables.
const NAMES: [&str; 17] =
    ["a", "s", "b", "l", "t", "o", "m", "z", "n", "u", "us", "ul", "k", "kl", "big", "e", "unset"];

/// An engine with a scope, which evaluates expressions on both tiers.
#[derive(Debug)]
pub struct World {
    /// The engine.
    pub engine: Engine,
    /// The names of the variables.
    pub layout: Arc<Layout>,
    /// The values of the variables.
    pub scope: Scope,
    best: Session,
    full: Session,
}

impl Default for World {
    fn default() -> Self {
        let engine = engine();
        let layout = Arc::new(Layout::new(NAMES));
        let mut scope = engine.scope(&layout);
        fill(&mut scope);
        let [best, mut full] = [(); 2].map(|()| engine.session());
        full.set_tier(Tier::Baseline);
        Self { engine, layout, scope, best, full }
    }
}

/// Creates an engine that has compiled nothing. Its function table is created once.
pub fn engine() -> Engine {
    thread_local! {
        static DIALECT: Dialect = Dialect::standard();
    }
    Engine::builder().dialect(DIALECT.with(Dialect::clone)).limits(limits()).build()
}

/// Returns small limits, so that an input takes milliseconds.
pub(crate) fn limits() -> Limits {
    Limits { fuel: 100_000, arena_bytes: 16 << 20, digits: 5_000, text_bytes: 1 << 20, ..Limits::untrusted() }
}

fn fill(scope: &mut Scope) {
    let plain = serde_json::json!({
        "a": 7, "s": "text \u{e9}", "b": true,
        "t": [1, "two", null, [3.5], {"x": false}],
        "o": {"x": 1, "y": {"z": ["deep"]}, "items": [{"id": 1}, {"id": 2}]},
        "e": [], "n": null,
    });
    for (name, value) in plain.as_object().into_iter().flatten() {
        scope.set(name, value).expect("the value is small");
    }
    let mut build = |name: &str, make: for<'a> fn(&'a hclvm::value::Arena) -> Value<'a>| {
        scope.build(name, |arena| Ok(make(arena))).expect("the value is small");
    };
    build("l", |arena| {
        let items = [3, 1, 2].map(Value::int);
        Value::list(arena, arena.slice(&items), Type::Number)
    });
    build("m", |arena| {
        let entries = ["p", "q"].map(|name| arena.entry(name, Value::str(arena, name)));
        Value::map(arena, arena.slice(&entries), Type::String)
    });
    build("z", |arena| set_from(arena, &["v", "w"].map(|text| Value::str(arena, text)), Type::String));
    build("u", |_| Value::DYNAMIC);
    build("us", |arena| {
        let refinement = Refinement { not_null: true, prefix: "pre-", ..Refinement::default() };
        Unknown { ty: Type::String, refinement }.settle(arena)
    });
    build("ul", |arena| {
        let ty = Type::List(arena.item(Type::Number));
        Value::unknown_of(arena, ty)
    });
    build("k", |arena| Value::str(arena, "secret").with_marks(arena, marks_from(arena, &["sensitive"])));
    build("kl", |arena| {
        let marked = Value::int(2).with_marks(arena, marks_from(arena, &["sensitive"]));
        Value::tuple(arena, arena.slice(&[Value::int(1), marked]))
    });
    build("big", |arena| {
        Value::number(arena, hclvm::value::Number::parse_text("1.25e400").expect("it is a number"))
    });
}

impl World {
    /// Compiles a text, if it is valid.
    pub fn compile(&self, text: &str, is_template: bool) -> Option<Program> {
        let compiled = if is_template {
            self.engine.compile_template(text, &self.layout)
        } else {
            self.engine.compile(text, &self.layout)
        };
        compiled.ok()
    }

    /// Returns the results of a program on the fast tier, if it has fast code, and on the baseline tier.
    pub fn both(&mut self, program: &Program) -> [Outcome; 2] {
        let scope = &self.scope;
        [&mut self.best, &mut self.full].map(|session| {
            let evaluation = session.evaluate(program, scope).ok()?;
            Some(describe(evaluation.value, &evaluation.diagnostics))
        })
    }
}
