//! zen-expression: the expression language of a business rules engine. Its numbers are decimals.

use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};
use zen_expression::expression::{Expression, Standard};
use zen_expression::vm::VM;
use zen_expression::{Isolate, Scope, Variable};

use super::text;
use crate::Failure;
use crate::contender::{Peer, Prepared};
use crate::engine::{BodyText, Engine, RuleText, Texts, prepared};
use crate::task::{Attributes, Task};

/// The peer. It has no `object-for` and no `template`: the language cannot group, or join texts.
pub const PEER: Peer = Peer { name: "zen", prepare };

const TEXTS: Texts = Texts {
    expression,
    body: BodyText::Each(attribute),
    rules: RuleText::Each(|rule: &Rule| rule.expression("and")),
};

fn prepare(task: Task) -> Prepared {
    prepared(Zen { isolate: Isolate::new(), vm: VM::new() }, task, TEXTS)
}

struct Zen {
    /// The compiler.
    isolate: Isolate,
    vm: VM,
}

impl Engine for Zen {
    type Program = Expression<Standard>;
    type Variables = Variable;
    type Scope = Scope;
    type Value = Variable;

    fn compile(&mut self, text: &str) -> Result<Self::Program, Failure> {
        self.isolate.compile_standard(text).map_err(|error| format!("{text}: {error}").into())
    }

    fn read(&mut self, json: &str) -> Result<Variable, Failure> {
        Ok(serde_json::from_str(json)?)
    }

    fn convert(&mut self, scope: &Input) -> Result<Variable, Failure> {
        Ok(serde_json::to_value(scope)?.into())
    }

    fn scope(&mut self) -> Scope {
        Scope::default()
    }

    fn set(&mut self, scope: &mut Scope, variables: Variable) -> Result<(), Failure> {
        scope.set_base(variables);
        Ok(())
    }

    fn evaluate(&mut self, program: &Self::Program, scope: &mut Scope) -> Result<Variable, Failure> {
        program.evaluate_with_scope(scope, &mut self.vm).map_err(|error| error.to_string().into())
    }

    fn holds(&mut self, value: &Variable) -> bool {
        value.as_bool() == Some(true)
    }

    fn json(&mut self, value: Variable) -> Result<String, Failure> {
        Ok(serde_json::to_string(&value)?)
    }
}

const DECISION: &str = r#"user.role == "admin" or (request.method == "GET" and contains(user.groups, resource.group) and not resource.locked)"#;

fn expression(workload: Workload) -> Option<String> {
    Some(match workload {
        Workload::PolicyCondition => DECISION.to_owned(),
        Workload::PolicyConditionBeside => DECISION.replace("user.role ==", "lower(user.role) =="),
        Workload::FlatCondition => {
            DECISION.replace("contains(user.groups, resource.group)", r#"resource.group == "group-03""#)
        }
        Workload::Arithmetic
        | Workload::Fractions
        | Workload::FractionsKept
        | Workload::ThirdsKept
        | Workload::Overflow
        | Workload::Thirds => workload.text(),
        Workload::ForFilter => "map(filter(servers, #.enabled and #.load < 0.8), upper(#.name))".to_owned(),
        Workload::ForFilterBeside => {
            "map(filter(servers, #.enabled and #.load + 1 < 1.805), upper(#.name))".to_owned()
        }
        Workload::Splat | Workload::SplatAsFor => "map(servers, #.addr)".to_owned(),
        Workload::SplatBeside => "map(servers, #.load + 1)".to_owned(),
        Workload::Switch => text::conditionals("key"),
        Workload::SwitchBeside => text::conditionals("lower(key)"),
        Workload::SwitchNull => text::conditionals("key").replace(r#""none""#, "null"),
        _ => return None,
    })
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    match (at % body::KINDS, attributes) {
        (1, _) => format!(r#"user.role == "admin" or service.port > {}"#, 8000 + 40 * n),
        (3, _) => format!("`${{service.name}}-{n:02}.${{region}}:${{service.port}}`"),
        (4, Attributes::Distinct) => format!("upper(`${{{}}}-{n:02}`)", text::upper(n)),
        (6, _) => format!("service.replicas >= {} and not service.exposed", text::replicas(attributes, n)),
        _ => attributes.expression(at),
    }
}
