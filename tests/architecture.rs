//! ARCHITECTURE.md says what the code says: the instruction table is a copy that a test compares.

use std::fmt::Write as _;
use std::path::Path;

use hclvm_vm::code::INSTRUCTIONS;

const BEGIN: &str = "<!-- instructions: begin -->\n";
const END: &str = "<!-- instructions: end -->";

/// The table as the document shows it.
fn table() -> String {
    let mut out = String::from("| instruction | operands | what it does |\n|---|---|---|\n");
    for instruction in INSTRUCTIONS {
        let text = instruction.text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let operands = instruction.operands.join(" ");
        writeln!(out, "| `{}` | {operands} | {text} |", instruction.name).expect("a string takes all");
    }
    out
}

#[test]
fn the_instruction_table_is_the_machines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let document = std::fs::read_to_string(&path).expect("the document is there");
    let (before, rest) = document.split_once(BEGIN).expect("the document has a place for the table");
    let (copy, after) = rest.split_once(END).expect("the place has an end");
    if std::env::var_os("REGENERATE").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{}{END}{after}", table()))
            .expect("the document is ours");
        return;
    }
    assert!(
        copy == table(),
        "the table in ARCHITECTURE.md is not that of vm/src/code/table.rs; to make it anew:\n\
         REGENERATE=1 cargo test --test architecture"
    );
}

#[test]
fn every_room_on_the_map_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the document is there");
    let links = document.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(link, _)| link));
    let local: Vec<&str> = links.filter(|link| !link.contains("://")).collect();
    assert!(local.len() > 20, "the map has links");
    for link in local {
        assert!(root.join(link).exists(), "ARCHITECTURE.md links to {link}, which does not exist");
    }
}
