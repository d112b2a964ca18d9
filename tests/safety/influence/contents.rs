//! Contents of the marked value, and the places in the variable `m` where it is.

use hclvm::ingest::Ingest;
use hclvm::value::{Arena, Entry, convert, marks_from};
use hclvm::{Type, Value};
use serde_json::{Value as Json, json};

/// Where the marked value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Whole,
    TupleElement,
    Attribute,
    ListElement,
    MapElement,
}

impl Place {
    pub(crate) const ALL: [Self; 5] =
        [Self::Whole, Self::TupleElement, Self::Attribute, Self::ListElement, Self::MapElement];
}

/// A content at a place.
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) place: Place,
    content: Content,
}

#[derive(Clone)]
enum Content {
    /// Of the type that the value has as JSON.
    Plain(Json),
    /// Converted to a type.
    Of(Type<'static>, Json),
    Null(Type<'static>),
    Unknown(Type<'static>),
}

const STRINGS: Type<'static> = Type::List(&Type::String);

/// The contents: several of each type, lists with different lengths.
fn contents() -> Vec<Content> {
    let of = |ty: Type<'static>, values: Vec<Json>| -> Vec<_> {
        values.into_iter().map(|value| Content::Of(ty, value)).collect()
    };
    let numbered = |count: usize| json!((0..count).map(|at| format!("zq{at}")).collect::<Vec<_>>());
    let values = json!([
        "zq7a", "a", "b", "x", "2", "TRUE", "true", "", 918_273_645, 0, 1, -1, 0.5, true, false,
        [], ["zq7a"], ["x"], ["x", "y"], ["zq7a", "zq7b"], [[1], true], [[2], false],
        [1], [2], [1, 2], [["x"]], [["x"], ["y"]],
        { "a": "zq7a", "b": 1 }, { "a": "x", "b": 2 }, { "a": "x" }, { "zq7n": [1] }
    ]);
    let mut all: Vec<_> = values.as_array().into_iter().flatten().cloned().map(Content::Plain).collect();
    all.extend(of(STRINGS, vec![json!([]), json!(["x"]), numbered(37), numbered(41)]));
    all.extend(of(Type::Set(&Type::String), vec![json!([]), json!(["x"]), json!(["x", "zq7a"])]));
    all.extend(of(
        Type::Map(&Type::String),
        vec![json!({}), json!({ "a": "zq7a" }), json!({ "a": "x", "x": "y" })],
    ));
    all.extend([Type::Dynamic, Type::String].map(Content::Null));
    all.extend([Type::Dynamic, Type::String, Type::Number, Type::Bool, STRINGS].map(Content::Unknown));
    all
}

/// Returns all contents at all places. Lists and maps hold only contents that are strings.
pub(crate) fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    for place in Place::ALL {
        for content in contents() {
            let uniform = matches!(place, Place::ListElement | Place::MapElement);
            if uniform && !content.is_string() {
                continue;
            }
            all.push(Variant { name: content.name(), place, content });
        }
    }
    all
}

impl Content {
    fn is_string(&self) -> bool {
        matches!(self, Self::Plain(Json::String(_)) | Self::Null(Type::String) | Self::Unknown(Type::String))
    }

    fn name(&self) -> String {
        match self {
            Self::Plain(value) => value.to_string(),
            Self::Of(ty, value) => format!("{} {value}", ty.friendly_name()),
            Self::Null(ty) => format!("null {}", ty.friendly_name()),
            Self::Unknown(ty) => format!("unknown {}", ty.friendly_name()),
        }
    }

    fn build<'a>(&self, arena: &'a Arena) -> Value<'a> {
        let ingested = |value: &Json| value.ingest(arena).expect("it is small");
        match self {
            Self::Plain(value) => ingested(value),
            Self::Of(ty, value) => convert(arena, ingested(value), *ty).expect("it converts"),
            Self::Null(ty) => Value::null(arena, *ty),
            Self::Unknown(ty) => Value::unknown_of(arena, *ty),
        }
    }
}

impl Variant {
    /// Returns true if the marked value is unknown.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.content, Content::Unknown(_))
    }

    /// Returns true if the marked values are of one type and neither is null. Messages may show these.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let arena = &Arena::new();
        let null = [self, other].iter().any(|variant| matches!(variant.content, Content::Null(_)));
        !null && self.content.build(arena).has_type_of(arena, other.content.build(arena))
    }

    /// Returns the variable `m`.
    pub(crate) fn build<'a>(&self, arena: &'a Arena) -> Value<'a> {
        let marked = self.content.build(arena).with_marks(arena, marks_from(arena, &["sensitive"]));
        let text = Value::str(arena, "x");
        let entries = || arena.slice(&[Entry::new("a", marked), Entry::new("b", text)]);
        match self.place {
            Place::Whole => marked,
            Place::TupleElement => Value::tuple(arena, arena.slice(&[text, marked])),
            Place::Attribute => Value::object(arena, entries()),
            Place::ListElement => Value::list(arena, arena.slice(&[text, marked]), Type::String),
            Place::MapElement => Value::map(arena, entries(), Type::String),
        }
    }
}
