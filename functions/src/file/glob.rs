//! Patterns of paths.
//!
//! ```text
//! pattern = part ( "/" part )*
//! part    = "**" | ( "*" | "?" | "[" "^"? ( range | character )+ "]" | "{" pattern ( "," pattern )* "}"
//!         | "\" character | character )*
//! ```
//! `*` stands for any characters of one name, `**` for any names. Choices in braces are expanded
//! when the pattern is read, and there is a limit to their number.

/// A pattern, as all the patterns that its braces stand for.
#[derive(Debug)]
pub(super) struct Glob {
    choices: Vec<Vec<Part>>,
}

/// What stands between slashes.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// Any number of names.
    Names,
    /// One name.
    Name(Vec<Piece>),
}

/// A piece of a name.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Any,
    One,
    Is(char),
    Class { ranges: Vec<(char, char)>, inverted: bool },
}

/// The most patterns that braces may stand for.
const MOST_CHOICES: usize = 1_024;
/// The most bytes that are written to find out which.
const MOST_BYTES: usize = 1 << 20;

impl Glob {
    /// Reads a pattern.
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        let wrong = |why| format!("{pattern:?} is not a pattern of paths: {why}");
        let choices = expand(pattern).map_err(wrong)?;
        let choices = choices.iter().map(|choice| parts(choice).map_err(wrong)).collect::<Result<_, _>>()?;
        Ok(Self { choices })
    }

    /// What looking at one character of a path may cost.
    pub(super) fn cost(&self) -> u64 {
        let pieces = |part: &Part| match part {
            Part::Names => 1,
            Part::Name(pieces) => pieces.len() as u64 + 1,
        };
        1 + self.choices.iter().flatten().map(pieces).sum::<u64>() / 16
    }

    /// Whether a path fits.
    pub(super) fn fits(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        self.choices.iter().any(|parts| fits(parts, &names))
    }
}

/// The patterns without braces that a pattern stands for.
fn expand(pattern: &str) -> Result<Vec<String>, &'static str> {
    let (mut done, mut open, mut bytes) = (Vec::new(), vec![pattern.to_owned()], 0_usize);
    while let Some(next) = open.pop() {
        let Some((before, choices, after)) = braces(&next)? else {
            done.push(next);
            continue;
        };
        bytes = bytes.saturating_add(choices.len() * next.len());
        if open.len() + done.len() + choices.len() > MOST_CHOICES || bytes > MOST_BYTES {
            return Err("its braces stand for too many patterns");
        }
        open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
    }
    Ok(done)
}

/// What stands before, between and after the first braces.
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

fn parts(pattern: &str) -> Result<Vec<Part>, &'static str> {
    pattern
        .split('/')
        .filter(|part| *part != ".")
        .map(|part| if part == "**" { Ok(Part::Names) } else { name(part).map(Part::Name) })
        .collect()
}

fn name(part: &str) -> Result<Vec<Piece>, &'static str> {
    let mut pieces = Vec::new();
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::Any,
            '?' => Piece::One,
            '[' => class(&mut chars)?,
            '\\' => Piece::Is(chars.next().ok_or("a backslash ends a name")?),
            c => Piece::Is(c),
        });
    }
    pieces.dedup_by(|a, b| *a == Piece::Any && *b == Piece::Any);
    Ok(pieces)
}

fn class(chars: &mut std::str::Chars<'_>) -> Result<Piece, &'static str> {
    const OPEN: &str = "a bracket has no closing one";
    let mut ranges = Vec::new();
    let mut rest = chars.clone();
    let inverted = matches!(rest.next(), Some('^' | '!'));
    if inverted {
        *chars = rest;
    }
    loop {
        let low = match chars.next().ok_or(OPEN)? {
            ']' if !ranges.is_empty() => return Ok(Piece::Class { ranges, inverted }),
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

/// Whether names fit parts: a table of which parts fit the names so far, so that the work is
/// their product at most.
fn fits(parts: &[Part], names: &[&str]) -> bool {
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    skip_names(parts, &mut reached);
    for name in names {
        let mut next = vec![false; parts.len() + 1];
        for (index, part) in parts.iter().enumerate().filter(|(index, _)| reached[*index]) {
            match part {
                Part::Names => next[index] = true,
                Part::Name(pieces) => next[index + 1] |= name_fits(pieces, name),
            }
        }
        skip_names(parts, &mut next);
        reached = next;
    }
    reached[parts.len()]
}

/// Any names may also be none.
fn skip_names(parts: &[Part], reached: &mut [bool]) {
    for (index, part) in parts.iter().enumerate() {
        if reached[index] && *part == Part::Names {
            reached[index + 1] = true;
        }
    }
}

/// Whether a name fits pieces. After a star, only the last star needs to be tried again.
fn name_fits(pieces: &[Piece], name: &str) -> bool {
    let chars: Vec<char> = name.chars().collect();
    let (mut piece, mut at, mut retry) = (0, 0, None);
    while at < chars.len() {
        match pieces.get(piece) {
            Some(Piece::Any) => {
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
    pieces[piece..].iter().all(|piece| *piece == Piece::Any)
}

impl Piece {
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
