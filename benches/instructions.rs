//! Instructions and heap allocations of each workload, counted by valgrind, with budgets.
//!
//! Callgrind counts instructions; DHAT counts blocks taken from the C allocator, so those of GMP and
//! MPFR are included. Neither depends on the machine's load, so both have hard limits: exceeding one
//! fails the benchmark. Budgets are given for one evaluation; a figure in the output is for
//! [`ROUND`] evaluations, which use each scope of the workload equally often, after each scope has been
//! evaluated twice without being counted.
//! How long evaluations take is measured by `benches/evaluate.rs`.
//!
//! `cargo bench --bench instructions -- '*for_filter*'`

#![allow(missing_docs, unreachable_pub, reason = "gungraun makes public items without documentation")]

use std::hint::black_box;
use std::sync::Arc;

use gungraun::prelude::*;
use gungraun::{Callgrind, Dhat, DhatMetric, EventKind, LibraryBenchmarkConfig, OutputFormat};
use hclvm::functions::Capabilities;
use hclvm::module::Live;
use hclvm::run::{Projection, RuleSet};
use hclvm::{Dialect, Engine, Layout, Module, Program, Scope, Session};
use hclvm_workloads::changes::{self, FIELDS};
use hclvm_workloads::input::Request;
use hclvm_workloads::subject::{self, Decision, Subject};
use hclvm_workloads::{FLAT, Workload, body, input, requests, rules};
use serde_json::{Map, Value};

/// Number of evaluations that are counted: a multiple of the number of scopes of every workload.
const ROUND: u32 = 64;

/// An allocation counts for a benchmark if the function of the benchmark is on its stack; valgrind's default of
/// twelve frames does not reach that far from within a function of the library.
const WHOLE_STACKS: &str = "--num-callers=500";

/// Returns a configuration that fails above a number of instructions and of allocated blocks for each
/// of `count` evaluations.
fn budgets(count: u32, instructions: u64, allocations: u64) -> LibraryBenchmarkConfig {
    let count = u64::from(count);
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(Callgrind::default().hard_limits([(EventKind::Ir, count * instructions)]));
    config.tool(
        Dhat::with_args([WHOLE_STACKS])
            .format([DhatMetric::TotalBlocks, DhatMetric::TotalBytes])
            .hard_limits([(DhatMetric::TotalBlocks, count * allocations)]),
    );
    config
}

/// Returns the budgets of a workload that allocates nothing: instructions of one evaluation.
fn budget(instructions: u64) -> LibraryBenchmarkConfig {
    budgets(ROUND, instructions, 0)
}

/// Prepares a workload and evaluates it in each of its scopes twice, so that memory has grown and
/// inline caches are filled.
fn warm(name: &str) -> Subject {
    let mut subject = Subject::named(name).expect("it compiles").expect("there is such a workload");
    for turn in 0..2 * subject.scopes.len() {
        subject.evaluate(turn).expect("it evaluates");
    }
    subject
}

/// Evaluates a workload [`ROUND`] times.
// Inlined, so that a loop of its own is compiled for each benchmark function, without a call.
#[inline(always)]
fn round(mut subject: Subject) -> Subject {
    for turn in 0..ROUND as usize {
        subject.evaluate(turn).expect("it evaluates");
    }
    subject
}

// The budgets are a few percent above the present counts.
#[library_benchmark]
#[bench::policy_condition(args = ["policy-condition"], setup = warm, config = budget(322))]
// Objects have their attributes at other indices in each evaluation, so that every inline cache misses.
#[bench::policy_condition_shifting(args = ["policy-condition-shifting"], setup = warm, config = budget(478))]
#[bench::arithmetic(args = ["arithmetic"], setup = warm, config = budget(342))]
#[bench::fractions(args = ["fractions"], setup = warm, config = budget(485))]
#[bench::for_filter(args = ["for-filter"], setup = warm, config = budget(27_500))]
// Arithmetic in the clause, which a bound decides.
#[bench::for_filter_beside(args = ["for-filter-beside"], setup = warm, config = budget(31_500))]
#[bench::object_for(args = ["object-for"], setup = warm, config = budget(26_200))]
#[bench::splat(args = ["splat"], setup = warm, config = budget(1_310))]
#[bench::splat_beside(args = ["splat-beside"], setup = warm, config = budget(8_450))]
#[bench::template(args = ["template"], setup = warm, config = budget(935))]
#[bench::switch(args = ["switch"], setup = warm, config = budget(242))]
// A result of another type than the others; null for texts that the chain does not list.
#[bench::switch_number(args = ["switch-number"], setup = warm, config = budget(242))]
#[bench::switch_null(args = ["switch-null"], setup = warm, config = budget(242))]
#[bench::attribute_body(args = ["attribute-body"], setup = warm, config = budget(52_700))]
#[bench::rule_set(args = ["rule-set"], setup = warm, config = budget(31_000))]
fn evaluate(subject: Subject) -> Subject {
    round(subject)
}

// Results beyond 64 bits, which are computed in 512.
#[library_benchmark]
#[bench::fractions_kept(args = ["fractions-kept"], setup = warm, config = budget(700))]
#[bench::thirds_kept(args = ["thirds-kept"], setup = warm, config = budget(267))]
#[bench::template_beside(args = ["template-beside"], setup = warm, config = budget(1_980))]
#[bench::overflow(args = ["overflow"], setup = warm, config = budget(1_000))]
fn evaluate_long(subject: Subject) -> Subject {
    round(subject)
}

// An element of a long list may cost 15 % more than one of the hundred of `for-filter`.
#[library_benchmark]
#[bench::for_filter_100000(args = ["for-filter-100000"], setup = warm, config = budgets(1, 31_600_000, 0))]
fn evaluate_once(mut subject: Subject) -> Subject {
    subject.evaluate(0).expect("it evaluates");
    subject
}

/// A file of examples with its first scope.
struct File {
    module: Module,
    scope: Scope,
    session: Session,
}

impl File {
    /// Prepares a file. It is specialized for the variables called `known`, if there are any.
    fn new([name, text, scopes]: [&str; 3], known: &[&str]) -> Self {
        let engine = Engine::builder().dialect(Dialect::packer(&Capabilities::none())).build();
        let module = engine.parse(name, text).and_then(|document| document.module()).expect("it compiles");
        let scopes: Vec<Map<String, Value>> = serde_json::from_str(scopes).expect("scopes in JSON");
        let mut variables = scopes.into_iter().next().expect("there is a scope");
        variables.remove("$name");
        let mut scope = module.scope();
        scope.set_all_json(Value::Object(variables).to_string().as_bytes()).expect("it is small");
        let mut first = module.scope();
        for name in known {
            first.set_value(name, scope.get(name).expect("a variable of the scope")).expect("it is small");
        }
        let module = if known.is_empty() { module } else { module.specialize(&first).expect("it compiles") };
        for name in known {
            scope.unset(name);
        }
        let mut session = engine.session();
        for _ in 0..2 {
            assert!(module.evaluate(&mut session, &scope).is_ok_and(|found| found.diagnostics().is_empty()));
        }
        Self { module, scope, session }
    }

    fn whole(file: [&str; 3]) -> Self {
        Self::new(file, &[])
    }

    fn specialized(file: [&str; 3]) -> Self {
        Self::new(file, &["env", "resource"])
    }
}

const AUTHZ: [&str; 3] =
    ["authz", include_str!("../examples/authz/authz.hcl"), include_str!("../examples/authz/scopes.json")];
const GAME: [&str; 3] =
    ["game", include_str!("../examples/game/game.hcl"), include_str!("../examples/game/scopes.json")];

// Whole files: locals, every attribute, dynamic blocks.
#[library_benchmark]
#[bench::module_authz(args = [AUTHZ], setup = File::whole, config = budget(34_000))]
#[bench::module_authz_specialized(args = [AUTHZ], setup = File::specialized, config = budget(25_700))]
#[bench::module_game(args = [GAME], setup = File::whole, config = budget(53_200))]
fn evaluate_file(mut file: File) -> File {
    for _ in 0..ROUND {
        black_box(file.module.evaluate(&mut file.session, black_box(&file.scope)).is_ok());
    }
    file
}

/// A rule set that is searched by its index, and the requests it is searched for in turn.
struct Searched {
    rules: RuleSet,
    scopes: Vec<Scope>,
    session: Session,
}

impl Searched {
    /// Prepares 10,000 rules, whose source text `text` returns.
    fn new(text: fn(usize) -> String) -> Self {
        let engine = Engine::new();
        let document = engine.parse("rules.hcl", &text(rules::RULES)).expect("HCL");
        let rules = document.body().rule_set().expect("it compiles");
        let scopes = requests().into_iter().map(|request| {
            let mut scope = document.scope();
            scope.set_all_json(request.as_str()).expect("it is JSON");
            scope
        });
        let mut searched = Self { rules, scopes: scopes.collect(), session: engine.session() };
        // Memory has grown, and inline caches are filled.
        (0..2 * searched.scopes.len()).for_each(|turn| searched.search(turn));
        searched
    }

    fn search(&mut self, turn: usize) {
        let scope = &self.scopes[turn % self.scopes.len()];
        black_box(self.session.matches(&self.rules, black_box(scope)).is_ok());
    }
}

// Searches of 10,000 rules, of which a fifth has no tests in the mix.
#[library_benchmark]
#[bench::matches(args = [rules::text_of], setup = Searched::new, config = budget(2_500))]
#[bench::matches_mixed(args = [rules::mixed_text], setup = Searched::new, config = budget(279_000))]
fn search(mut searched: Searched) -> Searched {
    for turn in 0..ROUND as usize {
        searched.search(turn);
    }
    searched
}

/// A module of which one variable changes, with scopes that differ in it.
struct Changing {
    live: Live,
    scopes: Vec<Scope>,
    session: Session,
}

impl Changing {
    /// Prepares scopes with other values in the first `fields` fields of a variable.
    fn new(fields: usize) -> Self {
        let engine = Engine::standard();
        let module = engine.parse("x.hcl", &changes::text()).and_then(|document| document.module());
        let module = module.expect("it compiles");
        let mut scope = module.scope();
        scope.set_all_json(&changes::variables()).expect("it is small");
        let scopes = (0..10).map(|round| {
            let mut scope = scope.fork();
            scope.set_json("v0", &changes::first(fields, round)).expect("it is small");
            scope
        });
        let scopes: Vec<Scope> = scopes.collect();
        let (mut live, mut session) = (module.follow(engine.session()), engine.session());
        // Updates of several rounds, after which what changes is linked.
        for scope in scopes.iter().cycle().take(10 * scopes.len()) {
            live.update(scope).expect("it evaluates");
            assert!(module.evaluate(&mut session, scope).is_ok_and(|found| found.diagnostics().is_empty()));
        }
        Self { live, scopes, session }
    }
}

// A variable of 20 changes, of which 6 % of the results depend; in comparison with an evaluation of the module.
#[library_benchmark]
// The region of kept values grows once in many updates.
#[bench::live_field(args = (1), setup = Changing::new, config = budgets(1, 64 * 18_000, 1))]
#[bench::live_fields(args = (FIELDS), setup = Changing::new, config = budgets(1, 64 * 36_000, 1))]
fn update(mut changing: Changing) -> Changing {
    for scope in changing.scopes.iter().cycle().take(ROUND as usize) {
        black_box(changing.live.update(black_box(scope)).is_ok());
    }
    changing
}

#[library_benchmark]
#[bench::live_whole(args = (1), setup = Changing::new, config = budget(97_900))]
fn evaluate_changing(mut changing: Changing) -> Changing {
    let module = changing.live.module().clone();
    for scope in changing.scopes.iter().cycle().take(ROUND as usize) {
        black_box(module.evaluate(&mut changing.session, black_box(scope)).is_ok());
    }
    changing
}

fn warm_engine() -> (Engine, String) {
    let (engine, text) = (Engine::standard(), body::text());
    for _ in 0..2 {
        subject::compile(&engine, &text).expect("it compiles");
    }
    (engine, text)
}

#[library_benchmark]
#[bench::compile(setup = warm_engine, config = budgets(1, 1_110_000, 44))]
fn compile((engine, text): (Engine, String)) -> (Engine, String) {
    subject::compile(black_box(&engine), black_box(&text)).expect("it compiles");
    (engine, text)
}

/// Prepares the text of one expression, which is compiled alone.
fn warm_expression(workload: Workload) -> (Engine, Arc<Layout>, String) {
    let (engine, text) = (Engine::standard(), workload.text());
    let first: Map<String, Value> = serde_json::from_str(&workload.scopes()[0]).expect("an object");
    let layout = Arc::new(Layout::new(first.keys()));
    for _ in 0..2 {
        engine.compile(&text, &layout).expect("it compiles");
    }
    (engine, layout, text)
}

#[library_benchmark]
#[bench::policy_condition(args = (Workload::PolicyCondition), setup = warm_expression, config = budgets(1, 23_500, 26))]
#[bench::template(args = (Workload::Template), setup = warm_expression, config = budgets(1, 21_550, 28))]
fn compile_expression((engine, layout, text): (Engine, Arc<Layout>, String)) -> impl Sized {
    drop(engine.compile(black_box(&text), &layout).expect("it compiles"));
    (engine, layout, text)
}

/// Sets a request and decides it.
type Decide<R> = fn(&mut Decision, &R) -> Result<Option<bool>, hclvm::Error>;

/// Prepares `json-decision`: a decision, its requests, and how they are set. Both rounds that precede
/// the counted one have equal requests.
fn requested<R>(
    decision: Result<Decision, hclvm::Error>,
    requests: Vec<R>,
    decide: Decide<R>,
) -> (Decision, Vec<R>, Decide<R>) {
    let mut decision = decision.expect("it compiles");
    for request in requests.iter().chain(&requests) {
        decide(&mut decision, request).expect("it evaluates");
    }
    (decision, requests, decide)
}

fn projected() -> (Decision, Vec<String>, Decide<String>) {
    requested(Decision::new(), requests(), |decision, request| decision.decide(request))
}

fn whole() -> (Decision, Vec<String>, Decide<String>) {
    requested(Decision::of_everything(), requests(), |decision, request| decision.decide(request))
}

#[library_benchmark]
#[bench::json(setup = projected, config = budget(7_750))]
// Without a projection: all of a request becomes values.
#[bench::json_whole(setup = whole, config = budget(14_950))]
fn decide_text(prepared: (Decision, Vec<String>, Decide<String>)) -> impl Sized {
    decide(prepared)
}

/// A program, a scope that takes in what it reads, and the texts it is set from in turn.
struct Setting {
    program: Program,
    scope: Scope,
    texts: Vec<String>,
    session: Session,
}

impl Setting {
    /// Prepares a workload. Both rounds that precede the counted one have equal texts.
    fn of(workload: Workload) -> Self {
        let (engine, texts) = (Engine::standard(), workload.scopes());
        let first: Map<String, Value> = serde_json::from_str(&texts[0]).expect("an object");
        let layout = Arc::new(Layout::new(first.keys()));
        let program = engine.compile(&workload.text(), &layout).expect("it compiles");
        let scope = engine.projection([&program]).expect("a program of the engine").scope();
        let mut setting = Self { program, scope, texts, session: engine.session() };
        (0..2 * setting.texts.len()).for_each(|turn| setting.evaluate(turn));
        setting
    }

    // Inlined, as `round`.
    #[inline(always)]
    fn evaluate(&mut self, turn: usize) {
        let text = &self.texts[turn % self.texts.len()];
        self.scope.set_all_json(black_box(text)).expect("it is JSON");
        black_box(self.session.run(&self.program, &self.scope).is_ok());
    }
}

#[library_benchmark]
#[bench::arithmetic_json(args = (Workload::Arithmetic), setup = Setting::of, config = budget(1_590))]
#[bench::template_json(args = (Workload::Template), setup = Setting::of, config = budget(3_880))]
// Numbers of more than 18 digits allocate while they are parsed.
#[bench::for_filter_json(args = (Workload::ForFilter), setup = Setting::of, config = budgets(ROUND, 161_600, 1))]
fn set_text(mut setting: Setting) -> Setting {
    for turn in 0..ROUND as usize {
        setting.evaluate(turn);
    }
    setting
}

fn through_serde() -> (Decision, Vec<Request>, Decide<Request>) {
    requested(Decision::new(), input::requests(), Decision::decide_by_serde)
}

fn records() -> (Decision, Vec<Request>, Decide<Request>) {
    requested(Decision::new(), input::requests(), Decision::decide_by_records)
}

#[library_benchmark]
#[bench::through_serde(setup = through_serde, config = budget(5_700))]
#[bench::records(setup = records, config = budget(3_750))]
fn decide_struct(prepared: (Decision, Vec<Request>, Decide<Request>)) -> impl Sized {
    decide(prepared)
}

fn decide<R>((mut decision, requests, decide): (Decision, Vec<R>, Decide<R>)) -> impl Sized {
    for request in &requests {
        decide(&mut decision, black_box(request)).expect("it evaluates");
    }
    (decision, requests)
}

/// What scopes are made of: a projection, texts of requests, and room for the scopes.
type Kept = (Projection, Vec<String>, Vec<Scope>);

fn kept(text: &str) -> Kept {
    let engine = Engine::standard();
    let layout = Arc::new(Layout::new(["user", "request", "resource"]));
    let program = engine.compile(text, &layout).expect("it compiles");
    let projection = engine.projection([&program]).expect("a program of the engine");
    (projection, requests(), Vec::with_capacity(ROUND as usize))
}

// A scope for each request, all of which are kept.
#[library_benchmark]
#[bench::keep_scopes(args = (FLAT), setup = kept, config = budgets(ROUND, 11_000, 4))]
fn keep_scopes((projection, requests, mut scopes): Kept) -> Kept {
    for request in &requests {
        let mut scope = projection.scope();
        scope.set_all_json(black_box(request)).expect("it is JSON");
        scopes.push(scope);
    }
    (projection, requests, scopes)
}

// The same from one scope that is set for each request, of which packed copies are kept.
#[library_benchmark]
#[bench::pack_scopes(args = (FLAT), setup = kept, config = budgets(ROUND, 10_400, 5))]
fn pack_scopes((projection, requests, mut scopes): Kept) -> Kept {
    let mut scope = projection.scope();
    for request in &requests {
        scope.set_all_json(black_box(request)).expect("it is JSON");
        scopes.push(scope.packed());
    }
    (projection, requests, scopes)
}

library_benchmark_group!(
    name = workloads,
    benchmarks = [
        evaluate,
        evaluate_long,
        evaluate_once,
        evaluate_file,
        search,
        update,
        evaluate_changing,
        compile,
        compile_expression,
        decide_text,
        set_text,
        decide_struct,
        keep_scopes,
        pack_scopes
    ]
);

main!(
    config =
        LibraryBenchmarkConfig::default().output_format(OutputFormat::default().truncate_description(None)),
    library_benchmark_groups = workloads
);
