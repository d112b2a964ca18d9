//! Samples are spread over rooms by their shares and over the list of a room, and depend on the seed alone.

use hclvm_mutants::config::Config;
use hclvm_mutants::mutant::{Change, Mutant, Splice};
use hclvm_mutants::sample::sample;

/// Mutants 0 to 99 in the first room, 100 to 199 in the second.
fn mutants() -> Vec<Mutant> {
    let change = Change {
        operator: "if",
        changed: 0..0,
        replacement: String::new(),
        splice: Splice::around(0..0, "", ""),
    };
    let mutant = |id: u32| Mutant {
        id,
        key: u64::from(id),
        file: String::new(),
        line: 1,
        room: usize::from(id >= 100),
        change: change.clone(),
    };
    (0..200).map(mutant).collect()
}

/// The ids of a sample of 40, in order.
fn sampled(seed: u64) -> Vec<u32> {
    let rooms = "floor = 0.0\nmemory = 1\n\
                 [[room]]\nname = \"a\"\npaths = [\"a\"]\nshare = 1\n\
                 [[room]]\nname = \"b\"\npaths = [\"b\"]\nshare = 3\n";
    let config = Config::read(rooms).expect("it is valid");
    let mutants = mutants();
    let mutants: Vec<&Mutant> = mutants.iter().collect();
    let mut ids: Vec<u32> = sample(&mutants, &config, 40, seed).iter().map(|mutant| mutant.id).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn a_sample_has_one_mutant_of_each_part_of_each_room() {
    let ids = sampled(1);
    let (first, second) = ids.split_at(10);
    assert!(first.iter().zip(0..).all(|(id, part)| id / 10 == part), "{first:?}");
    let parts = (0..30).map(|part| 100 + part * 100 / 30..100 + (part + 1) * 100 / 30);
    assert!(second.len() == 30 && second.iter().zip(parts).all(|(id, part)| part.contains(id)), "{second:?}");
}

#[test]
fn a_sample_depends_on_the_seed() {
    assert_eq!(sampled(1), sampled(1));
    assert_ne!(sampled(1), sampled(2));
}
