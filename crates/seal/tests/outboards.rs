//! Outboards equal those of the reference program `bao`, and any changed bit of them or of the file is detected.

use hashmill_digest::{Digest, find, hash};
use hashmill_seal::outboard::{self, GROUP, create, verify};
use std::fs::File;
use std::io::Write;
use std::ops::Range;

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    std::io::Seek::rewind(&mut file).unwrap();
    file
}

fn bytes(mut file: &File) -> Vec<u8> {
    let mut bytes = Vec::new();
    std::io::Seek::rewind(&mut file).unwrap();
    std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
    bytes
}

fn content(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

fn made(content: &[u8], group: u64) -> (File, Digest) {
    let outboard = tempfile::tempfile().unwrap();
    let root = create(&file(content), &outboard, group).unwrap();
    assert_eq!(root, hash(find("blake3").unwrap(), content));
    (outboard, root)
}

const LENGTHS: [usize; 12] = [0, 1, 1023, 1024, 1025, 2048, 5000, 16384, 16385, 32768, 50_000, 100_001];

#[test]
fn groups_of_one_chunk_are_bao_s_own() {
    for length in LENGTHS {
        let content = content(length);
        let (outboard, root) = made(&content, 1024);
        let (theirs, hash) = bao::encode::outboard(&content);
        assert_eq!(bytes(&outboard), theirs, "{length}");
        assert_eq!(hash.as_bytes(), root.as_bytes());
        // The outboard of bao is verified, too.
        verify(&file(&content), &file(&theirs), &root, 0..length as u64).unwrap();
    }
}

#[test]
fn larger_groups_hold_the_upper_nodes_of_the_same_tree() {
    for length in LENGTHS {
        let content = content(length);
        let (_, root) = made(&content, 1024);
        for group in [2048, 4096, GROUP] {
            let (pairs_file, same) = made(&content, group);
            assert_eq!(root, same);
            let pairs = (length as u64).div_ceil(group).max(1) - 1;
            assert_eq!(bytes(&pairs_file).len() as u64, 8 + 64 * pairs);
            assert_eq!(outboard::length(&pairs_file).unwrap(), length as u64);
            verify(&file(&content), &pairs_file, &root, 0..length as u64).unwrap();
        }
    }
}

#[test]
fn a_range_is_verified_by_its_groups_alone() {
    let content = content(100_001);
    let (outboard, root) = made(&content, GROUP);
    let groups = |range: &Range<u64>| range.start / GROUP * GROUP..range.end.div_ceil(GROUP) * GROUP;
    for range in [0..1, 0..16384, 16383..16385, 40_000..80_000, 100_000..100_001] {
        verify(&file(&content), &outboard, &root, range.clone()).unwrap();
        for at in (0..content.len()).step_by(777) {
            let mut changed = content.clone();
            changed[at] ^= 0x10;
            let found = verify(&file(&changed), &outboard, &root, range.clone());
            let told = found.as_ref().is_err_and(hashmill_seal::Error::is_difference);
            // The last group proves the length.
            let is_last = at as u64 >= content.len() as u64 / GROUP * GROUP;
            assert_eq!(told, is_last || groups(&range).contains(&(at as u64)), "{range:?} {at}");
        }
    }
}

#[test]
fn no_bit_of_file_or_outboard_can_change() {
    let content = content(5000);
    let (outboard, root) = made(&content, 1024);
    let pairs = bytes(&outboard);
    for at in 0..pairs.len() {
        for bit in 0..8 {
            let mut changed = pairs.clone();
            changed[at] ^= 1 << bit;
            assert!(verify(&file(&content), &file(&changed), &root, 0..5000).is_err(), "{at}");
        }
        // The first pairs alone can be a valid outboard with larger groups.
        let larger = [8, 8 + 64, 8 + 2 * 64].contains(&at);
        assert_eq!(verify(&file(&content), &file(&pairs[..at]), &root, 0..5000).is_ok(), larger, "{at}");
    }
    for at in 0..content.len() {
        let mut changed = content.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(verify(&file(&changed), &outboard, &root, 0..5000).is_err(), "{at}");
    }
    for length in [0, 1, 4096, 4999] {
        assert!(verify(&file(&content[..length]), &outboard, &root, 0..1).is_err(), "{length}");
    }
}

#[test]
fn nonsense_is_refused() {
    let content = content(5000);
    let (outboard, root) = made(&content, 1024);
    for range in [0..0, 5..5, 0..5001, 6000..7000] {
        assert!(verify(&file(&content), &outboard, &root, range).is_err());
    }
    for group in [0, 1, 1023, 1536, 3072, 128 << 20, u64::MAX] {
        assert!(create(&file(&content), &tempfile::tempfile().unwrap(), group).is_err(), "{group}");
    }
    let huge = [&u64::MAX.to_le_bytes()[..], &[0; 64]].concat();
    assert!(verify(&file(&content), &file(&huge), &root, 0..1).is_err());
    assert!(outboard::length(&file(b"short")).is_err());
    assert!(verify(&file(b""), &file(&[0; 8]), &root, 0..0).is_err());
}
