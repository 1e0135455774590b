//! Parts of a message, hashed separately, make its digest in any order.

#![allow(clippy::single_range_in_vec_init, reason = "it is one range that is missing")]

use hashmill_digest::leaves::{BadPart, Missing, RangePart, fold, keeping, keeping_alone, part};
use hashmill_digest::{ALGORITHMS, Algorithm, Bank, Digest, find, hash};
use hashmill_testing::Random;

/// Returns all rows with parts, and short leaves for those with long leaves.
fn rows() -> Vec<&'static Algorithm> {
    let rows = ALGORITHMS.iter().filter(|row| row.part_unit().is_some());
    let more = ["s3-etag:1000", "s3-sha256:64K", "s3-crc32c:7", "blake3:16"].map(|name| find(name).unwrap());
    rows.chain(more).collect()
}

/// Returns about `pieces` places at which a message of this size can be cut.
fn cuts(row: &Algorithm, bytes: usize, pieces: usize, seed: u64) -> Vec<usize> {
    let unit = row.part_unit().unwrap() as usize;
    let chance = Random(seed).bytes(4 * pieces);
    let place =
        |four: &[u8]| u32::from_le_bytes(four.try_into().unwrap()) as usize % (bytes + 1) / unit * unit;
    let mut cuts: Vec<usize> = chance.chunks(4).map(place).chain([0, bytes]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

fn parts(row: &'static Algorithm, message: &[u8], cuts: &[usize]) -> Vec<RangePart> {
    let ranges = cuts.windows(2).map(|pair| pair[0]..pair[1]);
    ranges.map(|range| part(row, range.start as u64, &message[range]).unwrap()).collect()
}

/// Returns the parts in an arbitrary order.
fn shuffled(mut parts: Vec<RangePart>) -> Vec<RangePart> {
    parts.sort_by_key(|part| part.offset.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    parts
}

#[test]
fn parts_in_any_order_equal_the_whole() {
    let message = Random(3).bytes(20_000_000);
    for row in rows() {
        let unit = row.part_unit().unwrap() as usize;
        let lengths =
            [0, 1, 1023, 1024, 1025, 4096, 70_000, unit, unit + 1, 3 * unit - 1, 5 * unit + 77, 1_100_000];
        for (seed, length) in lengths.into_iter().filter(|length| *length <= message.len()).enumerate() {
            let message = &message[..length];
            let whole: Digest = hash(row, message);
            for pieces in [1, 2, 9] {
                let cuts = cuts(row, length, pieces, seed as u64 + 1);
                let parts = shuffled(parts(row, message, &cuts));
                assert_eq!(
                    fold(row, &parts, length as u64),
                    Ok(whole),
                    "{row:?}, {length} bytes at {cuts:?}"
                );
                let stored = parts.iter().map(|part| RangePart::from_bytes(&part.to_bytes()).unwrap());
                let twice: Vec<_> = stored.chain(parts.clone()).collect();
                assert_eq!(fold(row, &twice, length as u64), Ok(whole), "{row:?} stored, {length} bytes");
            }
        }
    }
}

/// Returns the digest of a message, fed in pieces of this size, and the kept digests.
fn kept(mut bank: Box<dyn Bank>, message: &[u8], piece: usize) -> (Digest, Option<Box<[u8]>>) {
    let slot = bank.open();
    for bytes in message.chunks(piece) {
        bank.update(&[hashmill_digest::StreamPart { slot, bytes, last: false }]);
    }
    bank.update(&[hashmill_digest::StreamPart { slot, bytes: &[], last: true }]);
    bank.close_kept(slot)
}

#[test]
fn what_is_kept_makes_the_digest_again() {
    const MIB: usize = 1 << 20;
    let message = Random(5).bytes(20_000_000);
    let short = ["s3-etag:64K", "s3-crc32:100000"].map(|name| find(name).unwrap());
    let mut kinds = 0;
    for row in ALGORITHMS.iter().chain(short).filter(|row| row.leaves.is_some()) {
        let shape = row.leaves.unwrap();
        kinds += usize::from(shape.kept_bytes().is_some());
        let lengths =
            [0, 1, 1024, 1025, 16_384, 40_000, 65_536, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB + 70_000]
                .into_iter()
                .chain([8 * MIB, 9_728_000, 12 * MIB + 1, 20_000_000]);
        for length in lengths {
            let message = &message[..length];
            let whole = hash(row, message);
            let (digest, leaves) = kept(keeping(shape), message, 100_001);
            assert_eq!(digest, whole, "{row:?}, {length} bytes");
            assert_eq!(leaves.is_some(), shape.kept_bytes().is_some(), "{row:?}");
            let Some(leaves) = leaves else { continue };
            assert_eq!(kept(keeping_alone(shape), message, MIB).1.as_ref(), Some(&leaves), "{row:?}");
            assert_eq!(leaves.len() as u64, shape.kept_count(length as u64) * shape.digest as u64, "{row:?}");
            assert_eq!(shape.fold_kept(&leaves, length as u64), Some(whole), "{row:?}, {length} bytes");
            if length > 0 {
                let mut wrong = leaves.clone();
                wrong[0] ^= 1;
                assert_ne!(shape.fold_kept(&wrong, length as u64), Some(whole), "{row:?}, {length} bytes");
                assert_eq!(shape.fold_kept(&leaves[1..], length as u64), None, "{row:?}, {length} bytes");
            }
        }
    }
    assert_eq!(kinds, 15, "kinds of which something is kept");
    assert_eq!(find("s3-etag:1K").unwrap().leaves.unwrap().kept_bytes(), None, "these are too many");
}

/// The kept digests of BitTorrent 2 are the piece layer of pieces of 1 MiB: the root of a file of zero-filled pieces
/// alone, by the definition.
#[test]
fn a_piece_layer_is_that_of_the_definition() {
    let (row, leaf) = (find("bittorrent-v2").unwrap(), find("sha256").unwrap());
    let message = Random(6).bytes((1 << 20) + 20_000);
    let (_, layer) = kept(keeping(row.leaves.unwrap()), &message, 1 << 20);
    let piece = |bytes: &[u8]| {
        let mut level: Vec<Vec<u8>> =
            bytes.chunks(16 << 10).map(|leaf_bytes| hash(leaf, leaf_bytes).as_bytes().to_vec()).collect();
        level.resize(64, vec![0; 32]);
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| hash(leaf, &pair.concat()).as_bytes().to_vec()).collect();
        }
        level.concat()
    };
    let (first, last) = message.split_at(1 << 20);
    assert_eq!(layer.unwrap().to_vec(), [piece(first), piece(last)].concat());
}

#[test]
fn what_is_missing_is_told() {
    let etag = find("s3-etag:1K").unwrap();
    let message = Random(1).bytes(5000);
    let all = parts(etag, &message, &[0, 1024, 3072, 5000]);
    let without = |at: usize| {
        let mut some = all.clone();
        some.remove(at);
        fold(etag, &some, 5000)
    };
    assert_eq!(without(0), Err(Missing::Ranges(vec![0..1024])));
    assert_eq!(without(1), Err(Missing::Ranges(vec![1024..3072])));
    assert_eq!(without(2), Err(Missing::Ranges(vec![3072..5000])));
    assert_eq!(fold(etag, &[], 5000), Err(Missing::Ranges(vec![0..5000])));
    assert_eq!(without(1).unwrap_err().to_string(), "no part has the bytes from 1024 to 3072");
}

#[test]
fn parts_that_do_not_fit_are_told() {
    let message = Random(1).bytes(5000);
    for row in rows() {
        let unit = row.part_unit().unwrap();
        if 2048 % unit != 0 {
            continue;
        }
        let all = parts(row, &message, &[0, 2048, 5000]);
        let mut changed = message.clone();
        changed[3000] ^= 1;
        let contrary = [&all[..], &parts(row, &changed, &[0, 2048, 5000])[1..]].concat();
        assert_eq!(fold(row, &contrary, 5000), Err(Missing::Differ(2048..5000)), "{row:?}");
        // A part before the end of its message must end where another may begin.
        let longer = fold(row, &all, 5001);
        assert_eq!(longer, Err(Missing::Ranges(vec![5000..5001])), "{row:?}");
        assert_eq!(fold(row, &all, 4999), Err(Missing::Malformed(2048)), "{row:?}");
        if unit > 1 {
            let short = [part(row, 0, &message[..2000]).unwrap()];
            assert!(fold(row, &short, 5000).is_err(), "{row:?}");
        }
    }
    let etag = find("s3-etag:1K").unwrap();
    let over = [part(etag, 0, &message[..2048]).unwrap(), part(etag, 1024, &message[1024..]).unwrap()];
    assert_eq!(fold(etag, &over, 5000), Err(Missing::Overlap(1024)));
    assert_eq!(fold(find("s3-etag:2K").unwrap(), &over, 5000), Err(Missing::Algorithm("s3-etag:1K")));
}

#[test]
fn a_part_begins_where_a_leaf_does() {
    let etag = find("s3-etag:1K").unwrap();
    assert_eq!(part(etag, 100, b"abc").err(), Some(BadPart::Offset { offset: 100, unit: 1024 }));
    assert_eq!(part(find("sha256").unwrap(), 0, b"abc").err(), Some(BadPart::Serial("sha256")));
    // A part of AICH begins only where a chunk does, although leaves also begin within chunks.
    let aich = find("aich").unwrap();
    assert!(part(aich, 9_728_000, b"abc").is_ok());
    assert!(part(aich, 9_728_001, b"abc").is_err());
}

#[test]
fn damaged_bytes_are_no_part() {
    for row in rows() {
        let whole = part(row, 0, &Random(5).bytes(3000)).unwrap().to_bytes();
        for length in 0..whole.len() {
            assert_eq!(RangePart::from_bytes(&whole[..length]), Err(BadPart::Bytes), "{row:?}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x80;
            // Nothing panics, whatever the result.
            if let Ok(part) = RangePart::from_bytes(&damaged) {
                let _ = fold(part.algorithm, std::slice::from_ref(&part), 3000);
            }
        }
    }
}
