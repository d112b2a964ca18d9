//! Without notices of the system.

use hclvm_reload::{Notices, Watched, Watching};

use crate::rig::{Method, Rig, options, write};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("game.hcl"), "speed = 0\n");
    folder
}

#[test]
fn polling_takes_over_if_notices_cannot_start() {
    let options =
        options(Method::Notices).notices(|_| Err("the limit of watched files is reached".to_owned()));
    let mut rig = Rig::with(folder(), "game.hcl", Method::Polling, options);
    let reason = Some("the limit of watched files is reached".to_owned());
    assert_eq!(rig.current().status().watching, Watching::Polling(reason));
    write(&rig.path("game.hcl"), "speed = 1\n");
    assert_eq!(rig.reloaded(), (1, 1));
}

/// Notices that follow a number of times.
struct Limited(usize);

impl Notices for Limited {
    fn follow(&mut self, watched: &[Watched]) -> Result<(), String> {
        assert!(!watched.is_empty());
        self.0 = self.0.checked_sub(1).ok_or("no further folder can be watched")?;
        Ok(())
    }
}

#[test]
fn polling_takes_over_if_notices_end() {
    let options = options(Method::Notices).notices(|waker| {
        waker.wake();
        Ok(Box::new(Limited(1)))
    });
    let mut rig = Rig::with(folder(), "game.hcl", Method::Polling, options);
    assert_eq!(rig.current().status().watching, Watching::Notices);
    write(&rig.path("game.hcl"), "speed = 1\n");
    assert_eq!(rig.reloaded(), (1, 1));
    let reason = Some("no further folder can be watched".to_owned());
    assert_eq!(rig.current().status().watching, Watching::Polling(reason));
    write(&rig.path("game.hcl"), "speed = 2\n");
    assert_eq!(rig.reloaded(), (2, 2));
}

#[test]
fn files_are_looked_at_beside_notices_that_do_not_come() {
    let options = options(Method::Notices).notices(|_| Ok(Box::new(Limited(100))));
    let mut rig = Rig::with(folder(), "game.hcl", Method::Polling, options);
    write(&rig.path("game.hcl"), "speed = 1\n");
    assert_eq!(rig.reloaded(), (1, 1));
    assert_eq!(rig.current().status().watching, Watching::Notices);
}

#[test]
fn polling_that_was_chosen_has_no_reason() {
    let rig = Rig::with(folder(), "game.hcl", Method::Polling, options(Method::Polling));
    assert_eq!(rig.current().status().watching, Watching::Polling(None));
}
