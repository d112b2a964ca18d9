//! Files of applications as users keep them: folders of jobs, jobs in files of any name, single files of a template, and
//! what functions may access.

use crate::{Folder, hclvm, json, text};

const JOB: &str = "job \"web\" {\n  priority = \"70\"\n  group \"g\" {\n    task \"t\" {\n      driver = \"docker\"\n      env {\n        PORT = 80\n      }\n    }\n  }\n}\n";

fn path(folder: &Folder) -> String {
    folder.0.path().to_str().expect("a path of plain letters").to_owned()
}

/// A folder with jobs of all names, one below another.
fn jobs() -> Folder {
    let folder = Folder::new();
    for inner in ["deep", ".hidden"] {
        std::fs::create_dir(folder.0.path().join(inner)).expect("a folder");
    }
    folder.file("a.nomad", JOB);
    folder.file("b.nomad.hcl", JOB);
    folder.file("c.hcl", JOB);
    folder.file("deep/d.nomad", JOB);
    folder.file(".hidden/e.nomad", "wrong = ");
    folder
}

#[test]
fn jobs_of_a_folder_are_modules_of_their_own() {
    let folder = jobs();
    let checked = hclvm(&["check", &path(&folder)]);
    let sum = text(&checked.stdout).lines().last().expect("a sum").to_owned();
    assert!(sum.starts_with("checked 4 files"), "{sum}");
    assert_eq!(checked.status.code(), Some(0), "{sum}");
    let evaluated = hclvm(&["eval", &path(&folder), "--output", "json"]);
    let results = json(&evaluated.stdout);
    let results = results.as_object().expect("an object");
    assert_eq!(results.len(), 4);
    for (name, result) in results {
        assert_eq!(result["blocks"][0]["attrs"]["priority"], 70, "{name}");
    }
}

#[test]
fn other_files_beside_jobs_are_checked_alone() {
    let folder = jobs();
    folder.file("f.hcl", "a = 1\n");
    folder.file("g.hcl", "a = 1\n");
    let checked = hclvm(&["check", &path(&folder)]);
    assert!(text(&checked.stdout).contains("checked 6 files"), "{}", text(&checked.stdout));
    let recursive = hclvm(&["check", "--recursive", &path(&folder)]);
    assert_eq!(text(&recursive.stdout), text(&checked.stdout));
    folder.file("deep/h.nomad", "job \"x\" {\n  prioritty = 1\n}\n");
    let checked = hclvm(&["check", &path(&folder)]);
    assert_eq!(checked.status.code(), Some(1));
}

#[test]
fn errors_of_several_jobs_are_one_document() {
    let folder = Folder::new();
    folder.file("a.nomad", "job \"x\" {\n  prioritty = 1\n}\n");
    folder.file("b.nomad", "job \"x\" {\n  prioritty = 1\n}\n");
    folder.file("c.nomad", JOB);
    for format in ["json", "sarif"] {
        let output = hclvm(&["eval", &path(&folder), "--diagnostics", format]);
        assert_eq!(output.status.code(), Some(1));
        assert!(json(&output.stderr).is_object());
        assert_eq!(json(&output.stdout).as_object().map(serde_json::Map::len), Some(1));
    }
}

#[test]
fn a_job_may_have_any_name() {
    let folder = Folder::new();
    let of = |name: &str, content: &str, arguments: &[&str]| {
        let file = folder.file(name, content);
        let output = hclvm(&[&["eval", &file, "--output", "json"], arguments].concat());
        (output.status.code(), text(&output.stdout).to_owned())
    };
    let wanted = of("a.nomad.hcl", JOB, &[]);
    assert_eq!(of("a.hcl", JOB, &[]), wanted);
    assert_eq!(of("b.hcl", JOB, &["--dialect", "nomad"]), wanted);
    let plain = of("c.hcl", JOB, &["--dialect", "default"]).1;
    assert!(plain.contains("\"PORT\":80"), "{plain}");
    // Not a job of Nomad: it has no groups.
    let other = of("d.hcl", "job \"x\" {\n  a = 1\n}\n", &[]).1;
    assert!(other.contains("\"a\":1"), "{other}");
    assert_eq!(of("e.hcl", "job \"x\" {\n  a = 1\n}\n", &["--dialect", "nomad"]).0, Some(1));
    // Its variables come from a scope.
    assert_eq!(of("f.hcl", "a = upper(\"x\")\n", &["--dialect", "nomad"]).1, "{\"attrs\":{\"a\":\"X\"}}\n");
}

#[test]
fn a_template_gets_the_access_that_its_application_gives() {
    let folder = Folder::new();
    std::fs::create_dir(folder.0.path().join("web")).expect("a folder");
    folder.file("shared.txt", "shared");
    let template = folder.file(
        "web/a.pkr.hcl",
        "locals {\n  now  = length(timestamp())\n  text = file(\"${path.root}/../shared.txt\")\n}\n",
    );
    let found = hclvm(&["eval", &template, "--output", "json"]);
    assert_eq!(json(&found.stdout)["locals"]["text"], "shared", "{}", text(&found.stderr));
    for (access, title) in [("clock", "clock"), ("files", "files")] {
        let denied = hclvm(&["eval", &template, "--deny", access]);
        assert_eq!(denied.status.code(), Some(1));
        assert!(text(&denied.stderr).contains(title), "{}", text(&denied.stderr));
    }
    let web = folder.0.path().join("web");
    let grant = format!("files={}", web.display());
    let narrow = hclvm(&["eval", &template, "--grant", &grant]);
    assert!(text(&narrow.stderr).contains("outside of the directory"), "{}", text(&narrow.stderr));
    let grant = format!("files={}", path(&folder));
    assert_eq!(hclvm(&["eval", &template, "--grant", &grant]).status.code(), Some(0));
    // A policy gets nothing.
    let policy = folder.file("a.hcl", "a = timestamp()\n");
    assert_eq!(hclvm(&["eval", &policy]).status.code(), Some(1));
    assert_eq!(hclvm(&["eval", &policy, "--deny", "clock"]).status.code(), Some(2));
}

#[test]
fn a_single_file_of_a_template_is_checked_with_the_names_of_the_others() {
    let folder = Folder::new();
    let file = folder.file(
        "a.pkr.hcl",
        "locals {\n  a = \"${var.nope}-x\"\n}\nsource \"null\" \"x\" {\n  b = local.other\n}\nbuild {\n  sources = [\"null.x\"]\n}\n",
    );
    let titles = |file: &str| -> Vec<String> {
        let checked = hclvm(&["check", file, "--diagnostics", "json"]);
        let found = json(&checked.stdout);
        let found = found["diagnostics"].as_array().expect("a list").clone();
        found.iter().filter_map(|one| one["summary"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(titles(&file), ["Unsupported attribute"]);
    folder.file("b.pkr.hcl", "variable \"nope\" {}\nlocals {\n  other = 1\n}\n");
    assert_eq!(titles(&file), [""; 0]);
}

#[test]
fn checks_know_values_of_variables() {
    let folder = Folder::new();
    folder.file("a.pkr.hcl", "variable \"os\" {\n  type    = string\n  default = null\n}\nlocals {\n  name = \"img-${var.os}\"\n}\nsource \"null\" \"x\" {}\nbuild {\n  sources = [\"null.x\"]\n}\n");
    let values = folder.file("eu.pkrvars.hcl", "os = \"x\"\n");
    let check = |arguments: &[&str]| hclvm(&[&["check", &path(&folder)], arguments].concat()).status.code();
    assert_eq!(check(&[]), Some(1));
    assert_eq!(check(&["--var-file", &values]), Some(0));
    assert_eq!(check(&["--var", "os=x"]), Some(0));
}

#[test]
fn sources_are_selected_by_their_full_names() {
    let folder = Folder::new();
    folder.file("a.pkr.hcl", "source \"null\" \"x\" {}\nsource \"null\" \"y\" {}\nbuild {\n  name    = \"first\"\n  sources = [\"null.x\", \"null.y\"]\n}\nbuild {\n  sources = [\"null.y\"]\n}\n");
    let names = |arguments: &[&str]| -> Vec<String> {
        let output = hclvm(&[&["eval", &path(&folder), "--output", "json"], arguments].concat());
        let result = json(&output.stdout);
        let builds = result["builds"].as_array().cloned().unwrap_or_default();
        let name = |build: &serde_json::Value, source: &serde_json::Value| {
            format!(
                "{}.{}",
                build["name"].as_str().unwrap_or_default(),
                source["name"].as_str().unwrap_or_default()
            )
        };
        let sources = |build: &serde_json::Value| {
            let sources = build["sources"].as_array().cloned().unwrap_or_default();
            sources.iter().map(|source| name(build, source)).collect::<Vec<_>>()
        };
        builds.iter().flat_map(sources).collect()
    };
    assert_eq!(names(&[]), ["first.x", "first.y", ".y"]);
    assert_eq!(names(&["--only", "null.y"]), [".y"]);
    assert_eq!(names(&["--only", "first.*"]), ["first.x", "first.y"]);
    assert_eq!(names(&["--except", "first.null.x"]), ["first.y", ".y"]);
}

#[test]
fn a_folder_without_a_build_is_no_template() {
    let folder = Folder::new();
    folder.file("a.pkr.hcl", "locals {\n  a = 1\n}\n");
    let output = hclvm(&["eval", &path(&folder)]);
    assert!(text(&output.stderr).contains("Missing build block"), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(hclvm(&["check", &path(&folder)]).status.code(), Some(0));
    let file = format!("{}/a.pkr.hcl", path(&folder));
    assert_eq!(hclvm(&["eval", &file]).status.code(), Some(0));
}
