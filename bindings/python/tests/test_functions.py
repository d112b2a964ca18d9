from __future__ import annotations

import gc
from typing import Optional

import pytest

import hclvm


def engine(**functions):
    return hclvm.Engine(functions=functions)


def test_annotations_give_the_types():
    def repeat(text: str, times: int = 2, *more: str) -> str:
        return text * times + "".join(more)

    def size(items: list[str], named: Optional[str]) -> int:
        return len(items) + (named is None)

    made = engine(repeat=repeat, size=size)
    assert made.eval("repeat(1)") == "11"
    assert made.eval('repeat("a", 3, "b", "c")') == "aaabc"
    assert made.eval("size([1, true], null) + 1") == 4
    for text in ('repeat("a", 1.5)', 'repeat("a", "x")', "size(1, 2)", "repeat()", 'size([], "a", 1)'):
        with pytest.raises(hclvm.HclError):
            made.eval(text)


def test_callables_of_every_kind():
    class Counter:
        def __init__(self):
            self.calls = 0

        def __call__(self, by: int) -> int:
            self.calls += by
            return self.calls

    counter = Counter()
    made = engine(count=counter, largest=max, pair=lambda a, b=None: [a, b])
    assert made.eval("count(2)") == 2
    assert made.eval("[count(2), count(2)]") == [4, 6], "calls are not shared"
    assert made.eval("largest(1, 7, 3)") == 7
    assert made.eval("pair(1)") == [1, None]
    with pytest.raises(TypeError):
        engine(f=lambda *, key: 1)
    with pytest.raises(TypeError):
        engine(f=7)


def test_an_exception_is_the_cause():
    def fails(x: int) -> int:
        raise LookupError(f"no entry {x}")

    made = engine(fails=fails)
    with pytest.raises(hclvm.HclError, match="no entry 7") as caught:
        made.eval("1 + fails(7)")
    assert isinstance(caught.value.__cause__, LookupError)
    assert made.eval("try(fails(7), 3)") == 3
    with pytest.raises(hclvm.HclError) as caught:
        made.eval("[try(fails(7), 3), 1 + null]")
    assert caught.value.__cause__ is None
    with pytest.raises(hclvm.HclError) as caught:
        made.eval("fails(x)", {"x": hclvm.Marked(7)})
    assert caught.value.__cause__ is None and "entry" not in caught.value.report


def test_a_function_that_fails_may_be_called_twice():
    calls = []

    def fails():
        calls.append(1)
        raise ValueError("no")

    with pytest.raises(hclvm.HclError):
        engine(fails=fails).eval("fails()")
    assert len(calls) == 2, "the second call is that of the run that reports the error"


def test_an_interrupt_ends_the_evaluation():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine(f=interrupted).eval("try(f(), 1)")


def test_a_result_of_the_wrong_type_is_an_error():
    def wrong() -> int:
        return "x"  # type: ignore[return-value]

    with pytest.raises(hclvm.HclError):
        engine(f=wrong).eval("f() + 1")
    with pytest.raises(hclvm.HclError):
        engine(f=lambda: object()).eval("f()")


def test_unknown_and_marked_arguments():
    calls = []
    made = engine(f=lambda x: calls.append(x) or x)
    assert isinstance(made.eval("f(x)", {"x": hclvm.Unknown()}), hclvm.Unknown)
    assert calls == []
    assert made.eval("f(x)", {"x": hclvm.Marked("s")}).reveal() == "s"


def test_a_function_may_use_its_own_engine_program_and_scope():
    inner = {}

    def again(n: int) -> int:
        return n if n == 0 else inner["program"].run({"n": n - 1}) + 1

    inner["engine"] = engine(again=again)
    inner["program"] = inner["engine"].compile("again(n)")
    assert inner["program"].run({"n": 7}) == 7

    scope = inner["program"].scope()

    def changes(n: int) -> int:
        scope["n"] = 1
        return n

    other = engine(changes=changes)
    program = other.compile("changes(n)")
    scope = program.scope()
    scope["n"] = 5
    with pytest.raises(hclvm.HclError) as caught:
        program.run(scope)
    assert isinstance(caught.value.__cause__, RuntimeError), "a scope in use cannot be changed"
    assert program.run({"n": 5}) == 5


def test_endless_recursion_is_an_exception():
    inner = {}
    made = inner["engine"] = engine(again=lambda: inner["engine"].eval(inner["text"]))
    # Each evaluation takes as much stack as the limits allow.
    for text in ("again()", "(" * 990 + "again()" + ")" * 990, "[" * 990 + "again()" + "]" * 990):
        inner["text"] = text
        with pytest.raises(RecursionError, match="call one another"):
            made.eval(text)
    inner["text"] = "1"
    assert made.eval("again()") == 1


def test_a_function_may_drop_its_engine():
    held = {}

    def drop() -> str:
        held.clear()
        gc.collect()
        return "dropped"

    held["program"] = engine(drop=drop).compile('"${drop()}!"')
    assert held["program"].run() == "dropped!"
    assert held == {}
