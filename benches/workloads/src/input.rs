//! The scopes of the workloads as structs, generated; [`crate::Workload::scopes`] gives them as JSON.
//!
//! Integers are small, divisions exact and fractions far from ties, so that engines which compute in
//! doubles agree with those that compute exactly.
#![expect(missing_docs, reason = "the fields are named after what they hold")]

use serde::{Deserialize, Serialize};

use crate::dice::Dice;

/// Number of scopes of each workload except those over servers.
pub const SCOPES: usize = 64;
/// Number of scopes of the workloads over servers.
pub const FLEETS: usize = 4;
/// Number of servers in each scope of `for-filter`, `object-for` and `splat`.
pub const SERVERS: u32 = 100;

/// A scope of an expression workload.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[expect(clippy::large_enum_variant, reason = "a box would be a load in the timed loops")]
pub enum Input {
    Integers(Integers),
    Price(Price),
    Fleet(Fleet),
    Address(Address),
    Key(Key),
    Request(Request),
}

/// A scope of `arithmetic`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Integers {
    pub a: i64,
    pub b: i64,
    pub c: i64,
    pub x: i64,
    pub y: i64,
}

/// A scope of `fractions`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Price {
    pub price: f64,
    pub limit: f64,
}

/// A scope of `for-filter`, `object-for` and `splat`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fleet {
    pub servers: Vec<Server>,
}

/// One server of a [`Fleet`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Server {
    pub name: String,
    pub addr: String,
    pub port: i64,
    pub zone: String,
    pub enabled: bool,
    pub load: f64,
}

/// A scope of `template`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Address {
    pub host: String,
    pub port: i64,
    pub tags: Vec<String>,
}

/// A scope of `switch`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Key {
    pub key: String,
}

/// A scope of `attribute-body`.
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

/// The user of [`Surroundings`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Owner {
    pub name: String,
    pub role: String,
    pub groups: Vec<String>,
}

/// The service of [`Surroundings`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Service {
    pub name: String,
    pub port: i64,
    pub replicas: i64,
    pub exposed: bool,
}

/// A scope of `policy-condition`, a request of `json-decision`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub user: Person,
    pub request: Http,
    pub resource: File,
}

/// The user of a [`Request`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Person {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub role: String,
    pub groups: Vec<String>,
    pub mfa: bool,
}

/// The HTTP part of a [`Request`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Http {
    pub id: String,
    pub method: String,
    pub path: String,
    pub ip: String,
    pub agent: String,
    pub time: i64,
}

/// The resource of a [`Request`].
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

/// Returns 8 of 16 groups, so that the group of a resource is among them half of the time.
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

/// Returns the scopes of `arithmetic`. `b` is even.
pub fn integers() -> Vec<Integers> {
    integers_of(SCOPES)
}

/// Returns this number of scopes, of which those of [`integers`] are the first.
pub fn integers_of(count: usize) -> Vec<Integers> {
    many(2, count, |dice, _| Integers {
        a: i64::from(100 + dice.roll(900)),
        b: i64::from(2 * dice.roll(500)),
        c: i64::from(dice.roll(100)),
        x: i64::from(dice.roll(1000)),
        y: i64::from(dice.roll(1000)),
    })
}

/// Returns the scopes of `fractions`.
pub fn prices() -> Vec<Price> {
    prices_of(SCOPES)
}

/// Returns this number of scopes, of which those of [`prices`] are the first.
pub fn prices_of(count: usize) -> Vec<Price> {
    many(3, count, |dice, _| {
        let cents = 100 + dice.roll(20_000);
        Price { price: f64::from(cents) / 100.0, limit: f64::from(120 + dice.roll(24_000)) / 100.0 + 0.5 }
    })
}

/// Returns the scopes of `for-filter`, `object-for` and `splat`.
pub fn fleets() -> Vec<Fleet> {
    fleets_of(FLEETS)
}

/// Returns this number of scopes, of which those of [`fleets`] are the first.
pub fn fleets_of(count: usize) -> Vec<Fleet> {
    many(4, count, |dice, fleet| self::fleet(dice, fleet, SERVERS))
}

/// Returns such a scope with another number of servers.
pub fn fleet_of(servers: u32) -> Fleet {
    fleet(&mut Dice::new(4), 0, servers)
}

fn fleet(dice: &mut Dice, fleet: usize, servers: u32) -> Fleet {
    let servers = (0..servers).map(|at| Server {
        name: format!("server-{fleet}-{at:03}"),
        addr: format!("10.0.{fleet}.{at}"),
        port: 8000 + i64::from(at),
        zone: dice.pick(ZONES).to_owned(),
        enabled: dice.chance(90),
        load: f64::from(dice.roll(100)) / 100.0,
    });
    Fleet { servers: servers.collect() }
}

/// Returns the scopes of `template`.
pub fn addresses() -> Vec<Address> {
    addresses_of(SCOPES)
}

/// Returns this number of scopes, of which those of [`addresses`] are the first.
pub fn addresses_of(count: usize) -> Vec<Address> {
    many(6, count, |dice, at| Address {
        host: format!("node-{at}.example.com"),
        port: i64::from(1024 + dice.roll(60_000)),
        tags: (0..5).map(|tag| format!("tag-{tag}-{}", dice.roll(100))).collect(),
    })
}

/// Returns the scopes of `switch`: each arm is taken about equally often, the default included.
pub fn keys() -> Vec<Key> {
    keys_of(SCOPES)
}

/// Returns this number of scopes, of which those of [`keys`] are the first.
pub fn keys_of(count: usize) -> Vec<Key> {
    let arms = u32::try_from(crate::ARMS).unwrap_or_default();
    many(7, count, |dice, _| Key { key: format!("zone-{:02}", dice.roll(arms + 1)) })
}

/// Returns the scopes of `attribute-body`.
pub fn surroundings() -> Vec<Surroundings> {
    many(8, SCOPES, |dice, at| Surroundings {
        a: i64::from(1000 + dice.roll(1000)),
        b: i64::from(2 * dice.roll(500)),
        c: i64::from(dice.roll(100)),
        env: dice.pick(ENVIRONMENTS).to_owned(),
        region: dice.pick(REGIONS).to_owned(),
        enabled: dice.chance(50),
        user: Owner { name: format!("user-{at}"), role: dice.pick(ROLES).to_owned(), groups: groups(dice) },
        service: Service {
            name: format!("service-{}", dice.roll(100)),
            port: i64::from(8000 + dice.roll(1000)),
            replicas: i64::from(1 + dice.roll(9)),
            exposed: dice.chance(50),
        },
    })
}

/// Returns the scopes of `policy-condition` and requests of `json-decision`, about 600 bytes each as JSON.
pub fn requests() -> Vec<Request> {
    requests_of(SCOPES)
}

/// Returns this number of scopes, of which those of [`requests`] are the first.
pub fn requests_of(count: usize) -> Vec<Request> {
    many(10, count, |dice, at| Request {
        user: Person {
            id: i64::from(100_000 + dice.roll(900_000)),
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
            time: i64::from(1_700_000_000 + dice.roll(100_000_000)),
        },
        resource: File {
            id: format!("file-{at:06}"),
            kind: "document".to_owned(),
            group: group(dice),
            owner: format!("person.{:02}@example.com", dice.roll(64)),
            locked: dice.chance(25),
            size: i64::from(dice.roll(10_000_000)),
        },
    })
}
