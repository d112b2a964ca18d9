//! `hclvm decide`: its output and exit codes, and what says how rules decide.

use super::{Folder, hclvm, hclvm_reading, json, json_lines, text};

const RULES: &str = r#"rule "locked" {
  priority = 1
  when     = resource.locked && request.method != "GET"
  effect   = "deny"
  reason   = "${resource.id} is locked"
}
rule "owner" {
  when        = request.user == resource.owner
  effect      = "allow"
  reason      = "${request.user} owns ${resource.id}"
  obligations = { audit = true }
}
"#;

/// A scope with a user, and a resource of ann's that is locked or not.
fn request(user: &str, locked: bool) -> String {
    format!(
        r#"{{"request": {{"user": "{user}", "method": "PUT"}}, "resource": {{"id": "r", "owner": "ann", "locked": {locked}}}}}"#
    )
}

#[test]
fn a_decision_has_effect_rule_reason_and_obligations() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", RULES);
    let decide = |user, locked, further: &[&str]| {
        let arguments = [&["decide", &policy, "--scope", "-"], further].concat();
        hclvm_reading(&arguments, &request(user, locked))
    };
    let allowed = decide("ann", false, &[]);
    let expected = format!(
        "allow, because rule \"owner\" applies ({policy}:7)\nreason: ann owns r\nobligations: {{\"audit\":true}}\n"
    );
    assert_eq!((text(&allowed.stdout), text(&allowed.stderr)), (&*expected, ""));
    assert_eq!(allowed.status.code(), Some(0));
    let denied = decide("ann", true, &["--output", "json"]);
    assert_eq!(denied.status.code(), Some(3));
    let expected = json!({"effect": "deny", "cause": "rule", "rule": "locked", "reason": "r is locked", "obligations": []});
    assert_eq!(json(&denied.stdout), expected);
    let nobody = decide("bob", false, &[]);
    assert_eq!(nobody.status.code(), Some(3));
    assert_eq!(text(&nobody.stdout), "deny, because no rule applies\n");
    let explained = decide("bob", false, &["--why"]);
    assert_eq!(explained.status.code(), Some(3));
    let why = text(&explained.stdout);
    assert!(why.contains("rule \"owner\" does not apply, because `request.user == resource.owner`"), "{why}");
}

#[test]
fn what_cannot_be_decided_has_exit_codes_of_its_own() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", RULES);
    let undecided = hclvm(&["decide", &policy]);
    assert_eq!(undecided.status.code(), Some(4));
    assert_eq!(
        text(&undecided.stdout),
        "deny, because it is undecided: rule \"locked\", rule \"owner\" have errors\n"
    );
    assert!(text(&undecided.stderr).contains("The variable \"resource\" has no value"));
    // Each variable once.
    let told = text(&undecided.stderr);
    assert_eq!(told.matches("The variable ").count(), 2, "{told}");
    assert!(
        told.contains("\"resource\" has no value in this scope. Another place reads it as well."),
        "{told}"
    );
    let data = hclvm(&["decide", &policy, "--diagnostics", "json"]);
    assert_eq!(text(&data.stderr).matches("The variable ").count(), 4, "{}", text(&data.stderr));
    let unknown = hclvm(&[
        "decide",
        &policy,
        "--undefined",
        "unknown",
        "--undecided-effect",
        "allow",
        "--output",
        "json",
    ]);
    assert_eq!(unknown.status.code(), Some(4), "undecided is not allowed, whatever its effect");
    assert_eq!(json(&unknown.stdout)["undecided"], json!(["locked", "owner"]));
    let rule = |at: usize| format!("rule \"r{at}\" {{\n  when   = x\n  effect = \"allow\"\n}}\n");
    let rules: Vec<String> = (0..9).map(rule).collect();
    let many = hclvm(&["decide", &folder.file("many.hcl", rules.concat())]);
    let expected =
        "deny, because it is undecided: rule \"r0\", rule \"r1\", rule \"r2\", 6 more rules have errors\n";
    assert_eq!(text(&many.stdout), expected);
    // Nothing is decided by a policy with mistakes, or a scope with some.
    let typo = folder.file("typo.hcl", RULES.replace("when     =", "whn      ="));
    for (file, input) in [(&typo, "{}"), (&policy, "{"), (&policy, "[]")] {
        let refused = hclvm_reading(&["decide", file, "--scope", "-"], input);
        assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(1), ""), "{input}");
        assert!(!refused.stderr.is_empty());
    }
    for arguments in [&["--scope", "missing.json"][..], &["--undefined", "text"], &["--var", "usr=1"]] {
        let refused = hclvm(&[&["decide", &policy], arguments].concat());
        assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(2), ""), "{arguments:?}");
    }
}

#[test]
fn many_scopes_have_a_line_each_and_the_worst_exit_code() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", RULES);
    let lines = |users: &[&str]| users.iter().map(|user| request(user, false) + "\n").collect::<String>();
    let decide = |scopes: &str, further: &[&str]| {
        hclvm_reading(&[&["decide", &policy, "--scopes", "-"], further].concat(), scopes)
    };
    let all = decide(&lines(&["ann", "ann"]), &[]);
    assert_eq!(all.status.code(), Some(0));
    let some = decide(&lines(&["ann", "bob"]), &[]);
    assert_eq!(some.status.code(), Some(3));
    let effects: Vec<_> = json_lines(&some).iter().map(|line| line["effect"].clone()).collect();
    assert_eq!(effects, ["allow", "deny"]);
    let open = decide(&(lines(&["bob", "ann"]) + "{\"$name\": \"open\"}\n"), &["--output", "text"]);
    assert_eq!(open.status.code(), Some(4));
    let told = text(&open.stdout);
    assert!(told.starts_with("line 1: deny, because no rule applies\nline 2: allow, because"), "{told}");
    assert!(told.contains("\nopen: deny, because it is undecided: "), "{told}");
    let broken = decide(&(lines(&["ann"]) + "{\n" + &lines(&["bob"])), &[]);
    assert_eq!(broken.status.code(), Some(1));
    let found = json_lines(&broken);
    assert_eq!((found.len(), &found[1]["line"], found[1]["errors"].is_array()), (3, &json!(2), true));
    let told = decide("{\n", &["--output", "text"]);
    assert!(
        text(&told.stdout)
            .starts_with("line 1: error, nothing was decided: Invalid scope: Line 1: the text ends"),
        "{}",
        text(&told.stdout)
    );
    let list = decide(&format!("[{}, {}]", request("ann", false), request("bob", true)), &["--from", "2"]);
    assert_eq!(json_lines(&list).len(), 1);
    assert_eq!(list.status.code(), Some(3));
}

#[test]
fn options_are_stronger_than_the_project_file_and_it_is_than_defaults() {
    let folder = Folder::new();
    let text_of =
        RULES.replace("  priority = 1\n", "").replace("rule \"", "policy \"").replace("when ", "if ");
    let swapped: String = {
        let (first, second) = text_of.split_at(text_of.find("policy \"owner\"").expect("it is there"));
        format!("{second}{first}")
    };
    let policy = folder.file("policy.hcl", swapped);
    let scope = folder.file("scope.json", request("ann", true));
    folder.file("hclvm.hcl", "policy {\n  rule_type = \"policy\"\n  condition = \"if\"\n}\n");
    let decide = |further: &[&str]| hclvm(&[&["decide", &policy, "--scope", &scope], further].concat());
    let first = decide(&[]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert_eq!(decide(&["--combining", "deny-overrides"]).status.code(), Some(3));
    let project =
        "policy {\n  rule_type = \"policy\"\n  condition = \"if\"\n  combining = \"deny-overrides\"\n}\n";
    folder.file("hclvm.hcl", project);
    assert_eq!(decide(&[]).status.code(), Some(3));
    assert_eq!(decide(&["--combining", "first"]).status.code(), Some(0));
    assert_eq!(decide(&["--combining", "first", "--allowing", "deny"]).status.code(), Some(3));
    // An effect that rules cannot have would never allow or deny.
    let refused = decide(&["--default-effect", "dney"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("Did you mean \"deny\"?"), "{}", text(&refused.stderr));
    // The file is no part of its folder.
    let whole = hclvm(&["decide", folder.0.path().to_str().expect("plain"), "--scope", &scope]);
    assert_eq!(whole.status.code(), Some(3), "{}", text(&whole.stderr));
}

#[test]
fn mistakes_in_a_project_file_have_places() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", RULES);
    for (project, wanted) in [
        ("policy {\n  combinin = \"first\"\n}\n", "Did you mean \"combining\"?"),
        ("policy {\n  combining = \"firs\"\n}\n", "wanted first, all, or EFFECT-overrides"),
        ("polcy {\n}\n", "Did you mean"),
        ("a = 1\n", "hclvm.hcl:1:1"),
        ("function \"f\" {\n  result = 1\n  error = \"x\"\n}\n", "a result and an error"),
        ("policy {\n", "hclvm.hcl:1"),
    ] {
        folder.file("hclvm.hcl", project);
        for command in ["decide", "check", "eval"] {
            let refused = hclvm(&[command, &policy]);
            let told = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{command}: {told}");
            assert!(told.contains(wanted) && told.contains("hclvm.hcl"), "{wanted} is missing in\n{told}");
        }
    }
}

#[test]
fn folders_above_count_inside_of_a_repository_only() {
    let folder = Folder::new();
    let below = folder.0.path().join("a/b");
    std::fs::create_dir_all(&below).expect("a folder");
    folder.file("a/b/policy.hcl", "allowed = is_open(1)\n");
    folder.file("hclvm.hcl", "function \"is_open\" {\n  result = true\n}\n");
    let policy = below.join("policy.hcl").to_str().expect("plain").to_owned();
    std::fs::create_dir(folder.0.path().join(".git")).expect("a folder");
    assert_eq!(hclvm(&["eval", &policy]).status.code(), Some(0));
    std::fs::create_dir(folder.0.path().join("a/.git")).expect("a folder");
    assert_eq!(hclvm(&["eval", &policy]).status.code(), Some(1), "it is above the root");
    folder.file("a/hclvm.hcl", "function \"is_open\" {\n  result = false\n}\n");
    let nearer = hclvm(&["eval", &policy, "--attr", "allowed"]);
    assert_eq!(text(&nearer.stdout), "false\n");
}

#[test]
fn commands_have_answers_for_functions_of_the_host() {
    let folder = Folder::new();
    let policy = folder
        .file("policy.hcl", "rule \"ip\" {\n  when   = ip_in(ip, \"10.0.0.0/8\")\n  effect = \"allow\"\n}\n");
    let stubs = "function \"ip_in\" {\n  arguments = [\"10.1.1.1\", \"10.0.0.0/8\"]\n  result = true\n}\n\
                 function \"ip_in\" {\n  error = \"no network\"\n}\n";
    let stubs = folder.file("stubs.hcl", stubs);
    let given = |ip: &str, further: &[&str]| {
        let variable = format!("ip={ip}");
        hclvm(&[&["decide", &policy, "--var", &variable], further].concat())
    };
    assert_eq!(given("10.1.1.1", &[]).status.code(), Some(4), "there is no such function");
    assert_eq!(given("10.1.1.1", &["--functions", &stubs]).status.code(), Some(0));
    let failed = given("::1", &["--functions", &stubs]);
    assert_eq!(failed.status.code(), Some(4));
    assert!(text(&failed.stderr).contains("no network"), "{}", text(&failed.stderr));
    let checked = hclvm(&["check", &policy, "--functions", &stubs]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    // Of a function without an answer, the result is unknown.
    let silent = folder.file("silent.hcl", "function \"ip_in\" {\n}\n");
    let unknown = given("10.1.1.1", &["--functions", &silent, "--output", "json"]);
    assert_eq!((unknown.status.code(), &json(&unknown.stdout)["undecided"]), (Some(4), &json!(["ip"])));
    let entered = hclvm_reading(&["repl", "--functions", &stubs], "ip_in(\"10.1.1.1\", \"10.0.0.0/8\")\n");
    assert_eq!(text(&entered.stdout), "true\n");
    let scope = folder.file("scope.json", "{\"ip\": \"10.1.1.1\"}");
    let timed = hclvm(&[
        "bench",
        &policy,
        "--scopes",
        &scope,
        "--functions",
        &stubs,
        "--rounds",
        "1",
        "--round",
        "1",
    ]);
    assert_eq!(timed.status.code(), Some(0), "{}", text(&timed.stderr));
}

#[test]
fn a_name_that_is_nearly_read_is_noted() {
    let folder = Folder::new();
    let policy = folder.file("policy.hcl", RULES);
    let scope = folder.file("scope.json", "{\"requst\": {}, \"other\": 1}");
    for command in ["decide", "eval"] {
        let output = hclvm(&[command, &policy, "--scope", &scope]);
        let told = text(&output.stderr);
        let wanted = "sets \"requst\", which nothing reads. Did you mean \"request\", which has no value?";
        assert!(told.contains(wanted), "{command}: {told}");
        assert!(!told.contains("\"other\""), "{told}");
    }
}
