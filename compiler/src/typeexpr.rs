//! Type expressions: `list(string)`, `object({a = string, b = optional(number, 3)})`, `any`.
//!
//! They are read from the tree as syntax and not evaluated, except defaults. Names of types are
//! keywords here, which variables or functions of the same name do not hide. All problems of an
//! expression are returned at once.
//!
//! ```text
//! Type       = "string" | "number" | "bool" | "any" | Collection | Object | Tuple
//! Collection = ( "list" | "set" | "map" ) "(" Type ")"
//! Object     = "object" "(" "{" { name "=" ( Type | "optional" "(" Type [ "," default ] ")" ) } "}" ")"
//! Tuple      = "tuple" "(" "[" { Type } "]" ")"
//! ```

mod default_value;
mod defaults;
mod display;
mod problem;

use std::collections::{BTreeMap, HashSet};

use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, AttributeType, Limits, OwnedValue, Place, Type, Value, convert};
use smol_str::SmolStr;

pub use defaults::{Defaults, convert_with_defaults};
pub use display::type_string;
pub use problem::{TypeProblem, not_a_type};

use crate::analysis;
use crate::limits::ParseLimits;
use crate::syntax::parser::parse_expression;
use crate::syntax::tree::{Call, Node, NodeId, Tree};
use defaults::Children;

/// The constructs that a type expression may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeMode {
    /// A type: neither `any` nor optional attributes.
    Exact,
    /// A constraint: also `any` and `optional(type)`.
    Constraint,
    /// A constraint whose optional attributes may have a default: `optional(type, default)`.
    WithDefaults,
}

/// The type that a type expression denotes, with the defaults in it.
#[derive(Clone, Debug)]
pub struct TypeWithDefaults<'a> {
    /// The type.
    pub ty: Type<'a>,
    /// The values of missing optional attributes, if the expression has defaults.
    pub defaults: Option<Defaults>,
}

impl<'a> TypeWithDefaults<'a> {
    const fn plain(ty: Type<'a>) -> Self {
        Self { ty, defaults: None }
    }
}

/// Returns the type that the expression `node` denotes.
///
/// # Errors
/// All parts of it that are not type expressions of that mode.
pub fn type_of_expression<'a>(
    tree: &Tree,
    node: NodeId,
    mode: TypeMode,
    arena: &'a Arena,
) -> Result<TypeWithDefaults<'a>, Vec<TypeProblem>> {
    let scratch = Arena::with_limits(DEFAULTS);
    let mut reader = TypeReader { tree, mode, arena, scratch: &scratch, problems: Vec::new() };
    let found = reader.ty(node);
    if reader.problems.is_empty() { Ok(found) } else { Err(reader.problems) }
}

/// Limits of evaluating the defaults of one type expression together. They are constants without
/// variables and functions, so only a loop written to be expensive gets near.
const DEFAULTS: Limits = Limits { fuel: 1_000_000, arena_bytes: 16 << 20, ..Limits::UNTRUSTED };

/// A type constructor that takes one argument.
#[derive(Clone, Copy)]
enum TypeConstructor {
    List,
    Set,
    Map,
    Object,
    Tuple,
}

impl TypeConstructor {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "list" => Self::List,
            "set" => Self::Set,
            "map" => Self::Map,
            "object" => Self::Object,
            "tuple" => Self::Tuple,
            _ => return None,
        })
    }
}

/// Reader of one type expression. A part that is not a type reads as `any`, so that reading continues
/// after it.
struct TypeReader<'t, 'a> {
    tree: &'t Tree,
    mode: TypeMode,
    arena: &'a Arena,
    /// The arena in which defaults are evaluated.
    scratch: &'t Arena,
    problems: Vec<TypeProblem>,
}

impl<'a> TypeReader<'_, 'a> {
    /// Records a problem and returns the type `any`.
    fn refuse(&mut self, problem: TypeProblem) -> TypeWithDefaults<'a> {
        self.problems.push(problem);
        TypeWithDefaults::plain(Type::Dynamic)
    }

    /// `Type`
    fn ty(&mut self, node: NodeId) -> TypeWithDefaults<'a> {
        let tree = self.tree;
        if let Node::JsonString { text, .. } = tree.node(node) {
            return self.written_in_json(tree.text(text), node);
        }
        match analysis::keyword(tree, node) {
            Some(word) => self.keyword(word, node),
            None => match analysis::call(tree, node) {
                Ok(call) => self.call(call, node),
                Err(_) => self.refuse(problem::not_a_type(node)),
            },
        }
    }

    /// A type in a JSON string, which contains an expression. Its problems are reported for the whole
    /// string.
    fn written_in_json(&mut self, text: &str, node: NodeId) -> TypeWithDefaults<'a> {
        let parsed = parse_expression(text, &ParseLimits::default());
        let whole = |title, detail| TypeProblem { node, place: Place::Node, title, detail, around: None };
        if !parsed.diagnostics.is_empty() {
            let found = parsed.diagnostics.into_iter().map(|problem| whole(problem.title, problem.detail));
            self.problems.extend(found);
            return TypeWithDefaults::plain(Type::Dynamic);
        }
        type_of_expression(&parsed.tree, parsed.root, self.mode, self.arena).unwrap_or_else(|problems| {
            let found = problems.into_iter().map(|problem| whole(problem.title, problem.detail));
            self.problems.extend(found);
            TypeWithDefaults::plain(Type::Dynamic)
        })
    }

    /// `"string" | "number" | "bool" | "any"`
    fn keyword(&mut self, word: &str, node: NodeId) -> TypeWithDefaults<'a> {
        TypeWithDefaults::plain(match word {
            "bool" => Type::Bool,
            "number" => Type::Number,
            "string" => Type::String,
            "any" if self.mode == TypeMode::Exact => return self.refuse(problem::any_is_inexact(node)),
            "any" => Type::Dynamic,
            _ if TypeConstructor::named(word).is_some() => {
                return self.refuse(problem::argument_needed(word, node, Place::Node));
            }
            _ => return self.refuse(problem::unknown_keyword(word, node)),
        })
    }

    /// `Collection | Object | Tuple`
    fn call(&mut self, call: &Call, node: NodeId) -> TypeWithDefaults<'a> {
        let name = call.name.as_str();
        let args = self.tree.list(call.args);
        match (name, TypeConstructor::named(name), args) {
            ("bool" | "number" | "string" | "any", ..) => self.refuse(problem::no_arguments(name, node)),
            (_, Some(constructor), [content]) => self.construct(constructor, *content, node),
            (_, Some(_), []) => self.refuse(problem::argument_needed(name, node, Place::Arguments)),
            (_, Some(_), _) => self.refuse(problem::argument_needed(name, node, Place::MoreArguments)),
            ("optional", ..) => self.refuse(problem::misplaced_optional(node)),
            _ => self.refuse(problem::unknown_constructor(name, node)),
        }
    }

    fn construct(
        &mut self,
        constructor: TypeConstructor,
        content: NodeId,
        node: NodeId,
    ) -> TypeWithDefaults<'a> {
        match constructor {
            TypeConstructor::List => self.collection(content, Type::List),
            TypeConstructor::Set => self.collection(content, Type::Set),
            TypeConstructor::Map => self.collection(content, Type::Map),
            TypeConstructor::Object => self.object(content, node),
            TypeConstructor::Tuple => self.tuple(content, node),
        }
    }

    /// `Collection`, after its name.
    fn collection(&mut self, element: NodeId, make: fn(&'a Type<'a>) -> Type<'a>) -> TypeWithDefaults<'a> {
        let element = self.ty(element);
        let defaults = element.defaults.map(Defaults::of_elements);
        TypeWithDefaults { ty: make(self.arena.item(element.ty)), defaults }
    }

    /// `Tuple`, after its name.
    fn tuple(&mut self, content: NodeId, node: NodeId) -> TypeWithDefaults<'a> {
        let Ok(items) = analysis::list(self.tree, content) else {
            return self.refuse(problem::list_needed(content, node));
        };
        let mut types = self.arena.list();
        let mut children = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            let found = self.ty(*item);
            types.push(found.ty);
            children.extend(found.defaults.map(|defaults| (at, defaults)));
        }
        let defaults = Defaults::new(BTreeMap::new(), Children::Items(children));
        TypeWithDefaults { ty: Type::Tuple(types.into_bump_slice()), defaults }
    }

    /// `Object`, after its name.
    fn object(&mut self, content: NodeId, node: NodeId) -> TypeWithDefaults<'a> {
        let tree = self.tree;
        let Ok(items) = analysis::map(tree, content) else {
            return self.refuse(problem::map_needed(content, node));
        };
        let mut attributes = self.arena.list();
        let mut seen = HashSet::new();
        let (mut values, mut children) = (BTreeMap::new(), BTreeMap::new());
        for (key, value) in items {
            let Some(name) = analysis::keyword(tree, key) else {
                self.refuse(problem::name_needed(key, node));
                continue;
            };
            let name = nfc(self.arena, self.arena.text(name));
            if !seen.insert(name) {
                self.refuse(problem::name_taken(name, key, node));
                continue;
            }
            let Some(attribute) = self.attribute(name, value) else { continue };
            attributes.push(attribute.ty);
            values.extend(attribute.default.map(|value| (SmolStr::new(name), value)));
            children.extend(attribute.defaults.map(|defaults| (SmolStr::new(name), defaults)));
        }
        attributes.sort_unstable_by_key(|attribute| attribute.name);
        let defaults = Defaults::new(values, Children::Attributes(children));
        TypeWithDefaults { ty: Type::Object(attributes.into_bump_slice()), defaults }
    }

    /// `Type | "optional" "(" Type [ "," default ] ")"`: an attribute of an object.
    fn attribute(&mut self, name: &'a str, value: NodeId) -> Option<AttributeConstraint<'a>> {
        let tree = self.tree;
        let modifier = analysis::call(tree, value).ok().filter(|call| call.name == "optional");
        let Some(call) = modifier else {
            let found = self.ty(value);
            let ty = AttributeType { name, ty: found.ty, optional: false };
            return Some(AttributeConstraint { ty, default: None, defaults: found.defaults });
        };
        let args = tree.list(call.args);
        let Some(ty) = args.first() else {
            self.refuse(problem::optional_needs_type(value));
            return None;
        };
        let (optional, default) = self.modifier(value, args);
        let found = self.ty(*ty);
        let default = default.and_then(|(at, default)| self.fitting(at, default, found.ty));
        let ty = AttributeType { name, ty: found.ty, optional };
        Some(AttributeConstraint { ty, default, defaults: found.defaults })
    }

    /// Returns whether the modifier makes the attribute optional, and the default with its expression.
    fn modifier(&mut self, node: NodeId, args: &[NodeId]) -> (bool, Option<(NodeId, Value<'a>)>) {
        match (self.mode, args) {
            (TypeMode::Exact, _) => {
                self.refuse(problem::optional_is_inexact(node));
                (false, None)
            }
            (_, [_]) => (true, None),
            (TypeMode::WithDefaults, [_, default]) => {
                match default_value::evaluate(self.tree, *default, self.scratch, self.arena) {
                    Ok(value) => (true, Some((*default, value))),
                    Err(problems) => {
                        self.problems.extend(problems);
                        (false, None)
                    }
                }
            }
            (TypeMode::WithDefaults, _) => {
                self.refuse(problem::optional_takes_two(node));
                (false, None)
            }
            (TypeMode::Constraint, _) => {
                self.refuse(problem::optional_takes_one(node));
                (false, None)
            }
        }
    }

    /// Converts a default to the type of its attribute.
    fn fitting(&mut self, node: NodeId, value: Value<'a>, ty: Type<'a>) -> Option<OwnedValue> {
        match convert(self.arena, value, ty) {
            Ok(value) => Some(OwnedValue::new(value)),
            Err(mismatch) => {
                self.refuse(problem::unfitting_default(&mismatch, node));
                None
            }
        }
    }
}

/// An attribute of an object type.
struct AttributeConstraint<'a> {
    ty: AttributeType<'a>,
    /// The value if the attribute is missing.
    default: Option<OwnedValue>,
    /// The defaults inside its value.
    defaults: Option<Defaults>,
}
