//! Updated documents: which programs are compiled, reused and dropped.

use hclvm::syntax::NamedAttribute;
use hclvm::{Document, Engine};

const BEFORE: &str = r#"
limit = user.level * 10
rule "a" { when = user.name == "ann" }
rule "b" { when = user.level > 3 }
"#;

fn paths(list: &[NamedAttribute]) -> Vec<&str> {
    list.iter().map(NamedAttribute::path).collect()
}

#[test]
fn only_changed_expressions_are_compiled() {
    let engine = Engine::standard();
    let document = engine.parse("rules.hcl", BEFORE).expect("HCL");
    let (document, first) = document.update(BEFORE).expect("HCL");
    assert_eq!((first.unchanged, first.reused + first.compiled), (3, 3));
    let compiled = engine.compiled_programs();
    let after = r#"
rule "b" {
  when = user.level > 4
}
# moved
limit = user.level * 10
rule "c" { when = user.name == "ann" }
"#;
    let (_, update) = document.update(after).expect("HCL");
    assert_eq!(paths(&update.changed), ["rule.b.when"]);
    assert_eq!((update.unchanged, update.reused, update.compiled), (1, 2, 1));
    let moved: Vec<_> = update.moved.iter().map(|moved| (moved.from.path(), moved.to.path())).collect();
    assert_eq!(moved, [("rule.a.when", "rule.c.when")]);
    assert!(update.added.is_empty() && update.removed.is_empty());
    assert_eq!(engine.compiled_programs(), compiled + 1);
}

#[test]
fn faults_of_a_moved_expression_have_its_new_position() {
    let engine = Engine::standard();
    let (document, _) =
        engine.parse("x.hcl", "a = user.nope").expect("HCL").update("a = user.nope").expect("HCL");
    let (moved, update) = document.update("\n\nb = 1\na = user.nope").expect("HCL");
    assert_eq!((update.unchanged, paths(&update.added)), (1, vec!["b"]));
    let mut scope = moved.scope();
    scope.set("user", &serde_json::json!({})).expect("a value");
    let program = moved.attribute("a").expect("it is there").program().expect("it compiles");
    let error = engine.session().run(&program, &scope).expect_err("no such attribute").to_string();
    assert!(error.starts_with("x.hcl:4:9:"), "{error}");
}

#[test]
fn a_text_with_further_variables_keeps_the_code_that_does_not_read_them() {
    let engine = Engine::standard();
    let (document, _) =
        engine.parse("x.hcl", "a = one + 1").expect("HCL").update("a = one + 1").expect("HCL");
    let (wider, update) = document.update("b = zero + one\na = one + 1").expect("HCL");
    assert_eq!((update.reused, update.compiled, paths(&update.added)), (1, 1, vec!["b"]));
    let mut scope = wider.scope();
    scope.set("one", &1).expect("a value");
    scope.set("zero", &0).expect("a value");
    let program = wider.attribute("a").expect("it is there").program().expect("it compiles");
    assert_eq!(format!("{:?}", engine.session().run(&program, &scope).expect("a sum")), "2");
}

#[test]
fn an_update_with_syntax_errors_is_rejected() {
    let engine = Engine::standard();
    let document = engine.parse("x.hcl", "a = 1").expect("HCL");
    assert!(document.update("a = ").is_err());
    assert!(document.attribute("a").is_some());
}

#[test]
fn paths_distinguish_blocks_and_are_short() {
    let engine = Engine::standard();
    let label = "l".repeat(100_000);
    let many: String = (0..3_000).fold(String::new(), |text, at| text + &format!("a{at} = 1\n"));
    let text = format!(
        "r \"2\" {{ a = 1 }}\nr {{ a = 2 }}\nr {{ a = 3 }}\nr {{ a = 4 }}
        b \"{label}\" {{\n{many}}}\nb \"x{label}\" {{\n{many}}}\n"
    );
    let (document, update) = engine.parse("x.hcl", "").expect("HCL").update(&text).expect("HCL");
    let added = paths(&update.added);
    assert_eq!(added.len(), 6_004);
    let of_r: Vec<&&str> = added.iter().filter(|path| path.starts_with('r')).collect();
    assert_eq!(of_r, [&"r.2.a", &"r.a", &"r[1].a", &"r[2].a"]);
    assert!(added.iter().map(|path| path.len()).sum::<usize>() < 6_004 * 300);
    let (_, update) = document.update("b = 1").expect("HCL");
    assert_eq!(paths(&update.removed), added);
    assert_eq!(update.removed[5_000].names().len(), 1);
    assert!(update.removed[5_000].is_shortened());
}

#[test]
fn names_of_earlier_texts_are_dropped() {
    let engine = Engine::standard();
    let mut document = engine.parse("x.hcl", "a = kept").expect("HCL");
    for at in 0..2_000 {
        (document, _) = document.update(&format!("a = kept\nb = name{at}")).expect("HCL");
        assert!(document.layout().len() <= 128, "{}", document.layout().len());
        let mut scope = document.scope();
        scope.set(&format!("name{at}"), &at).expect("a number");
        let program = document.attribute("b").expect("it is there").program().expect("it compiles");
        let shown = format!("{:?}", engine.session().run(&program, &scope).expect("a value"));
        assert_eq!(shown, at.to_string());
    }
}

/// Compiles an attribute and returns the number of programs the engine has compiled so far.
fn compile(document: &Document, name: &str) -> u64 {
    document.attribute(name).expect("it is there").program().expect("it compiles");
    document.engine().compiled_programs()
}

#[test]
fn equal_expressions_of_documents_in_use_are_compiled_once() {
    let engine = Engine::standard();
    let parse = |text| engine.parse("x.hcl", text).expect("HCL");
    let first = parse("a = n + 1\nb = n + 1\nc = n + 2\nd = n + 3");
    assert_eq!(compile(&first, "b"), 1);
    assert_eq!(compile(&first, "a"), 1);
    // `c` of the first document is registered but not compiled: the first request compiles it.
    let second = parse("c = n + 2\na = n + 1\nd = n + 3");
    assert_eq!(compile(&second, "a"), 1);
    assert_eq!(compile(&second, "c"), 2);
    assert_eq!(compile(&first, "c"), 2);
    drop(first);
    assert_eq!(compile(&second, "d"), 3);
    // A program keeps its code alive for others.
    let program = second.attribute("d").expect("it is there").program().expect("it compiles");
    drop(second);
    let third = parse("d = n + 3");
    assert_eq!(compile(&third, "d"), 3);
    drop((program, third));
    assert_eq!(compile(&parse("d = n + 3"), "d"), 4);
}

#[test]
fn code_is_shared_only_by_expressions_of_equal_meaning() {
    let engine = Engine::standard();
    let parse = |text| engine.parse("x.hcl", text).expect("HCL");
    let first = parse("a = n + 1\nb = m");
    assert_eq!(compile(&first, "a"), 1);
    // An equal text with `n` in another slot, and as JSON.
    let (second, third) = (parse("b = m\na = n + 1"), engine.parse_json("x.json", r#"{"a": "n + 1"}"#));
    assert_eq!(compile(&second, "a"), 2);
    assert_eq!(compile(&third.expect("JSON"), "a"), 3);
    let json = engine.parse_json("x.json", r#"{"a": ["${n}"], "b": "${n}", "c": {"b": "${n}"}}"#);
    let json = json.expect("JSON");
    assert_eq!(compile(&json, "a"), 4);
    assert_eq!(compile(&json, "b"), 5);
    assert_eq!(compile(&json, "c"), 6);
}

#[test]
fn threads_compile_equal_expressions_once() {
    const DISTINCT: usize = 700;
    for _ in 0..20 {
        let engine = Engine::standard();
        // Equal expressions in several orders, each of them twice.
        let text = |from: usize| {
            let at = |line: usize| (from + line * 3) % DISTINCT;
            let lines = (0..2 * DISTINCT).map(|line| format!("a{line} = n + {}\n", at(line)));
            lines.collect::<Vec<_>>().concat()
        };
        let documents: Vec<_> = (0..4).map(|from| engine.parse("x.hcl", &text(from)).expect("HCL")).collect();
        std::thread::scope(|threads| {
            for (thread, document) in documents.iter().cycle().take(8).enumerate() {
                threads.spawn(move || {
                    let attributes: Vec<_> = document.body().attributes().collect();
                    for at in 0..attributes.len() {
                        let at = if thread % 2 == 0 { at } else { attributes.len() - 1 - at };
                        attributes[at].program().expect("it compiles");
                    }
                });
            }
        });
        assert_eq!(engine.compiled_programs(), DISTINCT as u64);
    }
}

#[test]
fn a_loop_of_updates_compiles_an_expression_once() {
    for json in [false, true] {
        let engine = Engine::standard();
        let text = |at: usize| {
            let changed = 100 + at;
            if json {
                format!(
                    r#"{{"kept": "${{n + 1}}", "other": ["${{n}}", 2], "changed": "${{n + {changed}}}"}}"#
                )
            } else {
                format!("kept = n + 1\nblock {{ other = [n, 2] }}\nchanged = n + {changed}")
            }
        };
        let parsed =
            if json { engine.parse_json("x.json", &text(0)) } else { engine.parse("x.hcl", &text(0)) };
        let mut document = parsed.expect("it parses");
        for at in 1..20 {
            let (next, update) = document.update(&text(at)).expect("it parses");
            assert_eq!((update.compiled, update.reused), (1, 2), "update {at}");
            assert_eq!(paths(&update.changed), ["changed"], "update {at}");
            document = next;
        }
        // In the first update, the two that are reused were not compiled yet.
        assert_eq!(engine.compiled_programs(), 2 + 19);
    }
}

#[test]
fn the_first_update_of_a_document_that_was_never_compiled_reports_what_changed() {
    let engine = Engine::standard();
    let document = engine.parse("rules.hcl", BEFORE).expect("HCL");
    let (_, update) = document.update(&BEFORE.replace("> 3", "> 4")).expect("HCL");
    assert_eq!((paths(&update.changed), update.unchanged), (vec!["rule.b.when"], 2));
}

#[test]
fn code_is_found_in_whichever_document_is_left() {
    let engine = Engine::standard();
    let parse = || engine.parse("x.hcl", "a = n + 1").expect("HCL");
    // Of documents with an equal expression all but one are dropped, in every order.
    for kept in 0..4 {
        let compiled = engine.compiled_programs();
        let mut documents: Vec<_> = (0..4).map(|_| parse()).collect();
        for document in &documents {
            compile(document, "a");
        }
        let last = documents.swap_remove(kept);
        drop(documents);
        assert_eq!(compile(&parse(), "a"), compiled + 1);
        drop(last);
    }
    // The base of discarded updates also keeps its code.
    let base = parse();
    let compiled = compile(&base, "a");
    for _ in 0..10 {
        let (_, update) = base.update("b = n + 1").expect("HCL");
        assert_eq!((paths(&update.added), update.reused), (vec!["b"], 1));
    }
    assert_eq!(engine.compiled_programs(), compiled);
}

#[test]
fn repeated_blocks_are_numbered_in_order() {
    let paths = |text: &str| {
        let (_, update) = Engine::standard().parse("x.hcl", "").expect("HCL").update(text).expect("HCL");
        update.added.iter().map(NamedAttribute::path).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(paths("r { a = 1 }\nr { a = 2 }\nr { a = 3 }"), "r.a r[1].a r[2].a");
    assert_eq!(paths("r { a = 1 }\nr \"1\" { a = 2 }\nr { a = 3 }"), "r.1.a r.a r[1].a");
    assert_eq!(paths("r {\n  s { a = 1 }\n  s { a = 2 }\n}"), "r.s.a r.s[1].a");
}

/// Returns what an update reports.
fn reported(before: &str, after: &str) -> String {
    let (document, _) = Engine::standard().parse("x.hcl", before).expect("HCL").update(before).expect("HCL");
    let (_, update) = document.update(after).expect("HCL");
    let list = |sign: &str, list: &[NamedAttribute]| -> Vec<String> {
        list.iter().map(|attribute| format!("{sign}{attribute} ")).collect()
    };
    let moved = update.moved.iter().map(|moved| format!("{}>{} ", moved.from, moved.to)).collect();
    let lists = [list("+", &update.added), list("-", &update.removed), list("~", &update.changed), moved];
    let lists = lists.concat();
    assert_eq!(update.is_empty(), lists.concat().is_empty());
    format!("{}={}", lists.concat(), update.unchanged)
}

#[test]
fn an_update_reports_what_was_added_removed_changed_and_moved() {
    assert_eq!(reported("a = 1\nb = 2", "a = 1\nb = 2"), "=2");
    assert_eq!(reported("a = 1\nb = 2", "\n# moved\nb = 2\na = 1"), "=2");
    assert_eq!(reported("a = 1\nb = 2", "a = 1\nb = 3\nc = 4"), "+c ~b =1");
    assert_eq!(reported("a = 1\nb = 2", "b = 2"), "-a =1");
    assert_eq!(reported("r \"x\" { a = n }", "r \"y\" { a = n }"), "r.x.a>r.y.a =0");
    assert_eq!(reported("r \"x\" { a = n }", "r \"y\" { b = n }"), "+r.y.b -r.x.a =0");
    assert_eq!(reported("r { a = 1 }\nr { a = 2 }", "r { a = 2 }"), "-r[1].a ~r.a =0");
    assert_eq!(reported("x {\n y { a = 1 }\n}", "x {\n y { a = 1 }\n y { a = 2 }\n}"), "+x.y[1].a =1");
    assert_eq!(reported("", "r {}"), "=0");
}

#[test]
fn an_attribute_that_a_file_has_elsewhere_is_not_compiled_again() {
    let engine = Engine::standard();
    let (mut document, _) =
        engine.parse("x.hcl", "a = n + 1").expect("HCL").update("a = n + 1").expect("HCL");
    for at in 0..5 {
        document = document.update(&format!("a = n + 1\n# {at}")).expect("HCL").0;
    }
    let compiled = engine.compiled_programs();
    let (_, update) = document.update("a = n + 1\nb = n + 1").expect("HCL");
    assert_eq!((paths(&update.added), update.reused), (vec!["b"], 2));
    assert_eq!(engine.compiled_programs(), compiled);
}

#[test]
fn long_names_of_blocks_are_left_out_of_paths() {
    let added = |label: &str| {
        let text = format!("outer {{\n r \"{label}\" {{ a = 1 }}\n}}");
        let (_, update) = Engine::standard().parse("x.hcl", "").expect("HCL").update(&text).expect("HCL");
        update.added[0].to_string()
    };
    let fits = "x".repeat(191);
    assert_eq!(added(&fits), format!("outer.r.{fits}.a"));
    assert_eq!(added(&format!("{fits}x")), format!("….r.{fits}x.a"));
    assert_eq!(added(&"é".repeat(200)), "….a");
}
