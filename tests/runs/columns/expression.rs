//! Random expressions over the columns of the tables: most are of matching types, some are not.

use std::fmt::Write as _;

use hclvm_workloads::dice::Dice;

use super::table::TEXTS;

/// The variables. `limit`, `name` and `on` are the same in all rows.
pub(crate) const NAMES: [&str; 13] =
    ["b", "c", "i", "j", "f", "g", "s", "t", "u", "l", "limit", "name", "on"];

const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "7",
    "10",
    "18",
    "100",
    "0.1",
    "0.3",
    "2.5",
    "1.1",
    "12.75",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "1e308",
    "1e400",
    "0.30000000000000004",
    "1e-320",
    "3.3",
];

pub(crate) struct Grower<'d> {
    dice: &'d mut Dice,
    text: String,
}

/// Returns an expression.
pub(crate) fn expression(dice: &mut Dice) -> String {
    let depth = 1 + dice.roll(4);
    let mut grower = Grower { dice, text: String::new() };
    match grower.dice.roll(10) {
        0..=4 => grower.condition(depth),
        5..=7 => grower.number(depth),
        8 => grower.string(depth),
        _ => grower.any(depth),
    }
    grower.text
}

impl Grower<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn pick(&mut self, of: &[&'static str]) {
        let text = self.dice.pick(of);
        self.put(text);
    }

    fn literal(&mut self) {
        let text = TEXTS[self.dice.below(TEXTS.len())];
        write!(self.text, "\"{text}\"").expect("a string takes all");
    }

    fn between(&mut self, depth: u32, sign: &str, operand: impl Fn(&mut Self, u32)) {
        self.put("(");
        operand(self, depth - 1);
        self.put(sign);
        operand(self, depth - 1);
        self.put(")");
    }

    fn conditional(&mut self, depth: u32, arm: impl Fn(&mut Self, u32)) {
        self.put("(");
        self.condition(depth - 1);
        self.put(" ? ");
        arm(self, depth - 1);
        self.put(" : ");
        arm(self, depth - 1);
        self.put(")");
    }

    fn any(&mut self, depth: u32) {
        match self.dice.roll(7) {
            0 => self.condition(depth),
            1 => self.number(depth),
            2 => self.string(depth),
            3 => self
                .pick(&["null", "u", "l", "u.nope", "u.inner", "l[0]", "l[i]", "[i, s]", "{a = f}", "nope"]),
            4 => self.pick(&[
                "length(l)",
                "[for x in l : x]",
                "try(u.nope, i)",
                "can(u.role)",
                "u[s]",
                "tostring(i)",
            ]),
            _ => self.pick(&["b", "i", "f", "s", "t", "u.role", "limit", "name", "on"]),
        }
    }

    fn condition(&mut self, depth: u32) {
        if self.dice.chance(2) {
            return self.any(depth);
        }
        if depth == 0 {
            return self.pick(&["b", "c", "on", "u.inner.flag", "true", "false", "!b", "u.on"]);
        }
        match self.dice.roll(17) {
            0..=2 => self.between(depth, " && ", Self::condition),
            3 | 4 => self.between(depth, " || ", Self::condition),
            5 => {
                self.put("!");
                self.condition(depth - 1);
            }
            6..=8 => {
                let sign = self.dice.pick(&[" < ", " <= ", " > ", " >= "]);
                self.between(depth, sign, Self::number);
            }
            9 => {
                let sign = self.dice.pick(&[" == ", " != "]);
                self.between(depth, sign, Self::number);
            }
            10 | 11 => {
                let sign = self.dice.pick(&[" == ", " != "]);
                self.between(depth, sign, Self::string);
            }
            12 => {
                let subject =
                    self.dice.pick(&["s", "t", "u.role", "i", "lower(s)", "upper(t)", "\"${s}${t}\""]);
                let count = 1 + self.dice.below(6);
                for at in 0..count {
                    let (before, after) = if at == 0 { ("(", " == ") } else { (" || ", " == ") };
                    self.put(before);
                    self.put(subject);
                    self.put(after);
                    self.literal();
                }
                self.put(")");
            }
            13 => {
                let count = self.dice.below(12);
                self.put("contains([");
                for _ in 0..count {
                    if self.dice.chance(90) {
                        self.literal();
                    } else {
                        self.pick(&NUMBERS);
                    }
                    self.put(", ");
                }
                self.put("], ");
                let subject = self.dice.pick(&["s", "t", "u.role", "i"]);
                self.put(subject);
                self.put(")");
            }
            14 => {
                let sign = self.dice.pick(&[" == ", " != "]);
                self.between(depth, sign, Self::any);
            }
            15 => {
                let function = self.dice.pick(&["startswith", "endswith", "strcontains"]);
                write!(self.text, "{function}(").expect("a string takes all");
                self.string(depth - 1);
                self.put(", ");
                if self.dice.chance(70) {
                    self.pick(&[
                        "\"\"",
                        "\"a\"",
                        "\"ab\"",
                        "\"h1\"",
                        "\"K\"",
                        "\"dm\"",
                        "\"\u{301}\"",
                        "name",
                        "5",
                    ]);
                } else {
                    self.literal();
                }
                self.put(")");
            }
            _ => self.conditional(depth, Self::condition),
        }
    }

    fn number(&mut self, depth: u32) {
        if self.dice.chance(2) {
            return self.any(depth);
        }
        if depth == 0 || self.dice.chance(30) {
            return match self.dice.roll(4) {
                0 => self.pick(&NUMBERS),
                _ => self.pick(&["i", "j", "f", "g", "u.age", "u.score", "limit", "u[\"age\"]", "i", "f"]),
            };
        }
        match self.dice.roll(12) {
            0..=6 => {
                let sign = self.dice.pick(&[" + ", " - ", " * ", " * ", " / ", " % "]);
                self.between(depth, sign, Self::number);
            }
            7 => {
                self.put("-");
                self.number(depth - 1);
            }
            8 => {
                self.put("length(");
                self.string(depth - 1);
                self.put(")");
            }
            9 => {
                let function = self.dice.pick(&["floor", "ceil", "abs"]);
                write!(self.text, "{function}(").expect("a string takes all");
                self.number(depth - 1);
                self.put(")");
            }
            _ => self.conditional(depth, Self::number),
        }
    }

    fn string(&mut self, depth: u32) {
        if self.dice.chance(2) {
            return self.any(depth);
        }
        if depth == 0 || self.dice.chance(50) {
            return match self.dice.roll(3) {
                0 => self.literal(),
                _ => self.pick(&["s", "t", "u.role", "name", "u.inner.name", "s", "t"]),
            };
        }
        match self.dice.roll(6) {
            0 | 1 => {
                let function = self.dice.pick(&["lower", "upper", "trimspace"]);
                write!(self.text, "{function}(").expect("a string takes all");
                self.string(depth - 1);
                self.put(")");
            }
            2 if self.dice.chance(30) => {
                self.put("\"é${");
                self.condition(0);
                self.put("}%{ if ");
                self.condition(depth - 1);
                self.put(" }");
                self.put("x${");
                self.string(depth - 1);
                self.put("}");
                self.put("%{ else }y%{ endif }\"");
            }
            2 => {
                self.put("\"${");
                self.string(depth - 1);
                self.put("}-${");
                self.number(depth - 1);
                self.put("}\"");
            }
            _ => self.conditional(depth, Self::string),
        }
    }
}
