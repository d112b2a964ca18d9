//! Several files read as one body. Each is read by its own [`Remainder`]; this file finds attributes
//! that two of them define and required ones that none defines.

use std::collections::HashMap;
use std::sync::Arc;

use hclvm_vm::{Diagnostic, Layout, Span};
use smol_str::SmolStr;

use crate::diagnostics::error::Diagnostics;
use crate::structure::content::Remainder;
use crate::structure::schema::Schema;
use crate::syntax::document::{Attribute, Block, Body, Document};

/// Bodies of several files that are read as one. Each attribute may be defined in one of them; blocks
/// are in the order of the files.
///
/// ```
/// use hclvm::{Document, Engine};
/// use hclvm::schema::Schema;
/// use hclvm::syntax::Merged;
///
/// let engine = Engine::new();
/// let files = [engine.parse("a.hcl", "x = 1\nrule {}\n")?, engine.parse("b.hcl", "x = 2\nrule {}\n")?];
/// let content = Merged::new(&files).content(&Schema::new().required("x").block("rule", &[]));
/// assert_eq!(content.blocks.len(), 2);
/// let problem = content.diagnostics[0].to_string();
/// assert!(problem.starts_with("b.hcl:1:1: Duplicate argument"), "{problem}");
/// # Ok::<(), hclvm::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Merged<'d> {
    bodies: Vec<Remainder<'d>>,
}

/// The content of merged bodies by a schema.
#[derive(Clone, Debug, Default)]
pub struct MergedContent<'d> {
    /// Attributes by file, then in source order. Of an attribute that is defined twice, the first.
    pub attributes: Vec<Attribute<'d>>,
    /// Blocks by file, then in source order.
    pub blocks: Vec<Block<'d>>,
    /// The problems, a list for each file that has any, in the order of the files. Attributes that are
    /// missing in all of them have no place and are at the end of the last list.
    pub diagnostics: Vec<Diagnostics>,
}

impl<'d> MergedContent<'d> {
    /// Returns the attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'d>> {
        self.attributes.iter().copied().find(|attribute| attribute.name() == name)
    }

    /// Returns true if there is an error among the diagnostics.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostics::has_errors)
    }
}

impl Document {
    /// Returns the documents compiled for one layout, which has the names that any of them uses, so
    /// that one scope serves all.
    pub fn with_common_layout(documents: &[Self]) -> Vec<Self> {
        let names = documents.iter().flat_map(|document| document.layout().names().iter().cloned());
        let layout = Arc::new(Layout::new(names));
        documents.iter().map(|document| document.for_layout(&layout)).collect()
    }
}

impl<'d> Merged<'d> {
    /// Merges the bodies of files.
    pub fn new(documents: impl IntoIterator<Item = &'d Document>) -> Self {
        Self::of(documents.into_iter().map(Document::body))
    }

    /// Merges bodies.
    pub fn of(bodies: impl IntoIterator<Item = Body<'d>>) -> Self {
        Self { bodies: bodies.into_iter().map(Remainder::of).collect() }
    }

    /// Returns the content of the bodies. Items that are not in `schema` are problems.
    pub fn content(&self, schema: &Schema) -> MergedContent<'d> {
        self.read(schema, |body, schema, found, problems| {
            let (content, diagnostics) = body.content_lenient(schema);
            problems.extend(diagnostics.iter().cloned());
            found.blocks.extend(content.blocks);
            content.attributes
        })
    }

    /// Returns the content of the bodies by `schema`, and the rest of the bodies.
    pub fn partial_content(&self, schema: &Schema) -> (MergedContent<'d>, Self) {
        let mut bodies = Vec::with_capacity(self.bodies.len());
        let content = self.read(schema, |body, schema, found, problems| {
            let (content, rest, diagnostics) = body.partial_content_lenient(schema);
            problems.extend(diagnostics.iter().cloned());
            bodies.push(rest);
            found.blocks.extend(content.blocks);
            content.attributes
        });
        (content, Self { bodies })
    }

    /// Returns the attributes of the bodies. Blocks are problems.
    pub fn just_attributes(&self) -> MergedContent<'d> {
        self.read(&Schema::new(), |body, _, _, problems| {
            let (attributes, diagnostics) = body.just_attributes_lenient();
            problems.extend(diagnostics.iter().cloned());
            attributes
        })
    }

    /// Reads the bodies one by one. A required attribute may be in any of them.
    fn read(
        &self,
        schema: &Schema,
        mut one: impl FnMut(
            &Remainder<'d>,
            &Schema,
            &mut MergedContent<'d>,
            &mut Vec<Diagnostic>,
        ) -> Vec<Attribute<'d>>,
    ) -> MergedContent<'d> {
        let mut relaxed = schema.clone();
        relaxed.attributes.iter_mut().for_each(|attribute| attribute.required = false);
        let mut found = MergedContent::default();
        let mut by_name: HashMap<SmolStr, Attribute<'d>> = HashMap::new();
        for body in &self.bodies {
            let mut problems = Vec::new();
            for attribute in one(body, &relaxed, &mut found, &mut problems) {
                if let Some(first) = by_name.get(attribute.name()) {
                    problems.push(duplicate(attribute, *first));
                } else {
                    by_name.insert(attribute.name().into(), attribute);
                    found.attributes.push(attribute);
                }
            }
            if !problems.is_empty() {
                found.diagnostics.push(body.body().document().file().diagnostics(problems));
            }
        }
        let wanted = schema.attributes.iter().filter(|wanted| wanted.required);
        let missing: Vec<Diagnostic> = wanted
            .filter(|wanted| !by_name.contains_key(&wanted.name))
            .map(|wanted| missing(&wanted.name))
            .collect();
        if let (false, Some(last)) = (missing.is_empty(), self.bodies.last()) {
            let source = Arc::clone(last.body().document().source());
            found.diagnostics.push(Diagnostics::new(source, missing));
        }
        found
    }
}

/// Reports an attribute that an earlier body defines.
pub(super) fn duplicate(attribute: Attribute<'_>, first: Attribute<'_>) -> Diagnostic {
    let source = first.document().source();
    let line = source.position(first.name_span().start).line;
    let (name, file) = (attribute.name(), source.name());
    let detail = format!("The argument \"{name}\" is already set in {file} on line {line}.");
    Diagnostic::error("Duplicate argument", detail, attribute.name_span())
}

/// Reports a required attribute that no body defines.
fn missing(name: &str) -> Diagnostic {
    let detail = format!("The argument \"{name}\" has to be set in one of the files, but it is not.");
    let mut missing = Diagnostic::error("Missing required argument", detail, Span::default());
    missing.subject = None;
    missing
}
