//! Projections of modules and policies: their scopes suit everything that is made of the module, with equal results.

use hclvm::Engine;
use hclvm::policy::PolicySpec;

const POLICY: &str = r#"
locals { strict = env.strict }
rule "owner" {
  when   = user.id == resource.owner && !local.strict
  effect = "allow"
  reason = "${user.name} owns it"
}
rule "admin" {
  when   = contains(user.roles, "admin")
  effect = "allow"
}
"#;

const REQUESTS: [&str; 3] = [
    r#"{"env": {"strict": false}, "user": {"id": 1, "name": "ann", "roles": [], "age": 7}, "resource": {"owner": 1, "x": 2}}"#,
    r#"{"env": {"strict": true}, "user": {"id": 1, "name": "ann", "roles": ["admin"]}, "resource": {"owner": 1}}"#,
    r#"{"env": {"strict": true}, "user": {"id": 1, "name": "ann"}, "resource": {"owner": 1}}"#,
];

#[test]
fn decisions_and_values_are_those_of_whole_scopes() {
    let engine = Engine::standard();
    let module = engine.parse("p.hcl", POLICY).and_then(|document| document.module()).expect("it compiles");
    let policy = module.policy(&PolicySpec::default()).expect("it has rules");
    let only = module.select(&["rule.*.when".parse().expect("a path")]).expect("it compiles");
    let (mut session, mut other) = (engine.session(), engine.session());
    for request in REQUESTS {
        let mut whole = module.scope();
        whole.set_all_json(request).expect("it is JSON");
        for projection in [module.projection(), policy.projection(), only.projection()] {
            let mut scope = projection.scope();
            scope.set_all_json(request).expect("it is JSON");
            let (part, all) = (policy.decide(&mut session, &scope), policy.decide(&mut other, &whole));
            let (part, all) = (part.expect("it suits"), all.expect("it suits"));
            assert_eq!((part.effect(), part.cause(), part.name()), (all.effect(), all.cause(), all.name()));
            assert_eq!(part.reason(), all.reason());
            assert_eq!(part.diagnostics().iter().count(), all.diagnostics().iter().count());
            for module in [&module, &only] {
                let part = module.evaluate(&mut session, &scope).expect("it suits");
                let all = module.evaluate(&mut other, &whole).expect("it suits");
                assert_eq!(part.diagnostics().iter().count(), all.diagnostics().iter().count());
                let shown = |values: &hclvm::module::Values<'_>| {
                    serde_json::to_string(values).map_err(|why| why.to_string())
                };
                assert_eq!(shown(&part), shown(&all));
            }
        }
    }
}

#[test]
fn parts_that_no_rule_reads_are_left_out() {
    let engine = Engine::standard();
    let module = engine.parse("p.hcl", POLICY).and_then(|document| document.module()).expect("it compiles");
    let policy = module.policy(&PolicySpec::default()).expect("it has rules");
    let mut scope = policy.projection().scope();
    scope.set_all_json(REQUESTS[0]).expect("it is JSON");
    assert_eq!(scope.get("resource").map(|value| value.to_string()).as_deref(), Some("{owner = 1}"));
}
