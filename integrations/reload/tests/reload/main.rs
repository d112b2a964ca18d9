//! One configuration and the attempts to replace it: values, subscribers, status, and reports in `reports`. Its texts are in
//! memory; watched files are in `watching`.

#[path = "../memory/mod.rs"]
mod memory;
mod reports;

use std::sync::{Arc, Mutex};

use hclvm::module::AttributePath;
use hclvm::{Document, Engine};
use hclvm_reload::{
    Builder, ContentHash, Loader, Outcome, Problems, Reload, Report, Text, Texts, Unreadable, ValueChange,
    Watched, Watching,
};

use memory::Memory;

fn builder(text: &str) -> (Memory, Builder) {
    let memory = Memory::default();
    memory.set(text);
    (memory.clone(), Reload::builder(&Engine::new(), memory))
}

/// A configuration with values under `player.rank = 3`.
fn ranked(text: &str) -> (Memory, Reload<()>) {
    let (memory, builder) = builder(text);
    let set = |scope: &mut hclvm::Scope, _: &hclvm_reload::Candidate<'_>| {
        if scope.has("player") { scope.set_json("player", r#"{"rank": 3}"#) } else { Ok(()) }
    };
    (memory, builder.scope(set).open(|_| Ok(())).expect("it loads"))
}

fn reloaded<T>(reload: &mut Reload<T>) -> Arc<Report> {
    match reload.attempt() {
        Outcome::Reloaded(report) => report,
        outcome => panic!("{outcome:?}"),
    }
}

fn rejected<T>(reload: &mut Reload<T>) -> String {
    match reload.attempt() {
        Outcome::Rejected(rejection) => rejection.problems.to_string(),
        outcome => panic!("{outcome:?}"),
    }
}

fn shown(change: &ValueChange) -> String {
    let value = |value: &Option<hclvm::OwnedValue>| match value {
        Some(value) => hclvm::Json(value.get()).to_text().expect("it has JSON"),
        None => "-".to_owned(),
    };
    format!("{} {} {}", change.path, value(&change.before), value(&change.after))
}

#[test]
fn a_report_tells_attributes_values_locals_and_what_reads_them() {
    let (memory, mut reload) = ranked(
        "locals {\n  bonus = player.rank * 2\n}\nspeed = local.bonus + 1\nname = \"x\"\nrule \"a\" { when = local.bonus > 9 }\n",
    );
    memory.set(
        "locals {\n  bonus = player.rank * 3\n}\nspeed = local.bonus + 1\nlives = 3\nrule \"a\" { when = local.bonus > 9 }\n",
    );
    let report = reloaded(&mut reload);
    let paths = |list: &[hclvm::syntax::NamedAttribute]| -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    };
    assert_eq!(paths(&report.update.added), ["lives"]);
    assert_eq!(paths(&report.update.removed), ["name"]);
    assert_eq!(paths(&report.update.changed), ["locals.bonus"]);
    assert_eq!((report.update.unchanged, report.update.compiled), (2, 2));
    assert_eq!(report.locals, ["bonus"]);
    assert_eq!(report.dependents, ["rule.a.when", "speed"]);
    let values: Vec<String> = report.values.iter().map(shown).collect();
    assert_eq!(values, ["local.bonus 6 9", "speed 7 10", "lives - 3", "name \"x\" -"]);
    assert!(
        report.to_string().starts_with(
            "epoch 1: 1 added, 1 removed, 1 changed, 2 unchanged; 2 compiled; 4 values changed; "
        )
    );
    assert_eq!(
        reload.values().expect("there is a scope").values().local("bonus").and_then(|v| v.as_i64()),
        Some(9)
    );
}

#[test]
fn subscribers_hear_of_their_paths_only() {
    let (memory, mut reload) = ranked(
        "a = 1\nrule \"x\" {\n  when = player.rank > 2\n  why = 1\n}\nrule \"y\" { when = true }\nlocals { l = 1 }\nb = local.l\n",
    );
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut subscriptions = Vec::new();
    for path in ["a", "rule.x.when", "rule.*.when", "rule.x", "local.l", "local", "b", "rule.z"] {
        let heard = Arc::clone(&heard);
        let hear = move |event: &hclvm_reload::Event<'_, ()>| {
            let mut heard = heard.lock().expect("no test panicked");
            heard.push(format!("{path}@{}: {}", event.loaded.epoch(), event.paths.join(" ")));
        };
        subscriptions.push(reload.subscribe(path.parse().expect("a path"), hear));
    }
    let taken = || std::mem::take(&mut *heard.lock().expect("no test panicked"));
    memory.set("a = 1\nrule \"x\" {\n  when = player.rank > 3\n  why = 1\n}\nrule \"y\" { when = true }\nlocals { l = 1 }\nb = local.l\n");
    reloaded(&mut reload);
    assert_eq!(
        taken(),
        ["rule.x.when@1: rule.x.when", "rule.*.when@1: rule.x.when", "rule.x@1: rule.x.when"]
    );
    memory.set("a = 1\nrule \"x\" {\n  when = player.rank > 3\n  why = 1\n}\nrule \"y\" { when = true }\nlocals { l = 2 }\nb = local.l\n");
    reloaded(&mut reload);
    assert_eq!(taken(), ["local.l@2: local.l locals.l", "local@2: local.l locals.l", "b@2: b"]);
    drop(subscriptions);
    memory.set("a = 2");
    reloaded(&mut reload);
    assert_eq!(taken(), [""; 0]);
}

#[test]
fn paths_lead_to_names_from_the_first_one_on() {
    let text = |at: usize| {
        format!(
            "b {{\n  a = {at}\n}}\nx \"y\" {{\n  z {{\n    a = {at}\n  }}\n}}\nlocals {{\n  a = {at}\n}}\n"
        )
    };
    let (memory, builder) = builder(&text(0));
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let paths =
        ["a", "b", "b.a", "b.a.a", "x.y.z.a", "x.*.z", "*.y", "y", "x.z", "z.a", "local.b", "*", "*.*.*.*"];
    let subscriptions = paths.map(|path| {
        let heard = Arc::clone(&heard);
        let hear = move |event: &hclvm_reload::Event<'_, ()>| {
            heard.lock().expect("no test panicked").push(format!("{path}: {}", event.paths.join(" ")));
        };
        reload.subscribe(path.parse().expect("a path"), hear)
    });
    memory.set(&text(1));
    reloaded(&mut reload);
    drop(subscriptions);
    let expected = [
        "b: b.a",
        "b.a: b.a",
        "x.y.z.a: x.y.z.a",
        "x.*.z: x.y.z.a",
        "*.y: x.y.z.a",
        "*: b.a locals.a x.y.z.a",
        "*.*.*.*: x.y.z.a",
    ];
    assert_eq!(*heard.lock().expect("no test panicked"), expected);
}

#[test]
fn attempts_tell_whether_something_changed() {
    let (memory, builder) = builder("a = 1\n");
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    assert!(matches!(reload.attempt(), Outcome::Unchanged));
    memory.set("a = \n");
    assert!(rejected(&mut reload).contains("game.hcl:1:5"));
    assert!(matches!(reload.attempt(), Outcome::Unchanged), "it was rejected before");
    memory.set("a = 1 +\n");
    assert!(rejected(&mut reload).contains("game.hcl:1:8"));
    memory.set("a = 1\n");
    assert!(matches!(reload.attempt(), Outcome::Restored));
    assert!(reload.current().status().rejected.is_none());
    memory.set("");
    assert!(matches!(reload.attempt(), Outcome::Unfinished(_)));
    assert!(matches!(reload.attempt_finally(), Outcome::Rejected(_)));
    assert!(matches!(reload.attempt_finally(), Outcome::Unchanged));
    let status = reload.current().status();
    assert_eq!((status.epoch, status.watching), (0, Watching::Nothing));
}

#[test]
fn texts_that_were_rejected_before_another_reload_are_rejected_again() {
    let (memory, builder) = builder("a = 1\n");
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    for _ in 0..2 {
        memory.set("a = \n");
        assert!(rejected(&mut reload).contains("game.hcl:1:5"));
        assert!(matches!(reload.attempt(), Outcome::Unchanged));
        assert!(reload.current().status().rejected.is_some());
        let text = format!("a = {}\n", reload.current().load().epoch() + 2);
        memory.set(&text);
        reloaded(&mut reload);
        assert!(reload.current().status().rejected.is_none());
    }
    assert_eq!(reload.current().load().epoch(), 2);
    // After texts in use were restored as well.
    memory.set("a = \n");
    rejected(&mut reload);
    memory.set("a = 3\n");
    assert!(matches!(reload.attempt(), Outcome::Restored));
    assert!(matches!(reload.attempt(), Outcome::Unchanged), "it is restored once");
    memory.set("a = \n");
    rejected(&mut reload);
}

#[test]
fn texts_are_compared_with_those_in_use() {
    let (memory, builder) = builder("");
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    for text in ["a = 1\n", "a = 2\n"] {
        memory.set(text);
        assert_eq!(reloaded(&mut reload).files.changed, ["game.hcl"]);
        memory.set("");
        assert!(matches!(reload.attempt(), Outcome::Unfinished(_)), "it was not empty before");
    }
    memory.set("a = 3");
    let files = reloaded(&mut reload).files.clone();
    assert_eq!((files.added, files.removed, files.changed), (vec![], vec![], vec!["game.hcl".to_owned()]));
}

#[test]
fn a_status_says_what_is_in_use_since_when_and_what_was_rejected_when() {
    let (memory, builder) = builder("a = 1\n");
    let before = std::time::SystemTime::now();
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    let first = reload.current().status();
    assert!(first.since >= before && first.since == reload.current().load().since());
    memory.set("a = \n");
    rejected(&mut reload);
    let status = reload.current().status();
    assert_eq!((status.epoch, status.hash, status.since), (0, first.hash, first.since));
    let rejection = status.rejected.expect("it was rejected");
    assert!(rejection.at >= first.since && rejection.hash.is_some_and(|hash| hash != first.hash));
    assert!(rejection.age() < std::time::Duration::from_secs(60));
    assert_eq!(rejection.problems.diagnostics().len(), 1);
    memory.set("a = 2\n");
    let report = reloaded(&mut reload);
    let status = reload.current().status();
    assert_eq!((status.epoch, status.hash), (1, report.hash));
    assert!(status.since >= rejection.at && status.rejected.is_none());
    assert_eq!(reload.current().report().map(|report| report.epoch), Some(1));
}

/// Texts that cannot be read for a reason of the test.
struct Missing(Memory, Arc<Mutex<Option<Unreadable>>>);

impl Texts for Missing {
    fn watched(&self) -> Vec<Watched> {
        Vec::new()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        let why = self.1.lock().expect("no test panicked").clone();
        why.map_or_else(|| self.0.read(), Err)
    }
}

impl Loader for Missing {
    type Content = ();

    fn load(&mut self, _: &[Text], _: Option<&()>, _: &mut Report) -> Result<(), Problems> {
        Ok(())
    }
}

#[test]
fn another_reason_why_texts_cannot_be_read_is_another_rejection() {
    let (memory, why) = (Memory::default(), Arc::new(Mutex::new(None)));
    memory.set("a");
    let mut reload = Reload::open(Missing(memory.clone(), Arc::clone(&why)), |_| Ok(())).expect("it loads");
    let set = |reason: Option<Unreadable>| *why.lock().expect("no test panicked") = reason;
    let finally = |reload: &mut Reload<(), ()>| match reload.attempt_finally() {
        Outcome::Rejected(rejection) => Some((rejection.problems.to_string(), rejection.hash)),
        Outcome::Unchanged => None,
        outcome => panic!("{outcome:?}"),
    };
    set(Some(Unreadable::Failed("gone".to_owned())));
    assert_eq!(finally(&mut reload), Some(("gone".to_owned(), None)));
    assert_eq!(finally(&mut reload), None);
    set(Some(Unreadable::Changing("game.hcl".to_owned())));
    assert_eq!(finally(&mut reload), Some(("game.hcl changed while it was read.".to_owned(), None)));
    set(None);
    assert!(matches!(reload.attempt(), Outcome::Restored));
    set(Some(Unreadable::Failed("gone".to_owned())));
    assert!(finally(&mut reload).is_some());
    assert!(matches!(reload.attempt(), Outcome::Unfinished(_)));
    set(None);
    memory.set("b");
    assert!(matches!(reload.attempt(), Outcome::Reloaded(report) if report.epoch == 1));
}

#[test]
fn errors_of_an_evaluation_reject_it() {
    let (memory, mut reload) = ranked("a = player.rank\n");
    memory.set("a = player.level\n");
    assert!(rejected(&mut reload).contains("level"));
    assert_eq!(reload.values().and_then(|live| live.values().attribute("a")?.as_i64()), Some(3));
    memory.set("a = player.rank + 1\n");
    let values: Vec<String> = reloaded(&mut reload).values.iter().map(shown).collect();
    assert_eq!(values, ["a 3 4"]);
}

#[test]
fn marked_values_are_not_told() {
    let (memory, builder) = builder("a = secret\nb = 1\n");
    let set = |scope: &mut hclvm::Scope, candidate: &hclvm_reload::Candidate<'_>| {
        let secret = format!("hidden{}", candidate.epoch());
        scope.build("secret", |arena| {
            let text = hclvm::Value::str(arena, arena.text(&secret));
            Ok(text.with_marks(arena, hclvm::value::marks_from(arena, &["sensitive"])))
        })
    };
    let mut reload = builder.scope(set).open(|_| Ok(())).expect("it loads");
    memory.set("a = secret\nb = 2\n");
    let report = reloaded(&mut reload);
    assert_eq!(report.values.iter().map(|change| change.path.to_string()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(!format!("{report:?}").contains("hidden"));
}

#[test]
fn the_first_configuration_has_to_load() {
    let open = |text: &str| builder(text).1.open(|_| Ok(())).map(drop);
    assert!(matches!(open("a = "), Err(Problems::Diagnostics(list)) if list.len() == 1));
    let refused = builder("a = 1").1.open(|_| Err::<(), _>("no".into()));
    assert!(matches!(refused, Err(Problems::Sentence(why)) if why == "no"));
    assert!(open("").is_ok(), "an empty file is a configuration");
}

#[test]
fn work_in_flight_keeps_its_document() {
    let (memory, builder) = builder("a = 1\n");
    let mut reload = builder.open(|candidate| Ok(candidate.epoch() * 10)).expect("it loads");
    let mut reader = reload.current().reader();
    let kept = reader.current().clone();
    memory.set("a = 2\n");
    reloaded(&mut reload);
    let value = |document: &Document| {
        let program = document.attribute("a").expect("it is there").program().expect("it compiles");
        let scope = document.scope();
        document.engine().session().run(&program, &scope).expect("a value").as_i64()
    };
    assert_eq!((kept.epoch(), *kept.host(), value(kept.document())), (0, 0, Some(1)));
    let now = reader.current();
    assert_eq!((now.epoch(), *now.host(), value(now.document())), (1, 10, Some(2)));
    assert_eq!(now.hash(), reload.current().status().hash);
}

#[test]
fn readers_see_the_document_and_the_hosts_part_of_one_epoch() {
    let (memory, builder) = builder("a = 0\n");
    let mut reload = builder.open(|candidate| Ok(candidate.epoch())).expect("it loads");
    let current = reload.current().clone();
    std::thread::scope(|threads| {
        for _ in 0..3 {
            let mut reader = current.reader();
            threads.spawn(move || {
                let mut last = 0;
                while last < 200 {
                    let loaded = reader.current();
                    assert!(loaded.epoch() >= last && *loaded.host() == loaded.epoch());
                    last = loaded.epoch();
                    assert_eq!(&**loaded.document().source().text(), format!("a = {last}\n"));
                }
            });
        }
        for at in 1..=200 {
            memory.set(&format!("a = {at}\n"));
            reloaded(&mut reload);
        }
    });
}

#[test]
fn a_hash_tells_names_and_contents_apart() {
    let hash = |texts: &[(&str, &str)]| {
        let texts = texts.iter().map(|(name, text)| Text { name: (*name).into(), bytes: (*text).into() });
        ContentHash::of(&texts.collect::<Vec<_>>()).to_string()
    };
    // The value is the same on every machine.
    assert_eq!(hash(&[("game.hcl", "a = 1\n")]), "53f38158e1c7388c5264b437b0b6c3fa");
    assert_eq!(hash(&[("/etc/game.hcl", "a = 1\n")]), hash(&[("game.hcl", "a = 1\n")]));
    let all = [hash(&[("a", "b")]), hash(&[("ab", "")]), hash(&[("a", ""), ("b", "")]), hash(&[])];
    assert!(all.iter().enumerate().all(|(at, one)| !all[..at].contains(one)));
}

#[test]
fn a_chain_of_updates_reports_right_every_time() {
    let text = |at: usize| {
        let rules = (0..50).map(|rule| {
            let limit = if rule == at % 50 { 1_000 + at } else { rule };
            format!("rule \"r{rule}\" {{\n  when = player.rank > {limit}\n}}\n")
        });
        "\n".repeat(at % 7) + &rules.collect::<String>()
    };
    let (memory, builder) = builder(&text(0));
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    for at in 1..300 {
        memory.set(&text(at));
        let report = reloaded(&mut reload);
        let mut expected = vec![format!("rule.r{}.when", (at - 1) % 50), format!("rule.r{}.when", at % 50)];
        expected.sort();
        assert_eq!(report.update.changed.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
        assert_eq!((report.epoch, report.update.unchanged), (at as u64, 48));
        assert!(report.update.compiled <= 2);
    }
}

#[test]
fn paths_of_values_are_those_that_select_them() {
    let path: AttributePath = "rule.x.when".parse().expect("a path");
    let (memory, mut reload) = ranked("rule \"x\" { when = player.rank > 2 }\n");
    memory.set("rule \"x\" { when = player.rank > 5 }\n");
    let report = reloaded(&mut reload);
    assert_eq!(report.values[0].path, path);
    assert_eq!(shown(&report.values[0]), "rule.x.when true false");
}

/// Numbers, one in each line of a text.
struct Numbers(Memory);

impl Texts for Numbers {
    fn watched(&self) -> Vec<Watched> {
        self.0.watched()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        self.0.read()
    }
}

impl Loader for Numbers {
    type Content = Vec<i64>;

    fn load(
        &mut self,
        texts: &[Text],
        last: Option<&Vec<i64>>,
        report: &mut Report,
    ) -> Result<Vec<i64>, Problems> {
        let lines = std::str::from_utf8(&texts[0].bytes).expect("text").lines();
        let numbers: Vec<i64> = lines
            .map(|line| line.parse().map_err(|_| format!("{line} is no number")))
            .collect::<Result<_, _>>()?;
        let owned = |number: &i64| hclvm::OwnedValue::new(hclvm::Value::int(*number));
        for (at, after) in numbers.iter().enumerate() {
            let before = last.and_then(|last| last.get(at));
            if last.is_some() && before != Some(after) {
                let path = ["numbers".to_owned(), at.to_string()].into_iter().collect();
                report.values.push(ValueChange {
                    path,
                    before: before.map(owned),
                    after: Some(owned(after)),
                });
            }
        }
        Ok(numbers)
    }
}

#[test]
fn a_loader_loads_what_is_no_document() {
    let memory = Memory::default();
    memory.set("1\n2\n");
    let accept = |candidate: &hclvm_reload::Candidate<'_, Vec<i64>>| {
        let sum = candidate.content().iter().sum::<i64>();
        if sum < 100 { Ok(sum) } else { Err("too much".into()) }
    };
    let mut reload = Reload::open(Numbers(memory.clone()), accept).expect("it loads");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = {
        let heard = Arc::clone(&heard);
        move |event: &hclvm_reload::Event<'_, i64, Vec<i64>>| {
            heard.lock().expect("no test panicked").push((event.paths.clone(), *event.loaded.host()));
        }
    };
    let _second = reload.subscribe("numbers.1".parse().expect("a path"), hear);
    memory.set("1\n7\n");
    let Outcome::Reloaded(report) = reload.attempt() else { panic!("it changed") };
    assert_eq!(report.values.iter().map(shown).collect::<Vec<_>>(), ["numbers.1 2 7"]);
    assert!(reload.values().is_none(), "there is no scope");
    assert_eq!(report.files.changed, ["game.hcl"]);
    assert!(report.to_string().starts_with("epoch 1: 1 file changed; 1 value changed; "));
    memory.set("1\nx\n");
    assert!(
        matches!(reload.attempt(), Outcome::Rejected(one) if one.problems.to_string() == "x is no number")
    );
    memory.set("100\n");
    assert!(matches!(reload.attempt(), Outcome::Rejected(one) if one.problems.to_string() == "too much"));
    assert_eq!(*reload.current().load().content(), [1, 7]);
    assert_eq!(*heard.lock().expect("no test panicked"), [(vec!["numbers.1".to_owned()], 8)]);
}

#[test]
fn a_candidate_is_what_is_in_use_if_it_is_accepted() {
    let (memory, builder) = builder("a = 1\n");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let seen_by_host = Arc::clone(&seen);
    let mut reload = builder
        .open(move |candidate| {
            assert_eq!(candidate.hash(), ContentHash::of(candidate.texts()));
            assert_eq!(&**candidate.content().source().text(), &**candidate.document().source().text());
            let text = String::from_utf8_lossy(&candidate.texts()[0].bytes).into_owned();
            seen_by_host.lock().expect("no test panicked").push((candidate.epoch(), text));
            Ok(candidate.hash())
        })
        .expect("it loads");
    assert!(reload.current().report().is_none(), "nothing was reloaded");
    for (text, epoch) in [("a = 2\n", 1), ("a = 3\n", 2)] {
        memory.set(text);
        let report = reloaded(&mut reload);
        let loaded = reload.current().load();
        assert_eq!((loaded.epoch(), loaded.hash(), *loaded.host()), (epoch, report.hash, report.hash));
        assert_eq!(&**loaded.content().source().text(), text);
    }
    let expected = ["a = 1\n", "a = 2\n", "a = 3\n"].map(str::to_owned);
    assert_eq!(*seen.lock().expect("no test panicked"), (0..).zip(expected).collect::<Vec<_>>());
}
