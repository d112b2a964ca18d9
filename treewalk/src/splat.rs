//! Splats: `source[*]each` and `source.*each`. `for` expressions are in `iteration`.

use hclvm_compiler::tree::NodeId;
use hclvm_vm::{Fault, Marks, Place, Record, Refinement, Type, Unknown, Value, View};

use crate::names::Names;
use crate::walk::{Found, Walk};

impl<'a> Walk<'_, 'a> {
    /// Evaluates a splat. Lists and sets give a list, tuples a tuple. Any other value is treated as a tuple
    /// of one element, or of none if it is null.
    pub(crate) fn splat(
        &self,
        id: NodeId,
        (source, mut faults): Found<'a>,
        each: NodeId,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let (plain, _) = source.unmark();
        let marks = self.note_own(&[source]);
        if !faults.is_empty() {
            self.give_up(&mut faults, self.all_marks(&[source]));
            return (Value::DYNAMIC, faults);
        }
        let ty = plain.type_of(self.arena);
        if plain.is_null() {
            if ty.is_sequence() {
                faults.push(self.record_under(marks, Fault::SplatNull, id, Place::Source));
                return (Value::DYNAMIC, faults);
            }
            return (Value::tuple(self.arena, &[]).with_marks(self.arena, marks), faults);
        }
        if ty.is_dynamic() {
            return (Value::DYNAMIC.with_marks(self.arena, marks), faults);
        }
        let inside = self.among(marks);
        if !ty.is_sequence() {
            return inside.splat_of_one(source, marks, each, names);
        }
        match plain.view() {
            View::Tuple(items) => inside.splat_of_items(id, (items, ty), marks, each, names),
            View::List(items, _) | View::Set(items, _) => {
                inside.splat_of_items(id, (items, ty), marks, each, names)
            }
            _ => inside.splat_of_unknown(plain, marks, each, names),
        }
    }

    /// Evaluates a splat over a value that is not a sequence. If the value may be null, the number of
    /// elements is unknown, and `each` is evaluated for its faults only. Marks also stay on the element.
    fn splat_of_one(
        &self,
        source: Value<'a>,
        marks: Marks<'a>,
        each: NodeId,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let may_be_null =
            matches!(source.unmark().0.view(), View::Unknown(unknown) if !unknown.refinement.not_null);
        let (value, mut faults) = self.each(source, each, names);
        self.give_up(&mut faults, self.all_marks(&[value]));
        let result = if may_be_null {
            Value::DYNAMIC
        } else if faults.is_empty() {
            Value::tuple(self.arena, self.arena.slice(&[value]))
        } else {
            let ty = Type::Tuple(self.arena.slice(&[source.type_of(self.arena)]));
            Value::unknown_of(self.arena, self.result_type(ty, each, names).0)
        };
        (result.with_marks(self.arena, marks), faults)
    }

    fn splat_of_unknown(
        &self,
        source: Value<'a>,
        marks: Marks<'a>,
        each: NodeId,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let (ty, faults) = self.result_type(source.type_of(self.arena), each, names);
        let mut refinement = Refinement::not_null();
        if matches!(ty, Type::List(_)) {
            (refinement.min_len, refinement.max_len) = source.length_range();
        }
        (Unknown { ty, refinement }.settle(self.arena).with_marks(self.arena, marks), faults)
    }

    /// Evaluates a splat over a known sequence of type `ty`. After a fault only the type of the result is known.
    fn splat_of_items(
        &self,
        id: NodeId,
        (items, ty): (&'a [Value<'a>], Type<'a>),
        marks: Marks<'a>,
        each: NodeId,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let (mut values, mut faults) = (self.arena.list(), Vec::new());
        for item in items {
            if !self.arena.charge(1) {
                break;
            }
            let (value, own) = self.each(*item, each, names);
            values.push(value);
            faults.extend(own);
        }
        let is_tuple = matches!(ty, Type::Tuple(_));
        let result = if !faults.is_empty() {
            self.give_up(&mut faults, self.all_marks(&values));
            Value::unknown_of(self.arena, self.result_type(ty, each, names).0)
        } else if is_tuple {
            Value::tuple(self.arena, values.into_bump_slice())
        } else if values.is_empty() {
            let (ty, own) = self.result_type(ty, each, names);
            faults.extend(own);
            Value::list(self.arena, &[], ty.element().unwrap_or(Type::Dynamic))
        } else if let Some(list) = self.list_of(&values) {
            list
        } else {
            let marks = marks.union(self.arena, self.all_marks(&values));
            faults.push(self.record_under(marks, Fault::SplatTypes, id, Place::Each));
            return (Value::DYNAMIC, faults);
        };
        (result.with_marks(self.arena, marks), faults)
    }

    fn each(&self, item: Value<'a>, each: NodeId, names: Names<'_, 'a>) -> Found<'a> {
        self.expr(each, names.with_item(item).names())
    }

    /// Returns the type of `each` for elements of which only the type is known, and its faults.
    fn result_type(
        &self,
        source: Type<'a>,
        each: NodeId,
        names: Names<'_, 'a>,
    ) -> (Type<'a>, Vec<Record<'a>>) {
        let of = |ty: Type<'a>| {
            let (value, faults) = self.each(Value::unknown_of(self.arena, ty), each, names);
            (value.type_of(self.arena), faults)
        };
        let Type::Tuple(elements) = source else {
            let (ty, faults) = of(source.element().unwrap_or(Type::Dynamic));
            return (Type::List(self.arena.item(ty)), faults);
        };
        let (mut types, mut faults) = (self.arena.list(), Vec::new());
        for element in elements {
            let (ty, own) = of(*element);
            types.push(ty);
            faults.extend(own);
        }
        (Type::Tuple(types.into_bump_slice()), faults)
    }

    /// Returns the list of values with one type, ignoring those of unknown type.
    fn list_of(&self, values: &[Value<'a>]) -> Option<Value<'a>> {
        let mut element = Type::Dynamic;
        for value in values {
            let ty = value.type_of(self.arena);
            if element.is_dynamic() {
                element = ty;
            } else if !ty.is_dynamic() && !ty.same(self.arena, element) {
                return None;
            }
        }
        let mut items = self.arena.list();
        items.extend(values.iter().map(|value| self.as_element(*value, element)));
        Some(Value::list(self.arena, items.into_bump_slice(), element))
    }

    /// Gives a value of unknown type the type of the others.
    fn as_element(&self, value: Value<'a>, element: Type<'a>) -> Value<'a> {
        let (plain, marks) = value.unmark();
        let typed = match plain.view() {
            View::Null(Type::Dynamic) => Value::null(self.arena, element),
            View::Unknown(unknown) if unknown.ty.is_dynamic() => Value::unknown_of(self.arena, element),
            _ => return value,
        };
        typed.with_marks(self.arena, marks)
    }
}
