//! An index is the same on all machines: the seed of the fuzz target was built on another one than most that run this
//! test.

use hashmill_digest::Digest;
use hashmill_known::Index;
use std::path::Path;

#[test]
fn an_index_of_another_machine_is_read() {
    let seed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/known_index/small");
    let index = Index::open(&seed).unwrap();
    index.verify().unwrap();
    let digest = |hex: &str| Digest::from_hex(hex.as_bytes()).unwrap();
    let hit = index.find(&digest("900150983cd24fb0d6963f7d28e17f72")).unwrap().unwrap();
    assert_eq!(index.size(hit).unwrap(), Some(3));
    assert_eq!(index.detail(hit).unwrap().verdict().unwrap().set.as_ref(), "list");
    assert_eq!(index.find(&digest("900150983cd24fb0d6963f7d28e17f73")).unwrap(), None);
}
