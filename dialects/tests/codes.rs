//! Codes of modules and of Terraform's policies: every wrong example has its problem, and every right one has none.

use hclvm::diagnostics::Code;
use hclvm_dialects::terraform_policy::{Policies, Settings, TestSettings};
use hclvm_dialects::{File, Files, Inputs, Problems, nomad, packer};

/// The policy that test files test.
const TESTED: &str = "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n";

/// Returns the problems of a text: a job if it has one, else a template.
fn of_module(text: &str) -> Problems {
    let inputs = Inputs::new();
    let found = if text.contains("job \"") {
        nomad::Settings::new()
            .prepare(&File::new("a.nomad.hcl", text))
            .map(|module| module.evaluate(&inputs).problems().clone())
    } else {
        let files = Files::of(&packer::Packer, "a", [File::new("a.pkr.hcl", text)]);
        packer::Settings::new().prepare(&files).map(|module| module.evaluate(&inputs).problems().clone())
    };
    found.unwrap_or_else(|problems| problems)
}

/// Returns the problems of a text: of a test file if it has mocks, else of a file of policies.
fn of_policies(text: &str) -> Problems {
    let is_test = ["policytest {", "resource \""].iter().any(|start| text.starts_with(start));
    let file = File::new("a.policy.hcl", if is_test { TESTED } else { text });
    match Policies::load(&[file], &Settings::new()) {
        Ok(policies) if is_test => {
            policies.test(&File::new("a.policytest.hcl", text), &TestSettings::new()).problems().clone()
        }
        Ok(policies) => policies.warnings().clone(),
        Err(problems) => problems,
    }
}

fn check_examples(codes: impl Iterator<Item = Code>, problems: impl Fn(&str) -> Problems) {
    let mut examples = 0;
    for code in codes.filter(|code| !code.wrong().is_empty()) {
        let wrong = problems(code.wrong());
        assert!(wrong.iter().any(|one| one.code() == code), "{code}: the wrong example has {wrong:?}");
        let right = problems(code.right());
        assert!(right.is_empty(), "{code}: the right example has {right:?}");
        examples += 1;
    }
    assert!(examples > 20);
}

#[test]
fn examples_of_modules_have_their_problem() {
    check_examples(Code::all().filter(|code| code.is_of_module()), of_module);
}

#[test]
fn examples_of_policies_have_their_problem() {
    check_examples(Code::all().filter(|code| code.is_of_policy()), of_policies);
}
