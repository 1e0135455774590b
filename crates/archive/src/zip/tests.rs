use super::checked::{Checked, Expected};
use super::*;
use crate::{DirectoryMember, MemberKind, Time};
use std::io::{self, Read};

/// An archive by Info-ZIP 3.0: a file `a`, a link `l` to it, and a directory `d`.
const INFO_ZIP: &str = "\
504b03041400000008005d645d2850b284fa0d0000001800000001000000614bcecf2b49cd2b514846a5b900504b03040a00000000005c645d\
2843beb7e80100000001000000010000006c61504b03040a00000000005c645d2800000000000000000000000002000000642f504b01021e03\
1400000008005d645d2850b284fa0d00000018000000010000000000000001000000a4810000000061504b01021e030a00000000005c645d28\
43beb7e80100000001000000010000000000000000000000ffa12c0000006c504b01021e030a00000000005c645d2800000000000000000000\
0000020000000000000000001000ed414c000000642f504b050600000000030003008e0000006c0000000000";

const CONTENT: &[u8] = b"content content content\n";

fn bytes() -> Vec<u8> {
    let digits: Vec<u8> = INFO_ZIP.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|two| two[0] << 4 | two[1]).collect()
}

fn listed(medium: Arc<dyn Medium>) -> (Vec<DirectoryMember>, Option<Problem>) {
    let Ok(Archive::Directory(directory)) = open(medium, &Limits::default()) else { panic!("no directory") };
    let (mut members, mut last) = (Vec::new(), None);
    for member in directory.members() {
        match member {
            Ok(member) => members.push(member),
            Err(problem) => last = Some(problem),
        }
    }
    (members, last)
}

#[test]
fn facts_are_those_of_the_directory() {
    assert_eq!(recognizes(&bytes()), Recognition::Yes);
    let (members, last) = listed(Arc::new(bytes()));
    assert!(last.is_none());
    let facts = members.iter().map(|listed| {
        let member = &listed.member;
        (&*member.path, member.kind.clone(), member.size, member.stored, member.mode, listed.place)
    });
    let expected = [
        (&b"a"[..], MemberKind::File, Some(24), Some(13), Some(0o644), 0),
        (b"l", MemberKind::Link(b"a".to_vec()), Some(1), Some(1), Some(0o777), 44),
        (b"d/", MemberKind::Directory, Some(0), Some(0), Some(0o755), 76),
    ];
    assert_eq!(facts.collect::<Vec<_>>(), expected);
    let modified = Time { seconds: 951_827_698, nanoseconds: 0 };
    assert_eq!(members[0].member.times.modified, Some(modified));
}

#[test]
fn content_is_equal_for_every_split_of_reads() {
    let (members, _) = listed(Arc::new(bytes()));
    for length in 1..=CONTENT.len() + 1 {
        let mut reader = members[0].bytes.open().unwrap();
        let (mut content, mut buffer) = (Vec::<u8>::new(), vec![0; length]);
        loop {
            match reader.read(&mut buffer).unwrap() {
                0 => break,
                read => content.extend(&buffer[..read]),
            }
        }
        assert_eq!(content, CONTENT);
        assert_eq!(reader.read(&mut buffer).unwrap(), 0);
    }
}

#[test]
fn members_are_found_without_a_directory() {
    let (members, last) = listed(Arc::new(bytes()[..200].to_vec()));
    assert!(matches!(last, Some(Problem::Truncated)));
    let paths: Vec<&[u8]> = members.iter().map(|listed| &*listed.member.path).collect();
    assert_eq!(paths, [&b"a"[..], b"l", b"d/"]);
    let mut content = Vec::new();
    members[0].bytes.open().unwrap().read_to_end(&mut content).unwrap();
    assert_eq!(content, CONTENT);
    let (members, _) = listed(Arc::new(bytes()[..40].to_vec()));
    let error = members[0].bytes.open().unwrap().read_to_end(&mut Vec::new()).unwrap_err();
    assert!(matches!(Problem::from(error), Problem::Truncated));
}

#[test]
fn other_bytes_are_not_recognized() {
    let empty = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    assert_eq!(recognizes(&empty), Recognition::Yes);
    assert_eq!(recognizes(&[b"a stub".to_vec(), bytes()].concat()), Recognition::Yes);
    assert_eq!(recognizes(&[bytes(), b"behind it".to_vec()].concat()), Recognition::Yes);
    let between = [b"before it".to_vec(), bytes(), b"behind it".to_vec()].concat();
    assert_eq!(recognizes(&between), Recognition::ByEnd);
    for other in
        [b"".to_vec(), b"PK".to_vec(), b"PK\x07\x08PK".to_vec(), [vec![0], empty].concat(), vec![0; 70_000]]
    {
        assert_eq!(recognizes(&other), Recognition::No, "{other:?}");
    }
}

/// A medium with a part that can't be read.
#[derive(Debug)]
struct Broken(Vec<u8>);

impl Medium for Broken {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        // The packed bytes of the first member.
        let is_broken = (31..44).contains(&position);
        if is_broken { Err(io::Error::other("a bad sector")) } else { self.0.read_at(position, buffer) }
    }
}

#[test]
fn errors_of_the_medium_stay_what_they_are() {
    let (members, last) = listed(Arc::new(Broken(bytes())));
    assert!(last.is_none());
    let error = members[0].bytes.open().unwrap().read_to_end(&mut Vec::new()).unwrap_err();
    assert!(matches!(Problem::from(error), Problem::Io(error) if error.to_string() == "a bad sector"));
}

#[test]
fn content_of_unknown_size_has_no_size_to_differ_from() {
    let reader = |size, crc| {
        let expected = Expected { size, crc, has_end: true };
        let mut checked = Checked::new(Box::new(CONTENT), crate::member::part::Faults::default(), expected);
        checked.read_to_end(&mut Vec::new()).map_err(|error| Problem::from(error).word())
    };
    assert_eq!(reader(None, None), Ok(24));
    assert_eq!(reader(Some(24), Some(0xfa84_b250)), Ok(24));
    assert_eq!(reader(None, Some(1)), Err("checksum-mismatch"));
    assert_eq!(reader(Some(23), None), Err("damaged"));
    assert_eq!(reader(Some(25), None), Err("damaged"));
}
