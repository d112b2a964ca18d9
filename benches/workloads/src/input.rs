//! The scopes of the workloads as structs.
//!
//! Integers stay so small, and halves so exact, that engines which know only doubles agree with
//! those that know more; fractions stay away from ties for the same reason.
#![expect(missing_docs, reason = "the names of the fields say it")]

use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// Scopes of each workload but W3 to W5.
pub const SCOPES: usize = 64;
/// Servers of each scope of W3 to W5.
pub const SERVERS: usize = 100;

/// W2.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Integers {
    pub a: i64,
    pub b: i64,
    pub c: i64,
    pub x: i64,
    pub y: i64,
}

/// W2b.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Price {
    pub price: f64,
    pub limit: f64,
}

/// W3, W4 and W5.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fleet {
    pub servers: Vec<Server>,
}

/// A server of W3, W4 and W5.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Server {
    pub name: String,
    pub addr: String,
    pub port: i64,
    pub zone: String,
    pub enabled: bool,
    pub load: f64,
}

/// W6.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Address {
    pub host: String,
    pub port: i64,
    pub tags: Vec<String>,
}

/// W7.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Key {
    pub key: String,
}

/// W8.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Surroundings {
    pub a: i64,
    pub b: i64,
    pub c: i64,
    pub env: String,
    pub region: String,
    pub enabled: bool,
    pub user: Owner,
    pub service: Service,
}

/// Part of W8.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Owner {
    pub name: String,
    pub role: String,
    pub groups: Vec<String>,
}

/// Part of W8.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Service {
    pub name: String,
    pub port: i64,
    pub replicas: i64,
    pub exposed: bool,
}

/// W1 and W10: a request with what surrounds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub user: Person,
    pub request: Http,
    pub resource: File,
}

/// Part of W1 and W10.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Person {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub role: String,
    pub groups: Vec<String>,
    pub mfa: bool,
}

/// Part of W1 and W10.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Http {
    pub id: String,
    pub method: String,
    pub path: String,
    pub ip: String,
    pub agent: String,
    pub time: i64,
}

/// Part of W1 and W10.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct File {
    pub id: String,
    pub kind: String,
    pub group: String,
    pub owner: String,
    pub locked: bool,
    pub size: i64,
}

const ROLES: &[&str] = &["admin", "member", "member", "auditor", "guest"];
const METHODS: &[&str] = &["GET", "GET", "GET", "POST", "DELETE"];
const ENVIRONMENTS: &[&str] = &["prod", "staging", "dev"];
const REGIONS: &[&str] = &["eu-west-1", "us-east-1", "ap-south-1"];
const ZONES: &[&str] = &["zone-a", "zone-b", "zone-c", "zone-d", "zone-e"];

/// Eight groups, of which a resource is in one with a chance of one half.
fn groups(dice: &mut Dice) -> Vec<String> {
    let first = dice.roll(16);
    (0..8).map(|n| format!("group-{:02}", (first + n) % 16)).collect()
}

fn group(dice: &mut Dice) -> String {
    format!("group-{:02}", dice.roll(16))
}

fn many<T>(seed: u64, count: usize, mut one: impl FnMut(&mut Dice, usize) -> T) -> Vec<T> {
    let mut dice = Dice::new(seed);
    (0..count).map(|at| one(&mut dice, at)).collect()
}

/// The scopes of W2. `b` is even.
pub fn integers() -> Vec<Integers> {
    many(2, SCOPES, |dice, _| Integers {
        a: 100 + dice.roll(900) as i64,
        b: 2 * dice.roll(500) as i64,
        c: dice.roll(100) as i64,
        x: dice.roll(1000) as i64,
        y: dice.roll(1000) as i64,
    })
}

/// The scopes of W2b.
pub fn prices() -> Vec<Price> {
    many(3, SCOPES, |dice, _| {
        let cents = 100 + dice.roll(20_000);
        Price { price: cents as f64 / 100.0, limit: (120 + dice.roll(24_000)) as f64 / 100.0 + 0.5 }
    })
}

/// The scopes of W3, W4 and W5.
pub fn fleets() -> Vec<Fleet> {
    many(4, 4, |dice, fleet| self::fleet(dice, fleet, SERVERS))
}

/// A scope of W3, W4 or W5 with another number of servers.
pub fn fleet_of(servers: usize) -> Fleet {
    fleet(&mut Dice::new(4), 0, servers)
}

fn fleet(dice: &mut Dice, fleet: usize, servers: usize) -> Fleet {
    let servers = (0..servers).map(|at| Server {
        name: format!("server-{fleet}-{at:03}"),
        addr: format!("10.0.{fleet}.{at}"),
        port: 8000 + at as i64,
        zone: dice.pick(ZONES).to_owned(),
        enabled: dice.chance(90),
        load: dice.roll(100) as f64 / 100.0,
    });
    Fleet { servers: servers.collect() }
}

/// The scopes of W6.
pub fn addresses() -> Vec<Address> {
    many(6, SCOPES, |dice, at| Address {
        host: format!("node-{at}.example.com"),
        port: 1024 + dice.roll(60_000) as i64,
        tags: (0..5).map(|tag| format!("tag-{tag}-{}", dice.roll(100))).collect(),
    })
}

/// The scopes of W7: every arm about equally often, the last default among them.
pub fn keys() -> Vec<Key> {
    many(7, SCOPES, |dice, _| Key { key: format!("zone-{:02}", dice.roll(crate::ARMS as u64 + 1)) })
}

/// The scopes of W8.
pub fn surroundings() -> Vec<Surroundings> {
    many(8, SCOPES, |dice, at| Surroundings {
        a: 1000 + dice.roll(1000) as i64,
        b: 2 * dice.roll(500) as i64,
        c: dice.roll(100) as i64,
        env: dice.pick(ENVIRONMENTS).to_owned(),
        region: dice.pick(REGIONS).to_owned(),
        enabled: dice.chance(50),
        user: Owner { name: format!("user-{at}"), role: dice.pick(ROLES).to_owned(), groups: groups(dice) },
        service: Service {
            name: format!("service-{}", dice.roll(100)),
            port: 8000 + dice.roll(1000) as i64,
            replicas: 1 + dice.roll(9) as i64,
            exposed: dice.chance(50),
        },
    })
}

/// The scopes of W1, and the requests of W10: about 600 bytes each as JSON.
pub fn requests() -> Vec<Request> {
    many(10, SCOPES, |dice, at| Request {
        user: Person {
            id: 100_000 + dice.roll(900_000) as i64,
            name: format!("Person Number {at:02}"),
            email: format!("person.{at:02}@example.com"),
            role: dice.pick(ROLES).to_owned(),
            groups: groups(dice),
            mfa: dice.chance(50),
        },
        request: Http {
            id: format!("{:08x}-{:08x}-{at:04x}", dice.roll(1 << 31), dice.roll(1 << 31)),
            method: dice.pick(METHODS).to_owned(),
            path: format!("/api/v1/projects/{}/files/{at}", dice.roll(1000)),
            ip: format!("10.{}.{}.{at}", dice.roll(256), dice.roll(256)),
            agent: "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0".to_owned(),
            time: 1_700_000_000 + dice.roll(100_000_000) as i64,
        },
        resource: File {
            id: format!("file-{at:06}"),
            kind: "document".to_owned(),
            group: group(dice),
            owner: format!("person.{:02}@example.com", dice.roll(64)),
            locked: dice.chance(25),
            size: dice.roll(10_000_000) as i64,
        },
    })
}
