//! Generated files that read marked values: locals, attributes, rules and `dynamic` blocks whose parts may fail, be
//! unknown, or be left out, depending on what is marked.

/// A generator of texts; equal seeds give equal texts.
pub(crate) struct Dice(pub(crate) u64);

/// Expressions: `X` and `Y` are parts, `B` is a condition, `N` a name of its own.
const FORMS: &[&str] = &[
    "X == Y",
    "X + 1",
    "-X",
    "!X",
    "X < Y",
    "X && Y",
    "X || Y",
    "B ? X : Y",
    "X ? Y : 1",
    "X.a",
    "X.zz",
    "X[0]",
    "X[Y]",
    "l[X]",
    "o[X]",
    "tm[X]",
    "X[*].a",
    "[X, Y]",
    "[X, Y][1]",
    "{ a = X, b = Y }",
    "{ a = X, b = Y }.b",
    "{ (X) = Y }",
    "\"${X}-${Y}\"",
    "\"%{ if B }${X}%{ else }b%{ endif }\"",
    "\"%{ for N in X }${N}%{ endfor }\"",
    "[for N in X : N]",
    "[for N in l : X if Y]",
    "[for N in l : N if B]",
    "{for N in X : N => Y}",
    "{for N in l : N => X}",
    "try(X, Y)",
    "try(X.a, Y)",
    "try(X, \"none\")",
    "can(X)",
    "can(X.a)",
    "can([X, Y][1])",
    "try([X, Y][1], 0)",
    "length(X)",
    "length([X])",
    "upper(X)",
    "max(X...)",
    "concat([X], X)",
    "coalesce(X, Y)",
    "tonumber(X)",
    "tostring(X)",
    "keys(X)",
    "lookup(X, \"a\", Y)",
    "merge(X, { b = Y })",
    "contains(l, X)",
    "jsonencode(X)",
    "convert(X, list(string))",
    "flatten([X, Y])",
    "element(l, X)",
    "(X)",
];

const CONDITIONS: &[&str] = &[
    "X == Y",
    "X",
    "X || true",
    "X.a == Y || true",
    "true || X",
    "can(X)",
    "can(X.a)",
    "!can(X[0])",
    "X && false",
    "(X ? ub : true)",
    "!(X ? ub : true)",
    "try(X.a, true)",
    "length([for N in l : 1 if X]) > 1",
    "X < 2 || Y",
    "contains(l, X)",
    "true",
];

const LEAVES: &[&str] =
    &["m", "m", "m", "o.s", "o.p", "o", "l", "1", "\"x\"", "true", "null", "u", "ub", "p"];

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % limit.max(1)
    }

    fn of(&mut self, texts: &[&'static str]) -> &'static str {
        texts[self.below(texts.len())]
    }

    /// Returns an expression; `locals` is the number of locals that it may read.
    fn value(&mut self, depth: usize, locals: usize) -> String {
        match self.below(8) {
            0 if locals > 0 => format!("local.v{}", self.below(locals)),
            1 => self.of(LEAVES).to_owned(),
            _ if depth == 0 => self.of(LEAVES).to_owned(),
            _ => {
                let form = self.of(FORMS);
                self.filled(form, depth - 1, locals)
            }
        }
    }

    fn condition(&mut self, depth: usize, locals: usize) -> String {
        let form = self.of(CONDITIONS);
        self.filled(form, depth, locals)
    }

    fn filled(&mut self, form: &str, depth: usize, locals: usize) -> String {
        let mut text = String::new();
        for (at, letter) in form.char_indices() {
            let alone = |other: Option<char>| other.is_none_or(|other| !other.is_ascii_alphanumeric());
            let before = form[..at].chars().next_back();
            let after = form[at + letter.len_utf8()..].chars().next();
            let part = match letter {
                'X' | 'Y' if alone(before) && alone(after) => format!("({})", self.value(depth, locals)),
                'B' if alone(before) && alone(after) => format!("({})", self.condition(depth.min(1), locals)),
                'N' if alone(before) && alone(after) => format!("n{depth}"),
                letter => letter.to_string(),
            };
            text.push_str(&part);
        }
        text
    }

    /// Returns a file of attributes without locals.
    pub(crate) fn attributes(&mut self) -> String {
        let mut text = String::new();
        for at in 0..4 {
            add(&mut text, &["a", &at.to_string(), " = ", &self.value(2, 0), "\n"]);
        }
        text
    }

    /// Returns a file with locals, rules and `dynamic` blocks.
    pub(crate) fn module(&mut self) -> String {
        let mut text = "locals {\n".to_owned();
        for at in 0..3 {
            add(&mut text, &["  v", &at.to_string(), " = ", &self.value(2, at), "\n"]);
        }
        text.push_str("}\n");
        for at in 0..3 {
            add(&mut text, &["a", &at.to_string(), " = ", &self.value(2, 3), "\n"]);
        }
        for (name, effect) in [("r0", "allow"), ("r1", "deny"), ("r2", "allow")] {
            add(&mut text, &["rule \"", name, "\" {\n  when = ", &self.condition(1, 3)]);
            add(&mut text, &["\n  effect = \"", effect, "\"\n  reason = \"for ${", &self.value(1, 3)]);
            add(&mut text, &["}\"\n  obligations = ", &self.value(1, 3), "\n}\n"]);
        }
        add(
            &mut text,
            &["dynamic \"b\" {\n  for_each = [", &self.value(1, 3), ", 1]\n  content {\n    v = "],
        );
        add(&mut text, &[&self.value(1, 3), "\n    k = b.key\n    n {\n      w = b.value\n    }\n  }\n}\n"]);
        text
    }
}

fn add(text: &mut String, parts: &[&str]) {
    text.extend(parts.iter().copied());
}
