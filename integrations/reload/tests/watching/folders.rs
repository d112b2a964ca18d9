//! Folders, and links to them.

use std::fs;

use hclvm_reload::Outcome;
use tempfile::TempDir;

use crate::rig::{Rig, both, write};

/// A folder `conf` with `a.hcl` and the value 0 in `b.hcl`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("conf")).expect("a folder");
    write(&folder.path().join("conf/a.hcl"), "locals {\n  base = 0\n}\n");
    write(&folder.path().join("conf/b.hcl"), "speed = local.base\n");
    folder
}

#[test]
fn files_of_a_folder_are_added_changed_and_removed() {
    both(|method| {
        let mut rig = Rig::watch(folder(), "conf", method);
        write(&rig.path("conf/a.hcl"), "locals {\n  base = 1\n}\n");
        assert_eq!(rig.reloaded(), (1, 1));
        write(&rig.path("conf/c.hcl"), "rule \"x\" {\n  when = true\n}\n");
        assert_eq!(rig.reloaded(), (2, 1));
        assert!(rig.current().load().document().block("rule", ["x"]).is_some());
        let report = rig.current().report().expect("it was reloaded");
        assert_eq!(report.update.added[0].path(), "rule.x.when");
        fs::remove_file(rig.path("conf/c.hcl")).expect("it is deleted");
        assert_eq!(rig.reloaded(), (3, 1));
        assert!(rig.current().load().document().block("rule", ["x"]).is_none());
        write(&rig.path("conf/notes.txt"), "not read");
        write(&rig.path("conf/a.hcl"), "locals {\n  base = 2\n}\n");
        assert_eq!(rig.reloaded(), (4, 2));
    });
}

#[test]
fn problems_of_a_folder_name_their_file() {
    both(|method| {
        let mut rig = Rig::watch(folder(), "conf", method);
        write(&rig.path("conf/c.hcl"), "\nspeed = 1\n");
        let problems = rig.rejected();
        assert!(problems.contains("c.hcl:2:1") && problems.contains("b.hcl on line 1"), "{problems}");
        fs::remove_file(rig.path("conf/c.hcl")).expect("it is deleted");
        assert!(matches!(rig.outcome(), Outcome::Restored));
    });
}

#[test]
fn a_folder_that_is_replaced_by_another_one_is_loaded() {
    both(|method| {
        let mut rig = Rig::watch(folder(), "conf", method);
        for at in 1..4 {
            fs::create_dir(rig.path("next")).expect("a folder");
            write(&rig.path("next/b.hcl"), &format!("speed = {at}\n"));
            fs::rename(rig.path("conf"), rig.path(&format!("old{at}"))).expect("it is renamed");
            fs::rename(rig.path("next"), rig.path("conf")).expect("it is renamed");
            assert_eq!(rig.reloaded(), (at, at));
        }
        fs::remove_dir_all(rig.path("conf")).expect("it is deleted");
        assert!(rig.rejected().contains("conf"));
        fs::create_dir(rig.path("conf")).expect("a folder");
        write(&rig.path("conf/b.hcl"), "speed = 7\n");
        assert_eq!(rig.reloaded(), (4, 7));
    });
}

/// A link to a folder is replaced in one step by renaming another link over it.
#[cfg(unix)]
fn link(rig: &Rig, target: &str, name: &str) {
    std::os::unix::fs::symlink(target, rig.path("next_link")).expect("it is linked");
    fs::rename(rig.path("next_link"), rig.path(name)).expect("it is renamed");
}

#[cfg(unix)]
#[test]
fn a_link_to_another_folder_is_followed() {
    both(|method| {
        let folder = folder();
        std::os::unix::fs::symlink("conf", folder.path().join("current")).expect("it is linked");
        let mut rig = Rig::watch(folder, "current", method);
        for at in 1..4 {
            fs::create_dir(rig.path(&format!("release{at}"))).expect("a folder");
            write(&rig.path(&format!("release{at}/b.hcl")), &format!("speed = {at}\n"));
            link(&rig, &format!("release{at}"), "current");
            assert_eq!(rig.reloaded(), (at, at));
        }
        write(&rig.path("release3/b.hcl"), "speed = 9\n");
        assert_eq!(rig.reloaded(), (4, 9));
    });
}

/// Kubernetes mounts a config map as links to a link to a folder, which is replaced as a whole.
#[cfg(unix)]
#[test]
fn a_config_map_of_kubernetes_is_followed() {
    both(|method| {
        for watched in ["game.hcl", "."] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = |name: &str| folder.path().join(name);
            fs::create_dir(path("..2026_0")).expect("a folder");
            write(&path("..2026_0/game.hcl"), "speed = 0\n");
            std::os::unix::fs::symlink("..2026_0", path("..data")).expect("it is linked");
            std::os::unix::fs::symlink("..data/game.hcl", path("game.hcl")).expect("it is linked");
            let mut rig = Rig::watch(folder, watched, method);
            for at in 1..4 {
                fs::create_dir(rig.path(&format!("..2026_{at}"))).expect("a folder");
                write(&rig.path(&format!("..2026_{at}/game.hcl")), &format!("speed = {at}\n"));
                link(&rig, &format!("..2026_{at}"), "..data");
                fs::remove_dir_all(rig.path(&format!("..2026_{}", at - 1))).expect("it is deleted");
                assert_eq!(rig.reloaded(), (at, at));
            }
        }
    });
}
