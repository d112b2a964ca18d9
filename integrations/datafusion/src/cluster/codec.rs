//! The functions as bytes, for plans that are sent to schedulers and executors.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{Result, TableReference};
use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan, ScalarUDF};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use hclvm::Engine;

use crate::call::Call;
use crate::library::Library;
use crate::member::Member;

/// The most sets of files whose code is kept.
const MOST_LIBRARIES: usize = 64;

/// Encodes and decodes the functions in plans; anything else as Ballista does.
///
/// A call is its name and the files of its functions, as JSON. Files are compiled once a process.
pub struct FunctionCodec {
    engine: Engine,
    libraries: Mutex<HashMap<Vec<u8>, Arc<Library>>>,
    logical: BallistaLogicalExtensionCodec,
    physical: BallistaPhysicalExtensionCodec,
}

impl FunctionCodec {
    /// Creates a codec with the functions of an engine.
    pub fn new(engine: &Engine) -> Self {
        Self {
            engine: engine.clone(),
            libraries: Mutex::default(),
            logical: BallistaLogicalExtensionCodec::default(),
            physical: BallistaPhysicalExtensionCodec::default(),
        }
    }

    fn encode(function: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<bool> {
        if Member::named(function.name()).is_some() {
            // Its name is all.
            return Ok(true);
        }
        let Some(call) = Call::of(function) else { return Ok(false) };
        call.library().write(bytes)?;
        Ok(true)
    }

    fn decode(&self, name: &str, bytes: &[u8]) -> Result<Option<Arc<ScalarUDF>>> {
        if let Some(member) = Member::named(name) {
            return Ok(Some(Arc::new(ScalarUDF::new_from_impl(member))));
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let mut known = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        let library = known.get(bytes).cloned();
        let library = library.map_or_else(|| self.compiled(&mut known, bytes), Ok)?;
        Ok(Call::named(name, &library).map(|call| Arc::new(ScalarUDF::new_from_impl(call))))
    }

    fn compiled(&self, known: &mut HashMap<Vec<u8>, Arc<Library>>, bytes: &[u8]) -> Result<Arc<Library>> {
        let library = Arc::new(Library::read(&self.engine, bytes)?);
        if known.len() >= MOST_LIBRARIES {
            known.clear();
        }
        known.insert(bytes.to_vec(), Arc::clone(&library));
        Ok(library)
    }
}

impl fmt::Debug for FunctionCodec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionCodec").finish_non_exhaustive()
    }
}

impl LogicalExtensionCodec for FunctionCodec {
    fn try_decode(&self, bytes: &[u8], inputs: &[LogicalPlan], context: &TaskContext) -> Result<Extension> {
        self.logical.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.logical.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        table: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        self.logical.try_decode_table_provider(bytes, table, schema, context)
    }

    fn try_encode_table_provider(
        &self,
        table: &TableReference,
        provider: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        self.logical.try_encode_table_provider(table, provider, bytes)
    }

    fn try_decode_file_format(
        &self,
        bytes: &[u8],
        context: &TaskContext,
    ) -> Result<Arc<dyn FileFormatFactory>> {
        self.logical.try_decode_file_format(bytes, context)
    }

    fn try_encode_file_format(&self, bytes: &mut Vec<u8>, format: Arc<dyn FileFormatFactory>) -> Result<()> {
        self.logical.try_encode_file_format(bytes, format)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<()> {
        if Self::encode(function, bytes)? { Ok(()) } else { self.logical.try_encode_udf(function, bytes) }
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        match self.decode(name, bytes)? {
            Some(function) => Ok(function),
            None => self.logical.try_decode_udf(name, bytes),
        }
    }
}

impl PhysicalExtensionCodec for FunctionCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.physical.try_decode(bytes, inputs, context, converter)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        self.physical.try_encode(node, bytes, converter)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, bytes: &mut Vec<u8>) -> Result<()> {
        if Self::encode(function, bytes)? { Ok(()) } else { self.physical.try_encode_udf(function, bytes) }
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        match self.decode(name, bytes)? {
            Some(function) => Ok(function),
            None => self.physical.try_decode_udf(name, bytes),
        }
    }
}
