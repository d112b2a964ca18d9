//! Several files read as one body.

use std::collections::HashMap;
use std::sync::Arc;

use hclvm_vm::{Diagnostic, Layout, Severity};
use smol_str::SmolStr;

use crate::diagnostics::error::Diagnostics;
use crate::structure::content::Remainder;
use crate::structure::schema::Schema;
use crate::syntax::document::{Attribute, Block, Body, Document};

/// Bodies of several files that are read as one: attributes of all, each defined in one of them;
/// blocks in the order of the files.
///
/// ```
/// use hclvm::{Document, Engine};
/// use hclvm::schema::Schema;
/// use hclvm::syntax::Merged;
///
/// let engine = Engine::standard();
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

/// What merged bodies hold of a schema.
#[derive(Clone, Debug, Default)]
pub struct MergedContent<'d> {
    /// Attributes by file, then in source order; of one defined twice the first.
    pub attributes: Vec<Attribute<'d>>,
    /// Blocks by file, then in source order.
    pub blocks: Vec<Block<'d>>,
    /// What is wrong, a list for each file with problems, in the order of the files. What is
    /// missing in all of them has no place and stands at the end of the last list.
    pub diagnostics: Vec<Diagnostics>,
}

impl<'d> MergedContent<'d> {
    /// The attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<Attribute<'d>> {
        self.attributes.iter().copied().find(|attribute| attribute.name() == name)
    }

    /// Whether there is an error among the diagnostics.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostics::has_errors)
    }
}

impl Document {
    /// The documents compiled for one layout with the names that any of them uses, so that one
    /// scope serves all.
    pub fn with_common_layout(documents: &[Self]) -> Vec<Self> {
        let names = documents.iter().flat_map(|document| document.layout().names().iter().cloned());
        let layout = Arc::new(Layout::new(names));
        documents.iter().map(|document| document.for_layout(&layout)).collect()
    }
}

impl<'d> Merged<'d> {
    /// The bodies of these files.
    pub fn new(documents: impl IntoIterator<Item = &'d Document>) -> Self {
        Self::of(documents.into_iter().map(Document::body))
    }

    /// These bodies.
    pub fn of(bodies: impl IntoIterator<Item = Body<'d>>) -> Self {
        Self { bodies: bodies.into_iter().map(Remainder::of).collect() }
    }

    /// What the bodies hold of `schema`, which has to be everything in them.
    pub fn content(&self, schema: &Schema) -> MergedContent<'d> {
        self.read(schema, |body, schema, found, problems| {
            let (content, diagnostics) = body.content_lenient(schema);
            problems.extend(diagnostics.iter().cloned());
            found.blocks.extend(content.blocks);
            content.attributes
        })
    }

    /// What the bodies hold of `schema`, and the rest of them.
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

    /// The attributes of bodies that have no blocks.
    pub fn just_attributes(&self) -> MergedContent<'d> {
        self.read(&Schema::new(), |body, _, _, problems| {
            let (attributes, diagnostics) = body.just_attributes_lenient();
            problems.extend(diagnostics.iter().cloned());
            attributes
        })
    }

    /// Reads body after body; what is required may be in any of them.
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
        let mut seen: HashMap<SmolStr, Attribute<'d>> = HashMap::new();
        for body in &self.bodies {
            let mut problems = Vec::new();
            for attribute in one(body, &relaxed, &mut found, &mut problems) {
                if let Some(first) = seen.get(attribute.name()) {
                    problems.push(duplicate(attribute, *first));
                } else {
                    seen.insert(attribute.name().into(), attribute);
                    found.attributes.push(attribute);
                }
            }
            if !problems.is_empty() {
                let source = Arc::clone(body.body().document().source());
                found.diagnostics.push(Diagnostics::new(source, problems));
            }
        }
        let wanted = schema.attributes.iter().filter(|wanted| wanted.required);
        let missing: Vec<Diagnostic> = wanted
            .filter(|wanted| !seen.contains_key(&wanted.name))
            .map(|wanted| missing(&wanted.name))
            .collect();
        if let (false, Some(last)) = (missing.is_empty(), self.bodies.last()) {
            let source = Arc::clone(last.body().document().source());
            found.diagnostics.push(Diagnostics::new(source, missing));
        }
        found
    }
}

/// An attribute that another body defines already.
fn duplicate(attribute: Attribute<'_>, first: Attribute<'_>) -> Diagnostic {
    let source = first.document().source();
    let line = source.position(first.name_span().start).line;
    let (name, file) = (attribute.name(), source.name());
    let detail = format!("The argument \"{name}\" is already set in {file} on line {line}.");
    Diagnostic::error("Duplicate argument", detail, attribute.name_span())
}

/// An attribute that no body defines.
fn missing(name: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        title: "Missing required argument".into(),
        detail: format!("The argument \"{name}\" has to be set in one of the files, but it is not.").into(),
        subject: None,
        context: None,
    }
}
