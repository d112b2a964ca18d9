//! The machine and the tree-walker agree on generated expressions. Rule sets are in rule_differential.rs.
//!
//! `HCLVM_DIFFERENTIAL=cases` or `cases:seed` selects another run than the short default; the command
//! `harness differential` runs it as a program.

use hclvm_treewalk::differential;

/// Enough for every construct with every kind of value, and fast enough without optimization.
const CASES: u64 = 20_000;

fn asked_for() -> (u64, u64) {
    let asked = std::env::var("HCLVM_DIFFERENTIAL").unwrap_or_default();
    let (cases, seed) = asked.split_once(':').unwrap_or((&asked, ""));
    (cases.parse().unwrap_or(CASES), seed.parse().unwrap_or(1))
}

#[test]
fn generated_expressions_have_equal_results_in_the_tree_walker() {
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
    assert!(tally.fast * 5 > tally.evaluations * 2, "the fast tier answers too little: {tally}");
    assert!(tally.faulty * 10 < tally.evaluations * 9, "nearly everything fails: {tally}");
}
