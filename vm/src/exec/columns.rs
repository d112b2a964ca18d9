//! The columnar tier: runs code over columns in vectors of 1,024 rows. Like the fast tier it gives what the baseline
//! tier would give, or no answer: the rows without one are listed, and the caller runs them alone.
//!
//! | file | holds |
//! |---|---|
//! | `mask` | sets of rows |
//! | `vector` | the values of an operand, and loading them from columns |
//! | `compare`, `range`, `text` | comparisons and tests |
//! | `text_functions` | tests for parts, case, lengths, joining |
//! | `dictionary` | tests of the values of dictionaries |
//! | `arithmetic`, `divisor` | integers and floats; quotients by constants |

mod arithmetic;
mod compare;
mod dictionary;
mod divisor;
mod mask;
mod range;
mod text;
mod text_functions;
mod vector;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

pub use mask::{Mask, ROWS};
pub use vector::{Lane, Precision, TextLane};

use crate::code::Slot;
use crate::code::columns::{
    ColumnCode, ColumnOperand, ColumnPath, ColumnResult, ColumnRule, ColumnStep, MaskReg,
};
use crate::column::{Bits, Column, ColumnData, ColumnDictionary, Floats};
use crate::function::TextOperation;
use crate::value::Value;
use text::{DictionaryTest, TextMembership};
use text_functions::PartTest;
use vector::{LaneKind, TextKind, Vector, add_nans, len_of};

/// A run of code over columns.
#[derive(Debug)]
pub struct ColumnRun<'c> {
    code: &'c ColumnCode,
    rows: usize,
    /// Where the values of each path are.
    sources: Vec<PathSource<'c>>,
    /// The values of the paths in the present vector.
    paths: Vec<LoadedPath<'c>>,
    constants: Vec<Vector<'c>>,
    registers: Vec<Vector<'c>>,
    masks: Vec<Mask>,
    /// The present step.
    at: usize,
    /// The rows for which steps have no answer, by the number of the step.
    noted: Vec<(usize, Mask)>,
    /// The tests of texts by step.
    tests: BTreeMap<usize, TextMembership<'c>>,
    /// Which values of dictionaries pass tests and equal constants.
    tables: BTreeMap<Table, DictionaryTest>,
    /// The floats that compare so with the constant of a step.
    ranges: Vec<Option<RangeInclusive<f64>>>,
    /// Floats that programs may read, and their NaNs, which are no numbers.
    floats: Vec<Floats<'c>>,
    nans: Vec<Mask>,
    /// The places in `floats` of those that a rule may read.
    rule_floats: Vec<Vec<usize>>,
    start: usize,
    len: usize,
}

/// The key of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Table {
    /// Of the step with this number.
    Test(usize),
    /// Of all steps that compare these operands.
    Equality(ColumnOperand, ColumnOperand),
}

/// Where the values of a path are.
#[derive(Debug)]
enum PathSource<'c> {
    /// In a column, within structures with these bits of validity.
    Column(&'c Column<'c>, Vec<Bits<'c>>),
    /// All rows have one value.
    Value(Value<'c>),
    /// Nowhere: reading it is a fault.
    Missing,
}

/// The values of a path, once a step has read them.
#[derive(Debug, Default)]
struct LoadedPath<'c> {
    is_loaded: bool,
    vector: Vector<'c>,
}

/// The result for the rows of a vector.
#[derive(Clone, Copy, Debug)]
pub enum ColumnValues<'v> {
    /// Bools of all rows that are not run alone.
    Truth(&'v Mask),
    /// Values, and the rows that are null.
    Values(Lane<'v>, &'v Mask),
}

impl<'c> ColumnRun<'c> {
    /// Prepares a run. `column` returns the column of a slot; other slots have their value in `values`. `floats` are
    /// those that each rule may read. Returns `None` if a value that all rows have is missing or marked.
    pub fn new(
        code: &'c ColumnCode,
        rows: usize,
        column: impl Fn(Slot) -> Option<&'c Column<'c>>,
        values: &'c [Value<'c>],
        floats: &[Vec<Floats<'c>>],
    ) -> Option<Self> {
        let mut sources = Vec::with_capacity(code.paths.len());
        for path in &code.paths {
            if let Some(column) = column(path.slot) {
                sources.push(in_column(column, path));
                continue;
            }
            let value = *values.get(usize::from(path.slot.0))?;
            if value.is_unset_or_marked() {
                return None;
            }
            sources.push(in_value(value, path));
        }
        let constants = code.constants.values().iter().map(|value| Vector::constant(*value)).collect();
        let mut tests = BTreeMap::new();
        for (at, step) in code.steps.iter().enumerate() {
            if let ColumnStep::Member { first, count, .. } = *step {
                let constants = (first..first.saturating_add(count)).map(|at| code.constant(at));
                tests.insert(at, TextMembership::new(constants));
            }
        }
        let paths = sources.iter().map(LoadedPath::of).collect();
        let registers = (0..code.registers).map(|_| Vector::default()).collect();
        let masks = vec![Mask::NONE; usize::from(code.masks)];
        let mut distinct: Vec<Floats<'_>> = Vec::new();
        let mut place = |floats: &Floats<'c>| {
            distinct.iter().position(|known| known.is(*floats)).unwrap_or_else(|| {
                distinct.push(*floats);
                distinct.len() - 1
            })
        };
        let rule_floats = floats.iter().map(|floats| floats.iter().map(&mut place).collect()).collect();
        Some(Self {
            code,
            rows,
            sources,
            paths,
            constants,
            registers,
            masks,
            at: 0,
            noted: Vec::new(),
            tests,
            tables: BTreeMap::new(),
            ranges: vec![None; code.steps.len()],
            nans: vec![Mask::NONE; distinct.len()],
            floats: distinct,
            rule_floats,
            start: 0,
            len: 0,
        })
    }

    /// Runs the vector of rows that begins at `start`, and returns the number of its rows.
    pub fn run(&mut self, start: usize) -> usize {
        (self.start, self.len) = (start, len_of(start, self.rows));
        self.noted.clear();
        for (floats, nans) in self.floats.iter().zip(&mut self.nans) {
            *nans = Mask::NONE;
            add_nans(*floats, start, self.len, nans);
        }
        for (path, source) in self.paths.iter_mut().zip(&self.sources) {
            path.is_loaded = matches!(source, PathSource::Value(_) | PathSource::Missing);
        }
        if let Some(all) = self.masks.first_mut() {
            *all = Mask::first(self.len);
        }
        let code = self.code;
        for (at, step) in code.steps.iter().enumerate() {
            self.at = at;
            self.step(at, step);
        }
        for rule in &code.rules {
            if let ColumnResult::Values(operand) = rule.result {
                self.load(operand);
            }
        }
        self.len
    }

    /// Returns the rows of the vector for which a rule has no answer.
    pub fn alone(&self, rule: usize) -> Mask {
        let Some(ColumnRule { result, noted }) = self.code.rules.get(rule) else { return Mask::NONE };
        let nans = self.rule_floats.get(rule).into_iter().flatten();
        let mut alone = nans.fold(Mask::NONE, |alone, at| alone.or(&self.nans[*at]));
        let is_noted = |at: &usize| match noted {
            Some(steps) => u16::try_from(*at).is_ok_and(|at| steps.binary_search(&at).is_ok()),
            None => true,
        };
        for (_, rows) in self.noted.iter().filter(|(at, _)| is_noted(at)) {
            alone = alone.or(rows);
        }
        if let ColumnResult::Values(operand) = *result {
            let vector = self.vector(operand);
            let odd = match vector.kind {
                LaneKind::Other => vector.odd.or(&Mask::ALL.without(&vector.null)),
                _ => vector.odd,
            };
            alone = alone.or(&odd);
        }
        alone.and(&Mask::first(self.len))
    }

    /// Returns the results of a rule for the other rows of the vector.
    pub fn values(&self, rule: usize) -> Option<ColumnValues<'_>> {
        Some(match self.code.rules.get(rule)?.result {
            ColumnResult::Truth(mask) => ColumnValues::Truth(&self.masks[usize::from(mask.0)]),
            ColumnResult::Values(operand) => {
                let vector = self.vector(operand);
                ColumnValues::Values(vector.lane(), &vector.null)
            }
        })
    }

    /// Lists rows for which the present step has no answer.
    fn note(&mut self, rows: &Mask) {
        if !rows.is_empty() {
            self.noted.push((self.at, *rows));
        }
    }

    fn within(&mut self, d: MaskReg, of: MaskReg, noted: u16, within: MaskReg) {
        let within = self.mask(within);
        self.set(d, self.mask(of).and(&within));
        let of_step = self.noted.iter().filter(|(at, _)| *at == usize::from(noted));
        let rows = of_step.fold(Mask::NONE, |all, (_, rows)| all.or(rows)).and(&within);
        self.note(&rows);
    }

    fn mask(&self, mask: MaskReg) -> Mask {
        self.masks.get(usize::from(mask.0)).copied().unwrap_or_default()
    }

    fn set(&mut self, mask: MaskReg, rows: Mask) {
        if let Some(place) = self.masks.get_mut(usize::from(mask.0)) {
            *place = rows;
        }
    }

    /// Loads the values of a path, unless a step did so before.
    fn load(&mut self, operand: ColumnOperand) {
        let ColumnOperand::Path(at) = operand else { return };
        let at = usize::from(at);
        let (Some(path), Some(PathSource::Column(column, above))) =
            (self.paths.get_mut(at), self.sources.get(at))
        else {
            return;
        };
        if !path.is_loaded {
            path.is_loaded = true;
            path.vector.load(column, above, self.start, self.len);
        }
    }

    /// Returns the values of an operand that is loaded.
    fn vector(&self, operand: ColumnOperand) -> &Vector<'c> {
        match operand {
            ColumnOperand::Path(at) => &self.paths[usize::from(at)].vector,
            ColumnOperand::Constant(at) => &self.constants[usize::from(at)],
            ColumnOperand::Register(at) => &self.registers[usize::from(at)],
        }
    }

    /// Returns true if an operand has one value in this vector and may have another one in the next, as the arm that all
    /// rows of a vector take.
    fn is_passing(&self, operand: ColumnOperand) -> bool {
        matches!(operand, ColumnOperand::Register(_))
            && matches!(self.vector(operand).kind, LaneKind::Constant(_))
    }

    /// Returns the rows of `within` in which an operand has a value of its kind, and lists the others.
    fn plain(&mut self, operand: ColumnOperand, within: &Mask) -> Mask {
        self.load(operand);
        let vector = self.vector(operand);
        let faults = within.and(&vector.null.or(&vector.odd));
        self.note(&faults);
        within.without(&faults)
    }

    fn step(&mut self, at: usize, step: &ColumnStep) {
        match *step {
            ColumnStep::Without { d, a, b } => self.set(d, self.mask(a).without(&self.mask(b))),
            ColumnStep::And { d, a, b } => self.set(d, self.mask(a).and(&self.mask(b))),
            ColumnStep::Or { d, a, b } => self.set(d, self.mask(a).or(&self.mask(b))),
            ColumnStep::Decided { d, truth, within } => {
                self.set(d, if truth { self.mask(within) } else { Mask::NONE });
            }
            ColumnStep::Alone { within } => self.note(&self.mask(within)),
            ColumnStep::Within { d, of, noted, within } => self.within(d, of, noted, within),
            ColumnStep::Compare { d, op, a, b, within } => {
                let mut range = self.ranges.get_mut(at).and_then(Option::take);
                self.load(a);
                self.load(b);
                if self.is_passing(a) || self.is_passing(b) {
                    range = None;
                }
                self.test([a, b], within, d, |run, within| {
                    compare::compare(op, run.vector(a).lane(), run.vector(b).lane(), &mut range, within)
                });
                let kept = range.filter(|_| !self.is_passing(a) && !self.is_passing(b));
                if let Some(place) = self.ranges.get_mut(at) {
                    *place = kept;
                }
            }
            ColumnStep::Equal { d, a, b, when, within } => self.equal([a, b], when, within, d),
            ColumnStep::Member { d, a, within, .. } => self.member(at, a, within, d),
            ColumnStep::Part { d, op, a, part, within } => self.part(at, op, a, part, within, d),
            ColumnStep::Text { d, op, a, within } => self.compute([a, a], within, d, |run, d, within| {
                text_functions::compute(d, op, run.vector(a).lane(), within, run.len)
            }),
            ColumnStep::Join { d, first, count, within } => self.join(d, first, count, within),
            ColumnStep::Truth { d, a, within } => {
                self.test([a, a], within, d, |run, within| match run.vector(a).lane() {
                    Lane::Bools(bools) => (*bools, Mask::NONE),
                    Lane::Constant(value) if value.as_bool().is_some() => {
                        (if value.as_bool() == Some(true) { *within } else { Mask::NONE }, Mask::NONE)
                    }
                    _ => (Mask::NONE, *within),
                });
            }
            ColumnStep::Arithmetic { d, op, a, b, within } => {
                self.compute([a, b], within, d, |run, d, within| {
                    arithmetic::compute(d, op, [run.vector(a).lane(), run.vector(b).lane()], within, run.len)
                });
            }
            ColumnStep::Negate { d, a, within } => self.compute([a, a], within, d, |run, d, within| {
                arithmetic::negate(d, run.vector(a).lane(), within)
            }),
            ColumnStep::Choose { d, condition, yes, no, lazy, within } => {
                self.choose(d, condition, [yes, no], lazy, within);
            }
            ColumnStep::Bools { d, a } => {
                let mask = self.mask(a);
                if let Some(register) = self.registers.get_mut(usize::from(d)) {
                    (register.kind, register.null, register.odd) =
                        (LaneKind::Bools(mask), Mask::NONE, Mask::NONE);
                }
            }
        }
    }

    /// Sets `d` to the rows of `within` that pass a test of two operands, which must not be null.
    // Inlined for each test.
    #[inline(always)]
    fn test(
        &mut self,
        [a, b]: [ColumnOperand; 2],
        within: MaskReg,
        d: MaskReg,
        test: impl FnOnce(&Self, &Mask) -> compare::Answer,
    ) {
        let mut within = self.mask(within);
        if !within.is_empty() {
            within = self.plain(a, &within);
            if a != b {
                within = self.plain(b, &within);
            }
        }
        if within.is_empty() {
            return self.set(d, Mask::NONE);
        }
        let (passing, unanswered) = test(self, &within);
        self.note(&unanswered);
        self.set(d, passing.and(&within).without(&unanswered));
    }

    fn equal(&mut self, [a, b]: [ColumnOperand; 2], when: bool, within: MaskReg, d: MaskReg) {
        let within = self.mask(within);
        if within.is_empty() {
            return self.set(d, Mask::NONE);
        }
        self.load(a);
        self.load(b);
        let mut tables = std::mem::take(&mut self.tables);
        let [left, right] = [self.vector(a), self.vector(b)];
        let odd = within.and(&left.odd.or(&right.odd));
        let nulls = within.and(&left.null.and(&right.null));
        let known = within.without(&odd).without(&left.null).without(&right.null);
        let (equal, unanswered) = if known.is_empty() {
            (Mask::NONE, Mask::NONE)
        } else {
            let fixed = !self.is_passing(a) && !self.is_passing(b);
            match small_dictionary(left, right, self.len).filter(|_| fixed) {
                Some((dictionary, start, constant)) => {
                    let table = tables
                        .entry(Table::Equality(a, b))
                        .or_insert_with(|| TextMembership::new([constant].into_iter()).tested(dictionary));
                    gathered(dictionary, table, start, self.len)
                }
                None => compare::equal(left.lane(), right.lane(), &known),
            }
        };
        let unanswered = unanswered.and(&known).or(&odd);
        let equal = equal.and(&known).or(&nulls);
        self.tables = tables;
        self.note(&unanswered);
        self.set(d, if when { equal } else { within.without(&equal) }.without(&unanswered));
    }

    fn member(&mut self, at: usize, a: ColumnOperand, within: MaskReg, d: MaskReg) {
        let within = self.mask(within);
        let plain = self.plain(a, &within);
        let Some(wanted) = self.tests.get(&at).filter(|_| !plain.is_empty()) else {
            return self.set(d, Mask::NONE);
        };
        let mut tables = std::mem::take(&mut self.tables);
        let (passing, unanswered) = match self.vector(a).lane() {
            Lane::Texts(TextLane(TextKind::Dictionary(dictionary, start)))
                if dictionary.is_small(self.rows) =>
            {
                let table = tables.entry(Table::Test(at)).or_insert_with(|| wanted.tested(dictionary));
                gathered(dictionary, table, start, self.len)
            }
            Lane::Texts(texts) => wanted.rows(texts, &plain),
            _ => (Mask::NONE, plain),
        };
        self.tables = tables;
        self.note(&unanswered.and(&plain));
        self.set(d, passing.and(&plain).without(&unanswered));
    }

    fn part(
        &mut self,
        at: usize,
        op: TextOperation,
        a: ColumnOperand,
        part: u16,
        within: MaskReg,
        d: MaskReg,
    ) {
        let within = self.mask(within);
        let plain = self.plain(a, &within);
        if plain.is_empty() {
            return self.set(d, Mask::NONE);
        }
        let test = PartTest::new(op, self.code.constant(part));
        let mut tables = std::mem::take(&mut self.tables);
        let (passing, unanswered) = match (self.vector(a).lane(), test) {
            (Lane::Texts(TextLane(TextKind::Dictionary(dictionary, start))), Some(test))
                if dictionary.is_small(self.rows) =>
            {
                let table = tables.entry(Table::Test(at)).or_insert_with(|| test.tested(dictionary));
                gathered(dictionary, table, start, self.len)
            }
            (Lane::Texts(texts), Some(test)) => test.rows(texts, self.len, &plain),
            _ => (Mask::NONE, plain),
        };
        self.tables = tables;
        self.note(&unanswered.and(&plain));
        self.set(d, passing.and(&plain).without(&unanswered));
    }

    /// Computes values of two operands, which must not be null, into a register.
    // Inlined for each operation.
    #[inline(always)]
    fn compute(
        &mut self,
        [a, b]: [ColumnOperand; 2],
        within: MaskReg,
        d: u16,
        compute: impl FnOnce(&Self, &mut Vector<'c>, &Mask) -> Mask,
    ) {
        let within = self.mask(within);
        let Some(mut register) = self.registers.get_mut(usize::from(d)).map(std::mem::take) else { return };
        let plain = self.plain(a, &within);
        let plain = self.plain(b, &plain);
        if plain.is_empty() {
            register.make_odd();
        } else {
            let unanswered = compute(self, &mut register, &plain).and(&within);
            self.note(&unanswered);
            register.odd = register.odd.or(&unanswered).or(&within.without(&plain));
        }
        self.registers[usize::from(d)] = register;
    }

    fn join(&mut self, d: u16, first: u16, count: u16, within: MaskReg) {
        let within = self.mask(within);
        let Some(mut register) = self.registers.get_mut(usize::from(d)).map(std::mem::take) else { return };
        let operands = self.code.list(first, count);
        let plain = operands.iter().fold(within, |plain, operand| self.plain(*operand, &plain));
        let lanes = operands.iter().map(|operand| self.vector(*operand).lane());
        let unanswered = text_functions::join(&mut register, lanes, &plain, self.len);
        self.note(&unanswered);
        register.odd = register.odd.or(&unanswered).or(&within.without(&plain));
        self.registers[usize::from(d)] = register;
    }

    fn choose(
        &mut self,
        d: u16,
        condition: MaskReg,
        [yes, no]: [ColumnOperand; 2],
        lazy: bool,
        within: MaskReg,
    ) {
        let (within, condition) = (self.mask(within), self.mask(condition));
        let Some(mut register) = self.registers.get_mut(usize::from(d)).map(std::mem::take) else { return };
        let (yes_rows, no_rows) =
            if lazy { (within.and(&condition), within.without(&condition)) } else { (within, within) };
        let faults = within.without(&self.plain(yes, &yes_rows).or(&self.plain(no, &no_rows)));
        let faults = if lazy { faults } else { within.without(&self.plain(yes, &within)).or(&faults) };
        // An arm that no row takes was not computed.
        let taken = [!yes_rows.is_empty(), !no_rows.is_empty()];
        register.choose([self.vector(yes), self.vector(no)], taken, &condition, self.len);
        register.odd = register.odd.or(&faults);
        self.note(&register.odd.and(&within));
        self.registers[usize::from(d)] = register;
    }
}

/// Returns the dictionary of an equality of its texts with a constant string, if it has few values.
fn small_dictionary<'v, 'c>(
    a: &'v Vector<'c>,
    b: &'v Vector<'c>,
    len: usize,
) -> Option<(&'v ColumnDictionary<'c>, usize, Value<'c>)> {
    let (dictionary, start, constant) = match (&a.kind, &b.kind) {
        (LaneKind::Dictionary(dictionary, start), LaneKind::Constant(constant))
        | (LaneKind::Constant(constant), LaneKind::Dictionary(dictionary, start)) => {
            (dictionary, *start, *constant)
        }
        _ => return None,
    };
    (constant.as_str().is_some() && dictionary.is_small(len.max(ROWS)))
        .then_some((dictionary, start, constant))
}

fn gathered(
    dictionary: &ColumnDictionary<'_>,
    tested: &DictionaryTest,
    start: usize,
    len: usize,
) -> compare::Answer {
    let of = |values| dictionary.rows_of(values, start, len);
    (of(&tested.passing), of(&tested.unanswered))
}

fn in_column<'c>(mut column: &'c Column<'c>, path: &ColumnPath) -> PathSource<'c> {
    let mut above = Vec::new();
    for name in &path.names {
        let ColumnData::Structure(_) = column.data else { return PathSource::Missing };
        above.extend(column.valid);
        match column.field(name) {
            Some(field) => column = field,
            None => return PathSource::Missing,
        }
    }
    PathSource::Column(column, above)
}

fn in_value<'c>(mut value: Value<'c>, path: &ColumnPath) -> PathSource<'c> {
    for name in &path.names {
        let entries = value.as_object().unwrap_or_default();
        match entries.iter().find(|entry| entry.name == name.as_str()) {
            Some(entry) => value = entry.value,
            None => return PathSource::Missing,
        }
    }
    PathSource::Value(value)
}

impl<'c> LoadedPath<'c> {
    fn of(source: &PathSource<'c>) -> Self {
        let vector = match source {
            PathSource::Value(value) => Vector::constant(*value),
            PathSource::Missing => {
                let mut vector = Vector::default();
                vector.make_odd();
                vector
            }
            PathSource::Column(..) => Vector::default(),
        };
        Self { is_loaded: false, vector }
    }
}
