#!/usr/bin/env python3
"""Measures what calls cost in each language, beside native runs and other engines, as nanoseconds of one run.

usage: measure.py [--native PROGRAM] [--c PROGRAM] [--node PACKAGE]

The wheel of a release has to be installed. Other engines are measured if they are, too: datalogic-py, cel-python,
common-expression-language, zen-engine, json-logic, cedarpy, regopy.
"""

import argparse
import importlib
import json
import subprocess
import sys
import time
import timeit

import hclvm

APPLICANT = {
    "id": "A-1093",
    "age": 37,
    "income": 61000,
    "credit_score": 688,
    "debt_ratio": 0.19,
    "ssn": "000-12-3456",
    "state": "NY",
    "address": {"street": "4 Mill Lane", "city": "Albany", "zip": "12207", "country": "US"},
    "employment": {"employer": "Northern Mills", "role": "miller", "years": 11, "status": "full_time"},
    "accounts": [{"type": kind, "balance": 1250 * at} for at, kind in enumerate(("checking", "savings", "credit"))],
    "flags": {"kyc_verified": True, "fraud_hold": False, "prior_default": False},
}

# The rule in HCL and the data; the rule in the languages of other engines.
WORKLOADS = {
    "simple": {
        "data": {"age": 21, "country": "US", "name": "Ada Lovelace", "tier": "gold"},
        "hcl": 'age > 18 && country == "US"',
        "cel": 'age > 18 && country == "US"',
        "zen": 'age > 18 and country == "US"',
        "logic": {"and": [{">": [{"var": "age"}, 18]}, {"==": [{"var": "country"}, "US"]}]},
        "cedar": 'permit(principal, action, resource) when { context.age > 18 && context.country == "US" };',
        "rego": 'package p\nimport rego.v1\nr if { input.age > 18; input.country == "US" }',
    },
    "eligibility": {
        "data": {"applicant": APPLICANT, "meta": {"request": "r-1", "channel": "api"}, "padding": ["0123456789abcdef"] * 16},
        "hcl": "applicant.age >= 21 && applicant.age < 65 && (applicant.income >= 45000 || (applicant.credit_score >= 700 "
        "&& applicant.debt_ratio <= 0.3)) && can(applicant.ssn) && can(applicant.address.zip) && "
        'contains(["CA", "NY", "TX", "WA", "MA"], applicant.state) ? "approved:${applicant.id}" : "rejected"',
        "cel": "applicant.age >= 21 && applicant.age < 65 && (applicant.income >= 45000 || (applicant.credit_score >= 700 "
        "&& applicant.debt_ratio <= 0.3)) && has(applicant.ssn) && has(applicant.address.zip) && "
        'applicant.state in ["CA", "NY", "TX", "WA", "MA"] ? "approved:" + applicant.id : "rejected"',
        "zen": "applicant.age >= 21 and applicant.age < 65 and (applicant.income >= 45000 or (applicant.credit_score >= 700 "
        "and applicant.debt_ratio <= 0.3)) and applicant.ssn != null and applicant.address.zip != null and "
        'applicant.state in ["CA", "NY", "TX", "WA", "MA"] ? "approved:" + applicant.id : "rejected"',
        "logic": {
            "if": [
                {
                    "and": [
                        {">=": [{"var": "applicant.age"}, 21]},
                        {"<": [{"var": "applicant.age"}, 65]},
                        {
                            "or": [
                                {">=": [{"var": "applicant.income"}, 45000]},
                                {
                                    "and": [
                                        {">=": [{"var": "applicant.credit_score"}, 700]},
                                        {"<=": [{"var": "applicant.debt_ratio"}, 0.3]},
                                    ]
                                },
                            ]
                        },
                        {"!": [{"missing": ["applicant.ssn", "applicant.address.zip"]}]},
                        {"in": [{"var": "applicant.state"}, ["CA", "NY", "TX", "WA", "MA"]]},
                    ]
                },
                {"cat": ["approved:", {"var": "applicant.id"}]},
                "rejected",
            ]
        },
    },
    "array100": {
        "data": {"items": [{"price": 7 * at, "qty": at, "name": f"item-{at:04}", "sku": f"sku-{at * 7919:08}"} for at in range(100)]},
        "hcl": "[for x in items : x.qty if x.price > 250]",
        "cel": "items.filter(x, x.price > 250).map(x, x.qty)",
        "zen": "map(filter(items, #.price > 250), #.qty)",
        "logic": {"map": [{"filter": [{"var": "items"}, {">": [{"var": "price"}, 250]}]}, {"var": "qty"}]},
    },
}


def nanoseconds(run):
    # Of the processor, so that other programs on the machine do not count.
    timer = timeit.Timer(run, timer=time.thread_time)
    count, taken = timer.autorange()
    count = max(int(count * 0.02 / taken), 1)
    return min(timer.repeat(9, count)) / count * 1e9


def of_program(*command):
    """Return the numbers that a program prints."""
    return [float(number) for number in subprocess.check_output(command, text=True).split()]


def hclvm_rows(workload):
    program = hclvm.Engine().compile(workload["hcl"])
    scope, data, text = program.scope(), workload["data"], json.dumps(workload["data"])
    scope.update(data)

    def with_json():
        scope.update_json(text)
        return program.run(scope)

    yield "Python: scope", lambda: program.run(scope)
    yield "Python: dict", lambda: program.run(data)
    yield "Python: JSON", with_json


def datalogic_rows(peer, workload):
    engine, data = peer.Engine(), workload["data"]
    rule, session, text = engine.compile(workload["logic"]), engine.session(), json.dumps(workload["data"])
    handle = peer.DataHandle(text)
    yield "datalogic: handle", lambda: session.evaluate_data(rule, handle)
    yield "datalogic: dict", lambda: session.evaluate(rule, data)
    yield "datalogic: JSON", lambda: session.evaluate_str(rule, text)


def common_expression_rows(peer, workload):
    program, context = peer.compile(workload["cel"]), peer.Context()
    for name, value in workload["data"].items():
        context.add_variable(name, value)
    yield "common-expression-language: context", lambda: program.execute(context)
    yield "common-expression-language: dict", lambda: program.execute(workload["data"])


def celpy_rows(peer, workload):
    environment = peer.Environment()
    program = environment.program(environment.compile(workload["cel"]))
    context = {name: peer.json_to_cel(value) for name, value in workload["data"].items()}
    yield "cel-python: prepared values", lambda: program.evaluate(context)


def zen_rows(peer, workload):
    expression = peer.compile_expression(workload["zen"])
    yield "zen-engine: dict", lambda: expression.evaluate(workload["data"])


def json_logic_rows(peer, workload):
    yield "json-logic: dict", lambda: peer.jsonLogic(workload["logic"], workload["data"])


def cedar_rows(peer, workload):
    entity = {"principal": 'U::"a"', "action": 'A::"a"', "resource": 'R::"a"'}
    policies, request = workload["cedar"], {**entity, "context": workload["data"]}
    yield "cedarpy: dict", lambda: peer.is_authorized(request, policies, [])


def rego_rows(peer, workload):
    interpreter = peer.Interpreter()
    interpreter.add_module("p", workload["rego"])
    data = workload["data"]

    def run():
        interpreter.set_input(data)
        return interpreter.query("data.p.r")

    yield "regopy: dict", run


# Modules, the language of their rules, and their rows.
PEERS = [
    ("datalogic_py", "logic", datalogic_rows),
    ("cel", "cel", common_expression_rows),
    ("celpy", "cel", celpy_rows),
    ("zen", "zen", zen_rows),
    ("json_logic", "logic", json_logic_rows),
    ("cedarpy", "cedar", cedar_rows),
    ("regopy", "rego", rego_rows),
]


def other_rows(workload):
    for module, language, rows in PEERS:
        if language in workload:
            try:
                yield from rows(importlib.import_module(module), workload)
            except Exception as error:  # It is not installed, or its rule does not run.
                print(f"{module} is left out: {type(error).__name__}: {error}"[:300], file=sys.stderr)


def measured(workload, programs):
    """Yield the rows of a workload."""
    pairs = [text for name, value in workload["data"].items() for text in (name, json.dumps(value))]
    for name, program in (("native", programs.native), ("C", programs.c)):
        if program:
            yield from zip((f"{name}: scope", f"{name}: JSON"), of_program(program, workload["hcl"], *pairs))
    if programs.node:
        command = ("node", "measure/calls.mjs", programs.node, workload["hcl"], json.dumps(workload["data"]))
        yield from zip(("node: scope", "node: JSON", "node: object"), of_program(*command))
    for rows in (hclvm_rows(workload), other_rows(workload)):
        for name, run in rows:
            try:
                yield name, nanoseconds(run)
            except Exception as error:
                print(f"{name} is left out: {type(error).__name__}: {error}"[:300], file=sys.stderr)


def batch_rows_per_second():
    """Return how many rows of Arrow data a second one core evaluates."""
    try:
        import pyarrow as pa
    except ImportError:
        return None
    rows = 4_000_000
    table = pa.table({"age": [at % 60 for at in range(rows)], "country": ["US" if at % 3 else "DE" for at in range(rows)]})
    program = hclvm.Engine().compile(WORKLOADS["simple"]["hcl"])
    program.run_batch(table)
    start = time.thread_time()
    for _ in range(5):
        program.run_batch(table)
    return 5 * rows / (time.thread_time() - start)


def import_time():
    program = "import time; start = time.perf_counter(); import hclvm; print(time.perf_counter() - start)"
    return min(float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(7)) * 1e3


def main():
    parser = argparse.ArgumentParser()
    for name in ("--native", "--c", "--node"):
        parser.add_argument(name)
    programs = parser.parse_args()
    for name, workload in WORKLOADS.items():
        for row, taken in measured(workload, programs):
            print(f"{name:12} {row:38} {taken:12,.0f} ns", flush=True)
    rows = batch_rows_per_second()
    if rows:
        print(f"Arrow batch, simple: {rows / 1e6:.0f} M rows a second")
    print(f"import hclvm: {import_time():.1f} ms")


if __name__ == "__main__":
    main()
