//! QuickJS through rquickjs: JavaScript functions called from Rust.

use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};
use rquickjs::function::Args;
use rquickjs::{Context, Ctx, Function, Object, Persistent, Runtime, Value};

use super::text;
use crate::Failure;
use crate::contender::{Peer, Prepared, keep};
use crate::engine::{BodyText, Engine, RuleText, Texts, prepared};
use crate::task::{Attributes, Task};

/// The peer. Its numbers are doubles. Functions and arguments are kept as `Persistent`, as documented for
/// repeated calls. Structs go through JSON, because the binding has no serde.
pub const PEER: Peer = Peer { name: "QuickJS", prepare };

const TEXTS: Texts =
    Texts { expression, body: BodyText::Whole(body_block), rules: RuleText::Whole(rule_block) };

fn prepare(task: Task) -> Prepared {
    let runtime: &'static Runtime = keep(Runtime::new()?);
    let context = keep(Context::full(runtime)?);
    prepared(QuickJs { context, variables: task.variables() }, task, TEXTS)
}

struct QuickJs {
    context: &'static Context,
    /// The parameters of functions.
    variables: &'static [&'static str],
}

type Kept = Persistent<Value<'static>>;

impl QuickJs {
    fn with<T>(&self, action: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<T>) -> Result<T, Failure> {
        Ok(self.context.with(|context| action(&context))?)
    }
}

impl Engine for QuickJs {
    type Program = Persistent<Function<'static>>;
    type Variables = Vec<Kept>;
    type Scope = Vec<Kept>;
    type Value = Kept;

    fn compile(&mut self, text: &str) -> Result<Self::Program, Failure> {
        let source = format!("(function({}) {{ \"use strict\";\n{text}\n}})", self.variables.join(", "));
        self.with(|context| Ok(Persistent::save(context, context.eval::<Function<'_>, _>(source)?)))
    }

    fn read(&mut self, json: &str) -> Result<Vec<Kept>, Failure> {
        let variables = self.variables;
        self.with(|context| {
            let scope: Object<'_> = context.json_parse(json)?.get()?;
            let read = |name: &&str| Ok(Persistent::save(context, scope.get::<_, Value<'_>>(*name)?));
            variables.iter().map(read).collect()
        })
    }

    fn convert(&mut self, scope: &Input) -> Result<Vec<Kept>, Failure> {
        self.read(&serde_json::to_string(scope)?)
    }

    fn scope(&mut self) -> Vec<Kept> {
        Vec::new()
    }

    fn set(&mut self, scope: &mut Vec<Kept>, variables: Vec<Kept>) -> Result<(), Failure> {
        *scope = variables;
        Ok(())
    }

    fn evaluate(&mut self, program: &Self::Program, scope: &mut Vec<Kept>) -> Result<Kept, Failure> {
        self.with(|context| {
            let function = program.clone().restore(context)?;
            let mut arguments = Args::new(context.clone(), scope.len());
            for argument in scope.iter() {
                arguments.push_arg(argument.clone().restore(context)?)?;
            }
            Ok(Persistent::save(context, function.call_arg::<Value<'_>>(arguments)?))
        })
    }

    fn holds(&mut self, value: &Kept) -> bool {
        self.with(|context| Ok(value.clone().restore(context)?.as_bool())).is_ok_and(|it| it == Some(true))
    }

    fn own(&mut self, value: Kept) -> Result<impl Sized + 'static, Failure> {
        Ok(serde_json::from_str::<serde_json::Value>(&self.json(value)?)?)
    }

    fn json(&mut self, value: Kept) -> Result<String, Failure> {
        self.with(|context| {
            let value = value.restore(context)?;
            context.json_stringify(value)?.map_or_else(|| Ok("null".to_owned()), |text| text.to_string())
        })
    }
}

fn expression(workload: Workload) -> Option<String> {
    let decision = |role: &str, member: &str| {
        format!(r#"return {role} === "admin" || (request.method === "GET" && {member} && !resource.locked);"#)
    };
    let (role, member) = ("user.role", "user.groups.includes(resource.group)");
    let filter = |load: &str| {
        format!("return servers.filter(s => s.enabled && {load}).map(s => s.name.toUpperCase());")
    };
    let group = |zone: &str| {
        format!(
            "const out = {{}}; for (const s of servers) {{ const zone = {zone}; \
             if (zone in out) out[zone].push(s.name); else out[zone] = [s.name]; }} return out;"
        )
    };
    Some(match workload {
        Workload::PolicyCondition => decision(role, member),
        Workload::PolicyConditionBeside => decision("user.role.toLowerCase()", member),
        Workload::FlatCondition => decision(role, r#"resource.group === "group-03""#),
        Workload::Arithmetic
        | Workload::Thirds
        | Workload::ThirdsKept
        | Workload::Fractions
        | Workload::FractionsKept => format!("return {};", workload.text()),
        Workload::ForFilter => filter("s.load < 0.8"),
        Workload::ForFilterBeside => filter("s.load + 1 < 1.805"),
        Workload::ObjectFor => group("s.zone"),
        Workload::ObjectForBeside => group("s.zone.toLowerCase()"),
        Workload::Splat | Workload::SplatAsFor => "return servers.map(s => s.addr);".to_owned(),
        Workload::SplatBeside => "return servers.map(s => s.load + 1);".to_owned(),
        Workload::Template => "return `http://${host}:${port}/${tags.join(',')},`;".to_owned(),
        Workload::Switch => chain("key"),
        Workload::SwitchBeside => chain("key.toLowerCase()"),
        Workload::SwitchNull => chain("key").replace(r#""none""#, "null"),
        Workload::SwitchNumber => chain("key").replace(&format!("\"{}\"", text::special()), r#""7""#),
        Workload::Overflow | Workload::TemplateBeside => return None,
    })
}

fn chain(subject: &str) -> String {
    let arms = text::arms(|zone, cluster| format!("case \"{zone}\": return \"{cluster}\";\n"));
    format!("switch ({subject}) {{\n{arms}default: return \"none\"; }}")
}

fn body_block(attributes: Attributes) -> String {
    let texts: Vec<String> = (0..body::ATTRIBUTES).map(|at| attribute(attributes, at)).collect();
    format!("return [\n{}\n];", texts.join(",\n"))
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    match (at % body::KINDS, attributes) {
        (1, _) => format!(r#"user.role === "admin" || service.port > {}"#, 8000 + 40 * n),
        (2, _) => format!(r#"env === "prod" ? service.name : "fallback-{n:02}""#),
        (3, _) => format!("`${{service.name}}-{n:02}.${{region}}:${{service.port}}`"),
        (4, Attributes::Repeating) => format!("{}.toUpperCase()", text::upper(n)),
        (4, Attributes::Distinct) => format!("`${{{}}}-{n:02}`.toUpperCase()", text::upper(n)),
        (5, _) => format!(r#"user.groups.includes("{}")"#, text::group(attributes, n)),
        _ => attributes.expression(at),
    }
}

/// Returns a block that tests one rule after the other.
fn rule_block(rules: &[Rule]) -> String {
    let rules: Vec<String> = rules
        .iter()
        .enumerate()
        .map(|(number, rule)| {
            format!("if ({}) out.push({number});", rule.expression("&&").replace("==", "==="))
        })
        .collect();
    format!("const out = [];\n{}\nreturn out;", rules.join("\n"))
}
