//! A configuration of 150 lines decoded into Rust structs, and the diagnostics of three invalid ones.
//!
//! ```text
//! cargo run --example service_config
//! ```
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeMap;

use hclvm::decode::Spanned;
use hclvm::{Document, Engine, Error};
use serde::Deserialize;

/// The file.
#[derive(Debug, Deserialize)]
struct Config {
    fleet: String,
    region: String,
    admins: Vec<String>,
    defaults: Defaults,
    /// By label.
    listener: BTreeMap<String, Listener>,
    /// By both labels: kind, then name.
    service: BTreeMap<String, BTreeMap<String, Service>>,
    store: Store,
    cache: Option<Cache>,
    #[serde(default)]
    alert: Vec<Alert>,
    /// Present or not.
    maintenance: Option<()>,
}

#[derive(Debug, Deserialize)]
struct Defaults {
    replicas: u32,
    timeout: String,
    retries: u8,
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Listener {
    /// With its position, for errors of the application.
    port: Spanned<u16>,
    redirect: Option<String>,
    tls: Option<Tls>,
}

#[derive(Debug, Deserialize)]
struct Tls {
    certificate: String,
    key: String,
    versions: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Service {
    image: String,
    replicas: u32,
    #[serde(default)]
    command: Vec<String>,
    resources: Resources,
    health: Option<Health>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    port: Vec<Port>,
    #[serde(default)]
    route: Vec<Route>,
    schedule: Option<Schedule>,
}

#[derive(Debug, Deserialize)]
struct Resources {
    cpu: f64,
    memory: u64,
}

#[derive(Debug, Deserialize)]
struct Health {
    path: String,
    interval: String,
}

#[derive(Debug, Deserialize)]
struct Port {
    name: String,
    number: u16,
}

#[derive(Debug, Deserialize)]
struct Route {
    #[serde(rename = "$label")]
    path: String,
    methods: Vec<String>,
    rate_limit: Option<u32>,
    #[serde(default)]
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Schedule {
    cron: String,
    jobs: Vec<String>,
}

/// The label names the variant.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Store {
    Postgres { host: String, port: u16, database: String },
    Sqlite { path: String },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Cache {
    Redis { nodes: Vec<String>, memory: u64 },
}

#[derive(Debug, Deserialize)]
struct Alert {
    #[serde(rename = "$label")]
    name: String,
    when: String,
    notify: Vec<String>,
    severity: Severity,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Page,
    Ticket,
}

const TEXT: &str = include_str!("service/service.hcl");

fn parse(text: &str) -> Result<Document, Error> {
    Engine::new().parse("service.hcl", text)
}

fn decode(document: &Document) -> Result<Config, Error> {
    let mut scope = document.scope();
    scope.set("continent", "eu")?;
    scope.set("zone", "west-1")?;
    scope.set("production", &true)?;
    scope.set("customers", &45_000)?;
    document.decode(&scope)
}

fn main() -> Result<(), Error> {
    let document = parse(TEXT)?;
    let fleet = decode(&document)?;
    println!("{} in {}, run by {}", fleet.fleet, fleet.region, fleet.admins.join(" and "));
    let d = &fleet.defaults;
    println!("defaults: {} replicas, {}, {} retries, {:?}", d.replicas, d.timeout, d.retries, d.labels);
    for (name, listener) in &fleet.listener {
        let line = document.source().position(listener.port.span.start).line;
        println!("listener {name}: port {} (line {line}), to {:?}", listener.port.value, listener.redirect);
        if let Some(Tls { certificate, key, versions }) = &listener.tls {
            println!("  tls {} with {certificate} and {key}", versions.join(", "));
        }
    }
    for (kind, services) in &fleet.service {
        for (name, service) in services {
            show(kind, name, service);
        }
    }
    match &fleet.store {
        Store::Postgres { host, port, database } => println!("store {database} at {host}:{port}"),
        Store::Sqlite { path } => println!("store in {path}"),
    }
    if let Some(Cache::Redis { nodes, memory }) = &fleet.cache {
        println!("cache on {}, {} MiB", nodes.join(" and "), memory >> 20);
    }
    for Alert { name, when, notify, severity } in &fleet.alert {
        println!("alert {name}: {severity:?} to {notify:?} when {when}");
    }
    println!("maintenance: {}", fleet.maintenance.is_some());

    for (wanted, written) in [
        ("port     = 80\n", "prot     = 80\n"),
        ("retries  = 3\n", "retries  = \"three\"\n"),
        ("store \"postgres\" {", "store \"postgres\" {\n  hots = 1\n}\n\nstore \"sqlite\" {"),
    ] {
        let error = decode(&parse(&TEXT.replacen(wanted, written, 1))?);
        match error.as_ref().map_err(Error::diagnostics) {
            Err(Some(diagnostics)) => println!("\n{}", diagnostics.report()),
            other => println!("\n{other:?}"),
        }
    }
    Ok(())
}

fn show(kind: &str, name: &str, service: &Service) {
    println!("{kind} {name}: {} x {} {:?}", service.replicas, service.image, service.command);
    println!("  {} cpu, {} MiB", service.resources.cpu, service.resources.memory >> 20);
    if let Some(Health { path, interval }) = &service.health {
        println!("  health {path} every {interval}");
    }
    for (name, value) in &service.env {
        println!("  {name}={value}");
    }
    for Port { name, number } in &service.port {
        println!("  port {name} = {number}");
    }
    for route in &service.route {
        println!("  {:?} {} {:?} {:?}", route.methods, route.path, route.rate_limit, route.allow);
    }
    if let Some(Schedule { cron, jobs }) = &service.schedule {
        println!("  {cron}: {}", jobs.join(" "));
    }
}
