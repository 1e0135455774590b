//! Segments hashed apart and joined give the ordinary digest.

use hashmill_digest::{ALGORITHMS, Algorithm, Digest, Node, SegmentTree, hash};
use hashmill_testing::Random;

fn trees() -> impl Iterator<Item = (&'static Algorithm, &'static dyn SegmentTree)> {
    ALGORITHMS.iter().filter_map(|row| Some((row, row.tree?)))
}

/// Hashes the segments from the last to the first, since their order must not matter.
fn in_segments(tree: &dyn SegmentTree, message: &[u8], segment: usize) -> Digest {
    let segments: Vec<_> = message.chunks(segment).enumerate().collect();
    let leaf = |(i, bytes): &(usize, &[u8])| tree.leaf((i * segment) as u64, bytes);
    let mut nodes: Vec<Node> = segments.iter().rev().map(leaf).collect();
    nodes.reverse();
    tree.join(&nodes)
}

#[test]
fn the_rows_that_can_be_cut() {
    let names: Vec<_> = trees().map(|(row, _)| row.name).collect();
    assert_eq!(
        names,
        ["blake3", "blake3d", "crc64", "crc32", "crc32c", "adler32", "cksum", "crc64nvme", "quickxor"]
    );
}

#[test]
fn any_number_of_segments_and_any_end() {
    for (row, tree) in trees() {
        let segment = tree.segment_bytes() as usize;
        let message = Random(5).bytes(9 * segment + 1);
        for count in 1..=9 {
            for length in [count * segment - 1, count * segment, count * segment + 1] {
                if length > segment {
                    let message = &message[..length];
                    assert_eq!(
                        in_segments(tree, message, segment),
                        hash(row, message),
                        "{row:?}, {length} bytes"
                    );
                }
            }
        }
    }
}

#[test]
fn longer_segments() {
    for (row, tree) in trees() {
        for (power, whole) in [(2, 3), (8, 1)] {
            let segment = tree.segment_bytes() as usize * power;
            let message = Random(6).bytes(whole * segment + 12_345);
            assert_eq!(in_segments(tree, &message, segment), hash(row, &message), "{row:?}, {power} times");
        }
    }
}

#[test]
fn segments_are_powers_of_two() {
    for (row, tree) in trees() {
        assert!(tree.segment_bytes().is_power_of_two(), "{row:?}");
    }
}
