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
//! Beside these, [`Workload::KEPT`] and [`Workload::BESIDE`] have the expressions with one small change each,
//! [`Workload::FlatCondition`] a condition on scalar attributes only, [`body`] a body whose attributes all
//! differ, [`rules`] ten thousand rules, [`policy`] a file of ten thousand blocks that read locals, and [`changes`] a module
//! of which one variable changes.
//!
//! [`subject`] prepares them for hclvm; engines in processes of their own are driven through
//! [`process`]. How often they run, and what is timed, is up to the benchmarks that use this crate.

pub mod body;
pub mod changes;
pub mod dice;
pub mod input;
pub mod policy;
pub mod process;
pub mod reference;
pub mod rules;
#[cfg(feature = "subject")]
pub mod subject;

use input::Input;

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
    /// An authorization decision that compares attributes with constants only.
    FlatCondition,
    /// `fractions`, with the sum as the result.
    FractionsKept,
    /// `arithmetic`, with a division that is not exact.
    Thirds,
    /// The division of `thirds` as the result.
    ThirdsKept,
    /// A sum beyond 64 bits.
    Overflow,
    /// `policy-condition`, with a call on an attribute that is compared.
    PolicyConditionBeside,
    /// `for-filter`, with a sum in the clause.
    ForFilterBeside,
    /// `object-for`, with a call in the key.
    ObjectForBeside,
    /// `splat` as a `for` expression.
    SplatAsFor,
    /// `splat` as a `for` expression that adds to each number.
    SplatBeside,
    /// `template`, with a division in an interpolation.
    TemplateBeside,
    /// `switch`, with a call as its subject.
    SwitchBeside,
    /// `switch`, with a number as the result of one arm.
    SwitchNumber,
    /// `switch`, with null as the default.
    SwitchNull,
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

    /// `fractions` and `arithmetic` with results that need more than 64 bits.
    pub const KEPT: [Self; 4] = [Self::FractionsKept, Self::Thirds, Self::ThirdsKept, Self::Overflow];

    /// The expression workloads with the smallest change that fused instructions do not cover. For
    /// `arithmetic` and `fractions` these are in [`Self::KEPT`].
    pub const BESIDE: [Self; 9] = [
        Self::PolicyConditionBeside,
        Self::ForFilterBeside,
        Self::ObjectForBeside,
        Self::SplatAsFor,
        Self::SplatBeside,
        Self::TemplateBeside,
        Self::SwitchBeside,
        Self::SwitchNumber,
        Self::SwitchNull,
    ];

    /// Returns all workloads that evaluate one expression.
    pub fn every() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain([Self::FlatCondition]).chain(Self::KEPT).chain(Self::BESIDE)
    }

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
            Self::FlatCondition => "flat-condition",
            Self::FractionsKept => "fractions-kept",
            Self::Thirds => "thirds",
            Self::ThirdsKept => "thirds-kept",
            Self::Overflow => "overflow",
            Self::PolicyConditionBeside => "policy-condition-beside",
            Self::ForFilterBeside => "for-filter-beside",
            Self::ObjectForBeside => "object-for-beside",
            Self::SplatAsFor => "splat-as-for",
            Self::SplatBeside => "splat-beside",
            Self::TemplateBeside => "template-beside",
            Self::SwitchBeside => "switch-beside",
            Self::SwitchNumber => "switch-number",
            Self::SwitchNull => "switch-null",
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
            Self::Switch => chain("key", r#""cluster-07""#, r#""none""#),
            Self::FlatCondition => FLAT.to_owned(),
            Self::FractionsKept => "price * 1.15 + 0.1".to_owned(),
            Self::Thirds => "(a * 3 + b / 3 - c) % 7 > 2 ? x : y".to_owned(),
            Self::ThirdsKept => "b / 3".to_owned(),
            Self::Overflow => "9223372036854775807 + a".to_owned(),
            Self::PolicyConditionBeside => DECISION.replace("user.role ==", "lower(user.role) =="),
            Self::ForFilterBeside => {
                "[for s in servers : upper(s.name) if s.enabled && s.load + 1 < 1.805]".to_owned()
            }
            Self::ObjectForBeside => "{for s in servers : lower(s.zone) => s.name...}".to_owned(),
            Self::SplatAsFor => "[for s in servers : s.addr]".to_owned(),
            Self::SplatBeside => "[for s in servers : s.load + 1]".to_owned(),
            Self::TemplateBeside => {
                r#""http://${host}:${port / 7}/%{ for t in tags }${t},%{ endfor }""#.to_owned()
            }
            Self::SwitchBeside => chain("lower(key)", r#""cluster-07""#, r#""none""#),
            Self::SwitchNumber => chain("key", "7", r#""none""#),
            Self::SwitchNull => chain("key", r#""cluster-07""#, "null"),
        }
    }

    /// Returns the scopes it is evaluated against in turn: JSON objects of variables.
    pub fn scopes(self) -> Vec<String> {
        self.many_scopes(self.count())
    }

    /// Returns the number of these scopes.
    pub fn count(self) -> usize {
        match self {
            Self::ForFilter
            | Self::ObjectFor
            | Self::Splat
            | Self::ForFilterBeside
            | Self::ObjectForBeside
            | Self::SplatAsFor
            | Self::SplatBeside => input::FLEETS,
            _ => input::SCOPES,
        }
    }

    /// Returns this number of scopes; those of [`Self::scopes`] are the first of them.
    pub fn many_scopes(self, count: usize) -> Vec<String> {
        json(self.inputs(count))
    }

    /// Returns these scopes as structs.
    pub fn inputs(self, count: usize) -> Vec<Input> {
        fn all<T>(inputs: Vec<T>, of: fn(T) -> Input) -> Vec<Input> {
            inputs.into_iter().map(of).collect()
        }
        match self {
            Self::PolicyCondition | Self::FlatCondition | Self::PolicyConditionBeside => {
                all(input::requests_of(count), Input::Request)
            }
            Self::Arithmetic | Self::Thirds | Self::ThirdsKept | Self::Overflow => {
                all(input::integers_of(count), Input::Integers)
            }
            Self::Fractions | Self::FractionsKept => all(input::prices_of(count), Input::Price),
            Self::ForFilter
            | Self::ObjectFor
            | Self::Splat
            | Self::ForFilterBeside
            | Self::ObjectForBeside
            | Self::SplatAsFor
            | Self::SplatBeside => all(input::fleets_of(count), Input::Fleet),
            Self::Template | Self::TemplateBeside => all(input::addresses_of(count), Input::Address),
            Self::Switch | Self::SwitchBeside | Self::SwitchNumber | Self::SwitchNull => {
                all(input::keys_of(count), Input::Key)
            }
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

/// The expression of `flat-condition`.
pub const FLAT: &str = concat!(
    r#"user.role == "admin" || (request.method == "GET" && "#,
    r#"resource.group == "group-03" && !resource.locked)"#
);

/// The arm of the chain whose result differs between the variants of `switch`.
pub const SPECIAL_ARM: usize = 7;

/// Returns an expression of the kind of `switch`: its subject, the result of the special arm, and that
/// of none.
fn chain(subject: &str, special: &str, none: &str) -> String {
    let arms = (0..ARMS).map(|arm| {
        let result = if arm == SPECIAL_ARM { special.to_owned() } else { format!(r#""cluster-{arm:02}""#) };
        format!(r#"{subject} == "zone-{arm:02}" ? {result} : "#)
    });
    arms.collect::<String>() + none
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
