//! What holds for all policies and plans: a verdict with unknown values is that of any values in their place, or was
//! unknown; verdicts do not depend on the order of resources.

use std::fmt::Write;

use hclvm_dialects::File;
use hclvm_dialects::terraform_policy::{Plan, Policies, Settings, Status};

use super::{created, judged, plan};

/// Plans and their refinements for each set of policies; `HCLVM_PROPERTY_PLANS` sets another number.
const PLANS: usize = 25;
const SETS: usize = 6;
const POLICIES: usize = 12;
const REFINEMENTS: usize = 4;
const RESOURCES: usize = 5;

/// A small generator of numbers, so that failures can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or_default() % end
    }

    fn one_of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }
}

const NUMBERS: [&str; 3] = ["0", "1", "2"];
const TEXTS: [&str; 3] = ["\"x\"", "\"y\"", "null"];
const ROWS: [&str; 3] = ["[]", "[{\"k\": 1}]", "[{\"k\": 0}, {\"k\": 2}]"];

fn condition(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(5) == 0 {
        let (n, t) = (random.one_of(&NUMBERS), random.one_of(&TEXTS));
        let filter = match random.below(4) {
            0 => "{ a = attrs.a }".to_owned(),
            1 => format!("{{ b = {t} }}"),
            2 => "{ a = attrs.a, b = attrs.b }".to_owned(),
            _ => "{}".to_owned(),
        };
        let others = format!("core::getresources(\"t\", {filter})");
        return match random.below(13) {
            0 => format!("attrs.a == {n}"),
            1 => format!("attrs.a < {n}"),
            2 => format!("attrs.b == {t}"),
            3 => format!("core::contains([0, {n}], attrs.a)"),
            4 => format!("core::contains([\"x\"], attrs.b) == core::contains([{t}], attrs.b)"),
            5 => format!("core::length(attrs.r) > {n}"),
            6 => format!("core::anytrue([for r in attrs.r : r.k == {n}])"),
            7 => format!("core::alltrue([for r in attrs.r : r.k < 2 || attrs.a == {n}])"),
            8 => format!("core::length({others}) > {n}"),
            9 => format!("core::anytrue([for o in {others} : o.a == {n}])"),
            10 => format!("core::alltrue([for o in {others} : o.b != {t}])"),
            11 => format!("local.others == {n}"),
            _ => format!("core::try(attrs.r[0].k, {n}) == 1"),
        };
    }
    let (a, b) = (condition(random, depth - 1), condition(random, depth - 1));
    match random.below(4) {
        0 => format!("({a} && {b})"),
        1 => format!("({a} || {b})"),
        2 => format!("!({a})"),
        _ => format!("({a} ? {b} : {})", condition(random, depth - 1)),
    }
}

fn policies(random: &mut Random) -> Policies {
    let mut text =
        String::from("locals {\n  others = core::length(core::getresources(\"t\", { b = \"x\" }))\n}\n");
    for at in 0..POLICIES {
        let (filter, first, second) = (condition(random, 1), condition(random, 2), condition(random, 1));
        let _ = writeln!(
            text,
            "resource_policy \"t\" \"p{at}\" {{\n  filter = {filter}\n  enforce {{\n    condition = {first}\n  }}\n  enforce {{\n    condition = {second}\n  }}\n}}"
        );
    }
    let settings = Settings::new().explain(false);
    Policies::load(&[File::new("a.policy.hcl", text)], &settings).expect("it has no errors")
}

/// The values of a resource: its number, its text and its rows, each known or not.
#[derive(Clone)]
struct Resource {
    values: [&'static str; 3],
    known: [bool; 3],
}

fn resource(random: &mut Random) -> Resource {
    Resource {
        values: [random.one_of(&NUMBERS), random.one_of(&TEXTS), random.one_of(&ROWS)],
        known: [random.below(3) > 0, random.below(3) > 0, random.below(4) > 0],
    }
}

fn entry(at: usize, resource: &Resource) -> String {
    let (mut after, mut unknown) = (Vec::new(), Vec::new());
    for ((name, value), known) in ["a", "b", "r"].iter().zip(resource.values).zip(resource.known) {
        if known {
            after.push(format!("\"{name}\": {value}"));
        } else {
            unknown.push(format!("\"{name}\": true"));
        }
    }
    created(
        &format!("t.n{at}"),
        &format!("{{{}}}", after.join(", ")),
        &format!("{{{}}}", unknown.join(", ")),
        "{}",
    )
}

fn read(resources: &[Resource]) -> Plan {
    plan(&resources.iter().enumerate().map(|(at, one)| entry(at, one)).collect::<Vec<_>>())
}

fn statuses(policies: &Policies, plan: &Plan) -> Vec<(String, String, Status)> {
    let report = judged(policies, plan);
    let verdicts = report.verdicts().iter();
    let mut found: Vec<_> = verdicts
        .map(|one| (policies.object(plan, one).to_owned(), policies.label(one).to_owned(), one.status()))
        .collect();
    found.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    found
}

#[test]
fn refined_plans_have_the_verdict_or_it_was_unknown() {
    let plans =
        std::env::var("HCLVM_PROPERTY_PLANS").ok().and_then(|text| text.parse().ok()).unwrap_or(PLANS);
    let (mut pairs, mut decided) = (0, 0);
    for set in 0..SETS {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (set as u64 + 1).wrapping_mul(0x1234_5678_9abc_def1));
        let policies = policies(&mut random);
        for _ in 0..plans {
            let resources: Vec<Resource> = (0..RESOURCES).map(|_| resource(&mut random)).collect();
            let before = statuses(&policies, &read(&resources));
            for _ in 0..REFINEMENTS {
                let refined: Vec<Resource> = resources
                    .iter()
                    .map(|one| {
                        let mut all = resource(&mut random);
                        for at in 0..3 {
                            if one.known[at] {
                                all.values[at] = one.values[at];
                            }
                        }
                        Resource { known: [true; 3], ..all }
                    })
                    .collect();
                let after = statuses(&policies, &read(&refined));
                for (old, new) in before.iter().zip(&after) {
                    pairs += 1;
                    decided += usize::from(old.2 != Status::Unknown);
                    assert_ne!(new.2, Status::Unknown);
                    assert!(old.2 == Status::Unknown || old == new, "{old:?}, then {new:?}");
                }
            }
        }
    }
    assert!(pairs > 0 && decided > pairs / 10, "{decided} of {pairs} verdicts are decided");
}

#[test]
fn the_order_of_resources_does_not_matter() {
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    for _ in 0..4 {
        let policies = policies(&mut random);
        for _ in 0..10 {
            let entries: Vec<String> = (0..RESOURCES).map(|at| entry(at, &resource(&mut random))).collect();
            let wanted = statuses(&policies, &plan(&entries));
            for _ in 0..3 {
                let mut other = entries.clone();
                other.sort_by_cached_key(|_| random.below(1000));
                assert_eq!(statuses(&policies, &plan(&other)), wanted);
            }
        }
    }
}
