//! Patterns of paths, for `fileset`.
//!
//! Written by hand because the work is charged by the elements of the pattern (`Glob::cost`): matching
//! takes at most the product of pattern and path, and expanding braces is limited.
//!
//! ```text
//! pattern = part ( "/" part )*
//! part    = "**" | ( "*" | "?" | "[" "^"? ( range | character )+ "]" | "{" pattern ( "," pattern )* "}"
//!         | "\" character | character )*
//! ```
//! `*` matches any characters of one name, `**` any names. Choices in braces are expanded when the
//! pattern is read, up to a limit.

/// A pattern, expanded into all combinations of its braces.
#[derive(Debug)]
pub(super) struct Glob {
    choices: Vec<Vec<PathPart>>,
}

/// The part of a pattern between slashes.
#[derive(Clone, Debug, PartialEq)]
enum PathPart {
    /// Any number of names.
    Names,
    /// One name.
    Name(Vec<NamePiece>),
}

/// An element of the pattern of a name.
#[derive(Clone, Debug, PartialEq)]
enum NamePiece {
    Any,
    One,
    Is(char),
    Class { ranges: Vec<(char, char)>, inverted: bool },
}

/// The maximum number of patterns after expansion, which bounds the work for each path.
const MOST_CHOICES: usize = 1_024;
/// The maximum number of bytes written while expanding, which bounds nested braces.
const MOST_BYTES: usize = 1 << 20;

impl Glob {
    /// Reads a pattern.
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        let wrong = |why| format!("{pattern:?} is not a pattern of paths: {why}");
        let choices = expand(pattern).map_err(wrong)?;
        let choices = choices.iter().map(|choice| parts(choice).map_err(wrong)).collect::<Result<_, _>>()?;
        Ok(Self { choices })
    }

    /// Returns the cost of matching one character of a path.
    pub(super) fn cost(&self) -> u64 {
        let pieces = |part: &PathPart| match part {
            PathPart::Names => 1,
            PathPart::Name(pieces) => pieces.len() as u64 + 1,
        };
        1 + self.choices.iter().flatten().map(pieces).sum::<u64>() / 16
    }

    /// Returns true if a path matches.
    pub(super) fn fits(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        self.choices.iter().any(|parts| fits(parts, &names))
    }
}

/// Expands the braces of a pattern.
fn expand(pattern: &str) -> Result<Vec<String>, &'static str> {
    let (mut done, mut open, mut bytes) = (Vec::new(), vec![pattern.to_owned()], 0_usize);
    while let Some(next) = open.pop() {
        let Some((before, choices, after)) = braces(&next)? else {
            done.push(next);
            continue;
        };
        bytes = bytes.saturating_add(choices.len() * next.len());
        if open.len() + done.len() + choices.len() > MOST_CHOICES || bytes > MOST_BYTES {
            return Err("its braces expand to too many patterns");
        }
        open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
    }
    Ok(done)
}

/// Splits a pattern before, inside and after its first braces.
#[expect(clippy::type_complexity, reason = "three parts of one text, taken apart at once")]
fn braces(pattern: &str) -> Result<Option<(&str, Vec<&str>, &str)>, &'static str> {
    let (mut depth, mut start, mut from, mut choices) = (0_usize, 0, 0, Vec::new());
    let mut chars = pattern.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '{' => {
                depth += 1;
                if depth == 1 {
                    (start, from) = (at, at + 1);
                }
            }
            ',' if depth == 1 => {
                choices.push(&pattern[from..at]);
                from = at + 1;
            }
            '}' if depth == 1 => {
                choices.push(&pattern[from..at]);
                return Ok(Some((&pattern[..start], choices, &pattern[at + 1..])));
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if depth > 0 { Err("a brace has no closing one") } else { Ok(None) }
}

fn parts(pattern: &str) -> Result<Vec<PathPart>, &'static str> {
    pattern
        .split('/')
        .filter(|part| *part != ".")
        .map(|part| if part == "**" { Ok(PathPart::Names) } else { name(part).map(PathPart::Name) })
        .collect()
}

fn name(part: &str) -> Result<Vec<NamePiece>, &'static str> {
    let mut pieces = Vec::new();
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => NamePiece::Any,
            '?' => NamePiece::One,
            '[' => class(&mut chars)?,
            '\\' => NamePiece::Is(chars.next().ok_or("a backslash ends a name")?),
            c => NamePiece::Is(c),
        });
    }
    pieces.dedup_by(|a, b| *a == NamePiece::Any && *b == NamePiece::Any);
    Ok(pieces)
}

fn class(chars: &mut std::str::Chars<'_>) -> Result<NamePiece, &'static str> {
    const OPEN: &str = "a bracket has no closing one";
    let mut ranges = Vec::new();
    let mut rest = chars.clone();
    let inverted = matches!(rest.next(), Some('^' | '!'));
    if inverted {
        *chars = rest;
    }
    loop {
        let low = match chars.next().ok_or(OPEN)? {
            ']' if !ranges.is_empty() => return Ok(NamePiece::Class { ranges, inverted }),
            '\\' => chars.next().ok_or(OPEN)?,
            c => c,
        };
        let mut rest = chars.clone();
        let is_range = rest.next() == Some('-') && rest.clone().next() != Some(']');
        let high = if is_range {
            *chars = rest;
            match chars.next().ok_or(OPEN)? {
                '\\' => chars.next().ok_or(OPEN)?,
                c => c,
            }
        } else {
            low
        };
        ranges.push((low, high));
    }
}

/// Returns true if names match parts. Dynamic programming over the parts that match the names so far, so
/// the work is at most the product of both.
fn fits(parts: &[PathPart], names: &[&str]) -> bool {
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    skip_names(parts, &mut reached);
    for name in names {
        let mut next = vec![false; parts.len() + 1];
        for (index, part) in parts.iter().enumerate().filter(|(index, _)| reached[*index]) {
            match part {
                PathPart::Names => next[index] = true,
                PathPart::Name(pieces) => next[index + 1] |= name_fits(pieces, name),
            }
        }
        skip_names(parts, &mut next);
        reached = next;
    }
    reached[parts.len()]
}

/// Lets `**` match no names.
fn skip_names(parts: &[PathPart], reached: &mut [bool]) {
    for (index, part) in parts.iter().enumerate() {
        if reached[index] && *part == PathPart::Names {
            reached[index + 1] = true;
        }
    }
}

/// Returns true if a name matches pieces. On a mismatch only the last star needs to be tried again.
fn name_fits(pieces: &[NamePiece], name: &str) -> bool {
    let chars: Vec<char> = name.chars().collect();
    let (mut piece, mut at, mut retry) = (0, 0, None);
    while at < chars.len() {
        match pieces.get(piece) {
            Some(NamePiece::Any) => {
                retry = Some((piece + 1, at));
                piece += 1;
            }
            Some(other) if other.fits(chars[at]) => (piece, at) = (piece + 1, at + 1),
            _ => {
                let Some((after_star, from)) = retry else { return false };
                retry = Some((after_star, from + 1));
                (piece, at) = (after_star, from + 1);
            }
        }
    }
    pieces[piece..].iter().all(|piece| *piece == NamePiece::Any)
}

impl NamePiece {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Is(wanted) => *wanted == c,
            Self::Class { ranges, inverted } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *inverted
            }
        }
    }
}
