//! cel: the Common Expression Language in Rust.

use std::collections::HashMap;
use std::sync::Arc;

use cel::{Context, Env, Program, extensions};
use hclvm_workloads::{ARMS, DECISION, Workload, body};
use serde_json::Value;

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, each, one};
use crate::task::Task;

/// The peer. The language cannot group, so it has no `object-for`.
pub const PEER: Peer = Peer { name: "cel", prepare };

type Scope = Context<'static, 'static>;

fn prepare(task: Task) -> Prepared {
    let (env, scopes) = (environment()?, task.scopes());
    Ok(match task {
        Task::Expression(workload) => {
            let Some(text) = expression(workload) else { return Ok(None) };
            let (program, contexts) = (compiled(&env, &text)?, contexts(&env, &scopes)?);
            one(scopes.len(), move |at| program.execute(&contexts[at]), shown)
        }
        Task::Body => {
            let contexts = contexts(&env, &scopes)?;
            let programs: Result<Vec<_>, _> =
                (0..body::ATTRIBUTES).map(|at| compiled(&env, &attribute(at))).collect();
            each(programs?, scopes.len(), move |program, at| program.execute(&contexts[at]), shown)
        }
        Task::Compile => {
            let texts: Vec<String> = (0..body::ATTRIBUTES).map(attribute).collect();
            one(
                1,
                move |_| texts.iter().map(|text| compiled(&env, text)).collect::<Result<Vec<_>, _>>(),
                |programs| Answer::of(programs?.len()),
            )
        }
        Task::Request => {
            let program = compiled(&env, &decision())?;
            let mut context = Context::with_env(env);
            one(
                scopes.len(),
                move |at| {
                    declare(&mut context, &scopes[at])?;
                    Ok(program.execute(&context)?)
                },
                |value: Result<cel::Value, Failure>| shown(Ok(value?)),
            )
        }
    })
}

fn environment() -> Result<Arc<Env>, Failure> {
    let mut env = Env::stdlib();
    env.add_extension(extensions::strings).map_err(|error| format!("{error:?}"))?;
    Ok(Arc::new(env))
}

fn compiled(env: &Env, text: &str) -> Result<Program, Failure> {
    env.compile(text).map_err(|error| error.to_string().into())
}

fn contexts(env: &Arc<Env>, scopes: &[String]) -> Result<Vec<Scope>, Failure> {
    let contexts = scopes.iter().map(|scope| {
        let mut context = Context::with_env(Arc::clone(env));
        declare(&mut context, scope)?;
        Ok(context)
    });
    contexts.collect()
}

fn declare(context: &mut Scope, json: &str) -> Result<(), Failure> {
    let Value::Object(variables) = serde_json::from_str(json)? else { return Err("no object".into()) };
    for (name, value) in variables {
        context.add_variable_from_value(name, convert(value));
    }
    Ok(())
}

/// Converts integers to signed ones: serializing `serde_json` values would make them unsigned, which the
/// language distinguishes.
fn convert(json: Value) -> cel::Value {
    match json {
        Value::Null => cel::Value::Null,
        Value::Bool(bool) => bool.into(),
        Value::Number(number) => match number.as_i64() {
            Some(int) => int.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.into(),
        Value::Array(items) => items.into_iter().map(convert).collect::<Vec<_>>().into(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (key, convert(value))).collect::<HashMap<_, _>>().into()
        }
    }
}

fn shown(value: Result<cel::Value, cel::ExecutionError>) -> Result<Answer, Failure> {
    Answer::of(value?.json().map_err(|error| error.to_string())?)
}

fn decision() -> String {
    DECISION.replace("contains(user.groups, resource.group)", "resource.group in user.groups")
}

fn expression(workload: Workload) -> Option<String> {
    Some(match workload {
        Workload::PolicyCondition => decision(),
        Workload::Arithmetic | Workload::Fractions => workload.text(),
        Workload::ForFilter => "servers.map(s, s.enabled && s.load < 0.8, s.name.upperAscii())".to_owned(),
        Workload::ObjectFor => return None,
        Workload::Splat => "servers.map(s, s.addr)".to_owned(),
        Workload::Template => {
            r#""http://" + host + ":" + string(port) + "/" + tags.join(",") + ",""#.to_owned()
        }
        Workload::Switch => {
            let arms = (0..ARMS).map(|arm| format!(r#"key == "zone-{arm:02}" ? "cluster-{arm:02}" : "#));
            arms.collect::<String>() + r#""none""#
        }
    })
}

fn attribute(at: usize) -> String {
    let n = body::constant(at);
    match at % body::KINDS {
        3 => format!(r#"service.name + "-{n:02}." + region + ":" + string(service.port)"#),
        4 => format!("{}.upperAscii()", ["region", "service.name", "user.name"][n % 3]),
        5 => format!(r#""group-{:02}" in user.groups"#, n % 16),
        _ => body::expression(at),
    }
}
