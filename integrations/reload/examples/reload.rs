//! A configuration that is edited while it is in use: what a reload changed, and what happens to a broken edit.
//!
//! `cargo run --package hclvm-reload --example reload`
#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::fs;

use hclvm::Engine;
use hclvm_reload::{Files, Outcome, Reload};

const GAME: &str = "\
locals {
  base = 10
}
speed  = local.base + player.rank * 2
armour = local.base * 3
name   = upper(\"arena\")
";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("game.hcl");
    fs::write(&path, GAME)?;
    let mut reload = Reload::builder(&Engine::new(), Files::new(&path))
        .scope(|scope, _| scope.set_all_json(r#"{"player": {"rank": 3}}"#))
        .open(|candidate| Ok(candidate.module()?))?;

    // A server calls `reload.watch` instead, which attempts a reload after each edit.
    for edit in [
        GAME.replace("rank * 2", "rank * 5"),
        GAME.replace("base = 10", "base = 20"),
        GAME.replace("upper(", "uper("),
        format!("# a comment\n{GAME}"),
    ] {
        fs::write(&path, edit)?;
        match reload.attempt() {
            Outcome::Reloaded(report) => {
                println!("reloaded, {} of the expressions compiled:", report.update.compiled);
                for change in &report.values {
                    let text = |value: &Option<hclvm::OwnedValue>| {
                        value.as_ref().map_or("nothing".to_owned(), |value| value.get().to_string())
                    };
                    println!("  {} was {}, is {}", change.path, text(&change.before), text(&change.after));
                }
            }
            Outcome::Rejected(rejection) => {
                let problems = rejection.problems.to_string();
                println!(
                    "rejected, epoch {} stays: {}",
                    reload.current().load().epoch(),
                    problems.lines().next().unwrap_or_default()
                );
            }
            outcome => println!("{outcome:?}"),
        }
    }
    Ok(())
}
