//! What the files of a folder declare: variables, local values, outputs, resources, module calls, checks.
//!
//! ```text
//! blocks of all files ─ groups of equal kind and labels ─ declarations
//!                        the first block declares, blocks of override files follow it
//! ```
//!
//! Of an argument that several blocks of a group have, the last one counts.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use hclvm::schema::Schema;
use hclvm::syntax::{TypeConstraint, is_identifier};
use hclvm::value::Arena;
use hclvm::{Block, Document, OwnedValue, Value};
use smol_str::SmolStr;

use super::references::{Expr, Reference, Symbols};
use crate::constants::ConstantEvaluator;
use crate::hidden::Hidden;
use crate::locals::LocalDeclaration;
use crate::names::ModuleLayout;
use crate::problems::{Problems, TextRange};

/// The blocks of the top level.
pub(super) static TOP: LazyLock<Schema> = LazyLock::new(|| {
    let one = ["provider", "variable", "output", "module", "check"];
    let two = ["resource", "data", "ephemeral"];
    let none = ["terraform", "locals", "moved", "import", "removed", "language"];
    let schema = one.iter().fold(Schema::new(), |schema, kind| schema.block(*kind, &["name"]));
    let schema = two.iter().fold(schema, |schema, kind| schema.block(*kind, &["type", "name"]));
    none.iter().fold(schema, |schema, kind| schema.block(*kind, &[]))
});

/// The arguments and blocks of resources that the language itself reads.
pub(super) const META: [&str; 7] =
    ["count", "for_each", "provider", "depends_on", "lifecycle", "provisioner", "connection"];

/// The arguments of module calls that are no inputs.
pub(super) const META_OF_CALLS: [&str; 6] =
    ["source", "version", "count", "for_each", "providers", "depends_on"];

/// Kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Mode {
    Managed,
    Data,
    Ephemeral,
}

impl Mode {
    /// Returns its name in sentences.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Managed => "resource",
            Self::Data => "data source",
            Self::Ephemeral => "ephemeral resource",
        }
    }

    /// Returns what addresses begin with.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Managed => "",
            Self::Data => "data.",
            Self::Ephemeral => "ephemeral.",
        }
    }
}

/// A condition with the message that is shown where it fails.
#[derive(Debug)]
pub(super) struct CustomCondition {
    pub(super) holds: Expr,
    pub(super) message: Option<Expr>,
    pub(super) place: TextRange,
}

#[derive(Debug)]
pub(super) struct VariableDeclaration {
    pub(super) name: SmolStr,
    pub(super) place: TextRange,
    pub(super) description: Option<String>,
    pub(super) sensitive: bool,
    pub(super) ephemeral: bool,
    pub(super) nullable: bool,
    pub(super) ty: Option<TypeConstraint>,
    /// Converted to the type.
    pub(super) default: Option<(OwnedValue, TextRange)>,
    pub(super) validations: Vec<CustomCondition>,
}

#[derive(Debug)]
pub(super) struct OutputDeclaration {
    pub(super) name: SmolStr,
    pub(super) place: TextRange,
    pub(super) value: Option<Expr>,
    pub(super) sensitive: bool,
    pub(super) ephemeral: bool,
    pub(super) conditions: Vec<CustomCondition>,
}

/// How often something exists.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    pub(super) count: Option<Expr>,
    pub(super) for_each: Option<Expr>,
}

impl Repetition {
    pub(super) fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.count.iter().chain(&self.for_each)
    }
}

/// A block by its numbers: those of the document and of the block in it.
pub(super) type Handle = (usize, usize);

#[derive(Debug)]
pub(super) struct Resource {
    pub(super) mode: Mode,
    pub(super) kind: SmolStr,
    pub(super) name: SmolStr,
    pub(super) place: TextRange,
    pub(super) blocks: Vec<Handle>,
    pub(super) repetition: Repetition,
    /// The references of its body.
    pub(super) reads: Vec<Reference>,
    /// What has to be evaluated before, without being read.
    pub(super) depends: Vec<Reference>,
    pub(super) preconditions: Vec<CustomCondition>,
    pub(super) postconditions: Vec<CustomCondition>,
    /// The attributes that expressions of the folder read of it.
    pub(super) attributes: Vec<SmolStr>,
    /// The `check` that declares it.
    pub(super) nested: Option<usize>,
    /// False if references in it are wrong, so that it has no value.
    pub(super) is_sound: bool,
}

#[derive(Debug)]
pub(super) struct ModuleCall {
    pub(super) name: SmolStr,
    pub(super) place: TextRange,
    pub(super) source: Option<String>,
    pub(super) repetition: Repetition,
    pub(super) inputs: Vec<ModuleInput>,
    pub(super) input_index: HashMap<SmolStr, usize>,
    pub(super) depends: Vec<Reference>,
    /// False if references in its `count` or `for_each` are wrong.
    pub(super) is_sound: bool,
}

impl ModuleCall {
    pub(super) fn input(&self, name: &str) -> Option<&ModuleInput> {
        self.input_index.get(name).map(|at| &self.inputs[*at])
    }
}

/// An argument of a module call that is the value of a variable.
#[derive(Debug)]
pub(super) struct ModuleInput {
    pub(super) name: SmolStr,
    pub(super) place: TextRange,
    /// `None` if references in it are wrong.
    pub(super) expr: Option<Expr>,
}

#[derive(Debug)]
pub(super) struct Check {
    pub(super) name: SmolStr,
    pub(super) asserts: Vec<CustomCondition>,
}

/// What a folder declares.
#[derive(Debug, Default)]
pub(super) struct ModuleDefinitions {
    pub(super) variables: Vec<VariableDeclaration>,
    pub(super) locals: Vec<LocalDeclaration>,
    /// The references of locals; `None` for one whose references are wrong.
    pub(super) local_reads: Vec<Option<Vec<Reference>>>,
    pub(super) outputs: Vec<OutputDeclaration>,
    pub(super) resources: Vec<Resource>,
    pub(super) calls: Vec<ModuleCall>,
    pub(super) checks: Vec<Check>,
    pub(super) symbols: Symbols,
    pub(super) output_index: HashMap<SmolStr, usize>,
    /// Sources of providers by their local names.
    pub(super) providers: BTreeMap<SmolStr, String>,
}

/// Returns the blocks of the top level of documents, by their handles.
pub(super) fn blocks(documents: &[Document]) -> Vec<Vec<Block<'_>>> {
    documents.iter().map(|document| document.body().content_lenient(&TOP).0.blocks).collect()
}

/// Returns the names that a folder declares, by the syntax alone.
pub(super) fn names(documents: &[Document]) -> ModuleLayout {
    let (mut variables, mut locals, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    let mut resources: BTreeMap<&str, Vec<SmolStr>> = BTreeMap::new();
    let blocks = blocks(documents);
    for block in blocks.iter().flatten() {
        let mut labels = block.labels();
        match (block.kind(), labels.next(), labels.next()) {
            ("variable", Some(name), _) => variables.push(SmolStr::new(name)),
            ("module", Some(name), _) => calls.push(SmolStr::new(name)),
            ("locals", ..) => locals.extend(block.body().attributes().map(|one| SmolStr::new(one.name()))),
            ("resource", Some(kind), Some(name)) => {
                resources.entry(kind).or_default().push(SmolStr::new(name));
            }
            _ => {}
        }
    }
    let data = blocks.iter().flatten().flat_map(|block| {
        let nested = if block.kind() == "check" { data_of_check(*block) } else { Vec::new() };
        let own = matches!(block.kind(), "data" | "ephemeral").then_some(*block);
        own.into_iter().chain(nested)
    });
    let (mut data_types, mut ephemeral_types) = (Vec::new(), Vec::new());
    for block in data {
        let types = if block.kind() == "ephemeral" { &mut ephemeral_types } else { &mut data_types };
        types.extend(block.labels().next().map(SmolStr::new));
    }
    resources.retain(|kind, _| !ROOTS.contains(kind) && is_identifier(kind));
    let roots: Vec<&str> = ROOTS.iter().copied().chain(resources.keys().copied()).collect();
    let sorted = |mut names: Vec<SmolStr>| {
        names.retain(|name| is_identifier(name));
        names.sort();
        names.dedup();
        names
    };
    let mut objects: Vec<(&str, Vec<SmolStr>)> = vec![
        ("var", sorted(variables)),
        ("local", sorted(locals)),
        ("module", sorted(calls)),
        ("data", sorted(data_types)),
        ("ephemeral", sorted(ephemeral_types)),
        ("resource", sorted(resources.keys().map(SmolStr::new).collect())),
    ];
    objects.extend(resources.into_iter().map(|(kind, names)| (kind, sorted(names))));
    let objects: Vec<(&str, Vec<&SmolStr>)> =
        objects.iter().map(|(root, names)| (*root, names.iter().collect())).collect();
    ModuleLayout::new(&roots, &objects, documents)
}

/// The roots that every module has.
const ROOTS: [&str; 12] = [
    "var",
    "local",
    "module",
    "data",
    "ephemeral",
    "resource",
    "path",
    "terraform",
    "tofu",
    "each",
    "count",
    "self",
];

/// Returns the data sources in a `check` block.
pub(super) fn data_of_check(block: Block<'_>) -> Vec<Block<'_>> {
    let schema = Schema::new().block("data", &["type", "name"]);
    block.body().partial_content(&schema).map(|(content, _)| content.blocks).unwrap_or_default()
}

/// Returns the block of a data source in the `check` blocks that hold it.
pub(super) fn nested_data<'d>(blocks: &[Block<'d>], resource: &Resource) -> Vec<Block<'d>> {
    let labels = [resource.kind.as_str(), resource.name.as_str()];
    let found = blocks.iter().flat_map(|block| data_of_check(*block));
    found.filter(|data| data.labels().eq(labels)).collect()
}

/// Converts a value to a type; `None` is any type.
///
/// # Errors
/// Why it does not fit, as a phrase.
pub(super) fn converted(
    ty: Option<&TypeConstraint>,
    value: Value<'_>,
    sensitive: bool,
) -> Result<OwnedValue, String> {
    let Some(ty) = ty else { return Ok(OwnedValue::new(value)) };
    let arena = Arena::new();
    match ty.convert(&arena, value) {
        Ok(value) => Ok(OwnedValue::new(value)),
        Err(why) => Err(if sensitive { why.concealed(&arena) } else { why }.to_string()),
    }
}

/// Returns the names of the sensitive variables of a file.
pub(super) fn sensitive_variables<'d>(
    document: &'d Document,
    constants: &mut ConstantEvaluator,
) -> Vec<&'d str> {
    let blocks = sensitive_blocks(document, constants).into_iter();
    blocks.filter_map(|block| block.labels().next()).collect()
}

fn sensitive_blocks<'d>(document: &'d Document, constants: &mut ConstantEvaluator) -> Vec<Block<'d>> {
    let mut blocks = document.body().content_lenient(&TOP).0.blocks;
    blocks.retain(|block| {
        let mut truth = |one| constants.truth(one, &mut Problems::default());
        block.kind() == "variable"
            && block.attribute("sensitive").is_some_and(|one| truth(one) != Some(false))
    });
    blocks
}

/// Returns the parts of a file that hold sensitive values: the defaults of sensitive variables.
pub(super) fn hidden(document: &Document, constants: &mut ConstantEvaluator) -> Hidden {
    let blocks = sensitive_blocks(document, constants).into_iter();
    let defaults = blocks.filter_map(|block| block.attribute("default"));
    Hidden::new(document.source(), defaults.map(|one| one.expression_span()).collect())
}
