//! wirefilter: filters of one condition over a flat, typed context, compiled to closures.

use hclvm_workloads::input::{self, Request};
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{FLAT, Workload, rules};
use wirefilter::{ExecutionContext, Filter, Scheme, SchemeMismatchError, Type};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, keep, one};
use crate::task::{Form, Task, Work};

/// The peer, in version 0.6.1, the newest of the registry. Fields are scalars, so it cannot do
/// `policy-condition`; results are bools, so it can do little else than conditions.
pub const PEER: Peer = Peer { name: "wirefilter", prepare };

fn prepare(task: Task) -> Prepared {
    let filters = matches!(task.work, Work::Expression(Workload::FlatCondition) | Work::Rules);
    if !filters {
        return Ok(None);
    }
    let scheme: &'static Scheme = keep(scheme()?);
    let requests: &'static [Request] = keep(input::requests_of(task.count()));
    let contexts: Result<Vec<_>, Failure> = requests.iter().map(|request| context(scheme, request)).collect();
    Ok(match (task.work, task.form) {
        (Work::Expression(Workload::FlatCondition), Form::Batch) => {
            let (filter, contexts) = (filter(scheme, FLAT)?, contexts?);
            let once = move |_| {
                contexts.iter().map(|context| filter.execute(context)).collect::<Result<Vec<bool>, _>>()
            };
            one(task.turn(), once, |decisions| Answer::of(known(decisions)?))
        }
        (Work::Expression(Workload::FlatCondition), Form::Warm | Form::Cold) => {
            let (filter, contexts) = (filter(scheme, FLAT)?, contexts?);
            one(task.turn(), move |at| filter.execute(&contexts[at]), |decision| Answer::of(known(decision)?))
        }
        (Work::Rules, Form::Warm) => {
            let texts: Vec<String> = Rule::all().iter().map(|rule| rule.expression("&&")).collect();
            let texts: &'static [String] = keep(texts);
            let filters: Result<Vec<_>, Failure> = texts.iter().map(|text| filter(scheme, text)).collect();
            let (filters, contexts) = (filters?, contexts?);
            debug_assert_eq!(filters.len(), rules::RULES);
            let once = move |at: usize| {
                let filters = filters.iter().enumerate();
                let holding = filters.filter(|(_, filter)| filter.execute(&contexts[at]) == Ok(true));
                holding.map(|(number, _)| number).collect::<Vec<usize>>()
            };
            one(task.turn(), once, Answer::of)
        }
        _ => None,
    })
}

fn known<T>(decided: Result<T, SchemeMismatchError>) -> Result<T, Failure> {
    decided.map_err(|error| error.to_string().into())
}

fn scheme() -> Result<Scheme, Failure> {
    let fields = [
        ("user.role", Type::Bytes),
        ("request.method", Type::Bytes),
        ("resource.group", Type::Bytes),
        ("resource.owner", Type::Bytes),
        ("resource.locked", Type::Bool),
    ];
    let fields = fields.into_iter().map(|(name, ty)| (name.to_owned(), ty));
    Scheme::try_from_iter(fields).map_err(|error| error.to_string().into())
}

fn context(scheme: &'static Scheme, request: &'static Request) -> Result<ExecutionContext<'static>, Failure> {
    let mut context = ExecutionContext::new(scheme);
    let texts = [
        ("user.role", &request.user.role),
        ("request.method", &request.request.method),
        ("resource.group", &request.resource.group),
        ("resource.owner", &request.resource.owner),
    ];
    for (name, text) in texts {
        context.set_field_value(name, text.as_str()).map_err(|error| error.to_string())?;
    }
    context.set_field_value("resource.locked", request.resource.locked).map_err(|error| error.to_string())?;
    Ok(context)
}

fn filter(scheme: &'static Scheme, text: &'static str) -> Result<Filter<'static>, Failure> {
    Ok(scheme.parse(text).map_err(|error| error.to_string())?.compile())
}
