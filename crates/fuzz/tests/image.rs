//! Runs the targets of images over small samples and mutated copies of them.

use hashmill_fuzz::find;
use hashmill_testing::mutate::mutate;
use hashmill_testing::{Random, cases, vectors};
use std::fs;

/// The number of mutations, which take some seconds.
const MUTATIONS: usize = 420;

const SAMPLES: [&str; 7] = [
    "e01/plaso-image.E01",
    "e01/dissect-ewf.E01",
    "e01/ewfgo-fat16-encase25-zlib-slack.E01",
    "ex01/zeros_128s_compressed.Ex01",
    "l01/exfat-docx.L01",
    "l01/ewfimage061-files.L01",
    "lx01/ewfimage061-files.Lx01",
];

#[test]
fn changed_samples_hold() {
    let Some(folder) = vectors("ewf") else { return };
    let target = find("image").unwrap();
    for (number, name) in SAMPLES.iter().cycle().take(cases(MUTATIONS)).enumerate() {
        let seed = fs::read(folder.join(name)).unwrap();
        target.run(&mutate(&seed, target.mutation.tokens, &mut Random(number as u64)));
    }
}
