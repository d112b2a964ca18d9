//! The chapters of the book: each is in the summary and in the tests, its links lead somewhere, and its HCL is valid.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use hclvm::{Dialect, Engine, Undefined, show};
use hclvm_book::CHAPTERS;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Links to files of the project, which are not part of the built book.
const REPOSITORY: &str = "https://github.com/hclvm/hclvm/blob/main/";
const FOLDERS: &str = "https://github.com/hclvm/hclvm/tree/main/";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn chapter(file: &str) -> String {
    read(&root().join("docs/book/src").join(file))
}

/// Returns the targets of all links of a text.
fn links(text: &str) -> Vec<String> {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES);
    let targets = parser.filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.to_string()),
        _ => None,
    });
    targets.collect()
}

/// Returns the anchors of the headings of a text, as mdbook and GitHub make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut anchors, mut heading) = (BTreeSet::new(), None::<String>);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let title = heading.take().unwrap_or_default().to_lowercase();
                let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
                anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
            }
            _ => {}
        }
    }
    anchors
}

/// Returns the code blocks of a text: their language and their content.
fn blocks(text: &str) -> Vec<(String, String)> {
    let (mut blocks, mut open) = (Vec::new(), None);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                open = Some((language, String::new()));
            }
            Event::Text(part) => {
                if let Some((_, content)) = &mut open {
                    content.push_str(&part);
                }
            }
            Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
            _ => {}
        }
    }
    blocks
}

#[test]
fn the_summary_and_the_tests_have_all_chapters() {
    let listed: BTreeSet<String> = links(&chapter("SUMMARY.md")).into_iter().collect();
    let tested: BTreeSet<String> = CHAPTERS.iter().map(|file| (*file).to_owned()).collect();
    let files = fs::read_dir(root().join("docs/book/src")).expect("the book has a folder");
    let names = files.map(|file| PathBuf::from(file.expect("the folder can be read").file_name()));
    let chapters = names.filter(|name| name.extension().is_some_and(|extension| extension == "md"));
    let mut present: BTreeSet<String> = chapters.map(|name| name.to_string_lossy().into_owned()).collect();
    present.remove("SUMMARY.md");
    assert_eq!(listed, present, "the summary lists the files");
    assert_eq!(tested, present, "tests/book/src/lib.rs names the files");
}

/// Returns why a link of a document does not lead anywhere.
fn broken(document: &Path, link: &str) -> Option<String> {
    let outside = [REPOSITORY, FOLDERS].into_iter().find_map(|start| link.strip_prefix(start));
    if outside.is_none() && link.contains("://") {
        return None;
    }
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (link, None),
    };
    let file = match outside {
        Some(inside) => root().join(inside.split('#').next().unwrap_or_default()),
        None if path.is_empty() => document.to_owned(),
        None => document.parent()?.join(path),
    };
    if !file.exists() {
        return Some(format!("{link}: there is no such file"));
    }
    if file.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let anchor = anchor?;
    (!anchors(&read(&file)).contains(anchor)).then(|| format!("{link}: there is no such heading"))
}

#[test]
fn links_of_the_book_and_of_the_readme_lead_somewhere() {
    let chapters = CHAPTERS.iter().map(|file| format!("docs/book/src/{file}"));
    let others = [
        ".github/CODE_OF_CONDUCT.md",
        ".github/CONTRIBUTING.md",
        "README.md",
        "docs/book/README.md",
        "docs/book/src/SUMMARY.md",
        "docs/compare.md",
        "docs/platforms.md",
    ]
    .map(str::to_owned);
    let mut wrong = String::new();
    for name in chapters.chain(others) {
        let path = root().join(&name);
        for problem in links(&read(&path)).iter().filter_map(|link| broken(&path, link)) {
            let _ = writeln!(wrong, "{name}: {problem}");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn relative_links_stay_within_the_book() {
    for file in CHAPTERS {
        let leaves =
            links(&chapter(file)).into_iter().find(|link| !link.contains("://") && link.contains('/'));
        assert_eq!(leaves, None, "{file}: the built book has no such file; link to {REPOSITORY}");
    }
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let path = root().join("docs/book/src/tour.md");
    for link in ["none.md", "#none", "tour.md#none", &format!("{REPOSITORY}none.rs")] {
        assert!(broken(&path, link).is_some(), "{link}");
    }
}

#[test]
fn code_blocks_have_a_language_that_is_tested_or_plain() {
    for file in CHAPTERS {
        for (language, content) in blocks(&chapter(file)) {
            let tested = ["rust", "rust,no_run", "hcl", "console"].contains(&language.as_str());
            let plain = ["c", "elisp", "js", "json", "lua", "python", "sh", "text", "toml", "xml", "yaml"]
                .contains(&language.as_str());
            assert!(tested || plain, "{file}: `{language}` in\n{content}");
        }
    }
}

/// A line `name = expression # => result` shows the result as the command prints it. Variables are unknown.
#[test]
fn hcl_blocks_are_valid_and_have_the_results_that_they_show() {
    let engine = Engine::builder().dialect(Dialect::default().undefined(Undefined::Unknown)).build();
    let (mut wrong, mut compared) = (String::new(), 0);
    for file in CHAPTERS {
        for (_, text) in blocks(&chapter(file)).iter().filter(|(language, _)| language == "hcl") {
            let document = engine.parse(file, text).unwrap_or_else(|error| panic!("{file}: {error:?}"));
            let shown: Vec<(&str, &str)> = text
                .lines()
                .filter_map(|line| {
                    let (code, result) = line.split_once("# => ")?;
                    Some((code.split('=').next()?.trim(), result.trim()))
                })
                .collect();
            if shown.is_empty() {
                continue;
            }
            let module = document.module().unwrap_or_else(|error| panic!("{file}: {error:?}"));
            let mut session = engine.session();
            let scope = module.scope();
            let values = module.evaluate(&mut session, &scope).expect("no limit is exceeded");
            for (name, result) in shown {
                let value = values.attribute(name).or_else(|| values.local(name));
                let found = value.map_or("no value".to_owned(), |value| {
                    show::Json(value).lenient().to_text().expect("results are small")
                });
                compared += 1;
                if found != result {
                    let _ = writeln!(wrong, "{file}: {name} => {found}, but the book shows {result}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(compared > 5, "the book shows results");
}
