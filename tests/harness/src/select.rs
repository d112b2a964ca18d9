//! `harness select`: chooses a part of the recorded cases that is small enough for the checkout.
//!
//! ```text
//! gen_*.jsonl ─▶ features of each case ─▶ cover all features ─▶ cover those of each family ─▶ OUT/*.jsonl
//!                                           required.txt: cases that must be in
//! ```
//!
//! The choice depends on the input alone. Cases of one group share a compiled program, so they are chosen
//! together.
#![expect(clippy::print_stdout, reason = "the result is the program's output")]

mod features;
mod row;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

pub use row::row;

/// Number of cases unless `--cases` says otherwise.
const CASES: usize = 3_000;

/// The file of `OUT` that names the cases that must be chosen, one id in a line; `#` begins a comment.
const REQUIRED: &str = "required.txt";

/// Cost of a case besides its bytes, so that one case with many features wins over many small cases.
const COST: usize = 150;

/// The arguments of the command line.
struct Request {
    from: PathBuf,
    to: PathBuf,
    cases: usize,
}

impl Request {
    fn read(arguments: &[String]) -> Result<Self, String> {
        let (from, to, cases) = match arguments {
            [from, to] => (from, to, CASES),
            [from, to, flag, count] if flag == "--cases" => {
                (from, to, count.parse().map_err(|_| format!("not a number: {count}"))?)
            }
            _ => return Err(format!("invalid arguments: {}", arguments.join(" "))),
        };
        Ok(Self { from: from.into(), to: to.into(), cases })
    }
}

/// Cases that are chosen together: one, or a group.
struct Unit {
    family: String,
    rows: Vec<String>,
    ids: Vec<String>,
    /// Numbers of features, with their weights.
    features: Vec<(u32, usize)>,
}

impl Unit {
    fn cost(&self) -> usize {
        self.rows.iter().map(|row| row.len() + COST).sum()
    }
}

/// Writes the chosen cases of every family.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let request = Request::read(arguments)?;
    let units = units(&request.from)?;
    let required = required(&request.to.join(REQUIRED))?;
    let chosen = choose(&units, &required, request.cases)?;
    let mut families: BTreeMap<&str, String> = BTreeMap::new();
    for unit in chosen.iter().map(|&at| &units[at]) {
        *families.entry(&unit.family).or_default() += &unit.rows.concat();
    }
    for (family, rows) in &families {
        println!("{family:<16} {:>5} cases {:>8} bytes", rows.lines().count(), rows.len());
        let path = request.to.join(format!("{family}.jsonl"));
        fs::write(&path, rows).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads the ids of the cases that must be chosen.
fn required(path: &Path) -> Result<BTreeSet<String>, String> {
    let ids = read(path)?;
    let ids = ids.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    Ok(ids.map(str::to_owned).collect())
}

/// Reads the cases that may be chosen. Those of other families are of other authors.
fn units(directory: &Path) -> Result<Vec<Unit>, String> {
    let entries = fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut units: Vec<Unit> = Vec::new();
    for path in paths {
        let family = path.file_stem().and_then(|name| name.to_str()).unwrap_or("").to_owned();
        if !family.starts_with("gen_") {
            continue;
        }
        let mut last = Json::Null;
        for line in read(&path)?.lines() {
            let case: Json = serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            let id = case["id"].as_str().unwrap_or("").to_owned();
            let features = features::of(&family, &case).into_iter().map(|feature| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let weight = features::weight(&feature);
                (*numbers.entry(feature).or_insert(next), weight)
            });
            let features: Vec<(u32, usize)> = features.collect();
            let row = format!("{}\n", row(&case));
            match units.last_mut() {
                Some(unit) if case["group"].is_string() && case["group"] == last => {
                    unit.rows.push(row);
                    unit.ids.push(id);
                    unit.features.extend(features);
                }
                _ => units.push(Unit { family: family.clone(), rows: vec![row], ids: vec![id], features }),
            }
            last = case["group"].clone();
        }
    }
    for unit in &mut units {
        unit.features.sort_unstable();
        unit.features.dedup();
    }
    Ok(units)
}

/// Chooses `count` cases: those required; then, up to a half, the cheapest cover of all features; then
/// covers of the features within each family. Returns their indices in order.
fn choose(units: &[Unit], required: &BTreeSet<String>, count: usize) -> Result<BTreeSet<usize>, String> {
    let known: BTreeSet<&String> = units.iter().flat_map(|unit| &unit.ids).collect();
    if let Some(unknown) = required.iter().find(|id| !known.contains(id)) {
        return Err(format!("there is no case {unknown}"));
    }
    let mut cover = Cover::new(units, 0..units.len());
    let is_required = |unit: &Unit| unit.ids.iter().any(|id| required.contains(id));
    let mut chosen: BTreeSet<usize> = (0..units.len()).filter(|&at| is_required(&units[at])).collect();
    let mut taken: usize = chosen.iter().map(|&at| units[at].rows.len()).sum();
    for &at in &chosen {
        cover.add(at);
    }
    while taken < count / 2
        && let Some(at) = cover.next()
    {
        taken += units[at].rows.len();
        chosen.insert(at);
    }
    println!("{taken} cases cover {} features", cover.covered.len());

    let mut families: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        families.entry(&unit.family).or_default().push(at);
    }
    let mut covers: Vec<Share<'_>> =
        families.into_values().map(|members| Share::new(units, members, &chosen)).collect();
    while taken < count
        && let Some(share) = covers.iter_mut().min_by_key(|share| share.claim())
    {
        if share.taken.is_none() {
            break;
        }
        if let Some(at) = share.next() {
            taken += units[at].rows.len();
            chosen.insert(at);
        }
    }
    Ok(chosen)
}

/// The cover of the features of one family, with how many cases it added.
struct Share<'u> {
    cover: Cover<'u>,
    members: usize,
    /// Number of cases added; `None` if the cover is complete.
    taken: Option<usize>,
}

impl<'u> Share<'u> {
    fn new(units: &'u [Unit], members: Vec<usize>, chosen: &BTreeSet<usize>) -> Self {
        let mut cover = Cover::new(units, members.iter().copied());
        let count = members.len();
        for at in members.into_iter().filter(|at| chosen.contains(at)) {
            cover.add(at);
        }
        Self { cover, members: count, taken: Some(0) }
    }

    /// Returns how much of its share the family has: the least comes next. A share is proportional to the
    /// square root of the family's size.
    fn claim(&self) -> usize {
        self.taken.map_or(usize::MAX, |taken| taken * taken * 1_000 / self.members)
    }

    fn next(&mut self) -> Option<usize> {
        let next = self.cover.next();
        let rows = next.map(|at| self.cover.units[at].rows.len());
        self.taken = self.taken.zip(rows).map(|(taken, rows)| taken + rows);
        next
    }
}

/// A cover of features that grows by the unit with the most new features for its cost.
struct Cover<'u> {
    units: &'u [Unit],
    covered: BTreeSet<u32>,
    /// Units with the gain that they had when it was last computed.
    heap: BinaryHeap<(usize, Reverse<usize>)>,
}

impl<'u> Cover<'u> {
    fn new(units: &'u [Unit], members: impl IntoIterator<Item = usize>) -> Self {
        let mut cover = Self { units, covered: BTreeSet::new(), heap: BinaryHeap::new() };
        cover.heap = members.into_iter().map(|at| (cover.gain(at), Reverse(at))).collect();
        cover
    }

    fn gain(&self, at: usize) -> usize {
        let new = self.units[at].features.iter().filter(|(feature, _)| !self.covered.contains(feature));
        new.map(|(_, weight)| weight).sum::<usize>() * 1_000_000 / self.units[at].cost()
    }

    fn add(&mut self, at: usize) {
        self.covered.extend(self.units[at].features.iter().map(|(feature, _)| feature));
    }

    /// Adds the best unit and returns it; `None` if no unit has a feature that is not covered.
    fn next(&mut self) -> Option<usize> {
        while let Some((expected, Reverse(at))) = self.heap.pop() {
            // The gain of a unit only falls while others are added, so that a unit whose gain is the one in
            // the heap is the best.
            match self.gain(at) {
                0 => {}
                now if now == expected => {
                    self.add(at);
                    return Some(at);
                }
                now => self.heap.push((now, Reverse(at))),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Unit, choose};

    fn unit(family: &str, id: &str, row: &str, features: &[u32]) -> Unit {
        Unit {
            family: family.to_owned(),
            rows: vec![row.to_owned()],
            ids: vec![id.to_owned()],
            features: features.iter().map(|feature| (*feature, 1)).collect(),
        }
    }

    #[test]
    fn the_cheapest_cover_comes_before_families() {
        let units = [
            unit("a", "short", "1", &[1]),
            unit("a", "both", "12", &[1, 2]),
            unit("b", "other", "123", &[3]),
            unit("a", "long", &"x".repeat(900), &[1, 2, 3]),
            unit("c", "family", "1234", &[1]),
        ];
        let chosen = |count| choose(&units, &BTreeSet::new(), count).expect("nothing is required");
        assert_eq!(chosen(3), BTreeSet::from([1, 2, 3]));
        assert_eq!(chosen(5), BTreeSet::from([1, 2, 3, 4]));
    }

    #[test]
    fn required_cases_are_chosen_first() {
        let units = [unit("a", "short", "1", &[1]), unit("b", "long", &"x".repeat(900), &[1])];
        let required = BTreeSet::from(["long".to_owned()]);
        assert_eq!(choose(&units, &required, 1), Ok(BTreeSet::from([1])));
        let missing = BTreeSet::from(["none".to_owned()]);
        assert_eq!(choose(&units, &missing, 1), Err("there is no case none".to_owned()));
    }
}
