//! Classes in brackets.
//!
//! ```text
//! class = "[" "^"? "]"? ( named | range | character )* "]"
//! named = "[:" "^"? name ":]" | escape
//! range = character "-" character
//! ```

use super::escape::ascii_class;
use super::{Translator, UNICODE};

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

impl Translator<'_> {
    /// A class, after its bracket.
    pub(super) fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        let mut weight = 1;
        if self.eat("^") {
            self.out.push('^');
            weight = 4;
        }
        let mut first = true;
        loop {
            if self.rest.is_empty() {
                return Err("a class has no closing bracket".to_owned());
            }
            if !first && self.eat("]") {
                return self.add("]", weight);
            }
            first = false;
            weight += self.class_item()?;
        }
    }

    /// A member of a class; its weight.
    fn class_item(&mut self) -> Result<u64, String> {
        if let Some(named) = self.rest.strip_prefix("[:")
            && let Some((name, rest)) = named.split_once(":]")
        {
            return self.posix(name, rest);
        }
        if let Some(escape) = self.rest.strip_prefix('\\')
            && let Some(letter) = escape.chars().next()
        {
            if matches!(letter, 'p' | 'P') {
                self.rest = &escape[1..];
                let class = self.unicode_class(letter)?;
                self.out.push_str(&class);
                return Ok(UNICODE);
            }
            if let Some((class, negated)) = ascii_class(letter) {
                self.rest = &escape[1..];
                let (open, end) = if negated { ("[^", "]") } else { ("", "") };
                self.out.extend([open, class, end]);
                return Ok(if negated { 4 } else { 0 });
            }
        }
        self.range()
    }

    fn posix(&mut self, name: &str, rest: &str) -> Result<u64, String> {
        if !POSIX.contains(&name.trim_start_matches('^')) {
            return Err(format!("[:{name}:] is not a class"));
        }
        self.out.extend(["[:", name, ":]"]);
        self.rest = &self.rest[self.rest.len() - rest.len()..];
        Ok(1)
    }

    fn range(&mut self) -> Result<u64, String> {
        let low = self.class_character()?;
        self.push_class_literal(low);
        let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
        if !is_range || self.rest == "-" {
            return Ok(if low.is_ascii() { 0 } else { 2 });
        }
        self.eat("-");
        let high = self.class_character()?;
        if high < low {
            return Err(format!("the range {low}-{high} goes backwards"));
        }
        self.out.push('-');
        self.push_class_literal(high);
        Ok(if high.is_ascii() { 0 } else { 4 })
    }

    fn class_character(&mut self) -> Result<char, String> {
        match self.next() {
            Some('\\') => self.escaped(),
            Some(c) => Ok(c),
            None => Err("a class has no closing bracket".to_owned()),
        }
    }
}
