//! Runs the fuzz target of signatures over the files of the other tests and spoilt copies of them.

#[path = "../../../fuzz/src/sign.rs"]
mod fuzz;
#[path = "../../../fuzz/src/spoil.rs"]
mod spoil;

use std::path::Path;

#[test]
fn nothing_that_looks_like_a_signature_or_key_breaks_its_reader() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    assert!(spoil::spoil(&seeds, 400, b"\x30\x84\xff\xff\xff\xff\"\n", fuzz::sign) > 10);
}
