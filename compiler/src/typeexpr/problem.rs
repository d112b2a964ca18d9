//! What can be wrong with a type expression, and where.

use std::borrow::Cow;

use hclvm_vm::{Diagnostic, Mismatch, Place, Record};

use crate::locate::locate;
use crate::syntax::tree::{NodeId, Tree};

/// A problem of a type expression at a part of a node.
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
    /// The type expression around it.
    pub around: Option<NodeId>,
}

impl TypeProblem {
    /// The problem as a diagnostic about the text that the tree was made from.
    pub fn diagnostic(&self, tree: &Tree) -> Diagnostic {
        let (subject, context) = locate(tree, self.node, self.place);
        let mut diagnostic = Diagnostic::error(self.title.clone(), self.detail.clone(), subject);
        diagnostic.context = self.around.map(|node| tree.span(node)).or(context);
        diagnostic
    }

    /// A fault of a default's evaluation, whose nodes are counted from `first`.
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

const TITLE: &str = "Invalid type specification";

fn invalid(detail: impl Into<Cow<'static, str>>, node: NodeId, place: Place) -> TypeProblem {
    TypeProblem { node, place, title: TITLE.into(), detail: detail.into(), around: None }
}

pub(super) fn not_a_type(node: NodeId) -> TypeProblem {
    let detail = "A type is the keyword bool, number or string, or a type constructor with its argument, such as list(string).";
    invalid(detail, node, Place::Node)
}

pub(super) fn any_is_inexact(node: NodeId) -> TypeProblem {
    invalid("The keyword \"any\" leaves the type open, but an exact type is needed here.", node, Place::Node)
}

pub(super) fn unknown_keyword(word: &str, node: NodeId) -> TypeProblem {
    invalid(format!("There is no type with the keyword \"{word}\"."), node, Place::Node)
}

/// A constructor without its one argument, or with more.
pub(super) fn argument_needed(name: &str, node: NodeId, place: Place) -> TypeProblem {
    let what = match name {
        "object" => "a map of attribute names and their types, such as object({name = string})",
        "tuple" => "a list of the types of its elements, such as tuple([string, number])",
        "set" => "the type of the elements, such as set(string)",
        "map" => "the type of the elements, such as map(string)",
        _ => "the type of the elements, such as list(string)",
    };
    invalid(format!("The type constructor {name} takes one argument: {what}."), node, place)
}

pub(super) fn no_arguments(name: &str, node: NodeId) -> TypeProblem {
    invalid(
        format!("The keyword \"{name}\" is a type by itself and takes no arguments."),
        node,
        Place::Arguments,
    )
}

pub(super) fn unknown_constructor(name: &str, node: NodeId) -> TypeProblem {
    let detail = format!(
        "There is no type constructor \"{name}\". The constructors are list, set, map, object and tuple."
    );
    invalid(detail, node, Place::Node)
}

pub(super) fn misplaced_optional(node: NodeId) -> TypeProblem {
    let detail = "The keyword \"optional\" is no type: it can only stand around the type of an attribute of an object.";
    invalid(detail, node, Place::FunctionName)
}

pub(super) fn list_needed(node: NodeId, around: NodeId) -> TypeProblem {
    invalid("The argument of tuple is a list of types between square brackets.", node, Place::Node)
        .within(around)
}

pub(super) fn map_needed(node: NodeId, around: NodeId) -> TypeProblem {
    let detail = "The argument of object is a map between braces: each key the name of an attribute, each value its type.";
    invalid(detail, node, Place::Node).within(around)
}

pub(super) fn name_needed(key: NodeId, around: NodeId) -> TypeProblem {
    let detail = "A key of an object type is the name of an attribute, without quotes or parentheses.";
    invalid(detail, key, Place::Node).within(around)
}

pub(super) fn name_taken(name: &str, key: NodeId, around: NodeId) -> TypeProblem {
    let detail = format!("The object type has an attribute \"{name}\" already; each name can be used once.");
    invalid(detail, key, Place::Node).within(around)
}

pub(super) fn optional_needs_type(node: NodeId) -> TypeProblem {
    invalid("The modifier optional takes the type of the attribute as its argument.", node, Place::Arguments)
}

pub(super) fn optional_takes_one(node: NodeId) -> TypeProblem {
    let detail =
        "The modifier optional takes one argument here: the type of the attribute. It cannot have a default.";
    invalid(detail, node, Place::Arguments)
}

pub(super) fn optional_takes_two(node: NodeId) -> TypeProblem {
    let detail =
        "The modifier optional takes the type of the attribute and a default value, and nothing more.";
    invalid(detail, node, Place::Arguments)
}

pub(super) fn optional_is_inexact(node: NodeId) -> TypeProblem {
    let detail = "An exact type is needed here, so no attribute can be optional.";
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
        ..invalid("The default value needs more work or memory than the limits allow.", node, Place::Node)
    }
}

pub(super) fn large_default(node: NodeId) -> TypeProblem {
    TypeProblem {
        title: "Invalid default value for optional attribute".into(),
        ..invalid("The expression of the default value is too large to be compiled.", node, Place::Node)
    }
}
