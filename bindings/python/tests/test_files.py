import pytest

import hclvm

TEXT = """
locals { base = 8000 }
name  = "app-${env}"
plain = "x"
list  = [1, -2, base.x, { k = null, "q" = true, (v) = f(1) }]
sum   = local.base + 1

service "web" "a" { port = local.base + 1 }
service "web" "b" {
  port = 2
  dynamic "check" {
    for_each = [1, 2]
    content { at = check.value }
  }
}
"""


def test_a_file_is_evaluated_as_a_whole():
    values = {"env": "dev", "base": {"x": 3}, "v": "key"}
    engine = hclvm.Engine(functions={"f": lambda x: x + 1})
    module = engine.parse(TEXT).module()
    assert module.evaluate(values) == {
        "name": "app-dev",
        "plain": "x",
        "list": [1, -2, 3, {"k": None, "q": True, "key": 2}],
        "sum": 8001,
        "service": [
            {"web": {"a": {"port": 8001}}},
            {"web": {"b": {"port": 2, "check": [{"at": 1}, {"at": 2}]}}},
        ],
    }
    special = module.specialize({"env": "dev"})
    assert special.evaluate(values) == module.evaluate(values)


def test_the_structure_keeps_expressions_as_text():
    content = hclvm.loads(TEXT, evaluate=False)
    assert content["name"] == "app-${env}"
    assert content["list"] == [1, -2, "${base.x}", {"k": None, "q": True, "${(v)}": "${f(1)}"}]
    assert content["sum"] == "${local.base + 1}"
    assert content["locals"] == [{"base": 8000}]
    assert content["service"][0] == {"web": {"a": {"port": "${local.base + 1}"}}}


def test_the_structure_keeps_what_is_no_expression():
    content = hclvm.loads('a = "$${b}%{ if c }d%{ endif }"\nb = { "${x}" = 1 }\n', evaluate=False)
    assert content == {"a": "$${b}%{ if c }d%{ endif }", "b": {"${x}": 1}}


def test_files_and_folders(tmp_path):
    (tmp_path / "b.hcl").write_text("b = local.a + 1\n")
    (tmp_path / "a.hcl").write_text("\ufefflocals { a = 1 }\n", encoding="utf-8")
    (tmp_path / "c.json").write_text('{"c": "${1 + 1}"}')
    assert hclvm.load(tmp_path / "a.hcl") == {}
    assert hclvm.load(tmp_path / "c.json") == {"c": 2}
    assert hclvm.load_folder(tmp_path) == {"b": 2}
    (tmp_path / "d.hcl").write_text("b = 2\n")
    with pytest.raises(hclvm.HclError):
        hclvm.load_folder(tmp_path)
    with pytest.raises(OSError):
        hclvm.load_folder(tmp_path / "missing")


def test_attributes_are_programs_and_an_update_keeps_the_others():
    document = hclvm.Engine().parse('a = x + 1\nb "l" "m" { c = x }', "app.hcl")
    assert document.attributes == ["a"]
    assert document["a"].run({"x": 1}) == 2
    assert document["b", "l", "m", "c"].run({"x": 5}) == 5
    for key in ("b", ("b", "l", "c"), ("z", "c"), ()):
        with pytest.raises(KeyError):
            document[key]
    updated = document.update("a = x + 2")
    assert (updated.name, updated["a"].run({"x": 1}), document["a"].run({"x": 1})) == ("app.hcl", 3, 2)
    with pytest.raises(hclvm.HclError):
        document.update("a =")


def test_a_dialect_has_the_functions_of_its_application():
    assert hclvm.eval('textencodebase64("a", "UTF-8")', dialect="opentofu") == "YQ=="
    with pytest.raises(hclvm.HclError):
        hclvm.eval('textencodebase64("a", "UTF-8")', dialect="standard")


POLICY = """
rule "locked" {
  when   = resource.locked
  effect = "deny"
}
rule "owner" {
  when        = request.user == resource.owner
  effect      = "allow"
  reason      = "${request.user} owns it"
  obligations = { log = true }
}
"""


def test_a_policy_decides():
    policy = hclvm.Engine().parse(POLICY).policy()
    assert len(policy) == 2
    resource = {"owner": "ann", "locked": False}
    decision = policy.decide({"request": {"user": "ann"}, "resource": resource})
    assert (decision.effect, decision.cause, decision.rule) == ("allow", "rule", "owner")
    assert (decision.reason, decision.obligations) == ("ann owns it", [("owner", {"log": True})])
    with pytest.raises(TypeError):
        bool(decision)
    scope = policy.scope()
    scope["resource"] = resource
    scope["request"] = {"user": "bob"}
    assert (policy.decide(scope).effect, policy.decide(scope).cause) == ("deny", "no_rule")
    assert "no rule applies" in policy.why(scope)


def test_a_decision_in_doubt_denies():
    policy = hclvm.Engine().parse(POLICY).policy()
    for values in ({}, {"resource": hclvm.Unknown(), "request": {"user": "ann"}}):
        decision = policy.decide(values)
        assert (decision.effect, decision.cause) == ("deny", "undecided")


def test_mistakes_in_a_policy_are_errors():
    with pytest.raises(hclvm.HclError):
        hclvm.Engine().parse('rule "a" { when = true }').policy()
