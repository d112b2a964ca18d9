//! Reads what the files of a folder declare; [`parts`](super::parts) has what several kinds of blocks share.

use std::collections::{BTreeMap, HashMap};

use hclvm::schema::Schema;
use hclvm::syntax::{TypeConstraint, TypeMode, is_identifier};
use hclvm::{Attribute, Block, Document, Engine};
use smol_str::SmolStr;

use super::declarations::{
    Check, META_OF_CALLS, ModuleCall, ModuleDefinitions, ModuleInput, OutputDeclaration, TOP,
    VariableDeclaration, converted,
};
use super::files::is_override;
use super::groups::{BlockGroups, check_content, mode_of};
use super::parts::{addresses, conditions, context_of, depends, repetition, resource};
use super::references::{PlaceNames, ReferenceTarget, Resolver, Symbols};
use crate::constants::ConstantEvaluator;
use crate::locals::LocalDeclaration;
use crate::problems::{Problems, TextRange};

/// Reads the declarations of a folder.
pub(super) struct FolderReader<'r> {
    pub(super) constants: &'r mut ConstantEvaluator,
    pub(super) problems: &'r mut Problems,
    /// What is wrong with references.
    pub(super) references: &'r mut Problems,
    pub(super) is_partial: bool,
}

impl FolderReader<'_> {
    /// Reads the declarations of compiled documents.
    pub(super) fn read(&mut self, documents: &[Document]) -> ModuleDefinitions {
        let mut blocks = Vec::new();
        for document in documents {
            let (content, found) = document.body().content_lenient(&TOP);
            self.problems.add(found);
            blocks.push(content.blocks);
        }
        let groups = self.groups(documents, &blocks);
        let mut definitions = ModuleDefinitions::default();
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
                    let asserts =
                        conditions(group.nested("assert", &[]), PlaceNames::default(), &mut resolver);
                    definitions.checks.push(Check { name: group.name().clone(), asserts });
                }
                "provider" => {
                    for (_, block) in &group.blocks {
                        let except = ["alias", "version", "for_each"];
                        let each = PlaceNames {
                            each: block.attribute("for_each").is_some(),
                            ..PlaceNames::default()
                        };
                        resolver.body(block.body(), &except, each, &mut Vec::new(), &mut Vec::new());
                    }
                }
                "moved" | "import" | "removed" => addresses(group, &mut resolver),
                _ => {}
            }
        }
        for (name, attribute) in local_attributes {
            let place = TextRange::of_name(attribute);
            let mut reads = resolver.reads(attribute, PlaceNames::default(), &[]);
            let itself = ReferenceTarget::Local(definitions.locals.len());
            if reads.iter().flatten().any(|read| read.target == itself) {
                let (place, detail) =
                    (TextRange::of_value(attribute), format!("`local.{name}` reads itself."));
                resolver.references.error(&place, "Self-referencing local value", detail);
                reads = None;
            }
            let references = &mut resolver.references;
            if let Some(local) = LocalDeclaration::new(&name, place, false, attribute, references) {
                definitions.locals.push(local);
                definitions.local_reads.push(reads);
            }
        }
        let attributes = std::mem::take(&mut resolver.attributes);
        self.references.append(std::mem::take(&mut resolver.references));
        for (resource, names) in definitions.resources.iter_mut().zip(attributes) {
            resource.attributes = names.into_iter().collect();
        }
        self.problems.append(own);
        definitions.symbols = symbols;
        definitions
    }

    /// Numbers what groups declare.
    fn symbols(&mut self, groups: &[BlockGroups<'_>], definitions: &mut ModuleDefinitions) {
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
                    let (name, place) = (SmolStr::new(attribute.name()), TextRange::of_name(attribute));
                    if !is_identifier(&name) {
                        let detail = format!("\"{name}\" is not a valid name: a name begins with a letter.");
                        self.problems.error(&place, "Invalid local value name", detail);
                    }
                    match (symbols.locals.get(&name), overrides) {
                        (Some(known), true) => found[*known].1 = attribute,
                        (Some(known), false) => {
                            let line = TextRange::of_name(found[*known].1).line();
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

    fn variable(&mut self, group: &BlockGroups<'_>, resolver: &mut Resolver<'_>) -> VariableDeclaration {
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
            let place = TextRange::of_value(attribute);
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
        let validations = conditions(group.nested("validation", &[]), PlaceNames::default(), resolver);
        let itself = resolver.symbols.variables.get(&name).copied();
        for validation in &validations {
            let reads = &validation.holds.reads;
            let reads_itself =
                reads.iter().any(|read| Some(&read.target) == itself.map(ReferenceTarget::Variable).as_ref());
            if !reads_itself {
                let detail =
                    format!("The condition does not read `var.{name}`, so that no value changes its result.");
                resolver.problems.error(
                    &validation.holds.place,
                    "Invalid variable validation condition",
                    detail,
                );
            }
        }
        let place = group.place.clone();
        VariableDeclaration {
            name,
            place,
            description,
            sensitive,
            ephemeral,
            nullable,
            ty,
            default,
            validations,
        }
    }

    fn output(&mut self, group: &BlockGroups<'_>, resolver: &mut Resolver<'_>) -> OutputDeclaration {
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
        let value = value.and_then(|one| resolver.expr(one, PlaceNames::default()));
        let problems = &mut *resolver.problems;
        let mut truth = |name: &str| {
            group.attribute(name).is_some_and(|one| self.constants.truth(one, problems).unwrap_or(true))
        };
        let (sensitive, ephemeral) = (truth("sensitive"), truth("ephemeral"));
        depends(group, resolver);
        let conditions = conditions(group.nested("precondition", &[]), PlaceNames::default(), resolver);
        OutputDeclaration {
            name: group.name().clone(),
            place: group.place.clone(),
            value,
            sensitive,
            ephemeral,
            conditions,
        }
    }

    fn call(&mut self, group: &BlockGroups<'_>, resolver: &mut Resolver<'_>) -> ModuleCall {
        let before = resolver.references.errors();
        let repetition = repetition(group, resolver);
        let is_sound = resolver.references.errors() == before;
        let source = group.attribute("source");
        if source.is_none() && !self.is_partial {
            let detail = "A module call has an argument `source`: a folder such as \"./network\", or a registry's name.";
            resolver.problems.error(&group.place, "Missing required argument", detail);
        }
        // OpenTofu reads variables and locals here, whose module is not known then.
        let is_constant = source.is_some_and(|one| one.variables().is_empty());
        let source =
            source.filter(|_| is_constant).and_then(|one| self.constants.text(one, resolver.problems));
        let mut inputs: Vec<ModuleInput> = Vec::new();
        let mut input_index: HashMap<SmolStr, usize> = HashMap::new();
        for (_, block) in group.blocks.iter().rev() {
            for attribute in block.body().attributes().filter(|one| !META_OF_CALLS.contains(&one.name())) {
                let name = SmolStr::new(attribute.name());
                if input_index.contains_key(&name) {
                    continue;
                }
                let expr = resolver.expr(attribute, context_of(group));
                input_index.insert(name.clone(), inputs.len());
                inputs.push(ModuleInput { name, place: TextRange::of_name(attribute), expr });
            }
        }
        let depends = depends(group, resolver);
        ModuleCall {
            name: group.name().clone(),
            place: group.place.clone(),
            source,
            repetition,
            inputs,
            input_index,
            depends,
            is_sound,
        }
    }

    /// Reads the sources of providers.
    fn terraform(&mut self, group: &BlockGroups<'_>, providers: &mut BTreeMap<SmolStr, String>) {
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

/// Returns the type that an attribute writes.
fn type_of(attribute: Attribute<'_>) -> Result<TypeConstraint, Problems> {
    let text = attribute.expression_span().slice(attribute.document().source().text());
    // Collections without a type of elements are those of any.
    if let "list" | "map" = text.trim_matches('"')
        && text.starts_with('"') == attribute.document().is_json()
        && let Ok(found) =
            Engine::new().type_constraint(&format!("{}(any)", text.trim_matches('"')), TypeMode::WithDefaults)
    {
        return Ok(found);
    }
    attribute.type_constraint(TypeMode::WithDefaults).map_err(|error| {
        let mut problems = Problems::default();
        if text.starts_with('"') && !attribute.document().is_json() {
            let detail = "A type has no quotes: `string`, `list(string)`.";
            problems.error(&TextRange::of_value(attribute), "Invalid quoted type constraints", detail);
        } else {
            problems.add(error.to_diagnostics(attribute.document().source().name()));
        }
        problems
    })
}
