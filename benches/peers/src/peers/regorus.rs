//! regorus: Rego, run by its register machine rather than its interpreter.

use std::sync::Arc;

use hclvm_workloads::input::Input;
use hclvm_workloads::{Workload, body};
use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::RegoVM;
use regorus::rvm::program::Program;
use regorus::{Engine as Rego, Value};

use super::text;
use crate::Failure;
use crate::contender::{Peer, Prepared};
use crate::engine::{BodyText, Engine, RuleText, Texts, prepared};
use crate::task::{Attributes, Task};

/// The peer. Rego has no grouping loop: `object-for` queries the zones, then the servers of each.
/// Ten thousand rules are beyond the 65,535 instructions of a program.
pub const PEER: Peer = Peer { name: "regorus", prepare };

const TEXTS: Texts = Texts { expression, body: BodyText::Whole(body_rules), rules: RuleText::None };

fn prepare(task: Task) -> Prepared {
    prepared(Regorus { vm: RegoVM::new(), loaded: None }, task, TEXTS)
}

struct Regorus {
    vm: RegoVM,
    /// The program in the machine.
    loaded: Option<Arc<Program>>,
}

impl Engine for Regorus {
    type Program = Arc<Program>;
    type Variables = Value;
    type Scope = Value;
    type Value = Value;

    fn compile(&mut self, text: &str) -> Result<Arc<Program>, Failure> {
        let mut engine = Rego::new();
        engine.add_policy("policy.rego".to_owned(), text.to_owned()).map_err(|error| error.to_string())?;
        let policy = engine.compile_with_entrypoint(&ENTRY.into()).map_err(|error| error.to_string())?;
        Compiler::compile_from_policy(&policy, &[ENTRY]).map_err(|error| error.to_string().into())
    }

    fn read(&mut self, json: &str) -> Result<Value, Failure> {
        Value::from_json_str(json).map_err(|error| error.to_string().into())
    }

    fn convert(&mut self, scope: &Input) -> Result<Value, Failure> {
        Ok(serde_json::to_value(scope)?.into())
    }

    fn scope(&mut self) -> Value {
        Value::Undefined
    }

    fn set(&mut self, scope: &mut Value, variables: Value) -> Result<(), Failure> {
        *scope = variables;
        Ok(())
    }

    fn evaluate(&mut self, program: &Arc<Program>, scope: &mut Value) -> Result<Value, Failure> {
        if !self.loaded.as_ref().is_some_and(|loaded| Arc::ptr_eq(loaded, program)) {
            self.vm.load_program(Arc::clone(program));
            self.loaded = Some(Arc::clone(program));
        }
        self.vm.set_input(scope.clone());
        self.vm.execute().map_err(|error| error.to_string().into())
    }

    fn holds(&mut self, value: &Value) -> bool {
        matches!(value, Value::Bool(true))
    }

    fn json(&mut self, value: Value) -> Result<String, Failure> {
        Ok(serde_json::to_string(&value)?)
    }
}

const ENTRY: &str = "data.bench.result";

const HEAD: &str = "package bench\nimport rego.v1\n";

fn expression(workload: Workload) -> Option<String> {
    let decision = |role: &str, group: &str| {
        format!(
            r#"result := true if {{ {role} == "admin" }} else := true if {{
                input.request.method == "GET"
                {group}
                not input.resource.locked
            }} else := false"#
        )
    };
    let (role, member) = ("input.user.role", "input.resource.group in input.user.groups");
    let group = |zone: &str| {
        format!(
            "zones := {{{zone} | some s in input.servers}}\n\
             result := {{zone: names | some zone in zones; names := [s.name | some s in input.servers; {zone} == zone]}}"
        )
    };
    let choose = |third: &str| {
        format!("result := input.x if {{ (input.a * 3 + {third} - input.c) % 7 > 2 }} else := input.y")
    };
    let rules = match workload {
        Workload::PolicyCondition => decision(role, member),
        Workload::PolicyConditionBeside => decision("lower(input.user.role)", member),
        Workload::FlatCondition => decision(role, r#"input.resource.group == "group-03""#),
        Workload::Arithmetic => choose("input.b / 2"),
        Workload::ThirdsKept => "result := input.b / 3".to_owned(),
        Workload::Overflow => "result := 9223372036854775807 + input.a".to_owned(),
        Workload::Fractions => "result := input.price * 1.15 + 0.1 > input.limit".to_owned(),
        Workload::FractionsKept => "result := input.price * 1.15 + 0.1".to_owned(),
        Workload::ForFilter => {
            "result := [upper(s.name) | some s in input.servers; s.enabled; s.load < 0.8]".to_owned()
        }
        Workload::ForFilterBeside => {
            "result := [upper(s.name) | some s in input.servers; s.enabled; s.load + 1 < 1.805]".to_owned()
        }
        Workload::ObjectFor => group("s.zone"),
        Workload::ObjectForBeside => group("lower(s.zone)"),
        Workload::Splat | Workload::SplatAsFor => "result := [s.addr | some s in input.servers]".to_owned(),
        Workload::SplatBeside => "result := [load | some s in input.servers; load := s.load + 1]".to_owned(),
        Workload::Template => {
            r#"result := concat("", ["http://", input.host, ":", format_int(input.port, 10), "/", concat(",", input.tags), ","])"#.to_owned()
        }
        Workload::Switch => chain("input.key"),
        Workload::SwitchBeside => chain("lower(input.key)"),
        Workload::SwitchNull => chain("input.key").replace(r#""none""#, "null"),
        Workload::Thirds | Workload::TemplateBeside | Workload::SwitchNumber => return None,
    };
    Some(format!("{HEAD}{rules}\n"))
}

fn chain(subject: &str) -> String {
    let arms =
        text::arms(|zone, cluster| format!(":= \"{cluster}\" if {{ {subject} == \"{zone}\" }}\n  else "));
    format!(r#"result {arms}:= "none""#)
}

/// Returns a rule for each attribute, and one that queries all of them, with short lines as it demands.
fn body_rules(attributes: Attributes) -> String {
    let rules: Vec<String> =
        (0..body::ATTRIBUTES).map(|at| format!("{} {}", body::name(at), attribute(attributes, at))).collect();
    let names: Vec<String> = (0..body::ATTRIBUTES).map(body::name).collect();
    format!("{HEAD}{}\nresult := [{}]\n", rules.join("\n"), names.join(",\n"))
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    match (at % body::KINDS, attributes) {
        (0, _) => format!(":= input.a * {} + input.b - input.c", n + 2),
        (1, _) => format!(
            r#":= true if {{ input.user.role == "admin" }} else := true if {{ input.service.port > {} }} else := false"#,
            8000 + 40 * n
        ),
        (2, _) => format!(r#":= input.service.name if {{ input.env == "prod" }} else := "fallback-{n:02}""#),
        (3, _) => format!(
            r#":= concat("", [input.service.name, "-{n:02}.", input.region, ":", format_int(input.service.port, 10)])"#
        ),
        (4, Attributes::Repeating) => format!(":= upper(input.{})", text::upper(n)),
        (4, Attributes::Distinct) => {
            format!(r#":= upper(concat("", [input.{}, "-{n:02}"]))"#, text::upper(n))
        }
        (5, _) => format!(r#":= "{}" in input.user.groups"#, text::group(attributes, n)),
        (6, _) => format!(
            ":= true if {{ input.service.replicas >= {}; not input.service.exposed }} else := false",
            text::replicas(attributes, n)
        ),
        _ => format!(":= input.b / 2 if {{ (input.a + {n}) % 7 > 2 }} else := input.c * {n}"),
    }
}
