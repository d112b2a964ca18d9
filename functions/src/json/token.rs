//! The words of a JSON text.

use std::borrow::Cow;
use std::fmt;

/// A word. Texts borrow from the source unless they have escapes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'s> {
    ArrayStart,
    ArrayEnd,
    ObjectStart,
    ObjectEnd,
    Comma,
    Colon,
    Null,
    Bool(bool),
    /// A number as it stands.
    Number(&'s str),
    Text(Cow<'s, str>),
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ArrayStart => "'['",
            Self::ArrayEnd => "']'",
            Self::ObjectStart => "'{'",
            Self::ObjectEnd => "'}'",
            Self::Comma => "','",
            Self::Colon => "':'",
            Self::Null => "null",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Number(text) => return write!(f, "the number {text}"),
            Self::Text(_) => "a string",
            Self::End => "the end of the text",
        })
    }
}

/// Takes a JSON text apart.
#[derive(Debug)]
pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, at: 0 }
    }

    /// Bytes read so far.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// The next word.
    pub(super) fn next(&mut self) -> Result<Token<'s>, String> {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.at += rest.len() - trimmed.len();
        let Some(c) = trimmed.chars().next() else { return Ok(Token::End) };
        match c {
            '[' => Ok(self.single(Token::ArrayStart)),
            ']' => Ok(self.single(Token::ArrayEnd)),
            '{' => Ok(self.single(Token::ObjectStart)),
            '}' => Ok(self.single(Token::ObjectEnd)),
            ',' => Ok(self.single(Token::Comma)),
            ':' => Ok(self.single(Token::Colon)),
            '"' => self.text(),
            '-' | '0'..='9' => self.number(),
            't' => self.keyword("true", Token::Bool(true)),
            'f' => self.keyword("false", Token::Bool(false)),
            'n' => self.keyword("null", Token::Null),
            _ => Err(format!("no JSON value begins with the character {c:?} at offset {}", self.at)),
        }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn single(&mut self, token: Token<'s>) -> Token<'s> {
        self.at += 1;
        token
    }

    fn keyword(&mut self, word: &str, token: Token<'s>) -> Result<Token<'s>, String> {
        if !self.rest().starts_with(word) {
            return Err(format!("the word at offset {} is not {word}", self.at));
        }
        self.at += word.len();
        Ok(token)
    }

    /// number = "-"? ( "0" | digit+ ) ( "." digit+ )? ( ( "e" | "E" ) ( "+" | "-" )? digit+ )?
    fn number(&mut self) -> Result<Token<'s>, String> {
        let rest = self.rest();
        let mut number = Scan { bytes: rest.as_bytes(), at: 0 };
        number.eat(b"-");
        let whole = if number.eat(b"0") { true } else { number.digits() };
        let fraction = !number.eat(b".") || number.digits();
        let exponent = !number.eat(b"eE") || {
            number.eat(b"+-");
            number.digits()
        };
        let end = number.at;
        if !(whole && fraction && exponent) {
            return Err(format!("the number at offset {} lacks digits", self.at));
        }
        self.at += end;
        Ok(Token::Number(rest.get(..end).unwrap_or_default()))
    }

    /// text = '"' ( character | escape )* '"'
    fn text(&mut self) -> Result<Token<'s>, String> {
        let start = self.at;
        self.at += 1;
        let mut made = String::new();
        loop {
            let rest = self.rest();
            let stop = rest.find(|c| matches!(c, '"' | '\\' | '\0'..='\x1F'));
            let plain = stop.and_then(|stop| rest.get(..stop)).unwrap_or(rest);
            self.at += plain.len();
            match rest.as_bytes().get(plain.len()) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Token::Text(if made.is_empty() {
                        Cow::Borrowed(plain)
                    } else {
                        made.push_str(plain);
                        Cow::Owned(made)
                    }));
                }
                Some(b'\\') => {
                    made.push_str(plain);
                    made.push(self.escape()?);
                }
                Some(_) => {
                    return Err(format!("a string has an unescaped control character at offset {}", self.at));
                }
                None => return Err(format!("the string at offset {start} has no end")),
            }
        }
    }

    /// escape = "\" ( '"' | "\" | "/" | "b" | "f" | "n" | "r" | "t" | "u" hex hex hex hex )
    fn escape(&mut self) -> Result<char, String> {
        let start = self.at;
        let letter = self.rest().chars().nth(1);
        self.at += 1 + letter.map_or(0, char::len_utf8);
        Ok(match letter {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\x08',
            Some('f') => '\x0C',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.code_point(start),
            _ => return Err(format!("the escape sequence at offset {start} is not one of JSON's")),
        })
    }

    /// The character of four hexadecimal digits, or of two such units. Half a pair is not a
    /// character and becomes the replacement character.
    fn code_point(&mut self, start: usize) -> Result<char, String> {
        let high = self.unit(start)?;
        if !(0xD800..0xDC00).contains(&high) || !self.rest().starts_with("\\u") {
            return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let second = self.at;
        self.at += 2;
        let low = self.unit(second)?;
        if !(0xDC00..0xE000).contains(&low) {
            self.at = second;
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        let joined = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unit(&mut self, start: usize) -> Result<u32, String> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|c| c.is_ascii_hexdigit()));
        let unit = digits
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| format!("the escape sequence at offset {start} needs four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }
}

/// A cursor in a number.
struct Scan<'s> {
    bytes: &'s [u8],
    at: usize,
}

impl Scan<'_> {
    /// Eats one of some characters.
    fn eat(&mut self, any: &[u8]) -> bool {
        let found = self.bytes.get(self.at).is_some_and(|c| any.contains(c));
        self.at += usize::from(found);
        found
    }

    /// Eats digits, at least one.
    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.eat(b"0123456789") {}
        self.at > start
    }
}
