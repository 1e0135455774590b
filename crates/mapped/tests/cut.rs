//! Maps of files that are cut short, which no system but those of Unix allows while they are mapped.

use crate::common::{PAGE, file, map, paint};
use hashmill_mapped::Mapped;
use std::fs::OpenOptions;
use std::sync::Arc;
use std::thread;
use tempfile::NamedTempFile;

fn cut(file: &NamedTempFile, length: u64) {
    OpenOptions::new().write(true).open(file.path()).unwrap().set_len(length).unwrap();
}

#[test]
fn what_was_cut_off_is_zeros_and_told() {
    for (to, missing) in [(0, 0), (PAGE, PAGE), (PAGE + 1, 2 * PAGE), (9 * PAGE, 9 * PAGE)] {
        let file = file(10 * PAGE);
        let map = map(&file, 10 * PAGE);
        cut(&file, to as u64);
        // Read backwards: the first missing page counts, in whatever order pages are read.
        let sum: u64 = map.iter().rev().map(|&byte| u64::from(byte)).sum();
        assert_eq!(sum, paint(to).iter().map(|&byte| u64::from(byte)).sum::<u64>());
        assert_eq!(map.missing(), Some(missing));
    }
}

#[test]
fn a_map_that_takes_the_place_of_one_with_a_fault_has_none() {
    for _ in 0..3 {
        let file = file(10 * PAGE);
        let broken = map(&file, 10 * PAGE);
        cut(&file, 0);
        assert_eq!(broken[PAGE], 0);
        assert_eq!(broken.missing(), Some(PAGE));
        drop(broken);
        let file = crate::common::file(10 * PAGE);
        assert!(map(&file, 10 * PAGE).missing().is_none());
    }
}

/// Every thread that reads zeros can find out, and other maps are unaffected.
#[test]
fn threads_that_read_a_file_that_is_cut_short_all_know_of_it() {
    let files: Vec<NamedTempFile> = (0..8).map(|_| file(64 * PAGE)).collect();
    let maps: Vec<Arc<Mapped>> = files.iter().map(|file| Arc::new(map(file, 64 * PAGE))).collect();
    files.iter().step_by(2).for_each(|file| cut(file, 0));
    let readers = (0..16).map(|reader| {
        let maps = maps.clone();
        thread::spawn(move || {
            for turn in 0..maps.len() {
                let number = (reader + turn) % maps.len();
                let whole = **maps[number] == paint(64 * PAGE);
                assert_eq!(whole, number % 2 == 1);
                assert_eq!(maps[number].missing().is_none(), whole);
            }
        })
    });
    let readers: Vec<_> = readers.collect();
    readers.into_iter().for_each(|reader| reader.join().unwrap());
}
