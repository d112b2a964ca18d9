//! Values as HCL text on several lines. JSON is in `json`.

use std::{fmt, slice};

use crate::limits::Limits;
use hclvm_vm::{Entry, NumberRef, Type, Value, View};

use super::Allowance;
use crate::data::path_error::is_plain_name;

/// Displays a value as HCL for people: one line for each member, strings quoted so that parsing the
/// text returns them.
///
/// ```
/// use hclvm::show::Pretty;
///
/// let engine = hclvm::Engine::new();
/// let document = engine.parse("x.hcl", r#"x = { port = 80, "a b" = ["$${x}"], none = {} }"#)?;
/// let program = document.attribute("x").expect("x is defined").program()?;
/// let (mut session, scope) = (engine.session(), document.scope());
/// let text = Pretty(session.run(&program, &scope)?).to_string();
/// assert_eq!(text, r#"{
///   "a b" = [
///     "$${x}",
///   ]
///   none = {}
///   port = 80
/// }"#);
/// # Ok::<(), hclvm::Error>(())
/// ```
///
/// Values without a literal are shown in parentheses: `(unknown string)`, `(infinity)`, and `(marked)`
/// without the value or its marks. Numbers of more than 100,000 digits are shown as their length; a text
/// of more than 64 MiB ends with `(and more)`.
#[derive(Clone, Copy, Debug)]
pub struct Pretty<'a>(pub Value<'a>);

impl fmt::Display for Pretty<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer =
            PrettyPrinter { out: f, open: Vec::new(), allowance: Allowance::new(&Limits::untrusted()) };
        printer.value(self.0)?;
        while let Some(members) = printer.open.last_mut() {
            match members.next() {
                Some(member) => printer.member(member)?,
                None => printer.close()?,
            }
        }
        Ok(())
    }
}

/// Levels that are indented: without a limit, the spaces of a deep value grow with the square of its
/// depth.
const INDENTED_LEVELS: usize = 40;

/// Writes a value with an explicit stack instead of recursion, because `Display` of a value must not
/// overflow the stack at any depth.
struct PrettyPrinter<'a, 'f, 'o> {
    out: &'f mut fmt::Formatter<'o>,
    /// The remaining members of the enclosing aggregates.
    open: Vec<PendingMembers<'a>>,
    allowance: Allowance,
}

/// The remaining members of an aggregate.
enum PendingMembers<'a> {
    Items(slice::Iter<'a, Value<'a>>),
    Entries(slice::Iter<'a, Entry<'a>>),
}

impl<'a> PendingMembers<'a> {
    fn next(&mut self) -> Option<(Option<&'a str>, Value<'a>)> {
        match self {
            Self::Items(items) => items.next().map(|item| (None, *item)),
            Self::Entries(entries) => entries.next().map(|entry| (Some(entry.name), entry.value)),
        }
    }

    fn forget(&mut self) {
        match self {
            Self::Items(items) => *items = [].iter(),
            Self::Entries(entries) => *entries = [].iter(),
        }
    }
}

impl<'a> PrettyPrinter<'a, '_, '_> {
    fn member(&mut self, (name, value): (Option<&'a str>, Value<'a>)) -> fmt::Result {
        self.indent()?;
        let text = value.as_str().map_or(0, str::len) + name.map_or(0, str::len);
        if !self.allowance.take(text + 2 * self.open.len().min(INDENTED_LEVELS)) {
            self.open.iter_mut().for_each(PendingMembers::forget);
            return self.out.write_str("(and more)\n");
        }
        if let Some(name) = name {
            write_name(self.out, name)?;
            self.out.write_str(" = ")?;
        }
        let depth = self.open.len();
        self.value(value)?;
        if self.open.len() == depth { self.end_member() } else { Ok(()) }
    }

    fn end_member(&mut self) -> fmt::Result {
        match self.open.last() {
            Some(PendingMembers::Items(_)) => self.out.write_str(",\n"),
            Some(PendingMembers::Entries(_)) => self.out.write_str("\n"),
            None => Ok(()),
        }
    }

    fn close(&mut self) -> fmt::Result {
        let closed = self.open.pop();
        self.indent()?;
        self.out.write_str(if matches!(closed, Some(PendingMembers::Items(_))) { "]" } else { "}" })?;
        self.end_member()
    }

    fn indent(&mut self) -> fmt::Result {
        let width = 2 * self.open.len().min(INDENTED_LEVELS);
        write!(self.out, "{:width$}", "")
    }

    /// Writes a scalar, or opens an aggregate whose members follow.
    fn value(&mut self, value: Value<'a>) -> fmt::Result {
        match value.view() {
            View::Null(_) => self.out.write_str("null"),
            View::Bool(value) => write!(self.out, "{value}"),
            View::Number(number) => self.number(number),
            View::String(text) => write_string(self.out, text),
            View::Tuple([]) | View::List([], _) | View::Set([], _) => self.out.write_str("[]"),
            View::Object([]) | View::Map([], _) => self.out.write_str("{}"),
            View::Tuple(items) | View::List(items, _) | View::Set(items, _) => {
                self.open.push(PendingMembers::Items(items.iter()));
                self.out.write_str("[\n")
            }
            View::Object(entries) | View::Map(entries, _) => {
                self.open.push(PendingMembers::Entries(entries.iter()));
                self.out.write_str("{\n")
            }
            View::Unknown(unknown) if unknown.ty.is_dynamic() => self.out.write_str("(unknown)"),
            View::Unknown(unknown) => self.unknown(unknown.ty),
            View::Marked(..) => self.out.write_str("(marked)"),
            View::Unset => self.out.write_str("(no value)"),
        }
    }

    fn unknown(&mut self, ty: Type<'a>) -> fmt::Result {
        write!(self.out, "(unknown {})", ty.friendly_name())
    }

    fn number(&mut self, number: NumberRef<'_>) -> fmt::Result {
        if number.is_infinite() {
            let sign = if number.is_negative() { "negative " } else { "" };
            return write!(self.out, "({sign}infinity)");
        }
        match number.text_within(u64::from(Limits::untrusted().digits)) {
            Some(text) if self.allowance.take(text.len()) => self.out.write_str(&text),
            _ => write!(self.out, "(number of {} digits)", number.text_length()),
        }
    }
}

/// Writes the name of a member. Keywords that would not be parsed as a name are quoted.
pub(super) fn write_name(out: &mut impl fmt::Write, name: &str) -> fmt::Result {
    if is_plain_name(name) && !matches!(name, "for" | "null" | "true" | "false") {
        out.write_str(name)
    } else {
        write_string(out, name)
    }
}

/// Writes a string as a quoted template, with `${` and `%{` escaped.
pub(super) fn write_string(out: &mut impl fmt::Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut characters = text.chars().peekable();
    let mut before = None;
    while let Some(c) = characters.next() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            '$' | '%' if characters.peek() == Some(&'{') => {
                // After the same sign, a doubled one would be parsed as part of a longer run.
                if before == Some(c) {
                    write!(out, "\\u{:04x}", u32::from(c))?;
                } else {
                    write!(out, "{c}{c}")?;
                }
            }
            c if c.is_control() => write!(out, "\\u{:04x}", u32::from(c))?,
            c => out.write_char(c)?,
        }
        before = Some(c);
    }
    out.write_char('"')
}
