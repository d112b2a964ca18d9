//! Tools of all families: kinds of parameters, readers of arguments, and checks of the budget before
//! work. Growing texts are in `text_builder`, sets of values in `value_set`.
//!
//! The protocol of calls has checked and converted the arguments. Once the budget is exhausted,
//! arguments may be placeholders of another type; a reader then returns the empty value of its kind,
//! and the result of the call is discarded.

use hclvm_vm::{
    Accepts, Arena, CallError, Entry, Exhausted, Marks, NumberRef, Parameter, Type, Unknown, Value, View,
};

/// The result of a call.
pub(crate) type CallResult<'a> = Result<Value<'a>, CallError>;

/// The result of a type rule.
pub(crate) type TypeResult<'a> = Result<Type<'a>, CallError>;

/// The type of lists of strings.
pub(crate) const STRINGS: Type<'static> = Type::List(&Type::String);

/// The type of lists whose elements have any one type.
pub(crate) const ANY_LIST: Type<'static> = Type::List(&Type::Dynamic);

/// Creates a parameter of any type.
pub(crate) fn any(name: &str) -> Parameter {
    Parameter::new(name, Type::Dynamic)
}

/// Creates a parameter of any type that leaves the marks of its argument to the body.
pub(crate) fn any_marked(name: &str) -> Parameter {
    any(name).accepting(Accepts::PLAIN.marked())
}

/// Creates a parameter of any type that also takes null and unknown values.
pub(crate) fn anything(name: &str) -> Parameter {
    any(name).accepting(Accepts::PLAIN.null().unknown().dynamic())
}

/// Creates a parameter of type string.
pub(crate) fn string(name: &str) -> Parameter {
    Parameter::new(name, Type::String)
}

/// Creates a parameter of type number.
pub(crate) fn number(name: &str) -> Parameter {
    Parameter::new(name, Type::Number)
}

/// Lets a parameter take arguments of unknown type: the result is then unknown, but its type is known.
pub(crate) fn of_unknown_type(parameter: Parameter) -> Parameter {
    parameter.accepting(Accepts::PLAIN.dynamic())
}

/// Returns an argument.
pub(crate) fn get<'a>(args: &[Value<'a>], index: usize) -> Value<'a> {
    args.get(index).copied().unwrap_or(Value::NULL)
}

/// Returns the text of an argument.
pub(crate) fn text_of<'a>(args: &[Value<'a>], index: usize) -> &'a str {
    get(args, index).as_str().unwrap_or("")
}

/// Returns the number of an argument.
pub(crate) fn number_of<'a>(args: &[Value<'a>], index: usize) -> NumberRef<'a> {
    get(args, index).as_number().or_else(|| Value::ZERO.as_number()).unwrap_or(NumberRef::Decimal(0, 1))
}

/// Returns the integer of an argument. The error is about the call as a whole.
pub(crate) fn integer_of(args: &[Value<'_>], index: usize) -> Result<i64, CallError> {
    number_of(args, index).to_i64().ok_or_else(|| {
        CallError::new("expected a whole number between -9223372036854775808 and 9223372036854775807")
    })
}

/// Returns the integer of an argument. The error is about the argument.
pub(crate) fn integer_argument(args: &[Value<'_>], index: usize) -> Result<i64, CallError> {
    integer_of(args, index).map_err(|error| CallError { argument: Some(index), ..error })
}

/// Returns the elements of a list, set or tuple.
pub(crate) fn items_of(value: Value<'_>) -> &[Value<'_>] {
    value.unmark().0.as_items().unwrap_or(&[])
}

/// Returns the entries of a map or object.
pub(crate) fn entries_of(value: Value<'_>) -> &[Entry<'_>] {
    value.unmark().0.as_entries().unwrap_or(&[])
}

/// Computes a value of two texts; `None` if the budget is exhausted.
type OfTexts = for<'a> fn(&'a Arena, &'a str, &'a str) -> Option<Value<'a>>;

/// The body of a function of two texts.
pub(crate) fn of_texts<'a>(arena: &'a Arena, args: &[Value<'a>], compute: OfTexts) -> CallResult<'a> {
    Ok(compute(arena, text_of(args, 0), text_of(args, 1)).unwrap_or(Value::DYNAMIC))
}

/// The shortcut of a function of two texts.
pub(crate) fn of_plain_texts<'a>(
    arena: &'a Arena,
    args: &[Value<'a>],
    compute: OfTexts,
) -> Option<Value<'a>> {
    let [first, second] = args else { return None };
    compute(arena, first.as_str()?, second.as_str()?)
}

/// Returns true if all arguments are known. The body runs then, and its result determines the type.
pub(crate) fn all_known(args: &[Value<'_>]) -> bool {
    args.iter().all(|arg| arg.is_known())
}

/// The kind of a type without its element types, which is cheap to find for tuples and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeKind {
    /// Of unknown type.
    Dynamic,
    /// A bool, number, string or capsule.
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

/// Returns the kind of a value, which may be null or unknown.
pub(crate) fn kind(value: Value<'_>) -> TypeKind {
    match value.unmark().0.view() {
        View::Null(ty) | View::Unknown(Unknown { ty, .. }) => kind_of_type(ty),
        View::Tuple(_) => TypeKind::Tuple,
        View::Object(_) => TypeKind::Object,
        View::List(..) => TypeKind::List,
        View::Set(..) => TypeKind::Set,
        View::Map(..) => TypeKind::Map,
        View::Bool(_) | View::Number(_) | View::String(_) => TypeKind::Scalar,
        View::Marked(..) | View::Unset => TypeKind::Dynamic,
    }
}

fn kind_of_type(ty: Type<'_>) -> TypeKind {
    match ty {
        Type::Dynamic => TypeKind::Dynamic,
        Type::Bool | Type::Number | Type::String | Type::Capsule(_) => TypeKind::Scalar,
        Type::List(_) => TypeKind::List,
        Type::Set(_) => TypeKind::Set,
        Type::Map(_) => TypeKind::Map,
        Type::Tuple(_) => TypeKind::Tuple,
        Type::Object(_) => TypeKind::Object,
    }
}

impl TypeKind {
    /// Returns true for lists and tuples.
    pub(crate) const fn is_indexed(self) -> bool {
        matches!(self, Self::List | Self::Tuple)
    }

    /// Returns true for lists, sets and tuples.
    pub(crate) const fn is_sequence(self) -> bool {
        matches!(self, Self::List | Self::Set | Self::Tuple)
    }
}

/// Returns the element type of a list, set or map value; `Dynamic` for anything else.
pub(crate) fn element_type(value: Value<'_>) -> Type<'_> {
    match value.unmark().0.view() {
        View::List(_, element) | View::Set(_, element) | View::Map(_, element) => element,
        View::Null(ty) | View::Unknown(Unknown { ty, .. }) => ty.element().unwrap_or(Type::Dynamic),
        _ => Type::Dynamic,
    }
}

/// Returns the type of lists of `element`.
pub(crate) fn list_type<'a>(arena: &'a Arena, element: Type<'a>) -> Type<'a> {
    Type::List(arena.item(element))
}

/// Charges for a text of `bytes`. Returns false if it exceeds a limit.
pub fn may_make_text(arena: &Arena, bytes: usize) -> bool {
    if bytes > arena.budget().limits().text_bytes {
        arena.budget().exhaust(Exhausted::Text);
    }
    arena.charge(bytes as u64) && arena.has_room(bytes)
}

/// Charges for `count` elements. Returns false if they exceed a limit.
pub fn may_make_items(arena: &Arena, count: usize) -> bool {
    arena.charge(count as u64) && arena.has_room(count.saturating_mul(size_of::<Value<'_>>()))
}

/// Charges for reading a text character by character, for functions whose result may be short. Returns
/// false if the budget is exhausted.
pub(crate) fn may_read(arena: &Arena, text: &str) -> bool {
    arena.spend((text.len() / 16) as u64)
}

/// Charges for the comparisons that sort `texts` into a sequence of `count`, which are expensive for
/// long texts. Returns false if the budget is exhausted.
pub(crate) fn may_order<'t>(arena: &Arena, count: usize, mut texts: impl Iterator<Item = &'t str>) -> bool {
    texts.all(|text| arena.put_in_order(text, count))
}

/// Collects elements into the arena.
pub(crate) fn collect<'a>(arena: &'a Arena, items: impl Iterator<Item = Value<'a>>) -> &'a [Value<'a>] {
    let mut all = arena.list();
    all.extend(items);
    all.into_bump_slice()
}

/// Returns the value without its own marks, which are added to `others`.
pub(crate) fn take_marks<'a>(arena: &'a Arena, value: Value<'a>, others: &mut Marks<'a>) -> Value<'a> {
    let (inner, own) = value.unmark();
    *others = others.union(arena, own);
    inner
}
