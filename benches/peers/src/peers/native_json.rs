//! Hand-written Rust on values of serde_json: no engine, but dynamically typed data.

use std::collections::BTreeMap;

use hclvm_workloads::{Workload, body};
use serde::Serialize;
use serde_json::Value;

use super::native_struct::{Outcome, Texts, address, arms, cluster, url};
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, keep, one};
use crate::task::Task;

/// The peer.
pub const PEER: Peer = Peer { name: "Rust on serde_json", prepare };

fn prepare(task: Task) -> Prepared {
    let scopes = task.scopes();
    Ok(match task {
        Task::Expression(workload) => expression(workload, keep(values(&scopes)?)),
        Task::Body => {
            let texts = Texts::new();
            measured(keep(values(&scopes)?), move |s| attributes(&texts, s))
        }
        Task::Compile => None,
        Task::Request => one(
            scopes.len(),
            move |at| serde_json::from_str::<Value>(&scopes[at]).map(|value| allowed(&value)),
            |allowed| Answer::of(allowed?),
        ),
    })
}

fn values(texts: &[String]) -> Result<Vec<Value>, serde_json::Error> {
    texts.iter().map(|text| serde_json::from_str(text)).collect()
}

fn expression(workload: Workload, scopes: &'static [Value]) -> Option<Box<dyn Contender>> {
    match workload {
        Workload::PolicyCondition => measured(scopes, allowed),
        Workload::Arithmetic => measured(scopes, |s| {
            let taken = (int(&s["a"]) * 3 + int(&s["b"]) / 2 - int(&s["c"])) % 7 > 2;
            int(&s[if taken { "x" } else { "y" }])
        }),
        Workload::Fractions => measured(scopes, |s| float(&s["price"]) * 1.15 + 0.1 > float(&s["limit"])),
        Workload::ForFilter => measured(scopes, |s| {
            let chosen = items(&s["servers"]).iter();
            let chosen = chosen.filter(|server| server["enabled"] == true && float(&server["load"]) < 0.8);
            chosen.map(|server| text(&server["name"]).to_uppercase()).collect::<Vec<String>>()
        }),
        Workload::ObjectFor => measured(scopes, |s| {
            let mut zones: BTreeMap<String, Vec<Value>> = BTreeMap::new();
            for server in items(&s["servers"]) {
                let zone = text(&server["zone"]);
                match zones.get_mut(zone) {
                    Some(names) => names.push(server["name"].clone()),
                    None => drop(zones.insert(zone.to_owned(), vec![server["name"].clone()])),
                }
            }
            zones
        }),
        Workload::Splat => measured(scopes, |s| {
            items(&s["servers"]).iter().map(|server| server["addr"].clone()).collect::<Vec<Value>>()
        }),
        Workload::Template => {
            measured(scopes, |s| url(text(&s["host"]), int(&s["port"]), items(&s["tags"]).iter().map(text)))
        }
        Workload::Switch => {
            let arms = arms();
            measured(scopes, move |s| cluster(&arms, text(&s["key"])))
        }
    }
}

fn measured<T: Serialize + 'static>(
    scopes: &'static [Value],
    evaluate: impl Fn(&'static Value) -> T + 'static,
) -> Option<Box<dyn Contender>> {
    one(scopes.len(), move |at| evaluate(&scopes[at]), Answer::of)
}

fn allowed(s: &Value) -> bool {
    s["user"]["role"] == "admin"
        || (s["request"]["method"] == "GET"
            && items(&s["user"]["groups"]).contains(&s["resource"]["group"])
            && s["resource"]["locked"] == false)
}

fn int(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns all results of `attribute-body`.
fn attributes(texts: &Texts, s: &'static Value) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(body::ATTRIBUTES);
    for (row, (fallback, group)) in texts.fallbacks.iter().zip(&texts.groups).enumerate() {
        let n = row as i64;
        let (a, service, user) = (int(&s["a"]), &s["service"], &s["user"]);
        let upper = match row % 3 {
            0 => &s["region"],
            1 => &service["name"],
            _ => &user["name"],
        };
        outcomes.extend([
            Outcome::Number(a * (n + 2) + int(&s["b"]) - int(&s["c"])),
            Outcome::Bool(user["role"] == "admin" || int(&service["port"]) > 8000 + 40 * n),
            Outcome::Borrowed(if s["env"] == "prod" { text(&service["name"]) } else { fallback }),
            Outcome::Text(address(text(&service["name"]), row, text(&s["region"]), int(&service["port"]))),
            Outcome::Text(text(upper).to_uppercase()),
            Outcome::Bool(items(&user["groups"]).iter().any(|one| one == group)),
            Outcome::Bool(int(&service["replicas"]) >= n % 9 && service["exposed"] == false),
            Outcome::Number(if (a + n) % 7 > 2 { int(&s["b"]) / 2 } else { int(&s["c"]) * n }),
        ]);
    }
    outcomes
}
