//! Runs the fuzz targets of indexes and of what they are built from over their seeds and spoilt copies of them.
#![cfg(feature = "sqlite")]

#[path = "../../../fuzz/src/known.rs"]
mod fuzz;
#[path = "../../../fuzz/src/spoil.rs"]
mod spoil;

use std::fs;
use std::path::Path;

/// Its name, how often each seed is spoilt, what is inserted, and what it does.
type Target = (&'static str, usize, &'static [u8], fn(&[u8]));

const TARGETS: [Target; 5] = [
    ("index", 1000, b"\xff\xff\xff\xff\0\0\0\x80", fuzz::index),
    ("zip", 150, b"PK\x01\x02\xff\xff\xff\xff", fuzz::zip),
    ("rds", 150, b"\x0d\0\0\xff\xff", fuzz::rds),
    ("delta", 150, b"';--/*(),", fuzz::delta),
    ("products", 150, b"\"\t,;|\n\0", fuzz::products),
];

#[test]
fn nothing_that_looks_like_an_index_or_an_input_breaks_its_reader() {
    let fuzzed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, mutations, token, target) in TARGETS {
        let own = format!("known_{name}");
        assert!(spoil::spoil(&fuzzed.join("corpus").join(&own), mutations, token, target) > 0);
        let program = fuzzed.join("fuzz_targets").join(&own).with_extension("rs");
        assert!(fs::read_to_string(program).unwrap().contains(&format!("known::{name}(data)")));
    }
}

/// The seed was built on another machine than many that run this test: an index is the same everywhere.
#[test]
fn an_index_of_another_machine_is_read() {
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/known_index/small");
    let index = hashloom_known::Index::open(&seed).unwrap();
    index.verify().unwrap();
    let digest = |hex: &str| hashloom_digest::Digest::from_hex(hex.as_bytes()).unwrap();
    let hit = index.find(&digest("900150983cd24fb0d6963f7d28e17f72")).unwrap();
    assert_eq!(index.size(hit), Some(3));
    assert_eq!(index.detail(hit).unwrap().verdict().unwrap().set.as_ref(), "list");
    assert_eq!(index.find(&digest("900150983cd24fb0d6963f7d28e17f73")), None);
}
