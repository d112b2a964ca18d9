//! Outputs: the results of all rows as one column, and the errors of those that have none.

use hclvm_vm::column::Bitmap;
use hclvm_vm::number::{compare, equal};
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
pub struct Values(Region<List>);

/// A list of values in a region.
enum List {}

impl Stored for List {
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
    /// Those of the evaluation of the row.
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
pub(super) struct Builder {
    cells: Cells,
    valid: Option<Bitmap>,
    failures: Vec<(usize, Error)>,
    /// The rows so far.
    rows: usize,
    capacity: usize,
}

impl Builder {
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
            Ok(value) if value.is_null() => self.push_null(),
            Ok(value) => {
                self.push_value(value);
                if let Some(valid) = &mut self.valid {
                    valid.push(true);
                }
                self.rows += 1;
            }
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
        if matches!(self.cells, Cells::Nulls) {
            self.cells = self.cells_for(value);
        } else if let (Cells::Ints(ints), Some(_)) = (&self.cells, exact_float(value)) {
            let floats: Option<Vec<f64>> = ints.iter().map(|int| exact_float(Value::int(*int))).collect();
            self.cells = floats.map_or_else(|| self.as_values(), Cells::Floats);
        } else {
            self.cells = self.as_values();
        }
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

/// Returns the float that a number is, if both have the same text.
fn exact_float(value: Value<'_>) -> Option<f64> {
    let number = value.as_number()?;
    let float = number.to_f64();
    let same = Number::from_f64(float)?;
    let is_exact = compare(number, same.borrow()) == Ordering::Equal && equal(number, same.borrow());
    is_exact.then_some(float)
}
