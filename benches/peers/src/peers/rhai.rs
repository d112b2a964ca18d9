//! rhai: a scripting language for Rust.

use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};
use rhai::{AST, Dynamic, Map, Scope};

use super::text;
use crate::Failure;
use crate::contender::{Peer, Prepared};
use crate::engine::{BodyText, Engine, RuleText, Texts, prepared};
use crate::task::{Attributes, Task};

/// The peer. Sums beyond 64 bits are errors.
pub const PEER: Peer = Peer { name: "rhai", prepare };

const TEXTS: Texts = Texts {
    expression,
    body: BodyText::Each(attribute),
    rules: RuleText::Each(|rule: &Rule| rule.expression("&&")),
};

fn prepare(task: Task) -> Prepared {
    let mut engine = rhai::Engine::new();
    engine.set_max_expr_depths(0, 0);
    prepared(Rhai(engine), task, TEXTS)
}

struct Rhai(rhai::Engine);

impl Engine for Rhai {
    type Program = AST;
    type Variables = Map;
    type Scope = Scope<'static>;
    type Value = Dynamic;

    fn compile(&mut self, text: &str) -> Result<AST, Failure> {
        self.0.compile(text).map_err(|error| error.to_string().into())
    }

    /// Reads JSON through serde, which is four times faster than the engine's own reader.
    fn read(&mut self, json: &str) -> Result<Map, Failure> {
        Ok(serde_json::from_str::<Dynamic>(json)?.try_cast().ok_or("no object")?)
    }

    fn convert(&mut self, scope: &Input) -> Result<Map, Failure> {
        let value = rhai::serde::to_dynamic(scope).map_err(|error| error.to_string())?;
        Ok(value.try_cast().ok_or("no object")?)
    }

    fn scope(&mut self) -> Scope<'static> {
        Scope::new()
    }

    fn set(&mut self, scope: &mut Scope<'static>, variables: Map) -> Result<(), Failure> {
        scope.clear();
        for (name, value) in variables {
            scope.push_dynamic(name, value);
        }
        Ok(())
    }

    fn evaluate(&mut self, program: &AST, scope: &mut Scope<'static>) -> Result<Dynamic, Failure> {
        let before = scope.len();
        let value = self.0.eval_ast_with_scope::<Dynamic>(scope, program);
        scope.rewind(before);
        value.map_err(|error| error.to_string().into())
    }

    fn holds(&mut self, value: &Dynamic) -> bool {
        value.as_bool() == Ok(true)
    }

    fn json(&mut self, value: Dynamic) -> Result<String, Failure> {
        Ok(serde_json::to_string(&value)?)
    }
}

const DECISION: &str = r#"user.role == "admin" || (request.method == "GET" && resource.group in user.groups && !resource.locked)"#;

fn expression(workload: Workload) -> Option<String> {
    let collect = |statement: &str| format!("let out = []; for s in servers {{ {statement} }} out");
    let group = |zone: &str| {
        format!(
            "let out = #{{}}; for s in servers {{ let zone = {zone}; \
             if zone in out {{ out[zone].push(s.name); }} else {{ out[zone] = [s.name]; }} }} out"
        )
    };
    Some(match workload {
        Workload::PolicyCondition => DECISION.to_owned(),
        Workload::PolicyConditionBeside => DECISION.replace("user.role ==", "user.role.to_lower() =="),
        Workload::FlatCondition | Workload::Fractions | Workload::FractionsKept => workload.text(),
        Workload::Arithmetic => "if (a * 3 + b / 2 - c) % 7 > 2 { x } else { y }".to_owned(),
        Workload::Thirds => "if (a * 3 + b / 3.0 - c) % 7 > 2 { x } else { y }".to_owned(),
        Workload::ThirdsKept => "b / 3.0".to_owned(),
        Workload::ForFilter => collect("if s.enabled && s.load < 0.8 { out.push(s.name.to_upper()); }"),
        Workload::ForFilterBeside => {
            collect("if s.enabled && s.load + 1 < 1.805 { out.push(s.name.to_upper()); }")
        }
        Workload::ObjectFor => group("s.zone"),
        Workload::ObjectForBeside => group("s.zone.to_lower()"),
        Workload::Splat | Workload::SplatAsFor => collect("out.push(s.addr);"),
        Workload::SplatBeside => collect("out.push(s.load + 1);"),
        Workload::Template => {
            r#"let out = `http://${host}:${port}/`; for t in tags { out += t; out += ","; } out"#.to_owned()
        }
        Workload::Switch => chain("key"),
        Workload::SwitchBeside => chain("key.to_lower()"),
        Workload::SwitchNull => chain("key").replace(r#"{ "none" }"#, "{ () }"),
        _ => return None,
    })
}

fn chain(subject: &str) -> String {
    text::arms(|zone, cluster| format!(r#"if {subject} == "{zone}" {{ "{cluster}" }} else "#))
        + r#"{ "none" }"#
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    match (at % body::KINDS, attributes) {
        (2, _) => format!(r#"if env == "prod" {{ service.name }} else {{ "fallback-{n:02}" }}"#),
        (3, _) => format!("`${{service.name}}-{n:02}.${{region}}:${{service.port}}`"),
        (4, Attributes::Repeating) => format!("{}.to_upper()", text::upper(n)),
        (4, Attributes::Distinct) => format!("`${{{}}}-{n:02}`.to_upper()", text::upper(n)),
        (5, _) => format!(r#""{}" in user.groups"#, text::group(attributes, n)),
        (7, _) => format!("if (a + {n}) % 7 > 2 {{ b / 2 }} else {{ c * {n} }}"),
        _ => attributes.expression(at),
    }
}
