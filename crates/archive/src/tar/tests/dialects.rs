//! Every kind of member.

use super::made::{GNU, Made, POSIX, header, only, read, read_with, sum};
use crate::MemberKind;

#[test]
fn every_letter_has_its_kind() {
    let cases = [
        (b'0', "a", MemberKind::File),
        (b'\0', "a", MemberKind::File),
        (b'7', "a", MemberKind::File),
        (b'0', "a/", MemberKind::Directory),
        (b'\0', "a/", MemberKind::Directory),
        (b'5', "a", MemberKind::Directory),
        (b'1', "a", MemberKind::HardLink(b"link".to_vec())),
        (b'2', "a", MemberKind::Link(b"link".to_vec())),
        (b'3', "a", MemberKind::Device),
        (b'4', "a", MemberKind::Device),
        (b'6', "a", MemberKind::Fifo),
        (b'Z', "a", MemberKind::File),
    ];
    for (letter, name, kind) in cases {
        for magic in [POSIX, GNU, &[0; 8]] {
            let met = only(&Made::default().block(header(letter, name, 0, magic)).zeros(2));
            assert_eq!(
                (met.member.kind, met.member.path, met.member.size),
                (kind.clone(), name.into(), Some(0))
            );
            assert!(met.member.problem.is_none());
        }
    }
}

#[test]
fn checksums_may_be_of_signed_bytes() {
    let mut block = header(b'0', "a", 0, POSIX);
    block[1] = 0xff;
    sum(&mut block);
    let unsigned = block;
    block[148..156].fill(b' ');
    let signed: i32 = block.iter().map(|&byte| i32::from(byte.cast_signed())).sum();
    block[148..156].copy_from_slice(format!("{signed:06o}\0 ").as_bytes());
    assert_eq!(only(&Made::default().block(unsigned)).member.path, b"a\xff");
    assert_eq!(only(&Made::default().block(block)).member.path, b"a\xff");
    assert!(crate::tar::recognizes(&block));
    assert!(!crate::tar::recognizes(&block[..511]) && !crate::tar::recognizes(&[0; 512]));
}

#[test]
fn the_end_is_one_block_of_zeros_or_two_or_nothing() {
    let made = Made::default().with(b'0', "a", b"content");
    let whole = made.0.len();
    for (zeros, extra, taken) in [(0, 0, 0), (1, 0, 512), (2, 0, 1024), (2, 5000, 6024), (20, 0, 20 * 512)] {
        let mut made = made.clone().zeros(zeros);
        made.0.extend(vec![7; extra]);
        let (all, error, found) = read_with(&made.0, usize::MAX, 1 << 20);
        assert!(all.len() == 1 && error.is_none(), "{zeros}");
        assert_eq!(found, whole + taken);
    }
}

#[test]
fn hard_links_of_pax_may_have_content() {
    let made =
        Made::default().records(b'x', &[("path", "b")]).with(b'1', "a", b"content").with(b'0', "c", b"");
    let (all, error) = read(&made);
    assert!(error.is_none());
    assert_eq!(all[0].content.as_deref().unwrap(), b"content");
    assert_eq!((all.len(), all[0].word()), (2, ""));
    // Programs of old stated the size of the other file.
    let made = Made::default().block(header(b'1', "a", 5000, POSIX)).with(b'0', "c", b"");
    let (all, error) = read(&made);
    assert!(error.is_none() && all.len() == 2 && all[0].member.size == Some(0));
}

#[test]
fn lists_of_names_labels_and_other_volumes_are_no_content() {
    let made = Made::default()
        .gnu(b'V', "label", b"")
        .gnu(b'D', "d/", b"Ya\0\0")
        .gnu(b'M', "m", b"rest")
        .gnu(b'0', "a", b"x");
    let (all, error) = read(&made);
    assert!(error.is_none());
    let seen: Vec<_> =
        all.iter().map(|met| (&*met.member.path, met.member.size.unwrap(), met.word())).collect();
    assert_eq!(seen, [(&b"d/"[..], 0, ""), (b"m", 4, "unsupported-method"), (b"a", 1, "")]);
    // Other content is a file for other programs.
    let (all, _) = read(&Made::default().gnu(b'D', "d/", b"payload").gnu(b'0', "a", b"x"));
    assert_eq!(all.iter().map(|met| met.word()).collect::<Vec<_>>(), ["ambiguous", ""]);
    let made = Made::default()
        .records(b'g', &[("GNU.volume.offset", "512")])
        .with(b'0', "a", b"x")
        .with(b'0', "b", b"");
    let (all, _) = read(&made);
    assert_eq!(all.iter().map(|met| met.word()).collect::<Vec<_>>(), ["unsupported-method", ""]);
}

#[test]
fn names_have_a_prefix_except_in_gnu_tar() {
    let mut block = header(b'0', "name", 0, POSIX);
    block[345..351].copy_from_slice(b"prefix");
    block[480] = b'x';
    sum(&mut block);
    assert_eq!(only(&Made::default().block(block)).member.path, b"prefix/name");
    block[345..500].fill(b'p');
    sum(&mut block);
    assert_eq!(only(&Made::default().block(block)).member.path.len(), 155 + 5);
    // star has two times at the end.
    block[476..500].copy_from_slice(b"00000000001 00000000002 ");
    block[508..].copy_from_slice(b"tar\0");
    sum(&mut block);
    let member = only(&Made::default().block(block)).member;
    assert_eq!((member.path.len(), member.times.changed.unwrap().seconds), (131 + 5, 2));
}

#[test]
fn sparse_files_of_gnu_tar_and_star_go_on_in_further_blocks() {
    for is_star in [false, true] {
        let mut block = header(b'S', "a", 5, if is_star { POSIX } else { GNU });
        let (parts, more, size) = if is_star { (356, 355, 452) } else { (386, 482, 483) };
        block[parts..parts + 24].copy_from_slice(b"00000000002 00000000002 ");
        block[more] = 1;
        block[size..size + 12].copy_from_slice(b"00000000013 ");
        if is_star {
            block[508..].copy_from_slice(b"tar\0");
        }
        sum(&mut block);
        let mut further = [0; 512];
        further[..24].copy_from_slice(b"00000000006 00000000003 ");
        let made = Made::default().block(block).block(further).content(b"abcde").with(b'0', "b", b"");
        let (all, error) = read(&made);
        assert!(error.is_none() && all.len() == 2, "{all:?}");
        assert_eq!(all[0].content.as_deref().unwrap(), b"\0\0ab\0\0cde\0\0");
        assert_eq!((all[0].member.size, all[0].member.stored), (Some(11), Some(5)));
    }
}
