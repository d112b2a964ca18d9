//! The workloads of the benchmarks: expressions, a body of attributes, and their scopes.
//!
//! Everything is generated deterministically, so every run measures equal inputs. Scopes are JSON
//! texts; the structs they are serialized from are public, so that native code runs on equal input.
//!
//! | workload | what it does |
//! |---|---|
//! | `policy-condition` | decides 64 authorization requests, already in values |
//! | `arithmetic`, `fractions` | integer arithmetic with a conditional; a comparison of decimal fractions |
//! | `for-filter`, `object-for`, `splat` | filter and map, group by, splat over 100 servers |
//! | `template` | a template with a loop over five tags |
//! | `switch` | a chain of 20 conditionals on one string |
//! | `attribute-body`, `rule-set` | a body of 200 attributes, evaluated one by one or as one rule set |
//! | `compile` | parses and compiles that body |
//! | `json-decision` | reads a request of `policy-condition` from 600 bytes of JSON and decides it |
//!
//! [`subject`] prepares them for hclvm; engines in processes of their own are driven through
//! [`process`]. How often they run, and what is timed, is up to the benchmarks that use this crate.

pub mod body;
pub mod dice;
pub mod input;
pub mod process;
pub mod reference;
#[cfg(feature = "subject")]
pub mod subject;

/// A workload that evaluates one expression many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Workload {
    /// An authorization decision.
    PolicyCondition,
    /// Integer arithmetic and a conditional.
    Arithmetic,
    /// Arithmetic on decimal fractions and a comparison.
    Fractions,
    /// A `for` expression that filters and maps a tuple.
    ForFilter,
    /// A `for` expression that groups into an object.
    ObjectFor,
    /// A splat over a tuple of objects.
    Splat,
    /// A template with interpolations and a loop.
    Template,
    /// A chain of conditionals that compare one string with constants.
    Switch,
}

impl Workload {
    /// All expression workloads, in the order of the tables.
    pub const ALL: [Self; 8] = [
        Self::PolicyCondition,
        Self::Arithmetic,
        Self::Fractions,
        Self::ForFilter,
        Self::ObjectFor,
        Self::Splat,
        Self::Template,
        Self::Switch,
    ];

    /// Returns the name used in arguments, benchmark ids and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::PolicyCondition => "policy-condition",
            Self::Arithmetic => "arithmetic",
            Self::Fractions => "fractions",
            Self::ForFilter => "for-filter",
            Self::ObjectFor => "object-for",
            Self::Splat => "splat",
            Self::Template => "template",
            Self::Switch => "switch",
        }
    }

    /// Returns the expression.
    pub fn text(self) -> String {
        match self {
            Self::PolicyCondition => DECISION.to_owned(),
            Self::Arithmetic => "(a * 3 + b / 2 - c) % 7 > 2 ? x : y".to_owned(),
            Self::Fractions => "price * 1.15 + 0.1 > limit".to_owned(),
            Self::ForFilter => "[for s in servers : upper(s.name) if s.enabled && s.load < 0.8]".to_owned(),
            Self::ObjectFor => "{for s in servers : s.zone => s.name...}".to_owned(),
            Self::Splat => "servers[*].addr".to_owned(),
            Self::Template => r#""http://${host}:${port}/%{ for t in tags }${t},%{ endfor }""#.to_owned(),
            Self::Switch => chain(),
        }
    }

    /// Returns the scopes it is evaluated against in turn: JSON objects of variables.
    pub fn scopes(self) -> Vec<String> {
        match self {
            Self::PolicyCondition => requests(),
            Self::Arithmetic => json(input::integers()),
            Self::Fractions => json(input::prices()),
            Self::ForFilter | Self::ObjectFor | Self::Splat => json(input::fleets()),
            Self::Template => json(input::addresses()),
            Self::Switch => json(input::keys()),
        }
    }
}

/// The expression of `policy-condition` and `json-decision`.
pub const DECISION: &str = concat!(
    r#"user.role == "admin" || (request.method == "GET" && "#,
    "contains(user.groups, resource.group) && !resource.locked)"
);

/// Number of comparisons in the chain of `switch`.
pub const ARMS: usize = 20;

/// Returns the expression of `switch`.
fn chain() -> String {
    let arms = (0..ARMS).map(|arm| format!(r#"key == "zone-{arm:02}" ? "cluster-{arm:02}" : "#));
    arms.collect::<String>() + r#""none""#
}

/// Returns the scopes of `attribute-body` and `rule-set`.
pub fn body_scopes() -> Vec<String> {
    json(input::surroundings())
}

/// Returns the requests of `json-decision`.
pub fn requests() -> Vec<String> {
    json(input::requests())
}

fn json<T: serde::Serialize>(values: Vec<T>) -> Vec<String> {
    values.iter().map(|value| serde_json::to_string(value).unwrap_or_default()).collect()
}
