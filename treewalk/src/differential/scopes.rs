//! Generates scopes with known, unknown, null and marked values at every depth. Their names are used by `grow`.

use std::sync::Arc;

use hclvm_vm::text::{nfc, stable_prefix};
use hclvm_vm::{
    Arena, AttributeType, Entry, Names, Number, NumberBound, NumberRef, Refinement, Symbols, Type, Unknown,
    Value, last_of_each, marks_from, set_from,
};

use super::grow::Kind;
use super::random::Random;

const fn attribute(name: &'static str, ty: Type<'static>) -> AttributeType<'static> {
    AttributeType { name, ty, optional: false }
}

const PAIR: Type<'static> = Type::Object(&[attribute("a", Type::String), attribute("b", Type::Number)]);

const NESTED: Type<'static> = Type::Object(&[
    attribute("a", Type::String),
    attribute("b", Type::Number),
    attribute("deep", Type::Object(&[attribute("v", Type::Bool), attribute("w", Type::List(&Type::String))])),
]);

/// The names of a scope with the kind that expressions use them as, and the type of their values. A
/// name of type "any" has a different type in each scope.
pub(crate) const NAMES: &[(&str, Kind, Type<'static>)] = &[
    ("n", Kind::Number, Type::Number),
    ("m", Kind::Number, Type::Number),
    ("s", Kind::Text, Type::String),
    ("r", Kind::Text, Type::String),
    ("b", Kind::Bool, Type::Bool),
    ("q", Kind::Bool, Type::Bool),
    ("ln", Kind::Sequence, Type::List(&Type::Number)),
    ("ls", Kind::Sequence, Type::List(&Type::String)),
    ("lo", Kind::Sequence, Type::List(&PAIR)),
    ("ll", Kind::Sequence, Type::List(&Type::List(&Type::Number))),
    ("lt", Kind::Sequence, Type::List(&Type::Tuple(&[Type::String, Type::Number]))),
    ("sn", Kind::Sequence, Type::Set(&Type::Number)),
    ("ss", Kind::Sequence, Type::Set(&Type::String)),
    ("so", Kind::Sequence, Type::Set(&PAIR)),
    ("t", Kind::Sequence, Type::Tuple(&[Type::String, Type::Number, Type::Bool])),
    ("u", Kind::Sequence, Type::Tuple(&[PAIR, NESTED])),
    ("mn", Kind::Mapping, Type::Map(&Type::Number)),
    ("ms", Kind::Mapping, Type::Map(&Type::String)),
    ("mo", Kind::Mapping, Type::Map(&PAIR)),
    ("ml", Kind::Mapping, Type::Map(&Type::List(&Type::String))),
    ("o", Kind::Mapping, NESTED),
    ("d", Kind::Any, Type::Dynamic),
    ("e", Kind::Any, Type::Dynamic),
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "k",
    "v",
    "12",
    "1.5",
    "true",
    "False",
    "e\u{301}x",
    "\u{301}",
    "👨‍👩‍👧",
    "https://x",
    " pad ",
    "a,b,c",
    "x\ny",
];

const NUMBERS: &[&str] = &["0", "1", "2", "3", "-1", "0.5", "0.1", "1e30", "-0", "9007199254740993", "1e-7"];

const MARKS: &[&str] = &["m1", "m2", "k"];

/// A scope being generated.
pub(crate) struct Scopes<'r, 'a> {
    random: &'r mut Random,
    arena: &'a Arena,
    /// How often a value is unknown, null or marked, in percent.
    trouble: u32,
    /// The symbols given to attributes, as when a host fills a scope.
    symbols: Arc<Symbols>,
}

impl<'r, 'a> Scopes<'r, 'a> {
    /// Creates a generator. Some scopes are filled before the names of attributes have symbols.
    pub(crate) fn new(random: &'r mut Random, arena: &'a Arena, names: &Names) -> Self {
        let trouble = random.pick(&[0, 5, 20, 50]);
        let symbols = if random.percent(70) { names.snapshot() } else { Arc::default() };
        Self { random, arena, trouble, symbols }
    }

    /// Makes all values known and plain.
    pub(crate) fn plain(self) -> Self {
        Self { trouble: 0, ..self }
    }

    /// Returns the values of [`NAMES`] in order.
    pub(crate) fn values(mut self) -> Vec<Value<'a>> {
        NAMES.iter().map(|(_, _, ty)| self.variable(*ty)).collect()
    }

    fn variable(&mut self, ty: Type<'static>) -> Value<'a> {
        if self.random.percent(self.trouble) {
            match self.random.below(12) {
                0 => return Value::UNSET,
                1 | 2 => return self.marked(Value::DYNAMIC),
                3 => return self.marked(Value::NULL),
                _ => {}
            }
        }
        let ty = if ty.is_dynamic() { self.random.pick(NAMES).2 } else { ty };
        if ty.is_dynamic() { self.marked(Value::DYNAMIC) } else { self.value(ty, 2) }
    }

    /// Returns a value of a type. The deeper it is, the more often it is unknown, null or marked.
    fn value(&mut self, ty: Type<'static>, rarity: u32) -> Value<'a> {
        let value = match self.random.below(100 * rarity) {
            at if at < self.trouble => self.unknown(ty),
            at if at < self.trouble * 2 => Value::null(self.arena, ty),
            _ => self.known(ty),
        };
        self.marked(value)
    }

    fn marked(&mut self, value: Value<'a>) -> Value<'a> {
        if !self.random.percent(self.trouble / 3) {
            return value;
        }
        let marks = marks_from(self.arena, &[self.random.pick(MARKS)]);
        value.with_marks(self.arena, marks)
    }

    fn known(&mut self, ty: Type<'static>) -> Value<'a> {
        let arena = self.arena;
        match ty {
            Type::Bool => Value::bool(self.random.percent(50)),
            Type::Number => Value::number(arena, self.number()),
            Type::String => Value::str(arena, self.text()),
            Type::List(element) => Value::list(arena, self.items(*element), *element),
            Type::Set(element) => set_from(arena, self.items(*element), *element),
            Type::Map(element) => {
                let (count, mut entries) = (self.random.below(4), arena.list());
                for _ in 0..count {
                    let name = self.random.pick(&["a", "b", "k", "v", "0"]);
                    entries.push(self.entry(name, *element));
                }
                Value::map(arena, last_of_each(entries), *element)
            }
            Type::Tuple(elements) => {
                let mut items = arena.list();
                items.extend(elements.iter().map(|element| self.value(*element, 3)));
                Value::tuple(arena, items.into_bump_slice())
            }
            Type::Object(attributes) => {
                let mut entries = arena.list();
                entries.extend(attributes.iter().map(|it| self.entry(it.name, it.ty)));
                Value::object(arena, entries.into_bump_slice())
            }
            Type::Dynamic | Type::Capsule(_) => Value::DYNAMIC,
        }
    }

    fn entry(&mut self, name: &'static str, ty: Type<'static>) -> Entry<'a> {
        let symbol = self.symbols.get(name).copied().unwrap_or(0);
        Entry { name, symbol, value: self.value(ty, 3) }
    }

    fn items(&mut self, element: Type<'static>) -> &'a [Value<'a>] {
        let (count, mut items) = (self.random.below(4), self.arena.list());
        for _ in 0..count {
            items.push(self.value(element, 3));
        }
        items.into_bump_slice()
    }

    fn text(&mut self) -> &'a str {
        nfc(self.arena, self.random.pick(TEXTS))
    }

    fn number(&mut self) -> Number {
        match self.random.below(10) {
            0 => Number::short(i64::from(self.random.below(5))),
            1 => Number::from_f64(0.1).unwrap_or(Number::ZERO),
            2 if self.random.percent(20) => Number::infinity(self.random.percent(50)),
            _ => Number::parse_text(self.random.pick(NUMBERS)).unwrap_or(Number::ONE),
        }
    }

    fn unknown(&mut self, ty: Type<'static>) -> Value<'a> {
        let mut refinement = Refinement { not_null: self.random.percent(50), ..Refinement::default() };
        if self.random.percent(50) {
            match ty {
                Type::String => {
                    let start = self.random.pick(&["https://", "a-", "12", "k "]);
                    refinement.prefix = stable_prefix(self.arena, start);
                }
                Type::Number => {
                    refinement.min = self.bound(0);
                    refinement.max = self.bound(10);
                }
                Type::List(_) | Type::Set(_) | Type::Map(_) => {
                    refinement.min_len = self.random.below(3) as usize;
                    refinement.max_len = refinement.min_len + self.random.below(3) as usize;
                }
                _ => {}
            }
        }
        Unknown { ty, refinement }.settle(self.arena)
    }

    fn bound(&mut self, from: i64) -> Option<NumberBound<'a>> {
        let value = from + i64::from(self.random.below(5));
        let value = NumberRef::Int(value, hclvm_vm::number::Width::Full);
        self.random.percent(70).then(|| NumberBound { value, inclusive: self.random.percent(60) })
    }
}
