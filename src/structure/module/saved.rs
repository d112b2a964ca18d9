//! The linked code of a module as bytes, which are a part of a [saved document](crate::syntax::saved).
//!
//! ```text
//! names and functions of the code │ locals │ whether the object `local` is read │ lengths of stages │ stages
//! ```
//! The rest of the [plan](super::plan) is made again from the structure of the file, which takes a fraction of the
//! time of linking. A stage that is not valid, which no engine writes, is linked again from the text.

use std::collections::HashSet;

use hclvm_vm::cast;
use hclvm_vm::code::saved::{Linkage, Reader, Writer};
use smol_str::SmolStr;

use super::locals::OrderedLocal;
use super::streams::{SavedStreams, save_stage};
use super::{Module, with_slots};
use crate::diagnostics::error::Error;
use crate::syntax::document::{Attribute, Document};

impl Document {
    /// Compiles and links the document as a module, and returns it as bytes for [`Engine::load`](crate::Engine::load):
    /// its [`Document::module`] needs neither to be parsed nor to be linked then. Use [`Document::save`] if attributes
    /// are evaluated one by one.
    ///
    /// ```
    /// use hclvm::Engine;
    ///
    /// let engine = Engine::new();
    /// let text = "locals {\n  base = n * 2\n}\nport = local.base + 1\n";
    /// let bytes = engine.parse("x.hcl", text)?.save_module()?;
    /// let module = engine.load(&bytes)?.module()?;
    /// let mut scope = module.scope();
    /// scope.set("n", &4000)?;
    /// let mut session = engine.session();
    /// let values = module.evaluate(&mut session, &scope)?;
    /// assert_eq!(values.attribute("port").map(|port| port.to_string()), Some("8001".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Document::save`] and [`Document::module`].
    pub fn save_module(&self) -> Result<Vec<u8>, Error> {
        let document = self.to_save()?;
        let module = document.module()?;
        document.save_linked(&module.linked_bytes().ok_or_else(|| Error::host("the module is too large"))?)
    }
}

impl Module {
    fn linked_bytes(&self) -> Option<Vec<u8>> {
        let state = &*self.0;
        let mut code = Writer::new(state.document.engine().settings().dialect.functions.as_ref());
        let mut lengths = Vec::new();
        for stage in state.plan.levels.iter().flat_map(|level| &level.stages) {
            let start = code.bytes().len();
            if save_stage(stage, &mut code).is_none() {
                code.truncate(start);
            }
            lengths.push(u32::try_from(code.bytes().len() - start).ok()?);
        }
        let mut out = Writer::default();
        out.list(code.names(), |out, name| out.text(name))?;
        out.list(code.functions(), |out, name| out.text(name))?;
        out.list(&state.locals, |out, local| {
            out.u32(local.attribute);
            out.u8(local.reads_object.into());
            out.each(&local.uses, |out, used| out.u32(cast::length(*used)))
        })?;
        out.u8(state.plan.object.is_some().into());
        out.each(&lengths, |out, length| out.u32(*length))?;
        Some([out.bytes(), code.bytes()].concat())
    }

    /// Returns the module of a loaded document with its linked code; `None` if that was not saved, or is not valid.
    pub(super) fn of_saved(document: &Document) -> Option<Result<Self, Error>> {
        let from = &mut Reader::new(document.saved_module()?);
        let names: Vec<&str> = from.list(Reader::text)?;
        let functions: Vec<&str> = from.list(Reader::text)?;
        let locals = load_locals(from, document)?;
        let reads_object = from.u8()? == 1;
        let lengths: Vec<u32> = from.list(Reader::u32)?;
        let stages = lengths.into_iter().map(|length| from.take(cast::index(length)));
        let stages: Vec<&[u8]> = stages.collect::<Option<_>>()?;
        let linked = with_slots(document, &locals);
        let settings = document.engine().settings();
        let available = settings.dialect.functions.as_ref();
        let linkage = Linkage::new(&names, &settings.names, &functions, available, linked.layout().len())?;
        let saved = SavedStreams::new(reads_object, linkage, stages);
        Some(Self::planned(document.clone(), linked, locals.into(), None, None, Some(saved)))
    }
}

fn load_locals(from: &mut Reader<'_>, document: &Document) -> Option<Vec<OrderedLocal>> {
    let attributes = document.file().attribute_count();
    let mut count = 0;
    let mut locals: Vec<OrderedLocal> = from.list(|from| {
        let attribute = from.u32().filter(|at| cast::index(*at) < attributes)?;
        let name = SmolStr::new(Attribute::new(document, attribute).name());
        let reads_object = from.u8()? == 1;
        // A local follows those it uses.
        let uses: Vec<usize> = from.list(|from| from.u32().map(cast::index).filter(|used| *used < count))?;
        count += 1;
        Some(OrderedLocal { name, symbol: 0, attribute, uses, reads_object })
    })?;
    let names: HashSet<&SmolStr> = locals.iter().map(|local| &local.name).collect();
    if names.len() < locals.len() {
        return None;
    }
    let symbols = document.engine().settings().names.intern(locals.iter().map(|local| local.name.as_str()));
    locals.iter_mut().zip(symbols).for_each(|(local, symbol)| local.symbol = symbol);
    Some(locals)
}
