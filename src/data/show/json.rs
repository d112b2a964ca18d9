//! Values as JSON: as text, and through any serde serializer. HCL text is in `pretty`.

mod number;
mod text;

use crate::limits::Limits;
use hclvm_vm::{Entry, Marks, Unknown, Value, View};
use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};

use super::Allowance;
use super::type_text::type_text;
use crate::data::path_error::{PathStep, StepsDisplay};
use crate::diagnostics::error::Error as Failure;

/// A value as plain JSON: tuples, lists and sets are arrays, objects and maps are objects sorted by
/// name, and numbers are exact.
///
/// ```
/// use hclvm::Json;
///
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("x.hcl", "x = { sum = 0.1 + 0.2, all = [1, \"a\", null] }")?;
/// let program = document.attribute("x").expect("x is defined").program()?;
/// let (mut session, scope) = (engine.session(), document.scope());
/// let value = session.run(&program, &scope)?;
/// assert_eq!(Json(value).to_text()?, r#"{"all":[1,"a",null],"sum":0.3}"#);
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// Unknown values, marked values and infinities have no JSON; serializing them fails with the path to
/// them. See [`Json::lenient`] for output that only people read.
///
/// It also implements `Serialize`. With the feature `exact-json`, the serializers of `serde_json` get
/// every number exactly; without it, a 64-bit integer or else the nearest float, which is what
/// `serde_json` reads from the exact text. Other serializers get a 64-bit integer or a float if it is
/// equal to the number, else a string.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a>(pub Value<'a>);

/// The default limits. Serializers recurse with stack frames of unknown size, so the nesting is lower
/// than that of values.
const LIMITS: Limits = Limits { value_depth: 512, ..Limits::untrusted() };

/// A value as JSON with options, see [`Json::lenient`] and [`Json::within`].
#[derive(Clone, Copy, Debug)]
pub struct JsonStyle<'a> {
    value: Value<'a>,
    lenient: bool,
    limits: Limits,
}

impl<'a> Json<'a> {
    /// Writes unknown values as `{"$unknown": "list(string)"}` with their type constraint, infinities as
    /// `{"$number": "+Inf"}`, and marked values as `{"$marked": ["sensitive"]}` with their marks only. A
    /// reader cannot distinguish these from objects with such an attribute. The command `hclvm` writes scopes
    /// this way.
    pub fn lenient(self) -> JsonStyle<'a> {
        JsonStyle { lenient: true, ..self.style() }
    }

    /// Writes values as deep and as large as `limits` allow. The default is 512 levels, 64 MiB as if no
    /// parts were shared, and numbers of 100,000 digits. Each level takes stack space: 2 KiB in
    /// unoptimized builds.
    pub fn within(self, limits: Limits) -> JsonStyle<'a> {
        JsonStyle { limits, ..self.style() }
    }

    /// Returns the text, without whitespace and with exact numbers.
    ///
    /// # Errors
    /// Values without JSON, and values beyond the limits (see [`Json::within`]).
    pub fn to_text(self) -> Result<String, Failure> {
        self.style().to_text()
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

    /// See [`Json::to_text`].
    ///
    /// # Errors
    /// See [`Json::to_text`].
    pub fn to_text(self) -> Result<String, Failure> {
        let mut out = String::new();
        let writing = self.writing().map_err(Failure::value)?;
        self.whole(&writing).write(&mut out).map_err(Failure::value)?;
        Ok(out)
    }

    /// Returns the state of writing the value. Fails if the value is nested too deep.
    fn writing(&self) -> Result<Writing, String> {
        let (depth, limit) = (self.value.depth(), self.limits.value_depth);
        if depth > usize::from(limit) {
            return Err(format!("the value is {depth} levels deep, more than the {limit} allowed"));
        }
        Ok(Writing {
            lenient: self.lenient,
            digits: u64::from(self.limits.digits),
            allowance: Allowance::new(&self.limits),
        })
    }

    fn whole<'t>(&self, writing: &'t Writing) -> JsonPart<'_, 't> {
        JsonPart { value: self.value, trail: Trail::Root, writing }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.style().serialize(serializer)
    }
}

impl Serialize for JsonStyle<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let writing = self.writing().map_err(S::Error::custom)?;
        self.whole(&writing).serialize(serializer)
    }
}

/// The state that all parts of a value share while it is written.
pub(crate) struct Writing {
    lenient: bool,
    digits: u64,
    pub(crate) allowance: Allowance,
}

/// The path from a part to the whole value, a linked list on the stack. It is collected only for
/// messages.
#[derive(Clone, Copy)]
pub(crate) enum Trail<'t> {
    Root,
    Index(&'t Trail<'t>, usize),
    Name(&'t Trail<'t>, &'t str),
}

impl Trail<'_> {
    /// Returns a message with the path.
    pub(crate) fn refusal(&self, reason: &str) -> String {
        match &*self.steps() {
            [] => reason.to_owned(),
            steps => format!("{}: {reason}", StepsDisplay(steps)),
        }
    }

    fn steps(&self) -> Vec<PathStep> {
        let (mut steps, mut at) = (Vec::new(), self);
        loop {
            at = match at {
                Self::Root => break,
                Self::Index(outer, index) => {
                    steps.push(PathStep::Index(*index));
                    outer
                }
                Self::Name(outer, name) => {
                    steps.push(PathStep::Name((*name).into()));
                    outer
                }
            };
        }
        steps.reverse();
        steps
    }
}

/// A part of the value that is written. Recursion is bounded by the depth of the value.
#[derive(Clone, Copy)]
pub(crate) struct JsonPart<'a, 't> {
    value: Value<'a>,
    trail: Trail<'t>,
    writing: &'t Writing,
}

impl Writing {
    /// Creates the state of writing several values that are plain JSON.
    pub(crate) fn plain() -> Self {
        Self { lenient: false, digits: u64::from(LIMITS.digits), allowance: Allowance::new(&LIMITS) }
    }

    /// Returns a value to be written at a path.
    ///
    /// # Errors
    /// A value that is nested too deep.
    pub(crate) fn part<'a, 't>(
        &'t self,
        value: Value<'a>,
        trail: Trail<'t>,
    ) -> Result<JsonPart<'a, 't>, String> {
        let part = JsonPart { value, trail, writing: self };
        if value.depth() > usize::from(LIMITS.value_depth) {
            let (depth, limit) = (value.depth(), LIMITS.value_depth);
            return Err(
                trail.refusal(&format!("the value is {depth} levels deep, more than the {limit} allowed"))
            );
        }
        Ok(part)
    }
}

impl Serialize for JsonPart<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fits(self.value.as_str().map_or(0, str::len)).map_err(S::Error::custom)?;
        match self.value.view() {
            View::Null(_) => serializer.serialize_unit(),
            View::Bool(value) => serializer.serialize_bool(value),
            View::Number(number) => self.number(number, serializer),
            View::String(text) => serializer.serialize_str(text),
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                serializer.collect_seq(self.items(items))
            }
            View::Object(entries) | View::Map(entries, _) => serializer.collect_map(self.entries(entries)),
            View::Unknown(unknown) => {
                single(serializer, UNKNOWN, &self.unknown(unknown).map_err(S::Error::custom)?)
            }
            View::Marked(_, marks) => {
                single(serializer, MARKED, self.marks(marks).map_err(S::Error::custom)?)
            }
            View::Unset => Err(S::Error::custom(self.refusal("there is no value"))),
        }
    }
}

/// The attribute that holds the type of an unknown value.
const UNKNOWN: &str = "$unknown";
/// The attribute that holds the marks of a marked value.
const MARKED: &str = "$marked";

impl<'a> JsonPart<'a, '_> {
    fn refusal(&self, reason: &str) -> String {
        self.trail.refusal(reason)
    }

    /// Charges a value with `bytes` of text. Fails if the value is too large.
    fn fits(&self, bytes: usize) -> Result<(), String> {
        if self.writing.allowance.take(bytes) {
            return Ok(());
        }
        let limit = self.writing.allowance.limit();
        Err(self.refusal(&format!("the value would take more than {limit} bytes")))
    }

    fn items<'p>(&'p self, items: &'a [Value<'a>]) -> impl ExactSizeIterator<Item = JsonPart<'a, 'p>> {
        items.iter().enumerate().map(|(index, item)| JsonPart {
            value: *item,
            trail: Trail::Index(&self.trail, index),
            writing: self.writing,
        })
    }

    fn entries<'p>(
        &'p self,
        entries: &'a [Entry<'a>],
    ) -> impl ExactSizeIterator<Item = (&'a str, JsonPart<'a, 'p>)> {
        entries.iter().map(|entry| {
            let trail = Trail::Name(&self.trail, entry.name);
            (entry.name, JsonPart { value: entry.value, trail, writing: self.writing })
        })
    }

    /// Returns the type of an unknown value as text. Fails unless lenient.
    fn unknown(&self, unknown: Unknown<'_>) -> Result<String, String> {
        if self.writing.lenient {
            let text = type_text(unknown.ty)
                .ok_or_else(|| self.refusal("the type of the unknown value is too long"))?;
            self.fits(text.len())?;
            return Ok(text);
        }
        let name = unknown.ty.friendly_name();
        Err(self.refusal(&format!("the value is not known (type {name}), so it has no JSON")))
    }

    /// Returns the marks of a marked value. Fails unless lenient.
    fn marks(&self, marks: Marks<'a>) -> Result<&'a [&'a str], String> {
        if self.writing.lenient {
            return Ok(marks.names());
        }
        let names = marks.names().join(", ");
        Err(self.refusal(&format!("the value is marked ({names}), so it has no JSON")))
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
