//! What the benchmarks measure: expressions, a body of attributes, and the scopes they see.
//!
//! Everything is generated and the same in every run. Scopes are JSON texts; the structs they are
//! written from are public, so that native code can be measured on the same input.
//!
//! | | |
//! |---|---|
//! | W1 | an authorization decision, 64 requests |
//! | W2 | arithmetic on integers and a conditional; W2b the same on fractions |
//! | W3, W4, W5 | filter and map, group by, splat over 100 servers |
//! | W6 | a template with a loop over five tags |
//! | W7 | a chain of 20 conditionals on one text |
//! | W8 | a body of 200 attributes, all evaluated |
//! | W9 | that body parsed and compiled |
//! | W10 | a request of W1 as 600 bytes of JSON, read and decided |
//!
//! Engines that need a process of their own are driven through [`process`].

pub mod body;
pub mod dice;
pub mod input;
pub mod process;
pub mod reference;
#[cfg(feature = "subject")]
pub mod subject;

/// One expression that is evaluated many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Workload {
    /// Authorization.
    W1,
    /// Integers.
    W2,
    /// Fractions.
    W2b,
    /// Filter and map.
    W3,
    /// Group by.
    W4,
    /// Splat.
    W5,
    /// Template.
    W6,
    /// Chain of conditionals.
    W7,
}

impl Workload {
    /// All of them in order.
    pub const ALL: [Self; 8] =
        [Self::W1, Self::W2, Self::W2b, Self::W3, Self::W4, Self::W5, Self::W6, Self::W7];

    /// Its short name.
    pub fn name(self) -> &'static str {
        match self {
            Self::W1 => "W1",
            Self::W2 => "W2",
            Self::W2b => "W2b",
            Self::W3 => "W3",
            Self::W4 => "W4",
            Self::W5 => "W5",
            Self::W6 => "W6",
            Self::W7 => "W7",
        }
    }

    /// Its expression.
    pub fn text(self) -> String {
        match self {
            Self::W1 => DECISION.to_owned(),
            Self::W2 => "(a * 3 + b / 2 - c) % 7 > 2 ? x : y".to_owned(),
            Self::W2b => "price * 1.15 + 0.1 > limit".to_owned(),
            Self::W3 => "[for s in servers : upper(s.name) if s.enabled && s.load < 0.8]".to_owned(),
            Self::W4 => "{for s in servers : s.zone => s.name...}".to_owned(),
            Self::W5 => "servers[*].addr".to_owned(),
            Self::W6 => r#""http://${host}:${port}/%{ for t in tags }${t},%{ endfor }""#.to_owned(),
            Self::W7 => chain(),
        }
    }

    /// The scopes it is evaluated against in turn: JSON objects of variables.
    pub fn scopes(self) -> Vec<String> {
        match self {
            Self::W1 => requests(),
            Self::W2 => json(input::integers()),
            Self::W2b => json(input::prices()),
            Self::W3 | Self::W4 | Self::W5 => json(input::fleets()),
            Self::W6 => json(input::addresses()),
            Self::W7 => json(input::keys()),
        }
    }
}

/// The expression of W1 and W10.
pub const DECISION: &str = concat!(
    r#"user.role == "admin" || (request.method == "GET" && "#,
    "contains(user.groups, resource.group) && !resource.locked)"
);

/// Number of arms of W7 that compare.
pub const ARMS: usize = 20;

/// The expression of W7.
fn chain() -> String {
    let arms = (0..ARMS).map(|arm| format!(r#"key == "zone-{arm:02}" ? "cluster-{arm:02}" : "#));
    arms.collect::<String>() + r#""none""#
}

/// The scopes of W8.
pub fn body_scopes() -> Vec<String> {
    json(input::surroundings())
}

/// The requests of W10.
pub fn requests() -> Vec<String> {
    json(input::requests())
}

fn json<T: serde::Serialize>(values: Vec<T>) -> Vec<String> {
    values.iter().map(|value| serde_json::to_string(value).unwrap_or_default()).collect()
}
