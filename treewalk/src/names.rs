//! Name resolution: variables of the scope, names bound by `for` expressions, the element of a splat.

use hclvm_compiler::lower::Undefined;
use hclvm_compiler::tree::{NameId, NodeId, StepList};
use hclvm_vm::code::Failure;
use hclvm_vm::{Fault, Place, Value, nearest};
use smol_str::SmolStr;

use crate::walk::{Found, Walk};

/// The names bound by the expression itself, innermost first.
#[derive(Clone, Copy)]
pub(crate) struct Names<'n, 'a>(Option<&'n Bound<'n, 'a>>);

/// A binding and the enclosing ones.
pub(crate) struct Bound<'n, 'a> {
    what: What<'a>,
    value: Value<'a>,
    outer: Names<'n, 'a>,
}

enum What<'a> {
    Name(&'a str),
    Item,
}

impl<'n, 'a> Names<'n, 'a> {
    /// No bindings.
    pub(crate) const NONE: Self = Self(None);

    /// Adds a name.
    pub(crate) const fn with_name(self, name: &'a str, value: Value<'a>) -> Bound<'n, 'a> {
        Bound { what: What::Name(name), value, outer: self }
    }

    /// Enters a splat.
    pub(crate) const fn with_item(self, value: Value<'a>) -> Bound<'n, 'a> {
        Bound { what: What::Item, value, outer: self }
    }

    fn bindings(self) -> impl Iterator<Item = &'n Bound<'n, 'a>> {
        std::iter::successors(self.0, |bound| bound.outer.0)
    }

    /// Returns the element of the innermost splat.
    pub(crate) fn item(self) -> Value<'a> {
        let item = self.bindings().find(|bound| matches!(bound.what, What::Item));
        item.map_or(Value::DYNAMIC, |bound| bound.value)
    }

    fn get(self, name: &str) -> Option<Value<'a>> {
        self.named().find(|(bound, _)| *bound == name).map(|(_, value)| value)
    }

    fn named(self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        self.bindings().filter_map(|bound| match bound.what {
            What::Name(name) => Some((name, bound.value)),
            What::Item => None,
        })
    }
}

impl<'a> Bound<'_, 'a> {
    /// Returns these bindings as names to evaluate with.
    pub(crate) const fn names(&self) -> Names<'_, 'a> {
        Names(Some(self))
    }
}

impl<'a> Walk<'_, 'a> {
    /// Evaluates a variable and the steps after it.
    pub(crate) fn traversal(
        &self,
        id: NodeId,
        root: NameId,
        steps: StepList,
        names: Names<'_, 'a>,
    ) -> Found<'a> {
        let name = self.tree().name(root).as_str();
        if let Some(value) = names.get(name) {
            return self.steps(id, steps, (value, Vec::new()));
        }
        let environment = &self.walker.environment;
        let slot = environment.layout.and_then(|layout| layout.slot(name));
        match (slot, environment.undefined) {
            (Some(slot), _) => match self.values.get(usize::from(slot.0)) {
                Some(value) if !value.is_unset() => self.steps(id, steps, (*value, Vec::new())),
                _ => self.without_variable(id, Fault::UnsetVariable(name)),
            },
            (None, Undefined::Error) => self.without_variable(id, self.unknown_variable(id, name, names)),
            (None, Undefined::Unknown) => (Value::DYNAMIC, Vec::new()),
            (None, Undefined::Text) => {
                let text = self.arena.text(&self.own_text(id));
                (self.text(text), Vec::new())
            }
        }
    }

    fn without_variable(&self, id: NodeId, fault: Fault<'a>) -> Found<'a> {
        (Value::DYNAMIC, vec![self.record(fault, id, Place::Root)])
    }

    /// Returns the fault for an undefined name, which differs if neither the scope nor a `for` expression has any.
    fn unknown_variable(&self, id: NodeId, name: &str, names: Names<'_, 'a>) -> Fault<'a> {
        let layout = self.walker.environment.layout;
        let known: Vec<&str> = names
            .named()
            .map(|(bound, _)| bound)
            .chain(layout.into_iter().flat_map(|layout| layout.names()).map(SmolStr::as_str))
            .collect();
        self.failure(id, || {
            if layout.is_none() && known.is_empty() {
                return Failure::VariablesNotAllowed;
            }
            let suggestion = nearest(name, known.iter().copied()).map(SmolStr::from);
            Failure::UnknownVariable { name: name.into(), suggestion }
        })
    }

    /// Returns the source of a traversal as a template, including the blanks around it if it is the whole
    /// interpolation.
    fn own_text(&self, id: NodeId) -> String {
        let source = self.walker.environment.source;
        let span = self.tree().span(id);
        let (start, end) = (span.start as usize, span.end as usize);
        let (before, after) = (source.get(..start).unwrap_or(""), source.get(end..).unwrap_or(""));
        let leading = before.len() - before.trim_end_matches(' ').len();
        let trailing = after.len() - after.trim_start_matches(' ').len();
        let alone = before[..before.len() - leading].ends_with("${") && after[trailing..].starts_with('}');
        let (leading, trailing) = if alone { (leading, trailing) } else { (0, 0) };
        format!("${{{}}}", source.get(start - leading..end + trailing).unwrap_or(""))
    }
}
