//! Outputs: the results of all rows as one column, and the errors of those that have none.

use hclvm_vm::column::Bitmap;
use hclvm_vm::exec::columns::{ColumnValues, Lane, Mask, Precision};
use hclvm_vm::number::{add, compare, equal};
use hclvm_vm::text::nfc;
use hclvm_vm::{Arena, Limits, Number, NumberRef, Region, Stored, Value, View, copy};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use crate::diagnostics::error::Error;

/// The results of a program for the rows of columns.
#[derive(Debug)]
pub struct Output {
    cells: Cells,
    /// The rows that have a result that is not null; `None` if all have.
    valid: Option<Bitmap>,
    /// Ascending.
    failures: Vec<(usize, Error)>,
    rows: usize,
}

/// The results of all rows by their type. A row that is null or failed has any value here.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cells {
    /// No row has a result that is not null.
    Nulls,
    /// All results are bools.
    Bools(Bitmap),
    /// All results are integers of 64 bits.
    Ints(Vec<i64>),
    /// All results are numbers that are exactly a float, in text as well. Zero may be negative.
    Floats(Vec<f64>),
    /// All results are strings.
    Texts(Texts),
    /// Other results: collections, longer numbers, different types, unknown and marked values.
    Values(Values),
}

/// Texts one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// Returns the text of a row.
    pub fn get(&self, row: usize) -> Option<&str> {
        let start = row.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..*self.ends.get(row)?)
    }

    /// Returns all texts one after the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns where the text of each row ends in [`Texts::text`].
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }
}

/// Values of any type, which live as long as the output.
pub struct Values(Region<RegionList>);

/// A list of values in a region.
enum RegionList {}

impl Stored for RegionList {
    type In<'a> = Vec<Value<'a>>;

    fn shorten<'s, 'long: 's>(state: &'s Self::In<'long>) -> &'s Self::In<'s> {
        state
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.state()).finish()
    }
}

impl Values {
    fn new() -> Self {
        Self(Region::new(Limits { value_depth: u16::MAX, ..Limits::UNTRUSTED }, Arc::default()))
    }

    /// Returns the value of a row.
    pub fn get(&self, row: usize) -> Option<Value<'_>> {
        self.0.state().get(row).copied()
    }

    fn push(&mut self, value: Value<'_>) {
        self.0.change(|arena, list| list.push(copy(arena, value)));
    }

    fn set(&mut self, row: usize, value: Value<'_>) {
        self.0.change(|arena, list| {
            if let Some(place) = list.get_mut(row) {
                *place = copy(arena, value);
            }
        });
    }

    fn push_with(&mut self, make: impl for<'a> FnOnce(&'a Arena) -> Value<'a>) {
        self.0.change(|arena, list| list.push(make(arena)));
    }
}

/// The result of one row.
#[derive(Clone, Copy, Debug)]
pub enum Cell<'o> {
    /// `null`
    Null,
    /// A bool.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A number that is exactly a float.
    Float(f64),
    /// A string.
    Text(&'o str),
    /// A value of another type, or of any type if results have different types.
    Value(Value<'o>),
}

impl Output {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the results of all rows.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Returns the results of all rows, and which of them count: those that are not null and did not fail. `None` if
    /// all do.
    pub fn into_parts(self) -> (Cells, Option<Bitmap>, Vec<(usize, Error)>) {
        (self.cells, self.valid, self.failures)
    }

    /// Returns which rows have a result that is not null; `None` if all have.
    pub fn validity(&self) -> Option<&Bitmap> {
        self.valid.as_ref()
    }

    /// Returns the rows that failed, with their errors, in order.
    pub fn failures(&self) -> &[(usize, Error)] {
        &self.failures
    }

    /// Returns the rows that are true, if all results are bools or null. A row that failed is not among them.
    pub fn as_bools(&self) -> Option<&Bitmap> {
        match &self.cells {
            Cells::Bools(bools) => Some(bools),
            _ => None,
        }
    }

    /// Returns the result of a row.
    ///
    /// # Errors
    /// The diagnostics of the row's evaluation.
    pub fn get(&self, row: usize) -> Option<Result<Cell<'_>, &Error>> {
        if row >= self.rows {
            return None;
        }
        if self.valid.as_ref().is_some_and(|valid| !valid.get(row)) {
            let failure = self.failures.binary_search_by_key(&row, |(failed, _)| *failed);
            return Some(failure.map_or(Ok(Cell::Null), |at| Err(&self.failures[at].1)));
        }
        Some(Ok(match &self.cells {
            Cells::Nulls => Cell::Null,
            Cells::Bools(bools) => Cell::Bool(bools.get(row)),
            Cells::Ints(ints) => Cell::Int(*ints.get(row)?),
            Cells::Floats(floats) => Cell::Float(*floats.get(row)?),
            Cells::Texts(texts) => Cell::Text(texts.get(row)?),
            Cells::Values(values) => Cell::Value(values.get(row)?),
        }))
    }
}

/// An output under construction. Its cells have the first type that has room for all results so far.
pub(super) struct OutputBuilder {
    cells: Cells,
    valid: Option<Bitmap>,
    failures: Vec<(usize, Error)>,
    /// The rows so far.
    rows: usize,
    capacity: usize,
}

impl OutputBuilder {
    pub(super) fn new(capacity: usize) -> Self {
        Self { cells: Cells::Nulls, valid: None, failures: Vec::new(), rows: 0, capacity }
    }

    pub(super) fn finish(self) -> Output {
        Output { cells: self.cells, valid: self.valid, failures: self.failures, rows: self.rows }
    }

    /// Adds the result of the next row.
    pub(super) fn push(&mut self, result: Result<Value<'_>, Error>) {
        match result {
            Err(error) => {
                self.failures.push((self.rows, error));
                self.push_null();
            }
            Ok(value) if is_plain_null(value) => self.push_null(),
            Ok(value) => {
                self.push_value(value);
                if let Some(valid) = &mut self.valid {
                    valid.push(true);
                }
                self.rows += 1;
            }
        }
    }

    /// Adds the results of a vector of rows; those of `alone` are any and have to be replaced. Returns false, and adds
    /// nothing, for results that are added row by row, because replacing them would move those behind them.
    pub(super) fn extend(&mut self, values: ColumnValues<'_>, alone: &Mask, len: usize) -> bool {
        let null = match values {
            ColumnValues::Truth(mask) => {
                self.extend_bools(mask, len);
                None
            }
            ColumnValues::Values(Lane::Texts(_) | Lane::Other | Lane::Null | Lane::Constant(_), _) => {
                return false;
            }
            ColumnValues::Values(
                Lane::Floats(_, Precision::Short | Precision::Full | Precision::Mixed),
                _,
            ) => {
                return false;
            }
            ColumnValues::Values(_, _) if matches!(self.cells, Cells::Texts(_)) => return false,
            ColumnValues::Values(Lane::Bools(mask), null) => {
                self.extend_bools(mask, len);
                Some(null)
            }
            ColumnValues::Values(Lane::Ints(ints, _), null) => {
                match self.cells_like(Value::ZERO) {
                    Cells::Ints(into) => into.extend_from_slice(ints.get(..len).unwrap_or(ints)),
                    _ => self.extend_values(ints.iter().take(len).map(|int| Value::short(*int))),
                }
                Some(null)
            }
            ColumnValues::Values(Lane::Floats(floats, Precision::Host), null) => {
                if matches!(self.cells, Cells::Nulls) {
                    self.cells = Cells::Floats(filled(self.rows, self.capacity.max(self.rows), 0.0));
                }
                if let Cells::Floats(into) = &mut self.cells {
                    into.extend_from_slice(floats.get(..len).unwrap_or(floats));
                } else {
                    self.become_values();
                    floats.iter().take(len).for_each(|float| self.push_float(*float));
                }
                Some(null)
            }
        };
        let null = null.filter(|null| !null.without(alone).is_empty());
        if self.valid.is_some() || null.is_some() {
            let valid = self.valid.get_or_insert_with(|| Bitmap::of(true, self.rows));
            let null = null.map_or(Mask::default(), |null| null.without(alone));
            valid.extend(&null.words().map(|word| !word), len);
        }
        self.rows += len;
        true
    }

    fn extend_bools(&mut self, mask: &Mask, len: usize) {
        match self.cells_like(Value::TRUE) {
            Cells::Bools(into) => into.extend(mask.words(), len),
            _ => self.extend_values((0..len).map(|row| Value::bool(mask.has(row)))),
        }
    }

    /// Returns the cells, which have the type of a value if there were none, or are values if they had another type.
    fn cells_like(&mut self, value: Value<'_>) -> &mut Cells {
        let suits = match (&self.cells, value.as_bool()) {
            (Cells::Nulls, _) => {
                self.cells = self.cells_for(value);
                true
            }
            (Cells::Bools(_), Some(_)) | (Cells::Ints(_), None) => true,
            _ => false,
        };
        if !suits {
            self.become_values();
        }
        &mut self.cells
    }

    fn become_values(&mut self) {
        if !matches!(self.cells, Cells::Values(_)) {
            self.cells = self.as_values();
        }
    }

    fn extend_values(&mut self, more: impl Iterator<Item = Value<'static>>) {
        if let Cells::Values(values) = &mut self.cells {
            more.for_each(|value| values.push(value));
        }
    }

    fn push_float(&mut self, float: f64) {
        if let Cells::Values(values) = &mut self.cells {
            let number = Number::from_f64(float).unwrap_or(Number::ZERO);
            values.push_with(|arena| Value::number(arena, number));
        }
    }

    /// Adds the result of one row of a vector. Returns false if the row has no value.
    pub(super) fn push_of(&mut self, values: ColumnValues<'_>, row: usize) -> bool {
        if let ColumnValues::Values(Lane::Texts(texts), null) = values
            && let Cells::Texts(into) = &mut self.cells
            && !null.has(row)
            && let Some(text) = texts.get(row).filter(|text| text.is_ascii() && text.len() <= LONGEST)
            && let Ok(text) = std::str::from_utf8(text)
        {
            into.push(text);
            if let Some(valid) = &mut self.valid {
                valid.push(true);
            }
            self.rows += 1;
            return true;
        }
        let arena = Arena::new();
        let value = match values {
            ColumnValues::Truth(mask) => Value::bool(mask.has(row)),
            ColumnValues::Values(_, null) if null.has(row) => Value::NULL,
            ColumnValues::Values(lane, _) => match lane {
                Lane::Null => Value::NULL,
                Lane::Constant(value) => value,
                Lane::Bools(mask) => Value::bool(mask.has(row)),
                Lane::Ints(ints, _) => ints.get(row).map_or(Value::NULL, |int| Value::short(*int)),
                Lane::Floats(floats, precision) => {
                    let Some(number) = floats.get(row).and_then(|float| number_of(*float, precision)) else {
                        return false;
                    };
                    Value::number(&arena, number)
                }
                Lane::Texts(texts) => {
                    let text = texts.get(row).filter(|text| text.len() <= LONGEST);
                    let Some(text) = text.and_then(|text| std::str::from_utf8(text).ok()) else {
                        return false;
                    };
                    Value::str(&arena, nfc(&arena, text))
                }
                Lane::Other => return false,
            },
        };
        self.push(Ok(value));
        true
    }

    /// Replaces the result of a row that was added with a vector.
    pub(super) fn replace(&mut self, row: usize, result: Result<Value<'_>, Error>) {
        let value = match result {
            Ok(value) if !is_plain_null(value) => value,
            other => {
                if let Err(error) = other {
                    self.failures.push((row, error));
                }
                let rows = self.rows;
                self.valid.get_or_insert_with(|| Bitmap::of(true, rows)).set(row, false);
                return;
            }
        };
        if self.set(row, value) {
            return;
        }
        self.widen(value);
        if !self.set(row, value) {
            self.become_values();
            self.set(row, value);
        }
    }

    /// Sets the value of a row if the cells have its type.
    fn set(&mut self, row: usize, value: Value<'_>) -> bool {
        match (&mut self.cells, value.view()) {
            (Cells::Bools(bools), View::Bool(value)) => bools.set(row, value),
            (Cells::Ints(ints), View::Number(NumberRef::Int(value, _))) => {
                ints.get_mut(row).into_iter().for_each(|place| *place = value);
            }
            (Cells::Floats(floats), _) => match (floats.get_mut(row), exact_float(value)) {
                (Some(place), Some(value)) => *place = value,
                _ => return false,
            },
            (Cells::Values(values), _) => values.set(row, value),
            _ => return false,
        }
        true
    }

    /// Gives the cells a type that may have room for a value.
    fn widen(&mut self, value: Value<'_>) {
        if matches!(self.cells, Cells::Nulls) {
            self.cells = self.cells_for(value);
        } else if let (Cells::Ints(ints), Some(_)) = (&self.cells, exact_float(value)) {
            let floats: Option<Vec<f64>> = ints.iter().map(|int| exact_float(Value::int(*int))).collect();
            self.cells = floats.map_or_else(|| self.as_values(), Cells::Floats);
        } else {
            self.cells = self.as_values();
        }
    }

    fn push_null(&mut self) {
        let valid = self.valid.get_or_insert_with(|| Bitmap::of(true, self.rows));
        valid.push(false);
        match &mut self.cells {
            Cells::Nulls => {}
            Cells::Bools(bools) => bools.push(false),
            Cells::Ints(ints) => ints.push(0),
            Cells::Floats(floats) => floats.push(0.0),
            Cells::Texts(texts) => texts.push(""),
            Cells::Values(values) => values.push(Value::NULL),
        }
        self.rows += 1;
    }

    fn push_value(&mut self, value: Value<'_>) {
        if self.fits(value) {
            return;
        }
        self.widen(value);
        if !self.fits(value) {
            self.cells = self.as_values();
            self.fits(value);
        }
    }

    /// Returns cells for values of the type of this one, with a value for each row so far.
    fn cells_for(&self, value: Value<'_>) -> Cells {
        let (rows, capacity) = (self.rows, self.capacity.max(self.rows));
        match value.view() {
            View::Bool(_) => {
                let mut bools = Bitmap::with_capacity(capacity);
                (0..rows).for_each(|_| bools.push(false));
                Cells::Bools(bools)
            }
            View::Number(NumberRef::Int(..)) => Cells::Ints(filled(rows, capacity, 0)),
            View::Number(_) => Cells::Floats(filled(rows, capacity, 0.0)),
            View::String(_) => {
                let mut texts = Texts::default();
                (0..rows).for_each(|_| texts.push(""));
                Cells::Texts(texts)
            }
            _ => self.as_values(),
        }
    }

    /// Adds a value if the cells have its type.
    fn fits(&mut self, value: Value<'_>) -> bool {
        match (&mut self.cells, value.view()) {
            (Cells::Bools(bools), View::Bool(value)) => bools.push(value),
            (Cells::Ints(ints), View::Number(NumberRef::Int(value, _))) => ints.push(value),
            (Cells::Floats(floats), _) => match exact_float(value) {
                Some(value) => floats.push(value),
                None => return false,
            },
            (Cells::Texts(texts), View::String(text)) => texts.push(text),
            (Cells::Values(values), _) => values.push(value),
            _ => return false,
        }
        true
    }

    /// Returns the cells so far as values.
    fn as_values(&self) -> Cells {
        let mut values = Values::new();
        for row in 0..self.rows {
            let is_null = self.valid.as_ref().is_some_and(|valid| !valid.get(row));
            match &self.cells {
                _ if is_null => values.push(Value::NULL),
                Cells::Nulls => values.push(Value::NULL),
                Cells::Bools(bools) => values.push(Value::bool(bools.get(row))),
                Cells::Ints(ints) => values.push(Value::short(ints.get(row).copied().unwrap_or_default())),
                Cells::Floats(floats) => {
                    let float = floats.get(row).copied().and_then(Number::from_f64);
                    values.push_with(|arena| Value::number(arena, float.unwrap_or(Number::ZERO)));
                }
                Cells::Texts(texts) => {
                    let text = texts.get(row).unwrap_or_default();
                    values.push_with(|arena| Value::str(arena, arena.text(text)));
                }
                Cells::Values(list) => values.push(list.get(row).unwrap_or(Value::NULL)),
            }
        }
        Cells::Values(values)
    }
}

/// Returns a list of equal items with memory for more.
fn filled<T: Copy>(rows: usize, capacity: usize, item: T) -> Vec<T> {
    let mut items = Vec::with_capacity(capacity);
    items.resize(rows, item);
    items
}

/// The longest text that is added without a look at the limits of an evaluation.
const LONGEST: usize = 1 << 20;

/// Returns the number that a float of a precision is.
fn number_of(float: f64, precision: Precision) -> Option<Number> {
    let number = Number::from_f64(float)?;
    // The sum with a zero of the precision has it.
    let zero = match precision {
        Precision::Host => return Some(number),
        Precision::Short => Number::short(0),
        Precision::Full => Number::ZERO,
        Precision::Mixed => return None,
    };
    add(number.borrow(), zero.borrow()).ok()
}

/// Returns true for a null that a cell can be. A marked one is a value.
fn is_plain_null(value: Value<'_>) -> bool {
    matches!(value.view(), View::Null(_))
}

/// Returns the float that a number is, if both have the same text.
fn exact_float(value: Value<'_>) -> Option<f64> {
    let number = value.as_number()?;
    let float = number.to_f64();
    let same = Number::from_f64(float)?;
    // Integers are equal by value, but the text of those of more than 53 bits depends on their precision.
    let has_text = !number.is_integer() || number.precision() == 53 || float.abs() <= LARGEST_EXACT;
    let is_exact = compare(number, same.borrow()) == Ordering::Equal && equal(number, same.borrow());
    (has_text && is_exact).then_some(float)
}

/// 2^53: smaller integers have all their digits in the text of a float.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
