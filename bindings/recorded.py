"""The recorded cases of the engine's tests, for the tests of bindings."""

import json
import re
from pathlib import Path

CASES = Path(__file__).resolve().parents[1] / "tests" / "harness" / "cases"
DEVIATIONS = CASES.parent / "tests" / "deviations.txt"


def cases():
    """Yield the cases that bindings can express."""
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            # What the bindings have no form for: tables of functions, refinements of unknown values, infinities.
            given, _, wanted = line.partition('"expect"')
            if not line or '"functions"' in line or '"refine"' in given or "Inf" in line or "Function calls not" in wanted:
                continue
            case = json.loads(line)
            if case["kind"] in ("expr", "template"):
                yield case


def deviations():
    """Return the ids of cases in which the engine deviates from the recorded results, with or without a binding."""
    return set(re.findall(r"^([\w/]+)[ @]", DEVIATIONS.read_text(), re.MULTILINE))


def type_text(ty):
    """Return a recorded type as a type constraint."""
    if isinstance(ty, str):
        return {"dynamic": "any"}.get(ty, ty)
    kind, inner = ty[0], ty[1]
    if kind == "tuple":
        return f"tuple([{', '.join(map(type_text, inner))}])"
    if kind == "object":
        names = (name if re.fullmatch(r"[A-Za-z_][\w-]*", name) else json.dumps(name) for name in inner)
        return "object({" + ", ".join(f"{name} = {type_text(inner[key])}" for name, key in zip(names, inner)) + "})"
    return f"{kind}({type_text(inner)})"


def recorded(case):
    """Return a recorded value in the form of `returned`."""
    if "marked" in case:
        return {"marks": sorted(case["marks"]), "marked": recorded(case["marked"])}
    for kind in ("unknown", "null"):
        if kind in case:
            return {kind: type_text(case[kind])}
    for kind in ("list", "set"):
        if kind in case:
            return {f"{kind}({type_text(case['of'])})": [recorded(item) for item in case[kind]]}
    if "map" in case:
        return {f"map({type_text(case['of'])})": {name: recorded(item) for name, item in case["map"].items()}}
    if "tuple" in case:
        return [recorded(item) for item in case["tuple"]]
    if "object" in case:
        return {"object": {name: recorded(item) for name, item in case["object"].items()}}
    return case


def expected(case):
    result = case["expect"]
    found = [[error["summary"], *error["start"], *error["end"]] for error in result.get("errors", [])]
    return found, None if result.get("phase") == "parse" else recorded(result["value"])
