//! The body of a job: its arguments and blocks are those of the specification, `dynamic` blocks are expanded where it
//! knows blocks, values are converted, bodies of any names become values or texts.

use std::collections::HashMap;

use hclvm::expansion::{AttributeView, BlockView, BodyView, ContentView, Expansion};
use hclvm::{Block as WrittenBlock, Diagnostics, Document, Error, OwnedValue};
use smol_str::SmolStr;

use super::schema::{BlockCount, BlockRule, BodyType, JOB, JobBlockSchema};
use super::{Settings, blocks, content};
use crate::convert::{Argument, ArgumentType, Refusal, converted};
use crate::evaluated::{Block, Body};
use crate::paths::Siblings;
use crate::problems::{Problems, TextRange};
use crate::watch::Watch;

/// The elements of a map of strings.
const TEXT: Argument = Argument { holds: ArgumentType::Text, may_be_null: false };
const TEXT_LIST: Argument = Argument { holds: ArgumentType::Texts, may_be_null: true };
const MAP: Argument = Argument { holds: ArgumentType::Map, may_be_null: true };

/// Reads one job.
struct JobReader<'e, 'a> {
    expansion: &'e mut Expansion<'a>,
    document: &'a Document,
    settings: &'e Settings,
    watch: &'e Watch<'e>,
    problems: &'e mut Problems,
    /// Problems of bodies of values, which are reported if there are no others.
    later: Problems,
}

/// Evaluates the body of a job.
pub(super) fn read<'a>(
    expansion: &mut Expansion<'a>,
    job: WrittenBlock<'a>,
    settings: &Settings,
    watch: &Watch<'_>,
    problems: &mut Problems,
) -> Result<Body, Error> {
    let view = expansion.written(job.body());
    let document = job.body().document();
    let (mut found, later) = (Problems::default(), Problems::default());
    let mut reader = JobReader { expansion, document, settings, watch, problems: &mut found, later };
    let body = reader.body(&JOB, view)?;
    let later = reader.later;
    if !(problems.has_errors() || found.has_errors()) {
        found.append(later);
    }
    found.remove_repeated();
    problems.append(found);
    Ok(body)
}

impl<'a> JobReader<'_, 'a> {
    /// Evaluates a body of the specification.
    fn body(&mut self, rules: &'static BodyType, view: BodyView<'a>) -> Result<Body, Error> {
        let content = self.expansion.content(view, rules.schema(self.document.is_json()))?;
        let found = self.expansion.take_diagnostics();
        let maps = if rules.name == "group" {
            let Some(maps) = self.group(rules, &content, found)? else { return Ok(Body::default()) };
            maps
        } else {
            self.problems.add(found);
            self.map_arguments(rules, &content)?
        };
        let mut attributes: Vec<(SmolStr, OwnedValue)> = Vec::new();
        for attribute in &content.attributes {
            let Some(argument) = rules.argument(attribute.name()) else { continue };
            let value = self.argument(*attribute, argument, rules.exact)?;
            attributes.push((attribute.name().into(), value));
        }
        blocks::complete_constraint(rules.name, &mut attributes);
        let mut body = Body::of(attributes, maps);
        let blocks = self.blocks(rules, &content)?;
        body.append(Body::of(Vec::new(), blocks));
        blocks::check_group_scaling(rules, &content, &body, self.problems);
        Ok(body)
    }

    /// Reads what Nomad reads of a group before the rest: labels of `vault` and `secret`, and `meta` as an argument. A
    /// mistake in these is the only one of the group that it reports; the result is `None` then.
    fn group(
        &mut self,
        rules: &'static BodyType,
        content: &ContentView<'a>,
        found: Diagnostics,
    ) -> Result<Option<Vec<Block>>, Error> {
        let is_label = |title: &str| {
            title.ends_with(" for vault")
                || title.ends_with(" label for secret")
                || title == "Missing name for secret"
        };
        let labels: Vec<_> = found.iter().filter(|one| is_label(&one.title)).cloned().collect();
        if !labels.is_empty() {
            self.problems.add(Diagnostics::new(found.source().clone(), labels));
            return Ok(None);
        }
        let errors = self.problems.errors();
        let maps = self.map_arguments(rules, content)?;
        if self.problems.errors() > errors {
            return Ok(None);
        }
        self.problems.add(found);
        Ok(Some(maps))
    }

    /// Returns the blocks that arguments with maps are short for.
    fn map_arguments(
        &mut self,
        rules: &'static BodyType,
        content: &ContentView<'a>,
    ) -> Result<Vec<Block>, Error> {
        let mut maps = Vec::new();
        for attribute in content.attributes.iter().filter(|one| rules.argument(one.name()).is_none()) {
            let name = attribute.name();
            if let Some(second) = content.blocks.iter().find(|block| block.kind == name) {
                self.duplicate(name, second);
            }
            let value = self.argument(*attribute, MAP, false)?;
            let Some(entries) = value.get().unmark().0.as_entries() else { continue };
            let texts = entries.iter().map(|entry| (entry.name.into(), OwnedValue::new(entry.value)));
            let body = Body::of(texts.collect(), Vec::new());
            maps.push(Block::new(name.into(), Vec::new(), body));
        }
        Ok(maps)
    }

    /// Evaluates an argument and converts it.
    fn argument(
        &mut self,
        attribute: AttributeView<'a>,
        argument: Argument,
        exact: bool,
    ) -> Result<OwnedValue, Error> {
        let value = self.expansion.value(attribute)?;
        self.watch.attribute(self.expansion, attribute)?;
        let found = self.expansion.take_diagnostics();
        let has_failed = found.has_errors();
        self.problems.add(found);
        let name = attribute.name();
        match converted(value, argument) {
            Ok(value) => {
                if has_failed && !exact && self.settings.follow_ups {
                    // A value that is not known is none that Nomad can convert.
                    let place = TextRange::of_first_part(attribute.attribute);
                    let detail = format!("`{name}` has no value, because its expression has an error.");
                    self.problems.error(&place, "Unsuitable value type", detail);
                }
                Ok(value)
            }
            Err(Refusal { title, why }) => {
                let (title, place) = if exact {
                    ("Incorrect attribute value type", TextRange::of_value(attribute.attribute))
                } else {
                    (title, TextRange::of_first_part(attribute.attribute))
                };
                self.problems.error(&place, title, format!("`{name}` {why}"));
                Ok(OwnedValue::new(value))
            }
        }
    }

    /// Evaluates the blocks of a body.
    fn blocks(&mut self, rules: &'static BodyType, content: &ContentView<'a>) -> Result<Vec<Block>, Error> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for block in &content.blocks {
            *counts.entry(block.kind).or_default() += 1;
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut scalings = blocks::TaskScalings::default();
        let mut siblings = Siblings::default();
        let mut found = Vec::new();
        for block in &content.blocks {
            let Some(rule) = rules.block(block.kind) else { continue };
            let before = *seen.entry(block.kind).and_modify(|count| *count += 1).or_default();
            let is_read = match rule.count {
                BlockCount::Many => true,
                BlockCount::FirstIsRead => before == 0,
                BlockCount::One => counts.get(block.kind) == Some(&1),
            };
            if !is_read {
                if before == 1 || (before > 1 && rule.count == BlockCount::FirstIsRead) {
                    self.duplicate(block.kind, block);
                }
                continue;
            }
            let is_scaling = rules.name == "task" && block.kind == "scaling";
            if is_scaling && !scalings.accept(self.document, block, self.problems) {
                continue;
            }
            let (watch, names) =
                (self.watch, std::iter::once(block.kind).chain(block.labels.iter().copied()));
            let read = watch.among(&mut siblings, names, || self.block(rule, block))?;
            if is_scaling {
                blocks::check_task_scaling(self.document, block, &read, self.problems);
            }
            found.push(read);
        }
        Ok(found)
    }

    /// Reports a block that may be there once.
    fn duplicate(&mut self, name: &str, second: &BlockView<'a>) {
        let detail = format!("Only one `{name}` block is allowed here. Write all of it in one place.");
        let place = TextRange::new(self.document, second.header_span);
        self.problems.error(&place, format!("Duplicate {name} block"), detail);
    }

    fn block(&mut self, rule: BlockRule, block: &BlockView<'a>) -> Result<Block, Error> {
        let body = match rule.content {
            _ if rule.is_unchecked => self.unchecked(block.body)?,
            JobBlockSchema::Rules(rules) => self.body(rules, block.body)?,
            JobBlockSchema::Values => {
                content::read(self.expansion, block.body, self.settings, self.watch, &mut self.later)?
            }
            JobBlockSchema::Texts => self.map(block.body, TEXT)?,
            JobBlockSchema::TextLists => self.map(block.body, TEXT_LIST)?,
        };
        let labels = block.labels.iter().map(SmolStr::new).collect();
        Ok(Block::new(block.kind.into(), labels, body))
    }

    /// Evaluates a body of which Nomad reports nothing.
    fn unchecked(&mut self, view: BodyView<'a>) -> Result<Body, Error> {
        content::read(self.expansion, view, self.settings, self.watch, &mut Problems::default())
    }

    /// Evaluates a body of any names whose values are of one type.
    fn map(&mut self, view: BodyView<'a>, argument: Argument) -> Result<Body, Error> {
        let mut attributes = Vec::new();
        for attribute in view.attributes() {
            attributes.push((attribute.name().into(), self.argument(attribute, argument, false)?));
        }
        let mut kinds = std::collections::HashSet::new();
        for block in view.blocks() {
            if kinds.insert(block.kind) {
                let detail =
                    format!("`{}` is a block, where only arguments with texts are allowed.", block.kind);
                let place = TextRange::new(self.document, block.body.body().span().empty_at_start());
                self.problems.error(&place, "Unsuitable value type", detail);
            }
        }
        Ok(Body::of(attributes, Vec::new()))
    }
}
