//! Marking values of a scope: a variable as it is set, or a part of one that has a value.

use hclvm_vm::text::nfc_code_points;
use hclvm_vm::{Arena, ArenaVec, Entry, Marks, OwnedValue, Value, View, copy, marks_from, nearest};

use super::Scope;
use crate::data::ingest::{Builder, Ingest};
use crate::diagnostics::error::Error;
use crate::run::projection::Read;
use crate::structure::module::AttributePath;

impl Scope {
    /// Sets a variable like [`Scope::set`], and marks its value. Everything that is computed from it has the marks, and
    /// no report shows it.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("x.hcl", r#"url = "https://ann:${password}@example.com""#)?;
    /// let mut scope = document.scope();
    /// let password = String::from("hunter2");                    // from the environment, say
    /// scope.set_marked("password", &password, ["sensitive"])?;
    /// let url = document.attribute("url").expect("it is there").program()?;
    /// let mut session = engine.session();
    /// assert!(session.run(&url, &scope)?.is_marked());
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`Scope::set`].
    pub fn set_marked<'m, T: Ingest + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
        marks: impl AsRef<[&'m str]>,
    ) -> Result<(), Error> {
        let marks = marks.as_ref();
        self.build_read(name, |to: Builder<'_, '_>| {
            let arena = to.arena();
            Ok(value.ingest_read(to)?.with_marks(arena, marks_in(arena, marks)))
        })
    }

    /// Marks the part of a variable to which a path leads: attributes, keys and indexes as in
    /// [`AttributePath`], where `*` is each element. The variable keeps its marks until it is set again. A part
    /// that a [projection](crate::run::Projection) did not take in needs no mark.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let document = engine.parse("x.hcl", "name = user.name\nheader = \"Bearer ${user.token}\"")?;
    /// let mut scope = document.scope();
    /// scope.set_json("user", r#"{"name": "ann", "token": "t-17"}"#)?;
    /// scope.mark("user.token", ["sensitive"])?;
    /// assert_eq!(scope.get("user").expect("it is set").to_string(), "{name = \"ann\", token = (marked)}");
    ///
    /// let refused = scope.mark("user.tokn", ["sensitive"]).unwrap_err();
    /// assert_eq!(refused.to_string(), "user.tokn cannot be marked: there is no attribute \"tokn\"; did you mean \"token\"?");
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    ///
    /// # Errors
    /// A path that is none, a variable without a value, a part that is not there: nothing is marked then. A value that
    /// exceeds the limits of the engine with its marks; the variable has no value then.
    pub fn mark<'m>(&mut self, path: &str, marks: impl AsRef<[&'m str]>) -> Result<(), Error> {
        let refuse = |reason: String| Error::layout(format!("{path} cannot be marked: {reason}"));
        let parsed: AttributePath = path.parse().map_err(refuse)?;
        let steps: Vec<Option<String>> =
            parsed.names().map(|name| name.map(|name| nfc_code_points(name).collect())).collect();
        let Some((Some(name), steps)) = steps.split_first() else {
            return Err(refuse("the first name is that of a variable".to_owned()));
        };
        let Some(slot) = self.layout().slot(name) else { return Err(self.unread(name)) };
        if !self.takes_in(name, steps) {
            return Ok(());
        }
        let Some(value) = self.get(name) else { return Err(refuse(format!("{name:?} has no value"))) };
        let value = OwnedValue::new(value);
        check(value.get(), steps, !self.engine().hides_values()).map_err(refuse)?;
        let marks = marks.as_ref();
        self.build_in(slot, name, |arena| {
            Ok(marked(arena, copy(arena, value.get()), steps, marks_in(arena, marks)))
        })
    }

    /// Returns true if the scope takes in the part of a variable to which a path leads.
    fn takes_in(&self, name: &str, steps: &[Option<String>]) -> bool {
        let Some(projection) = self.projection() else { return true };
        let Some((_, mut read)) = projection.variable(name) else { return false };
        for step in steps {
            read = match (read, step) {
                (Read::Parts(parts), Some(name)) => match parts.find(name) {
                    Some((_, part)) => part.read(),
                    None => return false,
                },
                (Read::Elements(read), _) => read,
                _ => return true,
            };
        }
        true
    }
}

/// Copies names of marks into an arena.
fn marks_in<'a>(arena: &'a Arena, names: &[&str]) -> Marks<'a> {
    let names: Vec<&'a str> = names.iter().map(|name| arena.text(name)).collect();
    marks_from(arena, &names)
}

/// Fails if a path leads to no part of a value. With `hints`, names of other parts may be shown. Each level of recursion
/// consumes a step.
fn check(value: Value<'_>, steps: &[Option<String>], hints: bool) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else { return Ok(()) };
    let hints = hints && !value.is_marked();
    match (value.unmark().0.view(), step) {
        (View::Unknown(_) | View::Set(..), _) => Ok(()),
        (View::Object(entries) | View::Map(entries, _), Some(name)) => {
            match entries.iter().find(|entry| entry.name == name) {
                Some(entry) => check(entry.value, rest, hints),
                None => Err(missing(name, if hints { entries } else { &[] })),
            }
        }
        (View::Object(entries) | View::Map(entries, _), None) => {
            entries.iter().try_for_each(|entry| check(entry.value, rest, hints))
        }
        (View::Tuple(items) | View::List(items, _), Some(name)) => {
            let item = name.parse::<usize>().ok().and_then(|at| items.get(at));
            item.map_or_else(|| Err(format!("there is no element {name}")), |item| check(*item, rest, hints))
        }
        (View::Tuple(items) | View::List(items, _), None) => {
            items.iter().try_for_each(|item| check(*item, rest, hints))
        }
        (_, Some(name)) => Err(format!("there is no attribute {name:?}")),
        (_, None) => Err("there are no elements".to_owned()),
    }
}

/// Describes an attribute that is not there. Names are shown, values are not.
fn missing(name: &str, entries: &[Entry<'_>]) -> String {
    let hint = nearest(name, entries.iter().map(|entry| entry.name));
    let hint = hint.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
    format!("there is no attribute {name:?}{hint}")
}

/// Returns a value with the part marked to which a path leads. An unknown value and a set are marked as a whole.
fn marked<'a>(arena: &'a Arena, value: Value<'a>, steps: &[Option<String>], marks: Marks<'a>) -> Value<'a> {
    let Some((step, rest)) = steps.split_first() else { return value.with_marks(arena, marks) };
    let (inner, own) = value.unmark();
    let is_at = |at: usize| step.as_ref().is_none_or(|name| name.parse() == Ok(at));
    let items = |items: &[Value<'a>]| {
        let mut all: ArenaVec<'a, Value<'a>> = arena.list_with(items.len());
        for (at, item) in items.iter().enumerate() {
            all.push(if is_at(at) { marked(arena, *item, rest, marks) } else { *item });
        }
        all.into_bump_slice()
    };
    let members = |entries: &[Entry<'a>]| {
        let mut all: ArenaVec<'a, Entry<'a>> = arena.list_with(entries.len());
        for entry in entries {
            let is_named = step.as_ref().is_none_or(|name| name == entry.name);
            let value = if is_named { marked(arena, entry.value, rest, marks) } else { entry.value };
            all.push(Entry { value, ..*entry });
        }
        all.into_bump_slice()
    };
    let inner = match inner.view() {
        View::Tuple(found) => Value::tuple(arena, items(found)),
        View::List(found, element) => Value::list(arena, items(found), element),
        View::Object(found) => Value::object(arena, members(found)),
        View::Map(found, element) => Value::map(arena, members(found), element),
        _ => inner.with_marks(arena, marks),
    };
    inner.with_marks(arena, own)
}
