//! hcl-rs: another implementation of the language in Rust.

use hcl::eval::{Context, Evaluate, FuncArgs, FuncDef, ParamType};
use hcl::{Expression, Template, Value};
use hclvm_workloads::{DECISION, Workload, body};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, each, one};
use crate::task::Task;

/// The peer. It parses quoted templates in each evaluation.
pub const PEER: Peer = Peer { name: "hcl-rs", prepare };

/// The peer, with the template of `template` parsed beforehand.
pub const TEMPLATE: Peer = Peer { name: "hcl-rs, template parsed before", prepare: template };

fn prepare(task: Task) -> Prepared {
    let scopes = task.scopes();
    Ok(match task {
        Task::Expression(workload) => {
            let (expression, contexts) = (workload.text().parse::<Expression>()?, contexts(&scopes)?);
            one(scopes.len(), move |at| expression.evaluate(&contexts[at]), |value| Answer::of(value?))
        }
        Task::Body => {
            let contexts = contexts(&scopes)?;
            let attributes = hcl::parse(&body::text())?.into_attributes();
            let programs: Vec<Expression> = attributes.map(|attribute| attribute.expr).collect();
            each(
                programs,
                scopes.len(),
                move |program, at| program.evaluate(&contexts[at]),
                |value| Answer::of(value?),
            )
        }
        // Parsing alone: it evaluates the tree.
        Task::Compile => {
            let text = body::text();
            one(1, move |_| hcl::parse(&text), |body| Answer::of(body?.attributes().count()))
        }
        Task::Request => {
            let (expression, mut context) = (DECISION.parse::<Expression>()?, context());
            one(
                scopes.len(),
                move |at| {
                    declare(&mut context, &scopes[at])?;
                    Ok(expression.evaluate(&context)?)
                },
                |value: Result<Value, Failure>| Answer::of(value?),
            )
        }
    })
}

fn template(task: Task) -> Prepared {
    let Task::Expression(workload @ Workload::Template) = task else { return Ok(None) };
    let (scopes, text) = (task.scopes(), workload.text());
    let (template, contexts) = (text.trim_matches('"').parse::<Template>()?, contexts(&scopes)?);
    Ok(one(scopes.len(), move |at| template.evaluate(&contexts[at]), |text| Answer::of(text?)))
}

fn contexts(scopes: &[String]) -> Result<Vec<Context<'static>>, Failure> {
    let contexts = scopes.iter().map(|scope| {
        let mut context = context();
        declare(&mut context, scope)?;
        Ok(context)
    });
    contexts.collect()
}

fn declare(context: &mut Context<'static>, json: &str) -> Result<(), Failure> {
    let Value::Object(variables) = serde_json::from_str(json)? else { return Err("no object".into()) };
    for (name, value) in variables {
        context.declare_var(hcl::Identifier::unchecked(name), value);
    }
    Ok(())
}

fn context() -> Context<'static> {
    let mut context = Context::new();
    context.declare_func("upper", FuncDef::builder().param(ParamType::String).build(upper));
    let list = ParamType::array_of(ParamType::Any);
    context.declare_func("contains", FuncDef::builder().param(list).param(ParamType::Any).build(contains));
    context
}

fn upper(arguments: FuncArgs) -> Result<Value, String> {
    Ok(arguments[0].as_str().unwrap_or_default().to_uppercase().into())
}

fn contains(arguments: FuncArgs) -> Result<Value, String> {
    Ok(arguments[0].as_array().is_some_and(|items| items.contains(&arguments[1])).into())
}
