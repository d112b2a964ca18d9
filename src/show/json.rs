//! Values as JSON, through any serializer of serde.

use crate::Limits;
use hclvm_vm::number::{self, Number, NumberRef};
use hclvm_vm::value::{Entry, Marks, Unknown, Value, View};
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use smol_str::format_smolstr;

use super::Allowance;
use crate::exact::{NumberText, takes_number_text};
use crate::place::{Path, Step};

/// A value as plain JSON: tuples, lists and sets are arrays, objects and maps are objects sorted
/// by name, numbers are written exactly as their text.
///
/// ```
/// use hclvm::Json;
///
/// let engine = hclvm::Engine::standard();
/// let document = engine.parse("x.hcl", "x = { sum = 0.1 + 0.2, all = [1, \"a\", null] }")?;
/// let program = document.attribute("x").expect("it is there").program()?;
/// let (mut session, scope) = (engine.session(), document.scope());
/// let value = session.run(&program, &scope)?;
/// assert_eq!(serde_json::to_string(&Json(value))?, r#"{"all":[1,"a",null],"sum":0.3}"#);
///
/// // One line for each result.
/// let mut out = Vec::new();
/// serde_json::to_writer(&mut out, &Json(value))?;
/// out.push(b'\n');
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Unknown values, marked values and infinities have no JSON; serializing them fails with a
/// message that names the place. See [`Json::lenient`] for output that only people read.
///
/// Serializers other than those of `serde_json` get a number as an integer of 64 bits or a float
/// where that is equal to it, else as a string.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a>(pub Value<'a>);

/// What is written if nothing else is said.
const LIMITS: Limits = Limits { value_depth: 512, ..Limits::untrusted() };

/// A value as JSON, with other rules than [`Json`].
#[derive(Clone, Copy, Debug)]
pub struct JsonStyle<'a> {
    value: Value<'a>,
    lenient: bool,
    limits: Limits,
}

impl<'a> Json<'a> {
    /// Shows unknown values as `{"$unknown": "string"}` with their type, and marked values as
    /// `{"$marked": ["sensitive"]}` with their marks and nothing else. A program that reads this
    /// cannot tell it from an object with such a name.
    pub fn lenient(self) -> JsonStyle<'a> {
        JsonStyle { lenient: true, ..self.style() }
    }

    /// Writes values as deep and as large as `limits` allow. Otherwise what is deeper than 512
    /// levels, would take more than 64 MiB, or holds numbers of more than 100,000 digits is
    /// refused. Each level takes stack: in unoptimized builds 2 KiB.
    pub fn within(self, limits: Limits) -> JsonStyle<'a> {
        JsonStyle { limits, ..self.style() }
    }

    fn style(self) -> JsonStyle<'a> {
        JsonStyle { value: self.0, lenient: false, limits: LIMITS }
    }
}

impl JsonStyle<'_> {
    /// See [`Json::lenient`].
    pub fn lenient(self) -> Self {
        Self { lenient: true, ..self }
    }

    /// See [`Json::within`].
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.style().serialize(serializer)
    }
}

impl Serialize for JsonStyle<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (depth, limit) = (self.value.depth(), self.limits.value_depth);
        if depth > usize::from(limit) {
            let reason = format_args!("the value is {depth} levels deep, more than the {limit} allowed");
            return Err(S::Error::custom(reason));
        }
        let writing = Writing {
            lenient: self.lenient,
            digits: u64::from(self.limits.digits),
            allowance: Allowance::new(&self.limits),
        };
        Part { value: self.value, trail: Trail::Root, writing: &writing }.serialize(serializer)
    }
}

/// What all parts of a value share while it is written.
struct Writing {
    lenient: bool,
    digits: u64,
    allowance: Allowance,
}

/// The way from a part back to the whole value, kept for messages.
#[derive(Clone, Copy)]
enum Trail<'t> {
    Root,
    Index(&'t Trail<'t>, usize),
    Name(&'t Trail<'t>, &'t str),
}

impl Trail<'_> {
    fn steps(&self) -> Vec<Step> {
        let (mut steps, mut at) = (Vec::new(), self);
        loop {
            at = match at {
                Self::Root => break,
                Self::Index(outer, index) => {
                    steps.push(Step::Index(*index));
                    outer
                }
                Self::Name(outer, name) => {
                    steps.push(Step::Name((*name).into()));
                    outer
                }
            };
        }
        steps.reverse();
        steps
    }
}

/// A part of the value that is written. The recursion is bounded by the depth of the value.
#[derive(Clone, Copy)]
struct Part<'a, 't> {
    value: Value<'a>,
    trail: Trail<'t>,
    writing: &'t Writing,
}

impl Serialize for Part<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.writing.allowance.take(self.value.as_str().map_or(0, str::len)) {
            let limit = self.writing.allowance.limit();
            return Err(self.refusal(&format!("the value would take more than {limit} bytes")));
        }
        match self.value.view() {
            View::Null(_) => serializer.serialize_unit(),
            View::Bool(value) => serializer.serialize_bool(value),
            View::Number(number) => self.number(number, serializer),
            View::String(text) => serializer.serialize_str(text),
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => self.array(items, serializer),
            View::Object(entries) | View::Map(entries, _) => self.object(entries, serializer),
            View::Unknown(unknown) => self.unknown(unknown, serializer),
            View::Marked(_, marks) => self.marked(marks, serializer),
            View::Unset => Err(self.refusal("there is no value")),
        }
    }
}

impl Part<'_, '_> {
    fn refusal<E: Error>(&self, reason: &str) -> E {
        match &*self.trail.steps() {
            [] => E::custom(reason),
            steps => E::custom(format_args!("{}: {reason}", Path(steps))),
        }
    }

    fn array<S: Serializer>(&self, items: &[Value<'_>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(items.iter().enumerate().map(|(index, item)| Part {
            value: *item,
            trail: Trail::Index(&self.trail, index),
            writing: self.writing,
        }))
    }

    fn object<S: Serializer>(&self, entries: &[Entry<'_>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(entries.iter().map(|entry| {
            let trail = Trail::Name(&self.trail, entry.name);
            (entry.name, Part { value: entry.value, trail, writing: self.writing })
        }))
    }

    fn unknown<S: Serializer>(&self, unknown: Unknown<'_>, serializer: S) -> Result<S::Ok, S::Error> {
        let name = unknown.ty.friendly_name();
        if !self.writing.lenient {
            return Err(self.refusal(&format!("the value is not known (type {name}), so it has no JSON")));
        }
        single(serializer, "$unknown", &name.to_string())
    }

    fn marked<S: Serializer>(&self, marks: Marks<'_>, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.writing.lenient {
            let names = marks.names().join(", ");
            return Err(self.refusal(&format!("the value is marked ({names}), so it has no JSON")));
        }
        single(serializer, "$marked", marks.names())
    }

    fn number<S: Serializer>(&self, number: NumberRef<'_>, serializer: S) -> Result<S::Ok, S::Error> {
        if let NumberRef::Int(value, _) = number {
            return serializer.serialize_i64(value);
        }
        if number.is_infinite() {
            return Err(self.refusal("the number is infinite, so it has no JSON"));
        }
        if !takes_number_text::<S>() {
            if let Some(value) = equal_u64(number) {
                return serializer.serialize_u64(value);
            }
            if let Some(value) = equal_f64(number) {
                return serializer.serialize_f64(value);
            }
        }
        if matches!(number, NumberRef::Decimal(..)) && takes_number_text::<S>() {
            // At most 21 bytes, for which no memory is taken.
            return NumberText(&format_smolstr!("{number}")).serialize(serializer);
        }
        let Some(text) = number.text_within(self.writing.digits) else {
            let limit = self.writing.digits;
            return Err(self.refusal(&format!("the number has more than {limit} digits")));
        };
        if !self.writing.allowance.take(text.len()) {
            let limit = self.writing.allowance.limit();
            return Err(self.refusal(&format!("the value would take more than {limit} bytes")));
        }
        if takes_number_text::<S>() {
            NumberText(&text).serialize(serializer)
        } else {
            serializer.serialize_str(&text)
        }
    }
}

fn single<S: Serializer, T: Serialize + ?Sized>(
    serializer: S,
    name: &str,
    value: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}

fn equal_u64(number: NumberRef<'_>) -> Option<u64> {
    number.to_u64().filter(|_| !number.is_negative())
}

/// The float that the language calls equal to the number.
fn equal_f64(value: NumberRef<'_>) -> Option<f64> {
    let float = value.to_f64();
    let same = Number::from_f64(float).is_some_and(|exact| number::equal(exact.borrow(), value));
    (float.is_finite() && same).then_some(float)
}
