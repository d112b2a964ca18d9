//! The messages about type expressions.
//!
//! Titles and places are the reference's, the sentences our own, as in [`crate::diagnostic`], whose
//! messages refer to ranges instead of nodes.

use std::borrow::Cow;

use hclvm_vm::{Diagnostic, Mismatch, Place, Record, nearest};

use crate::locate::locate;
use crate::syntax::tree::{NodeId, Tree};

/// A problem of a type expression, at a part of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeProblem {
    /// The node.
    pub node: NodeId,
    /// The part of the node.
    pub place: Place,
    /// The established title.
    pub title: Cow<'static, str>,
    /// The sentence.
    pub detail: Cow<'static, str>,
    /// The enclosing type expression.
    pub around: Option<NodeId>,
}

impl TypeProblem {
    /// Converts the problem to a diagnostic about the text of the tree.
    pub fn diagnostic(&self, tree: &Tree) -> Diagnostic {
        let (subject, context) = locate(tree, self.node, self.place);
        let mut diagnostic = Diagnostic::error(self.title.clone(), self.detail.clone(), subject);
        diagnostic.context = self.around.map(|node| tree.span(node)).or(context);
        diagnostic
    }

    /// Converts a fault of the evaluation of a default, whose nodes are counted from `first`.
    pub(super) fn of_fault(record: &Record<'_>, first: NodeId) -> Self {
        Self {
            node: NodeId(first.0 + record.node),
            place: record.place,
            title: record.fault.title(),
            detail: record.fault.detail().into(),
            around: None,
        }
    }

    fn within(mut self, around: NodeId) -> Self {
        self.around = Some(around);
        self
    }
}

/// The types that are written as one word.
const KEYWORDS: [&str; 4] = ["any", "bool", "number", "string"];

const TITLE: &str = "Invalid type specification";

fn invalid(detail: impl Into<Cow<'static, str>>, node: NodeId, place: Place) -> TypeProblem {
    TypeProblem { node, place, title: TITLE.into(), detail: detail.into(), around: None }
}

/// Returns the problem of an expression that denotes no type.
pub fn not_a_type(node: NodeId) -> TypeProblem {
    let detail = "Expected a type: one of `bool`, `number` and `string`, or a type constructor with its argument, such as `list(string)`.";
    invalid(detail, node, Place::Node)
}

pub(super) fn any_is_inexact(node: NodeId) -> TypeProblem {
    invalid("`any` leaves the type open, but an exact type is required here.", node, Place::Node)
}

pub(super) fn unknown_keyword(word: &str, node: NodeId) -> TypeProblem {
    let of_others = || match word {
        "boolean" => Some("bool"),
        "double" | "float" | "int" | "integer" => Some("number"),
        "str" | "text" => Some("string"),
        _ => None,
    };
    let near = nearest(word, KEYWORDS).or_else(of_others);
    let hint = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
    invalid(format!("There is no type `{word}`.{hint}"), node, Place::Node)
}

/// A constructor without its one argument, or with more.
pub(super) fn argument_needed(name: &str, node: NodeId, place: Place) -> TypeProblem {
    let what = match name {
        "object" => "the attributes with their types, such as `object({name = string})`",
        "tuple" => "the list of the types of its elements, such as `tuple([string, number])`",
        "set" => "the type of its elements, such as `set(string)`",
        "map" => "the type of its elements, such as `map(string)`",
        _ => "the type of its elements, such as `list(string)`",
    };
    invalid(format!("The type constructor `{name}` takes one argument: {what}."), node, place)
}

pub(super) fn no_arguments(name: &str, node: NodeId) -> TypeProblem {
    invalid(format!("The type `{name}` takes no arguments."), node, Place::Arguments)
}

pub(super) fn unknown_constructor(name: &str, node: NodeId) -> TypeProblem {
    let detail =
        format!("There is no type constructor `{name}`. Use `list`, `set`, `map`, `object` or `tuple`.");
    invalid(detail, node, Place::Node)
}

pub(super) fn misplaced_optional(node: NodeId) -> TypeProblem {
    let detail = "`optional` is not a type: it can only modify the type of an attribute of an object.";
    invalid(detail, node, Place::FunctionName)
}

pub(super) fn list_needed(node: NodeId, around: NodeId) -> TypeProblem {
    invalid("Expected a list of types in square brackets as the argument of `tuple`.", node, Place::Node)
        .within(around)
}

pub(super) fn map_needed(node: NodeId, around: NodeId) -> TypeProblem {
    let detail = "Expected attribute names and their types in braces as the argument of `object`.";
    invalid(detail, node, Place::Node).within(around)
}

pub(super) fn name_needed(key: NodeId, around: NodeId) -> TypeProblem {
    let detail = "Expected the name of an attribute, without quotes or parentheses.";
    invalid(detail, key, Place::Node).within(around)
}

pub(super) fn name_taken(name: &str, key: NodeId, around: NodeId) -> TypeProblem {
    let detail = format!("The object type already has an attribute `{name}`; each name can be used once.");
    invalid(detail, key, Place::Node).within(around)
}

pub(super) fn optional_needs_type(node: NodeId) -> TypeProblem {
    invalid("`optional` takes the type of the attribute as its argument.", node, Place::Arguments)
}

pub(super) fn optional_takes_one(node: NodeId) -> TypeProblem {
    let detail = "`optional` takes one argument here, the type of the attribute. Defaults are not allowed.";
    invalid(detail, node, Place::Arguments)
}

pub(super) fn optional_takes_two(node: NodeId) -> TypeProblem {
    let detail = "`optional` takes the type of the attribute and a default value, no further arguments.";
    invalid(detail, node, Place::Arguments)
}

pub(super) fn optional_is_inexact(node: NodeId) -> TypeProblem {
    let detail = "An exact type is required here, so no attribute can be optional.";
    invalid(detail, node, Place::FunctionName)
}

pub(super) fn unfitting_default(mismatch: &Mismatch<'_>, node: NodeId) -> TypeProblem {
    TypeProblem {
        title: "Invalid default value for optional attribute".into(),
        ..invalid(
            format!("The default value does not fit the type of its attribute: {mismatch}."),
            node,
            Place::Node,
        )
    }
}

pub(super) fn endless_default(node: NodeId) -> TypeProblem {
    TypeProblem {
        title: "Invalid default value for optional attribute".into(),
        ..invalid("Evaluating the default value exceeds the limit of work or memory.", node, Place::Node)
    }
}

pub(super) fn large_default(node: NodeId) -> TypeProblem {
    TypeProblem {
        title: "Invalid default value for optional attribute".into(),
        ..invalid("The default value is too large an expression to be compiled.", node, Place::Node)
    }
}
