//! The function tables of applications have the names listed in ../shared/docs/functions.tsv.

mod judge;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use hclvm::functions::{Capabilities, nomad, packer};
use libtest_mimic::{Arguments, Failed};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = judge::unless_absent("tables_have_the_listed_names", "docs/functions.tsv", names);
    libtest_mimic::run(&arguments, vec![trial]).exit_code()
}

fn names(path: &Path) -> Result<(), Failed> {
    let list = fs::read_to_string(path)?;
    let none = Capabilities::none();
    for (letter, table, count) in [("P", packer(&none), 104), ("N", nomad(&none), 83)] {
        let rows = list.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let listed = rows.filter(|row| row[4..6].contains(&letter));
        let expected: BTreeSet<String> = listed.map(|row| row[0].to_owned()).collect();
        let found: BTreeSet<String> = table.names().map(ToString::to_string).collect();
        if expected.len() != count || found != expected {
            let different: Vec<&String> = found.symmetric_difference(&expected).collect();
            return Err(
                format!("{letter}: {} names are listed, different: {different:?}", expected.len()).into()
            );
        }
    }
    Ok(())
}
