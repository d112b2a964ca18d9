//! Arrow arrays as columns, which borrow the memory of the arrays.

use std::fmt;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BooleanArray, OffsetSizeTrait, RecordBatch, StringViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, FieldRef};
use hclvm::Scope;
use hclvm::run::columns::{Bits, Column, Columns, Misshapen, Offsets};

/// An array of a type that has no value in HCL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsupported {}

impl From<Misshapen> for Unsupported {
    fn from(error: Misshapen) -> Self {
        Self(error.to_string())
    }
}

impl From<Unsupported> for hclvm::Error {
    fn from(error: Unsupported) -> Self {
        Self::host(error.0)
    }
}

type Made<'c> = Result<Column<'c>, Unsupported>;

/// Returns columns of a record batch, bound to the variables of their names; other variables have the values of
/// `scope` in all rows. A column whose name is no variable of the scope's layout is left out.
///
/// # Errors
/// A column of a variable whose type has no value.
pub fn columns<'c>(scope: &Scope, batch: &'c RecordBatch) -> Result<Columns<'c>, hclvm::Error> {
    let mut columns = scope.columns(batch.num_rows());
    for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        if scope.has(field.name()) {
            let column = column(array.as_ref())
                .map_err(|error| hclvm::Error::host(format!("the column \"{}\": {error}", field.name())))?;
            columns.set(field.name(), column)?;
        }
    }
    Ok(columns)
}

/// Returns an array as a column that borrows from it.
///
/// # Errors
/// An array of a type that has no value, or that has members of such a type.
pub fn column(array: &dyn Array) -> Result<Column<'_>, Unsupported> {
    let column = match array.data_type() {
        DataType::Null => return Ok(Column::nulls(array.len())),
        DataType::Boolean => Column::from(bools(array.as_boolean())?),
        DataType::Int8 => Column::from(values::<Int8Type>(array)),
        DataType::Int16 => Column::from(values::<Int16Type>(array)),
        DataType::Int32 => Column::from(values::<Int32Type>(array)),
        DataType::Int64 => Column::from(values::<Int64Type>(array)),
        DataType::UInt8 => Column::from(values::<UInt8Type>(array)),
        DataType::UInt16 => Column::from(values::<UInt16Type>(array)),
        DataType::UInt32 => Column::from(values::<UInt32Type>(array)),
        DataType::UInt64 => Column::from(values::<UInt64Type>(array)),
        DataType::Float32 => Column::from(values::<Float32Type>(array)),
        DataType::Float64 => Column::from(values::<Float64Type>(array)),
        DataType::Decimal128(_, scale) => Column::decimals(values::<Decimal128Type>(array), *scale),
        DataType::Utf8 => texts::<i32>(array, Offsets::Short),
        DataType::LargeUtf8 => texts::<i64>(array, Offsets::Large),
        DataType::Utf8View => views(array.as_string_view()),
        DataType::Dictionary(..) => {
            // Only the keys have nulls.
            let dictionary = array.as_any_dictionary();
            return Ok(Column::dictionary(
                column(dictionary.keys())?,
                column(dictionary.values().as_ref())?,
            )?);
        }
        DataType::Struct(_) => structure(array)?,
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            Column::lists(Offsets::Short(list.value_offsets()), column(list.values().as_ref())?)
        }
        DataType::LargeList(_) => {
            let list = array.as_list::<i64>();
            Column::lists(Offsets::Large(list.value_offsets()), column(list.values().as_ref())?)
        }
        other => {
            return Err(Unsupported(format!(
                "arrays of {other} have no values in HCL; cast them to a number or Utf8"
            )));
        }
    };
    match array.nulls() {
        Some(nulls) if nulls.null_count() > 0 => Ok(column.with_validity(validity(nulls)?)?),
        _ => Ok(column),
    }
}

/// Returns the type to which arrays of a type are cast before they are columns: itself for those that are columns as they
/// are, wider numbers, and texts for dates, times and timestamps. A type that no such cast makes a column is returned as
/// it is.
///
/// ```
/// use arrow_schema::{DataType, TimeUnit};
/// use hclvm_arrow::readable;
///
/// assert_eq!(readable(&DataType::Float16), DataType::Float32);
/// assert_eq!(readable(&DataType::Timestamp(TimeUnit::Second, None)), DataType::Utf8);
/// assert_eq!(readable(&DataType::new_list(DataType::Date32, true)), DataType::new_list(DataType::Utf8, true));
/// assert_eq!(readable(&DataType::Binary), DataType::Binary);
/// ```
pub fn readable(ty: &DataType) -> DataType {
    match ty {
        DataType::Float16 => DataType::Float32,
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..) => DataType::Utf8,
        DataType::FixedSizeList(of, _) => DataType::List(readable_field(of)),
        DataType::List(of) => DataType::List(readable_field(of)),
        DataType::LargeList(of) => DataType::LargeList(readable_field(of)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(readable_field).collect()),
        other => other.clone(),
    }
}

fn readable_field(field: &FieldRef) -> FieldRef {
    Arc::new(field.as_ref().clone().with_data_type(readable(field.data_type())))
}

fn values<T: ArrowPrimitiveType>(array: &dyn Array) -> &[T::Native] {
    array.as_primitive::<T>().values()
}

fn bools(array: &BooleanArray) -> Result<Bits<'_>, Unsupported> {
    let bits = array.values();
    Bits::new(bits.values(), bits.offset(), bits.len()).ok_or_else(|| Unsupported("too few bits".to_owned()))
}

fn validity(nulls: &NullBuffer) -> Result<Bits<'_>, Unsupported> {
    Bits::new(nulls.validity(), nulls.offset(), nulls.len())
        .ok_or_else(|| Unsupported("too few bits of validity".to_owned()))
}

fn texts<'c, O: OffsetSizeTrait>(array: &'c dyn Array, offsets: fn(&'c [O]) -> Offsets<'c>) -> Column<'c> {
    let texts = array.as_string::<O>();
    Column::texts(offsets(texts.value_offsets()), texts.value_data())
}

fn views(array: &StringViewArray) -> Column<'_> {
    // Views are numbers of 128 bits in the byte order of the machine, which is that of the layout.
    let (views, _) = array.views().inner().as_slice().as_chunks::<16>();
    Column::views(views, array.data_buffers().iter().map(|buffer| buffer.as_slice()))
}

fn structure(array: &dyn Array) -> Made<'_> {
    let fields = array.as_struct();
    let mut members = Vec::with_capacity(fields.num_columns());
    for (name, member) in fields.column_names().into_iter().zip(fields.columns()) {
        let member = column(member.as_ref()).map_err(|error| Unsupported(format!("\"{name}\": {error}")))?;
        members.push((name, member));
    }
    Ok(Column::structure(array.len(), members)?)
}
