//! Ranges of numbers, and those that contain a number.
//!
//! Ranges are sorted by their lower bounds and divided into blocks, each of which stores its greatest upper bound.
//! An interval tree would skip more, but a block is a few cache lines, and ranges are added and removed in place.

use std::cmp::Ordering;

/// The most ranges of a block: a search of all of a block takes about as long as that of the blocks of an index of
/// 1,000 ranges.
const MOST: usize = 64;

/// Ranges, each with the node that its rules are in.
#[derive(Debug, Default)]
pub(super) struct Ranges(Vec<RangeBlock>);

#[derive(Debug)]
struct RangeBlock {
    greatest: f64,
    /// Sorted by lower bound. Not empty.
    ranges: Vec<KeyRange>,
}

#[derive(Clone, Copy, Debug)]
struct KeyRange {
    low: f64,
    high: f64,
    node: u32,
}

impl KeyRange {
    fn order(&self, low: f64, high: f64) -> Ordering {
        self.low.total_cmp(&low).then(self.high.total_cmp(&high))
    }
}

impl Ranges {
    /// Returns the node of a range.
    pub(super) fn get(&self, low: f64, high: f64) -> Option<u32> {
        let block = self.0.get(self.block(low, high)?)?;
        let at = block.ranges.binary_search_by(|range| range.order(low, high)).ok()?;
        block.ranges.get(at).map(|range| range.node)
    }

    /// Adds a range that is not there yet.
    pub(super) fn insert(&mut self, low: f64, high: f64, node: u32) {
        let range = KeyRange { low, high, node };
        let Some(at) = self.block(low, high) else {
            self.0.push(RangeBlock { greatest: high, ranges: vec![range] });
            return;
        };
        let Some(block) = self.0.get_mut(at) else { return };
        let place = block.ranges.partition_point(|range| range.order(low, high).is_lt());
        block.ranges.insert(place, range);
        block.greatest = block.greatest.max(high);
        if block.ranges.len() > MOST {
            let ranges = block.ranges.split_off(MOST / 2);
            block.update();
            let mut behind = RangeBlock { greatest: high, ranges };
            behind.update();
            self.0.insert(at + 1, behind);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes a range.
    pub(super) fn remove(&mut self, low: f64, high: f64) {
        let Some(at) = self.block(low, high) else { return };
        let Some(block) = self.0.get_mut(at) else { return };
        block.ranges.retain(|range| range.order(low, high).is_ne());
        block.update();
        if block.ranges.is_empty() {
            self.0.remove(at);
        }
    }

    /// Returns the nodes of the ranges that contain `number`, bounds included.
    pub(super) fn containing(&self, number: f64) -> impl Iterator<Item = u32> {
        let blocks = self
            .0
            .iter()
            .take_while(move |block| block.ranges.first().is_some_and(|first| first.low <= number));
        let blocks = blocks.filter(move |block| block.greatest >= number);
        let ranges =
            blocks.flat_map(move |block| block.ranges.iter().take_while(move |range| range.low <= number));
        ranges.filter(move |range| range.high >= number).map(|range| range.node)
    }

    /// Returns the nodes of all ranges.
    pub(super) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.0.iter().flat_map(|block| &block.ranges).map(|range| range.node)
    }

    /// Returns the number of the block that a range is in or belongs to; `None` if there are no blocks.
    fn block(&self, low: f64, high: f64) -> Option<usize> {
        let is_before =
            |block: &RangeBlock| block.ranges.first().is_some_and(|first| first.order(low, high).is_le());
        let behind = self.0.partition_point(is_before);
        if self.0.is_empty() { None } else { Some(behind.saturating_sub(1)) }
    }
}

impl RangeBlock {
    fn update(&mut self) {
        self.greatest = self.ranges.iter().map(|range| range.high).fold(f64::NEG_INFINITY, f64::max);
    }
}
