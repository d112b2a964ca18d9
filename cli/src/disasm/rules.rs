//! `hclvm disasm --index`: how searches find the rules of a file.
//!
//! ```text
//! rule.allow-owner  authz.hcl:51:14
//!   always evaluated: it compares no part of a variable with a constant, a prefix or a range
//! ```

use std::io::Write;

use hclvm::diagnostics::Source;
use hclvm::module::RuleSpec;
use hclvm::run::Indexing;
use hclvm::{Block, Document, Error, Module};
use serde_json::{Value as Json, json};

use super::{DisasmArguments, plain};
use crate::attribute_path;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::diagnostics_of;

/// The attribute that makes a block a rule.
const CONDITION: &str = "when";

/// A rule and how it is found.
struct RuleRow {
    path: String,
    at: u32,
    indexing: Indexing,
}

pub(super) fn run(
    document: &Document,
    arguments: &DisasmArguments,
    out: &mut impl Write,
) -> Result<CommandResult, EarlyEnd> {
    let rows = match rows(document) {
        Ok(rows) => rows,
        Err(error) => {
            arguments.options.diagnostics.print(&diagnostics_of(&error, &arguments.file));
            return Ok(CommandResult::Diagnosed);
        }
    };
    let source = document.source();
    if arguments.json {
        let rows = rows.iter().map(|row| as_json(row, source)).collect();
        writeln!(out, "{:#}", Json::Array(rows))?;
        return Ok(CommandResult::Fine);
    }
    for RuleRow { path, at, indexing } in &rows {
        let start = source.position(*at);
        writeln!(out, "{}  {}:{}:{}", plain(path), source.name(), start.line, start.column)?;
        writeln!(out, "  {}", plain(&indexing.to_string()))?;
    }
    Ok(CommandResult::Fine)
}

fn rows(document: &Document) -> Result<Vec<RuleRow>, Error> {
    let mut kinds: Vec<&str> = Vec::new();
    for block in document.body().blocks() {
        if block.attribute(CONDITION).is_some() && !kinds.contains(&block.kind()) {
            kinds.push(block.kind());
        }
    }
    if kinds.is_empty() {
        let rules = document.body().rule_set()?;
        let rows = document.body().attributes().enumerate().filter_map(|(rule, attribute)| {
            let (path, at) = (attribute_path::quoted(attribute.name()), attribute.expression_span().start);
            Some(RuleRow { path, at, indexing: rules.indexing(rule)? })
        });
        return Ok(rows.collect());
    }
    let module = document.module()?;
    let mut rows = Vec::new();
    for kind in kinds {
        add_rules(&module, kind, &mut rows)?;
    }
    Ok(rows)
}

/// Adds the rules that are blocks of one type, in the order in which they are searched.
fn add_rules(module: &Module, kind: &str, rows: &mut Vec<RuleRow>) -> Result<(), Error> {
    let priority = Some("priority");
    let rules = module.rules(&RuleSpec { kind, condition: CONDITION, outcome: &[], priority })?;
    let path = |block: Block<'_>| attribute_path::below_block("", block.kind(), block.labels());
    rows.extend(rules.indexing().filter_map(|(block, indexing)| {
        let at = block.attribute(CONDITION)?.expression_span().start;
        Some(RuleRow { path: path(block).trim_end_matches('.').to_owned(), at, indexing })
    }));
    Ok(())
}

fn as_json(row: &RuleRow, source: &Source) -> Json {
    let start = source.position(row.at);
    let mut members = json!({
        "rule": row.path,
        "file": source.name(),
        "line": start.line,
        "column": start.column,
        "index": row.indexing.to_string(),
    });
    if let Indexing::Where { comparisons, otherwise } = &row.indexing {
        members["where"] = comparisons.clone().into();
        members["otherwise"] = otherwise.clone().into();
    }
    members
}
