//! Translates patterns of RE2, as Go's regexp package reads them, to the syntax of the regex crate.
//!
//! Written by hand because the crate reads some of them differently or not at all. Both syntaxes have
//! equal constructs except for these:
//!
//! | RE2 | here |
//! |---|---|
//! | `\d \s \w \b` know ASCII only | spelled out as classes, or matched without Unicode |
//! | `\Q...\E` | each character escaped |
//! | `{` that starts no repetition is a character | escaped |
//! | `[` `&&` `--` `~~` in a class are characters | escaped |
//! | octal escapes, any escaped punctuation | as code points |
//! | groups may share a name | all become numbered; the names are kept apart |
//! | `a(?i)+`: flags between an item and its repetition | behind the repetition |
//! | `(?)` | left out |
//! | `a**`, counts above 1,000 | refused |
//!
//! All other errors in a pattern are reported by the crate.

mod class;
mod cost;
mod escape;

use std::fmt::Write;
use std::ops::Range;

pub(super) use cost::Cost;
use cost::{CLASS, LITERAL, MOST_CHARACTERS, PATTERN};

/// A pattern of the crate.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) pattern: String,
    /// The name of each group, where it has one.
    pub(super) groups: Vec<Option<String>>,
    /// What compiling and matching it costs.
    pub(super) cost: Cost,
    /// True if the search for a match may look far behind the match that it finds.
    pub(super) looks_far: bool,
}

/// The largest count of a repetition, as in RE2.
const MOST: u32 = 1_000;

/// Translates a pattern.
pub(super) fn translate(source: &str) -> Result<Translation, String> {
    let mut translator = Translator {
        rest: source,
        out: String::with_capacity(source.len() + 16),
        groups: Vec::new(),
        open: Vec::new(),
        level: OpenGroup::default(),
        flags: 0..0,
        ignores_case: false,
        looks_far: false,
    };
    while !translator.rest.is_empty() {
        translator.item()?;
    }
    if translator.open.is_empty() {
        let source = Cost { states: source.len() as u64, compiling: PATTERN + source.len() as u64 };
        return Ok(Translation {
            pattern: translator.out,
            groups: translator.groups,
            cost: translator.level.cost.plus(source),
            looks_far: translator.looks_far,
        });
    }
    Err("a group has no closing parenthesis".to_owned())
}

/// What a repetition would apply to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Before {
    /// Nothing: the start of a branch.
    #[default]
    Nothing,
    /// An item of some cost.
    Item(Cost),
    /// A repetition already.
    Repeated,
}

/// An open group, or the pattern as a whole.
#[derive(Clone, Copy, Debug, Default)]
struct OpenGroup {
    cost: Cost,
    before: Before,
}

struct Translator<'p> {
    rest: &'p str,
    out: String,
    groups: Vec<Option<String>>,
    open: Vec<OpenGroup>,
    level: OpenGroup,
    /// Where in `out` the flags begin and end that were written last. A repetition behind them applies to what
    /// is in front of them.
    flags: Range<usize>,
    /// True once a flag for it was seen, wherever its scope ends.
    ignores_case: bool,
    looks_far: bool,
}

impl Translator<'_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn item(&mut self) -> Result<(), String> {
        let Some(c) = self.next() else { return Ok(()) };
        match c {
            '(' => self.group(),
            ')' => self.close(),
            '|' => self.branch(),
            '[' => self.class(),
            '\\' => self.escape(),
            '*' | '+' | '?' => self.repeat(&c.to_string(), 1),
            '{' => self.counted(),
            '^' | '$' => self.add(&c.to_string(), LITERAL),
            '.' => self.add(".", MOST_CHARACTERS),
            _ => self.literal(c),
        }
    }

    /// Adds an item that may be repeated.
    fn add(&mut self, text: &str, cost: Cost) -> Result<(), String> {
        let cost = if self.ignores_case { cost.in_any_case() } else { cost };
        self.add_paid(text, cost)
    }

    fn add_paid(&mut self, text: &str, cost: Cost) -> Result<(), String> {
        self.out.push_str(text);
        self.level.cost = self.level.cost.plus(cost);
        self.level.before = Before::Item(cost);
        Ok(())
    }

    fn literal(&mut self, c: char) -> Result<(), String> {
        push_literal(&mut self.out, c);
        self.add("", LITERAL)
    }

    fn branch(&mut self) -> Result<(), String> {
        self.out.push('|');
        self.looks_far = true;
        self.level.cost = self.level.cost.plus(CLASS);
        self.level.before = Before::Nothing;
        Ok(())
    }

    /// group = "(" ( "?" ( "P"? "<" name ">" | flags ":" ) )? pattern ")" | "(?" flags ")"
    fn group(&mut self) -> Result<(), String> {
        if !self.eat("?") {
            self.groups.push(None);
            return self.open_group("(");
        }
        if ["=", "!", "<=", "<!"].iter().any(|look| self.rest.starts_with(look)) {
            return Err("looking ahead or behind is not supported".to_owned());
        }
        if self.eat("P<") || self.eat("<") {
            let (name, rest) = self.rest.split_once('>').ok_or("the name of a group has no closing '>'")?;
            if name.is_empty() || !name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
                return Err(format!("{name:?} cannot be the name of a group"));
            }
            self.rest = rest;
            self.groups.push(Some(name.to_owned()));
            return self.open_group("(");
        }
        self.flags()
    }

    /// flags = ( "i" | "m" | "s" | "U" )* ( "-" ( "i" | "m" | "s" | "U" )+ )?
    fn flags(&mut self) -> Result<(), String> {
        let length = self.rest.find([':', ')']).ok_or("a group has no closing parenthesis")?;
        let (flags, rest) = self.rest.split_at(length);
        let (set, cleared) = flags.split_once('-').unwrap_or((flags, "i"));
        let valid = |flags: &str| flags.chars().all(|c| "imsU".contains(c));
        if !valid(set) || !valid(cleared) || cleared.is_empty() {
            return Err(format!("(?{flags} starts no group that is supported"));
        }
        if set.contains('i') && !self.ignores_case {
            self.ignores_case = true;
            self.level.cost.compiling += PATTERN;
        }
        self.rest = &rest[1..];
        if rest.starts_with(':') {
            return self.open_group(&format!("(?{flags}:"));
        }
        let start = self.before_flags();
        if !flags.is_empty() {
            self.out.extend(["(?", flags, ")"]);
        }
        self.flags = start..self.out.len();
        Ok(())
    }

    /// Returns where the flags begin that were written last, if nothing was written since; else the end.
    fn before_flags(&self) -> usize {
        if self.flags.end == self.out.len() { self.flags.start } else { self.out.len() }
    }

    fn open_group(&mut self, text: &str) -> Result<(), String> {
        self.out.push_str(text);
        self.open.push(self.level);
        self.level = OpenGroup::default();
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let inner = self.level.cost.plus(CLASS);
        self.level = self.open.pop().ok_or("a closing parenthesis has no opening one")?;
        self.add_paid(")", inner)
    }

    /// repetition = ( "*" | "+" | "?" | counts ) "?"?
    fn repeat(&mut self, operator: &str, most: u32) -> Result<(), String> {
        let cost = match self.level.before {
            Before::Nothing => return Err(format!("{operator} has nothing before it to repeat")),
            Before::Repeated => return Err(format!("{operator} follows another repetition")),
            Before::Item(cost) => cost,
        };
        let flags = self.out.split_off(self.before_flags());
        // A repeated character ends at the first other character; a repeated group may be followed far
        // beyond the end of its match before the attempt fails.
        self.looks_far |= self.out.ends_with(')');
        self.out.push_str(operator);
        if self.eat("?") {
            self.out.push('?');
        }
        self.out.push_str(&flags);
        let copies = cost.copies(u64::from(most.max(1) - 1));
        self.level.cost = self.level.cost.plus(copies).plus(CLASS);
        self.level.before = Before::Repeated;
        Ok(())
    }

    /// counts = "{" number ( "," number? )? "}"; any other brace is a character.
    fn counted(&mut self) -> Result<(), String> {
        let Some((inner, rest)) = self.rest.split_once('}') else { return self.literal('{') };
        let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
        let Some(from) = count(least) else { return self.literal('{') };
        let to = if most.is_empty() { Some(from) } else { count(most) };
        let Some(to) = to else { return self.literal('{') };
        if from > MOST || to > MOST || to < from {
            return Err(format!(
                "{{{inner}}} is not a valid count: it may go up to {MOST}, and not backwards"
            ));
        }
        self.rest = rest;
        self.repeat(&format!("{{{inner}}}"), to)
    }
}

/// Parses a count without leading zeros. One too large for `u32` becomes `u32::MAX`, which is above the
/// limit.
fn count(digits: &str) -> Option<u32> {
    let valid = !digits.is_empty()
        && digits.bytes().all(|c| c.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    valid.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Writes a literal character, inside or outside of a class.
fn push_literal(out: &mut String, c: char) {
    if c.is_ascii_punctuation() || c.is_ascii_control() || c == ' ' {
        // Writing to a string never fails.
        let _ = write!(out, "\\x{{{:X}}}", u32::from(c));
    } else {
        out.push(c);
    }
}
