//! Scopes in a Parquet file: a row for each, a column for each variable. The only file that names the crates of Parquet and
//! Arrow.
//!
//! ```text
//! footer ──▶ the columns that are read ──▶ batches of bounded size ──▶ groups of rows ──▶ columns of the library
//! ```
//! | a column of | has the values |
//! |---|---|
//! | booleans, integers, floats, decimals of at most 38 digits | bools and numbers |
//! | texts | strings |
//! | dates, times, timestamps | strings; a timestamp with a zone is in UTC: `2026-01-02T03:04:05Z` |
//! | structs, lists | objects, tuples |
//!
//! Other columns are an error if something reads them.

mod guarded;

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, new_empty_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use hclvm::analysis::{Need, Paths};
use hclvm::diagnostics::{Source, Span};
use hclvm::run::columns::Column;
use hclvm::{Diagnostic, Diagnostics};
use hclvm_arrow::readable;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{ConvertedType, Repetition};
use parquet::errors::Result as Read;
use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::Type;

use super::{GROUP_BYTES, unreadable};
use crate::input::display_name;
use crate::outcome::EarlyEnd;
use crate::report::sentence;
use guarded::guarded;

/// The most rows of a batch, and of a group: four vectors of the columnar tier. Longer ones are not faster.
const BATCH: usize = 4_096;

/// The bytes of decoded values that a batch has about, so that rows with long texts and lists do not fill the memory.
const BATCH_BYTES: u64 = 4 << 20;

/// The zone in which timestamps are shown: the names of other zones would need a table of zones.
const UTC: &str = "+00:00";

/// The rows of a file, read one after the other.
pub(crate) struct RowReader {
    /// The name of the file.
    name: String,
    reader: ParquetRecordBatchReader,
    /// Rows that were read and not taken.
    batch: RecordBatch,
    /// The number of rows of the file that are before these.
    before: usize,
    /// The number of rows that will be taken in all.
    rows: u64,
}

/// Consecutive rows, evaluated by one thread.
pub(crate) struct RowGroup {
    batch: RecordBatch,
    /// The number of the first one in its file, from 1.
    pub(crate) first: usize,
}

impl RowReader {
    /// Opens a file at the row `from`, counted from 1. `wanted` are the variables that are read, with their parts; `None`
    /// reads all columns.
    pub(crate) fn open(
        path: &str,
        wanted: Option<&Paths>,
        from: usize,
    ) -> Result<Result<Self, Diagnostics>, EarlyEnd> {
        let name = display_name(path);
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        let unread = |error: &dyn Display| {
            sentence("Invalid scope", &format!("The Parquet file cannot be read: {error}."), name)
        };
        let metadata = match guarded(|| metadata(&file)) {
            Ok(Ok(metadata)) => metadata,
            Ok(Err(error)) => return Ok(Err(unread(&error))),
            Err(error) => return Ok(Err(unread(&error))),
        };
        let mask = mask(&metadata, wanted);
        let skipped = Skipped::before(from, metadata.metadata().row_groups());
        let groups = metadata.metadata().row_groups().get(skipped.groups..).unwrap_or_default();
        let rows = groups.iter().map(rows_of).sum::<u64>().saturating_sub(skipped.rows as u64);
        let size = batch_size(groups, &mask);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
            .with_projection(mask)
            .with_row_groups((skipped.groups..metadata.metadata().num_row_groups()).collect())
            .with_offset(skipped.rows)
            .with_batch_size(size);
        let reader = match guarded(|| builder.build()) {
            Ok(Ok(reader)) => reader,
            Ok(Err(error)) => return Ok(Err(unread(&error))),
            Err(error) => return Ok(Err(unread(&error))),
        };
        let schema = reader.schema();
        if let Some(problems) = valueless(schema.fields(), name) {
            return Ok(Err(problems));
        }
        let (name, batch) = (name.to_owned(), RecordBatch::new_empty(schema));
        Ok(Ok(Self { name, reader, batch, before: from.saturating_sub(1), rows }))
    }

    /// Returns the name of the file.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of rows from the first one that is taken.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the next rows, `None` at the end. `result` is the estimated size of a result in bytes, which limits their
    /// number.
    pub(crate) fn next(&mut self, result: usize) -> Result<Option<RowGroup>, EarlyEnd> {
        while self.batch.num_rows() == 0 {
            let Self { name, before, .. } = self;
            let failed = |error: &dyn Display| {
                Err(EarlyEnd::Refused(format!("Cannot read {name} behind row {before}: {error}.")))
            };
            match guarded(|| self.reader.next()) {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(batch))) => self.batch = batch,
                Ok(Some(Err(error))) => return failed(&error),
                Err(error) => return failed(&error),
            }
        }
        let count = (GROUP_BYTES / result.max(1)).clamp(1, BATCH).min(self.batch.num_rows());
        let rows = RowGroup { batch: self.batch.slice(0, count), first: self.before + 1 };
        self.batch = self.batch.slice(count, self.batch.num_rows() - count);
        self.before += count;
        Ok(Some(rows))
    }
}

impl RowGroup {
    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// Converts the columns to types that have values.
    pub(crate) fn readable(self, name: &str) -> Result<Self, EarlyEnd> {
        let first = self.first;
        guarded(|| self.cast(name)).unwrap_or_else(|error| {
            Err(EarlyEnd::Refused(format!("Cannot read {name} at row {first}: {error}.")))
        })
    }

    fn cast(self, name: &str) -> Result<Self, EarlyEnd> {
        let Self { batch, first } = self;
        let schema = batch.schema_ref();
        let mut fields: Vec<FieldRef> = Vec::with_capacity(schema.fields().len());
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(batch.num_columns());
        for (field, array) in schema.fields().iter().zip(batch.columns()) {
            let ty = readable(array.data_type());
            if ty == *array.data_type() {
                fields.push(Arc::clone(field));
                arrays.push(Arc::clone(array));
                continue;
            }
            // Null in place of a time that cannot be written would be another result.
            let options = CastOptions { safe: false, ..CastOptions::default() };
            let array = cast_with_options(array, &ty, &options).map_err(|error| {
                let (last, column) = (first + batch.num_rows() - 1, field.name());
                EarlyEnd::Refused(format!(
                    "Cannot read {name}, rows {first} to {last}: the column \"{column}\": {error}."
                ))
            })?;
            fields.push(Arc::new(field.as_ref().clone().with_data_type(ty)));
            arrays.push(array);
        }
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &rows)
            .map_err(|error| EarlyEnd::Refused(format!("Cannot read {name}: {error}.")))?;
        Ok(Self { batch, first })
    }

    /// Returns the columns by name.
    pub(crate) fn columns(&self) -> Result<Vec<(&str, Column<'_>)>, hclvm::Error> {
        let fields = self.batch.schema_ref().fields().iter().zip(self.batch.columns());
        fields.map(|(field, array)| Ok((field.name().as_str(), hclvm_arrow::column(array)?))).collect()
    }
}

/// Reads the footer. Texts are read as views, which share the memory of values that a page has once.
fn metadata(file: &File) -> Read<ArrowReaderMetadata> {
    let found = ArrowReaderMetadata::load(file, ArrowReaderOptions::new())?;
    let wanted = Arc::new(Schema::new(lean_fields(found.schema().fields())));
    let options = ArrowReaderOptions::new().with_schema(wanted);
    Ok(ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), options).unwrap_or(found))
}

fn lean_fields(fields: &Fields) -> Fields {
    fields.iter().map(lean_field).collect()
}

fn lean_field(field: &FieldRef) -> FieldRef {
    let ty = match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some(UTC.into())),
        DataType::Struct(fields) => DataType::Struct(lean_fields(fields)),
        DataType::List(item) => DataType::List(lean_field(item)),
        DataType::LargeList(item) => DataType::LargeList(lean_field(item)),
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(lean_field(item), *size),
        other => other.clone(),
    };
    Arc::new(field.as_ref().clone().with_data_type(ty))
}

/// Returns the leaves that are read.
fn mask(metadata: &ArrowReaderMetadata, wanted: Option<&Paths>) -> ProjectionMask {
    let Some(wanted) = wanted else { return ProjectionMask::all() };
    let schema = metadata.parquet_schema();
    let mut leaves = Vec::with_capacity(schema.num_columns());
    for column in schema.root_schema().get_fields() {
        mark(column, wanted.get(column.name()), &mut leaves);
    }
    let read = leaves.iter().enumerate().filter(|(_, is_read)| **is_read);
    ProjectionMask::leaves(schema, read.map(|(leaf, _)| leaf))
}

/// Adds for each leaf of a type whether it is read. If a struct lacks an attribute that is needed, all of it is read: the
/// error shows what it has.
fn mark(ty: &Type, need: Option<&Need>, leaves: &mut Vec<bool>) {
    match need {
        Some(Need::Attributes(names)) if is_struct(ty) && has_all(ty, names) => {
            for field in ty.get_fields() {
                // Names may be in another normal form than that of the language.
                let need = if field.name().is_ascii() { names.get(field.name()) } else { Some(&Need::Whole) };
                mark(field, need, leaves);
            }
        }
        _ if ty.is_primitive() => leaves.push(need.is_some()),
        _ => ty.get_fields().iter().for_each(|field| mark(field, need.and(Some(&Need::Whole)), leaves)),
    }
}

/// Returns true if a struct has fields of these names. There is at least one, or it could not be distinguished from a null.
fn has_all<N: Borrow<str> + Ord>(ty: &Type, names: &BTreeMap<N, Need>) -> bool {
    let is_field = |name: &N| ty.get_fields().iter().any(|field| field.name() == name.borrow());
    !names.is_empty() && names.keys().all(is_field)
}

/// Returns true for a group of named fields: neither a list, a map, nor another type that is stored as a group.
fn is_struct(ty: &Type) -> bool {
    let info = ty.get_basic_info();
    ty.is_group()
        && info.logical_type_ref().is_none()
        && info.converted_type() == ConvertedType::NONE
        && !(info.has_repetition() && info.repetition() == Repetition::REPEATED)
}

/// The row groups before a row, and the rows before it in its group.
struct Skipped {
    groups: usize,
    rows: usize,
}

impl Skipped {
    /// Skips the rows before `from`, counted from 1.
    fn before(from: usize, groups: &[RowGroupMetaData]) -> Self {
        let mut skipped = Self { groups: 0, rows: from.saturating_sub(1) };
        for group in groups {
            let rows = usize::try_from(rows_of(group)).unwrap_or(usize::MAX);
            let Some(rest) = skipped.rows.checked_sub(rows) else { break };
            skipped = Self { groups: skipped.groups + 1, rows: rest };
        }
        skipped
    }
}

fn rows_of(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

/// Returns the number of rows whose decoded values take about [`BATCH_BYTES`], by what the footer says of the leaves that
/// are read: each value is at least eight bytes.
fn batch_size(groups: &[RowGroupMetaData], mask: &ProjectionMask) -> usize {
    const VALUE: u64 = 8;
    let (mut rows, mut bytes) = (0_u64, 0_u64);
    for group in groups {
        rows = rows.saturating_add(rows_of(group));
        for (_, leaf) in group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf)) {
            let of = |number: i64| u64::try_from(number).unwrap_or(0);
            let values = of(leaf.num_values()).saturating_mul(VALUE);
            bytes = bytes.saturating_add(values.max(of(leaf.uncompressed_size())));
        }
    }
    let fitting = BATCH_BYTES.saturating_mul(rows.max(1)) / bytes.max(1);
    usize::try_from(fitting).unwrap_or(BATCH).clamp(1, BATCH)
}

/// Returns a diagnostic for each column, or part of one, whose type has no value.
fn valueless(fields: &Fields, name: &str) -> Option<Diagnostics> {
    let mut found = Vec::new();
    for field in fields {
        add_valueless(field.name().clone(), field, &mut found);
    }
    if found.is_empty() {
        return None;
    }
    let one = |(path, ty): (String, DataType)| {
        let detail = format!("The column \"{path}\" is of type {ty}, which has no value.");
        let mut one = Diagnostic::error("Invalid scope", detail, Span::new(0, 0));
        one.subject = None;
        one
    };
    let source = Source::new(name, "", Vec::new());
    Some(Diagnostics::new(Arc::new(source), found.into_iter().map(one).collect()))
}

fn add_valueless(path: String, field: &Field, found: &mut Vec<(String, DataType)>) {
    match field.data_type() {
        DataType::Struct(fields) => {
            for field in fields {
                add_valueless(format!("{path}.{}", field.name()), field, found);
            }
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            add_valueless(format!("{path}[]"), item, found);
        }
        ty if hclvm_arrow::column(&new_empty_array(&readable(ty))).is_err() => found.push((path, ty.clone())),
        _ => {}
    }
}
