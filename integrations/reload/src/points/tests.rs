//! The folders and names of real files and links.

use std::os::unix::fs::symlink;

use super::*;

/// Returns the folders of points below `root`, each with the names that matter.
fn shown(points: &Points, root: &Path) -> Vec<String> {
    let show = |(folder, names): (&PathBuf, &Names)| {
        let folder = folder.strip_prefix(root).ok()?.display();
        let all = if names.all { "*" } else { "" };
        let names: Vec<_> = names.some.iter().map(|name| name.to_string_lossy()).collect();
        Some(format!("{folder}:{all}{}", names.join(",")))
    };
    points.folders.iter().filter_map(show).collect()
}

#[test]
fn every_link_on_the_way_is_watched() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    fs::create_dir_all(root.join("a/b")).expect("folders");
    fs::write(root.join("a/b/f"), "").expect("a file");
    symlink("b", root.join("a/relative")).expect("a link");
    symlink(root.join("a/relative"), root.join("absolute")).expect("a link");
    symlink("../a/b/f", root.join("a/up")).expect("a link");
    symlink("loop", root.join("loop")).expect("a link");
    symlink("./b/./f", root.join("a/dotted")).expect("a link");
    let of = |watched| shown(&Points::of(&[watched]), &root);
    assert_eq!(of(Watched::File(root.join("a/b/f"))), ["a/b:f"]);
    assert_eq!(of(Watched::File(root.join("absolute/f"))), [":absolute", "a:relative", "a/b:f"]);
    assert_eq!(of(Watched::File(root.join("a/b/../up"))), ["a:up", "a/b:f"]);
    assert_eq!(of(Watched::File(root.join("a/dotted"))), ["a:dotted", "a/b:f"]);
    assert_eq!(of(Watched::File(root.join("./a/./b/f"))), ["a/b:f"]);
    assert_eq!(of(Watched::File(root.join("a/missing/f"))), ["a:missing"]);
    assert_eq!(of(Watched::File(root.join("loop/f"))), [":loop"]);
    assert_eq!(of(Watched::Folder(root.join("absolute"))), [":absolute", "a:b,relative", "a/b:*"]);
    assert_eq!(of(Watched::Folder(root.join("a/b/f"))), ["a/b:f"], "it is no folder");
    let points = Points::of(&[Watched::Folder("/".into())]);
    assert_eq!(points.folders().collect::<Vec<_>>(), [Path::new("/")]);
}

#[test]
fn changes_of_names_and_of_watched_folders_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    fs::create_dir_all(root.join("a/all")).expect("folders");
    fs::write(root.join("a/f"), "").expect("a file");
    let points = Points::of(&[Watched::File(root.join("a/f")), Watched::Folder(root.join("a/all"))]);
    for (path, matters) in [
        ("a/f", true),
        ("a/g", false),
        ("a", true),
        ("a/all", true),
        ("a/all/any", true),
        ("a/all/any/deeper", false),
        ("f", false),
    ] {
        assert_eq!(points.concern(&root.join(path)), matters, "{path}");
    }
}

#[test]
fn as_many_links_are_followed_as_linux_follows() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    fs::write(root.join("0"), "").expect("a file");
    for at in 1..=41 {
        symlink((at - 1).to_string(), root.join(at.to_string())).expect("a link");
    }
    for (link, is_followed) in [(39, true), (40, true), (41, false)] {
        let path = root.join(link.to_string());
        assert_eq!(fs::read(&path).is_ok(), is_followed, "{link}");
        assert_eq!(Points::of(&[Watched::File(path)]).concern(&root.join("0")), is_followed, "{link}");
    }
}
