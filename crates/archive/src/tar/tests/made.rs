//! Archives made by hand, and what is read of them.

use crate::tar::blocks::padding;
use crate::{Limits, Member, Members, Problem};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An archive that is being made.
#[derive(Default, Clone)]
pub struct Made(pub Vec<u8>);

/// The magic and version of POSIX and of GNU tar.
pub const POSIX: &[u8; 8] = b"ustar\x0000";
pub const GNU: &[u8; 8] = b"ustar  \0";

/// Returns a header.
pub fn header(letter: u8, name: &str, size: u64, magic: &[u8; 8]) -> [u8; 512] {
    let mut block = [0; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[100..108].copy_from_slice(b"0000644\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[136..148].copy_from_slice(b"00000000017\0");
    block[156] = letter;
    block[157..161].copy_from_slice(b"link");
    block[257..265].copy_from_slice(magic);
    sum(&mut block);
    block
}

/// Sets the checksum of a header.
pub fn sum(block: &mut [u8; 512]) {
    block[148..156].fill(b' ');
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// Returns records of an extended header.
pub fn records(of: &[(&str, &str)]) -> Vec<u8> {
    let record = |(keyword, value): &(&str, &str)| {
        let rest = keyword.len() + value.len() + 3;
        let length =
            (1..).map(|digits| rest + digits).find(|length| rest + length.to_string().len() == *length);
        format!("{} {keyword}={value}\n", length.unwrap())
    };
    of.iter().map(record).collect::<String>().into_bytes()
}

impl Made {
    /// Adds a member or an extension of the next, of POSIX.
    pub fn with(self, letter: u8, name: &str, content: &[u8]) -> Made {
        self.block(header(letter, name, content.len() as u64, POSIX)).content(content)
    }

    /// Adds a member of GNU tar.
    pub fn gnu(self, letter: u8, name: &str, content: &[u8]) -> Made {
        self.block(header(letter, name, content.len() as u64, GNU)).content(content)
    }

    pub fn records(self, letter: u8, of: &[(&str, &str)]) -> Made {
        self.with(letter, "records", &records(of))
    }

    pub fn block(mut self, block: [u8; 512]) -> Made {
        self.0.extend(block);
        self
    }

    pub fn content(mut self, content: &[u8]) -> Made {
        self.0.extend(content);
        self.0.resize(self.0.len() + padding(content.len() as u64) as usize, 0);
        self
    }

    /// Adds blocks of zeros.
    pub fn zeros(mut self, blocks: usize) -> Made {
        self.0.resize(self.0.len() + blocks * 512, 0);
        self
    }
}

/// A source that gives few bytes at a time, and counts them.
pub struct Source {
    pub bytes: io::Cursor<Vec<u8>>,
    pub most: usize,
    pub taken: Arc<AtomicUsize>,
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(buffer.len());
        let length = self.bytes.read(&mut buffer[..most])?;
        self.taken.fetch_add(length, Ordering::Relaxed);
        Ok(length)
    }
}

/// A member as it was read: its description, content, and the position in the archive after it.
#[derive(Debug)]
pub struct Met {
    pub member: Member,
    pub content: Result<Vec<u8>, Problem>,
    pub end: usize,
}

impl Met {
    /// Returns all of it in a form that can be compared; the content only if it is whole.
    pub fn told(&self) -> (String, Option<Vec<u8>>) {
        (format!("{:?}", self.member), self.content.as_ref().ok().cloned())
    }

    /// Returns its problem in one word.
    pub fn word(&self) -> &'static str {
        self.member.problem.as_ref().map_or("", Problem::word)
    }
}

/// Reads an archive, of each member at most a MiB. Returns the error at the end, and the bytes that were taken.
pub fn read_with(bytes: &[u8], most: usize, memory: u64) -> (Vec<Met>, Option<Problem>, usize) {
    let taken = Arc::new(AtomicUsize::new(0));
    let source = Source { bytes: io::Cursor::new(bytes.to_vec()), most, taken: Arc::clone(&taken) };
    let mut members = crate::tar::open(Box::new(source), &Limits { memory }).unwrap();
    let mut all = Vec::new();
    let error = loop {
        match members.next() {
            Ok(Some(member)) => {
                let content = content(&mut *members, most);
                all.push(Met { member, content, end: taken.load(Ordering::Relaxed) });
            }
            Ok(None) => break None,
            Err(problem) => break Some(problem),
        }
    };
    assert!(matches!(members.next(), Ok(None)));
    (all, error, taken.load(Ordering::Relaxed))
}

fn content(members: &mut dyn Members, most: usize) -> Result<Vec<u8>, Problem> {
    let mut content = Vec::new();
    let mut part = vec![0; most.min(4096)];
    while content.len() < 1 << 20 {
        match members.read(&mut part)? {
            0 => break,
            length => content.extend_from_slice(&part[..length]),
        }
    }
    Ok(content)
}

/// Reads an archive.
pub fn read(made: &Made) -> (Vec<Met>, Option<Problem>) {
    let (all, error, _) = read_with(&made.0, usize::MAX, 256 << 20);
    (all, error)
}

/// Reads the only member of an archive.
pub fn only(made: &Made) -> Met {
    let (mut all, error) = read(made);
    assert!(error.is_none() && all.len() == 1, "{all:?} {error:?}");
    all.remove(0)
}
