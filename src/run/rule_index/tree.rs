//! The tree of an index: in each node conditions, and the paths by whose values others are listed further below.

use hclvm_vm::cast;
use hclvm_vm::hash::{HashMap, HashSet};

use super::key::{IndexKey, KeyChoice, KeyTest};
use super::ranges::Ranges;

/// The most conditions that are not divided further: evaluating one costs about as much as looking up a value.
const FEW: usize = 4;

/// Evaluations that a further path has to save in a node, on average, to be worth its lookup.
const WORTHWHILE: f64 = 3.0;

/// The most paths of a node, and the most paths that lead to one. Bounds what a lookup costs, and the recursion.
const MOST_SPLITS: usize = 32;
const DEEPEST: u8 = 8;

/// The most nodes in which a condition is listed: those of tests of one clause multiply with those of another one.
const MOST_PLACES: usize = 256;

/// The shares of a path's values that a range without and with a second bound probably contains.
const HALF_OPEN: f64 = 0.5;
const BOUNDED: f64 = 0.25;

const ROOT: u32 = 0;

/// A tree of nodes.
#[derive(Debug)]
pub(super) struct IndexTree {
    nodes: Vec<IndexNode>,
    /// For each condition, the nodes that list it.
    places: HashMap<u32, Vec<u32>>,
    /// Nodes that are not used.
    free: Vec<u32>,
}

/// A node. A condition is listed in it, or in nodes below it.
#[derive(Debug, Default)]
pub(super) struct IndexNode {
    /// Ascending.
    pub(super) rules: Vec<u32>,
    pub(super) splits: Vec<Split>,
    /// The node above it, and the test that leads here; none for the root.
    above: Option<(u32, KeyTest)>,
    depth: u8,
    /// The number of conditions that its last division left in it.
    left: usize,
}

/// The nodes to which the value of a path leads.
#[derive(Debug)]
pub(super) struct Split {
    pub(super) path: u32,
    pub(super) equal: HashMap<u64, u32>,
    /// By length and hash.
    pub(super) begin: HashMap<(usize, u64), u32>,
    /// The lengths of the keys of `begin`, each with the number of its keys.
    pub(super) lengths: Vec<(usize, u32)>,
    pub(super) ranges: Ranges,
}

/// The clauses about some paths, among those of the conditions of a node.
#[derive(Default)]
struct ClauseGroup {
    rules: f64,
    /// For each test, the number of conditions that it leads to.
    sizes: HashMap<(u32, u64), f64>,
    /// The number of conditions that ranges probably lead to.
    ranges: f64,
}

impl Default for IndexTree {
    fn default() -> Self {
        Self { nodes: vec![IndexNode::default()], places: HashMap::default(), free: Vec::new() }
    }
}

impl IndexTree {
    /// Creates a tree of conditions, whose clauses `choices` returns.
    pub(super) fn of<'c>(rules: Vec<u32>, choices: impl Fn(u32) -> &'c [KeyChoice]) -> Self {
        let mut tree = Self::default();
        for rule in &rules {
            tree.places.insert(*rule, vec![ROOT]);
        }
        tree.nodes[0].rules = rules;
        tree.refine(ROOT, &choices);
        tree
    }

    pub(super) fn root(&self) -> &IndexNode {
        &self.nodes[0]
    }

    pub(super) fn node(&self, at: u32) -> &IndexNode {
        &self.nodes[cast::index(at)]
    }

    /// Lists a condition. Returns the nodes that have many conditions now, to be [refined](Tree::refine).
    pub(super) fn insert(&mut self, rule: u32, choices: &[KeyChoice]) -> Vec<u32> {
        let (mut full, mut open) = (Vec::new(), vec![ROOT]);
        while let Some(at) = open.pop() {
            let used = self.paths_above(at);
            let fits = |choice: &&KeyChoice| {
                let listed = self.places.get(&rule).map_or(0, Vec::len) + open.len();
                listed + choice.tests.len() <= MOST_PLACES
                    && choice.tests.iter().all(|test| {
                        let is_split = self.node(at).splits.iter().any(|split| split.path == test.path);
                        is_split && !used.contains(&test.path)
                    })
            };
            let choice = choices.iter().filter(fits).min_by_key(|choice| self.listed_with(at, choice));
            let Some(choice) = choice else {
                self.enter(rule, at);
                let node = self.node(at);
                if node.rules.len() > 2 * node.left.max(FEW) {
                    full.push(at);
                }
                continue;
            };
            for test in &choice.tests {
                let child = self.child(at, *test).0;
                if !open.contains(&child) {
                    open.push(child);
                }
            }
        }
        full
    }

    /// Returns the number of conditions in the nodes to which a clause leads from a node.
    fn listed_with(&self, at: u32, choice: &KeyChoice) -> usize {
        let split = |path: u32| self.node(at).splits.iter().find(|split| split.path == path);
        let child = |test: &KeyTest| split(test.path)?.get(test.key);
        choice.tests.iter().filter_map(child).map(|node| self.node(node).rules.len()).sum()
    }

    /// Removes a condition.
    pub(super) fn remove(&mut self, rule: u32) {
        for place in self.places.remove(&rule).unwrap_or_default() {
            let rules = &mut self.nodes[cast::index(place)].rules;
            if let Ok(at) = rules.binary_search(&rule) {
                rules.remove(at);
            }
            self.prune(place);
        }
    }

    /// Removes a node without conditions, and the nodes above it that have none then.
    fn prune(&mut self, mut at: u32) {
        loop {
            let node = &mut self.nodes[cast::index(at)];
            let Some((above, test)) = node.above else { return };
            if !node.rules.is_empty() || !node.splits.is_empty() {
                return;
            }
            *node = IndexNode::default();
            self.free.push(at);
            let splits = &mut self.nodes[cast::index(above)].splits;
            splits
                .iter_mut()
                .filter(|split| split.path == test.path)
                .for_each(|split| split.remove(test.key));
            splits.retain(|split| !split.is_empty());
            at = above;
        }
    }

    /// Moves conditions of a node into nodes below it, by the paths that save the most evaluations.
    pub(super) fn refine<'c>(&mut self, at: u32, choices: &dyn Fn(u32) -> &'c [KeyChoice]) {
        let node = &mut self.nodes[cast::index(at)];
        if node.depth >= DEEPEST || node.rules.len() <= FEW {
            return;
        }
        let mut rest = std::mem::take(&mut node.rules);
        let used = self.paths_above(at);
        let mut below = Vec::new();
        while self.node(at).splits.len() < MOST_SPLITS && rest.len() > FEW {
            let Some(paths) = self.best(&rest, &used, choices) else { break };
            let (mut moved, mut kept) = (Vec::new(), Vec::new());
            for rule in rest {
                let choice = choices(rule).iter().find(|choice| self.is_about(choice, &paths, rule));
                match choice {
                    Some(choice) => moved.push((rule, choice)),
                    None => kept.push(rule),
                }
            }
            rest = kept;
            for (rule, choice) in moved {
                self.leave(rule, at);
                for test in &choice.tests {
                    let (node, is_new) = self.child(at, *test);
                    if is_new {
                        below.push(node);
                    }
                    self.enter(rule, node);
                }
            }
        }
        let node = &mut self.nodes[cast::index(at)];
        node.left = rest.len();
        node.rules = rest;
        for node in below {
            self.refine(node, choices);
        }
    }

    /// Iterates over the nodes that list a condition.
    pub(super) fn places(&self, rule: u32) -> impl Iterator<Item = u32> {
        self.places.get(&rule).into_iter().flatten().copied()
    }

    /// Returns the tests that lead to a node, those of the root first.
    pub(super) fn tests(&self, at: u32) -> Vec<KeyTest> {
        let mut tests = Vec::new();
        let mut above = self.node(at).above;
        while let Some((node, test)) = above {
            tests.push(test);
            above = self.node(node).above;
        }
        tests.reverse();
        tests
    }

    /// Returns true if the tests of a clause read these paths, and do not list a condition too often.
    fn is_about(&self, choice: &KeyChoice, paths: &[u32], rule: u32) -> bool {
        let listed = self.places.get(&rule).map_or(0, Vec::len);
        paths_of(choice) == paths && listed + choice.tests.len() <= MOST_PLACES
    }

    /// Returns the paths that save the most evaluations of conditions, if they are worth a lookup.
    fn best<'c>(
        &self,
        rules: &[u32],
        used: &HashSet<u32>,
        choices: &dyn Fn(u32) -> &'c [KeyChoice],
    ) -> Option<Vec<u32>> {
        let mut groups: HashMap<Vec<u32>, ClauseGroup> = HashMap::default();
        for rule in rules {
            let mut seen: Vec<Vec<u32>> = Vec::new();
            for choice in choices(*rule) {
                let paths = paths_of(choice);
                let is_other = !seen.contains(&paths) && !paths.iter().any(|path| used.contains(path));
                if is_other && self.is_about(choice, &paths, *rule) {
                    groups.entry(paths.clone()).or_default().add(choice);
                    seen.push(paths);
                }
            }
        }
        let best = groups.into_iter().map(|(paths, group)| (group.saved(), paths));
        // By the paths if equal, so that the result does not depend on hashes.
        let best =
            best.max_by(|(a, a_paths), (b, b_paths)| a.total_cmp(b).then_with(|| b_paths.cmp(a_paths)));
        best.filter(|(saved, _)| *saved >= WORTHWHILE).map(|(_, paths)| paths)
    }

    /// Returns the paths that lead to a node.
    fn paths_above(&self, at: u32) -> HashSet<u32> {
        self.tests(at).iter().map(|test| test.path).collect()
    }

    fn enter(&mut self, rule: u32, at: u32) {
        let rules = &mut self.nodes[cast::index(at)].rules;
        if let Err(place) = rules.binary_search(&rule) {
            rules.insert(place, rule);
            self.places.entry(rule).or_default().push(at);
        }
    }

    fn leave(&mut self, rule: u32, at: u32) {
        if let Some(places) = self.places.get_mut(&rule) {
            places.retain(|place| *place != at);
        }
    }

    /// Returns the node to which a test leads from another one, and whether it is new.
    fn child(&mut self, at: u32, test: KeyTest) -> (u32, bool) {
        let next = self.free.last().copied().unwrap_or_else(|| cast::length(self.nodes.len()));
        let node = &mut self.nodes[cast::index(at)];
        let depth = node.depth + 1;
        let known = node.splits.iter().position(|split| split.path == test.path);
        let split = known.unwrap_or_else(|| {
            node.splits.push(Split::new(test.path));
            node.splits.len() - 1
        });
        let child = node.splits[split].get_or_insert(test.key, next);
        let is_new = child == next;
        if is_new {
            let node = IndexNode { above: Some((at, test)), depth, ..IndexNode::default() };
            match self.free.pop() {
                Some(free) => self.nodes[cast::index(free)] = node,
                None => self.nodes.push(node),
            }
        }
        (child, is_new)
    }
}

/// Returns the paths that the tests of a clause read, each once.
fn paths_of(choice: &KeyChoice) -> Vec<u32> {
    let mut paths: Vec<u32> = choice.tests.iter().map(|test| test.path).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

impl ClauseGroup {
    fn add(&mut self, choice: &KeyChoice) {
        self.rules += 1.0;
        for test in &choice.tests {
            match test.key {
                IndexKey::Equal(hash) | IndexKey::Begin(_, hash) => {
                    *self.sizes.entry((test.path, hash)).or_default() += 1.0;
                }
                IndexKey::Range(low, high) if low.is_finite() && high.is_finite() => self.ranges += BOUNDED,
                IndexKey::Range(..) => self.ranges += HALF_OPEN,
            }
        }
    }

    /// Returns how many conditions a lookup probably leaves out, if values are as frequent as their tests.
    fn saved(&self) -> f64 {
        let total: f64 = self.sizes.values().sum();
        let found: f64 = self.sizes.values().map(|size| size * size / total).sum();
        self.rules - found - self.ranges
    }
}

impl Split {
    fn new(path: u32) -> Self {
        let (equal, begin) = (HashMap::default(), HashMap::default());
        Self { path, equal, begin, lengths: Vec::new(), ranges: Ranges::default() }
    }

    /// Returns the node of a key, which is `next` if the key is new.
    fn get_or_insert(&mut self, key: IndexKey, next: u32) -> u32 {
        match key {
            IndexKey::Equal(hash) => *self.equal.entry(hash).or_insert(next),
            IndexKey::Begin(length, hash) => {
                let node = *self.begin.entry((length, hash)).or_insert(next);
                if node == next {
                    match self.lengths.iter_mut().find(|(known, _)| *known == length) {
                        Some((_, count)) => *count += 1,
                        None => self.lengths.push((length, 1)),
                    }
                }
                node
            }
            IndexKey::Range(low, high) => self.ranges.get(low, high).unwrap_or_else(|| {
                self.ranges.insert(low, high, next);
                next
            }),
        }
    }

    /// Returns the node of a key.
    fn get(&self, key: IndexKey) -> Option<u32> {
        match key {
            IndexKey::Equal(hash) => self.equal.get(&hash).copied(),
            IndexKey::Begin(length, hash) => self.begin.get(&(length, hash)).copied(),
            IndexKey::Range(low, high) => self.ranges.get(low, high),
        }
    }

    fn remove(&mut self, key: IndexKey) {
        match key {
            IndexKey::Equal(hash) => drop(self.equal.remove(&hash)),
            IndexKey::Begin(length, hash) => {
                self.begin.remove(&(length, hash));
                self.lengths
                    .iter_mut()
                    .filter(|(known, _)| *known == length)
                    .for_each(|(_, count)| *count -= 1);
                self.lengths.retain(|(_, count)| *count > 0);
            }
            IndexKey::Range(low, high) => self.ranges.remove(low, high),
        }
    }

    fn is_empty(&self) -> bool {
        self.equal.is_empty() && self.begin.is_empty() && self.ranges.is_empty()
    }
}
