//! Archives as this crate reads them, and the comparison with the programs.

use super::programs::listed;
use hashmill_archive::{Archive, Limits, Medium, Member, MemberKind, Members, Problem, Time, archive};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A member with its content, or why that can't be read.
pub struct Read {
    pub member: Member,
    pub content: Result<Vec<u8>, Problem>,
}

/// Opens an archive in memory.
pub fn open(bytes: Vec<u8>, limits: &Limits) -> Result<Box<dyn Members>, Problem> {
    let medium: Arc<dyn Medium> = Arc::new(bytes);
    let format = archive(&*medium).ok_or(Problem::Truncated)?;
    assert_eq!(format.name, "7z");
    match (format.open)(medium, limits)? {
        Archive::Members(members) => Ok(members),
        Archive::Directory(_) => panic!("7z has no directory"),
    }
}

/// Reads all members, some of them in parts of odd sizes.
pub fn read(bytes: Vec<u8>, part: usize) -> Result<Vec<Read>, Problem> {
    let mut members = open(bytes, &Limits::default())?;
    let mut all = Vec::new();
    while let Some(member) = members.next()? {
        let mut content = Vec::new();
        let mut buffer = vec![0; part];
        let result = loop {
            match members.read(&mut buffer) {
                Ok(0) => break Ok(content),
                Ok(read) => content.extend_from_slice(&buffer[..read]),
                Err(problem) => break Err(problem),
            }
        };
        all.push(Read { member, content: result });
    }
    Ok(all)
}

/// Returns the content of all members by their paths.
pub fn contents(all: Vec<Read>) -> BTreeMap<Vec<u8>, Vec<u8>> {
    all.into_iter().map(|read| (read.member.path, read.content.unwrap())).collect()
}

/// Compares an archive with the tree that it was made of, and with the list of 7zz.
pub fn compare(path: &Path, bytes: Vec<u8>, root: &Path, part: usize, what: &str) -> bool {
    let Some(mut expected) = listed(path) else { return false };
    let mut content_ended = false;
    for Read { member, content } in read(bytes, part).unwrap_or_else(|p| panic!("{what}: {p}")) {
        let name = String::from_utf8(member.path.clone()).unwrap();
        let context = format!("{what}: {name}");
        let fields = expected.remove(&name).unwrap_or_else(|| panic!("{context}: 7zz has no such member"));
        assert!(member.problem.is_none(), "{context}: {:?}", member.problem);
        let content = content.unwrap_or_else(|problem| panic!("{context}: {problem}"));
        let field = |name| fields.get(name).cloned().unwrap_or_default();
        let source = root.join(&name);
        let mut stated = field("Size");
        match &member.kind {
            MemberKind::Directory => {
                assert!(source.is_dir(), "{context}");
                stated = "0".into();
            }
            MemberKind::Link(target) => {
                let expected = fs::read_link(&source).unwrap();
                assert_eq!(target, expected.to_str().unwrap().as_bytes(), "{context}");
                assert_eq!(content, *target, "{context}");
            }
            // Without attributes, nothing tells a link from a file.
            MemberKind::File if source.is_symlink() && member.mode.is_none() => {
                assert_eq!(
                    content,
                    fs::read_link(&source).unwrap().to_str().unwrap().as_bytes(),
                    "{context}"
                );
            }
            _ => assert!(content == fs::read(&source).unwrap(), "{context}: other content"),
        }
        assert_eq!(member.size, Some(content.len() as u64), "{context}");
        assert_eq!(stated, content.len().to_string(), "{context}");
        if member.kind == MemberKind::File && !content.is_empty() {
            let mut crc = flate2::Crc::new();
            crc.update(&content);
            assert_eq!(field("CRC"), format!("{:08X}", crc.sum()), "{context}");
        }
        let has_content = !field("CRC").is_empty();
        assert!(!(has_content && content_ended), "{context}: content comes first");
        content_ended |= !has_content;
        assert_eq!(trimmed(&shown(member.times.modified)), trimmed(&field("Modified")), "{context}");
        assert_eq!(trimmed(&shown(member.times.created)), trimmed(&field("Created")), "{context}");
        assert_eq!(trimmed(&shown(member.times.accessed)), trimmed(&field("Accessed")), "{context}");
        let attributes = field("Attributes");
        let mode = attributes.split(' ').next_back().filter(|mode| mode.len() == 10);
        assert_eq!(
            member.mode.map(letters),
            mode.map(|mode| mode[1..].to_string()),
            "{context}: {attributes}"
        );
    }
    assert!(expected.is_empty(), "{what}: {:?} were not met", expected.keys());
    true
}

/// Returns a time without zeros at its end.
pub fn trimmed(time: &str) -> &str {
    time.trim_end_matches('0').trim_end_matches('.')
}

/// Returns a mode as `ls` writes it.
pub fn letters(mode: u32) -> String {
    let mut letters: Vec<u8> =
        (0..9).map(|bit| if mode >> (8 - bit) & 1 == 1 { b"rwx"[bit % 3] } else { b'-' }).collect();
    for (bit, at, set, unset) in [(11, 2, b's', b'S'), (10, 5, b's', b'S'), (9, 8, b't', b'T')] {
        if mode >> bit & 1 == 1 {
            letters[at] = if letters[at] == b'x' { set } else { unset };
        }
    }
    String::from_utf8(letters).unwrap()
}

/// Returns a time as 7zz writes it.
fn shown(time: Option<Time>) -> String {
    let Some(time) = time else { return String::new() };
    let days = time.seconds.div_euclid(86_400);
    let (second, part) = (time.seconds.rem_euclid(86_400), time.nanoseconds / 100);
    // The calendar, counted from a March, with eras of 400 years.
    let day = days + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{part:07}")
}
