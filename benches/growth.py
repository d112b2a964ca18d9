#!/usr/bin/env python3
"""Measures how work grows with the length of a text: the ratio of instructions t(2n) / t(n) for each shape.

usage: benches/growth.py [--only REGEX] [--limit 2.3] [--harness PATH]

Each shape is built for n and 2n and given to `harness probe` under callgrind; the cost of a trivial
text of its kind is subtracted. Prints a table and fails if a shape grows by more than the limit.
"""
import argparse, os, re, subprocess, sys, tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

def nested(n, before, inner, after):
    return before * n + inner + after * n

def numbers(n):
    return ",".join(str((at * 7919) % 1000003) for at in range(n))

def texts(n):
    return ",".join('"t%d"' % ((at * 7919) % 1000003) for at in range(n))

def for_ifs(n):
    return nested(n, "[for x in [1]: x if ", "true", "] == [1]")

def for_ifs_bound(n):
    text = f"x{n - 1} == 1"
    for at in reversed(range(n)):
        outer = "1" if at == 0 else f"x{at - 1}"
        text = f"[for x{at} in [{outer}]: x{at} if {text}] == [1]"
    return text

# name: (kind, size, text of a size)
SHAPES = {
    # limits of the front end
    "heredoc of n lines": ("config", 4000, lambda n: "a = <<E\n" + "some text\n" * n + "E\n"),
    "flush heredoc of n lines": ("config", 4000, lambda n: "a = <<-E\n" + "  some text\n" * n + "  E\n"),
    "flush heredoc, interpolations": ("config", 2000, lambda n: "a = <<-E\n" + "  x ${1} y\n" * n + "  E\n"),
    "heredocs never closed": ("config", 4000, lambda n: "<<E\n" * n),
    "line breaks in parentheses": ("expr", 20000, lambda n: "(" + "\n" * n),
    "heredoc never closed": ("config", 4000, lambda n: "a = <<E\n" + "some text\n" * n),
    "dollars in a text": ("expr", 20000, lambda n: '"' + "$" * n + '"'),
    "percents in a text": ("expr", 20000, lambda n: '"' + "%" * n + '"'),
    "backslashes in a text": ("expr", 10000, lambda n: '"' + "\\\\" * n + '"'),
    "comment openers, never closed": ("config", 10000, lambda n: "/* " * n),
    "quotes": ("config", 5000, lambda n: 'a = "' * n),
    "interpolations never closed": ("expr", 900, lambda n: '"' + "${" * min(n, 10**6)),
    "directives never closed": ("template", 400, lambda n: "%{ if true }" * n),
    "directives closed": ("template", 2000, lambda n: "%{ if true }x%{ endif }" * n),
    "lines that are errors": ("config", 3000, lambda n: "a b c\n" * n),
    "bytes that are errors": ("config", 3000, lambda n: "a = `\n" * n),
    "undefined variables": ("expr", 2000, lambda n: "[" + ",".join(f"zz{at}" for at in range(n)) + "]"),
    "undefined functions": ("expr", 2000, lambda n: "[" + ",".join(f"zz{at}()" for at in range(n)) + "]"),
    "attributes": ("config", 4000, lambda n: "".join(f"a{at} = {at}\n" for at in range(n))),
    "attribute set again": ("config", 4000, lambda n: "a = 1\n" * n),
    "blocks": ("config", 3000, lambda n: "b { }\n" * n),
    "nested blocks": ("config", 450, lambda n: nested(n, "b {\n", "", "\n}")),
    "labels": ("config", 4000, lambda n: "b " + '"l" ' * n + "{ }\n"),
    "one line of text": ("expr", 50000, lambda n: '"' + "x" * n + '"'),
    # chains and width
    # Above the length from which no fast code is generated: slightly below it, both tiers are compiled.
    "sum of n": ("expr", 8000, lambda n: "+".join(["1"] * n)),
    "sum of n variables": ("expr", 8000, lambda n: "+".join(["v"] * n)),
    "and of n": ("expr", 4000, lambda n: "&&".join(["v == 1"] * n)),
    "equalities": ("expr", 4000, lambda n: "==".join(["1"] * n)),
    "attribute chain": ("expr", 4000, lambda n: "v" + ".a" * n),
    "index chain": ("expr", 4000, lambda n: "v" + "[0]" * n),
    "tuple of n": ("expr", 8000, lambda n: "[" + "1," * n + "]"),
    "tuple of n tuples": ("expr", 4000, lambda n: "[" + "[v]," * n + "]"),
    "object of n keys": ("expr", 4000, lambda n: "{" + ",".join(f"k{at} = 1" for at in range(n)) + "}"),
    "object of n computed keys": ("expr", 4000, lambda n: "{" + ",".join(f"(\"k{at}\") = v" for at in range(n)) + "}"),
    "object of one key": ("expr", 4000, lambda n: "{" + ",".join("k = 1" for at in range(n)) + "}"),
    # Two nodes per part: above 8,190 nodes both tiers are compiled at once, which costs a fifth more.
    "template of n parts": ("expr", 5000, lambda n: '"' + "a${v}" * n + '"'),
    "arguments": ("expr", 4000, lambda n: "max(" + ",".join(["v"] * n) + ")"),
    "digits of a literal": ("expr", 20000, lambda n: "1" * n),
    "digits of a text": ("expr", 20000, lambda n: '"' + "1" * n + '" + 1'),
    "digits printed": ("expr", 20000, lambda n: '"x${1e%d}"' % n),
    "locals in a chain": ("locals", 2000, lambda n: "locals {\na0 = 1\n" + "".join(f"a{at} = local.a{at - 1}\n" for at in range(1, n)) + "}\n"),
    "locals in a circle": ("locals", 2000, lambda n: "locals {\n" + "".join(f"a{at} = local.a{(at + 1) % n}\n" for at in range(n)) + "}\n"),
    "locals that use all": ("locals", 2000, lambda n: "locals {\n" + "".join(f"a{at} = local\n" for at in range(n)) + "}\n"),
    "readers of one local": ("locals", 2000, lambda n: "locals {\na = v\n}\n" + "".join(f"x{at} = local.a + {at}\n" for at in range(n))),
    "reader of n locals": ("locals", 1000, lambda n: "locals {\n" + "".join(f"a{at} = v + {at}\n" for at in range(n)) + "}\nx = [" + "".join(f"local.a{at}, " for at in range(n)) + "]\n"),
    "readers of the object of locals": ("locals", 1000, lambda n: "locals {\n" + "".join(f"a{at} = v\n" for at in range(n)) + "}\nx = length(local)\ny = [for name, value in local : name if value == 1]\n"),
    "blocks with attributes": ("locals", 1000, lambda n: "".join(f'rule "r{at}" {{\nwhen = v > {at}\nreason = "not ${{v}}"\n}}\n' for at in range(n))),
    "dynamic blocks one by one": ("locals", 500, lambda n: "".join(f'dynamic "b" {{\nfor_each = [v]\ncontent {{\nx{at} = b.value\n}}\n}}\n' for at in range(n))),
    "dynamic blocks in dynamic blocks": ("locals", 200, lambda n: nested(n, 'dynamic "b" {\nfor_each = [v]\ncontent {\n', "x = b.value\n", "}\n}\n")),
    # nesting, doubled within the limit
    "parentheses": ("expr", 450, lambda n: nested(n, "(", "v", ")")),
    "tuples in tuples": ("expr", 450, lambda n: nested(n, "[", "v", "]")),
    "objects in objects": ("expr", 450, lambda n: nested(n, "{a=", "v", "}")),
    "templates in templates": ("expr", 200, lambda n: nested(n, '"x${', "v", '}"')),
    "calls in calls": ("expr", 450, lambda n: nested(n, "abs(", "v", ")")),
    "conditionals": ("expr", 450, lambda n: "v == 2 ? 1 : " * n + "2"),
    "not": ("expr", 450, lambda n: "!" * n + "true"),
    "for in for": ("expr", 200, lambda n: nested(n, "[for x in [1]: ", "x", "]")),
    "for-if in for-if": ("expr", 200, for_ifs),
    "try in try": ("expr", 400, lambda n: nested(n, "try(", "zz", ", 1)")),
    "can in can": ("expr", 400, lambda n: nested(n, "can(", "zz", ")")),
    "try with many failures": ("expr", 1000, lambda n: "try(" + "zz," * n + "1)"),
    # evaluation
    "for over n": ("expr", 4000, lambda n: "[for x in [" + numbers(n) + "] : x if x > 5]"),
    "for object over n": ("expr", 4000, lambda n: "{for x in [" + numbers(n) + "] : x => x}"),
    "for groups over n": ("expr", 4000, lambda n: "{for x in [" + numbers(n) + "] : x => x...}"),
    "for with n equal keys": ("expr", 4000, lambda n: "{for x in [" + numbers(n) + "] : \"k\" => x}"),
    "for with n faults": ("expr", 3000, lambda n: "[for x in [" + numbers(n) + "] : x.a]"),
    "splat over n": ("expr", 4000, lambda n: "[" + "{a = v}," * n + "][*].a"),
    "equality of wide values": ("expr", 4000, lambda n: "[" + "v," * n + "] == [" + "v," * n + "]"),
    "conditional of wide values": ("expr", 2000, lambda n: "v == 1 ? [" + "v," * n + "] : [" + "v," * n + "]"),
    # builtins
    # Above the size up to which calls of constants are folded: slightly above it, folding is attempted
    # in vain, once.
    "distinct numbers": ("expr", 4000, lambda n: f"length(distinct([{numbers(n)}]))"),
    "distinct texts": ("expr", 4000, lambda n: f"length(distinct([{texts(n)}]))"),
    "distinct lists": ("expr", 2000, lambda n: "length(distinct([" + ",".join(f"[{at}]" for at in range(n)) + "]))"),
    "toset numbers": ("expr", 4000, lambda n: f"length(toset([{numbers(n)}]))"),
    "toset texts": ("expr", 4000, lambda n: f"length(toset([{texts(n)}]))"),
    "toset objects": ("expr", 1000, lambda n: "length(toset([" + ",".join("{a = %d}" % at for at in range(n)) + "]))"),
    "sort": ("expr", 4000, lambda n: f"length(sort([{texts(n)}]))"),
    "tolist of texts": ("expr", 4000, lambda n: f"length(tolist([{texts(n)}]))"),
    "tolist of different objects": ("expr", 500, lambda n: "length(try(tolist([" + ",".join("{a%d = 1}" % at for at in range(n)) + "]), []))"),
    "reverse": ("expr", 4000, lambda n: f"length(reverse([{numbers(n)}]))"),
    "concat of n": ("expr", 2000, lambda n: "length(concat(" + ",".join(["[v]"] * n) + "))"),
    "flatten of n": ("expr", 2000, lambda n: "length(flatten([" + ",".join(["[v]"] * n) + "]))"),
    "flatten deep": ("expr", 300, lambda n: "length(flatten([" + nested(n, "[1,", "1", "]") + "]))"),
    "merge of n": ("expr", 1000, lambda n: "length(merge(" + ",".join("{k%d = 1}" % at for at in range(n)) + "))"),
    "setproduct to n": ("expr", 2000, lambda n: f"length(setproduct([{numbers(n)}], [1, 2]))"),
    "setunion": ("expr", 2000, lambda n: f"length(setunion([{numbers(n)}], [{numbers(n)}]))"),
    "setsubtract": ("expr", 2000, lambda n: f"length(setsubtract([{numbers(n)}], [{numbers(n)}]))"),
    "contains": ("expr", 4000, lambda n: f"contains([{numbers(n)}], -1)"),
    # Above the size up to which the call is folded, as for "distinct numbers".
    "zipmap": ("expr", 3000, lambda n: f"length(zipmap([{texts(n)}], [{numbers(n)}]))"),
    "keys": ("expr", 4000, lambda n: "length(keys({" + ",".join(f"k{at} = 1" for at in range(n)) + "}))"),
    "chunklist": ("expr", 4000, lambda n: f"length(chunklist([{numbers(n)}], 3))"),
    "join": ("expr", 4000, lambda n: f"length(join(\",\", [{texts(n)}]))"),
    "split": ("expr", 8000, lambda n: "length(split(\",\", \"" + "x," * n + "\"))"),
    "replace": ("expr", 8000, lambda n: "length(replace(\"" + "xy" * n + "\", \"x\", \"yz\"))"),
    "indent": ("expr", 8000, lambda n: "length(indent(2, \"" + "x\\n" * n + "\"))"),
    "format": ("expr", 1000, lambda n: "length(format(\"" + "%s" * n + "\", " + ",".join(["v"] * n) + "))"),
    "regexall": ("expr", 4000, lambda n: "length(regexall(\"a\", \"" + "ab" * n + "\"))"),
    "jsonencode": ("expr", 4000, lambda n: f"length(jsonencode([{numbers(n)}]))"),
    "jsondecode wide": ("expr", 4000, lambda n: f"length(jsondecode(\"[{numbers(n)}]\"))"),
    "jsondecode nested lists": ("expr", 200, lambda n: "length(jsondecode(\"" + nested(n, "[", "1", "]") + "\"))"),
    "csvdecode": ("expr", 2000, lambda n: "length(csvdecode(\"a,b\\n" + "1,2\\n" * n + "\"))"),
    "strrev": ("expr", 8000, lambda n: "length(strrev(\"" + "xy" * n + "\"))"),
    "range": ("expr", 400, lambda n: f"length(range({n}))"),
    # the JSON syntax
    "json arrays in arrays": ("json", 450, lambda n: '{"a": ' + nested(n, "[", "1", "]") + "}"),
    "json objects in objects": ("json", 450, lambda n: '{"a": ' + nested(n, '{"b": ', "1", "}") + "}"),
    "json properties": ("json", 4000, lambda n: "{" + ", ".join(f'"a{at}": {at}' for at in range(n)) + "}"),
    "json property again": ("json", 2000, lambda n: '{"a": {' + ", ".join('"k": 1' for at in range(n)) + "}}"),
    "json templates": ("json", 3000, lambda n: '{"a": [' + ", ".join('"x${v}"' for at in range(n)) + "]}"),
    "json text": ("json", 20000, lambda n: '{"a": "' + "x\\n" * n + '"}'),
    "json dollars": ("json", 20000, lambda n: '{"a": "' + "$" * n + '"}'),
    "json errors": ("json", 3000, lambda n: '{"a": [' + "}," * n + "]}"),
    "json templates in error": ("json", 2000, lambda n: '{"a": [' + ", ".join('"${"' for at in range(n)) + "]}"),
    "json numbers": ("json", 3000, lambda n: '{"a": [' + numbers(n) + "]}"),
    "dynamic blocks": ("dyn", 1000, lambda n: "dynamic \"b\" {\nfor_each = [" + numbers(n) + "]\ncontent {\nx = b.value\n}\n}\n"),
}

def instructions(harness, kind, text, scope):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", harness, "probe", kind, "--scope", scope]
        done = subprocess.run(command, input=text.encode(), capture_output=True)
        found = re.search(rb"Collected : (\d+)", done.stderr)
        if not found:
            sys.exit(f"callgrind gave no count: {done.stderr[-400:].decode(errors='replace')}")
        answer = done.stdout.decode(errors="replace")[:60].strip()
        return int(found.group(1)), re.sub(r'.*"outcome":"(\w+)".*', r"\1", answer)

def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="")
    options.add_argument("--limit", type=float, default=2.3)
    options.add_argument("--harness", default=os.path.join(ROOT, "target/release/harness"))
    chosen = options.parse_args()
    bad, base = [], {}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as scope:
        scope.write('{"variables": {"v": 1}}')
        scope.flush()
        print(f"| shape | n | instructions of n | of 2n | ratio | ends |\n|---|---|---|---|---|---|")
        for name, (kind, n, make) in SHAPES.items():
            if not re.search(chosen.only, name):
                continue
            if kind not in base:
                trivial = {"expr": "1", "template": "x"}.get(kind, "a = 1\n" if kind != "json" else "{}")
                base[kind] = instructions(chosen.harness, kind, trivial, scope.name)[0]
            (one, _), (two, ends) = (instructions(chosen.harness, kind, make(size), scope.name) for size in (n, 2 * n))
            one, two = max(one - base[kind], 1), max(two - base[kind], 1)
            ratio = two / one
            if ratio > chosen.limit:
                bad.append(name)
            print(f"| {name} | {n} | {one} | {two} | {ratio:.2f}{' !' if ratio > chosen.limit else ''} | {ends} |", flush=True)
    if bad:
        sys.exit(f"grow by more than {chosen.limit}: {', '.join(bad)}")

if __name__ == "__main__":
    main()
