//! A sample that is spread evenly: over the rooms by their shares, and within a room over its files.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::config::Config;
use crate::mutant::Mutant;

/// Takes about `count` mutants: from each room with mutants its share, one from each of as many equal parts of its
/// list.
pub fn sample<'m>(mutants: &[&'m Mutant], config: &Config, count: usize, seed: u64) -> Vec<&'m Mutant> {
    let present: BTreeSet<usize> = mutants.iter().map(|mutant| mutant.room).collect();
    let rooms = || config.room.iter().enumerate().filter(|(index, _)| present.contains(index));
    let shares: usize = rooms().map(|(_, room)| room.share as usize).sum();
    let mut taken = BTreeSet::new();
    for (index, room) in rooms() {
        let own: Vec<&&Mutant> = mutants.iter().filter(|mutant| mutant.room == index).collect();
        let wanted = (count * room.share as usize).div_ceil(shares.max(1)).min(own.len());
        for part in 0..wanted {
            let (from, to) = (part * own.len() / wanted, (part + 1) * own.len() / wanted);
            let at = from + usize::try_from(hash((seed, index, part)) % (to - from) as u64).unwrap_or(0);
            taken.extend(own.get(at).map(|mutant| mutant.id));
        }
    }
    let mut sample: Vec<&Mutant> =
        mutants.iter().copied().filter(|mutant| taken.contains(&mutant.id)).collect();
    // Shuffled, so that a run that is interrupted has a smaller sample rather than the first rooms.
    sample.sort_by_cached_key(|mutant| hash((seed, mutant.id)));
    sample
}

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
