//! The connection: initialization, shutdown, and messages that are wrong.

use serde_json::json;

use crate::client::{Editor, place};

#[test]
fn requests_wait_for_initialize_and_end_with_shutdown() {
    let mut editor = Editor::raw();
    let answer = editor.answer("textDocument/hover", place("file:///a.hcl", (0, 0)));
    assert_eq!(answer["error"]["code"], -32002);
    let result = editor.ask("initialize", json!({"capabilities": {}}));
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(editor.answer("initialize", json!({"capabilities": {}}))["error"]["code"], -32600);
    assert!(editor.ask("shutdown", json!(null)).is_null());
    assert_eq!(editor.answer("textDocument/hover", place("file:///a.hcl", (0, 0)))["error"]["code"], -32600);
}

#[test]
fn wrong_messages_are_answered_and_do_not_end_the_server() {
    let mut editor = Editor::new();
    assert_eq!(editor.answer("textDocument/unknown", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.answer("textDocument/hover", json!([1]))["error"]["code"], -32602);
    assert_eq!(
        editor.answer("textDocument/hover", place("file:///none.hcl", (0, 0)))["error"]["code"],
        -32602
    );
    assert_eq!(editor.answer("workspace/executeCommand", json!({"command": "rm"}))["error"]["code"], -32602);
    for message in
        [json!({}), json!([]), json!(7), json!({"id": 1}), json!({"id": null, "method": "shutdown"})]
    {
        editor.send(message);
        assert_eq!(editor.receive()["error"]["code"], -32700);
    }
    editor.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": "file:///none.hcl", "version": 1}, "contentChanges": []}),
    );
    assert_eq!(editor.receive()["method"], "window/logMessage");
    editor.tell("textDocument/notKnown", json!({}));
    editor.open("file:///a.hcl", "a = 1");
    let answer = editor.answer("textDocument/hover", place("file:///a.hcl", (4_000_000_000, 4_000_000_000)));
    assert!(answer.get("error").is_none(), "{answer}");
}

#[test]
fn cancelled_and_replaced_requests_are_answered_as_such() {
    let editor = Editor::new();
    editor.open("file:///a.hcl", &"locals { a = 1 }\n".repeat(3000));
    // While the first one is computed, the others wait.
    editor.send(json!({"jsonrpc": "2.0", "id": "slow", "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": "file:///a.hcl"}}}));
    let hover = |id: i32| json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": place("file:///a.hcl", (0, 0))});
    editor.send(hover(1));
    editor.send(hover(2));
    editor.send(json!({"jsonrpc": "2.0", "id": 3, "method": "textDocument/foldingRange", "params": {"textDocument": {"uri": "file:///a.hcl"}}}));
    editor.send(json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 3}}));
    let mut answers: Vec<_> = (0..4).map(|_| editor.receive()).collect();
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert!(answers[0].get("error").is_none() && answers[2].get("error").is_none(), "{answers:?}");
    // Which of them waited depends on the time; each is answered once.
    for answer in &answers {
        if let Some(error) = answer.get("error") {
            assert_eq!(error["code"], -32800);
        }
    }
}

#[test]
fn bytes_are_positions_if_the_client_wants_them() {
    let mut editor = Editor::with(json!({"capabilities": {
        "general": {"positionEncodings": ["utf-8", "utf-16"]},
        "textDocument": {"diagnostic": {}},
    }}));
    let text = "a = \"é😀${b}\"\nb = 1";
    editor.open("file:///a.hcl", text);
    let highlights = editor.at("textDocument/documentHighlight", "file:///a.hcl", (0, 13));
    assert_eq!(highlights[0]["range"]["start"]["character"], 13);
    let mut editor = Editor::new();
    editor.open("file:///a.hcl", text);
    let highlights = editor.at("textDocument/documentHighlight", "file:///a.hcl", (0, 10));
    assert_eq!(highlights[0]["range"]["start"]["character"], 10);
}

#[test]
fn diagnostics_are_sent_unless_the_client_asks_for_them() {
    let mut editor = Editor::with(json!({"capabilities": {}}));
    editor.open("file:///a.hcl", "a = upper(1, 2)");
    let sent = editor.receive();
    assert_eq!(sent["method"], "textDocument/publishDiagnostics");
    assert_eq!(sent["params"]["diagnostics"].as_array().map(Vec::len), Some(1), "{sent}");
    editor.replace("file:///a.hcl", "a = upper(\"x\")");
    assert_eq!(editor.receive()["params"]["diagnostics"], json!([]));
    editor.tell("textDocument/didClose", json!({"textDocument": {"uri": "file:///a.hcl"}}));
    assert_eq!(editor.receive()["params"]["diagnostics"], json!([]));
}

#[test]
fn hostile_texts_are_answered() {
    let mut editor = Editor::new();
    let deep = format!("a = {}1{}", "[".repeat(50_000), "]".repeat(50_000));
    let blocks = format!("{}{}", "b {\n".repeat(20_000), "}\n".repeat(20_000));
    let chain = format!("a = {}1", "x.y + ".repeat(20_000));
    let dots = format!("a = x{}", ".y".repeat(20_000));
    let parts = "a = \"${\"${\"${".to_owned();
    let methods = [
        "textDocument/diagnostic",
        "textDocument/documentSymbol",
        "textDocument/foldingRange",
        "textDocument/semanticTokens/full",
        "textDocument/codeLens",
        "textDocument/documentLink",
    ];
    for text in [deep, blocks, chain, dots, parts, "\u{feff}a = 1\0".to_owned()] {
        let uri = "file:///hostile.hcl";
        editor.open(uri, &text);
        for method in methods {
            editor.ask(method, json!({"textDocument": {"uri": uri}}));
        }
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/signatureHelp",
            "textDocument/definition",
        ] {
            editor.at(method, uri, (0, 40));
        }
        let positions = json!([{"line": 0, "character": 3000}]);
        editor.ask(
            "textDocument/selectionRange",
            json!({"textDocument": {"uri": uri}, "positions": positions}),
        );
    }
}
