//! Policies that a service refuses to load, each with the place of what is wrong.

mod support;

use std::fs;

use hclvm_authorization::{Settings, check};

/// Returns why a policy is refused; `None` if it is not.
fn refusal(policy: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("policy.hcl"), policy).expect("it is written");
    let settings = Settings { policies: folder.path().into(), ..Settings::default() };
    check(&settings).err().map(|problems| problems.to_string())
}

fn rule(attributes: &str) -> String {
    format!("rule \"a\" {{\n{attributes}\n}}\n")
}

#[test]
fn rules_without_a_fault_are_accepted() {
    for attributes in [
        "when = true\neffect = \"allow\"\nreason = \"x\"\npriority = 3\nobligations = { a = 1 }",
        "when = true\neffect = \"allow\"\nheaders = {}\nremove_headers = []\nresponse_headers = {}\nmetadata = {}",
        "when = true\neffect = \"deny\"\nstatus = 404\nbody = \"x\"\nresponse_headers = {}\nmetadata = {}",
        // What depends on the request may have either effect.
        "when = true\neffect = request.path == \"/\" ? \"allow\" : \"deny\"\nstatus = 404\nheaders = {}",
    ] {
        assert_eq!(refusal(&rule(attributes)), None, "{attributes}");
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    for (policy, place) in [
        (rule("when = true\neffect = \"allow\"\nstatus = 404"), ":4:1"),
        (rule("when = true\neffect = \"allow\"\nbody = \"x\""), ":4:1"),
        (rule("when = true\neffect = \"deny\"\nheaders = {}"), ":4:1"),
        (rule("when = true\neffect = \"deny\"\nremove_headers = []"), ":4:1"),
        (rule("when = true\neffect = \"deny\"\nstatus = 200"), ":4:10"),
        (rule("when = true\neffect = \"deny\"\nstatus = 500"), ":4:10"),
        (rule("when = true\neffect = \"Allow\""), ":3:10"),
        (rule("when = true\neffect = null"), ":3:10"),
        (rule("when = true\neffect = \"al${\"low\"}ed\""), ":3:10"),
        (rule("effect = \"allow\""), "when"),
        (rule("when = true"), "effect"),
        (rule("when = true\neffect = \"allow\"\nwhne = true"), ":4:1"),
        (rule("when = true\neffect = \"allow\"\nheader {}"), ":4:1"),
        (rule("when = requst.path == \"/\"\neffect = \"allow\""), ":2:8"),
        (rule("when = request.pth == \"/\"\neffect = \"allow\""), ":2:15"),
        (rule("when = request.path + 1 > 2\neffect = \"allow\"\nheaders = { a = local.none }"), ":4:"),
        (rule("when = uper(request.path) == \"\"\neffect = \"allow\""), ":2:8"),
        (rule("when = true\neffect = \"allow\"") + &rule("when = false\neffect = \"deny\""), ":5:1"),
        ("rule {\nwhen = true\neffect = \"allow\"\n}\n".to_owned(), ":1:"),
        ("rule \"a\" \"b\" {\nwhen = true\neffect = \"allow\"\n}\n".to_owned(), ":1:10"),
        ("rules \"a\" {\nwhen = true\neffect = \"allow\"\n}\n".to_owned(), ":1:1"),
        ("when = true\n".to_owned(), ":1:1"),
    ] {
        let told = refusal(&policy).unwrap_or_else(|| panic!("accepted:\n{policy}"));
        assert!(told.contains(place), "{place} of\n{policy}\n{told}");
    }
}
