//! The titles and sentences of every fault.
//!
//! Invariant: titles follow the reference; the text of a marked value is in no sentence. Messages
//! of the front end are in the compiler's `diagnostic`.

use std::borrow::Cow;

use std::fmt;

use super::{Called, Failure, Fault, Record};
use crate::text::foreign::of_json_templates;
use crate::text::suggest::{Comparisons, did_you_mean, listed, may_replace};
use crate::types::Type;
use crate::value::{Value, View};

/// Returns the title, which is the reference's.
pub(super) fn title(fault: &Fault<'_>) -> Cow<'static, str> {
    Cow::Borrowed(match fault {
        Fault::Failure(failure) => return failure_title(failure),
        Fault::UnsetVariable(_) => "Unknown variable",
        Fault::Operand(..) => "Invalid operand",
        Fault::Operation(_) => "Operation failed",
        Fault::Arms(..) | Fault::Arm(..) => "Inconsistent conditional result types",
        Fault::NullCondition => "Null condition",
        Fault::Condition(_) => "Incorrect condition type",
        Fault::NullKey => "Null value as key",
        Fault::Key(_) => "Incorrect key type",
        Fault::NameNull | Fault::Name(_) => "Invalid object key expression",
        Fault::NameTaken(_) => "Duplicate object attribute",
        Fault::IterateNull => "Iteration over null value",
        Fault::IterateScalar(_) => "Iteration over non-iterable value",
        Fault::ClauseNull => "Condition is null",
        Fault::IncludeNull | Fault::Include(_) => "Invalid 'for' condition",
        Fault::ForKeyNull | Fault::ForKey(_) => "Invalid object key",
        Fault::DuplicateKey(_) => "Duplicate object key",
        Fault::SplatNull => "Splat of null value",
        Fault::SplatTypes => "Invalid nested splat expressions",
        Fault::PartNull | Fault::Part(_) | Fault::JoinNull | Fault::Join(_) => {
            "Invalid template interpolation value"
        }
        Fault::AttributeOfNull => "Attempt to get attribute from null value",
        Fault::NoAttribute { .. }
        | Fault::AttributeOfObjects { .. }
        | Fault::AttributeOfPrimitive(_)
        | Fault::AttributeOfOther(_) => "Unsupported attribute",
        Fault::NoElement { .. } => "Missing map element",
        Fault::IndexOfNull => "Attempt to index null value",
        Fault::IndexNull
        | Fault::IndexKey(_)
        | Fault::IndexFraction
        | Fault::IndexNegative
        | Fault::IndexEmpty
        | Fault::IndexRange(_)
        | Fault::IndexMissing { .. }
        | Fault::IndexOfSet
        | Fault::IndexOfOther(_) => "Invalid index",
        Fault::ExpandNull | Fault::ExpandType(_) => "Invalid expanding argument value",
        Fault::TooFew { .. } => "Not enough function arguments",
        Fault::TooMany { .. } => "Too many function arguments",
        Fault::Argument { .. } | Fault::Refused { .. } => "Invalid function argument",
        Fault::Call { .. } | Fault::NoneSucceeded(_) => "Error in function call",
    })
}

fn failure_title(failure: &Failure) -> Cow<'static, str> {
    Cow::Borrowed(match failure {
        Failure::UnknownVariable { .. } => "Unknown variable",
        Failure::VariablesNotAllowed => "Variables not allowed",
        Failure::FunctionsNotAllowed => "Function calls not allowed",
        Failure::UnknownFunction { .. } => "Call to unknown function",
        Failure::AmbiguousKey => "Ambiguous attribute key",
        Failure::Described { title, .. } => return title.clone(),
    })
}

/// Returns the sentences: what was found, what was expected, and what to do. `near` is the name to propose.
pub(super) fn detail(fault: &Fault<'_>, near: Option<&str>) -> String {
    match fault {
        Fault::Failure(failure) => failure_detail(failure, near),
        Fault::UnsetVariable(name) => format!("The variable \"{name}\" has no value in this scope."),
        Fault::Operand(which, mismatch) => format!("Unsuitable {which} operand: {mismatch}."),
        Fault::Operation(why) => format!("The operation has no result: {why}."),
        Fault::Arms(yes, no) => format!(
            "The true result is {} and the false result is {}; both results of a conditional must have a common type.",
            yes.friendly_name(),
            no.friendly_name()
        ),
        Fault::Arm(which, mismatch) => {
            format!("The {which} result does not convert to the common type of both results: {mismatch}.")
        }
        Fault::NullCondition => "The condition is null; expected true or false.".into(),
        Fault::Condition(mismatch) => format!("Expected true or false as the condition: {mismatch}."),
        Fault::NullKey => "The key of an object item is null; expected a string.".into(),
        Fault::Key(mismatch) => format!("Expected a string as the key of an object item: {mismatch}."),
        Fault::NameNull => "The name of an object property is null; expected a string.".into(),
        Fault::Name(mismatch) => format!("Expected a string as the name of an object property: {mismatch}."),
        Fault::NameTaken(name) => {
            let which = name.map_or_else(|| "this attribute".to_owned(), |name| format!("an attribute \"{name}\""));
            format!("The object already has {which}; the first one is kept.")
        }
        Fault::IterateNull => {
            "Cannot iterate over null: 'for' needs a list, set, tuple, map or object.".into()
        }
        Fault::IterateScalar(ty) => format!(
            "Cannot iterate over a value of type {}: 'for' needs a list, set, tuple, map or object.",
            ty.friendly_name()
        ),
        Fault::ClauseNull => "The 'if' clause is null; expected true or false.".into(),
        Fault::IncludeNull => "The 'if' clause is null for an element; expected true or false.".into(),
        Fault::Include(mismatch) => format!("Expected true or false as the 'if' clause: {mismatch}."),
        Fault::ForKeyNull => "The key is null for an element; expected a string.".into(),
        Fault::ForKey(mismatch) => format!("Expected a string as the key: {mismatch}."),
        Fault::DuplicateKey(key) => {
            let which = key.map_or_else(|| "same key".to_owned(), |key| format!("key \"{key}\""));
            format!("Two elements have the {which}. Put an ellipsis (...) after the value expression to group the values of equal keys.")
        }
        Fault::SplatNull => "Cannot apply a splat (*) to null; expected a list, set or tuple.".into(),
        Fault::SplatTypes => {
            "The elements of the inner splat have different types and cannot form a list. Use a 'for' expression, which produces a tuple.".into()
        }
        Fault::PartNull => "A value in the template is null; expected a string.".into(),
        Fault::Part(mismatch) => format!("A value in the template does not convert to a string: {mismatch}."),
        Fault::JoinNull => "A value in a repeated part of the template is null; expected a string.".into(),
        Fault::Join(mismatch) => {
            format!("A value in a repeated part of the template does not convert to a string: {mismatch}.")
        }
        Fault::AttributeOfNull => "This value is null and has no attributes.".into(),
        Fault::NoAttribute { name, of } => {
            format!("This object has no attribute \"{name}\".{}", instead(name, near, *of))
        }
        Fault::NoElement { name, of } => {
            format!("This map has no element with the key \"{name}\".{}", instead(name, near, *of))
        }
        Fault::AttributeOfObjects { name, set, known } => of_objects(name, *set, *known),
        Fault::AttributeOfPrimitive(ty) => {
            format!("A value of the primitive type {} has no attributes.", ty.friendly_name())
        }
        Fault::AttributeOfOther(ty) => format!("A value of type {} has no attributes.", ty.friendly_name()),
        Fault::IndexOfNull => "This value is null and has no elements.".into(),
        Fault::IndexNull => "The index is null; expected a number or a string.".into(),
        Fault::IndexKey(mismatch) => format!("Unsuitable index: {mismatch}."),
        Fault::IndexFraction => "The index is not a whole number.".into(),
        Fault::IndexNegative => "The index is negative; elements are counted from 0.".into(),
        Fault::IndexEmpty => "The index is out of range: the sequence is empty.".into(),
        Fault::IndexRange(None) => "This value has no element with that index.".into(),
        Fault::IndexRange(Some(1)) => "The index is out of range: the sequence has 1 element, counted from 0.".into(),
        Fault::IndexRange(Some(len)) => {
            format!("The index is out of range: the sequence has {len} elements, counted from 0.")
        }
        Fault::IndexMissing { key, number, of } => {
            let what = key.map_or_else(|| "This value has no element with that key.".to_owned(), |key| {
                format!("This value has no element with the key \"{key}\".{}", instead(key, near, *of))
            });
            if *number { what + " Select attributes of an object by name, not by number." } else { what }
        }
        Fault::IndexOfSet => {
            "Elements of a set cannot be selected by an index. Convert the set to a list, or use a 'for' expression.".into()
        }
        Fault::IndexOfOther(ty) => format!("A value of type {} has no elements.", ty.friendly_name()),
        Fault::ExpandNull => "The argument expanded with ... is null; expected a list, set or tuple.".into(),
        Fault::ExpandType(ty) => format!(
            "The argument expanded with ... is of type {}; expected a list, set or tuple.",
            ty.friendly_name()
        ),
        Fault::TooFew { function, count } => {
            let missing = count.and_then(|count| function.parameters.get(count));
            let missing = missing
                .map_or_else(|| "an argument".to_owned(), |missing| format!("its argument \"{}\"", missing.name));
            format!("The function \"{}\" is missing {missing}: {}.", function.name, function.signature())
        }
        Fault::TooMany { function } => {
            let takes = match function.parameters.len() {
                0 => "no arguments".to_owned(),
                1 => "only 1 argument".to_owned(),
                takes => format!("only {takes} arguments"),
            };
            format!("The function \"{}\" takes {takes}: {}.", function.name, function.signature())
        }
        Fault::Argument { function, index, mismatch } => argument(*function, *index, mismatch),
        Fault::Refused { function, index, message } => {
            argument(Called::Function(function), *index, message)
        }
        Fault::Call { function, message } => format!("The function \"{function}\" failed: {message}."),
        Fault::NoneSucceeded(attempts) => none_succeeded(attempts),
    }
}

/// Reports which argument of a call does not fit, and why.
fn argument(function: Called<'_>, index: usize, reason: &dyn fmt::Display) -> String {
    let number = index + 1;
    match function {
        Called::Function(function) => {
            let name = function.parameter(index).map_or("", |parameter| parameter.name.as_str());
            format!("Argument {number}, \"{name}\", of {} does not fit: {reason}.", function.signature())
        }
        Called::Convert => {
            format!("Argument {number}, \"value\", of convert(value, type) does not fit: {reason}.")
        }
    }
}

/// Returns the nearest of the names that there are, if the fault is about a name.
pub(super) fn near<'f>(fault: &'f Fault<'_>, comparisons: &Comparisons) -> Option<&'f str> {
    match fault {
        Fault::NoAttribute { name, of: Some(of) }
        | Fault::NoElement { name, of: Some(of) }
        | Fault::IndexMissing { key: Some(name), of: Some(of), .. } => {
            comparisons.nearest(name, names_of(*of)?)
        }
        Fault::Failure(
            Failure::UnknownVariable { suggestion, .. } | Failure::UnknownFunction { suggestion, .. },
        ) => suggestion.as_deref(),
        _ => None,
    }
}

/// Returns true if `near` may take the place of the name that a fault is about.
pub(super) fn may_become(fault: &Fault<'_>, near: &str) -> bool {
    match fault {
        Fault::NoAttribute { name, .. } | Fault::NoElement { name, .. } => may_replace(name, near),
        Fault::IndexMissing { key: Some(name), .. } => may_replace(name, near),
        Fault::Failure(Failure::UnknownVariable { name, .. } | Failure::UnknownFunction { name, .. }) => {
            may_replace(name, near)
        }
        _ => false,
    }
}

/// Returns the names that an object or map has; `None` if they are not known.
fn names_of<'v>(value: Value<'v>) -> Option<Box<dyn ExactSizeIterator<Item = &'v str> + 'v>> {
    Some(match value.view() {
        View::Object(entries) | View::Map(entries, _) => Box::new(entries.iter().map(|entry| entry.name)),
        View::Unknown(unknown) => match unknown.ty {
            Type::Object(attributes) => Box::new(attributes.iter().map(|attribute| attribute.name)),
            _ => return None,
        },
        _ => return None,
    })
}

/// Proposes a name, else lists those that an object or map has.
fn instead(name: &str, near: Option<&str>, of: Option<Value<'_>>) -> String {
    match (near, of.and_then(names_of)) {
        (_, None) => String::new(),
        (Some(near), Some(_)) => did_you_mean(name, near),
        (None, Some(names)) if names.len() == 0 => " It is empty.".to_owned(),
        (None, Some(names)) => format!(" It has {}.", listed(names)),
    }
}

fn failure_detail(failure: &Failure, near: Option<&str>) -> String {
    let maybe = |name: &str| near.map_or_else(String::new, |near| did_you_mean(name, near));
    match failure {
        Failure::UnknownVariable { name, .. } => {
            format!("There is no variable \"{name}\" here.{}", maybe(name))
        }
        Failure::VariablesNotAllowed => "Variables cannot be used here.".into(),
        Failure::FunctionsNotAllowed => "Functions cannot be called here.".into(),
        Failure::UnknownFunction { name, .. } => {
            let advice = match of_json_templates(name) {
                Some(hcl) => format!(" Packer's JSON templates have it; in HCL, write {hcl}."),
                None => maybe(name),
            };
            format!("There is no function \"{name}\".{advice}")
        }
        Failure::AmbiguousKey => {
            "Put parentheses around the key to use the value it refers to, or quotes to use its text.".into()
        }
        Failure::Described { detail, .. } => detail.clone().into_owned(),
    }
}

fn of_objects(name: &str, set: bool, known: bool) -> String {
    match (set, known) {
        (true, _) => format!(
            "A set of objects has no attributes of its own. Use a 'for' expression to reach \"{name}\" in all elements."
        ),
        (false, true) => format!(
            "A list of objects has no attributes of its own. Select one element with an index, or \"{name}\" of all elements with a splat: [*].{name}."
        ),
        (false, false) => {
            "A list of objects has no attributes of its own. Select one element with an index, or all with a splat [*].".into()
        }
    }
}

fn none_succeeded(attempts: &[Record<'_>]) -> String {
    let mut text = String::from("All arguments of \"try\" failed:");
    for attempt in attempts {
        text.push_str("\n- ");
        text.push_str(&title(&attempt.fault));
        text.push_str(": ");
        // Nested attempts are named, not repeated, so that the length of the text stays linear.
        match attempt.fault {
            Fault::NoneSucceeded(_) => text.push_str("all of its arguments failed."),
            // Without the names that there are: the list is long enough.
            fault => {
                let fault = fault.with_names(None);
                text.push_str(&detail(&fault, near(&fault, &Comparisons::new())));
            }
        }
    }
    text
}
