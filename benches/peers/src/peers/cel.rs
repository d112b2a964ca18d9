//! cel: the Common Expression Language in Rust.

use std::collections::HashMap;
use std::sync::Arc;

use cel::objects::Key;
use cel::{Context, Env, Program, extensions};
use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{DECISION, Workload, body};
use serde_json::Value;

use super::text;
use crate::Failure;
use crate::contender::{Peer, Prepared};
use crate::engine::{BodyText, Engine, RuleText, Texts, prepared};
use crate::task::{Attributes, Task};

/// The peer. The language cannot group, so it has no `object-for`; its `%` takes integers only, and sums
/// beyond 64 bits are errors.
pub const PEER: Peer = Peer { name: "cel", prepare };

const TEXTS: Texts = Texts {
    expression,
    body: BodyText::Each(attribute),
    rules: RuleText::Each(|rule: &Rule| rule.expression("&&")),
};

fn prepare(task: Task) -> Prepared {
    let mut env = Env::stdlib();
    env.add_extension(extensions::strings).map_err(|error| format!("{error:?}"))?;
    prepared(Cel(Arc::new(env)), task, TEXTS)
}

struct Cel(Arc<Env>);

impl Engine for Cel {
    type Program = Program;
    type Variables = Vec<(String, cel::Value)>;
    type Scope = Context<'static, 'static>;
    type Value = cel::Value;

    fn compile(&mut self, text: &str) -> Result<Program, Failure> {
        self.0.compile(text).map_err(|error| error.to_string().into())
    }

    fn read(&mut self, json: &str) -> Result<Self::Variables, Failure> {
        let Value::Object(variables) = serde_json::from_str(json)? else { return Err("no object".into()) };
        Ok(variables.into_iter().map(|(name, value)| (name, converted(value))).collect())
    }

    fn convert(&mut self, scope: &Input) -> Result<Self::Variables, Failure> {
        let cel::Value::Map(map) = cel::to_value(scope).map_err(|error| error.to_string())? else {
            return Err("no map".into());
        };
        let variables = map.map.iter().map(|(name, value)| match name {
            Key::String(name) => Ok((name.to_string(), value.clone())),
            _ => Err("a key that is no text".into()),
        });
        variables.collect()
    }

    fn scope(&mut self) -> Self::Scope {
        Context::with_env(Arc::clone(&self.0))
    }

    fn set(&mut self, scope: &mut Self::Scope, variables: Self::Variables) -> Result<(), Failure> {
        for (name, value) in variables {
            scope.add_variable_from_value(name, value);
        }
        Ok(())
    }

    fn evaluate(&mut self, program: &Program, scope: &mut Self::Scope) -> Result<cel::Value, Failure> {
        Ok(program.execute(scope)?)
    }

    fn holds(&mut self, value: &cel::Value) -> bool {
        matches!(value, cel::Value::Bool(true))
    }

    fn json(&mut self, value: cel::Value) -> Result<String, Failure> {
        Ok(value.json().map_err(|error| error.to_string())?.to_string())
    }
}

/// Converts integers to signed ones: serializing `serde_json` values would make them unsigned, which the
/// language distinguishes.
fn converted(json: Value) -> cel::Value {
    match json {
        Value::Null => cel::Value::Null,
        Value::Bool(bool) => bool.into(),
        Value::Number(number) => match number.as_i64() {
            Some(int) => int.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.into(),
        Value::Array(items) => items.into_iter().map(converted).collect::<Vec<_>>().into(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, value)| (key, converted(value)));
            members.collect::<HashMap<_, _>>().into()
        }
    }
}

fn expression(workload: Workload) -> Option<String> {
    let decision = DECISION.replace("contains(user.groups, resource.group)", "resource.group in user.groups");
    Some(match workload {
        Workload::PolicyCondition => decision,
        Workload::PolicyConditionBeside => decision.replace("user.role ==", "user.role.lowerAscii() =="),
        Workload::Arithmetic | Workload::Fractions | Workload::FractionsKept | Workload::FlatCondition => {
            workload.text()
        }
        Workload::ThirdsKept => "double(b) / 3.0".to_owned(),
        Workload::ForFilter => "servers.map(s, s.enabled && s.load < 0.8, s.name.upperAscii())".to_owned(),
        Workload::ForFilterBeside => {
            "servers.map(s, s.enabled && s.load + 1.0 < 1.805, s.name.upperAscii())".to_owned()
        }
        Workload::Splat | Workload::SplatAsFor => "servers.map(s, s.addr)".to_owned(),
        Workload::SplatBeside => "servers.map(s, s.load + 1.0)".to_owned(),
        Workload::Template => {
            r#""http://" + host + ":" + string(port) + "/" + tags.join(",") + ",""#.to_owned()
        }
        Workload::Switch => text::conditionals("key"),
        Workload::SwitchBeside => text::conditionals("key.lowerAscii()"),
        Workload::SwitchNull => text::conditionals("key").replace(r#""none""#, "null"),
        _ => return None,
    })
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    match (at % body::KINDS, attributes) {
        (3, _) => format!(r#"service.name + "-{n:02}." + region + ":" + string(service.port)"#),
        (4, Attributes::Repeating) => format!("{}.upperAscii()", text::upper(n)),
        (4, Attributes::Distinct) => format!(r#"({} + "-{n:02}").upperAscii()"#, text::upper(n)),
        (5, _) => format!(r#""{}" in user.groups"#, text::group(attributes, n)),
        _ => attributes.expression(at),
    }
}
