//! The locals of a file: collects them, finds what each reads of the others, and sorts them
//! topologically. Their values are computed in `module`.

use std::collections::HashMap;

use hclvm_compiler::analysis::{self, Need};
use hclvm_vm::{Diagnostic, Span};
use smol_str::SmolStr;

use crate::diagnostics::problems::ProblemCollector;
use crate::structure::content;
use crate::syntax::document::{Attribute, Document};

/// The block type whose attributes are the module's locals.
pub(crate) const LOCALS: &str = "locals";
/// The variable through which expressions reach the locals.
pub(in crate::structure) const LOCAL: &str = "local";

/// A local in evaluation order.
#[derive(Clone, Debug)]
pub(in crate::structure) struct OrderedLocal {
    pub(in crate::structure) name: SmolStr,
    /// The symbol of its name in the engine's name table.
    pub(in crate::structure) symbol: u32,
    pub(in crate::structure) attribute: u32,
    /// The locals that it reads, sorted by name, as indexes in evaluation order.
    pub(in crate::structure) uses: Vec<usize>,
    /// True if it reads the object `local` otherwise than by the names of locals.
    pub(in crate::structure) reads_object: bool,
}

/// Returns true if an expression with this need of `local` reads the object itself: not only attributes that
/// have slots.
pub(super) fn reads_object(document: &Document, need: &Need) -> bool {
    let has_slot = |name: &SmolStr| document.layout().derived(LOCAL, name).is_some();
    need.is_whole() || !need.names().all(has_slot)
}

/// A local as written.
struct WrittenLocal {
    name: SmolStr,
    attribute: u32,
    /// The parts of the variable `local` that it reads.
    uses: Option<Need>,
}

impl WrittenLocal {
    /// Iterates over the names of the locals that it reads. A local that reads the whole object `local`
    /// also reads itself, which is a cycle.
    fn used(&self) -> impl Iterator<Item = &SmolStr> {
        let own = self.uses.as_ref().is_some_and(Need::is_whole).then_some(&self.name);
        own.into_iter().chain(self.uses.iter().flat_map(Need::names))
    }
}

/// Returns the locals of a document in evaluation order; reports duplicates, cycles, and what a file in JSON has beside
/// attributes and locals.
pub(in crate::structure) fn locals(
    document: &Document,
    problems: &mut ProblemCollector,
) -> Vec<OrderedLocal> {
    content::json::file_problems(document, problems);
    let defined = collect(document, problems);
    let order = in_order(document, &defined, problems);
    linked(document, &defined, &order)
}

/// Collects the attributes of all `locals` blocks; of a name defined twice the first.
fn collect(document: &Document, problems: &mut ProblemCollector) -> Vec<WrittenLocal> {
    let mut locals: Vec<WrittenLocal> = Vec::new();
    let mut seen: HashMap<SmolStr, u32> = HashMap::new();
    for block in document.body().blocks_of(LOCALS) {
        for attribute in block.body().attributes() {
            let name = SmolStr::new(attribute.name());
            if let Some(first) = seen.get(&name) {
                let place = first_place(document, *first, attribute.name_span().start);
                let detail = format!("`local.{name}` is already defined {place}.");
                problems.push(Diagnostic::error("Duplicate local value", detail, attribute.name_span()));
                continue;
            }
            seen.insert(name.clone(), attribute.name_span().start);
            let uses = analysis::variable_need(document.tree(), [attribute.nodes()], LOCAL);
            locals.push(WrittenLocal { name, attribute: attribute.index(), uses });
        }
    }
    locals
}

/// Describes the place of the first definition: with its file if that is not the one of the second.
fn first_place(document: &Document, first: u32, second: u32) -> String {
    let source = document.source();
    let line = source.position(first).line;
    match (source.file_at(first), source.file_at(second)) {
        (Some(file), other) if Some(file) != other => {
            format!("in {} on line {line}", source.files()[file].name)
        }
        _ => format!("on line {line}"),
    }
}

/// Returns the locals in evaluation order, with indexes for the names they use.
fn linked(document: &Document, defined: &[WrittenLocal], order: &[usize]) -> Vec<OrderedLocal> {
    let symbols =
        document.engine().settings().names.intern(order.iter().map(|at| defined[*at].name.as_str()));
    let places: HashMap<&str, usize> =
        order.iter().enumerate().map(|(place, at)| (defined[*at].name.as_str(), place)).collect();
    let local = |(at, symbol): (&usize, u32)| {
        let WrittenLocal { name, attribute, .. } = &defined[*at];
        // `used` iterates in name order.
        let uses = defined[*at].used().filter_map(|used| places.get(used.as_str()).copied()).collect();
        let reads_object = defined[*at].used().any(|used| !places.contains_key(used.as_str()));
        OrderedLocal { name: name.clone(), symbol, attribute: *attribute, uses, reads_object }
    };
    order.iter().zip(symbols).map(local).collect()
}

/// Sorts the locals topologically, and reports each cycle with its path.
fn in_order(document: &Document, locals: &[WrittenLocal], problems: &mut ProblemCollector) -> Vec<usize> {
    let index: HashMap<&str, usize> =
        locals.iter().enumerate().map(|(at, local)| (local.name.as_str(), at)).collect();
    let uses: Vec<Vec<usize>> = locals
        .iter()
        .map(|local| local.used().filter_map(|name| index.get(name.as_str()).copied()).collect())
        .collect();
    analysis::dependency_order(&uses, |circle| {
        let subject = circle.first().map(|at| Attribute::new(document, locals[*at].attribute).name_span());
        problems.push_with(subject, || cycle(subject.unwrap_or_default(), locals, circle));
    })
}

/// Locals listed of a cycle; a longer one would make a message of many screens.
const LONGEST_PATH: usize = 100;

fn cycle(subject: Span, locals: &[WrittenLocal], circle: &[usize]) -> Diagnostic {
    let name = |at: &usize| format!("local.{}", locals[*at].name);
    let mut names: Vec<String> = circle.iter().take(LONGEST_PATH).map(name).collect();
    if circle.len() > LONGEST_PATH {
        names.push(format!("({} more)", circle.len() - LONGEST_PATH));
    }
    names.extend(circle.first().map(name));
    let detail = format!("Local values depend on each other in a cycle: {}.", names.join(" -> "));
    Diagnostic::error("Dependency cycle", detail, subject)
}
