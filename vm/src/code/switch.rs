//! Switches: a chain of comparisons of one subject with constant texts, compiled to one lookup.
//!
//! The table is a hash table with open addressing and linear probing. A text is hashed and compared by its
//! length, its first and its last 8 bytes; up to 16 bytes these are the whole text, so that nothing else
//! is compared. If texts crowd one place, by chance or on purpose, there is no table and the arms are
//! searched by bisection. Written by hand because a general map would hash all bytes and keep a seed.

use smol_str::SmolStr;

use super::fast::FastLabel;

/// Targets by text.
#[derive(Clone, Debug)]
pub struct Switch {
    /// In the order of the texts, each once.
    arms: Box<[SwitchArm]>,
    /// Numbers of arms, counted from 1, by hash; 0 where there is none. A power of two of places, at
    /// least half of them free; none when the arms are searched.
    places: Box<[u16]>,
    /// The target of all other subjects.
    otherwise: FastLabel,
    /// The target of an unknown text; `None` if the result depends on more than constants.
    unknown: Option<FastLabel>,
}

/// A text and its target.
#[derive(Clone, Debug)]
struct SwitchArm {
    ends: Ends,
    text: SmolStr,
    target: FastLabel,
}

/// The most places that are probed for a text: at half load a longer run means colliding texts, for which
/// bisection is the better search.
const MOST_TRIED: usize = 8;

impl Switch {
    /// Creates a switch over texts. The first of equal texts determines the target.
    pub fn new(arms: impl IntoIterator<Item = (SmolStr, FastLabel)>, otherwise: FastLabel) -> Self {
        let arm = |(text, target): (SmolStr, _)| SwitchArm { ends: Ends::of(text.as_bytes()), text, target };
        let mut arms: Vec<SwitchArm> = arms.into_iter().map(arm).collect();
        arms.sort_by(|a, b| a.text.cmp(&b.text));
        arms.dedup_by(|later, first| later.text == first.text);
        let places = places(&arms).unwrap_or_default();
        Self { arms: arms.into(), places, otherwise, unknown: None }
    }

    /// Sets the target of an unknown text. The results of all targets are constants.
    #[must_use]
    pub fn with_unknown(self, unknown: FastLabel) -> Self {
        Self { unknown: Some(unknown), ..self }
    }

    /// Returns the target of a text.
    #[inline]
    pub(crate) fn target(&self, text: &str) -> FastLabel {
        let ends = Ends::of(text.as_bytes());
        for place in ends.hash()..ends.hash() + MOST_TRIED {
            let Some(number) = self.places.get(place & self.places.len().wrapping_sub(1)) else {
                return self.search(text);
            };
            let Some(arm) = self.arms.get(usize::from(*number).wrapping_sub(1)) else { break };
            if arm.ends == ends && (text.len() <= 16 || arm.text == text) {
                return arm.target;
            }
        }
        self.otherwise
    }

    /// Searches a text by bisection. Cold: only switches whose texts collide get here.
    #[cold]
    fn search(&self, text: &str) -> FastLabel {
        let found = self.arms.binary_search_by(|arm| arm.text.as_str().cmp(text));
        found.map_or(self.otherwise, |at| self.arms[at].target)
    }

    /// Returns the target of a subject that equals none of the texts.
    pub fn otherwise(&self) -> FastLabel {
        self.otherwise
    }

    /// Returns the target of an unknown text, if there is one.
    pub(crate) fn unknown(&self) -> Option<FastLabel> {
        self.unknown
    }

    /// Returns the texts, sorted, and their targets.
    pub(super) fn arms(&self) -> impl Iterator<Item = (&str, FastLabel)> {
        self.arms.iter().map(|arm| (arm.text.as_str(), arm.target))
    }

    /// Returns all targets.
    pub fn targets(&self) -> impl Iterator<Item = FastLabel> {
        self.arms.iter().map(|arm| arm.target).chain([self.otherwise]).chain(self.unknown)
    }

    /// Returns all targets, to be changed.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut FastLabel> {
        let targets = self.arms.iter_mut().map(|arm| &mut arm.target);
        targets.chain([&mut self.otherwise]).chain(self.unknown.as_mut())
    }
}

/// Builds the table, larger if arms crowd; `None` if that does not help.
fn places(arms: &[SwitchArm]) -> Option<Box<[u16]>> {
    [2, 4, 8].into_iter().find_map(|each| places_of((each * arms.len()).next_power_of_two(), arms))
}

/// Builds a table of `count` places; `None` if an arm would be too far from its own.
fn places_of(count: usize, arms: &[SwitchArm]) -> Option<Box<[u16]>> {
    let mut places = vec![0; count];
    for (at, arm) in arms.iter().enumerate() {
        let own = arm.ends.hash();
        let free = (own..own + MOST_TRIED).find(|place| places[place & (count - 1)] == 0)?;
        places[free & (count - 1)] = u16::try_from(at + 1).ok()?;
    }
    Some(places.into())
}

/// The key of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ends {
    len: usize,
    first: u64,
    last: u64,
}

impl Ends {
    /// Reads the ends of a text. Inlined into the lookup, where it is a few loads.
    #[inline(always)]
    fn of(text: &[u8]) -> Self {
        let len = text.len();
        let (first, last) =
            if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
                (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
            } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
                (u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into())
            } else {
                let bytes = text.iter().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte));
                (bytes, 0)
            };
        Self { len, first, last }
    }

    /// Hashes the ends: both halves of a 128-bit product. Small enough that a few may be added. Inlined:
    /// one multiplication.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "a hash keeps the low bits")]
    fn hash(self) -> usize {
        // The constants have no pattern, so that every bit of the ends counts.
        let first = u128::from(self.first ^ 0x9e37_79b9_7f4a_7c15);
        let last = u128::from(self.last.wrapping_add(self.len as u64) ^ 0xd6e8_feb8_6659_fd93);
        let product = first * last;
        ((product ^ product >> 64) as u32 >> 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::cast::operand;

    fn switch_of(texts: &[String]) -> Switch {
        let arms = texts.iter().zip(0..).map(|(text, at)| (SmolStr::new(text), FastLabel(at)));
        Switch::new(arms, FastLabel(u16::MAX))
    }

    #[test]
    fn texts_of_all_lengths_are_found() {
        let texts: Vec<String> = (0..60)
            .flat_map(|len| {
                [
                    "a".repeat(len),
                    format!("{}b{}", "a".repeat(len), "a".repeat(12)),
                    format!("{}\u{0}", "é".repeat(len)),
                ]
            })
            .collect();
        let switch = switch_of(&texts);
        for (at, text) in texts.iter().enumerate() {
            let first = texts.iter().position(|known| known == text).unwrap_or(at);
            assert_eq!(switch.target(text), FastLabel(operand(first)), "{text:?}");
            assert_eq!(switch.search(text), FastLabel(operand(first)), "{text:?}");
            for other in [format!("{text}x"), format!("x{text}"), text.replacen('a', "c", 1)] {
                if !texts.contains(&other) {
                    assert_eq!(switch.target(&other), FastLabel(u16::MAX), "{other:?}");
                    assert_eq!(switch.search(&other), FastLabel(u16::MAX), "{other:?}");
                }
            }
        }
    }

    #[test]
    fn texts_with_the_same_ends_are_searched() {
        let texts: Vec<String> = (0..40).map(|at| format!("prefixes-{at:02}-suffixes")).collect();
        let switch = switch_of(&texts);
        assert!(switch.places.is_empty());
        assert_eq!(switch.target("prefixes-17-suffixes"), FastLabel(17));
        assert_eq!(switch.target("prefixes-99-suffixes"), switch.otherwise());
    }

    #[test]
    fn usual_texts_have_places() {
        for count in [8, 20, 100, 1_000, 20_000] {
            let texts: Vec<String> = (0..count).map(|at| format!("zone-{at}")).collect();
            let switch = switch_of(&texts);
            assert!(!switch.places.is_empty(), "{count}");
            assert!(texts.iter().zip(0..).all(|(text, at)| switch.target(text) == FastLabel(at)));
        }
    }
}
