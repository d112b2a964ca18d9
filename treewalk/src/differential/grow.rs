//! Generates expressions from random numbers: mostly of the requested kind, so that they succeed, and
//! sometimes of another, so that they fail in every way. Their variables are in `scopes`.

mod call;
mod collection;
mod text;

pub(crate) use call::{Callable, callables};

use super::random::Random;
use super::scopes::NAMES;

/// The intended kind of an expression's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    Bool,
    Sequence,
    Mapping,
    Any,
}

const KINDS: &[Kind] = &[Kind::Number, Kind::Text, Kind::Bool, Kind::Sequence, Kind::Mapping];

/// Length above which only leaves are generated, so that the text ends.
const LONGEST: usize = 400;

/// An expression being generated.
pub(crate) struct Grower<'r, 'f> {
    random: &'r mut Random,
    callables: &'f [Callable],
    /// Names bound by enclosing `for` expressions.
    bound: Vec<(&'static str, Kind)>,
    /// Further operands: references to locals and iterators of a whole file.
    references: &'f [String],
    out: String,
}

impl<'r, 'f> Grower<'r, 'f> {
    pub(crate) fn new(random: &'r mut Random, callables: &'f [Callable]) -> Self {
        Self { random, callables, bound: Vec::new(), references: &[], out: String::new() }
    }

    /// Adds operands, which are a third of all leaves.
    pub(crate) fn with_references(self, references: &'f [String]) -> Self {
        Self { references, ..self }
    }

    /// Generates a whole expression.
    pub(crate) fn expression(mut self) -> String {
        let depth = 1 + self.random.below(5);
        self.expr(Kind::Any, depth);
        self.out
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn pick_put(&mut self, from: &[&'static str]) {
        let text = self.random.pick(from);
        self.put(text);
    }

    /// Generates an expression that is mostly of this kind.
    fn expr(&mut self, kind: Kind, depth: u32) {
        let kind = match kind {
            Kind::Any => self.random.pick(KINDS),
            _ if self.random.percent(7) => self.random.pick(KINDS),
            kind => kind,
        };
        if depth == 0 || self.out.len() > LONGEST {
            return self.leaf(kind);
        }
        let depth = depth - 1;
        match self.random.below(20) {
            0..=3 => self.leaf(kind),
            4 => self.conditional(kind, depth),
            5 => self.access(depth),
            6 => self.call(kind, depth),
            7 => self.attempt(kind, depth),
            8 => self.parens(kind, depth),
            _ => self.own(kind, depth),
        }
    }

    /// Generates a construct that makes values of this kind only.
    fn own(&mut self, kind: Kind, depth: u32) {
        match kind {
            Kind::Number => self.arithmetic(depth),
            Kind::Bool => self.predicate(depth),
            Kind::Text => self.text(depth),
            Kind::Sequence => self.sequence(depth),
            Kind::Mapping => self.mapping(depth),
            Kind::Any => self.leaf(kind),
        }
    }

    /// Generates a name or a literal.
    fn leaf(&mut self, kind: Kind) {
        if !self.bound.is_empty() && self.random.percent(50) {
            let (name, bound_kind) = self.bound[self.random.index(self.bound.len())];
            if bound_kind == kind || bound_kind == Kind::Any || self.random.percent(20) {
                return self.put(name);
            }
        }
        if !self.references.is_empty() && self.random.percent(33) {
            let reference = &self.references[self.random.index(self.references.len())];
            return self.put(reference);
        }
        match self.random.below(20) {
            0..=11 => self.name(kind),
            12 => self.pick_put(&["null", "d", "e", "null"]),
            13 if self.random.percent(30) => self.pick_put(&["zz", "nn", "lss", "zz.a"]),
            _ => self.literal(kind),
        }
    }

    fn name(&mut self, kind: Kind) {
        let fitting: Vec<&str> = NAMES.iter().filter(|name| name.1 == kind).map(|name| name.0).collect();
        let name = if fitting.is_empty() { "d" } else { self.random.pick(&fitting) };
        self.put(name);
    }

    fn literal(&mut self, kind: Kind) {
        match kind {
            Kind::Number => self.pick_put(&[
                "0",
                "1",
                "2",
                "3",
                "10",
                "0.5",
                "1.50",
                "1e3",
                "99999999999999999999",
                "0.1",
            ]),
            Kind::Bool => self.pick_put(&["true", "false"]),
            Kind::Text => self.pick_put(&[
                "\"\"",
                "\"a\"",
                "\"b\"",
                "\"12\"",
                "\"true\"",
                "\"e\\u0301\"",
                "\"x\\ny\"",
                "\"$${q}\"",
                "\"k\"",
                "\"1,2\"",
                "\"https://\"",
            ]),
            Kind::Sequence => self.pick_put(&[
                "[]",
                "[1, 2]",
                "[\"a\", 1, true]",
                "[null]",
                "[[1], []]",
                "[{a = 1}, {b = 2}]",
            ]),
            Kind::Mapping => self.pick_put(&[
                "{}",
                "{a = 1}",
                "{a = \"x\", b = 2}",
                "{k = [1], v = null}",
                "{a = {b = {}}}",
            ]),
            Kind::Any => self.put("null"),
        }
    }

    fn parens(&mut self, kind: Kind, depth: u32) {
        self.put("(");
        self.expr(kind, depth);
        self.put(")");
    }

    /// Generates an operand: simple or parenthesized, and sometimes neither, so that precedence decides.
    fn operand(&mut self, kind: Kind, depth: u32) {
        match self.random.below(10) {
            0..=3 => self.leaf(kind),
            4..=7 => self.parens(kind, depth),
            _ => self.expr(kind, depth),
        }
    }

    fn conditional(&mut self, kind: Kind, depth: u32) {
        self.operand(Kind::Bool, depth);
        self.put(" ? ");
        self.operand(kind, depth);
        self.put(" : ");
        self.operand(kind, depth);
    }

    fn arithmetic(&mut self, depth: u32) {
        if self.random.percent(15) {
            self.put("-");
            return self.operand(Kind::Number, depth);
        }
        self.operand(Kind::Number, depth);
        let more = 1 + self.random.below(2);
        for _ in 0..more {
            self.pick_put(&[" + ", " - ", " * ", " / ", " % "]);
            self.operand(Kind::Number, depth);
        }
    }

    fn predicate(&mut self, depth: u32) {
        match self.random.below(11) {
            10 => self.comparison_with_constants(),
            0 => {
                self.put("!");
                self.operand(Kind::Bool, depth);
            }
            1..=2 => {
                self.operand(Kind::Number, depth);
                self.pick_put(&[" < ", " <= ", " > ", " >= "]);
                self.operand(Kind::Number, depth);
            }
            3..=5 => {
                let kind = self.random.pick(KINDS);
                self.operand(kind, depth);
                self.pick_put(&[" == ", " != "]);
                self.operand(kind, depth);
            }
            _ => {
                self.operand(Kind::Bool, depth);
                let more = 1 + self.random.below(2);
                for _ in 0..more {
                    self.pick_put(&[" && ", " || "]);
                    self.operand(Kind::Bool, depth);
                }
            }
        }
    }

    /// Generates the comparison of one or two numbers that are combined with constants. Values of scopes are among the
    /// bounds to which these lead back.
    fn comparison_with_constants(&mut self) {
        const STEPS: &[&str] = &[
            " + 1", " - 0.5", " * 2", " / 4", " * 1.15", " + 0.1", " - 1e30", " * -3", " / -0.1", " / 0",
            " % 2",
        ];
        const BOUNDS: &[&str] =
            &["0", "1", "1.5", "2", "0.6", "-0.3", "0.05", "1.15", "0.575", "9007199254740994", "1e30"];
        const OPERATORS: &[&str] = &[" < ", " <= ", " > ", " >= "];
        if self.random.percent(15) {
            self.pick_put(BOUNDS);
            self.pick_put(OPERATORS);
            self.pick_put(&["1 + ", "1 - ", "0.3 * ", "2 / "]);
            return self.number_of_element();
        }
        self.number_of_element();
        if self.random.percent(25) {
            self.pick_put(&[" + ", " - ", " * ", " / "]);
            self.number_of_element();
        }
        let more = self.random.below(3);
        for _ in 0..more {
            self.pick_put(STEPS);
        }
        self.pick_put(OPERATORS);
        if self.random.percent(15) { self.number_of_element() } else { self.pick_put(BOUNDS) }
    }

    /// Generates a number: a variable, or an attribute of the element of a loop.
    fn number_of_element(&mut self) {
        match self.bound.last() {
            Some((name, _)) if self.random.percent(80) => {
                self.put(name);
                self.pick_put(&[".b", ".b", ".b", ""]);
            }
            _ => self.pick_put(&["n", "m", "o.b"]),
        }
    }
}
