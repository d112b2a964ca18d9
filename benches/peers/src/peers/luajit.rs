//! LuaJIT through mlua: Lua functions called from Rust, with the just-in-time compiler on.

use std::hint::black_box;

use hclvm_workloads::{ARMS, Workload, body};
use mlua::serde::{SerializeOptions, Serializer};
use mlua::{Function, Lua, Table, Value};
use serde_json::Deserializer;

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, Turn, keep, one};
use crate::task::Task;

/// The peer.
pub const PEER: Peer = Peer { name: "LuaJIT (mlua)", prepare };

/// The peer with many evaluations in one call from the host, which excludes the cost of a call.
pub const INSIDE: Peer = Peer { name: "LuaJIT, 64 evaluations a call", prepare: inside };

fn prepare(task: Task) -> Prepared {
    let (lua, texts): (&'static Lua, _) = (keep(Lua::new()), task.scopes());
    let parameters = parameters(task);
    Ok(match task {
        Task::Expression(workload) => {
            let function = function(lua, parameters, &block(workload))?;
            evaluated(lua, function, parameters, &texts)?
        }
        Task::Body => evaluated(lua, function(lua, parameters, &body_block())?, parameters, &texts)?,
        Task::Compile => {
            let text = source(parameters, &body_block());
            one(
                1,
                move |_| lua.load(&text).into_function(),
                |chunk| {
                    chunk?;
                    Answer::of(body::ATTRIBUTES)
                },
            )
        }
        Task::Request => {
            let function = function(lua, parameters, &block(Workload::PolicyCondition))?;
            one(
                texts.len(),
                move |at| {
                    let request = read(lua, &texts[at])?;
                    let part = |name: &str| request.raw_get::<Value>(name);
                    Ok(function.call::<bool>((part("user")?, part("request")?, part("resource")?))?)
                },
                |value: Result<bool, Failure>| Answer::of(value?),
            )
        }
    })
}

fn evaluated(lua: &'static Lua, function: Function, parameters: &[&str], texts: &[String]) -> Prepared {
    let scopes = scopes(lua, parameters, texts)?;
    Ok(one(scopes.len(), move |at| call(&function, &scopes[at]), |value| Answer::of(value?)))
}

/// Arguments that are pushed onto the stack without an intermediate collection.
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

fn scopes(lua: &Lua, parameters: &[&str], texts: &[String]) -> Result<Vec<Vec<Value>>, Failure> {
    let scopes = texts.iter().map(|text| {
        let table = read(lua, text)?;
        Ok(parameters.iter().map(|name| table.raw_get(*name)).collect::<mlua::Result<Vec<_>>>()?)
    });
    scopes.collect()
}

/// Reads JSON straight into tables, without an intermediate tree.
fn read(lua: &Lua, json: &str) -> Result<Table, Failure> {
    let options = SerializeOptions::new().set_array_metatable(false);
    let value = serde_transcode::transcode(
        &mut Deserializer::from_str(json),
        Serializer::new_with_options(lua, options),
    )?;
    Ok(value.as_table().ok_or("no object")?.clone())
}

/// Returns the names of the variables, which are the function's parameters.
fn parameters(task: Task) -> &'static [&'static str] {
    match task {
        Task::Expression(Workload::PolicyCondition) | Task::Request => &["user", "request", "resource"],
        Task::Expression(Workload::Arithmetic) => &["a", "b", "c", "x", "y"],
        Task::Expression(Workload::Fractions) => &["price", "limit"],
        Task::Expression(Workload::ForFilter | Workload::ObjectFor | Workload::Splat) => &["servers"],
        Task::Expression(Workload::Template) => &["host", "port", "tags"],
        Task::Expression(Workload::Switch) => &["key"],
        Task::Body | Task::Compile => &["a", "b", "c", "env", "region", "enabled", "user", "service"],
    }
}

fn function(lua: &Lua, parameters: &[&str], block: &str) -> Result<Function, Failure> {
    Ok(lua.load(source(parameters, block)).eval()?)
}

fn source(parameters: &[&str], block: &str) -> String {
    format!("{HEAD}return function({})\n{block}\nend\n", parameters.join(", "))
}

const HEAD: &str = "
local upper, concat = string.upper, table.concat
local function contains(list, item)
    for at = 1, #list do if list[at] == item then return true end end
    return false
end
";

fn block(workload: Workload) -> String {
    match workload {
        Workload::Switch => {
            let arms = (0..ARMS)
                .map(|arm| format!("if key == \"zone-{arm:02}\" then return \"cluster-{arm:02}\" end\n"));
            arms.collect::<String>() + "return \"none\""
        }
        _ => fixed(workload).to_owned(),
    }
}

fn fixed(workload: Workload) -> &'static str {
    match workload {
        Workload::PolicyCondition => {
            r#"return user.role == "admin" or
            (request.method == "GET" and contains(user.groups, resource.group) and not resource.locked)"#
        }
        Workload::Arithmetic => "if (a * 3 + b / 2 - c) % 7 > 2 then return x else return y end",
        Workload::Fractions => "return price * 1.15 + 0.1 > limit",
        Workload::ForFilter => {
            "local out, n = {}, 0
            for at = 1, #servers do
                local s = servers[at]
                if s.enabled and s.load < 0.8 then n = n + 1; out[n] = upper(s.name) end
            end
            return out"
        }
        Workload::ObjectFor => {
            "local out = {}
            for at = 1, #servers do
                local s = servers[at]
                local names = out[s.zone]
                if names then names[#names + 1] = s.name else out[s.zone] = { s.name } end
            end
            return out"
        }
        Workload::Splat => {
            "local out = {}
            for at = 1, #servers do out[at] = servers[at].addr end
            return out"
        }
        Workload::Template => r#"return "http://" .. host .. ":" .. port .. "/" .. concat(tags, ",") .. ",""#,
        Workload::Switch => "",
    }
}

fn body_block() -> String {
    let attributes: Vec<String> = (0..body::ATTRIBUTES).map(attribute).collect();
    format!("return {{\n{}\n}}", attributes.join(",\n"))
}

fn attribute(at: usize) -> String {
    let n = body::constant(at);
    match at % body::KINDS {
        1 => format!(r#"user.role == "admin" or service.port > {}"#, 8000 + 40 * n),
        2 => format!(r#"env == "prod" and service.name or "fallback-{n:02}""#),
        3 => format!(r#"service.name .. "-{n:02}." .. region .. ":" .. service.port"#),
        6 => format!("service.replicas >= {} and not service.exposed", n % 9),
        7 => format!("(a + {n}) % 7 > 2 and b / 2 or c * {n}"),
        _ => body::expression(at),
    }
}

/// Evaluations in one call.
const EVALUATIONS: u64 = super::INSIDE;

fn inside(task: Task) -> Prepared {
    use Workload::{Arithmetic, Fractions, PolicyCondition, Switch};
    let Task::Expression(workload @ (PolicyCondition | Arithmetic | Fractions | Switch)) = task else {
        return Ok(None);
    };
    let lua: &'static Lua = keep(Lua::new());
    let parameters = parameters(task);
    let one = function(lua, parameters, &block(workload))?;
    let scopes = scopes(lua, parameters, &task.scopes())?;
    let table = lua.create_table()?;
    for scope in &scopes {
        table.push(lua.create_sequence_from(scope.iter())?)?;
    }
    let unpacked: Vec<String> = (1..=parameters.len()).map(|at| format!("scope[{at}]")).collect();
    let all = lua.load(format!(
        "return function(one, scopes)\nlocal last\nfor at = 1, {EVALUATIONS} do\n\
         local scope = scopes[at]\nlast = one({})\nend\nreturn last\nend",
        unpacked.join(", ")
    ));
    Ok(Some(Box::new(Inside { all: all.eval()?, one, table, turn: Turn::of(scopes.len()), scopes })))
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
