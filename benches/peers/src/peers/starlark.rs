//! starlark: the configuration language of build systems, in Rust.
//!
//! Each call has a fresh module and evaluator, as its documentation shows; arguments and functions are
//! frozen, so that calls share them.

use std::hint::black_box;

use hclvm_workloads::{ARMS, Workload, body};
use serde_json::Value as Json;
use starlark::environment::{FrozenModule, Globals, Module};
use starlark::eval::Evaluator;
use starlark::syntax::{AstModule, Dialect};
use starlark::values::{FrozenHeapName, OwnedFrozenValue, Value};

use super::INSIDE as EVALUATIONS;
use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, one};
use crate::task::Task;

/// The peer.
pub const PEER: Peer = Peer { name: "starlark", prepare };

/// The peer with many evaluations in one call from the host, which excludes the cost of a call.
pub const INSIDE: Peer = Peer { name: "starlark, 64 evaluations a call", prepare: inside };

fn prepare(task: Task) -> Prepared {
    Ok(match task {
        Task::Expression(workload) => Some(Box::new(Calls::new(task, &block(workload))?)),
        Task::Body => Some(Box::new(Calls::new(task, &body_block())?)),
        Task::Compile => {
            let (globals, text) = (Globals::standard(), source(task, &body_block()));
            one(
                1,
                move |_| loaded(&text, &globals),
                |module| {
                    module?;
                    Answer::of(body::ATTRIBUTES)
                },
            )
        }
        Task::Request => {
            let module = frozen(&source(task, &block(Workload::PolicyCondition)))?;
            let (function, texts) = (module.get(FUNCTION)?, task.scopes());
            one(texts.len(), move |at| decided(&function, &texts[at]), |allowed| Answer::of(allowed?))
        }
    })
}

fn decided(function: &OwnedFrozenValue, text: &str) -> Result<bool, Failure> {
    let request: Json = serde_json::from_str(text)?;
    Module::with_temp_heap(|module| {
        let heap = module.heap();
        let part = |name: &str| heap.alloc(&request[name]);
        let arguments = [part("user"), part("request"), part("resource")];
        let function = heap.access_owned_frozen_value(function);
        let mut evaluator = Evaluator::new(&module);
        let value = evaluator.eval_function(function, &arguments, &[]).map_err(failure)?;
        value.unpack_bool().ok_or_else(|| "no bool".into())
    })
}

const FUNCTION: &str = "evaluate";

/// A function with the arguments of its calls.
struct Calls {
    function: OwnedFrozenValue,
    scopes: Vec<Vec<OwnedFrozenValue>>,
    turn: Turn,
}

impl Calls {
    fn new(task: Task, block: &str) -> Result<Self, Failure> {
        let function = frozen(&source(task, block))?.get(FUNCTION)?;
        let scopes: Result<Vec<_>, Failure> =
            task.scopes().iter().map(|text| arguments(text, parameters(task))).collect();
        let scopes = scopes?;
        Ok(Self { function, turn: Turn::of(scopes.len()), scopes })
    }

    fn call<T>(&self, scope: usize, then: impl FnOnce(Value<'_>) -> T) -> Result<T, Failure> {
        Module::with_temp_heap(|module| {
            let heap = module.heap();
            let mut arguments = [Value::new_none(); 8];
            let scope = &self.scopes[scope];
            for (argument, value) in arguments.iter_mut().zip(scope) {
                *argument = heap.access_owned_frozen_value(value);
            }
            let function = heap.access_owned_frozen_value(&self.function);
            let mut evaluator = Evaluator::new(&module);
            let value = evaluator.eval_function(function, &arguments[..scope.len()], &[]).map_err(failure)?;
            Ok(then(value))
        })
    }
}

impl Contender for Calls {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        Answer::of(self.call(scope, |value| value.to_json_value())??)
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let scope = self.turn.step();
            let _ = black_box(self.call(scope, |value| {
                black_box(value);
            }));
        }
    }
}

fn inside(task: Task) -> Prepared {
    use Workload::{Arithmetic, Fractions, PolicyCondition, Switch};
    let Task::Expression(workload @ (PolicyCondition | Arithmetic | Fractions | Switch)) = task else {
        return Ok(None);
    };
    let calls = Calls::new(task, &block(workload))?;
    let names = parameters(task);
    let parts: Vec<String> = names.iter().map(|name| format!("s[{name:?}]")).collect();
    let all = format!(
        "{}\ndef all(scopes):\n    last = None\n    for s in scopes:\n        last = {FUNCTION}({})\n    return last\n",
        source(task, &block(workload)),
        parts.join(", ")
    );
    let scopes = task.scopes().join(",");
    let all = frozen(&all)?.get("all")?;
    let scopes = arguments(&format!("{{\"scopes\":[{scopes}]}}"), &["scopes"])?;
    let together = Calls { function: all, scopes: vec![scopes], turn: Turn::of(1) };
    Ok(Some(Box::new(Inside { calls, together })))
}

struct Inside {
    calls: Calls,
    together: Calls,
}

impl Contender for Inside {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        self.calls.answer(scope)
    }

    fn run(&mut self, evaluations: u64) {
        // A whole number of calls; the rest of a batch is run one by one.
        self.together.run(evaluations / EVALUATIONS);
        self.calls.run(evaluations % EVALUATIONS);
    }
}

/// Converts the variables of a scope to frozen values.
fn arguments(text: &str, names: &[&str]) -> Result<Vec<OwnedFrozenValue>, Failure> {
    let variables: Json = serde_json::from_str(text)?;
    let module = Module::with_temp_heap(|module| {
        for name in names {
            module.set(name, module.heap().alloc(&variables[*name]));
        }
        module.freeze_named(heap("scope"))
    });
    let module = module.map_err(|error| format!("{error:?}"))?;
    names.iter().map(|name| Ok(module.get(name)?)).collect()
}

fn heap(name: &str) -> FrozenHeapName {
    FrozenHeapName::User(Box::new(name.to_owned()))
}

fn frozen(text: &str) -> Result<FrozenModule, Failure> {
    let globals = Globals::standard();
    Module::with_temp_heap(|module| {
        let ast = AstModule::parse("bench.star", text.to_owned(), &Dialect::Standard).map_err(failure)?;
        Evaluator::new(&module).eval_module(ast, &globals).map_err(failure)?;
        module.freeze_named(heap("bench")).map_err(|error| format!("{error:?}").into())
    })
}

/// Parses and compiles. Freezing, which compiles again, is left out.
fn loaded(text: &str, globals: &Globals) -> Result<(), Failure> {
    Module::with_temp_heap(|module| {
        let ast = AstModule::parse("bench.star", text.to_owned(), &Dialect::Standard).map_err(failure)?;
        Evaluator::new(&module).eval_module(ast, globals).map_err(failure)?;
        Ok(())
    })
}

fn failure(error: starlark::Error) -> Failure {
    error.to_string().into()
}

/// Returns the names of the variables, which are the function's parameters.
fn parameters(task: Task) -> &'static [&'static str] {
    match task {
        Task::Expression(Workload::PolicyCondition) | Task::Request => &["user", "request", "resource"],
        Task::Expression(Workload::Arithmetic) => &["a", "b", "c", "x", "y"],
        Task::Expression(Workload::Fractions) => &["price", "limit"],
        Task::Expression(Workload::ForFilter | Workload::ObjectFor | Workload::Splat) => &["servers"],
        Task::Expression(Workload::Template) => &["host", "port", "tags"],
        Task::Expression(Workload::Switch) => &["key"],
        Task::Body | Task::Compile => &["a", "b", "c", "env", "region", "enabled", "user", "service"],
    }
}

fn source(task: Task, block: &str) -> String {
    format!("def {FUNCTION}({}):\n{block}\n", parameters(task).join(", "))
}

fn block(workload: Workload) -> String {
    match workload {
        Workload::Switch => {
            let arms = (0..ARMS).map(|arm| format!(r#""cluster-{arm:02}" if key == "zone-{arm:02}" else "#));
            format!("    return {}\"none\"", arms.collect::<String>())
        }
        _ => fixed(workload).to_owned(),
    }
}

fn fixed(workload: Workload) -> &'static str {
    match workload {
        Workload::PolicyCondition => {
            r#"    return user["role"] == "admin" or (request["method"] == "GET" and resource["group"] in user["groups"] and not resource["locked"])"#
        }
        Workload::Arithmetic => "    return x if (a * 3 + b // 2 - c) % 7 > 2 else y",
        Workload::Fractions => "    return price * 1.15 + 0.1 > limit",
        Workload::ForFilter => {
            r#"    return [s["name"].upper() for s in servers if s["enabled"] and s["load"] < 0.8]"#
        }
        Workload::ObjectFor => {
            "    out = {}\n    for s in servers:\n        \
             out.setdefault(s[\"zone\"], []).append(s[\"name\"])\n    return out"
        }
        Workload::Splat => r#"    return [s["addr"] for s in servers]"#,
        Workload::Template => r#"    return "http://{}:{}/{},".format(host, port, ",".join(tags))"#,
        Workload::Switch => "",
    }
}

fn body_block() -> String {
    let attributes: Vec<String> = (0..body::ATTRIBUTES).map(attribute).collect();
    format!("    return [\n        {},\n    ]", attributes.join(",\n        "))
}

fn attribute(at: usize) -> String {
    let n = body::constant(at);
    match at % body::KINDS {
        0 => body::expression(at),
        1 => format!(r#"user["role"] == "admin" or service["port"] > {}"#, 8000 + 40 * n),
        2 => format!(r#"service["name"] if env == "prod" else "fallback-{n:02}""#),
        3 => format!(r#""{{}}-{n:02}.{{}}:{{}}".format(service["name"], region, service["port"])"#),
        4 => format!("{}.upper()", ["region", r#"service["name"]"#, r#"user["name"]"#][n % 3]),
        5 => format!(r#""group-{:02}" in user["groups"]"#, n % 16),
        6 => format!(r#"service["replicas"] >= {} and not service["exposed"]"#, n % 9),
        _ => format!("b // 2 if (a + {n}) % 7 > 2 else c * {n}"),
    }
}
