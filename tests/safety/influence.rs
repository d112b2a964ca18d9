//! Marks of everything that influenced a result are on the result.
//!
//! Every form of the language and every function is evaluated with many contents of one marked value. Where
//! two contents of it give different results, the place at which they differ is inside of a mark in both: a
//! result without a mark does not depend on what is marked. Diagnostics do not depend on it either, apart
//! from whether there are any, and all evaluators agree. The marked value may be the whole variable or a part
//! of it. `secrets` looks for known texts in every output instead.
//!
//! ```text
//! blocks     dynamic blocks
//! outputs    generated files in every form of output
//! generated  the files
//! contents   the contents of the marked value and the places where it is
//! forms      the expressions, with `m` for the variable
//! runs       one expression by every evaluator
//! exceptions forms whose results depend on what is marked, with the reasons
//! ```

mod blocks;
mod contents;
mod exceptions;
mod forms;
mod generated;
mod outputs;
mod runs;

use std::collections::{BTreeMap, BTreeSet};

use hclvm::functions::{self, Capabilities};
use hclvm::value::{Arena, Refinement, View};
use hclvm::{OwnedValue, Value};
use hclvm_vm::copy;
use hclvm_vm::ops::equality::same;

use contents::{Place, Variant};
use runs::{Form, Problem, World};

/// The result of a form for one content.
struct Outcome<'v> {
    variant: &'v Variant,
    value: OwnedValue,
    problems: Vec<Problem>,
    /// What the messages show.
    told: Vec<String>,
}

/// The way in which two results depend on what is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leak {
    /// The results for two known contents differ outside of all marks.
    Value,
    /// The same where a content or a result is unknown. An unknown result without marks shows no more than
    /// its type; the result that is known instead has its marks.
    Unknown,
    /// Messages of equal titles differ for contents of one type.
    Message,
    /// The result for a known variable that is marked as a whole has no mark in any part.
    Unmarked,
    /// One of two results has marks, and the other has none.
    Presence,
}

/// Returns true if two results differ at a place outside of all marks. A mark around one of two equal
/// values is no difference.
/// Nor do the types of unknown values count as a difference.
fn differ(arena: &Arena, a: Value<'_>, b: Value<'_>) -> bool {
    let ((inner_a, a_marks), (inner_b, b_marks)) = (a.unmark(), b.unmark());
    if !a_marks.is_empty() && !b_marks.is_empty() || has_only_type(inner_a) && has_only_type(inner_b) {
        return false;
    }
    match (inner_a.view(), inner_b.view()) {
        (View::Tuple(a), View::Tuple(b)) | (View::List(a, _), View::List(b, _)) if a.len() == b.len() => {
            a.iter().zip(b).any(|(a, b)| differ(arena, *a, *b))
        }
        (View::Object(a), View::Object(b)) | (View::Map(a, _), View::Map(b, _))
            if a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name == b.name) =>
        {
            a.iter().zip(b).any(|(a, b)| differ(arena, a.value, b.value))
        }
        _ => !same(arena, copy(arena, inner_a), copy(arena, inner_b)),
    }
}

/// Returns true for an unknown value of which no more is known than its type and that it is not null.
fn has_only_type(value: Value<'_>) -> bool {
    let View::Unknown(unknown) = value.view() else { return false };
    Refinement { not_null: false, ..unknown.refinement }.is_empty()
}

/// Returns how two outcomes depend on what is marked, if they do. The value beside a diagnostic is partial
/// and is not compared.
fn leak(arena: &Arena, a: &Outcome<'_>, b: &Outcome<'_>) -> Option<Leak> {
    if a.problems.is_empty() && b.problems.is_empty() {
        let [a_value, b_value] = [a, b].map(|outcome| outcome.value.get());
        if !differ(arena, a_value, b_value) {
            let same = a_value.contains_marks() == b_value.contains_marks();
            return (!same && a.variant.is_like(b.variant)).then_some(Leak::Presence);
        }
        let unknown = a.variant.is_unknown()
            || b.variant.is_unknown()
            || has_only_type(a_value)
            || has_only_type(b_value);
        return Some(if unknown { Leak::Unknown } else { Leak::Value });
    }
    let alike = a.told != b.told
        && a.told.len() == b.told.len()
        && a.problems.iter().zip(&b.problems).all(|(a, b)| (&a.title, a.span) == (&b.title, b.span));
    (alike && a.variant.is_like(b.variant)).then_some(Leak::Message)
}

/// Returns true for the result of a known value that is marked as a whole, if it has no mark.
fn is_unmarked(outcome: &Outcome<'_>) -> bool {
    let whole = outcome.variant.place == Place::Whole && !outcome.variant.is_unknown();
    whole && outcome.problems.is_empty() && !outcome.value.get().contains_marks()
}

/// Runs the forms in one world and adds what depends on a marked value to `found`. Returns the number of runs.
fn examine(world: &World, forms: &[Form], found: &mut BTreeMap<(String, Leak), String>) -> usize {
    let variants = contents::variants();
    let scopes: Vec<_> = variants.iter().map(|variant| world.scope(variant)).collect();
    let mut runs = 0;
    for form in forms {
        let Some(program) = world.compile(form) else { continue };
        for place in form.places() {
            let mut outcomes: Vec<Outcome<'_>> = Vec::new();
            let arena = Arena::new();
            for (variant, scope) in variants.iter().zip(&scopes).filter(|(variant, _)| variant.place == place)
            {
                let (value, problems) = world.run(&program, scope);
                let told = problems.iter().map(Problem::revealing).collect();
                let outcome = Outcome { variant, value, problems, told };
                if !form.nested && is_unmarked(&outcome) {
                    let example = || format!("{place:?}: {}", shown(&outcome));
                    found.entry((form.text.clone(), Leak::Unmarked)).or_insert_with(example);
                }
                for other in &outcomes {
                    let Some(leak) = leak(&arena, other, &outcome) else { continue };
                    found
                        .entry((form.text.clone(), leak))
                        .or_insert_with(|| format!("{place:?}: {} / {}", shown(other), shown(&outcome)));
                }
                outcomes.push(outcome);
                runs += 1;
            }
        }
    }
    runs
}

fn shown(outcome: &Outcome<'_>) -> String {
    let value = outcome.value.get();
    let problems: Vec<_> = outcome.problems.iter().map(|problem| &problem.detail).collect();
    format!("{}: {value:?} {problems:?}", outcome.variant.name)
}

fn check(worlds: Vec<(World, Vec<Form>)>, exceptions: &[(&'static str, Leak)], least: usize) {
    let (mut found, mut runs) = (BTreeMap::new(), 0);
    for (world, forms) in &worlds {
        runs += examine(world, forms, &mut found);
    }
    let mut found: Vec<_> = found.into_iter().map(|((form, leak), example)| (form, leak, example)).collect();
    let unused = exceptions::allow(exceptions, &mut found);
    let wrong: Vec<_> =
        found.iter().map(|(form, leak, example)| format!("{leak:?} of {form} at {example}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(unused.is_empty(), "exceptions that nothing needs: {unused:?}");
    assert!(runs > least, "{runs} runs");
}

#[test]
fn results_of_the_language_depend_only_on_what_their_marks_tell() {
    let world = World::new(functions::standard());
    check(vec![(world, forms::of_the_language())], exceptions::OF_THE_LANGUAGE, 100_000);
}

#[test]
fn results_of_functions_depend_only_on_what_their_marks_tell() {
    let granted = Capabilities::none();
    let tables = [
        functions::standard(),
        functions::packer(&granted),
        functions::nomad(&granted),
        functions::opentofu(),
    ];
    let mut tried = BTreeSet::new();
    let worlds = tables.map(|table| {
        let mut names: Vec<_> = table.names().filter(|name| tried.insert((*name).clone())).collect();
        names.sort();
        let functions = names.into_iter().filter_map(|name| table.get(name));
        let forms = functions.flat_map(|function| forms::of_function(function)).collect();
        (World::new(table), forms)
    });
    check(worlds.into(), exceptions::OF_FUNCTIONS, 100_000);
}
