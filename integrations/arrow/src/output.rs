//! Outputs as Arrow arrays.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use hclvm::run::columns::{Bitmap, Cell, Cells, Columns, Output, Texts};
use hclvm::value::View;
use hclvm::{Error, Json, Program, Session, Type, Value};

/// The results of a program for the rows of columns.
#[derive(Debug)]
pub struct Evaluated {
    /// A row for each row of the columns; null where the result is null or the row failed.
    pub array: ArrayRef,
    /// The rows that failed, with their errors, in order.
    pub failures: Vec<(usize, Error)>,
}

/// Runs a program for each row of `columns`. The array has the type `wanted`, by default that of
/// [`natural_type`].
///
/// # Errors
/// As [`Session::run_columns`] and [`array`](fn@array).
pub fn run(
    session: &mut Session,
    program: &Program,
    columns: &Columns<'_>,
    wanted: Option<&DataType>,
) -> Result<Evaluated, Error> {
    let output = session.run_columns(program, columns)?;
    let natural = natural_type(&output);
    array(output, wanted.unwrap_or(&natural))
}

/// Returns the type of the results of a program as far as it is known before anything runs: Boolean, Utf8, or Float64
/// for numbers, of which some may be integers. `None` for other types, and for those that depend on values.
pub fn static_type(program: &Program) -> Option<DataType> {
    match program.static_type() {
        Type::Bool => Some(DataType::Boolean),
        Type::Number => Some(DataType::Float64),
        Type::String => Some(DataType::Utf8),
        _ => None,
    }
}

/// Returns the type of an output: Boolean, Int64, Float64 or Utf8 if all results are bools, integers of 64 bits,
/// numbers or strings; Null if all are null; Utf8 for others, which are written as JSON. Outputs of other rows may have
/// another type: a host that needs one names it.
pub fn natural_type(output: &Output) -> DataType {
    match output.cells() {
        Cells::Nulls => DataType::Null,
        Cells::Bools(_) => DataType::Boolean,
        Cells::Ints(_) => DataType::Int64,
        Cells::Floats(_) => DataType::Float64,
        Cells::Values(values) => {
            let mut values = (0..output.len()).filter_map(|row| values.get(row));
            // A marked null is no row of numbers.
            if values.all(|value| matches!(value.view(), View::Null(_) | View::Number(_))) {
                DataType::Float64
            } else {
                DataType::Utf8
            }
        }
        _ => DataType::Utf8,
    }
}

/// Returns an output as an array of a type:
///
/// | type | rows |
/// |---|---|
/// | Boolean | bools |
/// | Int64 | integers of 64 bits |
/// | Float64 | the floats nearest to numbers |
/// | Utf8 | strings, numbers and bools as text, and other values as JSON |
/// | Null | nulls |
///
/// A row with a result of another type fails.
///
/// # Errors
/// Another type of array.
pub fn array(output: Output, wanted: &DataType) -> Result<Evaluated, Error> {
    let rows = output.len();
    if natural_type(&output) != *wanted || matches!(output.cells(), Cells::Values(_)) {
        return converted(output, wanted);
    }
    let (cells, valid, failures) = output.into_parts();
    let nulls = valid.map(|valid| NullBuffer::new(bits(valid)));
    let array: ArrayRef = match cells {
        Cells::Bools(bools) => Arc::new(BooleanArray::new(bits(bools), nulls)),
        Cells::Ints(ints) => Arc::new(Int64Array::new(ints.into(), nulls)),
        Cells::Floats(floats) => Arc::new(Float64Array::new(floats.into(), nulls)),
        Cells::Texts(texts) => Arc::new(strings(&texts, nulls)?),
        _ => Arc::new(NullArray::new(rows)),
    };
    Ok(Evaluated { array, failures })
}

fn bits(bitmap: Bitmap) -> BooleanBuffer {
    let len = bitmap.len();
    BooleanBuffer::new(Buffer::from_vec(bitmap.into_words()), 0, len)
}

fn strings(texts: &Texts, nulls: Option<NullBuffer>) -> Result<StringArray, Error> {
    let ends = texts.ends().iter().map(|end| i32::try_from(*end));
    let offsets: Result<Vec<i32>, _> = std::iter::once(Ok(0)).chain(ends).collect();
    let offsets = offsets.map_err(|_| Error::host("the texts of all rows together exceed 2 GiB"))?;
    let bytes = Buffer::from(texts.text().as_bytes());
    StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), bytes, nulls)
        .map_err(|error| Error::host(error.to_string()))
}

/// A row whose result is not of the wanted type.
struct Other;

/// Converts row by row.
fn converted(output: Output, wanted: &DataType) -> Result<Evaluated, Error> {
    let mut others = Vec::new();
    let array: ArrayRef = match wanted {
        DataType::Boolean => {
            let mut array = BooleanBuilder::with_capacity(output.len());
            each(&output, &mut others, as_bool, |cell| array.append_option(cell));
            Arc::new(array.finish())
        }
        DataType::Int64 => {
            let mut array = Int64Builder::with_capacity(output.len());
            each(&output, &mut others, as_int, |cell| array.append_option(cell));
            Arc::new(array.finish())
        }
        DataType::Float64 => {
            let mut array = Float64Builder::with_capacity(output.len());
            each(&output, &mut others, as_float, |cell| array.append_option(cell));
            Arc::new(array.finish())
        }
        DataType::Utf8 => {
            let mut array = StringBuilder::with_capacity(output.len(), 0);
            each(&output, &mut others, as_text, |cell| array.append_option(cell));
            Arc::new(array.finish())
        }
        DataType::Null => {
            each(&output, &mut others, |_| Err::<(), _>(Other), |_| {});
            Arc::new(NullArray::new(output.len()))
        }
        other => {
            return Err(Error::host(format!(
                "results can be arrays of Boolean, Int64, Float64, Utf8 and Null, not of {other}"
            )));
        }
    };
    let (_, _, mut failures) = output.into_parts();
    failures.extend(others.into_iter().map(|row| (row, not_of(wanted))));
    failures.sort_by_key(|(row, _)| *row);
    Ok(Evaluated { array, failures })
}

fn not_of(wanted: &DataType) -> Error {
    Error::host(format!("the result is not of the type {wanted}"))
}

/// Passes the result of each row to `append`, `None` for null and for a row that fails.
fn each<'o, T>(
    output: &'o Output,
    others: &mut Vec<usize>,
    convert: impl Fn(Cell<'o>) -> Result<T, Other>,
    mut append: impl FnMut(Option<T>),
) {
    for row in 0..output.len() {
        append(match output.get(row) {
            None | Some(Err(_) | Ok(Cell::Null)) => None,
            Some(Ok(cell)) => convert(cell).map_err(|Other| others.push(row)).ok(),
        });
    }
}

fn as_bool(cell: Cell<'_>) -> Result<bool, Other> {
    match cell {
        Cell::Bool(bool) => Ok(bool),
        Cell::Value(value) => value.as_bool().ok_or(Other),
        _ => Err(Other),
    }
}

fn as_int(cell: Cell<'_>) -> Result<i64, Other> {
    match cell {
        Cell::Int(int) => Ok(int),
        Cell::Value(value) => value.as_i64().ok_or(Other),
        // A float that is whole is an integer of the language.
        Cell::Float(float) => {
            hclvm::value::Number::from_f64(float).and_then(|number| number.borrow().to_i64()).ok_or(Other)
        }
        _ => Err(Other),
    }
}

fn as_float(cell: Cell<'_>) -> Result<f64, Other> {
    match cell {
        Cell::Int(int) => Value::int(int).as_f64().ok_or(Other),
        Cell::Float(float) => Ok(float),
        Cell::Value(value) => value.as_f64().ok_or(Other),
        _ => Err(Other),
    }
}

fn as_text(cell: Cell<'_>) -> Result<String, Other> {
    match cell {
        Cell::Null => Err(Other),
        Cell::Bool(bool) => Ok(bool.to_string()),
        Cell::Int(int) => Ok(int.to_string()),
        Cell::Float(float) => {
            let number = hclvm::value::Number::from_f64(float).ok_or(Other)?;
            number.borrow().text_within(LONGEST).ok_or(Other)
        }
        Cell::Text(text) => Ok(text.to_owned()),
        Cell::Value(value) => match (value.as_str(), value.as_number()) {
            (Some(text), _) => Ok(text.to_owned()),
            (None, Some(number)) => number.text_within(LONGEST).ok_or(Other),
            (None, None) => Json(value).to_text().map_err(|_| Other),
        },
    }
}

/// The most digits of a number that is written as text, as of the language.
const LONGEST: u64 = 100_000;
