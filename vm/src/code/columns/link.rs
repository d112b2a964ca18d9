//! Linking: the code of several rules as one, so that their rows are loaded once and common subexpressions are computed
//! once.
//!
//! ```text
//! rule 1: role == "admin" && size < 10      h1 = role == "admin" within all       h2 = size < 10 within all
//! rule 2: role == "guest" && size < 10      m1 = h1 with its rows without an answer
//!                                           m2 = h2 within m1
//!                                           m3 = role == "guest" within all
//!                                           m4 = h2 within m3
//! ```
//! A test or a value that occurs more than once and depends on columns alone is computed for all rows (`h`), and each
//! occurrence takes those that reach it. Other steps are shared if they are equal, with the same rows.

use super::{ColumnCode, ColumnOperand, ColumnPath, ColumnResult, ColumnRule, ColumnStep, Dest, MaskReg};
use crate::memory::hash::HashMap;
use crate::number::{NumberRef, Width};
use crate::value::{Constants, Value, View};

/// Links the code of rules, in whose order the rules of the result are. Returns `None` if the format has no room.
pub fn link<'c>(codes: impl IntoIterator<Item = &'c ColumnCode>) -> Option<ColumnCode> {
    let mut linker = ColumnLinker::default();
    let mut translated = Vec::new();
    for code in codes {
        let steps: Option<Vec<ColumnStep>> =
            code.steps.iter().map(|step| linker.global(code, *step)).collect();
        let steps = steps?;
        linker.count(code, &steps)?;
        translated.push((code, steps));
    }
    let mut rules = Vec::new();
    for (code, steps) in &translated {
        linker.emit(code, steps, &mut rules)?;
    }
    Some(ColumnCode {
        constants: Constants::freeze(&linker.constants),
        paths: linker.paths.into(),
        lists: linker.lists.into(),
        steps: linker.steps.into(),
        masks: linker.masks.checked_add(1)?,
        registers: linker.registers,
        rules: rules.into(),
    })
}

/// A constant that is found by its value; numbers of other forms are not shared.
#[derive(PartialEq, Eq, Hash)]
enum StepConstant<'c> {
    Null,
    Bool(bool),
    Int(i64, bool),
    Text(&'c str),
}

/// A step that occurs in several places, once it was emitted.
#[derive(Clone, Copy, Default)]
struct SharedStep {
    occurrences: u32,
    /// Its destination and its number.
    emitted: Option<(u16, u16)>,
}

#[derive(Default)]
struct ColumnLinker<'c> {
    constants: Vec<Value<'c>>,
    known_constants: HashMap<StepConstant<'c>, u16>,
    paths: Vec<ColumnPath>,
    known_paths: HashMap<ColumnPath, u16>,
    lists: Vec<ColumnOperand>,
    known_lists: HashMap<Vec<ColumnOperand>, u16>,
    known_members: HashMap<Vec<Option<u16>>, u16>,
    steps: Vec<ColumnStep>,
    /// The masks besides that of all rows, and the registers.
    masks: u16,
    registers: u16,
    /// Emitted steps without their destinations, with these and their numbers.
    known_steps: HashMap<ColumnStep, (u16, u16)>,
    /// Steps for all rows that depend on columns alone, without destinations: registers in them are numbers of such steps.
    numbers: HashMap<ColumnStep, u16>,
    shared: Vec<SharedStep>,
}

impl<'c> ColumnLinker<'c> {
    fn constant(&mut self, value: Value<'c>) -> Option<u16> {
        let key = match value.view() {
            View::Null(_) => Some(StepConstant::Null),
            View::Bool(bool) => Some(StepConstant::Bool(bool)),
            View::Number(NumberRef::Int(int, width)) => Some(StepConstant::Int(int, width == Width::Full)),
            View::String(text) => Some(StepConstant::Text(text)),
            _ => None,
        };
        if let Some(known) = key.as_ref().and_then(|key| self.known_constants.get(key)) {
            return Some(*known);
        }
        let at = u16::try_from(self.constants.len()).ok()?;
        self.constants.push(value);
        if let Some(key) = key {
            self.known_constants.insert(key, at);
        }
        Some(at)
    }

    fn operand(&mut self, code: &'c ColumnCode, operand: ColumnOperand) -> Option<ColumnOperand> {
        Some(match operand {
            ColumnOperand::Path(at) => {
                let path = code.paths.get(usize::from(at))?;
                let next = u16::try_from(self.paths.len()).ok()?;
                let known = *self.known_paths.entry(path.clone()).or_insert(next);
                if known == next {
                    self.paths.push(path.clone());
                }
                ColumnOperand::Path(known)
            }
            ColumnOperand::Constant(at) => ColumnOperand::Constant(self.constant(code.constant(at))?),
            register @ ColumnOperand::Register(_) => register,
        })
    }

    /// Returns a step with the paths and constants of all rules; masks and registers are those of its rule. The list of a
    /// [`ColumnStep::Join`] is that of its rule as well.
    fn global(&mut self, code: &'c ColumnCode, step: ColumnStep) -> Option<ColumnStep> {
        let mut failed = false;
        let step = step.map(
            |mask| mask,
            |operand| {
                self.operand(code, operand).unwrap_or_else(|| {
                    failed = true;
                    operand
                })
            },
        );
        let step = match step {
            ColumnStep::Member { d, a, first, count, within } => {
                let first = self.members(code, first, count)?;
                ColumnStep::Member { d, a, first, count, within }
            }
            ColumnStep::Part { d, op, a, part, within } => {
                let part = self.constant(code.constant(part))?;
                ColumnStep::Part { d, op, a, part, within }
            }
            other => other,
        };
        (!failed).then_some(step)
    }

    /// Adds constants one after the other, or finds the place of equal ones, and returns it.
    fn members(&mut self, code: &'c ColumnCode, first: u16, count: u16) -> Option<u16> {
        let texts = (first..first.checked_add(count)?).map(|at| code.constant(at));
        let mut key = Vec::new();
        for text in texts.clone() {
            key.push(Some(self.constant(text)?));
        }
        if let Some(known) = self.known_members.get(&key) {
            return Some(*known);
        }
        let place = u16::try_from(self.constants.len()).ok()?;
        self.constants.extend(texts);
        u16::try_from(self.constants.len()).ok()?;
        self.known_members.insert(key, place);
        Some(place)
    }

    /// Returns a step of a rule as one for all rows that depends on columns alone; `None` if it is not one. `numbers` are
    /// those of the registers.
    fn for_all(step: ColumnStep, numbers: &[Option<u16>]) -> Option<ColumnStep> {
        let is_pure = match step {
            ColumnStep::Compare { .. }
            | ColumnStep::Equal { .. }
            | ColumnStep::Member { .. }
            | ColumnStep::Part { .. }
            | ColumnStep::Truth { .. }
            | ColumnStep::Arithmetic { .. }
            | ColumnStep::Negate { .. }
            | ColumnStep::Text { .. } => true,
            ColumnStep::Join { .. }
            | ColumnStep::Choose { .. }
            | ColumnStep::Bools { .. }
            | ColumnStep::Without { .. }
            | ColumnStep::And { .. }
            | ColumnStep::Or { .. }
            | ColumnStep::Decided { .. }
            | ColumnStep::Alone { .. }
            | ColumnStep::Within { .. } => false,
        };
        let mut is_known = is_pure;
        let step = step.with_dest(0).map(
            |_| MaskReg::ALL,
            |operand| match operand {
                ColumnOperand::Register(at) => {
                    let number = numbers.get(usize::from(at)).copied().flatten();
                    is_known &= number.is_some();
                    ColumnOperand::Register(number.unwrap_or_default())
                }
                other => other,
            },
        );
        is_known.then_some(step)
    }

    /// Counts the steps of a rule that depend on columns alone.
    fn count(&mut self, code: &ColumnCode, steps: &[ColumnStep]) -> Option<()> {
        let mut numbers = vec![None; usize::from(code.registers)];
        for step in steps {
            let Some(key) = Self::for_all(*step, &numbers) else { continue };
            let next = u16::try_from(self.shared.len()).ok()?;
            let number = *self.numbers.entry(key).or_insert(next);
            if number == next {
                self.shared.push(SharedStep::default());
            }
            self.shared[usize::from(number)].occurrences += 1;
            if let Dest::Register(d) = step.dest() {
                numbers[usize::from(d)] = Some(number);
            }
        }
        Some(())
    }

    /// Emits the steps of a rule.
    fn emit(
        &mut self,
        code: &'c ColumnCode,
        steps: &[ColumnStep],
        rules: &mut Vec<ColumnRule>,
    ) -> Option<()> {
        let mut rule = RuleMaps {
            masks: vec![MaskReg::ALL; usize::from(code.masks)],
            registers: vec![0; usize::from(code.registers)],
            numbers: vec![None; usize::from(code.registers)],
            noted: Vec::new(),
        };
        for step in steps {
            let number =
                Self::for_all(*step, &rule.numbers).and_then(|key| Some((key, *self.numbers.get(&key)?)));
            if let (Some((_, number)), Dest::Register(d)) = (number, step.dest()) {
                rule.numbers[usize::from(d)] = Some(number);
            }
            match number {
                Some((key, number)) if self.shared[usize::from(number)].occurrences > 1 => {
                    let emitted = self.emit_shared(key, number)?;
                    self.take_shared(&mut rule, *step, emitted)?;
                }
                _ => self.emit_own(&mut rule, code, *step)?,
            }
        }
        let result = match code.rules.first()?.result {
            ColumnResult::Truth(mask) => ColumnResult::Truth(rule.mask(mask)),
            ColumnResult::Values(operand) => {
                let operand = self.operand(code, operand)?;
                ColumnResult::Values(rule.operand(operand))
            }
        };
        rule.noted.sort_unstable();
        rule.noted.dedup();
        rules.push(ColumnRule { result, noted: Some(rule.noted.into()) });
        Some(())
    }

    /// Emits a step for all rows, unless it was emitted. Returns its destination and its number.
    fn emit_shared(&mut self, key: ColumnStep, number: u16) -> Option<(u16, u16)> {
        if let Some(emitted) = self.shared[usize::from(number)].emitted {
            return Some(emitted);
        }
        let mut is_known = true;
        let step = key.map(
            |mask| mask,
            |operand| match operand {
                ColumnOperand::Register(inner) => {
                    let inner = self.shared.get(usize::from(inner)).and_then(|inner| inner.emitted);
                    is_known &= inner.is_some();
                    ColumnOperand::Register(inner.unwrap_or_default().0)
                }
                other => other,
            },
        );
        // A value in it occurs as often, and was emitted before.
        let emitted = if is_known { self.push(step)? } else { return None };
        self.shared[usize::from(number)].emitted = Some(emitted);
        Some(emitted)
    }

    /// Lets a rule use a step that was emitted for all rows.
    fn take_shared(&mut self, rule: &mut RuleMaps, step: ColumnStep, (own, at): (u16, u16)) -> Option<()> {
        match step.dest() {
            // Its rows without an answer are noted by the steps that read them.
            Dest::Register(d) => rule.registers[usize::from(d)] = own,
            Dest::Mask(d) => {
                let mut within = MaskReg::ALL;
                step.map(
                    |mask| {
                        within = rule.mask(mask);
                        mask
                    },
                    |operand| operand,
                );
                let (of, noted) = (MaskReg(own), at);
                let (own, at) = if within == MaskReg::ALL {
                    (own, noted)
                } else {
                    self.push(ColumnStep::Within { d: MaskReg::ALL, of, noted, within })?
                };
                rule.masks[usize::from(d.0)] = MaskReg(own);
                rule.noted.push(at);
            }
            Dest::None => {}
        }
        Some(())
    }

    /// Emits a step of a rule, or finds an equal one.
    fn emit_own(&mut self, rule: &mut RuleMaps, code: &'c ColumnCode, step: ColumnStep) -> Option<()> {
        let dest = step.dest();
        let step = step.with_dest(0).map(|mask| rule.mask(mask), |operand| rule.operand(operand));
        let step = match step {
            ColumnStep::Join { d, first, count, within } => {
                let mut operands = Vec::new();
                for operand in code.list(first, count) {
                    let operand = self.operand(code, *operand)?;
                    operands.push(rule.operand(operand));
                }
                let first = self.list(operands)?;
                ColumnStep::Join { d, first, count, within }
            }
            other => other,
        };
        let (own, at) = self.push(step)?;
        match dest {
            Dest::Mask(d) => rule.masks[usize::from(d.0)] = MaskReg(own),
            Dest::Register(d) => rule.registers[usize::from(d)] = own,
            Dest::None => {}
        }
        rule.noted.push(at);
        Some(())
    }

    fn list(&mut self, operands: Vec<ColumnOperand>) -> Option<u16> {
        if let Some(known) = self.known_lists.get(&operands) {
            return Some(*known);
        }
        let first = u16::try_from(self.lists.len()).ok()?;
        self.lists.extend(&operands);
        self.known_lists.insert(operands, first);
        Some(first)
    }

    /// Adds a step without a destination, unless there is an equal one. Returns its destination and its number.
    fn push(&mut self, step: ColumnStep) -> Option<(u16, u16)> {
        if let Some(known) = self.known_steps.get(&step) {
            return Some(*known);
        }
        let at = u16::try_from(self.steps.len()).ok()?;
        let own = match step.dest() {
            Dest::Mask(_) => {
                self.masks = self.masks.checked_add(1)?;
                self.masks
            }
            Dest::Register(_) => {
                let own = self.registers;
                self.registers = own.checked_add(1)?;
                own
            }
            Dest::None => 0,
        };
        self.steps.push(step.with_dest(own));
        self.known_steps.insert(step, (own, at));
        Some((own, at))
    }
}

/// What the masks and registers of a rule are in the linked code.
struct RuleMaps {
    masks: Vec<MaskReg>,
    registers: Vec<u16>,
    /// The numbers of the steps that computed the registers, if these depend on columns alone.
    numbers: Vec<Option<u16>>,
    /// The steps whose rows without an answer are those of the rule.
    noted: Vec<u16>,
}

impl RuleMaps {
    fn mask(&self, mask: MaskReg) -> MaskReg {
        self.masks.get(usize::from(mask.0)).copied().unwrap_or(MaskReg::ALL)
    }

    fn operand(&self, operand: ColumnOperand) -> ColumnOperand {
        match operand {
            ColumnOperand::Register(at) => {
                ColumnOperand::Register(self.registers.get(usize::from(at)).copied().unwrap_or_default())
            }
            other => other,
        }
    }
}
