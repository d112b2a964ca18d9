//! `hclvm disasm`: lists the code of attributes, each instruction beside its source expression.
//!
//! ```text
//! rule.allow-owner.when  authz.hcl:51:14
//!   51 |   when     = user.id == resource.owner_id
//!
//! fast tier, for plain values; r0 = user; r1 = resource
//!    0  Attribute     d=r2, a=r0, cache=0, .id
//! baseline tier
//!    0  Log           d=r1             user.id == resource.owner_id
//!    1  Variable      d=r0, user       user.id
//! ```
//! With `--index`, how searches find the rules of the file.

mod rules;

use std::io::Write;

use clap::Args;
use hclvm::analysis::Line;
use hclvm::diagnostics::{Source, Span, steers_terminal};
use hclvm::{Attribute, Body, Error, Program};
use serde_json::{Value as Json, json};

use crate::attribute_path::{self, PathArgument};
use crate::options::CommandOptions;
use crate::outcome::{CommandResult, EarlyEnd};
use crate::report::{diagnostics_of, sentence};

/// Characters of source text shown beside an instruction.
const WIDEST: usize = 48;

/// Bytes of source text searched for those characters. Many instructions may come from texts that
/// start with one long run of blanks, so searching without a cap would be quadratic.
const FARTHEST: usize = 1024;

/// Show the bytecode of a file's attributes with their source
#[derive(Args, Debug)]
#[command(after_help = "Example:
  hclvm disasm policy.hcl rule.allow-owner.when
  hclvm disasm --index policy.hcl

Exit codes: 0 success, 1 errors found, 2 invalid arguments.")]
pub(crate) struct DisasmArguments {
    /// The file
    file: String,

    /// Only this attribute [examples: local.risk, rule.allow-owner.when]
    attr: Option<PathArgument>,

    /// Print a list in JSON
    #[arg(long)]
    json: bool,

    /// Instead of the code, show for each rule of the file how a search finds it. Rules are the blocks with an
    /// attribute `when`, or the attributes outside of blocks if there are none
    #[arg(long, conflicts_with = "attr")]
    index: bool,

    #[command(flatten)]
    options: CommandOptions,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &DisasmArguments, out: &mut impl Write) -> Result<CommandResult, EarlyEnd> {
    let Some(document) = arguments.options.document(&arguments.file)? else {
        return Ok(CommandResult::Diagnosed);
    };
    if arguments.index {
        return rules::run(&document, arguments, out);
    }
    let mut listed = match &arguments.attr {
        Some(path) => {
            let Some(attribute) = path.definition(&document) else {
                let name = document.source().name();
                let missing = path.missing(name, std::slice::from_ref(&document));
                arguments.options.diagnostics.print(&sentence("Unknown attribute", &missing, name));
                return Ok(CommandResult::Diagnosed);
            };
            Listed::one(path, attribute)
        }
        None => Listed::all(document.body()),
    };
    let application = arguments.options.application(&arguments.file);
    let secret = application.map_or_else(Vec::new, |application| application.secret_parts(&document));
    if !secret.is_empty() {
        listed.leave_out(&secret);
        if let (Some(path), true) = (&arguments.attr, listed.attributes.is_empty()) {
            return Err(EarlyEnd::Refused(format!("`{path}` is sensitive, and its code would show it.")));
        }
    }
    let mut outcome = CommandResult::Fine;
    let mut list = Vec::new();
    for (at, (block, attribute)) in listed.attributes.into_iter().enumerate() {
        if at > 0 && !arguments.json {
            writeln!(out)?;
        }
        match attribute.program().and_then(with_baseline) {
            Ok((program, baseline)) => {
                let path = format!("{}{}", listed.blocks[block], attribute_path::quoted(attribute.name()));
                if arguments.json {
                    list.push(as_json(&path, &program, &baseline));
                } else {
                    show(&path, &program, &baseline, out)?;
                }
            }
            Err(error) => {
                arguments.options.diagnostics.print(&diagnostics_of(&error, &arguments.file));
                outcome = CommandResult::Diagnosed;
            }
        }
    }
    if arguments.json {
        writeln!(out, "{:#}", Json::Array(list))?;
    }
    Ok(outcome)
}

/// Returns the code of an attribute as JSON. `registers` are those that hold variables when the fast tier begins.
fn as_json(path: &str, program: &Program, baseline: &[Line]) -> Json {
    let source = program.source();
    let start = source.position(program.span().start);
    let line = |line: &Line| json!({ "at": line.at, "name": line.name, "operands": line.operands });
    let with_source = |one: &Line| {
        let mut members = line(one);
        members["source"] = excerpt(source, program, one.node).into();
        members
    };
    let registers: Vec<Json> =
        program.fast_registers().map(|(at, name)| json!({ "register": at, "variable": name })).collect();
    json!({
        "attribute": path,
        "file": source.name(),
        "line": start.line,
        "column": start.column,
        "registers": registers,
        "fast": program.fast_listing().map(|one| line(&one)).collect::<Vec<_>>(),
        "baseline": baseline.iter().map(with_source).collect::<Vec<_>>(),
    })
}

/// Attributes in source order, each with the index of its block.
pub(crate) struct Listed<'d> {
    /// The path prefixes of the blocks.
    pub(crate) blocks: Vec<String>,
    /// In the order of the text.
    pub(crate) attributes: Vec<(usize, Attribute<'d>)>,
}

impl<'d> Listed<'d> {
    fn one(path: &PathArgument, attribute: Attribute<'d>) -> Self {
        Self { blocks: vec![path.block()], attributes: vec![(0, attribute)] }
    }

    /// Removes the attributes with expressions that hold one of these parts of the text.
    fn leave_out(&mut self, parts: &[Span]) {
        let holds = |one: Span| parts.iter().any(|part| one.start < part.end && part.start < one.end);
        self.attributes.retain(|(_, attribute)| !holds(attribute.expression_span()));
    }

    pub(crate) fn all(body: Body<'d>) -> Self {
        let mut listed = Self { blocks: vec![String::new()], attributes: Vec::new() };
        let mut open = vec![(0, body)];
        while let Some((number, body)) = open.pop() {
            listed.attributes.extend(body.attributes().map(|attribute| (number, attribute)));
            for block in body.blocks() {
                let path = attribute_path::below_block(&listed.blocks[number], block.kind(), block.labels());
                open.push((listed.blocks.len(), block.body()));
                listed.blocks.push(path);
            }
        }
        listed.attributes.sort_by_key(|(_, attribute)| attribute.name_span().start);
        listed
    }
}

/// Returns a program with the listing of its baseline code.
fn with_baseline(program: Program) -> Result<(Program, Vec<Line>), Error> {
    let lines = program.listing()?.collect();
    Ok((program, lines))
}

/// Writes the code of an expression that is called `title`.
pub(crate) fn show_program(title: &str, program: Program, out: &mut impl Write) -> Result<(), EarlyEnd> {
    match with_baseline(program) {
        Ok((program, baseline)) => show(title, &program, &baseline, out),
        Err(error) => Err(EarlyEnd::Refused(format!("{error}."))),
    }
}

fn show(path: &str, program: &Program, baseline: &[Line], out: &mut impl Write) -> Result<(), EarlyEnd> {
    let source = program.source();
    let (start, end) = source.range(program.span());
    writeln!(out, "{}  {}:{}:{}", plain(path), source.name(), start.line, start.column)?;
    for number in start.line..=end.line {
        writeln!(out, "{number:>4} | {}", plain(source.line(number).unwrap_or_default()))?;
    }
    writeln!(out)?;
    let fast: Vec<_> = program.fast_listing().collect();
    if !fast.is_empty() {
        let registers = program.fast_registers().map(|(at, name)| format!("; r{at} = {name}"));
        writeln!(out, "fast tier, for plain values{}", plain(&registers.collect::<String>()))?;
        rows(&fast, |_| String::new(), out)?;
    }
    writeln!(out, "baseline tier")?;
    rows(baseline, |line| excerpt(source, program, line.node), out)
}

/// Writes instructions in columns, each followed by the text that `beside` returns for it.
fn rows(lines: &[Line], beside: impl Fn(&Line) -> String, out: &mut impl Write) -> Result<(), EarlyEnd> {
    let names = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let operands = lines.iter().map(|line| line.operands.chars().count()).max().unwrap_or(0).min(WIDEST);
    for line in lines {
        let row =
            format!("{:>4}  {:names$}  {:operands$}  {}", line.at, line.name, line.operands, beside(line));
        writeln!(out, "{}", plain(row.trim_end()))?;
    }
    Ok(())
}

/// Returns the start of an instruction's source text, on one line.
fn excerpt(source: &Source, program: &Program, node: u32) -> String {
    let text = program.node_span(node).slice(source.text());
    let end = (0..=FARTHEST.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let text = &text[..end.unwrap_or(0)];
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.extend(word.chars().take(WIDEST + 1));
        if let Some((cut, _)) = words.char_indices().nth(WIDEST) {
            words.truncate(cut);
            words.push('…');
            break;
        }
    }
    words
}

/// Replaces the characters that could steer a terminal or reorder a line.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if steers_terminal(c) && c != '\t' { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}
