//! Formats values and types in the notation of the reference's debugging output.
//!
//! Covers what recorded values with unknown parts need. Numbers beyond 64 bits and marks are written in
//! a form that never equals a recorded one.

use hclvm_vm::{AttributeType, Entry, NumberRef, Refinement, Type, Unknown, Value, View};

use crate::plain::quoted;

/// `cty.StringVal("x")`
pub(crate) fn value(shown: Value<'_>) -> String {
    match shown.view() {
        View::Null(of) => format!("cty.NullVal({})", ty(of)),
        View::Bool(true) => "cty.True".to_owned(),
        View::Bool(false) => "cty.False".to_owned(),
        View::Number(shown) => number(shown),
        View::String(text) => format!("cty.StringVal({})", quoted(text)),
        View::Tuple([]) => "cty.EmptyTupleVal".to_owned(),
        View::Tuple(items) => format!("cty.TupleVal({})", values(items)),
        View::List([], of) => format!("cty.ListValEmpty({})", ty(of)),
        View::List(items, _) => format!("cty.ListVal({})", values(items)),
        View::Set([], of) => format!("cty.SetValEmpty({})", ty(of)),
        View::Set(items, _) => format!("cty.SetVal({})", values(items)),
        View::Object([]) => "cty.EmptyObjectVal".to_owned(),
        View::Object(shown) => format!("cty.ObjectVal({})", entries(shown)),
        View::Map([], of) => format!("cty.MapValEmpty({})", ty(of)),
        View::Map(shown, _) => format!("cty.MapVal({})", entries(shown)),
        View::Unknown(Unknown { ty: Type::Dynamic, .. }) => "cty.DynamicVal".to_owned(),
        View::Unknown(unknown) => {
            format!("cty.UnknownVal({}){}", ty(unknown.ty), refinement(&unknown.refinement))
        }
        View::Marked(..) => "(marked)".to_owned(),
        View::Unset => "(unset)".to_owned(),
    }
}

fn values(items: &[Value<'_>]) -> String {
    let items: Vec<String> = items.iter().map(|item| value(*item)).collect();
    format!("[]cty.Value{{{}}}", items.join(", "))
}

fn entries(shown: &[Entry<'_>]) -> String {
    let shown: Vec<String> =
        shown.iter().map(|entry| format!("{}:{}", quoted(entry.name), value(entry.value))).collect();
    format!("map[string]cty.Value{{{}}}", shown.join(", "))
}

fn number(shown: NumberRef<'_>) -> String {
    if shown.is_integer() {
        format!("cty.NumberIntVal({shown})")
    } else {
        format!("cty.NumberFloatVal({shown})")
    }
}

fn refinement(known: &Refinement<'_>) -> String {
    let mut steps = Vec::new();
    if !known.prefix.is_empty() {
        steps.push(format!(".StringPrefixFull({})", quoted(known.prefix)));
    }
    for (name, bound) in [("Lower", &known.min), ("Upper", &known.max)] {
        if let Some(bound) = bound {
            steps.push(format!(".Number{name}Bound({}, {})", number(bound.value), bound.inclusive));
        }
    }
    if known.min_len > 0 {
        steps.push(format!(".CollectionLengthLowerBound({})", known.min_len));
    }
    if known.max_len < usize::MAX {
        steps.push(format!(".CollectionLengthUpperBound({})", known.max_len));
    }
    let steps = steps.concat();
    match (known.not_null, steps.is_empty()) {
        (false, true) => String::new(),
        (true, true) => ".RefineNotNull()".to_owned(),
        (false, false) => format!(".Refine(){steps}.NewValue()"),
        (true, false) => format!(".Refine().NotNull(){steps}.NewValue()"),
    }
}

/// `cty.List(cty.String)`
pub(crate) fn ty(shown: Type<'_>) -> String {
    match shown {
        Type::Dynamic => "cty.DynamicPseudoType".to_owned(),
        Type::Bool => "cty.Bool".to_owned(),
        Type::Number => "cty.Number".to_owned(),
        Type::String => "cty.String".to_owned(),
        Type::List(element) => format!("cty.List({})", ty(*element)),
        Type::Set(element) => format!("cty.Set({})", ty(*element)),
        Type::Map(element) => format!("cty.Map({})", ty(*element)),
        Type::Tuple([]) => "cty.EmptyTuple".to_owned(),
        Type::Tuple(elements) => {
            let elements: Vec<String> = elements.iter().map(|element| ty(*element)).collect();
            format!("cty.Tuple([]cty.Type{{{}}})", elements.join(", "))
        }
        Type::Object([]) => "cty.EmptyObject".to_owned(),
        Type::Object(attributes) => object(attributes),
        Type::Capsule(name) => format!("cty.Capsule({name})"),
    }
}

fn object(attributes: &[AttributeType<'_>]) -> String {
    let attributes: Vec<String> = attributes
        .iter()
        .map(|attribute| format!("{}:{}", quoted(attribute.name), ty(attribute.ty)))
        .collect();
    format!("cty.Object(map[string]cty.Type{{{}}})", attributes.join(", "))
}
