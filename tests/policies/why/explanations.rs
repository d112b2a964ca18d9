//! Why results are what they are: explanations as text, the conditions that decide, and what is never reported.

use hclvm::value::{Arena, marks_from};
use hclvm::why::Why;
use hclvm::{Engine, Type, Value};

use super::set;

/// Explains an expression in the scope of a text.
fn why(expression: &str, scope: &str) -> Why {
    let engine = Engine::new();
    let document = engine.parse("x.hcl", &format!("x = {expression}")).expect("it parses");
    let program = document.attribute("x").expect("x").program().expect("it compiles");
    let mut values = document.scope();
    set(&mut values, scope);
    engine.session().why(&program, &values).expect("no limit")
}

fn reason(expression: &str, scope: &str) -> String {
    why(expression, scope).reason()
}

#[test]
fn the_operand_that_decides_is_named_with_its_values() {
    let scope = "a = true\nn = 3\nm = { k = \"v\" }";
    assert_eq!(reason("a && n > 5", scope), "false, because `n > 5` is false (n = 3)");
    assert_eq!(reason("!a || n > 1", scope), "true, because `n > 1` is true (n = 3)");
    assert_eq!(reason("a && n > 1", scope), "true, because `a` and `n > 1` are true");
    assert_eq!(
        reason("!a || m.k == \"w\"", scope),
        "false, because `a` is true and `m.k == \"w\"` is false (m.k = \"v\")"
    );
    assert_eq!(reason("!(a && n < 4)", scope), "false, because `a` and `n < 4` are true");
    assert_eq!(reason("a", scope), "true, because `a` is true");
    assert_eq!(
        reason("length(keys(m)) == n", scope),
        "false, because `length(keys(m)) == n` is false (length(keys(m)) = 1, m = {k = \"v\"}, n = 3)"
    );
}

#[test]
fn a_conditional_is_explained_by_its_arm_and_its_predicate() {
    let scope = "a = true\nb = true\nc = false";
    assert_eq!(reason("a ? b : c", scope), "true, because `a` and `b` are true");
    assert_eq!(reason("a ? c : c", scope), "false, because `c` is false");
    assert_eq!(reason("a ? true : c", scope), "true, because `a` is true");
    assert_eq!(reason("a ? \"x\" : \"y\"", scope), "\"x\", because `a` is true");
}

#[test]
fn a_tree_shows_what_was_not_needed() {
    let text = why("a && (b || n > 1)", "a = false\nb = true\nn = 1").to_string();
    let expected = "\
false, because `a` is false
└─ false  a && (b || n > 1)
   ├─ false  a
   └─ true  b || n > 1  not needed
      ├─ true  b  not needed
      └─ false  n > 1  (n = 1)  not needed
";
    assert_eq!(text, expected);
}

#[test]
fn clauses_are_counted() {
    let scope = "xs = [1, 2, 3]";
    assert_eq!(
        reason("[for x in xs : x if x > 1]", scope),
        "[2, 3], because `x > 1` is true for 2 of 3 elements (false for x = 1)"
    );
    let text = why("length([for x in xs : x if x > 5]) > 0", scope).to_string();
    assert!(text.contains("└─ false 3×  x > 5  (false for x = 1)"), "{text}");
}

#[test]
fn unknown_results_wait_for_values() {
    let scope = "a = true\nn = 1";
    assert_eq!(reason("a && later.b", scope), "unknown: it waits for `later.b`");
    assert_eq!(reason("a ? later + 1 : 2", scope), "unknown: it waits for `later`");
    assert_eq!(reason("n > 5 && later", scope), "false, because `n > 5` is false (n = 1)");
}

#[test]
fn errors_are_told() {
    let told = why("a && m.b", "a = true\nm = {}");
    assert!(told.reason().starts_with("no result: Unsupported attribute: "), "{told}");
    assert!(told.diagnostics().has_errors());
    assert!(told.to_string().contains("├─ true  a\n   └─ error  m.b"), "{told}");
    assert_eq!(reason("a || m.b", "a = true\nm = {}"), "true, because `a` is true");
}

#[test]
fn a_value_without_conditions_is_told_by_what_it_reads() {
    assert_eq!(reason("n + 1", "n = 1"), "2, from n = 1");
    assert_eq!(reason("1 + 1", ""), "2, for all values of the variables");
    assert_eq!(reason("1 == 1", ""), "true, because `1 == 1` is true");
}

#[test]
fn of_marked_values_nothing_is_told() {
    for (expression, all) in [
        ("s == 1", "└─ (sensitive)  s == 1\n"),
        ("a && s == 1", "└─ (sensitive)  a && s == 1\n   ├─ true  a\n   └─ (sensitive)  s == 1\n"),
        (
            "s == 1 ? a : !a",
            "└─ (sensitive)  s == 1 ? a : !a\n   ├─ (sensitive)  s == 1\n   ├─ true  a\n   └─ false  !a\n      └─ true  a\n",
        ),
    ] {
        for secret in [1, 2] {
            let told = why(expression, &format!("a = true\ns = {secret}"));
            assert!(told.deciding().is_empty(), "{told}");
            assert_eq!(told.to_string(), format!("the result depends on sensitive values\n{all}"));
        }
    }
}

#[test]
fn whether_a_marked_value_is_unknown_is_not_told() {
    let engine = Engine::new();
    for expression in ["length({a = max(s, 1)}) != 1", "s + 1", "[s, 1]", "{ a = s }.a == 1"] {
        let document = engine.parse("x.hcl", &format!("x = {expression}")).expect("it parses");
        let program = document.attribute("x").expect("x").program().expect("it compiles");
        let arena = Arena::new();
        let told = [Value::int(4), Value::unknown_of(&arena, Type::Number)].map(|secret| {
            let mut scope = document.scope();
            let secret = secret.with_marks(&arena, marks_from(&arena, &["sensitive"]));
            scope.set_value("s", secret).expect("a variable");
            let why = engine.session().why(&program, &scope).expect("no limit");
            format!("{why}{}", serde_json::to_string(&why).expect("it is data"))
        });
        assert_eq!(told[0], told[1], "{expression}");
    }
}

#[test]
fn a_result_with_unknown_parts_waits_for_them() {
    let waits_for = |expression: &str, scope: &str| why(expression, scope).waits_for().to_vec();
    assert_eq!(waits_for("[a, later.x]", "a = 1"), ["later.x"]);
    assert_eq!(waits_for("{ a = later.y == 1, b = later.x }", ""), ["later.y"]);
    assert_eq!(waits_for("a || later", "a = true"), [""; 0], "the result is known");
    assert_eq!(waits_for("[later, a.b]", "a = {}"), [""; 0], "the error is the reason");
    assert_eq!(waits_for("[later, s]", "s = 1"), [""; 0]);
}

#[test]
fn variables_that_are_not_set_may_be_unknown() {
    let document = Engine::new().parse("x.hcl", "x = a && b.c == 1").expect("it parses");
    let program = document.attribute("x").expect("x").program().expect("it compiles");
    let mut scope = document.scope();
    scope.set("a", &true).expect("a variable");
    let mut session = document.engine().session();
    assert!(session.why(&program, &scope).expect("no limit").diagnostics().has_errors());
    scope.set_rest_unknown();
    let why = session.why(&program, &scope).expect("no limit");
    assert_eq!(why.reason(), "unknown: it waits for `b.c`");
}

#[test]
fn objects_of_a_projection_are_not_shown() {
    let document = Engine::new().parse("x.hcl", "x = length(a) == 2 && n == 1").expect("it parses");
    let program = document.attribute("x").expect("x").program().expect("it compiles");
    let mut session = document.engine().session();
    let shown = |mut scope: hclvm::Scope, session: &mut hclvm::Session| {
        set(&mut scope, "a = { b = 1 }\nn = 2");
        session.why(&program, &scope).expect("no limit").to_string()
    };
    let whole = shown(document.scope(), &mut session);
    assert!(whole.contains("a = {b = 1}") && whole.contains("(n = 2)"), "{whole}");
    // Attributes that no expression reads are not there.
    let partial = shown(document.projection().scope(), &mut session);
    assert!(!partial.contains("{b = 1}") && partial.contains("(n = 2)"), "{partial}");
}

#[test]
fn variables_that_are_not_set_have_no_values() {
    for expression in
        ["a == b", "(a) == (b)", "[a][0] == [b][0]", "(true ? a : b) == (false ? a : b)", "a && b", "b"]
    {
        let document = Engine::new().parse("x.hcl", &format!("x = {expression}")).expect("it parses");
        let program = document.attribute("x").expect("x").program().expect("it compiles");
        let mut scope = document.scope();
        if scope.has("a") {
            scope.set("a", &true).expect("a variable");
        }
        let mut session = document.engine().session();
        let failed = session.why(&program, &scope).expect("no limit").to_string();
        scope.set_rest_unknown();
        let unknown = session.why(&program, &scope).expect("no limit").to_string();
        assert!(!failed.contains("b =") && !failed.contains("unset"), "{failed}");
        assert!(!unknown.contains("b =") && !unknown.contains("unset"), "{unknown}");
    }
}

#[test]
fn a_scope_of_other_variables_is_refused() {
    let engine = Engine::new();
    let [one, other] = ["x = a", "x = b + c"].map(|text| engine.parse("x.hcl", text).expect("it parses"));
    let program = one.attribute("x").expect("x").program().expect("it compiles");
    assert!(engine.session().why(&program, &other.scope()).is_err());
    // A definition of other variables is not explained.
    let definition = other.attribute("x").expect("x").program().expect("it compiles");
    let mut scope = one.scope();
    set(&mut scope, "a = true");
    let why = engine.session().why_defined(&program, &scope, &|_| Some(&definition)).expect("no limit");
    assert_eq!(why.reason(), "true, because `a` is true");
    // An attribute of a variable is no derived variable.
    let document = engine.parse("x.hcl", "x = a.b").expect("it parses");
    let program = document.attribute("x").expect("x").program().expect("it compiles");
    let mut scope = document.scope();
    set(&mut scope, "a = { b = true }");
    let why = engine.session().why_defined(&program, &scope, &|_| Some(&program)).expect("no limit");
    assert!(why.root().parts.is_empty(), "{why}");
}

#[test]
fn an_explanation_is_data() {
    let told = why("a && n > 5", "a = true\nn = 3");
    let json = serde_json::to_value(&told).expect("it serializes");
    assert_eq!(json["result"], "false");
    assert_eq!(json["deciding"], serde_json::json!(["n > 5"]));
    assert_eq!(json["conditions"]["kind"], "and");
    let part = &json["conditions"]["parts"][1];
    assert_eq!(part["outcome"], "false");
    assert_eq!(part["decides"], true);
    assert_eq!(part["values"], serde_json::json!([{ "path": "n", "value": "3" }]));
    assert_eq!(part["range"]["start"]["column"], 10);
}

const POLICY: &str = r#"
locals {
  limit = env.strict ? 10 : 100
  small = request.size <= local.limit
}
rule "upload" {
  priority = 2
  when     = local.small && request.signed
  effect   = "allow"
}
rule "locked" {
  priority = 1
  when     = resource.locked
  effect   = "deny"
}
rule "own" {
  when   = request.user == s
  effect = "allow"
}
"#;

const SCOPE: &str = r#"
env      = { strict = true }
request  = { size = 12, signed = true, user = "ann" }
resource = { locked = false }
s        = "bob"
"#;

#[test]
fn locals_are_explained_in_the_attributes_that_read_them() {
    let engine = Engine::new();
    let module = engine.parse("policy.hcl", POLICY).expect("it parses").module().expect("a module");
    let mut scope = module.scope();
    set(&mut scope, SCOPE);
    let wanted = |path: &hclvm::module::AttributePath| path.to_string() == "rule.upload.when";
    let mut session = engine.session();
    let whys = module.why(&mut session, &scope, |path, _| wanted(path)).expect("no limit");
    let [(_, why)] = &*whys else { panic!("one attribute is wanted") };
    let expected = "\
false, because `local.small` is false: `request.size <= local.limit` is false (request.size = 12, local.limit = 10)
└─ false  local.small && request.signed
   ├─ false  local.small
   │  └─ false  local.small = request.size <= local.limit  (request.size = 12, local.limit = 10)
   │     └─ value  local.limit = env.strict ? 10 : 100  (env.strict = true)
   │        └─ true  env.strict
   └─ true  request.signed  not needed
";
    assert_eq!(why.to_string(), expected);
}

/// Explains the decision of the policy with other values for some variables.
fn policy(
    spec: &hclvm::policy::PolicySpec<'_>,
    change: impl Fn(String) -> String,
) -> hclvm::policy::PolicyWhy {
    let engine = Engine::new();
    let module = engine.parse("policy.hcl", POLICY).expect("it parses").module().expect("a module");
    let mut scope = module.scope();
    set(&mut scope, &change(SCOPE.to_owned()));
    let policy = module.policy(spec).expect("a policy");
    policy.why(&mut engine.session(), &scope).expect("no limit")
}

#[test]
fn a_decision_is_explained_by_the_rule_and_those_before_it() {
    let spec = hclvm::policy::PolicySpec::default();
    let told = policy(&spec, |scope| scope.replace("strict = true", "strict = false"));
    let expected = "\
allow, because rule \"upload\" applies
rule \"locked\" does not apply, because `resource.locked` is false
rule \"upload\" applies, because `local.small` and `request.signed` are true
";
    assert_eq!(told.to_string(), expected);
    assert_eq!(told.rule().and_then(|rule| rule.name()), Some("upload"));
    let json = serde_json::to_value(&told).expect("it is data");
    assert_eq!((&json["cause"], &json["rule"]), (&"rule".into(), &"upload".into()));
}

#[test]
fn a_rule_that_depends_on_marked_values_tells_nothing() {
    let spec = hclvm::policy::PolicySpec::default();
    let told = policy(&spec, |scope| scope);
    assert_eq!(told.reason(), "deny, because no rule applies");
    assert_eq!(told.rules()[2].reason(), "rule \"own\" depends on sensitive values");
}

#[test]
fn a_decision_that_waits_for_a_value_names_it() {
    let spec = hclvm::policy::PolicySpec::default();
    let engine = Engine::new();
    let module = engine.parse("policy.hcl", POLICY).expect("it parses").module().expect("a module");
    let mut scope = module.scope();
    set(&mut scope, SCOPE);
    scope.set_unknown("env");
    let policy = module.policy(&spec).expect("a policy");
    let told = policy.why(&mut engine.session(), &scope).expect("no limit");
    assert_eq!(told.reason(), "deny, because rule \"upload\" is not decided");
    assert_eq!(
        told.rules()[1].reason(),
        "rule \"upload\" is not decided: unknown: it waits for `local.small`"
    );
}

#[test]
fn blocks_that_a_dynamic_block_makes_are_explained() {
    let engine = Engine::new();
    let text = r#"
        locals { names = ["a", "b"] }
        dynamic "rule" {
          for_each = local.names
          labels   = [rule.value]
          content {
            when = rule.value == "a" && n > 1
            dynamic "part" {
              for_each = [1, 2]
              content { is_n = part.value == n && rule.value != "" }
            }
          }
        }
    "#;
    let module = engine.parse("x.hcl", text).and_then(|document| document.module()).expect("a module");
    let mut scope = module.scope();
    scope.set("n", &2).expect("a variable");
    let whys = module.why(&mut engine.session(), &scope, |path, _| path.names().next() == Some(Some("rule")));
    let whys = whys.expect("no limit");
    let told: Vec<String> = whys.iter().map(|(path, why)| format!("{path}: {}", why.reason())).collect();
    assert_eq!(
        told,
        [
            r#"rule.a.when: true, because `rule.value == "a"` and `n > 1` are true"#,
            r#"rule.b.when: false, because `rule.value == "a"` is false (rule.value = "b")"#,
            "rule.a.part.is_n: false, because `part.value == n` is false (part.value = 1, n = 2)",
            r#"rule.a.part.is_n: true, because `part.value == n` and `rule.value != ""` are true"#,
            "rule.b.part.is_n: false, because `part.value == n` is false (part.value = 1, n = 2)",
            r#"rule.b.part.is_n: true, because `part.value == n` and `rule.value != ""` are true"#,
        ]
    );
}

#[test]
fn results_of_explanations_are_those_of_the_module() {
    let capabilities = hclvm::functions::Capabilities::none();
    let engine = Engine::builder().dialect(hclvm::Dialect::packer(&capabilities)).build();
    for (text, scopes) in [
        (include_str!("../../../examples/game/game.hcl"), include_str!("../../../examples/game/scopes.json")),
        (
            include_str!("../../../examples/authz/authz.hcl"),
            include_str!("../../../examples/authz/scopes.json"),
        ),
    ] {
        let module = engine.parse("x.hcl", text).and_then(|document| document.module()).expect("a module");
        let scopes: Vec<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_str(scopes).expect("scopes");
        for mut variables in scopes {
            variables.remove("$name");
            variables.retain(|_, value| value.get("$unknown").is_none());
            let mut scope = module.scope();
            scope.set_all_json(serde_json::Value::Object(variables).to_string().as_str()).expect("JSON");
            let mut expected = Vec::new();
            let whys = module.why(&mut engine.session(), &scope, |path, value| {
                expected.push(format!("{path} = {}", hclvm::show::line(value)));
                true
            });
            let whys = whys.expect("no limit");
            let mut found: Vec<String> =
                whys.iter().map(|(path, why)| format!("{path} = {}", why.result())).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected);
        }
    }
}
