//! The body of a job: `dynamic` blocks are expanded where the job's schema knows blocks, bodies without a schema
//! become values, maps become texts.

use hclvm::expansion::{BlockView, BodyView, ContentView, Expansion};
use hclvm::value::{Arena, View, convert};
use hclvm::{Block as WrittenBlock, Document, Error, OwnedValue, Type, Value};
use smol_str::SmolStr;

use super::{blocks, content, schema};
use crate::evaluated::{Block, Body};
use crate::paths::Siblings;
use crate::problems::{Place, Problems};
use crate::watch::Watch;

/// Reads one job.
struct Reader<'e, 'a> {
    expansion: &'e mut Expansion<'a>,
    document: &'a Document,
    /// True if variables may be unknown, so that nothing is wrong with a value that is.
    accepts_unknown: bool,
    watch: &'e Watch<'e>,
    problems: &'e mut Problems,
    /// Problems of bodies without a schema, which are told if there are no others.
    later: Problems,
}

/// Evaluates the body of a job.
pub(super) fn read<'a>(
    expansion: &mut Expansion<'a>,
    job: WrittenBlock<'a>,
    accepts_unknown: bool,
    watch: &Watch<'_>,
    problems: &mut Problems,
) -> Result<Body, Error> {
    let view = expansion.written(job.body());
    let document = job.body().document();
    let later = Problems::default();
    let mut reader = Reader { expansion, document, accepts_unknown, watch, problems, later };
    let body = reader.body("job", view)?;
    let later = reader.later;
    if !problems.has_errors() {
        problems.append(later);
    }
    Ok(body)
}

impl<'a> Reader<'_, 'a> {
    /// Evaluates the body of a block of a type that has a schema.
    fn body(&mut self, kind: &str, view: BodyView<'a>) -> Result<Body, Error> {
        let content = self.content(view)?;
        let mut attributes: Vec<(SmolStr, OwnedValue)> = Vec::new();
        let mut maps = Vec::new();
        for attribute in content.attributes {
            let name = attribute.name();
            let value = self.expansion.value(attribute)?;
            self.watch.attribute(self.expansion, attribute)?;
            let found = self.expansion.take_diagnostics();
            let is_sound = !found.has_errors();
            self.problems.add(found);
            let place = Place::of_value(attribute.attribute);
            if schema::is_map_attribute(kind, name) {
                if let Some(second) = content.blocks.iter().find(|block| block.kind == name) {
                    self.duplicate(name, second);
                }
                maps.extend(self.map_attribute(name, value, &place));
            } else {
                if is_sound && blocks::is_duration_of(kind, name) {
                    blocks::check_duration(name, value, &place, self.problems);
                }
                attributes.push((name.into(), OwnedValue::new(value)));
            }
        }
        blocks::complete_constraint(kind, &mut attributes);
        let mut siblings = Siblings::default();
        for (at, block) in content.blocks.iter().enumerate() {
            let is_repeated = content.blocks[..at].iter().any(|one| one.kind == block.kind);
            if is_repeated && schema::is_map_attribute(kind, block.kind) {
                self.duplicate(block.kind, block);
            }
            let (watch, names) =
                (self.watch, std::iter::once(block.kind).chain(block.labels.iter().copied()));
            maps.push(watch.among(&mut siblings, names, || self.block(block))?);
        }
        Ok(Body::of(attributes, maps))
    }

    /// Reports a map of texts that is written twice.
    fn duplicate(&mut self, name: &str, second: &BlockView<'a>) {
        let detail = format!("`{name}` is set above already. Write all of its values in one place.");
        let place = Place::new(self.document, second.header_span);
        self.problems.error(&place, format!("Duplicate {name} block"), detail);
    }

    /// Returns the block that an attribute with a map of texts is short for.
    fn map_attribute(&mut self, name: &str, value: Value<'a>, place: &Place) -> Option<Block> {
        let inner = value.unmark().0;
        if inner.is_null() || matches!(inner.view(), View::Unknown(_)) {
            return None;
        }
        let Some(entries) = inner.as_entries() else {
            let shown = hclvm::show::line(value);
            let detail = format!("`{name}` is a map of texts, not {shown}.");
            self.problems.error(place, "Unsuitable value type", detail);
            return None;
        };
        let texts = entries.iter().map(|entry| (entry.name.into(), self.text(entry.value, place))).collect();
        Some(Block::new(name.into(), Vec::new(), Body::of(texts, Vec::new())))
    }

    fn block(&mut self, block: &BlockView<'a>) -> Result<Block, Error> {
        let body = if schema::has_any_content(block.kind) {
            content::read(self.expansion, block.body, self.accepts_unknown, self.watch, &mut self.later)?
        } else if schema::is_map(block.kind) {
            self.map(block.body)?
        } else {
            self.body(block.kind, block.body)?
        };
        let labels = block.labels.iter().map(SmolStr::new).collect();
        Ok(Block::new(block.kind.into(), labels, body))
    }

    /// Returns the attributes and blocks of a body, with its dynamic blocks expanded.
    fn content(&mut self, view: BodyView<'a>) -> Result<ContentView<'a>, Error> {
        if !self.document.is_json() {
            let content = self.expansion.everything(view)?;
            self.problems.add(self.expansion.take_diagnostics());
            return Ok(content);
        }
        // In JSON the types of blocks have to be known; other properties are attributes.
        let mut content = self.expansion.content(view, &schema::BLOCKS)?;
        let _ = self.expansion.take_diagnostics();
        let is_attribute = |name: &str| name != "dynamic" && schema::BLOCKS.block_type(name).is_none();
        content.attributes = view.attributes().filter(|one| is_attribute(one.name())).collect();
        Ok(content)
    }

    /// Evaluates a body whose values are texts.
    fn map(&mut self, view: BodyView<'a>) -> Result<Body, Error> {
        let mut attributes = Vec::new();
        for attribute in view.attributes() {
            let value = self.expansion.value(attribute)?;
            self.watch.attribute(self.expansion, attribute)?;
            self.problems.add(self.expansion.take_diagnostics());
            let place = Place::of_value(attribute.attribute);
            attributes.push((attribute.name().into(), self.text(value, &place)));
        }
        for block in view.blocks() {
            let detail = "A map of texts has no blocks in it.";
            let place = Place::new(self.document, block.header_span);
            self.problems.error(&place, "Unsuitable value type", detail);
        }
        Ok(Body::of(attributes, Vec::new()))
    }

    /// Converts a value to a text, or reports that it has none.
    fn text(&mut self, value: Value<'_>, place: &Place) -> OwnedValue {
        let arena = Arena::new();
        match convert(&arena, value, Type::String) {
            Ok(text) if !text.unmark().0.is_null() => return OwnedValue::new(text),
            Ok(_) => {
                self.problems.error(place, "Unsuitable value type", "A text is needed here, not null.");
            }
            Err(why) => {
                self.problems.error(place, "Unsuitable value type", format!("A text is needed here: {why}."));
            }
        }
        OwnedValue::new(value)
    }
}
