//! What holds for the files of a folder: their project, application, engine, and the samples of scopes.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use hclvm::check::Declared;
use hclvm::functions::{Capabilities, FunctionTable};
use hclvm::lint::Lints;
use hclvm::schema::Schema;
use hclvm::{Dialect, Engine, OwnedValue};
use hclvm_dialects::registry::applications;
use hclvm_dialects::terraform_policy::{Language, Schemas};
use hclvm_dialects::{Application, Claim, DefinedBy, NameDefinition};
use hclvm_project::policy::PolicySettings;
use hclvm_project::stub::with_stubs;
use hclvm_project::{PROJECT_FILE, Project};

/// The definitions of files that no application reads.
static PLAIN: [NameDefinition; 1] =
    [NameDefinition { block: "locals", root: "local", by: DefinedBy::Attributes }];

/// What holds for files of one folder that one application reads, or none.
#[derive(Debug)]
pub(crate) struct FolderSettings {
    pub(crate) project: Rc<Project>,
    /// The application that claims the files by their name.
    pub(crate) application: Option<&'static dyn Application>,
    /// The language of files of Terraform policies.
    pub(crate) language: Option<Language>,
    /// The schemas of Terraform's providers, for policies.
    pub(crate) provider_schemas: Option<Arc<Schemas>>,
    pub(crate) engine: Engine,
    pub(crate) functions: FunctionTable,
    /// The name of the dialect, for descriptions of functions.
    pub(crate) dialect: &'static str,
    pub(crate) declared: Declared,
    pub(crate) lints: Lints,
    pub(crate) policy: Option<PolicySettings>,
    pub(crate) definitions: &'static [NameDefinition],
    pub(crate) roots: &'static [&'static str],
    pub(crate) schema: Schema,
    /// The name and the values of the sample of scopes.
    pub(crate) sample: (Option<String>, Vec<(String, OwnedValue)>),
}

/// Returns the application of a file, by its name.
pub(crate) fn claimed(path: &Path) -> Option<(&'static dyn Application, Claim)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    applications().map(|one| (one, one.claim(&name))).find(|(_, claim)| *claim != Claim::No)
}

/// Returns the language of a file of Terraform policies, by its name.
pub(crate) fn language(path: &Path) -> Option<Language> {
    Language::of_file(&path.file_name().unwrap_or_default().to_string_lossy())
}

impl FolderSettings {
    /// Creates the settings of a file. What is wrong with the project is left out; its file shows it.
    pub(crate) fn new(project: &Rc<Project>, path: &Path, sample: Option<&str>) -> Self {
        let language = language(path);
        let by_name = claimed(path).map(|(application, _)| application);
        let of_project = project.dialect.filter(|_| by_name.is_none() && language.is_none());
        let application = by_name.or_else(|| of_project.and_then(|dialect| dialect.application()));
        let granted = Capabilities::none();
        let dialect = match (language, by_name, of_project) {
            (Some(language), ..) => language.dialect(),
            (None, Some(application), _) => application.dialect(&granted),
            (None, None, Some(dialect)) => dialect.dialect(&granted),
            (None, None, None) => Dialect::granted(&granted),
        };
        let name = by_name.map(|one| one.name()).or(of_project.map(|one| one.name())).unwrap_or("default");
        let dialect = with_stubs(dialect, "function", &project.stubs);
        let mut functions = dialect.functions.clone().unwrap_or_default();
        if language == Some(Language::Policies) {
            // Names without a namespace draw a warning.
            let plain: Vec<_> = functions.names().filter(|name| !name.contains("::")).cloned().collect();
            for name in plain {
                functions.remove(&name);
            }
        }
        let engine = Engine::builder().dialect(dialect).further_errors(true).build();
        let declared = project.declared().ok().flatten().unwrap_or_else(Declared::anything);
        let lints = project.lints.lints(Lints::new()).unwrap_or_default().declared(&declared);
        let is_project = path.file_name().is_some_and(|name| name == PROJECT_FILE);
        let is_plain = !is_project && application.is_none() && language.is_none();
        let policy = project.policy.clone().filter(|_| is_plain);
        let chosen = sample.filter(|name| project.scopes.iter().any(|scope| scope.name == *name));
        let name_of_sample = chosen.map(str::to_owned).or_else(|| Some(project.scopes.first()?.name.clone()));
        Self {
            project: Rc::clone(project),
            application,
            language,
            provider_schemas: language.and_then(|_| project.provider_schemas().ok().flatten()).map(Arc::new),
            engine,
            functions,
            dialect: name,
            declared,
            lints,
            policy: policy.and_then(|policy| PolicySettings::new(policy).ok()),
            definitions: match (language, application) {
                (Some(language), _) => language.definitions(),
                (None, Some(application)) => application.definitions(),
                (None, None) => &PLAIN,
            },
            roots: match (language, application) {
                (Some(language), _) => language.roots(),
                (None, Some(application)) => application.roots(),
                (None, None) => &["local"],
            },
            schema: match (language, application) {
                (Some(language), _) => language.schema(),
                (None, application) => application.map(|one| one.schema()).unwrap_or_default(),
            },
            sample: (name_of_sample, project.sample(chosen).unwrap_or_default()),
        }
    }

    /// Returns the value of a variable in the sample of scopes.
    pub(crate) fn sample_of(&self, name: &str) -> Option<&OwnedValue> {
        self.sample.1.iter().find(|(one, _)| one == name).map(|(_, value)| value)
    }
}
