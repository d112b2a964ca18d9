//! Generates files with scopes and a choice of the variables that are known first. Half of them are those of
//! `modules`; the others have expressions of which some parts are known.

use hclvm_vm::{FunctionTable, OwnedValue};

use super::modules::ModuleCases;
use super::random::Random;
use super::rules::RuleCases;

/// A module with the scopes it is evaluated in.
#[derive(Clone, Debug)]
pub struct PartialCase {
    /// The text of the file.
    pub text: String,
    /// For each scope, the values of [`PartialCases::names`] in order.
    pub scopes: Vec<Vec<OwnedValue>>,
    /// The variables that are known first.
    pub known: Vec<bool>,
}

/// A generator of cases.
#[derive(Debug)]
pub struct PartialCases<'f> {
    modules: ModuleCases,
    rules: RuleCases<'f>,
}

/// Shapes of expressions. `_` is replaced by an expression of a rule, `@` by a local or a variable.
const SHAPES: &[&str] = &[
    "_",
    "_",
    "[_, @]",
    "(@) == (_)",
    "q ? @ : (_)",
    "(b ? _ : @)",
    "b ? s : r",
    "b ? n : (_)",
    "q ? o.a == \"a\" : b && (_)",
    "q ? { x = @ } : { x = s, y = _ }",
    "try(@, _)",
    "try(_, @)",
    "can(@)",
    "can([_, @])",
    "{x = _, y = @}",
    "{ (s) = _, n = @ }",
    "[for x in (_) : [x, @]]",
    "[for x in ls : \"${x}${s}\" if x != s]",
    "[for x in lo : [for n in ln : n + x.b + m] if b]",
    "{for k, v in ms : k => [v, @] if k != s}",
    "\"${@}-${s}\"",
    "\"-%{ if b }${s}%{ else }${_}%{ endif }-${r}\"",
    "\"%{ for x in ls }${x}${r}%{ endfor }${s}\"",
    "b && (@)",
    "(@) || q && b",
    "b && (_) || (@)",
    "n + m * 2 > 3",
    "o.b + n * 2 - m < 1.5",
    "o.a == \"a\" ? 1 : o.a == s ? 2 : o.a == \"k\" ? n : o.a == \"b\" ? 3 : m",
    "length(ls) + n",
    "lo[*].a == ls",
    "(b ? lo : [])[*].b",
    "mn[s] + n",
    "o[s]",
    "max(n, m, 1)",
    "floor(n * 1.15 + m)",
    "b ? s : r",
    "b || q && n > m",
    "s == r ? n : m",
    "n * 2 < m || !b",
    "[@, s, b]",
    "[for x in ls : x if b]",
    "[for x in lo : x.a if x.b == n]",
    "\"${s}:%{ if q }${r}%{ endif }\"",
    "try(-(@), m)",
    "try((@)[n], s)",
    "try((@).a, null)",
    "[u[0].a, o.deep.v ? @ : _]",
];

/// Shapes that read the object of all locals.
const OBJECTS: &[&str] = &["local", "lookup(local, s, @)", "[for k, v in local : k]", "local[s]"];

/// Collections of dynamic blocks.
const COLLECTIONS: &[&str] =
    &["ln", "ls", "ms", "mo", "ss", "{ a = n, k = s }", "[s, r]", "[for x in ls : x if b]", "@", "_"];

/// Expressions of the content of dynamic blocks, with `port` for the iterator.
const CONTENTS: &[&str] =
    &["port.value", "port.key", "[port.value, s]", "port.value == n", "port", "b ? s : r"];

impl<'f> PartialCases<'f> {
    /// Creates a generator of files that call these functions; see [`ModuleCases::new`].
    pub fn new(functions: &'f FunctionTable) -> Self {
        Self { modules: ModuleCases::new(functions), rules: RuleCases::new(functions) }
    }

    /// Returns the names of the variables.
    pub fn names() -> impl Iterator<Item = &'static str> {
        RuleCases::names()
    }

    /// Generates a case, which depends on the seed and its number alone.
    pub fn case(&self, seed: u64, case: u64) -> PartialCase {
        // Unlike the random numbers of the rules.
        let mut random = Random::new(!seed, case);
        let share = random.pick(&[20, 50, 80]);
        let known = Self::names().map(|_| random.percent(share)).collect();
        if random.percent(50) {
            let module = self.modules.case(seed, case);
            return PartialCase { text: module.text, scopes: module.scopes, known };
        }
        let rules = self.rules.case(seed, case);
        let mut writer =
            Writer { random: &mut random, sources: &rules.sources, locals: 0, out: String::new() };
        writer.file();
        PartialCase { text: writer.out, scopes: rules.scopes, known }
    }
}

struct Writer<'r, 's> {
    random: &'r mut Random,
    sources: &'s [String],
    /// The locals that expressions may read.
    locals: u32,
    out: String,
}

impl Writer<'_, '_> {
    fn file(&mut self) {
        self.put("locals {\n");
        for at in 0..self.random.below(5) {
            self.attribute(&format!("l{at}"), SHAPES);
            self.locals = at + 1;
        }
        self.put("}\n");
        for at in 0..=self.random.below(3) {
            let shapes = if self.random.percent(5) { OBJECTS } else { SHAPES };
            self.attribute(&format!("a{at}"), shapes);
        }
        for at in 0..self.random.below(3) {
            self.put(&format!("rule \"r{at}\" {{\n"));
            self.attribute("when", SHAPES);
            self.attribute("reason", SHAPES);
            if self.random.percent(20) {
                self.dynamic("port");
            }
            self.put("}\n");
        }
        if self.random.percent(60) {
            self.dynamic("port");
        }
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn dynamic(&mut self, kind: &str) {
        self.put(&format!("dynamic \"{kind}\" {{\n"));
        self.attribute("for_each", COLLECTIONS);
        let iterator = if self.random.percent(20) { "n" } else { kind };
        if iterator != kind {
            self.put(&format!("iterator = {iterator}\n"));
        }
        if self.random.percent(40) {
            self.put(&format!("labels = [s, \"x\", \"${{{iterator}.key}}-${{r}}\"]\n"));
        }
        self.put("content {\n");
        self.attribute("own", SHAPES);
        let content = self.random.pick(CONTENTS).replace("port", iterator);
        self.put(&format!("item = {content}\n"));
        if kind == "port" && self.random.percent(30) {
            self.dynamic("inner");
        }
        self.put("}\n}\n");
    }

    /// Writes an attribute. Its expression is in parentheses, because it may have several lines.
    fn attribute(&mut self, name: &str, shapes: &[&'static str]) {
        let shape = self.random.pick(shapes).replace('_', "\u{1}").replace('@', "\u{2}");
        let source = self.sources.get(self.random.index(self.sources.len())).map_or("s", String::as_str);
        let read = match self.random.below(4) {
            0 => self.random.pick(&["s", "n", "b", "o.b", "ls", "d"]).to_owned(),
            _ if self.locals == 0 => "m".to_owned(),
            _ => format!("local.l{}", self.random.below(self.locals)),
        };
        let expression = shape.replace('\u{1}', source).replace('\u{2}', &read);
        self.put(&format!("{name} = ({expression})\n"));
    }
}
