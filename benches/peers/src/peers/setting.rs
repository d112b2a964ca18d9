//! Sets the variables of a scope of hclvm in each evaluation, from each source a host may have, and makes
//! values unknown or marked. hclvm and its tree-walker share this.

use hclvm::value::{Arena, marks_from};
use hclvm::{Json, OwnedValue, Scope, Value};
use hclvm_vm::copy;
use hclvm_workloads::input::Input;

use crate::Failure;
use crate::answer::Answer;
use crate::task::{Form, Task};

/// Where the variables of the scopes come from.
pub(super) enum Sources {
    /// JSON texts.
    Texts(Vec<String>),
    /// Structs.
    Structs(Vec<Input>),
    /// Values by name.
    Values(Vec<Vec<(&'static str, OwnedValue)>>),
}

impl Sources {
    /// Returns those of a task; `None` if its scopes are set before timing starts. `empty` is a scope with
    /// its layout.
    pub(super) fn of(task: Task, empty: &Scope) -> Result<Option<Self>, Failure> {
        let texts = task.scopes();
        Ok(Some(match (task.form, task.workload()) {
            (Form::Json | Form::JsonWhole, _) => Self::Texts(texts),
            (Form::Struct, Some(workload)) => Self::Structs(workload.inputs(task.count())),
            (Form::Owned, _) => {
                let values = texts.iter().map(|text| {
                    let mut scope = empty.fork();
                    scope.set_all_json(text.as_str())?;
                    let values = task
                        .variables()
                        .iter()
                        .filter_map(|name| Some((*name, OwnedValue::new(scope.get(name)?))));
                    Ok(values.collect())
                });
                Self::Values(values.collect::<Result<_, Failure>>()?)
            }
            _ => return Ok(None),
        }))
    }

    /// Sets the variables of a scope.
    pub(super) fn set(&self, scope: &mut Scope, at: usize) -> Result<(), hclvm::Error> {
        match self {
            Self::Texts(texts) => scope.set_all_json(texts[at].as_str()),
            Self::Values(values) => {
                values[at].iter().try_for_each(|(name, value)| scope.set_value(name, value.get()))
            }
            Self::Structs(structs) => match &structs[at] {
                Input::Request(request) => {
                    scope.set("user", &request.user)?;
                    scope.set("request", &request.request)?;
                    scope.set("resource", &request.resource)
                }
                Input::Fleet(fleet) => scope.set("servers", &fleet.servers),
                Input::Address(address) => {
                    scope.set("host", &address.host)?;
                    scope.set("port", &address.port)?;
                    scope.set("tags", &address.tags)
                }
                Input::Key(key) => scope.set("key", &key.key),
                Input::Price(price) => {
                    scope.set("price", &price.price)?;
                    scope.set("limit", &price.limit)
                }
                Input::Integers(integers) => {
                    scope.set("a", &integers.a)?;
                    scope.set("b", &integers.b)?;
                    scope.set("c", &integers.c)?;
                    scope.set("x", &integers.x)?;
                    scope.set("y", &integers.y)
                }
            },
        }
    }
}

/// Makes the value unknown or marked that the task names, if it names one.
pub(super) fn alter(task: Task, scope: &mut Scope) -> Result<(), Failure> {
    let Some([variable, path @ ..]) = task.altered() else { return Ok(()) };
    let unknown = matches!(task.form, Form::UnknownRead | Form::UnknownUnread);
    let value = OwnedValue::new(scope.get(variable).ok_or("no such variable")?);
    scope.build(variable, |arena| Ok(altered(arena, value.get(), path, unknown)))?;
    Ok(())
}

/// Returns a copy of a value with the part at a path unknown or marked.
fn altered<'a>(arena: &'a Arena, value: Value<'_>, path: &[&str], unknown: bool) -> Value<'a> {
    let Some((step, rest)) = path.split_first() else {
        let marks = marks_from(arena, &[arena.text("secret")]);
        return if unknown { Value::DYNAMIC } else { copy(arena, value).with_marks(arena, marks) };
    };
    let part = |value: Value<'_>, chosen: bool| {
        if chosen { altered(arena, value, rest, unknown) } else { copy(arena, value) }
    };
    if let Some(items) = value.as_items() {
        let mut parts = arena.list();
        for (at, item) in items.iter().enumerate() {
            parts.push(part(*item, at.to_string() == *step));
        }
        return Value::tuple(arena, parts.into_bump_slice());
    }
    let mut entries = arena.list();
    for entry in value.as_entries().unwrap_or_default() {
        entries.push(arena.entry(arena.text(entry.name), part(entry.value, entry.name == *step)));
    }
    Value::object(arena, entries.into_bump_slice())
}

/// Converts a result: a value that is not wholly known has no JSON, and marks are left out.
pub(super) fn shown(value: Value<'_>) -> Result<Answer, Failure> {
    if !value.is_wholly_known() {
        return Ok(Answer::unknown());
    }
    let arena = Arena::with_limits(hclvm_vm::Limits::default());
    Answer::of(Json(value.unmark_deep(&arena).0))
}
