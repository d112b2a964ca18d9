//! What reports say of files, values, attributes, locals and times, and what problems show.

use std::sync::{Arc, Mutex};

use hclvm::Engine;
use hclvm::module::AttributePath;
use hclvm_reload::{
    Loader, Outcome, Problems, Reload, Report, Text, Texts, Unreadable, ValueChange, Watched,
};

use super::{builder, ranked, reloaded};

/// Several texts, from which each attempt makes a number of values that differ.
#[derive(Clone, Default)]
struct Several(Arc<Mutex<(Vec<Text>, usize)>>);

impl Several {
    fn set(&self, texts: &[(&str, &str)], values: usize) {
        let text = |(name, text): &(&str, &str)| Text { name: (*name).into(), bytes: (*text).into() };
        *self.0.lock().expect("no test panicked") = (texts.iter().map(text).collect(), values);
    }
}

impl Texts for Several {
    fn watched(&self) -> Vec<Watched> {
        Vec::new()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        Ok(self.0.lock().expect("no test panicked").0.clone())
    }
}

impl Loader for Several {
    type Content = ();

    fn load(&mut self, _: &[Text], _: Option<&()>, report: &mut Report) -> Result<(), Problems> {
        let count = self.0.lock().expect("no test panicked").1;
        let path: AttributePath = "a.b".parse().expect("a path");
        report.values = vec![ValueChange { path, before: None, after: None }; count];
        Ok(())
    }
}

#[test]
fn a_report_counts_files_and_values() {
    let several = Several::default();
    several.set(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")], 0);
    let mut reload = Reload::open(several.clone(), |_| Ok(())).expect("it loads");
    for (texts, values, files, line) in [
        (
            &[("a", "2"), ("b", "1"), ("c", "1"), ("d", "1")][..],
            0,
            ["", "", "a"],
            "epoch 1: 1 file changed; ",
        ),
        (
            &[("a", "3"), ("b", "2"), ("c", "1"), ("d", "1"), ("e", "1")],
            1,
            ["e", "", "a b"],
            "epoch 2: 1 file added, 2 files changed; 1 value changed; ",
        ),
        (
            &[("a", "3"), ("b", "2"), ("f", "1"), ("g", "1")],
            2,
            ["f g", "c d e", ""],
            "epoch 3: 2 files added, 3 files removed; 2 values changed; ",
        ),
        (&[("b", "2"), ("f", "1"), ("g", "1")], 0, ["", "a", ""], "epoch 4: 1 file removed; "),
    ] {
        several.set(texts, values);
        let Outcome::Reloaded(report) = reload.attempt() else { panic!("it changed") };
        let found = [&report.files.added, &report.files.removed, &report.files.changed];
        assert_eq!(found.map(|names| names.join(" ")), files);
        let rest = report.to_string();
        let rest = rest.strip_prefix(line).unwrap_or_else(|| panic!("{report}"));
        assert_eq!(rest, format!("{} us", report.times.total().as_micros()));
    }
}

#[test]
fn a_report_counts_attributes() {
    let (memory, builder) = builder("a = 1\nb {\n  c = 1\n}\nd = 1\n");
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    for (text, line) in [
        ("a = 2\nb {\n  c = 1\n}\nd = 1\n", "epoch 1: 1 changed, 2 unchanged; 1 compiled; "),
        ("a = 2\ne {\n  c = 1\n}\nd = 1\n", "epoch 2: 1 moved, 2 unchanged; 0 compiled; "),
        (
            "a = 2\ne {\n  c = 1\n}\nf = 1\ng = 1\nh = 2\n",
            "epoch 3: 3 added, 1 removed, 2 unchanged; 0 compiled; ",
        ),
        ("a = 2\ne {\n  c = 1\n}\n\nf = 1\ng = 1\nh = 2\n", "epoch 4: 5 unchanged; 0 compiled; "),
        ("\n", "epoch 5: 5 removed, 0 unchanged; 0 compiled; "),
        ("\n\n", "epoch 6: 1 file changed; "),
        ("a = 2\n", "epoch 7: 1 added, 0 unchanged; 1 compiled; "),
        ("\na = 2\n", "epoch 8: 1 unchanged; 0 compiled; "),
    ] {
        memory.set(text);
        let report = reloaded(&mut reload);
        let rest = report.to_string();
        let rest = rest.strip_prefix(line).unwrap_or_else(|| panic!("{report}"));
        assert_eq!(rest, format!("{} us", report.times.total().as_micros()));
    }
}

#[test]
fn a_report_says_how_long_each_part_took() {
    let (memory, mut reload) = ranked("a = player.rank\n");
    memory.set("a = player.rank + 1\n");
    let report = reloaded(&mut reload);
    let hclvm_reload::Times { read, parse, look_up, compile, evaluate } = report.times;
    for (name, time) in
        [("read", read), ("parse", parse), ("look up", look_up), ("compile", compile), ("evaluate", evaluate)]
    {
        assert!(!time.is_zero() && time < std::time::Duration::from_secs(60), "{name}: {time:?}");
    }
    assert_eq!(report.times.total(), read + parse + look_up + compile + evaluate);
    assert!(look_up >= report.update.times.compare, "a comparison is a part of it");
}

#[test]
fn problems_are_shown_one_after_the_other() {
    let engine = Engine::new();
    let of = |name: &str| engine.parse(name, "a = \n").expect_err("it is wrong");
    let list: Vec<_> =
        ["a.hcl", "b.hcl"].map(|name| of(name).diagnostics().expect("problems").clone()).into();
    let shown = Problems::Diagnostics(list.clone()).to_string();
    let reports: Vec<String> = list.iter().map(|one| one.report().to_string()).collect();
    assert_eq!(shown, format!("{}\n{}", reports[0], reports[1]).trim_end());
    assert!(shown.contains("a.hcl:1:5") && shown.contains("b.hcl:1:5") && !shown.ends_with('\n'), "{shown}");
    for problems in [Problems::from(of("a.hcl")), of("a.hcl").diagnostics().expect("problems").clone().into()]
    {
        assert_eq!(
            (problems.diagnostics().len(), problems.to_string()),
            (1, reports[0].trim_end().to_owned())
        );
    }
    for problems in [Problems::from("no"), Problems::from("no".to_owned())] {
        assert_eq!((problems.diagnostics().len(), problems.to_string()), (0, "no".to_owned()));
    }
    let without_place = engine.load(b"no document").expect_err("it is none");
    let host = hclvm::Error::host(without_place.to_string());
    assert_eq!(Problems::from(host.clone()).to_string(), format!("{host}."));
}

#[test]
fn attributes_in_blocks_with_long_names_are_heard_of_by_their_last_names() {
    let long = "x".repeat(300);
    let text = |at: usize| format!("outer \"{long}\" {{\n  rule \"a\" {{\n    when = {at}\n  }}\n}}\n");
    let (memory, builder) = builder(&text(0));
    let mut reload = builder.open(|_| Ok(())).expect("it loads");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let whole = format!("outer[\"{long}\"].rule.a.when");
    let paths =
        ["when", "rule.a.when", "a.when", "*.when", "b.when", "rule.b.when", "rule.a", whole.as_str()];
    let subscriptions = paths.map(|path| {
        let (heard, name) = (Arc::clone(&heard), path[..path.len().min(11)].to_owned());
        let hear = move |event: &hclvm_reload::Event<'_, ()>| {
            heard.lock().expect("no test panicked").push(format!("{name}: {}", event.paths.join(" ")));
        };
        reload.subscribe(path.parse().expect("a path"), hear)
    });
    memory.set(&text(1));
    let report = reloaded(&mut reload);
    assert!(report.update.changed[0].is_shortened());
    drop(subscriptions);
    let path = &report.update.changed[0];
    // In doubt a subscriber hears of a change: only names that are known and differ exclude it.
    let expected: Vec<String> = ["when", "rule.a.when", "a.when", "*.when", "outer[\"xxxx"]
        .iter()
        .map(|name| format!("{name}: {path}"))
        .collect();
    assert_eq!(*heard.lock().expect("no test panicked"), expected);
}

#[test]
fn paths_that_changed_are_told_once_and_in_order() {
    let (memory, mut reload) = ranked("b = player.rank\na = 1\nlocals {\n  c = 1\n}\n");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hear = {
        let heard = Arc::clone(&heard);
        move |event: &hclvm_reload::Event<'_, ()>| {
            heard.lock().expect("no test panicked").push(event.paths.clone());
        }
    };
    let _all = reload.subscribe("*".parse().expect("a path"), hear);
    memory.set("b = player.rank + 1\na = 2\nlocals {\n  c = 2\n}\n");
    reloaded(&mut reload);
    assert_eq!(*heard.lock().expect("no test panicked"), [["a", "b", "local.c", "locals.c"]]);
}

#[test]
fn locals_that_nothing_reads_and_those_that_are_gone_are_reported() {
    let (memory, mut reload) = ranked("locals {\n  b = 1\n  a = local.b\n  c = 1\n}\nx = local.a\n");
    memory.set("locals {\n  b = 2\n  a = local.b\n  d = 1\n}\nx = local.a\n");
    let report = reloaded(&mut reload);
    assert_eq!(report.locals, ["b", "c", "d"]);
    assert_eq!(report.dependents, ["local.a", "x"]);
    memory.set("locals {\n  b = 2\n  a = local.b\n  d = 1\n}\nx = local.a + 1\n");
    let report = reloaded(&mut reload);
    assert_eq!((report.locals.len(), report.dependents.len()), (0, 0));
}
