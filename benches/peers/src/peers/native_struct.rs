//! Hand-written Rust on structs: no engine at all. Its results are those expected of all peers.
//!
//! Data is ASCII, constants are static, and results borrow where a caller could use them: the code an
//! author would write for exactly this data.

use std::collections::BTreeMap;

use hclvm_workloads::input::{self, Address, Fleet, Integers, Key, Price, Request, Surroundings};
use hclvm_workloads::rules::Rule;
use hclvm_workloads::{Workload, body, rules};
use serde::Serialize;

use super::native::{Native, native, prepared};
use super::text;
use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Peer, Prepared, keep, one};
use crate::task::{Attributes, Form, Task, Work};

/// The peer.
pub const PEER: Peer = Peer { name: super::NATIVE, prepare };

fn prepare(task: Task) -> Prepared {
    match task.work {
        Work::Expression(Workload::PolicyCondition) if task.form == Form::Json => read_fields(task),
        Work::Expression(workload) => expression(workload, task),
        Work::Body(attributes) if task.form == Form::Warm || task.form == Form::OneByOne => {
            let (texts, scopes) = (keep(Texts::of(attributes)), keep(input::surroundings()));
            Ok(one(task.turn(), move |at| outcomes(texts, &scopes[at]), Answer::of))
        }
        Work::Rules => {
            let (rules, requests) = (Rule::all(), input::requests_of(rules::REQUESTS));
            Ok(one(task.turn(), move |at| holding(&rules, &requests[at]), Answer::of))
        }
        Work::Body(_) | Work::Compile => Ok(None),
    }
}

native!(Decide, Request => bool, |s| {
    s.user.role == "admin"
        || (s.request.method == "GET" && s.user.groups.contains(&s.resource.group) && !s.resource.locked)
});
native!(DecideFlat, Request => bool, |s| {
    s.user.role == "admin"
        || (s.request.method == "GET" && s.resource.group == "group-03" && !s.resource.locked)
});
native!(DecideBeside, Request => bool, |s| {
    s.user.role.eq_ignore_ascii_case("admin")
        || (s.request.method == "GET" && s.user.groups.contains(&s.resource.group) && !s.resource.locked)
});
native!(Arithmetic, Integers => i64, |s| if (s.a * 3 + s.b / 2 - s.c) % 7 > 2 { s.x } else { s.y });
native!(Thirds, Integers => i64, |s| {
    if ((s.a * 3) as f64 + s.b as f64 / 3.0 - s.c as f64) % 7.0 > 2.0 { s.x } else { s.y }
});
native!(ThirdsKept, Integers => f64, |s| s.b as f64 / 3.0);
native!(Overflow, Integers => i128, |s| i128::from(i64::MAX) + i128::from(s.a));
native!(Fractions, Price => bool, |s| s.price * 1.15 + 0.1 > s.limit);
native!(FractionsKept, Price => f64, |s| s.price * 1.15 + 0.1);
native!(ForFilter, Fleet => Vec<String>, |s| {
    let chosen = s.servers.iter().filter(|server| server.enabled && server.load < 0.8);
    chosen.map(|server| server.name.to_ascii_uppercase()).collect()
});
native!(ForFilterBeside, Fleet => Vec<String>, |s| {
    let chosen = s.servers.iter().filter(|server| server.enabled && server.load + 1.0 < 1.805);
    chosen.map(|server| server.name.to_ascii_uppercase()).collect()
});
native!(ObjectFor, Fleet => BTreeMap<&'s str, Vec<&'s str>>, |s| {
    let mut zones: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for server in &s.servers {
        zones.entry(&server.zone).or_default().push(&server.name);
    }
    zones
});
native!(ObjectForOwned, Fleet => BTreeMap<String, Vec<String>>, |s| {
    let mut zones: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for server in &s.servers {
        match zones.get_mut(&server.zone) {
            Some(names) => names.push(server.name.clone()),
            None => drop(zones.insert(server.zone.clone(), vec![server.name.clone()])),
        }
    }
    zones
});
native!(ObjectForBeside, Fleet => BTreeMap<String, Vec<&'s str>>, |s| {
    let mut zones: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for server in &s.servers {
        zones.entry(server.zone.to_ascii_lowercase()).or_default().push(&server.name);
    }
    zones
});
native!(Splat, Fleet => Vec<&'s str>, |s| s.servers.iter().map(|server| server.addr.as_str()).collect());
native!(SplatOwned, Fleet => Vec<String>, |s| s.servers.iter().map(|server| server.addr.clone()).collect());
native!(SplatBeside, Fleet => Vec<f64>, |s| s.servers.iter().map(|server| server.load + 1.0).collect());
native!(Template, Address => String, |s| url(&s.host, s.port, s.tags.iter().map(String::as_str)));
native!(Switch, Key => &'static str, |s| cluster(&s.key).unwrap_or("none"));
native!(SwitchBeside, Key => &'static str, |s| cluster(&s.key.to_ascii_lowercase()).unwrap_or("none"));
native!(SwitchNumber, Key => &'static str, |s| match cluster(&s.key) {
    Some("cluster-07") => "7",
    other => other.unwrap_or("none"),
});
native!(SwitchNull, Key => Option<&'static str>, |s| cluster(&s.key));

fn expression(workload: Workload, task: Task) -> Prepared {
    let count = task.count();
    let owned = task.form == Form::OwnedResult;
    match workload {
        Workload::PolicyCondition => prepared(Decide, input::requests_of(count), task),
        Workload::FlatCondition => prepared(DecideFlat, input::requests_of(count), task),
        Workload::PolicyConditionBeside => prepared(DecideBeside, input::requests_of(count), task),
        Workload::Arithmetic => prepared(Arithmetic, input::integers_of(count), task),
        Workload::Thirds => prepared(Thirds, input::integers_of(count), task),
        Workload::ThirdsKept => prepared(ThirdsKept, input::integers_of(count), task),
        Workload::Overflow => prepared(Overflow, input::integers_of(count), task),
        Workload::Fractions => prepared(Fractions, input::prices_of(count), task),
        Workload::FractionsKept => prepared(FractionsKept, input::prices_of(count), task),
        Workload::ForFilter => prepared(ForFilter, input::fleets_of(count), task),
        Workload::ForFilterBeside => prepared(ForFilterBeside, input::fleets_of(count), task),
        Workload::ObjectFor if owned => prepared(ObjectForOwned, input::fleets_of(count), task),
        Workload::ObjectFor => prepared(ObjectFor, input::fleets_of(count), task),
        Workload::ObjectForBeside => prepared(ObjectForBeside, input::fleets_of(count), task),
        Workload::Splat if owned => prepared(SplatOwned, input::fleets_of(count), task),
        Workload::Splat | Workload::SplatAsFor => prepared(Splat, input::fleets_of(count), task),
        Workload::SplatBeside => prepared(SplatBeside, input::fleets_of(count), task),
        Workload::Template => prepared(Template, input::addresses_of(count), task),
        Workload::Switch => prepared(Switch, input::keys_of(count), task),
        Workload::SwitchBeside => prepared(SwitchBeside, input::keys_of(count), task),
        Workload::SwitchNumber => prepared(SwitchNumber, input::keys_of(count), task),
        Workload::SwitchNull => prepared(SwitchNull, input::keys_of(count), task),
        // The digits of a quotient in 512 bits are not those of a double.
        Workload::TemplateBeside => Ok(None),
    }
}

/// `json-decision` with structs that have only the fields the decision reads.
fn read_fields(task: Task) -> Prepared {
    let texts = task.scopes();
    Ok(one(
        task.turn(),
        move |at| {
            let s: narrow::Request<'_> = serde_json::from_str(&texts[at])?;
            Ok(s.user.role == "admin"
                || (s.request.method == "GET"
                    && s.user.groups.contains(&s.resource.group)
                    && !s.resource.locked))
        },
        |allowed: Result<bool, Failure>| Answer::of(allowed?),
    ))
}

/// A request with only the fields the decision reads; strings are borrowed.
mod narrow {
    use serde::Deserialize;

    #[derive(Deserialize)]
    pub(super) struct Request<'r> {
        #[serde(borrow)]
        pub(super) user: User<'r>,
        pub(super) request: Call<'r>,
        pub(super) resource: Thing<'r>,
    }

    #[derive(Deserialize)]
    pub(super) struct User<'r> {
        pub(super) role: &'r str,
        #[serde(borrow)]
        pub(super) groups: Vec<&'r str>,
    }

    #[derive(Deserialize)]
    pub(super) struct Call<'r> {
        pub(super) method: &'r str,
    }

    #[derive(Deserialize)]
    pub(super) struct Thing<'r> {
        pub(super) group: &'r str,
        pub(super) locked: bool,
    }
}

/// Returns the numbers of the rules that hold. Scans them: rules of which nothing is known beforehand
/// cannot be looked up.
fn holding(rules: &[Rule], s: &Request) -> Vec<usize> {
    let rules = rules.iter().enumerate().filter(|(_, rule)| {
        s.user.role == rule.role
            && s.request.method == rule.method
            && s.resource.group == rule.group
            && s.resource.owner == rule.owner
    });
    rules.map(|(number, _)| number).collect()
}

/// Returns the text of `template`.
pub(super) fn url<'a>(host: &str, port: i64, tags: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::with_capacity(96);
    text.push_str("http://");
    text.push_str(host);
    text.push(':');
    text.push_str(itoa::Buffer::new().format(port));
    text.push('/');
    for tag in tags {
        text.push_str(tag);
        text.push(',');
    }
    text
}

/// Returns the result of `switch`, or `None` in the default.
pub(super) fn cluster(key: &str) -> Option<&'static str> {
    Some(match key {
        "zone-00" => "cluster-00",
        "zone-01" => "cluster-01",
        "zone-02" => "cluster-02",
        "zone-03" => "cluster-03",
        "zone-04" => "cluster-04",
        "zone-05" => "cluster-05",
        "zone-06" => "cluster-06",
        "zone-07" => "cluster-07",
        "zone-08" => "cluster-08",
        "zone-09" => "cluster-09",
        "zone-10" => "cluster-10",
        "zone-11" => "cluster-11",
        "zone-12" => "cluster-12",
        "zone-13" => "cluster-13",
        "zone-14" => "cluster-14",
        "zone-15" => "cluster-15",
        "zone-16" => "cluster-16",
        "zone-17" => "cluster-17",
        "zone-18" => "cluster-18",
        "zone-19" => "cluster-19",
        _ => return None,
    })
}

/// The result of an attribute of a body.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Outcome<'s> {
    /// A number.
    Number(i64),
    /// A bool.
    Bool(bool),
    /// A string built by the attribute.
    Text(String),
    /// A borrowed string.
    Borrowed(&'s str),
}

/// The constants of a body.
pub(super) struct Texts {
    attributes: Attributes,
    /// By row.
    pub(super) fallbacks: Vec<String>,
    /// By row.
    pub(super) groups: Vec<String>,
}

impl Texts {
    /// Returns those of a body.
    pub(super) fn of(attributes: Attributes) -> Self {
        let rows = 0..body::ATTRIBUTES / body::KINDS;
        Self {
            attributes,
            fallbacks: rows.clone().map(|row| format!("fallback-{row:02}")).collect(),
            groups: rows.map(|row| text::group(attributes, row)).collect(),
        }
    }

    /// Returns the result of an attribute of the fifth kind.
    pub(super) fn upper(&self, text: &str, row: usize) -> String {
        let mut text = text.to_owned();
        if self.attributes == Attributes::Distinct {
            numbered(&mut text, row);
        }
        text.make_ascii_uppercase();
        text
    }

    /// Returns the constant of an attribute of the seventh kind.
    pub(super) fn replicas(&self, row: usize) -> i64 {
        text::replicas(self.attributes, row) as i64
    }
}

fn numbered(text: &mut String, row: usize) {
    text.push('-');
    text.push((b'0' + (row / 10) as u8) as char);
    text.push((b'0' + (row % 10) as u8) as char);
}

/// Returns the text of an attribute of the fourth kind.
pub(super) fn address(service: &str, row: usize, region: &str, port: i64) -> String {
    let mut text = String::with_capacity(48);
    text.push_str(service);
    numbered(&mut text, row);
    text.push('.');
    text.push_str(region);
    text.push(':');
    text.push_str(itoa::Buffer::new().format(port));
    text
}

/// Returns all results of a body.
fn outcomes<'s>(texts: &'s Texts, s: &'s Surroundings) -> Vec<Outcome<'s>> {
    let mut outcomes = Vec::with_capacity(body::ATTRIBUTES);
    for (row, (fallback, group)) in texts.fallbacks.iter().zip(&texts.groups).enumerate() {
        let n = row as i64;
        let upper = [&s.region, &s.service.name, &s.user.name][row % 3];
        outcomes.extend([
            Outcome::Number(s.a * (n + 2) + s.b - s.c),
            Outcome::Bool(s.user.role == "admin" || s.service.port > 8000 + 40 * n),
            Outcome::Borrowed(if s.env == "prod" { &s.service.name } else { fallback }),
            Outcome::Text(address(&s.service.name, row, &s.region, s.service.port)),
            Outcome::Text(texts.upper(upper, row)),
            Outcome::Bool(s.user.groups.contains(group)),
            Outcome::Bool(s.service.replicas >= texts.replicas(row) && !s.service.exposed),
            Outcome::Number(if (s.a + n) % 7 > 2 { s.b / 2 } else { s.c * n }),
        ]);
    }
    outcomes
}
