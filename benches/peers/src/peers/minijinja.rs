//! minijinja: templates and expressions of Jinja.

use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};
use minijinja::value::Serde;
use minijinja::{Environment, Expression, Template, Value};

use super::text;
use crate::Failure;
use crate::contender::{Peer, Prepared, keep};
use crate::engine::{BodyText, Engine, RuleText, Texts, prepared};
use crate::task::{Attributes, Task};

/// The peer. Its groups are lists of pairs, not objects, so it has no `object-for`.
pub const PEER: Peer = Peer { name: "minijinja", prepare };

const TEXTS: Texts = Texts {
    expression,
    body: BodyText::Each(attribute),
    rules: RuleText::Each(|rule: &Rule| rule.expression("and")),
};

fn prepare(task: Task) -> Prepared {
    prepared(Minijinja(keep(Environment::new())), task, TEXTS)
}

struct Minijinja(&'static Environment<'static>);

/// An expression, or a template, which is what a text with `{%` is compiled to.
enum Program {
    Expression(Expression<'static, 'static>),
    Template(Template<'static, 'static>),
}

impl Engine for Minijinja {
    type Program = Program;
    type Variables = Value;
    type Scope = Value;
    type Value = Value;

    fn compile(&mut self, text: &str) -> Result<Program, Failure> {
        Ok(if text.contains("{%") {
            Program::Template(self.0.template_from_str(keep(text.to_owned()))?)
        } else {
            Program::Expression(self.0.compile_expression_owned(text.to_owned())?)
        })
    }

    fn read(&mut self, json: &str) -> Result<Value, Failure> {
        Ok(serde_json::from_str(json)?)
    }

    fn convert(&mut self, scope: &Input) -> Result<Value, Failure> {
        Ok(Value::from(Serde(scope)))
    }

    fn scope(&mut self) -> Value {
        Value::UNDEFINED
    }

    fn set(&mut self, scope: &mut Value, variables: Value) -> Result<(), Failure> {
        *scope = variables;
        Ok(())
    }

    fn evaluate(&mut self, program: &Program, scope: &mut Value) -> Result<Value, Failure> {
        Ok(match program {
            Program::Expression(expression) => expression.eval(scope.clone())?,
            Program::Template(template) => template.render(&*scope)?.into(),
        })
    }

    fn holds(&mut self, value: &Value) -> bool {
        value.is_true()
    }

    fn json(&mut self, value: Value) -> Result<String, Failure> {
        Ok(serde_json::to_string(&value)?)
    }
}

const DECISION: &str = r#"user.role == "admin" or (request.method == "GET" and resource.group in user.groups and not resource.locked)"#;

fn expression(workload: Workload) -> Option<String> {
    let filter = |load: &str| {
        format!(
            r#"servers | selectattr("enabled") | selectattr("load", "lt", {load}) | map(attribute="name") | map("upper") | list"#
        )
    };
    Some(match workload {
        Workload::PolicyCondition => DECISION.to_owned(),
        Workload::PolicyConditionBeside => DECISION.replace("user.role ==", "user.role | lower =="),
        Workload::FlatCondition => DECISION.replace("in user.groups", r#"== "group-03""#),
        Workload::Arithmetic => "x if (a * 3 + b // 2 - c) % 7 > 2 else y".to_owned(),
        Workload::Thirds => "x if (a * 3 + b / 3 - c) % 7 > 2 else y".to_owned(),
        Workload::Fractions | Workload::FractionsKept | Workload::ThirdsKept | Workload::Overflow => {
            workload.text()
        }
        Workload::ForFilter => filter("0.8"),
        Workload::Splat | Workload::SplatAsFor => r#"servers | map(attribute="addr") | list"#.to_owned(),
        Workload::Template => {
            "http://{{ host }}:{{ port }}/{% for t in tags %}{{ t }},{% endfor %}".to_owned()
        }
        Workload::Switch => chain("key"),
        Workload::SwitchBeside => chain("key | lower"),
        Workload::SwitchNull => chain("key").replace(r#""none""#, "none"),
        _ => return None,
    })
}

fn chain(subject: &str) -> String {
    text::arms(|zone, cluster| format!(r#""{cluster}" if {subject} == "{zone}" else "#)) + r#""none""#
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    match (at % body::KINDS, attributes) {
        (0, _) => attributes.expression(at),
        (1, _) => format!(r#"user.role == "admin" or service.port > {}"#, 8000 + 40 * n),
        (2, _) => format!(r#"service.name if env == "prod" else "fallback-{n:02}""#),
        (3, _) => format!(r#"service.name ~ "-{n:02}." ~ region ~ ":" ~ service.port"#),
        (4, Attributes::Repeating) => format!("{} | upper", text::upper(n)),
        (4, Attributes::Distinct) => format!(r#"({} ~ "-{n:02}") | upper"#, text::upper(n)),
        (5, _) => format!(r#""{}" in user.groups"#, text::group(attributes, n)),
        (6, _) => format!("service.replicas >= {} and not service.exposed", text::replicas(attributes, n)),
        _ => format!("b // 2 if (a + {n}) % 7 > 2 else c * {n}"),
    }
}
