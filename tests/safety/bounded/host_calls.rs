//! A deadline and a flag end an evaluation before the next call of a function whose time no fuel bounds, and an
//! evaluation that ends too late is an error.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hclvm::check::Declared;
use hclvm::diagnostics::Exhausted;
use hclvm::functions::{FunctionTable, standard};
use hclvm::policy::PolicySpec;
use hclvm::run::{Cancel, Tier};
use hclvm::{Engine, Session, function};

use super::limit;

const TIERS: [Tier; 2] = [Tier::Best, Tier::Baseline];

/// Functions of a host: `stop(x)` cancels at the call of this number, `late(x)` takes 3 milliseconds.
struct Host {
    engine: Engine,
    cancel: Cancel,
    calls: Arc<AtomicUsize>,
}

impl Host {
    fn new(last: usize, is_pure: bool) -> Self {
        let (cancel, calls) = (Cancel::new(), Arc::new(AtomicUsize::new(0)));
        let mut table: FunctionTable = standard();
        let (flag, counter) = (cancel.clone(), Arc::clone(&calls));
        let stop = function("stop", ["x"], move |x: i64| {
            if counter.fetch_add(1, Ordering::Relaxed) + 1 == last {
                flag.cancel();
            }
            x
        });
        table.insert("stop", if is_pure { stop } else { stop.impure() });
        table.insert(
            "late",
            function("late", ["x"], |x: i64| {
                std::thread::sleep(Duration::from_millis(3));
                x
            }),
        );
        Self { engine: Engine::builder().functions(table).build(), cancel, calls }
    }

    fn session(&self, tier: Tier) -> Session {
        self.calls.store(0, Ordering::Relaxed);
        self.cancel.allow();
        let mut session = self.engine.session();
        session.set_tier(tier);
        session.set_cancel(&self.cancel);
        session
    }

    /// Asserts that a run was cancelled, and that nothing was called after that.
    #[track_caller]
    fn assert_cancelled<T>(&self, result: Result<T, hclvm::Error>, calls: usize) {
        let error = result.err().expect("it is cancelled");
        assert_eq!(limit(&error), Exhausted::Cancelled);
        assert_eq!(self.calls.load(Ordering::Relaxed), calls);
    }
}

#[test]
fn no_function_of_the_host_is_called_after_the_end() {
    for is_pure in [true, false] {
        let host = Host::new(3, is_pure);
        for text in [
            "[for x in l : stop(x)]",
            "[for x in l : x if stop(x) > 0 || unknown]",
            "[stop(l...), stop(l[0]), stop(l[0]), stop(l[0])]",
        ] {
            for tier in TIERS {
                let document = host.engine.parse("x.hcl", &format!("a = {text}\n")).expect("HCL");
                let program = document.attribute("a").expect("it is there").program().expect("it compiles");
                let mut scope = document.scope();
                let list = if text.contains("...") { "[1]" } else { "[1, 2, 3, 4, 5, 6, 7, 8]" };
                scope.set_json("l", list).expect("it fits");
                host.assert_cancelled(host.session(tier).run(&program, &scope), 3);
                host.assert_cancelled(host.session(tier).evaluate(&program, &scope).map(|_| ()), 3);
            }
        }
    }
}

#[test]
fn rules_modules_and_policies_end() {
    let host = Host::new(3, false);
    let rules: String = (0..8).fold(String::new(), |text, at| {
        text + &format!("rule \"{at}\" {{\n  when = stop(x) == {at}\n  effect = \"deny\"\n}}\n")
    });
    let document = host.engine.parse("x.hcl", &rules).expect("HCL");
    let module = document.module().expect("a module");
    let mut scope = module.scope();
    scope.set_json("x", "9").expect("it fits");
    let policy = module.policy(&PolicySpec::default()).expect("a policy");
    for tier in TIERS {
        host.assert_cancelled(module.evaluate(&mut host.session(tier), &scope).map(|_| ()), 3);
        host.assert_cancelled(policy.decide(&mut host.session(tier), &scope).map(|_| ()), 3);
        let mut session = host.session(tier);
        let mut expansion = session.expand(&document, &scope).expect("one layout");
        let body = expansion.body();
        let blocks = expansion.everything(body).expect("no dynamic block").blocks;
        let mut values = Vec::new();
        for block in blocks {
            let attributes = expansion.everything(block.body).expect("no dynamic block").attributes;
            values.extend(
                attributes.into_iter().take(1).map(|attribute| expansion.value(attribute).map(|_| ())),
            );
        }
        assert_eq!(values.iter().filter(|value| value.is_ok()).count(), 2, "the third one is too late");
    }
    let programs: String =
        (0..8).fold(String::new(), |text, at| text + &format!("a{at} = stop(x) == {at}\n"));
    let document = host.engine.parse("x.hcl", &programs).expect("HCL");
    let rules = document.body().rule_set().expect("rules");
    let mut scope = document.scope();
    scope.set_json("x", "9").expect("it fits");
    for tier in TIERS {
        host.assert_cancelled(host.session(tier).run_rules(&rules, &scope).map(|_| ()), 3);
        host.assert_cancelled(host.session(tier).matches(&rules, &scope).map(|_| ()), 3);
    }
}

#[test]
fn an_evaluation_that_ends_too_late_is_an_error() {
    let host = Host::new(usize::MAX, false);
    let document = host.engine.parse("x.hcl", "a = late(x)\nb = setproduct(l, l, l)\n").expect("HCL");
    let mut scope = document.scope();
    scope.set_json("x", "1").expect("it fits");
    scope
        .set_json("l", "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]")
        .expect("it fits");
    let module = document.module().expect("a module");
    let program = |name: &str| document.attribute(name).expect("it is there").program().expect("it compiles");
    for tier in TIERS {
        let mut session = host.engine.session();
        session.set_tier(tier);
        session.set_time(Some(Duration::from_millis(1)));
        let error = session.run(&program("a"), &scope).expect_err("it takes 3 milliseconds");
        assert_eq!(limit(&error), Exhausted::Time);
        let error = module.evaluate(&mut session, &scope).map(|_| ()).expect_err("it takes 3 milliseconds");
        assert_eq!(limit(&error), Exhausted::Time);
        session.set_time(Some(Duration::from_nanos(1)));
        let error =
            session.run(&program("b"), &scope).expect_err("a function of the library looks at the end");
        assert_eq!(limit(&error), Exhausted::Time);
        session.set_time(Some(Duration::from_secs(3_600)));
        assert!(session.run(&program("a"), &scope).is_ok());
        assert!(session.run(&program("b"), &scope).is_ok());
    }
    assert!(document.check(&Declared::anything()).is_empty());
}
