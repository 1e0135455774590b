//! Runs the fuzz target of tag files over its seeds, over every beginning of them, and over copies with
//! a few bytes altered, moved or repeated.

#[path = "../../../fuzz/src/bag.rs"]
mod fuzz;

use std::fs;

/// Mutations for each seed file.
const MUTATIONS: usize = 1000;

/// xorshift64* (Vigna 2016): enough to mutate with, and the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) as usize % limit.max(1)
    }
}

#[test]
fn no_tag_file_breaks_its_reader() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/bag");
    let mut seeds: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty());
    for seed in seeds {
        let seed = fs::read(seed).unwrap();
        (0..seed.len()).step_by(7).for_each(|length| fuzz::bag(&seed[..length]));
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..MUTATIONS {
            let mut data = seed.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(data.len());
                let end = (at + random.below(20)).min(data.len());
                match random.below(4) {
                    0 => data[at] ^= 1 << random.below(8),
                    1 => drop(data.drain(at..end)),
                    2 => drop(data.splice(at..at, b"\n  *./../%25\xff: ".iter().copied())),
                    _ => data.extend_from_within(at..end),
                }
            }
            fuzz::bag(&data);
        }
    }
}
