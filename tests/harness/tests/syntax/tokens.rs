//! Token streams compared with recorded ones.

use hclvm_compiler::source::{Decoded, Source};
use hclvm_compiler::{LexMode, lex};
use libtest_mimic::Failed;
use serde_json::Value;

use crate::recorded;

fn mode(case: &Value) -> LexMode {
    match case["mode"].as_str() {
        Some("config") => LexMode::Config,
        Some("template") => LexMode::Template,
        _ => LexMode::Expression,
    }
}

fn found(text: &Decoded, case: &Value) -> Vec<String> {
    let lexed = lex(text, mode(case));
    let source = Source::new("", text.text.as_str(), lexed.seams);
    let tokens = lexed.tokens.iter().map(|token| {
        let (start, end) = source.range(token.span);
        format!("{} {:?}-{:?}", token.kind.name(), recorded::place(start), recorded::place(end))
    });
    tokens.chain(lexed.diagnostics.iter().map(|one| recorded::found(&source, one))).collect()
}

fn wanted(case: &Value) -> Vec<String> {
    let tokens = case["expect"]["tokens"].as_array().into_iter().flatten().map(|token| {
        let ends = |index: usize| -> Vec<u64> {
            token[index].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
        };
        format!("{} {:?}-{:?}", token[0].as_str().unwrap_or_default(), ends(2), ends(3))
    });
    let errors = case["expect"]["errors"].as_array().into_iter().flatten().map(recorded::wanted);
    tokens.chain(errors).collect()
}

pub(crate) fn token_streams_are_those_recorded(cases: &[Value]) -> Result<(), Failed> {
    let cases = recorded::of_kinds(cases, &["tokens"]);
    let mut disagreements = Vec::new();
    for case in &cases {
        let text = recorded::input(case);
        let (found, wanted) = (found(&text, case), wanted(case));
        if found != wanted {
            disagreements
                .push(format!("{} {:?}\n  found  {found:?}\n  wanted {wanted:?}", case["id"], text.text));
        }
    }
    recorded::judge(cases.len(), &disagreements)
}
