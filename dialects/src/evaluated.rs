//! Evaluated bodies, with values that own their memory.

use hclvm::expansion::{BodyView, Expansion};
use hclvm::{Error, OwnedValue, Value};
use smol_str::SmolStr;

/// An evaluated body: dynamic blocks are expanded.
#[derive(Clone, Debug, Default)]
pub struct Body {
    attributes: Vec<(SmolStr, OwnedValue)>,
    blocks: Vec<Block>,
}

/// An evaluated block.
#[derive(Clone, Debug)]
pub struct Block {
    kind: SmolStr,
    labels: Vec<SmolStr>,
    body: Body,
    pending: Option<OwnedValue>,
}

impl Body {
    /// Evaluates a body and its blocks, but no attributes of the body with the names in `except`. Problems are
    /// kept by the expansion.
    pub(crate) fn read<'a>(
        expansion: &mut Expansion<'a>,
        view: BodyView<'a>,
        except: &[&str],
    ) -> Result<Self, Error> {
        let content = expansion.everything(view)?;
        let mut body = Self::default();
        for attribute in content.attributes {
            if except.contains(&attribute.name()) {
                continue;
            }
            let value = OwnedValue::new(expansion.value(attribute)?);
            body.attributes.push((attribute.name().into(), value));
        }
        for block in content.blocks {
            body.blocks.push(Block {
                kind: block.kind.into(),
                labels: block.labels.iter().map(SmolStr::new).collect(),
                body: Self::read(expansion, block.body, &[])?,
                pending: block.pending.map(OwnedValue::new),
            });
        }
        Ok(body)
    }

    pub(crate) fn of(attributes: Vec<(SmolStr, OwnedValue)>, blocks: Vec<Block>) -> Self {
        Self { attributes, blocks }
    }

    pub(crate) fn into_parts(self) -> (Vec<(SmolStr, OwnedValue)>, Vec<Block>) {
        (self.attributes, self.blocks)
    }

    /// Iterates over its attributes in the order of the text.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = (&str, Value<'_>)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value.get()))
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<Value<'_>> {
        self.attributes().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns its blocks in the order of the text; those of a dynamic block take its place.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Iterates over its blocks of one type.
    pub fn blocks_of<'b>(&'b self, kind: &'b str) -> impl Iterator<Item = &'b Block> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }
}

impl Block {
    pub(crate) fn new(kind: SmolStr, labels: Vec<SmolStr>, body: Body) -> Self {
        Self { kind, labels, body, pending: None }
    }

    /// Returns its type.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Iterates over its labels.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter().map(SmolStr::as_str)
    }

    /// Returns its content.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Returns the unknown collection of a dynamic block, if this block represents all blocks that will be made
    /// from it.
    pub fn pending(&self) -> Option<Value<'_>> {
        self.pending.as_ref().map(OwnedValue::get)
    }
}
