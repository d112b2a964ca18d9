//! Settings: their defaults, and the file in HCL that changes them. Flags are in [`arguments`](crate::arguments).

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hclvm::decode::Spanned;
use hclvm::{Diagnostic, Diagnostics, Engine};
use hclvm_reload::Problems;
use serde::Deserialize;

use crate::answer::is_denial;

/// Which rule decides if several apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combining {
    /// The first one.
    #[default]
    First,
    /// The first one that denies, else the first one.
    DenyOverrides,
}

/// The settings of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The file or folder with the policy.
    pub policies: PathBuf,
    /// Which rule decides if several apply.
    pub combining: Combining,
    /// The address of the gRPC service.
    pub grpc: Option<SocketAddr>,
    /// The address of the HTTP service.
    pub http: Option<SocketAddr>,
    /// The address of AuthZEN.
    pub authzen: Option<SocketAddr>,
    /// The address of health, metrics and status.
    pub admin: Option<SocketAddr>,
    /// What Envoy puts in front of the paths of HTTP requests.
    pub http_prefix: String,
    /// True if the admin address shows the lines of a rejected policy that are wrong.
    pub status_texts: bool,
    /// The status if no rule applies, or the rule that denies has none.
    pub denied_status: u16,
    /// The status if a request cannot be decided.
    pub fault_status: u16,
    /// True if a request is allowed that cannot be decided.
    pub fail_open: bool,
    /// The units of work of a decision.
    pub fuel: u64,
    /// The bytes of the values of a decision, and of each variable.
    pub memory_bytes: usize,
    /// The time of a decision.
    pub time: Duration,
    /// The bytes of a request's body.
    pub body_bytes: usize,
    /// The connections of each service.
    pub connections: usize,
    /// The longest time from the beginning of a connection to the end of its first request's headers.
    pub header_time: Duration,
    /// The longest time from a request or its response to the next one of a connection.
    pub idle_time: Duration,
    /// The threads that serve; `None` for one on each core.
    pub threads: Option<usize>,
    /// The decision log.
    pub log: Option<LogSettings>,
    /// The time from the end of readiness until connections are no longer accepted.
    pub delay: Duration,
    /// The longest time for the requests in flight at the end.
    pub drain: Duration,
}

/// The settings of the decision log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// The file that lines are added to; `-` is the standard output.
    pub path: PathBuf,
    /// The paths of values that are left out.
    pub masks: Vec<String>,
    /// One of so many decisions is logged.
    pub sample: u64,
    /// The bytes after which the file is renamed to `path.1`; `None` for a file that only the signal SIGHUP reopens.
    pub rotate_bytes: Option<u64>,
    /// The renamed files that are kept.
    pub rotate_kept: u32,
}

impl LogSettings {
    /// Logs all decisions to a file, without the headers that hold credentials.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), masks: masks(), sample: 1, rotate_bytes: None, rotate_kept: 5 }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            policies: PathBuf::from("policies"),
            combining: Combining::First,
            grpc: None,
            http: None,
            authzen: None,
            admin: None,
            http_prefix: String::new(),
            status_texts: false,
            denied_status: 403,
            fault_status: 403,
            fail_open: false,
            fuel: 1_000_000,
            memory_bytes: 8 << 20,
            time: Duration::from_millis(50),
            body_bytes: 64 << 10,
            connections: 1_024,
            header_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(300),
            threads: None,
            log: None,
            delay: Duration::ZERO,
            drain: Duration::from_secs(10),
        }
    }
}

/// Headers with credentials.
fn masks() -> Vec<String> {
    ["authorization", "cookie", "proxy-authorization"].map(|name| format!("request.headers.{name}")).into()
}

/// The file as it is decoded, which shows all names and types that are wrong. What else a value has to be is reported
/// by [`Reader`], with the place of the value.
#[derive(Debug, Default, Deserialize)]
struct File {
    listen: Option<Listen>,
    policy: Option<PolicyBlock>,
    denial: Option<Denial>,
    limits: Option<LimitsBlock>,
    decision_log: Option<DecisionLogBlock>,
    shutdown: Option<Shutdown>,
}

#[derive(Debug, Deserialize)]
struct Listen {
    grpc: Option<Spanned<String>>,
    http: Option<Spanned<String>>,
    authzen: Option<Spanned<String>>,
    admin: Option<Spanned<String>>,
    http_prefix: Option<Spanned<String>>,
    status_texts: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct PolicyBlock {
    path: Option<PathBuf>,
    combining: Option<Combining>,
}

#[derive(Debug, Deserialize)]
struct Denial {
    status: Option<Spanned<u16>>,
    fault_status: Option<Spanned<u16>>,
    fail_open: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct LimitsBlock {
    fuel: Option<Spanned<u64>>,
    memory_bytes: Option<Spanned<u64>>,
    time_ms: Option<Spanned<u64>>,
    body_bytes: Option<Spanned<u64>>,
    connections: Option<Spanned<u64>>,
    header_ms: Option<Spanned<u64>>,
    idle_ms: Option<Spanned<u64>>,
    threads: Option<Spanned<u64>>,
}

#[derive(Debug, Deserialize)]
struct DecisionLogBlock {
    path: PathBuf,
    masks: Option<Vec<String>>,
    sample: Option<Spanned<u64>>,
    rotate_bytes: Option<Spanned<u64>>,
    rotate_kept: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct Shutdown {
    delay_ms: Option<u32>,
    drain_ms: Option<u32>,
}

/// The largest number of a setting: no sensible one is larger, and it fits the parts of the service that it is for.
const MOST: u64 = 1 << 40;

/// The largest number of connections: more than a machine has ports, and fewer than a semaphore has permits.
const MOST_CONNECTIONS: u64 = 1 << 20;

/// The largest number of threads.
const MOST_THREADS: u64 = 1_024;

/// Returns a status if a request can be denied with it.
pub(crate) fn denial_status(status: u16) -> Result<u16, String> {
    let wanted =
        || format!("{status} is not a status for denials: use one from 300 to 499 that Envoy supports");
    Some(status).filter(|status| is_denial(*status)).ok_or_else(wanted)
}

/// Returns what Envoy puts in front of paths, which begin with a slash.
fn prefix(prefix: String) -> Result<String, String> {
    let wanted = format!("\"{prefix}\" does not begin with a slash, as paths do");
    Some(prefix).filter(|prefix| prefix.is_empty() || prefix.starts_with('/')).ok_or(wanted)
}

/// Reads values, and collects what is wrong with them.
#[derive(Debug, Default)]
struct Reader(Vec<Diagnostic>);

impl Reader {
    /// Returns what `read` makes of a value, if it is right.
    fn read<T: Clone, R>(
        &mut self,
        value: Option<Spanned<T>>,
        read: impl FnOnce(T) -> Result<R, String>,
    ) -> Option<R> {
        let Spanned { value, span } = value?;
        read(value)
            .map_err(|why| self.0.push(Diagnostic::error("Invalid value", format!("{why}."), span)))
            .ok()
    }

    fn address(&mut self, text: Option<Spanned<String>>) -> Option<SocketAddr> {
        self.read(text, |text| {
            text.parse()
                .map_err(|_| format!("\"{text}\" is no address with a port, such as \"127.0.0.1:9191\""))
        })
    }

    fn status(&mut self, status: Option<Spanned<u16>>) -> Option<u16> {
        self.read(status, denial_status)
    }

    /// Returns a number from 1 to `most`.
    fn count(&mut self, count: Option<Spanned<u64>>, most: u64) -> Option<u64> {
        self.read(count, |count| {
            let wanted = || format!("{count} is not between 1 and {most}");
            Some(count).filter(|count| (1..=most).contains(count)).ok_or_else(wanted)
        })
    }

    /// Returns a time in milliseconds.
    fn time(&mut self, milliseconds: Option<Spanned<u64>>) -> Option<Duration> {
        self.count(milliseconds, MOST).map(Duration::from_millis)
    }

    fn size(&mut self, count: Option<Spanned<u64>>, most: u64) -> Option<usize> {
        self.count(count, most).and_then(|count| usize::try_from(count).ok())
    }
}

impl Settings {
    /// Reads a file. Paths in it are relative to its folder.
    ///
    /// # Errors
    /// A file that cannot be read, and all that is wrong in it.
    pub fn read(path: &Path) -> Result<Self, Problems> {
        let failed = |error| format!("Cannot read {}: {error}.", path.display());
        let text = fs::read_to_string(path).map_err(failed)?;
        let mut settings = Self::parse(&path.display().to_string(), &text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        settings.policies = folder.join(&settings.policies);
        if let Some(log) = settings.log.as_mut().filter(|log| log.path != Path::new("-")) {
            log.path = folder.join(&log.path);
        }
        Ok(settings)
    }

    fn parse(name: &str, text: &str) -> Result<Self, Problems> {
        let document = Engine::new().parse(name, text)?;
        let file: File = document.decode(&document.scope())?;
        let (mut settings, mut reader) = (Self::default(), Reader::default());
        settings.take(file, &mut reader);
        if reader.0.is_empty() {
            return Ok(settings);
        }
        Err(Diagnostics::new(Arc::clone(document.source()), reader.0).into())
    }

    fn take(&mut self, file: File, reader: &mut Reader) {
        let File { listen, policy, denial, limits, decision_log, shutdown } = file;
        if let Some(Listen { grpc, http, authzen, admin, http_prefix, status_texts }) = listen {
            (self.grpc, self.http) = (reader.address(grpc), reader.address(http));
            (self.authzen, self.admin) = (reader.address(authzen), reader.address(admin));
            set(&mut self.http_prefix, reader.read(http_prefix, prefix));
            set(&mut self.status_texts, status_texts);
        }
        if let Some(PolicyBlock { path, combining }) = policy {
            set(&mut self.policies, path);
            set(&mut self.combining, combining);
        }
        if let Some(Denial { status, fault_status, fail_open }) = denial {
            set(&mut self.denied_status, reader.status(status));
            set(&mut self.fault_status, reader.status(fault_status));
            set(&mut self.fail_open, fail_open);
        }
        if let Some(limits) = limits {
            self.take_limits(limits, reader);
        }
        if let Some(DecisionLogBlock { path, masks, sample, rotate_bytes, rotate_kept }) = decision_log {
            let mut log = LogSettings::new(path);
            set(&mut log.masks, masks);
            set(&mut log.sample, reader.count(sample, MOST));
            log.rotate_bytes = reader.count(rotate_bytes, u64::MAX);
            set(&mut log.rotate_kept, rotate_kept);
            self.log = Some(log);
        }
        if let Some(Shutdown { delay_ms, drain_ms }) = shutdown {
            let time = |time: Option<u32>| time.map(|time| Duration::from_millis(time.into()));
            set(&mut self.delay, time(delay_ms));
            set(&mut self.drain, time(drain_ms));
        }
    }

    fn take_limits(&mut self, limits: LimitsBlock, reader: &mut Reader) {
        let LimitsBlock { fuel, memory_bytes, time_ms, body_bytes, .. } = limits;
        set(&mut self.fuel, reader.count(fuel, MOST));
        set(&mut self.memory_bytes, reader.size(memory_bytes, MOST));
        set(&mut self.time, reader.time(time_ms));
        set(&mut self.body_bytes, reader.size(body_bytes, MOST));
        set(&mut self.connections, reader.size(limits.connections, MOST_CONNECTIONS));
        set(&mut self.header_time, reader.time(limits.header_ms));
        set(&mut self.idle_time, reader.time(limits.idle_ms));
        self.threads = reader.size(limits.threads, MOST_THREADS);
    }
}

fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_what_it_names() {
        let settings = Settings::parse(
            "authz.hcl",
            r#"
            listen {
              grpc        = "127.0.0.1:9191"
              http        = "127.0.0.1:9192"
              authzen     = "127.0.0.1:9194"
              admin       = "127.0.0.1:9193"
              http_prefix = "/authz"
              status_texts = true
            }
            policy {
              path      = "rules"
              combining = "deny-overrides"
            }
            denial {
              status       = 401
              fault_status = 429
              fail_open    = true
            }
            limits {
              fuel         = 7
              memory_bytes = 8
              time_ms      = 2 * 10
              body_bytes   = 1024
              connections  = 1048576
              header_ms    = 9
              idle_ms      = 10
              threads      = 1024
            }
            decision_log {
              path   = "-"
              masks  = ["request.body"]
              sample = 10

              rotate_bytes = 100 * 1024
              rotate_kept  = 3
            }
            shutdown {
              delay_ms = 300
              drain_ms = 500
            }
            "#,
        );
        let wanted = Settings {
            policies: "rules".into(),
            combining: Combining::DenyOverrides,
            grpc: Some(([127, 0, 0, 1], 9191).into()),
            http: Some(([127, 0, 0, 1], 9192).into()),
            authzen: Some(([127, 0, 0, 1], 9194).into()),
            admin: Some(([127, 0, 0, 1], 9193).into()),
            http_prefix: "/authz".into(),
            status_texts: true,
            denied_status: 401,
            fault_status: 429,
            fail_open: true,
            fuel: 7,
            memory_bytes: 8,
            time: Duration::from_millis(20),
            body_bytes: 1024,
            connections: 1_048_576,
            header_time: Duration::from_millis(9),
            idle_time: Duration::from_millis(10),
            threads: Some(1024),
            log: Some(LogSettings {
                path: "-".into(),
                masks: vec!["request.body".into()],
                sample: 10,
                rotate_bytes: Some(102_400),
                rotate_kept: 3,
            }),
            delay: Duration::from_millis(300),
            drain: Duration::from_millis(500),
        };
        assert_eq!(settings.expect("it is right"), wanted);
        assert_eq!(Settings::parse("authz.hcl", "").expect("it is right"), Settings::default());
    }

    #[test]
    fn all_mistakes_are_told_with_their_places() {
        let told = |text: &str| Settings::parse("authz.hcl", text).expect_err("it is wrong").to_string();
        let names = told(
            "listen {\n  grpc = 9191\n  htpp = \"127.0.0.1:1\"\n}\n\
             denial {\n  status = \"x\"\n  fail_open = \"maybe\"\n}\nlimit {}\n",
        );
        for part in ["authz.hcl:3", "htpp", "authz.hcl:6", "authz.hcl:7", "authz.hcl:9"] {
            assert!(names.contains(part), "{part}:\n{names}");
        }
        let values = told(
            "listen {\n  grpc = \"localhost\"\n  http = \":80\"\n}\n\
             denial {\n  status = 200\n}\n\
             limits {\n  connections = 0\n  threads = 2000\n}\n",
        );
        let parts = ["authz.hcl:2:10", "no address", "authz.hcl:3:10", "authz.hcl:6:12", "300 to 499"];
        for part in parts.into_iter().chain(["authz.hcl:9:17", "between 1 and", "authz.hcl:10:13"]) {
            assert!(values.contains(part), "{part}:\n{values}");
        }
        for wrong in [
            "listen {\n  http_prefix = \"authz\"\n}",
            "denial {\n  status = 299\n}",
            "denial {\n  fault_status = 500\n}",
            "denial {\n  fault_status = 418\n}",
            "limits {\n  header_ms = 0\n}",
            "limits {\n  idle_ms = 0\n}",
            "limits {\n  connections = 1048577\n}",
            "limits {\n  threads = 1025\n}",
            "limits {\n  fuel = 1099511627777\n}",
            "decision_log {\n  path = \"-\"\n  sample = 0\n}",
        ] {
            assert!(told(wrong).contains("Invalid value"), "{wrong}");
        }
    }

    #[test]
    fn the_example_has_the_values_that_are_used_without_it() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("authz.hcl");
        let text = fs::read_to_string(&path).expect("it is there");
        let defaults = |port: u16| Some(([0, 0, 0, 0], port).into());
        let wanted = Settings {
            grpc: defaults(9191),
            http: defaults(9192),
            authzen: defaults(9194),
            admin: defaults(9193),
            log: Some(LogSettings::new("-")),
            ..Settings::default()
        };
        assert_eq!(Settings::parse("authz.hcl", &text).expect("it is right"), wanted);
        // What is only shown there also has its default.
        let shown = text.replace("# threads", "threads").replace("# rotate_", "rotate_");
        let mut shown = Settings::parse("authz.hcl", &shown).expect("it is right");
        assert_eq!(shown.threads.take(), Some(4));
        let log = shown.log.as_mut().expect("a log");
        assert_eq!(log.rotate_bytes.take(), Some(100 << 20));
        assert_eq!(shown, wanted);
        let folder = path.parent().expect("a folder");
        let read = Settings::read(&path).expect("it is right");
        assert_eq!(read, Settings { policies: folder.join("policies"), ..wanted });
    }

    #[test]
    fn numbers_are_between_one_and_the_most() {
        const BYTES: u64 = 1 << 40;
        for (block, name, most) in [
            ("limits", "fuel", BYTES),
            ("limits", "memory_bytes", BYTES),
            ("limits", "time_ms", BYTES),
            ("limits", "body_bytes", BYTES),
            ("limits", "connections", 1 << 20),
            ("limits", "header_ms", BYTES),
            ("limits", "idle_ms", BYTES),
            ("limits", "threads", 1_024),
            ("decision_log", "sample", BYTES),
            ("decision_log", "rotate_bytes", u64::MAX - 1),
        ] {
            let path = if block == "limits" { "" } else { "path = \"-\"" };
            let read = |number: u64| {
                Settings::parse("a.hcl", &format!("{block} {{\n{path}\n{name} = {number}\n}}\n"))
            };
            for right in [1, 2, most - 1, most] {
                assert!(read(right).is_ok(), "{name} = {right}");
            }
            for wrong in [0, most + 1].into_iter().filter(|wrong| *wrong < u64::MAX) {
                let told = read(wrong).expect_err("it is wrong").to_string();
                assert!(told.contains(&format!("{wrong} is not between 1 and ")), "{told}");
                assert!(told.contains(&format!("a.hcl:3:{}", name.len() + 4)), "{told}");
            }
        }
    }

    #[test]
    fn one_block_changes_no_other_setting() {
        let parse = |text: &str| Settings::parse("a.hcl", text).expect("it is right");
        for text in ["listen {}", "policy {}", "denial {}", "limits {}", "shutdown {}"] {
            assert_eq!(parse(text), Settings::default(), "{text}");
        }
        let log = Settings { log: Some(LogSettings::new("x")), ..Settings::default() };
        assert_eq!(parse("decision_log {\n  path = \"x\"\n}\n"), log);
        for prefix in ["", "/", "/a/"] {
            let text = format!("listen {{\n  http_prefix = \"{prefix}\"\n}}\n");
            assert_eq!(parse(&text).http_prefix, prefix);
        }
    }
}
