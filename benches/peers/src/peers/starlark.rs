//! starlark: the configuration language of build systems, in Rust.
//!
//! Each call has a fresh module and evaluator, as its documentation shows; arguments and functions are
//! frozen, so that calls share them.

use std::hint::black_box;

use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};
use serde_json::Value as Json;
use starlark::environment::{FrozenModule, Globals, Module};
use starlark::eval::Evaluator;
use starlark::syntax::{AstModule, Dialect};
use starlark::values::{FrozenHeapName, OwnedFrozenValue, Value};

use super::{INSIDE as EVALUATIONS, text};
use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, one};
use crate::task::{Attributes, Form, Task, Work};

/// The peer.
pub const PEER: Peer = Peer { name: "starlark", prepare };

fn prepare(task: Task) -> Prepared {
    let block = match task.work {
        Work::Expression(workload) => {
            let Some(block) = block(workload) else { return Ok(None) };
            if task.form == Form::Compile {
                let (globals, text) = (Globals::standard(), source(task, &block));
                let shown = |module: Result<(), Failure>| module.and_then(|()| Answer::of(1));
                return Ok(one(task.turn(), move |_| loaded(&text, &globals), shown));
            }
            block
        }
        Work::Body(attributes) => body_block(attributes),
        Work::Compile => {
            let (globals, text) = (Globals::standard(), source(task, &body_block(Attributes::Repeating)));
            let shown = |module: Result<(), Failure>| module.and_then(|()| Answer::of(body::ATTRIBUTES));
            return Ok(one(task.turn(), move |_| loaded(&text, &globals), shown));
        }
        Work::Rules => rule_block(),
    };
    let texts = task.scopes();
    let scopes = match (task.form, task.work) {
        (Form::Inside, _) => return inside(task, &block),
        (Form::Batch, _) => return batch(task, &block),
        (Form::Json, _) => Scopes::Texts(texts),
        (Form::Struct, Work::Expression(workload)) => Scopes::Structs(workload.inputs(task.count())),
        (Form::Owned, _) => {
            Scopes::Values(texts.iter().map(|text| serde_json::from_str(text)).collect::<Result<_, _>>()?)
        }
        (Form::Warm | Form::Cold | Form::OwnedResult | Form::JsonResult, _) => {
            let frozen: Result<_, Failure> =
                texts.iter().map(|text| arguments(text, task.variables())).collect();
            Scopes::Frozen(frozen?)
        }
        _ => return Ok(None),
    };
    Ok(Some(Box::new(Calls::new(task, &block, scopes)?)))
}

const FUNCTION: &str = "evaluate";

/// The arguments of calls, frozen beforehand or allocated in each call.
enum Scopes {
    Frozen(Vec<Vec<OwnedFrozenValue>>),
    Texts(Vec<String>),
    Structs(Vec<Input>),
    Values(Vec<Json>),
}

/// A function with the arguments of its calls.
struct Calls {
    function: OwnedFrozenValue,
    scopes: Scopes,
    names: &'static [&'static str],
    form: Form,
    turn: Turn,
}

impl Calls {
    fn new(task: Task, block: &str, scopes: Scopes) -> Result<Self, Failure> {
        let function = frozen(&source(task, block))?.get(FUNCTION)?;
        Ok(Self { function, scopes, names: task.variables(), form: task.form, turn: task.turn() })
    }

    fn call<T>(&self, scope: usize, then: impl FnOnce(Value<'_>) -> T) -> Result<T, Failure> {
        let read;
        let variables = match &self.scopes {
            Scopes::Frozen(_) => &Json::Null,
            Scopes::Values(values) => &values[scope],
            Scopes::Texts(texts) => {
                read = serde_json::from_str(&texts[scope])?;
                &read
            }
            Scopes::Structs(structs) => {
                read = serde_json::to_value(&structs[scope])?;
                &read
            }
        };
        Module::with_temp_heap(|module| {
            let heap = module.heap();
            let mut arguments = [Value::new_none(); 8];
            match &self.scopes {
                Scopes::Frozen(scopes) => {
                    for (argument, value) in arguments.iter_mut().zip(&scopes[scope]) {
                        *argument = heap.access_owned_frozen_value(value);
                    }
                }
                _ => {
                    for (argument, name) in arguments.iter_mut().zip(self.names) {
                        *argument = heap.alloc(&variables[*name]);
                    }
                }
            }
            let function = heap.access_owned_frozen_value(&self.function);
            let mut evaluator = Evaluator::new(&module);
            let value =
                evaluator.eval_function(function, &arguments[..self.count()], &[]).map_err(failure)?;
            Ok(then(value))
        })
    }

    /// Returns the number of arguments.
    fn count(&self) -> usize {
        match &self.scopes {
            Scopes::Frozen(scopes) => scopes.first().map_or(0, Vec::len),
            _ => self.names.len(),
        }
    }
}

impl Contender for Calls {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        Answer::of(self.call(scope, |value| value.to_json_value())??)
    }

    fn run(&mut self, evaluations: u64) {
        for _ in 0..evaluations {
            let scope = self.turn.step();
            match self.form {
                Form::OwnedResult => drop(black_box(self.call(scope, |value| value.to_json_value()))),
                Form::JsonResult => drop(black_box(self.call(scope, |value| value.to_json()))),
                _ => {
                    let _ = black_box(self.call(scope, |value| {
                        black_box(value);
                    }));
                }
            }
        }
    }
}

/// Returns a function over a list of scopes, with `{call}` in its text replaced by a call for one of them,
/// and that list.
fn over_all(task: Task, block: &str, text: &str) -> Result<Calls, Failure> {
    let parts: Vec<String> = task.variables().iter().map(|name| format!("s[{name:?}]")).collect();
    let call = format!("{FUNCTION}({})", parts.join(", "));
    let all = frozen(&format!("{}\n{}", source(task, block), text.replace("{call}", &call)))?.get("all")?;
    let scopes = task.scopes().join(",");
    let scopes = arguments(&format!("{{\"scopes\":[{scopes}]}}"), &["scopes"])?;
    let (scopes, turn) = (Scopes::Frozen(vec![scopes]), Turn::of(1));
    Ok(Calls { function: all, scopes, names: &["scopes"], form: Form::Warm, turn })
}

fn batch(task: Task, block: &str) -> Prepared {
    Ok(Some(Box::new(over_all(task, block, "def all(scopes):\n    return [{call} for s in scopes]\n")?)))
}

fn inside(task: Task, block: &str) -> Prepared {
    let frozen: Result<_, Failure> =
        task.scopes().iter().map(|text| arguments(text, task.variables())).collect();
    let calls = Calls::new(task, block, Scopes::Frozen(frozen?))?;
    let text =
        "def all(scopes):\n    last = None\n    for s in scopes:\n        last = {call}\n    return last\n";
    let together = over_all(task, block, text)?;
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

fn source(task: Task, block: &str) -> String {
    format!("def {FUNCTION}({}):\n{block}\n", task.variables().join(", "))
}

fn block(workload: Workload) -> Option<String> {
    let decision = |role: &str, member: &str| {
        format!(
            r#"    return {role} == "admin" or (request["method"] == "GET" and {member} and not resource["locked"])"#
        )
    };
    let (role, member) = (r#"user["role"]"#, r#"resource["group"] in user["groups"]"#);
    let filter =
        |load: &str| format!(r#"    return [s["name"].upper() for s in servers if s["enabled"] and {load}]"#);
    let group = |zone: &str| {
        format!(
            "    out = {{}}\n    for s in servers:\n        \
             out.setdefault({zone}, []).append(s[\"name\"])\n    return out"
        )
    };
    Some(match workload {
        Workload::PolicyCondition => decision(role, member),
        Workload::PolicyConditionBeside => decision(r#"user["role"].lower()"#, member),
        Workload::FlatCondition => decision(role, r#"resource["group"] == "group-03""#),
        Workload::Arithmetic => "    return x if (a * 3 + b // 2 - c) % 7 > 2 else y".to_owned(),
        Workload::Thirds => "    return x if (a * 3 + b / 3 - c) % 7 > 2 else y".to_owned(),
        Workload::ThirdsKept => "    return b / 3".to_owned(),
        Workload::Overflow => "    return 9223372036854775807 + a".to_owned(),
        Workload::Fractions => "    return price * 1.15 + 0.1 > limit".to_owned(),
        Workload::FractionsKept => "    return price * 1.15 + 0.1".to_owned(),
        Workload::ForFilter => filter(r#"s["load"] < 0.8"#),
        Workload::ForFilterBeside => filter(r#"s["load"] + 1 < 1.805"#),
        Workload::ObjectFor => group(r#"s["zone"]"#),
        Workload::ObjectForBeside => group(r#"s["zone"].lower()"#),
        Workload::Splat | Workload::SplatAsFor => r#"    return [s["addr"] for s in servers]"#.to_owned(),
        Workload::SplatBeside => r#"    return [s["load"] + 1 for s in servers]"#.to_owned(),
        Workload::Template => {
            r#"    return "http://{}:{}/{},".format(host, port, ",".join(tags))"#.to_owned()
        }
        Workload::Switch => chain("key", r#""none""#),
        Workload::SwitchBeside => chain("key.lower()", r#""none""#),
        Workload::SwitchNumber => {
            chain("key", r#""none""#).replace(&format!("\"{}\"", text::special()), r#""7""#)
        }
        Workload::SwitchNull => chain("key", "None"),
        Workload::TemplateBeside => return None,
    })
}

fn chain(subject: &str, none: &str) -> String {
    let arms = text::arms(|zone, cluster| format!(r#""{cluster}" if {subject} == "{zone}" else "#));
    format!("    return {arms}{none}")
}

fn body_block(attributes: Attributes) -> String {
    let texts: Vec<String> = (0..body::ATTRIBUTES).map(|at| attribute(attributes, at)).collect();
    format!("    return [\n        {},\n    ]", texts.join(",\n        "))
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    let upper = ["region", r#"service["name"]"#, r#"user["name"]"#][n % 3];
    match (at % body::KINDS, attributes) {
        (0, _) => attributes.expression(at),
        (1, _) => format!(r#"user["role"] == "admin" or service["port"] > {}"#, 8000 + 40 * n),
        (2, _) => format!(r#"service["name"] if env == "prod" else "fallback-{n:02}""#),
        (3, _) => format!(r#""{{}}-{n:02}.{{}}:{{}}".format(service["name"], region, service["port"])"#),
        (4, Attributes::Repeating) => format!("{upper}.upper()"),
        (4, Attributes::Distinct) => format!(r#"({upper} + "-{n:02}").upper()"#),
        (5, _) => format!(r#""{}" in user["groups"]"#, text::group(attributes, n)),
        (6, _) => {
            format!(r#"service["replicas"] >= {} and not service["exposed"]"#, text::replicas(attributes, n))
        }
        _ => format!("b // 2 if (a + {n}) % 7 > 2 else c * {n}"),
    }
}

/// Returns a block that tests one rule after the other.
fn rule_block() -> String {
    let rules: Vec<String> = Rule::all()
        .into_iter()
        .enumerate()
        .map(|(number, Rule { role, method, group, owner })| {
            format!(
                "    if user[\"role\"] == \"{role}\" and request[\"method\"] == \"{method}\" and \
                 resource[\"group\"] == \"{group}\" and resource[\"owner\"] == \"{owner}\":\n        out.append({number})"
            )
        })
        .collect();
    format!("    out = []\n{}\n    return out", rules.join("\n"))
}
