import threading

import hclvm

THREADS = 8


def in_threads(work):
    failures = []

    def guarded(number):
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not failures, failures[0]
    assert not any(thread.is_alive() for thread in threads)


def test_threads_share_an_engine_a_program_and_a_policy():
    engine = hclvm.Engine(functions={"double": lambda n: 2 * n})
    program = engine.compile('"${name}-${double(n)}"')
    policy = engine.parse('rule "a" {\n  when = n > 100\n  effect = "allow"\n}').policy()

    def work(number):
        scope = program.scope()
        scope["name"] = f"t{number}"
        for n in range(300):
            assert program.run({"name": f"d{number}", "n": n}) == f"d{number}-{2 * n}"
            scope["n"] = n
            assert program.run(scope) == f"t{number}-{2 * n}"
            assert policy.decide({"n": n}).effect == ("allow" if n > 100 else "deny")
            if n % 50 == 0:
                assert engine.eval(f"n + {n}", {"n": number}) == n + number
                assert engine.parse(f"a = {n}").module().evaluate() == {"a": n}

    in_threads(work)


def test_a_scope_that_two_threads_use_is_an_exception_rather_than_a_crash():
    program = hclvm.Engine(functions={"f": lambda n: sum(range(n))}).compile("f(n) >= 0")
    scope = program.scope()
    scope["n"] = 10
    outcomes = set()

    def work(number):
        for n in range(200):
            try:
                if number % 2:
                    scope["n"] = n
                else:
                    outcomes.add(program.run(scope))
            except (RuntimeError, hclvm.HclError):
                pass

    in_threads(work)
    assert outcomes <= {True}
