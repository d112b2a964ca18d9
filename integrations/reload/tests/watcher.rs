//! When a watcher looks and loads, with a source in memory and times that the test gives.

mod memory;

use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm_reload::{Notices, Options, Outcome, Reload, Watched, Watcher};

use memory::Memory;

const QUIET: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(5);
const INTERVAL: Duration = Duration::from_secs(10);
const SAFETY: Duration = Duration::from_secs(100);

/// Notices that the test gives by the waker.
struct Given;

impl Notices for Given {
    fn follow(&mut self, _: &[Watched]) -> Result<(), String> {
        Ok(())
    }
}

fn watcher(has_notices: bool, now: Instant, before: impl FnOnce(&Memory)) -> (Memory, Watcher<u64>) {
    let memory = Memory::default();
    memory.set("a = 0\n");
    let builder = Reload::builder(&Engine::new(), memory.clone());
    let reload = builder.open(|candidate| Ok(candidate.epoch())).expect("it loads");
    before(&memory);
    let options = Options::default().quiet(QUIET).longest(LONGEST).interval(INTERVAL).safety(SAFETY);
    let options = if has_notices { options.notices(|_| Ok(Box::new(Given))) } else { options.polling() };
    (memory, Watcher::new(reload, options, now))
}

#[test]
fn texts_are_looked_at_in_intervals() {
    let now = Instant::now();
    for (has_notices, interval) in [(false, INTERVAL), (true, SAFETY)] {
        let (_, mut watcher) = watcher(has_notices, now, |_| {});
        assert_eq!(watcher.due(), now);
        assert!(watcher.step(now).is_none());
        assert_eq!(watcher.due(), now + interval);
        assert!(watcher.step(now + interval).is_none());
        assert_eq!(watcher.due(), now + interval * 2);
    }
}

#[test]
fn a_change_before_the_first_look_is_loaded() {
    let now = Instant::now();
    for has_notices in [false, true] {
        let (_, mut watcher) = watcher(has_notices, now, |memory| memory.set("a = 1\n"));
        assert!(watcher.step(now).is_none());
        assert_eq!(watcher.due(), now + QUIET);
        assert!(watcher.step(now + QUIET / 2).is_none());
        assert!(matches!(watcher.step(now + QUIET), Some(Outcome::Reloaded(_))), "{has_notices}");
        assert!(watcher.step(now + QUIET * 2).is_none());
    }
}

#[test]
fn without_notices_texts_are_loaded_when_two_readings_are_equal() {
    let now = Instant::now();
    let (memory, mut watcher) = watcher(false, now, |_| {});
    assert!(watcher.step(now).is_none());
    memory.set("a = 1\n");
    let mut at = now + INTERVAL;
    assert!(watcher.step(at).is_none());
    // It is still being written.
    for text in ["a = 1\nb", "a = 1\nb = 2\n"] {
        memory.set(text);
        at += QUIET;
        assert!(watcher.step(at).is_none());
        assert_eq!(watcher.due(), at + QUIET);
    }
    at += QUIET;
    assert!(matches!(watcher.step(at), Some(Outcome::Reloaded(_))));
    // With notices, one reading is enough.
    let (memory, mut watcher) = self::watcher(true, now, |_| {});
    assert!(watcher.step(now).is_none());
    memory.set("a = 1\n");
    watcher.waker().wake();
    assert!(watcher.step(now).is_none());
    memory.set("a = 2\n");
    assert!(matches!(watcher.step(now + QUIET), Some(Outcome::Reloaded(_))));
}

#[test]
fn without_notices_texts_that_change_all_the_time_are_loaded_in_the_end() {
    let now = Instant::now();
    let (memory, mut watcher) = watcher(false, now, |_| {});
    assert!(watcher.step(now).is_none());
    memory.set("a = 1\n");
    assert!(watcher.step(now + INTERVAL).is_none());
    let first = now + INTERVAL + QUIET;
    for at in 0..5 {
        memory.set(&format!("a = 2\nb = {at}\n"));
        assert!(watcher.step(first + QUIET * at).is_none(), "{at}");
    }
    memory.set("a = 3\n");
    assert!(matches!(watcher.step(first + LONGEST), Some(Outcome::Reloaded(_))));
}

#[test]
fn texts_that_remain_unfinished_are_rejected_after_the_longest_time() {
    let now = Instant::now();
    let (memory, mut watcher) = watcher(true, now, |_| {});
    assert!(watcher.step(now).is_none());
    for round in 0..2 {
        let begin = now + LONGEST * 4 * round;
        memory.set("");
        watcher.waker().wake();
        assert!(watcher.step(begin).is_none());
        // From the first reading on, once in each quiet period.
        for at in 1..=5 {
            assert!(watcher.step(begin + QUIET * at).is_none(), "{at}");
        }
        assert!(matches!(watcher.step(begin + QUIET + LONGEST), Some(Outcome::Rejected(_))), "{round}");
        memory.set("a = 0\n");
        watcher.waker().wake();
        assert!(watcher.step(begin + LONGEST * 2).is_none());
        assert!(matches!(watcher.step(begin + LONGEST * 2 + QUIET), Some(Outcome::Restored)));
    }
}

#[test]
fn a_notice_that_was_waited_for_is_taken_by_the_next_step() {
    let now = Instant::now();
    let (_, mut watcher) = watcher(true, now, |_| {});
    assert!(watcher.step(now).is_none());
    watcher.waker().wake();
    watcher.wait();
    assert!(watcher.step(now).is_none());
    assert_eq!(watcher.due(), now + QUIET);
}

#[test]
fn the_times_are_those_of_the_documentation_unless_others_are_set() {
    let now = Instant::now();
    let seconds = Duration::from_secs;
    for (has_notices, interval) in [(false, seconds(1)), (true, seconds(30))] {
        let memory = Memory::default();
        memory.set("a = 0\n");
        let open = Reload::builder(&Engine::new(), memory.clone()).open(|_| Ok(()));
        let options = Options::default();
        let options = if has_notices { options.notices(|_| Ok(Box::new(Given))) } else { options.polling() };
        let mut watcher = Watcher::new(open.expect("it loads"), options, now);
        assert!(watcher.step(now).is_none());
        assert_eq!(watcher.due(), now + interval);
        // A change that is noticed again and again is loaded after a second.
        memory.set("a = 1\n");
        watcher.waker().wake();
        assert!(watcher.step(now).is_none());
        assert_eq!(watcher.due(), now + Duration::from_millis(150));
        for at in 1..10 {
            watcher.waker().wake();
            assert!(watcher.step(now + Duration::from_millis(100 * at)).is_none(), "{at}");
        }
        assert_eq!(watcher.due(), now + seconds(1));
    }
}

#[test]
fn a_look_finds_what_changed_since_the_one_before() {
    let now = Instant::now();
    for has_notices in [false, true] {
        let interval = if has_notices { SAFETY } else { INTERVAL };
        let (memory, mut watcher) = watcher(has_notices, now, |_| {});
        assert!(watcher.step(now).is_none());
        // Texts that return to those in use between two looks have not changed.
        memory.set("a = 1\n");
        memory.set("a = 0\n");
        assert!(watcher.step(now + interval).is_none());
        assert_eq!(watcher.due(), now + interval * 2);
        memory.set("a = \n");
        assert!(watcher.step(now + interval * 2).is_none());
        assert_eq!(watcher.due(), now + interval * 2 + QUIET);
        let outcome = watcher.step(now + interval * 2 + QUIET);
        assert!(matches!(outcome, Some(Outcome::Rejected(_))), "{outcome:?}");
        // What was rejected is not attempted again.
        assert!(watcher.step(now + interval * 3).is_none());
        assert_eq!(watcher.due(), now + interval * 4);
        memory.set("a = 0\n");
        assert!(watcher.step(now + interval * 4).is_none());
        let outcome = watcher.step(now + interval * 4 + QUIET);
        assert!(matches!(outcome, Some(Outcome::Restored)), "{outcome:?}");
    }
}

#[test]
fn a_wait_lasts_until_something_is_due() {
    let memory = Memory::default();
    memory.set("a = 0\n");
    let interval = Duration::from_millis(60);
    let open = Reload::builder(&Engine::new(), memory.clone()).open(|_| Ok(()));
    let now = Instant::now();
    let mut watcher =
        Watcher::new(open.expect("it loads"), Options::default().polling().interval(interval), now);
    // The first look is due at once.
    watcher.wait();
    assert!(watcher.step(now).is_none());
    watcher.wait();
    assert!(now.elapsed() >= interval);
}
