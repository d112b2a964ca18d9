//! LuaJIT through mlua: Lua functions called from Rust, with the just-in-time compiler on.

use std::hint::black_box;

use hclvm_workloads::input::Input;
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};
use mlua::serde::{SerializeOptions, Serializer};
use mlua::{Function, Lua, LuaSerdeExt, Table, Value};
use serde::Serialize;
use serde_json::Deserializer;

use super::text;
use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, keep};
use crate::engine::{BodyText, Engine, RuleText, Texts, evaluated, prepared};
use crate::task::{Attributes, Form, Task};

/// The peer. Its numbers are doubles.
pub const PEER: Peer = Peer { name: "LuaJIT", prepare };

const TEXTS: Texts =
    Texts { expression, body: BodyText::Whole(body_block), rules: RuleText::Whole(rule_block) };

fn prepare(task: Task) -> Prepared {
    let engine = Lua51 { lua: keep(Lua::new()), variables: task.variables() };
    match task.form {
        Form::Inside => inside(engine, task),
        Form::Batch | Form::Cold => from_table(engine, task),
        _ => prepared(engine, task, TEXTS),
    }
}

struct Lua51 {
    lua: &'static Lua,
    /// The parameters of functions.
    variables: &'static [&'static str],
}

impl Lua51 {
    fn variables(&self, scope: &Table) -> Result<Vec<Value>, Failure> {
        Ok(self.variables.iter().map(|name| scope.raw_get(*name)).collect::<mlua::Result<Vec<_>>>()?)
    }
}

const OPTIONS: SerializeOptions = SerializeOptions::new().set_array_metatable(false);

impl Engine for Lua51 {
    type Program = Function;
    type Variables = Vec<Value>;
    type Scope = Vec<Value>;
    type Value = Value;

    fn compile(&mut self, text: &str) -> Result<Function, Failure> {
        Ok(self.lua.load(source(self.variables, text)).eval()?)
    }

    /// Reads JSON straight into tables, without an intermediate tree.
    fn read(&mut self, json: &str) -> Result<Vec<Value>, Failure> {
        let value = serde_transcode::transcode(
            &mut Deserializer::from_str(json),
            Serializer::new_with_options(self.lua, OPTIONS),
        )?;
        self.variables(value.as_table().ok_or("no object")?)
    }

    fn convert(&mut self, scope: &Input) -> Result<Vec<Value>, Failure> {
        let value = scope.serialize(Serializer::new_with_options(self.lua, OPTIONS))?;
        self.variables(value.as_table().ok_or("no object")?)
    }

    fn scope(&mut self) -> Vec<Value> {
        Vec::new()
    }

    fn set(&mut self, scope: &mut Vec<Value>, variables: Vec<Value>) -> Result<(), Failure> {
        *scope = variables;
        Ok(())
    }

    fn evaluate(&mut self, program: &Function, scope: &mut Vec<Value>) -> Result<Value, Failure> {
        Ok(call(program, scope)?)
    }

    fn holds(&mut self, value: &Value) -> bool {
        value.as_boolean() == Some(true)
    }

    fn own(&mut self, value: Value) -> Result<impl Sized + 'static, Failure> {
        Ok(self.lua.from_value::<serde_json::Value>(value)?)
    }

    fn json(&mut self, value: Value) -> Result<String, Failure> {
        // An empty table is a list here: no workload returns an empty object.
        Ok(serde_json::to_string(&value.to_serializable().encode_empty_tables_as_array(true))?)
    }
}

/// Pushes the arguments onto the stack without an intermediate collection.
fn call(function: &Function, arguments: &[Value]) -> mlua::Result<Value> {
    match arguments {
        [a] => function.call(a),
        [a, b] => function.call((a, b)),
        [a, b, c] => function.call((a, b, c)),
        [a, b, c, d, e] => function.call((a, b, c, d, e)),
        [a, b, c, d, e, f, g, h] => function.call((a, b, c, d, e, f, g, h)),
        _ => Err(mlua::Error::runtime("no workload has so many variables")),
    }
}

fn source(parameters: &[&str], block: &str) -> String {
    format!("{HEAD}return function({})\n{block}\nend\n", parameters.join(", "))
}

const HEAD: &str = "
local upper, lower, concat = string.upper, string.lower, table.concat
local function contains(list, item)
    for at = 1, #list do if list[at] == item then return true end end
    return false
end
";

fn expression(workload: Workload) -> Option<String> {
    let decision = |role: &str, member: &str| {
        format!(
            r#"return {role} == "admin" or (request.method == "GET" and {member} and not resource.locked)"#
        )
    };
    let (role, member) = ("user.role", "contains(user.groups, resource.group)");
    let collect = |statement: &str| {
        format!(
            "local out, n = {{}}, 0\nfor at = 1, #servers do\nlocal s = servers[at]\n{statement}\nend\nreturn out"
        )
    };
    let group = |zone: &str| {
        collect(&format!(
            "local zone = {zone}\nlocal names = out[zone]\n\
             if names then names[#names + 1] = s.name else out[zone] = {{ s.name }} end"
        ))
    };
    Some(match workload {
        Workload::PolicyCondition => decision(role, member),
        Workload::PolicyConditionBeside => decision("lower(user.role)", member),
        Workload::FlatCondition => decision(role, r#"resource.group == "group-03""#),
        Workload::Arithmetic => "if (a * 3 + b / 2 - c) % 7 > 2 then return x else return y end".to_owned(),
        Workload::Thirds => "if (a * 3 + b / 3 - c) % 7 > 2 then return x else return y end".to_owned(),
        Workload::ThirdsKept => "return b / 3".to_owned(),
        Workload::Fractions => "return price * 1.15 + 0.1 > limit".to_owned(),
        Workload::FractionsKept => "return price * 1.15 + 0.1".to_owned(),
        Workload::ForFilter => {
            collect("if s.enabled and s.load < 0.8 then n = n + 1; out[n] = upper(s.name) end")
        }
        Workload::ForFilterBeside => {
            collect("if s.enabled and s.load + 1 < 1.805 then n = n + 1; out[n] = upper(s.name) end")
        }
        Workload::ObjectFor => group("s.zone"),
        Workload::ObjectForBeside => group("lower(s.zone)"),
        Workload::Splat | Workload::SplatAsFor => collect("out[at] = s.addr"),
        Workload::SplatBeside => collect("out[at] = s.load + 1"),
        Workload::Template => {
            r#"return "http://" .. host .. ":" .. port .. "/" .. concat(tags, ",") .. ",""#.to_owned()
        }
        Workload::Switch => chain(r#"return "none""#),
        Workload::SwitchBeside => format!("local key = lower(key)\n{}", chain(r#"return "none""#)),
        Workload::SwitchNumber => {
            chain(r#"return "none""#).replace(&format!("\"{}\"", text::special()), r#""7""#)
        }
        Workload::SwitchNull => chain("return nil"),
        Workload::Overflow | Workload::TemplateBeside => return None,
    })
}

fn chain(none: &str) -> String {
    text::arms(|zone, cluster| format!("if key == \"{zone}\" then return \"{cluster}\" end\n")) + none
}

fn body_block(attributes: Attributes) -> String {
    let texts: Vec<String> = (0..body::ATTRIBUTES).map(|at| attribute(attributes, at)).collect();
    format!("return {{\n{}\n}}", texts.join(",\n"))
}

fn attribute(attributes: Attributes, at: usize) -> String {
    let n = body::constant(at);
    match (at % body::KINDS, attributes) {
        (1, _) => format!(r#"user.role == "admin" or service.port > {}"#, 8000 + 40 * n),
        (2, _) => format!(r#"env == "prod" and service.name or "fallback-{n:02}""#),
        (3, _) => format!(r#"service.name .. "-{n:02}." .. region .. ":" .. service.port"#),
        (4, Attributes::Distinct) => format!(r#"upper({} .. "-{n:02}")"#, text::upper(n)),
        (6, _) => format!("service.replicas >= {} and not service.exposed", text::replicas(attributes, n)),
        (7, _) => format!("(a + {n}) % 7 > 2 and b / 2 or c * {n}"),
        _ => attributes.expression(at),
    }
}

/// Returns a block that tests one rule after the other.
fn rule_block(rules: &[Rule]) -> String {
    let rules: Vec<String> = rules
        .iter()
        .enumerate()
        .map(|(number, rule)| format!("if {} then n = n + 1; out[n] = {number} end", rule.expression("and")))
        .collect();
    format!("local out, n = {{}}, 0\n{}\nreturn out", rules.join("\n"))
}

/// Evaluations in one call.
const EVALUATIONS: u64 = super::INSIDE;

fn inside(mut engine: Lua51, task: Task) -> Prepared {
    let Some(text) = task.workload().and_then(expression) else { return Ok(None) };
    let (lua, one) = (engine.lua, engine.compile(&text)?);
    let table = table(&mut engine, task)?;
    let read: Result<Vec<_>, Failure> = task.scopes().iter().map(|text| engine.read(text)).collect();
    let all = lua.load(format!(
        "return function(one, scopes)\nlocal last\nfor at = 1, {EVALUATIONS} do\n{}\nlast = result\nend\n\
         return last\nend",
        call_in_lua(&engine)
    ));
    Ok(Some(Box::new(Inside { all: all.eval()?, one, table, turn: task.turn(), scopes: read? })))
}

/// Many scopes are kept in a table, because the binding holds a limited number of values. One call decides
/// all of them, or the one of the number that is given.
fn from_table(mut engine: Lua51, task: Task) -> Prepared {
    let Some(text) = task.workload().and_then(expression) else { return Ok(None) };
    let (lua, one) = (engine.lua, engine.compile(&text)?);
    let table = table(&mut engine, task)?;
    let call = call_in_lua(&engine);
    if task.form == Form::Batch {
        let all = lua.load(format!(
            "return function(one, scopes)\nlocal out = {{}}\nfor at = 1, #scopes do\n{call}\nout[at] = result\nend\n\
             return out\nend"
        ));
        let (all, mut together) = (all.eval()?, vec![Value::Function(one), Value::Table(table)]);
        return evaluated(engine, task, move |engine: &mut Lua51, _| engine.evaluate(&all, &mut together));
    }
    let make = format!("return function(one, scopes)\nreturn function(at)\n{call}\nreturn result\nend\nend");
    let make: Function = lua.load(make).eval()?;
    let numbered: Function = make.call((one, table))?;
    evaluated(engine, task, move |_, at| Ok(numbered.call::<Value>(at + 1)?))
}

/// Returns all scopes as a table of tables.
fn table(engine: &mut Lua51, task: Task) -> Result<Table, Failure> {
    let table = engine.lua.create_table()?;
    for text in task.scopes() {
        let scope = engine.read(&text)?;
        table.push(engine.lua.create_sequence_from(scope)?)?;
    }
    Ok(table)
}

/// Returns the statements that call `one` for the scope of number `at` in `scopes`.
fn call_in_lua(engine: &Lua51) -> String {
    let unpacked: Vec<String> = (1..=engine.variables.len()).map(|at| format!("scope[{at}]")).collect();
    format!("local scope = scopes[at]\nlocal result = one({})", unpacked.join(", "))
}

struct Inside {
    all: Function,
    one: Function,
    table: Table,
    turn: Turn,
    scopes: Vec<Vec<Value>>,
}

impl Contender for Inside {
    fn answer(&mut self, scope: usize) -> Result<Answer, Failure> {
        Answer::of(call(&self.one, &self.scopes[scope])?)
    }

    fn run(&mut self, evaluations: u64) {
        // A whole number of calls; the rest of a batch is run one by one.
        for _ in 0..evaluations / EVALUATIONS {
            let _ = black_box(self.all.call::<Value>((&self.one, &self.table)));
        }
        for _ in 0..evaluations % EVALUATIONS {
            let scope = self.turn.step();
            let _ = black_box(call(&self.one, &self.scopes[scope]));
        }
    }
}
