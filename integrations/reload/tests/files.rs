//! Files and folders as texts, and the documents that they become.

use std::fs;
use std::path::{Path, PathBuf};

use hclvm::Engine;
use hclvm_reload::{Files, Outcome, Reload, Text, Texts, Unreadable, Watched};
use tempfile::TempDir;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("it is written");
    }
    folder
}

/// Returns the names of texts in a folder, and what they say.
fn shown(texts: Result<Vec<Text>, Unreadable>, folder: &Path) -> Vec<String> {
    let show = |text: Text| {
        let name = Path::new(&text.name).strip_prefix(folder).expect("in the folder").display().to_string();
        format!("{name}: {}", String::from_utf8_lossy(&text.bytes))
    };
    texts.expect("they are read").into_iter().map(show).collect()
}

/// Returns why texts cannot be read.
fn failure(texts: Result<Vec<Text>, Unreadable>) -> String {
    match texts {
        Err(Unreadable::Failed(sentence)) => sentence,
        texts => panic!("{texts:?}"),
    }
}

#[test]
fn the_files_of_a_folder_are_read_by_their_names() {
    let folder =
        folder(&[("a.txt", "no"), (".b.hcl", "no"), ("c.hcl~", "no"), ("hcl", "no"), ("#d.hcl#", "no")]);
    let names: Vec<String> = (0..40).map(|at| format!("f{:02}.hcl", at * 7 % 40)).collect();
    for name in &names {
        fs::write(folder.path().join(name), name).expect("it is written");
    }
    // A folder is no file, whatever its name.
    fs::create_dir(folder.path().join("e.hcl")).expect("a folder");
    let expected: Vec<String> = (0..40).map(|at| format!("f{at:02}.hcl: f{at:02}.hcl")).collect();
    let mut files = Files::new(folder.path());
    assert_eq!(shown(files.read(), folder.path()), expected);
    let watched = files.watched();
    let path = folder.path().to_owned();
    assert_eq!(watched[..2], [Watched::File(path.clone()), Watched::Folder(path.clone())]);
    let files: Vec<Watched> = (0..40).map(|at| Watched::File(path.join(format!("f{at:02}.hcl")))).collect();
    assert_eq!(watched[2..], files);
}

#[test]
fn a_host_selects_files_by_their_names() {
    let folder = folder(&[("a.hcl", "1"), ("b.txt", "2"), ("c.txt", "3"), (".d.txt", "4")]);
    fs::create_dir(folder.path().join("e.txt")).expect("a folder");
    let mut texts = Files::new(folder.path()).select(|name| name.contains(".txt") && name != "b.txt");
    assert_eq!(shown(texts.read(), folder.path()), [".d.txt: 4", "c.txt: 3"]);
    assert_eq!(texts.watched().len(), 4);
    assert_eq!(texts.watched()[3], Watched::File(folder.path().join("c.txt")));
    // A folder without such files is none that lacks them, and a file is read whatever its name.
    assert_eq!(shown(Files::new(folder.path()).select(|_| false).read(), folder.path()), [""; 0]);
    let mut file = Files::new(folder.path().join("a.hcl")).select(|_| false);
    assert_eq!(shown(file.read(), folder.path()), ["a.hcl: 1"]);
    let mut missing = Files::new(folder.path().join("missing")).select(|_| true);
    assert!(failure(missing.read()).starts_with("Cannot read "));
}

#[test]
fn what_cannot_be_read_has_a_reason() {
    let folder = folder(&[("a.txt", "no")]);
    let empty = failure(Files::new(folder.path()).read());
    assert_eq!(empty, format!("There are no files *.hcl in \"{}\".", folder.path().display()));
    let path = folder.path().join("missing.hcl");
    let missing = failure(Files::new(&path).read());
    assert!(
        missing.starts_with(&format!("Cannot read {}: ", path.display())) && missing.ends_with('.'),
        "{missing}"
    );
    let watched = Files::new(&path).watched();
    assert_eq!(watched, [Watched::File(path.clone()), Watched::Folder(path.clone()), Watched::File(path)]);
    fs::write(folder.path().join("b.hcl"), "b = 1").expect("it is written");
    for name in ["c.hcl.json", "a.hcl.json"] {
        fs::write(folder.path().join(name), "{}").expect("it is written");
        let json = failure(Files::new(folder.path()).read());
        let sentence = "is in JSON syntax, which is read as a file by itself, not in a folder.";
        assert_eq!(json, format!("{} {sentence}", folder.path().join(name).display()));
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let device = failure(Files::new("/dev/null").read());
    assert_eq!(device, "/dev/null is not a file.");
}

#[test]
fn all_texts_together_have_a_limit() {
    let folder = folder(&[("a.hcl", "123"), ("b.hcl", ""), ("c.hcl", "4567")]);
    for limit in [7, 8, u64::MAX] {
        let texts = Files::new(folder.path()).most_bytes(limit).read();
        assert_eq!(shown(texts, folder.path()), ["a.hcl: 123", "b.hcl: ", "c.hcl: 4567"], "{limit}");
    }
    for (limit, name, rest) in [(6, "c.hcl", 3), (3, "c.hcl", 0), (2, "a.hcl", 2), (0, "a.hcl", 0)] {
        let path = folder.path().join(name);
        let sentence = format!("{} has more bytes than are read: the limit is {rest}.", path.display());
        assert_eq!(failure(Files::new(folder.path()).most_bytes(limit).read()), sentence);
    }
    assert_eq!(
        shown(Files::new(folder.path().join("b.hcl")).most_bytes(0).read(), folder.path()),
        ["b.hcl: "]
    );
}

/// Loads a file, and returns its attribute `a` as text.
fn open(path: PathBuf) -> Result<Reload<String>, String> {
    let builder = Reload::builder(&Engine::new(), Files::new(path));
    let opened = builder.open(|candidate| {
        let module = candidate.module()?;
        let scope = module.scope();
        let mut session = candidate.document().engine().session();
        let values = module.evaluate(&mut session, &scope)?;
        Ok(values.attribute("a").map(|value| value.to_string()).unwrap_or_default())
    });
    opened.map_err(|problems| problems.to_string())
}

fn in_use(reload: &Reload<String>) -> (u64, String) {
    let loaded = reload.current().load();
    (loaded.epoch(), loaded.host().clone())
}

#[test]
fn a_file_is_loaded_in_its_syntax() {
    let engine = Engine::new();
    let compiled = |text: &str| engine.parse("saved.hcl", text).expect("HCL").save().expect("it is saved");
    for (name, texts) in [
        ("a.hcl", [b"a = 1".to_vec(), b"a = 2".to_vec()]),
        ("a", [b"a = 1".to_vec(), b"a = 2".to_vec()]),
        ("a.hcl.json", [b"{\"a\": 1}".to_vec(), b"{\"a\": 2}".to_vec()]),
        ("a.JSON", [b"{\"a\": 1}".to_vec(), b"{\"a\": 2}".to_vec()]),
        ("a.hclc", [compiled("a = 1"), compiled("a = 2")]),
        ("b.hcl", [compiled("a = 1"), b"a = 2".to_vec()]),
    ] {
        let folder = folder(&[]);
        let path = folder.path().join(name);
        fs::write(&path, &texts[0]).expect("it is written");
        let mut reload = open(path.clone()).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(in_use(&reload), (0, "1".to_owned()), "{name}");
        fs::write(&path, &texts[1]).expect("it is written");
        assert!(matches!(reload.attempt(), Outcome::Reloaded(_)), "{name}");
        assert_eq!(in_use(&reload), (1, "2".to_owned()), "{name}");
    }
}

#[test]
fn a_file_with_errors_is_refused_in_every_syntax() {
    let engine = Engine::new();
    let mut damaged = engine.parse("saved.hcl", "a = 1").expect("HCL").save().expect("it is saved");
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    for (name, bytes, wanted) in [
        ("a.hcl", b"\na = ".to_vec(), "a.hcl:2:"),
        ("a.hcl", b"a = 1\nb = \"\xff\"".to_vec(), "a.hcl:2:6"),
        ("a.json", b"{\"a\": }".to_vec(), "a.json:1:7"),
        ("a.json", b"a = 1".to_vec(), "a.json:1:1"),
        ("a.hclc", damaged, "the compiled document is damaged; compile it again."),
    ] {
        let folder = folder(&[]);
        let path = folder.path().join(name);
        fs::write(&path, &bytes).expect("it is written");
        let why = open(path.clone()).expect_err("it is wrong");
        assert!(why.contains(wanted) && !why.contains(".."), "{name}: {why}");
        // Nor does it replace one without errors.
        fs::write(&path, if name.ends_with("json") { "{\"a\": 1}" } else { "a = 1" }).expect("it is written");
        let mut reload = open(path.clone()).expect("it loads");
        fs::write(&path, &bytes).expect("it is written");
        let Outcome::Rejected(rejection) = reload.attempt() else { panic!("{name} is wrong") };
        assert!(rejection.problems.to_string().contains(wanted), "{name}: {}", rejection.problems);
        assert_eq!(in_use(&reload), (0, "1".to_owned()));
    }
}

#[test]
fn a_file_takes_the_place_of_a_folder_and_the_other_way_round() {
    let folder = folder(&[]);
    let path = folder.path().join("conf");
    let as_folder = |text: &str| {
        fs::create_dir(&path).expect("a folder");
        fs::write(path.join("a.hcl"), text).expect("it is written");
    };
    as_folder("a = 1");
    let mut reload = open(path.clone()).expect("it loads");
    fs::remove_dir_all(&path).expect("it is removed");
    fs::write(&path, "a = 2").expect("it is written");
    assert!(matches!(reload.attempt(), Outcome::Reloaded(_)));
    assert_eq!(in_use(&reload), (1, "2".to_owned()));
    fs::remove_file(&path).expect("it is removed");
    as_folder("a = 3");
    assert!(matches!(reload.attempt(), Outcome::Reloaded(_)));
    assert_eq!(in_use(&reload), (2, "3".to_owned()));
    // A folder with one file is a folder.
    fs::write(path.join("a.hcl"), "\na = 4 5").expect("it is written");
    let Outcome::Rejected(rejection) = reload.attempt() else { panic!("it is wrong") };
    assert!(rejection.problems.to_string().contains("a.hcl:2:7"), "{}", rejection.problems);
}

#[test]
fn a_file_that_was_emptied_is_waited_for_and_one_that_is_empty_is_not() {
    let folder = folder(&[("a.hcl", "a = 1"), ("b.hcl", "")]);
    let mut reload = open(folder.path().to_owned()).expect("it loads");
    fs::write(folder.path().join("a.hcl"), "a = 2").expect("it is written");
    assert!(matches!(reload.attempt(), Outcome::Reloaded(_)), "the other one was empty before");
    fs::write(folder.path().join("c.hcl"), "").expect("it is written");
    assert!(matches!(reload.attempt(), Outcome::Reloaded(_)), "a new one may be empty");
    fs::write(folder.path().join("a.hcl"), "").expect("it is written");
    let Outcome::Unfinished(Unreadable::Failed(why)) = reload.attempt() else { panic!("it was emptied") };
    assert!(why.ends_with("a.hcl is empty, and was not before."), "{why}");
    assert_eq!(in_use(&reload), (2, "2".to_owned()));
}
