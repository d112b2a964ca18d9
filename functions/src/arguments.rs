//! Reading arguments, and making results within the budget of the evaluation.
//!
//! The protocol of calls has checked and converted the arguments before. A reader whose
//! argument still is not what the parameter promises (an evaluation out of budget hands on
//! placeholders) answers with the empty value of its kind; nobody sees the result.

use hclvm_vm::{
    Accepts, Arena, CallError, Entry, Exhausted, Marks, NumberRef, Parameter, Type, Unknown, Value, View,
};

/// What a call returns.
pub(crate) type Outcome<'a> = Result<Value<'a>, CallError>;

/// What a type rule returns.
pub(crate) type TypeOutcome<'a> = Result<Type<'a>, CallError>;

/// A list of strings.
pub(crate) const STRINGS: Type<'static> = Type::List(&Type::String);

/// A list of elements of any one type.
pub(crate) const ANY_LIST: Type<'static> = Type::List(&Type::Dynamic);

/// A parameter of any type.
pub(crate) fn any(name: &str) -> Parameter {
    Parameter::new(name, Type::Dynamic)
}

/// A parameter of any type that leaves the marks of its argument to the body.
pub(crate) fn any_marked(name: &str) -> Parameter {
    any(name).accepting(Accepts::PLAIN.marked())
}

/// A parameter of any type that takes null and unknown values too.
pub(crate) fn anything(name: &str) -> Parameter {
    any(name).accepting(Accepts::PLAIN.null().unknown().dynamic())
}

/// A parameter of texts.
pub(crate) fn string(name: &str) -> Parameter {
    Parameter::new(name, Type::String)
}

/// A parameter of numbers.
pub(crate) fn number(name: &str) -> Parameter {
    Parameter::new(name, Type::Number)
}

/// The same parameter; an argument of unknown type then makes the result unknown, but not of
/// unknown type.
pub(crate) fn of_unknown_type(parameter: Parameter) -> Parameter {
    parameter.accepting(Accepts::PLAIN.dynamic())
}

/// An argument.
pub(crate) fn get<'a>(args: &[Value<'a>], index: usize) -> Value<'a> {
    args.get(index).copied().unwrap_or(Value::NULL)
}

/// The text of an argument.
pub(crate) fn text_of<'a>(args: &[Value<'a>], index: usize) -> &'a str {
    get(args, index).as_str().unwrap_or("")
}

/// The number of an argument.
pub(crate) fn number_of<'a>(args: &[Value<'a>], index: usize) -> NumberRef<'a> {
    get(args, index).as_number().or_else(|| Value::ZERO.as_number()).unwrap_or(NumberRef::Decimal(0, 1))
}

/// The integer of an argument; the failure blames the call.
pub(crate) fn integer_of(args: &[Value<'_>], index: usize) -> Result<i64, CallError> {
    number_of(args, index).to_i64().ok_or_else(|| {
        CallError::new("a whole number is required, between -9223372036854775808 and 9223372036854775807")
    })
}

/// The integer of an argument; the failure blames the argument.
pub(crate) fn integer_argument(args: &[Value<'_>], index: usize) -> Result<i64, CallError> {
    integer_of(args, index).map_err(|error| CallError { argument: Some(index), ..error })
}

/// The elements of a list, set or tuple.
pub(crate) fn items_of(value: Value<'_>) -> &[Value<'_>] {
    value.unmark().0.as_items().unwrap_or(&[])
}

/// The entries of a map or object.
pub(crate) fn entries_of(value: Value<'_>) -> &[Entry<'_>] {
    value.unmark().0.as_entries().unwrap_or(&[])
}

/// Whether all arguments are known, so that the body will run and its result shows the type.
pub(crate) fn all_known(args: &[Value<'_>]) -> bool {
    args.iter().all(|arg| arg.is_known())
}

/// The kind of a value without its members; cheap for tuples and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Of unknown type.
    Dynamic,
    /// Bool, number, string or a host's own type.
    Scalar,
    /// A list.
    List,
    /// A set.
    Set,
    /// A map.
    Map,
    /// A tuple.
    Tuple,
    /// An object.
    Object,
}

/// The kind of a value, null or unknown ones included.
pub(crate) fn kind(value: Value<'_>) -> Kind {
    match value.unmark().0.view() {
        View::Null(ty) | View::Unknown(Unknown { ty, .. }) => kind_of_type(ty),
        View::Tuple(_) => Kind::Tuple,
        View::Object(_) => Kind::Object,
        View::List(..) => Kind::List,
        View::Set(..) => Kind::Set,
        View::Map(..) => Kind::Map,
        View::Bool(_) | View::Number(_) | View::String(_) => Kind::Scalar,
        View::Marked(..) | View::Unset => Kind::Dynamic,
    }
}

fn kind_of_type(ty: Type<'_>) -> Kind {
    match ty {
        Type::Dynamic => Kind::Dynamic,
        Type::Bool | Type::Number | Type::String | Type::Capsule(_) => Kind::Scalar,
        Type::List(_) => Kind::List,
        Type::Set(_) => Kind::Set,
        Type::Map(_) => Kind::Map,
        Type::Tuple(_) => Kind::Tuple,
        Type::Object(_) => Kind::Object,
    }
}

impl Kind {
    /// List or tuple.
    pub(crate) const fn is_indexed(self) -> bool {
        matches!(self, Self::List | Self::Tuple)
    }

    /// List, set or tuple.
    pub(crate) const fn is_sequence(self) -> bool {
        matches!(self, Self::List | Self::Set | Self::Tuple)
    }
}

/// The element type of a list, set or map value; `Dynamic` for anything else.
pub(crate) fn element_type(value: Value<'_>) -> Type<'_> {
    match value.unmark().0.view() {
        View::List(_, element) | View::Set(_, element) | View::Map(_, element) => element,
        View::Null(ty) | View::Unknown(Unknown { ty, .. }) => ty.element().unwrap_or(Type::Dynamic),
        _ => Type::Dynamic,
    }
}

/// A type that contains `element` by reference.
pub(crate) fn list_type<'a>(arena: &'a Arena, element: Type<'a>) -> Type<'a> {
    Type::List(arena.item(element))
}

/// Spends what a text of `bytes` costs; false when it may not be made.
pub fn may_make_text(arena: &Arena, bytes: usize) -> bool {
    if bytes > arena.budget().limits().text_bytes {
        arena.budget().exhaust(Exhausted::Text);
    }
    arena.charge(bytes as u64) && arena.has_room(bytes)
}

/// Spends what `count` elements cost; false when they may not be made.
pub fn may_make_items(arena: &Arena, count: usize) -> bool {
    arena.charge(count as u64) && arena.has_room(count.saturating_mul(size_of::<Value<'_>>()))
}

/// Spends what reading a text character by character costs; false when there is not enough left.
/// For functions whose result may be as short as it likes.
pub(crate) fn may_read(arena: &Arena, text: &str) -> bool {
    arena.spend((text.len() / 16) as u64)
}

/// Spends what comparing texts with each other costs to put them in order, where they are long: each
/// of `count` meets some of the others. False when there is not enough left.
pub(crate) fn may_order<'t>(arena: &Arena, count: usize, mut texts: impl Iterator<Item = &'t str>) -> bool {
    texts.all(|text| arena.put_in_order(text, count))
}

/// Elements collected into the arena.
pub(crate) fn collect<'a>(arena: &'a Arena, items: impl Iterator<Item = Value<'a>>) -> &'a [Value<'a>] {
    let mut all = arena.list();
    all.extend(items);
    all.into_bump_slice()
}

/// The value without its own marks, and those marks together with `others`.
pub(crate) fn take_marks<'a>(arena: &'a Arena, value: Value<'a>, others: &mut Marks<'a>) -> Value<'a> {
    let (inner, own) = value.unmark();
    *others = others.union(arena, own);
    inner
}
