//! Runs the fuzz targets of signatures over the files of the other tests, over their own seeds, and over spoilt copies
//! of them.

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

fn corpus(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name)
}

#[test]
fn no_line_of_allowed_signers_hides_another() {
    let seeds = corpus("allowed_signers");
    assert!(spoil::spoil(&seeds, 4000, b"\"\n\\\",\0namespaces=\"", fuzz::allowed_signers) >= 3);
}

#[test]
fn nothing_that_looks_like_a_time_stamp_breaks_its_reader() {
    assert!(spoil::spoil(&corpus("stamp"), 400, b"\x30\x84\xff\xff\xff\xff", fuzz::stamp) >= 3);
}
