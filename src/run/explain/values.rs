//! The variables that a failed part of an expression reads, with their values.
//!
//! A path is followed until a part is missing: `local.user.nmae` shows the value of `local.user`. Variables of for
//! expressions have the values that the fault recorded; elements of splats are not reported.

use hclvm_compiler::analysis::{Key, Reads, keys, reads};
use hclvm_compiler::locate::concerned;
use hclvm_compiler::tree::{Node, NodeId, StepList, Tree};
use hclvm_vm::ops::access;
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, NamedValue, Value, View};

use super::FaultSite;
use crate::compile::program::Program;
use crate::data::show::line;

/// Values reported of one fault: more would hide the message.
const MOST_VALUES: usize = 6;

/// Uses of variables that are looked at: bounds the work for an operand that is a large expression.
const MOST_USES: usize = 64;

/// Steps into nested indexes, each of which is a recursion.
const DEEPEST: usize = 16;

/// A path with its value, or the part of it that has one.
struct ValueAtPath<'f> {
    path: String,
    value: Value<'f>,
    /// True if it is the value of the node, not of a part of its path.
    whole: bool,
}

/// A run of a program, in which parts of it have values.
#[derive(Clone, Copy)]
pub(crate) struct ExplainedRun<'f> {
    pub(crate) program: &'f Program,
    /// The values of the slots.
    pub(crate) values: &'f [Value<'f>],
    /// The key and the element that each enclosing loop was visiting; none if that is not reported.
    pub(crate) visited: &'f [[Value<'f>; 2]],
    /// True if objects may lack attributes that no program reads.
    pub(crate) partial: bool,
    /// Memory for what is computed to explain it.
    pub(crate) arena: &'f Arena,
}

/// What is reported of paths to marked values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkedPaths {
    /// That there is one: the path of a fault is in the message anyway.
    Name,
    /// Nothing: how far the path leads depends on the value.
    Omit,
}

/// The variables that parts of a program read.
struct PartVariables<'f> {
    around: ExplainedRun<'f>,
    tree: &'f Tree,
    reads: Reads<'f>,
}

impl<'f> ExplainedRun<'f> {
    fn scope(self, parts: &[NodeId]) -> PartVariables<'f> {
        let (tree, root) = self.program.expression();
        PartVariables { around: self, tree, reads: reads(tree, root, parts) }
    }

    /// Returns the paths that parts read, with their values if these are known.
    pub(crate) fn told(self, parts: &[NodeId], marked: MarkedPaths) -> Vec<NamedValue> {
        let found = self.scope(parts).found();
        let told = found.into_iter().filter(|found| !matches!(found.value.view(), View::Unknown(_)));
        let told = told.filter(|found| marked == MarkedPaths::Name || !found.value.contains_marks());
        let told = told.filter(|found| !(self.partial && found.value.depth() > 0));
        told.take(MOST_VALUES)
            .map(|found| NamedValue { path: found.path, shown: line(found.value) })
            .collect()
    }

    /// Returns the paths that parts read whose values are not wholly known. Of marked values that is not reported.
    pub(crate) fn waiting(self, parts: &[NodeId]) -> Vec<String> {
        let found = self.scope(parts).found();
        let open = found.into_iter().filter(|found| !found.value.contains_marks());
        open.filter(|found| !found.value.is_wholly_known()).map(|found| found.path).collect()
    }

    /// Returns true if the value of a node is reported by its path.
    pub(crate) fn tells(self, id: NodeId) -> bool {
        self.scope(&[id]).find(id, 0).is_some_and(|found| found.whole)
    }
}

impl FaultSite<'_> {
    /// Returns the paths that the failed part reads, with their values.
    pub(super) fn values(&self) -> Vec<NamedValue> {
        if matches!(
            self.record.fault,
            hclvm_vm::Fault::Failure(_) | hclvm_vm::Fault::TooFew { .. } | hclvm_vm::Fault::TooMany { .. }
        ) {
            return Vec::new();
        }
        self.around().told(&self.concerned(), MarkedPaths::Name)
    }

    /// Returns true if the failed part reads a variable itself, or a name that its object lacks.
    pub(super) fn reads_object(&self, variable: &str) -> bool {
        let scope = self.scope();
        let is_loop =
            |name: &str| scope.reads.loops.iter().any(|(key, value)| *key == Some(name) || *value == name);
        let mut uses = scope.reads.uses.iter().take(MOST_USES);
        !is_loop(variable) && uses.any(|id| scope.find(*id, 0).is_some_and(|found| found.path == variable))
    }

    /// Returns true if the value of a node is reported by its path.
    pub(super) fn tells(&self, id: NodeId) -> bool {
        self.scope().find(id, 0).is_some_and(|found| found.whole)
    }

    /// Returns the value of a node that is a variable or a part of one.
    pub(super) fn value_of_path(&self, id: NodeId) -> Option<Value<'_>> {
        let scope = self.around().scope(&[id]);
        scope.find(id, 0).filter(|found| found.whole).map(|found| found.value)
    }

    fn around(&self) -> ExplainedRun<'_> {
        let FaultSite { program, record, values, partial, arena, .. } = *self;
        ExplainedRun { program, values, visited: record.visited, partial, arena }
    }

    fn concerned(&self) -> Vec<NodeId> {
        concerned(self.program.expression().0, self.program.node(self.record.node), self.record.place)
    }

    fn scope(&self) -> PartVariables<'_> {
        self.around().scope(&self.concerned())
    }
}

impl<'f> PartVariables<'f> {
    /// Returns the paths that are read, each once.
    fn found(&self) -> Vec<ValueAtPath<'f>> {
        let mut all: Vec<ValueAtPath<'f>> = Vec::new();
        let mut covered: Vec<NodeId> = Vec::new();
        for id in self.reads.uses.iter().copied().take(MOST_USES) {
            if covered.contains(&id) {
                continue;
            }
            let Some(found) = self.find(id, 0) else { continue };
            self.cover(id, &mut covered);
            // The object of all locals has too many parts, and one with parts that were not read has too few.
            let is_of_locals = self.around.program.layout().has_derived(&found.path);
            if !is_of_locals && !all.iter().any(|known| known.path == found.path) {
                all.push(found);
            }
        }
        all
    }

    /// Returns the path and the value of a node that is a variable or a part of one.
    fn find(&self, id: NodeId, depth: usize) -> Option<ValueAtPath<'f>> {
        if depth > DEEPEST {
            return None;
        }
        match self.tree.node(id) {
            Node::Parens(inner) => self.find(inner, depth + 1),
            Node::Traversal { root, steps } if self.reads.uses.contains(&id) => {
                let name = self.tree.name(root);
                let (value, taken) = self.variable(name, steps)?;
                let found =
                    ValueAtPath { path: name.to_string() + &self.written(steps, taken), value, whole: true };
                Some(self.steps(found, steps, taken))
            }
            Node::RelativeTraversal { source, steps } => {
                let found = self.find(source, depth + 1)?;
                Some(if found.whole { self.steps(found, steps, 0) } else { found })
            }
            Node::Index { collection, key, .. } => {
                let found = self.find(collection, depth + 1)?;
                if !found.whole {
                    return Some(found);
                }
                if found.value.is_marked() {
                    return Some(ValueAtPath { whole: false, ..found });
                }
                let Some((text, key)) = self.key(key, depth + 1) else {
                    return Some(ValueAtPath { whole: false, ..found });
                };
                Some(match access::index(self.around.arena, found.value, key) {
                    Ok(value) => ValueAtPath { path: format!("{}[{text}]", found.path), value, whole: true },
                    Err(_) => ValueAtPath { whole: false, ..found },
                })
            }
            _ => None,
        }
    }

    /// Returns the text and the value of an index that is a variable. Not of a marked one: whether it selects
    /// an element reveals something about it.
    fn key(&self, id: NodeId, depth: usize) -> Option<(String, Value<'f>)> {
        let found = self.find(id, depth).filter(|found| found.whole && !found.value.contains_marks())?;
        Some((found.path, found.value))
    }

    /// Returns the value of the variable of a traversal, and the number of steps that its slot includes.
    fn variable(&self, name: &str, steps: StepList) -> Option<(Value<'f>, usize)> {
        let loops = &self.reads.loops;
        if let Some(at) = loops.iter().rposition(|(key, value)| *key == Some(name) || *value == name) {
            let visited = self.around.visited;
            // There are none of loops whose elements are not reported.
            let [key, value] = *visited.get(at).filter(|_| visited.len() == loops.len())?;
            return Some((if loops[at].1 == name { value } else { key }, 0));
        }
        let layout = self.around.program.layout();
        let derived = match keys(self.tree, steps).next() {
            Some(Key::Attribute(step)) => layout.derived(name, nfc(self.around.arena, step)),
            _ => None,
        };
        let (slot, taken) = match derived {
            Some(slot) => (slot, 1),
            None => (layout.slot(name)?, 0),
        };
        let value = self.around.values.get(usize::from(slot.0)).copied()?;
        (!value.is_unset()).then_some((value, taken))
    }

    /// Takes steps behind the first `taken` until one fails, or would show whether a marked value has a part.
    fn steps(&self, found: ValueAtPath<'f>, steps: StepList, taken: usize) -> ValueAtPath<'f> {
        let arena = self.around.arena;
        let mut at = found;
        for key in keys(self.tree, steps).skip(taken) {
            if at.value.is_marked() {
                return ValueAtPath { whole: false, ..at };
            }
            let next = match key {
                Key::Attribute(name) => access::attribute(arena, at.value, nfc(arena, arena.text(name))),
                Key::Number(number) => access::index(arena, at.value, Value::number(arena, number.clone())),
                Key::Text(text) => {
                    access::index(arena, at.value, Value::str(arena, nfc(arena, arena.text(text))))
                }
                Key::Bool(_) | Key::Null => return ValueAtPath { whole: false, ..at },
            };
            let Ok(value) = next else { return ValueAtPath { whole: false, ..at } };
            at = ValueAtPath { path: at.path + &key.to_string(), value, whole: true };
        }
        at
    }

    /// Returns the first `count` steps of a traversal as they are written.
    fn written(&self, steps: StepList, count: usize) -> String {
        keys(self.tree, steps).take(count).map(|key| key.to_string()).collect()
    }

    /// Adds the nodes whose values the path of `id` shows.
    fn cover(&self, id: NodeId, covered: &mut Vec<NodeId>) {
        let mut at = id;
        loop {
            covered.push(at);
            at = match self.tree.node(at) {
                Node::Parens(inner) => inner,
                Node::RelativeTraversal { source, .. } => source,
                Node::Index { collection, .. } => collection,
                _ => return,
            };
        }
    }
}
