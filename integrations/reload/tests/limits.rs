//! The limits of inotify, reached for real: in a user namespace, which has limits of its own.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use hclvm::Engine;
use hclvm_reload::{Files, Options, Outcome, Reload, Watcher, Watching};

/// What the shell returns if a limit cannot be set.
const NOT_PERMITTED: i32 = 77;

/// Runs the test below in a namespace without a resource. Prints the reason if that is not
/// permitted here.
fn runs_without(resource: &str) {
    let script = format!(
        "echo 0 2>/dev/null > /proc/sys/user/max_inotify_{resource} || exit {NOT_PERMITTED}
         exec \"$0\" --exact --ignored polling_takes_over"
    );
    let test = std::env::current_exe().expect("a test has a path");
    let output =
        Command::new("unshare").args(["--user", "--map-root-user", "sh", "-c", &script]).arg(test).output();
    let why = match output {
        Err(error) => error.to_string(),
        Ok(output) if output.status.code() == Some(NOT_PERMITTED) => "the limit cannot be set".to_owned(),
        Ok(output) => {
            let (printed, errors) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            if printed.contains("running 1 test") {
                assert!(output.status.success(), "{printed}{errors}");
                return;
            }
            errors.into_owned()
        }
    };
    eprintln!("not tested without {resource}: no user namespace ({})", why.trim());
}

#[test]
fn polling_takes_over_without_inotify_instances() {
    runs_without("instances");
}

#[test]
fn polling_takes_over_without_inotify_watches() {
    runs_without("watches");
}

#[test]
#[ignore = "needs a namespace without inotify; the other tests run it there"]
fn polling_takes_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.hcl");
    fs::write(&path, "speed = 0\n").expect("it is written");
    let open = Reload::builder(&Engine::new(), Files::new(&path)).open(|_| Ok(()));
    let mut now = Instant::now();
    let mut watcher = Watcher::new(open.expect("it loads"), Options::default(), now);
    let watching = watcher.reload().current().status().watching;
    let Watching::Polling(Some(why)) = &watching else { panic!("{watching:?}") };
    let known = ["the limit of watched files is reached", "Too many open files"];
    assert!(known.iter().any(|known| why.starts_with(known)), "{why}");
    fs::write(&path, "speed = 17\n").expect("it is written");
    let outcome = (0..20).find_map(|_| {
        now += Duration::from_secs(1);
        watcher.step(now)
    });
    assert!(matches!(outcome, Some(Outcome::Reloaded(_))), "{outcome:?}");
}
