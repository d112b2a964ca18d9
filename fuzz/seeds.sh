#!/usr/bin/env bash
# Creates the seed corpus of each target from the repository's cases and examples, and from any further
# directories of texts.
# usage: fuzz/seeds.sh [DIR...]
set -euo pipefail
cd "$(dirname "$0")"
python3 - "$@" <<'PYTHON'
import glob, hashlib, os, re, sys

def add(target, data):
    folder = os.path.join("corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as out:
        out.write(data)

def text(kind, data):
    """A text for the targets that read its kind from the first byte."""
    if kind == "body":
        add("parse", b"\0" + data)
        add("update", data + b"\0" + data)
        add("format", data)
        add("lsp", b"\1\x05\0\x11\2\x21\x09\0\x0a\0\x14\0\n" + data + b"\0" + data[len(data) // 2:])
    elif kind == "template":
        add("parse", b"\2" + data)
        add("evaluate", b"\3" + data)
    elif kind == "json":
        add("json", data)
    else:
        add("parse", b"\1" + data)
        add("evaluate", b"\0" + data)
        add("format", b"a = " + data + b"\n")
        add("update", b"a = " + data + b"\n\0b = " + data + b"\na = 1\n")

cases = glob.glob("../tests/cases/*/*.case")
for path in cases:
    content = open(path, "rb").read()
    for kind, body in re.findall(rb"^=== (expr|template|body|scope)\n(.*?)(?=^=== |\Z)", content, re.M | re.S):
        text({b"scope": "json"}.get(kind, kind.decode()), body.rstrip(b"\n"))
for path in glob.glob("../examples/*/*.hcl"):
    text("body", open(path, "rb").read())
for path in glob.glob("../examples/*/*.json"):
    text("json", open(path, "rb").read()[:4096])
kinds = {".hcl": "body", ".config": "body", ".expr": "expr", ".template": "template", ".tmpl": "template", ".json": "json"}
for folder in sys.argv[1:]:
    for root, _, files in os.walk(folder):
        for name in files:
            data = open(os.path.join(root, name), "rb").read()
            kind = kinds.get(os.path.splitext(name)[1])
            if kind and len(data) <= 8192:
                text(kind, data)
for target in ["parse", "evaluate", "json", "update", "format", "lsp"]:
    os.makedirs(os.path.join("corpus", target), exist_ok=True)
    print(target, len(os.listdir(os.path.join("corpus", target))), "seeds")
PYTHON
