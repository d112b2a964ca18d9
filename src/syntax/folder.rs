//! Several files as one document, whose locals and blocks see each other. [`Merged`](super::Merged) reads
//! several documents by a schema instead, without evaluating them.
//!
//! The texts are joined, and the source remembers where each file begins: positions are those in the file.

use std::collections::HashMap;
use std::sync::Arc;

use hclvm_compiler::source::{FilePart, Source};
use hclvm_vm::{Diagnostic, Span, cast};

use super::merged::duplicate;
use crate::compile::settings::Engine;
use crate::diagnostics::error::Diagnostics;
use crate::structure::module::locals::LOCALS;
use crate::syntax::document::{Attribute, Document};

impl Engine {
    /// Parses files, each a name and its bytes, as one document called `name`: usually those of a folder, in
    /// the order of their names. Blocks are those of all files, and an attribute may be set in one of them.
    /// Returns `None` if there are errors.
    ///
    /// The source of the document is the text of all files. [`Diagnostics::by_file`] shows to which file a
    /// diagnostic belongs.
    ///
    /// ```
    /// let engine = hclvm::Engine::new();
    /// let files = [("a.hcl", "locals {\n  port = 80\n}\n"), ("b.hcl", "url = \"http://${host}:${local.port}\"\n")];
    /// let files = files.map(|(name, text)| (name, text.as_bytes()));
    /// let (document, problems) = engine.parse_files("service", files);
    /// assert!(problems.is_empty());
    /// let module = document.expect("there are no errors").module()?;
    /// let mut scope = module.scope();
    /// scope.set("host", "localhost")?;
    /// let mut session = engine.session();
    /// let values = module.evaluate(&mut session, &scope)?;
    /// assert_eq!(values.attribute("url").and_then(|url| url.as_str()), Some("http://localhost:80"));
    /// # Ok::<(), hclvm::Error>(())
    /// ```
    pub fn parse_files<'t>(
        &self,
        name: &str,
        files: impl IntoIterator<Item = (&'t str, &'t [u8])>,
    ) -> (Option<Document>, Vec<Diagnostics>) {
        let parsed = files.into_iter().map(|(name, bytes)| self.parse_bytes_lenient(name, bytes));
        let (documents, mut problems): (Vec<Document>, Vec<Diagnostics>) = parsed.unzip();
        problems.extend(repeated(&documents));
        problems.retain(|problems| !problems.is_empty());
        if problems.iter().any(Diagnostics::has_errors) {
            return (None, problems);
        }
        let (mut text, mut parts) = (String::new(), Vec::with_capacity(documents.len()));
        for document in &documents {
            let source = document.source();
            parts.push(FilePart { start: cast::length(text.len()), name: source.name().into() });
            text.push_str(source.text().trim_start_matches('\u{FEFF}'));
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        let (document, found) = self.parse_input(name, text.as_str().into(), parts);
        // Together, the files may be too long.
        if found.has_errors() {
            problems.extend(found.by_file());
            return (None, problems);
        }
        (Some(document), problems)
    }
}

/// Returns the diagnostics of attributes that two files set, a list for each file.
pub fn repeated(documents: &[Document]) -> Vec<Diagnostics> {
    let mut first: HashMap<&str, Attribute<'_>> = HashMap::new();
    let mut found = Vec::new();
    for document in documents {
        let mut problems = Vec::new();
        // In JSON, the blocks of locals are also listed.
        let is_locals = |name: &str| document.is_json() && name == LOCALS;
        for attribute in document.body().attributes().filter(|one| !is_locals(one.name())) {
            match first.get(attribute.name()) {
                Some(first) if !std::ptr::eq(first.document(), document) => {
                    problems.push(duplicate(attribute, *first));
                }
                Some(_) => {}
                None => {
                    first.insert(attribute.name(), attribute);
                }
            }
        }
        found.push(Diagnostics::new(Arc::clone(document.source()), problems));
    }
    found
}

impl Diagnostics {
    /// Returns the diagnostics of each file of a document that consists of [several](Engine::parse_files), in
    /// the order of the files. Those of any other document are returned as they are.
    pub fn by_file(&self) -> Vec<Self> {
        let source = self.source();
        if source.files().is_empty() {
            return vec![self.clone()];
        }
        let mut found: Vec<Vec<Diagnostic>> = vec![Vec::new(); source.files().len()];
        for one in self {
            let file = one.subject.and_then(|subject| source.file_at(subject.start)).unwrap_or(0);
            found[file].push(moved(one.clone(), source.file_span(file)));
        }
        let of_file = |(file, list): (usize, Vec<Diagnostic>)| {
            let text = source.file_span(file).slice(source.text());
            let name = Arc::clone(&source.files()[file].name);
            Self::new(Arc::new(Source::new(name, text, Vec::new())), list)
        };
        found.into_iter().enumerate().filter(|(_, list)| !list.is_empty()).map(of_file).collect()
    }
}

/// Returns a diagnostic with offsets in the file that covers `file`, without places in other files.
fn moved(mut one: Diagnostic, file: Span) -> Diagnostic {
    let is_in = |span: &Span| span.start >= file.start && span.start <= file.end;
    let shift = |span: Span| Span::new(span.start - file.start, span.end.min(file.end) - file.start);
    one.subject = one.subject.filter(is_in).map(shift);
    one.context = one.context.filter(is_in).map(shift);
    if let Some(additions) = &mut one.additions {
        additions.labels.retain(|label| is_in(&label.span));
        additions.labels.iter_mut().for_each(|label| label.span = shift(label.span));
        additions.replacements.retain(|change| is_in(&change.span));
        additions.replacements.iter_mut().for_each(|change| change.span = shift(change.span));
    }
    one
}
