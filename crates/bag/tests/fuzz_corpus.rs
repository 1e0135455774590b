//! Runs the fuzz target of tag files over its seeds and spoilt copies of them.

#[path = "../../../fuzz/src/bag.rs"]
mod fuzz;
#[path = "../../../fuzz/src/spoil.rs"]
mod spoil;

use std::path::Path;

#[test]
fn no_tag_file_breaks_its_reader() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/bag");
    assert!(spoil::spoil(&seeds, 1000, b"\n  *./../%25\xff: ", fuzz::bag) > 0);
}
