#!/usr/bin/env python3
"""Runs 8 threads with one engine: threads.py [SECONDS]. Checks every result, and prints the runs a second of 1, 2 and 8 threads."""

import sys
import threading
import time

import hclvm

ENGINE = hclvm.Engine(functions={"double": lambda n: 2 * n})
PROGRAM = ENGINE.compile('"${name}-${double(n)}"')
RULE = ENGINE.compile('n > 50 && country == "US"')
POLICY = ENGINE.parse('rule "a" {\n  when = n > 100\n  effect = "allow"\n}').policy()


def work(number, end, counts):
    """Use the engine in all ways until the end."""
    scope, n, count = PROGRAM.scope(), 0, 0
    scope["name"] = f"t{number}"
    while time.monotonic() < end:
        n = (n + 7) % 200
        scope["n"] = n
        assert PROGRAM.run(scope) == f"t{number}-{2 * n}"
        assert PROGRAM.run({"name": "x", "n": n}) == f"x-{2 * n}"
        assert RULE.run({"n": n, "country": "US"}) is (n > 50)
        assert POLICY.decide({"n": n}).effect == ("allow" if n > 100 else "deny")
        if n == 0:
            assert ENGINE.eval(f"n + {number}", {"n": 1}) == number + 1
            assert ENGINE.parse(f"a = {number}").module().evaluate() == {"a": number}
        count += 4
    counts[number] = count


def runs_per_second(threads, seconds):
    counts, end, start = {}, time.monotonic() + seconds, time.monotonic()
    failures = []
    threading.excepthook = lambda raised: failures.append(raised.exc_value)
    started = [threading.Thread(target=work, args=(number, end, counts)) for number in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(timeout=seconds + 60)
        assert not thread.is_alive(), "a thread hangs"
    assert not failures, failures[0]
    return sum(counts.values()) / (time.monotonic() - start)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    one = runs_per_second(1, min(seconds, 5))
    for threads in (2, 8):
        rate = runs_per_second(threads, seconds if threads == 8 else min(seconds, 5))
        print(f"{threads} threads, {'with' if has_gil else 'without'} the GIL: {rate:,.0f} runs a second, {rate / one:.2f} times one thread")


if __name__ == "__main__":
    main()
