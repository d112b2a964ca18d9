//! Where texts come from: files and folders, read so that a half-written file is noticed. What they become is
//! `loader`'s.

mod files;

use std::fmt;
use std::path::PathBuf;

use hclvm::{Diagnostics, Document, Engine};

pub use files::{Files, Selection};

/// A text with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The name, as diagnostics show it: usually the path of a file.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// What is watched for changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watched {
    /// A file.
    File(PathBuf),
    /// The files of a folder, without those of its folders.
    Folder(PathBuf),
}

/// Why texts cannot be read now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// A file changed while it was read.
    Changing(String),
    /// A file or folder is missing or cannot be read; the sentence says which and why.
    Failed(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changing(name) => write!(f, "{name} changed while it was read."),
            Self::Failed(sentence) => f.write_str(sentence),
        }
    }
}

/// Where the texts of a configuration come from. [`Files`] is a file or a folder, and [`Selection`] the files of a
/// folder that are read by other rules.
pub trait Texts: Send {
    /// Returns the files and folders that are watched. It is called after each reading, because a reading may
    /// find further ones.
    fn watched(&self) -> Vec<Watched>;

    /// Reads all texts.
    ///
    /// # Errors
    /// A text that is missing, or changes while it is read. What is in use stays in use.
    fn read(&mut self) -> Result<Vec<Text>, Unreadable>;
}

/// Texts that are one document. For those that become something else, there is [`Loader`](crate::Loader).
pub trait Source: Texts {
    /// Parses texts. `last` is the document in use: [`Document::reparse`] parses only what differs from it.
    ///
    /// # Errors
    /// The problems of each text.
    fn parse(
        &mut self,
        engine: &Engine,
        texts: &[Text],
        last: Option<&Document>,
    ) -> Result<Document, Vec<Diagnostics>>;
}
