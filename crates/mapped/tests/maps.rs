//! Maps of unchanged and of truncated files.

use crate::common::{PAGE, file, map, paint};
use hashmill_mapped::Mapped;
use std::fs::File;

#[test]
fn a_map_has_the_bytes_of_the_file() {
    for length in [1, PAGE - 1, PAGE, PAGE + 1, 1_000_003] {
        let file = file(length);
        let map = map(&file, length);
        assert!(*map == paint(length) && map.missing().is_none());
    }
}

#[test]
fn what_was_given_back_comes_again() {
    let file = file(1_000_003);
    let map = map(&file, 1_000_003);
    map.populate(0..map.len());
    map.release(0..map.len());
    map.release(PAGE..3 * PAGE);
    // Ranges beyond the map are ignored.
    map.populate(2_000_000..3_000_000);
    map.release(900_000..usize::MAX);
    map.release(2_000_000..3_000_000);
    assert!(*map == paint(1_000_003) && map.missing().is_none());
}

#[test]
fn a_directory_can_not_be_mapped() {
    // Not every system opens it as a file.
    if let Ok(folder) = File::open(std::env::temp_dir()) {
        assert!(Mapped::new(&folder, PAGE).is_err());
    }
}
