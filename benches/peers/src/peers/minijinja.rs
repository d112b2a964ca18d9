//! minijinja: templates and expressions of Jinja.

use hclvm_workloads::{ARMS, Workload, body};
use minijinja::{Environment, Error, Expression, Value};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, each, keep, one};
use crate::task::Task;

/// The peer. Its groups are lists of pairs, not objects, so it has no `object-for`.
pub const PEER: Peer = Peer { name: "minijinja", prepare };

type Compiled = Expression<'static, 'static>;

fn prepare(task: Task) -> Prepared {
    let (env, texts): (&'static Environment<'static>, _) = (keep(Environment::new()), task.scopes());
    Ok(match task {
        Task::Expression(Workload::ObjectFor) => None,
        Task::Expression(Workload::Template) => {
            let (template, scopes) = (env.template_from_str(TEMPLATE)?, scopes(&texts)?);
            one(scopes.len(), move |at| template.render(&scopes[at]), |text| Answer::of(text?))
        }
        Task::Expression(workload) => {
            let program = compiled(env, &expression(workload))?;
            let scopes = scopes(&texts)?;
            one(scopes.len(), move |at| program.eval(scopes[at].clone()), shown)
        }
        Task::Body => {
            let programs: Result<Vec<_>, _> =
                (0..body::ATTRIBUTES).map(|at| compiled(env, &attribute(at))).collect();
            let scopes = scopes(&texts)?;
            each(programs?, scopes.len(), move |program, at| program.eval(scopes[at].clone()), shown)
        }
        Task::Compile => {
            let texts: Vec<String> = (0..body::ATTRIBUTES).map(attribute).collect();
            let texts: &'static [String] = keep(texts);
            one(
                1,
                move |_| texts.iter().map(|text| env.compile_expression(text)).collect::<Result<Vec<_>, _>>(),
                |programs| Answer::of(programs?.len()),
            )
        }
        Task::Request => {
            let program = compiled(env, DECISION)?;
            one(
                texts.len(),
                move |at| {
                    let scope: Value = serde_json::from_str(&texts[at])?;
                    Ok(program.eval(scope)?)
                },
                |value: Result<Value, Failure>| Answer::of(value?),
            )
        }
    })
}

fn compiled(env: &'static Environment<'static>, text: &str) -> Result<Compiled, Error> {
    env.compile_expression_owned(text.to_owned())
}

fn scopes(texts: &[String]) -> Result<Vec<Value>, Failure> {
    texts.iter().map(|text| Ok(serde_json::from_str(text)?)).collect()
}

fn shown(value: Result<Value, Error>) -> Result<Answer, Failure> {
    Answer::of(value?)
}

const DECISION: &str = r#"user.role == "admin" or (request.method == "GET" and resource.group in user.groups and not resource.locked)"#;

const TEMPLATE: &str = "http://{{ host }}:{{ port }}/{% for t in tags %}{{ t }},{% endfor %}";

fn expression(workload: Workload) -> String {
    match workload {
        Workload::PolicyCondition => DECISION.to_owned(),
        Workload::Arithmetic => "x if (a * 3 + b // 2 - c) % 7 > 2 else y".to_owned(),
        Workload::Fractions | Workload::ObjectFor | Workload::Template => workload.text(),
        Workload::ForFilter => r#"servers | selectattr("enabled") | selectattr("load", "lt", 0.8) | map(attribute="name") | map("upper") | list"#.to_owned(),
        Workload::Splat => r#"servers | map(attribute="addr") | list"#.to_owned(),
        Workload::Switch => {
            let arms = (0..ARMS).map(|arm| format!(r#""cluster-{arm:02}" if key == "zone-{arm:02}" else "#));
            arms.collect::<String>() + r#""none""#
        }
    }
}

fn attribute(at: usize) -> String {
    let n = body::constant(at);
    match at % body::KINDS {
        0 => body::expression(at),
        1 => format!(r#"user.role == "admin" or service.port > {}"#, 8000 + 40 * n),
        2 => format!(r#"service.name if env == "prod" else "fallback-{n:02}""#),
        3 => format!(r#"service.name ~ "-{n:02}." ~ region ~ ":" ~ service.port"#),
        4 => format!("{} | upper", ["region", "service.name", "user.name"][n % 3]),
        5 => format!(r#""group-{:02}" in user.groups"#, n % 16),
        6 => format!("service.replicas >= {} and not service.exposed", n % 9),
        _ => format!("b // 2 if (a + {n}) % 7 > 2 else c * {n}"),
    }
}
