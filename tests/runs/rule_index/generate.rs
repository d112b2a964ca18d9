//! Conditions and values at random: comparisons with constants among all else, and values of every kind.

use hclvm::Type;
use hclvm::Value;
use hclvm::value::{Arena, Entry, Marks, Number, Refinement, Unknown, marks_from};
use hclvm_workloads::dice::Dice;

/// The variables. The last one is never set.
pub(crate) const NAMES: [&str; 5] = ["u", "w", "v", "m", "z"];

/// Paths that have mostly texts, numbers and bools, and any other ones.
const OF_TEXTS: [&str; 6] = ["u.r", "u.r", "w.d.r", "u[\"r\"]", "w.d[\"r\"]", "m.k"];
const OF_NUMBERS: [&str; 3] = ["u.n", "u.n", "w.d.n"];
const OF_BOOLS: [&str; 2] = ["u.f", "w.d.f"];
const OF_ANYTHING: [&str; 4] = ["v", "z", "u.none", "v"];
const TEXTS: [&str; 12] = ["a", "ab", "abc", "b", "", "5", "true", "e\u{301}", "c", "ca", "d", "x"];
const NUMBERS: [&str; 12] =
    ["0", "1", "2", "5", "-1", "0.5", "0.1", "9007199254740993", "1e30", "2.50", "3", "4"];

/// A generator of conditions.
pub(crate) struct Conditions<'d>(&'d mut Dice);

impl<'d> Conditions<'d> {
    pub(crate) fn new(dice: &'d mut Dice) -> Self {
        Self(dice)
    }

    /// Returns a condition.
    pub(crate) fn condition(&mut self) -> String {
        match self.0.roll(10) {
            0 | 1 => self.test(),
            2..9 => self.chain(2),
            _ => self.operand(2),
        }
    }

    fn chain(&mut self, depth: u32) -> String {
        let operator = self.0.pick(&[" && ", " && ", " && ", " || "]);
        let count = 2 + self.0.below(3);
        (0..count).map(|_| self.operand(depth - 1)).collect::<Vec<_>>().join(operator)
    }

    fn operand(&mut self, depth: u32) -> String {
        match self.0.roll(40) {
            0..30 => self.test(),
            30..35 if depth > 0 => format!("({})", self.chain(depth)),
            35 => format!("!({})", self.test()),
            36 => format!("({} ? {} : {})", self.test(), self.test(), self.operand(0)),
            _ => self.other(),
        }
    }

    /// Returns a comparison with constants, usually of a type that the path has.
    fn test(&mut self) -> String {
        if self.0.chance(5) {
            return self.mistyped();
        }
        match self.0.roll(10) {
            0..3 => format!("{} == \"{}\"", self.0.pick(&OF_TEXTS), self.0.pick(&TEXTS)),
            3 => format!("\"{}\" == {}", self.0.pick(&TEXTS), self.0.pick(&OF_TEXTS)),
            4 => format!("{} == {}", self.0.pick(&OF_NUMBERS), self.0.pick(&NUMBERS)),
            5 => {
                let items: Vec<String> = (0..self.0.below(4)).map(|_| self.constant()).collect();
                format!("contains([{}], {})", items.join(", "), self.path())
            }
            6 => format!("startswith({}, \"{}\")", self.0.pick(&OF_TEXTS), self.0.pick(&TEXTS)),
            7 => {
                let operator = self.0.pick(&["<", "<=", ">", ">="]);
                format!("{} {operator} {}", self.0.pick(&OF_NUMBERS), self.0.pick(&NUMBERS))
            }
            8 => {
                let (path, operator) = (self.0.pick(&OF_NUMBERS), self.0.pick(&["<", "<=", ">", ">="]));
                format!("{} {operator} {path} && {path} < {}", self.0.pick(&NUMBERS), self.0.pick(&NUMBERS))
            }
            _ => format!("{}{}", self.0.pick(&["", "!"]), self.0.pick(&OF_BOOLS)),
        }
    }

    /// Returns a test whose constant may be of another type than the value.
    fn mistyped(&mut self) -> String {
        let path = self.path();
        match self.0.roll(6) {
            0 => format!("{path} == {}", self.constant()),
            1 => format!("startswith({path}, \"{}\")", self.0.pick(&TEXTS)),
            2 => format!("{path} < {}", self.0.pick(&NUMBERS)),
            3 => format!("{path} < \"{}\"", self.0.pick(&NUMBERS)),
            4 => format!("!{path}"),
            _ => path.to_owned(),
        }
    }

    /// Returns conditions that no index supports.
    fn other(&mut self) -> String {
        let (path, other) = (self.path(), self.path());
        let text = self.0.pick(&[
            "P != 1",
            "P == Q",
            "P < Q",
            "upper(P) == \"A\"",
            "can(P.x)",
            "try(P, true)",
            "[P.x, false][1]",
            "{a = P.x, b = true}.b",
            "(P.x ? false : false)",
            "(can(P) ? false : false)",
            "([P.x, true][1] ? false : false)",
            "1 / 0 == 1",
            "length(P) > 0",
            "true",
            "false",
            "null",
            "5",
            "\"false\"",
            "\"${P}\"",
            "anytrue([P, Q])",
            "P == null",
            "startswith(P, Q)",
            "contains(P, Q)",
            "contains([P], \"a\")",
            "(P && Q)",
            "(P || Q)",
            "-P == 1",
        ]);
        text.replace('P', path).replace('Q', other)
    }

    fn path(&mut self) -> &'static str {
        let of: &[&'static str] = match self.0.roll(8) {
            0..3 => &OF_TEXTS,
            3..5 => &OF_NUMBERS,
            5 | 6 => &OF_BOOLS,
            _ => &OF_ANYTHING,
        };
        self.0.pick(of)
    }

    fn constant(&mut self) -> String {
        match self.0.roll(10) {
            0..6 => format!("\"{}\"", self.0.pick(&TEXTS)),
            6..9 => self.0.pick(&NUMBERS).to_owned(),
            _ => self.0.pick(&["true", "false", "null"]).to_owned(),
        }
    }
}

/// A generator of the values of a scope.
pub(crate) struct Values<'d, 'a> {
    dice: &'d mut Dice,
    arena: &'a Arena,
    /// How often a value is missing, unknown, null or marked, in percent.
    trouble: u32,
}

impl<'d, 'a> Values<'d, 'a> {
    pub(crate) fn new(dice: &'d mut Dice, arena: &'a Arena) -> Self {
        let trouble = [0, 0, 3, 30][dice.below(4)];
        Self { dice, arena, trouble }
    }

    /// Returns the values of [`NAMES`]; `None` for a variable that is not set.
    pub(crate) fn all(mut self) -> [Option<Value<'a>>; 5] {
        let (u, d) = (self.record(), self.record());
        let w = self.object([("d", d)]);
        let (v, k) = (self.primitive(), self.primitive());
        let entries = self.arena.slice(&[Entry::new("k", k)]);
        // The elements of a map have one type.
        let m = if k.as_str().is_some() { Value::map(self.arena, entries, Type::String) } else { w };
        [self.set(u), self.set(w), self.set(v), self.set(m), None]
    }

    fn set(&mut self, value: Value<'a>) -> Option<Value<'a>> {
        if self.dice.chance(self.trouble / 4) { None } else { Some(self.troubled(value)) }
    }

    /// Returns an object whose attributes have mostly the types that conditions expect.
    fn record(&mut self) -> Value<'a> {
        let (text, number, bool) = (self.text(), self.number(), Value::bool(self.dice.chance(50)));
        let mut attributes = Vec::new();
        for (name, expected) in [("f", bool), ("n", number), ("r", text)] {
            let value = if self.dice.chance(self.trouble) { self.primitive() } else { expected };
            let value = self.troubled(value);
            if !self.dice.chance(self.trouble / 3) {
                attributes.push((name, value));
            }
        }
        self.object(attributes)
    }

    fn object(&self, attributes: impl IntoIterator<Item = (&'static str, Value<'a>)>) -> Value<'a> {
        let entries: Vec<Entry<'a>> =
            attributes.into_iter().map(|(name, value)| Entry::new(name, value)).collect();
        Value::object(self.arena, self.arena.slice(&entries))
    }

    fn primitive(&mut self) -> Value<'a> {
        match self.dice.roll(6) {
            0..3 => self.text(),
            3 | 4 => self.number(),
            _ => Value::bool(self.dice.chance(50)),
        }
    }

    fn text(&mut self) -> Value<'a> {
        let text = self.dice.pick(&["a", "ab", "abc", "abcd", "b", "", "5", "true", "\u{e9}", "\u{e9}x"]);
        Value::str(self.arena, text)
    }

    fn number(&mut self) -> Value<'a> {
        let text = self.dice.pick(&NUMBERS);
        let exact = Number::parse_literal(text.trim_start_matches('-')).expect("it is a number");
        match self.dice.roll(3) {
            0 => Value::number(self.arena, exact),
            // A float of a host.
            1 => text
                .parse()
                .ok()
                .and_then(Number::from_f64)
                .map_or(Value::NULL, |number| Value::number(self.arena, number)),
            _ => Value::number(self.arena, Number::full(i64::from(self.dice.roll(6)) - 1)),
        }
    }

    /// Returns the value, or perhaps an unknown, null, marked or compound one instead.
    fn troubled(&mut self, value: Value<'a>) -> Value<'a> {
        if !self.dice.chance(self.trouble) {
            return value;
        }
        let arena = self.arena;
        let other = match self.dice.roll(9) {
            0 => Value::DYNAMIC,
            1 => Value::unknown_of(arena, Type::String),
            2 => Value::unknown_of(arena, Type::Number),
            3 => Value::unknown_not_null(arena, Type::Bool),
            4 => Value::NULL,
            5 => Value::tuple(arena, arena.slice(&[value])),
            6 => {
                let refinement = Refinement { prefix: self.dice.pick(&["a", "b"]), ..Refinement::not_null() };
                Value::unknown(arena, Unknown { ty: Type::String, refinement })
            }
            _ => value,
        };
        let marks: Marks<'a> = marks_from(arena, &["secret"]);
        if self.dice.chance(40) { other.with_marks(arena, marks) } else { other }
    }
}
