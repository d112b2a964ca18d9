//! What the other files of a folder declare when only one of its files is checked: names without values.

use std::collections::HashSet;

use hclvm::Document;
use smol_str::SmolStr;

use super::declarations::{DeclaredNames, TOP};

/// The names that other files declare.
#[derive(Clone, Debug, Default)]
pub(super) struct Elsewhere {
    pub(super) declared: DeclaredNames,
    sources: HashSet<(SmolStr, SmolStr)>,
    /// True if they have builds, which may use any source.
    pub(super) has_builds: bool,
}

impl Elsewhere {
    /// Returns what `others` declare and `documents` do not.
    pub(super) fn new(others: &[Document], documents: &[Document]) -> Self {
        if others.is_empty() {
            return Self::default();
        }
        let (own, mut found) = (DeclaredNames::new(documents), DeclaredNames::new(others));
        found.variables.retain(|name| !own.variables.contains(name));
        found.locals.retain(|name| !own.locals.contains(name));
        let mut elsewhere = Self { declared: found, ..Self::default() };
        for document in others {
            let content = document.body().content_lenient(&TOP).0;
            for source in content.blocks_of("source") {
                let mut labels = source.labels().map(SmolStr::new);
                elsewhere.sources.extend(labels.next().zip(labels.next()));
            }
            elsewhere.has_builds |= content.blocks_of("build").next().is_some();
        }
        elsewhere
    }

    /// Returns true if a node of the graph of values, `local.NAME` or `data.TYPE.NAME`, is declared there.
    pub(super) fn has(&self, node: &str) -> bool {
        match node.split_once('.') {
            Some(("local", name)) => self.declared.locals.iter().any(|known| known == name),
            Some(("data", path)) => {
                let kind = path.split('.').next().unwrap_or_default();
                self.declared.data.iter().any(|known| known == kind)
            }
            _ => false,
        }
    }

    pub(super) fn has_source(&self, kind: &str, name: &str) -> bool {
        !self.sources.is_empty() && self.sources.contains(&(kind.into(), name.into()))
    }
}
