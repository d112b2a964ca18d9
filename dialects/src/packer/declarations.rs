//! What a template declares: the blocks of the top level, variables, local values and headers of data sources.

use std::collections::HashMap;
use std::sync::LazyLock;

use hclvm::diagnostics::Span;
use hclvm::schema::{Content, Schema};
use hclvm::syntax::is_identifier;
use hclvm::{Block, Document};
use smol_str::SmolStr;

use super::data::DataDefinition;
use super::{VARIABLES, plugins, roots, version};
use crate::application::{DefinedBy, NameDefinition};
use crate::constants::ConstantEvaluator;
use crate::hidden::Hidden;
use crate::locals::LocalDeclaration;
use crate::names::ModuleLayout;
use crate::problems::{Problems, TextRange};
use crate::variables::{Declarations, Evaluators};

/// The blocks of the top level.
pub(super) static TOP: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new()
        .block("packer", &[])
        .block("source", &["type", "name"])
        .block("variables", &[])
        .block("variable", &["name"])
        .block("locals", &[])
        .block("local", &["name"])
        .block("data", &["type", "name"])
        .block("build", &[])
        .block("hcp_packer_registry", &[])
        .block("communicator", &["type", "name"])
});

/// The blocks that define names.
pub(super) static DEFINITIONS: [NameDefinition; 6] = [
    NameDefinition { block: "variable", root: "var", by: DefinedBy::Labels(1) },
    NameDefinition { block: "variables", root: "var", by: DefinedBy::Attributes },
    NameDefinition { block: "locals", root: "local", by: DefinedBy::Attributes },
    NameDefinition { block: "local", root: "local", by: DefinedBy::Labels(1) },
    NameDefinition { block: "data", root: "data", by: DefinedBy::Labels(2) },
    NameDefinition { block: "source", root: "source", by: DefinedBy::Labels(2) },
];

/// The names that files declare, by the syntax alone: sorted, without those that are none.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclaredNames {
    pub(super) variables: Vec<SmolStr>,
    pub(super) locals: Vec<SmolStr>,
    /// The types of data sources.
    pub(super) data: Vec<SmolStr>,
}

impl DeclaredNames {
    /// Returns the names that files declare.
    pub(super) fn new(documents: &[Document]) -> Self {
        let contents: Vec<Content<'_>> =
            documents.iter().map(|one| one.body().content_lenient(&TOP).0).collect();
        let labels = |kind: &'static str| {
            let blocks = contents.iter().flat_map(move |content| content.blocks_of(kind));
            blocks.filter_map(|block| block.labels().next().map(SmolStr::new)).collect::<Vec<_>>()
        };
        let attributes = |kind: &'static str| {
            let blocks = contents.iter().flat_map(move |content| content.blocks_of(kind));
            blocks
                .flat_map(|block| block.body().attributes().map(|one| SmolStr::new(one.name())))
                .collect::<Vec<_>>()
        };
        let together = |a: Vec<SmolStr>, b: Vec<SmolStr>| -> Vec<SmolStr> {
            let mut names: Vec<SmolStr> = a.into_iter().chain(b).filter(|name| is_identifier(name)).collect();
            names.sort();
            names.dedup();
            names
        };
        let variables = together(labels("variable"), attributes("variables"));
        let locals = together(labels("local"), attributes("locals"));
        let data = together(labels("data"), Vec::new());
        Self { variables, locals, data }
    }
}

/// Returns the names of a template: those that its files declare, and those that `others` do.
pub(super) fn names(documents: &[Document], others: &DeclaredNames) -> ModuleLayout {
    let DeclaredNames { mut variables, mut locals, mut data } = DeclaredNames::new(documents);
    variables.extend_from_slice(&others.variables);
    locals.extend_from_slice(&others.locals);
    data.extend(others.data.iter().filter(|kind| !data.contains(kind)).cloned().collect::<Vec<_>>());
    let objects = [("var", variables), ("local", locals), ("data", data)];
    let objects: Vec<(&str, Vec<&SmolStr>)> =
        objects.iter().map(|(root, names)| (*root, names.iter().collect())).collect();
    ModuleLayout::new(&roots::NAMES, &objects, documents)
}

/// The declarations of a template.
#[derive(Debug, Default)]
pub(super) struct TemplateDefinitions {
    /// True if the template requires another version, so that nothing else of it is read.
    pub(super) is_unsupported: bool,
    pub(super) has_build: bool,
    pub(super) variables: Declarations,
    pub(super) locals: Vec<LocalDeclaration>,
    pub(super) data: Vec<DataDefinition>,
}

impl TemplateDefinitions {
    /// Returns the place of a node of the graph: a local, or behind the locals a data source.
    pub(super) fn place(&self, node: usize) -> &TextRange {
        match node.checked_sub(self.locals.len()) {
            None => &self.locals[node].place,
            Some(data) => &self.data[data].place,
        }
    }

    /// Reads the declarations of compiled documents.
    pub(super) fn new(
        version: &str,
        documents: &[Document],
        evaluators: &mut Evaluators,
        problems: &mut Problems,
    ) -> Self {
        let is_supported = |document| version::check(document, version, &mut evaluators.constants, problems);
        // All documents are checked: their problems are reported together.
        if documents.iter().map(is_supported).filter(|is_supported| !is_supported).count() > 0 {
            return Self { is_unsupported: true, ..Self::default() };
        }
        let mut contents: Vec<Content<'_>> = Vec::new();
        for document in documents {
            let (content, found) = document.body().content_lenient(&TOP);
            problems.add(found);
            contents.push(content);
        }
        plugins::check(&contents, &mut evaluators.constants, problems);
        let mut variables = Declarations::default();
        for content in &contents {
            for block in &content.blocks {
                match block.kind() {
                    "variable" => variables.block(*block, VARIABLES, evaluators, problems),
                    "variables" => {
                        for attribute in arguments(*block, problems) {
                            variables.attribute(attribute, evaluators, problems);
                        }
                    }
                    _ => {}
                }
            }
        }
        let has_build = contents.iter().any(|content| content.blocks_of("build").next().is_some());
        let data = data(documents, &contents, problems);
        let locals = locals(&contents, &mut evaluators.constants, problems);
        Self { is_unsupported: false, has_build, variables, locals, data }
    }
}

/// Returns the attributes of a block that has no blocks.
fn arguments<'d>(block: Block<'d>, problems: &mut Problems) -> Vec<hclvm::Attribute<'d>> {
    let (attributes, found) = block.body().just_attributes_lenient();
    problems.add(found);
    attributes
}

/// Returns the local values of all files; reports names that are defined twice.
fn locals(
    contents: &[Content<'_>],
    constants: &mut ConstantEvaluator,
    problems: &mut Problems,
) -> Vec<LocalDeclaration> {
    let mut found: Vec<LocalDeclaration> = Vec::new();
    for block in contents.iter().flat_map(|content| &content.blocks) {
        match block.kind() {
            "locals" => {
                for attribute in arguments(*block, problems) {
                    let place = TextRange::of_name(attribute);
                    found.extend(LocalDeclaration::new(attribute.name(), place, false, attribute, problems));
                }
            }
            "local" => found.extend(local_block(*block, constants, problems)),
            _ => {}
        }
    }
    let mut first: HashMap<SmolStr, String> = HashMap::new();
    for one in &found {
        if let Some(line) = first.get(&one.name) {
            let detail = format!("`local.{}` is already defined at {line}.", one.name);
            problems.error(&one.place, "Duplicate local definition", detail);
        } else {
            first.insert(one.name.clone(), one.place.line());
        }
    }
    found
}

/// Reads a `local` block.
fn local_block(
    block: Block<'_>,
    constants: &mut ConstantEvaluator,
    problems: &mut Problems,
) -> Option<LocalDeclaration> {
    let document = block.body().document();
    let schema = Schema::new().required("expression").optional("sensitive");
    let (content, found) = block.body().content_lenient(&schema);
    problems.add(found);
    let name = block.labels().next().unwrap_or_default();
    if !is_identifier(name) {
        let at = block.label_spans().next().unwrap_or(block.header_span());
        let detail = format!(
            "\"{name}\" is not a valid name: a name begins with a letter and has letters, digits, _ and - only."
        );
        problems.error(&TextRange::new(document, at), "Invalid local name", detail);
    }
    // What is not known to be open is not shown.
    let sensitive = content.attribute("sensitive");
    let sensitive = sensitive.is_some_and(|one| constants.truth(one, problems).unwrap_or(true));
    let place = TextRange::of_block(document, block);
    LocalDeclaration::new(name, place, sensitive, content.attribute("expression")?, problems)
}

/// Returns the headers of data sources; reports wrong and repeated names.
fn data(documents: &[Document], contents: &[Content<'_>], problems: &mut Problems) -> Vec<DataDefinition> {
    let mut found: Vec<DataDefinition> = Vec::new();
    let mut first: HashMap<(SmolStr, SmolStr), String> = HashMap::new();
    for (at, content) in contents.iter().enumerate() {
        for (number, block) in content.blocks_of("data").enumerate() {
            let place = TextRange::of_block(&documents[at], block);
            let mut labels = block.labels();
            let (kind, name) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
            let what = "begins with a letter and has letters, digits, _ and - only";
            if !is_identifier(kind) {
                problems.error(
                    &place,
                    "Invalid data source name",
                    format!("The type \"{kind}\" is not a valid name: a name {what}."),
                );
            }
            if !is_identifier(name) {
                problems.error(
                    &place,
                    "Invalid data resource name",
                    format!("\"{name}\" is not a valid name: a name {what}."),
                );
            }
            let (kind, name) = (SmolStr::new(kind), SmolStr::new(name));
            if let Some(line) = first.get(&(kind.clone(), name.clone())) {
                let detail = format!("`data.{kind}.{name}` is already defined at {line}.");
                problems.error(&place, "Duplicate data block", detail);
                continue;
            }
            first.insert((kind.clone(), name.clone()), place.line());
            let reads = DataDefinition::reads_of(block.body());
            found.push(DataDefinition { kind, name, place, document: at, number, reads });
        }
    }
    found
}

/// Returns the blocks of sensitive variables and local values. Their arguments are read without a schema: what else is in
/// a block is of no interest, and reporting it takes time.
fn sensitive_blocks<'d>(document: &'d Document, constants: &mut ConstantEvaluator) -> Vec<Block<'d>> {
    let (content, _) = document.body().content_lenient(&TOP);
    let mut blocks = content.blocks;
    blocks.retain(|block| {
        let mut truth = |one| constants.truth(one, &mut Problems::default());
        matches!(block.kind(), "variable" | "local")
            && block.attribute("sensitive").is_some_and(|one| truth(one) != Some(false))
    });
    blocks
}

/// Returns the names of the sensitive variables of a file.
pub(super) fn sensitive_variables<'d>(
    document: &'d Document,
    constants: &mut ConstantEvaluator,
) -> Vec<&'d str> {
    let blocks = sensitive_blocks(document, constants).into_iter();
    blocks.filter(|block| block.kind() == "variable").filter_map(|block| block.labels().next()).collect()
}

/// Returns the parts of a file that hold sensitive values: the defaults of variables, and the literals in the
/// expressions of local values.
pub(super) fn hidden(document: &Document, constants: &mut ConstantEvaluator) -> Hidden {
    let mut parts = Vec::new();
    for block in sensitive_blocks(document, constants) {
        parts.extend(block.attribute("default").map(|one| one.expression_span()));
        parts.extend(block.attribute("expression").into_iter().flat_map(|one| one.literal_spans()));
    }
    Hidden::new(document.source(), parts)
}

/// Returns the lines of a file with syntax errors that may hold sensitive values: an unclosed text may have swallowed the
/// argument that says so.
pub(super) fn hidden_lines(document: &Document) -> Hidden {
    let bodies = document.body().blocks().filter(|block| matches!(block.kind(), "variable" | "local"));
    let bodies = bodies.map(|block| Span::new(block.header_span().end, block.span().end));
    let source = document.source();
    let bodies = bodies.filter(|body| body.slice(source.text()).contains("sensitive"));
    Hidden::lines(source, &bodies.collect::<Vec<_>>())
}
