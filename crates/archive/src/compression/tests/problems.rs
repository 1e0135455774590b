//! The problems that damaged, foreign and greedy files have.

use super::{FILES, bytes, decode, decode_within, known, text};
use crate::Problem;
use crate::compression::Compression::{self, *};
use flate2::Crc;
use hashmill_digest::Xxh32;

/// Returns the problem of a file of which bytes at a position were replaced; a negative one counts from the end.
fn problem(compression: Compression, hex: &str, at: isize, by: &[u8]) -> String {
    let mut packed = bytes(hex);
    let at = if at < 0 { packed.len() - at.unsigned_abs() } else { at.unsigned_abs() };
    packed[at..at + by.len()].copy_from_slice(by);
    word(compression, &packed)
}

/// Returns the word of the problem of a file, and what it is about.
fn word(compression: Compression, packed: &[u8]) -> String {
    match decode(compression, packed).1 {
        None => "none".into(),
        Some(Problem::Checksum(of)) => format!("checksum of {of}"),
        Some(Problem::Unsupported(what)) => format!("unsupported: {what}"),
        Some(problem) => problem.word().into(),
    }
}

/// Returns a member of gzip with flags, what these add to the header, and a trailer.
fn member(flags: u8, fields: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3];
    packed.extend_from_slice(fields);
    if flags & 2 != 0 {
        let mut crc = Crc::new();
        crc.update(&packed);
        packed.extend_from_slice(&crc.sum().to_le_bytes()[..2]);
    }
    packed.extend_from_slice(&bytes(known::GZIP)[10..]);
    packed
}

#[test]
fn headers_of_gzip_with_all_flags_are_read() {
    let fields = b"\x03\0abcname\0comment\0";
    let cases: [(u8, &[u8]); 6] =
        [(0, b""), (1, b""), (2, b""), (4, &fields[..5]), (8, &fields[5..10]), (0x1F, fields)];
    for (flags, fields) in cases {
        let (content, problem) = decode(Gzip, &member(flags, fields));
        assert!(problem.is_none() && content == text(), "{flags}: {problem:?}");
    }
    let mut wrong = member(0x1F, fields);
    wrong[12] ^= 1;
    assert_eq!(word(Gzip, &wrong), "checksum of a header of gzip");
}

#[test]
fn checksums_are_told_from_other_damage() {
    assert_eq!(problem(Gzip, known::GZIP, -8, &[0]), "checksum of the content");
    assert_eq!(problem(Gzip, known::GZIP, -4, &[0]), "damaged");
    assert_eq!(problem(Gzip, known::GZIP, 10, &[7]), "damaged");
    assert_eq!(problem(Zstandard, known::ZSTD, -1, &[0]), "checksum of the content");
    assert_eq!(problem(Lzip, known::LZIP, -20, &[0]), "checksum of the content");
    assert_eq!(problem(Lzip, known::LZIP, -16, &[0]), "damaged");
    assert_eq!(problem(Lzip, known::LZIP, -8, &[0]), "damaged");
    assert_eq!(problem(Lz4, known::LZ4, -1, &[0]), "checksum of the content");
    assert_eq!(problem(Lz4, known::LZ4, -9, &[0]), "checksum of a block of LZ4");
    assert_eq!(problem(Lz4, known::LZ4, 6, &[0]), "checksum of a header of LZ4");
    assert_eq!(problem(Bzip2, known::BZIP2, 10, &[0]), "damaged");
    for hex in [known::XZ, known::XZ_CRC32, known::XZ_SHA256] {
        assert_eq!(problem(Xz, hex, 8, &[0]), "checksum of a header of xz");
        assert_eq!(problem(Xz, hex, 16, &[0]), "checksum of a header of a block of xz");
        assert_eq!(problem(Xz, hex, -12, &[0]), "checksum of a footer of xz");
        assert_eq!(problem(Xz, hex, -1, &[0]), "damaged");
        assert_eq!(problem(Xz, hex, -13, &[0]), "checksum of the index of xz");
    }
    assert_eq!(problem(Xz, known::XZ_CRC32, -28, &[0]), "checksum of a block of xz");
}

#[test]
fn files_of_another_format_are_told_at_once() {
    for &(compression, _) in FILES {
        assert_eq!(word(compression, b""), "truncated", "{compression:?}");
        assert_eq!(word(compression, &[0xE5; 100]), "damaged", "{compression:?}");
    }
}

#[test]
fn what_is_unsupported_is_named() {
    assert_eq!(problem(Gzip, known::GZIP, 2, &[7]), "unsupported: method 7 of gzip");
    assert_eq!(problem(Gzip, known::GZIP, 3, &[0x20]), "unsupported: flags 0x20 of gzip");
    assert_eq!(word(Zstandard, b"\x28\xB5\x2F\xFD\x21\x07\x05"), "unsupported: dictionary 7 of Zstandard");
    assert_eq!(word(Zstandard, b"\x25\xB5\x2F\xFD"), "unsupported: a frame of Zstandard before version 0.8");
    assert_eq!(problem(Lzip, known::LZIP, 4, &[2]), "unsupported: version 2 of lzip");
    assert_eq!(problem(Compress, known::Z, 2, &[0x91]), "unsupported: flags 0x91 of compress");
    let mut lz4 = b"\x04\x22\x4D\x18\x61\x40\x07\0\0\0\0".to_vec();
    lz4[10] = (Xxh32::sum_of(&lz4[4..10]) >> 8) as u8;
    assert_eq!(word(Lz4, &lz4), "unsupported: a dictionary of LZ4");
    let xz = |check| {
        let mut crc = Crc::new();
        crc.update(&[0, check]);
        [b"\xFD7zXZ\0\0".to_vec(), vec![check], crc.sum().to_le_bytes().to_vec()].concat()
    };
    assert_eq!(word(Xz, &xz(2)), "unsupported: check 2 of xz");
    assert_eq!(word(Xz, &xz(0x10)), "unsupported: flags 0x00 0x10 of xz");
}

#[test]
fn memory_beyond_the_limit_is_told_and_not_taken() {
    let needs = |compression, packed: &[u8], memory| match decode_within(memory, compression, packed).1 {
        Some(Problem::Memory(bytes)) => bytes,
        other => panic!("{compression:?}: {other:?}"),
    };
    assert_eq!(needs(Xz, &bytes(known::XZ), 1 << 20), 8 << 20);
    assert_eq!(needs(Bzip2, &bytes(known::BZIP2), 1 << 20), 3_600_000);
    assert_eq!(needs(Lzma, &bytes(known::LZMA), 1 << 20), (8 << 20) + 0x3000);
    assert_eq!(needs(Lz4, &bytes(known::LZ4_LEGACY), 1 << 20), 16 << 20);
    assert_eq!(needs(Lzip, b"LZIP\x01\x1D", 1 << 20), 512 << 20);
    // A window of 2 TiB less 128 GiB and more.
    assert_eq!(needs(Zstandard, b"\x28\xB5\x2F\xFD\0\xFF\0\0\0", 1 << 20), 15 << 38);
    assert_eq!(needs(Zstandard, b"\x28\xB5\x2F\xFD\xE0\0\0\0\0\x01\0\0\0", 1 << 20), 1 << 32);
}

#[test]
fn several_members_are_one_content() {
    for &(compression, hex) in FILES {
        if matches!(compression, Lzma | Compress) {
            continue;
        }
        let (content, problem) = decode(compression, &bytes(hex).repeat(3));
        assert!(problem.is_none(), "{compression:?}: {problem:?}");
        assert_eq!(content, text().repeat(3), "{compression:?}");
    }
}

#[test]
fn other_bytes_at_the_end_are_a_problem_behind_all_content() {
    for &(compression, hex) in FILES {
        if matches!(compression, Compress | Lzip) {
            continue;
        }
        let (content, problem) =
            decode(compression, &[bytes(hex), b"\xE5\xE5\xE5\xE5\xE5\xE5".to_vec()].concat());
        assert!(matches!(problem, Some(Problem::Damaged(_))), "{compression:?}: {problem:?}");
        assert_eq!(content, text(), "{compression:?}");
    }
}

/// As lzip has it: other bytes may follow, but not what may be a header that was damaged.
#[test]
fn bytes_behind_lzip_are_no_part_of_it() {
    let followed = |bytes_behind: &[u8]| {
        let (content, problem) = decode(Lzip, &[bytes(known::LZIP), bytes_behind.to_vec()].concat());
        assert_eq!(content, text());
        problem.as_ref().map(Problem::word)
    };
    for other in [&b"\xE5\xE5\xE5\xE5\xE5\xE5"[..], b"sum of this\n", b"Lxyz", &[0; 512], b"\0LZIP"] {
        assert_eq!(followed(other), None, "{other:?}");
    }
    for like in [&b"LZIx"[..], b"xZIP\x01", b"LxxP"] {
        assert_eq!(followed(like), Some("damaged"), "{like:?}");
    }
    assert_eq!(followed(b"LZ"), Some("truncated"));
}

#[test]
fn members_of_lzip_before_version_1_state_no_size_of_their_own() {
    let mut old = bytes(known::LZIP);
    old[4] = 0;
    old.truncate(old.len() - 8);
    for times in [1, 2] {
        let (content, problem) = decode(Lzip, &old.repeat(times));
        assert!(problem.is_none() && content == text().repeat(times), "{problem:?}");
    }
}

#[test]
fn zeros_at_the_end_are_padding_where_the_format_has_it() {
    for (compression, hex, count, is_padding) in [
        (Gzip, known::GZIP, 1, true),
        (Gzip, known::GZIP, 300_000, true),
        (Lzip, known::LZIP, 512, true),
        (Xz, known::XZ, 4, true),
        (Xz, known::XZ, 3, false),
        (Bzip2, known::BZIP2, 4, false),
        (Zstandard, known::ZSTD, 4, false),
        (Lzma, known::LZMA, 4, false),
    ] {
        let (content, problem) = decode(compression, &[bytes(hex), vec![0; count]].concat());
        assert_eq!(content, text());
        assert_eq!(problem.is_none(), is_padding, "{compression:?} {count}: {problem:?}");
    }
    let padded = [bytes(known::XZ), vec![0; 8], bytes(known::XZ_NONE)].concat();
    assert_eq!(decode(Xz, &padded).0, text().repeat(2));
}

#[test]
fn frames_to_be_skipped_are() {
    let skipped = b"\x5F\x2A\x4D\x18\x03\0\0\0abc".to_vec();
    for (compression, hex) in [(Zstandard, known::ZSTD), (Lz4, known::LZ4), (Lz4, known::LZ4_LEGACY)] {
        let frame = bytes(hex);
        let packed = [&skipped[..], &frame, &skipped, &skipped, &frame, &skipped];
        let (content, problem) = decode(compression, &packed.concat());
        assert!(problem.is_none(), "{compression:?}: {problem:?}");
        assert_eq!(content, text().repeat(2));
        assert_eq!(word(compression, &[&bytes(hex)[..], &skipped[..10]].concat()), "truncated");
    }
}
