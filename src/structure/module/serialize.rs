//! The values of a module through serde, in the shape of HCL's JSON syntax. The reverse is `decode` of the same types.
//!
//! ```text
//! port = 80                         "port": 80
//! rule "a" { x = 1 }                "rule": {"a": {"x": 1}}        by label, several labels nested
//! log { x = 1 }                     "log": {"x": 1}                a single block
//! log { x = 1 }  log { x = 2 }      "log": [{"x": 1}, {"x": 2}]    several with the same labels
//! ```

use std::collections::HashMap;

use serde::ser::{Error, Serialize, SerializeMap, Serializer};

use super::values::{BlockValues, BodyValues, Values};
use crate::data::show::{TOO_DEEP, Trail, Writing};

/// Serializes the attributes and blocks of the file, without `locals`; see [`BodyValues`]. Check
/// [`Values::diagnostics`] first: with errors, values are partial.
impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.body().serialize(out)
    }
}

/// Serializes a body in the shape of HCL's JSON syntax: each attribute by its name, the blocks of a type by their
/// labels, or as an array if several have the same labels. Values are those of [`Json`](crate::Json), which has no
/// unknown and no marked ones.
///
/// ```
/// let engine = hclvm::Engine::new();
/// let module = engine.parse("game.hcl", r#"
///     locals { base = 10 }
///     speed = local.base
///     weapon "sword" { damage = local.base * 2 }
///     log { level = "info" }
/// "#)?.module()?;
/// let (mut session, scope) = (engine.session(), module.scope());
/// let values = module.evaluate(&mut session, &scope)?;
/// let json = serde_json::to_string(&values).expect("all values are known");
/// assert_eq!(json, r#"{"speed":10,"weapon":{"sword":{"damage":20}},"log":{"level":"info"}}"#);
/// # Ok::<(), hclvm::Error>(())
/// ```
impl Serialize for BodyValues<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        WrittenBody { body: *self, trail: Trail::Root, writing: &Writing::plain() }.serialize(out)
    }
}

/// Serializes the body of the block, without its type and labels.
impl Serialize for BlockValues<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.body().serialize(out)
    }
}

/// A body that is written.
struct WrittenBody<'s, 't> {
    body: BodyValues<'s>,
    trail: Trail<'t>,
    writing: &'t Writing,
}

impl Serialize for WrittenBody<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        for (name, value) in self.body.attributes() {
            let part = self.writing.part(value, Trail::Name(&self.trail, name)).map_err(S::Error::custom)?;
            map.serialize_entry(name, &part)?;
        }
        for (kind, blocks) in grouped(self.body.blocks().map(|block| (block.kind(), block))) {
            let trail = Trail::Name(&self.trail, kind);
            map.serialize_entry(kind, &WrittenBlocks { blocks, depth: 0, trail, writing: self.writing })?;
        }
        map.end()
    }
}

/// The blocks of a type, or those with the same first labels.
struct WrittenBlocks<'s, 't> {
    blocks: Vec<BlockValues<'s>>,
    /// The number of labels that are written.
    depth: usize,
    trail: Trail<'t>,
    writing: &'t Writing,
}

impl Serialize for WrittenBlocks<'_, '_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let written = self.writing.allowance.inside(|| self.write(out));
        written.unwrap_or_else(|| Err(S::Error::custom(self.trail.refusal(TOO_DEEP))))
    }
}

impl WrittenBlocks<'_, '_> {
    fn write<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Self { blocks, depth, trail, writing } = self;
        let refuse = |reason| Err(S::Error::custom(trail.refusal(reason)));
        if blocks.iter().any(|block| block.pending().is_some()) {
            return refuse("`for_each` is not known, so the blocks have no JSON");
        }
        let labels: Vec<_> =
            blocks.iter().filter_map(|block| Some((block.labels().nth(*depth)?, *block))).collect();
        match (labels.len(), &**blocks) {
            (0, [block]) => WrittenBody { body: block.body(), trail: *trail, writing }.serialize(out),
            (0, blocks) => out.collect_seq(blocks.iter().enumerate().map(|(at, block)| WrittenBody {
                body: block.body(),
                trail: Trail::Index(trail, at),
                writing,
            })),
            (count, blocks) if count < blocks.len() => {
                refuse("some of the blocks have fewer labels than others")
            }
            _ => out.collect_map(grouped(labels.into_iter()).into_iter().map(|(label, blocks)| {
                let trail = Trail::Name(trail, label);
                (label, WrittenBlocks { blocks, depth: depth + 1, trail, writing })
            })),
        }
    }
}

/// Returns blocks by name, in the order of the first block of each.
fn grouped<'s>(
    named: impl Iterator<Item = (&'s str, BlockValues<'s>)>,
) -> Vec<(&'s str, Vec<BlockValues<'s>>)> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut groups: Vec<(&'s str, Vec<BlockValues<'s>>)> = Vec::new();
    for (name, block) in named {
        let at = *seen.entry(name).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, group)) => group.push(block),
            None => groups.push((name, vec![block])),
        }
    }
    groups
}
