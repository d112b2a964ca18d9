//! An application that reads files in its own way, as a trait, and what it reads: modules.
//!
//! ```text
//! Application ─prepare(files, settings)─▶ ApplicationModule ─evaluate(given)─▶ Evaluation
//!  one for all                             one for a folder or file            one for each set of values
//! ```
//!
//! [`registry`](crate::registry) lists the applications. Tools work on all of them by this trait alone.

#[cfg(test)]
mod tests;

use std::fmt;

use hclvm::diagnostics::Span;
use hclvm::functions::Capabilities;
use hclvm::schema::Schema;
use hclvm::{Diagnostics, Dialect, Document, Undefined};

use crate::evaluation::Evaluation;
use crate::files::{File, Files};
use crate::given::{Given, HostRoot, USUAL_ROOTS};
use crate::output::matches;
use crate::problems::Problems;
use crate::watch::{Explanation, Observed};

/// An application that reads files in its own way.
pub trait Application: Sync {
    /// Returns its name, which is that of its dialect: `packer`.
    fn name(&self) -> &'static str;

    /// Returns the name of one of its modules in sentences, which begins with a consonant: `Packer template`.
    fn noun(&self) -> &'static str;

    /// Returns a description of its dialect for lists of dialects, without a final stop.
    fn about(&self) -> &'static str;

    /// Returns the usual names of its files, for lists of dialects.
    fn patterns(&self) -> &'static [&'static str];

    /// Returns the language of the expressions in its files. Functions use what the host has `granted`.
    fn dialect(&self, granted: &Capabilities) -> Dialect;

    /// Returns what undefined names mean in its dialect, for help texts, which need no functions.
    fn undefined(&self) -> Undefined {
        Undefined::Error
    }

    /// Returns the files of a folder that belong to a module, in the order in which they are read. None if a folder
    /// is no module.
    fn folder_files(&self) -> &'static [FolderFile] {
        &[]
    }

    /// Returns what a file of a folder is for a module.
    fn role(&self, name: &str) -> Option<FileRole> {
        self.folder_files().iter().find(|file| matches(file.pattern, name)).map(|file| file.role)
    }

    /// Decides by the name of a single file whether the application reads it.
    fn claim(&self, name: &str) -> Claim {
        if self.role(name) == Some(FileRole::Module) { Claim::Yes } else { Claim::No }
    }

    /// Returns true if a file may be one of a module, by its content. `claimed` is true for a name with
    /// [`Claim::IfRecognized`]; other names were chosen freely, so that a file must not be mistaken for one of a module.
    fn recognizes(&self, document: &Document, claimed: bool) -> bool;

    /// Returns a word that is in every file which [`is_unmistakable`](Self::is_unmistakable) for the application; `None` if
    /// it finds no file by its content.
    fn telling_word(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if a file whose name any file might have, such as `web.hcl`, can only be one of a module, by its
    /// content.
    fn is_unmistakable(&self, document: &Document) -> bool {
        let _ = document;
        false
    }

    /// Returns true if a file with this name belongs to the application, even if its name begins with a dot.
    fn belongs(&self, name: &str) -> bool {
        self.role(name).is_some()
    }

    /// Returns the suffixes of its files in the native syntax, without `hcl`.
    fn native_suffixes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns true if values for variables that are not declared are errors unless [`ReadSettings::strict`] is set.
    fn is_strict(&self) -> bool;

    /// Returns the names, beside `var`, whose values a host may give. An application may read none of them.
    fn host_roots(&self) -> &'static [HostRoot] {
        &USUAL_ROOTS
    }

    /// Returns the names that expressions may begin with, for editors.
    fn roots(&self) -> &'static [&'static str] {
        &["var", "local"]
    }

    /// Returns the blocks whose content defines names that expressions read, for editors.
    fn definitions(&self) -> &'static [NameDefinition] {
        &USUAL_DEFINITIONS
    }

    /// Returns the blocks and attributes that its files may have, for editors. Names that are not in it may be right.
    fn schema(&self) -> Schema {
        Schema::new()
    }

    /// Returns the parts of a file that hold sensitive values.
    fn secret_parts(&self, document: &Document) -> Vec<Span> {
        let _ = document;
        Vec::new()
    }

    /// Returns the names of the sensitive variables that a file declares.
    fn sensitive_variables<'d>(&self, document: &'d Document) -> Vec<&'d str> {
        let _ = document;
        Vec::new()
    }

    /// Reads the files of a module. Problems other than those of the syntax are kept for its evaluation.
    ///
    /// # Errors
    /// The syntax errors of all files.
    fn prepare(&self, files: &Files, settings: &ReadSettings)
    -> Result<Box<dyn ApplicationModule>, Problems>;
}

impl dyn Application + '_ {
    /// Returns true if a text may be one that [`is_unmistakable`](Application::is_unmistakable), which says if it is worth
    /// parsing.
    pub fn may_find(&self, text: &[u8]) -> bool {
        let contains = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
        self.telling_word().is_some_and(contains)
    }

    /// Returns true if folders are modules.
    pub fn reads_folders(&self) -> bool {
        !self.folder_files().is_empty()
    }

    /// Returns true if a folder with files of these names is a module.
    pub fn claims_folder<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> bool {
        names.into_iter().any(|name| self.role(name) == Some(FileRole::Module))
    }
}

impl fmt::Debug for dyn Application + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Blocks that define names: the labels `region` of `variable "region" {}` and the attributes of `locals {}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameDefinition {
    /// The type of the blocks, which are at the top level of a file.
    pub block: &'static str,
    /// The name that references begin with: `var` of `var.region`.
    pub root: &'static str,
    /// The parts of a block that are names.
    pub by: DefinedBy,
}

/// The parts of a block that define names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinedBy {
    /// Each attribute of the block defines a name.
    Attributes,
    /// Each attribute of the block, which is in a block of the top level, defines a name for that block alone.
    NestedAttributes,
    /// This number of labels of the block is a name: two in `data.TYPE.NAME`.
    Labels(usize),
}

/// Variables and local values, as most applications have them.
pub const USUAL_DEFINITIONS: [NameDefinition; 2] = [
    NameDefinition { block: "variable", root: "var", by: DefinedBy::Labels(1) },
    NameDefinition { block: "locals", root: "local", by: DefinedBy::Attributes },
];

/// A module that was read: evaluated many times with different values.
pub trait ApplicationModule: fmt::Debug + Send + Sync {
    /// Returns its files, in the order in which the application reads them.
    fn documents(&self) -> &[Document];

    /// Evaluates it.
    fn evaluate(&self, given: &Given) -> Evaluation;

    /// Returns a function that evaluates it for many sets of values, one after another. It may keep values that do not
    /// depend on what changed since the last one.
    fn evaluator(&self) -> Box<dyn FnMut(&Given) -> Evaluation + '_> {
        Box::new(|given| self.evaluate(given))
    }

    /// Evaluates it and explains its local values and attributes.
    fn why(&self, given: &Given) -> (Evaluation, Vec<Explanation>);

    /// Evaluates it and returns what the conditions of its local values and attributes were: once for each evaluation of
    /// an attribute.
    fn observe(&self, given: &Given) -> Vec<Observed>;

    /// Returns what was found in the text of one of its files alone, without the secrets that are written there.
    fn without_secrets(&self, found: &Diagnostics) -> Diagnostics {
        found.clone()
    }
}

/// How the files of a module are read.
#[derive(Clone, Debug)]
pub struct ReadSettings {
    /// The access of functions. Files should be limited to the module's folder.
    pub granted: Capabilities,
    /// The working directory.
    pub directory: String,
    /// True if values for variables that are not declared are errors, or warnings where the application ignores them
    /// otherwise.
    pub strict: bool,
    /// The purpose for which the module is read.
    pub purpose: Purpose,
    /// Files with schemas of what plugins of the application add to its language.
    pub schemas: Vec<File>,
}

/// The purpose for which a module is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// For its values. All variables have to have values, and results are marked where they depend on sensitive ones.
    Evaluate,
    /// For what is wrong with it whatever the values of variables. A single file of a folder is a part of a module.
    Check,
}

/// Whether an application reads a file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Only if the user says so.
    No,
    /// If the application [recognizes](Application::recognizes) its content.
    IfRecognized,
    /// In any case.
    Yes,
}

/// Files of a folder that belong to a module.
#[derive(Clone, Copy, Debug)]
pub struct FolderFile {
    /// Their names, in which `*` is any text.
    pub pattern: &'static str,
    /// Their role in the module.
    pub role: FileRole,
}

impl FolderFile {
    /// Returns true if a file has one of the names.
    pub(crate) fn matches(&self, name: &str) -> bool {
        matches(self.pattern, name)
    }
}

/// The role of a file in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRole {
    /// A part of it.
    Module,
    /// A variable file that is always read.
    Variables,
}
