//! The problems of a program that are known before it runs. A [check](crate::check) explores programs with
//! unknown values and finds more.

use std::sync::Arc;

use hclvm_compiler::is_identifier;
use hclvm_compiler::locate::locate;
use hclvm_compiler::tree::{Node, NodeId, StepKind, Tree};
use hclvm_vm::code::{Code, Failure, Op, Origin};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Called, Diagnostic, Fault, Function, Place, Record, Value, cast, convert};

use super::Program;
use crate::diagnostics::blocks::tell_blocks;
use crate::diagnostics::error::Diagnostics;

impl Program {
    /// Returns the problems that are known without values: unknown variables and functions, calls with too
    /// many or too few arguments, and literal arguments of the wrong type;
    /// [`Document::check`](crate::Document::check) finds those of whole files, and more of them. An evaluation
    /// reports one only if it reaches it, because `&&`, `||`, `?:` and `try` may drop errors. The baseline
    /// tier's code, which has them, is compiled now if no run needed it before; that it is too large is a
    /// problem, too.
    pub fn known_problems(&self) -> Diagnostics {
        let found = match self.baseline() {
            Ok(code) => self.problems(code, |_| true),
            Err(error) => error.diagnostics().into_iter().flatten().cloned().collect(),
        };
        Diagnostics::new(Arc::clone(self.source()), found)
    }

    /// Returns those of the [known problems](Program::known_problems) that are problems of any part, reached
    /// or not: all but variables outside of the layout, which `try` and `can` may look for.
    pub(crate) fn lasting_problems(&self) -> Vec<Diagnostic> {
        let lasts = |failure: &Failure| !matches!(failure, Failure::UnknownVariable { .. });
        self.baseline().map_or_else(|_| Vec::new(), |code| self.problems(code, lasts))
    }

    /// Converts a fault to a diagnostic, without the values of a run.
    pub(crate) fn diagnostic(&self, record: &Record<'_>) -> Diagnostic {
        let tree = self.file().tree();
        let id = self.node(record.node);
        let (subject, context) = locate(tree, id, record.place);
        let mut diagnostic = Diagnostic::error(record.fault.title(), record.fault.detail(), subject)
            .coded(record.fault.code());
        diagnostic.context = context;
        if let Some(near) = record.fault.near()
            && let Some(text) = written_instead(tree, id, record.place, near)
        {
            diagnostic = diagnostic.replacement(subject, text);
        }
        tell_blocks(tree, &mut diagnostic);
        diagnostic
    }

    fn problems(&self, code: &Code, is_wanted: impl Fn(&Failure) -> bool) -> Vec<Diagnostic> {
        let arena = Arena::new();
        let told = |(op, origin): (&Op, &Origin)| {
            let (fault, place) = match *op {
                Op::Fail { failure, .. } => {
                    let failure = code.failures.get(cast::index(failure.0)).filter(|one| is_wanted(one))?;
                    (Fault::Failure(failure), origin.place)
                }
                Op::Arity { f, count, .. } => {
                    Fault::of_count(code.functions.get(usize::from(f.0))?, cast::index(count.0))
                }
                Op::Argument { f, index, .. } => {
                    let function = code.functions.get(usize::from(f.0))?;
                    let fault = self.argument(&arena, origin.node, function, usize::from(index.0))?;
                    (fault, origin.place)
                }
                _ => return None,
            };
            Some(self.diagnostic(&Record::new(fault, origin.node, place)))
        };
        code.ops.iter().zip(&code.origins).filter_map(told).collect()
    }

    /// Returns the fault of an argument that is a literal of the wrong type.
    fn argument<'a>(
        &self,
        arena: &'a Arena,
        call: u32,
        function: &'a Function,
        index: usize,
    ) -> Option<Fault<'a>> {
        let (tree, _) = self.expression();
        let Node::Call(call) = tree.node(self.node(call)) else { return None };
        let value = self.literal(arena, *tree.list(tree.call(call).args).get(index)?)?;
        let mismatch = convert(arena, value, function.parameter(index)?.ty).err()?;
        Some(Fault::Argument { function: Called::Function(function), index, mismatch })
    }

    /// Returns the value of a literal that is not an aggregate.
    pub(crate) fn literal<'a>(&self, arena: &'a Arena, id: NodeId) -> Option<Value<'a>> {
        let (tree, _) = self.expression();
        Some(match tree.node(id) {
            Node::Bool(value) => Value::bool(value),
            Node::Number(number) => Value::number(arena, tree.number(number).clone()),
            _ => Value::str(arena, nfc(arena, arena.text(tree.literal_text(id)?))),
        })
    }
}

/// Returns what to write for a name that there is not: the nearest one that there is, in the form of the part
/// of the text that has the name. `None` where the name is computed.
fn written_instead(tree: &Tree, id: NodeId, place: Place, near: &str) -> Option<String> {
    if !is_identifier(near) {
        return None;
    }
    match (place, tree.node(id)) {
        (Place::Root | Place::FunctionName, _) => Some(near.to_owned()),
        (Place::Step(at), Node::Traversal { steps, .. } | Node::RelativeTraversal { steps, .. }) => {
            match tree.steps(steps).get(usize::from(at))?.kind {
                StepKind::Attribute(_) => Some(format!(".{near}")),
                // In JSON, the quotes of an index are escaped.
                StepKind::Index(_) => tree.json().is_none().then(|| format!("[\"{near}\"]")),
            }
        }
        _ => None,
    }
}
