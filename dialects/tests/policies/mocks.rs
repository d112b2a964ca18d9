//! Test files.

use hclvm_dialects::terraform_policy::TestResult;

use super::{policy, test};

const LIMIT: &str = "input \"limit\" {\n  type    = number\n  default = 10\n}\n";

#[test]
fn mocks_read_each_other_in_any_order() {
    let found = test(
        &policy("attrs.id == \"v\""),
        "resource \"t\" \"a\" {\n  attrs = { id = t.b.id }\n}\nresource \"t\" \"b\" {\n  attrs = { id = t.c.attrs.id }\n}\nresource \"t\" \"c\" {\n  attrs = { id = local.id }\n}\nlocals {\n  id = data.d.e.id\n}\ndata \"d\" \"e\" {\n  attrs = { id = \"v\" }\n}\n",
    );
    assert!(found.is_success(), "{found:?}");
    assert_eq!(found.mocks().len(), 3);
}

#[test]
fn inputs_of_a_mock_are_its_own() {
    let text = LIMIT.to_owned() + &policy("attrs.size <= input.limit");
    let mocks = "inputs {\n  limit = 5\n}\nresource \"t\" \"a\" {\n  attrs = { size = 7 }\n  inputs {\n    limit = 8\n  }\n}\nresource \"t\" \"b\" {\n  expect_failure = true\n  attrs = { size = 6 }\n}\n";
    let found = test(&text, mocks);
    assert!(found.is_success(), "{found:?}");
}

#[test]
fn results_say_what_was_not_expected() {
    let found = test(
        &policy("attrs.on"),
        "resource \"t\" \"a\" {\n  attrs = { on = false }\n}\nresource \"t\" \"b\" {\n  expect_failure = true\n  attrs = { on = true }\n}\nresource \"t\" \"c\" {\n  expect_failure = true\n  attrs = { off = true }\n}\nresource \"t\" \"d\" {\n  skip = true\n  attrs = { on = true }\n}\n",
    );
    let results: Vec<TestResult> = found.mocks().iter().map(|mock| mock.result()).collect();
    assert_eq!(
        results,
        [TestResult::UnexpectedFailure, TestResult::MissingFailure, TestResult::Error, TestResult::Skipped]
    );
}

#[test]
fn a_message_that_cannot_be_evaluated_is_noticed() {
    let text = "resource_policy \"t\" \"p\" {\n  enforce {\n    condition     = attrs.on\n    error_message = \"${attrs.nme} is off\"\n  }\n}\n";
    let found = test(text, "resource \"t\" \"a\" {\n  expect_failure = true\n  attrs = { on = false }\n}\n");
    let verdict = &found.mocks()[0].verdicts()[0];
    assert!(!verdict.problems().is_empty() && !verdict.problems().has_errors());
    assert_eq!(verdict.messages().len(), 1);
}
