//! Compiled expressions: what they read, and the type of their results for given columns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use datafusion::arrow::datatypes::Field;
use datafusion::common::{DataFusionError, Result, plan_datafusion_err};
use hclvm::analysis::Need;
use hclvm::module::AttributePath;
use hclvm::run::Tier;
use hclvm::syntax::Text;
use hclvm::{Attribute, Block, Document, Engine, Layout, Module, OwnedValue, Program, Scope};

use crate::types::{self, Output};

/// The name of the object of locals, and the type of the blocks that define them.
const LOCAL: &str = "local";
const LOCALS: &str = "locals";

/// What a call evaluates for each row.
#[derive(Debug)]
pub(crate) enum Expression {
    /// A program alone.
    Program(Program),
    /// An attribute of a file that reads locals.
    Attribute {
        /// The module of that attribute alone.
        module: Module,
        path: AttributePath,
        /// The file compiled for a layout in which each local has a slot, which shows the type of the results.
        typed: Document,
        reads: BTreeSet<String>,
    },
}

impl Expression {
    /// Compiles a text. Its variables are the names that it reads.
    pub(crate) fn of_text(engine: &Engine, text: &str) -> Result<Self, hclvm::Error> {
        let text = Text::named("expression", text);
        let parsed = engine.compile(text, &Arc::new(Layout::new([""; 0])))?;
        let names: Vec<String> = parsed.referenced_paths().keys().map(ToString::to_string).collect();
        let layout = Layout::new(names.iter().map(String::as_str));
        engine.compile(text, &Arc::new(layout)).map(Self::Program)
    }

    /// Returns the attribute of a file to which a path leads: `allow` or `rule.own.when`.
    pub(crate) fn of_attribute(document: &Document, path: &str) -> Result<Self> {
        let file = document.source().name().to_owned();
        let missing = || plan_datafusion_err!("there is no attribute \"{path}\" in {file}");
        let path: AttributePath =
            path.parse().map_err(|problem: String| plan_datafusion_err!("the path \"{path}\": {problem}"))?;
        let attribute = find(document, &path).ok_or_else(missing)?;
        let (reads, locals) = read_by(document, [attribute]);
        if locals.is_empty() {
            // For a layout of what it reads, so that a scope has no other variables.
            let layout = Arc::new(Layout::new(reads.iter().map(String::as_str)));
            return attribute.compile(&layout).map(Self::Program).map_err(refused);
        }
        let module = document.module().map_err(refused)?;
        let module = module.select(std::slice::from_ref(&path)).map_err(refused)?;
        let slots = locals.iter().map(|local| format!("{LOCAL}.{local}"));
        let layout = Layout::new(reads.iter().cloned().chain([LOCAL.to_owned()]).chain(slots));
        Ok(Self::Attribute { module, path, typed: document.for_layout(&Arc::new(layout)), reads })
    }

    /// Returns the names of the columns that it reads.
    pub(crate) fn reads(&self) -> Vec<String> {
        match self {
            Self::Program(program) => program.referenced_paths().keys().map(ToString::to_string).collect(),
            Self::Attribute { reads, .. } => reads.iter().cloned().collect(),
        }
    }

    /// Returns the type of its results for columns of these names and types; columns that are not among them
    /// may be of any type.
    ///
    /// # Errors
    /// What no value of such columns could repair: attributes that a struct does not have, wrong types.
    pub(crate) fn output(&self, engine: &Engine, columns: &BTreeMap<&str, &Field>) -> Result<Output> {
        match self {
            Self::Program(program) => {
                let mut scope = engine.scope(program.layout());
                declare(&mut scope, columns)?;
                explore(engine, program, &scope).map(|found| Output::of(found.get()))
            }
            Self::Attribute { module, path, typed, .. } => {
                let mut scope = typed.scope();
                declare(&mut scope, columns)?;
                // Each local after those that it reads.
                for name in module.locals() {
                    let Some(local) = local_named(typed, name) else { continue };
                    let program = local.program().map_err(refused)?;
                    let found = explore(engine, &program, &scope)?;
                    scope.set_value(&format!("{LOCAL}.{name}"), found.get()).map_err(refused)?;
                }
                let attribute = find(typed, path)
                    .ok_or_else(|| plan_datafusion_err!("there is no attribute \"{path}\" any more"))?;
                let program = attribute.program().map_err(refused)?;
                explore(engine, &program, &scope).map(|found| Output::of(found.get()))
            }
        }
    }
}

/// Evaluates with unknown values.
fn explore(engine: &Engine, program: &Program, scope: &Scope) -> Result<OwnedValue> {
    let mut session = engine.session();
    session.set_tier(Tier::Exploring);
    let found = session.evaluate(program, scope).map_err(refused)?;
    if found.diagnostics.has_errors() {
        return Err(refused(found.diagnostics.into()));
    }
    Ok(OwnedValue::new(found.value))
}

/// Returns the attribute to which a path leads: names of blocks and labels, then its own.
fn find<'d>(document: &'d Document, path: &AttributePath) -> Option<Attribute<'d>> {
    let names: Vec<&str> = path.names().collect::<Option<_>>()?;
    let (name, blocks) = names.split_last()?;
    let mut body = document.body();
    let mut rest = blocks;
    while let Some((kind, labels)) = rest.split_first() {
        let begins = |block: &Block<'_>| {
            block.kind() == *kind
                && block.labels().zip(labels).filter(|(own, name)| own == *name).count()
                    == block.labels().count()
        };
        let block = body.blocks().find(begins)?;
        rest = labels.get(block.labels().count()..)?;
        body = block.body();
    }
    body.attribute(name)
}

/// Returns the local of a name.
fn local_named<'d>(document: &'d Document, name: &str) -> Option<Attribute<'d>> {
    document.body().blocks_of(LOCALS).find_map(|block| block.attribute(name))
}

/// Returns the variables that attributes read, also by locals, and these locals.
pub(crate) fn read_by<'d>(
    document: &'d Document,
    attributes: impl IntoIterator<Item = Attribute<'d>>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut reads, mut locals) = (BTreeSet::new(), BTreeSet::new());
    let mut waiting: Vec<Attribute<'d>> = attributes.into_iter().collect();
    while let Some(attribute) = waiting.pop() {
        for (name, need) in attribute.referenced_paths() {
            if name != LOCAL {
                reads.insert(name.to_string());
                continue;
            }
            let names: Vec<String> = match need {
                Need::Attributes(names) if !names.is_empty() => {
                    names.keys().map(ToString::to_string).collect()
                }
                // The object itself: all locals.
                _ => all_locals(document).collect(),
            };
            let new = names.into_iter().filter(|name| locals.insert(name.clone()));
            waiting.extend(new.filter_map(|name| local_named(document, &name)));
        }
    }
    (reads, locals)
}

fn all_locals(document: &Document) -> impl Iterator<Item = String> {
    document
        .body()
        .blocks_of(LOCALS)
        .flat_map(|block| block.body().attributes())
        .map(|local| local.name().to_owned())
}

/// Makes the variables unknown values of the types of their columns.
fn declare(scope: &mut Scope, columns: &BTreeMap<&str, &Field>) -> Result<()> {
    for (name, field) in columns {
        let mut problem = Ok(());
        let built = scope.build(name, |arena| match types::unknown(arena, field) {
            Ok(value) => Ok(value),
            Err(error) => {
                problem = Err(error);
                Ok(hclvm::Value::DYNAMIC)
            }
        });
        problem?;
        built.map_err(refused)?;
    }
    scope.set_rest_unknown();
    Ok(())
}

/// Returns the error of a plan.
pub(crate) fn refused(error: hclvm::Error) -> DataFusionError {
    DataFusionError::Plan(error.to_string())
}
