//! A part of a rule that fails, is unknown, null, of another type or misspelt never makes a decision more permissive:
//! generated policies are decided as they are, with one such change, and without the rule that is changed.
//!
//! `HCLVM_MUTATIONS=count` or `count:seed` selects another run than the short default.
#![expect(clippy::print_stdout, reason = "a longer run reports what it compared")]

use std::fmt::Write;

use hclvm::policy::{Combining, Policy, PolicySpec};
use hclvm::{Engine, Scope, Session};

/// Enough for each kind of change of each part under each way of combining.
const MUTATIONS: u64 = 20_000;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_MUTATIONS").unwrap_or_default();
    let (count, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (count.parse().unwrap_or(MUTATIONS), seed.parse().unwrap_or(1))
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from((self.next() >> 33) % end as u64).expect("it is small")
    }

    fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Conditions that read what they decide by, so that none is true because a part of the request is missing.
const CONDITIONS: [&str; 10] = [
    "r.a",
    "!r.b",
    "r.n > 3",
    "r.a && r.b",
    "r.b || r.a",
    "r.user == \"ann\"",
    "local.both",
    "contains([\"ann\", \"bob\"], r.user)",
    "true",
    "r.n == 7",
];
const EFFECTS: [&str; 6] =
    ["\"allow\"", "\"allow\"", "\"deny\"", "\"deny\"", "r.a ? \"allow\" : \"deny\"", "local.effect"];
const OBLIGATIONS: [&str; 4] = ["{ log = 1 }", "{ level = r.n }", "[r.user, { audit = r.b }]", "r.user"];
const STATUSES: [&str; 3] = ["401", "400 + r.n", "r.a ? 200 : 300"];
const REASONS: [&str; 3] = ["\"fixed\"", "\"for ${r.user}\"", "r.user"];
const LOCALS: &str = "locals {\n  both   = r.a && !r.b\n  effect = r.n > 5 ? \"allow\" : \"deny\"\n}\n";

/// The names of the attributes, in the order of [`Rule::parts`].
const NAMES: [&str; 5] = ["when", "effect", "obligations", "status", "reason"];
const CONDITION: usize = 0;
const EFFECT: usize = 1;
const STATUS: usize = 3;
const REASON: usize = 4;

#[derive(Clone)]
struct Rule {
    kind: String,
    names: [String; 5],
    parts: [Option<String>; 5],
    priority: Option<String>,
}

impl Rule {
    fn new(random: &mut Random) -> Self {
        let mut maybe = |texts: &[&str]| {
            if random.below(2) == 0 { Some(texts[random.below(texts.len())].to_owned()) } else { None }
        };
        let optional = [maybe(&OBLIGATIONS), maybe(&STATUSES), maybe(&REASONS)];
        let [obligations, status, reason] = optional;
        let parts = [
            Some(random.of(&CONDITIONS).to_owned()),
            Some(random.of(&EFFECTS).to_owned()),
            obligations,
            status,
            reason,
        ];
        let priority = (random.below(4) == 0).then(|| random.below(3).to_string());
        Self { kind: "rule".to_owned(), names: NAMES.map(str::to_owned), parts, priority }
    }

    fn write(&self, text: &mut String, number: usize) {
        let _ = writeln!(text, "{} \"r{number}\" {{", self.kind);
        for (name, part) in self.names.iter().zip(&self.parts) {
            if let Some(part) = part {
                let _ = writeln!(text, "  {name} = {part}");
            }
        }
        if let Some(priority) = &self.priority {
            let _ = writeln!(text, "  priority = {priority}");
        }
        text.push_str("}\n");
    }
}

/// How a part of a rule is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Fails,
    FailsInside,
    Unknown,
    UnknownInside,
    Null,
    OtherType,
    MisspeltName,
    MisspeltText,
    Missing,
}

const CHANGES: [Change; 9] = [
    Change::Fails,
    Change::FailsInside,
    Change::Unknown,
    Change::UnknownInside,
    Change::Null,
    Change::OtherType,
    Change::MisspeltName,
    Change::MisspeltText,
    Change::Missing,
];

/// Returns a text with one edit.
fn misspelt(text: &str, random: &mut Random) -> String {
    let at = random.below(text.len());
    let (before, after) = text.split_at(at);
    match random.below(4) {
        0 => format!("{before}{}", &after[1..]),
        1 => format!("{before}x{after}"),
        2 => format!("{before}{}", after.to_uppercase()),
        _ => format!("{before}q{}", &after[1..]),
    }
}

/// Changes a part of a rule. Returns false if there is nothing to change so.
fn change(rule: &mut Rule, part: usize, how: Change, random: &mut Random) -> bool {
    let Some(text) = rule.parts[part].clone() else { return false };
    let changed = match how {
        Change::Fails => {
            random.of(&["r.missing", "r.user.x", "[][0]", "1 + r.user", "local.broken", "absent"]).to_owned()
        }
        Change::Unknown => random.of(&["u", "u.x", "local.later", "tostring(u)", "u == 1"]).to_owned(),
        Change::FailsInside if part > EFFECT => format!("{{ a = 1, b = [{text}, r.missing] }}"),
        Change::UnknownInside if part > EFFECT => format!("[{text}, {{ a = u }}]"),
        Change::FailsInside => format!("{{ a = {text} }}.b"),
        Change::UnknownInside => format!("u ? {text} : null"),
        Change::Null => random.of(&["null", "r.nothing", "tostring(null)", "false ? 1 : null"]).to_owned(),
        Change::OtherType if part == CONDITION => {
            random.of(&["1", "\"yes\"", "[true]", "{}", "[r.a]"]).to_owned()
        }
        Change::OtherType if part == EFFECT => {
            random.of(&["1", "true", "[\"allow\"]", "{ a = \"allow\" }", "[r.user]"]).to_owned()
        }
        Change::OtherType => return false,
        Change::MisspeltText if part == EFFECT => {
            let Some(effect) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
                return false;
            };
            let changed = misspelt(effect, random);
            format!("\"{changed}\"")
        }
        Change::MisspeltText => return false,
        Change::MisspeltName if part == CONDITION && random.below(3) == 0 => {
            rule.kind = misspelt("rule", random);
            return rule.kind != "rule" && !rule.kind.is_empty();
        }
        Change::MisspeltName => {
            rule.names[part] = misspelt(NAMES[part], random);
            return rule.names[part] != NAMES[part];
        }
        Change::Missing if part <= EFFECT => {
            rule.parts[part] = None;
            return true;
        }
        Change::Missing => return false,
    };
    let is_new = changed != text;
    rule.parts[part] = Some(changed);
    is_new
}

/// A decision: whether it allows, and if so what has to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Decided {
    Denies,
    Allows { rule: String, duties: Vec<String> },
}

struct Decider {
    engine: Engine,
    session: Session,
    refused: u64,
}

impl Decider {
    /// Returns the policy of some rules. One that is refused allows nothing.
    fn policy(&mut self, rules: &[Rule], spec: &PolicySpec<'_>) -> Option<(Policy, Scope)> {
        let mut text = LOCALS.replace("}\n", "  broken = r.missing\n  later  = u\n}\n");
        for (number, rule) in rules.iter().enumerate() {
            rule.write(&mut text, number);
        }
        let module = self.engine.parse("p.hcl", &text).expect("HCL").module().expect("a module");
        let policy = module.policy(spec).ok();
        self.refused += u64::from(policy.is_none());
        Some((policy?, module.scope()))
    }

    fn decide(&mut self, rules: &[Rule], spec: &PolicySpec<'_>, request: &str) -> Decided {
        let Some((policy, mut scope)) = self.policy(rules, spec) else { return Decided::Denies };
        if scope.has("r") {
            scope.set_json("r", request).expect("JSON");
        }
        if scope.has("u") {
            scope.set_unknown("u");
        }
        let decision = policy.decide(&mut self.session, &scope).expect("within the limits");
        if decision.effect() != "allow" {
            return Decided::Denies;
        }
        let rule = decision.rule();
        let mut duties: Vec<String> = decision.obligations().map(|(_, value)| value.to_string()).collect();
        duties.extend(rule.and_then(|rule| rule.attribute("status")).map(|status| status.to_string()));
        assert!(!duties.iter().any(|duty| duty.contains("unknown")), "{duties:?}");
        Decided::Allows { rule: decision.name().unwrap_or_default().to_owned(), duties }
    }
}

fn request(random: &mut Random) -> String {
    let truth = ["true", "false"];
    let (a, b, n, user) =
        (random.of(&truth), random.of(&truth), random.below(9), random.of(&["ann", "bob", "eve"]));
    format!(r#"{{"a": {a}, "b": {b}, "n": {n}, "user": "{user}", "nothing": null}}"#)
}

/// Returns the request without one of its parts.
fn without_part(request: &str, random: &mut Random) -> String {
    let name = random.of(&["\"a\"", "\"b\"", "\"n\"", "\"user\""]);
    request.replacen(name, "\"other\"", 1)
}

#[derive(Debug, Default)]
struct Tally {
    mutations: u64,
    allowed: u64,
    /// Mutations after which a policy still allows.
    still: u64,
    refused: u64,
}

#[test]
fn no_broken_part_makes_a_decision_more_permissive() {
    let (count, seed) = asked_for();
    let threads = 2;
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let run = |thread: u64| scope.spawn(move || mutate(count / threads, seed * 1_000 + thread));
        let running: Vec<_> = (0..threads).map(run).collect();
        running.into_iter().map(|thread| thread.join().expect("no decision is more permissive")).collect()
    });
    let sum = |of: fn(&Tally) -> u64| tallies.iter().map(of).sum::<u64>();
    let (mutations, allowed, still, refused) =
        (sum(|one| one.mutations), sum(|one| one.allowed), sum(|one| one.still), sum(|one| one.refused));
    println!(
        "{mutations} mutations, {allowed} of policies that allow, {still} still allow, {refused} are refused"
    );
    assert!(mutations >= count / threads * threads, "{mutations}");
    assert!(allowed > mutations / 5 && still > mutations / 50 && refused > mutations / 20);
}

fn mutate(count: u64, seed: u64) -> Tally {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let engine = Engine::standard();
    let session = engine.session();
    let mut decider = Decider { engine, session, refused: 0 };
    let mut tally = Tally::default();
    while tally.mutations < count {
        let rules: Vec<Rule> = (0..=random.below(4)).map(|_| Rule::new(&mut random)).collect();
        let combining = random.of(&[
            Combining::First,
            Combining::All,
            Combining::Overrides("deny"),
            Combining::Overrides("allow"),
        ]);
        let default_effect = random.of(&["deny", "deny", "allow"]);
        let spec = PolicySpec { combining, default_effect, outcome: &["status"], ..PolicySpec::default() };
        let request = request(&mut random);
        let original = decider.decide(&rules, &spec, &request);
        let shown = |rules: &[Rule]| {
            let mut text = format!("{combining:?} {default_effect} {request}\n{LOCALS}");
            rules.iter().enumerate().for_each(|(number, rule)| rule.write(&mut text, number));
            text
        };
        let partial = without_part(&request, &mut random);
        let decided = decider.decide(&rules, &spec, &partial);
        if original == Decided::Denies {
            assert_eq!(
                decided,
                Decided::Denies,
                "a missing part of the request allows: {partial}\n{}",
                shown(&rules)
            );
        }
        let at = random.below(rules.len());
        let mut others = rules.clone();
        // Not removed, so that the names of the others stay.
        others[at].parts[CONDITION] = Some("false".to_owned());
        let without = decider.decide(&others, &spec, &request);
        for _ in 0..4 {
            let (part, how) = (random.below(5), random.of(&CHANGES));
            let mut mutated = rules.clone();
            if !change(&mut mutated[at], part, how, &mut random) {
                continue;
            }
            let decided = decider.decide(&mutated, &spec, &request);
            tally.mutations += 1;
            tally.allowed += u64::from(original != Decided::Denies);
            tally.still += u64::from(decided != Decided::Denies);
            let context = || {
                format!("{how:?} of {part} of r{at}: {original:?} became {decided:?}\n{}", shown(&mutated))
            };
            let is_misspelt = matches!(how, Change::MisspeltName | Change::MisspeltText | Change::Missing);
            if is_misspelt {
                assert_eq!(decided, Decided::Denies, "{}", context());
            } else if part == REASON {
                // The reason does not change the decision.
                assert_eq!(decided, original, "{}", context());
            } else if how == Change::Null && part > EFFECT {
                // Nothing has to be done: the host sees the null.
                assert_eq!(decided == Decided::Denies, original == Decided::Denies, "{}", context());
            } else if part == STATUS && decided == original {
                // Another rule decides: the rule keeps its obligations.
                let decides = matches!(&original, Decided::Allows { rule, .. } if *rule == format!("r{at}"));
                assert!(!decides, "{}", context());
            } else if decided != Decided::Denies {
                assert_ne!(original, Decided::Denies, "{}", context());
                assert_eq!(decided, without, "{}", context());
            }
        }
    }
    tally.refused = decider.refused;
    tally
}
