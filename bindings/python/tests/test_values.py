from decimal import Decimal

import pytest

import hclvm


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -7, 2**63, -(2**200), 1.5, 0.1, "", "grün", [], [1, "a", None], {}, {"a": {"b": [1.5]}}],
)
def test_values_return_as_they_were(value):
    result = hclvm.eval("x", {"x": value})
    assert result == value
    assert type(result) is type(value)


def test_numbers_are_exact():
    program = hclvm.Engine().compile("x + 0.2")
    value, problems = program.evaluate({"x": Decimal("0.1")})
    assert (value.decimal(), value.type, problems) == (Decimal("0.3"), "number", [])
    assert hclvm.eval("2 * x", {"x": 10**40}) == 2 * 10**40


def test_other_containers():
    from collections import OrderedDict
    from types import MappingProxyType

    assert hclvm.eval("x.a", {"x": MappingProxyType({"a": 1})}) == 1
    assert hclvm.eval("x", MappingProxyType({"x": OrderedDict(b=(1, 2))})) == {"b": [1, 2]}


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, b"x", float("nan"), Decimal("nan"), {1: 2}, "\ud800", [object()], {"a": object()}]
)
def test_values_that_hcl_does_not_have(value):
    with pytest.raises(hclvm.HclError):
        hclvm.eval("x", {"x": value})


def test_a_list_in_itself_is_an_error():
    loop = []
    loop.append(loop)
    with pytest.raises(hclvm.HclError):
        hclvm.eval("x", {"x": loop})


def test_a_small_value_with_many_shared_parts_is_not_copied():
    text = "locals {\n a0 = [1]\n" + "".join(f" a{i + 1} = [local.a{i}, local.a{i}]\n" for i in range(60)) + "}\nx = local.a60"
    with pytest.raises(hclvm.HclError, match="bytes"):
        hclvm.loads(text)


def test_unknown_values_are_neither_true_nor_false():
    result = hclvm.eval("x + 1", {"x": hclvm.Unknown("number")})
    assert isinstance(result, hclvm.Unknown)
    assert result.type == "number"
    with pytest.raises(TypeError):
        bool(result)
    assert hclvm.eval("false && x", {"x": hclvm.Unknown()}) is False
    with pytest.raises(hclvm.HclError):
        hclvm.Unknown("list(")


def test_no_text_has_a_marked_value():
    secret = hclvm.Marked("hunter2", "password")
    result = hclvm.eval('"x-${s}"', {"s": secret})
    assert isinstance(result, hclvm.Marked)
    assert result.marks == ["password"]
    assert result.reveal() == "x-hunter2"
    with pytest.raises(TypeError):
        bool(result)
    exact, _ = hclvm.Engine().compile("[s]").evaluate({"s": secret})
    program = hclvm.Engine().compile("s + 1")
    with pytest.raises(hclvm.HclError) as failed:
        program.run({"s": secret})
    with pytest.raises(hclvm.HclError) as no_json:
        exact.json()
    why = hclvm.why("s == 1 || b", {"s": secret, "b": False})
    for text in (repr(result), str(result), repr(exact), str(failed.value), failed.value.report, str(no_json.value), why):
        assert "hunter2" not in text


def test_exact_values_keep_their_type():
    value = hclvm.Value(["b", "a", "b"], "set(string)")
    assert (value.type, value.value) == ("set(string)", ["a", "b"])
    result, _ = hclvm.Engine().compile("x").evaluate({"x": value})
    assert result.type == "set(string)"
    assert [item.value for item in result.items()] == ["a", "b"]
    assert hclvm.Value({"a": 1}, "object({a=string, b=optional(number, 3)})").value == {"a": "1", "b": 3}
    with pytest.raises(hclvm.HclError):
        hclvm.Value("x", "number")


def test_a_scope_keeps_values_and_forks():
    program = hclvm.Engine().compile("a.b + c")
    scope = program.scope()
    scope["a"] = {"b": 1, "unread": object()}
    scope["c"] = 2
    assert "a" in scope and program.run(scope) == 3
    fork = scope.fork()
    fork["c"] = 10
    assert (program.run(scope), program.run(fork)) == (3, 11)
    del scope["c"]
    assert "c" not in scope
    with pytest.raises(hclvm.HclError, match='did you mean "c"'):
        scope["cc"] = 1
    scope.update({"c": 5, "other": 1})
    scope.set_json("a", '{"b": 7}')
    assert program.run(scope) == 12
    scope.update_json('{"c": 0, "other": 1}')
    assert program.run(scope) == 7


def test_a_mapping_leaves_no_value_behind():
    program = hclvm.Engine().compile("a")
    assert program.run({"a": 1}) == 1
    with pytest.raises(hclvm.HclError):
        program.run({})


def test_undefined_names_may_be_unknown():
    program = hclvm.Engine(undefined="unknown").compile("a || b")
    assert program.run({"a": True}) is True
    assert isinstance(program.run({"a": False}), hclvm.Unknown)
