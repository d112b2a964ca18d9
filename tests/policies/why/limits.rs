//! Explanations are bounded: in their depth, the locals and values that they show, and the lengths of texts.

use std::fmt::Write;

use hclvm::Engine;
use hclvm::policy::PolicySpec;
use hclvm::why::{Explained, Why};

use super::set;

fn why(text: &str, scope: &str) -> Why {
    let module = Engine::new().parse("x.hcl", text).expect("HCL").module().expect("a module");
    let mut values = module.scope();
    set(&mut values, scope);
    let mut session = module.document().engine().session();
    let whys = module.why(&mut session, &values, |path, _| path.to_string() == "x").expect("no limit");
    whys.into_iter().next().expect("the attribute is explained").1
}

/// Counts the conditions for which `is` returns true, and the levels of parts.
fn count(condition: &Explained, is: &dyn Fn(&Explained) -> bool) -> (usize, usize) {
    let parts = condition.parts.iter().map(|part| count(part, is));
    let (found, levels) = parts.fold((0, 0), |(found, levels), part| (found + part.0, levels.max(part.1)));
    (found + usize::from(is(condition)), levels + 1)
}

fn levels(why: &Why) -> usize {
    count(why.root(), &|_| true).1
}

#[test]
fn deep_conditions_are_left_out() {
    let scope = "a = true\nb = false";
    for (open, close) in [("!(", ")"), ("a && !(", ")"), ("a ? (", ") : b"), ("(", " == true)")] {
        let nested = |depth: usize| format!("{}a{}", open.repeat(depth), close.repeat(depth));
        let shallow = why(&format!("x = {}\n", nested(10)), scope);
        assert!((10..=21).contains(&levels(&shallow)), "{open}");
        let deep = why(&format!("x = {}\n", nested(90)), scope);
        assert_eq!(levels(&deep), 65, "{open}");
        assert!(!deep.deciding().is_empty(), "{open}");
        let inside = why(&format!("x = 1 + length([!({})])\n", nested(90)), scope);
        assert_eq!(levels(&inside), 66, "{open}");
    }
}

#[test]
fn locals_are_explained_up_to_a_number_and_a_depth() {
    let is_local = |condition: &Explained| condition.name.is_some();
    let all = |count: usize| {
        let mut text = String::from("locals {\n");
        for at in 0..count {
            let _ = writeln!(text, "  l{at} = a > {at}");
        }
        let read: Vec<String> = (0..count).map(|at| format!("local.l{at}")).collect();
        why(&format!("{text}}}\nx = {}\n", read.join(" || ")), "a = 0")
    };
    assert_eq!(count(all(32).root(), &is_local).0, 32);
    assert_eq!(count(all(40).root(), &is_local).0, 32);
    let chain = |length: usize| {
        let mut text = String::from("locals {\n  l0 = a\n");
        for at in 1..length {
            let _ = writeln!(text, "  l{at} = local.l{}", at - 1);
        }
        why(&format!("{text}}}\nx = local.l{}\n", length - 1), "a = true")
    };
    assert_eq!(count(chain(8).root(), &is_local).0, 8);
    assert_eq!(count(chain(12).root(), &is_local).0, 8);
    let recorded = |count: usize| {
        let mut text = String::from("locals {\n  l0 = a\n");
        for at in 1..count {
            let _ = writeln!(text, "  l{at} = local.l{}", at - 1);
        }
        let rule = format!("rule \"r\" {{\n  when   = local.l{}\n  effect = \"allow\"\n}}\n", count - 1);
        let module = Engine::new().parse("x.hcl", &format!("{text}}}\n{rule}")).expect("HCL").module();
        let module = module.expect("a module");
        let policy = module.policy(&PolicySpec::default()).expect("a policy");
        let (mut scope, mut session) = (module.scope(), policy.session());
        set(&mut scope, "a = true");
        let recorder = policy.decide(&mut session, &scope).expect("no limit").recorder();
        let branches = recorder.record(&mut session).expect("no limit");
        let why = policy.explain(&branches).expect("its policy");
        self::count(why.rules()[0].condition().root(), &is_local).0
    };
    assert_eq!((recorded(8), recorded(12)), (8, 8));
    assert_eq!(chain(2).reason(), "true, because `local.l1` is true: `local.l0` is true: `a` is true");
}

#[test]
fn values_are_shown_up_to_a_number_of_conditions() {
    let shown = |conditions: usize| {
        let all: Vec<String> = (0..conditions).map(|at| format!("a == {at}")).collect();
        let why = why(&format!("x = {}\n", all.join(" || ")), "a = -1");
        count(why.root(), &|condition| !condition.values.is_empty()).0
    };
    assert_eq!((shown(199), shown(202)), (199, 200));
}

#[test]
fn long_texts_are_cut() {
    let text = |length: usize| {
        let name = "é".repeat(length - 5);
        let why = why(&format!("x = a == \"{name}\"\n"), "a = 1");
        why.root().text.clone()
    };
    // `a == "` and `"` are 7 characters.
    assert_eq!(text(98).chars().count(), 100);
    assert!(text(98).ends_with("é\""));
    assert_eq!(text(99).chars().count(), 101);
    assert!(text(99).ends_with("é…"));
    let lines = why("x = (a ==\n    1)\n", "a = 1");
    assert_eq!(lines.root().text, "a == 1", "a text is on one line");
}
