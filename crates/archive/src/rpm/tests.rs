//! Packages that are made up here, and what is wrong with some.

use super::*;
use crate::MemberKind;

/// The values of a tag.
enum Values<'a> {
    Half(&'a [u16]),
    Word(&'a [u32]),
    Long(&'a [u64]),
    Strings(&'a [&'a str]),
    Bytes(&'a [u8]),
}

/// Returns a header.
fn header(tags: &[(u32, Values<'_>)]) -> Vec<u8> {
    let (mut entries, mut bytes) = (Vec::new(), Vec::new());
    for (tag, values) in tags {
        let offset = bytes.len();
        let (form, count) = match values {
            Values::Half(numbers) => {
                numbers.iter().for_each(|number| bytes.extend(number.to_be_bytes()));
                (3, numbers.len())
            }
            Values::Word(numbers) => {
                numbers.iter().for_each(|number| bytes.extend(number.to_be_bytes()));
                (4, numbers.len())
            }
            Values::Long(numbers) => {
                numbers.iter().for_each(|number| bytes.extend(number.to_be_bytes()));
                (5, numbers.len())
            }
            Values::Strings(strings) => {
                strings.iter().for_each(|string| bytes.extend([string.as_bytes(), b"\0"].concat()));
                (8, strings.len())
            }
            Values::Bytes(binary) => {
                bytes.extend(*binary);
                (7, binary.len())
            }
        };
        for field in [*tag, form, offset as u32, count as u32] {
            entries.extend(field.to_be_bytes());
        }
    }
    let mut header = vec![0x8e, 0xad, 0xe8, 1, 0, 0, 0, 0];
    header.extend((tags.len() as u32).to_be_bytes());
    header.extend((bytes.len() as u32).to_be_bytes());
    [header, entries, bytes].concat()
}

/// Returns a package of five files, two of them with the same inode and one of them a ghost, whose payload has only
/// indexes.
fn package() -> Vec<u8> {
    let mut package = [&MAGIC[..], &[3, 0, 0, 0, 0, 0], &[0; 68], &[0, 5], &[0; 16]].concat();
    assert_eq!(package.len(), 96);
    package.extend(header(&[
        (tag::SIGNATURE_MD5, Values::Bytes(&[7; 16])),
        (tag::SHA1_HEADER, Values::Strings(&["0123456789abcdef0123456789ABCDEF01234567"])),
    ]));
    package.resize(package.len().next_multiple_of(8), 0);
    package.extend(header(&[
        (tag::DIRECTORY_NAMES, Values::Strings(&["/", "/d/"])),
        (tag::BASE_NAMES, Values::Strings(&["d", "a", "b", "ghost", "link"])),
        (tag::DIRECTORY_INDEXES, Values::Word(&[0, 1, 1, 1, 1])),
        (tag::LONG_FILE_SIZES, Values::Long(&[4096, 5, 5, 9, 1])),
        (tag::FILE_MODES, Values::Half(&[0o040_755, 0o100_644, 0o100_644, 0o100_600, 0o120_777])),
        (tag::FILE_TIMES, Values::Word(&[1, 2, 3, 4, 5])),
        (tag::FILE_FLAGS, Values::Word(&[0, 0, 0, 64, 0])),
        (tag::FILE_DEVICES, Values::Word(&[1; 5])),
        (tag::FILE_INODES, Values::Word(&[1, 2, 2, 2, 5])),
        (tag::FILE_DIGESTS, Values::Strings(&["", "0a0b", "0a0b", "", ""])),
        (tag::FILE_DIGEST_ALGORITHM, Values::Word(&[8])),
        (tag::PAYLOAD_DIGEST, Values::Strings(&["ff00"])),
        (tag::PAYLOAD_DIGEST_ALGORITHM, Values::Word(&[10])),
        (tag::PLAIN_PAYLOAD_DIGEST, Values::Strings(&["00ff"])),
    ]));
    for (index, content) in [(0, ""), (1, ""), (2, "hello"), (4, "a")] {
        package.extend(format!("07070X{index:08x}\0\0{content}").as_bytes());
        let padding = content.len().wrapping_neg() % 4;
        package.extend(&[0; 4][..padding]);
    }
    let numbers = [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 0].map(|number| format!("{number:08x}")).concat();
    package.extend(format!("070701{numbers}TRAILER!!!\0\0\0\0").as_bytes());
    package
}

/// The members with their contents, and the problem that ends the package.
type Seen = (Vec<(String, MemberKind, Vec<u8>)>, Option<&'static str>);

fn read(bytes: &[u8], limits: Limits) -> Seen {
    let mut seen = Vec::new();
    let mut members = match open(Box::new(Cursor::new(bytes.to_vec())), &limits) {
        Ok(members) => members,
        Err(problem) => return (seen, Some(problem.word())),
    };
    loop {
        let member = match members.next() {
            Ok(Some(member)) => member,
            Ok(None) => return (seen, None),
            Err(problem) => return (seen, Some(problem.word())),
        };
        let (mut content, mut part) = (Vec::new(), [0; 2]);
        while let Ok(1..) = members.read(&mut part).inspect(|read| content.extend(&part[..*read])) {}
        seen.push((String::from_utf8_lossy(&member.path).into_owned(), member.kind, content));
    }
}

#[test]
fn indexes_stand_for_the_files_of_the_header() {
    let (members, problem) = read(&package(), Limits::default());
    let expected = [
        ("./d", MemberKind::Directory, b"".as_slice()),
        ("./d/b", MemberKind::File, b"hello"),
        ("./d/a", MemberKind::HardLink(b"./d/b".to_vec()), b""),
        ("./d/link", MemberKind::Link(b"a".to_vec()), b"a"),
    ];
    let expected = expected.map(|(path, kind, content)| (path.to_owned(), kind, content.to_vec()));
    assert_eq!(members, expected);
    assert_eq!(problem, None);
}

#[test]
fn statements_are_those_of_the_header() {
    let package = package();
    let mut bytes = package.as_slice();
    let statements = rpm_statements(&mut bytes, &Limits::default()).unwrap();
    assert!(bytes.starts_with(b"07070X"), "the payload is left to others");
    let payload_at = (package.len() - bytes.len()) as u64;
    let paths: Vec<_> = statements.files.iter().map(|file| file.path.as_slice()).collect();
    assert_eq!(paths, [b"/d".as_slice(), b"/d/a", b"/d/b", b"/d/ghost", b"/d/link"]);
    let digest = RpmDigest { algorithm: "sha256", bytes: vec![10, 11] };
    let path = b"/d/b".to_vec();
    assert_eq!(
        statements.files[2],
        RpmFile { path, size: Some(5), digest: Some(digest), target: None, is_ghost: false }
    );
    assert!(statements.files[3].is_ghost && statements.files[3].digest.is_none());
    let parts: Vec<_> =
        statements.parts.iter().map(|part| (part.part, part.digest.algorithm, part.end)).collect();
    let expected = [
        (RpmPart::Header, "sha1", Some(payload_at)),
        (RpmPart::HeaderAndPayload, "md5", None),
        (RpmPart::Payload, "sha512", None),
        (RpmPart::PlainPayload, "sha512", None),
    ];
    assert_eq!(parts, expected);
    let start = statements.parts[0].start as usize;
    assert!(package[start..].starts_with(&[0x8e, 0xad, 0xe8]));
    assert_eq!(statements.parts[2].start, payload_at);
}

#[test]
fn a_package_of_rpm_3_lists_whole_paths() {
    let mut package = package()[..96].to_vec();
    package.extend(header(&[]));
    package.extend(header(&[
        (tag::OLD_FILE_NAMES, Values::Strings(&["/d/a", "/d/b"])),
        (tag::FILE_SIZES, Values::Word(&[1, 2])),
        (tag::FILE_DIGESTS, Values::Strings(&["0a0b", ""])),
    ]));
    let statements = rpm_statements(&mut package.as_slice(), &Limits::default()).unwrap();
    let digest = RpmDigest { algorithm: "md5", bytes: vec![10, 11] };
    let file = |path: &[u8], size, digest| RpmFile {
        path: path.to_vec(),
        size,
        digest,
        target: None,
        is_ghost: false,
    };
    assert_eq!(statements.files, [file(b"/d/a", Some(1), Some(digest)), file(b"/d/b", Some(2), None)]);
    assert!(statements.parts.is_empty());
}

#[test]
fn every_cut_is_told() {
    let package = package();
    let whole = read(&package, Limits::default()).0;
    for length in 0..package.len() - 3 {
        let (members, problem) = read(&package[..length], Limits::default());
        assert_eq!(problem, Some("truncated"), "{length}");
        assert!(members.len() <= whole.len() && members.iter().take(1).all(|member| *member == whole[0]));
    }
}

#[test]
fn damage_leads_to_problems_only() {
    let package = package();
    for at in 96..package.len() {
        for value in [0, 0xff, package[at] ^ 1, package[at] ^ 0x80] {
            let mut damaged = package.clone();
            damaged[at] = value;
            read(&damaged, Limits { memory: 1 << 20 });
            let _ = rpm_statements(&mut damaged.as_slice(), &Limits { memory: 1 << 20 });
        }
    }
}

#[test]
fn memory_is_bounded() {
    assert_eq!(read(&package(), Limits { memory: 100 }).1, Some("needs-memory"));
    assert_eq!(read(&package(), Limits { memory: 999 }).1, Some("too-many"));
    let mut large = package()[..96].to_vec();
    large.extend([0x8e, 0xad, 0xe8, 1, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff]);
    assert_eq!(read(&large, Limits { memory: 1 << 40 }).1, Some("truncated"));
    large[104] = 1;
    assert_eq!(read(&large, Limits { memory: 1 << 40 }).1, Some("damaged"));
}
