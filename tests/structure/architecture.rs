//! ARCHITECTURE.md and the instruction tables of the book are up to date: the links of the map lead to files, and the
//! tables equal those of the code.

use std::fmt::Write as _;
use std::path::Path;

use hclvm_vm::code::fast::FAST_INSTRUCTIONS;
use hclvm_vm::code::{INSTRUCTIONS, Instruction};

/// The chapter with the generated tables.
const CHAPTER: &str = "docs/book/src/instructions.md";

/// The generated tables: the name of the marker and the table.
const TABLES: [(&str, &[Instruction]); 2] = [("full", INSTRUCTIONS), ("fast", FAST_INSTRUCTIONS)];

/// Formats a table as the chapter shows it.
fn table(instructions: &[Instruction]) -> String {
    let mut out = String::from("| instruction | operands | what it does |\n|---|---|---|\n");
    for instruction in instructions {
        let text = instruction.text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let operands = instruction.operands.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        writeln!(out, "| `{}` | {operands} | {text} |", instruction.name).expect("a string takes all");
    }
    out
}

/// Returns the chapter with its tables regenerated.
fn regenerated(document: &str) -> String {
    TABLES.iter().fold(document.to_owned(), |document, (name, instructions)| {
        let (begin, end) = (format!("<!-- {name}: begin -->\n"), format!("<!-- {name}: end -->"));
        let (before, rest) = document.split_once(&begin).expect("the chapter has a place for the table");
        let (_, after) = rest.split_once(&end).expect("the place has an end");
        format!("{before}{begin}{}{end}{after}", table(instructions))
    })
}

#[test]
fn the_instruction_tables_equal_those_of_the_machine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(CHAPTER);
    let document = std::fs::read_to_string(&path).expect("the chapter is there");
    let wanted = regenerated(&document);
    if std::env::var_os("REGENERATE").is_some() {
        std::fs::write(&path, wanted).expect("the chapter can be written");
        return;
    }
    assert!(
        document == wanted,
        "the tables in {CHAPTER} are not those of the code; to make them anew:\n\
         REGENERATE=1 cargo test --test structure"
    );
}

#[test]
fn every_link_of_the_map_leads_to_a_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("the document is there");
    let links = document.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(link, _)| link));
    let local: Vec<&str> = links.filter(|link| !link.contains("://")).collect();
    assert!(local.len() > 20, "the map has links");
    for link in local {
        assert!(root.join(link).exists(), "ARCHITECTURE.md links to {link}, which does not exist");
    }
}
