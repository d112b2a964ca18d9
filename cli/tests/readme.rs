//! The console blocks of README.md and of the book equal the output of the command. The Rust blocks of the README are
//! doctests of the library, and those of the book doctests of `tests/book`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn commands_of_the_readme_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).expect("a README");
    let runs: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("cargo run --release -- ")).collect();
    assert_eq!(runs.len(), 1, "the README has a first command");
    for arguments in runs {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hclvm"));
        let output =
            command.args(arguments.split(' ')).current_dir(&root).output().expect("the command runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).expect("output is UTF-8");
        assert_eq!(printed.lines().count(), 3, "three requests: {printed}");
    }
}

/// Returns true if a line has the texts between the `…` of another one, in this order.
fn is_like(printed: &str, shown: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|start| printed.strip_prefix(start)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// Runs the commands of a console block in a folder, and compares what they print. `…` is anything within a line, and
/// a line `…` any number of lines. Returns the number of commands.
fn run_console(folder: &Path, block: &str, file: &str, wrong: &mut String) -> usize {
    let bin = Path::new(env!("CARGO_BIN_EXE_hclvm")).parent().expect("the command is in a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let runs: Vec<&str> =
        block.strip_prefix("$ ").expect("a block begins with a command").split("\n$ ").collect();
    for run in &runs {
        let (line, shown) = run.split_once('\n').unwrap_or((run, ""));
        let output = Command::new("sh")
            .args(["-c", &format!("{line} 2>&1")])
            .current_dir(folder)
            .env("PATH", &path)
            .env("NO_COLOR", "1")
            .output()
            .expect("a shell");
        let printed = String::from_utf8_lossy(&output.stdout);
        let (printed, shown): (Vec<&str>, Vec<&str>) = (printed.lines().collect(), shown.lines().collect());
        let is_equal = match shown.iter().position(|line| *line == "…") {
            None => is_alike(&printed, &shown),
            Some(at) => {
                let after = &shown[at + 1..];
                printed.len() >= at + after.len()
                    && is_alike(&printed[..at], &shown[..at])
                    && is_alike(&printed[printed.len() - after.len()..], after)
            }
        };
        if !is_equal {
            let (printed, shown) = (printed.join("\n"), shown.join("\n"));
            let _ = writeln!(wrong, "{file}: $ {line}\nprints\n{printed}\nbut the page shows\n{shown}\n");
        }
    }
    runs.len()
}

fn is_alike(printed: &[&str], shown: &[&str]) -> bool {
    printed.len() == shown.len() && printed.iter().zip(shown).all(|(printed, shown)| is_like(printed, shown))
}

/// The folder of a chapter, or of the README, has the examples, and the files of the blocks that begin with a comment such as
/// `# policy.hcl`, from there on.
#[cfg(unix)]
#[test]
fn console_blocks_show_the_real_output() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the project has a folder");
    let chapters = fs::read_dir(root.join("docs/book/src")).expect("the book has chapters");
    let chapters = chapters.map(|chapter| chapter.expect("the folder can be read").path());
    let (mut ran, mut wrong) = (0, String::new());
    for path in chapters.chain([root.join("README.md")]) {
        let file = path.file_name().expect("a chapter has a name").to_string_lossy();
        let text = fs::read_to_string(&path).expect("chapters are texts");
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(root.join("examples"), folder.path().join("examples")).expect("a link");
        for block in text.split("\n```").skip(1).step_by(2) {
            let (language, content) = block.split_once('\n').expect("a block has lines");
            if language == "console" {
                ran += run_console(folder.path(), content, &file, &mut wrong);
            } else if let Some((name, _)) = content.strip_prefix("# ").and_then(|rest| rest.split_once('\n'))
                && language == "hcl"
                && name.contains(".hcl")
                && !name.contains(' ')
            {
                fs::write(folder.path().join(name), format!("{content}\n")).expect("a file");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(ran > 10, "the book shows runs");
}

#[test]
fn lines_are_compared_around_what_is_left_out() {
    for (printed, shown) in [("a b c", "a … c"), ("a b c", "a…"), ("12 ns", "… ns"), ("abab", "a…b")]
    {
        assert!(is_like(printed, shown), "{printed} / {shown}");
    }
    for (printed, shown) in [("a b c", "a … d"), ("a b", "b…"), ("ab", "a"), ("x y", "x…z…y")] {
        assert!(!is_like(printed, shown), "{printed} / {shown}");
    }
}
