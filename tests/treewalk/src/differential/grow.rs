//! Expressions grown from random numbers: mostly of the kind that is asked for, so that they
//! do something, and now and then of another, so that they fail in every way.

mod call;
mod collection;
mod text;

pub(crate) use call::{Callable, callables};

use super::random::Random;
use super::scopes::NAMES;

/// What an expression is meant to give.
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

/// The longest text; what is open then is closed with the simplest there is.
const LONGEST: usize = 400;

/// An expression on its way.
pub(crate) struct Grower<'r, 'f> {
    random: &'r mut Random,
    callables: &'f [Callable],
    /// Names bound by for expressions around.
    bound: Vec<(&'static str, Kind)>,
    out: String,
}

impl<'r, 'f> Grower<'r, 'f> {
    pub(crate) fn new(random: &'r mut Random, callables: &'f [Callable]) -> Self {
        Self { random, callables, bound: Vec::new(), out: String::new() }
    }

    /// A whole expression.
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

    /// An expression of a kind, more or less.
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

    /// What makes values of a kind and of no other.
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

    /// A name or a literal.
    fn leaf(&mut self, kind: Kind) {
        if !self.bound.is_empty() && self.random.percent(50) {
            let (name, bound_kind) = self.bound[self.random.below(self.bound.len() as u32) as usize];
            if bound_kind == kind || bound_kind == Kind::Any || self.random.percent(20) {
                return self.put(name);
            }
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

    /// Something that postfixes and operators may stand beside: simple, or in parentheses; now
    /// and then neither, so that precedence decides.
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
        match self.random.below(10) {
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
}
