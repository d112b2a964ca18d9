//! Parsed files. A document owns the tree and the compilation unit; bodies, blocks and attributes
//! are views of it that can be copied.
//!
//! ```text
//! Document ─ body() ─▶ Body ─ blocks() ─▶ Block ─ body() ─▶ Body …
//!                        ╰─ attributes() ─▶ Attribute ─ program() ─▶ Program
//! ```

mod attribute;
mod body;
mod hidden;
pub(crate) mod json;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock, Weak};

use hclvm_compiler::analysis;
use hclvm_compiler::source::{FilePart, Input, Source, decode};
use hclvm_compiler::tree::{BodyId, NameId, Tree};
use hclvm_compiler::{
    EditedConfig, KnownConfig, LexMode, ParsedConfig, keep_repairs, parse_config, parse_json, reparse_config,
};
use hclvm_vm::Layout;

use crate::compile::file::{SourceFile, SourceKind};
use crate::compile::program::Program;
use crate::compile::saved_code::SavedCode;
use crate::compile::settings::Engine;
use crate::compile::unit::Unit;
use crate::diagnostics::error::{Diagnostics, Error};

pub use attribute::{Attribute, TemplatePart};
pub use body::{Block, Body};
use hidden::hidden;

/// A parsed file. Cheap to clone and shared between threads. Attributes are compiled when their
/// programs are first needed, and stay compiled.
#[derive(Clone)]
pub struct Document(Arc<DocumentState>);

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (attributes, blocks) = (self.body().attributes().count(), self.body().blocks().count());
        write!(f, "Document({:?}, {attributes} attributes, {blocks} blocks)", self.source().name())
    }
}

#[derive(Debug)]
struct DocumentState {
    unit: Arc<Unit>,
    root: BodyId,
    /// True if the layout has all names that the text uses as variables.
    is_complete: bool,
    /// The differences from the file that it was parsed with.
    edit: Option<Arc<Edit>>,
    /// Programs by attribute number, for evaluations that borrow them. Allocated for the first one.
    programs: OnceLock<Cells<Result<Program, Error>>>,
    /// Programs of the elements of lists, by attribute number. Allocated for the first list.
    elements: OnceLock<Cells<ElementPrograms>>,
}

/// A part of a file that was parsed again; the rest is equal.
#[derive(Debug)]
pub(crate) struct Edit {
    /// The file before.
    before: Weak<SourceFile>,
    /// The items of the body that are in the part: those of the file before, and those in their place.
    pub(crate) items: [Range<usize>; 2],
    /// The numbers of the attributes, in any body, that are in the part, in the same way.
    pub(crate) attributes: [Range<u32>; 2],
}

/// A cell for each attribute of a tree, by its number.
type Cells<T> = Box<[OnceLock<T>]>;

/// The programs of the elements of one list.
type ElementPrograms = Box<[Result<Program, Error>]>;

impl Engine {
    /// Parses a file.
    ///
    /// # Errors
    /// All syntax errors of the text.
    pub fn parse(&self, name: &str, text: &str) -> Result<Document, Error> {
        let (document, diagnostics) = self.parse_lenient(name, text);
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok(document) }
    }

    /// Parses a file and returns what could be understood beside the diagnostics. If these have
    /// errors, parts of the file are missing from the document: this is for editors, not for hosts
    /// that evaluate.
    pub fn parse_lenient(&self, name: &str, text: &str) -> (Document, Diagnostics) {
        self.parse_input(name, text.into(), Vec::new())
    }

    /// Like [`Engine::parse_lenient`], for bytes that may not be UTF-8. A byte that belongs to no
    /// character, and in a text a sequence that only looks like one (overlong, a surrogate), is an error,
    /// reported once for a file; comments may hold both. They are replaced in [`Document::source`] by
    /// characters of the same length, so that positions are positions in `bytes`. A host that accepts
    /// nothing but UTF-8 checks with [`std::str::from_utf8`] first.
    pub fn parse_bytes_lenient(&self, name: &str, bytes: &[u8]) -> (Document, Diagnostics) {
        self.parse_input(name, (&decode(bytes)).into(), Vec::new())
    }

    pub(super) fn parse_input(
        &self,
        name: &str,
        input: Input<'_>,
        files: Vec<FilePart>,
    ) -> (Document, Diagnostics) {
        let mut parsed = parse_config(input, &self.settings().limits.of_texts());
        parsed.diagnostics = self.all_problems(input, LexMode::Config, parsed.diagnostics);
        let source = Source::new(name, input.text, std::mem::take(&mut parsed.seams)).of_files(files);
        Document::of_parsed(self, SourceKind::Config, source, parsed)
    }

    /// Parses a file in HCL's JSON syntax. Strings are templates; what is wrong inside of them is
    /// found when they are evaluated.
    ///
    /// # Errors
    /// All syntax errors of the text.
    pub fn parse_json(&self, name: &str, text: &str) -> Result<Document, Error> {
        let (document, diagnostics) = self.parse_json_bytes_lenient(name, text.as_bytes());
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok(document) }
    }

    /// Like [`Engine::parse_json`], for bytes that may not be UTF-8, and returns what could be understood
    /// beside the diagnostics. As in the reference, each byte that is not UTF-8 becomes U+FFFD in a string.
    pub fn parse_json_bytes_lenient(&self, name: &str, bytes: &[u8]) -> (Document, Diagnostics) {
        let decoded = decode(bytes);
        let limits = self.settings().limits.of_texts();
        let mut parsed = parse_json(&decoded, &limits);
        keep_repairs(&decoded.text, &mut parsed.diagnostics, |text| parse_json(text, &limits).diagnostics);
        let source = Source::of_json(name, decoded.text, std::mem::take(&mut parsed.seams));
        Document::of_parsed(self, SourceKind::Json, source, parsed)
    }
}

impl Document {
    fn of_parsed(
        engine: &Engine,
        kind: SourceKind,
        source: Source,
        parsed: ParsedConfig,
    ) -> (Self, Diagnostics) {
        let source = Arc::new(source);
        let file = Arc::new(SourceFile::new(kind, source, parsed.tree));
        let diagnostics = file.diagnostics(parsed.diagnostics);
        let names = if diagnostics.is_empty() {
            analysis::names_of_sound(file.tree())
        } else {
            analysis::names(file.tree(), file.tree().expressions())
        };
        let layout = Arc::new(Layout::new(names));
        (Self::of_file(engine, &file, parsed.body, &layout, true, None), diagnostics)
    }

    /// Returns the document of a text that differs in few items; `None` if it has to be parsed as a whole. Its layout
    /// also has the names of this document's, unless it uses others.
    pub(super) fn with_edit(&self, text: &str) -> Option<Self> {
        let source = self.source();
        if self.file().kind != SourceKind::Config || !source.files().is_empty() {
            return None;
        }
        let engine = self.engine();
        let known =
            KnownConfig { text: source.text(), tree: self.tree(), body: self.0.root, seams: source.seams() };
        let EditedConfig { config: parsed, used, items, attributes } =
            reparse_config(known, text, &engine.settings().limits.of_texts())?;
        let is_known = |name: &NameId| self.layout().slot(parsed.tree.name(*name)).is_some();
        let layout = if self.0.is_complete && used.iter().all(is_known) {
            Arc::clone(self.layout())
        } else {
            Arc::new(Layout::new(analysis::names(&parsed.tree, parsed.tree.expressions())))
        };
        let source = Arc::new(Source::new(source.name(), text, parsed.seams));
        let file = Arc::new(SourceFile::new(SourceKind::Config, source, parsed.tree));
        let edit = Edit { before: Arc::downgrade(self.file()), items, attributes };
        Some(Self::of_file(engine, &file, parsed.body, &layout, true, Some(Arc::new(edit))))
    }

    fn of_file(
        engine: &Engine,
        file: &Arc<SourceFile>,
        root: BodyId,
        layout: &Arc<Layout>,
        is_complete: bool,
        edit: Option<Arc<Edit>>,
    ) -> Self {
        let hidden = hidden(engine, file, root, layout);
        Self::of_unit(Unit::of_attributes(engine, layout, file, hidden), root, is_complete, edit)
    }

    fn of_unit(unit: Arc<Unit>, root: BodyId, is_complete: bool, edit: Option<Arc<Edit>>) -> Self {
        let (programs, elements) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(DocumentState { unit, root, is_complete, edit, programs, elements }))
    }

    /// Returns the same document compiled for scopes of another layout. Names that are not in it are
    /// undefined names of the dialect.
    pub fn for_layout(&self, layout: &Arc<Layout>) -> Self {
        let has_all = || self.layout().names().iter().all(|name| layout.slot(name).is_some());
        let is_complete = self.0.is_complete && has_all();
        Self::of_file(self.engine(), self.file(), self.0.root, layout, is_complete, self.0.edit.clone())
    }

    /// Returns the part in which it differs from a document, if that is the one that it was parsed with.
    pub(super) fn edit_of(&self, before: &Self) -> Option<&Edit> {
        let edit = self.0.edit.as_deref()?;
        std::ptr::eq(edit.before.as_ptr(), Arc::as_ptr(before.file())).then_some(edit)
    }

    /// Returns the engine that parsed it.
    pub fn engine(&self) -> &Engine {
        &self.0.unit.engine
    }

    /// Returns its text.
    pub fn source(&self) -> &Arc<Source> {
        &self.0.unit.file.source
    }

    /// Returns the names that its programs may read: unless another layout was
    /// [chosen](Document::for_layout), all that the text uses as variables.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.0.unit.layout
    }

    /// Returns the body of the file.
    pub fn body(&self) -> Body<'_> {
        match self.file().json() {
            Some(node) => Body::of_json(self, node),
            None => Body::of_native(self, self.0.root),
        }
    }

    /// Returns the attribute `name` of the file's body.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'_>> {
        self.body().attribute(name)
    }

    /// Returns the first block of the file's body with this type and these labels.
    pub fn block<'l>(&self, kind: &str, labels: impl AsRef<[&'l str]>) -> Option<Block<'_>> {
        self.body().block(kind, labels)
    }

    /// Returns true if it is written in JSON, where only a schema distinguishes attributes from blocks.
    pub fn is_json(&self) -> bool {
        self.file().json().is_some()
    }

    /// Creates a document of loaded code; see [`saved`](super::saved).
    pub(super) fn of_loaded(
        engine: &Engine,
        file: &Arc<SourceFile>,
        root: BodyId,
        layout: &Arc<Layout>,
        is_complete: bool,
        saved: SavedCode,
    ) -> Self {
        let hidden = hidden(engine, file, root, layout);
        Self::of_unit(Unit::of_loaded(engine, layout, file, hidden, saved), root, is_complete, None)
    }

    /// Returns the saved linked code of its module, if it was loaded with that.
    pub(crate) fn saved_module(&self) -> Option<&[u8]> {
        self.0.unit.saved_module()
    }

    pub(crate) fn unit(&self) -> &Arc<Unit> {
        &self.0.unit
    }

    pub(super) fn root(&self) -> BodyId {
        self.0.root
    }

    /// Returns true if its layout has all names that the text uses as variables.
    pub(super) fn is_complete(&self) -> bool {
        self.0.is_complete
    }

    /// Returns its tree, for tools that show every part of a file; see [`tree`](crate::syntax::tree).
    pub fn tree(&self) -> &Tree {
        self.0.unit.file.tree()
    }

    pub(crate) fn file(&self) -> &Arc<SourceFile> {
        &self.0.unit.file
    }
}
