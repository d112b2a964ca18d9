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

use hclvm::diagnostics::Span;
use hclvm::schema::Schema;
use hclvm::syntax::{TypeConstraint, TypeMode, is_identifier};
use hclvm::value::Arena;
use hclvm::{Attribute, Block, Document, OwnedValue, Value};
use smol_str::SmolStr;

use super::files::is_override;
use super::references::{Context, Expr, Read, Resolver, Symbols, Target};
use crate::constants::Constants;
use crate::hidden::Hidden;
use crate::locals::LocalDefinition;
use crate::names::Names;
use crate::problems::{Place, Problems};

/// The blocks of the top level.
pub(super) static TOP: LazyLock<Schema> = LazyLock::new(|| {
    let one = ["provider", "variable", "output", "module", "check"];
    let two = ["resource", "data", "ephemeral"];
    let none = ["terraform", "locals", "moved", "import", "removed"];
    let schema = one.iter().fold(Schema::new(), |schema, kind| schema.block(*kind, &["name"]));
    let schema = two.iter().fold(schema, |schema, kind| schema.block(*kind, &["type", "name"]));
    none.iter().fold(schema, |schema, kind| schema.block(*kind, &[]))
});

/// The arguments and blocks of resources that the language itself reads.
pub(super) const META: [&str; 7] =
    ["count", "for_each", "provider", "depends_on", "lifecycle", "provisioner", "connection"];

/// The arguments of module calls that are no inputs.
const META_OF_CALLS: [&str; 6] = ["source", "version", "count", "for_each", "providers", "depends_on"];

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
pub(super) struct Condition {
    pub(super) condition: Expr,
    pub(super) message: Option<Expr>,
    pub(super) place: Place,
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: SmolStr,
    pub(super) place: Place,
    pub(super) description: Option<String>,
    pub(super) sensitive: bool,
    pub(super) ephemeral: bool,
    pub(super) nullable: bool,
    pub(super) ty: Option<TypeConstraint>,
    /// Converted to the type.
    pub(super) default: Option<(OwnedValue, Place)>,
    pub(super) validations: Vec<Condition>,
}

#[derive(Debug)]
pub(super) struct Output {
    pub(super) name: SmolStr,
    pub(super) place: Place,
    pub(super) value: Option<Expr>,
    pub(super) sensitive: bool,
    pub(super) ephemeral: bool,
    pub(super) conditions: Vec<Condition>,
}

/// How often something exists.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    pub(super) count: Option<Expr>,
    pub(super) for_each: Option<Expr>,
}

impl Repetition {
    pub(super) fn context(&self) -> Context {
        Context { each: self.for_each.is_some(), count: self.count.is_some(), itself: false }
    }

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
    pub(super) place: Place,
    pub(super) blocks: Vec<Handle>,
    pub(super) repetition: Repetition,
    /// The references of its body.
    pub(super) reads: Vec<Read>,
    /// What has to be evaluated before, without being read.
    pub(super) depends: Vec<Read>,
    pub(super) preconditions: Vec<Condition>,
    pub(super) postconditions: Vec<Condition>,
    /// The attributes that expressions of the folder read of it.
    pub(super) attributes: Vec<SmolStr>,
    /// True if it is declared in a `check`.
    pub(super) nested: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: SmolStr,
    pub(super) place: Place,
    pub(super) source: Option<String>,
    pub(super) repetition: Repetition,
    pub(super) inputs: Vec<(SmolStr, Place, Option<Expr>)>,
    pub(super) depends: Vec<Read>,
}

#[derive(Debug)]
pub(super) struct Check {
    pub(super) name: SmolStr,
    pub(super) asserts: Vec<Condition>,
}

/// What a folder declares.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    pub(super) variables: Vec<Variable>,
    pub(super) locals: Vec<LocalDefinition>,
    pub(super) local_reads: Vec<Vec<Read>>,
    pub(super) outputs: Vec<Output>,
    pub(super) resources: Vec<Resource>,
    pub(super) calls: Vec<Call>,
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
pub(super) fn names(documents: &[Document]) -> Names {
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
                resources.entry(kind).or_default().push(SmolStr::new(name))
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
    Names::new(&roots, &objects, documents)
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
fn data_of_check(block: Block<'_>) -> Vec<Block<'_>> {
    let schema = Schema::new().block("data", &["type", "name"]);
    block.body().partial_content(&schema).map(|(content, _)| content.blocks).unwrap_or_default()
}

/// Returns the block of a data source in the `check` blocks that hold it.
pub(super) fn nested_data<'d>(blocks: &[Block<'d>], resource: &Resource) -> Vec<Block<'d>> {
    let labels = [resource.kind.as_str(), resource.name.as_str()];
    let found = blocks.iter().flat_map(|block| data_of_check(*block));
    found.filter(|data| data.labels().eq(labels)).collect()
}

/// Blocks of one kind and name, of which the first one declares it.
struct Group<'d> {
    kind: &'static str,
    labels: Vec<SmolStr>,
    place: Place,
    blocks: Vec<(Handle, Block<'d>)>,
    /// The `check` that it is in.
    nested: Option<usize>,
}

impl<'d> Group<'d> {
    fn name(&self) -> &SmolStr {
        self.labels.last().unwrap_or(const { &SmolStr::new_static("") })
    }

    /// Returns an argument: the last one that its blocks have.
    fn attribute(&self, name: &str) -> Option<Attribute<'d>> {
        self.blocks.iter().rev().find_map(|(_, block)| block.attribute(name))
    }

    /// Returns the nested blocks of a type: those of the last block that has some.
    fn nested(&self, kind: &'static str, labels: &[&str]) -> Vec<Block<'d>> {
        let schema = Schema::new().block(kind, labels);
        let of = |block: &Block<'d>| blocks_of(block.body(), &schema);
        self.blocks
            .iter()
            .rev()
            .map(|(_, block)| of(block))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }
}

/// Returns the blocks of a body that a schema names, without problems.
fn blocks_of<'d>(body: hclvm::Body<'d>, schema: &Schema) -> Vec<Block<'d>> {
    body.partial_content(schema).map(|(content, _)| content.blocks).unwrap_or_default()
}

/// The titles of one kind of declaration.
struct Kind {
    kind: &'static str,
    /// What it is called: "variable".
    duplicate: &'static str,
    missing: &'static str,
    invalid: &'static str,
}

const KINDS: [Kind; 4] = [
    Kind {
        kind: "variable",
        duplicate: "Duplicate variable declaration",
        missing: "Missing base variable declaration to override",
        invalid: "Invalid variable name",
    },
    Kind {
        kind: "output",
        duplicate: "Duplicate output definition",
        missing: "Missing base output definition to override",
        invalid: "Invalid output name",
    },
    Kind {
        kind: "module",
        duplicate: "Duplicate module call",
        missing: "Missing module call to override",
        invalid: "Invalid module instance name",
    },
    Kind {
        kind: "check",
        duplicate: "Duplicate check block configuration",
        missing: "Missing check block to override",
        invalid: "Invalid check block name",
    },
];

/// Reads the declarations of a folder.
pub(super) struct Reader<'r> {
    pub(super) constants: &'r mut Constants,
    pub(super) problems: &'r mut Problems,
    pub(super) is_partial: bool,
}

impl Reader<'_> {
    /// Reads the declarations of compiled documents.
    pub(super) fn read(&mut self, documents: &[Document]) -> Definitions {
        for document in documents {
            self.problems.add(document.body().content_lenient(&TOP).1);
        }
        let blocks = blocks(documents);
        let groups = self.groups(documents, &blocks);
        let mut definitions = Definitions::default();
        self.symbols(&groups, &mut definitions);
        let local_attributes = self.locals(documents, &blocks, &mut definitions.symbols);
        for group in groups.iter().filter(|group| group.kind == "terraform") {
            self.terraform(group, &mut definitions.providers);
        }
        let symbols = std::mem::take(&mut definitions.symbols);
        let mut own = Problems::default();
        std::mem::swap(&mut own, self.problems);
        let mut resolver = Resolver::new(&symbols, &mut own);
        for group in &groups {
            match group.kind {
                "variable" => {
                    let variable = self.variable(group, &mut resolver);
                    definitions.variables.push(variable);
                }
                "output" => {
                    let output = self.output(group, &mut resolver);
                    definitions.output_index.insert(output.name.clone(), definitions.outputs.len());
                    definitions.outputs.push(output);
                }
                "resource" | "data" | "ephemeral" => {
                    let resource = resource(group, &mut resolver);
                    definitions.resources.push(resource);
                }
                "module" => {
                    let call = self.call(group, &mut resolver);
                    definitions.calls.push(call);
                }
                "check" => {
                    let asserts = conditions(group.nested("assert", &[]), Context::default(), &mut resolver);
                    definitions.checks.push(Check { name: group.name().clone(), asserts });
                }
                "provider" => {
                    for (_, block) in &group.blocks {
                        let except = ["alias", "version", "for_each"];
                        let each =
                            Context { each: block.attribute("for_each").is_some(), ..Context::default() };
                        resolver.body(block.body(), &except, each, &mut Vec::new(), &mut Vec::new());
                    }
                }
                "moved" | "import" | "removed" => addresses(group, &mut resolver),
                _ => {}
            }
        }
        for (name, attribute) in local_attributes {
            let place = Place::of_name(attribute);
            let expr = resolver.expr(attribute, Context::default());
            let reads = expr.map(|expr| expr.reads).unwrap_or_default();
            let itself = Target::Local(definitions.locals.len());
            if reads.iter().any(|read| read.target == itself) {
                let detail = format!("`local.{name}` reads itself.");
                resolver.problems.error(&Place::of_value(attribute), "Self-referencing local value", detail);
            }
            // What cannot be compiled was reported.
            let mut known = Problems::default();
            if let Some(local) = LocalDefinition::new(&name, place, false, attribute, &mut known) {
                definitions.locals.push(local);
                definitions.local_reads.push(reads);
            }
        }
        let attributes = std::mem::take(&mut resolver.attributes);
        for (resource, names) in definitions.resources.iter_mut().zip(attributes) {
            resource.attributes = names.into_iter().collect();
        }
        self.problems.append(own);
        definitions.symbols = symbols;
        definitions
    }

    /// Groups blocks of equal kind and labels; reports names that are declared twice.
    fn groups<'d>(&mut self, documents: &'d [Document], blocks: &[Vec<Block<'d>>]) -> Vec<Group<'d>> {
        let mut groups: Vec<Group<'d>> = Vec::new();
        let mut index: HashMap<(&str, Vec<SmolStr>), usize> = HashMap::new();
        let mut checks = 0;
        for (at, of_document) in blocks.iter().enumerate() {
            let document = &documents[at];
            let name = document.source().name();
            let overrides = is_override(name.rsplit(['/', '\\']).next().unwrap_or(name));
            for (number, block) in of_document.iter().enumerate() {
                let Some(kind) = kind_of(block.kind()) else { continue };
                let labels: Vec<SmolStr> = block.labels().map(SmolStr::new).collect();
                let place = Place::of_block(document, *block);
                let new = |labels| Group {
                    kind,
                    labels,
                    place: place.clone(),
                    blocks: vec![((at, number), *block)],
                    nested: None,
                };
                if matches!(kind, "terraform" | "provider" | "moved" | "import" | "removed") {
                    groups.push(new(labels));
                    continue;
                }
                let key = (kind, labels.clone());
                match (index.get(&key), overrides) {
                    (Some(known), true) => groups[*known].blocks.push(((at, number), *block)),
                    (Some(known), false) => {
                        let (title, line) = (duplicate(kind, &labels), groups[*known].place.line());
                        let name = labels.join(".");
                        self.problems.error(
                            &place,
                            title,
                            format!("`{name}` is already declared at {line}."),
                        );
                    }
                    (None, true) if !self.is_partial => {
                        let name = labels.join(".");
                        let detail = format!("No file that is no override file declares `{name}`.");
                        self.problems.error(&place, missing(kind), detail);
                    }
                    (None, _) => {
                        self.check_name(kind, *block, document);
                        index.insert(key, groups.len());
                        groups.push(new(labels));
                        if kind != "check" {
                            continue;
                        }
                        let check = checks;
                        checks += 1;
                        for data in data_of_check(*block) {
                            let labels: Vec<SmolStr> = data.labels().map(SmolStr::new).collect();
                            let place = Place::of_block(document, data);
                            index.insert(("data", labels.clone()), groups.len());
                            let blocks = vec![((at, number), data)];
                            groups.push(Group { kind: "data", labels, place, blocks, nested: Some(check) });
                        }
                    }
                }
            }
        }
        groups
    }

    fn check_name(&mut self, kind: &str, block: Block<'_>, document: &Document) {
        let is_reserved = |name: &str| {
            kind == "variable" && (META_OF_CALLS.contains(&name) || matches!(name, "lifecycle" | "locals"))
        };
        let spans: Vec<Span> = block.label_spans().collect();
        for (at, label) in block.labels().enumerate() {
            let detail = if is_reserved(label) {
                format!("\"{label}\" has a meaning of its own in module blocks.")
            } else if is_identifier(label) {
                continue;
            } else {
                format!(
                    "\"{label}\" is no name: a name begins with a letter and has letters, digits, _ and - only."
                )
            };
            let title =
                KINDS.iter().find(|one| one.kind == kind).map_or("Invalid resource name", |one| one.invalid);
            let title = if kind != "variable" && KINDS.iter().all(|one| one.kind != kind) && at == 0 {
                "Invalid resource type name"
            } else {
                title
            };
            let span = spans.get(at).copied().unwrap_or(block.header_span());
            self.problems.error(&Place::new(document, span), title, detail);
        }
    }

    /// Numbers what groups declare.
    fn symbols(&mut self, groups: &[Group<'_>], definitions: &mut Definitions) {
        let symbols = &mut definitions.symbols;
        symbols.is_partial = self.is_partial;
        for group in groups {
            let name = group.name().clone();
            let repeated = ["count", "for_each"].into_iter().find(|one| group.attribute(one).is_some());
            match group.kind {
                "variable" => drop(symbols.variables.insert(name, symbols.variables.len())),
                "module" => {
                    symbols.calls.insert(name, symbols.calls.len());
                    symbols.repeated_calls.push(repeated.is_some());
                }
                "resource" | "data" | "ephemeral" => {
                    let kind = group.labels.first().cloned().unwrap_or_default();
                    symbols
                        .resources
                        .insert((mode_of(group.kind), kind, name), symbols.repeated_resources.len());
                    symbols.repeated_resources.push(repeated);
                }
                _ => {}
            }
        }
    }

    /// Returns the attributes of `locals`, by their numbers; reports names that are defined twice.
    fn locals<'d>(
        &mut self,
        documents: &'d [Document],
        blocks: &[Vec<Block<'d>>],
        symbols: &mut Symbols,
    ) -> Vec<(SmolStr, Attribute<'d>)> {
        let mut found: Vec<(SmolStr, Attribute<'d>)> = Vec::new();
        for (document, of_document) in documents.iter().zip(blocks) {
            let name = document.source().name();
            let overrides = is_override(name.rsplit(['/', '\\']).next().unwrap_or(name));
            for block in of_document.iter().filter(|block| block.kind() == "locals") {
                let (attributes, problems) = block.body().just_attributes_lenient();
                self.problems.add(problems);
                for attribute in attributes {
                    let (name, place) = (SmolStr::new(attribute.name()), Place::of_name(attribute));
                    if !is_identifier(&name) {
                        let detail = format!("\"{name}\" is no name: a name begins with a letter.");
                        self.problems.error(&place, "Invalid local value name", detail);
                    }
                    match (symbols.locals.get(&name), overrides) {
                        (Some(known), true) => found[*known].1 = attribute,
                        (Some(known), false) => {
                            let line = Place::of_name(found[*known].1).line();
                            let detail = format!("`local.{name}` is already defined at {line}.");
                            self.problems.error(&place, "Duplicate local value definition", detail);
                        }
                        (None, true) if !self.is_partial => {
                            let detail = format!("No file that is no override file defines `local.{name}`.");
                            self.problems.error(
                                &place,
                                "Missing base local value definition to override",
                                detail,
                            );
                        }
                        (None, _) => {
                            symbols.locals.insert(name.clone(), found.len());
                            found.push((name, attribute));
                        }
                    }
                }
            }
        }
        found
    }

    fn variable(&mut self, group: &Group<'_>, resolver: &mut Resolver<'_>) -> Variable {
        let schema = ["type", "default", "description", "sensitive", "ephemeral", "nullable", "deprecated"]
            .iter()
            .fold(Schema::new(), |schema, name| schema.optional(*name))
            .block("validation", &[]);
        check_content(group, &schema, resolver.problems);
        let problems = &mut *resolver.problems;
        let mut truth = |name: &str, default: bool, doubtful: bool| match group.attribute(name) {
            None => default,
            Some(one) => self.constants.truth(one, problems).unwrap_or(doubtful),
        };
        // What is not known to be open is not shown.
        let (sensitive, ephemeral) = (truth("sensitive", false, true), truth("ephemeral", false, true));
        let nullable = truth("nullable", true, true);
        let description = group.attribute("description").and_then(|one| self.constants.text(one, problems));
        let mut ty = None;
        if let Some(attribute) = group.attribute("type") {
            match type_of(attribute) {
                Ok(found) => ty = Some(found),
                Err(found) => problems.append(found),
            }
        }
        let mut default = None;
        if let Some(attribute) = group.attribute("default") {
            let value = if sensitive {
                self.constants.sensitive_value(attribute, problems)
            } else {
                self.constants.value(attribute, problems)
            };
            let place = Place::of_value(attribute);
            default = value.and_then(|value| {
                let converted = match converted(ty.as_ref(), value.get(), sensitive) {
                    Ok(_) if value.get().is_null() && !nullable => {
                        Err("a variable with nullable = false is not null".to_owned())
                    }
                    other => other,
                };
                match converted {
                    Ok(value) => Some((value, place)),
                    Err(why) => {
                        let detail = format!("The default does not fit the type of the variable: {why}.");
                        problems.error(&place, "Invalid default value for variable", detail);
                        None
                    }
                }
            });
        }
        let name = group.name().clone();
        let validations = conditions(group.nested("validation", &[]), Context::default(), resolver);
        let itself = resolver.symbols.variables.get(&name).copied();
        for validation in &validations {
            let reads = &validation.condition.reads;
            let reads_itself =
                reads.iter().any(|read| Some(&read.target) == itself.map(Target::Variable).as_ref());
            if !reads_itself {
                let detail =
                    format!("The condition does not read `var.{name}`, so that no value changes its result.");
                resolver.problems.error(
                    &validation.condition.place,
                    "Invalid variable validation condition",
                    detail,
                );
            }
        }
        let place = group.place.clone();
        Variable { name, place, description, sensitive, ephemeral, nullable, ty, default, validations }
    }

    fn output(&mut self, group: &Group<'_>, resolver: &mut Resolver<'_>) -> Output {
        let schema = ["value", "description", "sensitive", "ephemeral", "depends_on", "deprecated"]
            .iter()
            .fold(Schema::new(), |schema, name| schema.optional(*name))
            .block("precondition", &[]);
        check_content(group, &schema, resolver.problems);
        let value = group.attribute("value");
        if value.is_none() && !self.is_partial {
            let detail = "An output has an argument `value`.";
            resolver.problems.error(&group.place, "Missing required argument", detail);
        }
        let value = value.and_then(|one| resolver.expr(one, Context::default()));
        let problems = &mut *resolver.problems;
        let mut truth = |name: &str| {
            group.attribute(name).is_some_and(|one| self.constants.truth(one, problems).unwrap_or(true))
        };
        let (sensitive, ephemeral) = (truth("sensitive"), truth("ephemeral"));
        depends(group, resolver);
        let conditions = conditions(group.nested("precondition", &[]), Context::default(), resolver);
        Output {
            name: group.name().clone(),
            place: group.place.clone(),
            value,
            sensitive,
            ephemeral,
            conditions,
        }
    }

    fn call(&mut self, group: &Group<'_>, resolver: &mut Resolver<'_>) -> Call {
        let repetition = repetition(group, resolver);
        let source = group.attribute("source");
        if source.is_none() && !self.is_partial {
            let detail = "A module call has an argument `source`: a folder such as \"./network\", or a registry's name.";
            resolver.problems.error(&group.place, "Missing required argument", detail);
        }
        // OpenTofu reads variables and locals here, whose module is not known then.
        let is_constant = source.is_some_and(|one| one.variables().is_empty());
        let source =
            source.filter(|_| is_constant).and_then(|one| self.constants.text(one, resolver.problems));
        let mut inputs: Vec<(SmolStr, Place, Option<Expr>)> = Vec::new();
        let mut seen: HashMap<SmolStr, ()> = HashMap::new();
        for (_, block) in group.blocks.iter().rev() {
            for attribute in block.body().attributes().filter(|one| !META_OF_CALLS.contains(&one.name())) {
                let name = SmolStr::new(attribute.name());
                if seen.insert(name.clone(), ()).is_none() {
                    let expr = resolver.expr(attribute, repetition.context());
                    inputs.push((name, Place::of_name(attribute), expr));
                }
            }
        }
        let depends = depends(group, resolver);
        Call { name: group.name().clone(), place: group.place.clone(), source, repetition, inputs, depends }
    }

    /// Reads the sources of providers.
    fn terraform(&mut self, group: &Group<'_>, providers: &mut BTreeMap<SmolStr, String>) {
        let schema = ["required_version", "experiments", "language"]
            .iter()
            .fold(Schema::new(), |schema, name| schema.optional(*name))
            .block("backend", &["type"])
            .block("cloud", &[])
            .block("encryption", &[])
            .block("required_providers", &[])
            .block("provider_meta", &["provider"]);
        check_content(group, &schema, self.problems);
        for block in group.nested("required_providers", &[]) {
            for attribute in block.body().attributes() {
                // Aliases are names, not texts: what cannot be read here is of no matter.
                let Some(value) = self.source_of(attribute) else { continue };
                providers.insert(attribute.name().into(), value);
            }
        }
    }

    fn source_of(&mut self, attribute: Attribute<'_>) -> Option<String> {
        let mut quiet = Problems::default();
        if attribute.variables().is_empty() {
            let value = self.constants.value(attribute, &mut quiet)?;
            let source = value.get().as_entries()?.iter().find(|entry| entry.name == "source")?;
            return source.value.as_str().map(str::to_owned);
        }
        // With `configuration_aliases`, which are names.
        let text = attribute.expression_span().slice(attribute.document().source().text());
        let rest = &text[text.find("source")? + "source".len()..];
        let rest = rest.trim_start().strip_prefix(['=', ':'])?.trim_start().strip_prefix('"')?;
        rest.split('"').next().map(str::to_owned)
    }
}

fn kind_of(kind: &str) -> Option<&'static str> {
    const ALL: [&str; 12] = [
        "variable",
        "output",
        "module",
        "check",
        "resource",
        "data",
        "ephemeral",
        "terraform",
        "provider",
        "moved",
        "import",
        "removed",
    ];
    ALL.into_iter().find(|one| *one == kind)
}

fn mode_of(kind: &str) -> Mode {
    match kind {
        "data" => Mode::Data,
        "ephemeral" => Mode::Ephemeral,
        _ => Mode::Managed,
    }
}

fn duplicate(kind: &str, labels: &[SmolStr]) -> String {
    if let Some(kind) = KINDS.iter().find(|one| one.kind == kind) {
        return kind.duplicate.to_owned();
    }
    format!("Duplicate {kind} \"{}\" configuration", labels.first().map_or("", SmolStr::as_str))
}

fn missing(kind: &str) -> &'static str {
    KINDS.iter().find(|one| one.kind == kind).map_or("Missing resource to override", |one| one.missing)
}

/// Reports what a schema does not have in the blocks of a group.
fn check_content(group: &Group<'_>, schema: &Schema, problems: &mut Problems) {
    for (_, block) in &group.blocks {
        problems.add(block.body().content_lenient(schema).1);
    }
}

/// Returns the type that an attribute writes.
fn type_of(attribute: Attribute<'_>) -> Result<TypeConstraint, Problems> {
    attribute.type_constraint(TypeMode::WithDefaults).map_err(|error| {
        let mut problems = Problems::default();
        let text = attribute.expression_span().slice(attribute.document().source().text());
        if text.starts_with('"') && !attribute.document().is_json() {
            let detail = "A type has no quotes: `string`, `list(string)`.";
            problems.error(&Place::of_value(attribute), "Invalid quoted type constraints", detail);
        } else {
            problems.add(error.to_diagnostics(attribute.document().source().name()));
        }
        problems
    })
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

/// Returns how often a group exists.
fn repetition(group: &Group<'_>, resolver: &mut Resolver<'_>) -> Repetition {
    let (count, for_each) = (group.attribute("count"), group.attribute("for_each"));
    if let (Some(_), Some(second)) = (count, for_each) {
        let title = "Invalid combination of \"count\" and \"for_each\"";
        resolver.problems.error(&Place::of_name(second), title, "Use one of them.");
        return Repetition::default();
    }
    let mut expr = |one: Option<Attribute<'_>>| one.and_then(|one| resolver.expr(one, Context::default()));
    Repetition { count: expr(count), for_each: expr(for_each) }
}

/// Returns the references in `depends_on`.
fn depends(group: &Group<'_>, resolver: &mut Resolver<'_>) -> Vec<Read> {
    let Some(attribute) = group.attribute("depends_on") else { return Vec::new() };
    if attribute.document().is_json() {
        return Vec::new();
    }
    resolver.reads(attribute, Context::default(), &[]).unwrap_or_default()
}

fn resource(group: &Group<'_>, resolver: &mut Resolver<'_>) -> Resource {
    let repetition = repetition(group, resolver);
    let context = Context {
        each: group.attribute("for_each").is_some(),
        count: group.attribute("count").is_some(),
        itself: false,
    };
    let with_self = Context { itself: true, ..context };
    let mut reads = Vec::new();
    let mode = mode_of(group.kind);
    for (_, block) in &group.blocks {
        resolver.body(block.body(), &META, context, &mut Vec::new(), &mut reads);
    }
    let (mut preconditions, mut postconditions) = (Vec::new(), Vec::new());
    let mut depends = depends(group, resolver);
    for (_, block) in &group.blocks {
        let schema =
            Schema::new().block("lifecycle", &[]).block("provisioner", &["type"]).block("connection", &[]);
        for nested in blocks_of(block.body(), &schema) {
            if nested.kind() != "lifecycle" {
                let except = ["when", "on_failure"];
                // Only their references are checked: they have no values before an apply.
                resolver.body(nested.body(), &except, with_self, &mut Vec::new(), &mut Vec::new());
                continue;
            }
            let schema = LIFECYCLE.iter().fold(Schema::new(), |schema, name| schema.optional(*name));
            let schema = schema.block("precondition", &[]).block("postcondition", &[]);
            let (content, found) = nested.body().content_lenient(&schema);
            resolver.problems.add(found);
            if let Some(triggers) =
                content.attribute("replace_triggered_by").filter(|one| !one.document().is_json())
            {
                depends.extend(resolver.reads(triggers, context, &[]).unwrap_or_default());
            }
            preconditions.extend(conditions(content.blocks_of("precondition").collect(), context, resolver));
            postconditions.extend(conditions(
                content.blocks_of("postcondition").collect(),
                with_self,
                resolver,
            ));
        }
    }
    let mut labels = group.labels.iter().cloned();
    let (kind, name) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    let itself = resolver.symbols.resources.get(&(mode, kind.clone(), name.clone())).copied();
    let is_itself = |read: &Read| itself.is_some_and(|at| read.target == Target::Resource(at));
    if reads.iter().chain(repetition.exprs().flat_map(|expr| &expr.reads)).any(is_itself) {
        let detail = format!("The configuration of `{}{kind}.{name}` reads itself.", mode.prefix());
        resolver.problems.error(&group.place, "Self-referential block", detail);
    }
    Resource {
        mode,
        kind,
        name,
        place: group.place.clone(),
        blocks: group.blocks.iter().map(|(handle, _)| *handle).collect(),
        repetition,
        reads,
        depends,
        preconditions,
        postconditions,
        attributes: Vec::new(),
        nested: group.nested,
    }
}

/// The arguments of `lifecycle`.
const LIFECYCLE: [&str; 6] = [
    "create_before_destroy",
    "prevent_destroy",
    "ignore_changes",
    "replace_triggered_by",
    "destroy",
    "enabled",
];

/// Reads blocks with a condition and a message.
fn conditions(blocks: Vec<Block<'_>>, context: Context, resolver: &mut Resolver<'_>) -> Vec<Condition> {
    let schema = Schema::new().required("condition").required("error_message");
    let mut found = Vec::new();
    for block in blocks {
        let document = block.body().document();
        let (content, problems) = block.body().content_lenient(&schema);
        resolver.problems.add(problems);
        let message = content.attribute("error_message").and_then(|one| resolver.expr(one, context));
        let Some(condition) = content.attribute("condition") else { continue };
        if condition.variables().is_empty() {
            let title = match block.kind() {
                "validation" => "Invalid validation expression",
                "precondition" => "Invalid precondition expression",
                "postcondition" => "Invalid postcondition expression",
                _ => "Invalid assert expression",
            };
            let detail = "The condition reads nothing, so that its result never changes.";
            resolver.problems.error(&Place::of_value(condition), title, detail);
        }
        let Some(condition) = resolver.expr(condition, context) else { continue };
        found.push(Condition { condition, message, place: Place::of_block(document, block) });
    }
    found
}

/// Checks the blocks about addresses: `moved`, `import`, `removed`.
fn addresses(group: &Group<'_>, resolver: &mut Resolver<'_>) {
    let schema = match group.kind {
        "moved" => Schema::new().required("from").required("to"),
        "import" => Schema::new()
            .required("to")
            .optional("id")
            .optional("for_each")
            .optional("provider")
            .optional("identity"),
        _ => Schema::new()
            .required("from")
            .block("lifecycle", &[])
            .block("provisioner", &["type"])
            .block("connection", &[]),
    };
    check_content(group, &schema, resolver.problems);
    let context = Context { each: group.attribute("for_each").is_some(), ..Context::default() };
    for name in ["for_each", "id"] {
        if let Some(attribute) = group.attribute(name) {
            resolver.expr(attribute, if name == "id" { context } else { Context::default() });
        }
    }
    for attribute in ["from", "to"].iter().filter_map(|name| group.attribute(name)) {
        if attribute.document().is_json() {
            continue;
        }
        let text = attribute.expression_span().slice(attribute.document().source().text());
        if !is_address(text) {
            let detail = "An address has a type and a name, `aws_instance.web`, or is that of a module, `module.network`.";
            resolver.problems.error(&Place::of_value(attribute), "Invalid address", detail);
        }
    }
}

/// Returns true for the address of a resource or module.
fn is_address(text: &str) -> bool {
    let mut depth = 0_u32;
    // Without keys, which may be expressions.
    let plain: String = text
        .chars()
        .filter(|c| {
            depth = match c {
                '[' => depth + 1,
                ']' => depth.saturating_sub(1),
                _ => depth,
            };
            depth == 0 && *c != ']'
        })
        .collect();
    let mut names: Vec<&str> = plain.split('.').map(str::trim).collect();
    if !names.iter().all(|name| is_identifier(name)) {
        return false;
    }
    let mut is_module = false;
    while names.len() >= 2 && names[0] == "module" {
        names.drain(..2);
        is_module = true;
    }
    if matches!(names.first(), Some(&("data" | "ephemeral" | "resource"))) {
        names.remove(0);
    }
    names.len() == 2 || (is_module && names.is_empty())
}

/// Returns the names of the sensitive variables of a file.
pub(super) fn sensitive_variables<'d>(document: &'d Document, constants: &mut Constants) -> Vec<&'d str> {
    let blocks = sensitive_blocks(document, constants).into_iter();
    blocks.filter_map(|block| block.labels().next()).collect()
}

fn sensitive_blocks<'d>(document: &'d Document, constants: &mut Constants) -> Vec<Block<'d>> {
    let mut blocks = document.body().content_lenient(&TOP).0.blocks;
    blocks.retain(|block| {
        let mut truth = |one| constants.truth(one, &mut Problems::default());
        block.kind() == "variable"
            && block.attribute("sensitive").is_some_and(|one| truth(one) != Some(false))
    });
    blocks
}

/// Returns the parts of a file that hold sensitive values: the defaults of sensitive variables.
pub(super) fn hidden(document: &Document, constants: &mut Constants) -> Hidden {
    let blocks = sensitive_blocks(document, constants).into_iter();
    let defaults = blocks.filter_map(|block| block.attribute("default"));
    Hidden::new(document.source(), defaults.map(|one| one.expression_span()).collect())
}
