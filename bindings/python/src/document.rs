//! Documents: parsed files, with their attributes as programs, or as a whole as a module or policy.

use std::sync::Arc;

use hclvm::check::Declared;
use hclvm::lint::Lints;
use hclvm::value::Arena;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::engine::EngineState;
use crate::error::{Diagnostic, OrRaise, listed, refusal};
use crate::input::Input;
use crate::inputs::to_dict;
use crate::module::Module;
use crate::policy::{Policy, Spec};
use crate::program::Program;
use crate::structure;

/// A parsed file. Immutable, and shared by threads.
#[pyclass(frozen, module = "hclvm")]
pub(crate) struct Document {
    engine: Arc<EngineState>,
    document: hclvm::Document,
}

impl Document {
    pub(crate) fn new(engine: &Arc<EngineState>, document: hclvm::Document) -> Self {
        Self { engine: Arc::clone(engine), document }
    }
}

/// The key of an attribute.
#[derive(FromPyObject)]
enum Key {
    Name(String),
    Path(Vec<String>),
}

#[pymethods]
impl Document {
    /// Returns the program of an attribute: `document["port"]`, or `document["service", "web", "port"]` of one in a block,
    /// by the block's type and labels.
    fn __getitem__(&self, py: Python<'_>, key: Key) -> PyResult<Program> {
        let (blocks, name) = match &key {
            Key::Name(name) => (&[][..], name),
            Key::Path(path) => match path.as_slice() {
                [blocks @ .., name] => (blocks, name),
                [] => return Err(PyKeyError::new_err("an empty tuple names no attribute")),
            },
        };
        let attribute = match blocks {
            [] => self.document.attribute(name),
            [kind, labels @ ..] => {
                let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                self.document.block(kind, labels).and_then(|block| block.attribute(name))
            }
        };
        let attribute =
            attribute.ok_or_else(|| PyKeyError::new_err(format!("there is no attribute {name:?}")))?;
        Program::new(py, &self.engine, attribute.program().or_raise(py)?)
    }

    /// The names of the attributes outside of blocks.
    #[getter]
    fn attributes(&self) -> Vec<&str> {
        self.document.body().attributes().map(hclvm::Attribute::name).collect()
    }

    /// Returns the file as a whole, for evaluation with its locals and dynamic blocks.
    fn module(&self, py: Python<'_>) -> PyResult<Module> {
        Ok(Module::new(py, &self.engine, self.document.module().or_raise(py)?))
    }

    /// Returns the rules of the file as a policy.
    #[pyo3(signature = (*, kind = "rule", condition = "when", effect = "effect", reason = "reason",
        effects = None, default_effect = "deny", overrides = None, lenient = false))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword argument")]
    fn policy(
        &self,
        py: Python<'_>,
        kind: &str,
        condition: &str,
        effect: &str,
        reason: &str,
        effects: Option<Vec<String>>,
        default_effect: &str,
        overrides: Option<&str>,
        lenient: bool,
    ) -> PyResult<Policy> {
        let spec = Spec { kind, condition, effect, reason, effects, default_effect, overrides, lenient };
        Policy::new(py, &self.engine, &self.document, &spec)
    }

    /// Checks the file without evaluating it: types, calls and names. With samples of the variables that will be set, also
    /// names and attributes of variables.
    #[pyo3(signature = (samples = None, *, lints = false))]
    fn check(
        &self,
        py: Python<'_>,
        samples: Option<&Bound<'_, PyAny>>,
        lints: bool,
    ) -> PyResult<Vec<Diagnostic>> {
        let mut declared = samples.map_or_else(Declared::anything, |_| Declared::new());
        for (name, sample) in samples.map(to_dict).transpose()?.into_iter().flatten() {
            let arena = Arena::new();
            let value = Input::new(&sample).in_arena(&arena).or_raise(py)?;
            declared = declared.sample_value(&name.extract::<String>()?, value);
        }
        let mut found = listed(&self.document.check(&declared));
        if lints {
            found.extend(listed(&self.document.lints(&Lints::new().declared(&declared))));
        }
        Ok(found)
    }

    /// Returns the structure without evaluation: literals are values, other expressions are texts in `${…}`, blocks are
    /// lists of dictionaries by their labels.
    fn structure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if self.document.is_json() {
            return Err(refusal(py, "a file in JSON syntax is its own structure: use the module json"));
        }
        structure::written(py, self.document.body())
    }

    /// Returns the document of a new text. Expressions that did not change are not compiled again.
    fn update(&self, py: Python<'_>, text: &str) -> PyResult<Self> {
        let (document, _) = py.detach(|| self.document.update(text)).or_raise(py)?;
        Ok(Self::new(&self.engine, document))
    }

    /// The name of the file.
    #[getter]
    fn name(&self) -> &str {
        self.document.source().name()
    }

    fn __repr__(&self) -> String {
        format!("Document({:?})", self.document.source().name())
    }
}
