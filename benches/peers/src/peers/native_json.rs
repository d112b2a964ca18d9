//! Hand-written Rust on values of serde_json: no engine, but dynamically typed data.

use std::collections::BTreeMap;

use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body};
use serde_json::Value;

use super::native::{Native, native, prepared};
use super::native_struct::{Outcome, Texts, address, cluster, url};
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, keep, one};
use crate::task::{Form, Task, Work};

/// The peer.
pub const PEER: Peer = Peer { name: "Rust on serde_json", prepare };

fn prepare(task: Task) -> Prepared {
    let scopes: Result<Vec<Value>, _> = task.scopes().iter().map(|text| serde_json::from_str(text)).collect();
    let scopes = scopes?;
    match (task.work, task.form) {
        // Setting from a struct and copying results are the concern of engines.
        (_, Form::Struct | Form::Owned | Form::JsonWhole | Form::OwnedResult) => Ok(None),
        (Work::Expression(workload), _) => expression(workload, scopes, task),
        (Work::Body(attributes), Form::Warm) => {
            let (texts, scopes) = (keep(Texts::of(attributes)), keep(scopes));
            Ok(one(task.turn(), move |at| outcomes(texts, &scopes[at]), Answer::of))
        }
        (Work::Rules, _) => {
            let rules = Rule::all();
            Ok(one(task.turn(), move |at| holding(&rules, &scopes[at]), Answer::of))
        }
        _ => Ok(None),
    }
}

native!(Decide, Value => bool, |s| {
    s["user"]["role"] == "admin"
        || (s["request"]["method"] == "GET"
            && items(&s["user"]["groups"]).contains(&s["resource"]["group"])
            && s["resource"]["locked"] == false)
});
native!(DecideFlat, Value => bool, |s| {
    s["user"]["role"] == "admin"
        || (s["request"]["method"] == "GET"
            && s["resource"]["group"] == "group-03"
            && s["resource"]["locked"] == false)
});
native!(Arithmetic, Value => i64, |s| {
    let taken = (int(&s["a"]) * 3 + int(&s["b"]) / 2 - int(&s["c"])) % 7 > 2;
    int(&s[if taken { "x" } else { "y" }])
});
native!(Overflow, Value => i128, |s| i128::from(i64::MAX) + i128::from(int(&s["a"])));
native!(ThirdsKept, Value => f64, |s| float(&s["b"]) / 3.0);
native!(Fractions, Value => bool, |s| float(&s["price"]) * 1.15 + 0.1 > float(&s["limit"]));
native!(FractionsKept, Value => f64, |s| float(&s["price"]) * 1.15 + 0.1);
native!(ForFilter, Value => Vec<String>, |s| {
    let chosen = items(&s["servers"]).iter();
    let chosen = chosen.filter(|server| server["enabled"] == true && float(&server["load"]) < 0.8);
    chosen.map(|server| text(&server["name"]).to_ascii_uppercase()).collect()
});
native!(ObjectFor, Value => BTreeMap<String, Vec<Value>>, |s| {
    let mut zones: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for server in items(&s["servers"]) {
        let zone = text(&server["zone"]);
        match zones.get_mut(zone) {
            Some(names) => names.push(server["name"].clone()),
            None => drop(zones.insert(zone.to_owned(), vec![server["name"].clone()])),
        }
    }
    zones
});
native!(Splat, Value => Vec<Value>, |s| {
    items(&s["servers"]).iter().map(|server| server["addr"].clone()).collect()
});
native!(SplatBeside, Value => Vec<f64>, |s| {
    items(&s["servers"]).iter().map(|server| float(&server["load"]) + 1.0).collect()
});
native!(Template, Value => String, |s| {
    url(text(&s["host"]), int(&s["port"]), items(&s["tags"]).iter().map(text))
});
native!(Switch, Value => &'static str, |s| cluster(text(&s["key"])).unwrap_or("none"));

fn expression(workload: Workload, scopes: Vec<Value>, task: Task) -> Prepared {
    match workload {
        Workload::PolicyCondition => prepared(Decide, scopes, task),
        Workload::FlatCondition => prepared(DecideFlat, scopes, task),
        Workload::Arithmetic => prepared(Arithmetic, scopes, task),
        Workload::Overflow => prepared(Overflow, scopes, task),
        Workload::ThirdsKept => prepared(ThirdsKept, scopes, task),
        Workload::Fractions => prepared(Fractions, scopes, task),
        Workload::FractionsKept => prepared(FractionsKept, scopes, task),
        Workload::ForFilter => prepared(ForFilter, scopes, task),
        Workload::ObjectFor => prepared(ObjectFor, scopes, task),
        Workload::Splat | Workload::SplatAsFor => prepared(Splat, scopes, task),
        Workload::SplatBeside => prepared(SplatBeside, scopes, task),
        Workload::Template => prepared(Template, scopes, task),
        Workload::Switch => prepared(Switch, scopes, task),
        _ => Ok(None),
    }
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

/// Returns the numbers of the rules that hold.
fn holding(rules: &[Rule], s: &Value) -> Vec<usize> {
    let rules = rules.iter().enumerate().filter(|(_, rule)| {
        s["user"]["role"] == *rule.role
            && s["request"]["method"] == *rule.method
            && s["resource"]["group"] == *rule.group
            && s["resource"]["owner"] == *rule.owner
    });
    rules.map(|(number, _)| number).collect()
}

/// Returns all results of a body.
fn outcomes<'s>(texts: &'s Texts, s: &'s Value) -> Vec<Outcome<'s>> {
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
            Outcome::Text(texts.upper(text(upper), row)),
            Outcome::Bool(items(&user["groups"]).iter().any(|one| one == group)),
            Outcome::Bool(int(&service["replicas"]) >= texts.replicas(row) && service["exposed"] == false),
            Outcome::Number(if (a + n) % 7 > 2 { int(&s["b"]) / 2 } else { int(&s["c"]) * n }),
        ]);
    }
    outcomes
}
