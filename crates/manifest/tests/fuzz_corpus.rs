//! Runs every fuzz target over its seeds and over mutations of them, from a fixed seed: what `cargo fuzz`
//! does without end, for a bounded time and with the stable compiler.

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::path::PathBuf;

/// Mutations for each seed file.
const MUTATIONS: usize = 400;

/// xorshift64* (Vigna 2016): enough to mutate with, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Bytes that formats give a meaning to.
const TOKENS: &[&[u8]] = &[
    b"\n",
    b"\r\n",
    b"\\",
    b"\"",
    b",",
    b"  ",
    b" *",
    b"(",
    b") = ",
    b"%%%%",
    b"#",
    b"0",
    b"-1",
    b"\xff",
    b"\0",
    b" offset 0-0",
    b"18446744073709551615",
    b"99999999999999999999",
    b"path",
    b"<",
    b"&#0;",
    b"&",
    b"null",
    b"{",
    b"XXH3_",
    b"_LE",
];

fn mutate(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(data.len() + 1);
        let end = (at + random.below(40)).min(data.len());
        match random.below(5) {
            0 if at < data.len() => data[at] = random.next() as u8,
            1 => drop(data.drain(at..end)),
            2 => {
                let copy = data[at..end].to_vec();
                let to = random.below(data.len() + 1);
                data.splice(to..to, copy);
            }
            3 => data.truncate(at),
            _ => drop(data.splice(at..at, TOKENS[random.below(TOKENS.len())].iter().copied())),
        }
    }
    data
}

fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

#[test]
fn targets_hold_over_seeds_and_mutations() {
    for (name, target) in targets::TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for (file, seed) in seeds {
            target(&seed);
            let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed.len() as u64);
            for _ in 0..MUTATIONS {
                let data = mutate(&seed, &mut random);
                let held = std::panic::catch_unwind(|| target(&data));
                assert!(held.is_ok(), "{name}, from {}: {}", file.display(), data.escape_ascii());
            }
        }
    }
}

#[test]
fn every_target_has_a_program() {
    for (name, _) in targets::TARGETS {
        let file = format!("{}/../../fuzz/fuzz_targets/{name}.rs", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(text.contains(&format!("run(\"{name}\"")), "{file}");
    }
    targets::run("sniff", b"");
}
