//! Runs the fuzz targets of seals, proofs and redacted manifests over their seeds, over every beginning of them, and
//! over copies with changed bytes, from a fixed seed.

#[path = "../../../fuzz/src/seal.rs"]
mod fuzz;

use std::fs;

type Target = (&'static str, fn(&[u8]));
const TARGETS: [Target; 3] = [("seal", fuzz::seal), ("proof", fuzz::proof), ("redacted", fuzz::redacted)];

#[test]
fn nothing_that_looks_like_a_seal_breaks_its_reader() {
    // xorshift64* (Vigna 2016).
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = move |limit: usize| {
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) as usize % limit.max(1)
    };
    for (name, target) in TARGETS {
        let folder = format!("{}/../../fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
        let seeds = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let seeds: Vec<_> = seeds.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in seeds {
            target(&seed);
            (0..seed.len()).step_by(7).for_each(|length| target(&seed[..length]));
            for _ in 0..2000 {
                let mut data = seed.clone();
                for _ in 0..=below(3) {
                    let at = below(data.len());
                    match below(4) {
                        0 => data[at] = below(256) as u8,
                        1 => drop(data.drain(at..(at + below(40)).min(seed.len()).min(data.len()))),
                        2 => data.insert(at, b"0f\"{}[],:\n"[below(10)]),
                        _ => {
                            let to = below(data.len());
                            data.swap(at, to);
                        }
                    }
                    if data.is_empty() {
                        break;
                    }
                }
                target(&data);
            }
        }
        let program = format!("{}/../../fuzz/fuzz_targets/{name}.rs", env!("CARGO_MANIFEST_DIR"));
        assert!(fs::read_to_string(program).unwrap().contains(&format!("::{name}(data)")));
    }
}
