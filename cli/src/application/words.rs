//! Words of help texts and messages about applications, made from their list.

use std::sync::LazyLock;

use hclvm::Undefined;
use hclvm_dialects::Application;
use hclvm_dialects::registry::applications;

/// Returns names with commas, and a word before the last one.
pub(crate) fn listed(names: impl IntoIterator<Item = String>, word: &str) -> String {
    let mut names: Vec<String> = names.into_iter().collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} {word} {last}", names.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// Returns the modules of all applications, `… and …`.
pub(crate) fn modules() -> &'static str {
    static WORDS: LazyLock<String> =
        LazyLock::new(|| listed(applications().map(|application| format!("{}s", application.noun())), "and"));
    &WORDS
}

/// Returns one of the modules of all applications, `a … or a …`.
pub(crate) fn a_module() -> String {
    listed(applications().map(a), "or")
}

/// Returns one of the modules that are folders.
pub(crate) fn a_folder() -> String {
    listed(applications().filter(|application| application.reads_folders()).map(a), "or")
}

fn a(application: &dyn Application) -> String {
    format!("a {}", application.noun())
}

/// Returns a text that begins with a capital letter.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Describes the option for the dialect.
pub(crate) fn dialect() -> String {
    let usual = |application: &'static dyn Application| {
        let patterns = application.patterns().iter().map(|pattern| (*pattern).to_owned());
        format!("{} for {}", application.name(), listed(patterns, "and"))
    };
    let usual: Vec<String> = applications().map(usual).collect();
    format!("The functions and rules that apply [default: {}, else default]", usual.join(", "))
}

/// Describes the option for undefined variables.
pub(crate) fn undefined() -> String {
    let keeps = applications().filter(|application| application.undefined() == Undefined::Text);
    let keeps = listed(keeps.map(|application| application.name().to_owned()), "and");
    format!("Meaning of a variable that is not in the scope [default: text for {keeps}, else error]")
}

/// Describes the option for values of variables that are not declared.
pub(crate) fn strict() -> String {
    let names = |strict: bool| {
        let names = applications().filter(|application| application.is_strict() == strict);
        listed(names.map(|application| application.name().to_owned()), "and")
    };
    format!(
        "Values for variables that are not declared are errors ({}, by default) or warnings ({})",
        names(true),
        names(false)
    )
}
