//! The work of suggestions grows with the input, not with its square: allocations are counted.

use std::fmt::Write;

use allocation_counter::measure;
use hclvm::check::Declared;
use hclvm::{Engine, Module, Scope};

/// Asserts that twice the input takes about twice the allocations.
#[track_caller]
fn assert_linear(name: &str, run: impl Fn(usize)) {
    let [once, twice] = [200, 400].map(|count| measure(|| run(count)).count_total);
    assert!(twice <= once * 5 / 2, "{name}: {once} allocations, for twice the input {twice}");
}

/// Locals, and as many attributes that misspell one.
fn misspelled(count: usize) -> String {
    let mut text = String::from("locals {\n");
    (0..count).for_each(|at| writeln!(text, "  variable_number_{at} = {at}").expect("a text"));
    text += "}\n";
    (0..count).for_each(|at| writeln!(text, "a{at} = local.variable_numbre_{at}").expect("a text"));
    text
}

fn module(text: &str) -> Module {
    Engine::new().parse("x.hcl", text).expect("HCL").module().expect("a module")
}

#[test]
fn names_of_locals() {
    assert_linear("check", |count| {
        let document = Engine::new().parse("x.hcl", &misspelled(count)).expect("HCL");
        let problems = document.check(&Declared::anything());
        assert_eq!(problems.len(), 101);
        let first = problems.iter().next().expect("a problem");
        assert!(first.detail.ends_with("Did you mean \"variable_number_0\"?"), "{}", first.detail);
        let last = problems.iter().last().expect("a problem");
        assert_eq!(last.detail, format!("{} more problems are not listed.", count - 100));
    });
    assert_linear("evaluate", |count| {
        let module = module(&misspelled(count));
        let (mut session, scope) = (module.document().engine().session(), module.scope());
        let values = module.evaluate(&mut session, &scope).expect("within the limits");
        assert_eq!(values.diagnostics().len(), 101);
        assert!(values.diagnostics().iter().take(100).all(|one| one.detail.contains("Did you mean")));
    });
}

#[test]
fn names_of_variables() {
    let text = |count: usize| {
        let mut text = String::new();
        for at in 0..count {
            writeln!(text, "a{at} = variable_number_{at} + variable_numbre_{at}").expect("a text");
        }
        text
    };
    assert_linear("evaluate", |count| {
        let module = module(&text(count));
        let (mut session, scope) = (module.document().engine().session(), module.scope());
        let values = module.evaluate(&mut session, &scope).expect("within the limits");
        assert!(values.diagnostics().to_string().contains("Did you mean \"variable_numb"));
    });
    assert_linear("check", |count| {
        let schema: String =
            (0..count).fold(String::new(), |text, at| text + &format!("variable_number_{at} = number\n"));
        let engine = Engine::new();
        let declared = Declared::of_schema(&engine.parse("types.hcl", &schema).expect("HCL")).expect("types");
        let text: String =
            (0..count).fold(String::new(), |text, at| text + &format!("a{at} = variable_numbre_{at}\n"));
        let problems = engine.parse("x.hcl", &text).expect("HCL").check(&declared);
        assert!(problems.to_string().contains("Did you mean \"variable_number_0\"?"), "{problems}");
    });
}

#[test]
fn keys_of_objects() {
    let text: String =
        (0..50).fold(String::new(), |text, at| text + &format!("a{at} = user.attribute_numbre_{at}\n"));
    let module = module(&text);
    let scope = |count: usize| -> Scope {
        let user: String =
            (0..count).fold(String::from("{"), |text, at| text + &format!("\"attribute_number_{at}\": 1,"));
        let mut scope = module.scope();
        scope.set_json("user", &(user + "\"a\": 1}")).expect("it fits");
        scope
    };
    let [few, many] = [scope(10), scope(20_000)];
    let evaluated = |scope: &Scope| {
        let mut session = module.document().engine().session();
        let values = module.evaluate(&mut session, scope).expect("within the limits");
        assert_eq!(values.diagnostics().len(), 50);
        values.diagnostics().to_string()
    };
    let [once, thousandfold] = [&few, &many].map(|scope| measure(|| drop(evaluated(scope))).count_total);
    assert!(thousandfold < 2 * once, "a name takes no allocation: {once} and {thousandfold}");
    assert!(evaluated(&many).contains("Did you mean \"attribute_number_0\"?"));
}

/// Names of attributes that are missing in very many of the same length are compared until the work of a report is spent.
#[test]
fn a_report_ends_its_comparisons() {
    let text: String =
        (0..90).fold(String::new(), |text, at| text + &format!("a{at} = user.attribute_numbre_{at}\n"));
    let module = module(&text);
    let user: String =
        (10_000..40_000).fold(String::from("{"), |text, at| text + &format!("\"attribute_number_{at}\": 1,"));
    let mut scope = module.scope();
    scope.set_json("user", &(user + "\"attribute_number_89\": 1}")).expect("it fits");
    let mut session = module.document().engine().session();
    for _ in 0..2 {
        let values = module.evaluate(&mut session, &scope).expect("suggestions cost no fuel");
        let proposals = values.diagnostics().iter().filter(|one| one.detail.contains("Did you mean")).count();
        assert!(proposals > 0 && proposals < 90, "{proposals} in a report of its own each time");
    }
}
