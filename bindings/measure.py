#!/usr/bin/env python3
"""Measures the cost of calls from Python: python3 bindings/measure.py, with the wheel of a release installed."""

import subprocess
import sys
import time
import timeit

import hclvm

RULE = 'age > 18 && country == "US"'
VALUES = {"age": 21, "country": "US", "name": "Ada Lovelace", "tier": "gold"}


def nanoseconds(run):
    # Of the processor, so that other programs on the machine do not count.
    timer = timeit.Timer(run, timer=time.thread_time)
    count, _ = timer.autorange()
    return min(timer.repeat(7, count)) / count * 1e9


def import_time():
    program = "import time; start = time.perf_counter(); import hclvm; print(time.perf_counter() - start)"
    return min(float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(7)) * 1e3


def main():
    engine = hclvm.Engine()
    program = engine.compile(RULE)
    scope = program.scope()
    scope.update(VALUES)
    policy = engine.parse(f'rule "a" {{\n  when = {RULE}\n  effect = "allow"\n}}').policy()
    items = engine.compile("[for x in items : x.qty if x.price > 250]")
    array = {"items": [{"price": 37 * at, "qty": at, "name": f"item-{at:04}"} for at in range(100)]}

    def set_and_run():
        scope["age"] = 21
        return program.run(scope)

    for name, run in [
        ("a call of a Python function with two arguments, for comparison", lambda f=(lambda a, b: a): f(1, 2)),
        ("run with a scope", lambda: program.run(scope)),
        ("set a number and run", set_and_run),
        ("run with a dict", lambda: program.run(VALUES)),
        ("decide with a dict", lambda: policy.decide(VALUES)),
        ("a list of 100 objects, filtered, with a dict", lambda: items.run(array)),
        ("hclvm.eval, which compiles", lambda: hclvm.eval(RULE, VALUES)),
    ]:
        print(f"{nanoseconds(run):10.0f} ns  {name}")
    print(f"{import_time():10.1f} ms  import hclvm")


if __name__ == "__main__":
    main()
