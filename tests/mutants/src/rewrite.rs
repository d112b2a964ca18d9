//! Splices mutants into a text, and finds the mutants at a place of the result.

use std::ops::Range;

use crate::mutant::{Mutant, ON, Splice};

/// An instrumented text.
#[derive(Debug, Default)]
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// The parts of the text that mutants inserted, with their ids.
    inserted: Vec<(Range<usize>, u32)>,
    /// The parts of the text that mutants surround, with their ids.
    surrounded: Vec<(Range<usize>, u32)>,
}

impl Rewritten {
    /// Returns the mutants to which an error of the compiler at `places` is attributed: those that
    /// inserted the text there, otherwise the innermost that surround the places, or all that do.
    pub fn culprits(&self, places: &[Range<usize>], all: bool) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        for place in places {
            let innermost = self
                .inserted
                .iter()
                .filter(|(range, _)| holds(range, place))
                .min_by_key(|(range, _)| range.len());
            found.extend(innermost.map(|(_, id)| *id));
        }
        if found.is_empty() {
            for place in places {
                let around = self.surrounded.iter().filter(|(range, _)| holds(range, place));
                if all {
                    found.extend(around.map(|(_, id)| *id));
                } else {
                    found.extend(around.min_by_key(|(range, _)| range.len()).map(|(_, id)| *id));
                }
            }
        }
        found
    }

    /// Returns the mutants between the first and the last of the places.
    pub fn between(&self, places: &[Range<usize>]) -> Vec<u32> {
        let first = places.iter().map(|place| place.start).min().unwrap_or(0);
        let last = places.iter().map(|place| place.end).max().unwrap_or(0);
        let within = self.inserted.iter().filter(|(range, _)| holds(&(first..last), range));
        within.map(|(_, id)| *id).collect()
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Where a piece of text goes: its position, then closing before opening texts; of those that open, the
/// outermost first; of those that close, the innermost first.
type Order = (usize, bool, usize, i64);

/// A text that is inserted, or that replaces a range.
struct Piece {
    order: Order,
    range: Range<usize>,
    text: String,
    /// The mutant that the text belongs to.
    id: Option<u32>,
    end: End,
}

/// The pieces of the splice of a mutant.
fn pieces(mutant: &Mutant) -> Vec<Piece> {
    let (id, Splice { range, open, close, replaced }) = (mutant.id, &mutant.change.splice);
    let piece = |order: Order, range: Range<usize>, text: &str, end: End| {
        let text = text.replace(ON, &format!("::mutant_switch::on({id})"));
        Piece { order, range, text, id: Some(id), end }
    };
    if range.is_empty() {
        return vec![piece((range.start, true, 0, i64::from(id)), range.clone(), open, End::Neither)];
    }
    let outermost_first = (range.start, true, usize::MAX - range.end, i64::from(id));
    let innermost_first = (range.end, false, usize::MAX - range.start, -i64::from(id));
    let mut pieces = vec![
        piece(outermost_first, range.start..range.start, open, End::Open),
        piece(innermost_first, range.end..range.end, close, End::Close),
    ];
    if let Some((at, other)) = replaced {
        pieces.push(piece((at.start, true, 0, -1), at.clone(), other, End::Neither));
    }
    pieces
}

/// Applies the splices of `mutants`, and removes `removed` from the text.
pub fn rewrite<'a>(
    text: &str,
    mutants: impl IntoIterator<Item = &'a Mutant>,
    removed: &[Range<usize>],
) -> Rewritten {
    let mut pieces: Vec<Piece> = mutants.into_iter().flat_map(pieces).collect();
    pieces.extend(removed.iter().map(|range| Piece {
        order: (range.start, true, 0, -1),
        range: range.clone(),
        text: String::new(),
        id: None,
        end: End::Neither,
    }));
    pieces.sort_by_key(|piece| piece.order);

    let mut out = Rewritten::default();
    let mut begun: Vec<(u32, usize)> = Vec::new();
    let mut at = 0;
    for piece in pieces {
        out.text.push_str(text.get(at..piece.range.start).unwrap_or_default());
        at = piece.range.end;
        let start = out.text.len();
        out.text.push_str(&piece.text);
        let Some(id) = piece.id else { continue };
        out.inserted.push((start..out.text.len(), id));
        match piece.end {
            End::Open => begun.push((id, start)),
            End::Neither => {}
            End::Close => {
                let position = begun.iter().rposition(|(begun, _)| *begun == id);
                let (_, start) = begun.remove(position.expect("a splice opens before it closes"));
                out.surrounded.push((start..out.text.len(), id));
            }
        }
    }
    out.text.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Which end of a splice a piece of text is.
enum End {
    Open,
    Neither,
    Close,
}
