//! One version of a text, with everything that is found out about it. Each part is computed when it is first needed.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use hclvm::diagnostics::Source;
use hclvm::functions::Capabilities;
use hclvm::syntax::tree::{LexMode, Token, lex};
use hclvm::{Diagnostics, Document};
use hclvm_dialects::terraform_policy::{self, Language, Policies};
use hclvm_dialects::{Application, Claim, File, Files, Given, Purpose, ReadSettings};
use hclvm_project::{PROJECT_FILE, Project, ProjectError, check};

use crate::index::NameIndex;
use crate::lines::{Encoding, LineTable};
use crate::settings::{FolderSettings, claimed};
use crate::values::FileValues;

/// The suffix of files with test cases, whose blocks `hclvm test` reads.
const TESTS: &str = ".hcltest";

/// A version of a text.
#[derive(Debug)]
pub(crate) struct Analysis {
    pub(crate) path: PathBuf,
    pub(crate) settings: Rc<FolderSettings>,
    pub(crate) document: Document,
    /// The syntax errors.
    syntax: Diagnostics,
    pub(crate) lines: LineTable,
    index: OnceCell<Rc<NameIndex>>,
    tokens: OnceCell<Vec<Token>>,
    problems: OnceCell<Vec<Diagnostics>>,
    values: OnceCell<Option<FileValues>>,
}

impl Analysis {
    /// Reads a text. `sound` is an earlier version without syntax errors, with the same settings.
    pub(crate) fn new(
        path: &Path,
        text: &str,
        settings: &Rc<FolderSettings>,
        encoding: Encoding,
        sound: Option<&Document>,
    ) -> Self {
        let name = path.to_string_lossy();
        let engine = &settings.engine;
        let (document, syntax) = match sound {
            Some(sound) => sound.reparse_lenient(text),
            None if is_json(path) => engine.parse_json_bytes_lenient(&name, text.as_bytes()),
            None => engine.parse_lenient(&name, text),
        };
        Self {
            path: path.to_path_buf(),
            settings: Rc::clone(settings),
            document,
            syntax,
            lines: LineTable::new(text, encoding),
            index: OnceCell::new(),
            tokens: OnceCell::new(),
            problems: OnceCell::new(),
            values: OnceCell::new(),
        }
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        self.document.source().text()
    }

    /// Returns true if it has no syntax errors.
    pub(crate) fn is_sound(&self) -> bool {
        !self.syntax.has_errors()
    }

    pub(crate) fn index(&self) -> &NameIndex {
        self.index.get_or_init(|| Rc::new(NameIndex::new(&self.document, self.settings.definitions)))
    }

    /// Returns the index for use beside this version.
    pub(crate) fn shared_index(&self) -> Rc<NameIndex> {
        self.index();
        self.index.get().map(Rc::clone).unwrap_or_default()
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        self.tokens.get_or_init(|| {
            if self.document.is_json() { Vec::new() } else { lex(self.text(), LexMode::Config).tokens }
        })
    }

    /// Returns true for a file of test cases.
    pub(crate) fn is_tests(&self) -> bool {
        self.settings.language == Some(Language::Tests) || self.path.to_string_lossy().ends_with(TESTS)
    }

    /// Returns true for a project file.
    pub(crate) fn is_project(&self) -> bool {
        self.path.file_name().is_some_and(|name| name == PROJECT_FILE)
    }

    /// Returns the application that reads the file, by its name and, if that does not decide, its content.
    pub(crate) fn application(&self) -> Option<&'static dyn Application> {
        let application = self.settings.application?;
        match claimed(&self.path).map_or(Claim::No, |(_, claim)| claim) {
            Claim::Yes => Some(application),
            claim => {
                application.recognizes(&self.document, claim == Claim::IfRecognized).then_some(application)
            }
        }
    }

    /// Returns what is wrong, as `hclvm check` reports it: after a syntax error only the syntax.
    pub(crate) fn problems(&self) -> &[Diagnostics] {
        self.problems.get_or_init(|| {
            if !self.is_sound() {
                return vec![self.syntax.clone()];
            }
            if self.is_tests() {
                return Vec::new();
            }
            let mut problems = if self.settings.language == Some(Language::Policies) {
                self.policy_problems()
            } else if let Some(application) = self.application() {
                self.module_problems(application)
            } else {
                let FolderSettings { declared, lints, policy, .. } = &*self.settings;
                check::document(&self.document, declared, lints, policy.as_ref()).problems
            };
            if self.is_project() && !problems.iter().any(Diagnostics::has_errors) {
                problems.extend(self.project_problems());
            }
            problems.retain(|one| !one.is_empty());
            problems
        })
    }

    fn module_problems(&self, application: &'static dyn Application) -> Vec<Diagnostics> {
        let file = File::new(self.path.to_string_lossy(), self.text().as_bytes());
        let files = Files::one(file).beside_on_disk(application, &self.path);
        match application.prepare(&files, &read_settings(application, Purpose::Check)) {
            Ok(module) => check::module(&*module, &Given::new(application), &self.settings.lints).problems,
            Err(problems) => problems.groups().cloned().collect(),
        }
    }

    /// Returns the problems of a file of Terraform policies.
    fn policy_problems(&self) -> Vec<Diagnostics> {
        let file = File::new(self.path.to_string_lossy(), self.text().as_bytes());
        let mut settings = terraform_policy::Settings::new();
        if let Some(schemas) = &self.settings.provider_schemas {
            settings = settings.schemas(Arc::clone(schemas));
        }
        let problems = match Policies::load(&[file], &settings) {
            Ok(policies) => policies.warnings().clone(),
            Err(problems) => problems,
        };
        problems.groups().cloned().collect()
    }

    fn project_problems(&self) -> Option<Diagnostics> {
        let name = self.path.to_string_lossy();
        let project = Project::parse(&name, self.text().as_bytes())
            .map(|project| Project { path: Some(self.path.clone()), ..project });
        let error = match project {
            Ok(project) => match project.declared() {
                Err(error) => error,
                Ok(_) => return None,
            },
            Err(error) => error,
        };
        let problems = match error {
            ProjectError::Diagnosed(problems) => problems,
            ProjectError::Unreadable(sentence) => {
                let mut one = hclvm::Diagnostic::error(
                    "Unreadable file",
                    sentence,
                    hclvm::diagnostics::Span::new(0, 0),
                );
                one.subject = None;
                Diagnostics::new(Arc::clone(self.document.source()), vec![one])
            }
        };
        // Those of another file are about this one as a whole.
        let is_own = problems.source().text() == self.document.source().text();
        if is_own {
            return Some(problems);
        }
        let whole = problems.iter().cloned().map(|mut one| {
            one.subject = None;
            one.context = None;
            one.additions = None;
            one
        });
        let source: Arc<Source> = Arc::clone(self.document.source());
        Some(Diagnostics::new(source, whole.collect()))
    }

    /// Returns the values of the file under the sample of scopes; `None` if it cannot be evaluated.
    pub(crate) fn values(&self) -> Option<&FileValues> {
        let values = self.values.get_or_init(|| if self.is_sound() { FileValues::new(self) } else { None });
        values.as_ref()
    }
}

/// Returns how a module is read: nothing is granted.
pub(crate) fn read_settings(application: &dyn Application, purpose: Purpose) -> ReadSettings {
    let directory = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    ReadSettings {
        granted: Capabilities::none(),
        directory,
        strict: application.is_strict(),
        purpose,
        schemas: Vec::new(),
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"))
}
