//! Checking a document before it runs: every expression is evaluated with unknown values of the declared
//! types, and what no value could repair is reported.
//!
//! ```text
//! Declared ─▶ slots: an unknown value for each variable ─▶ locals, in order ─▶ attributes of all blocks
//!                                                                                dynamic: its elements, or
//!                                                                                one that is unknown
//! ```
//!
//! The machine [explores](hclvm_vm::exec::explore): both arms of a conditional whose condition is unknown,
//! both operands of `&&` and `||`, and the body of a loop over an unknown collection. A [`Module`] evaluates
//! the same file with values, and links it; nothing is linked here, because each expression runs once.
//!
//! [`Module`]: crate::Module

mod declared;
mod earliest;

use std::sync::{Arc, OnceLock};

use hclvm_compiler::tree::{Node, NodeId};
use hclvm_vm::{Arena, Diagnostic, Entry, Layout, Span, Type, Value, View, cast};

pub use declared::Declared;
use earliest::Earliest;

use crate::compile::program::Program;
use crate::diagnostics::error::{Diagnostics, Error, ErrorKind};
use crate::diagnostics::problems::ProblemCollector;
use crate::run::explain::explain;
use crate::run::session::faults_in;
use crate::structure::content::has_labels;
use crate::structure::dynamic;
use crate::structure::module::locals::{LOCAL, LOCALS, OrderedLocal, locals};
use crate::structure::module::with_slots;
use crate::structure::schema::{DYNAMIC, DYNAMIC_LABEL};
use crate::syntax::document::{Attribute, Block, Body, Document};

impl Document {
    /// Returns what is wrong with the file for all values of the declared variables: names that nothing
    /// declares, attributes that a type does not have, wrong types, calls with too many arguments, locals that
    /// do not exist or form a cycle. The file is not run with any values; what depends on them is assumed to
    /// be right. Diagnostics are in the order of the text.
    ///
    /// A part that `try` or `can` guards, or that a known condition rules out, may fail.
    ///
    /// ```
    /// use hclvm::Engine;
    /// use hclvm::check::Declared;
    ///
    /// let engine = Engine::new();
    /// let document = engine.parse("policy.hcl", r#"
    ///     allow = user.role == "admin" || resource.public
    ///     name  = user.nmae
    ///     shown = upper(request, "!")
    /// "#)?;
    /// assert_eq!(document.check(&Declared::anything()).len(), 1); // `upper` takes one argument
    ///
    /// let declared = Declared::of_schema(&engine.parse("types.hcl", "
    ///     user = object({ role = string, name = string })
    /// ")?)?;
    /// let problems = document.check(&declared).to_string();
    /// assert!(problems.contains("resource"), "nothing declares it");
    /// assert!(problems.contains("nmae"), "the type of `user` has no such attribute");
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn check(&self, declared: &Declared) -> Diagnostics {
        let settings = self.engine().settings();
        let mut problems = ProblemCollector::new(settings.limits.diagnostics);
        let document = match declared.names(self.layout()) {
            None => self.clone(),
            Some(names) => {
                let own = std::iter::once(LOCAL.into()).chain(self.iterators());
                self.for_layout(&Arc::new(Layout::new(names.into_iter().chain(own))))
            }
        };
        let locals = locals(&document, &mut problems);
        let document = with_slots(&document, &locals);
        let programs = (0..document.file().attribute_count()).map(|_| OnceLock::new()).collect::<Vec<_>>();
        let mut arena = Arena::with_limits(settings.limits.of_runs());
        arena.set_symbols(settings.names.snapshot());
        let mut check = DocumentCheck {
            document: &document,
            programs: &programs,
            arena: &arena,
            values: declared.values(document.layout()),
            problems: Earliest::new(settings.limits.diagnostics),
        };
        for problem in problems.take() {
            check.problems.push(problem);
        }
        if let Err(error) = check.locals(&locals).and_then(|()| check.bodies()) {
            for problem in diagnostics_of(error) {
                check.problems.push(problem);
            }
        }
        Diagnostics::new(Arc::clone(self.source()), check.problems.take())
    }
}

/// Returns the diagnostics of an error that ends a check.
fn diagnostics_of(error: Error) -> Vec<Diagnostic> {
    match error.kind() {
        ErrorKind::Diagnostics(diagnostics) => diagnostics.iter().cloned().collect(),
        ErrorKind::Limit(limit) => vec![limit.diagnostic()],
        ErrorKind::Value(message) | ErrorKind::Layout(message) => {
            let mut one = Diagnostic::error("Invalid value", format!("{message}."), Span::default());
            one.subject = None;
            vec![one]
        }
    }
}

/// A check in progress.
struct DocumentCheck<'a> {
    document: &'a Document,
    /// Programs by attribute number, compiled for the baseline tier when first needed.
    programs: &'a [OnceLock<Result<Program, Error>>],
    arena: &'a Arena,
    /// Values by slot.
    values: Vec<Value<'a>>,
    problems: Earliest,
}

/// What is left to do, the next last.
enum CheckTask<'a> {
    /// Checks a body. True in blocks made from a marked collection, whose messages show no values.
    Body(Body<'a>, bool),
    /// Evaluates the collection of a dynamic block.
    Dynamic(Block<'a>, bool),
    /// Evaluates the labels of a block that is made.
    Labels(Attribute<'a>, bool),
    /// Sets a slot.
    Set(usize, Value<'a>),
}

impl<'a> DocumentCheck<'a> {
    /// Evaluates the locals.
    fn locals(&mut self, locals: &'a [OrderedLocal]) -> Result<(), Error> {
        let layout = self.document.layout();
        let object = layout.slot(LOCAL).map(|slot| usize::from(slot.0));
        let mut results = vec![Value::DYNAMIC; locals.len()];
        for (at, local) in locals.iter().enumerate() {
            if let Some(object) = object.filter(|_| local.reads_object) {
                let uses = local.uses.iter().map(|used| (locals[*used].name.as_str(), results[*used]));
                self.values[object] = self.object(uses);
            }
            let attribute = Attribute::new(self.document, local.attribute);
            results[at] = self.attribute(attribute, false)?.0;
            if let Some(slot) = layout.derived(LOCAL, &local.name) {
                self.values[usize::from(slot.0)] = results[at];
            }
        }
        if let Some(object) = object {
            let mut all: Vec<(&str, Value<'a>)> =
                locals.iter().map(|local| local.name.as_str()).zip(results).collect();
            all.sort_by_key(|(name, _)| *name);
            self.values[object] = self.object(all.into_iter());
        }
        Ok(())
    }

    fn object(&self, entries: impl Iterator<Item = (&'a str, Value<'a>)>) -> Value<'a> {
        let entries: Vec<Entry<'a>> = entries.map(|(name, value)| self.arena.entry(name, value)).collect();
        Value::object(self.arena, self.arena.slice(&entries))
    }

    /// Evaluates the attributes of the file's body and of all blocks. Tasks are a list, because a thousand
    /// calls of unoptimized builds do not fit the native stack.
    fn bodies(&mut self) -> Result<(), Error> {
        let mut tasks = vec![CheckTask::Body(self.document.body(), false)];
        let mut is_file = true;
        while let Some(task) = tasks.pop() {
            match task {
                CheckTask::Body(body, secret) => {
                    let is_locals = |name: &str| is_file && name == LOCALS;
                    // In JSON, `locals` is also listed as an attribute.
                    for attribute in body.attributes().filter(|one| !is_locals(one.name())) {
                        // In JSON, repeated names of an object are also problems.
                        if self.document.is_json() || !self.cannot_fail(attribute.definition().expr) {
                            self.attribute(attribute, secret)?;
                        }
                    }
                    let first = tasks.len();
                    for block in body.blocks().filter(|block| !is_locals(block.kind())) {
                        tasks.push(match block.kind() {
                            DYNAMIC => CheckTask::Dynamic(block, secret),
                            _ => CheckTask::Body(block.body(), secret),
                        });
                    }
                    tasks[first..].reverse();
                    is_file = false;
                }
                CheckTask::Dynamic(block, secret) => self.dynamic(block, secret, &mut tasks)?,
                CheckTask::Labels(labels, secret) => self.labels(labels, secret)?,
                CheckTask::Set(slot, value) => self.values[slot] = value,
            }
        }
        Ok(())
    }

    /// Returns true for literals, for parts of variables of unknown type, and for tuples and objects of these:
    /// most attributes of most files, which need no code to be checked. The recursion is as deep as the text
    /// nests.
    fn cannot_fail(&self, node: NodeId) -> bool {
        let tree = self.document.tree();
        match tree.node(node) {
            Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) => true,
            Node::Template(parts) => {
                tree.list(parts).iter().all(|part| matches!(tree.node(*part), Node::Text(_)))
            }
            Node::TemplateWrap(inner) | Node::Parens(inner) => self.cannot_fail(inner),
            Node::Traversal { root, .. } => self.is_any(tree.name(root)),
            Node::Tuple(items) => tree.list(items).iter().all(|item| self.cannot_fail(*item)),
            Node::Object(items) => tree.list(items).iter().all(|item| self.cannot_fail(*item)),
            Node::ObjectKey { expr, forced: false } => match tree.node(expr) {
                Node::Traversal { steps, .. } => tree.steps(steps).is_empty(),
                Node::Null => false,
                _ => self.cannot_fail(expr),
            },
            _ => false,
        }
    }

    /// Returns true if a variable has a value of unknown type.
    fn is_any(&self, name: &str) -> bool {
        let layout = self.document.layout();
        let value = layout.slot(name).map(|slot| self.values[usize::from(slot.0)]);
        let is_dynamic =
            |value: Value<'_>| matches!(value.view(), View::Unknown(unknown) if unknown.ty.is_dynamic());
        !layout.has_derived(name) && value.is_some_and(is_dynamic)
    }

    /// Evaluates the collection of a dynamic block and adds the tasks for the blocks that it makes.
    fn dynamic(
        &mut self,
        block: Block<'a>,
        secret: bool,
        tasks: &mut Vec<CheckTask<'a>>,
    ) -> Result<(), Error> {
        let mut problems = ProblemCollector::new(usize::MAX);
        let labelled = has_labels(block, &[DYNAMIC_LABEL.into()], &mut problems);
        let head = if labelled { dynamic::head(block, None, &mut problems) } else { None };
        let tail = head.as_ref().and_then(|head| head.tail(None, &mut problems));
        for problem in problems.take() {
            self.problems.push(problem);
        }
        let Some(head) = head else { return Ok(()) };
        let (value, failed) = self.attribute(head.for_each, secret)?;
        if failed {
            return Ok(());
        }
        let span = head.for_each.expression_span();
        if let Some(refusal) = dynamic::refuse_collection(self.arena, value, span) {
            self.problems.push(refusal);
            return Ok(());
        }
        let Some(tail) = tail else { return Ok(()) };
        let (collection, marks) = value.unmark();
        let secret = secret || !marks.is_empty();
        let slot = self.document.layout().slot(head.iterator).map(|slot| usize::from(slot.0));
        let first = tasks.len();
        let (arena, before) = (self.arena, slot.map(|slot| self.values[slot]));
        let mut add = |pair| {
            tasks.extend(slot.map(|slot| CheckTask::Set(slot, dynamic::element(arena, pair))));
            tasks.extend(tail.labels.map(|labels| CheckTask::Labels(labels, secret)));
            tasks.push(CheckTask::Body(tail.content, secret));
            if arena.charge(1) { Ok(()) } else { Err(()) }
        };
        if dynamic::each_element(arena, collection, &mut add) == Ok(false) {
            let _ = add(any_element(arena, collection));
        }
        tasks.extend(slot.zip(before).map(|(slot, before)| CheckTask::Set(slot, before)));
        tasks[first..].reverse();
        Ok(())
    }

    /// Evaluates the labels of a block. A label that is not known yet may be right.
    fn labels(&mut self, labels: Attribute<'a>, secret: bool) -> Result<(), Error> {
        for at in 0..labels.element_count().unwrap_or(0) {
            let program = labels.element_ref(at).map_err(Clone::clone)?;
            let (value, failed) = self.program(program, secret)?;
            if !failed
                && value.is_wholly_known()
                && let Err(refusal) = dynamic::label_text(self.arena, program, value, secret)?
            {
                self.problems.push(refusal);
            }
        }
        Ok(())
    }

    /// Evaluates an attribute. Returns its value, and whether it has errors.
    fn attribute(&mut self, attribute: Attribute<'a>, secret: bool) -> Result<(Value<'a>, bool), Error> {
        let cell = &self.programs[cast::index(attribute.index())];
        let program = cell.get_or_init(|| attribute.baseline_program());
        self.program(program.as_ref().map_err(Clone::clone)?, secret)
    }

    fn program(&mut self, program: &'a Program, secret: bool) -> Result<(Value<'a>, bool), Error> {
        let Self { arena, values, problems, .. } = self;
        let (value, faults) = faults_in(arena, program, values)?;
        let comparisons = arena.comparisons();
        for record in faults {
            problems.push_with(Some(program.subject(record)), record.fault.title(), || {
                explain(program, record, (values, arena.is_partial()), secret, comparisons)
            });
        }
        program.lasting_faults(|record| {
            let tell = || program.diagnostic(record, comparisons);
            problems.push_with(Some(program.subject(record)), record.fault.title(), tell);
        });
        Ok((value, !faults.is_empty()))
    }
}

/// Returns key and value of an element of a collection whose elements are unknown.
fn any_element<'a>(arena: &'a Arena, collection: Value<'a>) -> [Value<'a>; 2] {
    let unknown = |ty| Value::unknown_of(arena, ty);
    match collection.type_of(arena) {
        Type::List(element) => [unknown(Type::Number), unknown(*element)],
        Type::Set(element) => [unknown(*element); 2],
        Type::Map(element) => [unknown(Type::String), unknown(*element)],
        Type::Tuple(_) => [unknown(Type::Number), Value::DYNAMIC],
        Type::Object(_) => [unknown(Type::String), Value::DYNAMIC],
        _ => [Value::DYNAMIC; 2],
    }
}
