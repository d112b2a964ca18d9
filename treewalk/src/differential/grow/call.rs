//! Generates calls: any function of the table, `try`, `can` and `convert`.

use hclvm_vm::{Function, FunctionTable, Lazy, Type};

use super::{Grower, Kind};

/// The properties of a function needed to generate calls of it.
#[derive(Debug)]
pub(crate) struct Callable {
    name: String,
    parameters: Vec<Kind>,
    variadic: Option<Kind>,
    returns: Option<Kind>,
}

/// Returns the functions that depend on their arguments alone, by name. `convert`, which takes a type, is separate.
pub(crate) fn callables(table: &FunctionTable) -> Vec<Callable> {
    let mut all: Vec<Callable> = table
        .names()
        .filter_map(|name| Some((name.to_string(), table.get(name)?)))
        .filter(|(_, function)| function.pure && function.lazy_kind() != Some(Lazy::Convert))
        .map(|(name, function)| callable(name, function))
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn callable(name: String, function: &Function) -> Callable {
    Callable {
        name,
        parameters: function.parameters.iter().map(|parameter| kind_of(parameter.ty)).collect(),
        variadic: function.variadic.as_ref().map(|parameter| kind_of(parameter.ty)),
        returns: function.static_return().map(kind_of),
    }
}

const fn kind_of(ty: Type<'_>) -> Kind {
    match ty {
        Type::Bool => Kind::Bool,
        Type::Number => Kind::Number,
        Type::String => Kind::Text,
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => Kind::Sequence,
        Type::Map(_) | Type::Object(_) => Kind::Mapping,
        Type::Dynamic | Type::Capsule(_) => Kind::Any,
    }
}

/// Type expressions; the last ones are invalid.
const TYPES: &[&str] = &[
    "string",
    "number",
    "bool",
    "any",
    "list(any)",
    "list(string)",
    "set(number)",
    "map(any)",
    "map(string)",
    "tuple([string, any])",
    "object({a = string})",
    "object({a = number, b = any})",
    "list(object({a = string}))",
    "list",
    "strin",
    "n",
];

impl Grower<'_, '_> {
    /// Generates a call of a function that returns this kind, if there is one.
    pub(super) fn call(&mut self, kind: Kind, depth: u32) {
        let callables = self.callables;
        let fitting: Vec<&Callable> = callables
            .iter()
            .filter(|callable| callable.returns.is_none_or(|returns| returns == kind || returns == Kind::Any))
            .collect();
        if fitting.is_empty() {
            return self.leaf(kind);
        }
        let chosen = self.random.pick(&fitting);
        let name = if self.random.percent(1) { "uper" } else { chosen.name.as_str() };
        self.put(name);
        self.put("(");
        self.arguments(chosen, depth);
        self.put(")");
    }

    fn arguments(&mut self, callable: &Callable, depth: u32) {
        let mut kinds = callable.parameters.clone();
        if let Some(kind) = callable.variadic {
            let more = self.random.below(4);
            kinds.extend((0..more).map(|_| kind));
        }
        match self.random.below(50) {
            0 => kinds.push(Kind::Any),
            1 => drop(kinds.pop()),
            _ => {}
        }
        let expanded = !kinds.is_empty() && self.random.percent(8);
        let last = kinds.len().saturating_sub(1);
        for (at, kind) in kinds.into_iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            if expanded && at == last {
                self.expr(Kind::Sequence, depth);
                self.put("...");
            } else {
                self.argument(kind, depth);
            }
        }
    }

    /// Generates an argument. Parameters of type "any" mostly get collections.
    fn argument(&mut self, kind: Kind, depth: u32) {
        let kind = match kind {
            Kind::Any if self.random.percent(50) => Kind::Sequence,
            kind => kind,
        };
        self.expr(kind, depth);
    }

    /// Generates `try`, `can` or `convert`.
    pub(super) fn attempt(&mut self, kind: Kind, depth: u32) {
        if self.random.percent(25) {
            self.put("convert(");
            self.expr(Kind::Any, depth);
            self.put(", ");
            self.pick_put(TYPES);
            return self.put(")");
        }
        if kind == Kind::Bool && self.random.percent(50) {
            self.put("can(");
            self.expr(Kind::Any, depth);
            return self.put(")");
        }
        self.put("try(");
        self.expr(kind, depth);
        let more = self.random.below(3);
        for _ in 0..more {
            self.put(", ");
            self.expr(kind, depth);
        }
        self.put(")");
    }
}
