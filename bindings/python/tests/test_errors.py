import pytest

import hclvm


def test_an_error_has_all_diagnostics_with_places_and_fixes():
    with pytest.raises(hclvm.HclError) as caught:
        hclvm.eval('user.regoin == "eu"', {"user": {"name": "ann", "region": "eu"}})
    error = caught.value
    (problem,) = error.diagnostics
    assert (problem.severity, problem.code, problem.title) == ("error", "unknown-attribute", "Unsupported attribute")
    assert (problem.range.line, problem.range.column, problem.range.byte, problem.range.end_byte) == (1, 5, 4, 11)
    (fix,) = problem.fixes
    assert (fix.text, fix.range) == (".region", problem.range)
    assert "user.regoin" in error.report and "help:" in error.report


def test_all_errors_of_a_file_are_reported_at_once():
    with pytest.raises(hclvm.HclError) as caught:
        hclvm.loads("a = x\nb = 1\nc = y\n", name="app.hcl")
    assert [problem.range.line for problem in caught.value.diagnostics] == [1, 3]
    assert {problem.range.filename for problem in caught.value.diagnostics} == {"app.hcl"}


def test_limits_have_their_own_class():
    engine = hclvm.Engine()
    with pytest.raises(hclvm.LimitError):
        engine.eval("[for a in range(0, 1000): [for b in range(0, 1000): [for c in range(0, 1000): c]]]")
    with pytest.raises(hclvm.LimitError):
        hclvm.Engine(trusted=True, timeout=0.02).eval(
            "length([for a in range(0, 1000): length([for b in range(0, 1000): length([for c in range(0, 1000): c])])])"
        )


def test_settings_are_validated():
    for settings in ({"dialect": "hcl3"}, {"undefined": "null"}, {"timeout": -1.0}):
        with pytest.raises(ValueError):
            hclvm.Engine(**settings)


def test_a_scope_of_another_program_is_refused():
    engine = hclvm.Engine()
    with pytest.raises(hclvm.HclError):
        engine.compile("a").run(engine.compile("b").scope())
    with pytest.raises(hclvm.HclError):
        engine.compile("a").run(hclvm.Engine().compile("a").scope())
    with pytest.raises(TypeError):
        engine.compile("a").run(7)


def test_check_returns_problems_and_formats():
    assert [problem.code for problem in hclvm.check("a = lenght(b)")] == ["unknown-function"]
    assert [problem.code for problem in hclvm.check("a = user.nam", {"user": {"name": "x"}})] == ["unknown-attribute"]
    assert hclvm.check("a = 1") == []
    assert hclvm.check("a =")[0].severity == "error"
    assert hclvm.format("a=1\nbb = 2") == "a  = 1\nbb = 2"
