//! cedar: a language of authorization policies.

use std::str::FromStr;

use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request, Response};
use hclvm_workloads::Workload;
use hclvm_workloads::rules::Rule;

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, one};
use crate::task::{Form, Task, Work};

/// The peer. Its results are decisions, so it can only do conditions. The scope is the request's context.
pub const PEER: Peer = Peer { name: "cedar", prepare };

fn prepare(task: Task) -> Prepared {
    let text = match (task.work, task.form) {
        (Work::Expression(Workload::PolicyCondition), form) if form != Form::JsonWhole => {
            decision("context.user.groups.contains(context.resource.group)")
        }
        (Work::Expression(Workload::FlatCondition), _) => decision(r#"context.resource.group == "group-03""#),
        (Work::Rules, _) => policies(),
        _ => return Ok(None),
    };
    let policies = PolicySet::from_str(&text)?;
    let engine = Cedar { policies, authorizer: Authorizer::new(), entities: Entities::empty() };
    let texts = task.scopes();
    if task.form == Form::Json {
        return Ok(one(
            task.turn(),
            move |at| Ok(engine.decide(&request(&texts[at])?)),
            |response: Result<Response, Failure>| allowed(&response?),
        ));
    }
    let requests: Result<Vec<Request>, Failure> = texts.iter().map(|text| request(text)).collect();
    let requests = requests?;
    Ok(match (task.work, task.form) {
        (Work::Rules, _) => {
            let once = move |at: usize| holding(&engine.decide(&requests[at]));
            one(task.turn(), once, |holding| Answer::of(holding?))
        }
        (_, Form::Batch) => {
            let once = move |_| {
                let decisions = requests.iter().map(|request| engine.decide(request).decision());
                decisions.map(|decision| decision == Decision::Allow).collect::<Vec<bool>>()
            };
            one(task.turn(), once, Answer::of)
        }
        (_, Form::Warm | Form::Cold) => {
            one(task.turn(), move |at| engine.decide(&requests[at]), |response| allowed(&response))
        }
        _ => None,
    })
}

struct Cedar {
    policies: PolicySet,
    authorizer: Authorizer,
    entities: Entities,
}

impl Cedar {
    fn decide(&self, request: &Request) -> Response {
        self.authorizer.is_authorized(request, &self.policies, &self.entities)
    }
}

fn request(text: &str) -> Result<Request, Failure> {
    let entity =
        |kind: &str| -> Result<EntityUid, Failure> { Ok(EntityUid::from_str(&format!("{kind}::\"one\""))?) };
    let context = Context::from_json_str(text, None)?;
    Ok(Request::new(entity("User")?, entity("Action")?, entity("Resource")?, context, None)?)
}

fn allowed(response: &Response) -> Result<Answer, Failure> {
    Answer::of(response.decision() == Decision::Allow)
}

/// Returns the numbers of the policies that were satisfied. Their ids have them.
fn holding(response: &Response) -> Result<Vec<usize>, Failure> {
    let numbers = response.diagnostics().reason().map(|id| {
        let id: &str = id.as_ref();
        Ok(id.trim_start_matches("policy").parse::<usize>()?)
    });
    let mut numbers: Vec<usize> = numbers.collect::<Result<_, Failure>>()?;
    numbers.sort_unstable();
    Ok(numbers)
}

fn decision(member: &str) -> String {
    format!(
        r#"permit(principal, action, resource) when {{ context.user.role == "admin" }};
           permit(principal, action, resource) when {{
               context.request.method == "GET" && {member} && !context.resource.locked
           }};"#
    )
}

fn policies() -> String {
    let policies = Rule::all().into_iter().map(|Rule { role, method, group, owner }| {
        format!(
            "permit(principal, action, resource) when {{ context.user.role == \"{role}\" && \
             context.request.method == \"{method}\" && context.resource.group == \"{group}\" && \
             context.resource.owner == \"{owner}\" }};\n"
        )
    });
    policies.collect()
}
