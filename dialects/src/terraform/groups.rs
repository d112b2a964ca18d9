//! Blocks of equal kind and labels: the one that declares something, and those of override files that change it.

use std::collections::HashMap;

use hclvm::diagnostics::Span;
use hclvm::schema::Schema;
use hclvm::syntax::is_identifier;
use hclvm::{Attribute, Block, Document};
use smol_str::SmolStr;

use super::declarations::{Handle, META_OF_CALLS, Mode, data_of_check};
use super::files::is_override;
use super::reader::FolderReader;
use crate::problems::{Problems, TextRange};

/// Blocks of one kind and name, of which the first one declares it.
pub(super) struct BlockGroups<'d> {
    pub(super) kind: &'static str,
    pub(super) labels: Vec<SmolStr>,
    pub(super) place: TextRange,
    pub(super) blocks: Vec<(Handle, Block<'d>)>,
    /// The `check` that it is in.
    pub(super) check: Option<usize>,
}

impl<'d> BlockGroups<'d> {
    pub(super) fn name(&self) -> &SmolStr {
        self.labels.last().unwrap_or(const { &SmolStr::new_static("") })
    }

    /// Returns an argument: the last one that its blocks have.
    pub(super) fn attribute(&self, name: &str) -> Option<Attribute<'d>> {
        self.blocks.iter().rev().find_map(|(_, block)| block.attribute(name))
    }

    /// Returns the nested blocks of a type: those of the last block that has some.
    pub(super) fn nested(&self, kind: &'static str, labels: &[&str]) -> Vec<Block<'d>> {
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
pub(super) fn blocks_of<'d>(body: hclvm::Body<'d>, schema: &Schema) -> Vec<Block<'d>> {
    body.partial_content(schema).map(|(content, _)| content.blocks).unwrap_or_default()
}

/// The titles of one kind of declaration.
struct DeclarationTitles {
    block: &'static str,
    /// What it is called: "variable".
    duplicate: &'static str,
    missing: &'static str,
    invalid: &'static str,
}

const KINDS: [DeclarationTitles; 4] = [
    DeclarationTitles {
        block: "variable",
        duplicate: "Duplicate variable declaration",
        missing: "Missing base variable declaration to override",
        invalid: "Invalid variable name",
    },
    DeclarationTitles {
        block: "output",
        duplicate: "Duplicate output definition",
        missing: "Missing base output definition to override",
        invalid: "Invalid output name",
    },
    DeclarationTitles {
        block: "module",
        duplicate: "Duplicate module call",
        missing: "Missing module call to override",
        invalid: "Invalid module instance name",
    },
    DeclarationTitles {
        block: "check",
        duplicate: "Duplicate check block configuration",
        missing: "Missing check block to override",
        invalid: "Invalid check block name",
    },
];

impl FolderReader<'_> {
    /// Groups blocks of equal kind and labels; reports names that are declared twice.
    pub(super) fn groups<'d>(
        &mut self,
        documents: &'d [Document],
        blocks: &[Vec<Block<'d>>],
    ) -> Vec<BlockGroups<'d>> {
        let mut groups: Vec<BlockGroups<'d>> = Vec::new();
        let mut index: HashMap<(&str, Vec<SmolStr>), usize> = HashMap::new();
        let mut checks = 0;
        for (at, of_document) in blocks.iter().enumerate() {
            let document = &documents[at];
            let name = document.source().name();
            let overrides = is_override(name.rsplit(['/', '\\']).next().unwrap_or(name));
            for (number, block) in of_document.iter().enumerate() {
                let Some(kind) = kind_of(block.kind()) else { continue };
                let labels: Vec<SmolStr> = block.labels().map(SmolStr::new).collect();
                let place = TextRange::of_block(document, *block);
                let new = |labels| BlockGroups {
                    kind,
                    labels,
                    place: place.clone(),
                    blocks: vec![((at, number), *block)],
                    check: None,
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
                            let place = TextRange::of_block(document, data);
                            index.insert(("data", labels.clone()), groups.len());
                            let blocks = vec![((at, number), data)];
                            groups.push(BlockGroups {
                                kind: "data",
                                labels,
                                place,
                                blocks,
                                check: Some(check),
                            });
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
                    "\"{label}\" is not a valid name: a name begins with a letter and has letters, digits, _ and - only."
                )
            };
            let title =
                KINDS.iter().find(|one| one.block == kind).map_or("Invalid resource name", |one| one.invalid);
            let title = if kind != "variable" && KINDS.iter().all(|one| one.block != kind) && at == 0 {
                "Invalid resource type name"
            } else {
                title
            };
            let span = spans.get(at).copied().unwrap_or(block.header_span());
            self.problems.error(&TextRange::new(document, span), title, detail);
        }
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

pub(super) fn mode_of(kind: &str) -> Mode {
    match kind {
        "data" => Mode::Data,
        "ephemeral" => Mode::Ephemeral,
        _ => Mode::Managed,
    }
}

fn duplicate(kind: &str, labels: &[SmolStr]) -> String {
    if let Some(kind) = KINDS.iter().find(|one| one.block == kind) {
        return kind.duplicate.to_owned();
    }
    format!("Duplicate {kind} \"{}\" configuration", labels.first().map_or("", SmolStr::as_str))
}

fn missing(kind: &str) -> &'static str {
    KINDS.iter().find(|one| one.block == kind).map_or("Missing resource to override", |one| one.missing)
}

/// Reports what a schema does not have in the blocks of a group.
pub(super) fn check_content(group: &BlockGroups<'_>, schema: &Schema, problems: &mut Problems) {
    for (_, block) in &group.blocks {
        problems.add(block.body().content_lenient(schema).1);
    }
}
