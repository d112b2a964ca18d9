//! Documents: parsed files, with their attributes as programs, or as a whole as a module or policy.

use std::rc::Rc;

use hclvm::check::Declared;
use hclvm::lint::Lints;
use hclvm::value::Arena;
use js_sys::Object;
use wasm_bindgen::prelude::*;

use crate::engine::EngineState;
use crate::error::{OrThrow, Thrown, listed, refusal};
use crate::input::{Input, property};
use crate::module::Module;
use crate::policy::Policy;
use crate::program::Program;
use crate::structure;

/// A parsed file. Immutable.
#[wasm_bindgen(skip_typescript)]
pub struct Document {
    engine: Rc<EngineState>,
    document: hclvm::Document,
}

impl Document {
    pub(crate) fn new(engine: &Rc<EngineState>, document: hclvm::Document) -> Self {
        Self { engine: Rc::clone(engine), document }
    }
}

#[wasm_bindgen]
impl Document {
    /// Returns the program of an attribute: by its name, or by the type and labels of its block and its name.
    #[wasm_bindgen(variadic)]
    pub fn program(&self, path: Vec<String>) -> Thrown<Program> {
        let Some((name, blocks)) = path.split_last() else {
            return Err(refusal("an empty path names no attribute"));
        };
        let attribute = match blocks {
            [] => self.document.attribute(name),
            [kind, labels @ ..] => {
                let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                self.document.block(kind, labels).and_then(|block| block.attribute(name))
            }
        };
        let attribute = attribute.ok_or_else(|| refusal(format!("there is no attribute {name:?}")))?;
        Program::new(&self.engine, attribute.program().or_throw()?)
    }

    /// The names of the attributes outside of blocks.
    #[wasm_bindgen(getter)]
    pub fn attributes(&self) -> Vec<String> {
        self.document.body().attributes().map(|attribute| attribute.name().to_owned()).collect()
    }

    /// Returns the file as a whole, for evaluation with its locals and dynamic blocks.
    pub fn module(&self) -> Thrown<Module> {
        Ok(Module::new(&self.engine, self.document.module().or_throw()?))
    }

    /// Returns the rules of the file as a policy.
    pub fn policy(&self, options: Option<Object>) -> Thrown<Policy> {
        Policy::new(&self.engine, &self.document, &options.unwrap_or_default())
    }

    /// Checks the file without evaluating it: types, calls and names. With samples of the variables that will be set, also
    /// names and attributes of variables.
    pub fn check(&self, samples: Option<Object>, lints: bool) -> Thrown<JsValue> {
        let mut declared = samples.as_ref().map_or_else(Declared::anything, |_| Declared::new());
        if let Some(samples) = &samples {
            for name in Object::keys(samples).iter().filter_map(|key| key.as_string()) {
                let (arena, sample) = (Arena::new(), property(samples, &name).or_throw()?);
                declared = declared.sample_value(&name, Input(&sample).in_arena(&arena).or_throw()?);
            }
        }
        let found = self.document.check(&declared);
        let advice = lints.then(|| self.document.lints(&Lints::new().declared(&declared)));
        listed([&found].into_iter().chain(&advice))
    }

    /// Returns the structure without evaluation: literals are values, other expressions are texts in `${…}`.
    pub fn structure(&self) -> Thrown<JsValue> {
        if self.document.is_json() {
            return Err(refusal("a file in JSON syntax is its own structure: use JSON.parse"));
        }
        structure::written(self.document.body())
    }

    /// Returns the document of a new text. Expressions that did not change are not compiled again.
    pub fn update(&self, text: &str) -> Thrown<Document> {
        let (document, _) = self.document.update(text).or_throw()?;
        Ok(Self::new(&self.engine, document))
    }

    /// The name of the file.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.document.source().name().to_owned()
    }
}
