//! The thread that watches.

use std::sync::mpsc;
use std::time::Duration;

use hclvm::Engine;
use hclvm_reload::{Files, Notices, Options, Outcome, Reload, Watched};

use crate::rig::write;

const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_thread_loads_what_changed_and_ends_when_it_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.hcl");
    write(&path, "speed = 0\n");
    let reload = Reload::builder(&Engine::new(), Files::new(&path));
    let reload = reload.open(|candidate| Ok(candidate.epoch())).expect("it loads");
    let (sender, outcomes) = mpsc::channel();
    let options = Options::default().quiet(Duration::from_millis(5));
    let watch = reload.watch(options, move |outcome| {
        let _ = sender.send(outcome.clone());
    });
    let mut reader = watch.current().reader();
    assert_eq!(reader.current().epoch(), 0);
    let kept = reader.current().clone();
    write(&path, "speed = 1\n");
    let outcome = outcomes.recv_timeout(PATIENCE).expect("it is noticed");
    assert!(matches!(outcome, Outcome::Reloaded(report) if report.epoch == 1));
    assert_eq!((reader.current().epoch(), *reader.current().host()), (1, 1));
    assert_eq!(kept.epoch(), 0);
    drop(watch);
    assert!(outcomes.recv_timeout(PATIENCE).is_err(), "the thread has ended");
}

/// Notices that never come.
struct Silent;

impl Notices for Silent {
    fn follow(&mut self, _: &[Watched]) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn a_thread_looks_at_the_files_when_it_is_asked_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.hcl");
    write(&path, "speed = 0\n");
    let reload = Reload::builder(&Engine::new(), Files::new(&path)).open(|_| Ok(())).expect("it loads");
    let (sender, outcomes) = mpsc::channel();
    let options = Options::default().quiet(Duration::from_millis(5)).safety(Duration::from_secs(3_600));
    let watch = reload.watch(options.notices(|_| Ok(Box::new(Silent))), move |outcome| {
        let _ = sender.send(outcome.clone());
    });
    // The look at the beginning may find the first change, and nothing finds the second one without being asked.
    for epoch in 1..=2 {
        write(&path, &format!("speed = {epoch}\n"));
        watch.look();
        let outcome = outcomes.recv_timeout(PATIENCE).expect("it is noticed");
        assert!(matches!(outcome, Outcome::Reloaded(report) if report.epoch == epoch));
    }
}
