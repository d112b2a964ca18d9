//! Escapes: the part of a pattern after a backslash. Classes in brackets are in `class`.

use super::cost::{CLASS, DIGITS, LITERAL, MOST_CHARACTERS, UNICODE};
use super::{Translator, push_literal};

/// Returns the ASCII class of a letter such as `d` as the content of brackets, and whether it is negated.
pub(super) fn ascii_class(letter: char) -> Option<(&'static str, bool)> {
    Some(match letter {
        'd' => ("0-9", false),
        'D' => ("0-9", true),
        's' => (r"\t\n\x0C\r ", false),
        'S' => (r"\t\n\x0C\r ", true),
        'w' => ("0-9A-Za-z_", false),
        'W' => ("0-9A-Za-z_", true),
        _ => return None,
    })
}

impl Translator<'_> {
    /// Translates an escape outside of a class.
    pub(super) fn escape(&mut self) -> Result<(), String> {
        let start = self.rest;
        let Some(c) = self.next() else { return Err("a backslash ends the pattern".to_owned()) };
        match c {
            'A' | 'z' => self.add(&format!("\\{c}"), LITERAL),
            'b' | 'B' => self.add(&format!("(?-u:\\{c})"), CLASS),
            'Q' => self.quoted(),
            'p' | 'P' => {
                let class = self.unicode_class(c)?;
                self.add(&class, UNICODE)
            }
            _ => match ascii_class(c) {
                Some((class, false)) => {
                    self.add(&format!("[{class}]"), if c == 'd' { DIGITS } else { CLASS })
                }
                Some((class, true)) => self.add(&format!("[^{class}]"), MOST_CHARACTERS),
                None => {
                    self.rest = start;
                    let c = self.escaped()?;
                    self.literal(c)
                }
            },
        }
    }

    /// Everything up to `\E`, or to the end.
    fn quoted(&mut self) -> Result<(), String> {
        let (text, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
        self.rest = rest;
        text.chars().try_for_each(|c| self.literal(c))
    }

    /// Translates a class of Unicode by name: `\pL`, `\p{Greek}`, `\p{^Greek}`.
    pub(super) fn unicode_class(&mut self, letter: char) -> Result<String, String> {
        let name = if self.eat("{") {
            let (name, rest) = self.rest.split_once('}').ok_or("the name of a class has no closing brace")?;
            self.rest = rest;
            name.to_owned()
        } else {
            self.next().ok_or("the name of a class is missing")?.to_string()
        };
        let (inverted, name) = name.strip_prefix('^').map_or((false, name.as_str()), |name| (true, name));
        if name.is_empty() || !name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') {
            return Err(format!("{name:?} is not the name of a class"));
        }
        let letter = if inverted == (letter == 'P') { 'p' } else { 'P' };
        Ok(format!("\\{letter}{{{name}}}"))
    }

    /// Reads an escaped character, after the backslash.
    pub(super) fn escaped(&mut self) -> Result<char, String> {
        let Some(c) = self.next() else { return Err("a backslash ends the pattern".to_owned()) };
        let octal = |c: Option<char>| c.and_then(|c| c.to_digit(8));
        match c {
            '1'..='7' if octal(self.rest.chars().next()).is_none() => {
                Err(format!("\\{c} would refer to a group, which is not supported"))
            }
            '0'..='7' => {
                let mut code = u32::from(c) - u32::from('0');
                for _ in 0..2 {
                    let Some(digit) = octal(self.rest.chars().next()) else { break };
                    self.next();
                    code = code * 8 + digit;
                }
                char::from_u32(code).ok_or_else(|| "an octal escape is out of range".to_owned())
            }
            'x' => self.hexadecimal(),
            'a' => Ok('\x07'),
            'f' => Ok('\x0C'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'v' => Ok('\x0B'),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok(c),
            c => Err(format!("\\{c} is not an escape sequence")),
        }
    }

    /// hexadecimal = hex hex | "{" hex+ "}"
    fn hexadecimal(&mut self) -> Result<char, String> {
        let digits = if self.eat("{") {
            let (digits, rest) = self.rest.split_once('}').ok_or("\\x{ has no closing brace")?;
            self.rest = rest;
            digits
        } else {
            let digits = self.rest.get(..2).ok_or("\\x needs two hexadecimal digits")?;
            self.rest = &self.rest[2..];
            digits
        };
        let valid = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_hexdigit());
        let code = valid.then(|| u32::from_str_radix(digits, 16).ok()).flatten();
        code.and_then(char::from_u32).ok_or_else(|| format!("\\x with {digits:?} is not a character"))
    }

    /// Writes a character into a class.
    pub(super) fn push_class_literal(&mut self, c: char) {
        push_literal(&mut self.out, c);
    }
}
