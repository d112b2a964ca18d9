//! What to write instead where the value shows it: a function that converts, a default for null, a splat.
//!
//! A function is proposed only if the engine has it. A change of the text is proposed where it is what was
//! probably meant; where something has to be chosen, such as a default, the sentence gives the form. Nothing is
//! proposed for marked values, whose type it would show.

use hclvm_compiler::tree::{BinaryKind, BinaryOp, CallId, Node, NodeId, NodeList, Tree, UnaryOp};
use hclvm_vm::{
    Called, Diagnostic, Fault, Function, Place, Replacement, Span, Type, Value, View, convert, function_meant,
};

use super::{FaultSite, arms};

/// Characters of an expression that is repeated in a sentence. For a longer one, nothing is proposed.
const LONGEST: usize = 60;

/// A proposal: a sentence, and the change that it describes if that is exact.
pub(super) struct Hint {
    /// Empty if the sentence of the fault shows it.
    sentence: String,
    change: Option<Replacement>,
}

impl Hint {
    pub(super) fn say(sentence: String) -> Self {
        Self { sentence, change: None }
    }

    /// Proposes a comparison with zero.
    fn zero(span: Span, text: String) -> Self {
        Self::change(format!("To compare a number with zero, write {text}."), span, text)
    }

    pub(super) fn change(sentence: String, span: Span, text: impl Into<String>) -> Self {
        Self { sentence, change: Some(Replacement { span, text: text.into() }) }
    }
}

impl FaultSite<'_> {
    /// Adds what to write instead to a diagnostic.
    pub(super) fn hint(&self, diagnostic: &mut Diagnostic) {
        if self.record.concerned.iter().any(|value| value.contains_marks()) {
            return;
        }
        let Some(hint) = self.proposal().or_else(|| self.of_context()) else { return };
        if !hint.sentence.is_empty() {
            diagnostic.detail = format!("{} {}", diagnostic.detail, hint.sentence).into();
        }
        // A change of JSON would have to be escaped.
        if let Some(change) = hint.change
            && self.tree().json().is_none()
        {
            diagnostic.additions_mut().replacements.push(change);
        }
    }

    fn proposal(&self) -> Option<Hint> {
        let [first, second] = self.record.concerned;
        let id = self.program.node(self.record.node);
        match (&self.record.fault, self.tree().node(id)) {
            (Fault::Operand(which, _), Node::Binary { op, lhs, rhs }) => {
                self.operand(id, op, [(lhs, first), (rhs, second)], *which == "right")
            }
            (Fault::Operand(..), Node::Unary { op: UnaryOp::Not, operand }) => match first.view() {
                View::Number(_) => {
                    let text = format!("{} == 0", self.operand_text(operand)?);
                    Some(Hint::zero(self.span(id), text))
                }
                _ => self.condition(operand, first),
            },
            (Fault::Operation(_), Node::Binary { op, lhs, rhs }) => {
                let (node, _) =
                    [(lhs, first), (rhs, second)].into_iter().find(|(_, value)| value.is_null())?;
                self.default(node, if op.is_logical() { "false" } else { "0" })
            }
            (Fault::Arms(yes, no), _) => {
                arms::difference(self.arena, *yes, *no).filter(|_| !first.is_unset()).map(Hint::say)
            }
            (Fault::NullCondition, Node::Conditional { condition, .. }) => self.default(condition, "false"),
            (Fault::Condition(_), Node::Conditional { condition, .. }) => self.condition(condition, first),
            (Fault::Include(_), Node::For(details)) => {
                self.condition(self.tree().for_expr(details).condition?, first)
            }
            (Fault::IterateNull, Node::For(details)) => {
                self.default(self.tree().for_expr(details).collection, "[]")
            }
            (Fault::IterateScalar(_), Node::For(details)) => {
                self.iterate(self.tree().for_expr(details).collection, first)
            }
            (Fault::PartNull, Node::Template(parts)) => self.default(self.part(parts)?, "\"\""),
            (Fault::Part(_), Node::Template(parts)) => self.as_text(self.part(parts)?, first),
            (Fault::AttributeOfNull | Fault::IndexOfNull, _) => {
                let text = format!("try({}, null)", self.text(id)?);
                self.has("try")
                    .then(|| Hint::say(format!("If it may be null, write {text}, or another default.")))
            }
            // The sentence shows it.
            (Fault::AttributeOfObjects { set: false, .. }, _) => {
                self.splat(first).map(|hint| Hint { sentence: String::new(), ..hint })
            }
            (Fault::AttributeOfOther(_), _) => self.as_call().or_else(|| self.splat(first)),
            (Fault::AttributeOfPrimitive(_), _) => self.as_call(),
            (Fault::IndexNegative, Node::Index { collection, key, .. }) => {
                self.counted_from_end(collection, key)
            }
            (Fault::IndexOfSet, Node::Index { collection, .. }) => {
                let text = format!("tolist({})", self.text(collection)?);
                self.has("tolist").then(|| {
                    Hint::change(format!("Write {text} to select by position."), self.span(collection), text)
                })
            }
            (Fault::Argument { .. }, _) if self.record.place == Place::Expanded => None,
            (Fault::Argument { function: Called::Function(function), index, .. }, Node::Call(call)) => {
                let node = *self.tree().list(self.tree().call(call).args).get(*index)?;
                self.swapped(id, call, function, *index)
                    .or_else(|| self.expanded(call, function, *index, first))
                    .or_else(|| self.argument(node, first, function.parameter(*index)?.ty))
            }
            (Fault::Call { function: "contains", .. }, Node::Call(call)) => self.contains(id, call),
            (Fault::Refused { function, .. }, Node::Call(call))
                if function.name == "concat" && first.as_str().is_some() =>
            {
                self.joined_texts(id, call)
            }
            (Fault::Refused { function, index, .. }, Node::Call(call)) if first.is_null() => {
                let node = *self.tree().list(self.tree().call(call).args).get(*index)?;
                self.default(node, default_of(function.parameter(*index)?.ty)?)
            }
            (Fault::ExpandType(Type::Map(_) | Type::Object(_)), Node::Call(call)) => {
                let node = *self.tree().list(self.tree().call(call).args).last()?;
                let text = format!("values({})", self.text(node)?);
                self.has("values").then(|| {
                    Hint::change(format!("Write {text} to expand its values."), self.span(node), text)
                })
            }
            _ => None,
        }
    }

    /// Proposes another operation for the operands of a binary one.
    fn operand(
        &self,
        id: NodeId,
        op: BinaryOp,
        [(lhs, left), (rhs, right)]: [(NodeId, Value<'_>); 2],
        is_right: bool,
    ) -> Option<Hint> {
        let (node, value) = if is_right { (rhs, right) } else { (lhs, left) };
        if op.is_logical() {
            return self.other_comparison(op, lhs, node).or_else(|| self.condition(node, value));
        }
        if is_right && convert(self.arena, left, Type::Number).is_err() {
            // The diagnostic of the left operand has it.
            return None;
        }
        let whole = self.span(id);
        let call = |name: &str, purpose: &str| {
            let text = format!("{name}({}, {})", self.text(lhs)?, self.text(rhs)?);
            self.has(name).then(|| Hint::change(format!("To {purpose}, write {text}."), whole, text))
        };
        if matches!(op.kind(), BinaryKind::Comparison(_))
            && let Some(hint) = self.comparison(id, op, (lhs, left), (rhs, right))
        {
            return Some(hint);
        }
        match (op, left.view(), right.view()) {
            (BinaryOp::Add, View::String(_), View::Unknown(_))
            | (BinaryOp::Add, View::Unknown(_), View::String(_)) => {
                let text = format!("\"{}{}\"", self.interpolated(lhs)?, self.interpolated(rhs)?);
                Some(Hint::say(format!("Only numbers are added; to join strings, write {text}.")))
            }
            (BinaryOp::Modulo, View::String(text), _) if text.contains('%') => {
                call("format", "insert values into a string")
            }
            (BinaryOp::Add, View::String(_), View::String(_) | View::Number(_) | View::Bool(_))
            | (BinaryOp::Add, View::Number(_) | View::Bool(_), View::String(_)) => {
                let text = format!("\"{}{}\"", self.interpolated(lhs)?, self.interpolated(rhs)?);
                let sentence = format!("Only numbers are added; to join strings, write {text}.");
                // A text beside a number may be the mistake.
                let joins = left.as_str().is_some() && right.as_str().is_some();
                Some(if joins { Hint::change(sentence, whole, text) } else { Hint::say(sentence) })
            }
            (BinaryOp::Add, View::Tuple(_) | View::List(..), View::Tuple(_) | View::List(..)) => {
                call("concat", "join lists")
            }
            (BinaryOp::Add, View::Object(_) | View::Map(..), View::Object(_) | View::Map(..)) => {
                call("merge", "join objects")
            }
            _ => match value.view() {
                View::Bool(_) => {
                    let text = format!("({} ? 1 : 0)", self.operand_text(node)?);
                    Some(Hint::change(format!("For a number, write {text}."), self.span(node), text))
                }
                _ => self.length(node, value),
            },
        }
    }

    /// Proposes to repeat what is compared: `x == "a" || "b"`.
    fn other_comparison(&self, op: BinaryOp, lhs: NodeId, node: NodeId) -> Option<Hint> {
        let last = match self.tree().node(lhs) {
            Node::Binary { op: BinaryOp::Or | BinaryOp::And, rhs, .. } => rhs,
            _ => lhs,
        };
        let Node::Binary { op: compared @ (BinaryOp::Equal | BinaryOp::NotEqual), lhs: subject, .. } =
            self.tree().node(last)
        else {
            return None;
        };
        if node == lhs || !self.is_literal(node) {
            return None;
        }
        let text = format!("{} {} {}", self.text(subject)?, compared.sign(), self.text(node)?);
        let sentence = format!("Behind `{}`, repeat what is compared: {text}.", op.sign());
        Some(Hint::change(sentence, self.span(node), text))
    }

    /// Proposes another form of a comparison by size: of two at once, and of texts.
    fn comparison(
        &self,
        id: NodeId,
        op: BinaryOp,
        (lhs, left): (NodeId, Value<'_>),
        (rhs, right): (NodeId, Value<'_>),
    ) -> Option<Hint> {
        if let Node::Binary { op: first, rhs: middle, .. } = self.tree().node(lhs)
            && matches!(first.kind(), BinaryKind::Comparison(_))
        {
            let (start, end) = (self.text(lhs)?, self.text(rhs)?);
            let text = format!("{start} && {} {} {end}", self.text(middle)?, op.sign());
            let sentence = format!("For a range, write {text}.");
            return Some(Hint::change(sentence, self.span(id), text));
        }
        let are_texts = left.as_str().is_some() && right.as_str().is_some();
        are_texts.then(|| Hint::say(format!("Texts have no order: `{}` compares numbers.", op.sign())))
    }

    /// Proposes a call for an attribute of a value without attributes that has the name of a function.
    fn as_call(&self) -> Option<Hint> {
        let step = self.step()?;
        let name = step.slice(self.source()).strip_prefix('.')?;
        let function =
            if self.has(name) { name } else { function_meant(name).filter(|name| self.has(name))? };
        let start = self.span(self.program.node(self.record.node)).start;
        let receiver = Span::new(start, step.start).slice(self.source());
        let text = format!("{function}({receiver})");
        let sentence = format!("Values have no methods: write {text}.");
        (!receiver.is_empty() && receiver.len() <= LONGEST)
            .then(|| Hint::change(sentence, Span::new(start, step.end), text))
    }

    /// Proposes the index of an element that is counted from the end.
    fn counted_from_end(&self, collection: NodeId, key: NodeId) -> Option<Hint> {
        let Node::Unary { op: UnaryOp::Negate, operand } = self.tree().node(key) else { return None };
        let text = format!("length({}) - {}", self.text(collection)?, self.operand_text(operand)?);
        self.has("length")
            .then(|| Hint::change(format!("To count from the end, write [{text}]."), self.span(key), text))
    }

    /// Proposes the other order of two arguments of which each fits the other's parameter.
    fn swapped(&self, id: NodeId, call: CallId, function: &Function, index: usize) -> Option<Hint> {
        let args = self.tree().list(self.tree().call(call).args);
        let fits = |node: NodeId, at: usize| {
            let (value, ty) = (self.value(node)?, function.parameter(at)?.ty);
            (!ty.is_dynamic() && convert(self.arena, value, ty).is_ok()).then_some(())
        };
        let node = *args.get(index)?;
        let other = (0..args.len()).find(|&other| {
            other != index && fits(node, other).is_some() && fits(args[other], index).is_some()
        })?;
        self.exchanged(id, args, [index, other])
    }

    /// Proposes the elements of a list as arguments, for the last argument of a function that takes any number.
    fn expanded(&self, call: CallId, function: &Function, index: usize, value: Value<'_>) -> Option<Hint> {
        let args = self.tree().list(self.tree().call(call).args);
        let (node, rest) = (*args.get(index)?, function.parameter(usize::MAX)?);
        let is_rest = index + 1 == args.len() && std::ptr::eq(function.parameter(index)?, rest);
        let items = value.as_items().filter(|items| is_rest && !items.is_empty())?;
        let end = self.span(node).end;
        let sentence =
            format!("For its elements as arguments, write {}... with three dots.", self.text(node)?);
        let fits = items.iter().all(|item| convert(self.arena, *item, rest.ty).is_ok());
        fits.then(|| Hint::change(sentence, Span::new(end, end), "..."))
    }

    /// Proposes a call with two of its arguments exchanged.
    fn exchanged(&self, id: NodeId, args: &[NodeId], [one, other]: [usize; 2]) -> Option<Hint> {
        let [first, second] =
            [args.get(one.min(other))?, args.get(one.max(other))?].map(|node| self.span(*node));
        let (source, whole) = (self.source(), self.span(id));
        let between = |from: u32, to: u32| Span::new(from, to).slice(source);
        let text = [
            between(whole.start, first.start),
            second.slice(source),
            between(first.end, second.start),
            first.slice(source),
            between(second.end, whole.end),
        ]
        .concat();
        let is_short = text.chars().count() <= LONGEST && !text.contains('\n');
        is_short.then(|| Hint::change(format!("In the other order they fit: {text}."), whole, text))
    }

    /// Proposes the search in a text, or the other order, for `contains` with a text.
    fn contains(&self, id: NodeId, call: CallId) -> Option<Hint> {
        let args = self.tree().list(self.tree().call(call).args);
        let &[first, second] = args else { return None };
        self.value(first)?.as_str()?;
        if self.value(second).is_some_and(|value| value.as_items().is_some()) {
            return self.exchanged(id, args, [0, 1]);
        }
        let text = format!("strcontains({}, {})", self.text(first)?, self.text(second)?);
        self.has("strcontains")
            .then(|| Hint::change(format!("To search in a string, write {text}."), self.span(id), text))
    }

    /// Proposes a template for the arguments of a call.
    fn joined_texts(&self, id: NodeId, call: CallId) -> Option<Hint> {
        let args = self.tree().list(self.tree().call(call).args);
        let parts: Option<Vec<String>> = args.iter().map(|node| self.interpolated(*node)).collect();
        let text = format!("\"{}\"", parts?.concat());
        Some(Hint::change(format!("To join strings, write {text}."), self.span(id), text))
    }

    /// Returns the value of a literal, of a variable or of a part of one. Not of a marked one.
    fn value(&self, node: NodeId) -> Option<Value<'_>> {
        if let Node::Tuple(items) = self.tree().node(node) {
            let items: Option<Vec<Value<'_>>> =
                self.tree().list(items).iter().map(|item| self.program.literal(self.arena, *item)).collect();
            return Some(Value::tuple(self.arena, self.arena.slice(&items?)));
        }
        let literal = self.program.literal(self.arena, node);
        literal.or_else(|| self.value_of_path(node)).filter(|value| !value.contains_marks())
    }

    /// Proposes a comparison for a value that is used as a condition.
    fn condition(&self, node: NodeId, value: Value<'_>) -> Option<Hint> {
        let word = value.as_str().map(str::to_lowercase).filter(|word| matches!(&**word, "true" | "false"));
        if let Some(word) = word
            && self.is_literal(node)
        {
            return Some(Hint::change(format!("Write {word}."), self.span(node), word));
        }
        if self.is_literal(node) {
            return None;
        }
        let text = self.operand_text(node)?;
        match value.view() {
            View::Number(_) => Some(Hint::zero(self.span(node), format!("{text} != 0"))),
            View::String(word) if matches!(&*word.to_lowercase(), "true" | "false") => {
                let text = format!("lower({})", self.text(node)?);
                self.has("lower").then(|| Hint::change(format!("Write {text}."), self.span(node), text))
            }
            View::String(_) => Some(Hint::say(format!(
                "Compare the string with another one, for example {text} == \"yes\"."
            ))),
            View::Tuple(_) | View::List(..) | View::Set(..) | View::Object(_) | View::Map(..) => {
                let text = format!("length({}) > 0", self.text(node)?);
                self.has("length").then(|| {
                    Hint::change(
                        format!("To ask whether it has elements, write {text}."),
                        self.span(node),
                        text,
                    )
                })
            }
            _ => None,
        }
    }

    fn length(&self, node: NodeId, value: Value<'_>) -> Option<Hint> {
        let is_collection = value.as_items().is_some() || value.as_entries().is_some();
        let text = format!("length({})", self.text(node)?);
        (is_collection && self.has("length"))
            .then(|| Hint::say(format!("The number of its elements is {text}.")))
    }

    /// Proposes a default for a null.
    fn default(&self, node: NodeId, default: &str) -> Option<Hint> {
        if self.is_literal(node) {
            return None;
        }
        let text = if self.has("coalesce") {
            format!("coalesce({}, {default})", self.text(node)?)
        } else {
            let operand = self.operand_text(node)?;
            format!("{operand} == null ? {default} : {operand}")
        };
        Some(Hint::say(format!("If it may be null, write {text}, or another default.")))
    }

    /// Proposes a text for a value that is not one.
    fn as_text(&self, node: NodeId, value: Value<'_>) -> Option<Hint> {
        let inner = self.text(node)?;
        let is_plain = |item: &Value<'_>| {
            item.as_str().is_some() || item.as_number().is_some() || item.as_bool().is_some()
        };
        match value.as_items() {
            Some(items) if items.iter().all(is_plain) && self.has("join") => {
                let text = format!("join(\", \", {inner})");
                Some(Hint::change(format!("To join its elements, write {text}."), self.span(node), text))
            }
            _ if self.has("jsonencode") && (value.as_items().is_some() || value.as_entries().is_some()) => {
                Some(Hint::say(format!("For its text in JSON, write jsonencode({inner}).")))
            }
            _ => None,
        }
    }

    fn iterate(&self, node: NodeId, value: Value<'_>) -> Option<Hint> {
        let text = self.text(node)?;
        match value.view() {
            View::Number(_) if self.has("range") => {
                let text = format!("range({text})");
                Some(Hint::change(format!("To count from 0, write {text}."), self.span(node), text))
            }
            View::String(_) if self.has("split") => Some(Hint::say(format!(
                "To split a string, write split(\",\", {text}); for a list of this one, [{text}]."
            ))),
            View::String(_) | View::Bool(_) | View::Number(_) => {
                Some(Hint::say(format!("For a list of this one, write [{text}].")))
            }
            _ => None,
        }
    }

    /// Proposes a splat for an attribute of each element of a sequence.
    fn splat(&self, value: Value<'_>) -> Option<Hint> {
        let step = self.step()?;
        let name = step.slice(self.source()).strip_prefix('.')?;
        let has = |item: &Value<'_>| {
            item.as_entries().is_some_and(|entries| entries.iter().any(|entry| entry.name == name))
        };
        let items = value.as_items()?;
        (!items.is_empty() && items.iter().all(has)).then(|| {
            let sentence = format!("For \"{name}\" of all elements, write [*].{name}.");
            Hint::change(sentence, step.empty_at_start(), "[*]")
        })
    }

    /// Proposes a conversion of an argument to the type of its parameter.
    fn argument(&self, node: NodeId, value: Value<'_>, wanted: Type<'_>) -> Option<Hint> {
        match wanted {
            Type::String => self.as_text(node, value),
            Type::Number => self.length(node, value),
            Type::Bool => self.condition(node, value),
            Type::List(_) | Type::Set(_) if value.as_str().is_some() || value.as_number().is_some() => {
                let text = format!("[{}]", self.text(node)?);
                Some(Hint::change(format!("For a list of this one, write {text}."), self.span(node), text))
            }
            Type::List(_) | Type::Set(_) if value.as_entries().is_some() && self.has("values") => {
                let text = format!("values({})", self.text(node)?);
                Some(Hint::say(format!("For a list of its values, write {text}.")))
            }
            _ => None,
        }
    }

    fn is_literal(&self, node: NodeId) -> bool {
        matches!(self.tree().node(node), Node::Null | Node::Bool(_) | Node::Number(_) | Node::Template(_))
    }

    /// Returns the part of a template that is at fault.
    fn part(&self, parts: NodeList) -> Option<NodeId> {
        let Place::Part(at) = self.record.place else { return None };
        self.tree().list(parts).get(usize::from(at)).copied()
    }

    /// Returns the range of the step of a traversal that is at fault.
    fn step(&self) -> Option<Span> {
        let id = self.program.node(self.record.node);
        let (Node::Traversal { steps, .. } | Node::RelativeTraversal { steps, .. }) = self.tree().node(id)
        else {
            return None;
        };
        let Place::Step(at) = self.record.place else { return None };
        self.tree().steps(steps).get(usize::from(at)).map(|step| step.span)
    }

    /// Returns an expression as a part of a quoted template.
    fn interpolated(&self, node: NodeId) -> Option<String> {
        let text = self.text(node)?;
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        match (self.tree().node(node), inner) {
            (Node::Template(_), Some(inner)) => Some(inner.to_owned()),
            (Node::Number(_) | Node::Bool(_), _) => Some(text.to_owned()),
            (Node::Template(_) | Node::TemplateWrap(_), None) => None,
            _ => Some(format!("${{{text}}}")),
        }
    }

    /// Returns the text of an expression as the operand of another operator.
    fn operand_text(&self, node: NodeId) -> Option<String> {
        let text = self.text(node)?;
        Some(match self.tree().node(node) {
            Node::Binary { .. } | Node::Unary { .. } | Node::Conditional { .. } => format!("({text})"),
            _ => text.to_owned(),
        })
    }

    /// Returns the text of an expression; `None` if it is too long to be repeated.
    pub(super) fn text(&self, node: NodeId) -> Option<&str> {
        let text = self.span(node).slice(self.source());
        (!text.is_empty() && text.chars().count() <= LONGEST && !text.contains(['\n', '\r'])).then_some(text)
    }

    pub(super) fn span(&self, node: NodeId) -> Span {
        self.tree().span(node)
    }

    fn source(&self) -> &str {
        self.program.source().text()
    }

    pub(super) fn tree(&self) -> &Tree {
        self.program.expression().0
    }

    /// Returns true if the engine has a function.
    pub(super) fn has(&self, name: &str) -> bool {
        let functions = &self.program.engine().settings().dialect.functions;
        functions.as_ref().is_some_and(|table| table.get(name).is_some())
    }
}

/// Returns a value that a null argument of a type may be replaced by.
const fn default_of(ty: Type<'_>) -> Option<&'static str> {
    match ty {
        Type::String => Some("\"\""),
        Type::Number => Some("0"),
        Type::Bool => Some("false"),
        Type::List(_) | Type::Set(_) => Some("[]"),
        Type::Map(_) => Some("{}"),
        _ => None,
    }
}
