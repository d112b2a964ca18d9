//! Generated files give equal results as modules, attribute by attribute, and in the tree-walker: values,
//! diagnostics with their places, and their order; and a selection gives a part of them. Cases by hand are
//! in module.rs.
//!
//! `HCLVM_MODULES=cases`, `cases:seed` or `cases:seed:first` selects another run than the short default.
#![expect(clippy::print_stdout, reason = "a longer run shows what it compared")]

use std::collections::HashSet;

use hclvm::expansion::{BodyView, Expansion};
use hclvm::functions::FunctionTable;
use hclvm::module::{AttributePath, BodyValues, Module, Values};
use hclvm::run::Tier;
use hclvm::value::{Arena, View};
use hclvm::{
    Attribute, Body, Diagnostic, Document, Engine, Error, Limits, OwnedValue, Scope, Session, Undefined,
    Value, function,
};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::{ParseLimits, parse_config};
use hclvm_treewalk::differential::{ModuleCase, ModuleCases};
use hclvm_treewalk::file::{FileWalker, Item, WalkedFile};
use hclvm_vm::ops::equality::same;
use hclvm_vm::{Names, Span};

/// Enough for most pairs of constructs, and fast enough without optimization.
const CASES: u64 = 1_500;

fn asked_for() -> (std::ops::Range<u64>, u64) {
    let asked = std::env::var("HCLVM_MODULES").unwrap_or_default();
    let mut numbers = asked.split(':').map(|number| number.parse().ok());
    let mut next = |default| numbers.next().flatten().unwrap_or(default);
    let (cases, seed, first) = (next(CASES), next(1), next(0));
    (first..first + cases, seed)
}

/// The counts of a run.
#[derive(Debug, Default)]
struct ModuleTally {
    cases: u64,
    /// Files that do not compile or whose locals form a cycle.
    rejected: u64,
    evaluations: u64,
    /// Attributes and blocks compared.
    values: u64,
    /// Evaluations with problems.
    faulty: u64,
    /// Evaluations compared with the tree-walker.
    walked: u64,
    /// Attributes and blocks of selections.
    selected: u64,
    limits: u64,
    /// Results of the baseline tier, in the session that prefers the fast tier.
    baseline: u64,
}

/// An engine with its sessions and what is needed for the tree-walker.
struct Bench {
    engine: Engine,
    functions: FunctionTable,
    names: Names,
    together: [Session; 2],
    alone: Session,
    part: Session,
}

/// The results of one way to evaluate a file.
#[derive(Debug)]
struct Outcome<'a> {
    items: Vec<Item<'a>>,
    locals: Vec<(String, Value<'a>)>,
    problems: Vec<Diagnostic>,
}

/// The functions of the standard dialect, and one that is not pure.
fn functions() -> FunctionTable {
    let mut functions = hclvm::functions::standard();
    let tick = function("tick", ["value"], |value: Value<'_>| OwnedValue::new(value)).impure();
    functions.insert(tick.name.clone(), tick);
    functions
}

impl Bench {
    fn new(limits: Limits) -> Self {
        let functions = functions();
        // All are kept: which ones are, if there are too many, depends on the order of evaluation.
        let limits = Limits { diagnostics: 1 << 20, ..limits };
        let engine = Engine::builder().functions(functions.clone()).limits(limits).build();
        let [best, mut baseline, alone, part] = [(); 4].map(|()| engine.session());
        baseline.set_tier(Tier::Baseline);
        Self { engine, functions, names: Names::new(), together: [best, baseline], alone, part }
    }

    fn module(&self, number: u64, case: &ModuleCase) -> Option<Module> {
        let document = self.engine.parse("x.hcl", &case.text).ok()?;
        let module = if number.is_multiple_of(2) {
            document.module()
        } else {
            document.module_for(ModuleCases::names())
        };
        module.ok()
    }

    fn check(&mut self, number: u64, case: &ModuleCase, tally: &mut ModuleTally) -> Result<(), String> {
        let Some(module) = self.module(number, case) else {
            tally.rejected += 1;
            return Ok(());
        };
        let paths: Vec<AttributePath> =
            case.paths.iter().map(|path| path.parse()).collect::<Result<_, _>>()?;
        let part = module.select(&paths).map_err(|error| format!("selection: {error}"))?;
        for values in &case.scopes {
            let mut scope = module.scope();
            let known: HashSet<&str> =
                module.document().layout().names().iter().map(|name| name.as_str()).collect();
            for (name, value) in ModuleCases::names().zip(values) {
                if known.contains(name) && !matches!(value.get().view(), View::Unset) {
                    scope.set_value(name, value.get()).map_err(|error| error.to_string())?;
                }
            }
            self.compare(case, &module, &part, &scope, &paths, tally)?;
        }
        Ok(())
    }

    /// Common subexpressions are computed once and memory depends on chunk sizes, so that one way may exceed
    /// a limit that another does not. Nothing else may differ.
    fn compare(
        &mut self,
        case: &ModuleCase,
        module: &Module,
        part: &Module,
        scope: &Scope,
        paths: &[AttributePath],
        tally: &mut ModuleTally,
    ) -> Result<(), String> {
        let [best, baseline] = &mut self.together;
        let whole = [module.evaluate(best, scope), module.evaluate(baseline, scope)];
        let [Ok(best), Ok(baseline)] = whole else {
            tally.limits += 1;
            return Ok(());
        };
        let [best, baseline] = [outcome(&best), outcome(&baseline)];
        tally.evaluations += 1;
        tally.values += best.items.len() as u64;
        tally.faulty += u64::from(!best.problems.is_empty());
        alike("the baseline tier", &best, &baseline)?;

        let wanted: Vec<Vec<Option<&str>>> = paths.iter().map(|path| path.names().collect()).collect();
        let Ok((scope, locals)) = with_locals(module, scope, &mut self.alone) else {
            tally.limits += 1;
            return Ok(());
        };
        let mut alone = Alone::default();
        let mut expansion =
            self.alone.expand(module.document(), &scope).map_err(|error| error.to_string())?;
        let body = expansion.body();
        if alone.body(&mut expansion, body, Some(&wanted), true).is_err() {
            tally.limits += 1;
            return Ok(());
        }
        let mut problems: Vec<Diagnostic> = locals.iter().flat_map(|local| local.2.clone()).collect();
        problems.extend(alone.problems);
        let mut values: Vec<(String, Value<'_>)> =
            locals.iter().map(|(name, value, _)| (name.clone(), value.get())).collect();
        values.sort_by(|a, b| a.0.cmp(&b.0));
        let selected: Vec<Item<'_>> =
            alone.items.iter().filter(|(_, wanted)| *wanted).map(|(item, _)| item.clone()).collect();
        let items = alone.items.into_iter().map(|(item, _)| item).collect();
        let alone = Outcome { items, locals: values, problems };
        alike("attribute by attribute", &best, &alone)?;

        if !case.malformed {
            tally.walked += 1;
            walked(&self.functions, &self.names, module, &scope, &best, tally)?;
        }

        let Ok(values) = part.evaluate(&mut self.part, &scope) else {
            tally.limits += 1;
            return Ok(());
        };
        tally.selected += selected.len() as u64;
        let found = outcome(&values);
        let names: HashSet<&str> = found.locals.iter().map(|(name, _)| name.as_str()).collect();
        let spans = wanted_spans(module.document(), &wanted, &names);
        let inside = |found: &Diagnostic| {
            found
                .subject
                .is_some_and(|at| spans.iter().any(|span| span.start <= at.start && at.end <= span.end))
        };
        let problems = alone.problems.iter().filter(|found| inside(found)).cloned().collect();
        let locals = alone.locals.iter().filter(|(name, _)| names.contains(name.as_str())).cloned().collect();
        let expected = Outcome { items: selected, locals, problems };
        alike(&format!("the selection {paths:?}"), &expected, &found)
    }
}

fn outcome<'s>(values: &Values<'s>) -> Outcome<'s> {
    let mut items = Vec::new();
    flatten(values.body(), &mut items);
    let locals = values.locals().map(|(name, value)| (name.to_owned(), value)).collect();
    Outcome { items, locals, problems: values.diagnostics().iter().cloned().collect() }
}

fn flatten<'s>(body: BodyValues<'s>, items: &mut Vec<Item<'s>>) {
    items.extend(body.attributes().map(|(name, value)| Item::Attribute(name, value)));
    for block in body.blocks() {
        if let Some(collection) = block.pending() {
            items.push(Item::Pending(block.kind(), collection));
            continue;
        }
        items.push(Item::Begin(block.kind(), block.labels().collect()));
        flatten(block.body(), items);
        items.push(Item::End);
    }
}

/// Evaluates each local alone, with `local` set to the object of those that it reads. Returns the values and
/// problems in order, and a scope with the object of all.
#[expect(clippy::type_complexity, reason = "a local is its name, its value and its problems")]
fn with_locals(
    module: &Module,
    scope: &Scope,
    session: &mut Session,
) -> Result<(Scope, Vec<(String, OwnedValue, Vec<Diagnostic>)>), Error> {
    let document = module.document();
    let mut scope = scope.fork();
    let mut done: Vec<(String, OwnedValue, Vec<Diagnostic>)> = Vec::new();
    let set = |scope: &mut Scope,
               done: &[(String, OwnedValue, Vec<Diagnostic>)],
               some: &dyn Fn(&str) -> bool| {
        let arena = Arena::new();
        let mut some: Vec<_> = done.iter().filter(|(name, ..)| some(name)).collect();
        some.sort_by_key(|(name, ..)| name);
        let entries: Vec<_> = some.iter().map(|(name, value, _)| arena.entry(name, value.get())).collect();
        scope.set_value("local", Value::object(&arena, arena.slice(&entries)))
    };
    let is_read = document.layout().slot("local").is_some();
    for name in module.locals() {
        let Some(attribute) = attribute_of_local(document, name) else { continue };
        let paths = attribute.referenced_paths();
        let used: HashSet<&str> =
            paths.get("local").iter().flat_map(|need| need.names()).map(|name| name.as_str()).collect();
        if is_read {
            set(&mut scope, &done, &|name| used.contains(name))?;
        }
        let program = attribute.program()?;
        let found = session.evaluate(&program, &scope)?;
        let problems = found.diagnostics.iter().cloned().collect();
        done.push((name.to_owned(), OwnedValue::new(found.marked_value()), problems));
    }
    if is_read {
        set(&mut scope, &done, &|_| true)?;
    }
    Ok((scope, done))
}

fn attribute_of_local<'d>(document: &'d Document, name: &str) -> Option<Attribute<'d>> {
    document.body().blocks_of("locals").find_map(|block| block.attribute(name))
}

/// What is evaluated by an expansion. Every item says whether a selection includes it.
#[derive(Default)]
struct Alone<'s> {
    items: Vec<(Item<'s>, bool)>,
    problems: Vec<Diagnostic>,
}

/// Paths to what a selection includes below a body; `None` for everything.
type Wanted<'p> = Option<Vec<&'p [Option<&'p str>]>>;

fn matches(segment: Option<&str>, name: &str) -> bool {
    segment.is_none_or(|wanted| wanted == name)
}

fn wants_attribute(wanted: &Wanted<'_>, name: &str) -> bool {
    wanted.as_ref().is_none_or(|paths| paths.iter().any(|path| path.len() == 1 && matches(path[0], name)))
}

/// Returns what is wanted in a block; an empty list if nothing is. Labels that are not written match any path.
fn wanted_in<'p>(wanted: &Wanted<'p>, kind: &str, labels: &[Option<&str>]) -> Wanted<'p> {
    let paths = wanted.as_ref()?;
    let names = || std::iter::once(Some(kind)).chain(labels.iter().copied());
    let fitting = paths.iter().filter(|path| {
        path.iter().zip(names()).all(|(segment, name)| name.is_none_or(|name| matches(*segment, name)))
    });
    let mut rests = Vec::new();
    for path in fitting {
        if path.len() <= 1 + labels.len() {
            return None;
        }
        rests.push(&path[1 + labels.len()..]);
    }
    Some(rests)
}

fn is_nothing(wanted: &Wanted<'_>) -> bool {
    wanted.as_ref().is_some_and(Vec::is_empty)
}

impl<'s> Alone<'s> {
    fn body(
        &mut self,
        expansion: &mut Expansion<'s>,
        body: BodyView<'s>,
        wanted: Option<&[Vec<Option<&str>>]>,
        is_file: bool,
    ) -> Result<(), Error> {
        let wanted = wanted.map(|paths| paths.iter().map(Vec::as_slice).collect());
        self.inside(expansion, body, &wanted, is_file)
    }

    fn inside(
        &mut self,
        expansion: &mut Expansion<'s>,
        body: BodyView<'s>,
        wanted: &Wanted<'_>,
        is_file: bool,
    ) -> Result<(), Error> {
        let content = expansion.everything(body)?;
        self.problems.extend(expansion.take_diagnostics().iter().cloned());
        for attribute in &content.attributes {
            let found = expansion.evaluate(*attribute)?;
            self.problems.extend(found.diagnostics.iter().cloned());
            let item = Item::Attribute(attribute.name(), found.marked_value());
            self.items.push((item, wants_attribute(wanted, attribute.name())));
        }
        for block in content.blocks {
            if is_file && block.kind == "locals" && !block.made {
                continue;
            }
            let labels: Vec<Option<&str>> = if block.pending.is_some() {
                labels_of_pending(expansion, &block.body)
            } else {
                block.labels.iter().map(|label| Some(*label).filter(|_| !block.made)).collect()
            };
            let inner = wanted_in(wanted, block.kind, &labels);
            let is_wanted = !is_nothing(&inner);
            if let Some(collection) = block.pending {
                self.items.push((Item::Pending(block.kind, collection), is_wanted));
                continue;
            }
            self.items.push((Item::Begin(block.kind, block.labels), is_wanted));
            self.inside(expansion, block.body, &inner, false)?;
            self.items.push((Item::End, is_wanted));
        }
        Ok(())
    }
}

/// Returns one unknown label for each that a block of a pending dynamic block would have.
fn labels_of_pending<'l>(expansion: &Expansion<'_>, content: &BodyView<'_>) -> Vec<Option<&'l str>> {
    fn count(body: Body<'_>, content: Span) -> Option<usize> {
        body.blocks().find_map(|block| {
            if block.kind() == "dynamic" && block.body().blocks().any(|inner| inner.body().span() == content)
            {
                return Some(labels(block.attribute("labels")));
            }
            count(block.body(), content)
        })
    }
    let count = count(expansion.body().body(), content.body().span()).unwrap_or(0);
    vec![None; count]
}

/// Returns the number of elements of a list that is written in brackets.
fn labels(attribute: Option<Attribute<'_>>) -> usize {
    let Some(attribute) = attribute else { return 0 };
    let text = attribute.expression_span().slice(attribute.document().source().text());
    let parsed = hclvm_compiler::parse_expression(text, &ParseLimits::default());
    match parsed.tree.node(parsed.root) {
        hclvm_compiler::tree::Node::Tuple(items) => items.len(),
        _ => 0,
    }
}

/// Returns the places of everything that a selection evaluates.
fn wanted_spans(document: &Document, wanted: &[Vec<Option<&str>>], locals: &HashSet<&str>) -> Vec<Span> {
    fn collect(body: Body<'_>, wanted: &Wanted<'_>, is_file: bool, spans: &mut Vec<Span>) {
        let attributes = body.attributes().filter(|attribute| wants_attribute(wanted, attribute.name()));
        spans.extend(attributes.map(|attribute| attribute.span()));
        for block in body.blocks().filter(|block| !(is_file && block.kind() == "locals")) {
            if block.kind() == "dynamic" {
                let kind = block.labels().next().unwrap_or("");
                let inner = wanted_in(wanted, kind, &vec![None; labels(block.attribute("labels"))]);
                if is_nothing(&inner) {
                    continue;
                }
                let body = block.body().span();
                spans.extend([block.header_span(), body.empty_at_start()]);
                spans.extend(block.body().blocks().map(|content| content.header_span()));
                spans.extend(block.body().attributes().map(|attribute| attribute.span()));
                for content in block.body().blocks() {
                    collect(content.body(), &inner, false, spans);
                }
            } else {
                let names: Vec<Option<&str>> = block.labels().map(Some).collect();
                let inner = wanted_in(wanted, block.kind(), &names);
                if !is_nothing(&inner) {
                    collect(block.body(), &inner, false, spans);
                }
            }
        }
    }
    let mut spans = Vec::new();
    let paths = Some(wanted.iter().map(Vec::as_slice).collect());
    collect(document.body(), &paths, true, &mut spans);
    let attributes = locals.iter().filter_map(|name| attribute_of_local(document, name));
    spans.extend(attributes.map(|attribute| attribute.span()));
    spans
}

/// Compares a module with the tree-walker.
fn walked(
    functions: &FunctionTable,
    names: &Names,
    module: &Module,
    scope: &Scope,
    expected: &Outcome<'_>,
    tally: &mut ModuleTally,
) -> Result<(), String> {
    let layout = module.document().layout();
    let text: &str = module.document().source().text();
    let parsed = parse_config(text, &ParseLimits::default());
    let environment = Environment {
        layout: Some(layout),
        functions: Some(functions),
        undefined: Undefined::Error,
        short_circuit: true,
        names,
        source: text,
    };
    let walker = FileWalker::new(&parsed.tree, parsed.body, environment);
    let arena = Arena::with_limits(hclvm_vm::Limits::default());
    let given: Vec<Value<'_>> =
        layout.names().iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect();
    let WalkedFile { locals, items, problems } = walker.run(&given, &arena);
    if arena.budget().exhausted().is_some() {
        tally.limits += 1;
        return Ok(());
    }
    let found: Vec<Diagnostic> = problems
        .iter()
        .zip(expected.problems.iter().map(Some).chain(std::iter::repeat(None)))
        .map(|(problem, expected)| {
            let mut found = Diagnostic::error(problem.title.clone(), "", problem.span);
            // The walker compares titles and places. The rest of a problem is added where it is reported.
            if let Some(expected) = expected {
                found.detail.clone_from(&expected.detail);
                found.context = expected.context;
                found = found.coded(expected.code());
            }
            found
        })
        .collect();
    let locals = locals.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    alike("the tree-walker", expected, &Outcome { items, locals, problems: found })
}

/// Returns problems without what depends on how a file is evaluated. A module reads its locals from slots, so
/// that it does not know all of their values by name, but it knows the names of all, of which others see those
/// that are evaluated.
fn without_additions(problems: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut problems = problems.to_vec();
    for problem in &mut problems {
        problem.additions = None;
        if ["Unsupported attribute", "Invalid index"].contains(&&*problem.title) {
            let sentence = problem.detail.split(". ").next().unwrap_or_default().trim_end_matches('.');
            problem.detail = sentence.to_owned().into();
        }
    }
    problems
}

fn alike(way: &str, expected: &Outcome<'_>, found: &Outcome<'_>) -> Result<(), String> {
    let judge = Arena::new();
    let equal_values =
        |a: Value<'_>, b: Value<'_>| same(&judge, a, b) || judge.budget().exhausted().is_some();
    let equal = |(a, b): (&Item<'_>, &Item<'_>)| match (a, b) {
        (Item::Attribute(name, a), Item::Attribute(other, b))
        | (Item::Pending(name, a), Item::Pending(other, b)) => name == other && equal_values(*a, *b),
        (Item::Begin(kind, labels), Item::Begin(other, others)) => kind == other && labels == others,
        (Item::End, Item::End) => true,
        _ => false,
    };
    let items =
        expected.items.len() == found.items.len() && expected.items.iter().zip(&found.items).all(equal);
    let locals = expected.locals.len() == found.locals.len()
        && expected.locals.iter().zip(&found.locals).all(|(a, b)| a.0 == b.0 && equal_values(a.1, b.1));
    if items && locals && without_additions(&expected.problems) == without_additions(&found.problems) {
        return Ok(());
    }
    let mut report = format!("{way}\n");
    let mut tell = |what: &str, expected: Vec<String>, found: Vec<String>| {
        for at in 0..expected.len().max(found.len()) {
            let [expected, found] = [&expected, &found].map(|list| list.get(at).map_or("-", String::as_str));
            if expected != found {
                report.push_str(&[what, "\n  expected ", expected, "\n  found    ", found, "\n"].concat());
            }
        }
    };
    let shown = |outcome: &Outcome<'_>| outcome.items.iter().map(|item| format!("{item:?}")).collect();
    tell("item", shown(expected), shown(found));
    let shown = |outcome: &Outcome<'_>| outcome.locals.iter().map(|local| format!("{local:?}")).collect();
    tell("local", shown(expected), shown(found));
    let shown = |outcome: &Outcome<'_>| outcome.problems.iter().map(|found| format!("{found:?}")).collect();
    tell("problem", shown(expected), shown(found));
    Err(report)
}

fn run(seed: u64, cases: std::ops::Range<u64>, limits: Limits) -> ModuleTally {
    let generated = ModuleCases::new(&functions());
    let (mut bench, mut tally) = (Bench::new(limits), ModuleTally::default());
    let mut differences = 0;
    for number in cases {
        let case = generated.case(seed, number);
        tally.cases += 1;
        if let Err(difference) = bench.check(number, &case, &mut tally) {
            differences += 1;
            if differences <= 5 {
                println!("seed {seed}, case {number}: {difference}\n{}", case.text);
            }
        }
    }
    tally.baseline = bench.together[0].baseline_runs();
    assert_eq!(differences, 0, "seed {seed}: {tally:?}");
    tally
}

#[test]
fn generated_files_give_equal_results_in_every_way() {
    let (cases, seed) = asked_for();
    let tally = run(seed, cases, Limits::default());
    println!("seed {seed}: {tally:?}");
    assert!(tally.rejected * 10 < tally.cases, "too little is compared: {tally:?}");
    assert!(tally.limits * 10 < tally.evaluations, "too little is compared: {tally:?}");
    assert!(tally.baseline * 2 < tally.values, "the fast tier answers too little: {tally:?}");
    assert!(tally.faulty * 5 < tally.evaluations * 4, "nearly everything fails: {tally:?}");
    assert!(tally.selected * 20 > tally.values, "too little is selected: {tally:?}");
}

#[test]
fn limits_change_results_of_files_only_by_ending_the_evaluation() {
    let (cases, seed) = asked_for();
    let few = cases.start..cases.start + (cases.end - cases.start) / 10;
    for fuel in [30, 100, 400] {
        let tally = run(seed + 1, few.clone(), Limits { fuel, ..Limits::default() });
        assert!(tally.limits > 0 && tally.evaluations > 0, "fuel {fuel}: {tally:?}");
    }
    for arena_bytes in [10_000, 40_000] {
        let tally = run(seed + 2, few.clone(), Limits { arena_bytes, ..Limits::default() });
        assert!(tally.evaluations > 0, "{arena_bytes} bytes: {tally:?}");
    }
}
