//! The problems of a program that are known before it runs. A [check](crate::check) explores programs with
//! unknown values and finds more.

use std::sync::Arc;

use hclvm_compiler::is_identifier;
use hclvm_compiler::locate::locate;
use hclvm_compiler::tree::{Node, NodeId, StepKind, Tree};
use hclvm_vm::code::{Code, Failure, Op, Origin};
use hclvm_vm::text::nfc;
use hclvm_vm::{
    Arena, Called, Comparisons, Diagnostic, Fault, Function, Place, Record, Span, Value, cast, convert,
    literal_meant,
};
use smol_str::SmolStr;

use super::Program;
use crate::diagnostics::blocks::tell_blocks;
use crate::diagnostics::error::Diagnostics;

impl Program {
    /// Returns the problems that are known without values: unknown variables and functions, calls with too
    /// many or too few arguments, and literal arguments of the wrong type;
    /// [`Document::check`](crate::Document::check) finds those of whole files, and more of them. An evaluation
    /// reports one only if it reaches it, because `&&`, `||`, `?:` and `try` may drop errors. The baseline
    /// tier's code, which has them, is compiled now if no run needed it before; that it is too large is a
    /// problem as well.
    pub fn known_problems(&self) -> Diagnostics {
        let (mut found, comparisons) = (Vec::new(), Comparisons::new());
        match self.baseline() {
            Ok(code) => {
                self.faults(code, |_| true, |record| found.push(self.diagnostic(record, &comparisons)));
            }
            Err(error) => found.extend(error.diagnostics().into_iter().flatten().cloned()),
        }
        Diagnostics::new(Arc::clone(self.source()), found)
    }

    /// Visits the faults behind those of the [known problems](Program::known_problems) that are problems of any part,
    /// reached or not: all but variables outside of the layout, which `try` and `can` may look for.
    pub(crate) fn lasting_faults(&self, visit: impl FnMut(&Record<'_>)) {
        let lasts = |failure: &Failure| !matches!(failure, Failure::UnknownVariable { .. });
        if let Ok(code) = self.baseline() {
            self.faults(code, lasts, visit);
        }
    }

    /// Converts a fault to a diagnostic, without the values of a run.
    pub(crate) fn diagnostic(&self, record: &Record<'_>, comparisons: &Comparisons) -> Diagnostic {
        let suggested = |fault: &Fault<'_>| match fault {
            Fault::Failure(failure) => self.suggested(failure, comparisons),
            _ => None,
        };
        if let Fault::NoneSucceeded(attempts) = record.fault {
            let failures: Vec<_> = attempts.iter().map(|attempt| suggested(&attempt.fault)).collect();
            let attempts = attempts.iter().zip(&failures);
            let attempts: Vec<_> =
                attempts.map(|(attempt, failure)| with_failure(attempt, failure.as_ref())).collect();
            let record = Record { fault: Fault::NoneSucceeded(&attempts), ..*record };
            return self.described(&record, comparisons);
        }
        match suggested(&record.fault) {
            Some(failure) => {
                self.described(&Record { fault: Fault::Failure(&failure), ..*record }, comparisons)
            }
            None => self.described(record, comparisons),
        }
    }

    /// Returns a failure about a variable with the most similar one of its loops and the layout; `None` if the failure
    /// stays as it is.
    fn suggested(&self, failure: &Failure, comparisons: &Comparisons) -> Option<Failure> {
        let Failure::UnknownVariable { name, suggestion } = failure else { return None };
        if literal_meant(name).is_some() {
            return None;
        }
        let slots = self.layout().names().iter().filter(|name| !name.contains('.'));
        let known = suggestion.iter().chain(slots).map(SmolStr::as_str);
        let near = comparisons.nearest(name, known).map(SmolStr::from);
        Some(Failure::UnknownVariable { name: name.clone(), suggestion: near })
    }

    /// Returns the range of the text that a fault is about.
    pub(crate) fn subject(&self, record: &Record<'_>) -> Span {
        locate(self.file().tree(), self.node(record.node), record.place).0
    }

    /// Returns a diagnostic that is only counted: it has neither sentence nor suggestion.
    pub(crate) fn counted(&self, record: &Record<'_>) -> Diagnostic {
        Diagnostic::error(record.fault.title(), "", self.subject(record)).coded(record.fault.code())
    }

    fn described(&self, record: &Record<'_>, comparisons: &Comparisons) -> Diagnostic {
        let tree = self.file().tree();
        let id = self.node(record.node);
        let (subject, context) = locate(tree, id, record.place);
        let near = record.fault.near(comparisons);
        let mut diagnostic = Diagnostic::error(record.fault.title(), record.fault.detail_with(near), subject)
            .coded(record.fault.code());
        diagnostic.context = context;
        if let Some(near) = near.filter(|near| record.fault.may_become(near))
            && let Some(text) = written_instead(tree, id, record.place, near)
        {
            diagnostic = diagnostic.replacement(subject, text);
        }
        tell_blocks(tree, &mut diagnostic);
        diagnostic
    }

    /// Visits the faults of code that are known without values.
    fn faults(&self, code: &Code, is_wanted: impl Fn(&Failure) -> bool, mut visit: impl FnMut(&Record<'_>)) {
        let arena = Arena::new();
        for (op, origin) in code.ops.iter().zip(&code.origins) {
            if let Some((fault, place)) = self.known_fault(&arena, code, op, origin, &is_wanted) {
                visit(&Record::new(fault, origin.node, place));
            }
        }
    }

    /// Returns the fault that an instruction is known to have.
    fn known_fault<'a>(
        &self,
        arena: &'a Arena,
        code: &'a Code,
        op: &Op,
        origin: &Origin,
        is_wanted: impl Fn(&Failure) -> bool,
    ) -> Option<(Fault<'a>, Place)> {
        match *op {
            Op::Fail { failure, .. } => {
                let failure = code.failures.get(cast::index(failure.0)).filter(|one| is_wanted(one))?;
                Some((Fault::Failure(failure), origin.place))
            }
            Op::Arity { f, count, .. } => {
                Some(Fault::of_count(code.functions.get(usize::from(f.0))?, cast::index(count.0)))
            }
            Op::Argument { f, index, .. } => {
                let function = code.functions.get(usize::from(f.0))?;
                let fault = self.argument(arena, origin.node, function, usize::from(index.0))?;
                Some((fault, origin.place))
            }
            _ => None,
        }
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

/// Returns a record with another failure, if there is one.
fn with_failure<'a>(record: &Record<'a>, failure: Option<&'a Failure>) -> Record<'a> {
    failure.map_or(*record, |failure| Record { fault: Fault::Failure(failure), ..*record })
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
