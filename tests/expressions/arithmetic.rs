//! Arithmetic of 64-bit integers agrees with exact arithmetic in each form that an operation has in code:
//! operands in registers, constants on either side, and the arms of a loop.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::value::Number;
use hclvm::{Engine, Layout, Program, Scope, Session, Value};

/// Operands at the limits of the forms: 64 bits, 32-bit constants, powers of two, signs.
const NUMBERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    10,
    -10,
    64,
    1 << 30,
    1 << 31,
    (1 << 31) - 1,
    -(1 << 31),
    -(1 << 31) - 1,
    1 << 32,
    3_037_000_500,
    -3_037_000_500,
    1_000_000_007,
    999_999_999_999_999_999,
    1_000_000_000_000_000_000,
    -999_999_999_999_999_999,
    1 << 53,
    1 << 62,
    -(1 << 62),
    i64::MAX - 1,
    i64::MAX,
    i64::MIN + 1,
    i64::MIN,
];

/// The significant digits that are compared. Results have 512 bits, which are 154 digits.
const DIGITS: usize = 150;

/// Returns the result of `a op b` as decimal text, exactly if it has at most [`DIGITS`] digits, otherwise
/// its first digits. `None` if there is none.
fn exact(a: i64, op: char, b: i64) -> Option<String> {
    let (a, b) = (i128::from(a), i128::from(b));
    Some(match op {
        '+' => (a + b).to_string(),
        '-' => (a - b).to_string(),
        '*' | '/' if (a == 0 || op == '*' && b == 0) && (a < 0) != (b < 0) => "-0".to_owned(),
        '*' => (a * b).to_string(),
        '%' if b == 0 => a.to_string(),
        '%' => (a % b).to_string(),
        _ if b == 0 => return (a != 0).then(|| if a < 0 { "-Inf" } else { "+Inf" }.to_owned()),
        _ => quotient(a, b),
    })
}

fn quotient(a: i128, b: i128) -> String {
    let sign = if (a < 0) == (b < 0) { "" } else { "-" };
    let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
    let (mut text, mut rest) = (format!("{sign}{}.", a / b), a % b);
    while rest != 0 && significant(&text) < DIGITS {
        rest *= 10;
        text += &(rest / b).to_string();
        rest %= b;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the number of digits from the first one that is not zero.
fn significant(text: &str) -> usize {
    text.trim_start_matches(['-', '0', '.']).chars().filter(char::is_ascii_digit).count()
}

/// Returns the text of a number, shortened to [`DIGITS`] digits if it is a fraction.
fn text_of(value: Value<'_>) -> String {
    let mut text = match value.as_number() {
        Some(number) => number.text_within(1_000).unwrap_or_else(|| number.text_general(None)),
        None => format!("{value:?}"),
    };
    if !text.contains('.') {
        return text;
    }
    while significant(&text) > DIGITS {
        text.pop();
    }
    text.trim_end_matches('0').to_owned()
}

struct Runner {
    engine: Engine,
    layout: Arc<Layout>,
    sessions: [Session; 2],
}

impl Runner {
    fn new() -> Self {
        let engine = Engine::standard();
        let [best, mut baseline] = [(); 2].map(|()| engine.session());
        baseline.set_tier(Tier::Baseline);
        Self { layout: Arc::new(Layout::new(["a", "b"])), sessions: [best, baseline], engine }
    }

    /// Returns a scope of numbers with the precision of literals; integers of the host have 64 bits.
    fn scope(&self, a: i64, b: i64) -> Scope {
        let mut scope = self.engine.scope(&self.layout);
        for (name, number) in [("a", a), ("b", b)] {
            let number = Number::parse_text(&number.to_string()).expect("a number");
            scope.build(name, |arena| Ok(Value::number(arena, number))).expect("it is small");
        }
        scope
    }

    fn compile(&self, text: &str) -> Program {
        self.engine.compile(text, &self.layout).expect("it compiles")
    }

    /// Asserts that both tiers have the result, or an error if there is none.
    fn check(&mut self, program: &Program, scope: &Scope, expected: Option<&str>) {
        for session in &mut self.sessions {
            let found = session.run(program, scope).ok().map(text_of);
            let text = program.source().text();
            assert_eq!(found.as_deref(), expected, "{text} with {:?}, {:?}", scope.get("a"), scope.get("b"));
        }
    }
}

#[test]
fn integers_agree_with_exact_arithmetic_in_each_form() {
    let mut runner = Runner::new();
    for op in ['+', '-', '*', '/', '%'] {
        let forms = [
            format!("a {op} b"),
            format!("[for n in [a] : n {op} b][0]"),
            format!("[a, b][*] == [] ? 0 : a {op} b"),
        ];
        let in_registers = forms.map(|text| runner.compile(&text));
        for b in NUMBERS {
            // The smallest integer has no literal: `-` is an operator, and what it negates has 64 bits.
            let constants = [format!("a {op} {b}"), format!("(a) {op} ({b})")];
            let constant = constants.map(|text| runner.compile(&text));
            let left = runner.compile(&format!("{b} {op} a"));
            for a in NUMBERS {
                let scope = runner.scope(*a, *b);
                let expected = exact(*a, op, *b);
                for program in in_registers.iter().chain(&constant) {
                    runner.check(program, &scope, expected.as_deref());
                }
                let expected = exact(*b, op, *a);
                runner.check(&left, &scope, expected.as_deref());
            }
        }
    }
}

#[test]
fn chains_of_operations_agree_with_exact_arithmetic() {
    let mut runner = Runner::new();
    type Exactly = fn(i128, i128) -> i128;
    let cases: [(&str, Exactly); 6] = [
        ("a + b - 1", |a, b| a + b - 1),
        ("a - b - b", |a, b| a - b - b),
        ("a - 2147483648 + b", |a, b| a - (1 << 31) + b),
        ("a * 3 - b * 5", |a, b| a * 3 - b * 5),
        ("(a - b) * (a + b)", |a, b| (a - b) * (a + b)),
        ("-a - b", |a, b| -a - b),
    ];
    for (text, exactly) in cases {
        let program = runner.compile(text);
        for a in NUMBERS {
            for b in NUMBERS {
                let scope = runner.scope(*a, *b);
                let sum = exactly(i128::from(*a), i128::from(*b));
                // A zero may be negative.
                if sum != 0 {
                    runner.check(&program, &scope, Some(&sum.to_string()));
                }
            }
        }
    }
}

#[test]
fn comparisons_of_integers_agree_with_their_order() {
    let mut runner = Runner::new();
    type Holds = fn(&i64, &i64) -> bool;
    let operators: [(&str, Holds); 6] =
        [("<", i64::lt), ("<=", i64::le), (">", i64::gt), (">=", i64::ge), ("==", i64::eq), ("!=", i64::ne)];
    for (op, holds) in operators {
        let registers = [format!("a {op} b"), format!("!(a {op} b)"), format!("(a {op} b) ? true : false")]
            .map(|text| runner.compile(&text));
        for b in NUMBERS {
            let constants =
                [format!("a {op} {b}"), format!("!(a {op} {b})"), format!("(a {op} {b}) ? true : false")]
                    .map(|text| runner.compile(&text));
            let left = runner.compile(&format!("{b} {op} a"));
            for a in NUMBERS {
                let scope = runner.scope(*a, *b);
                let truth = holds(a, b);
                for [plain, negated, chosen] in [&registers, &constants] {
                    runner.check(plain, &scope, Some(if truth { "true" } else { "false" }));
                    runner.check(negated, &scope, Some(if truth { "false" } else { "true" }));
                    runner.check(chosen, &scope, Some(if truth { "true" } else { "false" }));
                }
                runner.check(&left, &scope, Some(if holds(b, a) { "true" } else { "false" }));
            }
        }
    }
}

#[test]
fn negative_zero_keeps_its_sign_only_where_ieee_754_says_so() {
    let mut runner = Runner::new();
    let minus_zero = Number::from_f64(-0.0).expect("a number");
    // Each with the sign of the infinity that its reciprocal is.
    for (text, infinity) in [
        ("1 / a", "-Inf"),
        ("1 / (a + 0)", "+Inf"),
        ("1 / (a - 0)", "-Inf"),
        ("1 / (0 - a)", "+Inf"),
        ("1 / (0 + a)", "+Inf"),
        ("1 / (a + a)", "-Inf"),
        ("1 / (a - b)", "-Inf"),
        ("1 / (b - a)", "+Inf"),
        ("1 / (a + b)", "+Inf"),
        ("1 / -a", "+Inf"),
        ("1 / -b", "-Inf"),
        ("1 / (a * 3)", "-Inf"),
        ("1 / (a * -3)", "+Inf"),
        ("1 / (b * -3)", "-Inf"),
        ("1 / (a / 3)", "-Inf"),
        ("1 / (a / 4)", "-Inf"),
        ("1 / (b / -4)", "-Inf"),
        ("1 / (a * b)", "-Inf"),
        ("1 / (a * a)", "+Inf"),
    ] {
        let program = runner.compile(text);
        let mut scope = runner.scope(0, 0);
        let number = &minus_zero;
        scope.build("a", |arena| Ok(Value::number(arena, number.clone()))).expect("a number");
        runner.check(&program, &scope, Some(infinity));
    }
}
