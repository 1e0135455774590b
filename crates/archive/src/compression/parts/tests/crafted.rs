//! Files that state other parts than they have.

use super::made::{self, Random};
use super::{PartsOptions, compare};
use crate::Limits;
use crate::compression::Compression;
use crate::compression::parted::FilePart;
use crate::compression::parts::{Frames, Headers, gzip, zstandard};
use crate::compression::xz::BlockPlaces;
use flate2::Crc;
use hashmill_disk::Medium;
use std::sync::Arc;

const WAYS: [(usize, u64); 3] = [(1, 1), (2, 1), (3, 4000)];

/// Returns the bounds of parts.
fn bounds<S>(parts: impl Iterator<Item = FilePart<S>>) -> Vec<(u64, u64)> {
    parts.map(|part| (part.start, part.end)).collect()
}

fn headers(packed: &[u8]) -> Headers {
    Headers::new(Arc::new(packed.to_vec()))
}

#[test]
fn parts_are_found_where_they_are() {
    let mut random = Random(77);
    let frames: Vec<_> = (0..9)
        .map(|at| {
            if at % 4 == 3 {
                made::skipped(at)
            } else {
                made::zstandard(&random.content(300_000 * at), at > 4)
            }
        })
        .collect();
    let found = bounds(Frames::new(headers(&frames.concat()), zstandard::find_end));
    let mut at = 0;
    let expected: Vec<_> = frames
        .iter()
        .map(|frame| {
            (at, {
                at += frame.len() as u64;
                at
            })
        })
        .collect();
    assert_eq!(found, expected);
    let members = [made::bgzf(b"", false), made::bgzf(b"abc", true)];
    let lengths = members.each_ref().map(|member| member.len() as u64);
    let found = bounds(Frames::new(headers(&members.concat()), gzip::find_end));
    assert_eq!(found, [(0, lengths[0]), (lengths[0], lengths[0] + lengths[1])]);
    if let Some(packed) = made::run("xz -c -0 --block-size=1000", &random.content(10_500)) {
        let twice = [packed.clone(), vec![0; 8], packed].concat();
        assert_eq!(bounds(BlockPlaces::new(headers(&twice)).unwrap()).len(), 22);
    }
}

#[test]
fn a_member_that_ends_before_its_stated_length_is_decoded_as_a_whole() {
    let member = made::bgzf(b"content", false);
    let stating = |length: usize| {
        let mut wrong = member.clone();
        wrong[16..18].copy_from_slice(&((length - 1) as u16).to_le_bytes());
        wrong
    };
    let long = member.len() + 20;
    for rest in [vec![0; 20], vec![1; 20], made::bgzf(b"", false), b"\x1F\x8B".to_vec()] {
        for stated in [1, 12, 18, member.len() - 1, member.len() + 1, long, 2 * member.len(), 1 << 16] {
            let packed = [&member[..], &stating(stated), &rest, &member, &member].concat();
            compare(Compression::Gzip, &packed, &WAYS, 1, &format!("{stated}"));
        }
    }
}

#[test]
fn zeros_between_members_are_no_end_of_a_part() {
    let member = made::bgzf(b"content", false);
    for zeros in [1, 4, 100] {
        let packed = [&member[..], &member, &vec![0; zeros], &member, &member].concat();
        compare(Compression::Gzip, &packed, &WAYS, 1, &format!("{zeros} zeros"));
        compare(Compression::Gzip, &packed[..2 * member.len() + zeros], &WAYS, 1, "zeros at the end");
    }
}

#[test]
fn frames_with_other_windows_dictionaries_and_legacy_ones_between_others_are_told() {
    let frame = made::zstandard(b"content of a frame", true);
    for other in [
        &b"\x28\xB5\x2F\xFD\x21\x07\x05\x01\0\0"[..],
        b"\x28\xB5\x2F\xFD\0\xFF\x01\0\0",
        b"\x28\xB5\x2F\xFD\x08\0\x01\0\0",
        b"\x25\xB5\x2F\xFD",
        // A block of a reserved type, and one that is too long.
        b"\x28\xB5\x2F\xFD\0\0\x07\0\0",
        b"\x28\xB5\x2F\xFD\0\0\xFD\xFF\xFF",
        b"\x28\xB5",
        b"",
    ] {
        let packed = [&frame[..], &frame, &frame, other, &frame, &frame].concat();
        compare(Compression::Zstandard, &packed, &WAYS, 1, &format!("{other:x?}"));
    }
    let frame = made::lz4(b"content of a frame", 6);
    let legacy = b"\x02\x21\x4C\x18\x04\0\0\0\x30abc";
    for other in [&legacy[..], b"\x04\x22\x4D\x18\x61\x40\x07\0\0\0\0", b"\x04\x22", b"xxxx"] {
        let packed = [&frame[..], &frame, other, &frame, &frame].concat();
        compare(Compression::Lz4, &packed, &WAYS, 1, &format!("{other:x?}"));
    }
}

/// Returns the length of the index of a stream that ends a file.
fn index_length(packed: &[u8]) -> usize {
    let at = packed.len() - 8;
    (u32::from_le_bytes(packed[at..at + 4].try_into().unwrap()) as usize + 1) * 4
}

/// Replaces the index of the stream that ends a file by one with these records, and its footer.
fn with_index(packed: &[u8], records: &[(u64, u64)], check: u8) -> Vec<u8> {
    let mut index = vec![0];
    let mut put = |mut number: u64| {
        while number >= 0x80 {
            index.push(number as u8 | 0x80);
            number >>= 7;
        }
        index.push(number as u8);
    };
    put(records.len() as u64);
    records.iter().for_each(|&(packed, size)| [packed, size].into_iter().for_each(&mut put));
    index.resize(index.len().next_multiple_of(4), 0);
    let crc = |bytes: &[u8]| {
        let mut crc = Crc::new();
        crc.update(bytes);
        crc.sum().to_le_bytes()
    };
    let sum = crc(&index);
    let mut body = ((index.len() / 4) as u32).to_le_bytes().to_vec();
    body.extend([0, check]);
    let blocks = &packed[..packed.len() - 12 - index_length(packed)];
    [blocks, &index, &sum, &crc(&body), &body, b"YZ"].concat()
}

#[test]
fn an_index_that_states_other_blocks_is_told_as_by_the_whole() {
    let content = Random(5).content(3000);
    let Some(packed) = made::run("xz -c -0 --check=crc32 --block-size=1000", &content) else { return };
    let parts = bounds(BlockPlaces::new(headers(&packed)).unwrap());
    let sizes: Vec<_> = parts.iter().map(|(start, end)| end - start).collect();
    let [first, second, third] = sizes[..] else { panic!("{sizes:?}") };
    compare(
        Compression::Xz,
        &with_index(&packed, &[(first, 1000), (second, 1000), (third, 1000)], 1),
        &WAYS,
        1,
        "",
    );
    let all = first + second + third;
    for records in [
        &[][..],
        &[(all, 3000)],
        &[(first + second, 2000), (third, 1000)],
        &[(first, 1000), (second + third, 2000)],
        &[(first, 1000), (third, 1000), (second, 1000)],
        &[(first, 1000), (second - 4, 1000), (4, 0), (third, 1000)],
        &[(first - 4, 1000), (second + 4, 1000), (third, 1000)],
        &[(first, 999), (second, 1001), (third, 1000)],
        &[(first, 1000), (second, 1000)],
        &[(second, 1000), (third, 1000)],
        &[(0, 0), (first, 1000), (second, 1000), (third, 1000)],
        &[(first, 1000), (second, 1000), (third, 1000), (4, 0)],
        &[(first, 1000), (u64::MAX >> 1, 1000), (third, 1000)],
    ] {
        compare(Compression::Xz, &with_index(&packed, records, 1), &WAYS, 1, &format!("{records:?}"));
    }
    // A footer with another check, so that blocks would not be checked, with blocks that reach to the index.
    let unchecked = [(first - 4, 1000), (second, 1000), (third + 4, 1000)];
    for check in [0, 4, 10, 2] {
        compare(
            Compression::Xz,
            &with_index(&packed, &unchecked, check),
            &WAYS,
            1,
            &format!("check {check}"),
        );
    }
}

#[test]
fn streams_of_xz_with_other_checks_and_bytes_between_them_are_told() {
    let content = Random(6).content(2500);
    let made = |check: &str| made::run(&format!("xz -c -0 --check={check} --block-size=1000"), &content);
    let (Some(first), Some(second)) = (made("crc32"), made("none")) else { return };
    for between in [&b""[..], &[0; 4], &[0; 8], &[0; 3], &[0; 5000], b"\0\0\0\x01", b"junk"] {
        for end in [&b""[..], &[0; 4], &[0; 2], &[0; 6000], b"junk"] {
            let packed = [&first[..], between, &second, between, &first, end].concat();
            compare(Compression::Xz, &packed, &WAYS, 1, &format!("{between:?} {end:?}"));
        }
    }
    let empty = made::run("xz -c -0", b"").unwrap();
    let packed = [&empty[..], &first, &empty, &[0; 4], &empty, &second, &empty].concat();
    compare(Compression::Xz, &packed, &WAYS, 1, "empty streams");
}

#[test]
fn a_file_with_one_part_is_decoded_without_threads() {
    let parts = [
        (Compression::Zstandard, made::zstandard(b"content", true)),
        (Compression::Gzip, made::bgzf(b"content", false)),
        (Compression::Lz4, made::lz4(b"content", 0)),
    ];
    for (compression, packed) in parts {
        let medium: Arc<dyn Medium> = Arc::new(packed);
        let options =
            PartsOptions { limits: &Limits::default(), threads: 4, enough: 1, place: Arc::default() };
        let reader = options.decoder(compression, &medium).unwrap();
        assert_eq!(Arc::strong_count(&medium), 2, "{compression:?}");
        drop(reader);
    }
}
