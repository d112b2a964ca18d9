//! Hand-written Rust on structs: no engine at all. Its results are those expected of all peers.

use std::collections::BTreeMap;

use hclvm_workloads::input::{self, Request, Surroundings};
use hclvm_workloads::{ARMS, Workload, body};
use serde::Serialize;

use crate::Failure;
use crate::answer::Answer;
use crate::contender::{Contender, Peer, Prepared, keep, one};
use crate::task::Task;

/// The peer.
pub const PEER: Peer = Peer { name: super::NATIVE, prepare };

/// `json-decision` with structs that have only the fields the decision reads.
pub const READ_FIELDS: Peer = Peer { name: "Rust on structs, read fields", prepare: read_fields };

/// The result of an attribute of `attribute-body`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Outcome {
    /// A number.
    Number(i64),
    /// A bool.
    Bool(bool),
    /// A string built by the attribute.
    Text(String),
    /// A borrowed string.
    Borrowed(&'static str),
}

fn prepare(task: Task) -> Prepared {
    Ok(match task {
        Task::Expression(workload) => expression(workload),
        Task::Body => {
            let texts = Texts::new();
            measured(input::surroundings(), move |s| attributes(&texts, s))
        }
        Task::Compile => None,
        Task::Request => {
            let texts = task.scopes();
            one(
                texts.len(),
                move |at| serde_json::from_str::<Request>(&texts[at]).map(|r| decide(&r)),
                |r| Answer::of(r?),
            )
        }
    })
}

fn read_fields(task: Task) -> Prepared {
    if task != Task::Request {
        return Ok(None);
    }
    let texts = task.scopes();
    Ok(one(
        texts.len(),
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

fn expression(workload: Workload) -> Option<Box<dyn Contender>> {
    match workload {
        Workload::PolicyCondition => measured(input::requests(), decide),
        Workload::Arithmetic => {
            measured(input::integers(), |s| if (s.a * 3 + s.b / 2 - s.c) % 7 > 2 { s.x } else { s.y })
        }
        Workload::Fractions => measured(input::prices(), |s| s.price * 1.15 + 0.1 > s.limit),
        Workload::ForFilter => measured(input::fleets(), |s| {
            let chosen = s.servers.iter().filter(|server| server.enabled && server.load < 0.8);
            chosen.map(|server| server.name.to_uppercase()).collect::<Vec<String>>()
        }),
        Workload::ObjectFor => measured(input::fleets(), |s| {
            let mut zones: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for server in &s.servers {
                zones.entry(&server.zone).or_default().push(&server.name);
            }
            zones
        }),
        Workload::Splat => measured(input::fleets(), |s| {
            s.servers.iter().map(|server| server.addr.as_str()).collect::<Vec<&str>>()
        }),
        Workload::Template => {
            measured(input::addresses(), |s| url(&s.host, s.port, s.tags.iter().map(String::as_str)))
        }
        Workload::Switch => {
            let arms = arms();
            measured(input::keys(), move |s| cluster(&arms, &s.key))
        }
    }
}

fn measured<S: 'static, T: Serialize + 'static>(
    scopes: Vec<S>,
    evaluate: impl Fn(&'static S) -> T + 'static,
) -> Option<Box<dyn Contender>> {
    let scopes: &'static [S] = keep(scopes);
    one(scopes.len(), move |at| evaluate(&scopes[at]), Answer::of)
}

fn decide(s: &Request) -> bool {
    s.user.role == "admin"
        || (s.request.method == "GET" && s.user.groups.contains(&s.resource.group) && !s.resource.locked)
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

/// Returns the arms of `switch`.
pub(super) fn arms() -> Vec<(String, String)> {
    (0..ARMS).map(|arm| (format!("zone-{arm:02}"), format!("cluster-{arm:02}"))).collect()
}

/// Returns the result of `switch`.
pub(super) fn cluster(arms: &[(String, String)], key: &str) -> String {
    arms.iter().find(|arm| arm.0 == key).map_or("none", |arm| &arm.1).to_owned()
}

/// The constant strings of `attribute-body`.
pub(super) struct Texts {
    /// By row.
    pub(super) fallbacks: Vec<&'static str>,
    /// By row.
    pub(super) groups: Vec<String>,
}

impl Texts {
    pub(super) fn new() -> Self {
        let rows = 0..body::ATTRIBUTES / body::KINDS;
        Self {
            fallbacks: rows.clone().map(|row| &**keep(format!("fallback-{row:02}"))).collect(),
            groups: rows.map(|row| format!("group-{:02}", row % 16)).collect(),
        }
    }
}

/// Returns the text of an attribute of the third kind.
pub(super) fn address(service: &str, row: usize, region: &str, port: i64) -> String {
    let mut text = String::with_capacity(48);
    text.push_str(service);
    text.push('-');
    text.push((b'0' + (row / 10) as u8) as char);
    text.push((b'0' + (row % 10) as u8) as char);
    text.push('.');
    text.push_str(region);
    text.push(':');
    text.push_str(itoa::Buffer::new().format(port));
    text
}

/// Returns all results of `attribute-body`.
fn attributes(texts: &Texts, s: &'static Surroundings) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(body::ATTRIBUTES);
    for (row, (fallback, group)) in texts.fallbacks.iter().zip(&texts.groups).enumerate() {
        let n = row as i64;
        let upper = [&s.region, &s.service.name, &s.user.name][row % 3];
        outcomes.extend([
            Outcome::Number(s.a * (n + 2) + s.b - s.c),
            Outcome::Bool(s.user.role == "admin" || s.service.port > 8000 + 40 * n),
            Outcome::Borrowed(if s.env == "prod" { &s.service.name } else { fallback }),
            Outcome::Text(address(&s.service.name, row, &s.region, s.service.port)),
            Outcome::Text(upper.to_uppercase()),
            Outcome::Bool(s.user.groups.contains(group)),
            Outcome::Bool(s.service.replicas >= n % 9 && !s.service.exposed),
            Outcome::Number(if (s.a + n) % 7 > 2 { s.b / 2 } else { s.c * n }),
        ]);
    }
    outcomes
}
