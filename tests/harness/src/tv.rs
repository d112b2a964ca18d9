//! Typed values and types as JSON, in the notation of the recorded cases. `plain` writes values without types.
//!
//! ```text
//! {"string":"x"}  {"number":"1.5"}  {"bool":true}  {"null":TYPE}  {"unknown":TYPE,"refine":{..}}
//! {"list":[..],"of":TYPE}  {"set":[..],"of":TYPE}  {"map":{..},"of":TYPE}  {"tuple":[..]}  {"object":{..}}
//! {"marked":VALUE,"marks":["m"]}
//! ```
//!
//! Values that are read are normalized (form C, set order), and written in canonical form.

use hclvm_vm::{
    Arena, ArenaVec, AttributeType, Entry, Limits, Number, NumberBound, NumberRef, Refinement, Type, Unknown,
    Value, View, marks_from, set_from,
};
use serde_json::{Map, Value as Json, json};
use unicode_normalization::UnicodeNormalization;

/// The reason why a text is not a typed value.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Creates an arena for the values of one case, with a limit above that of any recorded case.
pub(crate) fn arena() -> Arena {
    Arena::with_limits(Limits { fuel: u64::MAX, arena_bytes: usize::MAX, ..Limits::UNTRUSTED })
}

fn wrong<T>(what: &str, json: &Json) -> Result<T> {
    Err(format!("not {what}: {json}"))
}

fn text(json: &Json) -> Result<&str> {
    json.as_str().map_or_else(|| wrong("a text", json), Ok)
}

fn array(json: &Json) -> Result<&[Json]> {
    json.as_array().map_or_else(|| wrong("an array", json), |items| Ok(items.as_slice()))
}

fn object(json: &Json) -> Result<&Map<String, Json>> {
    json.as_object().map_or_else(|| wrong("an object", json), Ok)
}

/// Copies `text` to the arena in normal form C.
pub(crate) fn normal<'a>(arena: &'a Arena, text: &str) -> &'a str {
    arena.text(&text.nfc().collect::<String>())
}

/// Parses a number with 512 bits; infinities are those of a host.
pub(crate) fn number_from<'a>(arena: &'a Arena, text: &str) -> Result<Value<'a>> {
    let number = match text {
        "+Inf" | "-Inf" => Some(Number::infinity(text.starts_with('-'))),
        _ => Number::parse_text(text),
    };
    let number = number.ok_or_else(|| format!("not a number: {text}"))?;
    Ok(Value::number(arena, number))
}

/// Converts `json` to a value.
pub(crate) fn value_from<'a>(arena: &'a Arena, json: &Json) -> Result<Value<'a>> {
    let fields = object(json)?;
    let element = || fields.get("of").map_or_else(|| wrong("a collection", json), |ty| type_from(arena, ty));
    let Some((kind, content)) = KINDS.iter().find_map(|kind| fields.get_key_value(*kind)) else {
        return wrong("a typed value", json);
    };
    Ok(match kind.as_str() {
        "string" => Value::str(arena, normal(arena, text(content)?)),
        "number" => number_from(arena, text(content)?)?,
        "bool" => content.as_bool().map_or_else(|| wrong("a bool", json), |it| Ok(Value::bool(it)))?,
        "null" => Value::null(arena, type_from(arena, content)?),
        "unknown" => unknown_from(arena, content, fields.get("refine"))?,
        "marked" => marked_from(arena, content, fields.get("marks"))?,
        "tuple" => Value::tuple(arena, items_from(arena, content)?.into_bump_slice()),
        "list" => Value::list(arena, items_from(arena, content)?.into_bump_slice(), element()?),
        "set" => set_from(arena, &items_from(arena, content)?, element()?),
        "map" => Value::map(arena, entries_from(arena, content)?, element()?),
        _ => Value::object(arena, entries_from(arena, content)?),
    })
}

/// The keys that determine the kind of a typed value.
const KINDS: [&str; 11] =
    ["string", "number", "bool", "null", "unknown", "marked", "tuple", "list", "set", "map", "object"];

fn items_from<'a>(arena: &'a Arena, json: &Json) -> Result<ArenaVec<'a, Value<'a>>> {
    let mut items = arena.list();
    for item in array(json)? {
        items.push(value_from(arena, item)?);
    }
    Ok(items)
}

fn entries_from<'a>(arena: &'a Arena, json: &Json) -> Result<&'a [Entry<'a>]> {
    let mut entries = arena.list();
    for (name, value) in object(json)? {
        entries.push(Entry::new(normal(arena, name), value_from(arena, value)?));
    }
    Ok(ordered(entries))
}

/// Sorts entries by name and keeps the first of equal names.
pub(crate) fn ordered<'a>(mut entries: ArenaVec<'a, Entry<'a>>) -> &'a [Entry<'a>] {
    entries.sort_by_key(|entry| entry.name);
    entries.dedup_by_key(|entry| entry.name);
    entries.into_bump_slice()
}

fn marked_from<'a>(arena: &'a Arena, inner: &Json, marks: Option<&Json>) -> Result<Value<'a>> {
    let mut names = Vec::new();
    for mark in array(marks.unwrap_or(&Json::Null))? {
        names.push(arena.text(text(mark)?));
    }
    Ok(value_from(arena, inner)?.with_marks(arena, marks_from(arena, &names)))
}

fn unknown_from<'a>(arena: &'a Arena, ty: &Json, refine: Option<&Json>) -> Result<Value<'a>> {
    let ty = type_from(arena, ty)?;
    let refinement = match refine {
        Some(refine) => refinement_from(arena, object(refine)?)?,
        None => Refinement::default(),
    };
    Ok(Unknown { ty, refinement }.settle(arena))
}

fn refinement_from<'a>(arena: &'a Arena, fields: &Map<String, Json>) -> Result<Refinement<'a>> {
    let flag = |name: &str| fields.get(name).and_then(Json::as_bool).unwrap_or(false);
    let length =
        |name: &str| fields.get(name).and_then(Json::as_u64).and_then(|len| usize::try_from(len).ok());
    let bound = |name: &str, inclusive: &str| -> Result<Option<NumberBound<'a>>> {
        let Some(limit) = fields.get(name) else { return Ok(None) };
        let value = number_from(arena, text(limit)?)?.as_number();
        Ok(value.map(|value| NumberBound { value, inclusive: flag(inclusive) }))
    };
    Ok(Refinement {
        not_null: flag("not_null"),
        prefix: fields.get("prefix").map(text).transpose()?.map_or("", |prefix| normal(arena, prefix)),
        min: bound("min", "min_inclusive")?,
        max: bound("max", "max_inclusive")?,
        min_len: length("min_len").unwrap_or(0),
        max_len: length("max_len").unwrap_or(usize::MAX),
        ..Refinement::default()
    })
}

/// Converts `json` to a type.
pub(crate) fn type_from<'a>(arena: &'a Arena, json: &Json) -> Result<Type<'a>> {
    if let Some(name) = json.as_str() {
        return primitive(name).map_or_else(|| wrong("a type", json), Ok);
    }
    let parts = array(json)?;
    let [kind, content, rest @ ..] = parts else { return wrong("a type", json) };
    let element = || -> Result<&'a Type<'a>> { Ok(arena.item(type_from(arena, content)?)) };
    Ok(match text(kind)? {
        "list" => Type::List(element()?),
        "set" => Type::Set(element()?),
        "map" => Type::Map(element()?),
        "tuple" => {
            let mut elements = arena.list();
            for element in array(content)? {
                elements.push(type_from(arena, element)?);
            }
            Type::Tuple(elements.into_bump_slice())
        }
        "object" => Type::Object(attributes_from(arena, object(content)?, rest.first())?),
        _ => return wrong("a type", json),
    })
}

fn primitive(name: &str) -> Option<Type<'static>> {
    Some(match name {
        "string" => Type::String,
        "number" => Type::Number,
        "bool" => Type::Bool,
        "dynamic" => Type::Dynamic,
        _ => return None,
    })
}

fn attributes_from<'a>(
    arena: &'a Arena,
    fields: &Map<String, Json>,
    optional: Option<&Json>,
) -> Result<&'a [AttributeType<'a>]> {
    let optional = optional.map_or(Ok(&[][..]), array)?;
    let mut attributes = arena.list();
    for (name, ty) in fields {
        attributes.push(AttributeType {
            name: normal(arena, name),
            ty: type_from(arena, ty)?,
            optional: optional.iter().any(|it| it.as_str() == Some(name)),
        });
    }
    attributes.sort_by_key(|attribute| attribute.name);
    Ok(attributes.into_bump_slice())
}

/// Writes a value in the notation.
pub(crate) fn value_to(value: Value<'_>) -> Json {
    match value.view() {
        View::Null(ty) => json!({ "null": type_to(ty) }),
        View::Bool(value) => json!({ "bool": value }),
        View::Number(number) => json!({ "number": number.to_string() }),
        View::String(text) => json!({ "string": text }),
        View::Tuple(items) => json!({ "tuple": items_to(items) }),
        View::List(items, of) => json!({ "list": items_to(items), "of": type_to(of) }),
        View::Set(items, of) => json!({ "set": items_to(items), "of": type_to(of) }),
        View::Object(entries) => json!({ "object": entries_to(entries) }),
        View::Map(entries, of) => json!({ "map": entries_to(entries), "of": type_to(of) }),
        View::Unknown(unknown) => unknown_to(&unknown),
        View::Marked(inner, marks) => json!({ "marked": value_to(inner), "marks": marks.names() }),
        View::Unset => json!({ "unset": true }),
    }
}

fn items_to(items: &[Value<'_>]) -> Vec<Json> {
    items.iter().map(|item| value_to(*item)).collect()
}

fn entries_to(entries: &[Entry<'_>]) -> Map<String, Json> {
    entries.iter().map(|entry| (entry.name.to_owned(), value_to(entry.value))).collect()
}

fn unknown_to(unknown: &Unknown<'_>) -> Json {
    let mut fields = Map::new();
    fields.insert("unknown".to_owned(), type_to(unknown.ty));
    if !unknown.refinement.is_empty() {
        fields.insert("refine".to_owned(), Json::Object(refinement_to(&unknown.refinement)));
    }
    Json::Object(fields)
}

fn refinement_to(known: &Refinement<'_>) -> Map<String, Json> {
    let mut fields = Map::new();
    let mut say = |name: &str, value: Json| fields.insert(name.to_owned(), value);
    if known.not_null {
        say("not_null", json!(true));
    }
    if !known.prefix.is_empty() {
        say("prefix", json!(known.prefix));
    }
    if let Some(min) = &known.min {
        say("min", number_to(min.value));
        say("min_inclusive", json!(min.inclusive));
    }
    if let Some(max) = &known.max {
        say("max", number_to(max.value));
        say("max_inclusive", json!(max.inclusive));
    }
    if known.min_len > 0 {
        say("min_len", json!(known.min_len));
    }
    if known.max_len < usize::MAX {
        say("max_len", json!(known.max_len));
    }
    fields
}

fn number_to(number: NumberRef<'_>) -> Json {
    Json::String(number.to_string())
}

/// Writes a type in the notation.
pub(crate) fn type_to(ty: Type<'_>) -> Json {
    match ty {
        Type::Dynamic => json!("dynamic"),
        Type::Bool => json!("bool"),
        Type::Number => json!("number"),
        Type::String => json!("string"),
        Type::List(element) => json!(["list", type_to(*element)]),
        Type::Set(element) => json!(["set", type_to(*element)]),
        Type::Map(element) => json!(["map", type_to(*element)]),
        Type::Tuple(elements) => {
            json!(["tuple", elements.iter().map(|element| type_to(*element)).collect::<Vec<_>>()])
        }
        Type::Object(attributes) => object_type_to(attributes),
        Type::Capsule(name) => json!(["capsule", name]),
    }
}

fn object_type_to(attributes: &[AttributeType<'_>]) -> Json {
    let fields: Map<String, Json> =
        attributes.iter().map(|attribute| (attribute.name.to_owned(), type_to(attribute.ty))).collect();
    let optional: Vec<&str> =
        attributes.iter().filter(|attribute| attribute.optional).map(|attribute| attribute.name).collect();
    if optional.is_empty() { json!(["object", fields]) } else { json!(["object", fields, optional]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text and writes it again.
    fn through(text: &str) -> String {
        let arena = arena();
        let json: Json = serde_json::from_str(text).expect("the test holds JSON");
        value_to(value_from(&arena, &json).expect("the test holds a value")).to_string()
    }

    #[test]
    fn canonical_values_are_written_as_they_were_read() {
        for text in [
            r#"{"string":"x"}"#,
            r#"{"number":"-1.5"}"#,
            r#"{"number":"+Inf"}"#,
            r#"{"number":"-0"}"#,
            r#"{"null":["map","string"]}"#,
            r#"{"tuple":[{"bool":true},{"null":"dynamic"}]}"#,
            r#"{"list":[{"list":[],"of":"number"}],"of":["list","number"]}"#,
            r#"{"map":{"a":{"number":"1"},"b":{"unknown":"number"}},"of":"number"}"#,
            r#"{"marked":{"object":{"k":{"string":"v"}}},"marks":["a","b"]}"#,
            r#"{"unknown":"string","refine":{"not_null":true,"prefix":"p-"}}"#,
            r#"{"unknown":"number","refine":{"min":"0","min_inclusive":true,"max":"9","max_inclusive":false}}"#,
            r#"{"unknown":["list","string"],"refine":{"not_null":true,"min_len":1,"max_len":3}}"#,
            r#"{"null":["object",{"a":["tuple",["bool"]],"b":"string"},["b"]]}"#,
        ] {
            assert_eq!(through(text), text);
        }
    }

    #[test]
    fn names_marks_and_texts_are_normalised() {
        assert_eq!(through(r#"{"string":"e\u0301"}"#), r#"{"string":"é"}"#);
        assert_eq!(
            through(r#"{"object":{"b":{"bool":true},"a":{"bool":false}}}"#),
            r#"{"object":{"a":{"bool":false},"b":{"bool":true}}}"#
        );
        assert_eq!(
            through(r#"{"marked":{"bool":true},"marks":["b","a"]}"#),
            r#"{"marked":{"bool":true},"marks":["a","b"]}"#
        );
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let arena = arena();
        for text in [r#""x""#, r#"{"number":"five"}"#, r#"{"list":[]}"#, r#"{"null":"text"}"#] {
            let json: Json = serde_json::from_str(text).expect("the test holds JSON");
            assert!(value_from(&arena, &json).is_err(), "{text}");
        }
    }
}
