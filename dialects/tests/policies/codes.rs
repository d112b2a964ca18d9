//! Codes of Terraform's policies: every wrong example has its problem, and every right one has none.

use hclvm::diagnostics::Code;
use hclvm_dialects::terraform_policy::{Policies, Settings, TestSettings};
use hclvm_dialects::{File, Problems};

/// The policy that test files test.
const TESTED: &str = "resource_policy \"aws_vpc\" \"p\" {\n  enforce {\n    condition = attrs.on\n  }\n}\n";

/// Returns the problems of a text: of a test file if it has mocks, else of a file of policies.
fn problems(text: &str) -> Problems {
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

#[test]
fn wrong_examples_have_their_problem_and_right_ones_have_none() {
    let mut examples = 0;
    for code in Code::all().filter(|code| code.is_of_policy() && !code.wrong().is_empty()) {
        let wrong = problems(code.wrong());
        assert!(wrong.iter().any(|one| one.code() == code), "{code}: the wrong example has {wrong:?}");
        let right = problems(code.right());
        assert!(right.is_empty(), "{code}: the right example has {right:?}");
        examples += 1;
    }
    assert!(examples > 20);
}
