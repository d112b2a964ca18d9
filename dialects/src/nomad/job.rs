//! The body of a job: `dynamic` blocks are expanded where the job's schema knows blocks, bodies without a schema
//! become values, maps become texts.

use hclvm::expansion::{BlockView, BodyView, Expansion};
use hclvm::value::{Arena, View, convert};
use hclvm::{Block as WrittenBlock, Document, Error, OwnedValue, Type, Value};
use smol_str::SmolStr;

use super::schema;
use crate::evaluated::{Block, Body};
use crate::names::object;
use crate::problems::{Place, Problems};

/// Reads one job.
struct Reader<'e, 'a> {
    expansion: &'e mut Expansion<'a>,
    document: &'a Document,
    problems: &'e mut Problems,
}

/// Evaluates the body of a job.
pub(super) fn read<'a>(
    expansion: &mut Expansion<'a>,
    job: WrittenBlock<'a>,
    problems: &mut Problems,
) -> Result<Body, Error> {
    let view = expansion.written(job.body());
    Reader { expansion, document: job.body().document(), problems }.body(view)
}

impl<'a> Reader<'_, 'a> {
    /// Evaluates a body whose blocks have schemas.
    fn body(&mut self, view: BodyView<'a>) -> Result<Body, Error> {
        let (views, blocks) =
            if self.document.is_json() { self.json_items(view)? } else { self.items(view)? };
        let (mut attributes, mut made) = (Vec::new(), Vec::new());
        for (name, value) in views {
            if schema::is_map_attribute(&name) && value.get().unmark().0.as_entries().is_some() {
                if let Some(second) = blocks.iter().find(|block| block.kind == name) {
                    let title = format!("Duplicate {name} block");
                    let detail = format!("`{name}` is set as an attribute already.");
                    self.problems.error(&Place::new(self.document, second.header_span), title, detail);
                }
                let entries = value.get().unmark().0.as_entries().unwrap_or_default();
                let texts = entries.iter().map(|entry| (entry.name.into(), text_or_self(entry.value)));
                made.push(Block::new(name, Vec::new(), Body::of(texts.collect(), Vec::new())));
            } else {
                attributes.push((name, value));
            }
        }
        for block in blocks {
            made.push(self.block(&block)?);
        }
        Ok(Body::of(attributes, made))
    }

    fn block(&mut self, block: &BlockView<'a>) -> Result<Block, Error> {
        let body = if schema::has_any_content(block.kind) {
            self.any_content(block.body)?
        } else if schema::is_map(block.kind) {
            self.map(block.body)?
        } else {
            self.body(block.body)?
        };
        let labels = block.labels.iter().map(SmolStr::new).collect();
        Ok(Block::new(block.kind.into(), labels, body))
    }

    /// Returns the attributes and blocks of a body, with its dynamic blocks expanded.
    #[expect(clippy::type_complexity, reason = "the two kinds of items of a body")]
    fn items(
        &mut self,
        view: BodyView<'a>,
    ) -> Result<(Vec<(SmolStr, OwnedValue)>, Vec<BlockView<'a>>), Error> {
        let mut attributes = Vec::new();
        for attribute in view.attributes() {
            attributes.push((attribute.name().into(), OwnedValue::new(self.expansion.value(attribute)?)));
        }
        let content = self.expansion.everything(view)?;
        self.problems.add(self.expansion.take_diagnostics());
        Ok((attributes, content.blocks))
    }

    /// Returns the attributes and blocks of a body in JSON, where the types of blocks have to be known.
    #[expect(clippy::type_complexity, reason = "the two kinds of items of a body")]
    fn json_items(
        &mut self,
        view: BodyView<'a>,
    ) -> Result<(Vec<(SmolStr, OwnedValue)>, Vec<BlockView<'a>>), Error> {
        let content = self.expansion.content(view, &schema::BLOCKS)?;
        // Properties that are no blocks are attributes.
        let _ = self.expansion.take_diagnostics();
        let mut attributes = Vec::new();
        for attribute in view.attributes().filter(|one| schema::BLOCKS.block_type(one.name()).is_none()) {
            attributes.push((attribute.name().into(), OwnedValue::new(self.expansion.value(attribute)?)));
        }
        self.problems.add(self.expansion.take_diagnostics());
        Ok((attributes, content.blocks))
    }

    /// Evaluates a body without a schema: its blocks become attributes, and nothing is expanded.
    fn any_content(&mut self, view: BodyView<'a>) -> Result<Body, Error> {
        let mut attributes: Vec<(SmolStr, OwnedValue)> = Vec::new();
        for attribute in view.attributes() {
            let value = OwnedValue::new(self.expansion.value(attribute)?);
            let value = if attribute.attribute.is_object() { list(&[value]) } else { value };
            attributes.push((attribute.name().into(), value));
        }
        self.problems.add(self.expansion.take_diagnostics());
        let mut lists: Vec<(&'a str, Vec<OwnedValue>)> = Vec::new();
        for block in view.blocks() {
            let content = self.any_content(block.body)?;
            let mut value = object(content.attributes());
            for label in block.labels.iter().rev() {
                let inner = list(&[value]);
                value = object([(*label, inner.get())]);
            }
            match lists.iter_mut().find(|(kind, _)| *kind == block.kind) {
                Some((_, values)) => values.push(value),
                None => lists.push((block.kind, vec![value])),
            }
        }
        attributes.extend(lists.into_iter().map(|(kind, values)| (kind.into(), list(&values))));
        Ok(Body::of(attributes, Vec::new()))
    }

    /// Evaluates a body whose values are texts.
    fn map(&mut self, view: BodyView<'a>) -> Result<Body, Error> {
        let mut attributes = Vec::new();
        for attribute in view.attributes() {
            let value = self.expansion.value(attribute)?;
            self.problems.add(self.expansion.take_diagnostics());
            let place = Place::of_value(attribute.attribute);
            attributes.push((attribute.name().into(), self.text(value, &place)));
        }
        Ok(Body::of(attributes, Vec::new()))
    }

    /// Converts a value to a text, or reports that it has none.
    fn text(&mut self, value: Value<'_>, place: &Place) -> OwnedValue {
        let arena = Arena::new();
        match convert(&arena, value, Type::String) {
            Ok(text) => OwnedValue::new(text),
            Err(why) => {
                self.problems.error(place, "Unsuitable value type", format!("A text is needed here: {why}."));
                OwnedValue::new(value)
            }
        }
    }
}

/// Converts a value to a text if it has one.
fn text_or_self(value: Value<'_>) -> OwnedValue {
    let arena = Arena::new();
    match convert(&arena, value, Type::String) {
        Ok(text) if !matches!(text.view(), View::Null(_)) => OwnedValue::new(text),
        _ => OwnedValue::new(value),
    }
}

fn list(values: &[OwnedValue]) -> OwnedValue {
    let arena = Arena::new();
    let items: Vec<Value<'_>> = values.iter().map(OwnedValue::get).collect();
    OwnedValue::new(Value::tuple(&arena, arena.slice(&items)))
}
