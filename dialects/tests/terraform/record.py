#!/usr/bin/env python3
"""Records how the reference evaluates modules: `record.py written OUT`, `record.py generated COUNT SEED OUT`.

It runs `terraform plan` on each module, which needs no network: modules use the built-in provider alone. The results
are kept in cases.json; the tests read only that file.
"""
import concurrent.futures, json, os, random, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def plan(case):
    """Returns what the reference says about a case."""
    folder = tempfile.mkdtemp(prefix="module")
    try:
        for name, text in case["files"].items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as out:
                out.write(text)
        environment = dict(os.environ, CHECKPOINT_DISABLE="1", **case.get("environment", {}))

        def terraform(*arguments):
            return subprocess.run(["terraform", *arguments], cwd=folder, capture_output=True, text=True, env=environment)

        if any("module \"" in text for text in case["files"].values()):
            result = terraform("init", "-backend=false", "-no-color", "-input=false")
            if result.returncode:
                lines = (result.stderr + result.stdout).splitlines()
                return {"errors": [line.split("Error: ")[1] for line in lines if "Error: " in line]}
        arguments = [part for name, text in case.get("arguments", {}).items() for part in ("-var", f"{name}={text}")]
        result = terraform("plan", "-json", "-input=false", "-lock=false", "-refresh=false", "-out=plan", *arguments)
        found = {"errors": [], "warnings": []}
        for line in result.stdout.splitlines():
            message = json.loads(line)
            if message.get("type") == "diagnostic":
                diagnostic = message["diagnostic"]
                found[diagnostic["severity"] + "s"].append(diagnostic["summary"])
        if not found["errors"]:
            values = json.loads(terraform("show", "-json", "plan").stdout).get("planned_values", {})
            outputs = values.get("outputs", {}).items()
            found["outputs"] = {
                name: {"sensitive": one["sensitive"]} | ({"value": one["value"]} if "value" in one else {})
                for name, one in outputs
            }
            found["resources"] = dict(resources(values.get("root_module", {})))
        return {name: value for name, value in found.items() if value}
    finally:
        shutil.rmtree(folder)


def resources(module):
    for one in module.get("resources", []):
        if one["type"] == "terraform_data":
            yield one["address"], one["values"]
    for child in module.get("child_modules", []):
        yield from resources(child)


class Generator:
    """Makes modules of variables, locals, outputs, count and for_each."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {"number": [], "string": [], "bool": [], "list": [], "map": [], "object": []}
        self.failing = self.random.random() < 0.12

    def pick(self, *options):
        return self.random.choice(options)

    def literal(self, kind):
        number = lambda: self.pick("0", "1", "2", "3.5", "-4", "10")
        string = lambda: self.pick('"a"', '"b-c"', '""', '"Hello"', '"x,y"', '"12"')
        return {
            "number": number,
            "string": string,
            "bool": lambda: self.pick("true", "false"),
            "list": lambda: "[" + ", ".join(string() for _ in range(self.random.randrange(4))) + "]",
            "map": lambda: "{ " + ", ".join(f"{key} = {string()}" for key in self.random.sample("abcd", self.random.randrange(4))) + " }",
            "object": lambda: f"{{ name = {string()}, size = {number()}, on = {self.literal('bool')} }}",
        }[kind]()

    def expr(self, kind, depth=0):
        e = lambda kind: self.expr(kind, depth + 1)
        if depth > 3 or self.random.random() < 0.2:
            return self.literal(kind)
        if self.names[kind] and self.random.random() < 0.4:
            return self.pick(*self.names[kind])
        if self.failing and depth == 1 and self.random.random() < 0.05:
            return self.pick("local.missing", "var.missing", "tonumber(\"x\")", "[][0]", "{}.a", "terraform_data.none.id", "1 + \"x\"")
        condition = lambda: f"({e('bool')} ? {e(kind)} : {e(kind)})"
        forms = {
            "number": [
                lambda: f"({e('number')} + {e('number')})", lambda: f"({e('number')} * {e('number')})",
                lambda: f"length({e('list')})", lambda: f"length({e('map')})", lambda: f"length({e('string')})",
                lambda: f"max({e('number')}, {e('number')})", lambda: f"abs({e('number')})", condition,
                lambda: f"floor({e('number')} / 2)", lambda: f"({e('number')} % 3)", lambda: f"{e('object')}.size",
                lambda: f"try(tonumber({e('string')}), {e('number')})", lambda: f"sum([{e('number')}, {e('number')}])",
            ],
            "string": [
                lambda: f'"${{{e("string")}}}-${{{e("number")}}}"', lambda: f"upper({e('string')})",
                lambda: f"join(\",\", {e('list')})", lambda: f"{e('object')}.name", condition,
                lambda: f"replace({e('string')}, \"a\", \"z\")", lambda: f"replace({e('string')}, \"/[ab]/\", \"<$0>\")",
                lambda: f"format(\"%s=%v\", {e('string')}, {e('bool')})", lambda: f"lookup({e('map')}, \"a\", {e('string')})",
                lambda: f"jsonencode({e('object')})", lambda: f"try({e('list')}[1], {e('string')})",
                lambda: f'"%{{ for one in {e("list")} }}<${{one}}>%{{ endfor }}"', lambda: f"coalesce({e('string')}, \"fallback\")",
                lambda: f"substr({e('string')}, 0, 2)", lambda: f"trimprefix({e('string')}, \"He\")", lambda: "terraform.workspace",
                lambda: f"md5({e('string')})", lambda: f"title({e('string')})", lambda: f"nonsensitive(sensitive({e('string')}))",
            ],
            "bool": [
                lambda: f"({e('number')} > {e('number')})", lambda: f"({e('string')} == {e('string')})",
                lambda: f"contains({e('list')}, {e('string')})", lambda: f"(!{e('bool')})",
                lambda: f"({e('bool')} && {e('bool')})", lambda: f"can({e('list')}[2])", lambda: f"({e('object')}.on || {e('bool')})",
                lambda: f"startswith({e('string')}, \"H\")", lambda: f"({e('map')} == {e('map')})",
                lambda: f"alltrue([{e('bool')}, {e('bool')}])", lambda: f"issensitive({e('string')})",
            ],
            "list": [
                lambda: f"[for one in {e('list')} : upper(one)]", lambda: f"concat({e('list')}, {e('list')})",
                lambda: f"keys({e('map')})", lambda: f"values({e('map')})", lambda: f"[{e('string')}, {e('string')}]",
                lambda: f"[for key, value in {e('map')} : \"${{key}}=${{value}}\" if value != \"\"]",
                lambda: f"sort({e('list')})", lambda: f"distinct({e('list')})", lambda: f"compact({e('list')})",
                lambda: f"split(\",\", {e('string')})", lambda: f"slice([\"p\", \"q\", \"r\"], 0, 2)", lambda: f"tolist(toset({e('list')}))",
                lambda: f"flatten([{e('list')}, [{e('list')}]])", lambda: f"[for at in range(3) : \"n${{at}}\"]",
                lambda: f"[for one in [{e('object')}, {e('object')}] : one.name]", lambda: f"[{e('object')}, {e('object')}][*].name",
                lambda: f"reverse({e('list')})", lambda: f"tolist({e('list')})",
            ],
            "map": [
                lambda: f"{{ for one in distinct({e('list')}) : \"k${{one}}\" => one }}", lambda: f"merge({e('map')}, {e('map')})",
                lambda: f"zipmap([\"a\", \"b\"], [{e('string')}, {e('string')}])", lambda: f"tomap({e('map')})",
                lambda: f"{{ for key, value in {e('map')} : key => upper(value) }}", lambda: f"{{ (\"a\") = {e('string')}, c = {e('string')} }}",
            ],
            "object": [
                lambda: f"{{ name = {e('string')}, size = {e('number')}, on = {e('bool')} }}",
                lambda: f"merge({e('object')}, {{ size = {e('number')} }})",
                lambda: f"jsondecode(jsonencode({e('object')}))",
            ],
        }[kind]
        return self.random.choice(forms)()

    def variables(self, prefix="", count=None):
        types = {
            "number": "number", "string": "string", "bool": "bool", "list": "list(string)", "map": "map(string)",
            "object": "object({ name = string, size = optional(number, 7), on = optional(bool) })",
        }
        text, arguments, declared = [], {}, []
        for at in range(count or self.random.randint(2, 5)):
            kind = self.pick(*types)
            name = f"{prefix}v{at}"
            declared.append((name, kind))
            lines = [f"  default = {self.literal(kind)}"]
            if self.random.random() < 0.8 or kind == "object":
                lines.append(f"  type = {types[kind]}")
            if self.random.random() < 0.15:
                lines.append("  nullable = false")
            if self.random.random() < 0.15:
                lines.append(f"  validation {{\n    condition = var.{name} != {self.literal(kind)}\n    error_message = \"Not ${{jsonencode(var.{name})}}.\"\n  }}")
            text.append(f"variable \"{name}\" {{\n" + "\n".join(lines) + "\n}\n")
            if not prefix and self.random.random() < 0.3:
                value = self.literal(kind)
                arguments[name] = value.strip('"') if kind == "string" else value
        return text, arguments, declared

    def module(self):
        text, arguments, declared = self.variables()
        for name, kind in declared:
            self.names[kind].append(f"var.{name}")
        files = {}
        lines = []
        for at in range(self.random.randint(5, 9)):
            kind = self.pick(*self.names)
            lines.append(f"  l{at} = {self.expr(kind)}")
            self.names[kind].append(f"local.l{at}")
        text.append("locals {\n" + "\n".join(lines) + "\n}\n")
        outputs = [f"local.l{at}" for at in range(len(lines))] + [f"var.{name}" for name, _ in declared]
        for at in range(self.random.randrange(4)):
            name = f"r{at}"
            form = self.pick("one", "count", "each", "set")
            inner = self.expr(self.pick("object", "string", "list"))
            if form == "one":
                body = f"  input = {inner}\n"
                outputs += [f"terraform_data.{name}.input", f"terraform_data.{name}"]
            elif form == "count":
                body = f"  count = length({self.expr('list')})\n  input = {{ at = count.index, value = {inner} }}\n"
                outputs += [f"terraform_data.{name}[*].input", f"length(terraform_data.{name})", f"terraform_data.{name}[*].id"]
            elif form == "each":
                body = f"  for_each = {self.expr('map')}\n  input = \"${{each.key}}:${{each.value}}\"\n  triggers_replace = {inner}\n"
                outputs += [f"{{ for key, one in terraform_data.{name} : key => one.input }}", f"keys(terraform_data.{name})"]
            else:
                body = f"  for_each = toset({self.expr('list')})\n  input = each.value\n"
                outputs += [f"values(terraform_data.{name})[*].input"]
            text.append(f"resource \"terraform_data\" \"{name}\" {{\n{body}}}\n")
        if self.random.random() < 0.4:
            inner, _, declared = self.variables("m", 2)
            child = Generator(self.random.random())
            for name, kind in declared:
                child.names[kind].append(f"var.{name}")
            inner.append(f"locals {{\n  inner = {child.expr('string')}\n}}\n")
            inner.append('resource "terraform_data" "inner" {\n  for_each = toset(["p", local.inner])\n  input = each.key\n}\n')
            inner.append(f"output \"first\" {{\n  value = local.inner\n}}\noutput \"second\" {{\n  value = {child.expr('list')}\n}}\n")
            files["child/main.tf"] = "\n".join(inner)
            form = self.pick("", "  count = 2\n", f"  for_each = {self.expr('map')}\n")
            given = "".join(f"  {name} = {self.expr(kind)}\n" for name, kind in declared if self.random.random() < 0.6)
            text.append(f"module \"child\" {{\n  source = \"./child\"\n{form}{given}}}\n")
            if not form:
                outputs += ["module.child.first", "module.child.second", "module.child"]
            elif "count" in form:
                outputs += ["module.child[*].first", "module.child[1].second"]
            else:
                outputs += ["{ for key, one in module.child : key => one.first }", "keys(module.child)"]
        text += [f"output \"o{at}\" {{\n  value = {value}\n}}\n" for at, value in enumerate(outputs)]
        files["main.tf"] = "\n".join(text)
        case = {"files": files}
        if arguments:
            case["arguments"] = arguments
        return case


def main():
    if sys.argv[1] == "written":
        with open(os.path.join(HERE, "written.json")) as file:
            cases = json.load(file)
        out = sys.argv[2]
    else:
        count, seed, out = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
        cases = [{"name": f"generated {at}"} | Generator(at).module() for at in range(seed, seed + count)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, want in zip(cases, pool.map(plan, cases)):
            case["want"] = want
    with open(out, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
