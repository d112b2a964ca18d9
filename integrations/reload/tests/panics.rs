//! Panics of the host's functions: what is in use stays in use, and the status says what panicked.

mod memory;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm_reload::{
    Candidate, Event, Files, Loader, Notices, Options, Outcome, Part, Problems, Reload, Report, Status, Text,
    Texts, Unreadable, Watched, Watcher, Watching,
};

use memory::Memory;

const PATIENCE: Duration = Duration::from_secs(60);

fn reload(text: &str) -> (Memory, Reload<u64>) {
    let memory = Memory::default();
    memory.set(text);
    let builder = Reload::builder(&Engine::new(), memory.clone());
    (memory, builder.open(|candidate| Ok(candidate.epoch())).expect("it loads"))
}

/// Returns what panicked last, with its epoch and message, and how often.
fn panic(status: &Status) -> (u64, Part, u64, String) {
    let panic = status.panic.as_ref().expect("something panicked");
    assert!(panic.at.elapsed().is_ok_and(|age| age < PATIENCE));
    (status.panics, panic.part.clone(), panic.epoch, panic.message.clone())
}

#[test]
fn a_subscriber_that_panics_remains_subscribed_and_others_are_called() {
    let (memory, mut reload) = reload("a = 0\n");
    let heard = Arc::new(Mutex::new(Vec::new()));
    let subscribe = |name: &'static str, fails: bool| {
        let heard = Arc::clone(&heard);
        let hear = move |event: &Event<'_, u64>| {
            let epoch = event.loaded.epoch();
            heard.lock().expect("it panics without the lock").push(format!("{name}{epoch}"));
            assert!(!fails || epoch != 1, "{name} is out of range");
        };
        reload.subscribe("a".parse().expect("a path"), hear)
    };
    let _subscriptions = [subscribe("x", false), subscribe("y", true), subscribe("z", false)];
    assert!(reload.current().status().panic.is_none());
    for at in 1..=3 {
        memory.set(&format!("a = {at}\n"));
        assert!(matches!(reload.attempt(), Outcome::Reloaded(report) if report.epoch == at));
    }
    assert_eq!(*heard.lock().expect("no lock"), ["x1", "y1", "z1", "x2", "y2", "z2", "x3", "y3", "z3"]);
    let status = reload.current().status();
    let part = Part::Subscriber("a".to_owned());
    assert_eq!(panic(&status), (1, part, 1, "y is out of range".to_owned()));
    assert_eq!((status.epoch, status.rejected.is_none()), (3, true));
    let shown = status.panic.expect("a panic").to_string();
    assert_eq!(shown, "the subscriber of a panicked: y is out of range");
}

#[test]
fn subscribers_that_subscribe_and_end_others_are_called_like_all() {
    let (memory, reload) = reload("a = 0\n");
    let reload = Arc::new(Mutex::new(reload));
    let count = Arc::new(AtomicU64::new(0));
    let slot = Arc::new(Mutex::new(Vec::new()));
    let add = |slot: &Arc<Mutex<Vec<_>>>, reload: &Reload<u64>| {
        let count = Arc::clone(&count);
        let hear = move |_: &Event<'_, u64>| {
            count.fetch_add(1, Ordering::Relaxed);
            panic!("always");
        };
        slot.lock().expect("no lock").push(reload.subscribe("a".parse().expect("a path"), hear));
    };
    let mut reload = reload.lock().expect("no lock");
    for (at, calls) in [(1, 0), (2, 1), (3, 3)] {
        memory.set(&format!("a = {at}\n"));
        assert!(matches!(reload.attempt(), Outcome::Reloaded(_)));
        assert_eq!(count.load(Ordering::Relaxed), calls);
        add(&slot, &reload);
    }
    slot.lock().expect("no lock").clear();
    memory.set("a = 9\n");
    reload.attempt();
    assert_eq!((count.load(Ordering::Relaxed), reload.current().status().panics), (3, 3));
}

#[test]
fn a_panic_of_the_function_that_accepts_rejects_the_candidate() {
    let memory = Memory::default();
    memory.set("a = 0\n");
    let accept = |candidate: &Candidate<'_>| {
        let text = String::from_utf8_lossy(&candidate.texts()[0].bytes).into_owned();
        assert!(!text.contains("13"), "13 is unlucky");
        Ok(candidate.epoch())
    };
    let mut reload = Reload::builder(&Engine::new(), memory.clone()).open(accept).expect("it loads");
    memory.set("a = 13\n");
    let Outcome::Rejected(rejection) = reload.attempt() else { panic!("it panics") };
    let sentence = "the function that accepts candidates panicked: 13 is unlucky.";
    assert_eq!(rejection.problems.to_string(), sentence);
    let status = reload.current().status();
    assert_eq!(status.rejected.as_ref().map(|one| one.problems.to_string()).as_deref(), Some(sentence));
    assert_eq!((status.epoch, reload.current().load().epoch()), (0, 0));
    assert_eq!(panic(&status), (1, Part::Accept, 1, "13 is unlucky".to_owned()));
    assert!(matches!(reload.attempt(), Outcome::Unchanged), "it is not asked again for the same texts");
    memory.set("a = 14\n");
    assert!(matches!(reload.attempt(), Outcome::Reloaded(report) if report.epoch == 1));
    let status = reload.current().status();
    assert_eq!((status.rejected.is_none(), status.panics), (true, 1));
    assert_eq!(panic(&status).1, Part::Accept);
}

/// Texts whose loader panics where the test wants it.
struct Fragile(Memory, Arc<Mutex<&'static str>>);

impl Fragile {
    fn pass(&self, part: &str) {
        let at = *self.1.lock().expect("no lock");
        // A message that is no text.
        if at == part {
            std::panic::panic_any(7_u8);
        }
    }
}

impl Texts for Fragile {
    fn watched(&self) -> Vec<Watched> {
        self.pass("watched");
        Vec::new()
    }

    fn read(&mut self) -> Result<Vec<Text>, Unreadable> {
        self.pass("read");
        self.0.read()
    }
}

impl Loader for Fragile {
    type Content = ();

    fn load(&mut self, _: &[Text], _: Option<&()>, _: &mut Report) -> Result<(), Problems> {
        self.pass("load");
        Ok(())
    }

    fn evaluate(&mut self, _: &Candidate<'_, ()>, _: &mut Report) -> Result<(), Problems> {
        self.pass("evaluate");
        Ok(())
    }

    fn accepted(&mut self) {
        self.pass("accepted");
    }
}

#[test]
fn a_panic_of_a_loader_rejects_the_texts() {
    let (memory, at) = (Memory::default(), Arc::new(Mutex::new("")));
    memory.set("0");
    let loader = || Fragile(memory.clone(), Arc::clone(&at));
    let parts = [("load", Part::Loader), ("evaluate", Part::Evaluation), ("accepted", Part::Loader)];
    let set = |part| *at.lock().expect("no lock") = part;
    let mut reload = Reload::open(loader(), |_| Ok(())).expect("it loads");
    for (number, (name, part)) in parts.into_iter().enumerate() {
        memory.set(&format!("{name} fails"));
        set(name);
        let Outcome::Rejected(rejection) = reload.attempt() else { panic!("{name} panics") };
        assert_eq!(rejection.problems.to_string(), format!("{part} panicked: no message."));
        let epoch = number as u64 + 1;
        assert_eq!(panic(&reload.current().status()), (epoch, part.clone(), epoch, "no message".to_owned()));
        let Err(problems) = Reload::open(loader(), |_| Ok(())) else { panic!("{name} panics") };
        assert_eq!(problems.to_string(), format!("{part} panicked: no message."));
        set("");
        memory.set(&format!("{name} does not fail"));
        assert!(matches!(reload.attempt(), Outcome::Reloaded(_)));
    }
    set("read");
    assert!(matches!(reload.attempt(), Outcome::Unfinished(_)));
    let Outcome::Rejected(rejection) = reload.attempt_finally() else { panic!("reading panics") };
    assert_eq!(rejection.problems.to_string(), "the source of the texts panicked: no message.");
    // The epoch of what could not be read would have been the fourth one.
    assert_eq!(panic(&reload.current().status()), (5, Part::Texts, 4, "no message".to_owned()));
    assert!(matches!(reload.attempt_finally(), Outcome::Unchanged));
    set("");
    assert!(matches!(reload.attempt(), Outcome::Restored));
    let refused = Reload::<u64, ()>::open(loader(), |_| panic!("no"));
    assert!(matches!(refused, Err(Problems::Sentence(why)) if why.ends_with("panicked: no.")));
}

/// What the host makes of a configuration, whose destructor panics.
struct Sticky(u64);

impl Drop for Sticky {
    fn drop(&mut self) {
        assert!(self.0 != 0, "it does not come off");
    }
}

#[test]
fn a_panic_of_the_destructor_of_what_is_replaced_rejects_nothing() {
    let memory = Memory::default();
    memory.set("a = 0\n");
    let builder = Reload::builder(&Engine::new(), memory.clone());
    let mut reload = builder.open(|candidate| Ok(Sticky(candidate.epoch()))).expect("it loads");
    memory.set("a = 1\n");
    assert!(matches!(reload.attempt(), Outcome::Reloaded(_)));
    let status = reload.current().status();
    assert_eq!((status.epoch, status.rejected.is_none()), (1, true));
    assert_eq!(panic(&status), (1, Part::Drop, 1, "it does not come off".to_owned()));
}

/// Notices that the test gives, and that panic when it wants it.
struct Given(Arc<AtomicBool>);

impl Notices for Given {
    fn follow(&mut self, _: &[Watched]) -> Result<(), String> {
        assert!(!self.0.load(Ordering::Relaxed), "no folder");
        Ok(())
    }
}

#[test]
fn a_host_that_watches_in_a_loop_of_its_own_is_served_alike() {
    let (memory, reload) = reload("a = 0\n");
    let _subscription = reload.subscribe("a".parse().expect("a path"), |_| panic!("always"));
    let current = reload.current().clone();
    let fails = Arc::new(AtomicBool::new(false));
    let notices = Given(Arc::clone(&fails));
    let options = Options::default().notices(move |_| Ok(Box::new(notices)));
    let mut now = Instant::now();
    let mut watcher = Watcher::new(reload, options, now);
    let mut change = |watcher: &mut Watcher<u64>, at: u64| {
        memory.set(&format!("a = {at}\n"));
        watcher.waker().wake();
        loop {
            match watcher.step(now) {
                Some(outcome) => {
                    break assert!(matches!(outcome, Outcome::Reloaded(report) if report.epoch == at));
                }
                None => now = watcher.due(),
            }
        }
    };
    change(&mut watcher, 1);
    assert_eq!(current.status().watching, Watching::Notices);
    fails.store(true, Ordering::Relaxed);
    change(&mut watcher, 2);
    let status = current.status();
    let why = "the notices of changes panicked: no folder".to_owned();
    assert_eq!((status.watching, status.panics), (Watching::Polling(Some(why)), 3));
    change(&mut watcher, 3);
    drop(watcher);
    assert_eq!(current.status().watching, Watching::Nothing);

    let (_, reload) = self::reload("a = 0\n");
    let current = reload.current().clone();
    let _watcher = Watcher::new(reload, Options::default().notices(|_| panic!("no start")), now);
    let why = "the notices of changes panicked: no start".to_owned();
    assert_eq!(current.status().watching, Watching::Polling(Some(why)));
}

#[test]
fn a_thread_watches_on_after_panics() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.hcl");
    let write = |text: &str| std::fs::write(&path, text).expect("it is written");
    write("a = 0\n");
    let accept = |candidate: &Candidate<'_>| {
        assert!(candidate.epoch() != 1 || !candidate.texts()[0].bytes.starts_with(b"b"), "no b");
        Ok(candidate.epoch())
    };
    let reload = Reload::builder(&Engine::new(), Files::new(&path)).open(accept).expect("it loads");
    let current = reload.current().clone();
    let subscription = reload.subscribe("a".parse().expect("a path"), |_| panic!("no subscriber"));
    let (sender, outcomes) = channel();
    let options = Options::default().quiet(Duration::from_millis(5)).interval(Duration::from_millis(5));
    let watch = reload.watch(options.polling(), move |outcome| {
        let _ = sender.send(outcome.clone());
        panic!("no outcome");
    });
    let next = || outcomes.recv_timeout(PATIENCE).expect("it is noticed");
    write("b = 1\n");
    assert!(
        matches!(next(), Outcome::Rejected(rejection) if rejection.problems.to_string().contains("no b"))
    );
    for epoch in 1..=2 {
        write(&format!("a = {epoch}\n"));
        assert!(matches!(next(), Outcome::Reloaded(report) if report.epoch == epoch));
    }
    let start = Instant::now();
    while current.status().panics < 6 {
        assert!(start.elapsed() < PATIENCE, "{:?}", current.status());
        std::thread::sleep(Duration::from_millis(1));
    }
    let status = current.status();
    assert_eq!(panic(&status), (6, Part::Outcome, 2, "no outcome".to_owned()));
    assert_eq!((status.epoch, status.watching), (2, Watching::Polling(None)));
    drop((watch, subscription));
    assert_eq!(current.status().watching, Watching::Nothing);
}
