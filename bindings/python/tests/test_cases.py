"""The recorded cases of the engine's tests through this binding: the same values with the same types, the same errors."""

import json
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import hclvm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from recorded import cases, deviations, expected, type_text

ENGINE = hclvm.Engine("standard")


def given(case):
    """Return a recorded value as an argument of the binding."""
    if "marked" in case:
        return hclvm.Marked(given(case["marked"]), *case["marks"])
    if "unknown" in case:
        return hclvm.Unknown(type_text(case["unknown"]))
    if "null" in case:
        return hclvm.Value(None, type_text(case["null"]))
    if "number" in case:
        return Decimal(case["number"])
    if "tuple" in case:
        return [given(item) for item in case["tuple"]]
    if "object" in case:
        return {name: given(item) for name, item in case["object"].items()}
    for kind in ("list", "set"):
        if kind in case:
            return hclvm.Value([given(item) for item in case[kind]], f"{kind}({type_text(case['of'])})")
    if "map" in case:
        return hclvm.Value({name: given(item) for name, item in case["map"].items()}, f"map({type_text(case['of'])})")
    return next(iter(case.values()))


def returned(value):
    """Return a value of the binding with its types."""
    if value.marks:
        return {"marks": sorted(value.marks), "marked": returned(value.reveal())}
    kind = value.type.partition("(")[0]
    if not value.is_known:
        return {"unknown": value.type}
    if value.value is None:
        return {"null": value.type}
    if kind == "number":
        return {"number": format(value.decimal(), "f")}
    if kind in ("list", "set"):
        return {value.type: [returned(item) for item in value.items()]}
    if kind == "map":
        return {value.type: {name: returned(item) for name, item in value.items().items()}}
    if kind == "tuple":
        return [returned(item) for item in value.items()]
    if kind == "object":
        return {"object": {name: returned(item) for name, item in value.items().items()}}
    return {kind: value.value}


def errors(problems):
    place = lambda at: [] if at is None else [at.line, at.column, at.byte, at.end_line, at.end_column, at.end_byte]
    return [[problem.title, *place(problem.range)] for problem in problems]


def answer(case):
    compile = ENGINE.compile_template if case["kind"] == "template" else ENGINE.compile
    try:
        program = compile(case["src"])
    except hclvm.HclError as error:
        return errors(error.diagnostics), None
    value, problems = program.evaluate({name: given(value) for name, value in case.get("scope", {}).items()})
    return errors(problems), returned(value)


def test_recorded_cases_have_equal_results():
    listed = list(cases())
    if not listed:
        pytest.skip("the recorded cases are not there")
    different = [case["id"] for case in listed if json.dumps(answer(case)) != json.dumps(expected(case))]
    assert set(different) - deviations() == set()
    assert len(listed) > 1000
