//! Explanations and coverage have together the limits of one evaluation, and its deadline and flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use allocation_counter::measure;
use hclvm::diagnostics::Exhausted;
use hclvm::functions::standard;
use hclvm::policy::PolicySpec;
use hclvm::run::Cancel;
use hclvm::{Engine, Limits, Module, function};

use super::limit;

fn module(limits: Limits, text: &str) -> Module {
    let engine = Engine::builder().limits(limits).build();
    engine.parse("x.hcl", text).expect("HCL").module().expect("a module")
}

/// Dynamic blocks that make 20 blocks each.
fn dynamics(count: usize) -> String {
    "dynamic \"b\" {\n  for_each = range(20)\n  content {\n    v = b.value > 3\n  }\n}\n".repeat(count)
}

/// Dynamic blocks in each other, which make two blocks each.
fn nested(depth: usize) -> String {
    let open = "dynamic \"b\" {\nfor_each = [1, 2]\ncontent {\nv = b.value > 1\n".repeat(depth);
    open + &"}\n}\n".repeat(depth)
}

#[test]
fn blocks_of_dynamic_blocks_keep_no_values() {
    let unwanted = |count: usize| {
        let module = module(Limits::untrusted(), &dynamics(count));
        let (mut session, scope) = (module.document().engine().session(), module.scope());
        let taken = measure(|| {
            let whys = module.why(&mut session, &scope, |_, _| false).expect("within the limits");
            assert!(whys.is_empty());
        });
        taken.bytes_total
    };
    let (once, twice) = (unwanted(60), unwanted(120));
    assert!(twice <= once * 5 / 2, "{once} bytes, for twice the blocks {twice}");
}

#[test]
fn explanations_exceed_the_memory_limit() {
    for text in [dynamics(50), nested(9)] {
        let limits = Limits { arena_bytes: 400_000, ..Limits::untrusted() };
        let module = module(limits, &text);
        let (mut session, scope) = (module.document().engine().session(), module.scope());
        assert!(module.evaluate(&mut session, &scope).is_ok());
        let error = module.why(&mut session, &scope, |_, _| true).expect_err("a thousand explanations");
        assert_eq!(limit(&error), Exhausted::Memory);
        let mut left = 100;
        let some = |_: &hclvm::module::AttributePath, _: hclvm::Value<'_>| {
            left -= 1;
            left >= 0
        };
        assert_eq!(module.why(&mut session, &scope, some).expect("a hundred fit").len(), 100);
    }
}

#[test]
fn explanations_and_coverage_exceed_the_fuel() {
    let rules: String = (0..40).fold(String::new(), |text, at| {
        text + &format!("rule \"{at}\" {{\n  when = length([for n in range(50) : n if n > x]) > 90\n  effect = \"deny\"\n}}\n")
    });
    let measured = module(Limits::untrusted(), &rules);
    let mut scope = measured.scope();
    scope.set_json("x", "1").expect("it fits");
    let mut session = measured.document().engine().session();
    let spent =
        measured.evaluate(&mut session, &scope).expect("it is small").fuel().expect("it was evaluated");
    // Explanations take a few times as much.
    for (fuel, fits) in [(spent, false), (spent * 20, true)] {
        let module = module(Limits { fuel, ..Limits::untrusted() }, &rules);
        let mut scope = module.scope();
        scope.set_json("x", "1").expect("it fits");
        let mut session = module.document().engine().session();
        assert!(module.evaluate(&mut session, &scope).is_ok());
        let policy = module.policy(&PolicySpec::default()).expect("a policy");
        let result = [
            module.why(&mut session, &scope, |_, _| true).map(|_| ()),
            policy.why(&mut session, &scope).map(|_| ()),
        ];
        for result in result {
            match result {
                Ok(()) => assert!(fits),
                Err(error) => assert!(!fits && limit(&error) == Exhausted::Fuel, "{error}"),
            }
        }
    }
}

#[test]
fn explanations_are_cancelled() {
    let (cancel, calls) = (Cancel::new(), Arc::new(AtomicUsize::new(0)));
    let (flag, counter) = (cancel.clone(), Arc::clone(&calls));
    let stop = function("stop", ["x"], move |x: i64| {
        if counter.fetch_sub(1, Ordering::Relaxed) == 1 {
            flag.cancel();
        }
        x
    });
    let mut table = standard();
    table.insert("stop", stop.impure());
    let engine = Engine::builder().functions(table).build();
    let text = "rule \"a\" {\n  when = stop(x) == 9\n  effect = \"deny\"\n}\n".to_owned()
        + "dynamic \"b\" {\n  for_each = [1, 2, 3]\n  content {\n    v = stop(b.value) > 3\n  }\n}\n";
    let document = engine.parse("x.hcl", &text).expect("HCL");
    let module = document.module().expect("a module");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    let mut scope = module.scope();
    scope.set_json("x", "1").expect("it fits");
    let mut session = engine.session();
    session.set_cancel(&cancel);
    // The evaluation makes 4 calls, that of the rules 1, and explanations and observed runs as many.
    let mut ends = |last: usize, run: &mut dyn FnMut(&mut hclvm::Session) -> Result<(), hclvm::Error>| {
        cancel.allow();
        calls.store(last, Ordering::Relaxed);
        run(&mut session).err().map(|error| limit(&error))
    };
    for last in 1..=8 {
        let why = &mut |session: &mut hclvm::Session| module.why(session, &scope, |_, _| true).map(|_| ());
        assert_eq!(ends(last, why), Some(Exhausted::Cancelled), "call {last}");
        let observe = &mut |session: &mut hclvm::Session| module.observe(session, &scope).map(|_| ());
        assert_eq!(ends(last, observe), Some(Exhausted::Cancelled), "call {last}");
    }
    for last in 1..=3 {
        let why = &mut |session: &mut hclvm::Session| policy.why(session, &scope).map(|_| ());
        assert_eq!(ends(last, why), Some(Exhausted::Cancelled), "call {last}");
    }
    let expanded = &mut |session: &mut hclvm::Session| {
        let mut expansion = session.expand(&document, &scope)?;
        let body = expansion.body();
        let blocks = expansion.everything(body)?.blocks;
        for block in blocks {
            for attribute in expansion.everything(block.body)?.attributes.into_iter().take(1) {
                expansion.why(attribute, &|_| None)?;
            }
        }
        Ok(())
    };
    for last in 1..=4 {
        assert_eq!(ends(last, expanded), Some(Exhausted::Cancelled), "call {last}");
    }
}

/// Conditions whose evaluation costs as much whatever the length of the names is.
fn conditions(length: usize) -> String {
    let name = "n".repeat(length);
    let conditions: Vec<String> = (0..150).map(|at| format!("{name}.a == {}", at % 10)).collect();
    format!("x = {}\n", conditions.join(" && "))
}

#[test]
fn the_sizes_of_explanations_count() {
    let explained = |length: usize, limits: Limits| {
        let module = module(limits, &conditions(length));
        let mut scope = module.scope();
        scope.set_json(&"n".repeat(length), r#"{"a": 1}"#).expect("it fits");
        let mut session = module.document().engine().session();
        let spent = module.evaluate(&mut session, &scope).expect("it is small").fuel().expect("it ran");
        let why = module.why(&mut session, &scope, |_, _| true).map(|_| ());
        (spent, why.map_err(|error| limit(&error)))
    };
    let (spent, result) = explained(1, Limits::untrusted());
    assert_eq!((explained(90, Limits::untrusted()).0, result), (spent, Ok(())));
    // An explanation of short texts is paid for, and one of long texts is not.
    let least = |length: usize| {
        let fuels = (0..14).map(|shift| spent << shift);
        let mut fuels =
            fuels.filter(|fuel| explained(length, Limits { fuel: *fuel, ..Limits::untrusted() }).1.is_ok());
        fuels.next().expect("enough fuel")
    };
    assert!(least(90) > least(1));
}
