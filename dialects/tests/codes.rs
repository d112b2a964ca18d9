//! Codes of modules: every wrong example has its problem, and every right one has none.

use hclvm::diagnostics::Code;
use hclvm_dialects::{File, Files, Inputs, Problems, nomad, packer};

/// Returns the problems of a text: a job if it has one, else a template.
fn problems(text: &str) -> Problems {
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

#[test]
fn wrong_examples_have_their_problem_and_right_ones_have_none() {
    let mut examples = 0;
    for code in Code::all().filter(|code| code.is_of_module() && !code.wrong().is_empty()) {
        let wrong = problems(code.wrong());
        assert!(wrong.iter().any(|one| one.code() == code), "{code}: the wrong example has {wrong:?}");
        let right = problems(code.right());
        assert!(right.is_empty(), "{code}: the right example has {right:?}");
        examples += 1;
    }
    assert!(examples > 20);
}
