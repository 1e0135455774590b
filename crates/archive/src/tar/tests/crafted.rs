//! Archives that are made to mislead.

use super::made::{GNU, Made, POSIX, header, only, read, read_with, records, sum};
use crate::Problem;

const FILE: &[u8] = b"content";

#[test]
fn records_that_programs_take_differently_are_ambiguous() {
    let x = |of: &[(&str, &str)]| Made::default().records(b'x', of);
    let inner = Made::default().with(b'0', "hidden", b"").0;
    let cases = [
        x(&[("path", "b"), ("path", "c")]).with(b'0', "a", FILE),
        x(&[("path", "b")]).records(b'x', &[("mtime", "1")]).with(b'0', "a", FILE),
        x(&[("path", "b\0c")]).with(b'0', "a", FILE),
        x(&[("path", "")]).with(b'0', "a", FILE),
        x(&[("path", "b")]).gnu(b'L', "long", b"c\0").with(b'0', "a", FILE),
        Made::default().gnu(b'L', "long", b"b\0").gnu(b'L', "long", b"c\0").with(b'0', "a", FILE),
        x(&[("size", "512")]).block(header(b'0', "a", 7, POSIX)).content(&[1; 512]),
        // The size in the header is that of nothing, so that the content is the next member for some.
        x(&[("size", "512")]).block(header(b'0', "a", 0, POSIX)).content(&inner),
        x(&[("linkpath", "b"), ("linkpath", "c")]).with(b'2', "a", b""),
        x(&[("GNU.sparse.size", "9"), ("GNU.sparse.realsize", "8")]).with(b'0', "a", b""),
        Made::default().records(b'g', &[("path", "b")]).with(b'0', "a", FILE),
        Made::default().records(b'g', &[("size", "7")]).with(b'0', "a", FILE),
        Made::default().with(b'0', "a/", FILE),
        Made::default().with(b'S', "a", FILE),
        Made::default().block(header(b'2', "a", 5, POSIX)),
        x(&[("size", "5")]).block(header(b'5', "a", 5, POSIX)),
        x(&[("path", "b")]).gnu(b'V', "label", b"").with(b'0', "a", FILE),
        Made::default().gnu(b'V', "label", FILE),
        x(&[("path", "b"), ("GNU.sparse.name", "c"), ("GNU.sparse.size", "0")]).with(b'0', "a", b""),
    ];
    for (number, made) in cases.iter().enumerate() {
        assert_eq!(only(&made.clone().zeros(2)).word(), "ambiguous", "{number}");
    }
}

#[test]
fn a_hard_link_before_a_header_or_zeros_may_have_content_or_not() {
    for (content, members) in [(&header(b'0', "hidden", 0, POSIX), 2), (&[0; 512], 1)] {
        let link = header(b'1', "a", 512, POSIX);
        let (all, error) =
            read(&Made::default().records(b'x', &[("mtime", "1")]).block(link).content(content));
        assert!(error.is_none() && all.len() == members);
        assert_eq!(all[0].word(), "ambiguous");
    }
}

#[test]
fn a_record_wins_over_the_header() {
    let long = [("path", "b"), ("mtime", "-1.5"), ("LIBARCHIVE.creationtime", "3"), ("hdrcharset", "BINARY")];
    let member = only(&Made::default().records(b'X', &long).with(b'0', "a", FILE)).member;
    assert!(member.problem.is_none() && member.path == b"b");
    let modified = member.times.modified.unwrap();
    assert_eq!(
        (modified.seconds, modified.nanoseconds, member.times.created.unwrap().seconds),
        (-2, 500_000_000, 3)
    );
    let made = Made::default().gnu(b'L', "long", b"b\0").gnu(b'K', "long", b"target\0").gnu(b'2', "a", b"");
    let member = only(&made).member;
    assert_eq!(
        (member.path.as_slice(), member.kind),
        (&b"b"[..], crate::MemberKind::Link(b"target".to_vec()))
    );
}

#[test]
fn members_behind_the_end_are_listed_and_told() {
    for zeros in [1, 2, 19, 4000] {
        let made = Made::default().with(b'0', "a", FILE).zeros(zeros).with(b'0', "b", FILE).zeros(2);
        let (all, error) = read(&made);
        assert_eq!((all.len(), error.as_ref().map(Problem::word)), (2, Some("ambiguous")), "{zeros}");
    }
}

#[test]
fn sizes_beyond_the_archive_take_no_memory() {
    for letter in [b'0', b'x', b'L', b'g', b'S', b'D'] {
        for size in [1 << 32, i64::MAX as u64, 1 << 63, u64::MAX] {
            let mut block = header(letter, "a", 0, GNU);
            block[124] = 0x80;
            block[128..136].copy_from_slice(&size.to_be_bytes());
            sum(&mut block);
            let (all, error) = read(&Made::default().block(block).content(FILE));
            let word = error.as_ref().map(Problem::word);
            assert!(
                matches!(word, Some("truncated" | "damaged")) && all.len() <= 1,
                "{letter} {size}: {word:?}"
            );
        }
    }
}

#[test]
fn records_beyond_the_limit_are_passed_over() {
    let made = Made::default()
        .records(b'x', &[("path", &"p".repeat(9999))])
        .with(b'0', "a", FILE)
        .with(b'0', "b", FILE);
    let (all, error, _) = read_with(&made.0, usize::MAX, 1 << 16);
    assert!(error.is_none());
    assert_eq!(all.iter().map(|met| met.word()).collect::<Vec<_>>(), ["needs-memory", ""]);
}

#[test]
fn parts_of_sparse_files_that_make_no_sense_are_damage() {
    let one = |text: &str| {
        let records =
            records(&[("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.realsize", "100")]);
        let mut map = text.as_bytes().to_vec();
        map.resize(512, 0);
        Made::default().with(b'x', "records", &records).with(b'0', "a", &[&map, FILE].concat())
    };
    let map = |map: &str, count: &str, size: &str| {
        let records = [("GNU.sparse.size", size), ("GNU.sparse.numblocks", count), ("GNU.sparse.map", map)];
        Made::default().records(b'x', &records).with(b'0', "a", FILE)
    };
    assert_eq!(only(&one("1\n50\n7\n")).content.unwrap()[49..58], *b"\0content\0");
    assert_eq!(only(&map("0,3,50,4", "2", "60")).content.unwrap()[..4], *b"con\0");
    let cases = [
        one(""),
        one("99999999999999\n"),
        one("99999999999999999999\n"),
        one("1\n50\n"),
        one("1\n50\n8\n"),
        one("1\n99\n2\n"),
        one("2\n50\n2\n51\n2\n"),
        one("1\n9223372036854775807\n9223372036854775807\n"),
        map("0,3,50,4", "3", "60"),
        map("0,3,50", "2", "60"),
        map("0,3,50,4", "2", "53"),
        map("50,3,0,4", "2", "60"),
    ];
    for (number, made) in cases.iter().enumerate() {
        let (all, error) = read(&made.clone().with(b'0', "b", FILE));
        assert!(error.is_none() && all.len() == 2, "{number}");
        assert_eq!((all[0].word(), all[0].content.is_err()), ("damaged", true), "{number}");
        assert_eq!(all[1].content.as_deref().unwrap(), FILE);
    }
}
