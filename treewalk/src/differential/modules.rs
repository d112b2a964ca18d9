//! Generates whole files: locals that read each other in any order, attributes and blocks, and `dynamic`
//! blocks over collections of every kind. Expressions come from `grow` and `rules`, with references to
//! locals and iterators among their operands.

use std::fmt::Write as _;

use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_vm::{Arena, FunctionTable, Limits, Names, OwnedValue};

use super::grow::{Callable, Grower, callables};
use super::random::Random;
use super::rules::related;
use super::scopes::{NAMES, Scopes};

/// A file with the scopes it is evaluated in.
#[derive(Clone, Debug, Default)]
pub struct ModuleCase {
    /// The text of the file.
    pub text: String,
    /// Paths that select a part of it.
    pub paths: Vec<String>,
    /// For each scope, the values of [`ModuleCases::names`] in order.
    pub scopes: Vec<Vec<OwnedValue>>,
    /// True if a `dynamic` block is not written as one must be.
    pub malformed: bool,
}

/// A generator of files.
#[derive(Debug)]
pub struct ModuleCases {
    callables: Vec<Callable>,
    names: Names,
}

/// Number of scopes that every file is evaluated in.
const SCOPES: u32 = 3;
/// The greatest depth of blocks.
const DEPTH: u32 = 3;

impl ModuleCases {
    /// Creates a generator of files that call these functions. They may also call `tick(value)`, which a
    /// test defines as a function that is not pure.
    pub fn new(functions: &FunctionTable) -> Self {
        Self { callables: callables(functions), names: Names::new() }
    }

    /// Returns the names of the variables of the files.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, ..)| *name)
    }

    /// Generates a case, which depends on the seed and its number alone.
    pub fn case(&self, seed: u64, case: u64) -> ModuleCase {
        let mut random = Random::new(seed, case);
        let arena =
            Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED });
        let calm = random.percent(50);
        let scopes = (0..SCOPES).map(|at| {
            let scope = Scopes::new(&mut random, &arena, &self.names);
            let scope = if calm && at > 0 { scope.plain() } else { scope };
            scope.values().into_iter().map(OwnedValue::new).collect()
        });
        let scopes = scopes.collect();
        let mut file = File {
            random: &mut random,
            callables: &self.callables,
            locals: Vec::new(),
            sources: Vec::new(),
            iterators: Vec::new(),
            paths: Vec::new(),
            path: Vec::new(),
            calm,
            malformed: false,
            next: 0,
            out: String::new(),
        };
        file.file();
        let paths = file.selection();
        ModuleCase { text: file.out, paths, scopes, malformed: file.malformed }
    }
}

/// A file being generated.
struct File<'r, 'f> {
    random: &'r mut Random,
    callables: &'f [Callable],
    /// The names of locals, each after those that it may read.
    locals: Vec<String>,
    /// Expressions that have been generated, whose parts occur again in others.
    sources: Vec<String>,
    /// The iterators of the surrounding dynamic blocks.
    iterators: Vec<&'static str>,
    /// The paths of all attributes, and the names of the path to the body that is being generated.
    paths: Vec<Vec<String>>,
    path: Vec<String>,
    /// Most expressions succeed.
    calm: bool,
    malformed: bool,
    next: u32,
    out: String,
}

/// Names of locals besides numbered ones.
const LOCAL_NAMES: &[&str] = &["a", "b", "k", "n", "key", "value"];
const KINDS: &[&str] = &["rule", "group", "port", "job", "x"];
const LABELS: &[&str] = &["a", "b", "c.d", ""];
const ITERATORS: &[&str] = &["it", "it", "each", "n", "s", "port", "local"];

/// Shapes of expressions that read the object `local` whole, or hide it. `#` is replaced by the name of a local.
const WHOLE: &[&str] = &[
    "local",
    "local[s]",
    "local[r]",
    "local[b ? \"#\" : \"a\"]",
    "[for k, v in local : v]",
    "{for k, v in local : k => v}",
    "[for k, v in local : k if v == local.#]",
    "keys(local)",
    "values(local)",
    "lookup(local, \"#\", n)",
    "lookup(local, s, n)",
    "can(local[s])",
    "try(local[s], local.#)",
    "\"${jsonencode(local)}\"",
    "local == {}",
    "length(local)",
    "local.*",
    "local[*].#",
    "merge(local, o)",
];
const HIDDEN: &[&str] = &[
    "[for local in [{# = 1}] : local.#]",
    "[for local in lo : local.a]",
    "[for local, v in mo : local]",
    "[for x in [local.#] : [for local in [x] : local]]",
    "\"%{ for local in ls }${local}%{ endfor }\"",
];
/// Shapes of expressions that have no faults in most scopes.
const CALM: &[&str] = &[
    "n",
    "n + m * 2",
    "s",
    "\"${s}-${r}\"",
    "b ? n : m",
    "b && q",
    "o",
    "o.a",
    "o.deep.w",
    "ln",
    "[for x in ln : x]",
    "{for k, v in mn : k => v}",
    "lo[*].a",
    "upper(s)",
    "length(ls)",
    "tick(o).b",
    "tick(n)",
];
const CALM_LOCALS: &[&str] = &[
    "local.#",
    "local.# == null",
    "local.# == local.#",
    "[local.#, n]",
    "{a = local.#, b = s}",
    "[for x in [local.#, local.#] : x]",
    "try(local.#.a, local.#[0], s)",
    "can(local.#.a)",
    "b ? [local.#] : [local.#]",
    "jsonencode([local.#, upper(s)])",
    "try(\"${local.#}-${s}\", \"none\")",
    "try(local.# + n, length(ls))",
    "try(floor(local.# * 1.5 + n), ceil(m / 3))",
];
const COLLECTIONS: &[&str] = &[
    "[\"a\", \"b\"]",
    "[1, 2, 3]",
    "[n]",
    "{a = 1, b = \"x\"}",
    "{a = o, b = n}",
    "[o, u[0]]",
    "[{a = [1, 2]}, {a = []}]",
    "[]",
    "ln",
    "ls",
    "lo",
    "sn",
    "ss",
    "so",
    "mn",
    "ms",
    "mo",
    "ml",
    "o",
    "t",
    "d",
    "null",
    "n",
];

impl File<'_, '_> {
    fn file(&mut self) {
        let locals = self.locals();
        let blocks = if locals.is_empty() { 0 } else { 1 + self.random.index(3) };
        let mut parts: Vec<String> = Vec::new();
        for at in 0..blocks {
            let lines: Vec<&str> =
                locals.iter().skip(at).step_by(blocks).map(|(_, line)| line.as_str()).collect();
            parts.push(format!("locals {{\n{}}}\n", lines.concat()));
        }
        self.body(DEPTH, true);
        // Locals come before or after what reads them.
        let rest = std::mem::take(&mut self.out);
        let before = self.random.index(parts.len() + 1);
        let after = parts.split_off(before);
        self.out = parts.concat() + &rest + &after.concat();
    }

    /// Generates locals, in an order that is independent of what they read.
    fn locals(&mut self) -> Vec<(u32, String)> {
        let count = match self.random.below(20) {
            0..=2 => 0,
            3..=16 => 1 + self.random.below(7),
            17 | 18 => 8 + self.random.below(12),
            _ => 30 + self.random.below(40),
        };
        let mut lines = Vec::new();
        for at in 0..count {
            let named = self.random.percent(15).then(|| self.random.pick(LOCAL_NAMES).to_owned());
            let name = named.filter(|name| !self.locals.contains(name)).unwrap_or_else(|| format!("l{at}"));
            let text = self.expression(false);
            self.paths.push(vec!["local".to_owned(), name.clone()]);
            lines.push((self.random.below(1000), format!("  {name} = {text}\n")));
            self.locals.push(name);
        }
        if self.random.percent(70) {
            lines.sort();
        }
        lines
    }

    fn body(&mut self, depth: u32, root: bool) {
        let mut items = self.random.below(if root { 8 } else { 4 });
        if root && self.random.percent(5) {
            items += 20;
        }
        for _ in 0..items {
            match self.random.below(10) {
                7 | 8 if depth > 0 => self.block(depth - 1, root),
                9 if depth > 0 => self.dynamic(depth - 1),
                _ => self.attribute(),
            }
        }
    }

    fn attribute(&mut self) {
        self.next += 1;
        let name = format!("x{}", self.next);
        let text = self.expression(true);
        self.paths.push(self.path.iter().cloned().chain([name.clone()]).collect());
        let _ = writeln!(self.out, "{name} = {text}");
    }

    fn block(&mut self, depth: u32, root: bool) {
        let kind = if !root && self.random.percent(3) { "locals" } else { self.random.pick(KINDS) };
        let labels: Vec<&str> = (0..self.random.below(3)).map(|_| self.random.pick(LABELS)).collect();
        let _ = write!(self.out, "{kind}");
        for label in &labels {
            let _ = write!(self.out, " \"{label}\"");
        }
        self.out.push_str(" {\n");
        self.inside([kind].iter().chain(&labels), |file| file.body(depth, false));
        self.out.push_str("}\n");
    }

    /// Generates a part of the file whose path has further names.
    fn inside<'n>(&mut self, names: impl IntoIterator<Item = &'n &'n str>, part: impl FnOnce(&mut Self)) {
        let outer = self.path.len();
        self.path.extend(names.into_iter().map(|name| (*name).to_owned()));
        part(self);
        self.path.truncate(outer);
    }

    fn dynamic(&mut self, depth: u32) {
        let kind = self.random.pick(KINDS);
        let collection = match self.random.below(10) {
            0..=5 => self.random.pick(COLLECTIONS).to_owned(),
            6.. if self.calm => self.random.pick(&["ln", "ls", "mn", "o", "lo"]).to_owned(),
            6 if !self.iterators.is_empty() => {
                format!("{}.value", self.random.pick(&self.iterators))
            }
            6 | 7 if !self.locals.is_empty() => format!("local.{}", self.local()),
            _ => self.expression(true),
        };
        let iterator = self.random.percent(40).then(|| self.random.pick(ITERATORS));
        let wrong = if self.random.percent(3) { 1 + self.random.below(6) } else { 0 };
        self.malformed |= wrong > 0;
        let _ = writeln!(self.out, "dynamic \"{kind}\" {{");
        if wrong != 1 {
            let _ = writeln!(self.out, "for_each = {collection}");
        }
        if wrong == 2 {
            self.out.push_str("iterator = a.b\n");
        } else if let Some(iterator) = iterator {
            let _ = writeln!(self.out, "iterator = {iterator}");
        }
        self.iterators.push(iterator.unwrap_or(kind));
        let labels = if self.random.percent(40) { 1 + self.random.index(2) } else { 0 };
        if wrong == 3 {
            self.out.push_str("labels = s\n");
        } else if labels > 0 {
            let texts: Vec<String> = (0..labels).map(|_| self.label()).collect();
            let _ = writeln!(self.out, "labels = [{}]", texts.join(", "));
        }
        let names: Vec<&str> = std::iter::once(kind).chain((0..labels).map(|_| "*")).collect();
        let contents = match wrong {
            4 => 0,
            5 => 2,
            _ => 1,
        };
        for _ in 0..contents {
            self.out.push_str("content {\n");
            self.inside(&names, |file| file.body(depth, false));
            self.out.push_str("}\n");
        }
        if wrong == 6 {
            self.out.push_str("other = 1\n");
        }
        self.iterators.pop();
        self.out.push_str("}\n");
    }

    fn label(&mut self) -> String {
        let iterator = self.iterators.last().copied().unwrap_or("n");
        match self.random.below(10) {
            0..=3 => format!("{iterator}.key"),
            4 | 5 => format!("\"${{{iterator}.key}}-${{s}}\""),
            6 => "\"fixed\"".to_owned(),
            7 => format!("{iterator}.value"),
            _ => self.expression(true),
        }
    }

    fn local(&mut self) -> String {
        // Recent ones make chains, the first ones fans.
        let count = self.locals.len();
        let at = match self.random.below(4) {
            0 => count - 1,
            1 => self.random.index(count.min(3)),
            _ => self.random.index(count),
        };
        self.locals[at].clone()
    }

    /// Generates an expression. Only outside of locals it may read the object `local`, because a local that
    /// does is a cycle.
    fn expression(&mut self, whole: bool) -> String {
        let text = self.candidate(whole);
        let parsed = parse_expression(&text, &ParseLimits::default());
        let text = if parsed.diagnostics.is_empty() { text } else { "n".to_owned() };
        // Parts of what reads the whole object must not get into locals; those are generated first.
        self.sources.push(text.clone());
        text
    }

    fn candidate(&mut self, whole: bool) -> String {
        if self.calm && self.random.percent(97) {
            return self.succeeding();
        }
        if !self.locals.is_empty() {
            let name = self.local();
            match self.random.below(20) {
                0 | 1 if whole => return self.random.pick(WHOLE).replace('#', &name),
                2 => return self.random.pick(HIDDEN).replace('#', &name),
                3..=5 => return format!("local.{name}"),
                _ => {}
            }
        }
        if self.random.percent(50) && self.sources.len() > 1 {
            return related(self.random, &self.sources);
        }
        let references = self.references();
        Grower::new(self.random, self.callables).with_references(&references).expression()
    }

    /// Generates an expression that succeeds in most scopes.
    fn succeeding(&mut self) -> String {
        if let Some(iterator) = self.iterators.last()
            && self.random.percent(30)
        {
            return format!("[{iterator}.key, {iterator}.value]");
        }
        if self.locals.is_empty() || self.random.percent(40) {
            return self.random.pick(CALM).to_owned();
        }
        let (one, other) = (self.local(), self.local());
        self.random.pick(CALM_LOCALS).replacen('#', &one, 1).replace('#', &other)
    }

    /// Returns references to some locals and iterators.
    fn references(&mut self) -> Vec<String> {
        let mut references = Vec::new();
        for _ in 0..3 {
            if self.locals.is_empty() {
                break;
            }
            let name = self.local();
            references.push(match self.random.below(24) {
                0 => format!("local[\"{name}\"]"),
                1 => format!("local.{name}.a"),
                2 => format!("local.{name}[0]"),
                3 => format!("local.{name}[*].a"),
                4 => format!("try(local.{name}, n)"),
                5 => format!("local.{name}x"),
                6 => "local.missing".to_owned(),
                _ => format!("local.{name}"),
            });
        }
        if let Some(iterator) = self.iterators.last() {
            let outer = self.iterators[self.random.index(self.iterators.len())];
            for of in [iterator, iterator, outer] {
                let part = self.random.pick(&["key", "value", "value", "value.a", "zz"]);
                references.push(format!("{of}.{part}"));
            }
        }
        references.push(self.random.pick(&["n", "tick(n)", "tick(s)", "tick(o).a", "o.a"]).to_owned());
        references
    }

    /// Returns paths to a part of the file.
    fn selection(&mut self) -> Vec<String> {
        let count = 1 + self.random.index(3);
        (0..count).map(|_| self.selected()).collect()
    }

    fn selected(&mut self) -> String {
        if self.paths.is_empty() || self.random.percent(5) {
            return self
                .random
                .pick(&["nothing", "*", "*.*", "local", "local.*", "rule", "*.*.*"])
                .to_owned();
        }
        let mut path = self.paths[self.random.index(self.paths.len())].clone();
        if self.random.percent(30) {
            path.truncate(1 + self.random.index(path.len()));
        }
        let names: Vec<String> = path
            .into_iter()
            .map(|name| match name.as_str() {
                "*" => name,
                _ if self.random.percent(25) => "*".to_owned(),
                _ => format!("\"{name}\""),
            })
            .collect();
        names.join(".")
    }
}
