//! A small application that is defined here: menus, folders of `*.menu` with variables and dishes.

use hclvm::diagnostics::Severity;
use hclvm::functions::Capabilities;
use hclvm::schema::Schema;
use hclvm::syntax::TypeMode;
use hclvm::{Dialect, Document, Engine, Error, Limits, Value};

use super::{Application, ApplicationModule, Claim, FileRole, FolderFile, Purpose, ReadSettings};
use crate::constants::ConstantEvaluator;
use crate::evaluated::{Block, Body};
use crate::evaluation::{Evaluation, ModuleContent};
use crate::files::{File, Files};
use crate::given::Given;
use crate::names::{ModuleLayout, set_member};
use crate::output::{Members, Output, matches};
use crate::paths::{PathValue, Paths};
use crate::problems::Problems;
use crate::registry::applications;
use crate::variables::{
    Declarations, Evaluators, Undeclared, Validator, VariableCollector, VariableRules, parse_files,
};
use crate::watch::{Explanation, Observed, Watch};

const VARIABLES: VariableRules = VariableRules {
    sensitive: true,
    types: TypeMode::WithDefaults,
    empty_is_open: true,
    sentences: true,
    prefix: "MENU_VAR_",
    file: ".menuvars",
};

fn top() -> Schema {
    Schema::new().block("variable", &["name"]).block("dish", &["name"])
}

#[derive(Debug)]
struct Menus;

impl Application for Menus {
    fn name(&self) -> &'static str {
        "menus"
    }

    fn noun(&self) -> &'static str {
        "menu"
    }

    fn about(&self) -> &'static str {
        "With the functions of the standard library"
    }

    fn patterns(&self) -> &'static [&'static str] {
        &["*.menu"]
    }

    fn dialect(&self, _: &Capabilities) -> Dialect {
        Dialect::standard()
    }

    fn folder_files(&self) -> &'static [FolderFile] {
        &[
            FolderFile { pattern: "*.menu", role: FileRole::Module },
            FolderFile { pattern: "*.menuvars", role: FileRole::Variables },
        ]
    }

    fn recognizes(&self, document: &Document, _: bool) -> bool {
        crate::files::has_only(document, &top())
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn prepare(
        &self,
        files: &Files,
        settings: &ReadSettings,
    ) -> Result<Box<dyn ApplicationModule>, Problems> {
        let engine = Engine::builder().dialect(self.dialect(&settings.granted)).build();
        let mut problems = Problems::default();
        let documents = files.parse(&engine, &mut problems);
        if problems.has_errors() {
            return Err(problems);
        }
        let constants = || ConstantEvaluator::new(None, Limits::default());
        let validator = Validator::new(&engine);
        let mut evaluators = Evaluators { defaults: constants(), constants: constants(), validator };
        let mut declarations = Declarations::default();
        for document in &documents {
            for block in document.body().blocks_of("variable") {
                declarations.block(block, VARIABLES, &mut evaluators, &mut problems);
            }
        }
        let variables = declarations.list.iter().map(|variable| &variable.name).collect();
        let names = ModuleLayout::new(&["var"], &[("var", variables)], &documents);
        let documents = documents.iter().map(|document| document.for_layout(names.layout())).collect();
        let (files, strict) = (files.clone(), settings.strict);
        Ok(Box::new(Menu { engine, names, files, documents, declarations, problems, strict }))
    }
}

#[derive(Debug)]
struct Menu {
    engine: Engine,
    names: ModuleLayout,
    files: Files,
    documents: Vec<Document>,
    declarations: Declarations,
    problems: Problems,
    strict: bool,
}

impl Menu {
    fn watched(&self, given: &Given, watch: &Watch<'_>) -> Evaluation {
        let mut evaluation =
            Evaluation { problems: self.problems.clone(), ..Evaluation::<Dishes>::default() };
        let files = self.files.automatic.iter().chain(&given.inputs.files);
        let files = parse_files(
            files,
            &self.engine,
            |_, _| Some(false),
            &self.declarations,
            &mut evaluation.problems,
        );
        let undeclared = if self.strict { Undeclared::Error } else { Undeclared::Warning };
        let collector = VariableCollector {
            declarations: &self.declarations,
            rules: VARIABLES,
            constants: &mut ConstantEvaluator::new(None, Limits::default()),
            problems: &mut evaluation.problems,
            in_files: undeclared,
            in_arguments: undeclared,
        };
        evaluation.variables = collector.collect(&given.inputs, &files);
        if let Err(error) = self.dishes(&mut evaluation, watch) {
            evaluation.problems.add(error.to_diagnostics("menu"));
        }
        evaluation.boxed()
    }

    fn dishes(&self, evaluation: &mut Evaluation<Dishes>, watch: &Watch<'_>) -> Result<(), Error> {
        let mut session = self.engine.session();
        let mut scope = self.engine.scope(self.names.layout());
        for variable in &evaluation.variables {
            set_member(&mut scope, "var", variable.name(), variable.value())?;
        }
        for document in &self.documents {
            let mut expansion = session.expand(document, &scope)?;
            for block in document.body().blocks_of("dish") {
                let view = expansion.written(block.body());
                let labels: Vec<_> = block.labels().map(Into::into).collect();
                let path = std::iter::once("dish").chain(block.labels());
                let body = watch.below(path, || Body::read(&mut expansion, view, &|_| false, watch))?;
                evaluation.content.0.push(Block::new("dish".into(), labels, body));
            }
            evaluation.problems.add(expansion.take_diagnostics());
        }
        Ok(())
    }
}

impl ApplicationModule for Menu {
    fn documents(&self) -> &[Document] {
        &self.documents
    }

    fn evaluate(&self, given: &Given) -> Evaluation {
        Watch::nothing(|watch| self.watched(given, watch))
    }

    fn why(&self, given: &Given) -> (Evaluation, Vec<Explanation>) {
        Watch::explanations(&[], |watch| self.watched(given, watch))
    }

    fn observe(&self, given: &Given) -> Vec<Observed> {
        Watch::coverage(&[], |watch| self.watched(given, watch)).1
    }
}

#[derive(Debug, Default)]
struct Dishes(Vec<Block>);

impl ModuleContent for Dishes {
    fn values(&self) -> Vec<PathValue<'_>> {
        let mut paths = Paths::default();
        for dish in &self.0 {
            let mut names = std::iter::once("dish").chain(dish.labels()).map(str::to_owned).collect();
            paths.add_body(&mut names, dish.body());
        }
        paths.finish()
    }

    fn output(&self, only: &[String]) -> Members<'_> {
        let is_wanted = |dish: &&Block| {
            only.is_empty() || only.iter().any(|pattern| dish.labels().any(|label| matches(pattern, label)))
        };
        vec![("dishes", Output::List(self.0.iter().filter(is_wanted).map(Output::from).collect()))]
    }
}

/// Reads a folder of menus.
fn prepared(files: &[(&str, &str)]) -> Box<dyn ApplicationModule> {
    let files = files.iter().map(|(name, text)| File::new(*name, *text));
    let settings = ReadSettings {
        schemas: Vec::new(),
        granted: Capabilities::none(),
        directory: String::new(),
        strict: true,
        purpose: Purpose::Evaluate,
    };
    let application: &dyn Application = &Menus;
    application.prepare(&Files::of(application, "kitchen", files), &settings).expect("no syntax errors")
}

const SOUP: &str = "dish \"soup\" {\n  price = var.price * 2\n  cheap = var.price < 5\n}\n";
const DECLARED: &str = "variable \"price\" {\n  type = number\n}\n";

#[test]
fn a_small_application_is_run_by_the_trait_alone() {
    let module = prepared(&[
        ("b.menu", SOUP),
        ("a.menu", DECLARED),
        ("usual.menuvars", "price = 1\n"),
        ("other.hcl", "dish"),
    ]);
    let names: Vec<&str> = module.documents().iter().map(|document| document.source().name()).collect();
    assert_eq!(names, ["a.menu", "b.menu"]);

    let mut given = Given::new(&Menus);
    let evaluation = module.evaluate(&given);
    assert!(evaluation.problems().is_empty(), "{:?}", evaluation.problems());
    assert_eq!(evaluation.variables()[0].origin().map(ToString::to_string).as_deref(), Some("varfile"));

    given.inputs = given.inputs.argument("price", "3");
    let evaluation = module.evaluate(&given);
    let values: Vec<String> = evaluation
        .values()
        .iter()
        .map(|value| format!("{} = {}", value.path, hclvm::show::line(value.value)))
        .collect();
    assert_eq!(values, ["var.price = 3", "dish.soup.price = 6", "dish.soup.cheap = true"]);
    let dishes = |only: &[String]| match &evaluation.content().output(only)[..] {
        [("dishes", Output::List(dishes))] => dishes.len(),
        _ => panic!("a list of dishes"),
    };
    assert_eq!((dishes(&[]), dishes(&["so*".to_owned()]), dishes(&["pie".to_owned()])), (1, 1, 0));

    let (_, explanations) = module.why(&given);
    let paths: Vec<String> = explanations.iter().map(|why| why.path.to_string()).collect();
    assert_eq!(paths, ["dish.soup.price", "dish.soup.cheap"]);
    assert_eq!(module.observe(&given).len(), 2);

    given.inputs = given.inputs.argument("prize", "3");
    let problems = module.evaluate(&given).problems().clone();
    assert_eq!(problems.titles(Severity::Error), ["Undefined -var variable"]);
}

#[test]
fn names_of_files_decide_who_reads_them() {
    let application: &dyn Application = &Menus;
    assert_eq!(application.claim("a.menu"), Claim::Yes);
    assert_eq!(application.claim("a.menuvars"), Claim::No);
    assert!(application.claims_folder(["x.hcl", "a.menu"]));
    assert!(!application.claims_folder(["x.hcl", "a.menuvars"]));
    for application in applications() {
        for pattern in application.patterns() {
            assert_ne!(application.claim(&pattern.replace('*', "a")), Claim::No, "{pattern}");
        }
    }
}

#[test]
fn values_of_a_host_have_names_that_the_application_takes() {
    let mut given = Given::new(&Menus);
    given.add("build", "ID", Value::int(1)).expect("a member");
    assert_eq!(given.members("build").len(), 1);
    assert_eq!(given.add("data", "http", Value::int(1)), Err("`data` has to be an object.".to_owned()));
    assert_eq!(
        given.add("local", "a", Value::int(1)),
        Err("A scope of this application has `var`, `data` and `build`, not `local`.".to_owned())
    );
}
