//! Programs over the rows of Arrow data, which stays where it is: tables are passed as streams of the C data interface.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use hclvm::Program;
use hclvm::run::columns::Output;
use hclvm_arrow::{array, columns, natural_type, static_type};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::exception;

/// The name that the interface gives to capsules of streams.
const STREAM: &CStr = c"arrow_array_stream";

/// The results of a program for the rows of a table: a table with one column `result`, which pyarrow, polars and pandas take.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Batch {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
    failures: Vec<(usize, hclvm::Error)>,
}

#[pymethods]
impl Batch {
    /// Returns the table as a capsule of the Arrow C stream interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A request, which a producer may ignore.
        let _ = requested_schema;
        let batches: Vec<Result<RecordBatch, ArrowError>> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }

    /// The rows that failed, whose results are null, with their errors.
    #[getter]
    fn failures(&self, py: Python<'_>) -> Vec<(usize, Py<PyAny>)> {
        let failed = self.failures.iter();
        failed.map(|(row, error)| (*row, exception(py, error).into_value(py).into_any())).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("Batch({} rows, {} failures)", self.__len__(), self.failures.len())
    }
}

/// Returns the stream of an object with Arrow data.
pub(crate) fn stream(data: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = data.call_method0("__arrow_c_stream__").map_err(|_| {
        PyTypeError::new_err(
            "a table of pyarrow, polars or pandas, or another object with __arrow_c_stream__, is required",
        )
    })?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds a valid stream, which is moved out of it: the release function of what is left
    // there is null, so that the capsule does not release it as well.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.cast().as_ptr()) };
    reader.map_err(|error| PyTypeError::new_err(error.to_string()))
}

/// Runs a program for each row of a stream. Other variables have the values of `scope` in all rows.
pub(crate) fn run(
    session: &mut hclvm::Session,
    program: &Program,
    scope: &hclvm::Scope,
    stream: RecordBatchStreamReader,
) -> Result<Batch, hclvm::Error> {
    let mut outputs = Vec::new();
    for batch in stream {
        let batch = batch.map_err(|error| hclvm::Error::host(error.to_string()))?;
        outputs.push(session.run_columns(program, &columns(scope, &batch)?)?);
    }
    let wanted = common_type(program, &outputs);
    let schema = Arc::new(Schema::new(vec![Field::new("result", wanted.clone(), true)]));
    let mut result = Batch { batches: Vec::new(), schema, failures: Vec::new() };
    let mut start = 0;
    for output in outputs {
        let rows = output.len();
        let evaluated = array(output, &wanted)?;
        result.failures.extend(evaluated.failures.into_iter().map(|(row, error)| (start + row, error)));
        let batch = RecordBatch::try_new(Arc::clone(&result.schema), vec![evaluated.array]);
        result.batches.push(batch.map_err(|error| hclvm::Error::host(error.to_string()))?);
        start += rows;
    }
    Ok(result)
}

/// Returns the type of the results of all batches.
fn common_type(program: &Program, outputs: &[Output]) -> DataType {
    let common = |one: DataType, other: DataType| match (one, other) {
        (DataType::Null, ty) | (ty, DataType::Null) => ty,
        (one, other) if one == other => one,
        (DataType::Int64 | DataType::Float64, DataType::Int64 | DataType::Float64) => DataType::Float64,
        _ => DataType::Utf8,
    };
    let natural = outputs.iter().map(natural_type).reduce(common);
    match natural {
        None | Some(DataType::Null) => static_type(program).unwrap_or(DataType::Null),
        Some(natural) => natural,
    }
}
