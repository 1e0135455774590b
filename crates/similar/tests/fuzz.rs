//! The fuzz targets over real lists and blocks and over mutations of them, for a bounded time.

mod common;
#[path = "../../../fuzz/src/similar.rs"]
mod targets;

use common::{Numbers, digest_by};
use hashloom_similar::index::Writer;
use hashloom_similar::{Named, SIMILAR};

/// Mutations of each seed.
const MUTATIONS: usize = 400;

/// A list, an index, and the body of the index's block, of each algorithm.
fn seeds(numbers: &mut Numbers) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for row in SIMILAR {
        let mut index = Vec::new();
        let mut writer = Writer::begin(&mut index, row).unwrap();
        let mut list = Vec::new();
        for i in 0..3_usize {
            let digest = digest_by((row.stream)(), &numbers.bytes(600 + 900 * i)).unwrap();
            let named = Named { name: format!("n:{i}").into_bytes(), digest };
            list.extend(named.lines());
            writer.push(named).unwrap();
        }
        writer.end().unwrap();
        // Magic and version, the head's frame, then tag and length of the block; behind it checksum and tail.
        let body = index[8 + 12 + row.name.len() + 16 + 12..index.len() - 16 - (12 + 24 + 16)].to_vec();
        seeds.extend([list, index, body]);
    }
    seeds
}

fn mutated(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        // The first bytes decide most.
        let most = if numbers.below(2) == 0 { data.len().min(80) } else { data.len() };
        let at = numbers.below(most.max(1)).min(data.len());
        match numbers.below(5) {
            0 if at < data.len() => data[at] = numbers.next() as u8,
            1 if at < data.len() => data[at] = b":,0-9/\"\n"[numbers.below(8)],
            2 => drop(data.drain(at..data.len().min(at + numbers.below(9)))),
            3 => data.truncate(at.max(most)),
            _ => data.splice(at..at, b"9:9:=,".iter().copied().take(numbers.below(7))).for_each(drop),
        }
    }
    data
}

#[test]
fn no_bytes_make_a_target_panic() {
    let mut numbers = Numbers(21);
    for seed in seeds(&mut numbers) {
        for round in 0..MUTATIONS {
            let data = if round == 0 { seed.clone() } else { mutated(&seed, &mut numbers) };
            targets::lines(&data);
            targets::index(&data);
            targets::streams(&data);
        }
    }
}
