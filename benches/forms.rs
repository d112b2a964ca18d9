//! Expressions as people write them, beside the project's own tree-walker: the time of each in both, and their ratio by
//! group.
//!
//! `cargo bench --bench forms` measures the expressions below. `cargo bench --bench forms -- FORMS SCOPES [TEXT]`
//! measures those of a file, an expression a line below lines that name groups (`# func`), in scopes that another file
//! holds, a JSON object a line; of them the expressions that contain `TEXT`.

#![expect(clippy::print_stdout, reason = "the table is the output of this program")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use hclvm::functions::FunctionTable;
use hclvm::value::Arena;
use hclvm::{Dialect, Engine, Layout, Scope, Undefined, Value};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_treewalk::Walker;
use hclvm_vm::{Limits, Names};

type Failure = Box<dyn std::error::Error>;

/// Measurements of an expression, of which the shortest counts.
const ROUNDS: usize = 7;
/// The length of a measurement.
const ROUND: Duration = Duration::from_millis(3);

const FORMS: &str = r#"
# path
user["role"] == "admin"
[for s in servers : s.tags["env"]]
lookup(user, "role", "x")
user.manager == null ? "none" : user.manager.name
flag ? words : []
# arith
floor(f * 100 + 0.5) / 100
max(a, b * 2, c + 1)
[for x in nums : max(x, 50)]
[for x in nums : pow(x, 2)]
sum(nums)
nums == others
# text
startswith(user.name, "user-")
can(regex("^user-[0-9]+$", user.name))
join(",", words)
split("-", user.name)
format("%s-%03d", user.name, a)
trimprefix(user.name, "user-")
replace(user.name, "-", "_")
"${join(":", [user.name, user.role])}"
# collection
element(words, 3)
length(words)
contains(words, "w7")
distinct(words)
keys(user.tags)
merge(user.tags, {x = 1})
coalesce(user.manager, user.name)
{(user.role) = a}
concat(nums, others)
"#;

fn scopes() -> Vec<String> {
    let of = |seed: u64| {
        let words: Vec<String> = (0..100).map(|at| format!("w{}", (at * 7 + seed) % 20)).collect();
        let nums: Vec<u64> = (0..100).map(|at| (at * 13 + seed) % 97).collect();
        let servers: Vec<_> = (0..100)
            .map(|at| serde_json::json!({"tags": {"env": if at % 3 == 0 { "prod" } else { "dev" }}}))
            .collect();
        let tags = serde_json::json!({"team": "core", "env": "prod"});
        let user = serde_json::json!({"name": format!("user-{seed}"), "role": "editor", "manager": null, "tags": tags});
        serde_json::json!({
            "a": 100 + seed, "b": 7, "c": 3, "f": 0.1, "flag": seed.is_multiple_of(2),
            "user": user, "words": words, "nums": nums, "others": nums, "servers": servers,
        })
        .to_string()
    };
    (0..8).map(of).collect()
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (forms, scopes) = match (arguments.next(), arguments.next()) {
        (Some(forms), Some(scopes)) => {
            let scopes = std::fs::read_to_string(scopes)?.lines().map(str::to_owned).collect();
            (std::fs::read_to_string(forms)?, scopes)
        }
        _ => (FORMS.to_owned(), scopes()),
    };
    let wanted = arguments.next().unwrap_or_default();
    let bench = Bench::new(&scopes)?;
    let mut groups: Vec<(String, Vec<f64>)> = Vec::new();
    println!("{:>10} {:>10} {:>7}", "ns", "walker ns", "ratio");
    for line in forms.lines().filter(|line| !line.is_empty()) {
        if let Some(group) = line.strip_prefix("# ") {
            groups.push((group.to_owned(), Vec::new()));
        } else if line.contains(&wanted) {
            match bench.measure(line) {
                Ok((ours, walker)) => {
                    println!("{ours:>10.1} {walker:>10.1} {:>7.2}  {line}", walker / ours);
                    groups.last_mut().ok_or("a form without a group")?.1.push(walker / ours);
                }
                Err(error) => println!("{:>29}  {line}: {error}", "-"),
            }
        }
    }
    let all = ("all".to_owned(), groups.iter().flat_map(|(_, ratios)| ratios.clone()).collect());
    println!("\n{:<12} {:>5} {:>15} {:>8}", "group", "forms", "geometric mean", "below 3");
    for (group, ratios) in groups.iter().chain([&all]).filter(|(_, ratios)| !ratios.is_empty()) {
        let count: f64 = ratios.iter().map(|_| 1.0).sum();
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count).exp();
        let below = ratios.iter().filter(|ratio| **ratio < 3.0).count();
        println!("{group:<12} {:>5} {mean:>15.2} {below:>8}", ratios.len());
    }
    Ok(())
}

/// The scopes, and what both evaluators need.
struct Bench<'s> {
    engine: Engine,
    layout: Arc<Layout>,
    functions: FunctionTable,
    texts: &'s [String],
}

impl<'s> Bench<'s> {
    fn new(texts: &'s [String]) -> Result<Self, Failure> {
        let functions = hclvm::functions::opentofu();
        let engine = Engine::builder().dialect(Dialect::with_functions(functions.clone())).build();
        let first: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(texts.first().ok_or("no scope")?)?;
        Ok(Self { engine, layout: Arc::new(Layout::new(first.keys())), functions, texts })
    }

    /// Returns the nanoseconds of an expression, and those of the tree-walker.
    fn measure(&self, text: &str) -> Result<(f64, f64), Failure> {
        let program = self.engine.compile(text, &self.layout)?;
        let mut scopes = Vec::new();
        for text in self.texts {
            let mut scope = self.engine.scope(&self.layout);
            scope.set_all_json(text.as_str())?;
            scopes.push(scope);
        }
        let parsed = parse_expression(text, &ParseLimits::default());
        let names = Names::default();
        let environment = Environment {
            layout: Some(&self.layout),
            functions: Some(&self.functions),
            undefined: Undefined::Error,
            short_circuit: true,
            names: &names,
            source: text,
        };
        let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
        let slots: Vec<Vec<Value<'_>>> = scopes.iter().map(|scope| slots(scope, &self.layout)).collect();

        let mut session = self.engine.session();
        let mut arena = Arena::with_limits(Limits::default());
        for (scope, slots) in scopes.iter().zip(&slots) {
            let expected = walker.run(slots, &arena);
            let found = session.run(&program, scope)?.to_string();
            if !expected.faults.is_empty() || found != expected.value.to_string() {
                return Err("the results differ".into());
            }
        }
        let mut times = [f64::INFINITY; 2];
        for _ in 0..ROUNDS {
            let [ours, walked] = &mut times;
            *ours = ours.min(nanoseconds(|turn| {
                let scope = &scopes[turn % scopes.len()];
                black_box(session.run(&program, scope)).is_ok()
            }));
            *walked = walked.min(nanoseconds(|turn| {
                arena.reset();
                black_box(walker.run(&slots[turn % slots.len()], &arena)).faults.is_empty()
            }));
        }
        Ok((times[0], times[1]))
    }
}

/// Returns the values of a scope by slot.
fn slots<'s>(scope: &'s Scope, layout: &Layout) -> Vec<Value<'s>> {
    layout.names().iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect()
}

/// Returns the nanoseconds of a call, without those in which another thread had the processor.
fn nanoseconds(mut call: impl FnMut(usize) -> bool) -> f64 {
    let (begin, mut turns) = (on_processor(), 0_u32);
    loop {
        for _ in 0..16 {
            assert!(call(turns as usize), "it succeeded before");
            turns += 1;
        }
        let time = on_processor().saturating_sub(begin);
        if time > ROUND {
            return time.as_secs_f64() * 1e9 / f64::from(turns);
        }
    }
}

/// Returns the time that this thread has had the processor.
fn on_processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
