//! A configuration that is about to be loaded.

use std::cell::OnceCell;
use std::fmt;

use hclvm::{Document, Error, Module, Scope};
use serde::de::DeserializeOwned;

use crate::hash::ContentHash;
use crate::source::Text;

/// A configuration that could be loaded, for the host to accept or refuse.
pub struct Candidate<'c, C = Document> {
    pub(crate) content: &'c C,
    pub(crate) texts: &'c [Text],
    pub(crate) hash: ContentHash,
    pub(crate) epoch: u64,
    /// Only documents have one.
    module: OnceCell<Result<Module, Error>>,
    /// The scope under which it was evaluated.
    scope: OnceCell<Scope>,
}

impl<C> fmt::Debug for Candidate<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Candidate(epoch {}, {} texts, {})", self.epoch, self.texts.len(), self.hash)
    }
}

impl<'c, C> Candidate<'c, C> {
    pub(crate) fn new(content: &'c C, texts: &'c [Text], hash: ContentHash, epoch: u64) -> Self {
        Self { content, texts, hash, epoch, module: OnceCell::new(), scope: OnceCell::new() }
    }

    /// Returns its content.
    pub fn content(&self) -> &C {
        self.content
    }

    /// Returns its texts.
    pub fn texts(&self) -> &[Text] {
        self.texts
    }

    /// Returns the epoch that begins if it is accepted.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Returns the hash of its texts.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }
}

impl Candidate<'_> {
    /// Returns its document.
    pub fn document(&self) -> &Document {
        self.content
    }

    /// Returns the document as a module, which is made once.
    ///
    /// # Errors
    /// See [`Document::module`].
    pub fn module(&self) -> Result<Module, Error> {
        self.module.get_or_init(|| self.content.module()).clone()
    }

    /// Returns a scope with the variables that the function of [`Builder::scope`](crate::Builder::scope) set, or
    /// without values if there is no such function.
    pub fn scope(&self) -> Scope {
        self.scope.get().map_or_else(|| self.content.scope(), Scope::fork)
    }

    /// Deserializes the document in [its scope](Candidate::scope); see [`Document::decode`].
    ///
    /// ```
    /// # use std::fs;
    /// use hclvm::Engine;
    /// use hclvm_reload::{Files, Outcome, Reload};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Game { speed: u32 }
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("game.hcl");
    /// fs::write(&path, "locals { base = 10 }\nspeed = local.base * players\n")?;
    /// let mut reload = Reload::builder(&Engine::new(), Files::new(&path))
    ///     .scope(|scope, _| scope.set("players", &2))
    ///     .open(|candidate| Ok(candidate.decode::<Game>()?))?;
    /// assert_eq!(reload.current().load().host().speed, 20);
    ///
    /// fs::write(&path, "speed = -players\n")?;
    /// assert!(matches!(reload.attempt(), Outcome::Rejected(_)));
    /// let rejected = reload.current().status().rejected.expect("it was rejected");
    /// assert!(rejected.problems.to_string().contains("found the number -2, wanted a whole number"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`Document::decode`].
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, Error> {
        match self.scope.get() {
            Some(scope) => self.content.decode(scope),
            None => self.content.decode(&self.content.scope()),
        }
    }

    /// Keeps the scope under which it was evaluated.
    pub(crate) fn keep_scope(&self, scope: Scope) {
        // It is evaluated once.
        let _ = self.scope.set(scope);
    }
}

/// Sets the variables of a scope under which values are compared.
pub(crate) type SetScope = Box<dyn FnMut(&mut Scope, &Candidate<'_>) -> Result<(), Error> + Send>;
