//! Classes in brackets.
//!
//! ```text
//! class = "[" "^"? "]"? ( named | range | character )* "]"
//! named = "[:" "^"? name ":]" | escape
//! range = character "-" character
//! ```

use super::Translator;
use super::cost::{CLASS, Cost, DIGITS, MOST_CHARACTERS, OTHER, UNICODE};
use super::escape::ascii_class;

const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

impl Translator<'_> {
    /// Translates a class, after its bracket.
    pub(super) fn class(&mut self) -> Result<(), String> {
        self.out.push('[');
        let start = self.rest;
        let mut cost = CLASS;
        if self.eat("^") {
            self.out.push('^');
            cost = MOST_CHARACTERS;
        }
        let mut first = true;
        loop {
            if self.rest.is_empty() {
                return Err("a class has no closing bracket".to_owned());
            }
            if !first && self.eat("]") {
                // Few characters are tried one by one as the start of a match.
                let written = start.len() - self.rest.len();
                let few = written <= "0123456789]".len() || start.starts_with("0-9]");
                return self.add("]", if few && cost == CLASS { DIGITS } else { cost });
            }
            first = false;
            cost = cost.plus(self.class_item()?);
        }
    }

    /// Translates a member of a class and returns its cost.
    fn class_item(&mut self) -> Result<Cost, String> {
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
                return Ok(if negated { MOST_CHARACTERS } else { Cost::default() });
            }
        }
        self.range()
    }

    fn posix(&mut self, name: &str, rest: &str) -> Result<Cost, String> {
        if !POSIX.contains(&name.trim_start_matches('^')) {
            return Err(format!("[:{name}:] is not a class"));
        }
        self.out.extend(["[:", name, ":]"]);
        self.rest = &self.rest[self.rest.len() - rest.len()..];
        Ok(CLASS)
    }

    fn range(&mut self) -> Result<Cost, String> {
        let low = self.class_character()?;
        self.push_class_literal(low);
        let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
        if !is_range || self.rest == "-" {
            return Ok(if low.is_ascii() { Cost::default() } else { OTHER });
        }
        self.eat("-");
        let high = self.class_character()?;
        if high < low {
            return Err(format!("the range {low}-{high} goes backwards"));
        }
        self.out.push('-');
        self.push_class_literal(high);
        Ok(if high.is_ascii() { Cost::default() } else { MOST_CHARACTERS })
    }

    fn class_character(&mut self) -> Result<char, String> {
        match self.next() {
            Some('\\') => self.escaped(),
            Some(c) => Ok(c),
            None => Err("a class has no closing bracket".to_owned()),
        }
    }
}
