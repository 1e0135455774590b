//! Runs the targets of likeness digests over generated lists and blocks, and over mutated copies of them.

use hashmill_fuzz::measured::similar as targets;
use hashmill_similar::index::Writer;
use hashmill_similar::{Named, SIMILAR};
use hashmill_testing::Random;
use hashmill_testing::mutate::mutate;

/// The number of mutations of each seed.
const MUTATIONS: usize = 400;

/// Returns a list, an index, and the body of the index's block, for each algorithm.
fn seeds(random: &mut Random) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for row in SIMILAR {
        let mut index = Vec::new();
        let mut writer = Writer::begin(&mut index, row).unwrap();
        let mut list = Vec::new();
        for i in 0..3_usize {
            let mut stream = (row.stream)();
            stream.update(&random.bytes(600 + 900 * i));
            let digest = stream.finish().unwrap();
            let named = Named { name: format!("n:{i}").into_bytes(), digest };
            list.extend(named.lines());
            writer.push(named).unwrap();
        }
        writer.end().unwrap();
        // Skips magic, version, the head's frame, and the block's tag and length; at the end, checksum and tail.
        let body = index[8 + 12 + row.name.len() + 16 + 12..index.len() - 16 - (12 + 24 + 16)].to_vec();
        seeds.extend([list, index, body]);
    }
    seeds
}

/// Significant bytes of lists.
const TOKENS: &[&[u8]] = &[b"9:9:=,", b":", b",", b"/", b"\"", b"\n"];

#[test]
#[ignore = "campaign: takes long"]
fn no_bytes_make_a_target_panic() {
    let mut random = Random(21);
    for seed in seeds(&mut random) {
        for round in 0..hashmill_testing::cases(MUTATIONS) {
            let data = if round == 0 { seed.clone() } else { mutate(&seed, TOKENS, &mut random) };
            targets::lines(&data);
            targets::index(&data);
            targets::streams(&data);
        }
    }
}
