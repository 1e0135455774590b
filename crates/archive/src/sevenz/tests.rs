//! Archives made by hand, intact and damaged.

use crate::{Archive, Limits, MemberKind, Members, Problem};
use hashmill_digest::Crc32;
use std::sync::Arc;

/// Returns an archive with a header that is not compressed.
fn archive(packed: &[u8], header: &[u8]) -> Vec<u8> {
    let place = [
        &(packed.len() as u64).to_le_bytes()[..],
        &(header.len() as u64).to_le_bytes(),
        &Crc32::sum_of(header).to_le_bytes(),
    ];
    let place = place.concat();
    [&b"7z\xbc\xaf\x27\x1c\0\x04"[..], &Crc32::sum_of(&place).to_le_bytes(), &place, packed, header].concat()
}

/// The packed bytes of the archive below.
const PACKED: &[u8] = b"first second 01234567";

/// Returns the header of an archive with a block of two members, one of one member, and an empty file, a directory
/// and an item that stands for a deletion. The second block has a coder with this method.
fn header(method: &[u8], properties: &[u8]) -> Vec<u8> {
    let mut names = vec![17, 25, 0];
    "a b c d e f ".bytes().for_each(|byte| names.extend([if byte == b' ' { 0 } else { byte }, 0]));
    let coder = [&[0x20 | method.len() as u8], method, &[properties.len() as u8], properties].concat();
    let parts: [&[u8]; 12] = [
        // Packed streams at 0, of 13 and 8 bytes.
        &[1, 4, 6, 0, 2, 9, 13, 8, 0],
        // Two blocks of one coder each, and the bytes that come out.
        &[7, 11, 2, 0, 1, 1, 0],
        &[1],
        &coder,
        &[12, 13, 8, 0],
        // Two members in the first block, of which the first has 6 bytes, and all checksums.
        &[8, 13, 2, 1, 9, 6, 10, 1],
        &Crc32::sum_of(b"first ").to_le_bytes(),
        &Crc32::sum_of(b"second ").to_le_bytes(),
        &Crc32::sum_of(b"01234567").to_le_bytes(),
        &[0, 0],
        // Of six members, the first, third and fifth are empty: a directory, a file, and a file that was deleted.
        &[5, 6, 14, 1, 0b1010_1000, 15, 1, 0b0110_0000, 16, 1, 0b0010_0000],
        &names,
    ];
    [&parts.concat()[..], &[0, 0]].concat()
}

fn open(bytes: Vec<u8>, memory: u64) -> Result<Box<dyn Members>, Problem> {
    match super::open(Arc::new(bytes), &Limits { memory })? {
        Archive::Members(members) => Ok(members),
        Archive::Directory(_) => panic!("7z has no directory"),
    }
}

/// The path of a member, and its content or the word of the problem.
type ReadMember = (String, Result<String, &'static str>);

/// Reads all members in parts.
fn read(bytes: Vec<u8>, part: usize, memory: u64) -> Result<Vec<ReadMember>, Problem> {
    let mut members = open(bytes, memory)?;
    let mut all = Vec::new();
    while let Some(member) = members.next()? {
        let (mut content, mut buffer) = (Vec::new(), vec![0; part]);
        let result = loop {
            match members.read(&mut buffer) {
                Ok(0) => break Ok(String::from_utf8_lossy(&content).into_owned()),
                Ok(read) => content.extend_from_slice(&buffer[..read]),
                Err(problem) => break Err(problem.word()),
            }
        };
        if let Some(problem) = &member.problem {
            assert_eq!(result.as_ref().unwrap_err(), &problem.word());
        }
        all.push((String::from_utf8_lossy(&member.path).into_owned(), result));
    }
    Ok(all)
}

/// Returns members as they should be read.
fn expected(members: &[(&str, Result<&str, &'static str>)]) -> Vec<ReadMember> {
    members.iter().map(|(path, content)| (path.to_string(), content.map(str::to_string))).collect()
}

#[test]
fn content_comes_first_and_deletions_are_passed_over() {
    let archive = archive(PACKED, &header(&[0], &[]));
    let all =
        [("b", Ok("first ")), ("d", Ok("second ")), ("f", Ok("01234567")), ("a", Ok("")), ("c", Ok(""))];
    for part in 1..15 {
        assert_eq!(read(archive.clone(), part, 1 << 20).unwrap(), expected(&all), "parts of {part}");
    }
    let mut members = open(archive, 1 << 20).unwrap();
    let mut facts = Vec::new();
    while let Some(member) = members.next().unwrap() {
        facts.push((member.kind, member.size, member.stored));
    }
    let file = |size, stored| (MemberKind::File, Some(size), stored);
    let last = [(MemberKind::Directory, Some(0), None), file(0, None)];
    assert_eq!(facts, [&[file(6, None), file(7, None), file(8, Some(8))][..], &last].concat());
}

#[test]
fn content_that_is_not_read_is_passed_over() {
    let archive = archive(PACKED, &header(&[0], &[]));
    for length in 0..8 {
        let mut members = open(archive.clone(), 1 << 20).unwrap();
        members.next().unwrap();
        let mut buffer = vec![0; length];
        let read = members.read(&mut buffer).unwrap();
        assert_eq!(buffer[..read], b"first "[..read]);
        members.next().unwrap();
        let mut buffer = [0; 10];
        assert_eq!(members.read(&mut buffer).unwrap(), 7);
        assert_eq!(&buffer[..7], b"second ");
    }
}

#[test]
fn a_block_that_is_not_decoded_fails_its_members_alone() {
    let (first, second, a, c) = (("b", Ok("first ")), ("d", Ok("second ")), ("a", Ok("")), ("c", Ok("")));
    for (method, properties, word) in [
        (&[6, 0xf1, 7, 1][..], &[][..], "encrypted"),
        (&[4, 0xf7, 0x11, 2], &[], "unsupported-method"),
        // A model of 4 GiB, and properties that are too short.
        (&[3, 4, 1], &[6, 0, 0, 0, 0xf0], "needs-memory"),
        (&[3, 1, 1], &[0x5d, 0, 0], "damaged"),
        // Bytes that are not what the method makes.
        (&[3, 1, 1], &[0x5d, 0, 0, 1, 0], "damaged"),
        (&[4, 1, 8], &[], "damaged"),
        (&[4, 1, 9], &[], "damaged"),
        (&[4, 2, 2], &[], "damaged"),
        (&[4, 0xf7, 0x11, 1], &[], "damaged"),
        (&[0x21], &[0], "damaged"),
        (&[3, 4, 1], &[6, 0, 0, 1, 0], "damaged"),
        (&[3, 3, 1, 0x1b], &[], "damaged"),
    ] {
        let bytes = archive(PACKED, &header(method, properties));
        let all = expected(&[first, second, ("f", Err(word)), a, c]);
        assert_eq!(read(bytes, 4, 1 << 20).unwrap(), all, "{method:x?}");
    }
}

#[test]
fn an_empty_member_needs_no_byte_of_its_block() {
    let aes = [&[7, 11, 1, 0, 1, 4, 6, 0xf1, 7, 1, 12, 8, 0][..], &[8, 13, 2, 9, 0, 0, 0]].concat();
    let names = [17, 9, 0, b'a', 0, 0, 0, b'b', 0, 0, 0];
    let header = [&[1, 4, 6, 0, 1, 9, 8, 0][..], &aes, &[5, 2], &names, &[0, 0]].concat();
    let all = read(archive(b"01234567", &header), 3, 1 << 20).unwrap();
    assert_eq!(all, expected(&[("a", Ok("")), ("b", Err("encrypted"))]));
}

#[test]
fn a_wrong_checksum_fails_its_member_alone() {
    for (at, members) in [(0, ["b"]), (6, ["d"]), (20, ["f"])] {
        let mut packed = PACKED.to_vec();
        packed[at] ^= 1;
        let all = read(archive(&packed, &header(&[0], &[])), 100, 1 << 20).unwrap();
        let failed: Vec<&str> = all
            .iter()
            .filter(|(_, content)| *content == Err("checksum-mismatch"))
            .map(|(path, _)| &**path)
            .collect();
        assert_eq!(failed, members);
    }
}

#[test]
fn an_archive_that_is_cut_has_no_header() {
    let bytes = archive(PACKED, &header(&[0], &[]));
    for length in 0..bytes.len() {
        let problem = open(bytes[..length].to_vec(), 1 << 20).err().unwrap();
        assert_eq!(problem.word(), if length < 6 { "damaged" } else { "truncated" }, "{length}");
    }
    let empty = archive(b"", b"");
    assert!(open(empty, 1 << 20).unwrap().next().unwrap().is_none());
}

#[test]
fn headers_that_make_no_sense_are_problems() {
    let intact = header(&[0x21], &[0]);
    for at in 0..intact.len() {
        // Cut, and with every byte replaced by each of some values. The checksum is right.
        let cut = archive(PACKED, &intact[..at]);
        assert!(at == 0 || read(cut, 100, 1 << 20).is_err(), "{at}");
        for value in [0, 1, 2, 3, 0x20, 0x3f, 0x7f, 0x80, 0xbf, 0xc0, 0xfe, 0xff] {
            let mut header = intact.clone();
            header[at] = value;
            // Any result will do that comes soon, without a panic, and takes no more memory than it may.
            let _ = read(archive(PACKED, &header), 100, 1 << 16);
        }
    }
}

#[test]
fn a_header_that_is_compressed_in_itself_has_an_end() {
    // A header that is stored in a block of one coder which copies, and says that it lies where it lies.
    let header = [23, 6, 0, 1, 9, 20, 0, 7, 11, 1, 0, 1, 1, 0, 12, 20, 0, 0, 0, 0];
    let bytes = archive(&header, &header);
    assert_eq!(open(bytes, 1 << 20).err().unwrap().word(), "too-many");
}

#[test]
fn headers_that_repeat_themselves_are_read_in_no_time() {
    // Each list would have as many members as bytes follow.
    let list = [5, 0xe0, 0, 0, 4, 0];
    let lists = [&[1][..], &list.repeat(100_000), &[0; 0x5_0000]].concat();
    assert_eq!(open(archive(b"", &lists), 1 << 30).err().unwrap().word(), "damaged");
    // A second list is none.
    let one = header(&[0], &[]);
    let twice = [one.strip_suffix(&[0]).unwrap(), &[5, 0, 0, 0]].concat();
    assert_eq!(open(archive(PACKED, &twice), 1 << 30).err().unwrap().word(), "damaged");
}
