//! How many elements there are.

use hclvm_vm::{Accepts, CallError, Function, Intrinsic, Parameter, TextOperation, Type, Value, View, cast};

use crate::arguments::{TypeKind, any, get, kind};
use crate::text;

fn measured(name: &str) -> Parameter {
    any(name).accepting(Accepts::PLAIN.unknown().dynamic().marked())
}

/// `length(collection)` of the standard library: lists, sets, maps and tuples only.
pub(crate) fn length_of_collection() -> Function {
    Function::new("length", [measured("collection")], Type::Number, |arena, args, _| {
        let (collection, marks) = get(args, 0).unmark();
        Ok(Value::unknown_length(arena, collection.length_range()).with_marks(arena, marks))
    })
    .typed(|_, args| match kind(get(args, 0)) {
        TypeKind::Scalar | TypeKind::Object => {
            Err(CallError::new("a list, a set, a map or a tuple is required"))
        }
        _ => Ok(Type::Number),
    })
    .inline(|_, args| count(args).filter(|_| kind(get(args, 0)) != TypeKind::Object))
}

/// Returns the number of elements or attributes of a plain argument, if it is certain.
fn count<'a>(args: &[Value<'a>]) -> Option<Value<'a>> {
    let [counted] = args else { return None };
    let certain = match counted.view() {
        View::Tuple(items) | View::List(items, _) => items.len(),
        View::Object(entries) | View::Map(entries, _) => entries.len(),
        _ => return None,
    };
    Some(Value::short(cast::signed(certain)))
}

/// `length(value)`: also attributes of an object and characters of a string.
pub(crate) fn length() -> Function {
    Function::new("length", [measured("value")], Type::Number, |arena, args, _| {
        let (value, marks) = get(args, 0).unmark();
        let length = match kind(value) {
            TypeKind::Dynamic => Value::unknown_of(arena, Type::Number),
            TypeKind::Scalar => text::length(arena, value),
            _ => Value::unknown_length(arena, value.length_range()),
        };
        Ok(length.with_marks(arena, marks))
    })
    .typed(|arena, args| match kind(get(args, 0)) {
        TypeKind::Scalar if get(args, 0).type_of(arena) != Type::String => {
            Err(CallError::new("a string, a collection, a tuple or an object is required"))
        }
        _ => Ok(Type::Number),
    })
    .inline(|arena, args| {
        let [value] = args else { return None };
        count(args).or_else(|| value.as_short_text().map(|_| text::length(arena, *value)))
    })
    .intrinsic(Intrinsic::OfText(TextOperation::Length))
}
