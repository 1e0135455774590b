//! Whole archives, and what is wrong with some.

use super::*;

/// A member as it is written: its path, inode, links, mode and content.
type Written<'a> = (&'a str, u32, u32, u32, &'a [u8]);

/// Returns an archive with a trailer.
fn newc(form: char, members: &[Written<'_>]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (path, inode, links, mode, content) in
        members.iter().chain(&[("TRAILER!!!", 0, 1, 0, b"".as_slice())])
    {
        let sum: u32 = content.iter().map(|byte| u32::from(*byte)).sum();
        let check = if form == '2' { sum } else { 0 };
        let numbers =
            [*inode, *mode, 0, 0, *links, 7, content.len() as u32, 8, 1, 0, 0, path.len() as u32 + 1, check];
        let numbers: String = numbers.iter().map(|number| format!("{number:08x}")).collect();
        archive.extend(format!("07070{form}{numbers}{path}\0").as_bytes());
        archive.resize(archive.len().next_multiple_of(4), 0);
        archive.extend(*content);
        archive.resize(archive.len().next_multiple_of(4), 0);
    }
    archive
}

/// The members of an archive with their contents and problems, and the problem that ends it.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    members: Vec<(String, MemberKind, Vec<u8>, Option<&'static str>)>,
    problem: Option<&'static str>,
}

impl Seen {
    /// Reads an archive in pieces of so many bytes.
    fn new(bytes: &[u8], piece: usize) -> Seen {
        let mut seen = Seen::default();
        let mut archive = open(Box::new(Cursor::new(bytes.to_vec())), &Limits::default()).unwrap();
        let mut buffer = vec![0; piece];
        loop {
            let member = match archive.next() {
                Ok(Some(member)) => member,
                Ok(None) => return seen,
                Err(problem) => {
                    seen.problem = Some(problem.word());
                    return seen;
                }
            };
            let (mut content, mut problem) = (Vec::new(), member.problem.map(|problem| problem.word()));
            loop {
                match archive.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(read) => content.extend(&buffer[..read]),
                    Err(met) => {
                        problem = Some(met.word());
                        break;
                    }
                }
            }
            let path = String::from_utf8_lossy(&member.path).into_owned();
            seen.members.push((path, member.kind, content, problem));
        }
    }

    fn paths(&self) -> Vec<&str> {
        self.members.iter().map(|(path, ..)| path.as_str()).collect()
    }
}

const FILE: u32 = 0o100_644;
const LINK: u32 = 0o120_777;

fn members() -> [Written<'static>; 6] {
    [
        ("d", 1, 2, 0o040_755, b""),
        ("first", 2, 2, FILE, b""),
        ("d/between", 3, 1, FILE, b"12345"),
        ("last", 2, 2, FILE, b"content"),
        ("link", 4, 1, LINK, b"d/between"),
        ("empty", 5, 1, FILE, b""),
    ]
}

#[test]
fn an_earlier_name_follows_its_content() {
    for form in ['1', '2'] {
        let seen = Seen::new(&newc(form, &members()), 4);
        assert_eq!(seen.problem, None);
        assert_eq!(seen.paths(), ["d", "d/between", "last", "first", "link", "empty"]);
        assert_eq!(seen.members[2].2, b"content");
        assert_eq!(seen.members[3].1, MemberKind::HardLink(b"last".to_vec()));
        assert_eq!(seen.members[4].1, MemberKind::Link(b"d/between".to_vec()));
    }
}

#[test]
fn members_are_the_same_however_they_are_read() {
    let archive = newc('2', &members());
    let whole = Seen::new(&archive, 100);
    for piece in 1..12 {
        assert_eq!(Seen::new(&archive, piece), whole);
    }
    let mut unread = open(Box::new(Cursor::new(archive)), &Limits::default()).unwrap();
    let paths: Vec<_> = std::iter::from_fn(|| unread.next().unwrap()).map(|member| member.path).collect();
    assert_eq!(paths, whole.paths().iter().map(|path| path.as_bytes()).collect::<Vec<_>>());
}

#[test]
fn every_cut_is_told() {
    let archive = newc('2', &members());
    let whole = Seen::new(&archive, 64);
    for length in 0..archive.len() - 3 {
        let seen = Seen::new(&archive[..length], 64);
        assert_eq!(seen.problem, Some("truncated"), "{length}");
        let intact: Vec<_> = seen.members.iter().filter(|member| member.3.is_none()).collect();
        assert!(intact.iter().all(|member| whole.members.contains(member)), "{length}");
    }
}

#[test]
fn archives_go_on_after_padding() {
    let mut archive = newc('1', &[("a", 1, 1, FILE, b"1")]);
    archive.resize(archive.len() + 400, 0);
    archive.extend(newc('2', &[("b", 1, 2, FILE, b"")]));
    archive.extend(newc('1', &[("c", 1, 2, FILE, b"3")]));
    let seen = Seen::new(&archive, 9);
    assert_eq!((seen.paths(), seen.problem), (vec!["a", "b", "c"], None));
    assert_eq!(seen.members[1].1, MemberKind::File, "inodes of another archive are others");
    archive.extend(b"more");
    assert_eq!(Seen::new(&archive, 9).problem, Some("damaged"));
}

#[test]
fn a_wrong_checksum_is_told_of_its_member_only() {
    let mut archive = newc('2', &members());
    let at = archive.windows(5).position(|bytes| bytes == b"12345").unwrap();
    archive[at] = b'9';
    let seen = Seen::new(&archive, 2);
    let problems: Vec<_> = seen.members.iter().map(|member| member.3).collect();
    assert_eq!(problems, [None, Some("checksum-mismatch"), None, None, None, None]);
    assert_eq!(seen.problem, None);
}

#[test]
fn a_trailer_with_content_is_a_member() {
    let seen = Seen::new(&newc('1', &[("TRAILER!!!", 1, 1, FILE, b"hidden"), ("b", 2, 1, FILE, b"")]), 9);
    assert_eq!((seen.paths(), seen.problem), (vec!["TRAILER!!!", "b"], None));
}

#[test]
fn names_of_empty_files_come_at_the_end() {
    let seen =
        Seen::new(&newc('1', &[("a", 1, 2, FILE, b""), ("b", 1, 2, FILE, b""), ("c", 2, 1, FILE, b"1")]), 9);
    assert_eq!(seen.paths(), ["c", "a", "b"]);
    assert_eq!(seen.members[1].1, MemberKind::File);
    assert_eq!(seen.members[2].1, MemberKind::HardLink(b"a".to_vec()));
}

#[test]
fn links_without_a_target_are_told_and_long_ones_are_files() {
    let long = vec![b'x'; TARGET as usize + 1];
    let seen = Seen::new(
        &newc('1', &[("a", 1, 1, LINK, b""), ("b", 2, 1, LINK, &long), ("c", 3, 1, FILE, b"1")]),
        999,
    );
    let problems: Vec<_> = seen.members.iter().map(|member| member.3).collect();
    assert_eq!((problems, seen.problem), (vec![Some("damaged"), None, None], None));
}

#[test]
fn what_is_stored_for_a_special_file_is_content() {
    let mut cpio = open(
        Box::new(std::io::Cursor::new(newc(
            '1',
            &[
                ("fifo", 1, 1, 0o010_644, b"bytes"),
                ("l", 2, 1, LINK, b"to"),
                ("d", 3, 1, 0o040_755, b"x"),
                ("e", 4, 1, 0o010_644, b""),
            ],
        ))),
        &Limits::default(),
    )
    .unwrap();
    let mut seen = Vec::new();
    while let Some(member) = cpio.next().unwrap() {
        let mut content = [0; 9];
        let mut length = 0;
        loop {
            match cpio.read(&mut content[length..]).unwrap() {
                0 => break,
                read => length += read,
            }
        }
        seen.push((
            member.is_stored(),
            content[..length].to_vec(),
            member.problem.map(|problem| problem.word()),
        ));
    }
    let expected =
        [(true, "bytes", None), (true, "to", None), (false, "x", Some("ambiguous")), (false, "", None)];
    assert_eq!(
        seen,
        expected.map(|(is_stored, content, word)| (is_stored, content.as_bytes().to_vec(), word))
    );
}

#[test]
fn what_is_no_archive_is_not_recognized() {
    assert!(recognizes(&newc('1', &[])));
    assert!(recognizes(&newc('2', &members())));
    assert!(!recognizes(&newc('3', &[])));
    assert!(!recognizes(b"070701 is no header"));
    assert!(!recognizes(&[0xc7, 0x71]));
    // The magic of a binary header, before a name with zeros in it.
    let mut binary = [0xc7_u8, 0x71].to_vec();
    binary.resize(20, 0);
    binary.extend([6, 0, 0, 0, 0, 0]);
    assert!(!recognizes(&[binary.as_slice(), b"a\0cde\0"].concat()));
    assert!(recognizes(&[binary.as_slice(), b"abcde\0"].concat()));
}

#[test]
fn an_index_without_a_list_is_told() {
    assert_eq!(Seen::new(b"07070X00000000\0\0", 9).problem, Some("damaged"));
}
