//! A language server answers any sequence of messages: each request once, and no panic.
//!
//! The first line chooses the messages, two characters each: the method and the place. What follows are texts, separated
//! by NUL, which are opened and edited in turn.
#![no_main]

use hclvm_lsp::{Connection, Options, serve};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const URIS: [&str; 4] =
    ["file:///fuzz/a.hcl", "file:///fuzz/a.pkr.hcl", "file:///fuzz/a.nomad.hcl", "file:///fuzz/a.hcl.json"];

const METHODS: [&str; 24] = [
    "textDocument/diagnostic",
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/documentLink",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/codeAction",
    "workspace/symbol",
    "workspace/executeCommand",
];

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Some((choices, texts)) = text.split_once('\n') else { return };
    let texts: Vec<&str> = texts.split('\u{0}').collect();
    let (client, connection) = Connection::memory();
    let server = std::thread::spawn(move || serve(connection, Options::default()));
    let mut sent = 0;
    let ask = |method: &str, parameters: Value, sent: &mut u64| {
        *sent += 1;
        client.send(json!({"jsonrpc": "2.0", "id": *sent, "method": method, "params": parameters}));
        loop {
            let answer: Value = serde_json::from_str(&client.receive().expect("it answers")).expect("in JSON");
            if answer.get("id").and_then(Value::as_u64) == Some(*sent) {
                let code = answer.pointer("/error/code").and_then(Value::as_i64);
                assert_ne!(code, Some(-32603), "{method} of {text:?}: {answer}");
                return;
            }
        }
    };
    ask("initialize", json!({"capabilities": {"textDocument": {"diagnostic": {}}}}), &mut sent);
    let uri = URIS[choices.len() % URIS.len()];
    let document = json!({"uri": uri, "languageId": "hcl", "version": 0, "text": texts[0]});
    client.send(json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}));
    let choices: Vec<u32> = choices.chars().map(u32::from).collect();
    for (at, pair) in choices.chunks(2).take(40).enumerate() {
        let (method, place) = (pair[0] as usize, pair.get(1).copied().unwrap_or(0));
        let start = json!({"line": place / 16, "character": place % 16});
        let range = json!({"start": start, "end": {"line": place / 16 + place % 3, "character": place % 7}});
        if method % 4 == 0 {
            let changed = json!({"uri": uri, "version": at});
            let change = json!([{"range": range, "text": texts[at % texts.len()]}]);
            let parameters = json!({"textDocument": changed, "contentChanges": change});
            client.send(json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": parameters}));
        }
        let parameters = json!({
            "textDocument": {"uri": uri},
            "position": start,
            "positions": [start],
            "range": range,
            "newName": "other",
            "ch": "}",
            "query": "a",
            "previousResultId": "1",
            "command": (if place % 2 == 0 { "hclvm.evaluate" } else { "hclvm.why" }),
            "arguments": [uri, place],
            "context": {"includeDeclaration": true, "diagnostics": []},
            "options": {"tabSize": 2, "insertSpaces": true},
        });
        ask(METHODS[method % METHODS.len()], parameters, &mut sent);
    }
    client.send(json!({"jsonrpc": "2.0", "method": "exit"}));
    server.join().expect("it ends without a panic");
});
