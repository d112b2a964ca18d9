//! Numbers against recorded results: a small calculator over the numbers room, fed with every
//! recorded expression that it understands, of the checkout and of ../shared/conformance.

mod judge;

use std::cmp::Ordering;
use std::path::Path;
use std::process::ExitCode;

use hclvm_vm::number::{
    absolute, add, ceil, compare, divide, equal, floor, modulo, multiply, negate, subtract, truncate,
};
use hclvm_vm::{Number, NumberFault, NumberRef};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;

/// What the calculator computes with.
#[derive(Clone, Debug)]
enum Item {
    Number(Number),
    Text(String),
    Bool(bool),
}

/// Why there is no result.
#[derive(Debug)]
enum Stop {
    /// The expression is beyond this calculator.
    Foreign,
    /// The operation fails.
    Fault(NumberFault),
}

impl From<NumberFault> for Stop {
    fn from(fault: NumberFault) -> Self {
        Self::Fault(fault)
    }
}

type Outcome = Result<Item, Stop>;

/// A calculator reading one expression.
struct Calculator<'a> {
    rest: &'a str,
    scope: &'a Json,
}

impl Calculator<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches(' ');
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        self.rest.strip_prefix(token).map(|rest| self.rest = rest).is_some()
    }

    fn take(&mut self, accept: impl Fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken.to_owned()
    }

    /// equality = order ( ( "==" | "!=" ) order )*
    fn equality(&mut self) -> Outcome {
        let mut left = self.order()?;
        loop {
            let wanted = if self.eat("==") {
                true
            } else if self.eat("!=") {
                false
            } else {
                return Ok(left);
            };
            let right = self.order()?;
            let same = match (&left, &right) {
                (Item::Number(a), Item::Number(b)) => equal(a.borrow(), b.borrow()),
                (Item::Text(a), Item::Text(b)) => a == b,
                (Item::Bool(a), Item::Bool(b)) => a == b,
                _ => false,
            };
            left = Item::Bool(same == wanted);
        }
    }

    /// order = sum ( ( "<" | "<=" | ">" | ">=" ) sum )*
    fn order(&mut self) -> Outcome {
        let mut left = self.sum()?;
        loop {
            let accept: fn(Ordering) -> bool = if self.eat("<=") {
                Ordering::is_le
            } else if self.eat(">=") {
                Ordering::is_ge
            } else if self.eat("<") {
                Ordering::is_lt
            } else if self.eat(">") {
                Ordering::is_gt
            } else {
                return Ok(left);
            };
            let (a, b) = (number(left)?, number(self.sum()?)?);
            // At most and at least are made of order and equality, which goes by the text.
            let or_equal = accept(Ordering::Equal) && equal(a.borrow(), b.borrow());
            left = Item::Bool(or_equal || accept(compare(a.borrow(), b.borrow())));
        }
    }

    fn sum(&mut self) -> Outcome {
        let mut left = self.product()?;
        loop {
            let operation: Operation = if self.eat("+") {
                add
            } else if self.eat("-") {
                subtract
            } else {
                return Ok(left);
            };
            left = apply(operation, left, self.product()?)?;
        }
    }

    fn product(&mut self) -> Outcome {
        let mut left = self.term()?;
        loop {
            let operation: Operation = if self.eat("*") {
                multiply
            } else if self.eat("/") {
                divide
            } else if self.eat("%") {
                modulo
            } else {
                return Ok(left);
            };
            left = apply(operation, left, self.term()?)?;
        }
    }

    fn term(&mut self) -> Outcome {
        if self.eat("-") {
            let value = number(self.term()?)?;
            return Ok(Item::Number(negate(value.borrow())));
        }
        if self.eat("(") {
            let inner = self.equality()?;
            return if self.eat(")") { Ok(inner) } else { Err(Stop::Foreign) };
        }
        if self.eat("\"${") {
            let inner = self.equality()?;
            let closed = self.eat("}\"");
            return match inner {
                _ if !closed => Err(Stop::Foreign),
                // A template of one interpolation is that value.
                inner => Ok(inner),
            };
        }
        if self.eat("\"") {
            let text = self.take(|c| !matches!(c, '"' | '\\' | '$' | '%'));
            return if self.eat("\"") { Ok(Item::Text(text)) } else { Err(Stop::Foreign) };
        }
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() => self.literal(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            _ => Err(Stop::Foreign),
        }
    }

    fn literal(&mut self) -> Outcome {
        let mut text = self.take(|c| c.is_ascii_digit() || c == '.');
        if self.rest.starts_with(['e', 'E']) {
            text += &self.take(|c| c == 'e' || c == 'E');
            text += &self.take(|c| c == '+' || c == '-');
            text += &self.take(|c| c.is_ascii_digit());
        }
        Number::parse_literal(&text).map(Item::Number).ok_or(Stop::Foreign)
    }

    fn name(&mut self) -> Outcome {
        let name = self.take(|c| c.is_ascii_alphanumeric() || c == '_');
        if !self.rest.starts_with('(') {
            return match &self.scope[&name]["number"] {
                Json::String(text) if text.ends_with("Inf") => {
                    Ok(Item::Number(Number::infinity(text.starts_with('-'))))
                }
                Json::String(text) => Number::parse_text(text).map(Item::Number).ok_or(Stop::Foreign),
                _ if name == "true" || name == "false" => Ok(Item::Bool(name == "true")),
                _ => Err(Stop::Foreign),
            };
        }
        self.eat("(");
        let argument = self.equality()?;
        if name == "parseint" && self.eat(",") {
            let radix = number(self.equality()?)?.borrow().to_u64().ok_or(Stop::Foreign)?;
            let (Item::Text(text), true) = (argument, self.eat(")")) else { return Err(Stop::Foreign) };
            return Number::parse_integer(&text, u32::try_from(radix).unwrap_or(0))
                .map(Item::Number)
                .ok_or(Stop::Foreign);
        }
        if self.eat(",") {
            let second = self.equality()?;
            let operation: Operation = match name.as_str() {
                "add" => add,
                "subtract" => subtract,
                "multiply" => multiply,
                "divide" => divide,
                "modulo" => modulo,
                _ => return Err(Stop::Foreign),
            };
            return if self.eat(")") { apply(operation, argument, second) } else { Err(Stop::Foreign) };
        }
        if !self.eat(")") {
            return Err(Stop::Foreign);
        }
        let value = number(argument)?;
        let value = value.borrow();
        Ok(match name.as_str() {
            "abs" => Item::Number(absolute(value)),
            "negate" => Item::Number(negate(value)),
            "floor" => Item::Number(floor(value)),
            "ceil" => Item::Number(ceil(value)),
            "int" => Item::Number(truncate(value)),
            "signum" => Item::Number(Number::short(value.sign().into())),
            "tonumber" => Item::Number(value.to_owned()),
            _ => return Err(Stop::Foreign),
        })
    }
}

type Operation = fn(NumberRef<'_>, NumberRef<'_>) -> Result<Number, NumberFault>;

fn apply(operation: Operation, left: Item, right: Item) -> Outcome {
    let (a, b) = (number(left)?, number(right)?);
    Ok(Item::Number(operation(a.borrow(), b.borrow())?))
}

fn number(value: Item) -> Result<Number, Stop> {
    match value {
        Item::Number(number) => Ok(number),
        Item::Text(text) => Number::parse_text(&text).ok_or(Stop::Foreign),
        Item::Bool(_) => Err(Stop::Foreign),
    }
}

/// The faults by the first words of their recorded sentences.
const FAULTS: [(&str, NumberFault); 5] = [
    ("compute sum", NumberFault::OpposingInfinities),
    ("subtract", NumberFault::InfinityFromItself),
    ("multiply", NumberFault::ZeroTimesInfinity),
    ("divide", NumberFault::IndeterminateQuotient),
    ("use modulo", NumberFault::InfiniteModulo),
];

/// What is recorded for a case about its numbers.
fn recorded(expect: &Json) -> Option<String> {
    if let Some(errors) = expect["errors"].as_array() {
        let detail = errors.first()?["detail"].as_str()?.strip_prefix("Error during operation: can't ")?;
        return FAULTS
            .iter()
            .find(|(words, _)| detail.starts_with(words))
            .map(|(_, fault)| format!("{fault:?}"));
    }
    let value = &expect["value"];
    let text = value["number"].as_str().map(str::to_owned);
    text.or_else(|| value["bool"].as_bool().map(|b| b.to_string()))
}

/// What the calculator makes of a case; none where it does not understand it.
fn computed(source: &str, scope: &Json) -> Option<String> {
    let mut calculator = Calculator { rest: source, scope };
    let outcome = calculator.equality();
    calculator.skip();
    match outcome {
        Err(Stop::Foreign) => None,
        Err(Stop::Fault(fault)) => Some(format!("{fault:?}")),
        Ok(_) if !calculator.rest.is_empty() => None,
        Ok(Item::Number(number)) => Some(number.to_string()),
        Ok(Item::Text(_)) => None,
        Ok(Item::Bool(value)) => Some(value.to_string()),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::test("cases", || recorded_results(&judge::checkout(), 60)),
        judge::unless_absent("conformance", "conformance", |directory| recorded_results(directory, 500)),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Compares the results of all expressions that the calculator understands, which are at least `least`.
fn recorded_results(directory: &Path, least: usize) -> Result<(), Failed> {
    let (mut compared, mut wrong) = (0, Vec::new());
    for case in judge::families(directory).into_iter().flat_map(|family| family.cases) {
        let (Some("expr"), Some(source)) = (case["kind"].as_str(), case["src"].as_str()) else { continue };
        let Some(expected) = recorded(&case["expect"]) else { continue };
        let Some(actual) = computed(source, &case["scope"]) else { continue };
        compared += 1;
        if actual != expected {
            wrong.push(format!("{} {source}: {actual}, recorded {expected}", case["id"]));
        }
    }
    if compared < least {
        return Err(format!("only {compared} cases were understood").into());
    }
    if !wrong.is_empty() {
        return Err(format!("{} of {compared}:\n{}", wrong.len(), wrong.join("\n")).into());
    }
    Ok(())
}
