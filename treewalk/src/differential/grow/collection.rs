//! Generates constructors, `for` expressions, splats, indexes and attributes.

use super::{Grower, Kind};

/// Names bound by `for` expressions; some shadow variables.
const LOOP_NAMES: &[&str] = &["x", "y", "k", "i", "n", "o"];

impl Grower<'_, '_> {
    pub(super) fn sequence(&mut self, depth: u32) {
        match self.random.below(10) {
            0..=2 => self.tuple(depth),
            3..=6 => self.for_tuple(depth),
            _ => self.splat(depth),
        }
    }

    pub(super) fn mapping(&mut self, depth: u32) {
        if self.random.percent(50) { self.object(depth) } else { self.for_object(depth) }
    }

    fn tuple(&mut self, depth: u32) {
        self.put("[");
        let count = self.random.below(4);
        for at in 0..count {
            if at > 0 {
                self.put(", ");
            }
            self.expr(Kind::Any, depth);
        }
        self.put("]");
    }

    fn object(&mut self, depth: u32) {
        self.put("{");
        let count = self.random.below(4);
        for at in 0..count {
            if at > 0 {
                self.put(", ");
            }
            self.key(depth);
            self.pick_put(&[" = ", " : "]);
            self.expr(Kind::Any, depth);
        }
        self.put("}");
    }

    fn key(&mut self, depth: u32) {
        match self.random.below(12) {
            0..=5 => self.pick_put(&["a", "b", "k", "null", "true", "é", "1", "\"a\"", "n"]),
            6 => self.pick_put(&["o.a", "mn.k", "d.x"]),
            7 => self.expr(Kind::Text, depth),
            _ => self.parens(Kind::Text, depth),
        }
    }

    fn for_tuple(&mut self, depth: u32) {
        self.put("[for ");
        self.for_inside(depth, |grower, depth| grower.expr(Kind::Any, depth));
        self.put("]");
    }

    fn for_object(&mut self, depth: u32) {
        self.put("{for ");
        self.for_inside(depth, |grower, depth| {
            grower.expr(Kind::Text, depth.min(1));
            grower.put(" => ");
            grower.expr(Kind::Any, depth);
            if grower.random.percent(25) {
                grower.put("...");
            }
        });
        self.put("}");
    }

    fn for_inside(&mut self, depth: u32, result: impl FnOnce(&mut Self, u32)) {
        let outer = self.bound.len();
        let mut names = Vec::new();
        if self.random.percent(50) {
            names.push((self.random.pick(LOOP_NAMES), Kind::Text));
        }
        names.push((self.random.pick(LOOP_NAMES), Kind::Any));
        let written: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        self.put(&written.join(", "));
        self.put(" in ");
        if self.random.percent(20) {
            // Their elements have numbers.
            self.pick_put(&["lo", "u", "so", "mo"]);
        } else {
            let kind = self.random.pick(&[Kind::Sequence, Kind::Sequence, Kind::Mapping]);
            self.expr(kind, depth);
        }
        self.put(" : ");
        self.bound.extend(names);
        result(self, depth);
        if self.random.percent(40) {
            self.put(" if ");
            self.expr(Kind::Bool, depth);
        }
        self.bound.truncate(outer);
    }

    fn splat(&mut self, depth: u32) {
        self.operand_for_postfix(depth);
        let more = 1 + self.random.below(2);
        for _ in 0..more {
            self.pick_put(&["[*]", "[*]", ".*"]);
            let steps = self.random.below(3);
            for _ in 0..steps {
                self.step(depth);
            }
        }
    }

    /// Generates an operand with an index or attributes.
    pub(super) fn access(&mut self, depth: u32) {
        self.operand_for_postfix(depth);
        let steps = 1 + self.random.below(2);
        for _ in 0..steps {
            self.step(depth);
        }
    }

    fn operand_for_postfix(&mut self, depth: u32) {
        let kind = self.random.pick(&[Kind::Sequence, Kind::Mapping, Kind::Mapping, Kind::Any]);
        match self.random.below(10) {
            0..=5 => self.leaf(kind),
            6 => self.call(kind, depth),
            _ => self.parens(kind, depth),
        }
    }

    fn step(&mut self, depth: u32) {
        match self.random.below(10) {
            0..=3 => self.pick_put(&[".a", ".b", ".deep", ".v", ".deep.w", ".zz", ".k"]),
            4 => self.pick_put(&[".0", ".1"]),
            5..=6 => self
                .pick_put(&["[0]", "[1]", "[\"a\"]", "[\"k\"]", "[null]", "[true]", "[1.5]", "[9]", "[-1]"]),
            _ => {
                let kind = self.random.pick(&[Kind::Number, Kind::Text]);
                self.put("[");
                self.expr(kind, depth.min(1));
                self.put("]");
            }
        }
    }
}
