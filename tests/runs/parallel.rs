//! Parallel runs give the results of separate runs, in order, in bounded memory.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use hclvm::diagnostics::Exhausted;
use hclvm::run::Parallel;
use hclvm::{Engine, Error, ErrorKind, Limits, Program, Scope};

/// Returns a program, and scopes of which every seventh is invalid JSON and every eleventh gives an error.
fn subject() -> (Program, Scope, impl Fn(usize) -> String + Sync) {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "x = \"${n * factor}-${join(\",\", tags)}\"").expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut base = document.scope();
    base.set("factor", &3).expect("a number");
    let text = |n: usize| match n {
        _ if n % 7 == 3 => format!("{{\"n\": {n}"),
        _ if n % 11 == 5 => format!("{{\"n\": {n}, \"tags\": [[]]}}"),
        _ => format!("{{\"n\": {n}, \"tags\": [\"a{n}\"]}}"),
    };
    (program, base, text)
}

fn shown(result: Result<String, Error>) -> String {
    result.unwrap_or_else(|error| format!("error: {error}"))
}

#[test]
fn ten_thousand_scopes_equal_separate_runs() {
    const SCOPES: usize = 10_000;
    let (program, base, text) = subject();
    let mut session = Engine::standard().session();
    let separate: Vec<String> = (0..SCOPES)
        .map(|n| {
            let mut scope = base.fork();
            let run = scope
                .set_all_json(&text(n))
                .and_then(|()| Ok(session.run(&program, &scope)?.as_str().unwrap_or_default().to_owned()));
            shown(run)
        })
        .collect();
    assert_eq!(separate[0], "0-a0");
    assert!(
        separate[3].contains("JSON") && separate[5].contains("error") && separate[9_998] == "29994-a9998"
    );
    for (threads, group) in [(1, 16), (2, 1), (3, 7), (8, 16), (8, 100_000)] {
        let mut together = Vec::new();
        let parallel = Parallel::new().threads(threads).group(group);
        let ended: Result<(), Infallible> = parallel.scopes(
            &base,
            (0..SCOPES).map(&text),
            |scope, text| scope.set_all_json(&text),
            |session, scope| Ok(session.run(&program, scope)?.as_str().unwrap_or_default().to_owned()),
            |result| {
                together.push(shown(result));
                Ok(())
            },
        );
        assert!(ended.is_ok());
        assert_eq!(together, separate, "{threads} threads, groups of {group}");
    }
}

#[test]
fn items_do_not_see_values_of_the_previous_item() {
    let (program, base, _) = subject();
    let mut results = Vec::new();
    let items = [
        "{\"n\": 1, \"tags\": []}",
        "{\"n\": 2}",
        "{\"tags\": [], \"factor\": 5, \"n\": 1}",
        "{\"n\": 1, \"tags\": []}",
    ];
    let parallel = Parallel::new().threads(1);
    let ended: Result<(), Infallible> = parallel.scopes(
        &base,
        items,
        |scope, text| scope.set_all_json(text),
        |session, scope| Ok(session.run(&program, scope)?.as_str().map(str::to_owned)),
        |result| {
            results.push(result.ok().flatten());
            Ok(())
        },
    );
    assert!(ended.is_ok());
    assert_eq!(results, [Some("3-".to_owned()), None, Some("5-".to_owned()), Some("3-".to_owned())]);
}

#[test]
fn an_endless_stream_is_read_no_faster_than_its_results_are_taken() {
    let (taken, given) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let parallel = Parallel::new().threads(4).group(2);
    let mut most = 0;
    let ended = parallel.each(
        (0..).inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed)),
        || (),
        |(), n: usize| n,
        |n| {
            if n % 100 == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(given.fetch_add(1, Ordering::Relaxed), n);
            most = most.max(taken.load(Ordering::Relaxed) - n);
            if n == 5_000 { Err("enough") } else { Ok(()) }
        },
    );
    assert_eq!(ended, Err("enough"));
    // Finished groups that wait for delivery, and as many that are being evaluated.
    assert!(most <= 2 * (4 * 4 + 1) * 2, "{most}");
    assert!(taken.load(Ordering::Relaxed) < 5_200);
}

#[test]
fn a_result_does_not_wait_for_the_next_item() {
    let (put, stream) = std::sync::mpsc::channel();
    put.send(0).expect("the stream is read");
    let mut put = Some(put);
    let ended: Result<(), Infallible> = Parallel::new().threads(3).group(1).each(
        stream,
        || (),
        |(), n: u32| n,
        |n| {
            // The stream continues only after the result has arrived.
            match &put {
                Some(next) if n < 20 => next.send(n + 1).expect("the stream is read"),
                _ => put = None,
            }
            Ok(())
        },
    );
    assert!(ended.is_ok() && put.is_none());
}

#[test]
fn a_panic_ends_the_run_and_is_propagated() {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let run = |worker: bool| {
        catch_unwind(AssertUnwindSafe(|| {
            Parallel::new().threads(3).group(1).each(
                0..,
                || (),
                |(), n: u32| assert!(!worker || n != 50),
                |()| if worker { Ok::<(), ()>(()) } else { panic!("from the one who is given") },
            )
        }))
    };
    assert!(run(true).is_err() && run(false).is_err());
    std::panic::set_hook(quiet);
}

#[test]
fn evaluations_end_at_a_flag_and_at_a_deadline() {
    let endless = "length([for a in l : length([for b in l : length([for c in l : length(l)])])])";
    let limits = Limits { fuel: u64::MAX, time: Some(Duration::from_millis(5)), ..Limits::trusted() };
    let engine = Engine::builder().limits(limits).build();
    let document = engine.parse("x.hcl", &format!("x = {endless}")).expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    let mut base = document.scope();
    base.set("l", &vec![0; 10_000]).expect("a list");
    let why = |result: Result<(), Error>| match result.expect_err("it takes hours").kind() {
        ErrorKind::Limit(limit) => limit.exhausted,
        other => panic!("not a limit: {other:?}"),
    };
    let parallel = Parallel::new().threads(2).group(1);
    let cancel = parallel.cancel();
    let mut ends = Vec::new();
    let ended: Result<(), Infallible> = parallel.scopes(
        &base,
        0..8,
        |_, _| Ok(()),
        |session, scope| session.run(&program, scope).map(drop),
        |result| {
            ends.push(why(result));
            cancel.cancel();
            Ok(())
        },
    );
    assert!(ended.is_ok());
    assert_eq!(ends[0], Exhausted::Time);
    assert_eq!((ends.len(), ends[7]), (8, Exhausted::Cancelled));
}

#[test]
fn one_thread_is_that_of_the_caller() {
    let here = thread::current().id();
    for (threads, elsewhere) in [(0, false), (1, false), (2, true)] {
        let mut ids = Vec::new();
        let ended: Result<(), Infallible> = Parallel::new().threads(threads).group(0).each(
            0..10,
            || (),
            |(), _: u32| thread::current().id(),
            |id| {
                ids.push(id);
                Ok(())
            },
        );
        assert!(ended.is_ok());
        assert_eq!(ids.len(), 10);
        assert!(ids.iter().all(|id| (*id != here) == elsewhere), "{threads} threads");
    }
}

#[test]
fn results_follow_an_error_no_further() {
    for threads in [1, 2, 5] {
        for last in [0, 1, 6, 7, 8, 99] {
            let mut given = Vec::new();
            let ended = Parallel::new().threads(threads).group(7).each(
                0..100,
                || (),
                |(), n: u32| n,
                |n| {
                    given.push(n);
                    if n == last { Err(n) } else { Ok(()) }
                },
            );
            assert_eq!(ended, Err(last));
            assert_eq!(given, (0..=last).collect::<Vec<_>>(), "{threads} threads");
        }
    }
}

#[test]
fn slow_items_keep_their_place() {
    // The first item of every group takes longest, so later groups are finished before.
    let mut given = Vec::new();
    let states = AtomicUsize::new(0);
    let ended: Result<(), Infallible> = Parallel::new().threads(4).group(3).each(
        0..60_u64,
        || states.fetch_add(1, Ordering::Relaxed),
        |_, n| {
            thread::sleep(Duration::from_micros(if n % 3 == 0 { 300 * (4 - n / 3 % 4) } else { 0 }));
            n
        },
        |n| {
            given.push(n);
            Ok(())
        },
    );
    assert!(ended.is_ok());
    assert_eq!(given, (0..60).collect::<Vec<_>>());
    assert_eq!(states.load(Ordering::Relaxed), 4, "each thread has one state");
}

#[test]
fn an_empty_stream_gives_nothing() {
    for threads in [1, 3] {
        let ended: Result<(), ()> =
            Parallel::new().threads(threads).each(0..0, || (), |(), n: u32| n, |_| Err(()));
        assert_eq!(ended, Ok(()));
    }
}
