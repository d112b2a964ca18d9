//! The problems of a document, as `hclvm check` and an editor report them: those of the check, warnings, and those of a
//! policy.

use hclvm::check::Declared;
use hclvm::diagnostics::codes;
use hclvm::lint::Lints;
use hclvm::syntax::TypeMode;
use hclvm::{Attribute, Body, Diagnostics, Document, Engine, Error};
use hclvm_dialects::{ApplicationModule, Given};

use crate::policy::PolicySettings;

/// The problems of a document, and the number of what was checked.
#[derive(Debug, Default)]
pub struct Checked {
    /// The problems of each file.
    pub problems: Vec<Diagnostics>,
    /// The number of attributes.
    pub attributes: usize,
    /// The number of rules of a policy.
    pub rules: usize,
}

/// Returns the problems of a document without syntax errors.
///
/// ```
/// use hclvm::check::Declared;
/// use hclvm::lint::Lints;
///
/// let document = hclvm::Engine::new().parse("a.hcl", "a = upper(1, 2)")?;
/// let checked = hclvm_project::check::document(&document, &Declared::anything(), &Lints::new(), None);
/// assert!(checked.problems.iter().any(|one| one.has_errors()));
/// # Ok::<(), hclvm::Error>(())
/// ```
pub fn document(
    document: &Document,
    declared: &Declared,
    lints: &Lints,
    policy: Option<&PolicySettings>,
) -> Checked {
    if is_schema(document) {
        return Checked { problems: schema_problems(document), ..Checked::default() };
    }
    // What the warning is about is an error of the policy.
    let of_policy = policy.map(|_| lints.clone().allow(codes::MISSPELLED_RULE));
    let lints = of_policy.as_ref().unwrap_or(lints);
    let found = document.check(declared);
    let is_sound = !found.has_errors();
    let mut checked = Checked {
        problems: [found, document.lints(lints)].iter().flat_map(Diagnostics::by_file).collect(),
        attributes: attributes(document.body()).len(),
        rules: 0,
    };
    if let Some(policy) = policy {
        let (problems, rules) = policy_problems(document, policy, is_sound);
        checked.problems.extend(problems);
        checked.rules = rules;
    }
    checked
}

/// Returns the problems of a module of an application: those of the application with the variables that are given, and
/// warnings about each file.
pub fn module(module: &dyn ApplicationModule, given: &Given, lints: &Lints) -> Checked {
    let evaluation = module.evaluate(given);
    let mut checked =
        Checked { problems: evaluation.problems().groups().cloned().collect(), ..Checked::default() };
    // Applications read their blocks as values.
    let lints = lints.clone().allow(codes::BLOCK_AS_VARIABLE);
    for document in module.documents() {
        checked.attributes += attributes(document.body()).len();
        checked.problems.push(module.without_secrets(&document.lints(&lints)));
    }
    checked
}

/// Returns the problems of a file as a policy, and the number of its rules. Those of the module are left out if the file is not
/// sound: the check has found them.
fn policy_problems(
    document: &Document,
    policy: &PolicySettings,
    is_sound: bool,
) -> (Vec<Diagnostics>, usize) {
    let rules = document.body().blocks_of(policy.rule_type()).count();
    let problems = |error: &Error| error.to_diagnostics(document.source().name()).by_file();
    match document.module() {
        Err(_) if !is_sound => (Vec::new(), rules),
        Err(error) => (problems(&error), rules),
        Ok(module) => match policy.with_spec(|spec| module.policy(spec)) {
            Ok(policy) => (Vec::new(), policy.len()),
            Err(error) => (problems(&error), rules),
        },
    }
}

/// Returns true for a file of types, as for `--schema`: all of its attributes are types, and at least one is no plain
/// name, which might be a variable.
pub fn is_schema(document: &Document) -> bool {
    let engine: &Engine = document.engine();
    let text = |attribute: &Attribute<'_>| attribute.expression_span().slice(document.source().text());
    let is_type =
        |attribute: &Attribute<'_>| engine.type_constraint(text(attribute), TypeMode::WithDefaults).is_ok();
    let has_call = |attribute: &Attribute<'_>| text(attribute).contains('(');
    let body = document.body();
    !document.is_json()
        && body.blocks().next().is_none()
        && body.attributes().any(|attribute| has_call(&attribute))
        && body.attributes().all(|attribute| is_type(&attribute))
}

/// Returns the problems of a file of types.
pub fn schema_problems(document: &Document) -> Vec<Diagnostics> {
    match Declared::of_schema(document) {
        Ok(_) => Vec::new(),
        Err(error) => error.to_diagnostics(document.source().name()).by_file(),
    }
}

/// Returns all attributes of a body and its blocks, in source order.
pub fn attributes(body: Body<'_>) -> Vec<Attribute<'_>> {
    let mut found = Vec::new();
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        found.extend(body.attributes());
        open.extend(body.blocks().map(|block| block.body()));
    }
    found.sort_by_key(|attribute| attribute.name_span().start);
    found
}
