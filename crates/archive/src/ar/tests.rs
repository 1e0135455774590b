//! Whole archives, and what is wrong with some.

use super::*;
use std::io::Cursor;

/// Adds a member to an archive.
fn add(archive: &mut Vec<u8>, name: &str, content: &[u8]) {
    let size = content.len();
    archive.extend(format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 1, 0, 0, 644).as_bytes());
    archive.extend(content);
    archive.extend(&b"\n"[..size % 2]);
}

/// Reads an archive: the paths and contents, and the problem that ends it.
fn read(bytes: &[u8]) -> (Vec<(String, Vec<u8>)>, Option<Problem>) {
    let mut found = Vec::new();
    let mut archive = match open(Box::new(Cursor::new(bytes.to_vec())), &Limits::default()) {
        Ok(archive) => archive,
        Err(problem) => return (found, Some(problem)),
    };
    loop {
        let member = match archive.next() {
            Ok(Some(member)) => member,
            Ok(None) => return (found, None),
            Err(problem) => return (found, Some(problem)),
        };
        let (mut content, mut part) = (Vec::new(), [0; 3]);
        loop {
            match archive.read(&mut part) {
                Ok(0) => break,
                Ok(read) => content.extend(&part[..read]),
                Err(problem) => return (found, Some(problem)),
            }
        }
        found.push((String::from_utf8_lossy(&member.path).into_owned(), content));
    }
}

/// Returns an archive with everything that archives of System V or of BSD have.
fn both() -> [Vec<u8>; 2] {
    let (mut gnu, mut bsd) = (MAGIC.to_vec(), MAGIC.to_vec());
    add(&mut gnu, "/", b"\0\0\0\0");
    add(&mut gnu, "//", b"a_name_of_many_bytes.o/\n");
    add(&mut gnu, "/0", b"long");
    add(&mut gnu, "short.o/", b"abc");
    add(&mut gnu, "empty/", b"");
    add(&mut bsd, "#1/12", b"__.SYMDEF\0\0\0symbols");
    add(&mut bsd, "#1/24", b"a_name_of_many_bytes.o\0\0long");
    add(&mut bsd, "short.o", b"abc");
    add(&mut bsd, "empty", b"");
    [gnu, bsd]
}

#[test]
fn archives_of_both_families_hold_the_same() {
    let expected = [("a_name_of_many_bytes.o", b"long".as_slice()), ("short.o", b"abc"), ("empty", b"")];
    let expected = expected.map(|(path, content)| (path.to_owned(), content.to_vec()));
    for archive in both() {
        let (found, problem) = read(&archive);
        assert_eq!(found, expected);
        assert!(problem.is_none(), "{problem:?}");
    }
}

#[test]
fn every_cut_is_told_or_leaves_whole_members() {
    for archive in both() {
        let (whole, _) = read(&archive);
        for length in 0..archive.len() {
            let (found, problem) = read(&archive[..length]);
            assert!(whole.starts_with(&found), "{length}");
            assert!(problem.is_none_or(|problem| matches!(problem, Problem::Truncated)), "{length}");
        }
    }
}

#[test]
fn nonsense_is_told() {
    let told = |name: &str, content: &[u8]| {
        let mut archive = MAGIC.to_vec();
        add(&mut archive, name, content);
        read(&archive).1.map(|problem| problem.word())
    };
    assert_eq!(told("/0", b""), Some("damaged"));
    assert_eq!(told("#1/9", b"too short"), None);
    assert_eq!(told("#1/10", b"too short"), Some("damaged"));
    assert_eq!(read(b"!<thin>\n").1.map(|problem| problem.word()), Some("unsupported-method"));
    assert_eq!(read(b"!<arch>\n").1.map(|problem| problem.word()), None);
    assert_eq!(read(b"!<arch>\n\n").1.map(|problem| problem.word()), Some("truncated"));
    let mut second = MAGIC.to_vec();
    add(&mut second, "//", b"a_name_of_many_bytes.o/\n");
    add(&mut second, "//", b"another_name_of_many_bytes.o/\n");
    assert_eq!(read(&second).1.map(|problem| problem.word()), Some("damaged"));
}

#[test]
fn a_table_of_symbols_among_members_is_a_member() {
    let mut archive = MAGIC.to_vec();
    add(&mut archive, "a/", b"1");
    add(&mut archive, "__.SYMDEF", b"hidden");
    add(&mut archive, "/", b"hidden");
    let paths: Vec<_> = read(&archive).0.into_iter().map(|(path, _)| path).collect();
    assert_eq!(paths, ["a", "__.SYMDEF", "/"]);
}
