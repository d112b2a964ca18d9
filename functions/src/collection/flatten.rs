//! Sequences of sequences into one.

use hclvm_vm::{Arena, ArenaVec, CallError, Function, Marks, Type, Value, View};

use crate::arguments::{CallResult, any_marked, get, kind, may_make_items, take_marks};

/// `flatten(list)`: the elements of all lists, sets and tuples inside, at any depth.
pub(crate) fn flatten() -> Function {
    Function::new("flatten", [any_marked("list")], Type::Dynamic, flatten_body)
        .typed(|_, _| Ok(Type::Dynamic))
}

fn flatten_body<'a>(arena: &'a Arena, args: &[Value<'a>], ty: Type<'a>) -> CallResult<'a> {
    let list = get(args, 0);
    if !kind(list).is_sequence() {
        return Err(CallError::new(format!(
            "lists, sets and tuples can be flattened, not a {}",
            list.type_of(arena).friendly_name()
        )));
    }
    let mut flat = Flat { arena, items: arena.list(), marks: Marks::NONE, known: true };
    flat.add(list);
    let result = if flat.known {
        Value::tuple(arena, flat.items.into_bump_slice())
    } else {
        Value::unknown_of(arena, ty)
    };
    Ok(result.with_marks(arena, flat.marks))
}

/// What has been found so far.
struct Flat<'a> {
    arena: &'a Arena,
    items: ArenaVec<'a, Value<'a>>,
    /// The marks of all sequences that dissolved.
    marks: Marks<'a>,
    /// True while the number of elements is certain.
    known: bool,
}

impl<'a> Flat<'a> {
    /// Adds the elements of a sequence. The depth of values is limited, so the recursion is.
    fn add(&mut self, sequence: Value<'a>) {
        let inner = take_marks(self.arena, sequence, &mut self.marks);
        let (min, max) = inner.length_range();
        let Some(items) = inner.as_items().filter(|_| min == max) else {
            self.known = false;
            return;
        };
        if !may_make_items(self.arena, items.len().saturating_add(1)) {
            self.known = false;
            return;
        }
        for item in items {
            self.add_item(*item);
        }
    }

    fn add_item(&mut self, item: Value<'a>) {
        match item.unmark().0.view() {
            View::Tuple(_) | View::List(..) | View::Set(..) => self.add(item),
            View::Unknown(unknown) if unknown.ty.is_dynamic() => {
                take_marks(self.arena, item, &mut self.marks);
                self.known = false;
            }
            View::Unknown(unknown) if unknown.ty.is_sequence() => self.add(item),
            _ => self.items.push(item),
        }
    }
}
