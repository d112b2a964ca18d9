//! The library of a set of functions: its engine, the files that are registered by name, and what was compiled.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::{Result, plan_datafusion_err, plan_err};
use hclvm::policy::{Combining, Policy, PolicySpec};
use hclvm::{Document, Engine};
#[cfg(feature = "ballista")]
use serde::{Deserialize, Serialize};

use crate::expression::{Expression, read_by, refused};

/// The most expressions that are kept. A plan has few; a server that plans many queries with different texts
/// compiles those again that it planned long ago.
const MOST_EXPRESSIONS: usize = 1_000;

/// An engine with named files. Two are equal if their files are.
pub(crate) struct Library {
    engine: Engine,
    files: BTreeMap<String, File>,
    expressions: Mutex<HashMap<(Kind, String), Arc<Expression>>>,
}

/// What a text of a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// An expression.
    Text,
    /// The name of a file and the path to an attribute in it.
    Rule,
}

/// A named file.
#[derive(Clone)]
struct File {
    text: FileText,
    document: Document,
    policy: Option<PolicyFile>,
}

/// The rules of a file as a policy.
#[derive(Clone, Debug)]
pub(crate) struct PolicyFile {
    /// Decides as its specification says.
    pub(crate) policy: Policy,
    /// Evaluates all rules.
    pub(crate) all: Policy,
    /// The file, for scopes.
    pub(crate) document: Document,
    /// The columns that the rules read.
    pub(crate) reads: Arc<[String]>,
}

/// A named file as text, which is what is sent to other machines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "ballista", derive(Serialize, Deserialize))]
struct FileText {
    name: String,
    text: String,
    policy: Option<PolicyText>,
}

/// A [`PolicySpec`] that owns its texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "ballista", derive(Serialize, Deserialize))]
struct PolicyText {
    kind: String,
    condition: String,
    effect: String,
    reason: String,
    obligations: String,
    outcome: Vec<String>,
    priority: Option<String>,
    combining: CombiningText,
    effects: Vec<String>,
    default_effect: String,
    undecided_effect: Option<String>,
    other_blocks: Vec<String>,
    lenient: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "ballista", derive(Serialize, Deserialize))]
enum CombiningText {
    First,
    Overrides(String),
    All,
}

impl PolicyText {
    fn new(spec: &PolicySpec<'_>) -> Result<Self> {
        let combining = match spec.combining {
            Combining::First => CombiningText::First,
            Combining::Overrides(effect) => CombiningText::Overrides(effect.to_owned()),
            Combining::All => CombiningText::All,
            other => {
                return plan_err!(
                    "policies that combine rules by {other:?} cannot be sent to other machines"
                );
            }
        };
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Ok(Self {
            kind: spec.kind.to_owned(),
            condition: spec.condition.to_owned(),
            effect: spec.effect.to_owned(),
            reason: spec.reason.to_owned(),
            obligations: spec.obligations.to_owned(),
            outcome: owned(spec.outcome),
            priority: spec.priority.map(str::to_owned),
            combining,
            effects: owned(spec.effects),
            default_effect: spec.default_effect.to_owned(),
            undecided_effect: spec.undecided_effect.map(str::to_owned),
            other_blocks: owned(spec.other_blocks),
            lenient: spec.lenient,
        })
    }

    /// Reads the rules of a document. A decision has no member for an outcome, but without one that can be determined it
    /// does not allow.
    fn policy(&self, document: &Document) -> Result<PolicyFile> {
        let [outcome, effects, other_blocks] = [&self.outcome, &self.effects, &self.other_blocks]
            .map(|names| names.iter().map(String::as_str).collect::<Vec<&str>>());
        let spec = PolicySpec {
            kind: &self.kind,
            condition: &self.condition,
            effect: &self.effect,
            reason: &self.reason,
            obligations: &self.obligations,
            outcome: &outcome,
            priority: self.priority.as_deref(),
            combining: match &self.combining {
                CombiningText::First => Combining::First,
                CombiningText::Overrides(effect) => Combining::Overrides(effect),
                CombiningText::All => Combining::All,
            },
            effects: &effects,
            default_effect: &self.default_effect,
            undecided_effect: self.undecided_effect.as_deref(),
            other_blocks: &other_blocks,
            lenient: self.lenient,
        };
        PolicyFile::new(document, &spec)
    }
}

impl Library {
    /// Creates a library without files.
    pub(crate) fn new(engine: &Engine) -> Self {
        Self { engine: engine.clone(), files: BTreeMap::new(), expressions: Mutex::default() }
    }

    /// Reads the files that [`write`](Self::write) wrote.
    #[cfg(feature = "ballista")]
    pub(crate) fn read(engine: &Engine, bytes: &[u8]) -> Result<Self> {
        let files: Vec<FileText> = serde_json::from_slice(bytes).map_err(|error| unreadable(&error))?;
        let mut library = Self::new(engine);
        for file in files {
            library.insert(file)?;
        }
        Ok(library)
    }

    /// Appends the files as JSON.
    #[cfg(feature = "ballista")]
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) -> Result<()> {
        let files: Vec<&FileText> = self.texts().collect();
        serde_json::to_writer(bytes, &files).map_err(|error| unreadable(&error))
    }

    /// Returns it with another file.
    pub(crate) fn with(&self, name: &str, text: &str, spec: Option<&PolicySpec<'_>>) -> Result<Self> {
        let policy = spec.map(PolicyText::new).transpose()?;
        let mut library =
            Self { engine: self.engine.clone(), files: self.files.clone(), expressions: Mutex::default() };
        library.insert(FileText { name: name.to_owned(), text: text.to_owned(), policy })?;
        Ok(library)
    }

    fn insert(&mut self, text: FileText) -> Result<()> {
        if text.name.is_empty() || text.name.contains('.') {
            return plan_err!(
                "\"{}\" cannot name a file in calls: such a name is a string without a dot",
                text.name
            );
        }
        let document = self.engine.parse(&text.name, &text.text).map_err(refused)?;
        let policy = text.policy.as_ref().map(|policy| policy.policy(&document)).transpose()?;
        self.files.insert(text.name.clone(), File { text, document, policy });
        Ok(())
    }

    /// Returns the engine.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Iterates over the files as texts.
    fn texts(&self) -> impl Iterator<Item = &FileText> {
        self.files.values().map(|file| &file.text)
    }

    /// Returns the expression of a call, compiled when it is first asked for.
    pub(crate) fn expression(&self, kind: Kind, text: &str) -> Result<Arc<Expression>> {
        let key = (kind, text.to_owned());
        let mut known = self.expressions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(expression) = known.get(&key) {
            return Ok(Arc::clone(expression));
        }
        let expression = Arc::new(self.compile(kind, text)?);
        if known.len() >= MOST_EXPRESSIONS {
            known.clear();
        }
        known.insert(key, Arc::clone(&expression));
        Ok(expression)
    }

    fn compile(&self, kind: Kind, text: &str) -> Result<Expression> {
        if kind == Kind::Text {
            return Expression::of_text(&self.engine, text).map_err(refused);
        }
        let (file, path) = text.split_once('.').ok_or_else(|| {
            plan_datafusion_err!(
                "\"{text}\" is no rule: write the name of a file, a dot and the path to an attribute"
            )
        })?;
        Expression::of_attribute(&self.file(file)?.document, path)
    }

    fn file(&self, name: &str) -> Result<&File> {
        let known = || self.files.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        self.files
            .get(name)
            .ok_or_else(|| plan_datafusion_err!("there is no file \"{name}\"; there are: {}", known()))
    }

    /// Returns the policy of a name.
    pub(crate) fn policy(&self, name: &str) -> Result<&PolicyFile> {
        let not_one = || plan_datafusion_err!("the file \"{name}\" was not registered as a policy");
        self.file(name)?.policy.as_ref().ok_or_else(not_one)
    }
}

impl PolicyFile {
    fn new(document: &Document, spec: &PolicySpec<'_>) -> Result<Self> {
        let module = document.module().map_err(refused)?;
        let all = PolicySpec { combining: Combining::All, ..*spec };
        let rules =
            document.body().blocks_of(spec.kind).filter(|rule| rule.attribute(spec.condition).is_some());
        let mut parts = vec![spec.condition, spec.effect, spec.reason, spec.obligations];
        parts.extend(spec.outcome);
        let attributes = rules.flat_map(|rule| parts.iter().filter_map(move |part| rule.attribute(part)));
        let names: Vec<String> = read_by(document, attributes).0.into_iter().collect();
        Ok(Self {
            policy: module.policy(spec).map_err(refused)?,
            all: module.policy(&all).map_err(refused)?,
            document: document.clone(),
            reads: names.into(),
        })
    }
}

/// The error of files that came from another machine.
#[cfg(feature = "ballista")]
fn unreadable(error: &serde_json::Error) -> datafusion::common::DataFusionError {
    plan_datafusion_err!("the files of a function cannot be read: {error}")
}

impl PartialEq for Library {
    fn eq(&self, other: &Self) -> bool {
        self.texts().eq(other.texts())
    }
}

impl Eq for Library {}

impl Hash for Library {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.texts().for_each(|text| text.hash(state));
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("files", &self.files.keys()).finish_non_exhaustive()
    }
}
