//! Archives that were made to mislead.

use super::made::{MadeMember, archive, archive_of, finish};
use super::{Unpacked, shell, unpack, unpack_within};
use flate2::{Compression, write::DeflateEncoder};
use hashmill_archive::{Limits, Problem};
use hashmill_testing::installed;
use std::io::Write;
use std::slice::from_ref;

/// Returns the words of problems of members, and of the one after them.
fn words(bytes: Vec<u8>) -> (Vec<&'static str>, Option<&'static str>) {
    let (members, last) = unpack(bytes);
    let word = |member: &Unpacked| member.content.as_ref().err().map_or("fine", Problem::word);
    (members.iter().map(word).collect(), last.as_ref().map(Problem::word))
}

/// A change of what the directory says.
type Change = fn(&mut MadeMember);

fn two() -> [MadeMember; 2] {
    [MadeMember::stored("a", b"content of a"), MadeMember::stored("b", b"content of b")]
}

fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_header_that_differs_from_the_directory_is_told_with_both_values() {
    assert_eq!(words(archive(&two())), (vec!["fine", "fine"], None));
    let changes: [(Change, &str); 7] = [
        (
            |member| member.name = b"c".to_vec(),
            "the name is a in the header of the member and c in the directory",
        ),
        (|member| member.method = 8, "the method is 0 in the header of the member and 8 in the directory"),
        (
            |member| member.flags = 1 << 11,
            "the flags is 0 in the header of the member and 2048 in the directory",
        ),
        (|member| member.crc = 1, "in the header of the member and 1 in the directory"),
        (|member| member.size = 11, "11 bytes are stored as 12 bytes"),
        (|member| (member.packed, member.size) = (11, 11), "the packed size is 12 in the header"),
        (|member| (member.method, member.size) = (8, 11), "the method is 0"),
    ];
    for (change, message) in changes {
        let mut listed = two();
        change(&mut listed[0]);
        let (members, last) = unpack(archive_of(&two(), &listed));
        let problem = members[0].content.as_ref().unwrap_err();
        assert_eq!(problem.word(), "ambiguous");
        assert!(problem.to_string().contains(message), "{problem}");
        assert!(members[1].content.is_ok() && last.is_none());
    }
}

#[test]
fn a_record_after_the_member_must_say_the_same() {
    let mut member = MadeMember::packed("a", 8, deflate(b"content"), b"content");
    member.flags = 8;
    let numbers = [member.crc, member.packed, member.size].map(u32::to_le_bytes).concat();
    let wide = [u64::from(member.packed), member.size.into()].map(u64::to_le_bytes).concat();
    let wide = [&member.crc.to_le_bytes()[..], &wide].concat();
    let mut header = MadeMember { crc: 0, packed: 0, size: 0, ..member.clone() };
    for signature in [&b""[..], b"PK\x07\x08"] {
        for numbers in [&numbers, &wide] {
            header.after = [signature, numbers].concat();
            assert_eq!(words(archive_of(from_ref(&header), from_ref(&member))), (vec!["fine"], None));
            let last = header.after.len() - 1;
            header.after[last] ^= 1;
            assert_eq!(words(archive_of(from_ref(&header), from_ref(&member))), (vec!["ambiguous"], None));
        }
    }
    header.after = [&b"PK\x07\x08"[..], &numbers].concat();
    let mut cut = archive_of(&[header.clone(), header.clone()], &[member.clone(), member.clone()]);
    cut.truncate(cut.len() - 30);
    assert_eq!(words(cut), (vec!["fine", "fine"], Some("truncated")));
}

/// Returns a bomb in which the content of each member quotes the headers of all that follow (Fifield 2019).
fn quoted(count: usize) -> Vec<u8> {
    let kernel = vec![0; 1 << 20];
    let mut members = vec![MadeMember::packed("kernel", 8, deflate(&kernel), &kernel)];
    for number in 1..count {
        let next = &members[number - 1];
        let header = next.local();
        let length = header.len() as u16;
        let block = [&[0][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &header].concat();
        let packed = block.len() as u32 + next.packed;
        let size = next.size + u32::from(length);
        members.push(MadeMember {
            packed,
            size,
            data: block,
            ..MadeMember::packed(&format!("{number}"), 8, vec![], b"")
        });
    }
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for member in members.iter().rev() {
        directory.extend(member.entry(bytes.len() as u32));
        bytes.extend(member.local());
        // A block quotes the header of the next member, which follows it in any case.
        bytes.extend(if member.name == b"kernel" { &member.data[..] } else { &member.data[..5] });
    }
    finish(bytes, &directory, count, b"")
}

#[test]
fn members_that_overlap_are_not_read() {
    let (members, last) = unpack(quoted(2000));
    let (kernel, others) = members.split_last().unwrap();
    assert_eq!(kernel.content.as_ref().unwrap().len(), 1 << 20);
    assert!(last.is_none(), "{last:?}");
    for member in others {
        assert!(matches!(member.content, Err(Problem::Ambiguous(_))), "{:?}", member.path);
    }
}

#[test]
fn members_with_the_same_bytes_or_those_of_the_directory_are_not_read() {
    let [one, _] = two();
    let directory = [one.entry(0), one.entry(0)].concat();
    assert_eq!(words(finish(one.bytes(), &directory, 2, b"")), (vec!["ambiguous", "ambiguous"], None));
    let long = MadeMember { packed: 90, size: 90, ..one.clone() };
    assert_eq!(words(archive(&[long])), (vec!["ambiguous"], None));
    // Extra fields of a header may hold another member, too.
    let mut header = MadeMember { data: one.bytes(), ..one.clone() };
    header.name = b"b".to_vec();
    let mut bytes = header.bytes();
    bytes[28..30].copy_from_slice(&(one.bytes().len() as u16 - 12).to_le_bytes());
    let directory = [header.entry(0), one.entry(31)].concat();
    assert_eq!(words(finish(bytes, &directory, 2, b"")), (vec!["ambiguous", "fine"], None));
}

#[test]
fn a_name_that_comes_again_is_told() {
    let [one, other] = two();
    let again = MadeMember::stored("a", b"another content");
    assert_eq!(words(archive(&[one, other, again])), (vec!["fine", "fine", "ambiguous"], None));
}

#[test]
fn members_that_the_directory_lacks_are_told() {
    let [one, other] = two();
    let hidden = |before: &[u8], between: &[u8], after: &[u8]| {
        let place = before.len() + one.bytes().len() + between.len();
        let directory = [one.entry(before.len() as u32), other.entry(place as u32)].concat();
        words(finish([before, &one.bytes(), between, &other.bytes(), after].concat(), &directory, 2, b""))
    };
    let member = MadeMember::stored("hidden", b"").bytes();
    let fine = vec!["fine", "fine"];
    assert_eq!(hidden(&[1; 100], &[2; 100], &[3; 100]), (fine.clone(), None));
    // The first letter of the signature is the last one of the member before.
    let quoted = MadeMember::stored("a", b"content P");
    let directory = [quoted.entry(0)].concat();
    let bytes = [&quoted.bytes(), &member[1..]].concat();
    assert_eq!(words(finish(bytes, &directory, 1, b"")), (vec!["fine"], Some("ambiguous")));
    for pad in [&[][..], &[0; 1], &[0; 70_000]] {
        let member = [pad, &member, pad].concat();
        assert_eq!(hidden(&member, b"", b""), (fine.clone(), Some("ambiguous")));
        assert_eq!(hidden(b"", &member, b""), (fine.clone(), Some("ambiguous")));
        assert_eq!(hidden(b"", b"", &member), (fine.clone(), Some("ambiguous")));
    }
}

#[test]
fn several_directories_are_told() {
    let [one, other] = two();
    let inner = archive(from_ref(&other));
    let comment = finish(one.bytes(), &one.entry(0), 1, &inner);
    let (found, last) = words(comment);
    assert_eq!((found.len(), last), (1, Some("ambiguous")));
    let both = [archive(from_ref(&one)), inner.clone()].concat();
    assert_eq!(words(both), (vec!["fine"], Some("ambiguous")));
    let nested = MadeMember::stored("inner.zip", &inner);
    assert_eq!(words(archive(&[nested])), (vec!["fine"], None));
    let count = finish(one.bytes(), &one.entry(0), 2, b"");
    assert_eq!(words(count), (vec!["fine"], Some("ambiguous")));
    let gap = [one.entry(0), vec![0; 30]].concat();
    assert_eq!(words(finish(one.bytes(), &gap, 1, b"")), (vec!["fine"], Some("damaged")));
}

#[test]
fn sizes_of_64_bits_do_not_wrap() {
    let [one, other] = two();
    for number in [u64::MAX, u64::MAX - 31, 1 << 63, 1 << 40] {
        let number = number.to_le_bytes();
        for (packed, size, place) in
            [(true, false, false), (false, true, false), (false, false, true), (true, true, true)]
        {
            let most = |is: bool, number: u32| if is { u32::MAX } else { number };
            let numbers = number.repeat([packed, size, place].iter().filter(|is| **is).count());
            let extra = [&[1, 0][..], &(numbers.len() as u16).to_le_bytes(), &numbers].concat();
            let listed = MadeMember { packed: most(packed, 12), size: most(size, 12), extra, ..one.clone() };
            let directory = [listed.entry(most(place, 0)), other.entry(one.bytes().len() as u32)].concat();
            let bytes = [one.bytes(), other.bytes()].concat();
            for bytes in [bytes.clone(), [&[7; 20], &bytes[..]].concat()] {
                let (members, last) = unpack(finish(bytes, &directory, 2, b""));
                assert!(
                    members.iter().all(|member| member.path == b"b" || member.content.is_err()),
                    "{last:?}"
                );
            }
        }
    }
}

#[test]
fn content_must_have_its_size_and_checksum() {
    let content = b"content content content".repeat(1000);
    let good = MadeMember::packed("a", 8, deflate(&content), &content);
    let word = |member: &MadeMember| words(archive(from_ref(member))).0[0];
    assert_eq!(word(&good), "fine");
    assert_eq!(word(&MadeMember { crc: !good.crc, ..good.clone() }), "checksum-mismatch");
    assert_eq!(word(&MadeMember { size: good.size - 1, ..good.clone() }), "damaged");
    assert_eq!(word(&MadeMember { size: good.size + 1, ..good.clone() }), "damaged");
    assert_eq!(word(&MadeMember { method: 6, ..good.clone() }), "unsupported-method");
    assert_eq!(word(&MadeMember { flags: 1, ..good.clone() }), "encrypted");
    let short = good.data[..good.data.len() - 1].to_vec();
    assert_eq!(word(&MadeMember::packed("a", 8, short, &content)), "damaged");
}

#[test]
fn windows_beyond_the_limit_are_not_allocated() {
    let content = b"content content content".repeat(1000);
    let zstandard = zstd::encode_all(&content[..], 19).unwrap();
    let lzma = [&[9, 20, 5, 0, 93, 0, 0, 0, 0xff][..], &[0; 10]].concat();
    let ppmd = [&[0xf5, 0x0f][..], &[0; 10]].concat();
    let members = [
        MadeMember::packed("a", 93, zstandard.clone(), &content),
        MadeMember::packed("b", 20, zstandard, &content),
        MadeMember { size: u32::MAX - 1, ..MadeMember::packed("c", 14, lzma, b"") },
        MadeMember::packed("d", 98, ppmd, &content),
    ];
    let found = |memory: u64| {
        let (members, _) = unpack_within(archive(&members), &Limits { memory });
        members
            .iter()
            .map(|member| member.content.as_ref().err().map_or("fine", Problem::word))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(256 << 20)[..3], ["fine", "fine", "needs-memory"]);
    assert_eq!(found(1 << 20)[2..], ["needs-memory", "needs-memory"]);
    assert_eq!(found(4096)[..2], ["needs-memory", "needs-memory"]);
}

#[test]
fn names_are_in_their_encodings() {
    let mut crc = flate2::Crc::new();
    crc.update(b"\x84");
    let field = [&[0x75, 0x70, 7, 0, 1][..], &crc.sum().to_le_bytes(), "é".as_bytes()].concat();
    let raw = MadeMember { name: b"\x84".to_vec(), ..MadeMember::stored("", b"") };
    let unicode = MadeMember { extra: field.clone(), ..raw.clone() };
    let utf8 = MadeMember { flags: 1 << 11, ..MadeMember::stored("ö", b"") };
    let unix = MadeMember { made_by: 3 << 8, ..MadeMember::stored("ü", b"") };
    let (members, last) = unpack(archive(&[raw, unicode, utf8, unix]));
    let paths: Vec<_> = members.iter().map(|member| String::from_utf8_lossy(&member.path)).collect();
    assert_eq!(paths, ["ä", "é", "ö", "ü"]);
    assert!(last.is_none() && members.iter().all(|member| member.content.is_ok()));
}

#[test]
fn encryption_and_volumes_are_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), super::tree::Random(5).content().repeat(50)).unwrap();
    std::fs::write(folder.path().join("b"), [7; 300]).unwrap();
    for (program, arguments) in
        [("zip", "-q -P secret out.zip a b"), ("7zz", "a -tzip -psecret -mem=AES256 out.zip a b")]
    {
        if installed(program).is_some() {
            let line = format!("rm -f out.zip; {program} {arguments}");
            assert!(shell(folder.path(), &line), "{line}");
            let bytes = std::fs::read(folder.path().join("out.zip")).unwrap();
            assert_eq!(words(bytes), (vec!["encrypted", "encrypted"], None), "{line}");
        }
    }
    let line = "rm -f out.zip; head -c 200000 /dev/urandom >a; zip -q -s 64k out.zip a b";
    if installed("zip").is_some() {
        assert!(shell(folder.path(), line), "{line}");
        for part in ["out.zip", "out.z01"] {
            let bytes = std::fs::read(folder.path().join(part)).unwrap();
            assert_eq!(words(bytes), (vec![], Some("unsupported-method")), "{part}");
        }
    }
}
