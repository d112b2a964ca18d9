//! `hclvm disasm`: the code of attributes beside the expressions it came from.
//!
//! ```text
//! rule.allow-owner.when  authz.hcl:51:14
//!   51 |   when     = user.id == resource.owner_id
//!
//! fast body, for plain values; r0 = user; r1 = resource
//!    0  Attribute     d=r2, a=r0, hint=0, .id
//! full body
//!    0  Log           d=r1             user.id == resource.owner_id
//!    1  Variable      d=r0, user       user.id
//! ```

use std::io::Write;

use clap::Args;
use hclvm::{Attribute, Body, Document, Error, Line, Program, Source};

use crate::attribute_path::AttributePath;
use crate::options::Options;
use crate::report::diagnostics_of;
use crate::{Outcome, Stop};

/// The longest source text shown beside an instruction, in characters.
const WIDEST: usize = 48;

/// Shows the code of a file's attributes with their source
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 fine, 1 diagnostics, 2 usage.")]
pub(crate) struct Arguments {
    /// The file
    file: String,

    /// Only this attribute [examples: local.risk, rule.allow-owner.when]
    attr: Option<AttributePath>,

    #[command(flatten)]
    options: Options,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<Outcome, Stop> {
    let engine = arguments.options.engine();
    let text = crate::read(&arguments.file)?;
    let (document, problems) = engine.parse_bytes_lenient(&arguments.file, &text);
    arguments.options.diagnostics.print(&problems);
    if problems.has_errors() {
        return Ok(Outcome::Diagnosed);
    }
    let listed = match &arguments.attr {
        Some(path) => vec![(path.clone(), definition(path, &document)?)],
        None => paths(document.body()),
    };
    let mut outcome = Outcome::Fine;
    for (at, (path, attribute)) in listed.into_iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        match attribute.program().and_then(full_body) {
            Ok((program, full)) => show(&path, &program, &full, out)?,
            Err(error) => {
                arguments.options.diagnostics.print(&diagnostics_of(&error, &arguments.file));
                outcome = Outcome::Diagnosed;
            }
        }
    }
    Ok(outcome)
}

fn definition<'d>(path: &AttributePath, document: &'d Document) -> Result<Attribute<'d>, Stop> {
    path.definition(document)
        .ok_or_else(|| Stop::Refused(format!("{} has no attribute {path}.", document.source().name())))
}

/// All attributes with their paths in source order.
fn paths(body: Body<'_>) -> Vec<(AttributePath, Attribute<'_>)> {
    let mut found = Vec::new();
    let mut open = vec![(AttributePath::root(), body)];
    while let Some((path, body)) = open.pop() {
        found.extend(body.attributes().map(|attribute| (path.join(attribute.name()), attribute)));
        open.extend(body.blocks().map(|block| (path.block(block.kind(), block.labels()), block.body())));
    }
    found.sort_by_key(|(_, attribute)| attribute.name_span().start);
    found
}

/// A program with the lines of its full body.
fn full_body(program: Program) -> Result<(Program, Vec<Line>), Error> {
    let lines = program.listing()?.collect();
    Ok((program, lines))
}

fn show(path: &AttributePath, program: &Program, full: &[Line], out: &mut impl Write) -> Result<(), Stop> {
    let source = program.source();
    let (start, end) = source.range(program.span());
    writeln!(out, "{path}  {}:{}:{}", source.name(), start.line, start.column)?;
    for number in start.line..=end.line {
        writeln!(out, "{number:>4} | {}", plain(source.line(number).unwrap_or_default()))?;
    }
    writeln!(out)?;
    let fast: Vec<_> = program.fast_listing().collect();
    if !fast.is_empty() {
        let registers = program.fast_registers().enumerate().map(|(at, name)| format!("; r{at} = {name}"));
        writeln!(out, "fast body, for plain values{}", plain(&registers.collect::<String>()))?;
        rows(&fast, |_| String::new(), out)?;
    }
    writeln!(out, "full body")?;
    rows(full, |line| excerpt(source, program, line.node), out)
}

/// Instructions in columns, with what `beside` says of each.
fn rows(lines: &[Line], beside: impl Fn(&Line) -> String, out: &mut impl Write) -> Result<(), Stop> {
    let names = lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
    let operands = lines.iter().map(|line| line.operands.chars().count()).max().unwrap_or(0).min(WIDEST);
    for line in lines {
        let row =
            format!("{:>4}  {:names$}  {:operands$}  {}", line.at, line.name, line.operands, beside(line));
        writeln!(out, "{}", plain(row.trim_end()))?;
    }
    Ok(())
}

/// The beginning of the text an instruction came from, on one line.
fn excerpt(source: &Source, program: &Program, node: u32) -> String {
    let mut words = String::new();
    for word in program.node_span(node).slice(source.text()).split_whitespace() {
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

/// Text without characters that could steer a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
