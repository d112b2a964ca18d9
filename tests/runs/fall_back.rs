//! The fast tier falls back where a value is not plain: results of host functions in each position of an
//! expression, and variables that are missing, unknown or marked, in scopes of every size. What it spent is
//! given back.

use std::sync::Arc;

use hclvm::run::Tier;
use hclvm::value::{Arena, marks_from};
use hclvm::{Engine, Layout, Limits, Program, Scope, Session, Type, Undefined, Value};
use hclvm_compiler::lower::Environment;
use hclvm_compiler::tree::NodeId;
use hclvm_compiler::{ParseLimits, parse_expression};
use hclvm_treewalk::Walker;
use hclvm_vm::ops::equality::same;
use hclvm_vm::{Accepts, Function, Names, Parameter};

/// What a function returns instead of a plain value.
#[derive(Clone, Copy, Debug)]
enum Special {
    Null,
    Unknown,
    Marked,
    /// A collection with an unknown part.
    Inside,
}

/// Creates a function that returns a special value for plain arguments. Impure, so that it is not folded.
fn special(name: &str, what: Special, ty: Type<'static>) -> Function {
    let any = Parameter::new("value", Type::Dynamic).accepting(Accepts::PLAIN.null());
    Function::new(name, [any], ty, move |arena, args, ty| {
        Ok(match what {
            Special::Null => Value::null(arena, ty),
            Special::Unknown => Value::unknown_of(arena, ty),
            Special::Marked => Value::TRUE.with_marks(arena, marks_from(arena, &["sensitive"])),
            Special::Inside => {
                Value::tuple(arena, arena.slice(&[args[0], Value::unknown_of(arena, Type::Number)]))
            }
        })
    })
    .refined(None)
    .impure()
}

const POSITIONS: &[&str] = &[
    "F(n)",
    "F(n) == \"a\"",
    "\"a\" == F(n)",
    "F(n) == n",
    "F(n) == null",
    "F(n) != F(n)",
    "F(n) == null ? 1 : 2",
    "F(n) ? 1 : 2",
    "!F(n)",
    "F(n) + 1",
    "1 + F(n)",
    "n * F(n)",
    "-F(n)",
    "F(n) < 3",
    "n >= F(n)",
    "F(n) * 1.5 > 2",
    "F(n) && true",
    "true && F(n)",
    "n > 1 && F(n)",
    "n > 9 && F(n)",
    "F(n) || n > 1",
    "n > 1 || F(n)",
    "n > 1 ? F(n) : 2",
    "n > 9 ? F(n) : 2",
    "n > 1 ? F(n) : F(2)",
    "n > 1 ? \"x\" : F(n)",
    "n > 1 ? [F(n)] : [1]",
    "F(n) == \"a\" ? 1 : F(n) == \"b\" ? 2 : F(n) == \"c\" ? 3 : F(n) == \"d\" ? 4 : 5",
    "s == \"a\" ? F(n) : s == \"b\" ? F(n) : s == \"c\" ? F(n) : s == \"d\" ? F(n) : F(n)",
    "upper(F(n))",
    "max(F(n), 2)",
    "max(2, F(n))",
    "length(F(n))",
    "contains([1, 2], F(n))",
    "contains([F(n)], n)",
    "coalesce(F(n), \"z\")",
    "F(F(n))",
    "[F(n)]",
    "[n, F(n), n]",
    "{a = F(n)}",
    "{a = n, b = F(n)}",
    "{(F(n)) = 1}",
    "[F(n)][0]",
    "{a = F(n)}.a",
    "l[F(n)]",
    "F(n)[0]",
    "F(n)[1]",
    "F(n).a",
    "F(n)[*]",
    "F(n)[*].a",
    "[{a = F(n)}, {a = 1}][*].a",
    "[for x in F(n) : x]",
    "[for x in l : F(x)]",
    "[for x in l : [F(x)]]",
    "[for x in l : F(x) + 1]",
    "[for x in l : x if F(x)]",
    "[for x in l : x if F(x) == n]",
    "[for x in os : F(x.v)]",
    "[for x in os : x.v if F(x.v)]",
    "{for x in l : F(x) => x}",
    "{for x in l : \"k${x}\" => F(x)}",
    "{for x in l : \"k\" => F(x)...}",
    "{for x in l : F(x) => x...}",
    "{for i, x in l : i => {a = F(x)}}",
    "\"${F(n)}\"",
    "\"a${F(n)}b\"",
    "\"${n}${F(n)}\"",
    "\"%{ for x in l }${F(x)},%{ endfor }\"",
    "\"%{ for x in l }${x}${F(x)}%{ endfor }\"",
    "\"%{ for x in F(n) }y%{ endfor }\"",
    "\"x%{ if F(n) }a%{ else }b%{ endif }\"",
    "try(F(n), 7)",
    "try([F(n)], 7)",
    "try(F(n).a, 7)",
    "try(F(n) + 1, 7)",
    "try(nosuch, F(n))",
    "try(\"${F(n)}\", 7)",
    "try([for x in l : F(x)], 7)",
    "can(F(n))",
    "can(F(n).a)",
    "can(F(n) + 1)",
    "can([for x in l : F(x)])",
];

const NAMES: [&str; 4] = ["n", "s", "l", "os"];

fn written(program: &Program, session: &mut Session, scope: &Scope) -> String {
    let found = session.evaluate(program, scope).expect("it is small");
    format!("{:?} {}", found.value, found.diagnostics)
}

#[test]
fn special_results_of_host_functions_are_handled_in_each_position() {
    for what in [Special::Null, Special::Unknown, Special::Marked, Special::Inside] {
        for ty in [Type::Bool, Type::String, Type::Number, Type::Dynamic] {
            // A function of a fixed primitive type has no parts and does not mark its results.
            if matches!(what, Special::Inside | Special::Marked) && !ty.is_dynamic() {
                continue;
            }
            let mut table = hclvm::functions::standard();
            table.insert("F", special("F", what, ty));
            let engine = Engine::builder().functions(table.clone()).build();
            let layout = Arc::new(Layout::new(NAMES));
            let mut scope = engine.scope(&layout);
            scope
                .set_all_json(br#"{"n": 2, "s": "c", "l": [1, 2, 3], "os": [{"v": 1}, {"v": 2}]}"#)
                .expect("JSON");
            let [mut best, mut baseline] = [(); 2].map(|()| engine.session());
            baseline.set_tier(Tier::Baseline);
            for text in POSITIONS {
                let program = engine.compile(text, &layout).expect("it compiles");
                let expected = written(&program, &mut baseline, &scope);
                assert_eq!(written(&program, &mut best, &scope), expected, "{text}, {what:?} {ty:?}");
                let parsed = parse_expression(*text, &ParseLimits::default());
                let environment = Environment {
                    layout: Some(&layout),
                    functions: Some(&table),
                    undefined: Undefined::Error,
                    short_circuit: true,
                    names: &Names::default(),
                    source: text,
                };
                let walker = Walker::new(&parsed.tree, NodeId(0), parsed.root, environment);
                let values: Vec<Value<'_>> =
                    NAMES.iter().map(|name| scope.get(name).unwrap_or(Value::UNSET)).collect();
                let (arena, judge) = (Arena::new(), Arena::new());
                let walked = walker.run(&values, &arena);
                let found = best.evaluate(&program, &scope).expect("it is small");
                assert!(same(&judge, walked.value, found.value), "{text}, {what:?} {ty:?}");
                assert_eq!(walked.faults.len(), found.diagnostics.iter().count(), "{text}, {what:?} {ty:?}");
            }
        }
    }
}

/// The numbers of variables around the sizes of register files, of the padding of scopes, of the bit set of
/// slots and of register numbers.
const SIZES: &[usize] =
    &[1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 62, 63, 64, 65, 66, 127, 128, 129, 255, 256, 257, 300];

struct Slots {
    engine: Engine,
    layout: Arc<Layout>,
    size: usize,
    sessions: [Session; 2],
}

impl Slots {
    fn new(size: usize) -> Self {
        let engine = Engine::standard();
        let layout = Arc::new(Layout::new((0..size).map(|at| format!("v{at:03}"))));
        let [best, mut baseline] = [(); 2].map(|()| engine.session());
        baseline.set_tier(Tier::Baseline);
        Self { engine, layout, size, sessions: [best, baseline] }
    }

    fn scope(&self) -> Scope {
        let mut scope = self.engine.scope(&self.layout);
        (0..self.size).for_each(|at| scope.set(&format!("v{at:03}"), &(at + 1)).expect("a number"));
        scope
    }

    /// Asserts the result on both tiers: `{:?}` of the value, or the title of the first error.
    fn check(&mut self, program: &Program, scope: &Scope, expected: &str) {
        for session in &mut self.sessions {
            let found = match session.run(program, scope) {
                Ok(value) => format!("{value:?}"),
                Err(error) => {
                    let diagnostics = error.diagnostics().expect("no limit is exceeded");
                    diagnostics.iter().next().map_or_else(String::new, |first| first.title.to_string())
                }
            };
            assert_eq!(found, expected, "{} of {}", program.source().text(), self.size);
        }
    }
}

#[test]
fn marks_of_what_a_known_condition_rules_out_are_marks_of_the_result() {
    let mut slots = Slots::new(3);
    let plain = slots.scope();
    let mut marked = plain.fork();
    marked
        .build("v001", |arena| Ok(Value::int(1).with_marks(arena, marks_from(arena, &["m"]))))
        .expect("it is small");
    for (text, known) in [
        ("true ? 9 : v000 + v001", "9"),
        ("(false || true) ? 9 : v000 + v001", "9"),
        ("(true && !false) ? 9 : v001 + 1", "9"),
        ("[false && v001 == 1][0]", "false"),
        ("[true || v001 == 1, 2][0]", "true"),
        ("\"${false && true ? v001 + 1 : 9}.\"", "\"9.\""),
    ] {
        let program = slots.engine.compile(text, &slots.layout).expect("HCL");
        slots.check(&program, &plain, known);
        slots.check(&program, &marked, "(marked)");
    }
}

#[test]
fn a_variable_that_is_unset_unknown_or_marked_is_noticed_in_every_slot() {
    for size in SIZES {
        let mut slots = Slots::new(*size);
        let mut scope = slots.scope();
        for at in [0, size / 2, size - 1] {
            let name = format!("v{at:03}");
            let compile =
                |text: &str| slots.engine.compile(&text.replace('V', &name), &slots.layout).expect("HCL");
            let programs = [
                (compile("V"), format!("{}", at + 1), "unknown(dynamic)"),
                (compile("V > 0"), "true".to_owned(), "unknown(bool)"),
                (compile("V + 1"), format!("{}", at + 2), "unknown(number)"),
                (compile("V == 0 ? \"a\" : \"b\""), "\"b\"".to_owned(), "unknown(string)"),
                (compile("[V, V][1]"), format!("{}", at + 1), "unknown(dynamic)"),
                (compile("\"${V}.\""), format!("\"{}.\"", at + 1), "unknown(string)"),
            ];
            for (program, known, unknown) in &programs {
                slots.check(program, &scope, known);
                let whole = scope.fork();
                scope.unset(&name);
                slots.check(program, &scope, "Unknown variable");
                slots.check(program, &whole, known);
                slots.check(program, &scope.fork(), "Unknown variable");
                scope.set(&name, &(at + 1)).expect("a number");
                slots.check(program, &scope, known);
                scope.set_unknown(&name);
                slots.check(program, &scope, unknown);
                scope.unset(&name);
                slots.check(program, &scope, "Unknown variable");
                scope
                    .build(&name, |arena| Ok(Value::int(1).with_marks(arena, marks_from(arena, &["m"]))))
                    .expect("it is small");
                slots.check(program, &scope, "(marked)");
                let mut again = whole.fork();
                slots.check(program, &again, known);
                again.clone_from(&scope);
                slots.check(program, &again, "(marked)");
                again.clone_from(&whole);
                slots.check(program, &again, known);
                scope.set(&name, &(at + 1)).expect("a number");
                slots.check(program, &scope, known);
            }
        }
    }
}

#[test]
fn a_variable_that_is_set_does_not_hide_that_others_are_not() {
    let mut slots = Slots::new(70);
    let name = |at: usize| format!("v{at:03}");
    let programs: Vec<Program> =
        (0..70).map(|at| slots.engine.compile(&name(at), &slots.layout).expect("HCL")).collect();
    for at in [0, 1, 61, 62, 63, 64, 65, 69] {
        for known in [true, false] {
            let mut scope = slots.engine.scope(&slots.layout);
            if known {
                scope.set(&name(at), &1).expect("a number");
            } else {
                scope.set_unknown(&name(at));
            }
            for (other, program) in programs.iter().enumerate() {
                let set = if known { "1" } else { "unknown(dynamic)" };
                slots.check(program, &scope, if other == at { set } else { "Unknown variable" });
            }
        }
    }
}

#[test]
fn programs_read_any_number_of_variables_and_need_any_number_of_registers() {
    for size in SIZES {
        let mut slots = Slots::new(*size);
        let scope = slots.scope();
        let names: Vec<String> = (0..*size).map(|at| format!("v{at:03}")).collect();
        let sum: usize = (1..=*size).sum();
        let digits: Vec<String> = (1..=*size).map(|at| at.to_string()).collect();
        let parts: Vec<String> = names.iter().map(|name| format!("${{{name}}}")).collect();
        let conditions: Vec<String> = names.iter().map(|name| format!("{name} > 0")).collect();
        let next: Vec<String> = names.iter().map(|name| format!("{name} + 1")).collect();
        // Each sum needs a register while the rest is computed.
        let nested =
            names.iter().rev().take(60).fold("0".to_owned(), |rest, name| format!("(({name} + 1) + {rest})"));
        let of_nested: usize = (1..=*size).rev().take(60).map(|number| number + 1).sum();
        for (text, expected) in [
            (names.join(" + "), sum.to_string()),
            (format!("\"{}.\" == \"{}.\"", parts.concat(), digits.concat()), "true".to_owned()),
            (conditions.join(" && "), "true".to_owned()),
            (format!("!({})", conditions.join(" && ")), "false".to_owned()),
            (format!("length([{}])", next.join(", ")), size.to_string()),
            (format!("[{}][{}]", next.join(", "), size - 1), (size + 1).to_string()),
            (format!("max({})", next.join(", ")), (size + 1).to_string()),
            (nested, of_nested.to_string()),
        ] {
            let program = slots.engine.compile(&text, &slots.layout).expect("it compiles");
            slots.check(&program, &scope, &expected);
        }
    }
}

/// Returns the least fuel with which the module is evaluated.
fn least_fuel(text: &str, tier: Tier) -> u64 {
    let (mut too_little, mut enough) = (0, 1 << 20);
    while enough - too_little > 1 {
        let middle = u64::midpoint(too_little, enough);
        let engine = Engine::builder().limits(Limits { fuel: middle, ..Limits::default() }).build();
        if evaluates(&engine, text, tier) { enough = middle } else { too_little = middle }
    }
    enough
}

fn evaluates(engine: &Engine, text: &str, tier: Tier) -> bool {
    let module = engine.parse("x.hcl", text).expect("HCL").module().expect("a module");
    let mut scope = module.scope();
    scope.set("l", &(0..2_000).collect::<Vec<u32>>()).expect("a list");
    scope.set_unknown("u");
    let mut session = engine.session();
    session.set_tier(tier);
    match module.evaluate(&mut session, &scope) {
        Ok(_) => true,
        Err(error) => {
            assert!(error.is_limit(), "{error}");
            false
        }
    }
}

#[test]
fn fuel_is_given_back_after_a_fallback() {
    let text = "a = [for x in [for x in l : x + 1] : x == 1999 ? u : x]";
    let alone = least_fuel(text, Tier::Baseline);
    let after = least_fuel(text, Tier::Best);
    assert!(after <= alone, "{after} after the fast tier, {alone} alone");
    let twice = least_fuel(&format!("{text}\nb = [for x in l : x == 1999 ? u : x]"), Tier::Best);
    let both = least_fuel(&format!("{text}\nb = [for x in l : x == 1999 ? u : x]"), Tier::Baseline);
    assert!(twice <= both, "{twice} after the fast tier, {both} alone");
}

#[test]
fn memory_is_given_back_after_a_fallback_up_to_twice_the_limit() {
    // Each attribute takes room for 2,000 values in the fast tier, which then meets the unknown value, and hardly
    // any in the baseline tier.
    let module = |count: usize| {
        let attribute = |at| format!("a{at} = [length([for x in l : x if x < 0]), u + 1][0]\n");
        (0..count).map(attribute).collect::<Vec<String>>().concat()
    };
    let engine = Engine::builder().limits(Limits { arena_bytes: 256 << 10, ..Limits::default() }).build();
    assert!(evaluates(&engine, &module(12), Tier::Best), "more than the limit is given back");
    assert!(evaluates(&engine, &module(100), Tier::Baseline));
    assert!(!evaluates(&engine, &module(100), Tier::Best), "at most twice the limit is given back");
}
