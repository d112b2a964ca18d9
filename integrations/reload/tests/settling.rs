//! When changes have settled, without a clock.

use std::time::{Duration, Instant};

use hclvm_reload::Settling;

#[test]
fn changes_settle_once_after_a_pause_or_the_longest_time() {
    let start = Instant::now();
    let at = |milliseconds| start + Duration::from_millis(milliseconds);
    let mut settling = Settling::new(Duration::from_millis(10), Duration::from_millis(25));
    assert_eq!(settling.due(), None);
    assert!(!settling.settled(at(1_000)));
    settling.notice(at(0));
    assert_eq!(settling.due(), Some(at(10)));
    assert!(!settling.settled(at(9)));
    // Each notice begins another pause.
    settling.notice(at(9));
    assert_eq!(settling.due(), Some(at(19)));
    assert!(!settling.settled(at(18)));
    settling.notice(at(18));
    // But not beyond the longest time from the first one.
    assert_eq!(settling.due(), Some(at(25)));
    assert!(!settling.settled(at(24)));
    assert!(settling.settled(at(25)));
    assert!(!settling.settled(at(26)), "once");
    assert_eq!(settling.due(), None);
    // The next ones have a time of their own.
    settling.notice(at(100));
    assert_eq!(settling.due(), Some(at(110)));
    assert!(settling.settled(at(200)));
}
