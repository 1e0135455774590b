//! What `cargo fuzz` does without end, for a bounded time and with the stable compiler: the tests of crates include
//! this file, and run their targets over seeds, beginnings of them, and copies that are spoilt from a fixed seed.

use std::fs;
use std::path::Path;

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

/// Runs a target over the files of a folder, each with so many mutations, in some of which `token` is inserted:
/// bytes that the format gives a meaning to. Says how many seeds there were.
///
/// # Panics
/// If the folder can't be read, or the target panics.
pub fn spoil(folder: &Path, mutations: usize, token: &[u8], target: fn(&[u8])) -> usize {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    for seed in &seeds {
        let seed = fs::read(seed).unwrap();
        target(&seed);
        (0..seed.len()).step_by(7).for_each(|length| target(&seed[..length]));
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        (0..mutations).for_each(|_| target(&spoilt(&seed, token, &mut random)));
    }
    seeds.len()
}

fn spoilt(seed: &[u8], token: &[u8], random: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=random.below(3) {
        if data.is_empty() {
            break;
        }
        let at = random.below(data.len());
        let end = (at + random.below(20)).min(data.len());
        match random.below(4) {
            0 => data[at] ^= 1 << random.below(8),
            1 => drop(data.drain(at..end)),
            2 => drop(data.splice(at..at, token.iter().copied())),
            _ => data.extend_from_within(at..end),
        }
    }
    data
}
