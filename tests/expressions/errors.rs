//! Errors as `fn main() -> Result<(), Error>` prints them: with `Debug`.

use hclvm::{Diagnostic, Engine, Error, ErrorKind, Limits};

const TEXT: &str = "first = 1\nsecond = 2 +\nthird = 3\n";

fn syntax_error() -> Error {
    Engine::standard().parse("app.hcl", TEXT).expect_err("an operand is missing")
}

#[test]
fn debug_shows_the_report_and_not_the_file() {
    let error = syntax_error();
    let printed = format!("{error:?}");
    let report = error.diagnostics().expect("it is about a text").report().to_string();
    assert_eq!(printed, report.trim_end());
    assert!(printed.contains("--> app.hcl:2:13"), "{printed}");
    assert!(printed.contains("2 | second = 2 +"), "{printed}");
    assert!(!printed.contains("first") && !printed.contains("third"), "{printed}");
}

#[test]
fn diagnostics_and_kinds_print_the_same_report() {
    let error = syntax_error();
    let diagnostics = error.diagnostics().expect("it is about a text");
    assert_eq!(format!("{diagnostics:?}"), format!("{error:?}"));
    let kind = format!("{:?}", error.kind());
    assert!(kind.starts_with("Diagnostics(") && !kind.contains("third"), "{kind}");
}

#[test]
fn debug_shows_where_a_limit_was_exceeded() {
    let limits = Limits { fuel: 100, ..Limits::untrusted() };
    let engine = Engine::builder().limits(limits).build();
    let document = engine
        .parse("app.hcl", "other = 1\nall = [for x in range(1000): x + 1]\n")
        .expect("the text is correct");
    let program = document.attribute("all").expect("all is defined").program().expect("it compiles");
    let error = engine.session().run(&program, &document.scope()).map(drop).expect_err("too much work");
    assert!(matches!(error.kind(), ErrorKind::Limit(_)));
    let printed = format!("{error:?}");
    assert!(printed.starts_with("error[limit-exceeded]: Limit exceeded\n"), "{printed}");
    assert!(printed.contains("2 | all = [for x in range(1000): x + 1]"), "{printed}");
    assert!(!printed.contains("other"), "{printed}");
}

#[test]
fn debug_of_other_errors_is_their_message() {
    let document = Engine::standard().parse("app.hcl", "x = y").expect("the text is correct");
    let error = document.scope().set("y", &f64::NAN).expect_err("NaN is no number");
    assert_eq!(format!("{error:?}"), error.to_string());
}

/// The faults of an operator come before those of its operands, the left one's first, however long the chain is.
#[test]
fn an_operators_faults_come_before_its_operands() {
    let faults = |text: &str| -> Vec<(u32, String)> {
        let document = Engine::new().parse("app.hcl", &format!("a = {text}\n")).expect("HCL");
        let program = document.attribute("a").expect("it is defined").program().expect("it compiles");
        let mut session = document.engine().session();
        let error = session.run(&program, &document.scope()).map(drop).expect_err("operands do not suit");
        let told = error.diagnostics().expect("it is about a text").into_iter();
        let of = |one: &Diagnostic| {
            let span = one.subject.expect("it has a place");
            (span.end - span.start, one.detail.split(':').next().unwrap_or_default().to_owned())
        };
        told.map(of).collect()
    };
    let whole = r#"(("a" < 1) + ("b" > 2)) * 3"#;
    let found: Vec<String> = faults(whole).into_iter().map(|(_, detail)| detail).collect();
    let (left, right) = ("Unsuitable left operand", "Unsuitable right operand");
    assert_eq!(found, [left, right, left, left]);

    let chain = format!("1{}", " < \"b\"".repeat(40));
    let mut found = faults(&chain);
    assert_eq!(found.len(), 79);
    found.retain(|(_, detail)| detail == left);
    assert!(found.is_sorted_by(|one, next| one.0 > next.0), "{found:?}");
}
