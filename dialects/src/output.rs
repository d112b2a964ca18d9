//! What an evaluation made, as tools show it: a tree of objects and lists whose texts are values or names.
//!
//! ```text
//! {"attrs": {…values…}, "blocks": [{"type": name, "labels": [name], "attrs": …}]}
//! ```
//!
//! Secrets may be a part of values and of texts, which a tool replaces there. Names are the structure of a module.

use hclvm::Value;

use crate::evaluated::{Block, Body};

/// A part of what an evaluation made.
#[derive(Clone, Debug)]
pub enum Output<'e> {
    /// A value, which may depend on sensitive ones.
    Value(Value<'e>),
    /// A text that is a value: a description, or a name that depends on a sensitive value.
    Text(&'e str),
    /// A name of the structure.
    Name(&'e str),
    /// A list.
    List(Vec<Output<'e>>),
    /// An object, whose members are in the order in which they are shown.
    Object(Members<'e>),
}

/// Which results are shown, by their names. In a pattern `*` is any text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The patterns of the names that are shown; all of them if there are none.
    pub only: Vec<String>,
    /// The patterns of the names that are not shown.
    pub except: Vec<String>,
}

impl Selection {
    /// Returns true if nothing is left out.
    pub fn is_everything(&self) -> bool {
        self.only.is_empty() && self.except.is_empty()
    }

    /// Returns true if the result with a name is shown.
    ///
    /// ```
    /// use hclvm_dialects::Selection;
    /// let selection = Selection { only: vec!["web.*".to_owned()], except: vec!["*.old".to_owned()] };
    /// assert!(selection.has("web.docker.app") && !selection.has("web.docker.old"));
    /// ```
    pub fn has(&self, name: &str) -> bool {
        let fits = |pattern: &String| matches(pattern, name);
        (self.only.is_empty() || self.only.iter().any(fits)) && !self.except.iter().any(fits)
    }
}

/// The members of an object with their names.
pub type Members<'e> = Vec<(&'e str, Output<'e>)>;

impl<'e> Output<'e> {
    /// Returns a name, which is a value if it depends on sensitive ones.
    pub fn name(name: &'e str, sensitive: bool) -> Self {
        if sensitive { Self::Text(name) } else { Self::Name(name) }
    }
}

impl<'e> From<&'e Block> for Output<'e> {
    fn from(block: &'e Block) -> Self {
        if let Some(for_each) = block.pending() {
            let members = vec![("dynamic", Self::Name(block.kind())), ("for_each", Self::Value(for_each))];
            return Self::Object(members);
        }
        let mut members = vec![("type", Self::Name(block.kind()))];
        let sensitive = block.has_sensitive_labels();
        let labels: Vec<Self> = block.labels().map(|label| Self::name(label, sensitive)).collect();
        if !labels.is_empty() {
            members.push(("labels", Self::List(labels)));
        }
        push_body(&mut members, block.body());
        Self::Object(members)
    }
}

/// Appends the attributes and blocks of a body.
pub(crate) fn push_body<'e>(members: &mut Members<'e>, body: &'e Body) {
    if body.attributes().len() > 0 {
        let attributes = body.attributes().map(|(name, value)| (name, Output::Value(value)));
        members.push(("attrs", Output::Object(attributes.collect())));
    }
    if !body.blocks().is_empty() {
        members.push(("blocks", Output::List(body.blocks().iter().map(Output::from).collect())));
    }
}

/// Returns true if a name is as a pattern says, in which `*` is any text.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
