//! Archives with wrong bytes, and archives that end early.

use super::made::{Made, read_with};
use crate::MemberKind;

/// Returns an archive with every way to say something.
fn sample() -> Vec<u8> {
    let sparse = [("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "3000")];
    let older = [("GNU.sparse.size", "900"), ("GNU.sparse.numblocks", "1"), ("GNU.sparse.map", "20,5")];
    let map = [&b"2\n100\n3\n2000\n5\n"[..], &[0; 512 - 15], b"abcdefgh"].concat();
    Made::default()
        .records(b'g', &[("comment", "a comment"), ("mtime", "7.5")])
        .with(b'0', "first", b"the first")
        .records(b'x', &[("path", "a/longer/path"), ("size", "600"), ("mtime", "-1.25")])
        .with(b'0', "second", &[7; 600])
        .gnu(b'L', "long", &[b'l'; 130])
        .gnu(b'K', "long", &[b'k'; 130])
        .gnu(b'2', "third", b"")
        .records(b'x', &sparse)
        .with(b'0', "fourth", &map)
        .records(b'x', &older)
        .with(b'0', "fifth", b"abcde")
        .gnu(b'D', "sixth/", b"Ya\0\0")
        .with(b'1', "seventh", b"")
        .with(b'5', "eighth/", b"")
        .with(b'0', "ninth", b"the last")
        .zeros(2)
        .0
}

#[test]
fn every_split_of_reads_gives_the_same() {
    let sample = sample();
    let (whole, error, _) = read_with(&sample, usize::MAX, 1 << 20);
    assert!(error.is_none());
    assert_eq!(whole.len(), 9);
    assert!(whole.iter().all(|met| met.member.problem.is_none() && met.content.is_ok()));
    for most in (1..40).chain([500, 511, 512, 513, 1000]) {
        let (all, error, _) = read_with(&sample, most, 1 << 20);
        assert!(error.is_none());
        assert!(all.iter().map(|met| met.told()).eq(whole.iter().map(|met| met.told())), "{most}");
    }
}

#[test]
fn members_before_the_end_of_an_archive_cut_short_are_unchanged() {
    let sample = sample();
    let (whole, ..) = read_with(&sample, usize::MAX, 1 << 20);
    for length in 0..sample.len() {
        let (all, error, _) = read_with(&sample[..length], usize::MAX, 1 << 20);
        assert!(error.is_none_or(|error| error.word() == "truncated"), "{length}");
        let before = whole.iter().filter(|met| met.end <= length).count();
        assert!(all.len() >= before, "{length}");
        assert!(
            all.iter().zip(&whole).take(before).all(|(met, whole)| met.told() == whole.told()),
            "{length}"
        );
        // Of a list of names, a block is read ahead.
        let mut rest = all.iter().skip(before);
        assert!(rest.all(|met| met.content.is_err() || met.member.kind == MemberKind::Directory), "{length}");
    }
}

#[test]
fn members_behind_a_damaged_header_are_read_and_it_is_told() {
    let made = Made::default().with(b'0', "a", b"one").gnu(b'L', "long", &[b'l'; 130]);
    let start = made.0.len();
    let mut damaged = made.with(b'0', "b", &[7; 3000]).with(b'0', "c", b"three").zeros(2).0;
    damaged[start + 20] ^= 1;
    let (all, error, _) = read_with(&damaged, usize::MAX, 1 << 20);
    let paths: Vec<&[u8]> = all.iter().map(|met| met.member.path.as_slice()).collect();
    assert_eq!(paths, [&b"a"[..], b"c"]);
    assert!(all.iter().all(|met| met.content.is_ok()));
    assert_eq!(error.unwrap().to_string(), "the checksum of a tar header is wrong");
}

#[test]
fn members_before_wrong_bytes_are_unchanged() {
    let sample = sample();
    let (whole, ..) = read_with(&sample, usize::MAX, 1 << 20);
    let mut random = 0x1234_5678_9abc_def0_u64;
    for number in 0..hashmill_testing::cases(2000) {
        let mut damaged = sample.clone();
        let mut first = damaged.len();
        for _ in 0..1 + number % 3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = random as usize % damaged.len();
            damaged[at] = (random >> 32) as u8;
            first = first.min(at);
            // Most damage should get past the checksum of a header.
            let start = at / 512 * 512;
            if let Some(block) = damaged[start..].first_chunk_mut::<512>()
                && number % 2 == 0
                && crate::tar::recognizes(&sample[start..])
            {
                super::made::sum(block);
            }
        }
        let (all, ..) = read_with(&damaged, usize::MAX, 1 << 20);
        let before = whole.iter().filter(|met| met.end <= first).count();
        assert!(all.len() >= before, "{number}");
        assert!(
            all.iter().zip(&whole).take(before).all(|(met, whole)| met.told() == whole.told()),
            "{number}"
        );
    }
}
