//! Mutated copies of seeds: like endless `cargo fuzz`, but for a bounded time and with the stable compiler.

use crate::{Random, cases};
use std::fs;
use std::path::{Path, PathBuf};

/// The parameters of mutation.
#[derive(Debug, Clone, Copy)]
pub struct Mutation<'a> {
    /// The usual number of mutated copies of each seed (see [`cases`]).
    pub count: usize,
    /// Significant bytes of the format, which are inserted.
    pub tokens: &'a [&'a [u8]],
}

/// Returns the files of a folder, sorted.
///
/// # Panics
/// If the folder can't be read or is empty.
pub fn seeds(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty(), "{} has no seeds", folder.display());
    files.sort();
    files.into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

/// Runs a target over every seed of a folder, over the beginnings of each, and over mutated copies of it.
///
/// # Panics
/// If the folder can't be read or is empty, or if the target panics; then the seed and the input are printed.
pub fn run(folder: &Path, mutation: Mutation<'_>, target: impl Fn(&[u8])) {
    for (file, seed) in seeds(folder) {
        let target = |data: &[u8]| {
            let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target(data)));
            assert!(held.is_ok(), "from {}: {}", file.display(), data.escape_ascii());
        };
        target(&seed);
        (0..seed.len()).step_by(17).for_each(|length| target(&seed[..length]));
        let mut random = Random(seed.len() as u64);
        (0..cases(mutation.count)).for_each(|_| target(&mutate(&seed, mutation.tokens, &mut random)));
    }
}

/// Returns a copy with one to four changes: a byte or bit altered, bytes dropped, repeated or inserted, the end cut
/// off.
pub fn mutate(seed: &[u8], tokens: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=random.below(4) {
        // The first bytes are often the most important ones.
        let most = if random.below(4) == 0 { data.len().min(80) } else { data.len() };
        let at = random.below(most + 1);
        let end = (at + random.below(40)).min(data.len());
        match random.below(6) {
            0 if at < data.len() => data[at] = random.next() as u8,
            1 if at < data.len() => data[at] ^= 1 << random.below(8),
            2 => drop(data.drain(at..end)),
            3 => {
                let copy = data[at..end].to_vec();
                let to = random.below(data.len() + 1);
                data.splice(to..to, copy);
            }
            4 if random.below(4) == 0 => data.truncate(at),
            _ if tokens.is_empty() => {}
            _ => drop(data.splice(at..at, random.pick(tokens).iter().copied())),
        }
    }
    data
}
