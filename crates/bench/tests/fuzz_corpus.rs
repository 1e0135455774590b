//! Runs the fuzz target of calibrations over its seeds and spoilt copies of them.

#[path = "../../../fuzz/src/calibration.rs"]
mod fuzz;
#[path = "../../../fuzz/src/spoil.rs"]
mod spoil;

use std::path::Path;

#[test]
fn nothing_that_looks_like_a_calibration_breaks_its_reader() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/calibration");
    assert!(spoil::spoil(&seeds, 4000, b"4294967296 -1 0 ", fuzz::calibration) > 0);
}
