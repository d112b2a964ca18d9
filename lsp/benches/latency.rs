//! Latencies of the server as a client sees them, over a connection in memory: a file of 1,000 lines, a folder of 2,000
//! files, and memory over 100,000 edits.
//!
//! ```console
//! $ cargo bench --package hclvm-lsp --bench latency             # or with a number of requests behind --
//! ```
//! Times depend on the machine and gate nothing.
#![allow(clippy::print_stdout, reason = "it prints its results")]

use std::time::{Duration, Instant};
use std::{env, fs};

use hclvm_lsp::{Client, Connection, Options, serve};
use serde_json::{Value as Json, json};

const URI: &str = "file:///bench/policy.hcl";

/// A client that measures.
struct Editor {
    client: Client,
    last: i32,
}

impl Editor {
    fn new(folder: Option<&str>) -> Self {
        let (client, connection) = Connection::memory();
        std::thread::spawn(move || serve(connection, Options::default()));
        let mut editor = Self { client, last: 0 };
        let folders: Vec<Json> =
            folder.iter().map(|folder| json!({"uri": format!("file://{folder}"), "name": "x"})).collect();
        let abilities = json!({"textDocument": {"diagnostic": {}}});
        editor.ask("initialize", json!({"capabilities": abilities, "workspaceFolders": folders}));
        editor.tell("initialized", json!({}));
        editor
    }

    fn tell(&self, method: &str, parameters: Json) {
        self.client.send(json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    /// Sends a request and waits for its answer, as a client does.
    fn ask(&mut self, method: &str, parameters: Json) -> String {
        self.last += 1;
        self.client.send(json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters}));
        self.client.receive().expect("the server is there")
    }

    fn open(&self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "hcl", "version": 0, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }
}

/// Returns a file of 1,000 lines: locals and rules.
fn policy() -> String {
    let mut text = "locals {\n".to_owned();
    for at in 0..48 {
        let before = if at == 0 { "1".to_owned() } else { format!("local.l{}", at - 1) };
        text.extend([format!("  l{at} = {before} + {at}\n")]);
    }
    text.push_str("}\n");
    for at in 0..190 {
        text.extend([format!(
            "rule \"r{at}\" {{\n  when   = user.name == \"u{at}\" && contains(user.roles, \"admin\") || local.l{} > {at}\n  \
             effect = \"allow\"\n  reason = \"${{upper(user.name)}} is {at}\"\n}}\n",
            at % 48
        )]);
    }
    text
}

/// Returns the processor time of all threads, which does not depend on what else the machine does.
fn processor() -> Duration {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times = threads.filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok());
    let times = times.filter_map(|text| text.split(' ').next()?.parse::<u64>().ok());
    Duration::from_nanos(times.sum())
}

fn report(name: &str, spent: Duration, mut times: Vec<Duration>) {
    times.sort_unstable();
    let mean = spent / u32::try_from(times.len()).unwrap_or(1);
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
    let count = times.len();
    println!("{name:24} p50 {:>9.1?}  p99 {:>9.1?}  processor {mean:>9.1?}  of {count}", at(50), at(99));
}

fn measured(
    editor: &mut Editor,
    name: &str,
    method: &str,
    count: usize,
    mut parameters: impl FnMut(usize) -> Json,
) {
    let before = processor();
    let times = (0..count).map(|at| {
        let parameters = parameters(at);
        let start = Instant::now();
        let answer = editor.ask(method, parameters);
        let time = start.elapsed();
        assert!(!answer.contains("\"error\":{\"code\""), "{answer}");
        time
    });
    let times = times.collect();
    report(name, processor().saturating_sub(before), times);
}

fn resident() -> u64 {
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4 / 1024
}

fn main() {
    let count = env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(10_000);
    let text = policy();
    let lines: Vec<&str> = text.lines().collect();
    println!("{} lines, {} bytes", lines.len(), text.len());
    let mut editor = Editor::new(None);
    editor.open(URI, &text);
    let document = json!({"textDocument": {"uri": URI}});
    let place = |at: usize| {
        let line = (at * 37) % lines.len();
        let character = (at * 11) % lines[line].len().max(1);
        json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})
    };
    editor.ask("textDocument/diagnostic", document.clone());
    measured(
        &mut editor,
        "formatting while typing",
        "textDocument/onTypeFormatting",
        count,
        |_| json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}, "ch": "x"}),
    );
    measured(&mut editor, "hover", "textDocument/hover", count, place);
    measured(&mut editor, "completion", "textDocument/completion", count, place);
    measured(&mut editor, "signature help", "textDocument/signatureHelp", count, place);
    measured(&mut editor, "definition", "textDocument/definition", count, place);
    measured(&mut editor, "references", "textDocument/references", count, place);
    measured(&mut editor, "highlight", "textDocument/documentHighlight", count, place);
    measured(&mut editor, "semantic tokens", "textDocument/semanticTokens/full", count / 10, |_| {
        document.clone()
    });
    measured(&mut editor, "symbols", "textDocument/documentSymbol", count / 10, |_| document.clone());
    measured(&mut editor, "folding", "textDocument/foldingRange", count / 10, |_| document.clone());
    measured(&mut editor, "lenses", "textDocument/codeLens", count / 10, |_| document.clone());
    measured(&mut editor, "hints of 60 lines", "textDocument/inlayHint", count / 10, |at| {
        let line = (at * 37) % lines.len();
        let range =
            json!({"start": {"line": line, "character": 0}, "end": {"line": line + 60, "character": 0}});
        json!({"textDocument": {"uri": URI}, "range": range})
    });
    // A digit of a rule in the middle changes.
    let line = 50 + 5 * 90 + 3;
    let edit = |editor: &mut Editor, at: usize| {
        let range = json!({"start": {"line": line, "character": 12}, "end": {"line": line, "character": 13}});
        let letter = char::from(b'a' + u8::try_from(at % 26).unwrap_or(0)).to_string();
        let changed = json!({"uri": URI, "version": at});
        editor.tell(
            "textDocument/didChange",
            json!({"textDocument": changed, "contentChanges": [{"range": range, "text": letter}]}),
        );
    };
    let before = processor();
    let times = (0..count / 5).map(|at| {
        let start = Instant::now();
        edit(&mut editor, at);
        editor.ask("textDocument/diagnostic", document.clone());
        start.elapsed()
    });
    let times = times.collect();
    report("change to diagnostics", processor().saturating_sub(before), times);
    let before = processor();
    let times = (0..count / 10).map(|at| {
        edit(&mut editor, at);
        let start = Instant::now();
        editor.ask("textDocument/semanticTokens/full", document.clone());
        start.elapsed()
    });
    let times = times.collect();
    report("change to tokens", processor().saturating_sub(before), times);
    let before = resident();
    for at in 0..10 * count {
        edit(&mut editor, at);
        if at % 10 == 0 {
            editor.ask("textDocument/hover", place(at));
        }
    }
    println!("memory: {before} MiB before {} edits, {} MiB after", 10 * count, resident());
    folder();
}

/// Opens a folder of 2,000 files.
fn folder() {
    let folder = env::temp_dir().join(format!("hclvm-lsp-bench-{}", std::process::id()));
    for at in 0..2000 {
        let below = folder.join(format!("d{}", at % 50));
        let made = fs::create_dir_all(&below).and_then(|()| {
            fs::write(
                below.join(format!("f{at}.hcl")),
                format!("rule \"r{at}\" {{\n  when = user.name == \"{at}\"\n}}\n"),
            )
        });
        if made.is_err() {
            println!("the folder of files cannot be written");
            return;
        }
    }
    let mut editor = Editor::new(folder.to_str());
    let start = Instant::now();
    let found = editor.ask("workspace/symbol", json!({"query": "r1999"}));
    println!("folder of 2,000 files, symbols      {:>10.1?}, {} bytes", start.elapsed(), found.len());
    let start = Instant::now();
    let found = editor.ask("workspace/diagnostic", json!({"previousResultIds": []}));
    println!("folder of 2,000 files, diagnostics  {:>10.1?}, {} bytes", start.elapsed(), found.len());
    let _ = fs::remove_dir_all(&folder);
}
