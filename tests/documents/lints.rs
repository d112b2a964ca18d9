//! Lints: what is warned about, what is not, and how warnings are silenced.

use hclvm::check::Declared;
use hclvm::diagnostics::{Code, codes};
use hclvm::lint::Lints;
use hclvm::{Diagnostics, Engine};

fn lints(text: &str, lints: &Lints) -> Diagnostics {
    Engine::standard().parse("a.hcl", text).expect("the text is correct").lints(lints)
}

/// Returns each warning as `line:column code`.
fn found(text: &str) -> Vec<String> {
    let found = lints(text, &Lints::new());
    let shown = |one: &hclvm::Diagnostic| {
        let place = found.source().position(one.subject.expect("a place").start);
        format!("{}:{} {}", place.line, place.column, one.code())
    };
    found.iter().map(shown).collect()
}

/// Asserts that each text has this warning alone, at the place marked with `»`.
#[track_caller]
fn warned(code: Code, texts: &[&str]) {
    for text in texts {
        let at = text.find('»').expect("a mark");
        let line = text[..at].matches('\n').count() + 1;
        let column = text[..at].chars().rev().take_while(|c| *c != '\n').count() + 1;
        assert_eq!(found(&text.replace('»', "")), [format!("{line}:{column} {code}")], "{text}");
    }
}

/// Asserts that texts have no warnings.
#[track_caller]
fn silent(texts: &[&str]) {
    for text in texts {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

/// Returns the text with all proposed changes of its warnings.
fn repaired(text: &str) -> String {
    let found = lints(text, &Lints::new());
    let additions = found.iter().filter_map(|one| one.additions.as_ref());
    let mut changes: Vec<_> = additions.flat_map(|additions| additions.replacements.clone()).collect();
    changes.sort_by_key(|change| std::cmp::Reverse(change.span.start));
    let mut text = text.to_owned();
    for change in changes {
        text.replace_range(change.span.start as usize..change.span.end as usize, &change.text);
    }
    text
}

#[test]
fn arguments_in_the_other_order_are_warned_about() {
    warned(
        codes::SWAPPED_ARGUMENTS,
        &[
            "a = »startswith(\"/admin\", request.path)\n",
            "a = x && !»contains(\"admin\", user.roles)\n",
            "a = »split(x.text, \", \")\n",
            "a = »regex(x.name, \"^a+\")\n",
            "a = »formatdate(x.time, \"YYYY-MM\")\n",
            "a = »timeadd(\"1h\", (x.time))\n",
            "a = [for p in x : »trimprefix(\"v\", p)]\n",
        ],
    );
    silent(&[
        "a = startswith(request.path, \"/admin\")\n",
        "a = startswith(x, y)\n",
        "a = startswith(\"${x}/\", y)\n",
        "a = startswith(\"ab\", \"a\")\n",
        "a = contains([\"admin\"], user.role)\n",
        "a = split(x.separator, \"a-b\")\n",
        "a = regex(x.pattern, \"abc\")\n",
        "a = formatdate(x.format, \"2024-01-31T00:00:00Z\")\n",
        "a = timeadd(\"2024-01-31T00:00:00Z\", x.duration)\n",
    ]);
    assert_eq!(repaired("a = startswith(\"/a\" , x.path)\n"), "a = startswith(x.path, \"/a\")\n");
}

#[test]
fn patterns_that_are_taken_literally_are_warned_about() {
    warned(
        codes::LITERAL_PATTERN,
        &[
            "a = replace(x, »\"/[^a-z]/\", \"-\")\n",
            "a = replace(x, »\"/\\\\./\", \"-\")\n",
            "a = upper(replace(x, »(\"/a+/\"), y))\n",
        ],
    );
    silent(&[
        "a = replace(x, \"/usr/local.d/\", \"\")\n",
        "a = replace(x, \"//\", \"/\")\n",
        "a = replace(x, \"/\", \"-\")\n",
        "a = replace(x, \"[0-9]\", \"-\")\n",
        "a = replace(\"/[a]/\", x, y)\n",
        "a = regex_replace(x, \"/[a]/\", y)\n",
    ]);
    let engine = Engine::builder().dialect(hclvm::Dialect::opentofu()).build();
    let document = engine.parse("a.hcl", "a = replace(x, \"/[a]/\", y)\n").expect("it is correct");
    assert!(document.lints(&Lints::new()).is_empty());
}

#[test]
fn unused_locals_are_warned_about() {
    warned(
        codes::UNUSED_LOCAL,
        &["locals {\n  »n = 1\n}\na = 2\n", "locals {\n  n = 1\n  »m = 1\n}\na = local.n\n"],
    );
    silent(&[
        "locals {\n  n = 1\n}\na = local.n\n",
        "locals {\n  n = 1\n}\nrule \"a\" {\n  when = x == local[\"n\"]\n}\n",
        "locals {\n  n = 1\n  m = local.n\n}\na = keys(local)\n",
        // What reads them may be in another file.
        "locals {\n  n = 1\n}\n",
        "locals {\n  n = 1\n}\nresource \"a\" \"b\" {\n}\n",
    ]);
}

#[test]
fn locals_that_another_problem_names_are_not_unused() {
    let found_in = |text: &str| found(text).into_iter().filter(|one| one.contains("unused")).count();
    for text in [
        "locals {\n  user = 1\n}\na = local.usr\n",
        "locals {\n  n = 1\n}\na = \"local.n\"\n",
        "locals {\n  n = 1\n}\na = \"{{ local.n }}\"\n",
        "locals {\n  n = 1\n}\na = locals.n\n",
        "locals {\n  n = 1\n}\na = n\n",
    ] {
        assert_eq!(found_in(text), 0, "{text}");
    }
}

#[test]
fn numbers_that_mean_something_else_are_warned_about() {
    warned(codes::LEADING_ZERO, &["a = »0644\n", "a = 1 + »007\n"]);
    warned(codes::UNQUOTED_DATE, &["a = »2024-01-31\n"]);
    warned(codes::DIVISION_BY_ZERO, &["a = »x / 0\n", "a = »1 % (0)\n"]);
    warned(codes::OPERATOR_IN_COMMENT, &["a = 7 »// 2\n", "a = x.n »// 60\n", "a = x.n »//x.m\n"]);
    silent(&[
        "a = 0\nb = 0.5\nc = 10\n",
        "a = 2024 - 1 - 31\nb = \"2024-01-31\"\n",
        "a = 0 / x\n",
        "a = 80 // http\nb = \"x\" // 2\n// 2\nc = 7 # 2\n",
    ]);
    assert_eq!(
        repaired("a = 2024-01-31\nb = 0644\nc = x.n // 2\n"),
        "a = \"2024-01-31\"\nb = \"0644\"\nc = floor(x.n / 2)\n"
    );
}

#[test]
fn names_that_mean_something_else_are_warned_about() {
    warned(
        codes::LOCAL_PREFIX,
        &[
            "locals {\n  n = 1\n}\na = »locals.n + local.n\n",
            "locals {\n  n = 1\n}\na = »n + 1\n",
            "locals {\n  n = { m = 1 }\n}\na = »n.m\n",
        ],
    );
    warned(
        codes::MISSPELLED_LOCALS,
        &["»lokals {\n  n = 1\n}\na = local.n\n", "»local {\n}\na = keys(local)\n"],
    );
    warned(codes::WORD_FOR_BOOL, &["a = »yes\n", "a = x && »off\n"]);
    silent(&[
        "locals {\n  n = 1\n}\na = n + local.n\n",
        "locals {\n  n = 1\n}\na = [for n in x : n]\nb = local.n\n",
        "a = { on = 1, n = 2 }\nb = on.call\n",
        "a = locals.n\n",
    ]);
    let text = "locals {\n  n = 1\n  m = 1\n}\na = locals.n\nb = m\nc = no\n";
    assert_eq!(repaired(text), "locals {\n  n = 1\n  m = 1\n}\na = local.n\nb = local.m\nc = false\n");
}

#[test]
fn names_that_are_nearly_those_of_rules_are_warned_about() {
    let rules = "rule \"a\" {\n  when   = x\n  effect = \"deny\"\n}\n";
    let with = |text: &str| format!("{rules}{text}");
    let wrong = [
        "»rul \"b\" {\n  when = y\n}\n",
        "»rules \"b\" {\n  effect = \"deny\"\n}\n",
        "rule \"b\" {\n  »whn   = y\n  effect = \"deny\"\n}\n",
        "rule \"b\" {\n  when    = y\n  »effekt = \"deny\"\n}\n",
        "rule \"b\" {\n  when   = y\n  effect = \"deny\"\n  »resaon = \"z\"\n}\n",
    ];
    let wrong = wrong.map(with);
    warned(codes::MISSPELLED_RULE, &wrong.each_ref().map(String::as_str));
    let right = [
        "role \"b\" {\n  users = []\n}\n",
        "rule \"b\" {\n  when   = y\n  effect = \"deny\"\n  effects = 1\n}\n",
        "rule \"b\" {\n  when   = y\n  effect = \"deny\"\n  status = 403\n}\n",
    ];
    let right = right.map(with);
    silent(&right.each_ref().map(String::as_str));
    // Files whose rules are something else.
    silent(&["rul \"b\" {\n  when = y\n}\n", "rule \"b\" {\n  whn = y\n}\n"]);
    let text = with("rul \"b\" {\n  when = y\n}\n");
    assert_eq!(repaired(&text), text.replace("rul ", "rule "));
}

#[test]
fn blocks_with_equal_labels_are_warned_about() {
    warned(
        codes::DUPLICATE_LABELS,
        &["rule \"a\" {\n}\n»rule \"a\" {\n}\n", "group {\n  rule a {\n  }\n  »rule \"a\" {\n  }\n}\n"],
    );
    silent(&[
        "rule \"a\" {\n}\nrule \"b\" {\n}\nroute \"a\" {\n}\n",
        "rule {\n}\nrule {\n}\n",
        "group {\n  rule \"a\" {\n  }\n}\ngroup {\n  rule \"a\" {\n  }\n}\n",
        "dynamic \"x\" {\n}\ndynamic \"x\" {\n}\n",
    ]);
}

#[test]
fn constant_conditions_are_warned_about() {
    warned(
        codes::CONSTANT_CONDITION,
        &[
            "a = »true ? x : y\n",
            "a = (»!false) ? x : y\n",
            "a = »1 > 2 || x\n",
            "a = [for v in x : v if »false]\n",
            "a = \"%{ if »true }x%{ endif }\"\n",
            "a = »x.y == x.y\n",
            "rule \"a\" {\n  when = »false\n}\n",
            "a = »x == \"a\" && y && x == \"b\"\n",
            "a = »x != 1 || x != 2\n",
            "a = »x == \"1\" && x != \"1\"\n",
            "a = »x != null && y && x == null\n",
            "a = »x == 1 || x != 1\n",
            "a = »x > 5 && x < 3\n",
            "a = »3 > x && y && (5 < x)\n",
            "a = »x >= 5 && x < 5\n",
            "a = »x > -1 && x > 7 && x > 3 && x < 7\n",
            "a = »x == 5 && x < 3\n",
            "a = »x > \"3\" && x == 2.5\n",
            "a = »x < 5 || x > 3\n",
            "a = »x <= 5 || x != 5 || y\n",
        ],
    );
    silent(&[
        "a = true\n",
        "a = x ? true : false\n",
        "rule \"default\" {\n  when = true\n}\n",
        "settings {\n  when = false\n}\n",
        "a = x == \"a\" || x == \"b\"\n",
        "a = x != 1 && x != 2\n",
        "a = x == \"a\" && y == \"b\"\n",
        "a = x == 1 && x == 1.0\n",
        "a = x > 3 && x < 5\n",
        "a = x >= 5 && x <= 5\n",
        "a = x < 3 || x > 5\n",
        "a = x < 5 || x > 5\n",
        "a = x != 1 && x > 0\n",
        "a = x > 1 && x > 2 && y < 0\n",
        "a = x > 1.00000000000000000001 && x < 1.00000000000000000002\n",
        "a = f(1) == f(1)\n",
        "locals {\n  debug = false\n}\na = local.debug ? x : y\n",
    ]);
}

#[test]
fn contradictions_name_both_comparisons() {
    for (text, wanted) in [
        (
            "a = x == 1 && x == 2\n",
            "`x` is compared with `1` and with `2`; with `&&` the result is always false",
        ),
        ("a = x < 3 && x == 5\n", "`x < 3` and `x == 5` are never true together"),
        ("a = x < 5 || 3 < x\n", "`x < 5` or `3 < x` is true for every value"),
    ] {
        let found = lints(text, &Lints::new()).to_string();
        assert!(found.contains(wanted), "{text}{found}");
    }
}

#[test]
fn operands_that_decide_are_warned_about() {
    warned(codes::CONSTANT_OPERAND, &["a = x || »true\n", "a = x && y && »(false)\n"]);
    silent(&["a = x || false\n", "a = x && true\n"]);
}

#[test]
fn conditionals_without_effect_are_warned_about() {
    warned(
        codes::POINTLESS_CONDITIONAL,
        &["a = »x == null ? null : x\n", "a = »null != x.y ? x.y : null\n", "a = »x ? 1 : (1)\n"],
    );
    silent(&[
        "a = x == null ? 0 : x\n",
        "a = x == null ? x : null\n",
        "a = \"%{ if x }a%{ else }a%{ endif }\"\n",
    ]);
}

#[test]
fn references_in_quotes_are_warned_about() {
    let local = "locals {\n  n = 1\n}\nb = local.n\n";
    warned(
        codes::REFERENCE_IN_QUOTES,
        &[
            &format!("{local}a = »\"local.n\"\n"),
            &format!("{local}a = [»\"local.n\"]\n"),
            "a = »\"user.role\" == \"admin\"\nb = user.name\n",
        ],
    );
    silent(&[
        &format!("{local}a = \"local.m\"\n"),
        &format!("{local}a = {{ \"local.n\" = 1 }}\n"),
        "a = [\"user.role\"]\nb = user.role\n",
        "a = x == \"user.role\"\n",
    ]);
    assert_eq!(repaired(&format!("{local}a = \"local.n\"\n")), format!("{local}a = local.n\n"));
}

#[test]
fn what_looks_like_an_interpolation_is_warned_about() {
    let local = "locals {\n  n = 1\n}\nb = local.n\n";
    warned(
        codes::SUSPICIOUS_TEMPLATE,
        &[
            &format!("{local}a = \"x »$local.n y\"\n"),
            &format!("{local}a = \"x »{{local.n}} y\"\n"),
            &format!("{local}a = <<EOT\nx »$local.n\nEOT\n"),
            "a = \"»{ user.name }\"\nb = user.role\n",
            &format!("{local}a = \"»{{{{ local.n }}}}\"\n"),
            &format!("{local}a = \"»#{{local.n}}, $${{local.n}}\"\n"),
            &format!("{local}a = \"»$(local.n)\"\n"),
            &format!("{local}a = \"»<%= local.n %>\"\n"),
        ],
    );
    silent(&[
        &format!(
            "{local}a = \"$${{local.n}} $local ${{local.n}} {{{{local.m}}}} %%{{local.n}} {{local.m}}\"\n"
        ),
        "a = \"{user.name} $user.name\"\n",
        "a = \"{user}\"\nb = user\n",
    ]);
    let wrong = format!("{local}a = \"$local.n, {{ local.n }}\"\n");
    assert_eq!(repaired(&wrong), format!("{local}a = \"${{local.n}}, ${{local.n}}\"\n"));
}

#[test]
fn comparisons_that_are_never_true_are_warned_about() {
    warned(
        codes::QUOTED_NUMBER,
        &[
            "a = »x + 1 == \"2\"\n",
            "a = »\"true\" != (x > 1)\n",
            "locals {\n  n = 1\n}\na = »local.n == \"1\"\n",
        ],
    );
    warned(
        codes::UNEQUAL_TYPES,
        &["a = »x + 1 == [1]\n", "a = »[x] == {}\n", "a = »!x == 1\n", "a = »upper(x) == 1\n"],
    );
    warned(
        codes::NULL_COMPARISON,
        &["a = »\"${x}!\" == null\n", "a = »null != [x]\n", "a = »1 + x == null\n"],
    );
    silent(&[
        "a = x == \"1\"\n",
        "a = x == \"true\"\n",
        "a = x == []\n",
        "a = upper(x) == null\n",
        "a = \"${x}\" == null\n",
        "a = [x] == [1]\n",
        "a = x + 1 == 2\n",
    ]);
    assert_eq!(repaired("a = x + 1 == \"2\"\n"), "a = x + 1 == 2\n");
}

#[test]
fn loops_that_ignore_their_variables_are_warned_about() {
    warned(codes::UNUSED_FOR_VARIABLE, &["a = [for v in x : »1]\n", "a = {for k, v in x : y => »z...}\n"]);
    silent(&[
        "a = [for v in x : v.n]\n",
        "a = {for k, v in x : k => 1}\n",
        "a = [for v in x : 1 if v]\n",
        "a = [for _ in x : 1]\n",
        "a = [for v in x : \"${v}\"]\n",
        "a = [for i in range(3) : 0]\n",
        "a = \"%{ for v in x }-%{ endfor }\"\n",
    ]);
}

#[test]
fn comments_allow_warnings() {
    let warning = "a = true ? x : y";
    for allowed in [
        "# hclvm:allow constant-condition\nW\n",
        "// hclvm:allow constant-condition because it is a test\nW\n",
        "W # hclvm:allow constant-condition\n",
        "W /* hclvm:allow unused-local, constant-condition */\n",
        "W\nb = 1\n# hclvm:allow-file constant-condition\n",
    ] {
        assert_eq!(found(&allowed.replace('W', warning)), [""; 0], "{allowed}");
    }
    for told in [
        "# hclvm:allow constant-condition\n\nW\n",
        "# hclvm:allow unused-local\nW\n",
        "W\n# hclvm:allow constant-condition\n",
        "b = \"hclvm:allow-file constant-condition\"\nW\n",
    ] {
        assert_eq!(found(&told.replace('W', warning)).len(), 1, "{told}");
    }
}

#[test]
fn unknown_codes_in_comments_are_warned_about() {
    assert_eq!(found("a = 1\n# hclvm:allow unused-lcoal\n"), ["2:15 unknown-code"]);
    assert_eq!(repaired("# hclvm:allow unused-lcoal\n"), "# hclvm:allow unused-local\n");
    assert_eq!(found("# hclvm:allow-file unknown-code\n# hclvm:allow nothing\n"), [""; 0]);
}

#[test]
fn warnings_are_allowed_and_denied_by_code() {
    let text = "a = true ? x : y\nb = x || true\n";
    let codes_of = |found: &Diagnostics| found.iter().map(|one| one.code()).collect::<Vec<_>>();
    let found = lints(text, &Lints::new().allow(codes::CONSTANT_OPERAND));
    assert_eq!((codes_of(&found), found.has_errors()), (vec![codes::CONSTANT_CONDITION], false));
    let found = lints(text, &Lints::new().deny(codes::CONSTANT_OPERAND));
    assert_eq!(found.iter().map(|one| one.is_error()).collect::<Vec<_>>(), [false, true]);
    // A warning in front of an error is not all there is.
    assert!(found.has_errors());
    let found = lints(text, &Lints::new().deny_all().allow(codes::CONSTANT_OPERAND));
    assert_eq!(found.iter().map(|one| one.is_error()).collect::<Vec<_>>(), [true]);
}

#[test]
fn warnings_are_bounded_like_errors() {
    let text = "a = [".to_owned() + &"true ? 1 : 2, ".repeat(10_000) + "]\n";
    let found = lints(&text, &Lints::new());
    assert!(found.len() < 1_000, "{}", found.len());
    assert_eq!(found.iter().last().map(|one| one.code()), Some(codes::TOO_MANY_PROBLEMS));
    assert!(!found.has_errors());
}

#[test]
fn files_in_json_have_warnings_that_need_no_schema() {
    let found = |text: &str| -> Vec<String> {
        let document = Engine::standard().parse_json("a.hcl.json", text).expect("the text is correct");
        let found = document.lints(&Lints::new());
        let shown = |one: &hclvm::Diagnostic| {
            let line = found.source().position(one.subject.expect("a place").start).line;
            format!("{line} {}", one.code())
        };
        found.iter().map(shown).collect()
    };
    let locals = "{\"locals\": {\n\"n\": 1,\n\"m\": \"${local.n}\"},\n";
    for (rest, wanted) in [
        ("\"a\": 1}", vec!["3 unused-local"]),
        ("\"a\": \"${local.m}\"}", vec![]),
        ("\"a\": \"local.m\"}", vec!["4 reference-in-quotes"]),
        ("\"rule\": {\"x\": {\"when\": \"$local.m\"}}}", vec!["4 reference-in-quotes"]),
        ("\"resource\": {}}", vec![]),
    ] {
        assert_eq!(found(&format!("{locals}{rest}")), wanted, "{rest}");
    }
    assert_eq!(found("{\"locals\": {\"n\": 1}}"), [""; 0]);
}

/// Returns the codes of the warnings of a text whose variables have declared types.
fn declared(text: &str) -> Vec<String> {
    let engine = Engine::standard();
    let types = "n = number\nb = bool\ns = string\nl = list(string)\no = object({ port = number, tags = map(string) })\n";
    let types = Declared::of_schema(&engine.parse("types.hcl", types).expect("it parses")).expect("types");
    let document = engine.parse("a.hcl", text).expect("the text is correct");
    document.lints(&Lints::new().declared(&types)).iter().map(|one| one.code().to_string()).collect()
}

#[test]
fn comparisons_with_other_types_than_declared_are_warned_about() {
    for (text, code) in [
        ("a = n == \"1\"\n", codes::QUOTED_NUMBER),
        ("a = \"true\" != b\n", codes::QUOTED_NUMBER),
        ("a = o.port == \"80\"\n", codes::QUOTED_NUMBER),
        ("a = s == 1\n", codes::UNEQUAL_TYPES),
        ("a = l == \"x\"\n", codes::UNEQUAL_TYPES),
        ("a = l[0] == 1\n", codes::UNEQUAL_TYPES),
        ("a = o.tags.x == 1\n", codes::UNEQUAL_TYPES),
        ("a = s == n\n", codes::UNEQUAL_TYPES),
        ("a = contains([\"1\", \"2\"], n)\n", codes::UNEQUAL_TYPES),
    ] {
        assert_eq!(declared(text), [code.to_string()], "{text}");
        silent(&[text]);
    }
    for text in [
        "a = n == 1\n",
        "a = n == null\n",
        "a = b == true\n",
        "a = [for n in l : n == \"1\"]\n",
        "a = other == \"1\"\n",
        "a = contains([\"1\", 2], n)\n",
        "a = contains(l, n)\n",
        "a = o.missing == 1\n",
    ] {
        assert_eq!(declared(text), [""; 0], "{text}");
    }
}

#[test]
fn names_that_try_and_can_hide_are_warned_about() {
    warned(
        codes::GUARDED_NAME,
        &[
            "locals {\n  builds = 1\n}\na = try(»local.buildz, 1)\nb = local.builds\n",
            "locals {\n  builds = 1\n}\na = can(upper(»local.buildz.x))\n",
        ],
    );
    silent(&[
        "a = try(local.x, 1)\n",
        "a = try(x.y, 1)\n",
        "locals {\n  a = { b = 1 }\n}\nx = try(local.a.c, 1)\n",
        "locals {\n  a = [1]\n}\nx = try([for local in local.a : local.b], 1)\n",
    ]);
    for text in ["a = try(locl.x, 1)\n", "a = try(o.prot, 1)\n", "a = can(missing)\n"] {
        assert_eq!(declared(text), [codes::GUARDED_NAME.to_string()], "{text}");
    }
    for text in [
        "a = try(o.other, 1)\n",
        "a = try(o.port, 1)\n",
        "a = try([for e in l : e.x], 1)\n",
        "a = try(o.tags.x, 1)\n",
    ] {
        assert_eq!(declared(text), [""; 0], "{text}");
    }
    let engine = Engine::standard();
    let open = Declared::anything().sample("user", &serde_json::json!({"name": "a"})).expect("it has a type");
    let document = engine.parse("a.hcl", "a = try(other.x, 1)\nb = try(user.nmae, 2)\n").expect("it parses");
    let found = document.lints(&Lints::new().declared(&open));
    assert_eq!(
        found.iter().map(|one| one.detail.to_string()).collect::<Vec<_>>(),
        [
            "There is no attribute \"nmae\". Did you mean \"name\"? `try` and `can` hide that `user.nmae` always fails."
        ]
    );
}

#[test]
fn blocks_that_are_read_as_variables_are_warned_about() {
    warned(
        codes::BLOCK_AS_VARIABLE,
        &[
            "tags {\n  env = 1\n}\na = »tags.env\n",
            "rule \"a\" {\n  when = x\n}\nrule \"b\" {\n  when = »rule.a.when && y\n}\n",
            "rule \"a-b\" {\n  when = x\n}\ny = »rule[\"a-b\"].when\n",
            "variable \"region\" {\n  default = \"eu\"\n}\na = »var.region\n",
        ],
    );
    silent(&[
        "user \"ann\" {\n  name = 1\n}\na = user.name\n",
        "tags {\n  env = 1\n}\na = tags.other\n",
        "tags {\n  env = 1\n}\na = [for tags in x : tags.env]\n",
        "variable \"region\" {\n  default = \"eu\"\n}\na = var.other\n",
        "source \"null\" \"a\" {\n  x = 1\n}\na = source.null.a.x\n",
    ]);
}

#[test]
fn directives_of_other_languages_are_warned_about() {
    warned(
        codes::SUSPICIOUS_TEMPLATE,
        &[
            "a = \"»{% if x %}b\"\n",
            "a = <<-C\n  »{~% for f in [1] ~}\n  C\n",
            "a = \"»{%- endif -%}\"\n",
            "locals {\n  n = 1\n}\na = \"»{{~ local.n ~}}\"\n",
        ],
    );
    silent(&[
        "a = \"100 {% of\"\n",
        "a = \"{%iff}\"\n",
        "a = \"%{ if x }b%{ endif }\"\n",
        "a = \"{{ .Names }}\"\n",
    ]);
}
