//! `hclvm test`: cases that pass and fail, mocks, the forms of the results, and recorded cases.

use super::{Folder, POLICY, hclvm, json, text};

/// Runs a test file for the policy of the other tests, and returns what was printed.
fn run(folder: &Folder, cases: &str) -> (Option<i32>, String) {
    folder.file("policy.hcl", POLICY);
    let file = folder.file("policy.hcltest", format!("file = \"policy.hcl\"\n{cases}"));
    let output = hclvm(&["test", &file]);
    assert_eq!(text(&output.stderr), "");
    (output.status.code(), text(&output.stdout).replace(&file, "policy.hcltest"))
}

fn passes(cases: &str) {
    let (code, printed) = run(&Folder::new(), cases);
    assert_eq!(code, Some(0), "{cases}{printed}");
}

/// Returns the lines of the only case, which fails, without its name.
fn failure(cases: &str) -> String {
    let (code, printed) = run(&Folder::new(), cases);
    assert_eq!(code, Some(1), "{cases}{printed}");
    let (_, printed) = printed.split_once('\n').expect("the name of the case");
    let (printed, summary) = printed.rsplit_once("\n\n").expect("a summary");
    assert!(summary.contains("1 failed"), "{summary}");
    printed.to_owned()
}

#[test]
fn values_are_compared_by_path() {
    passes(
        "case \"a\" {\n  scope = { n = 4 }\n  expect = { \"local.limit\" = 8, \"rule.small.when\" = true }\n}\n",
    );
    let printed = failure("case \"a\" {\n  scope = { n = 4 }\n  expect = { \"local.limit\" = 9 }\n}\n");
    assert_eq!(printed, "  local.limit\n    expected 9\n    found    8");
}

#[cfg(unix)]
#[test]
fn pipes_of_test_files_and_folders_are_not_opened() {
    let folder = Folder::new();
    let pipe = folder.0.path().join("pipe.hcltest");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let policy = folder.file("policy.hcl", POLICY);
    for setting in ["file = \"pipe.hcltest\"", "file = \"policy.hcl\"\nscope_file = \"pipe.hcltest\""] {
        let file =
            folder.file("a.hcltest", format!("{setting}\ncase \"a\" {{\n  expect = {{ a = 1 }}\n}}\n"));
        for path in [file.as_str(), folder.0.path().to_str().expect("a path of plain letters")] {
            let output = hclvm(&["test", path]);
            assert_eq!(output.status.code(), Some(1));
            assert!(
                text(&output.stdout).contains("pipe.hcltest is not a regular file."),
                "{}",
                text(&output.stdout)
            );
        }
    }
    // What the command line names may be a pipe.
    let writer = std::thread::spawn(move || std::fs::write(pipe, "{\"n\": 4}"));
    let scope = folder.0.path().join("pipe.hcltest");
    let output = hclvm(&["eval", &policy, "--scope", scope.to_str().expect("a path of plain letters")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    writer.join().expect("it only writes").expect("it is read");
}

#[test]
fn a_failure_has_its_case_and_the_summary_counts() {
    let cases = "scope = { n = 1 }\ncase \"good\" {\n  expect = { \"local.limit\" = 2 }\n}\ncase \"bad\" {\n  expect = { \"local.limit\" = 3 }\n}\n";
    let (code, printed) = run(&Folder::new(), cases);
    let expected = "FAIL policy.hcltest:6: bad\n  local.limit\n    expected 3\n    found    2\n\n\
        2 cases in 1 file: 1 passed, 1 failed\n";
    assert_eq!((code, printed.as_str()), (Some(1), expected));
}

#[test]
fn a_difference_names_the_part_of_a_value() {
    let folder = Folder::new();
    folder.file(
        "value.hcl",
        "v = { a = [1, { \"b c\" = \"x\" }], k = null, more = true }\nlist = tolist([\"a\"])\nset = toset([\"b\", \"a\"])\nmap = tomap({ k = 1 })\n",
    );
    let check = |expected: &str| {
        let file = folder.file(
            "value.hcltest",
            format!("file = \"value.hcl\"\ncase \"a\" {{\n  expect = {{ {expected} }}\n}}\n"),
        );
        text(&hclvm(&["test", &file]).stdout).to_owned()
    };
    let printed = check("v = { a = [1, { \"b c\" = \"y\" }, 2], k = null, less = 1 }");
    for part in [
        "  v.a[1][\"b c\"]\n    expected \"y\"\n    found    \"x\"\n",
        "  v.a[2]\n    expected 2\n    found    nothing\n",
        "  v.less\n    expected 1\n    found    nothing\n",
        "  v.more\n    expected nothing\n    found    true\n",
    ] {
        assert!(printed.contains(part), "{printed}");
    }
    assert_eq!(printed.matches("expected").count(), 4, "{printed}");
    let printed = check("list = [\"a\"], set = [\"a\", \"b\"], map = { k = 1 }");
    assert!(printed.starts_with("1 case in 1 file: 1 passed"), "literals equal collections: {printed}");
    let printed = check("set = [\"a\", \"c\"]");
    assert!(printed.contains("expected \"c\"\n    found    nothing"), "{printed}");
    let printed = check("list = [1], map = { k = \"1\" }");
    assert_eq!(printed.matches("expected").count(), 2, "types differ: {printed}");
}

#[test]
fn long_texts_are_shown_where_they_differ() {
    let long = "x".repeat(100);
    let folder = Folder::new();
    folder.file("value.hcl", format!("v = \"{long}a\"\n"));
    let file = folder.file(
        "v.hcltest",
        format!("file = \"value.hcl\"\ncase \"a\" {{\n  expect = {{ v = \"{long}b\" }}\n}}\n"),
    );
    let printed = text(&hclvm(&["test", &file]).stdout).to_owned();
    assert!(printed.contains("expected …\"xxxxxxxxxxxxb\"\n    found    …\"xxxxxxxxxxxxa\"\n"), "{printed}");
}

#[test]
fn values_without_literals_are_in_the_notation_of_scopes() {
    passes(
        "case \"a\" {\n  scope  = { n = { \"$unknown\" = \"number\" } }\n  expect = { \"local.limit\" = { \"$unknown\" = \"number\" } }\n}\n",
    );
    let printed = failure(
        "case \"a\" {\n  scope  = { n = 1 }\n  expect = { \"local.limit\" = { \"$unknown\" = \"number\" } }\n}\n",
    );
    assert!(printed.contains("found    2"), "{printed}");
}

#[test]
fn errors_are_expected_by_title_and_place() {
    passes(
        "case \"a\" {\n  expect_error {\n    title = \"Unknown variable\"\n    line = 2\n    column = 11\n    file = \"policy.hcl\"\n  }\n}\n",
    );
    let printed =
        failure("case \"a\" {\n  expect_error {\n    title = \"Unknown variable\"\n    line = 3\n  }\n}\n");
    assert!(printed.contains("error[unset-variable]"), "{printed}");
    assert!(printed.ends_with("  Expected the error \"Unknown variable\" in line 3."), "{printed}");
    let printed = failure(
        "case \"a\" {\n  scope = { n = 1 }\n  expect_error {\n    title = \"Unknown variable\"\n  }\n}\n",
    );
    assert_eq!(printed, "  Expected the error \"Unknown variable\".");
    let printed = failure("case \"a\" {\n  expect = { \"local.limit\" = 2 }\n}\n");
    assert!(printed.contains("policy.hcl:2:11"), "an error that is not expected: {printed}");
}

#[test]
fn only_what_is_expected_is_evaluated() {
    let folder = Folder::new();
    folder.file("two.hcl", "a = n\nb = missing\n");
    let file = folder.file(
        "two.hcltest",
        "file = \"two.hcl\"\nscope = { n = 1 }\ncase \"a\" {\n  expect = { a = 1 }\n}\n\
         case \"all\" {\n  expect_error {\n    title = \"Unknown variable\"\n  }\n}\n",
    );
    let printed = text(&hclvm(&["test", &file]).stdout).to_owned();
    assert_eq!(printed, "2 cases in 1 file: 2 passed, 0 failed\n");
}

#[test]
fn a_case_that_expects_nothing_and_a_file_without_cases_fail() {
    for case in ["case \"a\" {}\n", "case \"a\" {\n  expect = {}\n}\n", "case \"a\" {\n  expect = null\n}\n"]
    {
        let printed = failure(&format!("scope = {{ n = 1 }}\n{case}"));
        assert!(printed.starts_with("  The case expects nothing, so it tests nothing."), "{printed}");
    }
    let made = "dynamic \"case\" {\n  for_each = []\n  labels = [\"a\"]\n  content {\n    expect = { x = 1 }\n  }\n}\n";
    for cases in ["", made] {
        let (code, printed) = run(&Folder::new(), cases);
        assert_eq!(code, Some(1), "{printed}");
        let told = [
            "Missing case block",
            "so it tests nothing",
            "0 cases in 1 file: 0 passed, 0 failed; 1 test file with errors",
        ];
        assert!(told.iter().all(|part| printed.contains(part)), "{printed}");
    }
    let folder = Folder::new();
    let (file, junit) = (folder.file("empty.hcltest", ""), folder.file("junit.xml", ""));
    assert_eq!(hclvm(&["test", &file, "--junit", &junit]).status.code(), Some(1));
    let xml = std::fs::read_to_string(&junit).expect("the results");
    assert!(xml.contains("tests=\"1\" failures=\"0\" errors=\"1\""), "{xml}");
}

/// Returns what is printed for a case that expects `expected` of a file.
fn compared(file: &str, expected: &str) -> String {
    let folder = Folder::new();
    folder.file("value.hcl", file);
    let cases = format!(
        "file  = \"value.hcl\"\nscope = {{ l = [1, 2, 3], t = \"abc\", h = {{ \"$number\" = \"0.1\" }} }}\n\
         case \"c\" {{\n  expect = {{ v = {expected} }}\n}}\n"
    );
    text(&hclvm(&["test", &folder.file("value.hcltest", cases)]).stdout).to_owned()
}

#[test]
fn numbers_are_compared_by_value_at_any_depth() {
    for (value, expected) in [
        ("length(l)", "3"),
        ("strlen(t) + 0.5", "3.5"),
        ("[length(l), { n = pow(2, length(l)) }]", "[3, { n = 8 }]"),
        ("toset([length(l), 4])", "[4, 3]"),
        ("tomap({ a = length(l) })", "{ a = 3 }"),
        ("{ \"$n\" = [length(l)] }", "{ \"$n\" = [3] }"),
        ("h", "0.1"),
        ("0.1 + 0.2", "0.3"),
        ("log(length(l), 10)", "0.4771212547196623"),
        ("-length([])", "0"),
    ] {
        let printed = compared(&format!("v = {value}\n"), expected);
        assert_eq!(printed, "1 case in 1 file: 1 passed, 0 failed\n", "{value}");
    }
    for (value, expected) in [
        ("length(l)", "\"3\""),
        ("\"3\"", "3"),
        ("true", "\"true\""),
        ("length(l)", "3.0000000001"),
        ("length(l)", "null"),
        ("null", "0"),
        ("tolist([])", "{}"),
        ("[length(l)]", "toset([3])"),
        ("{ a = length(l) }", "{ a = \"3\" }"),
    ] {
        let printed = compared(&format!("v = {value}\n"), expected);
        assert!(printed.ends_with("0 passed, 1 failed\n"), "{value} is not {expected}: {printed}");
    }
}

#[test]
fn sets_differ_by_elements_of_either() {
    let set = "v = toset([\"a\", \"b\"])\n";
    for (expected, told) in [
        ("[\"a\"]", "  v\n    expected nothing\n    found    \"b\"\n"),
        ("[\"a\", \"b\", \"c\"]", "  v\n    expected \"c\"\n    found    nothing\n"),
        ("toset([\"a\"])", "  v\n    expected nothing\n    found    \"b\"\n"),
        ("[]", "found    \"a\""),
    ] {
        let printed = compared(set, expected);
        assert!(printed.contains(told) && printed.ends_with("0 passed, 1 failed\n"), "{expected}: {printed}");
    }
    assert!(compared(set, "[\"b\", \"a\", \"b\"]").ends_with("1 passed, 0 failed\n"), "in any order");
}

#[test]
fn names_of_cases_do_not_steer_a_terminal() {
    let name = "a\u{202e}b\u{2066}c\u{1b}[2J";
    let folder = Folder::new();
    let (junit, html) = (folder.file("junit.xml", ""), folder.file("coverage.html", ""));
    folder.file("v.hcl", "v = x == \"\u{202e}\"\n");
    let cases = format!(
        "file = \"v.hcl\"\ncase \"{name}\" {{\n  scope = {{ x = 1 }}\n  expect = {{ v = \"{name}\" }}\n}}\n"
    );
    let file = folder.file("v.hcltest", cases);
    let output = hclvm(&["test", &file, "--junit", &junit, "--coverage", "html", "--coverage-out", &html]);
    let files = [&junit, &html].map(|path| std::fs::read_to_string(path).expect("a file"));
    for shown in [text(&output.stdout), &files[0], &files[1]] {
        assert!(!shown.contains(['\u{202e}', '\u{2066}', '\u{1b}']) && !shown.is_empty(), "{shown:?}");
    }
}

#[test]
fn functions_are_mocked() {
    let folder = Folder::new();
    folder.file("calls.hcl", "a = lookup_user(id)\nb = upper(\"x\")\nc = timestamp()\n");
    let cases = r#"
file  = "calls.hcl"
scope = { id = 7 }
mock "timestamp" { result = "2026-01-01T00:00:00Z" }
mock "upper" {
  arguments = ["y"]
  result    = "never"
}
mock "upper" { result = "mocked" }
mock "lookup_user" {
  arguments = [7]
  result    = { name = "bob" }
}
case "shared" {
  expect = { a = { name = "bob" }, b = "mocked", c = "2026-01-01T00:00:00Z" }
}
case "own" {
  mock "lookup_user" { result = null }
  expect = { a = null, b = "mocked" }
}
case "no mock" {
  scope = { id = 8 }
  expect = { a = null }
}
"#;
    let file = folder.file("calls.hcltest", cases);
    let printed = text(&hclvm(&["test", &file]).stdout).to_owned();
    assert!(printed.contains("no mock is for the arguments (8)"), "{printed}");
    assert!(printed.ends_with("3 cases in 1 file: 2 passed, 1 failed\n"), "{printed}");
}

#[test]
fn test_files_have_locals_scope_files_and_cases_that_are_made() {
    let folder = Folder::new();
    folder.file("policy.hcl", POLICY);
    folder.file("scope.json", r#"{"n": 1, "other": 2}"#);
    let cases = r#"
file       = "policy.hcl"
scope_file = "scope.json"
locals { base = 3 }
case "of the file" {
  expect = { "local.limit" = 2 }
}
case "a scope is stronger" {
  scope  = { n = local.base }
  expect = { "local.limit" = 6 }
}
dynamic "case" {
  for_each = [5, 6]
  labels   = ["made ${case.value}"]
  content {
    scope  = { n = case.value }
    expect = { "local.limit" = case.value * 2, "rule.small.when" = false }
  }
}
"#;
    let file = folder.file("policy.hcltest", cases);
    let printed = text(&hclvm(&["test", &file]).stdout).to_owned();
    assert_eq!(printed, "4 cases in 1 file: 4 passed, 0 failed\n");
    let printed = text(&hclvm(&["test", &file, "--filter", "made 6"]).stdout).to_owned();
    assert_eq!(printed, "1 case in 1 file: 1 passed, 0 failed; 3 filtered out\n");
    assert_eq!(hclvm(&["test", &file, "--filter", "nothing"]).status.code(), Some(2));
}

#[test]
fn mistakes_in_test_files_are_told() {
    for (cases, told) in [
        ("case \"a\" {\n  expct = 1\n}\n", "expect"),
        ("case {}\n", "name"),
        ("cse \"a\" {}\n", "case"),
        ("case \"a\" {\n  scope = { n = missing }\n}\n", "missing"),
        ("case \"a\" {\n  scope = 1\n}\n", "`scope` has to be an object"),
        ("case \"a\" {\n  expect = [1]\n}\n", "`expect` has to be an object"),
        (
            "scope = { n = 1 }\ncase \"a\" {\n  expect = { \"local.limt\" = 1 }\n}\n",
            "Did you mean `local.limit`?",
        ),
        (
            "scope = { n = 1 }\ncase \"a\" {\n  expect = { \"rule.small\" = 1 }\n}\n",
            "is a block; name its attributes",
        ),
        ("case \"a\" {\n  expect = { \"x..y\" = 1 }\n}\n", "is not a path"),
        ("case \"a\" {\n  file = \"none.hcl\"\n}\n", "Cannot read "),
    ] {
        let (code, printed) = run(&Folder::new(), cases);
        assert_eq!(code, Some(1), "{cases}{printed}");
        assert!(printed.starts_with("FAIL policy.hcltest") && printed.contains(told), "{cases}{printed}");
    }
}

#[test]
fn folders_are_searched_and_run_in_parallel() {
    let folder = Folder::new();
    folder.file("policy.hcl", POLICY);
    let inner = folder.0.path().join("inner");
    std::fs::create_dir(&inner).expect("a folder");
    for at in 0..20 {
        let cases = format!(
            "file = \"../policy.hcl\"\ncase \"c{at}\" {{\n  scope = {{ n = {at} }}\n  expect = {{ \"local.limit\" = {} }}\n}}\n",
            at * 2 + at / 19
        );
        std::fs::write(inner.join(format!("t{at:02}.hcltest")), cases).expect("a test file");
    }
    let path = folder.0.path().to_str().expect("a path of plain letters");
    let all = hclvm(&["test", path]);
    assert!(
        text(&all.stdout).ends_with("20 cases in 20 files: 19 passed, 1 failed\n"),
        "{}",
        text(&all.stdout)
    );
    let one = hclvm(&["test", path, "-j", "1"]);
    assert_eq!(text(&one.stdout), text(&all.stdout), "in order");
    let empty = folder.0.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let none = hclvm(&["test", empty.to_str().expect("a path of plain letters")]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("There are no files *.hcltest"), "{}", text(&none.stderr));
    assert_eq!(
        hclvm(&["eval", path, "--var", "n=1"]).status.code(),
        Some(0),
        "tests are not a part of a body"
    );
}

#[test]
fn results_are_printed_as_json_and_junit() {
    let folder = Folder::new();
    folder.file("policy.hcl", POLICY);
    let file = folder.file(
        "policy.hcltest",
        "file = \"policy.hcl\"\ncase \"<a> & \\\"b\\\"\" {\n  scope = { n = 1 }\n  expect = { \"local.limit\" = 3 }\n}\ncase \"c\" {\n  scope = { n = 1 }\n  expect = { \"local.limit\" = 2 }\n}\n",
    );
    let junit = folder.file("junit.xml", "");
    let output = hclvm(&["test", &file, "--json", "--junit", &junit]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let results = json(&output.stdout);
    assert_eq!((&results["passed"], &results["failed"]), (&1.into(), &1.into()));
    let case = &results["cases"][0];
    assert_eq!((&case["name"], &case["line"]), (&"<a> & \"b\"".into(), &2.into()));
    assert_eq!(case["failures"][0]["path"], "local.limit");
    assert_eq!((&case["failures"][0]["expected"], &case["failures"][0]["found"]), (&"3".into(), &"2".into()));
    let xml = std::fs::read_to_string(&junit).expect("the results");
    assert!(xml.contains("tests=\"2\" failures=\"1\" errors=\"0\""), "{xml}");
    assert!(xml.contains("name=\"&lt;a&gt; &amp; &quot;b&quot;\""), "{xml}");
    assert!(xml.contains("<failure message=\"local.limit is not as expected\">"), "{xml}");
}

#[test]
fn percentages_of_coverage_are_properties_in_junit() {
    let folder = Folder::new();
    folder.file("a.hcl", "rule \"r\" {\n  when = x > 1\n}\nother = 1\n");
    let file = folder.file(
        "a.hcltest",
        "file = \"a.hcl\"\ncase \"c\" {\n  scope = { x = 2 }\n  expect = { \"rule.r.when\" = true }\n}\n",
    );
    let junit = folder.file("junit.xml", "");
    let properties = || {
        let xml = std::fs::read_to_string(&junit).expect("the results");
        let lines = xml.lines().filter(|line| line.contains("<property "));
        lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let output = hclvm(&["test", &file, "--junit", &junit]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(properties(), Vec::<String>::new());
    let output = hclvm(&["test", &file, "--junit", &junit, "--coverage"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let expected = [("attributes", "50.0"), ("conditions", "50.0"), ("rules", "100.0"), ("covered", "50.0")];
    let expected =
        expected.map(|(name, value)| format!("<property name=\"coverage.{name}\" value=\"{value}\"/>"));
    assert_eq!(properties(), expected);
}

/// Runs a test file for a file of the examples.
fn example(path: &str, cases: &str) -> String {
    let folder = Folder::new();
    let file = format!("{}/../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    let file = folder.file("example.hcltest", format!("file = \"{file}\"\n{cases}"));
    text(&hclvm(&["test", &file]).stdout).to_owned()
}

#[test]
fn jobs_are_tested_with_their_variables() {
    let cases = r#"
case "three tasks" {
  scope = { var = { image_tag = "1.0", count = 3 } }
  expect = {
    "var.count"                             = 3
    "local.env.WORKERS"                     = 6
    "local.env"                             = { LOG_LEVEL = "info", WORKERS = 6 }
    "job.web.group.web.count"               = 3
    "job.web.group.web.network.port.http.to" = 8080
  }
}
case "a port that needs privileges" {
  scope = { var = { image_tag = "1.0", ports = { http = 80 } } }
  expect_error {
    title = "Invalid value for host variable"
  }
}
"#;
    let printed = example("nomad/web.nomad.hcl", cases);
    let expected = "has no attribute or block `local.env.WORKERS`";
    assert!(printed.contains(expected), "a local value is compared as a whole: {printed}");
    assert_eq!(printed.matches("FAIL").count(), 1, "{printed}");
}

#[test]
fn templates_are_tested_with_data_sources() {
    let cases = r#"
case "an image" {
  scope = { data = { amazon-ami = { base = { id = "ami-1", name = "test" } } } }
  expect = {
    "data.amazon-ami.base"                          = { id = "ami-1", name = "test" }
    "local.prefix"                                  = "web-eu"
    "build.base.amazon-ebs.large.source_ami"        = "ami-1"
    "build.base.amazon-ebs.large.tags"              = { build = "base", size = "small" }
    "build.base.amazon-ebs.none.source_ami"         = "ami-1"
  }
}
"#;
    let printed = example("packer", cases);
    for part in [
        "  build.base.amazon-ebs.large.tags.size\n    expected \"small\"\n    found    \"large\"\n",
        "no attribute or block `build.base.amazon-ebs.none.source_ami`",
    ] {
        assert!(printed.contains(part), "{printed}");
    }
    assert_eq!(printed.lines().count(), 7, "nothing else fails: {printed}");
    let mocked = example("packer", "case \"a\" {\n  mock \"upper\" { result = 1 }\n}\n");
    assert!(mocked.contains("has no mocks of functions"), "{mocked}");
    let packer = format!("{}/../examples/packer", env!("CARGO_MANIFEST_DIR"));
    let recorded = hclvm(&["test", &packer, "--record", "/dev/null"]);
    assert_eq!(recorded.status.code(), Some(2));
    let told = text(&recorded.stderr);
    assert!(
        told.contains("Cases of Packer templates, Nomad jobs and ") && told.contains(" cannot be recorded"),
        "{told}"
    );
}

#[test]
fn cases_of_one_name_have_their_own_lines() {
    let cases = "scope = { n = 1 }\ncase \"a\" {\n  expect = { \"local.limit\" = 1 }\n}\ncase \"a\" {\n  expect = { \"local.limit\" = 1 }\n}\n";
    let (_, printed) = run(&Folder::new(), cases);
    assert!(printed.contains("policy.hcltest:3: a") && printed.contains("policy.hcltest:6: a"), "{printed}");
}

#[test]
fn cases_that_pass_are_timed() {
    let cases = "scope = { n = 1 }\ncase \"good\" {\n  expect = { \"local.limit\" = 2 }\n}\ncase \"bad\" {\n  expect = { \"local.limit\" = 3 }\n}\n";
    let folder = Folder::new();
    folder.file("policy.hcl", POLICY);
    let file = folder.file("policy.hcltest", format!("file = \"policy.hcl\"\n{cases}"));
    let output = hclvm(&["test", &file, "--bench"]);
    assert_eq!(output.status.code(), Some(1), "a failure remains one");
    let times: Vec<&str> = text(&output.stdout).lines().filter(|line| line.contains(" ns  ")).collect();
    assert!(matches!(times[..], [one] if one.ends_with(": good")), "{times:?}");
    let printed = json(&hclvm(&["test", &file, "--bench", "--json"]).stdout);
    assert!(printed["cases"][0]["nanoseconds"].as_u64() > Some(0), "{printed}");
    assert!(printed["cases"][1]["nanoseconds"].is_null(), "{printed}");
}
