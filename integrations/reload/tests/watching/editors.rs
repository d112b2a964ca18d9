//! One file, written in every way.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::time::{Duration, SystemTime};

use hclvm_reload::Outcome;

use crate::rig::{Method, Rig, both, has_notices, write};

#[test]
fn a_file_written_in_place_is_loaded() {
    both(|method| {
        let mut rig = Rig::file(method);
        for at in 1..4 {
            write(&rig.path("game.hcl"), &format!("speed = {at}\n"));
            assert_eq!(rig.reloaded(), (at, at));
        }
    });
}

#[test]
fn a_file_that_was_truncated_is_not_loaded_before_it_is_written() {
    both(|method| {
        let mut rig = Rig::file(method);
        let mut file = File::create(rig.path("game.hcl")).expect("it is truncated");
        if method == Method::Notices {
            assert!(rig.settle().is_none(), "an empty file is unfinished");
        }
        file.write_all(b"speed = 1\n").expect("it is written");
        drop(file);
        assert_eq!(rig.reloaded(), (1, 1));
    });
}

#[test]
fn a_file_that_stays_empty_is_rejected() {
    both(|method| {
        let mut rig = Rig::file(method);
        write(&rig.path("game.hcl"), "");
        assert!(rig.rejected().ends_with("game.hcl is empty, and was not before."));
        assert_eq!(rig.in_use(), (0, 0));
        write(&rig.path("game.hcl"), "speed = 2\n");
        assert_eq!(rig.reloaded(), (1, 2));
    });
}

#[test]
fn a_file_written_beside_and_renamed_over_is_loaded() {
    both(|method| {
        let mut rig = Rig::file(method);
        for at in 1..4 {
            write(&rig.path(".game.hcl.tmp"), &format!("speed = {at}\n"));
            fs::rename(rig.path(".game.hcl.tmp"), rig.path("game.hcl")).expect("it is renamed");
            assert_eq!(rig.reloaded(), (at, at));
        }
    });
}

/// vim tries whether it can write the folder, renames the file to a backup, writes a new one, and deletes the
/// backup.
#[test]
fn a_file_written_by_vim_is_loaded() {
    both(|method| {
        let mut rig = Rig::file(method);
        for at in 1..4 {
            write(&rig.path("4913"), "");
            fs::remove_file(rig.path("4913")).expect("it is deleted");
            fs::rename(rig.path("game.hcl"), rig.path("game.hcl~")).expect("it is renamed");
            write(&rig.path("game.hcl"), &format!("speed = {at}\n"));
            fs::remove_file(rig.path("game.hcl~")).expect("it is deleted");
            assert_eq!(rig.reloaded(), (at, at));
        }
    });
}

/// emacs marks the file with a link that leads nowhere, copies it to a backup, and writes it in place.
#[cfg(unix)]
#[test]
fn a_file_written_by_emacs_is_loaded() {
    both(|method| {
        let mut rig = Rig::file(method);
        for at in 1..4 {
            std::os::unix::fs::symlink("user@host.1:2", rig.path(".#game.hcl")).expect("it is linked");
            write(&rig.path("#game.hcl#"), "speed = ");
            fs::copy(rig.path("game.hcl"), rig.path("game.hcl~")).expect("it is copied");
            write(&rig.path("game.hcl"), &format!("speed = {at}\n"));
            fs::remove_file(rig.path("#game.hcl#")).expect("it is deleted");
            fs::remove_file(rig.path(".#game.hcl")).expect("it is deleted");
            assert_eq!(rig.reloaded(), (at, at));
        }
    });
}

#[test]
fn a_file_that_is_deleted_stays_in_use_until_it_is_created_again() {
    both(|method| {
        let mut rig = Rig::file(method);
        for at in 1..4 {
            fs::remove_file(rig.path("game.hcl")).expect("it is deleted");
            if method == Method::Notices {
                assert!(rig.settle().is_none(), "it may be created soon");
            }
            write(&rig.path("game.hcl"), &format!("speed = {at}\n"));
            assert_eq!(rig.reloaded(), (at, at));
        }
        fs::remove_file(rig.path("game.hcl")).expect("it is deleted");
        assert!(rig.rejected().contains("game.hcl: "));
        assert_eq!(rig.in_use(), (3, 3));
        write(&rig.path("game.hcl"), "speed = 3\n");
        assert!(matches!(rig.outcome(), Outcome::Restored));
        assert!(rig.current().status().rejected.is_none());
    });
}

#[test]
fn a_burst_of_writes_is_one_reload() {
    if !has_notices() {
        return;
    }
    let mut rig = Rig::file(Method::Notices);
    for at in 1..=20 {
        rig.write_after(Duration::from_millis(10), &format!("speed = {at}\n"));
    }
    assert_eq!(rig.reloaded(), (1, 20));
    // Of notices that come late, nothing is left to load.
    write(&rig.path("game.hcl"), "speed = 21\n");
    assert_eq!(rig.reloaded(), (2, 21));
}

#[test]
fn a_file_that_is_saved_without_a_change_is_not_loaded_again() {
    both(|method| {
        let mut rig = Rig::file(method);
        write(&rig.path("game.hcl"), "speed = 0\n");
        let file = OpenOptions::new().append(true).open(rig.path("game.hcl")).expect("it is opened");
        file.set_modified(SystemTime::now() + Duration::from_secs(60)).expect("it has another time");
        if method == Method::Notices {
            assert!(rig.settle().is_none());
        }
        assert_eq!(rig.in_use(), (0, 0));
        write(&rig.path("game.hcl"), "speed = 1\n");
        assert_eq!(rig.reloaded(), (1, 1));
    });
}

#[test]
fn a_broken_file_is_rejected_and_the_last_good_one_stays_until_it_is_fixed() {
    both(|method| {
        let mut rig = Rig::file(method);
        write(&rig.path("game.hcl"), "speed = = 1\n");
        assert!(rig.rejected().contains("game.hcl:1:9"));
        assert_eq!(rig.in_use(), (0, 0));
        let status = rig.current().status();
        let rejected = status.rejected.expect("it is told");
        assert_eq!((status.epoch, rejected.problems.diagnostics().len()), (0, 1));
        assert!(rejected.age() < Duration::from_secs(3600));
        write(&rig.path("game.hcl"), "speed = 1\n");
        assert_eq!(rig.reloaded(), (1, 1));
        assert!(rig.current().status().rejected.is_none());
    });
}

#[test]
fn what_the_host_refuses_is_rejected() {
    both(|method| {
        let mut rig = Rig::file(method);
        write(&rig.path("game.hcl"), "pace = 1\n");
        assert_eq!(rig.rejected(), "The game has no speed.");
        write(&rig.path("game.hcl"), "speed = 1\n");
        assert_eq!(rig.reloaded(), (1, 1));
    });
}

#[test]
fn a_file_that_is_written_without_a_pause_is_loaded_in_the_end() {
    let mut settling = hclvm_reload::Settling::new(Duration::from_millis(100), Duration::from_secs(1));
    let start = std::time::Instant::now();
    let mut loaded = Vec::new();
    for at in (0..2_500).step_by(10) {
        let now = start + Duration::from_millis(at);
        settling.notice(now);
        if settling.settled(now) {
            loaded.push(at);
        }
    }
    assert_eq!(loaded, [1_000, 2_010]);
    assert!(!settling.settled(start + Duration::from_millis(2_500)));
    assert!(settling.settled(start + Duration::from_millis(2_590)));
    assert!(!settling.settled(start + Duration::from_secs(9)));
}

#[test]
fn other_files_and_readers_of_the_file_are_not_noticed() {
    if !has_notices() {
        return;
    }
    let mut rig = Rig::file(Method::Notices);
    write(&rig.path("notes.txt"), "not read");
    write(&rig.path("game.hcl.swp"), "speed = 7\n");
    fs::remove_file(rig.path("notes.txt")).expect("it is deleted");
    assert_eq!(fs::read_to_string(rig.path("game.hcl")).expect("it is read"), "speed = 0\n");
    for _ in 0..5 {
        assert!(!rig.has_noticed());
        std::thread::sleep(Duration::from_millis(20));
    }
    write(&rig.path("game.hcl"), "speed = 1\n");
    assert_eq!(rig.reloaded(), (1, 1));
}
