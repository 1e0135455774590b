//! Runs the fuzz targets of seals, proofs and redacted manifests over their seeds and spoilt copies of them.

#[path = "../../../fuzz/src/seal.rs"]
mod fuzz;
#[path = "../../../fuzz/src/spoil.rs"]
mod spoil;

use std::fs;
use std::path::Path;

type Target = (&'static str, fn(&[u8]));
const TARGETS: [Target; 4] = [
    ("seal", fuzz::seal),
    ("proof", fuzz::proof),
    ("consistency", fuzz::consistency),
    ("redacted", fuzz::redacted),
];

#[test]
fn nothing_that_looks_like_a_seal_breaks_its_reader() {
    let fuzzed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for (name, target) in TARGETS {
        assert!(spoil::spoil(&fuzzed.join("corpus").join(name), 2000, b"0f\"{}[],:\\n\n", target) > 0);
        let program = fuzzed.join("fuzz_targets").join(name).with_extension("rs");
        assert!(fs::read_to_string(program).unwrap().contains(&format!("::{name}(data)")));
    }
}
