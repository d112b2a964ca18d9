//! What a job file declares: variables and local values.

use std::collections::HashMap;
use std::sync::LazyLock;

use hclvm::functions::Capabilities;
use hclvm::schema::{Content, Schema};
use hclvm::syntax::is_identifier;
use hclvm::{Dialect, Document, Engine, Limits, Undefined};
use smol_str::SmolStr;

use super::VARIABLES;
use crate::application::{DefinedBy, NameDefinition};
use crate::constants::ConstantEvaluator;
use crate::locals::LocalDeclaration;
use crate::names::ModuleLayout;
use crate::problems::{Problems, TextRange};
use crate::variables::{Declarations, Evaluators, Validator};

/// The blocks of the top level.
pub(super) static TOP: LazyLock<Schema> = LazyLock::new(|| {
    Schema::new()
        .block("variables", &[])
        .block("variable", &["name"])
        .block("locals", &[])
        .block("job", &["name"])
});

/// The blocks that define names.
pub(super) static DEFINITIONS: [NameDefinition; 3] = [
    NameDefinition { block: "variable", root: "var", by: DefinedBy::Labels(1) },
    NameDefinition { block: "variables", root: "var", by: DefinedBy::Attributes },
    NameDefinition { block: "locals", root: "local", by: DefinedBy::Attributes },
];

/// Returns the names that a file declares, by the syntax alone.
pub(super) fn names(document: &Document) -> ModuleLayout {
    let content = document.body().content_lenient(&TOP).0;
    let (mut variables, mut locals) = (Vec::new(), Vec::new());
    for block in &content.blocks {
        let attributes = || block.body().attributes().map(|one| SmolStr::new(one.name()));
        match block.kind() {
            "variable" => variables.extend(block.labels().next().map(SmolStr::new)),
            "variables" => variables.extend(attributes()),
            "locals" => locals.extend(attributes()),
            _ => {}
        }
    }
    variables.retain(|name| is_identifier(name));
    let objects = [("var", variables.iter().collect()), ("local", locals.iter().collect())];
    ModuleLayout::new(&["var", "local"], &objects, std::slice::from_ref(document))
}

/// The declarations of a job file.
#[derive(Debug)]
pub(super) struct JobDefinitions {
    /// True if the blocks of the top level are wrong, so that nothing else of the file is read.
    pub(super) is_unreadable: bool,
    pub(super) variables: Declarations,
    pub(super) locals: Vec<LocalDeclaration>,
    /// The engine of validations, whose functions read no files.
    pub(super) validations: Engine,
}

impl JobDefinitions {
    /// Reads the declarations of a compiled document.
    pub(super) fn new(limits: Limits, document: &Document, problems: &mut Problems) -> Self {
        let (content, found) = document.body().content_lenient(&TOP);
        problems.add(found);
        let dialect = Dialect::nomad(&Capabilities::none()).undefined(Undefined::Error);
        let validations = Engine::builder().dialect(dialect).limits(limits).build();
        let mut variables = Declarations::default();
        if problems.has_errors() {
            return Self { is_unreadable: true, variables, locals: Vec::new(), validations };
        }
        let mut evaluators = Evaluators {
            defaults: ConstantEvaluator::new(None, limits),
            constants: ConstantEvaluator::new(None, limits),
            validator: Validator::new(&validations),
        };
        for block in &content.blocks {
            match block.kind() {
                "variable" => variables.block(*block, VARIABLES, &mut evaluators, problems),
                "variables" => {
                    let (attributes, found) = block.body().just_attributes_lenient();
                    problems.add(found);
                    for attribute in attributes {
                        variables.attribute(attribute, &mut evaluators, problems);
                    }
                }
                _ => {}
            }
        }
        let locals = locals(&content, problems);
        Self { is_unreadable: false, variables, locals, validations }
    }
}

/// Returns the local values; warns of names that are defined twice, of which the last definition counts.
pub(super) fn locals(content: &Content<'_>, problems: &mut Problems) -> Vec<LocalDeclaration> {
    let mut found: Vec<LocalDeclaration> = Vec::new();
    let mut first: HashMap<SmolStr, usize> = HashMap::new();
    for block in content.blocks_of("locals") {
        let (attributes, diagnostics) = block.body().just_attributes_lenient();
        problems.add(diagnostics);
        for attribute in attributes {
            let (name, place) = (attribute.name(), TextRange::of_name(attribute));
            let Some(local) = LocalDeclaration::new(name, place.clone(), false, attribute, problems) else {
                continue;
            };
            let at = *first.entry(name.into()).or_insert(found.len());
            if let Some(earlier) = found.get_mut(at) {
                let line = earlier.place.line();
                let detail =
                    format!("`local.{name}` is already defined at {line}. The last definition counts.");
                problems.warning(&place, "Duplicate value in locals", detail);
                *earlier = local;
            } else {
                found.push(local);
            }
        }
    }
    found
}
