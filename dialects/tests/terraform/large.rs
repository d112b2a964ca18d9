//! Large and hostile modules: they end, in time proportional to their size.

use std::fmt::Write;
use std::time::Instant;

use hclvm::diagnostics::Severity;
use hclvm_dialects::terraform::{Evaluation, Settings, Terraform};
use hclvm_dialects::{File, Files, Inputs};

/// Makes a text of numbered parts.
fn text(count: usize, part: impl Fn(&mut String, usize) -> std::fmt::Result) -> String {
    let mut text = String::new();
    (0..count).try_for_each(|at| part(&mut text, at)).expect("a text");
    text
}

fn evaluate(name: &str, text: &str) -> Evaluation {
    let start = Instant::now();
    let files = Files::of(&Terraform, ".", [File::new("main.tf", text)]);
    let evaluation = Settings::new().prepare(&files).expect("a sound syntax").evaluate(&Inputs::new());
    eprintln!("{name}: {} KiB in {:?}", text.len() >> 10, start.elapsed());
    evaluation
}

fn errors(evaluation: &Evaluation) -> Vec<&str> {
    let mut titles = evaluation.problems().titles(Severity::Error);
    titles.dedup();
    titles
}

#[test]
fn a_chain_of_locals_and_resources() {
    let locals = text(4_000, |text, at| writeln!(text, "  l{at} = local.l{} + 1", at + 1));
    let resources = text(4_000, |text, at| {
        writeln!(text, "resource \"a_b\" \"r{at}\" {{\n  x = local.l{at}\n  y = a_b.r{}.x\n}}", at + 1)
    });
    let all = format!(
        "locals {{\n{locals}  l4000 = 1\n}}\n{resources}resource \"a_b\" \"r4000\" {{\n  x = 1\n}}\n"
    );
    let evaluation = evaluate("chain", &all);
    assert!(evaluation.problems().is_empty(), "{}", evaluation.problems());
    assert_eq!(evaluation.local("l0").and_then(|one| one.as_i64()), Some(4_001));
    assert_eq!(evaluation.content().resources().len(), 4_001);
}

#[test]
fn data_sources_that_read_each_other() {
    let all =
        text(4_000, |text, at| writeln!(text, "data \"a_b\" \"r{at}\" {{\n  x = data.a_b.r{}.x\n}}", at + 1));
    let evaluation = evaluate("data", &format!("{all}data \"a_b\" \"r4000\" {{\n  x = 1\n}}\n"));
    assert!(evaluation.problems().is_empty(), "{}", evaluation.problems());
}

#[test]
fn names_that_do_not_exist() {
    let all = text(4_000, |text, at| writeln!(text, "  l{at} = var.v{at} + local.m{at} + a_b.c{at}.d"));
    let evaluation = evaluate("undeclared", &format!("locals {{\n{all}}}\n"));
    assert!(evaluation.problems().has_errors());
}

#[test]
fn a_long_cycle_and_declarations_of_one_name() {
    let all = text(4_000, |text, at| writeln!(text, "  l{at} = local.l{}", (at + 1) % 4_000));
    assert_eq!(errors(&evaluate("cycle", &format!("locals {{\n{all}}}\n"))), ["Cycle"]);
    let all = text(4_000, |text, _| writeln!(text, "resource \"a_b\" \"c\" {{}}"));
    assert_eq!(errors(&evaluate("duplicates", &all)), ["Duplicate resource \"a_b\" configuration"]);
}

#[test]
fn many_instances() {
    let evaluation = evaluate(
        "instances",
        "resource \"a_b\" \"c\" {\n  count = 2000\n  x = count.index\n}\noutput \"o\" { value = length(a_b.c) }\n",
    );
    assert_eq!(evaluation.content().output_value("o").and_then(|one| one.as_i64()), Some(2_000));
    assert_eq!(
        errors(&evaluate("count", "resource \"a_b\" \"c\" { count = 1e9 }\n")),
        ["Invalid count argument"]
    );
}

#[test]
fn limits_of_instances() {
    let of_one = |form: &str| evaluate("one", &format!("resource \"a_b\" \"c\" {{ {form} }}\n"));
    assert!(of_one("count = 10000").problems().is_empty());
    assert_eq!(errors(&of_one("count = 10001")), ["Invalid count argument"]);
    let each = |count: usize| {
        format!("for_each = {{ for one in setproduct(range(100), range({count})) : join(\"-\", one) => 1 }}")
    };
    assert_eq!(of_one(&each(100)).content().resources().len(), 10_000);
    assert_eq!(errors(&of_one(&each(101))), ["Invalid for_each argument"]);
    let two = "resource \"a_b\" \"c\" { count = 10000 }\nresource \"a_b\" \"d\" { count = 10000 }\n";
    assert_eq!(evaluate("two", two).content().resources().len(), 20_000);
    assert_eq!(
        errors(&evaluate("three", &format!("{two}resource \"a_b\" \"e\" {{}}\n"))),
        ["Too many instances"]
    );
}

#[test]
fn instances_that_read_others() {
    let text = |reads: &str| {
        format!(
            "data \"a_b\" \"d\" {{\n  count = 5000\n  x = count.index\n}}\nresource \"a_b\" \"c\" {{\n  count = 5000\n  x = {reads}\n}}\n"
        )
    };
    let evaluation = evaluate("one by one", &text("data.a_b.d[count.index].x"));
    assert!(evaluation.problems().is_empty(), "{}", evaluation.problems());
    assert_eq!(evaluation.content().resources().len(), 10_000);
}

#[test]
fn bodies_with_many_attributes_and_blocks() {
    let attributes = |prefix: &str| text(20_000, |text, at| writeln!(text, "  {prefix}{at} = {at}"));
    let blocks = text(20_000, |text, at| writeln!(text, "  b{at} {{}}"));
    let body = |content: String| format!("resource \"a_b\" \"c\" {{\n{content}}}\n");
    let file = |name: &str, text: String| File::new(name, text);
    let all = [file("main.tf", body(attributes("x") + &blocks)), file("override.tf", body(attributes("y")))];
    let files = Files::of(&Terraform, ".", all);
    let evaluation = Settings::new().prepare(&files).expect("a sound syntax").evaluate(&Inputs::new());
    assert!(evaluation.problems().is_empty(), "{}", evaluation.problems());
    let values = evaluation.content().resources()[0].values();
    assert_eq!(values.as_entries().map(<[_]>::len), Some(60_000));
}

#[test]
fn calls_with_many_arguments() {
    let variables = text(3_000, |text, at| writeln!(text, "variable \"v{at}\" {{}}"));
    let arguments = text(3_000, |text, at| writeln!(text, "  v{at} = {at}"));
    let call = format!("module \"m\" {{\n  source = \"./m\"\n{arguments}}}\n");
    let files = Files::of(&Terraform, ".", [File::new("main.tf", call)]).with_folder(
        "m",
        [File::new("m/main.tf", format!("{variables}output \"o\" {{ value = var.v2999 }}\n"))],
    );
    let evaluation = Settings::new().prepare(&files).expect("a sound syntax").evaluate(&Inputs::new());
    assert!(evaluation.problems().is_empty(), "{}", evaluation.problems());
}

#[test]
fn checks_and_dynamic_blocks() {
    let checks = text(3_000, |text, at| {
        writeln!(
            text,
            "check \"c{at}\" {{\n  data \"a_b\" \"d{at}\" {{}}\n  assert {{\n    condition = data.a_b.d{at}.x\n    error_message = \"x\"\n  }}\n}}"
        )
    });
    assert!(evaluate("checks", &checks).problems().is_empty());
    let blocks = text(1_000, |text, at| {
        writeln!(
            text,
            "resource \"a_b\" \"c{at}\" {{\n  dynamic \"e\" {{\n    for_each = [1, 2]\n    content {{ x = e.value }}\n  }}\n}}"
        )
    });
    assert!(evaluate("dynamic", &blocks).problems().is_empty());
}
