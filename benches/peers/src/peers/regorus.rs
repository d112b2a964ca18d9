//! regorus: Rego, run by its register machine rather than its interpreter.

use std::sync::Arc;

use hclvm_workloads::{ARMS, Workload, body};
use regorus::languages::rego::compiler::Compiler;
use regorus::rvm::RegoVM;
use regorus::rvm::program::Program;
use regorus::{Engine, Value};

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, one};
use crate::task::Task;

/// The peer. Rego has no grouping loop: `object-for` queries the zones, then the servers of each.
pub const PEER: Peer = Peer { name: "regorus (RVM)", prepare };

fn prepare(task: Task) -> Prepared {
    let texts = task.scopes();
    Ok(match task {
        Task::Expression(workload) => evaluated(&rules(workload), &texts)?,
        Task::Body => evaluated(&body_rules(), &texts)?,
        Task::Compile => {
            let policy = body_rules();
            one(1, move |_| compiled(&policy), |program| program.and_then(|_| Answer::of(body::ATTRIBUTES)))
        }
        Task::Request => {
            let mut vm = machine(&rules(Workload::PolicyCondition))?;
            one(
                texts.len(),
                move |at| {
                    vm.set_input(value(&texts[at])?);
                    executed(&mut vm)
                },
                |value| Answer::of(value?),
            )
        }
    })
}

fn evaluated(policy: &str, texts: &[String]) -> Prepared {
    let mut vm = machine(policy)?;
    let inputs = texts.iter().map(|text| value(text)).collect::<Result<Vec<_>, _>>()?;
    Ok(one(
        inputs.len(),
        move |at| {
            vm.set_input(inputs[at].clone());
            executed(&mut vm)
        },
        |value| Answer::of(value?),
    ))
}

fn executed(vm: &mut RegoVM) -> Result<Value, Failure> {
    vm.execute().map_err(|error| error.to_string().into())
}

fn value(json: &str) -> Result<Value, Failure> {
    Value::from_json_str(json).map_err(|error| error.to_string().into())
}

fn machine(policy: &str) -> Result<RegoVM, Failure> {
    let mut vm = RegoVM::new();
    vm.load_program(compiled(policy)?);
    Ok(vm)
}

fn compiled(policy: &str) -> Result<Arc<Program>, Failure> {
    let mut engine = Engine::new();
    engine.add_policy("policy.rego".to_owned(), policy.to_owned()).map_err(|error| error.to_string())?;
    let policy = engine.compile_with_entrypoint(&ENTRY.into()).map_err(|error| error.to_string())?;
    Compiler::compile_from_policy(&policy, &[ENTRY]).map_err(|error| error.to_string().into())
}

const ENTRY: &str = "data.bench.result";

const HEAD: &str = "package bench\nimport rego.v1\n";

fn rules(workload: Workload) -> String {
    let rules = match workload {
        Workload::PolicyCondition => {
            r#"result := true if { input.user.role == "admin" } else := true if {
                input.request.method == "GET"
                input.resource.group in input.user.groups
                not input.resource.locked
            } else := false"#
                .to_owned()
        }
        Workload::Arithmetic => "result := input.x if { (input.a * 3 + input.b / 2 - input.c) % 7 > 2 } else := input.y".to_owned(),
        Workload::Fractions => "result := input.price * 1.15 + 0.1 > input.limit".to_owned(),
        Workload::ForFilter => "result := [upper(s.name) | some s in input.servers; s.enabled; s.load < 0.8]".to_owned(),
        Workload::ObjectFor => {
            "zones := {s.zone | some s in input.servers}\n\
             result := {zone: names | some zone in zones; names := [s.name | some s in input.servers; s.zone == zone]}"
                .to_owned()
        }
        Workload::Splat => "result := [s.addr | some s in input.servers]".to_owned(),
        Workload::Template => {
            r#"result := concat("", ["http://", input.host, ":", format_int(input.port, 10), "/", concat(",", input.tags), ","])"#.to_owned()
        }
        Workload::Switch => {
            let arms = (0..ARMS).map(|arm| format!(":= \"cluster-{arm:02}\" if {{ input.key == \"zone-{arm:02}\" }}\n  else "));
            format!(r#"result {}:= "none""#, arms.collect::<String>())
        }
    };
    format!("{HEAD}{rules}\n")
}

/// Returns a rule for each attribute, and one that queries all of them, with short lines as it demands.
fn body_rules() -> String {
    let rules: Vec<String> =
        (0..body::ATTRIBUTES).map(|at| format!("{} {}", body::name(at), attribute(at))).collect();
    let names: Vec<String> = (0..body::ATTRIBUTES).map(body::name).collect();
    format!("{HEAD}{}\nresult := [{}]\n", rules.join("\n"), names.join(",\n"))
}

fn attribute(at: usize) -> String {
    let n = body::constant(at);
    match at % body::KINDS {
        0 => format!(":= input.a * {} + input.b - input.c", n + 2),
        1 => format!(
            r#":= true if {{ input.user.role == "admin" }} else := true if {{ input.service.port > {} }} else := false"#,
            8000 + 40 * n
        ),
        2 => format!(r#":= input.service.name if {{ input.env == "prod" }} else := "fallback-{n:02}""#),
        3 => format!(
            r#":= concat("", [input.service.name, "-{n:02}.", input.region, ":", format_int(input.service.port, 10)])"#
        ),
        4 => format!(":= upper(input.{})", ["region", "service.name", "user.name"][n % 3]),
        5 => format!(r#":= "group-{:02}" in input.user.groups"#, n % 16),
        6 => format!(
            ":= true if {{ input.service.replicas >= {}; not input.service.exposed }} else := false",
            n % 9
        ),
        _ => format!(":= input.b / 2 if {{ (input.a + {n}) % 7 > 2 }} else := input.c * {n}"),
    }
}
