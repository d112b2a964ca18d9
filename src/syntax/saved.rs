//! Compiled documents as bytes: written once, loaded instead of parsing and compiling the text again.
//!
//! ```text
//! magic  checksum │ format  version  fingerprint of the code  functions and dialect
//!                 │ kind  name  text  files
//!                 │ layout  names and functions of the code  structure  linked code  code of each attribute
//! ```
//!
//! A document is saved either for its attributes, with the code of each, or for its module, with the linked code; the
//! other is compiled from the text. The tree of the expressions is not saved, because only fallbacks, diagnostics and
//! edits need it: these parse the text, so that the parser makes all trees. What is before the layout can be read whenever the number of
//! the format is known, so that the text can be compiled again by another version.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use hclvm_compiler::source::{FilePart, Source};
use hclvm_compiler::tree::Structure;
use hclvm_vm::code::saved::{Linkage, Reader, Writer, fingerprint};
use hclvm_vm::{Layout, cast};
use smol_str::SmolStr;

use super::document::Document;
use crate::compile::file::{LoadedText, SourceFile, SourceKind};
use crate::compile::saved_code::SavedCode;
use crate::compile::settings::Engine;
use crate::compile::unit::Unit;
use crate::diagnostics::error::Error;

/// The first bytes. The last of them ends a text on terminals that would print it.
const MAGIC: &[u8; 8] = b"hclvm\0\x1a\n";

/// The number of the format. It changes when the order or meaning of the parts changes.
const FORMAT: u16 = 5;

/// The reason why a compiled document is not loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The bytes are no compiled document.
    NotCompiled,
    /// The bytes are not those that were written.
    Damaged,
    /// Another version of the library wrote it.
    OtherVersion(String),
    /// An engine with other functions or another dialect wrote it.
    OtherEngine,
    /// The text is longer than the engine's limits allow, or it does not parse.
    Text(Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCompiled => f.write_str("the file is not a compiled document"),
            Self::Damaged => f.write_str("the compiled document is damaged; compile it again"),
            Self::OtherVersion(version) => {
                write!(f, "the document was compiled by version {version} of hclvm; compile it again")
            }
            Self::OtherEngine => f.write_str(
                "the document was compiled with other functions or for another dialect; compile it again",
            ),
            Self::Text(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Text(error) => Some(error),
            _ => None,
        }
    }
}

/// The text of a compiled document, which every version of the library with this format reads.
struct SavedText<'b> {
    kind: SourceKind,
    name: &'b str,
    text: &'b str,
    files: Vec<FilePart>,
    version: &'b str,
    is_of_this_version: bool,
    is_of_this_engine: bool,
}

impl SavedText<'_> {
    /// Returns the reason why this version and engine do not run its code, if there is one.
    fn refused(&self) -> Option<LoadError> {
        if !self.is_of_this_version {
            return Some(LoadError::OtherVersion(self.version.to_owned()));
        }
        (!self.is_of_this_engine).then_some(LoadError::OtherEngine)
    }
}

impl Document {
    /// Compiles all attributes and returns the document as bytes for [`Engine::load`]. Use
    /// [`Document::save_module`] if the file is evaluated as a whole.
    ///
    /// An inline cache or a value of a scope is not part of them. They are neither encrypted nor signed: load bytes
    /// from where configuration would be read from.
    ///
    /// ```
    /// use hclvm::Engine;
    ///
    /// let engine = Engine::new();
    /// let bytes = engine.parse("x.hcl", "port = base + 1")?.save()?;
    /// let document = engine.load(&bytes)?;
    /// let mut scope = engine.scope(document.layout());
    /// scope.set("base", &8079)?;
    /// let port = document.attribute("port").expect("it is there").program()?;
    /// assert_eq!(engine.session().run(&port, &scope)?.to_string(), "8080");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A text with syntax errors, which only [`Engine::parse_lenient`] accepts, and an expression that is too large
    /// for the instruction format.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        let document = self.to_save()?;
        let attributes = cast::length(document.file().attribute_count());
        for attribute in 0..attributes {
            document.unit().code(attribute).0.as_ref().map_err(|_| {
                Error::too_large(document.source(), document.file().expression_span(attribute))
            })?;
        }
        let mut code = Writer::new(self.engine().settings().dialect.functions.as_ref());
        let starts = save_code(document.unit(), attributes, &mut code);
        starts.and_then(|starts| document.write(&[], &starts, &code)).ok_or_else(too_long)
    }

    /// Returns the document with the linked code of its module as bytes.
    pub(crate) fn save_linked(&self, module: &[u8]) -> Result<Vec<u8>, Error> {
        let attributes = cast::length(self.file().attribute_count());
        let starts: Vec<u32> = (0..attributes).collect();
        let mut code = Writer::default();
        for _ in &starts {
            code.u8(0);
        }
        self.write(module, &starts, &code).ok_or_else(too_long)
    }

    /// Parses the text again, because the tree of an edited text is numbered otherwise. The engine's cache has the
    /// code.
    pub(crate) fn to_save(&self) -> Result<Self, Error> {
        let (engine, source) = (self.engine(), self.source());
        let (fresh, diagnostics) = if self.is_json() {
            engine.parse_json_bytes_lenient(source.name(), source.text().as_bytes())
        } else {
            engine.parse_input(source.name(), (&**source.text()).into(), source.files().to_vec())
        };
        if diagnostics.has_errors() { Err(diagnostics.into()) } else { Ok(fresh.for_layout(self.layout())) }
    }

    /// Returns it as bytes, with the linked code of its module, and with the code of attributes, which begin at
    /// `starts`.
    fn write(&self, module: &[u8], starts: &[u32], code: &Writer) -> Option<Vec<u8>> {
        let (engine, file, source) = (self.engine(), self.file(), self.source());
        let mut out = Writer::default();
        out.u16(FORMAT);
        out.text(env!("CARGO_PKG_VERSION"))?;
        out.u32(crc32fast::hash(fingerprint().as_bytes()));
        out.u32(crc32fast::hash(engine.description().as_bytes()));
        out.u8(u8::from(file.kind == SourceKind::Json));
        out.text(source.name())?;
        out.text(source.text())?;
        out.list(source.files(), |out, part| {
            out.u32(part.start);
            out.text(&part.name)
        })?;
        out.list(self.layout().names(), |out, name| out.text(name))?;
        out.list(self.layout().bound(), |out, name| out.text(name))?;
        out.u8(self.is_complete().into());
        out.list(code.names(), |out, name| out.text(name))?;
        out.list(code.functions(), |out, name| out.text(name))?;
        if file.kind == SourceKind::Config {
            out.each(source.seams(), |out, seam| out.u32(*seam))?;
            file.tree().save_structure(self.root(), &mut out)?;
        }
        out.block(module)?;
        out.each(starts, |out, start| out.u32(*start))?;
        let parts = [out.bytes(), code.bytes()];
        let mut checksum = crc32fast::Hasher::new();
        for part in parts {
            checksum.update(part);
        }
        Some([MAGIC, &checksum.finalize().to_le_bytes()[..], parts[0], parts[1]].concat())
    }
}

fn too_long() -> Error {
    Error::host("the document is larger than 4 GiB")
}

/// Appends the code of each attribute, or that it has none, and returns where each begins.
fn save_code(unit: &Arc<Unit>, attributes: u32, code: &mut Writer) -> Option<Vec<u32>> {
    (0..attributes)
        .map(|at| {
            let start = code.bytes().len();
            code.u8(1);
            let compiled = unit.code_if_compiled(at).filter(|_| unit.is_shared(at));
            if compiled.and_then(|compiled| compiled.fast.save(code)).is_none() {
                code.truncate(start);
                code.u8(0);
            }
            u32::try_from(start).ok()
        })
        .collect()
}

impl Engine {
    /// Loads a document that [`Document::save`] wrote. Its code is verified, so that no bytes make an evaluation
    /// crash or take more than the limits allow.
    ///
    /// # Errors
    /// Bytes that are damaged or of another format; a document that another version of the library or an engine with
    /// other functions compiled. [`Engine::load_or_compile`] compiles the text of these.
    pub fn load(&self, bytes: &[u8]) -> Result<Document, LoadError> {
        let (origin, mut from) = self.origin(bytes)?;
        match origin.refused() {
            None => self.read(&origin, &mut from),
            Some(reason) => Err(reason),
        }
    }

    /// Like [`Engine::load`], but compiles the text if another version or engine wrote the document. Returns the
    /// reason beside the document then.
    ///
    /// # Errors
    /// Bytes that are damaged or of another format, and a text that does not parse.
    pub fn load_or_compile(&self, bytes: &[u8]) -> Result<(Document, Option<LoadError>), LoadError> {
        let (origin, mut from) = self.origin(bytes)?;
        let Some(reason) = origin.refused() else { return Ok((self.read(&origin, &mut from)?, None)) };
        let document = if origin.kind == SourceKind::Json {
            self.parse_json(origin.name, origin.text)
        } else {
            let (document, found) = self.parse_input(origin.name, origin.text.into(), origin.files);
            if found.has_errors() { Err(found.into()) } else { Ok(document) }
        };
        Ok((document.map_err(LoadError::Text)?, Some(reason)))
    }

    /// Returns true if a file begins like those that [`Document::save`] writes.
    pub fn is_compiled(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads the text of a compiled document.
    fn origin<'b>(&self, bytes: &'b [u8]) -> Result<(SavedText<'b>, Reader<'b>), LoadError> {
        let mut from = checked(bytes)?;
        if from.u16() != Some(FORMAT) {
            return Err(LoadError::OtherVersion("another format".to_owned()));
        }
        let origin = read_origin(&mut from, self).ok_or(LoadError::Damaged)?;
        Ok((origin, from))
    }

    fn read(&self, origin: &SavedText<'_>, from: &mut Reader<'_>) -> Result<Document, LoadError> {
        let limits = self.settings().limits.of_texts();
        if origin.text.len() > limits.source_bytes {
            // The parser's own error.
            return self.parse(origin.name, origin.text).map_err(LoadError::Text);
        }
        let mut read = || -> Option<Document> {
            let names: Vec<SmolStr> = from.list(|from| Some(SmolStr::new(from.text()?)))?;
            let bound: Vec<SmolStr> = from.list(|from| Some(SmolStr::new(from.text()?)))?;
            let (count, layout) = (names.len(), Layout::new(names).with_bound(bound));
            let layout = (layout.len() == count).then(|| Arc::new(layout))?;
            let is_complete = from.u8()? == 1;
            let code_names: Vec<&str> = from.list(Reader::text)?;
            let functions: Vec<&str> = from.list(Reader::text)?;
            let settings = self.settings();
            let available = settings.dialect.functions.as_ref();
            let linkage = Linkage::new(&code_names, &settings.names, &functions, available, count)?;
            let (file, root) = if origin.kind == SourceKind::Json {
                let document = self.parse_json(origin.name, origin.text).ok()?;
                (Arc::clone(document.file()), document.root())
            } else {
                let seams: Vec<u32> = from.list(Reader::u32)?;
                let is_inside = |seam: &u32| origin.text.is_char_boundary(cast::index(*seam));
                if !seams.is_sorted() || !seams.iter().all(is_inside) {
                    return None;
                }
                let structure = Structure::load(from, origin.text)?;
                let root = structure.root();
                let source = Source::new(origin.name, origin.text, seams).of_files(origin.files.clone());
                (Arc::new(SourceFile::of_loaded(source, LoadedText { structure, limits })), root)
            };
            let saved = SavedCode::new(from, linkage, file.attribute_count())?;
            Some(Document::of_loaded(self, &file, root, &layout, is_complete, saved))
        };
        read().ok_or(LoadError::Damaged)
    }

    /// Describes what compiled code depends on beside its text.
    fn description(&self) -> String {
        let dialect = &self.settings().dialect;
        let mut description = format!("{:?} {}\n", dialect.undefined, dialect.short_circuit);
        if let Some(functions) = &dialect.functions {
            let mut names: Vec<&SmolStr> = functions.names().collect();
            names.sort();
            for name in names {
                if let Some(function) = functions.get(name) {
                    let signature = function.typed_signature(name);
                    // Writing to a string cannot fail.
                    let _ = writeln!(description, "{signature} {}", function.pure);
                }
            }
        }
        description
    }
}

/// Compares the checksum and returns what it covers.
fn checked(bytes: &[u8]) -> Result<Reader<'_>, LoadError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(LoadError::NotCompiled)?;
    let (checksum, rest) = rest.split_first_chunk::<4>().ok_or(LoadError::Damaged)?;
    if crc32fast::hash(rest) != u32::from_le_bytes(*checksum) {
        return Err(LoadError::Damaged);
    }
    Ok(Reader::new(rest))
}

fn read_origin<'b>(from: &mut Reader<'b>, engine: &Engine) -> Option<SavedText<'b>> {
    let version = from.text()?;
    let is_of_this_version =
        from.u32()? == crc32fast::hash(fingerprint().as_bytes()) && version == env!("CARGO_PKG_VERSION");
    let is_of_this_engine = from.u32()? == crc32fast::hash(engine.description().as_bytes());
    let kind = match from.u8()? {
        0 => SourceKind::Config,
        1 => SourceKind::Json,
        _ => return None,
    };
    let (name, text) = (from.text()?, from.text()?);
    let files: Vec<FilePart> =
        from.list(|from| Some(FilePart { start: from.u32()?, name: Arc::from(from.text()?) }))?;
    let inside = files.iter().all(|part| text.is_char_boundary(cast::index(part.start)));
    let sorted = files.is_sorted_by_key(|part| part.start);
    (inside && sorted).then_some(SavedText {
        kind,
        name,
        text,
        files,
        version,
        is_of_this_version,
        is_of_this_engine,
    })
}
