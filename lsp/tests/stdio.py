#!/usr/bin/env python3
"""Drives every method of `hclvm lsp` over standard input and output, as an editor does.

usage: lsp/tests/stdio.py [PATH OF hclvm]      with Python's standard library alone
"""
import json
import os
import subprocess
import sys
import tempfile

COMMAND = sys.argv[1] if len(sys.argv) > 1 else "target/debug/hclvm"
PROJECT = 'scope "guest" {\n  values = { user = { name = "ann", age = 17 } }\n}\n'
TEXT = """locals {
  adult = user.age >= 18
}
rule "x" {
  when   = local.adult && uper(user.name) == "ANN"
  effect = "allow"
}
# https://example.org/doc
n = join(",", ["a", user.name])
"""
RULE = 'rule "x" {\n  when = user.age >= 18\n}\n'
CASES = """file = "c.hcl"

case "a child" {
  scope  = { user = { age = 7 } }
  expect = { "rule.x.when" = false }
}
case "an adult" {
  scope  = { user = { age = 30 } }
  expect = { "rule.x.when" = true }
}
"""


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [COMMAND, "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.last = 0
        self.notifications = []

    def write(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def answer(self, method, **parameters):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": parameters})
        while True:
            message = self.receive()
            if message.get("id") == self.last and "method" not in message:
                return message
            self.notifications.append(message)

    def ask(self, method, **parameters):
        answer = self.answer(method, **parameters)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def tell(self, method, **parameters):
        self.send({"method": method, "params": parameters})


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, ".git"))
        for name, text in [("hclvm.hcl", PROJECT), ("a.hcl", TEXT), ("b.hcl", "b = (\n"), ("c.hcl", RULE), ("c.hcltest", CASES)]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        run(f"file://{folder}")
    print("all methods were answered")


def run(folder):
    server = Server("--stdio")
    uri = f"{folder}/a.hcl"
    document = {"uri": uri}
    start, end = {"line": 0, "character": 0}, {"line": 99, "character": 0}
    whole = {"start": start, "end": end}

    def at(line, character):
        return {"textDocument": document, "position": {"line": line, "character": character}}

    abilities = {"textDocument": {"diagnostic": {}}, "workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    result = server.ask("initialize", capabilities=abilities, workspaceFolders=[{"uri": folder, "name": "x"}])
    assert result["capabilities"]["hoverProvider"]
    server.tell("initialized")
    server.tell("textDocument/didOpen", textDocument={**document, "languageId": "hcl", "version": 1, "text": TEXT})

    items = server.ask("textDocument/diagnostic", textDocument=document)["items"]
    assert [item["code"] for item in items] == ["unknown-function"], items
    every = server.ask("workspace/diagnostic", previousResultIds=[])["items"]
    assert sorted(len(one["items"]) for one in every) == [0, 0, 1, 1], every
    actions = server.ask("textDocument/codeAction", textDocument=document, range=whole, context={"diagnostics": items})
    fix = next(one for one in actions if one["title"] == "Replace `uper` by `upper`")
    edit = fix["edit"]["changes"][uri][0]
    server.tell(
        "textDocument/didChange",
        textDocument={**document, "version": 2},
        contentChanges=[{"range": edit["range"], "text": edit["newText"]}],
    )
    assert server.ask("textDocument/diagnostic", textDocument=document)["items"] == []

    assert "local.adult = false" in server.ask("textDocument/hover", **at(4, 18))["contents"]["value"]
    labels = [one["label"] for one in server.ask("textDocument/completion", **at(4, 37))["items"]]
    assert "name" in labels, labels
    join = next(one for one in server.ask("textDocument/completion", **at(8, 6))["items"] if one["label"] == "join")
    assert server.ask("completionItem/resolve", **join)["documentation"]
    assert server.ask("textDocument/signatureHelp", **at(8, 14))["activeParameter"] == 1
    for method in ["definition", "declaration"]:
        assert server.ask(f"textDocument/{method}", **at(4, 18))[0]["range"]["start"]["line"] == 1
    references = server.ask("textDocument/references", **at(4, 18), context={"includeDeclaration": True})
    assert len(references) == 2, references
    assert len(server.ask("textDocument/documentHighlight", **at(4, 18))) == 2
    assert server.ask("textDocument/prepareRename", **at(4, 18))["placeholder"] == "adult"
    assert len(server.ask("textDocument/rename", **at(4, 18), newName="grown")["changes"][uri]) == 2
    assert server.answer("textDocument/rename", **at(4, 28), newName="x")["error"]["code"] == -32803
    assert [one["name"] for one in server.ask("textDocument/documentSymbol", textDocument=document)] == [
        "locals",
        'rule "x"',
        "n",
    ]
    assert server.ask("workspace/symbol", query="adult")[0]["location"]["uri"] == uri
    tokens = server.ask("textDocument/semanticTokens/full", textDocument=document)
    delta = server.ask(
        "textDocument/semanticTokens/full/delta", textDocument=document, previousResultId=tokens["resultId"]
    )
    assert delta["edits"] == [], delta
    part = server.ask("textDocument/semanticTokens/range", textDocument=document, range={"start": start, "end": {"line": 2, "character": 0}})
    assert 0 < len(part["data"]) < len(tokens["data"])
    assert server.ask("textDocument/foldingRange", textDocument=document)
    assert server.ask("textDocument/selectionRange", textDocument=document, positions=[{"line": 4, "character": 18}])[0]["parent"]
    assert server.ask("textDocument/documentLink", textDocument=document)[0]["target"] == "https://example.org/doc"
    options = {"tabSize": 2, "insertSpaces": True}
    assert server.ask("textDocument/formatting", textDocument=document, options=options) == []
    assert server.ask("textDocument/rangeFormatting", textDocument=document, range=whole, options=options) == []
    assert server.ask("textDocument/onTypeFormatting", **at(6, 1), ch="}", options=options) == []
    hints = [one["label"] for one in server.ask("textDocument/inlayHint", textDocument=document, range=whole)]
    assert "= false" in hints and '= "a,ann"' in hints, hints
    lenses = server.ask("textDocument/codeLens", textDocument=document)
    why = next(one["command"] for one in lenses if one["command"]["title"] == "Why")
    assert "because" in server.ask("workspace/executeCommand", command=why["command"], arguments=why["arguments"])

    cases, rule = {"uri": f"{folder}/c.hcltest"}, {"uri": f"{folder}/c.hcl"}
    server.tell("textDocument/didOpen", textDocument={**cases, "languageId": "hcl", "version": 1, "text": CASES})
    lenses = server.ask("textDocument/codeLens", textDocument=cases)
    run = next(one["command"] for one in lenses if "an adult" in one["command"]["title"])
    shown = server.ask("workspace/executeCommand", command=run["command"], arguments=run["arguments"])
    assert "1 passed, 0 failed" in shown, shown
    server.tell("textDocument/didOpen", textDocument={**rule, "languageId": "hcl", "version": 1, "text": RULE})
    titles = [one["command"]["title"] for one in server.ask("textDocument/codeLens", textDocument=rule)]
    assert "1 of 2 outcomes tested" in titles, titles

    # What is no message is answered, and the server goes on.
    server.write(b"{]")
    assert server.receive()["error"]["code"] == -32700
    assert server.answer("textDocument/nothing")["error"]["code"] == -32601
    server.tell("textDocument/didSave", textDocument=document)
    server.tell("workspace/didChangeWatchedFiles", changes=[])
    server.tell("textDocument/didClose", textDocument=document)
    assert server.ask("shutdown") is None
    server.tell("exit")
    assert server.process.wait(timeout=20) == 0


main()
