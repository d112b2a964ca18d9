//! `harness differential`: runs generated expressions by the machine and the tree-walker and prints differences.
#![expect(clippy::print_stdout, reason = "the result is the program's output")]

use hclvm_treewalk::differential;

use crate::table;

/// Runs `--cases N --seed S`, or of these only `--case I`. Prints at most `--show N` differences.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut cases, mut seed, mut only, mut show) = (100_000, 1, None, 10);
    for pair in arguments.chunks(2) {
        let [flag, number] = pair else { return Err(format!("invalid arguments: {}", pair.join(" "))) };
        let number: u64 = number.parse().map_err(|_| format!("not a number: {number}"))?;
        match flag.as_str() {
            "--cases" => cases = number,
            "--seed" => seed = number,
            "--case" => only = Some(number),
            "--show" => show = number,
            _ => return Err(format!("invalid argument: {flag}")),
        }
    }
    let range = only.map_or(0..cases, |case| case..case + 1);
    let mut told = 0;
    let tally = differential::run(seed, range, &table::stdlib(), &mut |difference| {
        told += 1;
        if told <= show {
            println!("{difference}");
        }
    });
    println!("seed {seed}: {tally}");
    if tally.different == 0 { Ok(()) } else { Err("the evaluators differ".to_owned()) }
}
