//! Lowering to the columnar tier: steps over vectors of rows, each within the rows for which the fast tier would reach
//! the expression.
//!
//! ```text
//! a == "k" || (b > 1 && c)      m1 = a == "k" within all; m2 = all without m1
//!                               m3 = b > 1 within m2; m4 = c within m2; m5 = m3 and m4; m6 = m1 or m5
//! ```
//! As in [`fast`](super::fast), an operand or an arm is left out for a row only if its static type shows that the
//! reference would not reject it: `c` above is evaluated for all rows of `m2`. A part without a columnar form lets the
//! rows that reach it run alone.

use hclvm_vm::code::columns::{
    ColumnCode, ColumnOperand, ColumnPath, ColumnResult, ColumnRule, ColumnStep, MaskReg,
};
use hclvm_vm::text::nfc;
use hclvm_vm::{Constants, TextOperation, Value};
use smol_str::SmolStr;

use super::Context;
use super::operator::{MOST_LEVELS, is_short_text};
use crate::analysis::info::{NodeInfos, StaticType};
use crate::tree::{BinaryKind, CallId, Node, NodeId, NodeList, StepKind, StepList, UnaryOp};

/// The most steps of an expression that look at each byte of a text, of up to 256 bytes: the work of so many is far below
/// the budget that a run over columns requires, to which it is not charged.
const MOST_TEXT_STEPS: usize = 64;

/// The most parts of a template, which bounds the memory of the texts of a vector to four megabytes.
const MOST_PARTS: usize = 16;

/// Lowers the expression of `context`. Returns `None` if all rows would run alone.
pub(super) fn lower<'a>(context: &Context<'a>, info: NodeInfos<'a>) -> Option<ColumnCode> {
    let mut lowering = ColumnLowering {
        context: *context,
        info,
        constants: Vec::new(),
        paths: Vec::new(),
        lists: Vec::new(),
        steps: Vec::new(),
        masks: 1,
        registers: 0,
        levels: 0,
        text_steps: 0,
    };
    let root = context.bare(context.root);
    let result = if lowering.is_condition(root) && info.constant(root).is_none() {
        ColumnResult::Truth(lowering.condition(root, MaskReg::ALL)?)
    } else {
        ColumnResult::Values(lowering.value(root, MaskReg::ALL)?)
    };
    if lowering.steps.contains(&ColumnStep::Alone { within: MaskReg::ALL }) {
        return None;
    }
    Some(ColumnCode {
        constants: Constants::freeze(&lowering.constants),
        paths: lowering.paths.into(),
        lists: lowering.lists.into(),
        steps: lowering.steps.into(),
        masks: lowering.masks,
        registers: lowering.registers,
        rules: [ColumnRule { result, noted: None }].into(),
    })
}

/// Columnar code under construction. Methods return `None` if the format has no room.
struct ColumnLowering<'a> {
    context: Context<'a>,
    info: NodeInfos<'a>,
    constants: Vec<Value<'a>>,
    paths: Vec<ColumnPath>,
    lists: Vec<ColumnOperand>,
    steps: Vec<ColumnStep>,
    /// The number of masks and of registers so far.
    masks: u16,
    registers: u16,
    /// The levels of nodes around the present one.
    levels: u16,
    /// The number of steps that look at each byte of a text.
    text_steps: usize,
}

impl<'a> ColumnLowering<'a> {
    fn new_mask(&mut self) -> Option<MaskReg> {
        let mask = MaskReg(self.masks);
        self.masks = self.masks.checked_add(1)?;
        Some(mask)
    }

    /// Adds a step whose result is a new mask.
    fn mask(&mut self, step: impl FnOnce(MaskReg) -> ColumnStep) -> Option<MaskReg> {
        let d = self.new_mask()?;
        self.steps.push(step(d));
        Some(d)
    }

    /// Adds a step whose result is a new register.
    fn register(&mut self, step: impl FnOnce(u16) -> ColumnStep) -> Option<ColumnOperand> {
        let d = self.registers;
        self.registers = d.checked_add(1)?;
        self.steps.push(step(d));
        Some(ColumnOperand::Register(d))
    }

    /// Lets the rows of `within` run alone.
    fn alone(&mut self, within: MaskReg) {
        self.steps.push(ColumnStep::Alone { within });
    }

    /// Lets rows run alone; their truth does not matter.
    fn condition_alone(&mut self, within: MaskReg) -> Option<MaskReg> {
        self.alone(within);
        self.mask(|d| ColumnStep::Decided { d, truth: false, within })
    }

    /// Lets rows run alone; their value does not matter.
    fn value_alone(&mut self, within: MaskReg) -> Option<ColumnOperand> {
        self.alone(within);
        self.constant(Value::NULL)
    }

    fn constant(&mut self, value: Value<'a>) -> Option<ColumnOperand> {
        self.constant_at(value).map(ColumnOperand::Constant)
    }

    /// Adds a constant and returns its number.
    fn constant_at(&mut self, value: Value<'a>) -> Option<u16> {
        let at = u16::try_from(self.constants.len()).ok()?;
        self.constants.push(value);
        Some(at)
    }

    fn is_condition(&self, id: NodeId) -> bool {
        let id = self.context.bare(id);
        match self.context.tree.node(id) {
            Node::Binary { .. } => self.info.ty(id) == StaticType::Bool,
            Node::Unary { op, .. } => op == UnaryOp::Not,
            Node::Call(call) => self.search(id, call).is_some() || self.part_test(id, call).is_some(),
            _ => false,
        }
    }

    /// Lowers a condition for the rows of `within`: returns those for which it is true.
    fn condition(&mut self, id: NodeId, within: MaskReg) -> Option<MaskReg> {
        if self.levels >= MOST_LEVELS {
            return self.condition_alone(within);
        }
        self.levels += 1;
        let mask = self.truth(id, within);
        self.levels -= 1;
        mask
    }

    /// Lowers a condition of each kind.
    fn truth(&mut self, id: NodeId, within: MaskReg) -> Option<MaskReg> {
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            return match value.as_bool() {
                Some(truth) => self.mask(|d| ColumnStep::Decided { d, truth, within }),
                None => self.condition_alone(within),
            };
        }
        match self.context.tree.node(id) {
            Node::Unary { op: UnaryOp::Not, operand } => {
                let b = self.condition(operand, within)?;
                self.mask(|d| ColumnStep::Without { d, a: within, b })
            }
            Node::Binary { op, lhs, rhs } => match op.kind() {
                BinaryKind::Logical { deciding } => self.connective(deciding, lhs, rhs, within),
                BinaryKind::Equality { when } => {
                    let (a, b) = (self.value(lhs, within)?, self.value(rhs, within)?);
                    self.mask(|d| ColumnStep::Equal { d, a, b, when, within })
                }
                BinaryKind::Comparison(op) => {
                    let (a, b) = (self.value(lhs, within)?, self.value(rhs, within)?);
                    self.mask(|d| ColumnStep::Compare { d, op, a, b, within })
                }
                BinaryKind::Arithmetic(_) => self.bool_of(id, within),
            },
            Node::Conditional { condition, yes, no }
                if self.info.ty(yes) == StaticType::Bool && self.info.ty(no) == StaticType::Bool =>
            {
                let condition = self.condition(condition, within)?;
                let other = self.mask(|d| ColumnStep::Without { d, a: within, b: condition })?;
                let (a, b) = (self.condition(yes, condition)?, self.condition(no, other)?);
                self.mask(|d| ColumnStep::Or { d, a, b })
            }
            Node::Call(call) => {
                if let Some((subject, texts)) = self.search(id, call) {
                    return self.member(subject, texts, within);
                }
                let Some((op, subject, part)) = self.part_test(id, call) else {
                    return self.condition_alone(within);
                };
                self.text_steps += 1;
                let (a, part) = (self.value(subject, within)?, self.constant_at(part)?);
                self.mask(|d| ColumnStep::Part { d, op, a, part, within })
            }
            _ => self.bool_of(id, within),
        }
    }

    /// Lowers a bool that is no condition itself.
    fn bool_of(&mut self, id: NodeId, within: MaskReg) -> Option<MaskReg> {
        let a = self.value(id, within)?;
        self.mask(|d| ColumnStep::Truth { d, a, within })
    }

    /// Lowers `lhs && rhs` or `lhs || rhs`. The right operand is left out for rows that the left one decides only if
    /// its static type is bool; otherwise it must be a bool in all rows.
    fn connective(&mut self, deciding: bool, lhs: NodeId, rhs: NodeId, within: MaskReg) -> Option<MaskReg> {
        let is_and = !deciding;
        if self.info.ty(rhs) == StaticType::Bool && self.context.environment.short_circuit {
            let a = self.condition(lhs, within)?;
            if is_and {
                return self.condition(rhs, a);
            }
            let undecided = self.mask(|d| ColumnStep::Without { d, a: within, b: a })?;
            let b = self.condition(rhs, undecided)?;
            return self.mask(|d| ColumnStep::Or { d, a, b });
        }
        let b = self.condition(rhs, within)?;
        let a = self.condition(lhs, within)?;
        self.mask(|d| if is_and { ColumnStep::And { d, a, b } } else { ColumnStep::Or { d, a, b } })
    }

    /// Returns the subject and the texts of a search for something in short constant texts.
    fn search(&self, id: NodeId, call: CallId) -> Option<(NodeId, &'a [Value<'a>])> {
        let details = self.context.tree.call(call);
        let function = self.info.function(id)?;
        let [list, subject] = self.context.tree.list(details.args) else { return None };
        if details.expand || !function.searches() || function.is_lazy() || !function.takes(2) {
            return None;
        }
        let texts = self.info.constant(self.context.bare(*list))?.as_items()?;
        let is_short = |text: &Value<'_>| is_short_text(*text);
        let known = self.info.constant(id).is_some() || self.info.constant(*subject).is_some();
        let usable = !texts.is_empty() && !known && texts.iter().all(is_short);
        usable.then_some((self.context.bare(*subject), texts))
    }

    /// Returns what a call computes of a text, if it computes that alone, and its arguments. There are not more than
    /// [`MOST_TEXT_STEPS`].
    fn text_call(&self, id: NodeId, call: CallId) -> Option<(TextOperation, &'a [NodeId])> {
        let details = self.context.tree.call(call);
        let function = self.info.function(id)?;
        let args = self.context.tree.list(details.args);
        let is_plain = !details.expand && !function.is_lazy() && function.takes(args.len());
        if !is_plain || self.text_steps >= MOST_TEXT_STEPS || self.info.constant(id).is_some() {
            return None;
        }
        Some((function.text_operation()?, args))
    }

    /// Returns the subject and the constant of a test of a text.
    fn part_test(&self, id: NodeId, call: CallId) -> Option<(TextOperation, NodeId, Value<'a>)> {
        let (op, args) = self.text_call(id, call)?;
        let is_test = matches!(op, TextOperation::Begins | TextOperation::Ends | TextOperation::Contains);
        let [subject, part] = args else { return None };
        let part = self.info.constant(self.context.bare(*part))?;
        let is_short = is_short_text(part);
        (is_test && is_short).then_some((op, self.context.bare(*subject), part))
    }

    /// Returns the argument of a function of one text that is no test.
    fn text_function(&self, id: NodeId, call: CallId) -> Option<(TextOperation, NodeId)> {
        let (op, args) = self.text_call(id, call)?;
        let is_made = matches!(op, TextOperation::Lower | TextOperation::Upper | TextOperation::Length);
        let [subject] = args else { return None };
        is_made.then_some((op, self.context.bare(*subject)))
    }

    /// Lowers a template.
    fn template(&mut self, parts: NodeList, within: MaskReg) -> Option<ColumnOperand> {
        let parts = self.context.tree.list(parts);
        if parts.len() > MOST_PARTS || self.text_steps + parts.len() > MOST_TEXT_STEPS {
            return self.value_alone(within);
        }
        self.text_steps += parts.len();
        let operands: Option<Vec<_>> = parts.iter().map(|part| self.value(*part, within)).collect();
        let (first, operands) = (u16::try_from(self.lists.len()).ok()?, operands?);
        let count = u16::try_from(operands.len()).ok()?;
        self.lists.extend(operands);
        self.register(|d| ColumnStep::Join { d, first, count, within })
    }

    fn member(&mut self, subject: NodeId, texts: &'a [Value<'a>], within: MaskReg) -> Option<MaskReg> {
        let a = self.value(subject, within)?;
        let first = u16::try_from(self.constants.len()).ok()?;
        let count = u16::try_from(texts.len()).ok()?;
        for text in texts {
            self.constant(*text)?;
        }
        self.mask(|d| ColumnStep::Member { d, a, first, count, within })
    }

    /// Lowers the value of a node for the rows of `within`.
    fn value(&mut self, id: NodeId, within: MaskReg) -> Option<ColumnOperand> {
        if self.levels >= MOST_LEVELS {
            return self.value_alone(within);
        }
        self.levels += 1;
        let value = self.value_of(id, within);
        self.levels -= 1;
        value
    }

    /// Lowers a value of each kind.
    fn value_of(&mut self, id: NodeId, within: MaskReg) -> Option<ColumnOperand> {
        let id = self.context.bare(id);
        if let Some(value) = self.info.constant(id) {
            let is_plain = value.is_null() || value.as_bool().is_some() || value.as_number().is_some();
            let usable = is_plain || is_short_text(value);
            return if usable { self.constant(value) } else { self.value_alone(within) };
        }
        if self.is_condition(id) {
            let a = self.condition(id, within)?;
            return self.register(|d| ColumnStep::Bools { d, a });
        }
        match self.context.tree.node(id) {
            Node::Traversal { steps, .. } => self.path(id, steps, within),
            Node::Binary { op, lhs, rhs } => {
                let BinaryKind::Arithmetic(op) = op.kind() else { return self.value_alone(within) };
                let (a, b) = (self.value(lhs, within)?, self.value(rhs, within)?);
                self.register(|d| ColumnStep::Arithmetic { d, op, a, b, within })
            }
            Node::Unary { op: UnaryOp::Negate, operand } => {
                let a = self.value(operand, within)?;
                self.register(|d| ColumnStep::Negate { d, a, within })
            }
            Node::Conditional { condition, yes, no } => self.conditional([condition, yes, no], within),
            Node::Template(parts) => self.template(parts, within),
            Node::Call(call) => match self.text_function(id, call) {
                Some((op, subject)) => {
                    self.text_steps += 1;
                    let a = self.value(subject, within)?;
                    self.register(|d| ColumnStep::Text { d, op, a, within })
                }
                None => self.value_alone(within),
            },
            _ => self.value_alone(within),
        }
    }

    /// Lowers a variable or an attribute of one.
    fn path(&mut self, id: NodeId, steps: StepList, within: MaskReg) -> Option<ColumnOperand> {
        let Some(variable) = self.info.variable(id) else { return self.value_alone(within) };
        let tree = self.context.tree;
        let mut names: Vec<SmolStr> = Vec::new();
        for step in tree.steps(steps.skip(u32::from(variable.derived))) {
            let name = match step.kind {
                StepKind::Attribute(name) => Some(nfc(self.context.arena(), tree.name(name))),
                StepKind::Index(key) => self.info.constant(key).and_then(Value::as_str),
            };
            match name {
                Some(name) => names.push(name.into()),
                None => return self.value_alone(within),
            }
        }
        let path = ColumnPath { slot: variable.slot, names: names.into() };
        let at = self.paths.iter().position(|known| *known == path).unwrap_or_else(|| {
            self.paths.push(path);
            self.paths.len() - 1
        });
        u16::try_from(at).ok().map(ColumnOperand::Path)
    }

    /// Lowers `condition ? yes : no`: each arm for the rows that take it if both have one static type, else both for
    /// all rows, because the type of the result depends on both.
    fn conditional(&mut self, [condition, yes, no]: [NodeId; 3], within: MaskReg) -> Option<ColumnOperand> {
        if self.info.constant(condition).is_some() {
            return self.value_alone(within);
        }
        let ty = self.info.ty(yes);
        if ty != StaticType::Dynamic && ty == self.info.ty(no) {
            let condition = self.condition(condition, within)?;
            let other = self.mask(|d| ColumnStep::Without { d, a: within, b: condition })?;
            let (yes, no) = (self.value(yes, condition)?, self.value(no, other)?);
            return self.register(|d| ColumnStep::Choose { d, condition, yes, no, lazy: true, within });
        }
        let (yes, no) = (self.value(yes, within)?, self.value(no, within)?);
        let condition = self.condition(condition, within)?;
        self.register(|d| ColumnStep::Choose { d, condition, yes, no, lazy: false, within })
    }
}
