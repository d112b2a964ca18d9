//! Batches of scopes: each scope has the results that it has alone, and a batch takes only what it was made for.

use hclvm::run::Batch;
use hclvm::{Document, Engine, Error, Limits, Program, Scope, Session, Undefined};
use hclvm_workloads::subject::Subject;
use hclvm_workloads::{FLAT, Workload};

/// Returns a document with one attribute, and its program.
fn program(engine: &Engine, text: &str) -> (Document, Program) {
    let document = engine.parse("x.hcl", &format!("x = {text}")).expect("it parses");
    let program = document.attribute("x").expect("it is there").program().expect("it compiles");
    (document, program)
}

/// Returns the result of a run as text, or the first title of its diagnostics.
fn shown(result: Result<hclvm::Value<'_>, Error>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => match error.diagnostics().and_then(|found| found.iter().next()) {
            Some(first) => format!("error: {}", first.title),
            None => error.to_string(),
        },
    }
}

/// Returns the results of a program with each scope of a batch.
fn results(session: &mut Session, program: &Program, batch: &Batch) -> Vec<String> {
    let mut results = Vec::new();
    session.run_batch(program, batch, |result| results.push(shown(result))).expect("it suits the batch");
    results
}

fn batch_of(scopes: &[Scope]) -> Batch {
    let mut batch = scopes.first().expect("a scope").batch();
    for scope in scopes {
        batch.push(scope).expect("it is like the first");
    }
    batch
}

#[test]
fn each_scope_has_the_result_that_it_has_alone() {
    for workload in Workload::every() {
        let Subject { programs, scopes, mut session, .. } =
            Subject::expression(workload).expect("it compiles");
        let alone: Vec<String> = scopes.iter().map(|scope| shown(session.run(&programs[0], scope))).collect();
        let mut batch = batch_of(&scopes);
        assert_eq!(results(&mut session, &programs[0], &batch), alone, "{workload:?}");
        batch.clear();
        assert!(batch.is_empty());
        scopes.iter().rev().for_each(|scope| batch.push(scope).expect("it is like the first"));
        let backwards: Vec<String> = alone.into_iter().rev().collect();
        assert_eq!(results(&mut session, &programs[0], &batch), backwards, "{workload:?}");
        let one_by_one: Vec<String> =
            (0..batch.len()).map(|at| shown(session.run_at(&programs[0], &batch, at))).collect();
        assert_eq!(one_by_one, backwards, "{workload:?}");
        let beyond = session.run_at(&programs[0], &batch, batch.len());
        assert!(beyond.is_err_and(|error| error.to_string().contains("no scope of this number")));
    }
}

#[test]
fn scopes_may_have_any_values() {
    let engine = Engine::standard();
    let (document, program) = program(&engine, "[a, b, c]");
    let texts = [
        r#"{"a": 1, "b": "x", "c": null}"#.to_owned(),
        r#"{"a": 1e300, "b": {"c": [1, {"d": 0.1}], "ä": true}, "c": false}"#.to_owned(),
        r#"{"a": [], "b": {}, "c": ""}"#.to_owned(),
        format!(r#"{{"a": "{}", "b": 2, "c": 3}}"#, "long ".repeat(40_000)),
        r#"{"c": 123456789012345678901234567890}"#.to_owned(),
    ];
    let mut scopes: Vec<Scope> = texts
        .iter()
        .map(|text| {
            let mut scope = document.scope();
            scope.set_all_json(text.as_str()).expect("it is JSON");
            scope
        })
        .collect();
    scopes[0].set_unknown("b");
    let (mut session, batch) = (engine.session(), batch_of(&scopes));
    let alone: Vec<String> = scopes.iter().map(|scope| shown(session.run(&program, scope))).collect();
    assert!(alone[1].contains("0.1") && alone[4].starts_with("error"), "{alone:?}");
    assert_eq!(results(&mut session, &program, &batch), alone);
    for (at, scope) in scopes.iter().enumerate() {
        for name in ["a", "b", "c", "d"] {
            assert_eq!(format!("{:?}", batch.get(at, name)), format!("{:?}", scope.get(name)));
        }
    }
    assert!(batch.get(scopes.len(), "a").is_none());
}

#[test]
fn a_result_that_fails_does_not_end_the_batch() {
    let engine = Engine::builder().limits(Limits { fuel: 1_000, ..Limits::default() }).build();
    let (document, program) = program(&engine, "[for i in list : 0 / i]");
    let scopes = ["[1, 2]", "[0, 1]", "\"no list\"", "[5]"].map(|list| {
        let mut scope = document.scope();
        scope.set_json("list", list).expect("it is JSON");
        scope
    });
    let found = results(&mut engine.session(), &program, &batch_of(&scopes));
    assert_eq!(found[0], "[0, 0]");
    assert!(found[1].starts_with("error") && found[2].starts_with("error"), "{found:?}");
    assert_eq!(found[3], "[0]");
}

#[test]
fn a_diagnostic_shows_the_values_of_its_scope() {
    let engine = Engine::standard();
    let (document, program) = program(&engine, "user.name + 1");
    let mut scope = document.projection().scope();
    let mut batch = scope.batch();
    for name in ["Ann", "Bob"] {
        let request = format!(r#"{{"user": {{"name": "{name}", "age": 7}}, "usr": 1}}"#);
        scope.set_all_json(&request).expect("it is JSON");
        batch.push(&scope).expect("it is like the first");
    }
    let mut reports = Vec::new();
    engine
        .session()
        .run_batch(&program, &batch, |result| reports.extend(result.err().map(|error| format!("{error:?}"))))
        .expect("it suits the batch");
    assert!(reports[0].contains("Ann") && !reports[0].contains("Bob"), "{}", reports[0]);
    assert!(reports[1].contains("Bob") && !reports[1].contains("Ann"), "{}", reports[1]);
}

#[test]
fn variables_without_a_value_are_missing_in_each_scope_alone() {
    for undefined in [Undefined::Error, Undefined::Unknown] {
        let engine = Engine::builder().undefined(undefined).build();
        let (document, program) = program(&engine, "[a, b]");
        let mut scopes = [document.scope(), document.scope(), document.scope()];
        scopes[0].set("a", &1).expect("a number");
        scopes[1].set("b", &2).expect("a number");
        let (mut session, batch) = (engine.session(), batch_of(&scopes));
        let alone: Vec<String> = scopes.iter().map(|scope| shown(session.run(&program, scope))).collect();
        assert_eq!(results(&mut session, &program, &batch), alone);
        assert_eq!(batch.get(0, "b").is_some_and(|value| !value.is_known()), undefined == Undefined::Unknown);
    }
}

#[test]
fn a_batch_takes_only_scopes_and_programs_that_suit_it() {
    let (engine, other) = (Engine::standard(), Engine::standard());
    let (document, whole) = program(&engine, "user");
    let (elsewhere, foreign) = program(&other, "user");
    let (two, larger) = program(&engine, "[user, more]");
    let part = engine.compile("user.name", document.layout()).expect("it compiles");
    let projection = engine.projection([&part]).expect("a program of the engine");
    let (scope, projected) = (document.scope(), projection.scope());

    let mut batch = scope.batch();
    let refused = [elsewhere.scope(), two.scope(), projected.fork()];
    for other in &refused {
        let error = batch.push(other).expect_err("it differs");
        assert!(error.to_string().contains("than those of the batch"), "{error}");
    }
    batch.push(&scope.fork()).expect("a fork is like its origin");
    batch.push(&scope.packed()).expect("a copy is like its original");
    assert_eq!(batch.len(), 2);

    let mut session = engine.session();
    let mut runs = 0;
    for program in [&foreign, &larger] {
        assert!(session.run_batch(program, &batch, |_| runs += 1).is_err());
        assert!(session.run_at(program, &batch, 0).is_err());
    }
    let mut narrow = projected.batch();
    narrow.push(&projected).expect("it is of that projection");
    assert!(session.run_batch(&whole, &narrow, |_| runs += 1).is_err());
    assert_eq!(runs, 0);
    session.run_batch(&part, &narrow, |_| runs += 1).expect("it reads no more");
    assert_eq!(runs, 1);
}

#[test]
fn a_scope_of_three_variables_takes_at_most_400_bytes() {
    let subject = Subject::against(Workload::FlatCondition, &Workload::FlatCondition.many_scopes(1))
        .expect("it compiles");
    let engine = Engine::standard();
    let program = engine.compile(FLAT, subject.programs[0].layout()).expect("it compiles");
    let mut scope = engine.projection([&program]).expect("a program of the engine").scope();
    let mut batch = scope.batch();
    batch.reserve(10_000);
    for request in Workload::FlatCondition.many_scopes(10_000) {
        scope.set_all_json(&request).expect("it is JSON");
        batch.push(&scope).expect("it is like the first");
    }
    let each = batch.bytes() / batch.len();
    assert!((200..=400).contains(&each), "{each} bytes a scope");
}
