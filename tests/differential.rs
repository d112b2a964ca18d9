//! The machine and the plain evaluator agree on grown expressions.
//!
//! `HCLVM_DIFFERENTIAL=cases` or `cases:seed` asks for another run than the short one;
//! `harness differential` is the same as a program.

use hclvm_treewalk::differential;

/// Enough to meet every construct with every kind of value, and quick without optimisation.
const CASES: u64 = 20_000;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_DIFFERENTIAL").unwrap_or_default();
    let (cases, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (cases.parse().unwrap_or(CASES), seed.parse().unwrap_or(1))
}

#[test]
fn grown_expressions_have_one_result() {
    let (cases, seed) = asked_for();
    let mut differences = Vec::new();
    let tally = differential::run(seed, 0..cases, &hclvm::functions::standard(), &mut |difference| {
        if differences.len() < 5 {
            differences.push(difference.to_string());
        }
    });
    assert!(differences.is_empty(), "seed {seed}: {tally}\n{}", differences.join("\n"));
    assert!(tally.rejected * 10 < tally.cases, "too little is compared: {tally}");
    assert!(tally.evaluations > tally.cases * 2, "too little is compared: {tally}");
    assert!(tally.faulty * 10 < tally.evaluations * 9, "nearly everything fails: {tally}");
}
