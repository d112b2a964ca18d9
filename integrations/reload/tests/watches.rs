//! The watches of the system, of which there is a limit: those of folders that no longer matter are given back.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm_reload::{Files, Options, Outcome, Reload, Watcher, Watching};

/// Returns the number of folders that this process watches.
fn watches() -> usize {
    let files = fs::read_dir("/proc/self/fdinfo").expect("a folder");
    let texts = files.filter_map(|file| fs::read_to_string(file.ok()?.path()).ok());
    texts.map(|text| text.lines().filter(|line| line.starts_with("inotify wd:")).count()).sum()
}

/// Makes a link lead to another folder, in one step.
fn link(folder: &Path, target: &str) {
    symlink(target, folder.join("next")).expect("it is linked");
    fs::rename(folder.join("next"), folder.join("current")).expect("it is renamed");
}

#[test]
fn folders_that_a_link_led_to_before_are_not_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    for at in 0..5 {
        let release = folder.path().join(format!("release{at}"));
        fs::create_dir(&release).expect("a folder");
        fs::write(release.join("a.hcl"), format!("a = {at}\n")).expect("it is written");
    }
    link(folder.path(), "release0");
    let builder = Reload::builder(&Engine::new(), Files::new(folder.path().join("current")));
    let reload = builder.open(|_| Ok(())).expect("it loads");
    let mut now = Instant::now();
    let mut watcher = Watcher::new(reload, Options::default().safety(Duration::from_secs(1)), now);
    if watcher.reload().current().status().watching != Watching::Notices {
        eprintln!("not tested: there are no notices");
        return;
    }
    let begin = watches();
    assert!(begin >= 2, "{begin}: the folder of the link and the one that it leads to");
    for at in 1..5 {
        link(folder.path(), &format!("release{at}"));
        let outcome = (0..100).find_map(|_| {
            now += Duration::from_millis(200);
            watcher.step(now)
        });
        assert!(matches!(outcome, Some(Outcome::Reloaded(_))), "{outcome:?}");
        assert_eq!(watches(), begin, "after link {at}");
    }
}
